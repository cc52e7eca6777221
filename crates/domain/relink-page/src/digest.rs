//! The digest kept of a fetched body before the body is thrown away.
//!
//! Nothing is judged here: marks say what stands in the markup, and whether
//! that makes a page dead is for others to say.

use relink_model::Digest;

use crate::document::{encoding_of, text_of};
use crate::folded::folded_title;
use crate::format::{DocumentFormat, media_type};
use crate::html::read_page;
use crate::shingle::VisibleTextBuilder;

/// Digests a fetched body: what the page says of itself, how much text it
/// shows, and a sketch of that text.
///
/// HTML and text are read; of anything else only type and size are kept.
/// `is_cut` says that the body was not read to its end.
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
    is_cut: bool,
) -> Digest {
    let mut digest = Digest {
        content_type: named_type(content_type),
        bytes: body.len() as u64,
        is_truncated: is_cut,
        language: content_language.and_then(first_language),
        ..Digest::default()
    };
    match DocumentFormat::of_content_type(content_type, body) {
        Some(DocumentFormat::Html) => {
            read_page(&text_of(body, encoding_of(content_type)), &mut digest);
        }
        Some(_) => read_text(&text_of(body, encoding_of(content_type)), &mut digest),
        None => digest.fingerprint = Some(fingerprint(body)),
    }
    digest
}

