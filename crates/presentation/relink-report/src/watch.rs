//! Collections: lists, members and reviews as JSON and terminal text.
//!
//! A *collection* is a list of pages with annotations, such as a reading list; its
//! pages are its *members*. The *accepted version* of a member is the content that the
//! user approved. A *gap* is a member whose page was removed and not replaced.
//!
//! Titles and excerpts come from web pages, so secrets are masked and control characters are
//! removed.

mod export;
mod focus;
mod history;
mod html;
mod review_html;
mod study;
mod terminal;
mod text;

use jiff::Timestamp;
use relink_change::{AttributeSimilarity, BlockChange, Change};
use relink_collection::{
    Availability, ComparedRow, ContextJudgment, ContextKind, MemberState, NextStep,
};
use relink_model::{FindingCode, Verdict};
use serde::{Serialize, Serializer};

use crate::{SCHEMA, redact, redact_prose};

pub use export::{
    SiteFile, export_bookmarks, export_json, export_markdown, export_opml, path_site,
};
pub use focus::{FocusEnd, FocusEndKind, WatchFocus, focus_text};
pub use history::{WatchEvent, WatchHistory, WatchVersion, history_text};
pub use review_html::review_html;
pub use study::{PageHistory, StudyCounts, StudyReport, StudyRow, study_csv, study_text};
pub use terminal::{ReviewAction, ReviewKey, TerminalReview};
pub use text::{collection_table, diff_text, keyphrase_text, show_text, suggestion_text};

/// Maximum number of excerpts of each kind of change in JSON.
const MAX_EXCERPTS: usize = 50;

/// The collections of `relink watch list`.
#[derive(Debug, Clone, Serialize)]
pub struct WatchListReport {
    schema: u32,
    command: &'static str,
    /// The outermost collections by name.
    pub collections: Vec<WatchSummary>,
}

impl WatchListReport {
    /// Creates the report.
    pub fn new(collections: Vec<WatchSummary>) -> Self {
        Self { schema: SCHEMA, command: "watch list", collections }
    }
}

/// The counters of one collection, including its nested ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WatchSummary {
    /// The name.
    #[serde(serialize_with = "masked_text")]
    pub name: String,
    /// The title.
    #[serde(serialize_with = "masked_text")]
    pub title: String,
    /// The file of the last import.
    pub source: Option<String>,
    /// The declared context.
    pub context: ContextKind,
    /// Number of nested collections.
    pub nested: u64,
    /// Number of members, except closed gaps.
    pub members: u64,
    /// Members that were never checked.
    pub unchecked: u64,
    /// Members whose latest version is not the accepted one.
    pub changed: u64,
    /// Members that are unavailable, probably for a short time.
    pub temporary: u64,
    /// Members that are probably gone for good.
    pub permanent: u64,
    /// Gaps and rejected members.
    pub open: u64,
    /// Members whose check is due.
    pub due: u64,
    /// The time of the next check.
    pub next_at: Option<Timestamp>,
}

/// The members of a collection with their changes.
#[derive(Debug, Clone, Serialize)]
pub struct WatchReport {
    schema: u32,
    command: &'static str,
    /// The name.
    #[serde(serialize_with = "masked_text")]
    pub name: String,
    /// The time at which the report was created.
    pub created_at: Timestamp,
    /// The collection and its nested ones, in order.
    pub lists: Vec<WatchList>,
    /// Warnings about the whole collection.
    pub warnings: Vec<String>,
}

impl WatchReport {
    /// Creates the report.
    pub fn new(
        command: &'static str,
        name: String,
        created_at: Timestamp,
        lists: Vec<WatchList>,
        warnings: Vec<String>,
    ) -> Self {
        Self { schema: SCHEMA, command, name, created_at, lists, warnings }
    }

    /// Returns all members in order.
    pub fn members(&self) -> impl Iterator<Item = &WatchMember> {
        self.lists.iter().flat_map(|list| &list.members)
    }
}

/// One collection with its members.
#[derive(Debug, Clone, Default, Serialize)]
pub struct WatchList {
    /// The name.
    #[serde(serialize_with = "masked_text")]
    pub name: String,
    /// The title.
    #[serde(serialize_with = "masked_text")]
    pub title: String,
    /// The description.
    #[serde(serialize_with = "masked_text")]
    pub description: String,
    /// The tags.
    pub tags: Vec<String>,
    /// The declared context.
    pub context: ContextKind,
    /// The members in order, except closed gaps.
    pub members: Vec<WatchMember>,
}

