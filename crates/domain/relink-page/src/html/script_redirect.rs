//! Detects redirects in short scripts without running them.
//!
//! The names, strings and comments of a script are read once; there is no syntax
//! tree. An assignment of a string literal to the location of the page is a
//! redirect, unless a condition or an event handler precedes the assignment. A
//! script whose effect is not certain does not count as a redirect.

use std::borrow::Cow;

use memchr::memmem;

use super::client_redirect::MAX_DELAY_SECONDS;
use crate::safe_slice::SafeSlice as _;

/// Maximum length of a script that is scanned, in bytes. Longer scripts do more
/// than redirect.
const MAX_SCRIPT_LENGTH: usize = 2048;

/// Objects whose `location` property is the location of the page.
const LOCATION_OWNERS: [&str; 7] =
    ["window", "document", "top", "self", "parent", "this", "globalThis"];

/// Names after which code may run later or not at all.
const CONDITIONAL_NAMES: &[&str] = &[
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

/// Events that occur without user interaction.
const LOADING_EVENTS: [&str; 3] = ["load", "DOMContentLoaded", "pageshow"];

/// Returns the URL that a script redirects to. `onload` is the code of the handler of
/// the `body` element, which may call functions of the script.
pub(super) fn script_redirect(script: &str, onload: &str) -> Option<String> {
    let may_redirect =
        script.len() <= MAX_SCRIPT_LENGTH && memmem::find(script.as_bytes(), b"location").is_some();
    if !may_redirect {
        return None;
    }
    let mut scanner = ScriptScanner { script, ..ScriptScanner::default() };
    scanner.scan();
    scanner.finish(onload)
}

/// State of the scan of a script.
#[derive(Default)]
struct ScriptScanner<'s> {
    script: &'s str,
    at: usize,
    /// Number of open braces.
    depth: usize,
    /// The current named function and its depth.
    function: Option<(&'s str, usize)>,
    /// Variables that hold a string literal.
    strings: Vec<(&'s str, String)>,
    /// Whether the code from the current position on runs later or not at all.
    is_conditional: bool,
    redirect: Option<Redirect<'s>>,
    /// Whether the script redirects to several URLs, or to a computed one.
    is_ambiguous: bool,
    /// The longest delay of a timer, in milliseconds.
    delay: u64,
}

/// A redirect found in a script.
struct Redirect<'s> {
    url: String,
    /// The function that contains the redirect and must be called.
    function: Option<&'s str>,
}

/// The way in which a script sets the location.
enum LocationChange {
    /// `location = …`
    Assignment,
    /// `location.replace(…)`
    Call,
}

impl<'s> ScriptScanner<'s> {
    /// Scans the whole script.
    fn scan(&mut self) {
        while let Some(byte) = self.byte() {
            match byte {
                b'"' | b'\'' | b'`' => self.skip_string(byte),
                b'/' | b'<' => self.skip_comment(),
                b'{' => {
                    self.depth += 1;
                    self.at += 1;
                }
                b'}' => self.close_brace(),
                b'?' => self.mark_conditional(),
                b'&' | b'|' if self.byte_after(1) == Some(byte) => self.mark_conditional(),
                b'0'..=b'9' => self.read_number(),
                _ if is_name_byte(byte) => self.read_member_path(),
                _ => self.at += 1,
            }
        }
    }

    /// Returns the URL of the redirect. Returns `None` if the URL is ambiguous, the
    /// delay is too long, or the function with the redirect is never called.
    fn finish(self, onload: &str) -> Option<String> {
        let redirect = self
            .redirect
            .filter(|_| !self.is_ambiguous && self.delay <= MAX_DELAY_SECONDS * 1000)?;
        let is_called = redirect.function.is_none_or(|name| {
            // The name occurs once in its definition.
            count_name(self.script, name) > 1 || count_name(onload, name) > 0
        });
        is_called.then_some(redirect.url)
    }

    fn byte(&self) -> Option<u8> {
        self.byte_after(0)
    }

    fn byte_after(&self, count: usize) -> Option<u8> {
        self.script.as_bytes().get(self.at + count).copied()
    }

    fn rest(&self) -> &'s str {
        self.script.slice(self.at..)
    }

    /// Skips an operator after which code may not run.
    fn mark_conditional(&mut self) {
        self.is_conditional = true;
        self.at += 1;
    }

    /// Reads a closing brace.
    fn close_brace(&mut self) {
        self.at += 1;
        self.depth = self.depth.saturating_sub(1);
        if self.function.is_some_and(|(_, depth)| depth >= self.depth) {
            self.function = None;
        }
    }

    /// Skips white space and comments, or one character that is neither.
    fn skip_comment(&mut self) {
        let before = self.at;
        self.skip_blank();
        if self.at == before {
            self.at += 1;
        }
    }

    /// Skips white space and comments, including the obsolete `<!--`.
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

    /// Skips a string literal, or only its quote if the literal is not closed.
    fn skip_string(&mut self, quote: u8) {
        if self.read_string().is_none() && self.byte() == Some(quote) {
            self.at += 1;
        }
    }

    /// Reads a string literal. Returns `None` if the text is not a string literal, or
    /// if the literal is not closed or has placeholders.
    fn read_string(&mut self) -> Option<Cow<'s, str>> {
        let quote = self.byte().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
        let inside = self.script.slice(self.at + 1..);
        let end = string_end(inside, quote)?;
        self.at += end + 2;
        let literal = inside.slice(..end);
        (quote != b'`' || !literal.contains("${")).then(|| unescape(literal))
    }

    /// Reads a number, which may be the delay of a timer.
    fn read_number(&mut self) {
        let is_argument = self.script.slice(..self.at).trim_end().ends_with(',');
        let length = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if is_argument && self.is_timed() {
            self.delay = self.delay.max(self.rest().slice(..length).parse().unwrap_or(u64::MAX));
        }
        self.at += length;
    }

    /// Whether the script calls a timer before this position.
    fn is_timed(&self) -> bool {
        ["setTimeout", "setInterval"]
            .iter()
            .any(|timer| count_name(self.script.slice(..self.at), timer) > 0)
    }

    /// Reads a name with its members: `window.location.href`.
    fn read_member_path(&mut self) {
        let is_member = self.script.slice(..self.at).ends_with('.');
        let length =
            self.rest().bytes().take_while(|&byte| is_name_byte(byte) || byte == b'.').count();
        let path = self.rest().slice(..length);
        self.at += length;
        let last = path.rsplit('.').next().unwrap_or(path);
        if CONDITIONAL_NAMES.contains(&last) {
            self.is_conditional = true;
        } else if path == "function" {
            self.read_function_name();
        } else if last == "addEventListener" {
            self.read_event_listener();
        } else if matches!(last, "setTimeout" | "setInterval") {
            self.read_timer();
        } else if let Some(change) = location_change_of(path).filter(|_| !is_member) {
            self.read_location_change(&change);
        } else {
            self.read_assignment(path);
        }
    }

    /// Records the name of a function, whose body runs only when it is called.
    fn read_function_name(&mut self) {
        self.skip_blank();
        let length = self.rest().bytes().take_while(|&byte| is_name_byte(byte)).count();
        if length > 0 && self.function.is_none() {
            self.function = Some((self.rest().slice(..length), self.depth));
        }
        self.at += length;
    }

    /// Reads the arguments of `addEventListener`.
    fn read_event_listener(&mut self) {
        let event = self.read_first_argument();
        self.is_conditional |= !event.is_some_and(|event| LOADING_EVENTS.contains(&event.as_ref()));
    }

    /// Reads the arguments of a timer, which may be a script in a string.
    fn read_timer(&mut self) {
        let Some(script) = self.read_first_argument().filter(|script| script.contains("location"))
        else {
            return;
        };
        let mut inner = ScriptScanner { script: &script, ..ScriptScanner::default() };
        inner.strings.clone_from(&self.strings);
        // The inner scanner does not read the string argument of a timer.
        inner.is_conditional = self.is_conditional || count_name(&script, "setTimeout") > 0;
        inner.scan();
        self.is_ambiguous |= inner.is_ambiguous;
        if let Some(redirect) = inner.redirect {
            self.add_redirect(redirect.url);
        }
    }

    /// Reads the first argument of a call if it is a string literal.
    fn read_first_argument(&mut self) -> Option<Cow<'s, str>> {
        self.skip_blank();
        if self.byte() != Some(b'(') {
            return None;
        }
        self.at += 1;
        self.skip_blank();
        self.read_string()
    }

    /// Reads an assignment or call that sets the location.
    fn read_location_change(&mut self, change: &LocationChange) {
        self.skip_blank();
        let operator = match change {
            LocationChange::Assignment => b'=',
            LocationChange::Call => b'(',
        };
        let is_change =
            self.byte() == Some(operator) && !matches!(self.byte_after(1), Some(b'=' | b'>'));
        if !is_change {
            return;
        }
        self.at += 1;
        match self.read_value() {
            Some(url) => self.add_redirect(url),
            None => self.is_ambiguous = true,
        }
    }

    /// Records a redirect, or marks the script as ambiguous.
    fn add_redirect(&mut self, url: String) {
        match &self.redirect {
            Some(found) if found.url == url => {}
            None if !self.is_conditional => {
                let function = self.function.map(|(name, _)| name);
                self.redirect = Some(Redirect { url, function });
            }
            _ => self.is_ambiguous = true,
        }
    }

    /// Reads a whole expression that is a string literal or a variable with a
    /// known string.
    fn read_value(&mut self) -> Option<String> {
        self.skip_blank();
        let value = match self.read_string() {
            Some(string) => string.into_owned(),
            None => self.read_string_variable()?,
        };
        self.is_expression_end().then_some(value)
    }

    /// Reads the name of a variable with a known string and returns the string.
    fn read_string_variable(&mut self) -> Option<String> {
        let length = self.rest().bytes().take_while(|&byte| is_name_byte(byte)).count();
        let name = self.rest().slice(..length);
        let (_, string) = self.strings.iter().rev().find(|(other, _)| *other == name)?;
        self.at += length;
        Some(string.clone())
    }

    /// Whether the expression ends after the value at the current position.
    fn is_expression_end(&mut self) -> bool {
        let before = self.at;
        self.skip_blank();
        let is_next_line = self.script.slice(before..self.at).contains('\n');
        match self.byte() {
            None | Some(b';' | b',' | b')' | b'}') => true,
            Some(b'-') => self.rest().starts_with("-->"),
            Some(byte) => is_next_line && (is_name_byte(byte) || byte == b']'),
        }
    }

    /// Records the string literal that is assigned to this variable.
    fn read_assignment(&mut self, name: &'s str) {
        let before = self.at;
        self.skip_blank();
        if self.byte() != Some(b'=') || self.byte_after(1) == Some(b'=') {
            self.at = before;
            return;
        }
        self.at += 1;
        self.skip_blank();
        let start = self.at;
        if let Some(string) = self.read_string().filter(|_| self.is_expression_end()) {
            self.strings.push((name, string.into_owned()));
        } else {
            // The variable now has a computed value.
            self.strings.retain(|(other, _)| *other != name);
            self.at = start;
        }
    }
}

