//! mdBook includes (`{{#include file}}`) and wiki links (`[[page]]`).

use std::ops::Range;

use memchr::{memchr2, memchr3, memmem};

use crate::safe_slice::{ByteAt as _, SafeSlice as _};

/// mdBook helpers that take a file.
const INCLUDES: [&str; 4] = ["include", "rustdoc_include", "playground", "playpen"];

/// Maximum length of an include in bytes.
const MAX_INCLUDE: usize = 1024;

/// Returns the files of `{{#include file:lines}}`. mdBook expands includes
/// before it parses Markdown, so they are active in code.
pub(crate) fn includes(text: &str) -> impl Iterator<Item = Range<usize>> {
    memmem::find_iter(text.as_bytes(), b"{{#").filter_map(|at| {
        if text.slice(..at).ends_with('\\') {
            return None;
        }
        let inside = at + "{{#".len();
        let searched = text.as_bytes().slice(inside..text.len().min(inside + MAX_INCLUDE));
        let end = inside + memchr2(b'}', b'\n', searched)?;
        if !text.as_bytes().slice(end..).starts_with(b"}}") {
            return None;
        }
        let (name, argument) = text.slice(inside..end).split_once([' ', '\t'])?;
        INCLUDES.contains(&name).then(|| included_file(argument, end - argument.len()))?
    })
}

/// Returns the file in `file:from:to` or `file editable`, an argument that
/// starts at `start`.
fn included_file(argument: &str, start: usize) -> Option<Range<usize>> {
    let file = argument.trim_start();
    let from = start + argument.len() - file.len();
    let length = file.find([' ', '\t', ',', ':']).unwrap_or(file.len());
    (length > 0).then_some(from..from + length)
}

/// Returns the page names of `[[page]]` and `[[page|text]]` in `part`.
pub(crate) fn wiki_links(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut from = part.start;
    std::iter::from_fn(move || {
        while let Some(at) = memmem::find(bytes.slice(from..part.end), b"[[") {
            let start = from + at + "[[".len();
            from = start;
            let Some(length) = memchr3(b'[', b']', b'\n', bytes.slice(start..part.end)) else {
                continue;
            };
            let end = start + length;
            // Of three opening brackets, the last two may start a wiki link.
            from = if length == 0 && bytes.byte(end) == b'[' { start - 1 } else { end };
            if bytes.slice(..part.end).slice(end..).starts_with(b"]]")
                && let Some(length) = page_name_length(text.slice(start..end))
            {
                return Some(start..start + length);
            }
        }
        None
    })
}

/// Returns the length of the page name, or `None` if the brackets contain a
/// URL, a list of numbers or a shell condition.
fn page_name_length(inside: &str) -> Option<usize> {
    let name = inside.split('|').next().unwrap_or_default();
    let name = name.strip_suffix('\\').unwrap_or(name);
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit() || b", .-".contains(&byte));
    let is_page = !is_number
        && !name.contains("://")
        && !name.starts_with([' ', '-', '!', '^', '"', '\'', '$'])
        && !name.ends_with(' ');
    // Page names of daily notes are dates.
    let is_date = name.len() == "2000-01-01".len() && name.matches('-').count() == 2;
    (is_page || is_date).then_some(name.len())
}
