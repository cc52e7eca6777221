//! Builds the [`Digest`] of a fetched body, a summary that is stored instead of the
//! body.
//!
//! The digest describes the content of the page, but not whether the page is alive. The
//! *sketch* in a digest is a sample of hashes of the text. The similarity of two texts
//! is estimated from their sketches.

use relink_model::Digest;

use crate::format::{DocumentFormat, media_type};
use crate::html::digest_html;
use crate::shingle::VisibleTextBuilder;
use crate::source_text::{content_type_encoding, decode_text};
use crate::whitespace_folder::fold_title;

/// Digests a fetched body: its metadata, its text length and a sketch of its
/// text.
///
/// HTML and text are parsed; other types yield only type, size and fingerprint.
/// `is_truncated` is set if the body was not read to its end.
///
/// ```
/// let body = b"<title> A  page </title><h1>Hello</h1>";
/// let digest = relink_page::digest(Some("text/html"), None, body, false);
/// assert_eq!(digest.title.as_deref(), Some("A page"));
/// assert_eq!(digest.headings, ["Hello"]);
/// ```
pub fn digest(
    content_type: Option<&str>,
    content_language: Option<&str>,
    body: &[u8],
    is_truncated: bool,
) -> Digest {
    let mut digest = Digest {
        content_type: declared_type(content_type),
        bytes: body.len() as u64,
        is_truncated,
        language: content_language.and_then(first_language),
        ..Digest::default()
    };
    match DocumentFormat::from_content_type(content_type, body) {
        Some(DocumentFormat::Html) => {
            digest_html(&decode_text(body, content_type_encoding(content_type)), &mut digest);
        }
        Some(_) => {
            digest_text(&decode_text(body, content_type_encoding(content_type)), &mut digest);
        }
        None => digest.fingerprint = Some(fingerprint(body)),
    }
    digest
}

/// Returns a hash of a file's bytes (FNV-1a), to compare files.
fn fingerprint(body: &[u8]) -> u32 {
    const OFFSET_BASIS: u32 = 0x811c_9dc5;
    const PRIME: u32 = 0x0100_0193;
    body.iter().fold(OFFSET_BASIS, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(PRIME))
}

/// Digests a page of which only the title and the visible text are known.
///
/// ```
/// let stored = relink_page::text_digest(Some("A page"), "Hello  there", Some("text/html"));
/// let body = b"<title>A page</title><p>Hello</p> there";
/// let fetched = relink_page::digest(Some("text/html"), None, body, false);
/// assert_eq!(stored.title, fetched.title);
/// assert_eq!(stored.sketch, fetched.sketch);
/// ```
pub fn text_digest(title: Option<&str>, text: &str, content_type: Option<&str>) -> Digest {
    let mut digest = Digest {
        content_type: declared_type(content_type),
        bytes: text.len() as u64,
        title: title.and_then(fold_title),
        ..Digest::default()
    };
    digest_text(text, &mut digest);
    digest
}

/// Fills in the summary of a plain text.
fn digest_text(text: &str, digest: &mut Digest) {
    let mut visible = VisibleTextBuilder::default();
    visible.push(text);
    let summary = visible.finish();
    digest.text_length = summary.length;
    digest.text_start = summary.start;
    digest.text_end = summary.end;
    digest.sketch = summary.sketch;
}

/// Returns the media type of a `Content-Type` header, if it has one.
fn declared_type(content_type: Option<&str>) -> Option<String> {
    content_type.map(media_type).filter(|name| !name.is_empty())
}

