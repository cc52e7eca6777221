//! Words by which pages say that they are not what was asked for.
//!
//! All of it is weak evidence: articles are written about error messages, too.
//! A phrase counts in a title or heading that says little else, or in a text
//! that is short, and never alone.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use crate::url_words::{is_of_word, words};

/// A kind of thing that pages say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhraseClass {
    NotFound,
    ForSale,
    Placeholder,
    Maintenance,
    Challenge,
    Login,
    Consent,
    ServerError,
    Closed,
    Restricted,
    Spam,
}

/// The lists, each with what it says.
const LISTS: [(PhraseClass, &str); 11] = [
    (PhraseClass::NotFound, include_str!("phrases/not_found.txt")),
    (PhraseClass::ForSale, include_str!("phrases/for_sale.txt")),
    (PhraseClass::Placeholder, include_str!("phrases/placeholder.txt")),
    (PhraseClass::Maintenance, include_str!("phrases/maintenance.txt")),
    (PhraseClass::Challenge, include_str!("phrases/challenge.txt")),
    (PhraseClass::Login, include_str!("phrases/login.txt")),
    (PhraseClass::Consent, include_str!("phrases/consent.txt")),
    (PhraseClass::ServerError, include_str!("phrases/server_error.txt")),
    (PhraseClass::Closed, include_str!("phrases/closed.txt")),
    (PhraseClass::Restricted, include_str!("phrases/restricted.txt")),
    (PhraseClass::Spam, include_str!("phrases/spam.txt")),
];

/// All phrases, by their longest word: a text is read once for all of them.
struct Phrases {
    /// By longest word: the phrases, and how far into each the word stands.
    spaced: HashMap<&'static str, Vec<(PhraseClass, &'static str, usize)>>,
    /// Those that count within words, too.
    unspaced: Vec<(PhraseClass, &'static str)>,
    /// The longest words, for a first glance.
    telling: WordFilter,
}

/// A set of words in a few kilobytes, which may take others for its own. Most
/// texts hold none of them, and are then not listened to any further.
struct WordFilter(Box<[u64; Self::CELLS]>);

#[expect(
    clippy::indexing_slicing,
    reason = "cells are taken modulo their count, and a table has a cell for every byte"
)]
impl WordFilter {
    const CELLS: usize = 1024;

    /// Where the hash of a word begins (FNV-1a).
    const SEED: u32 = 0x811c_9dc5;

    fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut cells = Box::new([0; Self::CELLS]);
        for word in words {
            let (cell, bit) = Self::place(word.bytes().fold(Self::SEED, Self::mix));
            cells[cell] |= bit;
        }
        Self(cells)
    }

    /// Whether a text may hold one of the words; beyond ASCII nothing is known.
    fn may_be_in(&self, text: &str) -> bool {
        if !text.is_ascii() {
            return true;
        }
        let mut hash = Self::SEED;
        for byte in text.bytes() {
            match FOLDED[usize::from(byte)] {
                0 if self.holds(std::mem::replace(&mut hash, Self::SEED)) => return true,
                0 => {}
                letter => hash = Self::mix(hash, letter),
            }
        }
        self.holds(hash)
    }

    /// Whether a word of this hash may be one of them.
    fn holds(&self, hash: u32) -> bool {
        let (cell, bit) = Self::place(hash);
        self.0[cell] & bit != 0
    }

    fn mix(hash: u32, byte: u8) -> u32 {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    }

    /// Where a word has its bit.
    fn place(hash: u32) -> (usize, u64) {
        let spread = (hash ^ (hash >> 16)) as usize;
        (spread / 64 % Self::CELLS, 1 << (spread % 64))
    }
}

/// Letters and digits of ASCII in lower case; 0 for what parts words.
#[expect(clippy::indexing_slicing, reason = "the table has a cell for every byte")]
const FOLDED: [u8; 256] = {
    let mut folded = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() {
            folded[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    folded
};

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let mut spaced: HashMap<&str, Vec<(PhraseClass, &str, usize)>> = HashMap::new();
    let mut unspaced = Vec::new();
    let known = LISTS.iter().flat_map(|(saying, list)| lines(list).map(|line| (*saying, line)));
    for (saying, line) in known {
        if let Some(phrase) = line.strip_prefix('~') {
            unspaced.push((saying, phrase));
            continue;
        }
        let longest = line.split(' ').max_by_key(|word| word.len()).unwrap_or(line);
        let at = line.find(longest).unwrap_or(0);
        spaced.entry(longest).or_default().push((saying, line, at));
    }
    let telling = WordFilter::of(spaced.keys().copied());
    Phrases { spaced, unspaced, telling }
});

