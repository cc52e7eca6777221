//! Where a short script sends its reader, as far as can be told without running it.
//!
//! One pass over the script's words, strings and comments; there is no syntax
//! tree. An assignment of a plain string to the page's location counts if
//! nothing before it may hinder it: a condition, or an event that has yet to
//! happen. In doubt the script is taken to send nobody anywhere.

use std::borrow::Cow;

use memchr::memmem;

use super::client_redirect::PATIENCE;
use crate::cut::Cut as _;

/// Longer scripts do more than send a reader on.
const SCRIPT_LENGTH: usize = 2048;

/// Names for the window or document, whose location is the page's.
const HOLDERS: [&str; 7] = ["window", "document", "top", "self", "parent", "this", "globalThis"];

/// After one of these, what follows may not be done at once, or not at all.
const HINDRANCES: &[&str] = &[
    "if",
    "else",
    "switch",
    "while",
    "for",
    "catch",
    "confirm",
    "prompt",
    "fetch",
    "then",
    "on",
    "click",
    "XMLHttpRequest",
    "onclick",
    "onsubmit",
    "onchange",
    "onmessage",
    "onerror",
    "onbeforeunload",
    "onunload",
    "onblur",
    "onfocus",
    "onkeydown",
    "onkeypress",
    "onkeyup",
    "onmousedown",
    "onmousemove",
    "onmouseup",
    "onmouseover",
    "onscroll",
    "ontouchstart",
];

/// Events that happen without the reader.
const LOADING_EVENTS: [&str; 3] = ["load", "DOMContentLoaded", "pageshow"];

/// The address a script sends its reader to; `onload` is what else may call
/// its functions.
pub(super) fn script_redirect(script: &str, onload: &str) -> Option<String> {
    let may_redirect =
        script.len() <= SCRIPT_LENGTH && memmem::find(script.as_bytes(), b"location").is_some();
    if !may_redirect {
        return None;
    }
    let mut reading = ScriptScanner { script, ..ScriptScanner::default() };
    reading.read();
    reading.finish(onload)
}

/// A script being read.
#[derive(Default)]
struct ScriptScanner<'s> {
    script: &'s str,
    at: usize,
    /// How many braces are open.
    depth: usize,
    /// The named function being read, and the depth it stands at.
    function: Option<(&'s str, usize)>,
    /// Strings that were given a name.
    strings: Vec<(&'s str, String)>,
    is_hindered: bool,
    found: Option<Redirect<'s>>,
    /// The script goes to several places, or to one that is computed.
    is_ambiguous: bool,
    /// The longest delay given to a timer, in milliseconds.
    delay: u64,
}

struct Redirect<'s> {
    address: String,
    /// The function that must be called first.
    function: Option<&'s str>,
}

/// What a word of a script does to the location.
enum Act {
    Assigns,
    Calls,
}

impl<'s> ScriptScanner<'s> {
    fn read(&mut self) {
        while let Some(byte) = self.byte() {
            match byte {
                b'"' | b'\'' | b'`' => self.skip_string(byte),
                b'/' | b'<' => self.skip_comment(),
                b'{' => {
                    self.depth += 1;
                    self.at += 1;
                }
                b'}' => self.close(),
                b'?' => self.hinder(),
                b'&' | b'|' if self.byte_after(1) == Some(byte) => self.hinder(),
                b'0'..=b'9' => self.number(),
                _ if is_name_byte(byte) => self.word(),
                _ => self.at += 1,
            }
        }
    }

    fn finish(self, onload: &str) -> Option<String> {
        let redirect =
            self.found.filter(|_| !self.is_ambiguous && self.delay <= PATIENCE * 1000)?;
        let is_called = redirect.function.is_none_or(|name| {
            // Once is where it is written.
            mentions(self.script, name) > 1 || mentions(onload, name) > 0
        });
        is_called.then_some(redirect.address)
    }

    fn byte(&self) -> Option<u8> {
        self.byte_after(0)
    }

    fn byte_after(&self, count: usize) -> Option<u8> {
        self.script.as_bytes().get(self.at + count).copied()
    }

