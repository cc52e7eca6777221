//! From inputs to links and errands in the store.

mod local;
mod reader;
mod resolve;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use relink_frontier::Scope;
use relink_model::{Link, LinkTarget, Place, PlaceKind, Probe, RunId, Span};
use relink_page::Format;
use relink_ports::{DocumentId, LinkBatch, NewDocument, NewLink, Walk};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use self::reader::{Chunk, Reader};
use self::resolve::Resolver;
use crate::ask::look;
use crate::{EngineFault, Observer, Ports, Progress, Stop};

/// The label of the document that holds addresses given as arguments.
const ARGUMENTS: &str = "arguments";
/// The label of standard input.
const STDIN: &str = "stdin";

/// One thing to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file, a directory or a glob.
    Path(String),
    /// A page on the web.
    Page(Url),
    /// Standard input, read to its end.
    Stdin(Arc<[u8]>),
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.write_str(path),
            Self::Page(url) => f.write_str(url.as_str()),
            Self::Stdin(_) => f.write_str("-"),
        }
    }
}

/// What to read, and which of its links to take.
#[derive(Debug, Clone)]
pub struct LoadSettings {
    /// What to read.
    pub inputs: Vec<Input>,
    /// Which addresses and documents take part.
    pub scope: Scope,
    /// Whether only local links are looked at.
    pub is_offline: bool,
    /// Targets found alive at this moment or later need not be asked again.
    pub fresh_since: Timestamp,
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Documents read.
    pub documents: u64,
    /// Links found, whether or not they are checked.
    pub links: u64,
    /// Links that lead to no page, by their form.
    pub skipped: u64,
    /// Links left out by the scope or because the run is offline.
    pub left_out: u64,
    /// Whether reading was stopped halfway.
    pub is_interrupted: bool,
    /// What the pages among the inputs answered, so that they need not be
    /// asked twice.
    pub(crate) pages: HashMap<String, Probe>,
}

/// Reads inputs into the store.
pub(crate) struct Loader<'a> {
    ports: &'a Ports,
    run: RunId,
    settings: &'a LoadSettings,
    loaded: Loaded,
    documents: Vec<DocumentId>,
}

/// A document that was read, with all that its links are seen from.
struct Document {
    label: String,
    bytes: Arc<[u8]>,
    format: Format,
    standing: Standing,
}

/// Where a document stands: what its relative links are relative to.
#[derive(Debug, Clone)]
enum Standing {
    /// On the disk, in this directory.
    Folder(PathBuf),
    /// On the web, at this address.
    Web(Url),
}

impl<'a> Loader<'a> {
    pub(crate) fn new(ports: &'a Ports, run: RunId, settings: &'a LoadSettings) -> Self {
        Self { ports, run, settings, loaded: Loaded::default(), documents: Vec::new() }
    }

