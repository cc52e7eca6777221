//! A fetched page as the rules see it: requested URL, final URL and digest.

use std::borrow::Cow;
use std::sync::LazyLock;

use relink_model::{Digest, FetchOutcome, Hop, PageFlag, Probe};

use crate::cache_buster::names_resource;
use crate::phrases::{
    PhraseClass, PhraseClassSet, failed_request_phrase_in, find_phrase_in, main_phrase_in,
};
use crate::url_parts::{UrlParts, is_year};
use crate::url_words::{Script, UrlWords, percent_decoded, script, without_accents, words};

/// The digest of a response without a body.
static EMPTY_DIGEST: LazyLock<Digest> = LazyLock::new(Digest::default);

/// Media types that servers send for files of unknown type.
const GENERIC_TYPES: [&str; 3] = ["text/plain", "application/octet-stream", "binary/octet-stream"];

/// Number of Latin letters that correspond to one East Asian character.
const EAST_ASIAN_DENSITY: u64 = 3;

/// Maximum number of words of a text that is only an error message.
const MAX_MESSAGE_WORDS: usize = 12;

/// Words that a slug and a title often share by chance.
const COMMON_WORDS: [&str; 14] = [
    "html", "index", "page", "news", "article", "story", "item", "with", "from", "this", "that",
    "your", "the", "and",
];

/// Classes of known phrases that may occur on a page.
///
/// Scanning is the most expensive part of a judgment, and a page may be judged
/// several times. The result can therefore be computed once, on another thread,
/// and passed to the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhraseScan(PhraseClassSet);

impl PhraseScan {
    /// Scans the title, headings and text of a page.
    pub fn from_digest(digest: &Digest) -> Self {
        Self(PhraseClassSet::scan(title_and_headings(digest).chain(texts(digest))))
    }
}

/// A page that responded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageView<'a> {
    /// The requested URL.
    pub(crate) url: &'a str,
    /// The URL after all redirects.
    pub(crate) final_url: &'a str,
    /// The number of redirects.
    pub(crate) redirects: usize,
    /// All hops, including the final URL.
    hops: &'a [Hop],
    /// The content.
    pub(crate) digest: &'a Digest,
    /// The classes of phrases that may occur.
    phrase_classes: PhraseClassSet,
    /// Both URLs in parts, which many rules need.
    url_parts: UrlParts<'a>,
    final_url_parts: UrlParts<'a>,
}

impl<'a> PageView<'a> {
    pub(crate) fn new(url: &'a str, probe: &'a Probe) -> Self {
        let final_url = probe.hops.last().map_or(url, |hop| hop.url.as_str());
        let url_parts = split(url);
        Self {
            url,
            final_url,
            redirects: probe.hops.len().saturating_sub(1),
            hops: &probe.hops,
            digest: probe.digest.as_deref().unwrap_or(&EMPTY_DIGEST),
            phrase_classes: PhraseClassSet::ANY,
            url_parts,
            final_url_parts: if final_url == url { url_parts } else { split(final_url) },
        }
    }

    /// Adds the phrase scan, or scans the page if there is none.
    pub(crate) fn with_phrase_scan(self, scan: Option<PhraseScan>) -> Self {
        let PhraseScan(phrase_classes) =
            scan.unwrap_or_else(|| PhraseScan::from_digest(self.digest));
        Self { phrase_classes, ..self }
    }

