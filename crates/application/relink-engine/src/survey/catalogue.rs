//! Catalogues to survey, read from tables, lists and the store.
//!
//! A table or lines of JSON may say to which domain a URL belongs and, for
//! simulations, whether it is broken; elsewhere the domain is the host. URLs
//! are taken in their canonical form, each once, and nothing is asked here.

mod table;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use relink_frontier::{canonical, host_name};
use relink_model::{LinkTarget, Place, PlaceKind, Span, redact_url};
use relink_page::{Format, Options, each_link_with};
use relink_ports::{DocumentSource, FileFault, Files, Store, StoreFault, Walk};
use relink_survey::{Answer, Catalogue, UrlId};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::isolation::isolate;
use crate::unpack;

/// Addresses of the store are read this many at a time.
const PAGE: usize = 4096;
/// The name of the store in the place of a file's.
const STORE: &str = "the store";
/// Problems with single rows that are told; more are only counted.
const PROBLEMS_TOLD: usize = 20;

/// Where a catalogue comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogueSource {
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
pub struct CatalogueFields {
    /// The address.
    pub url: Option<String>,
    /// The domain it belongs to.
    pub domain: Option<String>,
    /// Whether it is broken.
    pub truth: Option<String>,
    /// The format, whatever the file's name.
    pub format: Option<Format>,
}

/// A catalogue that was read.
#[derive(Debug, Default)]
pub struct ReadCatalogue {
    /// What it is called.
    pub label: String,
    /// A hash of its bytes.
    pub content: u64,
    /// Its URLs by domain and directory.
    pub catalogue: Catalogue,
    /// Where each URL stands, in the order they were given.
    pub(crate) places: Vec<Place>,
    /// Whether each is broken, in the same order, where the catalogue says so.
    truth: Vec<Answer>,
    /// What is no web address or says nothing, with its line; the first few.
    pub problems: Vec<(u32, String)>,
    /// How many there were in all.
    pub problem_count: u64,
    /// URLs that were given more than once, each further time counted.
    pub repeated: u64,
}

impl ReadCatalogue {
    /// Whether the catalogue says which URLs are broken.
    pub fn has_truth(&self) -> bool {
        !self.truth.is_empty() && self.truth.len() == self.places.len()
    }

    /// Whether each URL is broken, by its number.
    pub fn truth(&self) -> Vec<Answer> {
        let answer = |url: UrlId| self.truth.get(self.catalogue.position(url) as usize).copied();
        self.catalogue.urls().map(|url| answer(url).unwrap_or(Answer::Alive)).collect()
    }

    /// Where a URL stands.
    pub(crate) fn place(&self, url: UrlId) -> Place {
        self.places[self.catalogue.position(url) as usize]
    }
}

/// A catalogue cannot be used.
#[derive(Debug, Error)]
pub enum CatalogueFault {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileFault),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// A field that was named is not there.
    #[error("`{label}` has no column `{column}`")]
    NoColumn {
        /// The catalogue.
        label: String,
        /// What was wanted.
        column: String,
        /// What there is.
        names: Vec<String>,
    },
    /// No column holds addresses.
    #[error("no column of `{label}` holds addresses")]
    NoAddresses {
        /// The catalogue.
        label: String,
        /// What there is.
        names: Vec<String>,
    },
    /// There is not one web address in it.
    #[error("`{label}` holds no web address")]
    Empty {
        /// The catalogue.
        label: String,
    },
    /// The path stands for several files.
    #[error("`{label}` is no single file")]
    NotOne {
        /// What was given.
        label: String,
    },
}

/// Reads a catalogue.
///
/// # Errors
///
/// If it cannot be read, has not the columns named, or holds no web address.
pub async fn read_catalogue(
    files: &dyn Files,
    store: &dyn Store,
    source: &CatalogueSource,
    fields: &CatalogueFields,
) -> Result<ReadCatalogue, CatalogueFault> {
    let read = match source {
        CatalogueSource::File(path) => {
            let (label, bytes) = read_file(files, path).await?;
            parse(&label, bytes, fields)?
        }
        CatalogueSource::Stdin(bytes) => parse("-", bytes.clone(), fields)?,
        CatalogueSource::Store => from_store(store).await?,
    };
    if read.catalogue.is_empty() {
        return Err(CatalogueFault::Empty { label: read.label });
    }
    Ok(read)
}

