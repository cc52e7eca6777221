"""Reference crawl of one site, to compare Relink with.

Reads every page of one origin with http.client and html.parser, and prints one
JSON object: the documents that were read, the internal URLs that are dead, and
the fragments that their page does not have. Uses nothing but the Python
standard library, and shares no code with Relink.

usage: reference.py START_URL [--only FILE]

With --only, URLs that are not in the file (one on each line) are ignored, so
that a crawl with a limit can be compared as well.
"""

import collections
import http.client
import json
import re
import sys
from html.parser import HTMLParser
from urllib.parse import quote, unquote_to_bytes, urlsplit

# Element and attribute pairs that hold one URL (HTML standard, index of
# attributes, and what older pages use).
URLS = {
    ("a", "href"), ("a", "xlink:href"), ("area", "href"), ("audio", "src"),
    ("blockquote", "cite"), ("body", "background"), ("button", "formaction"),
    ("del", "cite"), ("embed", "src"), ("form", "action"), ("frame", "longdesc"),
    ("frame", "src"), ("html", "manifest"), ("iframe", "longdesc"), ("iframe", "src"),
    ("image", "href"), ("image", "xlink:href"), ("img", "longdesc"), ("img", "src"),
    ("input", "formaction"), ("input", "src"), ("ins", "cite"), ("object", "data"),
    ("q", "cite"), ("script", "src"), ("source", "src"), ("table", "background"),
    ("td", "background"), ("th", "background"), ("track", "src"), ("video", "poster"),
    ("video", "src"),
}
CANDIDATES = {("img", "srcset"), ("source", "srcset"), ("link", "imagesrcset")}
# Relations that name a host to connect to, and no page.
HOST_RELATIONS = {"preconnect", "dns-prefetch"}
REFRESH = re.compile(
    r"^\s*(\d*)[\d.]*\s*[;,]\s*(?:url\s*=\s*)?(['\"]?)(.*?)\2\s*$", re.I | re.S)
CSS_URL = re.compile(
    r"""url\(\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)'|([^'"()\s\\]+))\s*\)|@import\s+(?:"([^"\\\n]*)"|'([^'\\\n]*)')""",
    re.I)
CSS_COMMENT = re.compile(r"/\*.*?\*/", re.S)
PLACEHOLDERS = ("{{", "{%", "${", "<%")
MAX_REDIRECTS = 10
# A page that sends its reader on within this time, in seconds, is a redirect.
AT_ONCE = 10
UNDECIDED = (401, 403, 407, 429)
READ_TYPES = ("text/html", "application/xhtml+xml", "text/css", "text/xml", "application/xml")


