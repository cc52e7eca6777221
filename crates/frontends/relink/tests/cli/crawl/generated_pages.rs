//! Generated pages. Each page has a distinct text, so that Relink does not take the page for an
//! error page that many URLs share.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Number of words in the text of a page.
const WORD_COUNT: usize = 60;

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
    let text = text(name, WORD_COUNT);
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

/// Whether a path is a control URL (a URL requested only for comparison): it has a long random
/// name or number. Other names on the test sites are shorter.
pub fn is_control_url(path: &str) -> bool {
    let mut words = path.split(|char: char| !char.is_ascii_lowercase());
    let mut numbers = path.split(|char: char| !char.is_ascii_digit());
    words.any(|word| word.len() >= MIN_LETTERS) || numbers.any(|number| number.len() >= MIN_DIGITS)
}