    fn rest(&self) -> &'s str {
        self.script.cut(self.at..)
    }

    fn hinder(&mut self) {
        self.is_hindered = true;
        self.at += 1;
    }

    fn close(&mut self) {
        self.at += 1;
        self.depth = self.depth.saturating_sub(1);
        if self.function.is_some_and(|(_, depth)| depth >= self.depth) {
            self.function = None;
        }
    }

    /// Passes over white space and comments, and over a sign that is neither.
    fn skip_comment(&mut self) {
        let before = self.at;
        self.skip_blank();
        if self.at == before {
            self.at += 1;
        }
    }

    /// Passes over white space and comments, the old `<!--` among them.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let length = if rest.starts_with("//") || rest.starts_with("<!--") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(comment) = rest.strip_prefix("/*") {
                comment.find("*/").map_or(rest.len(), |end| end + 4)
            } else {
                rest.len() - rest.trim_start().len()
            };
            if length == 0 {
                return;
            }
            self.at += length;
        }
    }

    fn skip_string(&mut self, quote: u8) {
        if self.string().is_none() && self.byte() == Some(quote) {
            self.at += 1;
        }
    }

    /// The string that stands here, and passes over it; nothing if it is none,
    /// has no end, or is computed.
    fn string(&mut self) -> Option<Cow<'s, str>> {
        let quote = self.byte().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
        let inside = self.script.cut(self.at + 1..);
        let end = string_end(inside, quote)?;
        self.at += end + 2;
        let written = inside.cut(..end);
        (quote != b'`' || !written.contains("${")).then(|| unescaped(written))
    }

    fn number(&mut self) {
        let is_argument = self.script.cut(..self.at).trim_end().ends_with(',');
        let length = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if is_argument && self.is_timed() {
            self.delay = self.delay.max(self.rest().cut(..length).parse().unwrap_or(u64::MAX));
        }
        self.at += length;
    }

    fn is_timed(&self) -> bool {
        ["setTimeout", "setInterval"]
            .iter()
            .any(|timer| mentions(self.script.cut(..self.at), timer) > 0)
    }

    /// Reads a name, with the names that follow it after points.
    fn word(&mut self) {
        let is_member = self.script.cut(..self.at).ends_with('.');
        let length =
            self.rest().bytes().take_while(|&byte| is_name_byte(byte) || byte == b'.').count();
        let path = self.rest().cut(..length);
        self.at += length;
        let last = path.rsplit('.').next().unwrap_or(path);
        if HINDRANCES.contains(&last) {
            self.is_hindered = true;
        } else if path == "function" {
            self.function_name();
        } else if last == "addEventListener" {
            self.listen();
        } else if matches!(last, "setTimeout" | "setInterval") {
            self.timer();
        } else if let Some(act) = act_on_location(path).filter(|_| !is_member) {
            self.redirect(&act);
        } else {
            self.name_string(path);
        }
    }

    /// A function with a name does nothing until it is called.
    fn function_name(&mut self) {
        self.skip_blank();
        let length = self.rest().bytes().take_while(|&byte| is_name_byte(byte)).count();
        if length > 0 && self.function.is_none() {
            self.function = Some((self.rest().cut(..length), self.depth));
        }
        self.at += length;
    }

    fn listen(&mut self) {
        let event = self.first_argument();
        self.is_hindered |= !event.is_some_and(|event| LOADING_EVENTS.contains(&event.as_ref()));
    }

    /// A timer may be given a script as a string.
    fn timer(&mut self) {
        let Some(script) = self.first_argument().filter(|script| script.contains("location"))
        else {
            return;
        };
        let mut inner = ScriptScanner { script: &script, ..ScriptScanner::default() };
        inner.strings.clone_from(&self.strings);
        // Within, a timer's string is skipped like any other.
        inner.is_hindered = self.is_hindered || mentions(&script, "setTimeout") > 0;
        inner.read();
        self.is_ambiguous |= inner.is_ambiguous;
        if let Some(redirect) = inner.found {
            self.find(redirect.address);
        }
    }

    /// The string a call begins its arguments with.
    fn first_argument(&mut self) -> Option<Cow<'s, str>> {
        self.skip_blank();
        if self.byte() != Some(b'(') {
            return None;
        }
        self.at += 1;
        self.skip_blank();
        self.string()
    }

    fn redirect(&mut self, act: &Act) {
        self.skip_blank();
        let sign = match act {
            Act::Assigns => b'=',
            Act::Calls => b'(',
        };
        let is_act = self.byte() == Some(sign) && !matches!(self.byte_after(1), Some(b'=' | b'>'));
        if !is_act {
            return;
        }
        self.at += 1;
        match self.value() {
            Some(address) => self.find(address),
            None => self.is_ambiguous = true,
        }
    }

    fn find(&mut self, address: String) {
        match &self.found {
            Some(found) if found.address == address => {}
            None if !self.is_hindered => {
                let function = self.function.map(|(name, _)| name);
                self.found = Some(Redirect { address, function });
            }
            _ => self.is_ambiguous = true,
        }
    }

    /// The string that stands here by itself, or under a name given before.
    fn value(&mut self) -> Option<String> {
        self.skip_blank();
        let value = match self.string() {
            Some(string) => string.into_owned(),
            None => self.named_string()?,
        };
        self.ends_here().then_some(value)
    }

    fn named_string(&mut self) -> Option<String> {
        let length = self.rest().bytes().take_while(|&byte| is_name_byte(byte)).count();
        let name = self.rest().cut(..length);
        let (_, string) = self.strings.iter().rev().find(|(other, _)| *other == name)?;
        self.at += length;
        Some(string.clone())
    }

    /// Whether nothing is added to the value just read.
    fn ends_here(&mut self) -> bool {
        let before = self.at;
        self.skip_blank();
        let is_next_line = self.script.cut(before..self.at).contains('\n');
        match self.byte() {
            None | Some(b';' | b',' | b')' | b'}') => true,
            Some(b'-') => self.rest().starts_with("-->"),
            Some(byte) => is_next_line && (is_name_byte(byte) || byte == b']'),
        }
    }

    /// Remembers a string that is given this name here.
    fn name_string(&mut self, name: &'s str) {
        let before = self.at;
        self.skip_blank();
        if self.byte() != Some(b'=') || self.byte_after(1) == Some(b'=') {
            self.at = before;
            return;
        }
        self.at += 1;
        self.skip_blank();
        let start = self.at;
        if let Some(string) = self.string().filter(|_| self.ends_here()) {
            self.strings.push((name, string.into_owned()));
        } else {
            // What is computed is no longer known.
            self.strings.retain(|(other, _)| *other != name);
            self.at = start;
        }
    }
}