class Page(HTMLParser):
    """Collects the links and the ids of an HTML page."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.base, self.links, self.ids, self.onward = None, [], set(), None
        self.id_count, self.has_script, self.refreshes = 0, False, False
        self.templates, self.in_style, self.style = 0, False, []

    def handle_starttag(self, tag, attributes):
        names = {}
        for name, value in attributes:
            names.setdefault(name, value if value is not None else "")
        self.read_ids(tag, names)
        if tag == "template" and "shadowrootmode" not in names:
            self.templates += 1
        if self.templates:
            return
        if tag == "base" and self.base is None and "href" in names:
            self.base = names["href"].strip()
        if tag == "style":
            self.in_style = True
        for name, value in names.items():
            if (tag, name) in URLS:
                self.links.append(value)
            elif (tag, name) in CANDIDATES:
                self.links.extend(srcset(value))
            elif name == "style":
                self.links.extend(css_urls(value))
        if tag == "link" and names.get("href"):
            relations = set(names.get("rel", "").lower().split())
            if not relations or not relations <= HOST_RELATIONS:
                self.links.append(names["href"])
        if tag == "meta" and names.get("http-equiv", "").strip().lower() == "refresh":
            found = REFRESH.match(names.get("content", ""))
            if found and found.group(3):
                self.links.append(found.group(3))
                if float(found.group(1) or 0) <= AT_ONCE and self.onward is None:
                    self.onward = found.group(3)

    def read_ids(self, tag, names):
        self.has_script |= tag == "script"
        self.refreshes |= names.get("http-equiv", "").strip().lower() == "refresh"
        found = [names.get("id")] + ([names.get("name")] if tag in ("a", "map") else [])
        for name in found:
            if name is not None:
                self.id_count += 1
                if name:
                    self.ids.add(name)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag == "template":
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag == "template":
            self.templates = max(0, self.templates - 1)
        if tag == "style":
            self.in_style = False

    def handle_data(self, data):
        if self.in_style and not self.templates:
            self.links.extend(css_urls(data))

    def anchors(self):
        """The ids, or None where scripts or a redirect may bring others."""
        is_open = self.refreshes or (self.has_script and self.id_count <= 1)
        return None if is_open else self.ids


def srcset(value):
    """The URLs of a list of candidates."""
    return [part.split()[0] for part in re.split(r",\s+", value.strip()) if part.split()]


def css_urls(text):
    """The URLs of a style sheet."""
    found = CSS_URL.finditer(CSS_COMMENT.sub(" ", text))
    return [next(group for group in match.groups() if group is not None) for match in found]


def joined(base, text):
    """The parts of a URL seen from another, as browsers resolve it.

    urllib.parse.urljoin removes empty path segments, which browsers keep.
    """
    here = urlsplit(base)
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", text)
    if scheme:
        parts = urlsplit(text)
        return parts.scheme.lower(), parts.netloc, without_dots(parts.path), parts.query
    text = text.replace("\\", "/")
    path, _, query = text.partition("?")
    if path.startswith("//"):
        parts = urlsplit(f"{here.scheme}:{text}")
        return here.scheme, parts.netloc, without_dots(parts.path), parts.query
    if not path:
        return here.scheme, here.netloc, here.path, query if "?" in text else here.query
    if not path.startswith("/"):
        path = here.path.rpartition("/")[0] + "/" + path
    return here.scheme, here.netloc, without_dots(path), query


def without_dots(path):
    """A path without its dot segments (URL standard, path state)."""
    kept, segments = [], path.split("/")[1:]
    for at, segment in enumerate(segments):
        plain, is_last = segment.lower().replace("%2e", "."), at + 1 == len(segments)
        if plain == "..":
            kept = kept[:-1]
        if plain in (".", ".."):
            if is_last:
                kept.append("")
        else:
            kept.append(segment)
    return "/" + "/".join(kept)


def normalized(base, text):
    """The URL and the fragment that a link means, or None."""
    text = text.strip(" \t\r\n\f").replace("\t", "").replace("\n", "").replace("\r", "")
    if not text or any(mark in text for mark in PLACEHOLDERS):
        return None
    text, has_fragment, fragment = text.partition("#")
    try:
        scheme, place, path, query = joined(base, text)
        parts = urlsplit(f"{scheme}://{place}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if scheme not in ("http", "https") or not host:
        return None
    host += f":{port}" if port and port != {"http": 80, "https": 443}[scheme] else ""
    path = quote(path, safe="%/:=&~+!$,;'@()*[]|^-._")
    query = quote(query, safe="%/:=&~+!$,;@()*[]|^`{}\\?-._")
    url = f"{scheme}://{host}{path}" + (f"?{query}" if query else "")
    return url, (fragment if has_fragment else None)


def is_indicated(fragment, ids):
    """Whether a fragment leads to an element (HTML standard), or is none of a page."""
    fragment = fragment.split(":~:")[0]
    raw = quote(fragment, safe="%!#$&'()*+,-./0123456789:;=?@[\\]^_{|}~")
    decoded = unquote_to_bytes(raw).decode("utf-8", "replace")
    if decoded == "" or decoded.lower() == "top" or raw in ids or decoded in ids:
        return True
    if decoded.startswith(("/", "!")) or re.match(r"[\w.:-]+=", decoded):
        return True
    if re.fullmatch(r"L\d+(C\d+)?(-L?\d+(C\d+)?)*", decoded):
        return True
    lines = re.fullmatch(r"(L?\d+)-(L?\d+)", decoded)
    return bool(lines) and lines.group(1) in ids and lines.group(2) in ids


class Site:
    """One origin, read over one connection."""

    def __init__(self, start, only):
        parts = urlsplit(start)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.host, self.port = parts.hostname, parts.port or 80
        self.connection = None
        self.only = only
        self.queue, self.seen = collections.deque([start]), {start}
        self.pages, self.dead, self.anchors, self.landing = [], {}, {}, {}
        self.wanted = collections.defaultdict(dict)

    def get(self, url):
        """Status, headers and body, with one new connection if the old one is closed."""
        parts = urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        for attempt in (1, 2):
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
            try:
                self.connection.request("GET", target, headers={"User-Agent": "reference"})
                response = self.connection.getresponse()
                return response.status, response.headers, response.read()
            except (http.client.HTTPException, OSError):
                self.connection.close()
                self.connection = None
                if attempt == 2:
                    raise

    def visit(self, url):
        """Fetches a URL; redirects inside the site are links of their own."""
        status, headers, body = self.get(url)
        if status in (301, 302, 303, 307, 308):
            found = normalized(url, headers.get("Location", ""))
            if found and found[0].startswith(self.origin + "/"):
                self.landing[url] = found[0]
                self.enqueue(found[0])
            return
        if status >= 400:
            # 401, 403, 407 and 429 do not show that a page is gone.
            if status not in UNDECIDED:
                self.dead[url] = status
            return
        kind = headers.get_content_type()
        if kind in READ_TYPES and not self.read(
                url, kind, body, headers.get_content_charset()):
            self.pages.append(url)

    def read(self, url, kind, body, charset):
        """Takes in the links of a document; returns whether it is a redirect."""
        charset = charset or declared_charset(body) or "utf-8"
        try:
            text = body.decode(charset, "replace")
        except LookupError:
            text = body.decode("utf-8", "replace")
        base, links = url, []
        if kind == "text/css":
            links = css_urls(text)
        elif "html" in kind:
            page = Page()
            page.feed(text)
            page.close()
            links = page.links
            self.anchors[url] = page.anchors()
            if page.onward is not None:
                self.take(url, base, page.onward)
                return True
            if page.base:
                base = normalized(url, page.base)[0] if normalized(url, page.base) else url
        for link in links:
            self.take(url, base, link)
        return False

    def take(self, page, base, link):
        found = normalized(base, link)
        if found is None or not found[0].startswith(self.origin + "/"):
            return
        url, fragment = found
        self.enqueue(url)
        if fragment and (self.only is None or url in self.only):
            self.wanted[url].setdefault(fragment, page)

    def enqueue(self, url):
        if url not in self.seen and (self.only is None or url in self.only):
            self.seen.add(url)
            self.queue.append(url)

    def crawl(self):
        while self.queue:
            self.visit(self.queue.popleft())

    def missing(self):
        """The fragments that their page does not have, decoded."""
        found = set()
        for url, fragments in self.wanted.items():
            ids = self.anchors.get(self.arrival(url))
            if ids is None:
                continue
            for fragment in fragments:
                if not is_indicated(fragment, ids):
                    name = unquote_to_bytes(fragment.split(":~:")[0]).decode("utf-8", "replace")
                    found.add((url, name))
        return sorted(found)

    def arrival(self, url):
        for _ in range(MAX_REDIRECTS):
            if url not in self.landing:
                break
            url = self.landing[url]
        return url


def declared_charset(body):
    found = re.search(rb"charset\s*=\s*[\"']?([\w-]+)", body[:1024], re.I)
    return found.group(1).decode("ascii") if found else None


def main(arguments):
    only = None
    if "--only" in arguments:
        at = arguments.index("--only")
        with open(arguments[at + 1], encoding="utf-8") as lines:
            only = {line.strip() for line in lines if line.strip()}
        del arguments[at:at + 2]
    (start,) = arguments
    site = Site(start, only)
    site.crawl()
    result = {
        "targets": sorted(site.seen),
        "pages": sorted(site.pages),
        "dead": sorted(site.dead),
        "anchors": site.missing(),
    }
    json.dump(result, sys.stdout)
    print()


if __name__ == "__main__":
    main(sys.argv[1:])
