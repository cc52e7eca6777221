//! From inputs to links and tasks in the store.

mod diagnostics;
mod document_content;
mod host_turn;
mod ignore_rules;
mod inputs;
mod listing;
mod loading;
mod local;
mod local_check;
mod pages;
mod reader;
mod reading;
mod resolve;
mod skip;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_frontier::UrlFilter;
use relink_model::{Link, LinkKind, LinkTarget, RequestRights, RunId, SourceLocation, Span};
use relink_page::{DocumentFormat, Options};
use relink_ports::{
    CacheWindow, DocumentId, DocumentSource, FileError, LinkBatch, NewDocument, NewLink, NewTarget,
    WalkResult,
};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

pub use self::diagnostics::{Diagnostic, Diagnostics};
use self::document_content::DocumentContent;
use self::host_turn::HostTurns;
use self::ignore_rules::IgnoreRules;
pub use self::inputs::Input;
pub(crate) use self::inputs::{ResolvedInput, find, may_list_sitemaps};
use self::loading::LoadHandoff;
pub(crate) use self::loading::{LoadProgress, ProbedPage};
use self::local::LocalLink;
use self::local_check::{LocalLinkChecker, LocalLinkResult};
use self::pages::SitemapQueue;
use self::reader::{DocumentIssues, DocumentJob, LinkStream, ReadLink, ReaderEvent};
pub use self::reading::{LocalRules, ReadOptions};
use self::resolve::{LinkResolution, LinkResolver};
pub use self::skip::{CheckSkipReason, SkipCounts};
use crate::binary::binary_problem;
use crate::decompress::{Bounds, DecompressError, inner_name, is_packed, unpack};
use crate::isolation::{Panicked, isolate, isolate_async};
use crate::{EngineError, Ports, StopSignal};

/// The label of the document that holds addresses given as arguments.
const ARGUMENTS: &str = "arguments";
/// The label of standard input.
const STDIN: &str = "stdin";

/// What to read, and which of its links to take.
#[derive(Debug, Clone)]
pub struct LoadSettings {
    /// What to read.
    pub inputs: Vec<Input>,
    /// Which addresses and documents take part.
    pub scope: UrlFilter,
    /// Whether only local links are looked at.
    pub is_offline: bool,
    /// Targets found alive at this moment or later need not be asked again.
    pub fresh_since: Timestamp,
    /// How documents are read.
    pub reading: ReadOptions,
    /// The least time between two sitemaps that are asked for.
    pub pause: Duration,
    /// Bytes read of a page among the inputs.
    pub page_bytes: usize,
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub struct LoadSummary {
    /// Documents read.
    pub documents: u64,
    /// Links found, whether or not they are checked.
    pub links: u64,
    /// Links that are not checked, by the reason.
    pub skipped: SkipCounts,
    /// Links left out by the scope or because the run is offline.
    pub left_out: u64,
    /// What could not be read, beside what could.
    pub problems: Diagnostics,
    /// Notes to leave links alone whose day has passed.
    pub expired: Diagnostics,
    /// Whether reading was stopped halfway.
    pub is_interrupted: bool,
}

/// Reads inputs into the store.
pub(crate) struct Loader<'a> {
    ports: &'a Ports,
    run: RunId,
    settings: &'a LoadSettings,
    loading: &'a LoadProgress,
    loaded: LoadSummary,
    documents: Vec<DocumentId>,
    shelf: LocalLinkChecker<'a>,
    brought: LoadHandoff,
    /// Sitemaps that documents list.
    listed: SitemapQueue,
    turns: HostTurns,
}

/// A document's content, with what kept it from being unpacked to its end.
type Opened = Result<(DocumentContent, Option<DecompressError>), FileError>;

/// A document that was read, with all that its links are seen from.
struct Document {
    label: String,
    content: DocumentContent,
    format: DocumentFormat,
    base: DocumentBase,
}

/// Where a document stands: what its relative links are relative to.
#[derive(Debug, Clone)]
enum DocumentBase {
    /// On the disk, in this directory, and as which file, if it is one.
    Folder { folder: PathBuf, own: Option<PathBuf> },
    /// On the web, at this address, and what requests to it may do.
    Web { url: Url, rights: RequestRights },
}

impl DocumentBase {
    /// Of what has no file, such as standard input.
    fn nowhere() -> Self {
        Self::Folder { folder: PathBuf::new(), own: None }
    }

