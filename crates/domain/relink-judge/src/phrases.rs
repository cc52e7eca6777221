//! Phrases that indicate error pages, parked domains, login walls and the like.
//!
//! A phrase is weak evidence, because articles are written about error messages,
//! too. It counts in a title or heading that contains little else, or in a short
//! text, and never alone.

mod phrase;
mod word_filter;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use self::phrase::Phrase;
use self::word_filter::WordFilter;
use crate::url_words::{is_word_char, words};

/// The meaning of a phrase for the page that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhraseClass {
    /// The page does not exist.
    NotFound,
    /// The domain is for sale.
    ForSale,
    /// A hosting provider's page instead of the site.
    Placeholder,
    /// The site is temporarily down for maintenance.
    Maintenance,
    /// The client must prove that it is not a program.
    Challenge,
    /// The client must log in.
    Login,
    /// The client must accept cookies or pay.
    Consent,
    /// The buttons of a consent wall.
    ConsentChoice,
    /// The server failed.
    ServerError,
    /// The service was closed permanently.
    Closed,
    /// Only some clients have access.
    Restricted,
    /// Advertisements, such as those of casinos.
    Spam,
    /// A list without entries.
    EmptyList,
    /// Addresses the requested thing: "the page you requested".
    Requested,
    /// The output of a script that failed.
    ScriptError,
}

/// One list of phrases in many languages for each class. A line is a phrase; `~` marks
/// one that may also occur inside words, `…` stands for one to three words, `#` marks a
/// comment.
const LISTS: [(PhraseClass, &str); 15] = [
    (PhraseClass::NotFound, include_str!("phrases/not_found.txt")),
    (PhraseClass::ForSale, include_str!("phrases/for_sale.txt")),
    (PhraseClass::Placeholder, include_str!("phrases/placeholder.txt")),
    (PhraseClass::Maintenance, include_str!("phrases/maintenance.txt")),
    (PhraseClass::Challenge, include_str!("phrases/challenge.txt")),
    (PhraseClass::Login, include_str!("phrases/login.txt")),
    (PhraseClass::Consent, include_str!("phrases/consent.txt")),
    (PhraseClass::ConsentChoice, include_str!("phrases/consent_choice.txt")),
    (PhraseClass::ServerError, include_str!("phrases/server_error.txt")),
    (PhraseClass::Closed, include_str!("phrases/closed.txt")),
    (PhraseClass::Restricted, include_str!("phrases/restricted.txt")),
    (PhraseClass::Spam, include_str!("phrases/spam.txt")),
    (PhraseClass::EmptyList, include_str!("phrases/empty_list.txt")),
    (PhraseClass::Requested, include_str!("phrases/requested.txt")),
    (PhraseClass::ScriptError, include_str!("phrases/script_error.txt")),
];

/// An index of all phrases by their longest word, so that a text is scanned once for
/// all of them.
struct PhraseIndex {
    /// Longest word → the phrases that contain it.
    by_word: HashMap<&'static str, Vec<Phrase>>,
    /// Phrases that may also occur inside words.
    inside_words: Vec<(PhraseClass, &'static str)>,
    /// The longest words, to reject most texts quickly.
    filter: WordFilter,
}

static PHRASES: LazyLock<PhraseIndex> = LazyLock::new(|| {
    let mut by_word: HashMap<&str, Vec<Phrase>> = HashMap::new();
    let mut inside_words = Vec::new();
    let known = LISTS.iter().flat_map(|(class, list)| lines(list).map(|line| (*class, line)));
    for (class, line) in known {
        if let Some(phrase) = line.strip_prefix('~') {
            inside_words.push((class, phrase));
            continue;
        }
        let phrase = Phrase::new(class, line);
        by_word.entry(phrase.key()).or_default().push(phrase);
    }
    let filter = WordFilter::from_words(by_word.keys().copied());
    PhraseIndex { by_word, inside_words, filter }
});

/// Returns the lines of a list that are not comments.
fn lines(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The phrase classes that may occur in a text, so that a page is not searched for the
/// others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PhraseClassSet(u16);

impl PhraseClassSet {
    /// All classes: the text was not scanned.
    pub(crate) const ANY: Self = Self(u16::MAX);

    /// Returns the classes of the phrases in these texts.
    pub(crate) fn scan<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        if !texts.clone().any(|text| PHRASES.filter.may_match(text)) {
            return Self(0);
        }
        let mut normalized = NormalizedText::default();
        for text in texts {
            normalized.push(text);
            normalized.end_text();
        }
        let bits = normalized.phrases().map(|(class, _, _)| 1_u16 << class as u8);
        Self(bits.fold(0, |set, bit| set | bit))
    }

    /// Whether a phrase of this class may occur.
    pub(crate) fn may_contain(self, class: PhraseClass) -> bool {
        self.0 & (1_u16 << class as u8) != 0
    }
}

/// Returns the longest phrase of this class in a text; it is the most specific one.
pub(crate) fn find_phrase_in(text: &str, class: PhraseClass) -> Option<&'static str> {
    let normalized = NormalizedText::new(text);
    let of_class = normalized.phrases().filter(|(other, _, _)| *other == class);
    of_class.map(|(_, phrase, _)| phrase).max_by_key(|phrase| phrase.len())
}

