//! Slugs, words and small edits for synthetic reorganizations.

use crate::random::SeededRandom;

/// Names of folders.
const FOLDERS: [&str; 44] = [
    "docs",
    "guide",
    "articles",
    "content",
    "help",
    "support",
    "manual",
    "pages",
    "reference",
    "en",
    "v1",
    "v2",
    "current",
    "latest",
    "library",
    "kb",
    "topics",
    "product",
    "learn",
    "archive",
    "wiki",
    "tutorials",
    "user",
    "admin",
    "dev",
    "overview",
    "resources",
    "tech",
    "intro",
    "using",
    "manage",
    "deploy",
    "secure",
    "build",
    "legacy",
    "platform",
    "services",
    "news",
    "story",
    "blog",
    "posts",
    "recipes",
    "items",
    "2014",
];

/// Spelling variants of word endings.
const SPELLINGS: [(&str, &str); 6] = [
    ("ization", "isation"),
    ("ize", "ise"),
    ("color", "colour"),
    ("flavor", "flavour"),
    ("center", "centre"),
    ("behavior", "behaviour"),
];

/// Words that occur in titles and are often left out of slugs.
const STOP_WORDS: [&str; 20] = [
    "a", "an", "the", "of", "for", "to", "in", "on", "with", "and", "or", "is", "are", "be", "by",
    "at", "from", "your", "how", "what",
];

/// Returns some names of folders.
pub fn folder_names(count: usize, random: &mut SeededRandom) -> Vec<String> {
    (0..count).map(|_| (*random.pick(&FOLDERS)).to_owned()).collect()
}

/// Splits a slug into its words.
pub fn tokens(slug: &str) -> Vec<String> {
    let words = slug.split(['-', '_', '.', ' ']).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Returns the words of a title in lower case.
pub fn title_words(title: &str) -> Vec<String> {
    let words = title.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Removes stop words, unless nothing is left.
pub fn without_stop_words(words: &[String]) -> Vec<String> {
    let remaining: Vec<String> =
        words.iter().filter(|word| !STOP_WORDS.contains(&word.as_str())).cloned().collect();
    if remaining.is_empty() { words.to_vec() } else { remaining }
}

/// Returns a code of letters and digits, as content management systems add to slugs.
pub fn code(random: &mut SeededRandom) -> String {
    let letters = b"abcdef0123456789";
    let code: String =
        (0..4 + random.below(4)).map(|_| char::from(*random.pick(letters))).collect();
    format!("{}{code}", random.below(10))
}

/// Edits the words of a slug or title. Each of the `times` edits removes, adds, replaces, swaps or
/// inflects one word.
pub fn edit(
    words: &mut Vec<String>,
    times: usize,
    vocabulary: &[String],
    random: &mut SeededRandom,
) {
    for _ in 0..times {
        edit_once(words, vocabulary, random);
    }
}

/// Edits one word. The ranges of the random number are the frequencies of the edits.
fn edit_once(words: &mut Vec<String>, vocabulary: &[String], random: &mut SeededRandom) {
    let other =
        if vocabulary.is_empty() { "page".to_owned() } else { random.pick(vocabulary).clone() };
    let at = random.below(words.len());
    match random.below(20) {
        0..6 if words.len() > 1 => {
            words.remove(at);
        }
        6..11 => words.insert(random.below(words.len() + 1), other),
        11..16 if !words.is_empty() => words[at] = other,
        16..18 if !words.is_empty() => {
            let last = words.len().saturating_sub(1);
            words.swap(at.min(last), last);
        }
        _ if !words.is_empty() => words[at] = inflect(&words[at], random),
        _ => {}
    }
}

/// Changes the spelling or the ending of a word.
fn inflect(word: &str, random: &mut SeededRandom) -> String {
    if let Some((from, to)) = SPELLINGS.iter().find(|(from, _)| word.contains(from)) {
        return word.replace(from, to);
    }
    match word.strip_suffix('s') {
        Some(singular) if !singular.is_empty() => singular.to_owned(),
        _ => format!("{word}{}", random.pick(&["s", "s", "ing", "ed", "er"])),
    }
}
