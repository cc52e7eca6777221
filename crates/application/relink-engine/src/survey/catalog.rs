//! Catalogs to survey, read from tables, lists and the store.
//!
//! A table or lines of JSON may say to which domain a URL belongs and, for
//! simulations, whether it is broken; elsewhere the domain is the host. URLs
//! are taken in their canonical form, each once, and nothing is asked here.

mod table;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use relink_frontier::{canonicalize, host_key};
use relink_model::{LinkKind, LinkTarget, SourceLocation, Span, redact_url};
use relink_page::{DocumentFormat, Options, each_link_with};
use relink_ports::{DocumentSource, FileError, Files, Store, StoreError, WalkRequest};
use relink_survey::{Catalog, UrlHealth, UrlId};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::decompress;
use crate::isolation::isolate;

/// Addresses of the store are read this many at a time.
const PAGE: usize = 4096;
/// The name of the store in the place of a file's.
const STORE: &str = "the store";
/// Problems with single rows that are told; more are only counted.
const PROBLEMS_TOLD: usize = 20;

/// Where a catalog comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogSource {
    /// A file.
    File(PathBuf),
    /// Standard input, read to its end.
    Stdin(Vec<u8>),
    /// Every web target the store knows.
    Store,
}

/// Which fields of a table or of JSON lines mean what, by name, or for a table
/// by number from 1. Where none is named the usual names are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogFields {
    /// The address.
    pub url: Option<String>,
    /// The domain it belongs to.
    pub domain: Option<String>,
    /// Whether it is broken.
    pub truth: Option<String>,
    /// The format, whatever the file's name.
    pub format: Option<DocumentFormat>,
}

/// A catalog that was read.
#[derive(Debug, Default)]
pub struct LoadedCatalog {
    /// What it is called.
    pub label: String,
    /// A hash of its bytes.
    pub content: u64,
    /// Its URLs by domain and directory.
    pub catalog: Catalog,
    /// Where each URL stands, in the order they were given.
    pub(crate) places: Vec<SourceLocation>,
    /// Whether each is broken, in the same order, where the catalog says so.
    truth: Vec<UrlHealth>,
    /// What is no web address or says nothing, with its line; the first few.
    pub problems: Vec<(u32, String)>,
    /// How many there were in all.
    pub problem_count: u64,
    /// URLs that were given more than once, each further time counted.
    pub repeated: u64,
}

impl LoadedCatalog {
    /// Whether the catalog says which URLs are broken.
    pub fn has_truth(&self) -> bool {
        !self.truth.is_empty() && self.truth.len() == self.places.len()
    }

    /// Whether each URL is broken, by its number.
    pub fn truth(&self) -> Vec<UrlHealth> {
        let answer = |url: UrlId| self.truth.get(self.catalog.position(url) as usize).copied();
        self.catalog.urls().map(|url| answer(url).unwrap_or(UrlHealth::Alive)).collect()
    }

    /// Where a URL stands.
    pub(crate) fn place(&self, url: UrlId) -> SourceLocation {
        self.places[self.catalog.position(url) as usize]
    }
}

/// A catalog cannot be used.
#[derive(Debug, Error)]
pub enum CatalogError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A field that was named is not there.
    #[error("`{label}` has no column `{column}`")]
    NoColumn {
        /// The catalog.
        label: String,
        /// What was wanted.
        column: String,
        /// What there is.
        names: Vec<String>,
    },
    /// No column holds addresses.
    #[error("no column of `{label}` holds addresses")]
    NoAddresses {
        /// The catalog.
        label: String,
        /// What there is.
        names: Vec<String>,
    },
    /// There is not one web address in it.
    #[error("`{label}` holds no web address")]
    Empty {
        /// The catalog.
        label: String,
    },
    /// The path stands for several files.
    #[error("`{label}` is no single file")]
    NotOne {
        /// What was given.
        label: String,
    },
}

/// Reads a catalog.
///
/// # Errors
///
/// If it cannot be read, has not the columns named, or holds no web address.
pub async fn read_catalog(
    files: &dyn Files,
    store: &dyn Store,
    source: &CatalogSource,
    fields: &CatalogFields,
) -> Result<LoadedCatalog, CatalogError> {
    let read = match source {
        CatalogSource::File(path) => {
            let (label, bytes) = read_file(files, path).await?;
            parse(&label, bytes, fields)?
        }
        CatalogSource::Stdin(bytes) => parse("-", bytes.clone(), fields)?,
        CatalogSource::Store => from_store(store).await?,
    };
    if read.catalog.is_empty() {
        return Err(CatalogError::Empty { label: read.label });
    }
    Ok(read)
}

async fn read_file(files: &dyn Files, path: &Path) -> Result<(String, Vec<u8>), CatalogError> {
    let found = files.walk(&WalkRequest { inputs: vec![path.to_owned()] }).await?;
    let [DocumentSource { label, path }] = &found.documents[..] else {
        return Err(CatalogError::NotOne { label: path.to_string_lossy().into_owned() });
    };
    Ok((label.clone(), read_whole(files, path)?))
}

