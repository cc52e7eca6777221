//! Computes the version of a page from its body, in the task of the request.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use relink_change::{Signature, TermSettings, TermVector};
use relink_model::{FetchOutcome, Probe};
use relink_page::{BlockText, DocumentFrequencies, Keyphrase, body_blocks, keyphrases};
use relink_ports::Body;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::dispatch::PageSink;

/// Maximum length of a stored text, in bytes.
const MAX_STORED_TEXT: usize = 256 * 1024;

/// Maximum length of the text from which keyphrases are extracted, in bytes.
const MAX_KEYPHRASE_TEXT: usize = 256 * 1024;

/// What is known about a page before it is fetched.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PageHint {
    /// The checksum of the bytes of the latest version.
    pub(super) checksum: Option<u64>,
    /// Whether an earlier fetch waits for its confirmation, so that this one may
    /// become a version.
    pub(super) has_candidate: bool,
    /// Whether the text is stored.
    pub(super) keeps_text: bool,
}

/// A fetched page.
#[derive(Debug)]
pub(super) enum CapturedPage {
    /// The bytes are those of the latest version.
    Same,
    /// Other bytes.
    Other(Box<CapturedVersion>),
}

/// A possible version.
#[derive(Debug)]
pub(super) struct CapturedVersion {
    pub(super) signature: Signature,
    pub(super) bytes: u64,
    /// The rest of the version, if it may become one.
    pub(super) content: Option<VersionContent>,
}

/// What is stored of a version in addition to its signature.
#[derive(Debug, Default)]
pub(super) struct VersionContent {
    pub(super) title: String,
    pub(super) terms: TermVector,
    pub(super) keyphrases: StoredKeyphrases,
    pub(super) text: Option<String>,
}

/// The two lists of keyphrases, as stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct StoredKeyphrases {
    /// Phrases to find the page itself.
    pub(super) exact: Vec<String>,
    /// Phrases to find pages on the same topic.
    pub(super) similar: Vec<String>,
}

/// Captures the pages of a run.
pub(super) struct Capture {
    hints: HashMap<String, PageHint>,
    pages: Mutex<HashMap<String, CapturedPage>>,
}

impl Capture {
    pub(super) fn new(hints: HashMap<String, PageHint>) -> Self {
        Self { hints, pages: Mutex::new(HashMap::new()) }
    }

    /// Returns the last captured page with this URL.
    pub(super) fn take(&self, url: &str) -> Option<CapturedPage> {
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
        let hint = self.hints.get(url).copied().unwrap_or_default();
        let page = if hint.checksum == Some(xxh3_64(&body.bytes)) {
            CapturedPage::Same
        } else {
            CapturedPage::Other(Box::new(version(body, hint)))
        };
        self.put(url, page);
    }
}

fn version(body: &Body, hint: PageHint) -> CapturedVersion {
    // The signature of a page without text is its checksum.
    let page = body_blocks(body.content_type.as_deref(), &body.bytes).unwrap_or_default();
    CapturedVersion {
        signature: Signature::new(&body.bytes, &page),
        bytes: body.bytes.len() as u64,
        content: hint.has_candidate.then(|| content(&page, hint)),
    }
}

fn content(page: &BlockText, hint: PageHint) -> VersionContent {
    let title = page.title().unwrap_or_default().to_owned();
    let text = content_text(page, MAX_KEYPHRASE_TEXT);
    let found = keyphrases(&text, &DocumentFrequencies::default());
    let texts = |phrases: Vec<Keyphrase>| phrases.into_iter().map(|phrase| phrase.text).collect();
    VersionContent {
        terms: TermVector::from_member(&title, page, "", TermSettings::default()),
        keyphrases: StoredKeyphrases { exact: texts(found.exact), similar: texts(found.similar) },
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