/// Returns the first language of a `Content-Language` header, in lower case.
fn first_language(header: &str) -> Option<String> {
    let first = header.split(',').next().unwrap_or_default().trim();
    (!first.is_empty()).then(|| first.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shingle::sketch;

    fn html_digest(body: &str) -> Digest {
        digest(Some("text/html"), None, body.as_bytes(), false)
    }

    /// Asserts the title in the digest of an HTML page.
    #[track_caller]
    fn check_title(body: &str, expect: Option<&str>) {
        assert_eq!(html_digest(body).title.as_deref(), expect);
    }

    #[test]
    fn title_is_folded_unescaped_and_truncated() {
        check_title("<title>\n a &amp;\tb </title>", Some("a & b"));
        check_title("<title> </title>", None);
        check_title("<svg><title>icon</title></svg><title>page</title>", Some("page"));
        check_title("<p>no title", None);
        let long = html_digest(&format!("<title>{}</title>", "é".repeat(300)));
        assert_eq!(long.title.unwrap().chars().count(), 200);
    }

    #[test]
    fn first_headings_of_three_levels_are_stored() {
        let page = html_digest("<h1>a <b>b</b></h1><h4>no</h4><H2>c<br>d</H2><h3></h3><h3>e");
        assert_eq!(page.headings, ["a b", "c d", "e"]);
        assert_eq!(html_digest(&"<h2>x</h2>".repeat(20)).headings.len(), 8);
        let long = html_digest(&format!("<h1>{}</h1>", "x ".repeat(300)));
        assert!(long.headings[0].chars().count() <= 120);
    }

    #[test]
    fn html_lang_overrides_content_language() {
        let body = b"<html lang=' PT-br'>";
        let page = digest(Some("text/html"), Some("en"), body, false);
        assert_eq!(page.language.as_deref(), Some("pt-br"));
        let page = digest(Some("text/html"), Some("De, en"), b"<html>", false);
        assert_eq!(page.language.as_deref(), Some("de"));
    }

    #[test]
    fn first_canonical_url_is_used() {
        let page =
            html_digest("<link rel='x CANONICAL' href='/a?b&amp;c'><link rel=canonical href=d>");
        assert_eq!(page.canonical.as_deref(), Some("/a?b&c"));
    }

    #[test]
    fn only_visible_text_counts() {
        let page = html_digest(
            "<title>t</title><style>s</style><script>s</script><template>t</template>\
             <noscript>n</noscript><!-- c --><p> one &nbsp;two</p>\n<p>three four five six</p> ",
        );
        assert_eq!(page.text_length, "one \u{a0}two three four five six".chars().count() as u64);
        assert_eq!(page.text_start, "one \u{a0}two three four five six");
        assert_eq!(page.sketch, sketch("one two three four five six"));
    }

    #[test]
    fn tags_separate_words_in_the_text_start_and_the_sketch() {
        let page = html_digest("<table><tr><td>a<td>b</table><p>c</p><p>d");
        assert_eq!((page.text_start.as_str(), page.text_length), ("a b c d", 7));
        assert_eq!(page.sketch, sketch(&page.text_start));
    }

    #[test]
    fn text_start_is_complete_only_for_short_pages() {
        for length in [399, 400, 401] {
            let page = html_digest(&format!("<p>{}", "é".repeat(length)));
            assert_eq!(page.text_start.chars().count(), length.min(Digest::MAX_TEXT_START));
            assert_eq!(page.is_short(), length <= Digest::MAX_TEXT_START);
        }
    }

    #[test]
    fn text_digest_summarizes_title_and_text() {
        let page = text_digest(Some(" A\n title "), " some\ttext ", Some("Text/HTML; x=y"));
        assert_eq!(page.title.as_deref(), Some("A title"));
        assert_eq!((page.text_start.as_str(), page.text_length), ("some text", 9));
        assert_eq!(page.content_type.as_deref(), Some("text/html"));
        assert_eq!(page.sketch, sketch("some text"));
        assert_eq!(text_digest(Some(" "), "", None), Digest::default());
    }

    #[test]
    fn long_text_is_stored_as_start_and_end() {
        let words = |count: usize| "word ".repeat(count);
        let page = html_digest(&format!("<p>first {}</p>{}<p>the last", words(90), words(900)));
        assert!(page.text_start.starts_with("first word"));
        assert!(page.text_end.ends_with("word the last"));
        assert!(page.text_end.chars().count() <= Digest::MAX_TEXT_END);
        assert_eq!(html_digest("<p>short").text_end, "");
    }

    #[test]
    fn main_text_excludes_the_frame_of_a_long_page() {
        let menu = "<li><a href=/a>An entry of the menu</a>".repeat(30);
        let page = |main: &str| {
            html_digest(&format!(
                "<nav>Menu {menu}</nav><a name=top><h1>Sorry</h1>{main}<footer>2020</footer>"
            ))
        };
        let message = page("<p>The file was <b>deleted</b>. <a href=/>Home</a>");
        assert_eq!(message.main_text.as_deref(), Some("Sorry The file was deleted ."));
        assert_eq!(page(&"word ".repeat(100)).main_text, None);
        assert_eq!(html_digest("<p>The file was deleted").main_text, None);
    }

    #[track_caller]
    fn check_main_text(body: &str, expect: &str) {
        assert_eq!(html_digest(body).main_text.as_deref(), Some(expect));
    }

    #[test]
    fn main_text_excludes_containers_that_name_boilerplate() {
        let message = "<p>The file was deleted</p>";
        for container in
            ["div class='left sidebar'", "div id=foot", "ul class=nav", "div role=menu"]
        {
            let name = container.split(' ').next().unwrap();
            let menu = format!("<{container}><{name}>News</{name}><p>Oaks are old</{name}>");
            check_main_text(&format!("{menu}{message}{menu}"), "The file was deleted");
        }
        check_main_text("<div class=content>Oak<nav>Elm</nav></div>", "Oak");
    }

    #[test]
    fn main_text_is_that_of_the_main_element() {
        let main = "<main><h1>Oak</h1> is old<aside>Elm</aside></main>";
        check_main_text(&format!("<p>Trees</p>{main}<p>Imprint</p>"), "Oak is old");
        // The menu was not closed.
        check_main_text(&format!("<div class=menu>Trees{main}"), "Oak is old");
        check_main_text(&format!("{main}<main>Elm</main>"), "Oak is old");
        let by_role = "<div role=main><div>Oak</div> is old</div>";
        check_main_text(&format!("<p>Trees</p>{by_role}<p>Imprint</p>"), "Oak is old");
    }

    #[test]
    fn links_with_a_query_are_stored() {
        let page = html_digest(
            "<a href='?id=7&amp;x=1#top'>a</a><a href=/b>b</a><a href=' ?id=7&amp;x=1'>c</a>\
             <a href='/d?q'>d</a><a>e</a>",
        );
        assert_eq!(page.query_links, ["?id=7&x=1", "/d?q"]);
        let many: Vec<String> = (0..20).map(|id| format!("<a href='?id={id}'>x</a>")).collect();
        let page = html_digest(&(many.concat() + "<a href='?page=2'>y</a>"));
        assert_eq!(page.query_links.last().map(String::as_str), Some("?page=2"));
        assert_eq!(page.query_links.len(), 7);
    }

    #[test]
    fn fingerprint_distinguishes_files() {
        let file = |body: &[u8]| digest(Some("image/png"), None, body, false).fingerprint;
        assert_eq!(file(b"one"), file(b"one"));
        assert_ne!(file(b"one"), file(b"two"));
        assert_eq!(html_digest("<p>text").fingerprint, None);
    }

    #[test]
    fn plain_text_is_entirely_visible() {
        let page = digest(Some("text/plain; charset=utf-8"), None, b"a  b\n", true);
        assert_eq!((page.text_length, page.bytes, page.is_truncated), (3, 5, true));
        assert_eq!(page.text_start, "a b");
        assert_eq!(page.content_type.as_deref(), Some("text/plain"));
        assert_eq!(page.sketch, sketch("a b"));
    }

    #[test]
    fn other_types_yield_only_size_and_type() {
        let page = digest(Some("Image/PNG"), None, b"<title>x</title>", false);
        assert_eq!(page.content_type.as_deref(), Some("image/png"));
        assert_eq!((page.bytes, page.title), (16, None));
    }

    #[test]
    fn declared_charset_is_used_if_utf8_fails() {
        let body = b"<title>\xC4\xE3\xBA\xC3</title>";
        let page = digest(Some("text/html; charset=gb2312"), None, body, false);
        assert_eq!(page.title.as_deref(), Some("你好"));
        let body = b"<meta charset='iso-8859-1'><title>caf\xE9</title>";
        assert_eq!(digest(Some("text/html"), None, body, false).title.as_deref(), Some("café"));
    }
}