/// What a name with its points does to the page's location, if it is that.
fn act_on_location(path: &str) -> Option<Act> {
    let mut names = path.split('.').skip_while(|name| HOLDERS.contains(name));
    if names.next() != Some("location") {
        return None;
    }
    match (names.next(), names.next()) {
        (None, _) | (Some("href"), None) => Some(Act::Assigns),
        (Some("replace" | "assign"), None) => Some(Act::Calls),
        _ => None,
    }
}

/// How often a name stands in a script as a whole word.
fn mentions(script: &str, name: &str) -> usize {
    let is_apart = |byte: Option<&u8>| byte.is_none_or(|&byte| !is_name_byte(byte));
    let bytes = script.as_bytes();
    memmem::find_iter(bytes, name)
        .filter(|&at| {
            is_apart(at.checked_sub(1).and_then(|before| bytes.get(before)))
                && is_apart(bytes.get(at + name.len()))
        })
        .count()
}

/// Every character beyond ASCII counts as a letter.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// Where the string ends that begins with `inside`; only one in backticks
/// goes over lines.
fn string_end(inside: &str, quote: u8) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'\n' if quote != b'`' => return None,
            _ if byte == quote => return Some(at),
            _ => {}
        }
    }
    None
}

/// A string with its escapes resolved.
fn unescaped(written: &str) -> Cow<'_, str> {
    if !written.contains('\\') {
        return Cow::Borrowed(written);
    }
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        let mut characters = escape.chars();
        let sign = characters.next();
        rest = characters.as_str();
        match sign {
            Some('n' | 'r' | 't' | 'v' | 'f' | 'b') => text.push(' '),
            Some('\n') | None => {}
            Some(kind @ ('x' | 'u')) => rest = push_code(&mut text, kind, rest),
            Some(other) => text.push(other),
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Appends the character of `\xHH`, `\uHHHH` or `\u{H…}` and returns what follows.
fn push_code<'r>(text: &mut String, kind: char, rest: &'r str) -> &'r str {
    let braced = rest.strip_prefix('{').and_then(|inside| inside.split_once('}'));
    let (digits, after) = match (kind, braced) {
        ('u', Some(parts)) => parts,
        ('u', None) => rest.split_at_checked(4).unwrap_or(("", rest)),
        _ => rest.split_at_checked(2).unwrap_or(("", rest)),
    };
    text.extend(u32::from_str_radix(digits, 16).ok().and_then(char::from_u32));
    after
}

#[cfg(test)]
mod tests;