/// One member of a collection.
#[derive(Debug, Clone, Default, Serialize)]
pub struct WatchMember {
    /// The number that commands accept, counted over the whole collection.
    pub number: u32,
    /// The URL.
    #[serde(serialize_with = "masked_url")]
    pub url: String,
    /// The title of the curator, or of the page.
    #[serde(serialize_with = "masked_text")]
    pub title: String,
    /// The annotation.
    #[serde(serialize_with = "masked_text")]
    pub annotation: String,
    /// The tags.
    pub tags: Vec<String>,
    /// The state.
    pub state: MemberState,
    /// The URL that this page replaced.
    #[serde(serialize_with = "masked_option")]
    pub replaced_url: Option<String>,
    /// The end of the time in which the member is muted.
    pub muted_until: Option<Timestamp>,
    /// The user's reason for muting or rejecting the member.
    #[serde(serialize_with = "masked_text")]
    pub user_reason: String,
    /// Whether the page can be reached.
    pub availability: Availability,
    /// The verdict of the last check.
    pub verdict: Option<Verdict>,
    /// The code of the last check.
    pub code: Option<FindingCode>,
    /// The reason of the verdict.
    #[serde(serialize_with = "masked_text")]
    pub reason: String,
    /// The time from which the verdict has been the same.
    pub since: Option<Timestamp>,
    /// The time of the last check.
    pub checked_at: Option<Timestamp>,
    /// The time of the next check.
    pub next_at: Option<Timestamp>,
    /// The time at which the accepted version was first seen.
    pub accepted_at: Option<Timestamp>,
    /// The time at which the latest version was first seen.
    pub latest_at: Option<Timestamp>,
    /// The change since the accepted version, if it is visible.
    pub change: Option<WatchChange>,
    /// Whether the bytes of the page differ from the accepted version, but neither its text
    /// nor its links. False if the accepted version is not loaded (large collections).
    pub is_markup_changed: bool,
    /// The similarity of the changed page to its collection.
    pub context: Option<ContextJudgment>,
    /// The proposed next step.
    pub next_step: Option<NextStep>,
    /// The size of the latest version in bytes.
    pub bytes: Option<u64>,
    /// Keyphrases of the accepted version.
    pub keyphrases: Vec<String>,
    /// The archived copy of a page that is gone, if one is known.
    #[serde(serialize_with = "masked_option")]
    pub archived_url: Option<String>,
    /// The accepted and the latest version, block by block.
    #[serde(skip)]
    pub comparison: Vec<ComparedRow>,
}

/// A change as it is reported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WatchChange {
    /// The level: `low`, `moderate` or `high`.
    pub level: relink_change::Level,
    /// The share of words that changed.
    pub content: f64,
    /// The share of links that changed.
    pub links: f64,
    /// The share of words in moved blocks.
    pub moves: f64,
    /// The start of each added or edited block.
    #[serde(serialize_with = "masked_texts")]
    pub added: Vec<String>,
    /// The start of each removed or edited block.
    #[serde(serialize_with = "masked_texts")]
    pub removed: Vec<String>,
    /// The start of each moved block.
    #[serde(serialize_with = "masked_texts")]
    pub moved: Vec<String>,
    /// Links that are new.
    #[serde(serialize_with = "masked_texts")]
    pub added_links: Vec<String>,
    /// Links that are gone.
    #[serde(serialize_with = "masked_texts")]
    pub removed_links: Vec<String>,
}

impl From<&Change> for WatchChange {
    fn from(change: &Change) -> Self {
        let excerpts = |blocks: &[BlockChange]| -> Vec<String> {
            blocks.iter().take(MAX_EXCERPTS).map(|block| block.excerpt.clone()).collect()
        };
        let first_links = |links: &[String]| links.iter().take(MAX_EXCERPTS).cloned().collect();
        Self {
            level: change.level,
            content: change.content,
            links: change.links,
            moves: change.moves,
            added: excerpts(&change.added),
            removed: excerpts(&change.removed),
            moved: excerpts(&change.moved),
            added_links: first_links(&change.added_links),
            removed_links: first_links(&change.removed_links),
        }
    }
}

