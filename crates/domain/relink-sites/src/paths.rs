//! Paths of a project and of URLs: strings with `/` as separator.

use percent_encoding::percent_decode_str;

/// Extensions of documents that become pages. Some generators also make pages of scripts,
/// such as Docusaurus of `src/pages/*.js`.
const PAGE_EXTENSIONS: [&str; 20] = [
    "md", "mdx", "markdown", "mdown", "mkd", "mdoc", "qmd", "rst", "adoc", "asciidoc", "html",
    "htm", "ipynb", "astro", "vue", "jsx", "tsx", "njk", "js", "ts",
];

/// Joins a directory and a relative path, and removes `.` and `..`. A `..` above the root
/// is ignored.
pub fn join(directory: &str, path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in directory.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            other => segments.push(other),
        }
    }
    segments.join("/")
}

/// Returns the path below a directory; `None` if it is outside.
pub(crate) fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    if directory.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Returns the directory of a path.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Returns the last segment of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Returns the text after the last dot of a name.
pub(crate) fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Splits a path at its extension. Returns `None` if the extension is not that of a page.
pub(crate) fn split_page(path: &str) -> Option<(&str, &str)> {
    let (stem, extension) = path.rsplit_once('.')?;
    let is_page = PAGE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known));
    (is_page && !stem.is_empty() && !stem.ends_with('/')).then_some((stem, extension))
}

/// Returns the key of a URL path: decoded, without query, fragment, slashes at
/// the ends, index page and page extension.
pub(crate) fn route_key(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    let joined = join("", &decoded);
    let stem = match split_page(&joined) {
        Some((stem, _)) => stem,
        None => &joined,
    };
    match stem.rsplit_once('/') {
        Some((directory, "index" | "_index")) => directory.to_owned(),
        None if matches!(stem, "index" | "_index") => String::new(),
        _ => stem.to_owned(),
    }
}

/// Drops the last segment if it names the index page of its directory.
pub(crate) fn without_index<'p>(stem: &'p str, names: &[&str]) -> &'p str {
    let name = file_name(stem);
    if names.iter().any(|index| name.eq_ignore_ascii_case(index)) { parent(stem) } else { stem }
}

/// Language codes of two letters (ISO 639-1), and the country codes cn and jp, which sites
/// use instead of zh and ja.
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch \
    cn co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he \
    hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jp jv ka kg ki kj kk kl km kn ko kr ks ku kv \
    kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc \
    oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw \
    ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";
/// Codes with three letters that sites use. Most words of three letters are not languages.
const LONG_LANGUAGES: [&str; 8] = ["fil", "kab", "ckb", "yue", "hsb", "dsb", "ast", "gsw"];

/// Whether a segment looks like a language: `en`, `pt-br`, `zh_CN`.
pub(crate) fn is_locale(segment: &str) -> bool {
    let (language, region) = segment.split_once(['-', '_']).unwrap_or((segment, "xx"));
    let is_language = match language.len() {
        2 => LANGUAGES.split_whitespace().any(|known| known == language),
        _ => LONG_LANGUAGES.contains(&language),
    };
    is_language
        && (2..=4).contains(&region.len())
        && region.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a segment looks like a version: `v1.2`, `2.x`, `latest`, `next`.
pub(crate) fn is_version(segment: &str) -> bool {
    let named = ["latest", "stable", "next", "main", "master", "current", "dev", "edge"];
    let number = segment.trim_start_matches('v').trim_end_matches(".x");
    named.contains(&segment)
        || number.starts_with(|first: char| first.is_ascii_digit())
            && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        || segment.contains("@latest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn route_key_drops_what_does_not_identify_a_page() {
        for url in ["/a/b/", "/a/b", "a/b.html", "/a/b/index.html", "/a//b.md?x=1#y", "/a/c/../b"] {
            assert_eq!(route_key(url), "a/b", "{url}");
        }
        for url in ["/", "", "/index.html", "/_index.md", "/#top"] {
            assert_eq!(route_key(url), "", "{url}");
        }
        assert_eq!(route_key("/a%20b/v1.2"), "a b/v1.2");
    }

    #[test]
    fn below_compares_whole_segments() {
        assert_eq!(below("docs/a.md", "docs"), Some("a.md"));
        assert_eq!(below("docs2/a.md", "docs"), None);
        assert_eq!(below("a.md", ""), Some("a.md"));
    }

    #[test]
    fn locales_and_versions_are_recognized() {
        for locale in ["en", "pt-br", "zh-CN", "zh_cn"] {
            assert!(is_locale(locale), "{locale}");
        }
        for version in ["v1", "2.0.1", "3.x", "latest", "next"] {
            assert!(is_version(version), "{version}");
        }
        for other in ["docs", "guide", "a-b", "api", "cli", "js", ""] {
            assert!(!is_version(other) && !is_locale(other), "{other}");
        }
    }
}
