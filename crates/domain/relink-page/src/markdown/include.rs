//! Files and pages that a text names in a way of its own: mdBook's includes and
//! the double brackets of wikis.

use std::ops::Range;

use memchr::{memchr2, memchr3, memmem};

use crate::cut::{ByteAt as _, Cut as _};

/// What mdBook calls the ways to take in a file.
const INCLUDES: [&str; 4] = ["include", "rustdoc_include", "playground", "playpen"];

/// How long the name of an included file may be, with what is beside it.
const LONGEST_INCLUDE: usize = 1024;

/// The files that `{{#include file:lines}}` names. mdBook looks for them before
/// anything else is read, so they count in code, too.
pub(crate) fn includes(text: &str) -> impl Iterator<Item = Range<usize>> {
    memmem::find_iter(text.as_bytes(), b"{{#").filter_map(|at| {
        if text.cut(..at).ends_with('\\') {
            return None;
        }
        let inside = at + "{{#".len();
        let window = text.as_bytes().cut(inside..text.len().min(inside + LONGEST_INCLUDE));
        let end = inside + memchr2(b'}', b'\n', window)?;
        if !text.as_bytes().cut(end..).starts_with(b"}}") {
            return None;
        }
        let (name, argument) = text.cut(inside..end).split_once([' ', '\t'])?;
        INCLUDES.contains(&name).then(|| file(argument, end - argument.len()))?
    })
}

/// The file in `file:from:to` or `file editable`, which stands at `start`.
fn file(argument: &str, start: usize) -> Option<Range<usize>> {
    let file = argument.trim_start();
    let from = start + argument.len() - file.len();
    let length = file.find([' ', '\t', ',', ':']).unwrap_or(file.len());
    (length > 0).then_some(from..from + length)
}

/// The pages that `[[page]]` and `[[page|text]]` name within a part of the text.
pub(crate) fn pages(text: &str, part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut from = part.start;
    std::iter::from_fn(move || {
        while let Some(at) = memmem::find(bytes.cut(from..part.end), b"[[") {
            let start = from + at + "[[".len();
            from = start;
            let Some(length) = memchr3(b'[', b']', b'\n', bytes.cut(start..part.end)) else {
                continue;
            };
            let end = start + length;
            // Of three brackets, the last two may be those of a page.
            from = if length == 0 && bytes.byte(end) == b'[' { start - 1 } else { end };
            if bytes.cut(..part.end).cut(end..).starts_with(b"]]")
                && let Some(page) = page(text.cut(start..end))
            {
                return Some(start..start + page);
            }
        }
        None
    })
}

/// The length of the page's name, if the inside of the brackets is one: not an
/// address, a list of numbers, or a condition of a shell.
fn page(inside: &str) -> Option<usize> {
    let name = inside.split('|').next().unwrap_or_default();
    let name = name.strip_suffix('\\').unwrap_or(name);
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit() || b", .-".contains(&byte));
    let is_page = !is_number
        && !name.contains("://")
        && !name.starts_with([' ', '-', '!', '^', '"', '\'', '$'])
        && !name.ends_with(' ');
    // Whole dates are names of pages in diaries.
    let is_date = name.len() == "2000-01-01".len() && name.matches('-').count() == 2;
    (is_page || is_date).then_some(name.len())
}
