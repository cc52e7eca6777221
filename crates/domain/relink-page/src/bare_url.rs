//! Finds bare URLs in running text, and extracts the links of plain text files.
//!
//! Implements the extended autolinks of GitHub Flavored Markdown (GFM spec,
//! 6.9) with two changes for text that is not Markdown: a URL also ends at
//! quotes, `>` and East Asian punctuation, and `[]` and `{}` must balance like
//! `()`.

use std::ops::Range;

use memchr::memmem;
use relink_model::LinkKind;

use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::safe_slice::SafeSlice as _;
use crate::window::{IncrementalExtractor, InputEnd};

/// Link extractor for plain text: bare URLs only.
pub(crate) struct PlainText;

impl Extractor for PlainText {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        for range in http_urls(text, 0..text.len()) {
            sink.report_link(range, LinkKind::BareUrl, DestinationSyntax::Plain);
        }
    }
}

impl IncrementalExtractor for PlainText {
    fn extract_part(&mut self, text: &str, input_end: InputEnd, sink: &mut LinkSink<'_>) -> usize {
        let end = input_end.complete_lines_end(text);
        self.extract(text.slice(..end), sink);
        end
    }
}

/// Entities of characters that end a URL.
const ENDING_ENTITIES: [&str; 3] = ["&quot;", "&lt;", "&gt;"];

/// Returns the ranges of all `http://` and `https://` URLs in `part`.
pub fn http_urls(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut from = part.start;
    std::iter::from_fn(move || {
        while let Some(at) = find_in(text, "://", from..part.end) {
            let found = http_url_at(text, at, from, part.end);
            from = found.as_ref().map_or(at + "://".len(), |range| range.end);
            if found.is_some() {
                return found;
            }
        }
        None
    })
}

/// Returns the ranges of all URLs in `part` that start with `www.`.
pub(crate) fn www_urls(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut from = part.start;
    std::iter::from_fn(move || {
        while let Some(at) = find_in(text, "www.", from..part.end) {
            let found = www_url_at(text, at, part.end);
            from = found.as_ref().map_or(at + "www.".len(), |range| range.end);
            if found.is_some() {
                return found;
            }
        }
        None
    })
}

fn find_in(text: &str, needle: &str, part: Range<usize>) -> Option<usize> {
    let haystack = text.as_bytes().get(part.clone())?;
    memmem::find(haystack, needle.as_bytes()).map(|at| part.start + at)
}

/// Returns the URL around the `://` at `colon` if the scheme is `http` or
/// `https`. The URL is within `from..end`.
fn http_url_at(text: &str, colon: usize, from: usize, end: usize) -> Option<Range<usize>> {
    let before = text.as_bytes().slice(from..colon);
    let letters = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let start = colon - letters;
    let scheme = text.slice(start..colon);
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    // `git+https://` is a different scheme.
    if !is_web || text.slice(from..start).ends_with('+') {
        return None;
    }
    let host = colon + "://".len();
    let first = text.slice(host..end).chars().next()?;
    if !first.is_alphanumeric() && first != '[' {
        return None;
    }
    trimmed_url(text, start, host, end)
}

/// Returns the URL at the `www.` at `start`, if GFM allows a URL to start
/// there.
fn www_url_at(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let may_start = text
        .slice(..start)
        .chars()
        .next_back()
        .is_none_or(|before| before.is_whitespace() || matches!(before, '*' | '_' | '~' | '('));
    let host = start + "www.".len();
    let first = text.slice(host..end).chars().next()?;
    if !may_start || !first.is_alphanumeric() {
        return None;
    }
    trimmed_url(text, start, host, end)
}

/// Returns the URL that starts at `start`, without trailing punctuation, or
/// `None` if nothing remains after `host`.
fn trimmed_url(text: &str, start: usize, host: usize, end: usize) -> Option<Range<usize>> {
    let rest = text.slice(start..end);
    let url = rest.slice(..rest.find(ends_url).unwrap_or(rest.len()));
    let entity = ENDING_ENTITIES.iter().filter_map(|entity| url.find(entity)).min();
    let url = url.slice(..entity.unwrap_or(url.len()));
    let url = url.slice(..first_url_length(url).unwrap_or(url.len()));
    let trimmed_end = start + trim_tail(url).len();
    (trimmed_end > host).then_some(start..trimmed_end)
}

/// Returns the length of the first URL of a list without spaces: `http://a,http://b` and
/// `http://a,name=http://b`. Returns `None` if the text is not a list.
fn first_url_length(url: &str) -> Option<usize> {
    let mut commas = url.match_indices(',').map(|(at, _)| at);
    commas.find(|at| {
        let rest = url.slice(at + ",".len()..);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
        let name_length = rest.bytes().take_while(is_name).count();
        let next = rest.slice(name_length..).strip_prefix('=').unwrap_or(rest);
        next.starts_with("http://") || next.starts_with("https://")
    })
}

/// Whether a character ends a URL in running text.
fn ends_url(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(
            character,
            '<' | '>'
                | '"'
                | '`'
                | '“'
                | '”'
                | '„'
                | '«'
                | '»'
                | '‹'
                | '›'
                | '。'
                | '，'
                | '、'
                | '；'
                | '：'
                | '！'
                | '？'
                | '（'
                | '）'
                | '「'
                | '」'
                | '『'
                | '』'
                | '《'
                | '》'
                | '【'
                | '】'
                | '\u{fffd}'
        )
}