    fn of_file(path: &Path) -> Self {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self::Folder { folder, own: Some(path.to_owned()) }
    }

    fn is_on_web(&self) -> bool {
        matches!(self, Self::Web { .. })
    }

    /// The rights of a URL in the document: the user named those in own
    /// documents, and a page passes its rights to URLs on its own host and
    /// port.
    fn rights_of(&self, url: &Url) -> RequestRights {
        match self {
            Self::Folder { .. } => RequestRights::named_by_user(),
            Self::Web { url: page, rights } => rights.inherited(page, url),
        }
    }
}

impl<'a> Loader<'a> {
    pub(crate) fn new(
        ports: &'a Ports,
        run: RunId,
        settings: &'a LoadSettings,
        loading: &'a LoadProgress,
    ) -> Self {
        let (loaded, documents, brought, listed, turns) = Default::default();
        let shelf = LocalLinkChecker::new(&*ports.files, &settings.reading);
        Self { ports, run, settings, loading, loaded, documents, shelf, brought, listed, turns }
    }

    /// Reads every input. What was read before an interruption is kept and not
    /// read again, unless its bytes changed.
    pub(crate) async fn load(
        mut self,
        inputs: Vec<ResolvedInput<'_>>,
        stop: &StopSignal,
    ) -> Result<LoadSummary, EngineError> {
        self.load_arguments().await?;
        for input in inputs {
            match input {
                ResolvedInput::Files(WalkResult { documents, unreadable }) => {
                    self.note_unreadable(&unreadable);
                    self.load_files(documents, stop).await?;
                }
                ResolvedInput::Page(url) => self.load_page(url, stop).await?,
                ResolvedInput::Stdin(bytes) => self.load_stdin(bytes).await?,
                ResolvedInput::Spooled(path) => self.load_spooled(path).await?,
            }
            if stop.is_stopped() {
                self.loaded.is_interrupted = true;
                return Ok(self.loaded);
            }
        }
        self.load_listed(stop).await?;
        if stop.is_stopped() {
            self.loaded.is_interrupted = true;
            return Ok(self.loaded);
        }
        self.ports.store.finish_loading(self.run, &self.documents).await?;
        self.loading.finish(self.brought);
        Ok(self.loaded)
    }

    /// Reports the paths below the inputs that could not be read.
    fn note_unreadable(&mut self, errors: &[FileError]) {
        for error in errors {
            self.loaded.problems.push(unreadable(error.path().to_owned(), error));
        }
    }

    async fn load_files(
        &mut self,
        sources: Vec<DocumentSource>,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        let is_only_one = sources.len() == 1;
        for source in sources {
            if stop.is_stopped() {
                return Ok(());
            }
            if self.settings.scope.excludes(&source.label) {
                continue;
            }
            // A pipe may never send anything.
            let opened = tokio::select! {
                opened = self.open(&source) => opened,
                () = stop.raised() => return Ok(()),
            };
            let content = match opened {
                Err(_) => {
                    self.note_unread(&source.label);
                    continue;
                }
                Ok(Ok((content, error))) => {
                    self.loaded.problems.extend_with(&source.label, error);
                    content
                }
                Ok(Err(error)) if is_only_one => return Err(error.into()),
                // The other documents can be checked all the same.
                Ok(Err(error)) => {
                    self.loaded.problems.push(unreadable(source.label, &error));
                    continue;
                }
            };
            self.note_binary(&source.label, &content);
            let named = || DocumentFormat::of_file(Some(inner_name(&source.label)), content.head());
            let Ok(format) = isolate(&source.label, || self.format(named)) else {
                self.note_unread(&source.label);
                continue;
            };
            let document = Document {
                format,
                base: DocumentBase::of_file(&source.path),
                label: source.label,
                content,
            };
            self.load_document(document, 0).await?;
        }
        Ok(())
    }

    /// Reports a document that may not be text.
    fn note_binary(&mut self, label: &str, content: &DocumentContent) {
        if let Some(text) = binary_problem(self.settings.reading.format, content.head()) {
            let (path, text) = (label.to_owned(), text.to_owned());
            self.loaded.problems.push(Diagnostic { path, line: None, text });
        }
    }

