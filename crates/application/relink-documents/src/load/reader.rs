//! Extracts the links of a document in batches, so that a list of a million
//! URLs is never in memory as a million links.
//!
//! Extraction and resolution run on a blocking thread, in parallel with the
//! store.

use std::path::Path;
use std::sync::Arc;

use jiff::civil::Date;
use relink_model::{Link, SourceLocation};
use relink_page::{DocumentFormat, DocumentInfo, Options, Problem, WindowedExtractor};
use relink_ports::Files;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::document_content::{self, DocumentContent};
use super::ignore_rules::{IgnoreEffect, IgnoreRules};
use super::resolve::{LinkResolution, LinkResolver};
use super::skip::CheckSkipReason;
use crate::WINDOW_SIZE;
use relink_requests::{Panicked, isolate};

/// Number of links in a batch, which is stored in one transaction. The dispatcher waits during
/// the transaction, so a batch must not be too large. Small batches make loading slow, and a
/// page that is checked before all batches are stored costs more: its result is read back from
/// the store to be reported.
const BATCH_SIZE: usize = 512;
/// Maximum number of batches that wait to be stored.
const MAX_WAITING_BATCHES: usize = 8;

/// Maximum length of a document that may be read without a second thread.
const MAX_INLINE_LENGTH: usize = 64 << 10;
/// Number of batches that such a document cannot exceed: a link has at least
/// two bytes.
const INLINE_BATCHES: usize = MAX_INLINE_LENGTH / 2 / BATCH_SIZE + 2;

/// A link with its resolution.
pub(super) struct ReadLink {
    pub(super) location: SourceLocation,
    pub(super) original_url: String,
    pub(super) resolution: LinkResolution,
    /// The fragment, if anchors of web pages are checked.
    pub(super) fragment: Option<String>,
    /// Codes of findings that the document suppresses.
    pub(super) ignored_codes: Vec<String>,
}

/// Output of a [`LinkStream`].
pub(super) enum ReaderEvent {
    /// A batch of links.
    Links(Vec<ReadLink>),
    /// Problems, at the end of the document.
    Issues(DocumentIssues),
}

/// Problems of a document.
#[derive(Debug, Default)]
pub(super) struct DocumentIssues {
    /// Parts that could not be read.
    pub(super) problems: Vec<Problem>,
    /// Expired `relink:ignore` directives.
    pub(super) expired: Vec<Problem>,
}

impl DocumentIssues {
    /// Issues of a document whose parser panicked.
    fn from_panic(panicked: Panicked) -> Self {
        let text = format!("{panicked}; not all of its links are checked");
        Self { problems: vec![Problem { line: 1, text }], expired: Vec::new() }
    }
}

/// A document to read.
pub(super) struct DocumentJob {
    /// Name of the document for users.
    pub(super) label: String,
    pub(super) format: DocumentFormat,
    pub(super) options: Options,
    pub(super) content: DocumentContent,
    /// File system for documents that are read in windows.
    pub(super) files: Arc<dyn Files>,
    /// Current date, for the expiry of directives.
    pub(super) today: Date,
    /// Maximum number of links if the document is in memory. Further links are
    /// counted.
    pub(super) max_links: usize,
    pub(super) resolver: LinkResolver,
}

/// A running extraction.
pub(super) struct LinkStream {
    events: mpsc::Receiver<ReaderEvent>,
}

impl LinkStream {
    /// Starts the extraction. `may_block` means that no other task needs this
    /// thread, so that a small document is read at once: a second thread would
    /// take more time than the extraction.
    pub(super) fn start(job: DocumentJob, may_block: bool) -> Self {
        let is_small = matches!(&job.content, DocumentContent::InMemory(bytes)
            if bytes.len() <= MAX_INLINE_LENGTH);
        if may_block && is_small {
            let (sender, events) = mpsc::channel(INLINE_BATCHES);
            extract(job, &sender);
            return Self { events };
        }
        let (sender, events) = mpsc::channel(MAX_WAITING_BATCHES);
        tokio::task::spawn_blocking(move || extract(job, &sender));
        Self { events }
    }

    /// Returns the next event; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<ReaderEvent> {
        self.events.recv().await
    }
}

