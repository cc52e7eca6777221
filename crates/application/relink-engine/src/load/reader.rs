//! Reads a document's links chunk by chunk, so that a list of a million
//! addresses never stands in memory as a million links.
//!
//! Extraction and resolution run on a thread of their own, beside the store.

use std::path::Path;
use std::sync::Arc;

use jiff::civil::Date;
use relink_model::{Link, SourceLocation};
use relink_page::{DocumentFormat, DocumentInfo, Options, Problem, WindowedExtractor};
use relink_ports::Files;
use tokio::sync::mpsc;

use super::document_content::{self, DocumentContent};
use super::ignore_rules::{IgnoreEffect, IgnoreRules};
use super::resolve::{LinkResolution, LinkResolver};
use super::skip::CheckSkipReason;
use crate::WINDOW;
use crate::isolation::{Panicked, isolate};

/// Links in a chunk: one transaction, and one turn before the asker has its
/// own, so it must not take longer than what is out can wait. What is settled
/// before the last chunk has to be read back to be reported, so not too few.
const CHUNK: usize = 512;
/// Chunks that may wait to be stored.
const AHEAD: usize = 8;

/// A link with what becomes of it.
pub(super) struct ReadLink {
    pub(super) location: SourceLocation,
    pub(super) original_url: String,
    pub(super) meaning: LinkResolution,
    /// The place it wants on a web page, if such are looked for.
    pub(super) fragment: Option<String>,
    /// Codes of findings that the document says to leave alone.
    pub(super) hidden: Vec<String>,
}

/// What comes out of a document.
pub(super) enum ReaderEvent {
    /// Some links.
    Links(Vec<ReadLink>),
    /// What else there is to say, at the end.
    Said(DocumentIssues),
}

/// What there is to say of a document beside its links.
#[derive(Debug, Default)]
pub(super) struct DocumentIssues {
    /// What could not be read.
    pub(super) problems: Vec<Problem>,
    /// Notes to leave links alone whose day has passed.
    pub(super) expired: Vec<Problem>,
}

impl DocumentIssues {
    /// What there is to say of a document whose reading panicked.
    fn of_panic(panicked: Panicked) -> Self {
        let text = format!("{panicked}; not all of its links are checked");
        Self { problems: vec![Problem { line: 1, text }], expired: Vec::new() }
    }
}

/// A document to read.
pub(super) struct DocumentJob {
    /// The document, as the user knows it.
    pub(super) label: String,
    pub(super) format: DocumentFormat,
    pub(super) options: Options,
    pub(super) content: DocumentContent,
    /// Where huge documents are read from.
    pub(super) files: Arc<dyn Files>,
    /// The day, which notes may end by.
    pub(super) today: Date,
    /// Links that are read if it is held whole; the others are counted.
    pub(super) most: usize,
    pub(super) resolver: LinkResolver,
}

/// Extraction at work.
pub(super) struct LinkStream {
    pieces: mpsc::Receiver<ReaderEvent>,
}

impl LinkStream {
    /// Starts reading.
    pub(super) fn start(source: DocumentJob) -> Self {
        let (sender, pieces) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || {
            let label = source.label.clone();
            let read = isolate(&label, || match source.content.clone() {
                DocumentContent::Whole(bytes) => read(source, &bytes, &sender),
                DocumentContent::Huge { path, .. } => read_windows(source, &path, &sender),
            });
            let mut said = read.unwrap_or_else(DocumentIssues::of_panic);
            said.problems.sort_by_key(|problem| problem.line);
            send(&sender, ReaderEvent::Said(said));
        });
        Self { pieces }
    }

    /// The next piece, until there is none.
    pub(super) async fn next(&mut self) -> Option<ReaderEvent> {
        self.pieces.recv().await
    }
}

fn read(source: DocumentJob, bytes: &[u8], sender: &mpsc::Sender<ReaderEvent>) -> DocumentIssues {
    let notes = IgnoreRules::of(source.format, bytes, source.today);
    let mut remarks = if may_name_base(source.format) {
        read_whole(source, bytes, &notes, sender)
    } else {
        stream(&source, bytes, &notes, sender)
    };
    remarks.problems.extend(notes.problems);
    DocumentIssues { problems: remarks.problems, expired: notes.expired }
}

/// Whether a document of this format may set a base for its links, anywhere.
fn may_name_base(format: DocumentFormat) -> bool {
    matches!(
        format,
        DocumentFormat::Markdown
            | DocumentFormat::Html
            | DocumentFormat::Xml
            | DocumentFormat::AsciiDoc
    )
}

/// Reads a huge document window by window. A base holds from the window on
/// that names it, which is the first unless somebody means ill.
fn read_windows(
    source: DocumentJob,
    path: &Path,
    sender: &mpsc::Sender<ReaderEvent>,
) -> DocumentIssues {
    let mut said = DocumentIssues::default();
    let document = match document_content::stream(&*source.files, path) {
        Ok(document) => document,
        Err(error) => {
            said.problems.push(Problem { line: 1, text: error.to_string() });
            return said;
        }
    };
    let DocumentJob { format, options, today, mut resolver, .. } = source;
    let mut windows = WindowedExtractor::new(format, &options, WINDOW, document);
    let mut base = None;
    while !sender.is_closed() && windows.next_window() {
        let notes = IgnoreRules::sorted(windows.notes().to_vec(), today);
        let new = IgnoreRules::sorted(windows.new_notes().to_vec(), today);
        let remarks = if may_name_base(format) {
            let mut links = Vec::new();
            let mut remarks = windows.for_each_link(&mut |link| links.push(link));
            if base.is_none() && remarks.base.is_some() {
                base = remarks.base.take();
                resolver = resolver.with_base(base.as_deref());
            }
            send_links(&links, &resolver, &notes, sender);
            remarks
        } else {
            // A window may be one line of many megabytes.
            let mut chunks = Chunks::new(sender);
            windows.for_each_link(&mut |link| chunks.push(ReadLink::new(&link, &resolver, &notes)))
        };
        said.problems.extend(remarks.problems.into_iter().chain(new.problems));
        said.expired.extend(new.expired);
    }
    said
}

