//! Loader: reads the inputs and stores their links and tasks.

mod anchor_check;
mod asciidoc_images;
mod attribute_files;
mod code_tags;
mod diagnostics;
mod directory_cache;
mod document_content;
mod file_lookup;
mod ignore_rules;
mod includers;
mod includes;
mod inputs;
mod label_check;
mod labels;
mod listing;
mod load_progress;
mod local;
mod local_check;
mod name_check;
mod pages;
mod plugin_headings;
mod project;
mod read_options;
mod reader;
mod resolve;
mod site_check;
mod site_lookup;
mod skip;
mod source_labels;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_frontier::{PolitenessPolicy, UrlFilter, canonicalize, host_key};
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
pub use self::document_content::content_hash;
use self::ignore_rules::IgnoreRules;
pub use self::inputs::Input;
pub use self::inputs::{ResolvedInput, may_list_sitemaps, resolve_inputs};
use self::load_progress::LoadHandoff;
pub use self::load_progress::{LoadProgress, ProbedPage};
use self::local::LocalLink;
use self::local_check::{LocalLinkChecker, LocalLinkResult};
use self::pages::SitemapQueue;
pub use self::project::AssumedSite;
pub use self::read_options::{LocalRules, PathMap, ReadOptions, SiteChoice};
use self::reader::{DocumentIssues, DocumentJob, LinkStream, ReadLink, ReaderEvent};
use self::resolve::{LinkResolution, LinkResolver};
pub use self::skip::{CheckSkipReason, SkipCounts};
use crate::binary::binary_problem;
use crate::decompress::{DecompressError, DecompressLimits, decompress, inner_name, is_gzip};
use relink_requests::{
    EngineError, Panicked, PoliteFetch, PoliteFetchSettings, Ports, RobotsUse, StopSignal, isolate,
    isolate_async,
};

/// Label of the document with the URLs given as arguments.
const ARGUMENTS: &str = "arguments";
/// Label of standard input.
const STDIN: &str = "stdin";

/// Settings of the loader.
#[derive(Debug, Clone)]
pub struct LoadSettings {
    /// The inputs.
    pub inputs: Vec<Input>,
    /// Filter for URLs and documents.
    pub scope: UrlFilter,
    /// Whether only local links are checked.
    pub is_offline: bool,
    /// Earliest check time of an `alive` result that is reused.
    pub fresh_since: Timestamp,
    /// How documents are read.
    pub read_options: ReadOptions,
    /// Rate limits per host for pages and sitemaps among the inputs.
    pub politeness: PolitenessPolicy,
    /// Maximum wait for a host. A page or sitemap of a host that requests more is not read.
    pub max_host_wait: Duration,
    /// Number of retries after a transient failure of a page or sitemap.
    pub retries: u32,
    /// Maximum number of bytes read from an input page.
    pub max_page_bytes: usize,
    /// The commit that is checked out in the repository of the inputs, if there is
    /// one.
    pub revision: Option<String>,
}

/// Statistics and problems of the loader.
#[derive(Debug, Clone, Default)]
pub struct LoadSummary {
    /// Documents read.
    pub documents: u64,
    /// Documents that are not read because they are test data or belong to a
    /// dependency.
    pub auxiliary: u64,
    /// Documents that a filter of the user excludes.
    pub excluded: u64,
    /// Links found, checked or not.
    pub links: u64,
    /// Links that are not checked, by reason.
    pub skipped: SkipCounts,
    /// Inputs or parts of them that could not be read.
    pub problems: Diagnostics,
    /// Expired `relink:ignore` directives.
    pub expired: Diagnostics,
    /// Site generators whose rules were applied to local links.
    pub sites: Vec<AssumedSite>,
    /// Whether loading was interrupted.
    pub is_interrupted: bool,
}

/// Reads inputs into the store.
pub struct Loader<'a> {
    ports: &'a Ports,
    run: RunId,
    settings: &'a LoadSettings,
    progress: &'a LoadProgress,
    summary: LoadSummary,
    documents: Vec<DocumentId>,
    local_checker: LocalLinkChecker<'a>,
    handoff: LoadHandoff,
    /// Sitemaps listed in documents.
    sitemaps: SitemapQueue,
    /// Sends the requests for pages and sitemaps among the inputs.
    fetch: PoliteFetch<'a>,
}

