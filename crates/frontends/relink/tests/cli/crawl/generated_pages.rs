//! Generated pages. Each has a distinct text, so that it is not taken for a copy of an error
//! page.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Number of words in the text of a page.
const WORDS: usize = 60;

/// Words that page texts consist of.
const VOCABULARY: [&str; 24] = [
    "amber", "brook", "cedar", "delta", "elder", "fjord", "grove", "heath", "inlet", "jetty",
    "knoll", "ledge", "marsh", "north", "olive", "prism", "quartz", "ridge", "shoal", "tarn",
    "upland", "vale", "wharf", "yarrow",
];

/// Returns the HTML of a page with links.
pub fn page(name: &str, links: &[&str]) -> String {
    let links: Vec<String> =
        links.iter().map(|link| format!("<li><a href=\"{link}\">next</a></li>")).collect();
    with_body(name, &format!("<ul>{}</ul>", links.concat()))
}

/// Returns the HTML of a page that ends with `body`.
pub fn with_body(name: &str, body: &str) -> String {
    let text = text(name, WORDS);
    format!("<!doctype html><title>About {name}</title><h1>{name}</h1><p>{text}</p>{body}")
}

/// Returns a text that is distinct for each name.
pub fn text(name: &str, words: usize) -> String {
    let word = |number: usize| {
        let mut hasher = DefaultHasher::new();
        (name, number).hash(&mut hasher);
        let index = usize::try_from(hasher.finish() % VOCABULARY.len() as u64).unwrap();
        VOCABULARY[index]
    };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// Minimum number of letters in the random name of a control URL.
const MIN_LETTERS: usize = 25;
/// Minimum number of digits in the random number of a control URL.
const MIN_DIGITS: usize = 4;

/// Whether a path is a control URL: it has a long random name or number. Other
/// names on the test sites are shorter.
pub fn is_control_url(path: &str) -> bool {
    let has_run = |kind: fn(char) -> bool, length: usize| {
        path.split(|letter| !kind(letter)).any(|run| run.len() >= length)
    };
    has_run(|letter| letter.is_ascii_lowercase(), MIN_LETTERS)
        || has_run(|letter| letter.is_ascii_digit(), MIN_DIGITS)
}