/// Returns the error phrase of a sentence that says that the requested thing does not
/// exist, such as "The topic or post you requested does not exist".
///
/// Such a sentence addresses the reader, or contains an identifier of the requested URL. An
/// article that contains an error phrase usually does not. Quotations, such as the titles of
/// songs, are ignored.
pub(crate) fn failed_request_phrase_in(text: &str, identifiers: &[String]) -> Option<&'static str> {
    without_quotations(text).split(['.', '!', '?', '。', '！', '？']).find_map(|sentence| {
        let normalized = NormalizedText::new(sentence);
        let mut classes = normalized.phrases().map(|(class, _, _)| class);
        let is_addressed = classes.any(|class| class == PhraseClass::Requested)
            || words(sentence).any(|word| identifiers.contains(&word));
        is_addressed.then(|| find_phrase_in(sentence, PhraseClass::NotFound))?
    })
}

/// Whether a host name contains the start of a phrase of this class, as `askgamblers.test`
/// contains that of `gambling`.
pub(crate) fn host_names(host: &str, class: PhraseClass) -> bool {
    const STEM_LETTERS: usize = 5;
    let mut phrases = LISTS
        .iter()
        .filter(|(other, _)| *other == class)
        .flat_map(|(_, list)| lines(list).filter(|line| !line.starts_with('~')));
    phrases.any(|phrase| host.contains(phrase.get(..STEM_LETTERS).unwrap_or(phrase)))
}

/// Counts the different phrases of this class in a text, except those that are part
/// of another.
pub(crate) fn count_phrases(text: &str, class: PhraseClass) -> usize {
    let normalized = NormalizedText::new(text);
    let of_class = normalized.phrases().filter(|(other, _, _)| *other == class);
    let phrases: BTreeSet<&str> = of_class.map(|(_, phrase, _)| phrase).collect();
    let is_part_of_another =
        |phrase: &&&str| phrases.iter().any(|other| other != *phrase && other.contains(**phrase));
    phrases.len() - phrases.iter().filter(is_part_of_another).count()
}

/// Whether a character belongs to a script that does not separate all words by spaces:
/// Chinese has no spaces, Hebrew and Arabic attach articles and prepositions. All
/// scripts from Hebrew on in the order of Unicode count.
fn is_unspaced(character: char) -> bool {
    character >= '\u{590}'
}

/// Returns the phrase of this class that is the main content of a title or heading:
/// a part of it, between dashes and bars, contains hardly anything else.
pub(crate) fn main_phrase_in(title: &str, class: PhraseClass) -> Option<&'static str> {
    if is_mail_subject(title) {
        return None;
    }
    title_parts(&unquoted_title(title)).find_map(|part| {
        let text = NormalizedText::new(part);
        let found: Vec<_> = text.phrases().filter(|(other, _, _)| *other == class).collect();
        let (_, longest, _) = found.iter().max_by_key(|(_, phrase, _)| phrase.len())?;
        let is_outside = |at: &usize| !found.iter().any(|(_, _, range)| range.contains(at));
        let is_significant = |at: &usize| {
            let word = text.word_at(*at);
            !FILLER_WORDS.contains(word)
        };
        let other_words = text.word_starts().filter(is_outside).filter(is_significant).count();
        // The title of a discussion, as in “Page deleted?”. Challenges ask questions, too.
        let is_asked = class == PhraseClass::NotFound && part.trim_end().ends_with(['?', '？']);
        (other_words <= MAX_OTHER_WORDS && !is_asked && !is_question(part)).then_some(*longest)
    })
}

/// Characters that enclose quotations.
const QUOTATION_MARKS: [char; 10] = ['"', '“', '”', '„', '«', '»', '「', '」', '『', '』'];

