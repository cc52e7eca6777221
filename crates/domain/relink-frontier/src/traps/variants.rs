//! Spellings of a URL that lead to the same page.
//!
//! A server may ignore the case of letters, repeated slashes, a session id in the path or the
//! whole query. The crawl learns for each section (first path segment) of a site what the
//! server ignores. To compare URLs, each URL is *reduced*: the part that the server may ignore is
//! removed. If pages with the same reduced URL repeatedly have the same text, only the first of
//! these URLs is fetched. No page is fetched for the comparison.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use url::Url;

use super::UrlPattern;
use super::segment_class::SegmentClass;
use super::shape::segments;
use crate::parameters::PageContent;
use crate::query::parameters;
use crate::{TrialOutcome, host_key};

/// Number of pairs of equal pages from which on spellings are equivalent.
const MIN_EQUAL: u32 = 6;
/// Number of similar pages that count as one equal page.
const SIMILAR_PER_EQUAL: u32 = 2;
/// Number of equal pages that excuse one different page.
const EQUAL_PER_DIFFERENCE: u32 = 20;
/// Maximum number of pages stored for comparison. The map is cleared when it is full.
const MAX_CACHED: usize = 1 << 16;
/// Maximum number of sections with comparisons.
const MAX_SECTIONS: usize = 4_096;
/// Files that a server returns for the URL of their directory.
const INDEX_FILES: [&str; 4] = ["index.html", "index.htm", "index.php", "default.aspx"];
/// Extensions that a server may add to the path of a page.
const EXTENSIONS: [&str; 4] = [".html", ".htm", ".php", ".aspx"];

/// A part or property of a URL that the server may ignore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Spelling {
    /// Upper and lower case.
    Case,
    /// Repeated slashes.
    Slashes,
    /// A slash, an index file or an extension at the end.
    Ending,
    /// Generated names, such as session ids.
    Tokens,
    /// Parameters of path segments, after a `;`.
    PathParameters,
    /// Order and repetition of segments.
    SegmentOrder,
    /// All segments except the last.
    Directories,
    /// The query.
    Query,
}

/// All spellings, in the order in which they are tested.
const SPELLINGS: [Spelling; 8] = [
    Spelling::Case,
    Spelling::Slashes,
    Spelling::Ending,
    Spelling::Tokens,
    Spelling::PathParameters,
    Spelling::SegmentOrder,
    Spelling::Directories,
    Spelling::Query,
];

impl Spelling {
    /// Returns the URL without this part or property. URLs with the same result differ in
    /// nothing else.
    fn reduce(self, url: &Url) -> String {
        let mut reduced = url.clone();
        match self {
            Self::Case => return url.as_str().to_lowercase(),
            Self::Slashes => reduced.set_path(&format!("/{}", join(segments(url)))),
            Self::Ending => reduced.set_path(without_ending(url.path())),
            Self::Tokens => return without_tokens(url),
            Self::PathParameters => {
                let names = segments(url).map(|name| name.split(';').next().unwrap_or_default());
                reduced.set_path(&format!("/{}", join(names)));
            }
            Self::SegmentOrder => {
                let mut names: Vec<&str> = segments(url).collect();
                names.sort_unstable();
                names.dedup();
                reduced.set_path(&format!("/{}", names.join("/")));
            }
            Self::Directories => reduced.set_path(segments(url).last().unwrap_or_default()),
            Self::Query => reduced.set_query(None),
        }
        reduced.into()
    }
}

/// Joins segments with slashes.
fn join<'a>(segments: impl Iterator<Item = &'a str>) -> String {
    segments.collect::<Vec<_>>().join("/")
}

/// Returns a path without slashes, index files and extensions at its end.
fn without_ending(path: &str) -> &str {
    let mut rest = path;
    loop {
        let shorter = rest.trim_end_matches('/');
        let directory = INDEX_FILES.iter().find_map(|name| shorter.strip_suffix(name));
        let shorter = directory.filter(|directory| directory.ends_with('/')).unwrap_or(shorter);
        let stem = EXTENSIONS.iter().find_map(|extension| shorter.strip_suffix(extension));
        let shorter = stem.unwrap_or(shorter);
        if shorter == rest {
            return rest;
        }
        rest = shorter;
    }
}