    /// Reads a file on a thread of its own, unless it is huge.
    async fn open(&self, source: &DocumentSource) -> Result<Opened, Panicked> {
        let files = Arc::clone(&self.ports.files);
        let DocumentSource { path, label } = source.clone();
        let work = move || isolate(&label, || document_content::open(&*files, &path));
        tokio::task::spawn_blocking(work).await.unwrap_or(Err(Panicked))
    }

    async fn load_stdin(&mut self, bytes: &Arc<[u8]>) -> Result<(), EngineError> {
        if !is_packed(bytes) {
            return self.load_given(DocumentContent::Whole(Arc::clone(bytes))).await;
        }
        let (bytes, error) = unpack(bytes, Bounds::default());
        let error = error.and_then(|error| error.downcast().ok());
        self.loaded.problems.extend_with(STDIN, error);
        self.load_given(DocumentContent::Whole(bytes.into())).await
    }

    async fn load_spooled(&mut self, path: &Path) -> Result<(), EngineError> {
        let source = DocumentSource { label: STDIN.to_owned(), path: path.to_owned() };
        let Ok(opened) = self.open(&source).await else {
            self.note_unread(STDIN);
            return Ok(());
        };
        let (content, error) = opened?;
        self.loaded.problems.extend_with(STDIN, error);
        self.load_given(content).await
    }

    /// Reads what came in on standard input.
    async fn load_given(&mut self, content: DocumentContent) -> Result<(), EngineError> {
        self.note_binary(STDIN, &content);
        let sniffed = || DocumentFormat::of_file(None, content.head());
        let Ok(format) = isolate(STDIN, || self.format(sniffed)) else {
            self.note_unread(STDIN);
            return Ok(());
        };
        let document =
            Document { label: STDIN.to_owned(), format, content, base: DocumentBase::nowhere() };
        self.load_document(document, 0).await
    }

    /// Pages given as arguments are targets themselves.
    async fn load_arguments(&mut self) -> Result<(), EngineError> {
        let pages: Vec<&str> = self
            .settings
            .inputs
            .iter()
            .filter_map(|input| match input {
                Input::Page { original_url: given, .. } => Some(given.as_str()),
                Input::Path(_) | Input::Stdin(_) | Input::Spooled(_) => None,
            })
            .collect();
        if pages.is_empty() {
            return Ok(());
        }
        let document = self.begin_document(ARGUMENTS, xxh3_64(pages.join("\n").as_bytes())).await?;
        let Some(document) = document else { return Ok(()) };
        let resolver =
            LinkResolver::new(self.settings, DocumentFormat::UrlList, DocumentBase::nowhere(), &[]);
        let notes = IgnoreRules::default();
        let links = (1..)
            .zip(pages)
            .map(|(n, given)| ReadLink::new(&argument(n, given), &resolver, &notes));
        self.store_links(Some(document), 0, links.collect()).await?;
        self.ports.store.finish_document(document).await?;
        Ok(())
    }

    /// The format the user named, or the one that is told.
    fn format(&self, told: impl FnOnce() -> DocumentFormat) -> DocumentFormat {
        self.settings.reading.format.unwrap_or_else(told)
    }

    /// Registers a document; `None` if its links are stored already.
    async fn begin_document(
        &mut self,
        label: &str,
        content: u64,
    ) -> Result<Option<DocumentId>, EngineError> {
        let new = NewDocument { label: label.to_owned(), content };
        let loaded = self.ports.store.load_document(self.run, &new).await?;
        self.documents.push(loaded.id);
        Ok((!loaded.is_unchanged).then_some(loaded.id))
    }

    /// Reads a document. One that was stored before an interruption is read
    /// again for what is told of it beside its links. Sitemaps that it lists
    /// are noted, `depth` being how far it is from an input itself.
    async fn load_document(&mut self, document: Document, depth: u32) -> Result<(), EngineError> {
        let sniffed = || (pages::is_index(&document), pages::most_links(&document, depth));
        let Ok((is_index, most)) = isolate(&document.label, sniffed) else {
            self.note_unread(&document.label);
            return Ok(());
        };
        self.loaded.documents += 1;
        self.loading.add_document();
        let id = self.begin_document(&document.label, document.content.hash()).await?;
        let mut reader = LinkStream::start(self.source(&document, most));
        let mut position = 0;
        while let Some(piece) = reader.next().await {
            match piece {
                ReaderEvent::Said(DocumentIssues { problems, expired }) => {
                    self.loaded.problems.add(&document.label, problems);
                    self.loaded.expired.add(&document.label, expired);
                }
                ReaderEvent::Links(links) => {
                    if is_index {
                        let listed = || self.list_sitemaps(&document, &links, depth);
                        if isolate(&document.label, listed).is_err() {
                            self.note_unread(&document.label);
                        }
                    }
                    let count = links.len();
                    self.store_links(id, position, links).await?;
                    position += count;
                }
            }
            // The asker runs in the same task and wants its turn.
            tokio::task::yield_now().await;
        }
        if let Some(id) = id {
            self.ports.store.finish_document(id).await?;
        }
        Ok(())
    }