/// Extracts the links of a document and sends them.
fn extract(job: DocumentJob, sender: &mpsc::Sender<ReaderEvent>) {
    let label = job.label.clone();
    let read = isolate(&label, || match job.content.clone() {
        DocumentContent::InMemory(bytes) => read(job, &bytes, sender),
        DocumentContent::OnDisk { path, .. } => read_windows(job, &path, sender),
    });
    let mut issues = read.unwrap_or_else(DocumentIssues::from_panic);
    issues.problems.sort_by_key(|problem| problem.line);
    send(sender, ReaderEvent::Issues(issues));
}

fn read(job: DocumentJob, bytes: &[u8], sender: &mpsc::Sender<ReaderEvent>) -> DocumentIssues {
    let ignore_rules = IgnoreRules::from_document(job.format, bytes, job.today);
    let mut info = if may_set_base(job.format) {
        read_whole(job, bytes, &ignore_rules, sender)
    } else {
        stream(&job, bytes, &ignore_rules, sender)
    };
    info.problems.extend(ignore_rules.problems);
    DocumentIssues { problems: info.problems, expired: ignore_rules.expired }
}

/// Whether a document of this format can set a base URL at any position.
fn may_set_base(format: DocumentFormat) -> bool {
    matches!(
        format,
        DocumentFormat::Markdown
            | DocumentFormat::Html
            | DocumentFormat::Xml
            | DocumentFormat::AsciiDoc
    )
}

/// Reads a large document in windows. A base URL applies to the links of the window that
/// contains it and of the later windows. It is normally in the first window.
fn read_windows(
    job: DocumentJob,
    path: &Path,
    sender: &mpsc::Sender<ReaderEvent>,
) -> DocumentIssues {
    let mut issues = DocumentIssues::default();
    let document = match document_content::stream(&*job.files, path) {
        Ok(document) => document,
        Err(error) => {
            issues.problems.push(Problem { line: 1, text: error.to_string() });
            return issues;
        }
    };
    let DocumentJob { format, options, today, mut resolver, .. } = job;
    let mut windows = WindowedExtractor::new(format, &options, WINDOW_SIZE, document);
    let mut base = None;
    while !sender.is_closed() && windows.next_window() {
        let ignore_rules = IgnoreRules::from_directives(windows.directives().to_vec(), today);
        // A directive may also apply to later windows. Its problems are reported once.
        let new_rules = IgnoreRules::from_directives(windows.new_directives().to_vec(), today);
        let info = if may_set_base(format) {
            let mut links = Vec::new();
            let mut info = windows.for_each_link(&mut |link| links.push(link));
            if base.is_none() && info.base.is_some() {
                base = info.base.take();
                resolver = resolver.with_base(base.as_deref());
            }
            send_links(&links, &resolver, &ignore_rules, sender);
            info
        } else {
            // A window may be a single line of many megabytes.
            let mut batches = LinkBatches::new(sender);
            windows.for_each_link(&mut |link| {
                batches.push(ReadLink::new(&link, &resolver, &ignore_rules));
            })
        };
        issues.problems.extend(info.problems.into_iter().chain(new_rules.problems));
        issues.expired.extend(new_rules.expired);
    }
    issues
}

/// Sends links as they are found, for formats without a base URL.
fn stream(
    job: &DocumentJob,
    bytes: &[u8],
    ignore_rules: &IgnoreRules,
    sender: &mpsc::Sender<ReaderEvent>,
) -> DocumentInfo {
    let mut batches = LinkBatches::new(sender);
    let DocumentJob { format, options, resolver, max_links, .. } = job;
    let mut limit = LinkLimit::new(*max_links);
    let mut info = relink_page::for_each_link_with(*format, bytes, options, &mut |link| {
        if limit.admits(&link) {
            batches.push(ReadLink::new(&link, resolver, ignore_rules));
        }
    });
    info.problems.extend(limit.problem());
    info
}