/// A hash of a file's bytes (FNV-1a), to tell whether two are the same.
fn fingerprint(body: &[u8]) -> u32 {
    body.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// Digests a page of which only the title and the visible text are known, as
/// an earlier visit may have noted them.
///
/// ```
/// let noted = relink_page::text_digest(Some("A page"), "Hello  there", Some("text/html"));
/// let seen = b"<title>A page</title><p>Hello</p> there";
/// let seen = relink_page::digest(Some("text/html"), None, seen, false);
/// assert_eq!(noted.title, seen.title);
/// assert_eq!(noted.sketch, seen.sketch);
/// ```
pub fn text_digest(title: Option<&str>, text: &str, content_type: Option<&str>) -> Digest {
    let mut digest = Digest {
        content_type: named_type(content_type),
        bytes: text.len() as u64,
        title: title.and_then(folded_title),
        ..Digest::default()
    };
    read_text(text, &mut digest);
    digest
}

/// Fills in what a text shows, which is all of it.
fn read_text(text: &str, digest: &mut Digest) {
    let mut visible = VisibleTextBuilder::default();
    visible.push(text);
    let shown = visible.finish();
    digest.text_length = shown.length;
    digest.text_start = shown.opening;
    digest.text_end = shown.closing;
    digest.sketch = shown.sketch;
}

/// The media type a server named, if it named one.
fn named_type(content_type: Option<&str>) -> Option<String> {
    content_type.map(media_type).filter(|name| !name.is_empty())
}

/// The first language of a `Content-Language` header, in lower case.
fn first_language(header: &str) -> Option<String> {
    let first = header.split(',').next().unwrap_or_default().trim();
    (!first.is_empty()).then(|| first.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shingle::sketch;

    fn html(body: &str) -> Digest {
        digest(Some("text/html"), None, body.as_bytes(), false)
    }

    #[track_caller]
    fn check_title(body: &str, expect: Option<&str>) {
        assert_eq!(html(body).title.as_deref(), expect);
    }

    #[test]
    fn the_title_is_folded_resolved_and_cut() {
        check_title("<title>\n a &amp;\tb </title>", Some("a & b"));
        check_title("<title> </title>", None);
        check_title("<svg><title>icon</title></svg><title>page</title>", Some("page"));
        check_title("<p>no title", None);
        let long = html(&format!("<title>{}</title>", "é".repeat(300)));
        assert_eq!(long.title.unwrap().chars().count(), 200);
    }

    #[test]
    fn the_first_headings_of_three_levels_are_kept() {
        let page = html("<h1>a <b>b</b></h1><h4>no</h4><H2>c<br>d</H2><h3></h3><h3>e");
        assert_eq!(page.headings, ["a b", "c d", "e"]);
        assert_eq!(html(&"<h2>x</h2>".repeat(20)).headings.len(), 8);
        let long = html(&format!("<h1>{}</h1>", "x ".repeat(300)));
        assert!(long.headings[0].chars().count() <= 120);
    }

    #[test]
    fn the_page_knows_its_language_better_than_the_server() {
        let body = b"<html lang=' PT-br'>";
        let page = digest(Some("text/html"), Some("en"), body, false);
        assert_eq!(page.language.as_deref(), Some("pt-br"));
        let page = digest(Some("text/html"), Some("De, en"), b"<html>", false);
        assert_eq!(page.language.as_deref(), Some("de"));
    }

    #[test]
    fn the_canonical_address_is_the_first_named() {
        let page = html("<link rel='x CANONICAL' href='/a?b&amp;c'><link rel=canonical href=d>");
        assert_eq!(page.canonical.as_deref(), Some("/a?b&c"));
    }

    #[test]
    fn only_visible_text_counts() {
        let page = html(
            "<title>t</title><style>s</style><script>s</script><template>t</template>\
             <noscript>n</noscript><!-- c --><p> one &nbsp;two</p>\n<p>three four five six</p> ",
        );
        assert_eq!(page.text_length, "one \u{a0}two three four five six".chars().count() as u64);
        assert_eq!(page.text_start, "one \u{a0}two three four five six");
        assert_eq!(page.sketch, sketch("one two three four five six"));
    }

    #[test]
    fn a_tag_parts_words_in_the_opening_as_in_the_sketch() {
        let page = html("<table><tr><td>a<td>b</table><p>c</p><p>d");
        assert_eq!((page.text_start.as_str(), page.text_length), ("a b c d", 7));
        assert_eq!(page.sketch, sketch(&page.text_start));
    }

    #[test]
    fn the_opening_is_whole_just_when_the_page_is_short() {
        for length in [399, 400, 401] {
            let page = html(&format!("<p>{}", "é".repeat(length)));
            assert_eq!(page.text_start.chars().count(), length.min(Digest::OPENING_LENGTH));
            assert_eq!(page.is_short(), length <= Digest::OPENING_LENGTH);
        }
    }

    #[test]
    fn a_page_may_be_known_by_its_words_alone() {
        let page = text_digest(Some(" A\n title "), " some\ttext ", Some("Text/HTML; x=y"));
        assert_eq!(page.title.as_deref(), Some("A title"));
        assert_eq!((page.text_start.as_str(), page.text_length), ("some text", 9));
        assert_eq!(page.content_type.as_deref(), Some("text/html"));
        assert_eq!(page.sketch, sketch("some text"));
        assert_eq!(text_digest(Some(" "), "", None), Digest::default());
    }

    #[test]
    fn a_long_text_is_kept_by_both_its_ends() {
        let words = |count: usize| "word ".repeat(count);
        let page = html(&format!("<p>first {}</p>{}<p>the last", words(90), words(900)));
        assert!(page.text_start.starts_with("first word"));
        assert!(page.text_end.ends_with("word the last"));
        assert!(page.text_end.chars().count() <= Digest::CLOSING_LENGTH);
        assert_eq!(html("<p>short").text_end, "");
    }

    #[test]
    fn files_are_told_apart_by_their_bytes() {
        let file = |body: &[u8]| digest(Some("image/png"), None, body, false).fingerprint;
        assert_eq!(file(b"one"), file(b"one"));
        assert_ne!(file(b"one"), file(b"two"));
        assert_eq!(html("<p>text").fingerprint, None);
    }

    #[test]
    fn plain_text_is_all_visible() {
        let page = digest(Some("text/plain; charset=utf-8"), None, b"a  b\n", true);
        assert_eq!((page.text_length, page.bytes, page.is_truncated), (3, 5, true));
        assert_eq!(page.text_start, "a b");
        assert_eq!(page.content_type.as_deref(), Some("text/plain"));
        assert_eq!(page.sketch, sketch("a b"));
    }

    #[test]
    fn of_other_types_only_size_and_type_are_kept() {
        let page = digest(Some("Image/PNG"), None, b"<title>x</title>", false);
        assert_eq!(page.content_type.as_deref(), Some("image/png"));
        assert_eq!((page.bytes, page.title), (16, None));
    }

    #[test]
    fn a_declared_charset_is_used_where_utf8_fails() {
        let body = b"<title>\xC4\xE3\xBA\xC3</title>";
        let page = digest(Some("text/html; charset=gb2312"), None, body, false);
        assert_eq!(page.title.as_deref(), Some("你好"));
        let body = b"<meta charset='iso-8859-1'><title>caf\xE9</title>";
        assert_eq!(digest(Some("text/html"), None, body, false).title.as_deref(), Some("café"));
    }
}
