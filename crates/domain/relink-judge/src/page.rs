//! A page as the rules see it: where it was asked, where the answer came from,
//! and what it says.

use std::sync::LazyLock;

use relink_model::{Digest, FetchOutcome, Hop, PageFlag, Probe};

use crate::cache_buster::names_resource;
use crate::phrases::{PhraseClass, PhraseClassSet, point_of, said};
use crate::url_parts::UrlParts;
use crate::url_words::{Script, UrlWords, percent_decoded, plain, script, words};

/// Nothing is known of a page without a body.
static UNSEEN: LazyLock<Digest> = LazyLock::new(Digest::default);

/// Media types of servers that do not know what they send.
const GENERAL_TYPES: [&str; 3] = ["text/plain", "application/octet-stream", "binary/octet-stream"];

/// How many letters one character of East Asian text is worth.
const DENSITY: u64 = 3;

/// Words that a slug and a title share by accident.
const COMMON_WORDS: [&str; 14] = [
    "html", "index", "page", "news", "article", "story", "item", "with", "from", "this", "that",
    "your", "the", "and",
];

/// What kinds of things a page may say.
///
/// Listening costs more than the rest of a judgment, and a page may be judged
/// several times on the way to its verdict. Whoever has a thread to spare
/// listens there, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhraseScan(PhraseClassSet);

impl PhraseScan {
    /// Listens to what is known of a page.
    pub fn of(digest: &Digest) -> Self {
        Self(PhraseClassSet::of(
            labels(digest).chain([digest.text_start.as_str(), &digest.text_end]),
        ))
    }
}

/// A page that answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageView<'a> {
    /// The address asked.
    pub(crate) url: &'a str,
    /// The address that answered in the end.
    pub(crate) landing: &'a str,
    /// How many redirects led there.
    pub(crate) redirects: usize,
    /// All that answered on the way, the landing included.
    hops: &'a [Hop],
    /// What it says.
    pub(crate) digest: &'a Digest,
    /// What kinds of things it may say.
    sayings: PhraseClassSet,
    /// Both addresses in parts, for they are looked at again and again.
    url_parts: UrlParts<'a>,
    arrival: UrlParts<'a>,
}

impl<'a> PageView<'a> {
    pub(crate) fn of(url: &'a str, probe: &'a Probe) -> Self {
        let landing = probe.hops.last().map_or(url, |hop| hop.url.as_str());
        let address = parts(url);
        Self {
            url,
            landing,
            redirects: probe.hops.len().saturating_sub(1),
            hops: &probe.hops,
            digest: probe.digest.as_deref().unwrap_or(&UNSEEN),
            sayings: PhraseClassSet::ANY,
            url_parts: address,
            arrival: if landing == url { address } else { parts(landing) },
        }
    }

    /// The same page, of which this was heard, or else listened to now: once
    /// for all that will be asked about it.
    pub(crate) fn phrase_scan(self, heard: Option<PhraseScan>) -> Self {
        let PhraseScan(sayings) = heard.unwrap_or_else(|| PhraseScan::of(self.digest));
        Self { sayings, ..self }
    }