/// Returns a text without its quotations, such as the titles of songs.
pub(crate) fn without_quotations(text: &str) -> String {
    text.split(QUOTATION_MARKS).step_by(2).collect()
}

/// Returns a title without its quotations. A title that is a quotation is returned unchanged,
/// and so is one in which a mark is a separator, as in `Page » Site`.
fn unquoted_title(title: &str) -> Cow<'_, str> {
    let is_separator = |mark: char| matches!(mark, '«' | '»');
    let marks = title.chars().filter(|mark| QUOTATION_MARKS.contains(mark)).count();
    if marks == 0 || !marks.is_multiple_of(2) || title.contains(is_separator) {
        return Cow::Borrowed(title);
    }
    let rest = without_quotations(title);
    let parts = title_parts(&rest);
    let has_words = parts.take(1).any(|part| part.chars().any(char::is_alphanumeric));
    if has_words { Cow::Owned(rest) } else { Cow::Borrowed(title) }
}

/// Whether a title is the subject of a mail, which people wrote: `[list] …`, `Re: …`.
fn is_mail_subject(title: &str) -> bool {
    let title = title.trim_start();
    let is_reply = |prefix: &str| {
        title.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    (title.starts_with('[') && title.contains("] "))
        || ["re:", "fwd:", "fw:", "aw:", "sv:"].into_iter().any(is_reply)
}

/// Maximum number of significant words that the title may contain in addition to the
/// phrase.
const MAX_OTHER_WORDS: usize = 2;

/// Words without significance next to a phrase.
static FILLER_WORDS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| lines(include_str!("phrases/fillers.txt")).collect());

/// Words of titles that explain a phrase or ask about it.
static QUESTION_WORDS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| lines(include_str!("phrases/question_words.txt")).collect());

fn is_question(title: &str) -> bool {
    words(title).any(|word| QUESTION_WORDS.contains(word.as_str()))
}

/// Returns the parts of a title between separators.
pub(crate) fn title_parts(title: &str) -> impl Iterator<Item = &str> {
    title.split(['|', '–', '—', '·', '»', '«', ':', '•']).flat_map(|part| part.split(" - "))
}

/// The words of a text in lower case with one space around each, and the offsets at
/// which a phrase may occur.
struct NormalizedText {
    text: String,
    /// The offsets of words that may be the longest of a phrase.
    candidates: Vec<usize>,
    /// Whether the text contains characters of scripts without spaces.
    has_unspaced: bool,
    /// The offset of the current word.
    start: usize,
    /// The hash of the current word so far.
    hash: u32,
}

impl Default for NormalizedText {
    fn default() -> Self {
        let (text, candidates) = (String::from(" "), Vec::new());
        Self { text, candidates, has_unspaced: false, start: 1, hash: WordFilter::SEED }
    }
}

impl NormalizedText {
    fn new(text: &str) -> Self {
        let mut normalized = Self::default();
        normalized.push(text);
        normalized
    }

    fn push(&mut self, text: &str) {
        self.text.reserve(text.len() + 1);
        for character in text.chars() {
            if character.is_ascii_alphanumeric() {
                self.push_letter(character.to_ascii_lowercase());
            } else if !character.is_ascii() && is_word_char(character) {
                self.has_unspaced |= is_unspaced(character);
                character.to_lowercase().for_each(|letter| self.push_letter(letter));
            } else {
                self.end_word();
            }
        }
        self.end_word();
    }

    /// Adds a separator, so that no phrase continues in the next text.
    fn end_text(&mut self) {
        self.text.push_str("| ");
        self.start = self.text.len();
    }

    fn push_letter(&mut self, letter: char) {
        self.text.push(letter);
        let mut bytes = [0; 4];
        let bytes = letter.encode_utf8(&mut bytes).bytes();
        self.hash = bytes.fold(self.hash, WordFilter::mix);
    }