async fn read_file(files: &dyn Files, path: &Path) -> Result<(String, Vec<u8>), CatalogueFault> {
    let found = files.walk(&Walk { inputs: vec![path.to_owned()] }).await?;
    let [DocumentSource { label, path }] = &found.documents[..] else {
        return Err(CatalogueFault::NotOne { label: path.to_string_lossy().into_owned() });
    };
    Ok((label.clone(), read_whole(files, path)?))
}

/// The bytes of a catalogue, which may come from a pipe.
fn read_whole(files: &dyn Files, path: &Path) -> Result<Vec<u8>, FileFault> {
    let mut bytes = Vec::new();
    files.open(path)?.read_to_end(&mut bytes).map_err(|source| {
        let path = path.to_string_lossy().into_owned();
        FileFault::Unreadable { path, source }
    })?;
    Ok(bytes)
}

fn parse(
    label: &str,
    bytes: Vec<u8>,
    fields: &CatalogueFields,
) -> Result<ReadCatalogue, CatalogueFault> {
    let content = xxh3_64(&bytes);
    let bytes = if unpack::is_packed(&bytes) {
        unpack::unpack(&bytes, unpack::Bounds::default()).0
    } else {
        bytes
    };
    let sniffed = || Format::of_file(Some(unpack::inner_name(label)), &bytes);
    let format = fields.format.unwrap_or_else(sniffed);
    let mut collecting = Collecting::default();
    match format {
        Format::Csv | Format::Tsv => table::read(label, format, &bytes, fields, &mut collecting)?,
        Format::JsonLines => table::read_json_lines(label, &bytes, fields, &mut collecting)?,
        _ => {
            each_link_with(format, &bytes, &Options::default(), &mut |link| {
                if let LinkTarget::Web(url) = &link.target {
                    collecting.add(url, None, None, link.place);
                } else {
                    let text = format!("{} is no web address", named(&link.raw));
                    collecting.problem(link.place.line, text);
                }
            });
        }
    }
    Ok(collecting.finish(label, content))
}

async fn from_store(store: &dyn Store) -> Result<ReadCatalogue, CatalogueFault> {
    let mut collecting = Collecting::default();
    let mut beyond = String::new();
    loop {
        let page = store.known_addresses(&beyond, PAGE).await?;
        let Some(last) = page.last() else { break };
        beyond.clone_from(last);
        for url in &page {
            let line = u32::try_from(collecting.places.len() + 1).unwrap_or(u32::MAX);
            let span = Span { start: 0, end: url.len() };
            let place = Place { span, line, column: 1, kind: PlaceKind::Line };
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

/// A catalogue while it is read.
#[derive(Debug, Default)]
struct Collecting {
    domains: Vec<Box<str>>,
    numbers: HashMap<Box<str>, usize>,
    /// Each URL with the number of its domain.
    urls: Vec<(usize, String)>,
    places: Vec<Place>,
    truth: Vec<Answer>,
    seen: HashSet<u64>,
    problems: Vec<(u32, String)>,
    problem_count: u64,
    repeated: u64,
}

impl Collecting {
    /// Adds a URL; without a domain it belongs to its host.
    fn add(&mut self, given: &str, domain: Option<&str>, truth: Option<Answer>, place: Place) {
        let url = match isolate(given, || canonical(None, given)) {
            Ok(Ok(url)) => url,
            Ok(Err(fault)) => {
                return self.problem(place.line, format!("{}: {fault}", named(given)));
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
            _ => self.domain(&host_name(&url)),
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

    fn finish(self, label: &str, content: u64) -> ReadCatalogue {
        let domains = &self.domains;
        let urls = self.urls.iter().map(|(domain, url)| (&*domains[*domain], url));
        ReadCatalogue {
            label: label.to_owned(),
            content,
            catalogue: Catalogue::new(urls),
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