/// Removes punctuation that belongs to the surrounding sentence.
fn trim_tail(url: &str) -> &str {
    let mut brackets = BracketBalance::new(url);
    let mut trimmed = url;
    while let Some(last) = trimmed.chars().next_back() {
        let removed = match last {
            '?' | '!' | '.' | ',' | ':' | '*' | '_' | '~' | '\'' | '’' | '‘' | '…' | '|' | '\\' => {
                last.len_utf8()
            }
            ';' => trailing_entity_length(trimmed).unwrap_or(1),
            _ if brackets.take_unmatched_closer(last) => 1,
            _ => break,
        };
        trimmed = trimmed.slice(..trimmed.len() - removed);
    }
    trimmed
}

/// Returns the length of a trailing `&name;`, which GFM excludes from the URL.
fn trailing_entity_length(url: &str) -> Option<usize> {
    let before = url.strip_suffix(';')?;
    let name = before.bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
    let is_entity = name > 0 && before.slice(..before.len() - name).ends_with('&');
    is_entity.then_some("&;".len() + name)
}

/// For each kind of bracket, the number of closing minus opening brackets.
///
/// The brackets are counted only once, because counting again after each removed
/// character would take quadratic time for `))))…`.
struct BracketBalance([isize; 3]);

impl BracketBalance {
    fn new(url: &str) -> Self {
        let mut surplus = [0; 3];
        for byte in url.bytes() {
            match byte {
                b'(' => surplus[0] -= 1,
                b')' => surplus[0] += 1,
                b'[' => surplus[1] -= 1,
                b']' => surplus[1] += 1,
                b'{' => surplus[2] -= 1,
                b'}' => surplus[2] += 1,
                _ => {}
            }
        }
        Self(surplus)
    }

    /// Whether `last` is a closing bracket without an opening bracket. If so,
    /// subtracts it from the balance, because the caller removes it.
    fn take_unmatched_closer(&mut self, last: char) -> bool {
        let [round, square, curly] = &mut self.0;
        let surplus = match last {
            ')' => round,
            ']' => square,
            '}' => curly,
            _ => return false,
        };
        let is_unmatched = *surplus > 0;
        *surplus -= isize::from(is_unmatched);
        is_unmatched
    }
}

#[cfg(test)]
mod tests {
    use crate::DocumentFormat;
    use crate::properties::check;

    /// Asserts that `url` is the only link of the text.
    #[track_caller]
    fn check_only_link(text: &str, url: &str) {
        let (before, _) = text.split_once(url).expect("the text contains the URL");
        let column = before.chars().count() + 1;
        check(DocumentFormat::PlainText, text, &[&format!("1:{column} bare-url {url}")]);
    }

    #[test]
    fn punctuation_of_the_sentence_is_excluded() {
        check_only_link("See https://a.test.", "https://a.test");
        check_only_link("(https://a.test/x)", "https://a.test/x");
        check_only_link("https://a.test/x_(y)", "https://a.test/x_(y)");
        check_only_link("(see https://a.test/x_(y)).", "https://a.test/x_(y)");
        check_only_link("https://a.test/?q=(business))+ok", "https://a.test/?q=(business))+ok");
        check_only_link("**https://a.test/**", "https://a.test/");
        check_only_link("'https://a.test/'", "https://a.test/");
        check_only_link("“https://a.test/”", "https://a.test/");
        check_only_link("[https://a.test/]", "https://a.test/");
        check_only_link("<https://a.test/>", "https://a.test/");
        check_only_link("https://a.test/?a=b&hl=en", "https://a.test/?a=b&hl=en");
        check_only_link("https://a.test/?a=b&hl;", "https://a.test/?a=b");
        check_only_link("{\"u\":\"https://a.test/x\",1}", "https://a.test/x");
        check_only_link("HTTPS://A.test", "HTTPS://A.test");
        check_only_link("http://[::1]:8080/a", "http://[::1]:8080/a");
    }

    #[test]
    fn url_requires_web_scheme_and_host() {
        for text in [
            "https://",
            "http://...",
            "ftp://a.test",
            "xhttp://a",
            "git+https://a.test",
            "https://<host>/",
        ] {
            check(DocumentFormat::PlainText, text, &[]);
        }
    }

    #[test]
    fn url_inside_a_url_is_part_of_it() {
        check_only_link(
            "https://web.test/2020/https://a.test/b",
            "https://web.test/2020/https://a.test/b",
        );
    }

    #[test]
    fn url_in_a_list_ends_at_the_comma_before_the_next_url() {
        check(
            DocumentFormat::PlainText,
            "http://a.test:1,main=http://b.test:2",
            &["1:1 bare-url http://a.test:1", "1:22 bare-url http://b.test:2"],
        );
    }

    #[test]
    fn url_ends_at_the_entity_of_a_quote_or_bracket() {
        check(
            DocumentFormat::PlainText,
            "src=&quot;https://a.test/b?c&amp;d&quot;&gt;",
            &["1:11 bare-url https://a.test/b?c&amp;d"],
        );
    }

    #[test]
    fn punctuation_of_other_scripts_ends_a_url() {
        check(
            DocumentFormat::PlainText,
            "请看https://a.test/甲，然后\nи http://b.test…",
            &["1:3 bare-url https://a.test/甲", "2:3 bare-url http://b.test"],
        );
    }
}