/// The lines of a list that are no comments.
fn lines(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Kinds of things that may be said somewhere, so that a page is listened to in
/// full only where it is worth it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PhraseClassSet(u16);

impl PhraseClassSet {
    /// Nobody has listened yet.
    pub(crate) const ANY: Self = Self(u16::MAX);

    /// The kinds of things these texts say, heard in one go.
    pub(crate) fn of<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        if !texts.clone().any(|text| PHRASES.telling.may_be_in(text)) {
            return Self(0);
        }
        let mut padded = Padded::default();
        for text in texts {
            padded.push(text);
            padded.part();
        }
        let kinds = padded.phrases().map(|(saying, _, _)| 1_u16 << saying as u8);
        Self(kinds.fold(0, |kinds, kind| kinds | kind))
    }

    /// Whether a thing of this kind may be said.
    pub(crate) fn may_hold(self, saying: PhraseClass) -> bool {
        self.0 & (1_u16 << saying as u8) != 0
    }
}

/// The longest phrase of this kind in a text; it tells most.
pub(crate) fn said(text: &str, saying: PhraseClass) -> Option<&'static str> {
    let padded = Padded::of(text);
    let of_kind = padded.phrases().filter(|(kind, _, _)| *kind == saying);
    of_kind.map(|(_, phrase, _)| phrase).max_by_key(|phrase| phrase.len())
}

/// How many different phrases of this kind a text holds; one that is part of
/// another is not counted.
pub(crate) fn count(text: &str, saying: PhraseClass) -> usize {
    let padded = Padded::of(text);
    let of_kind = padded.phrases().filter(|(kind, _, _)| *kind == saying);
    let phrases: BTreeSet<&str> = of_kind.map(|(_, phrase, _)| phrase).collect();
    let is_part = |one: &&&str| phrases.iter().any(|all| all != *one && all.contains(**one));
    phrases.len() - phrases.iter().filter(is_part).count()
}

/// Whether a character is of a script that sets no spaces between words, or
/// joins other words to them.
fn sets_no_spaces(character: char) -> bool {
    character >= '\u{590}'
}

/// The phrase of this kind that is the whole point of a title or heading: some
/// part of it, between dashes and bars, says hardly anything else.
pub(crate) fn point_of(title: &str, saying: PhraseClass) -> Option<&'static str> {
    parts(title).find_map(|part| {
        let padded = Padded::of(part);
        let found: Vec<_> = padded.phrases().filter(|(kind, _, _)| *kind == saying).collect();
        let (_, longest, _) = found.iter().max_by_key(|(_, phrase, _)| phrase.len())?;
        let is_beside = |at: &usize| !found.iter().any(|(_, _, range)| range.contains(at));
        let is_telling = |at: &usize| {
            let word = padded.word_at(*at);
            !FILLERS.contains(word)
        };
        let spare = padded.word_starts().filter(is_beside).filter(is_telling).count();
        (spare <= SPARE_WORDS && !asks(part)).then_some(*longest)
    })
}

/// Telling words a title may hold beside the phrase and still say nothing else.
const SPARE_WORDS: usize = 2;

/// Words that tell nothing beside such a phrase.
static FILLERS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| lines(include_str!("phrases/fillers.txt")).collect());

/// Words by which a title asks about something instead of saying it.
static ASKING: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| lines(include_str!("phrases/asking.txt")).collect());

fn asks(title: &str) -> bool {
    words(title).any(|word| ASKING.contains(word.as_str()))
}

/// The parts of a title between separators.
pub(crate) fn parts(title: &str) -> impl Iterator<Item = &str> {
    title.split(['|', '–', '—', '·', '»', '«', ':', '•']).flat_map(|part| part.split(" - "))
}

/// The words of a text in lower case, with one space around each, and which of
/// them may be the longest of a phrase.
struct Padded {
    text: String,
    /// Where such words start.
    telling: Vec<usize>,
    /// Whether there are letters of scripts that set no spaces.
    is_unspaced: bool,
    /// Where the present word starts, and the hash of its bytes so far.
    start: usize,
    hash: u32,
}

impl Default for Padded {
    fn default() -> Self {
        let (text, telling) = (String::from(" "), Vec::new());
        Self { text, telling, is_unspaced: false, start: 1, hash: WordFilter::SEED }
    }
}

impl Padded {
    fn of(text: &str) -> Self {
        let mut padded = Self::default();
        padded.push(text);
        padded
    }

    fn push(&mut self, text: &str) {
        self.text.reserve(text.len() + 1);
        for character in text.chars() {
            if character.is_ascii_alphanumeric() {
                self.letter(character.to_ascii_lowercase());
            } else if !character.is_ascii() && is_of_word(character) {
                self.is_unspaced |= sets_no_spaces(character);
                character.to_lowercase().for_each(|letter| self.letter(letter));
            } else {
                self.end_word();
            }
        }
        self.end_word();
    }

    /// Says that no phrase goes on from here.
    fn part(&mut self) {
        self.text.push_str("| ");
        self.start = self.text.len();
    }