/// Formats whose links stand for themselves are sent on as they are found.
fn stream(
    source: &DocumentJob,
    bytes: &[u8],
    notes: &IgnoreRules,
    sender: &mpsc::Sender<ReaderEvent>,
) -> DocumentInfo {
    let mut chunks = Chunks::new(sender);
    let DocumentJob { format, options, resolver, most, .. } = source;
    let mut quota = Quota::new(*most);
    let mut remarks = relink_page::each_link_with(*format, bytes, options, &mut |link| {
        if quota.takes(&link) {
            chunks.push(ReadLink::new(&link, resolver, notes));
        }
    });
    remarks.problems.extend(quota.problem());
    remarks
}

/// Formats that may name a base anywhere are read to the end first.
fn read_whole(
    source: DocumentJob,
    bytes: &[u8],
    notes: &IgnoreRules,
    sender: &mpsc::Sender<ReaderEvent>,
) -> DocumentInfo {
    let DocumentJob { format, options, resolver, most, .. } = source;
    let (mut links, mut quota) = (Vec::new(), Quota::new(most));
    let mut remarks = relink_page::each_link_with(format, bytes, &options, &mut |link| {
        if quota.takes(&link) {
            links.push(link);
        }
    });
    let resolver = resolver.with_base(remarks.base.as_deref());
    send_links(&links, &resolver, notes, sender);
    remarks.problems.extend(quota.problem());
    remarks
}

/// Links that are sent on in chunks; the last one when this is dropped.
struct Chunks<'a> {
    sender: &'a mpsc::Sender<ReaderEvent>,
    links: Vec<ReadLink>,
}

impl<'a> Chunks<'a> {
    fn new(sender: &'a mpsc::Sender<ReaderEvent>) -> Self {
        Self { sender, links: Vec::with_capacity(CHUNK) }
    }

    fn push(&mut self, link: ReadLink) {
        self.links.push(link);
        if self.links.len() == CHUNK {
            let full = std::mem::replace(&mut self.links, Vec::with_capacity(CHUNK));
            send(self.sender, ReaderEvent::Links(full));
        }
    }
}

impl Drop for Chunks<'_> {
    fn drop(&mut self) {
        send(self.sender, ReaderEvent::Links(std::mem::take(&mut self.links)));
    }
}

/// How many links of a document are taken.
struct Quota {
    most: usize,
    used: usize,
    /// How many more there were, and the line of the first of them.
    more: Option<(usize, u32)>,
}

impl Quota {
    fn new(most: usize) -> Self {
        Self { most, used: 0, more: None }
    }

    fn takes(&mut self, link: &Link) -> bool {
        if self.used < self.most {
            self.used += 1;
            return true;
        }
        let (more, first) = self.more.unwrap_or((0, link.location.line));
        self.more = Some((more + 1, first));
        false
    }

    /// What there is to say if not all were taken.
    fn problem(self) -> Option<Problem> {
        let (more, line) = self.more?;
        let text = format!("{} links of a sitemap are read, and {more} are not", self.most);
        Some(Problem { line, text })
    }
}

fn send_links(
    links: &[Link],
    resolver: &LinkResolver,
    notes: &IgnoreRules,
    sender: &mpsc::Sender<ReaderEvent>,
) {
    for links in links.chunks(CHUNK) {
        let links = links.iter().map(|link| ReadLink::new(link, resolver, notes));
        send(sender, ReaderEvent::Links(links.collect()));
    }
}

fn send(sender: &mpsc::Sender<ReaderEvent>, piece: ReaderEvent) {
    // A receiver that is gone has stopped the run; the rest is read in vain,
    // which is quicker than unwinding an extractor.
    let _ = sender.blocking_send(piece);
}

impl ReadLink {
    pub(super) fn new(link: &Link, resolver: &LinkResolver, notes: &IgnoreRules) -> Self {
        let meaning = resolver.resolve(link);
        let mut given = meaning.given(link);
        let fragment = resolver.place(link, &meaning);
        if fragment.is_some() {
            // The place may get a finding of its own; this one is the page's.
            given.truncate(given.find('#').unwrap_or(given.len()));
        }
        let (meaning, hidden) = match notes.tell(link.location.line) {
            IgnoreEffect::Nothing => (meaning, Vec::new()),
            IgnoreEffect::Hidden(codes) => (meaning, codes),
            // What is skipped anyway has a better reason.
            IgnoreEffect::Ignored if matches!(meaning, LinkResolution::Skipped(_)) => {
                (meaning, Vec::new())
            }
            IgnoreEffect::Ignored => {
                (LinkResolution::Skipped(CheckSkipReason::Ignored), Vec::new())
            }
        };
        Self { location: link.location, original_url: given, meaning, fragment, hidden }
    }
}