/// Content of a document, and the error that ended its decompression early.
type OpenResult = Result<(DocumentContent, Option<DecompressError>), FileError>;

/// A document to parse.
struct InputDocument {
    label: String,
    content: DocumentContent,
    format: DocumentFormat,
    base: DocumentBase,
}

/// Base of the relative links of a document.
#[derive(Debug, Clone)]
enum DocumentBase {
    /// The directory of a local document, and its path if it is a file.
    Folder { folder: PathBuf, document_path: Option<PathBuf> },
    /// The URL of a web document, and the permissions of requests to it.
    Web { url: Url, rights: RequestRights },
}

impl DocumentBase {
    /// Base of a document without a file, such as standard input.
    fn without_file() -> Self {
        Self::Folder { folder: PathBuf::new(), document_path: None }
    }

    fn from_file(path: &Path) -> Self {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self::Folder { folder, document_path: Some(path.to_owned()) }
    }

    fn is_on_web(&self) -> bool {
        matches!(self, Self::Web { .. })
    }

    /// Returns the permissions for a URL in the document. URLs in local
    /// documents count as given by the user. A page passes its permissions on
    /// to URLs of the same host and port.
    fn rights_for(&self, url: &Url) -> RequestRights {
        match self {
            Self::Folder { .. } => RequestRights::user_supplied(),
            Self::Web { url: page, rights } => rights.inherit(page, url),
        }
    }
}

impl<'a> Loader<'a> {
    /// Creates a loader for a run. It adds links and tasks to the run until `load` ends.
    pub fn new(
        ports: &'a Ports,
        run: RunId,
        settings: &'a LoadSettings,
        progress: &'a LoadProgress,
    ) -> Self {
        let (summary, documents, handoff, sitemaps) = Default::default();
        let fetch = PoliteFetch::new(PoliteFetchSettings {
            fetch: &*ports.fetch,
            clock: &*ports.clock,
            store: Some(&*ports.store),
            politeness: settings.politeness,
            max_host_wait: settings.max_host_wait,
            // The user names the pages, as in a list of URLs.
            robots: RobotsUse::Ignore,
        });
        let paths = settings.inputs.iter().filter_map(|input| match input {
            Input::Path(path) => Some(path.clone()),
            Input::Page { .. } | Input::Stdin(_) | Input::Spooled(_) => None,
        });
        let local_checker = LocalLinkChecker::new(
            &ports.files,
            &settings.read_options,
            paths.collect(),
            settings.is_offline,
        );
        Self {
            ports,
            run,
            settings,
            progress,
            summary,
            documents,
            local_checker,
            handoff,
            sitemaps,
            fetch,
        }
    }

    /// Reads all inputs. Documents that were stored before an interruption are
    /// not stored again, unless their content changed.
    pub async fn load(
        mut self,
        inputs: Vec<ResolvedInput<'_>>,
        stop: &StopSignal,
    ) -> Result<LoadSummary, EngineError> {
        self.load_arguments().await?;
        for input in inputs {
            match input {
                ResolvedInput::Files(WalkResult { documents, unreadable, auxiliary }) => {
                    self.summary.auxiliary += auxiliary;
                    self.report_unreadable(&unreadable);
                    self.load_files(documents, stop).await?;
                }
                ResolvedInput::Page(url) => self.load_page(url, stop).await?,
                ResolvedInput::Stdin(bytes) => self.load_stdin(bytes).await?,
                ResolvedInput::Spooled(path) => self.load_spooled(path).await?,
            }
            if stop.is_stopped() {
                self.summary.is_interrupted = true;
                return Ok(self.summary);
            }
        }
        self.load_sitemaps(stop).await?;
        if stop.is_stopped() {
            self.summary.is_interrupted = true;
            return Ok(self.summary);
        }
        self.summary.sites = self.local_checker.assumed_sites();
        self.ports.store.finish_loading(self.run, &self.documents).await?;
        self.progress.finish(self.handoff);
        Ok(self.summary)
    }

    /// Reports paths below the inputs that could not be read.
    fn report_unreadable(&mut self, errors: &[FileError]) {
        for error in errors {
            self.summary.problems.push(unreadable(error.path().to_owned(), error));
        }
    }