    fn source(&self, document: &Document, most: usize) -> DocumentJob {
        let column = self.settings.reading.column.clone();
        let today = self.ports.now().to_zoned(TimeZone::UTC).date();
        DocumentJob {
            format: document.format,
            options: Options { column, ..Options::of_name(inner_name(&document.label)) },
            label: document.label.clone(),
            content: document.content.clone(),
            files: Arc::clone(&self.ports.files),
            today,
            most,
            resolver: LinkResolver::new(
                self.settings,
                document.format,
                document.base.clone(),
                document.content.head(),
            ),
        }
    }

    /// Notes the pages on which places are wanted.
    fn note_wanted(&mut self, links: &[NewLink]) {
        for link in links.iter().filter(|link| link.fragment.is_some()) {
            if let NewTarget::Web { url, .. } = &link.target {
                self.brought.want(url);
            }
        }
    }

    /// Notes that a document was not read to its end because of an internal
    /// error.
    fn note_unread(&mut self, label: &str) {
        let text = Panicked.to_string();
        self.loaded.problems.push(Diagnostic { path: label.to_owned(), line: None, text });
    }

    /// Follows a local link.
    async fn look_on_disk(&mut self, local: &LocalLink, given: &str) -> LocalLinkResult {
        let looked = isolate_async(given, self.shelf.check(local)).await;
        looked.unwrap_or_else(|_| local_check::internal_error(local))
    }

    /// Stores links; without a document they are only counted.
    async fn store_links(
        &mut self,
        document: Option<DocumentId>,
        first: usize,
        links: Vec<ReadLink>,
    ) -> Result<(), EngineError> {
        let mut new: Vec<NewLink> = Vec::with_capacity(links.len());
        for ReadLink { location: place, original_url: given, meaning, fragment, hidden } in links {
            self.loaded.links += 1;
            let target = match meaning {
                LinkResolution::Target(target) => Ok(target),
                LinkResolution::File(local) => match self.look_on_disk(&local, &given).await {
                    LocalLinkResult::Settled(target) => Ok(target),
                    LocalLinkResult::Skipped(skip) => Err(skip),
                },
                LinkResolution::Skipped(skip) => Err(skip),
                LinkResolution::LeftOut => {
                    self.loaded.left_out += 1;
                    continue;
                }
            };
            match target {
                Ok(target) => new.push(NewLink {
                    location: place,
                    original_url: given,
                    target,
                    fragment,
                    ignored_codes: hidden,
                }),
                Err(skip) => self.loaded.skipped.add(skip),
            }
        }
        for problem in self.shelf.take_problems() {
            self.loaded.problems.push(problem);
        }
        self.note_wanted(&new);
        let Some(document) = document else { return Ok(()) };
        let moments = CacheWindow { now: self.ports.now(), fresh_since: self.settings.fresh_since };
        let batch = LinkBatch { document, first, links: &new, cache_window: moments };
        self.ports.store.add_links(self.run, batch).await?;
        self.loading.add_chunk(new.len());
        Ok(())
    }
}

pub(super) fn unreadable(path: String, error: &FileError) -> Diagnostic {
    let why = std::error::Error::source(error).map(ToString::to_string);
    let text = why.map_or_else(|| error.to_string(), |why| format!("it cannot be read: {why}"));
    Diagnostic { path, line: None, text }
}

fn argument(number: u32, given: &str) -> Link {
    let span = Span { start: 0, end: given.len() };
    Link {
        location: SourceLocation { span, line: number, column: 1, kind: LinkKind::Argument },
        raw: given.to_owned(),
        target: LinkTarget::Web(given.to_owned()),
    }
}
