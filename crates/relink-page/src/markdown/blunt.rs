//! Long runs of opening brackets, which only mean to harm.
//!
//! The parser keeps a node for every bracket that may begin a link. Of a run
//! that is longer than any text needs, all but the last ones are read as
//! letters; every place stays where it is.

use std::borrow::Cow;

use memchr::memmem;

/// Brackets in a row that are all believed.
const LONGEST: usize = 64;

/// What the brackets before those are read as.
const LETTER: &str = "x";

/// The text with long runs of brackets cut to their ends.
pub(crate) fn blunted(text: Cow<'_, str>) -> Cow<'_, str> {
    let run = [b'['; LONGEST + 1];
    if memmem::find(text.as_bytes(), &run).is_none() {
        return text;
    }
    let mut blunted = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = memmem::find(rest.as_bytes(), &run) {
        let after = rest[at..].trim_start_matches('[');
        let length = rest.len() - at - after.len();
        blunted.push_str(&rest[..at]);
        blunted.push_str(&LETTER.repeat(length - LONGEST));
        blunted.push_str(&rest[at + length - LONGEST..at + length]);
        rest = after;
    }
    blunted.push_str(rest);
    blunted.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runs_past_all_need_lose_their_brackets() {
        let kept = format!("a {} b", "[".repeat(LONGEST));
        assert_eq!(blunted(Cow::Borrowed(&kept)), kept);
        let long = format!("{kept} {}[c](d) {}", "[".repeat(9 + LONGEST), "[".repeat(1 + LONGEST));
        let blunt = blunted(Cow::Borrowed(&long)).into_owned();
        let all = "[".repeat(LONGEST);
        assert_eq!(blunt, format!("{kept} {}{all}c](d) x{all}", "x".repeat(10)));
        assert_eq!(blunt.len(), long.len());
    }
}