    /// Returns the parts of the requested URL. A URL that cannot be split is all
    /// path.
    pub(crate) fn url_parts(&self) -> UrlParts<'a> {
        self.url_parts
    }

    /// Returns the parts of the final URL.
    pub(crate) fn final_url_parts(&self) -> UrlParts<'a> {
        self.final_url_parts
    }

    /// Whether the final URL is another page. The scheme, `www.` and a trailing
    /// slash do not make another page.
    pub(crate) fn is_redirected(&self) -> bool {
        self.url != self.final_url && !self.url_parts().is_spelling_of(&self.final_url_parts())
    }

    /// Returns the statuses of the redirects. Omits redirects between spellings of
    /// one URL, which usually affect the whole site.
    pub(crate) fn redirect_statuses(&self) -> impl Iterator<Item = u16> + use<'a> {
        self.hops.windows(2).filter_map(|leg| {
            let [from, to] = leg else { return None };
            (!split(&from.url).is_spelling_of(&split(&to.url))).then_some(from.status)
        })
    }

    /// Whether it is the home page of its site.
    pub(crate) fn is_home_page(&self) -> bool {
        self.url_parts().is_home_page()
    }

    /// Whether it is a web page or another text.
    pub(crate) fn is_text(&self) -> bool {
        let has_text_type = self.digest.content_type.as_deref().is_none_or(is_text_type);
        has_text_type && !self.is_resource()
    }

    /// Whether it is a file that pages load (a script, a style sheet, an image, a
    /// font). The media type decides. If that is missing or generic, binary
    /// content is a resource, and so is text without headings whose URL has the
    /// extension of a resource, unless it is empty or contains an error phrase.
    pub(crate) fn is_resource(&self) -> bool {
        match self.digest.content_type.as_deref() {
            Some(kind) if is_resource_type(kind) => true,
            Some(kind) if !GENERIC_TYPES.contains(&kind) => false,
            _ if self.digest.fingerprint.is_some() => true,
            _ => {
                let has_no_headings =
                    self.digest.title.is_none() && self.digest.headings.is_empty();
                has_no_headings && names_resource(&self.url_parts()) && !self.is_empty_or_error()
            }
        }
    }

    fn is_empty_or_error(&self) -> bool {
        self.digest.text_length == 0 || self.find_phrase(PhraseClass::NotFound).is_some()
    }

    pub(crate) fn is_html(&self) -> bool {
        let html = ["text/html", "application/xhtml+xml"];
        self.digest.content_type.as_deref().is_none_or(|kind| html.contains(&kind))
    }

    pub(crate) fn title(&self) -> &'a str {
        self.digest.title.as_deref().unwrap_or_default()
    }

    pub(crate) fn has(&self, flag: PageFlag) -> bool {
        self.digest.has_flag(flag)
    }

    /// Returns the title and the headings.
    pub(crate) fn title_and_headings(&self) -> impl Iterator<Item = &'a str> + Clone {
        title_and_headings(self.digest)
    }

    /// Returns the phrase of this class that is the main content of the title or of
    /// a heading.
    pub(crate) fn main_phrase(&self, class: PhraseClass) -> Option<&'static str> {
        self.may_contain(class)
            .then(|| self.title_and_headings().find_map(|text| main_phrase_in(text, class)))?
    }

    /// Returns a phrase of this class anywhere in the stored text.
    pub(crate) fn find_phrase(&self, class: PhraseClass) -> Option<&'static str> {
        if !self.may_contain(class) {
            return None;
        }
        let in_headings = self.title_and_headings().find_map(|text| find_phrase_in(text, class));
        in_headings.or_else(|| texts(self.digest).find_map(|text| find_phrase_in(text, class)))
    }

    /// Whether a phrase of this class may occur.
    pub(crate) fn may_contain(&self, class: PhraseClass) -> bool {
        self.phrase_classes.may_contain(class)
    }

    /// Returns the words of both URLs, which an error page may repeat.
    pub(crate) fn url_words(&self) -> UrlWords {
        let both = [self.url, self.final_url];
        UrlWords::from_urls(if self.url == self.final_url { &both[..1] } else { &both })
    }

    /// Whether title or headings contain two words of the last path segment, or
    /// its only significant word.
    pub(crate) fn has_url_words_in_title(&self) -> bool {
        let (shared, all) = self.count_url_words_in_title();
        shared >= 2 || (shared == 1 && all == 1)
    }

    /// Whether title and headings contain every significant word of the last path
    /// segment, and there are at least two.
    pub(crate) fn has_all_url_words_in_title(&self) -> bool {
        let (shared, all) = self.count_url_words_in_title();
        all >= 2 && shared == all
    }

    /// Whether the URL contains an error phrase, so that the page may be about it.
    pub(crate) fn url_mentions_errors(&self) -> bool {
        let name = percent_decoded(self.url_parts().name());
        // In `s404`, the number is the name of a section. In `140412`, it is an accident.
        let has_error_number =
            name.split(|char: char| !char.is_ascii_digit()).any(|it| it == "404");
        has_error_number || find_phrase_in(&name, PhraseClass::NotFound).is_some()
    }

    /// Counts the significant words of the last path segment: those in title or
    /// headings, and all.
    fn count_url_words_in_title(&self) -> (usize, usize) {
        let url_parts = self.url_parts();
        let stem = url_parts.extension().map_or_else(|| url_parts.name(), |(stem, _)| stem);
        let slug: Vec<String> = words(&percent_decoded(stem))
            .filter(|word| word.chars().count() >= 3 && !COMMON_WORDS.contains(&word.as_str()))
            .map(|word| without_accents(&word))
            .collect();
        let titles: Vec<String> =
            self.title_and_headings().flat_map(words).map(|word| without_accents(&word)).collect();
        (slug.iter().filter(|word| titles.contains(word)).count(), slug.len())
    }

    /// Returns the main text if it is short, whatever the frame around it contains.
    pub(crate) fn short_main_text(&self) -> Option<&'a str> {
        let digest = self.digest;
        let whole_text = || digest.is_short().then_some(digest.text_start.as_str());
        digest.main_text.as_deref().or_else(whole_text)
    }

    /// Returns the phrase with which a short main text says that the requested thing does
    /// not exist.
    pub(crate) fn failed_request_phrase(&self) -> Option<&'static str> {
        // A text file may quote the message of another server.
        if !self.may_contain(PhraseClass::NotFound) || !self.is_html() {
            return None;
        }
        failed_request_phrase_in(self.short_main_text()?, &[]).or_else(|| {
            failed_request_phrase_in(&self.short_body_text()?, &self.requested_identifiers())
        })
    }

    /// Returns a short main text without the title and the headings, which breadcrumbs may
    /// repeat.
    pub(crate) fn short_body_text(&self) -> Option<String> {
        let mut body = self.short_main_text()?.to_owned();
        for heading in self.title_and_headings() {
            body = body.replace(heading, ".");
        }
        Some(body)
    }

    /// Returns the words of the last path segment and of the query that identify something:
    /// those with at least two digits, except years.
    fn requested_identifiers(&self) -> Vec<String> {
        let url = self.url_parts();
        let values = url.selecting_parameters().map(|parameter| parameter.value);
        let all = values
            .chain([url.name()])
            .flat_map(|text| words(&percent_decoded(text)).collect::<Vec<_>>());
        all.filter(|word| is_identifier_word(word)).collect()
    }

    /// Whether the text outside of the frame of the site is a short error message and
    /// nothing else.
    pub(crate) fn is_only_a_message(&self) -> bool {
        self.short_main_text().is_some_and(|text| {
            let text = without_tags(text);
            find_phrase_in(&text, PhraseClass::NotFound).is_some()
                && words(&text).count() <= MAX_MESSAGE_WORDS
        })
    }

    /// Whether the stored text contains this error phrase.
    pub(crate) fn shows_error_phrase(&self, phrase: &str) -> bool {
        let mut all = self.title_and_headings().chain(texts(self.digest));
        all.any(|text| find_phrase_in(text, PhraseClass::NotFound) == Some(phrase))
    }

    /// Whether the page has at most 400 characters of text; fewer in East Asian scripts.
    pub(crate) fn is_brief(&self) -> bool {
        // Detecting the script is needed only for short texts.
        if !self.digest.is_short() {
            return false;
        }
        let (length, max) = (self.digest.text_length, Digest::MAX_TEXT_START as u64);
        let is_east_asian = || script(&self.digest.text_start) == Some(Script::EastAsian);
        length <= max && (length * EAST_ASIAN_DENSITY <= max || !is_east_asian())
    }

    /// Returns the canonical URL that the page declares, as an absolute URL.
    pub(crate) fn canonical(&self) -> Option<String> {
        self.digest.canonical.as_deref().map(|href| self.absolute_url(href))
    }

    /// Returns the absolute URL of a link.
    fn absolute_url(&self, href: &str) -> String {
        let base = self.final_url_parts();
        if href.split('?').next().is_some_and(|path| path.contains("://")) {
            return href.to_owned();
        }
        let scheme = base.origin.split("//").next().unwrap_or_default();
        if let Some(rest) = href.strip_prefix("//") {
            return format!("{scheme}//{rest}");
        }
        let start = match href.bytes().next() {
            Some(b'/') => "",
            Some(b'?') => base.path,
            _ => base.directory(),
        };
        format!("{}{start}{}", base.origin, href.strip_prefix("./").unwrap_or(href))
    }

    /// Returns the absolute URLs of the stored links that have a query.
    pub(crate) fn query_links(&self) -> impl Iterator<Item = String> {
        self.digest.query_links.iter().map(|href| self.absolute_url(href))
    }
}

