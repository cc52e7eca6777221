//! Reads catalogs from tables, lists and the store.
//!
//! A *catalog* is a list of URLs by domain and directory. A table or JSON lines may state
//! the domain of a URL; otherwise the domain is the host. For simulations, they may also
//! state whether the URL is broken (the *ground truth*). URLs are canonicalized and
//! deduplicated. Nothing is fetched.

mod table;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use relink_frontier::{canonicalize, host_key};
use relink_model::{LinkKind, LinkTarget, SourceLocation, Span, redact_url};
use relink_page::{DocumentFormat, Options, for_each_link_with};
use relink_ports::{DocumentSource, FileError, Files, Store, StoreError, WalkRequest};
use relink_survey::{Catalog, UrlHealth, UrlId};
use thiserror::Error;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use relink_documents::{DecompressLimits, decompress, inner_name, is_gzip};
use relink_requests::isolate;

/// Number of URLs read from the store at a time.
const PAGE_SIZE: usize = 4096;
/// Label of a catalog from the store.
const STORE_LABEL: &str = "the store";
/// Maximum number of stored problems. Further problems are only counted.
const MAX_PROBLEMS: usize = 20;

/// Source of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogSource {
    /// A file.
    File(PathBuf),
    /// Standard input, in memory.
    Stdin(Vec<u8>),
    /// All web targets in the store.
    Store,
}

/// Fields of a table or of JSON lines, by name. Table columns may also be given
/// by number, starting at one. Unset fields are detected by common names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogFields {
    /// The URL.
    pub url: Option<String>,
    /// The domain.
    pub domain: Option<String>,
    /// Whether the URL is broken.
    pub ground_truth: Option<String>,
    /// The format, regardless of the file name.
    pub format: Option<DocumentFormat>,
}

/// A catalog.
#[derive(Debug, Default)]
pub struct LoadedCatalog {
    /// Name of the catalog for users.
    pub label: String,
    /// A hash of the bytes of the catalog.
    pub content_hash: u64,
    /// The URLs by domain and directory.
    pub catalog: Catalog,
    /// Location of each URL, in input order.
    pub(crate) locations: Vec<SourceLocation>,
    /// Whether each URL is broken, in input order. Shorter than `locations` if the catalog
    /// does not state it for all URLs.
    ground_truth: Vec<UrlHealth>,
    /// The first problems: invalid entries with their lines.
    pub problems: Vec<(u32, String)>,
    /// Number of problems.
    pub problem_count: u64,
    /// Number of duplicate URLs.
    pub duplicates: u64,
}

impl LoadedCatalog {
    /// Whether the catalog states which URLs are broken.
    pub fn has_ground_truth(&self) -> bool {
        !self.ground_truth.is_empty() && self.ground_truth.len() == self.locations.len()
    }

    /// Returns whether each URL is broken, in the order of the ids.
    pub fn ground_truth(&self) -> Vec<UrlHealth> {
        let health =
            |url: UrlId| self.ground_truth.get(self.catalog.position(url) as usize).copied();
        self.catalog.urls().map(|url| health(url).unwrap_or(UrlHealth::Alive)).collect()
    }

    /// Creates a catalog from canonical URLs. The domain of a URL is its host.
    pub fn from_urls<'u>(label: &str, urls: impl IntoIterator<Item = &'u str>) -> Self {
        let mut builder = CatalogBuilder::default();
        let mut hasher = Xxh3::new();
        for (line, url) in (1..).zip(urls) {
            hasher.update(url.as_bytes());
            hasher.update(b"\n");
            let span = Span { start: 0, end: url.len() };
            let location = SourceLocation { span, line, column: 1, kind: LinkKind::ListEntry };
            builder.add(url, None, None, location);
        }
        builder.finish(label, hasher.digest())
    }

    /// Returns the location of a URL.
    pub(crate) fn location(&self, url: UrlId) -> SourceLocation {
        self.locations[self.catalog.position(url) as usize]
    }
}

/// Error of a catalog.
#[derive(Debug, Error)]
pub enum CatalogError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A requested field does not exist.
    #[error("`{label}` has no column `{column}`")]
    NoColumn {
        /// The catalog.
        label: String,
        /// The requested column.
        column: String,
        /// The existing columns.
        names: Vec<String>,
    },
    /// No column contains URLs.
    #[error("no column of `{label}` contains URLs")]
    NoUrlColumn {
        /// The catalog.
        label: String,
        /// The existing columns.
        names: Vec<String>,
    },
    /// The catalog contains no web URL.
    #[error("`{label}` contains no web URL")]
    Empty {
        /// The catalog.
        label: String,
    },
    /// The path matches several files.
    #[error("`{label}` is not a single file")]
    NotASingleFile {
        /// The path.
        label: String,
    },
}

/// Reads a catalog.
///
/// # Errors
///
/// If it cannot be read, lacks a requested column, or contains no web URL.
pub async fn read_catalog(
    files: &dyn Files,
    store: &dyn Store,
    source: &CatalogSource,
    fields: &CatalogFields,
) -> Result<LoadedCatalog, CatalogError> {
    let catalog = match source {
        CatalogSource::File(path) => {
            let (label, bytes) = read_file(files, path).await?;
            parse(&label, bytes, fields)?
        }
        CatalogSource::Stdin(bytes) => parse("-", bytes.clone(), fields)?,
        CatalogSource::Store => from_store(store).await?,
    };
    if catalog.catalog.is_empty() {
        return Err(CatalogError::Empty { label: catalog.label });
    }
    Ok(catalog)
}

