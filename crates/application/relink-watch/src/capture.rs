//! Computes the version of a page from its body, in the asynchronous task that sent the
//! request.
//!
//! A *version* is the content of a page between two confirmed changes. A page that was
//! fetched is a *candidate* for a version until a second fetch confirms the content.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use relink_change::{Signature, TermSettings, TermVector};
use relink_keyphrase::{DocumentFrequencies, KeyphraseSettings, KeyphraseSource, page_keyphrases};
use relink_model::{FetchOutcome, Probe};
use relink_page::{BlockText, body_blocks};
use relink_ports::Body;
use xxhash_rust::xxh3::xxh3_64;

use crate::keyphrases::StoredKeyphrases;
use relink_engine::PageSink;

/// Maximum length of a stored text, in bytes.
const MAX_STORED_TEXT: usize = 256 * 1024;

/// What is known about a page before it is fetched.
#[derive(Debug, Clone, Default)]
pub(crate) struct PageHint {
    /// The checksum of the bytes of the latest version.
    pub(crate) checksum: Option<u64>,
    /// Whether a candidate is stored, so that this fetch may confirm it as a version.
    pub(crate) has_candidate: bool,
    /// Whether the text is stored.
    pub(crate) keeps_text: bool,
    /// The annotations of the page in its collections.
    pub(crate) annotation: String,
    /// The forms of keyphrases.
    pub(crate) phrases: KeyphraseSettings,
}

/// A fetched page.
#[derive(Debug)]
pub(crate) enum CapturedPage {
    /// The page has the same bytes as the latest version.
    Same,
    /// The page has other bytes.
    Other(Box<CapturedVersion>),
}

/// A possible version.
#[derive(Debug)]
pub(crate) struct CapturedVersion {
    /// A summary of the page: hashes of its blocks, its links and images.
    pub(crate) signature: Signature,
    pub(crate) bytes: u64,
    /// The rest of the version. `None` if this fetch cannot become a version, because no
    /// candidate is stored that it could confirm.
    pub(crate) content: Option<VersionContent>,
}

/// What is stored of a version in addition to its signature.
#[derive(Debug, Default)]
pub(crate) struct VersionContent {
    pub(crate) title: String,
    /// The weighted words of the page.
    pub(crate) terms: TermVector,
    pub(crate) keyphrases: StoredKeyphrases,
    /// The text, if it is stored.
    pub(crate) text: Option<String>,
}

/// Captures the pages of a run.
pub(crate) struct Capture {
    /// What is known about each page, by URL.
    hints: HashMap<String, PageHint>,
    /// Captured pages by URL, until their results arrive.
    pages: Mutex<HashMap<String, CapturedPage>>,
}

impl Capture {
    pub(crate) fn new(hints: HashMap<String, PageHint>) -> Self {
        Self { hints, pages: Mutex::new(HashMap::new()) }
    }

    /// Removes and returns the last captured page with this URL.
    pub(crate) fn take(&self, url: &str) -> Option<CapturedPage> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner).remove(url)
    }

    fn put(&self, url: &str, page: CapturedPage) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.insert(url.to_owned(), page);
    }
}

impl PageSink for Capture {
    fn on_page(&self, url: &str, probe: &Probe, body: &Body) {
        if !matches!(probe.outcome, FetchOutcome::Response(200..=299)) {
            return;
        }
        let default_hint = PageHint::default();
        let hint = self.hints.get(url).unwrap_or(&default_hint);
        let page = if hint.checksum == Some(xxh3_64(&body.bytes)) {
            CapturedPage::Same
        } else {
            CapturedPage::Other(Box::new(version(url, body, hint)))
        };
        self.put(url, page);
    }
}

/// Returns a possible version of a page.
fn version(url: &str, body: &Body, hint: &PageHint) -> CapturedVersion {
    // The signature of a page without text is its checksum.
    let page = body_blocks(body.content_type.as_deref(), &body.bytes).unwrap_or_default();
    CapturedVersion {
        signature: Signature::new(&body.bytes, &page),
        bytes: body.bytes.len() as u64,
        content: hint.has_candidate.then(|| content(url, &page, hint)),
    }
}

/// Returns what is stored of a version in addition to its signature.
fn content(url: &str, page: &BlockText, hint: &PageHint) -> VersionContent {
    let title = page.title().unwrap_or_default().to_owned();
    let source = KeyphraseSource { annotation: &hint.annotation, url };
    let frequencies = DocumentFrequencies::builtin();
    let phrases = page_keyphrases(page, source, &frequencies, &hint.phrases);
    VersionContent {
        terms: TermVector::from_member(&title, page, "", TermSettings::default()),
        keyphrases: StoredKeyphrases::builtin(phrases, &frequencies),
        text: hint.keeps_text.then(|| content_text(page, MAX_STORED_TEXT)),
        title,
    }
}

/// Returns the text outside of boilerplate, one block per line, up to a length.
fn content_text(page: &BlockText, max: usize) -> String {
    let mut text = String::new();
    for block in page.blocks.iter().filter(|block| !block.is_boilerplate) {
        let block = page.text_of(block);
        if text.len() + block.len() >= max {
            break;
        }
        text.push_str(block);
        text.push('\n');
    }
    text
}
