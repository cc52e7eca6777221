//! Addresses in running text, and plain text files.
//!
//! The rules are those of GitHub Flavored Markdown's extended autolinks (GFM
//! spec, 6.9), with two departures for the sake of text that is no Markdown:
//! an address also ends at characters no address may hold (quotes, `>`, East
//! Asian punctuation), and square and curly brackets must balance as round
//! ones must.

use std::ops::Range;

use memchr::memmem;
use relink_model::LinkKind;

use crate::cut::Cut as _;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::window::{IncrementalExtractor, InputEnd};

/// Reads the bare addresses of a text.
pub(crate) struct PlainText;

impl Extractor for PlainText {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        for range in http_addresses(text, 0..text.len()) {
            found.link(range, LinkKind::BareUrl, DestinationSyntax::Plain);
        }
    }
}

impl IncrementalExtractor for PlainText {
    fn resume(&mut self, text: &str, sequel: InputEnd, found: &mut LinkSink<'_>) -> usize {
        let end = sequel.end_of_lines(text);
        self.extract(text.cut(..end), found);
        end
    }
}

/// The places of `http://…` and `https://…` in a part of the text.
pub(crate) fn http_addresses(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut from = part.start;
    std::iter::from_fn(move || {
        while let Some(at) = find(text, "://", from..part.end) {
            let found = http_at(text, at, from, part.end);
            from = found.as_ref().map_or(at + "://".len(), |range| range.end);
            if found.is_some() {
                return found;
            }
        }
        None
    })
}

/// The places of `www.…` in a part of the text.
pub(crate) fn www_addresses(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut from = part.start;
    std::iter::from_fn(move || {
        while let Some(at) = find(text, "www.", from..part.end) {
            let found = www_at(text, at, part.end);
            from = found.as_ref().map_or(at + "www.".len(), |range| range.end);
            if found.is_some() {
                return found;
            }
        }
        None
    })
}

fn find(text: &str, needle: &str, part: Range<usize>) -> Option<usize> {
    let haystack = text.as_bytes().get(part.clone())?;
    memmem::find(haystack, needle.as_bytes()).map(|at| part.start + at)
}

/// The address around the `://` at `colon`, if a web scheme stands before it.
fn http_at(text: &str, colon: usize, from: usize, end: usize) -> Option<Range<usize>> {
    let before = text.as_bytes().cut(from..colon);
    let letters = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let start = colon - letters;
    let scheme = text.cut(start..colon);
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    // `git+https://` is another scheme.
    if !is_web || text.cut(from..start).ends_with('+') {
        return None;
    }
    let host = colon + "://".len();
    let first = text.cut(host..end).chars().next()?;
    if !first.is_alphanumeric() && first != '[' {
        return None;
    }
    ended(text, start, host, end)
}

/// The address at `www.`, where GFM lets one begin.
fn www_at(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let may_begin = text
        .cut(..start)
        .chars()
        .next_back()
        .is_none_or(|before| before.is_whitespace() || matches!(before, '*' | '_' | '~' | '('));
    let host = start + "www.".len();
    let first = text.cut(host..end).chars().next()?;
    if !may_begin || !first.is_alphanumeric() {
        return None;
    }
    ended(text, start, host, end)
}

/// The address from `start`, with its tail trimmed, if anything of it is left
/// after `host`.
fn ended(text: &str, start: usize, host: usize, end: usize) -> Option<Range<usize>> {
    let length = text.cut(start..end).find(ends_address).unwrap_or(end - start);
    let kept = trim_tail(text.cut(start..start + length)).len();
    (start + kept > host).then(|| start..start + kept)
}

/// Characters that stand in no address as written in running text.
fn ends_address(character: char) -> bool {
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

/// The address without punctuation that belongs to the sentence around it.
fn trim_tail(address: &str) -> &str {
    let mut brackets = Brackets::of(address);
    let mut kept = address;
    while let Some(last) = kept.chars().next_back() {
        let cut = match last {
            '?' | '!' | '.' | ',' | ':' | '*' | '_' | '~' | '\'' | '’' | '‘' | '…' | '|' | '\\' => {
                last.len_utf8()
            }
            ';' => entity_length(kept).unwrap_or(1),
            _ if brackets.is_stray_closer(last) => 1,
            _ => break,
        };
        kept = kept.cut(..kept.len() - cut);
    }
    kept
}

/// The length of a trailing `&name;`, which GFM leaves to the sentence.
fn entity_length(address: &str) -> Option<usize> {
    let before = address.strip_suffix(';')?;
    let name = before.bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
    let is_entity = name > 0 && before.cut(..before.len() - name).ends_with('&');
    is_entity.then_some("&;".len() + name)
}

/// How many more brackets of each kind close than open.
///
/// Counted once, because counting at each step would be quadratic on `))))…`.
struct Brackets([isize; 3]);

impl Brackets {
    fn of(address: &str) -> Self {
        let mut surplus = [0; 3];
        for byte in address.bytes() {
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

    /// Whether `last` closes nothing that the address opened; it is then gone.
    fn is_stray_closer(&mut self, last: char) -> bool {
        let [round, square, curly] = &mut self.0;
        let surplus = match last {
            ')' => round,
            ']' => square,
            '}' => curly,
            _ => return false,
        };
        let is_stray = *surplus > 0;
        *surplus -= isize::from(is_stray);
        is_stray
    }
}

#[cfg(test)]
mod tests {
    use crate::DocumentFormat;
    use crate::properties::check;

    #[track_caller]
    fn one(text: &str, address: &str) {
        let (before, _) = text.split_once(address).expect("it is there");
        let column = before.chars().count() + 1;
        check(DocumentFormat::PlainText, text, &[&format!("1:{column} bare {address}")]);
    }

    #[test]
    fn the_sentence_keeps_its_punctuation() {
        one("See https://a.test.", "https://a.test");
        one("(https://a.test/x)", "https://a.test/x");
        one("https://a.test/x_(y)", "https://a.test/x_(y)");
        one("(see https://a.test/x_(y)).", "https://a.test/x_(y)");
        one("https://a.test/?q=(business))+ok", "https://a.test/?q=(business))+ok");
        one("**https://a.test/**", "https://a.test/");
        one("'https://a.test/'", "https://a.test/");
        one("“https://a.test/”", "https://a.test/");
        one("[https://a.test/]", "https://a.test/");
        one("<https://a.test/>", "https://a.test/");
        one("https://a.test/?a=b&hl=en", "https://a.test/?a=b&hl=en");
        one("https://a.test/?a=b&hl;", "https://a.test/?a=b");
        one("{\"u\":\"https://a.test/x\",1}", "https://a.test/x");
        one("HTTPS://A.test", "HTTPS://A.test");
        one("http://[::1]:8080/a", "http://[::1]:8080/a");
    }

    #[test]
    fn an_address_needs_a_web_scheme_and_a_host() {
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
    fn an_address_within_an_address_is_part_of_it() {
        one("https://web.test/2020/https://a.test/b", "https://web.test/2020/https://a.test/b");
    }

    #[test]
    fn text_in_other_scripts_ends_an_address() {
        check(
            DocumentFormat::PlainText,
            "请看https://a.test/甲，然后\nи http://b.test…",
            &["1:3 bare https://a.test/甲", "2:3 bare http://b.test"],
        );
    }
}