/// Reads all links before sending them, for formats that can set a base URL at
/// any position.
fn read_whole(
    job: DocumentJob,
    bytes: &[u8],
    ignore_rules: &IgnoreRules,
    sender: &mpsc::Sender<ReaderEvent>,
) -> DocumentInfo {
    let DocumentJob { format, options, resolver, max_links, .. } = job;
    let (mut links, mut limit) = (Vec::new(), LinkLimit::new(max_links));
    let mut info = relink_page::for_each_link_with(format, bytes, &options, &mut |link| {
        if limit.admits(&link) {
            links.push(link);
        }
    });
    let resolver = resolver.with_base(info.base.as_deref());
    send_links(&links, &resolver, ignore_rules, sender);
    info.problems.extend(limit.problem());
    info
}

/// Sends links in batches. Sends the last batch when dropped.
struct LinkBatches<'a> {
    sender: &'a mpsc::Sender<ReaderEvent>,
    links: Vec<ReadLink>,
}

impl<'a> LinkBatches<'a> {
    fn new(sender: &'a mpsc::Sender<ReaderEvent>) -> Self {
        Self { sender, links: Vec::with_capacity(BATCH_SIZE) }
    }

    fn push(&mut self, link: ReadLink) {
        self.links.push(link);
        if self.links.len() == BATCH_SIZE {
            let full = std::mem::replace(&mut self.links, Vec::with_capacity(BATCH_SIZE));
            send(self.sender, ReaderEvent::Links(full));
        }
    }
}

impl Drop for LinkBatches<'_> {
    fn drop(&mut self) {
        send(self.sender, ReaderEvent::Links(std::mem::take(&mut self.links)));
    }
}

/// Limit on the number of links of a document. Only sitemaps on the web have one.
struct LinkLimit {
    limit: usize,
    used: usize,
    /// The number of skipped links and the line of the first one.
    skipped: Option<(usize, u32)>,
}

impl LinkLimit {
    fn new(max_links: usize) -> Self {
        Self { limit: max_links, used: 0, skipped: None }
    }

    fn admits(&mut self, link: &Link) -> bool {
        if self.used < self.limit {
            self.used += 1;
            return true;
        }
        let (skipped, first) = self.skipped.unwrap_or((0, link.location.line));
        self.skipped = Some((skipped + 1, first));
        false
    }

    /// Returns the problem to report if links were skipped.
    fn problem(self) -> Option<Problem> {
        let (skipped, line) = self.skipped?;
        let text = format!(
            "only the first {} links of the sitemap are read; {skipped} are skipped",
            self.limit
        );
        Some(Problem { line, text })
    }
}

fn send_links(
    links: &[Link],
    resolver: &LinkResolver,
    ignore_rules: &IgnoreRules,
    sender: &mpsc::Sender<ReaderEvent>,
) {
    for links in links.chunks(BATCH_SIZE) {
        let links = links.iter().map(|link| ReadLink::new(link, resolver, ignore_rules));
        send(sender, ReaderEvent::Links(links.collect()));
    }
}

fn send(sender: &mpsc::Sender<ReaderEvent>, event: ReaderEvent) {
    // Ignore the error: if the receiver is dropped, the run is stopped. The
    // rest is read and discarded, which is simpler than aborting an extractor.
    if let Err(TrySendError::Full(event)) = sender.try_send(event) {
        let _ = sender.blocking_send(event);
    }
}

impl ReadLink {
    pub(super) fn new(link: &Link, resolver: &LinkResolver, ignore_rules: &IgnoreRules) -> Self {
        let resolution = resolver.resolve(link);
        let mut original_url = resolution.display_url(link);
        let fragment = resolver.required_fragment(link, &resolution);
        if fragment.is_some() {
            // The page is reported without the fragment. If the anchor is missing, a finding
            // of its own has the URL with the fragment.
            original_url.truncate(original_url.find('#').unwrap_or(original_url.len()));
        }
        let (resolution, ignored_codes) = match ignore_rules.effect_on(link.location.line) {
            IgnoreEffect::None => (resolution, Vec::new()),
            IgnoreEffect::SuppressCodes(codes) => (resolution, codes),
            // A link that is skipped anyway has a more specific reason.
            IgnoreEffect::SkipLink if matches!(resolution, LinkResolution::Skipped(_)) => {
                (resolution, Vec::new())
            }
            IgnoreEffect::SkipLink => {
                (LinkResolution::Skipped(CheckSkipReason::Ignored), Vec::new())
            }
        };
        Self { location: link.location, original_url, resolution, fragment, ignored_codes }
    }
}