    fn letter(&mut self, letter: char) {
        self.text.push(letter);
        let mut bytes = [0; 4];
        let bytes = letter.encode_utf8(&mut bytes).bytes();
        self.hash = bytes.fold(self.hash, WordFilter::mix);
    }

    fn end_word(&mut self) {
        if self.text.len() > self.start {
            if PHRASES.telling.holds(self.hash) {
                self.telling.push(self.start);
            }
            self.text.push(' ');
        }
        (self.start, self.hash) = (self.text.len(), WordFilter::SEED);
    }

    fn word_at(&self, start: usize) -> &str {
        self.text.get(start..).unwrap_or_default().split(' ').next().unwrap_or_default()
    }

    fn word_starts(&self) -> impl Iterator<Item = usize> {
        let after_spaces = self.text.match_indices(' ').map(|(at, _)| at + 1);
        after_spaces.filter(|at| *at < self.text.len())
    }

    /// Every phrase, and where it stands.
    fn phrases(&self) -> impl Iterator<Item = (PhraseClass, &'static str, Range<usize>)> {
        let within = self.is_unspaced.then_some(&PHRASES.unspaced);
        let unspaced = within.into_iter().flatten().filter_map(|(saying, phrase)| {
            let start = self.text.find(phrase)?;
            Some((*saying, *phrase, start..start + phrase.len()))
        });
        self.telling.iter().flat_map(|start| self.phrases_at(*start)).chain(unspaced)
    }

    /// The phrases whose longest word starts here.
    fn phrases_at(
        &self,
        start: usize,
    ) -> impl Iterator<Item = (PhraseClass, &'static str, Range<usize>)> {
        let candidates = PHRASES.spaced.get(self.word_at(start));
        candidates.into_iter().flatten().filter_map(move |(saying, phrase, at)| {
            let range = start.checked_sub(*at)?..start - at + phrase.len();
            let stands_here = self.text.get(range.clone()) == Some(*phrase)
                && self.text.get(..range.start).unwrap_or_default().ends_with(' ')
                && self.text.get(range.end..).unwrap_or_default().starts_with(' ');
            stands_here.then_some((*saying, *phrase, range))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, is_found: bool) {
        assert_eq!(point_of(title, PhraseClass::NotFound).is_some(), is_found, "{title}");
    }

    #[test]
    fn a_title_that_says_little_else_is_found_in_many_languages() {
        for title in [
            "404 Not Found",
            "Page not found | Shop",
            "Oops! That page can’t be found.",
            "Seite nicht gefunden",
            "Page introuvable",
            "Página no encontrada",
            "Pagina non trovata",
            "Página não encontrada",
            "Pagina niet gevonden",
            "Nie znaleziono strony",
            "Stránka nenalezena",
            "Sidan hittades inte",
            "Siden findes ikke",
            "Sivua ei löytynyt",
            "Az oldal nem található",
            "Pagina nu a fost găsită",
            "Sayfa bulunamadı",
            "Η σελίδα δεν βρέθηκε",
            "Страница не найдена",
            "Сторінку не знайдено",
            "ページが見つかりません",
            "找不到页面",
            "페이지를 찾을 수 없습니다",
            "الصفحة غير موجودة",
            "הדף לא נמצא",
            "Halaman tidak ditemukan",
        ] {
            check(title, true);
        }
    }

    #[test]
    fn an_article_about_errors_is_no_error() {
        check("What does 404 Not Found mean", false);
        check("What the message 404 Not Found means and how to cope with it", false);
        check("Opening hours", false);
        check("Notfound Records, a label", false);
    }

    #[test]
    fn phrases_are_whole_words() {
        assert!(said("Please log in.", PhraseClass::Login).is_some());
        assert!(said("a catalog inside", PhraseClass::Login).is_none());
        assert_eq!(
            said("The page you requested does not exist", PhraseClass::NotFound),
            Some("page you requested")
        );
    }

    #[test]
    fn what_is_listened_for_is_never_passed_over() {
        let spaced = PHRASES.spaced.values().flatten().map(|(saying, phrase, _)| (saying, phrase));
        let unspaced = PHRASES.unspaced.iter().map(|(saying, phrase)| (saying, phrase));
        for (saying, phrase) in spaced.chain(unspaced) {
            let text = format!("Some {phrase}, then");
            assert!(PhraseClassSet::of([text.as_str()].into_iter()).may_hold(*saying), "{phrase}");
        }
        assert_eq!(PhraseClassSet::of(["River stone market"].into_iter()), PhraseClassSet(0));
    }

    #[test]
    fn spam_is_counted_by_different_words() {
        assert_eq!(count("Casino, casino and roulette odds", PhraseClass::Spam), 3);
        assert_eq!(count("Pruning roses in winter", PhraseClass::Spam), 0);
    }
}
