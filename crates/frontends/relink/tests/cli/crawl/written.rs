//! Pages that read like pages: each with a text of its own, so that none is
//! taken for another.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Words in the text of a page.
const WORDS: usize = 60;

/// What the pages are written in.
const VOCABULARY: [&str; 24] = [
    "amber", "brook", "cedar", "delta", "elder", "fjord", "grove", "heath", "inlet", "jetty",
    "knoll", "ledge", "marsh", "north", "olive", "prism", "quartz", "ridge", "shoal", "tarn",
    "upland", "vale", "wharf", "yarrow",
];

/// A page with these links.
pub fn page(name: &str, links: &[&str]) -> String {
    let links: Vec<String> =
        links.iter().map(|link| format!("<li><a href=\"{link}\">go on</a></li>")).collect();
    with_body(name, &format!("<ul>{}</ul>", links.concat()))
}

/// A page with this beside its text.
pub fn with_body(name: &str, body: &str) -> String {
    let text = text(name, WORDS);
    format!("<!doctype html><title>About {name}</title><h1>{name}</h1><p>{text}</p>{body}")
}

/// A text of so many words that no other name has.
pub fn text(name: &str, words: usize) -> String {
    let word = |number: usize| {
        let mut hasher = DefaultHasher::new();
        (name, number).hash(&mut hasher);
        let pick = usize::try_from(hasher.finish() % VOCABULARY.len() as u64).unwrap();
        VOCABULARY[pick]
    };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// Letters in the name of a page asked for comparison.
const LETTERS: usize = 25;
/// Digits in the number of a page asked for comparison, at least.
const DIGITS: usize = 4;

/// Whether a path has a name or a number that nobody would write: a page asked
/// for comparison. The names in these tests are shorter than any of those.
pub fn is_stray(path: &str) -> bool {
    let has_run = |kind: fn(char) -> bool, length: usize| {
        path.split(|letter| !kind(letter)).any(|run| run.len() >= length)
    };
    has_run(|letter| letter.is_ascii_lowercase(), LETTERS)
        || has_run(|letter| letter.is_ascii_digit(), DIGITS)
}