    async fn load_files(
        &mut self,
        sources: Vec<DocumentSource>,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        let is_single_file = sources.len() == 1;
        for source in sources {
            if stop.is_stopped() {
                return Ok(());
            }
            if self.settings.scope.excludes(&source.label) {
                self.summary.excluded += 1;
                continue;
            }
            // A pipe may never send data.
            let opened = tokio::select! {
                opened = self.open(&source) => opened,
                () = stop.stopped() => return Ok(()),
            };
            let content = match opened {
                Err(_) => {
                    self.report_panic(&source.label);
                    continue;
                }
                Ok(Ok((content, error))) => {
                    self.summary.problems.push_error(&source.label, error);
                    content
                }
                Ok(Err(error)) if is_single_file => return Err(error.into()),
                // The other documents can still be checked.
                Ok(Err(error)) => {
                    self.summary.problems.push(unreadable(source.label, &error));
                    continue;
                }
            };
            self.report_binary(&source.label, &content);
            let site_format = self.local_checker.site_format(&source.path).await;
            let detect = || {
                let name = inner_name(&source.label);
                site_format.unwrap_or_else(|| DocumentFormat::from_file(Some(name), content.head()))
            };
            let Ok(format) = isolate(&source.label, || self.format(detect)) else {
                self.report_panic(&source.label);
                continue;
            };
            let document = InputDocument {
                format,
                base: DocumentBase::from_file(&source.path),
                label: source.label,
                content,
            };
            self.load_document(document, 0).await?;
        }
        Ok(())
    }

    /// Reports a document that may not be text.
    fn report_binary(&mut self, label: &str, content: &DocumentContent) {
        if let Some(text) = binary_problem(self.settings.read_options.format, content.head()) {
            let (path, text) = (label.to_owned(), text.to_owned());
            self.summary.problems.push(Diagnostic { path, line: None, text });
        }
    }

    /// Reads a file on a blocking thread. A large file is only hashed.
    async fn open(&self, source: &DocumentSource) -> Result<OpenResult, Panicked> {
        let files = Arc::clone(&self.ports.files);
        let DocumentSource { path, label } = source.clone();
        let is_inline = self.settings.is_offline && files.can_reopen(&path);
        let work = move || isolate(&label, || document_content::open(&*files, &path));
        // No other task waits for this thread if the run is offline.
        if is_inline {
            return work();
        }
        tokio::task::spawn_blocking(work).await.unwrap_or(Err(Panicked))
    }

    async fn load_stdin(&mut self, bytes: &Arc<[u8]>) -> Result<(), EngineError> {
        if !is_gzip(bytes) {
            return self.load_stdin_content(DocumentContent::InMemory(Arc::clone(bytes))).await;
        }
        let (bytes, error) = decompress(bytes, DecompressLimits::default());
        let error = error.and_then(|error| error.downcast().ok());
        self.summary.problems.push_error(STDIN, error);
        self.load_stdin_content(DocumentContent::InMemory(bytes.into())).await
    }

    async fn load_spooled(&mut self, path: &Path) -> Result<(), EngineError> {
        let source = DocumentSource { label: STDIN.to_owned(), path: path.to_owned() };
        let Ok(opened) = self.open(&source).await else {
            self.report_panic(STDIN);
            return Ok(());
        };
        let (content, error) = opened?;
        self.summary.problems.push_error(STDIN, error);
        self.load_stdin_content(content).await
    }

    /// Reads the content of standard input.
    async fn load_stdin_content(&mut self, content: DocumentContent) -> Result<(), EngineError> {
        self.report_binary(STDIN, &content);
        let detect = || DocumentFormat::from_file(None, content.head());
        let Ok(format) = isolate(STDIN, || self.format(detect)) else {
            self.report_panic(STDIN);
            return Ok(());
        };
        let document = InputDocument {
            label: STDIN.to_owned(),
            format,
            content,
            base: DocumentBase::without_file(),
        };
        self.load_document(document, 0).await
    }