    /// The address asked, in parts; an address that cannot be taken apart is
    /// all path.
    pub(crate) fn address(&self) -> UrlParts<'a> {
        self.url_parts
    }

    /// The address that answered, in parts.
    pub(crate) fn arrival(&self) -> UrlParts<'a> {
        self.arrival
    }

    /// Whether the answer came from another page than the one asked: neither
    /// encryption nor `www.` nor a final slash makes another page.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.url != self.landing && !self.address().is_spelling_of(&self.arrival())
    }

    /// The statuses of the redirects on the way, those aside that only change
    /// how the address is spelt: what was done to this page, and not to its
    /// whole site.
    pub(crate) fn way(&self) -> impl Iterator<Item = u16> + use<'a> {
        self.hops.windows(2).filter_map(|leg| {
            let [from, to] = leg else { return None };
            (!parts(&from.url).is_spelling_of(&parts(&to.url))).then_some(from.status)
        })
    }

    /// Whether it is the front page of its site.
    pub(crate) fn is_front(&self) -> bool {
        self.address().is_front()
    }

    /// Whether it is a web page or other text, so that there are words.
    pub(crate) fn is_text(&self) -> bool {
        let is_named_so = self.digest.content_type.as_deref().is_none_or(is_text_type);
        is_named_so && !self.is_resource()
    }

    /// Whether it is a file that pages load (a script, a style sheet, an image,
    /// a font), and not a page. The server's media type says so; where the
    /// server names none or a general one, bytes that are not text do, or else
    /// the name, unless the text speaks of errors as a page would.
    pub(crate) fn is_resource(&self) -> bool {
        match self.digest.content_type.as_deref() {
            Some(kind) if is_resource_type(kind) => true,
            Some(kind) if !GENERAL_TYPES.contains(&kind) => false,
            _ if self.digest.fingerprint.is_some() => true,
            _ => {
                let is_bare = self.digest.title.is_none() && self.digest.headings.is_empty();
                is_bare && names_resource(&self.address()) && !self.speaks_of_absence()
            }
        }
    }

    fn speaks_of_absence(&self) -> bool {
        self.digest.text_length == 0 || self.mentions(PhraseClass::NotFound).is_some()
    }

    pub(crate) fn is_html(&self) -> bool {
        let html = ["text/html", "application/xhtml+xml"];
        self.digest.content_type.as_deref().is_none_or(|kind| html.contains(&kind))
    }

    pub(crate) fn title(&self) -> &'a str {
        self.digest.title.as_deref().unwrap_or_default()
    }

    pub(crate) fn has(&self, mark: PageFlag) -> bool {
        self.digest.has(mark)
    }

    /// Title and headings: what a page is about.
    pub(crate) fn labels(&self) -> impl Iterator<Item = &'a str> + Clone {
        labels(self.digest)
    }

    /// The phrase of this kind that is the point of the title or of a heading.
    pub(crate) fn point(&self, saying: PhraseClass) -> Option<&'static str> {
        self.may_say(saying).then(|| self.labels().find_map(|label| point_of(label, saying)))?
    }

    /// The phrase of this kind anywhere in what is known of the text.
    pub(crate) fn mentions(&self, saying: PhraseClass) -> Option<&'static str> {
        if !self.may_say(saying) {
            return None;
        }
        let labels = self.labels().find_map(|label| said(label, saying));
        labels
            .or_else(|| said(&self.digest.text_start, saying))
            .or_else(|| said(&self.digest.text_end, saying))
    }

    /// Whether anything of this kind may be said.
    pub(crate) fn may_say(&self, saying: PhraseClass) -> bool {
        self.sayings.may_hold(saying)
    }

    /// The words of both addresses, which an error page may repeat.
    pub(crate) fn echo(&self) -> UrlWords {
        let both = [self.url, self.landing];
        UrlWords::of(if self.url == self.landing { &both[..1] } else { &both })
    }

    /// Whether the title or a heading is about what the address names: two
    /// words of the last segment, or one if it is its only telling word.
    pub(crate) fn is_about_its_address(&self) -> bool {
        let (shared, all) = self.words_of_its_name();
        shared >= 2 || (shared == 1 && all == 1)
    }

    /// Whether title and headings hold every telling word of the address, of
    /// which there are several.
    pub(crate) fn is_named_as_its_address(&self) -> bool {
        let (shared, all) = self.words_of_its_name();
        all >= 2 && shared == all
    }

    /// Whether the address itself speaks of errors, so that the page may.
    pub(crate) fn is_asked_about_errors(&self) -> bool {
        let name = percent_decoded(self.address().name());
        said(&name, PhraseClass::NotFound).is_some()
    }

    /// How many telling words of the last segment title and headings hold, and
    /// how many there are.
    fn words_of_its_name(&self) -> (usize, usize) {
        let address = self.address();
        let stem = address.extension().map_or_else(|| address.name(), |(stem, _)| stem);
        let slug: Vec<String> = words(&percent_decoded(stem))
            .filter(|word| word.chars().count() >= 3 && !COMMON_WORDS.contains(&word.as_str()))
            .map(|word| plain(&word))
            .collect();
        let labels: Vec<String> = self.labels().flat_map(words).map(|word| plain(&word)).collect();
        (slug.iter().filter(|word| labels.contains(word)).count(), slug.len())
    }

    /// Whether the page has little to say, in whatever script.
    pub(crate) fn is_slight(&self) -> bool {
        // Only a short text is worth being looked at letter by letter.
        if !self.digest.is_short() {
            return false;
        }
        let (length, most) = (self.digest.text_length, Digest::OPENING_LENGTH as u64);
        let is_dense = || script(&self.digest.text_start) == Some(Script::EastAsian);
        length <= most && (length * DENSITY <= most || !is_dense())
    }

    /// The canonical address the page names for itself, made absolute.
    pub(crate) fn canonical(&self) -> Option<String> {
        let written = self.digest.canonical.as_deref()?;
        let arrival = self.arrival();
        if written.contains("://") {
            return Some(written.to_owned());
        }
        let scheme = arrival.origin.split("//").next().unwrap_or_default();
        if let Some(rest) = written.strip_prefix("//") {
            return Some(format!("{scheme}//{rest}"));
        }
        let directory = if written.starts_with('/') { "" } else { arrival.directory() };
        Some(format!("{}{directory}{written}", arrival.origin))
    }
}

fn labels(digest: &Digest) -> impl Iterator<Item = &str> + Clone {
    let headings = digest.headings.iter().map(String::as_str);
    digest.title.as_deref().into_iter().chain(headings)
}

/// Whether a probe reached something.
pub(crate) fn has_answered(probe: &Probe) -> bool {
    matches!(probe.outcome, FetchOutcome::Response(200..=299))
}

fn parts(url: &str) -> UrlParts<'_> {
    UrlParts::of(url).unwrap_or(UrlParts { origin: "", path: url, query: None })
}

/// Whether files of this media type are loaded by pages.
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
