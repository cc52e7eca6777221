//! The catalog of a survey: URLs by domain and directory.
//!
//! The representation is compact, for catalogs with millions of URLs: the text of all URLs is one
//! string, and a domain or directory is a range of numbers. The catalog does not contain results
//! of checks; [`CheckLog`](crate::CheckLog) does.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

mod grouping;
mod key;
mod size_classes;

pub use self::size_classes::{SizeClass, size_classes};

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// The number of a URL in its catalog. The URLs of a directory and of a domain have consecutive
/// numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlId(u32);

/// The number of a domain in its catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainId(u32);

/// The number of a directory in its catalog. The directories of a domain have consecutive numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectoryId(u32);

macro_rules! impl_index {
    ($($name:ident)*) => {$(
        impl $name {
            /// Returns the number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
impl_index!(UrlId DomainId DirectoryId);

impl DomainId {
    /// Returns the domain with this index.
    pub(crate) fn at(index: usize) -> Self {
        Self(to_u32(index))
    }
}

impl DirectoryId {
    /// Returns the directory with this index.
    pub(crate) fn at(index: usize) -> Self {
        Self(to_u32(index))
    }
}

/// URLs by domain and directory.
///
/// ```
/// use relink_survey::Catalog;
///
/// let catalog = Catalog::new([
///     ("a.test", "http://a.test/x/1"),
///     ("b.test", "http://b.test/"),
///     ("a.test", "http://a.test/x/1"),
/// ]);
/// assert_eq!(catalog.len(), 2);
/// assert_eq!(catalog.domains().count(), 2);
/// ```
#[derive(Debug, Default)]
pub struct Catalog {
    /// The text of all URLs in input order.
    text: String,
    /// The end of each URL in the text.
    ends: Vec<usize>,
    /// The input position of each URL, by its number. `ends` has the order of the input.
    positions: Vec<u32>,
    /// The directory of each URL.
    directory_of: Vec<DirectoryId>,
    directories: Vec<Directory>,
    domains: Vec<Domain>,
}

#[derive(Debug)]
struct Directory {
    domain: DomainId,
    urls: Range<u32>,
}

#[derive(Debug)]
struct Domain {
    name: Box<str>,
    urls: Range<u32>,
    directories: Range<u32>,
}

impl Catalog {
    /// Builds a catalog from pairs of domain and URL. Skips duplicate URLs.
    pub fn new<D: AsRef<str>, U: AsRef<str>>(urls: impl IntoIterator<Item = (D, U)>) -> Self {
        let mut catalog = Self::default();
        // The positions of the URLs of each domain, and the number of each domain by its name.
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut numbers: HashMap<Box<str>, usize> = HashMap::new();
        // The position of the first URL with each hash.
        let mut seen: HashMap<u64, u32> = HashMap::new();
        for (domain, url) in urls {
            let Some(position) = catalog.add_text(url.as_ref(), &mut seen) else { continue };
            let number = numbers.get(domain.as_ref()).copied().unwrap_or_else(|| {
                let number = members.len();
                members.push(Vec::new());
                numbers.insert(domain.as_ref().into(), number);
                number
            });
            members[number].push(position);
        }
        drop(seen);
        let mut names: Vec<(Box<str>, usize)> = numbers.into_iter().collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        for ((name, _), members) in names.into_iter().zip(members) {
            catalog.add_domain(name, &members);
        }
        catalog
    }

    /// Adds a URL and returns its position; `None` if it is a duplicate.
    fn add_text(&mut self, url: &str, seen: &mut HashMap<u64, u32>) -> Option<u32> {
        let mut hasher = DefaultHasher::new();
        url.hash(&mut hasher);
        let position = to_u32(self.ends.len());
        let first = *seen.entry(hasher.finish()).or_insert(position);
        // Compare the texts, because different URLs may have the same hash.
        if first != position && self.text_at(first) == url {
            return None;
        }
        self.text.push_str(url);
        self.ends.push(self.text.len());
        Some(position)
    }

    /// Adds a domain whose URLs have the positions `members`.
    fn add_domain(&mut self, name: Box<str>, members: &[u32]) {
        let domain = DomainId(to_u32(self.domains.len()));
        let first_url = to_u32(self.positions.len());
        let first_directory = to_u32(self.directories.len());
        let groups = grouping::directories(members, &|position| self.text_at(position));
        for group in groups {
            let directory = DirectoryId(to_u32(self.directories.len()));
            let first_url = to_u32(self.positions.len());
            self.directory_of.extend(group.iter().map(|_| directory));
            self.positions.extend(group);
            let urls = first_url..to_u32(self.positions.len());
            self.directories.push(Directory { domain, urls });
        }
        let urls = first_url..to_u32(self.positions.len());
        let directories = first_directory..to_u32(self.directories.len());
        self.domains.push(Domain { name, urls, directories });
    }

    /// Returns the URL at a position of the input.
    fn text_at(&self, position: u32) -> &str {
        let position = position as usize;
        let start = if position == 0 { 0 } else { self.ends[position - 1] };
        self.text.get(start..self.ends[position]).unwrap_or_default()
    }

    /// Returns the number of URLs.
    pub fn len(&self) -> u32 {
        to_u32(self.positions.len())
    }

    /// Whether there are no URLs.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Returns the URL with this number.
    pub fn url(&self, url: UrlId) -> &str {
        self.text_at(self.positions[url.index()])
    }

    /// Returns the position of a URL in the input; duplicates do not count.
    pub fn position(&self, url: UrlId) -> u32 {
        self.positions[url.index()]
    }

    /// Returns all URLs.
    pub fn urls(&self) -> impl ExactSizeIterator<Item = UrlId> + use<> {
        (0..self.len()).map(UrlId)
    }

    /// Returns all domains in the order of their first URLs.
    pub fn domains(&self) -> impl ExactSizeIterator<Item = DomainId> + use<> {
        (0..to_u32(self.domains.len())).map(DomainId)
    }

    /// Returns all directories.
    pub fn directories(&self) -> impl ExactSizeIterator<Item = DirectoryId> + use<> {
        (0..to_u32(self.directories.len())).map(DirectoryId)
    }

    /// Returns the name of a domain.
    pub fn domain_name(&self, domain: DomainId) -> &str {
        &self.domains[domain.index()].name
    }

    /// Returns the directory of a URL.
    pub fn directory_of(&self, url: UrlId) -> DirectoryId {
        self.directory_of[url.index()]
    }

    /// Returns the domain of a directory.
    pub fn domain_of(&self, directory: DirectoryId) -> DomainId {
        self.directories[directory.index()].domain
    }

    /// Returns the URLs of a domain.
    pub fn urls_of_domain(&self, domain: DomainId) -> impl ExactSizeIterator<Item = UrlId> + use<> {
        self.domains[domain.index()].urls.clone().map(UrlId)
    }

    /// Returns the directories of a domain.
    pub fn directories_of(
        &self,
        domain: DomainId,
    ) -> impl ExactSizeIterator<Item = DirectoryId> + use<> {
        self.domains[domain.index()].directories.clone().map(DirectoryId)
    }

    /// Returns the URLs of a directory.
    pub fn urls_of(&self, directory: DirectoryId) -> impl ExactSizeIterator<Item = UrlId> + use<> {
        self.directories[directory.index()].urls.clone().map(UrlId)
    }

    /// Returns the number of URLs of a domain.
    pub fn domain_size(&self, domain: DomainId) -> u32 {
        let urls = &self.domains[domain.index()].urls;
        urls.end - urls.start
    }

    /// Returns the number of URLs of a directory.
    pub fn directory_size(&self, directory: DirectoryId) -> u32 {
        let urls = &self.directories[directory.index()].urls;
        urls.end - urls.start
    }

    /// Returns the common prefix of the first and the last URL of a directory, for display.
    pub fn directory_name(&self, directory: DirectoryId) -> &str {
        let Range { start, end } = self.directories[directory.index()].urls.clone();
        let (first, last) = (self.url(UrlId(start)), self.url(UrlId(end - 1)));
        let shared = first.bytes().zip(last.bytes()).take_while(|(one, other)| one == other);
        let end = first.floor_char_boundary(shared.count());
        first.get(..end).unwrap_or(first)
    }
}

/// Converts a length to `u32`. A catalog with more than 2³² URLs would not fit in memory.
fn to_u32(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a catalog. The first component of each URL is its domain.
    fn catalog(urls: &[&str]) -> Catalog {
        Catalog::new(urls.iter().map(|url| (url.split('/').next().unwrap_or_default(), *url)))
    }

    #[test]
    fn urls_of_a_domain_and_a_directory_are_consecutive() {
        let catalog = catalog(&["a/x/1", "b/x/1", "a/y/1", "a/x/2", "a/y/2", "a/x/3", "a/y/3"]);
        let texts = |urls: Vec<UrlId>| -> Vec<String> {
            urls.into_iter().map(|url| catalog.url(url).to_owned()).collect()
        };
        let domain = catalog.domains().next().unwrap();
        let all = texts(catalog.urls_of_domain(domain).collect());
        assert_eq!(all, ["a/x/1", "a/x/2", "a/x/3", "a/y/1", "a/y/2", "a/y/3"]);
        let directory = catalog.directories_of(domain).nth(1).unwrap();
        assert_eq!(texts(catalog.urls_of(directory).collect()), ["a/y/1", "a/y/2", "a/y/3"]);
        assert_eq!(catalog.directory_name(directory), "a/y/");
    }

    #[test]
    fn duplicate_url_is_dropped() {
        let catalog = catalog(&["a/1", "a/1", "a/2"]);
        assert_eq!(catalog.len(), 2);
        let positions: Vec<u32> = catalog.urls().map(|url| catalog.position(url)).collect();
        assert_eq!(positions, [0, 1]);
    }

    #[test]
    fn empty_catalog_has_no_domains() {
        let catalog = catalog(&[]);
        assert!(catalog.is_empty());
        assert_eq!(catalog.domains().count() + catalog.directories().count(), 0);
    }
}