/// Replaces generated names in the path and the query by `{}`. The result is only compared,
/// so its syntax does not matter.
fn without_tokens(url: &Url) -> String {
    let is_token = |class| matches!(class, SegmentClass::Token | SegmentClass::Id);
    let path = segments(url).map(|segment| {
        let class = SegmentClass::from_segment(segment, SegmentClass::Literal, None);
        if is_token(class) { "{}" } else { segment }
    });
    let mut reduced = format!("{}/{}", host_key(url), join(path));
    for parameter in parameters(url) {
        let class = SegmentClass::from_value(parameter.key, parameter.value);
        let value = if is_token(class) { "{}" } else { parameter.value };
        reduced.extend(["&", parameter.key, "=", value]);
    }
    reduced
}

/// Learns which spellings lead to the same page.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct UrlVariants {
    /// Results of comparisons, by section.
    comparisons: BTreeMap<String, BTreeMap<Spelling, Comparisons>>,
    /// The last page with each reduced URL, by the hash of the spelling and the reduced URL.
    #[serde(skip)]
    pages: HashMap<u64, PageVariant>,
    /// Hashes of accepted URLs and of their reduced forms.
    #[serde(skip)]
    accepted: HashSet<u64>,
}

/// Numbers of compared pairs of pages, by outcome.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Comparisons {
    equal: u32,
    similar: u32,
    different: u32,
}

impl Comparisons {
    fn record(&mut self, outcome: TrialOutcome) {
        let count = match outcome {
            TrialOutcome::Same => &mut self.equal,
            TrialOutcome::Similar => &mut self.similar,
            TrialOutcome::Different => &mut self.different,
        };
        *count = count.saturating_add(1);
    }

    /// Whether URLs of the section that differ only in this spelling lead to the same page.
    fn are_equivalent(self) -> bool {
        let equal = self.equal.saturating_add(self.similar / SIMILAR_PER_EQUAL);
        equal >= MIN_EQUAL && self.different.saturating_mul(EQUAL_PER_DIFFERENCE) <= equal
    }
}

/// The last page with a reduced URL.
#[derive(Debug, Clone, Copy)]
struct PageVariant {
    url_hash: u64,
    content: PageContent,
}

impl UrlVariants {
    /// Records an accepted URL.
    pub(super) fn accept(&mut self, url: &Url) {
        self.accepted.insert(hash_of(url.as_str()));
        for spelling in SPELLINGS {
            let reduced = spelling.reduce(url);
            if reduced != url.as_str() {
                self.accepted.insert(hash_of(&(spelling, &reduced)));
            }
        }
    }

    /// Returns the section of a new URL that leads to the same page as an accepted URL.
    pub(super) fn find_duplicate(&self, url: &Url) -> Option<String> {
        self.find_equivalent(url, |spelling| {
            let reduced = spelling.reduce(url);
            // An accepted URL may itself be reduced.
            self.accepted.contains(&hash_of(&(spelling, &reduced)))
                || self.accepted.contains(&hash_of(&reduced))
        })
    }

    /// Returns the section of an accepted URL that leads to the same page as a fetched URL.
    pub(super) fn find_fetched_duplicate(&self, url: &Url) -> Option<String> {
        let url_hash = hash_of(url.as_str());
        self.find_equivalent(url, |spelling| {
            let other = self.pages.get(&hash_of(&(spelling, spelling.reduce(url))));
            other.is_some_and(|other| other.url_hash != url_hash)
        })
    }

    /// Returns the section of a URL if its section has an equivalent spelling for which `is_known`
    /// holds.
    fn find_equivalent(&self, url: &Url, is_known: impl Fn(Spelling) -> bool) -> Option<String> {
        if self.comparisons.is_empty() {
            return None;
        }
        let section = section(url);
        let comparisons = self.comparisons.get(&section)?;
        let mut equivalent = comparisons.iter().filter(|(_, counts)| counts.are_equivalent());
        equivalent.any(|(spelling, _)| is_known(*spelling)).then_some(section)
    }