    fn end_word(&mut self) {
        if self.text.len() > self.start {
            if PHRASES.filter.contains(self.hash) {
                self.candidates.push(self.start);
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

    /// Returns every phrase with its range.
    fn phrases(&self) -> impl Iterator<Item = (PhraseClass, &'static str, Range<usize>)> {
        let index = self.has_unspaced.then_some(&PHRASES.inside_words);
        let inside_words = index.into_iter().flatten().filter_map(|(class, phrase)| {
            let start = self.text.find(phrase)?;
            Some((*class, *phrase, start..start + phrase.len()))
        });
        self.candidates.iter().flat_map(|start| self.phrases_at(*start)).chain(inside_words)
    }

    /// Returns the phrases whose longest word starts at this offset.
    fn phrases_at(
        &self,
        start: usize,
    ) -> impl Iterator<Item = (PhraseClass, &'static str, Range<usize>)> {
        let candidates = PHRASES.by_word.get(self.word_at(start));
        candidates.into_iter().flatten().filter_map(move |phrase| {
            let range = phrase.range_in(&self.text, start)?;
            Some((phrase.class, phrase.text, range))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, is_found: bool) {
        assert_eq!(main_phrase_in(title, PhraseClass::NotFound).is_some(), is_found, "{title}");
    }

    #[test]
    fn main_phrase_is_found_in_many_languages() {
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
    fn main_phrase_is_not_found_in_articles_about_errors() {
        check("What does 404 Not Found mean", false);
        check("What the message 404 Not Found means and how to cope with it", false);
        check("Opening hours", false);
        check("Notfound Records, a label", false);
        check("[owl-users] 404 file not found", false);
        check("Re: page not found", false);
        check("Search page says not found", false);
        check("Page deleted? · Issue 4", false);
        check("Avoiding “page not found” on small sites", false);
        check("「ページが見つかりません」をなくすために", false);
        check("Page “owls” not found", true);
        check("“Page not found”", true);
    }

    #[test]
    fn failed_request_needs_both_phrases_in_one_sentence() {
        let phrase = |text| failed_request_phrase_in(text, &[]);
        assert!(phrase("Sorry. The topic or post you requested does not exist.").is_some());
        assert!(phrase("This video is no longer available because of its owner").is_some());
        assert!(phrase("Die von Ihnen angeforderte Seite existiert nicht.").is_some());
        assert!(phrase("The file you requested is below. Smoke does not exist.").is_none());
        assert!(phrase("A perfect translation does not exist.").is_none());
        assert!(phrase("From the album “This page has been removed”, 1998").is_none());
        let of_record = |text| failed_request_phrase_in(text, &["4711".to_owned()]);
        assert!(of_record("Record 10/4711 has been withdrawn").is_some());
        assert!(of_record("Record 10/4712 has been withdrawn").is_none());
    }

    #[test]
    fn phrases_match_whole_words() {
        assert!(find_phrase_in("Please log in.", PhraseClass::Login).is_some());
        assert!(find_phrase_in("a catalog inside", PhraseClass::Login).is_none());
        assert_eq!(
            find_phrase_in("The page you requested does not exist", PhraseClass::NotFound),
            Some("page you requested")
        );
    }

    #[test]
    fn scan_finds_every_phrase() {
        let by_word = PHRASES.by_word.values().flatten();
        let by_word = by_word.map(|phrase| (&phrase.class, phrase.text));
        let inside_words = PHRASES.inside_words.iter().map(|(class, phrase)| (class, *phrase));
        for (class, phrase) in by_word.chain(inside_words) {
            let text = format!("Some {}, then", phrase.replace('…', "news entry"));
            assert!(
                PhraseClassSet::scan([text.as_str()].into_iter()).may_contain(*class),
                "{phrase}"
            );
        }
        assert_eq!(PhraseClassSet::scan(["River stone market"].into_iter()), PhraseClassSet(0));
    }

    #[test]
    fn gap_stands_for_one_to_three_words() {
        let find = |text| find_phrase_in(text, PhraseClass::NotFound);
        assert_eq!(find("Es wurde kein Eintrag gefunden."), Some("kein … gefunden"));
        assert_eq!(find("Kein Eintrag mit Bild gefunden"), Some("kein … gefunden"));
        assert_eq!(find("Error: invalid attachment id 12"), Some("invalid … id"));
        assert_eq!(find("kein gefunden"), None);
        assert_eq!(find("Kein Mensch hat bis heute die Quelle gefunden"), None);
        assert_eq!(find("kein; Eintrag | gefunden"), Some("kein … gefunden"));
        let both = ["Da war kein Bild", "gefunden wurde etwas"];
        let scan = PhraseClassSet::scan(both.into_iter());
        assert!(!scan.may_contain(PhraseClass::NotFound));
    }

    #[test]
    fn count_phrases_counts_different_words() {
        assert_eq!(count_phrases("Casino, casino and roulette odds", PhraseClass::Spam), 3);
        assert_eq!(count_phrases("Pruning roses in winter", PhraseClass::Spam), 0);
    }
}
