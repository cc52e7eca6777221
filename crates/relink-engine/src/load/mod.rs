//! From inputs to links and errands in the store.

mod loading;
mod local;
mod reader;
mod resolve;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use relink_frontier::Scope;
use relink_judge::codes;
use relink_model::{Link, LinkTarget, Place, PlaceKind, Probe, RunId, Span, Word};
use relink_page::Format;
use relink_ports::{
    Agent, DocumentId, DocumentSource, LinkBatch, NewDocument, NewLink, NewTarget, Walk,
};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

pub(crate) use self::loading::Loading;
use self::local::LocalLink;
use self::reader::{ReadLink, Reader};
use self::resolve::{Meaning, Resolver};
use crate::look::{LookAt, look};
use crate::{EngineFault, Ports, Stop};

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
    Page {
        /// Its address as given.
        given: String,
        /// Its canonical address.
        url: Url,
    },
    /// Standard input, read to its end.
    Stdin(Arc<[u8]>),
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.write_str(path),
            Self::Page { url, .. } => f.write_str(url.as_str()),
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
}

/// Reads inputs into the store.
pub(crate) struct Loader<'a> {
    ports: &'a Ports,
    run: RunId,
    settings: &'a LoadSettings,
    loading: &'a Loading,
    loaded: Loaded,
    documents: Vec<DocumentId>,
    /// What the pages among the inputs answered, so that they need not be
    /// asked twice.
    pages: HashMap<String, Probe>,
}