/// The bytes of a catalog, which may come from a pipe.
fn read_whole(files: &dyn Files, path: &Path) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    files.open(path)?.read_to_end(&mut bytes).map_err(|source| {
        let path = path.to_string_lossy().into_owned();
        FileError::Unreadable { path, source }
    })?;
    Ok(bytes)
}

fn parse(
    label: &str,
    bytes: Vec<u8>,
    fields: &CatalogFields,
) -> Result<LoadedCatalog, CatalogError> {
    let content = xxh3_64(&bytes);
    let bytes = if decompress::is_packed(&bytes) {
        decompress::unpack(&bytes, decompress::Bounds::default()).0
    } else {
        bytes
    };
    let sniffed = || DocumentFormat::of_file(Some(decompress::inner_name(label)), &bytes);
    let format = fields.format.unwrap_or_else(sniffed);
    let mut collecting = Collecting::default();
    match format {
        DocumentFormat::Csv | DocumentFormat::Tsv => {
            table::read(label, format, &bytes, fields, &mut collecting)?
        }
        DocumentFormat::JsonLines => {
            table::read_json_lines(label, &bytes, fields, &mut collecting)?
        }
        _ => {
            each_link_with(format, &bytes, &Options::default(), &mut |link| {
                if let LinkTarget::Web(url) = &link.target {
                    collecting.add(url, None, None, link.location);
                } else {
                    let text = format!("{} is no web address", named(&link.raw));
                    collecting.problem(link.location.line, text);
                }
            });
        }
    }
    Ok(collecting.finish(label, content))
}

async fn from_store(store: &dyn Store) -> Result<LoadedCatalog, CatalogError> {
    let mut collecting = Collecting::default();
    let mut beyond = String::new();
    loop {
        let page = store.known_urls(&beyond, PAGE).await?;
        let Some(last) = page.last() else { break };
        beyond.clone_from(last);
        for url in &page {
            let line = u32::try_from(collecting.places.len() + 1).unwrap_or(u32::MAX);
            let span = Span { start: 0, end: url.len() };
            let place = SourceLocation { span, line, column: 1, kind: LinkKind::ListEntry };
            collecting.add(url, None, None, place);
        }
    }
    Ok(collecting.finish(STORE, 0))
}

/// Names an entry in a message. The entry itself is shown only if it is meant as
/// a URL, without its secrets: anything else may be a secret as a whole.
fn named(entry: &str) -> String {
    let is_url = entry.split_once(':').is_some_and(|(scheme, rest)| {
        !scheme.is_empty()
            && scheme.chars().all(|char| char.is_ascii_alphanumeric())
            && rest.starts_with(['/', '\\'])
    });
    if is_url { format!("`{}`", redact_url(entry)) } else { "the entry".to_owned() }
}

/// A catalog while it is read.
#[derive(Debug, Default)]
struct Collecting {
    domains: Vec<Box<str>>,
    numbers: HashMap<Box<str>, usize>,
    /// Each URL with the number of its domain.
    urls: Vec<(usize, String)>,
    places: Vec<SourceLocation>,
    truth: Vec<UrlHealth>,
    seen: HashSet<u64>,
    problems: Vec<(u32, String)>,
    problem_count: u64,
    repeated: u64,
}

impl Collecting {
    /// Adds a URL; without a domain it belongs to its host.
    fn add(
        &mut self,
        given: &str,
        domain: Option<&str>,
        truth: Option<UrlHealth>,
        place: SourceLocation,
    ) {
        let url = match isolate(given, || canonicalize(None, given)) {
            Ok(Ok(url)) => url,
            Ok(Err(error)) => {
                return self.problem(place.line, format!("{}: {error}", named(given)));
            }
            Err(panicked) => {
                return self.problem(place.line, format!("{}: {panicked}", named(given)));
            }
        };
        if !self.seen.insert(xxh3_64(url.as_str().as_bytes())) {
            self.repeated += 1;
            return;
        }
        let domain = match domain {
            Some(domain) if !domain.is_empty() => self.domain(domain),
            _ => self.domain(&host_key(&url)),
        };
        self.urls.push((domain, url.into()));
        self.places.push(place);
        self.truth.extend(truth);
    }

    fn domain(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.domains.len();
        self.domains.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    fn problem(&mut self, line: u32, text: String) {
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS_TOLD {
            self.problems.push((line, text));
        }
    }

    fn finish(self, label: &str, content: u64) -> LoadedCatalog {
        let domains = &self.domains;
        let urls = self.urls.iter().map(|(domain, url)| (&*domains[*domain], url));
        LoadedCatalog {
            label: label.to_owned(),
            content,
            catalog: Catalog::new(urls),
            places: self.places,
            truth: self.truth,
            problems: self.problems,
            problem_count: self.problem_count,
            repeated: self.repeated,
        }
    }
}

#[cfg(test)]
mod tests;