/// Returns the label and the bytes of a file.
async fn read_file(files: &dyn Files, path: &Path) -> Result<(String, Vec<u8>), CatalogError> {
    let walk = files.walk(&WalkRequest { inputs: vec![path.to_owned()] }).await?;
    let [DocumentSource { label, path }] = &walk.documents[..] else {
        return Err(CatalogError::NotASingleFile { label: path.to_string_lossy().into_owned() });
    };
    Ok((label.clone(), read_whole(files, path)?))
}

/// Reads the bytes of a catalog, which may be a pipe.
fn read_whole(files: &dyn Files, path: &Path) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    files.open(path)?.read_to_end(&mut bytes).map_err(|source| {
        let path = path.to_string_lossy().into_owned();
        FileError::Unreadable { path, source }
    })?;
    Ok(bytes)
}

/// Parses a catalog, in the format of its name or content.
fn parse(
    label: &str,
    bytes: Vec<u8>,
    fields: &CatalogFields,
) -> Result<LoadedCatalog, CatalogError> {
    let content_hash = xxh3_64(&bytes);
    let bytes =
        if is_gzip(&bytes) { decompress(&bytes, DecompressLimits::default()).0 } else { bytes };
    let detect = || DocumentFormat::from_file(Some(inner_name(label)), &bytes);
    let format = fields.format.unwrap_or_else(detect);
    let mut builder = CatalogBuilder::default();
    match format {
        DocumentFormat::Csv | DocumentFormat::Tsv => {
            table::read_table(label, format, &bytes, fields, &mut builder)?;
        }
        DocumentFormat::JsonLines => table::read_json_lines(label, &bytes, fields, &mut builder)?,
        _ => {
            for_each_link_with(format, &bytes, &Options::default(), &mut |link| {
                if let LinkTarget::Web(url) = &link.target {
                    builder.add(url, None, None, link.location);
                } else {
                    let text = format!("{} is not a web URL", display_entry(&link.raw));
                    builder.add_problem(link.location.line, text);
                }
            });
        }
    }
    Ok(builder.finish(label, content_hash))
}

/// Returns a catalog of all web targets in the store.
async fn from_store(store: &dyn Store) -> Result<LoadedCatalog, CatalogError> {
    let mut builder = CatalogBuilder::default();
    let mut after = String::new();
    loop {
        let page = store.known_urls(&after, PAGE_SIZE).await?;
        let Some(last) = page.last() else { break };
        after.clone_from(last);
        for url in &page {
            let line = u32::try_from(builder.locations.len() + 1).unwrap_or(u32::MAX);
            let span = Span { start: 0, end: url.len() };
            let location = SourceLocation { span, line, column: 1, kind: LinkKind::ListEntry };
            builder.add(url, None, None, location);
        }
    }
    Ok(builder.finish(STORE_LABEL, 0))
}

/// Returns an entry for a message. A URL is shown without its secrets. Any other entry is
/// not shown, because the whole entry may be a secret.
fn display_entry(entry: &str) -> String {
    let is_url = entry.split_once(':').is_some_and(|(scheme, rest)| {
        !scheme.is_empty()
            && scheme.chars().all(|char| char.is_ascii_alphanumeric())
            && rest.starts_with(['/', '\\'])
    });
    if is_url { format!("`{}`", redact_url(entry)) } else { "the entry".to_owned() }
}

/// A catalog while it is read.
#[derive(Debug, Default)]
struct CatalogBuilder {
    /// The names of the domains.
    domains: Vec<Box<str>>,
    /// The index of each domain in `domains`.
    domain_indexes: HashMap<Box<str>, usize>,
    /// URLs with the index of their domain.
    urls: Vec<(usize, String)>,
    locations: Vec<SourceLocation>,
    ground_truth: Vec<UrlHealth>,
    /// Hashes of the URLs.
    url_hashes: HashSet<u64>,
    problems: Vec<(u32, String)>,
    problem_count: u64,
    duplicates: u64,
}

impl CatalogBuilder {
    /// Adds a URL. The default domain is the host.
    fn add(
        &mut self,
        text: &str,
        domain: Option<&str>,
        ground_truth: Option<UrlHealth>,
        location: SourceLocation,
    ) {
        let url = match isolate(text, || canonicalize(None, text)) {
            Ok(Ok(url)) => url,
            Ok(Err(error)) => {
                let problem = format!("{}: {error}", display_entry(text));
                return self.add_problem(location.line, problem);
            }
            Err(panicked) => {
                let problem = format!("{}: {panicked}", display_entry(text));
                return self.add_problem(location.line, problem);
            }
        };
        if !self.url_hashes.insert(xxh3_64(url.as_str().as_bytes())) {
            self.duplicates += 1;
            return;
        }
        let domain = match domain {
            Some(domain) if !domain.is_empty() => self.domain_index(domain),
            _ => self.domain_index(&host_key(&url)),
        };
        self.urls.push((domain, url.into()));
        self.locations.push(location);
        self.ground_truth.extend(ground_truth);
    }

    /// Returns the index of a domain, and adds the domain if it is new.
    fn domain_index(&mut self, name: &str) -> usize {
        if let Some(index) = self.domain_indexes.get(name) {
            return *index;
        }
        let index = self.domains.len();
        self.domains.push(name.into());
        self.domain_indexes.insert(name.into(), index);
        index
    }

    fn add_problem(&mut self, line: u32, text: String) {
        self.problem_count += 1;
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push((line, text));
        }
    }

    fn finish(self, label: &str, content_hash: u64) -> LoadedCatalog {
        let domains = &self.domains;
        let urls = self.urls.iter().map(|(domain, url)| (&*domains[*domain], url));
        LoadedCatalog {
            label: label.to_owned(),
            content_hash,
            catalog: Catalog::new(urls),
            locations: self.locations,
            ground_truth: self.ground_truth,
            problems: self.problems,
            problem_count: self.problem_count,
            duplicates: self.duplicates,
        }
    }
}

#[cfg(test)]
mod tests;