/// Returns the stored parts of the text.
fn texts(digest: &Digest) -> impl Iterator<Item = &str> + Clone {
    let main_text = digest.main_text.as_deref();
    [digest.text_start.as_str(), &digest.text_end].into_iter().chain(main_text)
}

/// Returns the text outside of the tags of XML, whose text is stored with them.
fn without_tags(text: &str) -> Cow<'_, str> {
    if !text.starts_with('<') {
        return Cow::Borrowed(text);
    }
    let outside = text.split('<').filter_map(|part| part.split_once('>'));
    Cow::Owned(outside.map(|(_, text)| text).collect())
}

fn title_and_headings(digest: &Digest) -> impl Iterator<Item = &str> + Clone {
    let headings = digest.headings.iter().map(String::as_str);
    digest.title.as_deref().into_iter().chain(headings)
}

/// Whether a word has at least two digits and is not a year.
fn is_identifier_word(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    digits >= 2 && !is_year(word)
}

/// Whether a probe got a success response.
pub(crate) fn is_success(probe: &Probe) -> bool {
    matches!(probe.outcome, FetchOutcome::Response(200..=299))
}

fn split(url: &str) -> UrlParts<'_> {
    UrlParts::parse(url).unwrap_or(UrlParts { origin: "", path: url, query: None })
}

/// Whether a media type is that of files that pages load.
fn is_resource_type(kind: &str) -> bool {
    const FAMILIES: [&str; 4] = ["image/", "font/", "audio/", "video/"];
    const PARTS: [&str; 5] = ["javascript", "ecmascript", "font", "css", "wasm"];
    FAMILIES.iter().any(|family| kind.starts_with(family))
        || PARTS.iter().any(|part| kind.contains(part))
}

fn is_text_type(kind: &str) -> bool {
    kind.starts_with("text/")
        || ["html", "xml", "json", "javascript"].iter().any(|word| kind.contains(word))
}