/// The relation of a candidate to the member that it can replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CandidateKind {
    /// The new URL of the page.
    Alias,
    /// An archived copy.
    Archived,
    /// A copy on another site.
    Copy,
    /// A page on the same topic.
    Similar,
}

impl CandidateKind {
    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Archived => "archived",
            Self::Copy => "copy",
            Self::Similar => "similar",
        }
    }
}

/// A page that can replace a member.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WatchCandidate {
    /// The relation of the page to the member.
    pub kind: CandidateKind,
    /// The URL.
    #[serde(serialize_with = "masked_url")]
    pub url: String,
    /// The reason why the page is a candidate.
    #[serde(serialize_with = "masked_text")]
    pub reason: String,
    /// The similarity to the collection; `None` if the page was not fetched.
    pub context: Option<ContextJudgment>,
    /// The similarity to the accepted version; `None` if the page was not fetched.
    pub similarity: Option<AttributeSimilarity>,
}

/// The candidates for one member.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WatchSuggestions {
    schema: u32,
    command: &'static str,
    /// The URL of the member.
    #[serde(serialize_with = "masked_url")]
    pub url: String,
    /// The title of the member.
    #[serde(serialize_with = "masked_text")]
    pub title: String,
    /// The candidates, best first.
    pub candidates: Vec<WatchCandidate>,
    /// The names of the search engines.
    pub engines: Vec<String>,
    /// Services that could not be used.
    #[serde(serialize_with = "masked_texts")]
    pub warnings: Vec<String>,
}

impl WatchSuggestions {
    /// Creates a list without candidates.
    pub fn new(url: &str, title: &str) -> Self {
        let (url, title) = (url.to_owned(), title.to_owned());
        Self {
            schema: SCHEMA,
            command: "watch suggest",
            url,
            title,
            candidates: Vec::new(),
            engines: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Inserts a candidate in the order of kind and similarity, unless its URL is listed
    /// already.
    pub fn add(&mut self, candidate: WatchCandidate) {
        if self.candidates.iter().any(|known| known.url == candidate.url) {
            return;
        }
        let similarity_of = |candidate: &WatchCandidate| {
            candidate.similarity.map_or(0.0, |similarity| similarity.total)
        };
        let comes_before = |known: &WatchCandidate| {
            let is_as_similar = similarity_of(known) >= similarity_of(&candidate);
            known.kind < candidate.kind || known.kind == candidate.kind && is_as_similar
        };
        let position = self.candidates.partition_point(comes_before);
        self.candidates.insert(position, candidate);
    }
}

/// The keyphrases of one member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WatchKeyphrases {
    /// The number of the member.
    pub number: u32,
    /// The URL.
    #[serde(serialize_with = "masked_url")]
    pub url: String,
    /// The title.
    #[serde(serialize_with = "masked_text")]
    pub title: String,
    /// Phrases to find the page itself.
    #[serde(serialize_with = "masked_texts")]
    pub exact: Vec<String>,
    /// Phrases to find pages on the same topic.
    #[serde(serialize_with = "masked_texts")]
    pub similar: Vec<String>,
    /// The source of the order of the phrases.
    pub source: WatchPhraseSource,
}

/// The source of the order of keyphrases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WatchPhraseSource {
    /// The search engine that counted the phrases, or `builtin`.
    pub engine: String,
    /// The number of pages in its index.
    pub pages: u64,
    /// The time at which the search engine counted the phrases.
    pub counted_at: Option<Timestamp>,
}

/// The keyphrases of `relink watch keyphrases`.
#[derive(Debug, Clone, Serialize)]
pub struct WatchKeyphraseReport {
    schema: u32,
    command: &'static str,
    /// The members.
    pub members: Vec<WatchKeyphrases>,
}

impl WatchKeyphraseReport {
    /// Creates the report.
    pub fn new(members: Vec<WatchKeyphrases>) -> Self {
        Self { schema: SCHEMA, command: "watch keyphrases", members }
    }
}

// Functions for `serialize_with`: URLs and texts with secrets masked.

fn masked_url<S: Serializer>(url: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&redact(url))
}

#[expect(clippy::ref_option, reason = "serde passes a reference")]
fn masked_option<S: Serializer>(url: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    url.as_deref().map(|url| redact(url).to_string()).serialize(serializer)
}

fn masked_text<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&redact_prose(text))
}

fn masked_texts<S: Serializer>(texts: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(texts.iter().map(|text| redact_prose(text).to_string()))
}