/// An input with the files it stands for.
pub(crate) enum Found<'a> {
    Files(Vec<DocumentSource>),
    Page(&'a Url),
    Stdin(&'a Arc<[u8]>),
}

/// Finds the files that the inputs stand for, so that a missing one is known
/// before anything is asked. A file that several of them stand for is found
/// once.
pub(crate) async fn find<'a>(
    ports: &Ports,
    settings: &'a LoadSettings,
) -> Result<Vec<Found<'a>>, EngineFault> {
    let mut walk = Walk { inputs: Vec::new() };
    let mut others = Vec::new();
    for input in &settings.inputs {
        match input {
            Input::Path(path) => walk.inputs.push(path.clone()),
            Input::Page { url, .. } => others.push(Found::Page(url)),
            Input::Stdin(bytes) => others.push(Found::Stdin(bytes)),
        }
    }
    let mut found = vec![Found::Files(ports.files.walk(&walk).await?)];
    found.append(&mut others);
    Ok(found)
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
    pub(crate) fn new(
        ports: &'a Ports,
        run: RunId,
        settings: &'a LoadSettings,
        loading: &'a Loading,
    ) -> Self {
        let (loaded, documents, pages) = Default::default();
        Self { ports, run, settings, loading, loaded, documents, pages }
    }

    /// Reads every input. What was read before an interruption is kept and not
    /// read again, unless its bytes changed.
    pub(crate) async fn load(
        mut self,
        inputs: Vec<Found<'_>>,
        stop: &Stop,
    ) -> Result<Loaded, EngineFault> {
        self.load_arguments().await?;
        for input in inputs {
            match input {
                Found::Files(sources) => self.load_files(sources, stop).await?,
                Found::Page(url) => self.load_page(url, stop).await?,
                Found::Stdin(bytes) => self.load_stdin(bytes).await?,
            }
            if stop.is_raised() {
                self.loaded.is_interrupted = true;
                return Ok(self.loaded);
            }
        }
        self.ports.store.finish_loading(self.run, &self.documents).await?;
        self.loading.finish(self.pages);
        Ok(self.loaded)
    }

    async fn load_files(
        &mut self,
        sources: Vec<DocumentSource>,
        stop: &Stop,
    ) -> Result<(), EngineFault> {
        for source in sources {
            if stop.is_raised() {
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
            self.load_document(document).await?;
        }
        Ok(())
    }

    async fn load_stdin(&mut self, bytes: &Arc<[u8]>) -> Result<(), EngineFault> {
        let document = Document {
            label: STDIN.to_owned(),
            format: Format::of_file(None, bytes),
            bytes: Arc::clone(bytes),
            standing: Standing::Folder(PathBuf::new()),
        };
        self.load_document(document).await
    }

    async fn load_page(&mut self, url: &Url, stop: &Stop) -> Result<(), EngineFault> {
        if self.settings.is_offline {
            return Ok(());
        }
        let at = LookAt { url, is_named: true, agent: Agent::Plain };
        let (probe, body) = tokio::select! {
            looked = look(&*self.ports.fetch, &*self.ports.clock, at) => looked,
            () = stop.raised() => return Ok(()),
        };
        let last = probe.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        self.pages.insert(url.to_string(), probe);
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
        self.load_document(document).await
    }

    /// Pages given as arguments are targets themselves.
    async fn load_arguments(&mut self) -> Result<(), EngineFault> {
        let pages: Vec<&str> = self
            .settings
            .inputs
            .iter()
            .filter_map(|input| match input {
                Input::Page { given, .. } => Some(given.as_str()),
                Input::Path(_) | Input::Stdin(_) => None,
            })
            .collect();
        if pages.is_empty() {
            return Ok(());
        }
        let document = self.begin_document(ARGUMENTS, pages.join("\n").as_bytes()).await?;
        let Some(document) = document else { return Ok(()) };
        let resolver = self.resolver(Standing::Folder(PathBuf::new()));
        let links =
            (1..).zip(pages).map(|(n, given)| ReadLink::new(&argument(n, given), &resolver));
        self.store_links(document, 0, links.collect()).await?;
        self.ports.store.finish_document(document).await?;
        Ok(())
    }

    fn resolver(&self, standing: Standing) -> Resolver {
        Resolver::new(&self.settings.scope, self.settings.is_offline, standing)
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

    async fn load_document(&mut self, document: Document) -> Result<(), EngineFault> {
        self.loaded.documents += 1;
        self.loading.add_document();
        let Some(id) = self.begin_document(&document.label, &document.bytes).await? else {
            return Ok(());
        };
        let resolver = self.resolver(document.standing);
        let mut reader = Reader::start(document.format, document.bytes, resolver);
        let mut position = 0;
        while let Some(links) = reader.next().await {
            let count = links.len();
            self.store_links(id, position, links).await?;
            position += count;
            // The asker runs in the same task and wants its turn.
            tokio::task::yield_now().await;
        }
        self.ports.store.finish_document(id).await?;
        Ok(())
    }

    async fn store_links(
        &mut self,
        document: DocumentId,
        first: usize,
        links: Vec<ReadLink>,
    ) -> Result<(), EngineFault> {
        let mut new: Vec<NewLink> = Vec::with_capacity(links.len());
        for ReadLink { place, given, meaning } in links {
            self.loaded.links += 1;
            let target = match meaning {
                Meaning::Target(target) => target,
                Meaning::File(local) => self.file(&local).await,
                Meaning::Skipped => {
                    self.loaded.skipped += 1;
                    continue;
                }
                Meaning::LeftOut => {
                    self.loaded.left_out += 1;
                    continue;
                }
            };
            new.push(NewLink { place, given, target });
        }
        let (now, fresh_since) = (self.ports.now(), self.settings.fresh_since);
        let batch = LinkBatch { document, first, links: &new, now, fresh_since };
        self.ports.store.add_links(self.run, batch).await?;
        self.loading.add_chunk(new.len());
        Ok(())
    }

    /// A link to a file is settled by looking whether it is there.
    async fn file(&self, local: &LocalLink) -> NewTarget {
        let exists = self.ports.files.exists(local.path()).await;
        NewTarget::Local {
            key: local.key(),
            word: if exists { Word::Alive } else { Word::Local },
            code: (!exists).then_some(codes::MISSING_FILE),
            reason: if exists { "the file is there" } else { "no such file" }.to_owned(),
        }
    }
}

fn argument(number: u32, given: &str) -> Link {
    let span = Span { start: 0, end: given.len() };
    Link {
        place: Place { span, line: number, column: 1, kind: PlaceKind::Argument },
        raw: given.to_owned(),
        target: LinkTarget::Web(given.to_owned()),
    }
}