    /// Reads every input. What was read before an interruption is kept and not
    /// read again, unless its bytes changed.
    pub(crate) async fn load(
        mut self,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<Loaded, EngineFault> {
        let settings = self.settings;
        self.load_arguments().await?;
        for input in &settings.inputs {
            if stop.is_raised() {
                self.loaded.is_interrupted = true;
                return Ok(self.loaded);
            }
            match input {
                Input::Path(path) => self.load_path(path, observer, stop).await?,
                Input::Page(url) => self.load_page(url, observer).await?,
                Input::Stdin(bytes) => self.load_stdin(bytes, observer).await?,
            }
        }
        if !self.loaded.is_interrupted {
            self.ports.store.finish_loading(self.run, &self.documents).await?;
        }
        Ok(self.loaded)
    }

    async fn load_path(
        &mut self,
        path: &str,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<(), EngineFault> {
        let walk = Walk { inputs: vec![path.to_owned()] };
        for source in self.ports.files.walk(&walk).await? {
            if stop.is_raised() {
                self.loaded.is_interrupted = true;
                return Ok(());
            }
            if self.settings.scope.excludes(&source.label) {
                continue;
            }
            let bytes: Arc<[u8]> = self.ports.files.read(&source.path).await?.into();
            let folder = source.path.parent().unwrap_or(Path::new("")).to_owned();
            let document = Document {
                format: Format::of_file(Some(&source.label), &bytes),
                label: source.label,
                bytes,
                standing: Standing::Folder(folder),
            };
            self.load_document(document, observer).await?;
        }
        Ok(())
    }

    async fn load_stdin(
        &mut self,
        bytes: &Arc<[u8]>,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let document = Document {
            label: STDIN.to_owned(),
            format: Format::of_file(None, bytes),
            bytes: Arc::clone(bytes),
            standing: Standing::Folder(PathBuf::new()),
        };
        self.load_document(document, observer).await
    }

    async fn load_page(
        &mut self,
        url: &Url,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        if self.settings.is_offline {
            return Ok(());
        }
        let (probe, body) = look(self.ports, url, true).await;
        let last = probe.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        self.loaded.pages.insert(url.to_string(), probe);
        let Some(body) = body else { return Ok(()) };
        let content_type = body.content_type.as_deref();
        let Some(format) = Format::of_content_type(content_type, &body.bytes) else {
            return Ok(());
        };
        let document = Document {
            label: url.to_string(),
            bytes: body.bytes.to_vec().into(),
            format,
            standing: Standing::Web(last.unwrap_or_else(|| url.clone())),
        };
        self.load_document(document, observer).await
    }

    /// Pages given as arguments are targets themselves.
    async fn load_arguments(&mut self) -> Result<(), EngineFault> {
        let pages: Vec<&Url> = self
            .settings
            .inputs
            .iter()
            .filter_map(|input| match input {
                Input::Page(url) => Some(url),
                Input::Path(_) | Input::Stdin(_) => None,
            })
            .collect();
        if pages.is_empty() {
            return Ok(());
        }
        let listing: String = pages.iter().map(|url| format!("{url}\n")).collect();
        let document = self.begin_document(ARGUMENTS, listing.as_bytes()).await?;
        let Some(document) = document else { return Ok(()) };
        let links: Vec<Link> = (1..).zip(pages).map(|(n, url)| argument(n, url)).collect();
        let standing = Standing::Folder(PathBuf::new());
        let resolver = Resolver::new(self.ports, self.settings, &standing, None);
        let chunk = Chunk { base: None, links };
        self.store_chunk(document, 0, chunk, resolver).await?;
        self.ports.store.finish_document(document).await?;
        Ok(())
    }

    /// Registers a document; `None` if its links are stored already.
    async fn begin_document(
        &mut self,
        label: &str,
        bytes: &[u8],
    ) -> Result<Option<DocumentId>, EngineFault> {
        let new = NewDocument { label: label.to_owned(), content: xxh3_64(bytes) };
        let loaded = self.ports.store.load_document(self.run, &new).await?;
        self.documents.push(loaded.id);
        Ok((!loaded.is_unchanged).then_some(loaded.id))
    }

    async fn load_document(
        &mut self,
        document: Document,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        self.loaded.documents += 1;
        let Some(id) = self.begin_document(&document.label, &document.bytes).await? else {
            return Ok(());
        };
        let standing = document.standing.clone();
        let mut reader = Reader::start(document.format, document.bytes);
        let mut position = 0;
        while let Some(chunk) = reader.next().await {
            let count = chunk.links.len();
            let resolver =
                Resolver::new(self.ports, self.settings, &standing, chunk.base.as_deref());
            self.store_chunk(id, position, chunk, resolver).await?;
            position += count;
            observer.progress(&Progress::Loading {
                documents: self.loaded.documents,
                links: self.loaded.links,
            });
        }
        self.ports.store.finish_document(id).await?;
        Ok(())
    }

    async fn store_chunk(
        &mut self,
        document: DocumentId,
        first: usize,
        chunk: Chunk,
        resolver: Resolver<'_>,
    ) -> Result<(), EngineFault> {
        let mut links: Vec<NewLink> = Vec::with_capacity(chunk.links.len());
        for link in chunk.links {
            self.loaded.links += 1;
            match resolver.resolve(&link).await {
                resolve::Meaning::Target(target) => links.push(NewLink {
                    place: link.place,
                    given: resolve::given(&link, &target),
                    target,
                }),
                resolve::Meaning::Skipped => self.loaded.skipped += 1,
                resolve::Meaning::LeftOut => self.loaded.left_out += 1,
            }
        }
        let batch = LinkBatch {
            document,
            first,
            links: &links,
            now: self.ports.now(),
            fresh_since: self.settings.fresh_since,
        };
        self.ports.store.add_links(self.run, batch).await?;
        Ok(())
    }
}

fn argument(number: u32, url: &Url) -> Link {
    let text = url.to_string();
    let span = Span { start: 0, end: text.len() };
    Link {
        place: Place { span, line: number, column: 1, kind: PlaceKind::Argument },
        raw: text.clone(),
        target: LinkTarget::Web(text),
    }
}