    /// Compares a page with earlier pages whose URLs have the same reduced form.
    pub(super) fn record_page(&mut self, url: &Url, content: PageContent) {
        let section = section(url);
        if self.comparisons.len() >= MAX_SECTIONS && !self.comparisons.contains_key(&section) {
            return;
        }
        let page = PageVariant { url_hash: hash_of(url.as_str()), content };
        for spelling in SPELLINGS {
            if self.pages.len() >= MAX_CACHED {
                self.pages.clear();
            }
            let reduced_hash = hash_of(&(spelling, spelling.reduce(url)));
            let earlier = self.pages.insert(reduced_hash, page);
            let earlier = earlier.filter(|earlier| earlier.url_hash != page.url_hash);
            let Some(earlier) = earlier else { continue };
            let by_spelling = self.comparisons.entry(section.clone()).or_default();
            by_spelling.entry(spelling).or_default().record(content.compare(earlier.content));
        }
    }
}

/// Returns the section of a URL: host and first segment in lower case, with generated names
/// replaced. The section ends with `/`, or with `?…` if the path has one segment and a query.
pub(super) fn section(url: &Url) -> String {
    // The year affects only the names of far dates, which a section need not distinguish.
    let pattern = UrlPattern::new(url, 0);
    let path = pattern.path().to_lowercase();
    // The second slash ends the first segment, because the host precedes the path.
    let end = path.match_indices('/').nth(1).map_or(path.len(), |(index, _)| index);
    let first = path.get(..end).unwrap_or_default();
    let first = first.split(';').next().unwrap_or_default();
    let is_single_segment = end == path.len();
    format!("{first}{}", if is_single_segment && url.query().is_some() { "?…" } else { "/" })
}

fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(exact: u64) -> PageContent {
        PageContent { exact, masked: exact, is_growing: false }
    }

    fn url(path: &str) -> Url {
        Url::parse(&format!("https://example.org{path}")).unwrap()
    }

    /// Asserts the reduced form of a path, without scheme and host.
    #[track_caller]
    fn check(spelling: Spelling, path: &str, expect: &str) {
        let reduced = spelling.reduce(&url(path));
        let reduced = reduced.trim_start_matches("https://").trim_start_matches("example.org");
        assert_eq!(reduced, expect, "{path}");
    }

    #[test]
    fn reduce_removes_one_part_of_the_url() {
        check(Spelling::Case, "/About?X=Y", "/about?x=y");
        check(Spelling::Slashes, "/a//b///c", "/a/b/c");
        check(Spelling::Ending, "/a/index.html", "/a");
        check(Spelling::Ending, "/a.html.htm/", "/a");
        check(Spelling::Ending, "/myindex.html", "/myindex");
        check(Spelling::Tokens, "/s/4f1a9c0b7d3e/a?sid=0a1b2c3d4e5f6071", "/s/{}/a&sid={}");
        check(Spelling::PathParameters, "/a;v=1/b;v=2?c", "/a/b?c");
        check(Spelling::SegmentOrder, "/c/a/b/a", "/a/b/c");
        check(Spelling::Directories, "/a/b/c.html?d", "/c.html?d");
        check(Spelling::Query, "/a?b=1", "/a");
    }

    #[test]
    fn equal_pages_make_spellings_equivalent() {
        let mut variants = UrlVariants::default();
        let names = ["hall", "Hall", "hAll", "haLl", "halL", "HAll", "HALl"];
        for name in names {
            assert_eq!(variants.find_duplicate(&url(&format!("/{name}/a"))), None);
            variants.accept(&url(&format!("/{name}/a")));
            variants.record_page(&url(&format!("/{name}/a")), content(7));
        }
        assert!(variants.find_duplicate(&url("/HALL/A")).is_some());
        assert!(variants.find_fetched_duplicate(&url("/HALL/A")).is_some());
        assert!(variants.find_fetched_duplicate(&url("/HALL/b")).is_none());
        assert!(variants.find_duplicate(&url("/HALL/b")).is_none());
        assert!(variants.find_duplicate(&url("/other/A")).is_none());
    }

    #[test]
    fn different_pages_refute_equivalence() {
        let mut variants = UrlVariants::default();
        for number in 0..40 {
            let page = url(&format!("/list?p={number}"));
            variants.accept(&page);
            variants.record_page(&page, content(number));
        }
        assert!(variants.find_duplicate(&url("/list?p=99")).is_none());
    }
}