    /// Stores the pages given as arguments as link targets.
    async fn load_arguments(&mut self) -> Result<(), EngineError> {
        let pages: Vec<&str> = self
            .settings
            .inputs
            .iter()
            .filter_map(|input| match input {
                Input::Page { original_url, .. } => Some(original_url.as_str()),
                Input::Path(_) | Input::Stdin(_) | Input::Spooled(_) => None,
            })
            .collect();
        if pages.is_empty() {
            return Ok(());
        }
        let document = self.begin_document(ARGUMENTS, xxh3_64(pages.join("\n").as_bytes())).await?;
        let Some(document) = document else { return Ok(()) };
        let resolver = LinkResolver::new(
            self.settings,
            DocumentFormat::UrlList,
            DocumentBase::without_file(),
            &[],
        );
        let ignore_rules = IgnoreRules::default();
        let links = (1..).zip(pages).map(|(n, original_url)| {
            ReadLink::new(&argument_link(n, original_url), &resolver, &ignore_rules)
        });
        self.store_links(Some(document), 0, links.collect()).await?;
        self.ports.store.finish_document(document).await?;
        Ok(())
    }

    /// Returns the format set by the user, or detects it.
    fn format(&self, detect: impl FnOnce() -> DocumentFormat) -> DocumentFormat {
        self.settings.read_options.format.unwrap_or_else(detect)
    }

    /// Registers a document. Returns `None` if its links are stored already.
    async fn begin_document(
        &mut self,
        label: &str,
        content_hash: u64,
    ) -> Result<Option<DocumentId>, EngineError> {
        let revision = self.ports.files.revision(label);
        let revision = revision.or_else(|| self.settings.revision.clone());
        let new = NewDocument { label: label.to_owned(), content_hash, revision };
        let loaded = self.ports.store.load_document(self.run, &new).await?;
        self.documents.push(loaded.id);
        Ok((!loaded.is_unchanged).then_some(loaded.id))
    }

    /// Reads a document. A document that was stored before an interruption is
    /// read again for its problems and statistics. `depth` is the number of
    /// sitemap indexes above the document.
    async fn load_document(
        &mut self,
        document: InputDocument,
        depth: u32,
    ) -> Result<(), EngineError> {
        let detect = || (pages::is_index(&document), pages::max_links(&document, depth));
        let Ok((is_index, max_links)) = isolate(&document.label, detect) else {
            self.report_panic(&document.label);
            return Ok(());
        };
        self.summary.documents += 1;
        self.progress.add_document();
        let id = self.begin_document(&document.label, document.content.hash()).await?;
        let variables = match &document.base {
            DocumentBase::Folder { document_path: Some(path), .. } => {
                self.local_checker.variables(path).await
            }
            DocumentBase::Folder { .. } | DocumentBase::Web { .. } => None,
        };
        let mut job = self.document_job(&document, max_links);
        job.resolver = job.resolver.with_variables(variables);
        let mut stream = LinkStream::start(job, self.settings.is_offline);
        let mut position = 0;
        while let Some(event) = stream.next().await {
            match event {
                ReaderEvent::Issues(DocumentIssues { problems, expired }) => {
                    self.summary.problems.add(&document.label, problems);
                    self.summary.expired.add(&document.label, expired);
                }
                ReaderEvent::Links(links) => {
                    if is_index {
                        let list = || self.list_sitemaps(&document, &links, depth);
                        if isolate(&document.label, list).is_err() {
                            self.report_panic(&document.label);
                        }
                    }
                    let count = links.len();
                    self.store_links(id, position, links).await?;
                    position += count;
                }
            }
            // The dispatcher runs in the same task.
            tokio::task::yield_now().await;
        }
        if let Some(id) = id {
            self.ports.store.finish_document(id).await?;
        }
        Ok(())
    }

    fn document_job(&self, document: &InputDocument, max_links: usize) -> DocumentJob {
        let column = self.settings.read_options.column.clone();
        let today = self.ports.now().to_zoned(TimeZone::UTC).date();
        DocumentJob {
            format: document.format,
            options: Options { column, ..Options::from_file_name(inner_name(&document.label)) },
            label: document.label.clone(),
            content: document.content.clone(),
            files: Arc::clone(&self.ports.files),
            today,
            max_links,
            resolver: LinkResolver::new(
                self.settings,
                document.format,
                document.base.clone(),
                document.content.head(),
            ),
        }
    }

    /// Records the pages whose anchors are needed.
    fn record_needed_anchors(&mut self, links: &[NewLink]) {
        for link in links.iter().filter(|link| link.fragment.is_some()) {
            if let NewTarget::Web { url, .. } = &link.target {
                self.handoff.require_anchors(url);
            }
        }
    }