/// Returns the way in which code with this member path sets the page's
/// location.
fn location_change_of(path: &str) -> Option<LocationChange> {
    let mut names = path.split('.').skip_while(|name| LOCATION_OWNERS.contains(name));
    if names.next() != Some("location") {
        return None;
    }
    match (names.next(), names.next()) {
        (None, _) | (Some("href"), None) => Some(LocationChange::Assignment),
        (Some("replace" | "assign"), None) => Some(LocationChange::Call),
        _ => None,
    }
}

/// Returns the number of occurrences of a name as a whole word.
fn count_name(script: &str, name: &str) -> usize {
    let is_boundary = |byte: Option<&u8>| byte.is_none_or(|&byte| !is_name_byte(byte));
    let bytes = script.as_bytes();
    memmem::find_iter(bytes, name)
        .filter(|&at| {
            is_boundary(at.checked_sub(1).and_then(|before| bytes.get(before)))
                && is_boundary(bytes.get(at + name.len()))
        })
        .count()
}

/// Whether the byte is part of a name. All non-ASCII characters count as
/// letters.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

/// Returns the length of the string literal whose text begins with `inside`.
/// Only literals in backticks may span lines.
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

/// Resolves the escapes of a string literal.
fn unescape(literal: &str) -> Cow<'_, str> {
    if !literal.contains('\\') {
        return Cow::Borrowed(literal);
    }
    let mut text = String::with_capacity(literal.len());
    let mut rest = literal;
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        let mut characters = escape.chars();
        let first = characters.next();
        rest = characters.as_str();
        match first {
            Some('n' | 'r' | 't' | 'v' | 'f' | 'b') => text.push(' '),
            Some('\n') | None => {}
            Some(kind @ ('x' | 'u')) => rest = push_code_point(&mut text, kind, rest),
            Some(other) => text.push(other),
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Appends the character of `\xHH`, `\uHHHH` or `\u{H…}` and returns the text
/// after it.
fn push_code_point<'r>(text: &mut String, kind: char, rest: &'r str) -> &'r str {
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