    /// Reports that a document could not be read completely because of a panic.
    fn report_panic(&mut self, label: &str) {
        let text = Panicked.to_string();
        self.summary.problems.push(Diagnostic { path: label.to_owned(), line: None, text });
    }

    /// Checks a local link.
    async fn check_local_link(&mut self, local: &LocalLink, original_url: &str) -> LocalLinkResult {
        let result = isolate_async(original_url, self.local_checker.check(local)).await;
        result.unwrap_or_else(|_| local_check::internal_error(local))
    }

    /// Returns the target of a link that leads to another site of the same host.
    fn other_site(&self, url: &str, original_url: &str) -> Result<NewTarget, CheckSkipReason> {
        // Others must not choose URLs that are requested with the user's rights.
        if self.settings.read_options.is_third_party {
            return Err(CheckSkipReason::OtherSite);
        }
        let Ok(url) = canonicalize(None, url) else { return Err(CheckSkipReason::OtherSite) };
        if !self.settings.scope.matches_any(&[original_url, url.as_str()]) {
            return Err(CheckSkipReason::Excluded);
        }
        if self.settings.is_offline {
            return Err(CheckSkipReason::Offline);
        }
        let rights = DocumentBase::without_file().rights_for(&url);
        Ok(NewTarget::Web { host: host_key(&url), rights, url: url.into() })
    }

    /// Whether the user's patterns admit a local link: as written, or by the path
    /// that it leads to.
    fn admits(&self, target: &NewTarget, original_url: &str) -> bool {
        let NewTarget::Local { key, .. } = target else { return true };
        let path = key.split_once(':').map_or(key.as_str(), |(_, path)| path);
        self.settings.scope.matches_any(&[original_url, key, path])
    }

    /// Stores links. Without a document, they are only counted.
    async fn store_links(
        &mut self,
        document: Option<DocumentId>,
        first: usize,
        links: Vec<ReadLink>,
    ) -> Result<(), EngineError> {
        let mut new: Vec<NewLink> = Vec::with_capacity(links.len());
        for ReadLink { location, original_url, resolution, fragment, ignored_codes } in links {
            self.summary.links += 1;
            let target = match resolution {
                LinkResolution::Target(target) => Ok(target),
                LinkResolution::File(local) => {
                    match self.check_local_link(&local, &original_url).await {
                        LocalLinkResult::Checked(target) if self.admits(&target, &original_url) => {
                            Ok(target)
                        }
                        LocalLinkResult::Checked(_) => Err(CheckSkipReason::Excluded),
                        LocalLinkResult::Skipped(skip) => Err(skip),
                        LocalLinkResult::Text => continue,
                        LocalLinkResult::Web(url) => self.other_site(&url, &original_url),
                    }
                }
                LinkResolution::Skipped(skip) => Err(skip),
            };
            match target {
                Ok(target) => {
                    new.push(NewLink { location, original_url, target, fragment, ignored_codes });
                }
                Err(skip) => self.summary.skipped.add(skip),
            }
        }
        for problem in self.local_checker.take_problems() {
            self.summary.problems.push(problem);
        }
        self.record_needed_anchors(&new);
        let Some(document) = document else { return Ok(()) };
        let cache_window =
            CacheWindow { now: self.ports.now(), fresh_since: self.settings.fresh_since };
        let batch = LinkBatch { document, first_position: first, links: &new, cache_window };
        self.ports.store.add_links(self.run, batch).await?;
        self.progress.add_batch(new.len());
        Ok(())
    }
}

pub(super) fn unreadable(path: String, error: &FileError) -> Diagnostic {
    let why = std::error::Error::source(error).map(ToString::to_string);
    let text = why.map_or_else(|| error.to_string(), |why| format!("cannot be read: {why}"));
    Diagnostic { path, line: None, text }
}

fn argument_link(number: u32, original_url: &str) -> Link {
    let span = Span { start: 0, end: original_url.len() };
    Link {
        location: SourceLocation { span, line: number, column: 1, kind: LinkKind::Argument },
        raw: original_url.to_owned(),
        target: LinkTarget::Web(original_url.to_owned()),
    }
}
