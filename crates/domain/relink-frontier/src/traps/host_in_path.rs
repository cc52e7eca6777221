//! Host names in a path: `/about/www.example.com/about/…`.
//!
//! A link without its `https://` is relative. If a server returns a page for every URL, each
//! page contains the relative link again, so the paths grow endlessly. Some sites use host
//! names in their paths on purpose. Therefore, each site has a trial: pages with a host in
//! their path are fetched as long as they have new content. A path with the same host twice
//! is always a trap.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use url::Url;

use super::PageFingerprint;
use super::shape::segments;
use crate::host_key;

/// Number of pages without new content after which a trial may fail.
const MAX_STALE: u32 = 5;
/// Number of recent pages that are stored for comparison.
const MAX_STORED: usize = 32;
/// Maximum number of sites with a trial. Further sites are not tested.
const MAX_SITES: usize = 1_024;

/// Top-level domains that are also file extensions. A name with one of them is a host only
/// if it starts with `www.`.
const FILE_EXTENSIONS: [&str; 26] = [
    "ac", "ai", "am", "app", "as", "cab", "cc", "do", "in", "java", "la", "md", "me", "mk", "ml",
    "mov", "pl", "ps", "pub", "py", "rs", "sh", "so", "st", "vi", "zip",
];

/// The trials of the sites of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct HostTrials {
    sites: BTreeMap<String, Trial>,
    /// Hashes of the latest new pages, with and without hosts in their paths.
    recent: VecDeque<u64>,
}

/// The number of pages of a site with a host in their path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Trial {
    /// Number of pages with new content.
    new: u32,
    /// Number of pages with the content of a recent page.
    stale: u32,
}

impl HostTrials {
    /// Returns the pattern of the trap that a URL belongs to, such as
    /// `example.org/…/{host}/…`.
    pub(super) fn find_trap(&self, url: &Url) -> Option<String> {
        let mut hosts: Vec<&str> = segments(url).filter(|segment| is_host(segment)).collect();
        let segment_count = hosts.len();
        if segment_count == 0 {
            return None;
        }
        hosts.sort_unstable();
        hosts.dedup();
        let is_repeated = hosts.len() < segment_count;
        let site = host_key(url);
        let has_failed = self.sites.get(&site).is_some_and(|trial| trial.has_failed());
        (is_repeated || has_failed).then(|| format!("{site}/…/{{host}}/…"))
    }

    /// Records the content of a page.
    pub(super) fn record_page(&mut self, url: &Url, page: &PageFingerprint) {
        let is_new = !self.recent.contains(&page.exact);
        if is_new {
            if self.recent.len() >= MAX_STORED {
                self.recent.pop_front();
            }
            self.recent.push_back(page.exact);
        }
        if segments(url).any(is_host) {
            self.count_page(host_key(url), is_new);
        }
    }

    fn count_page(&mut self, site: String, is_new: bool) {
        if self.sites.len() >= MAX_SITES && !self.sites.contains_key(&site) {
            return;
        }
        let trial = self.sites.entry(site).or_default();
        trial.new += u32::from(is_new);
        trial.stale += u32::from(!is_new);
    }
}

impl Trial {
    /// Whether most pages with a host in their path repeat known pages.
    fn has_failed(self) -> bool {
        self.stale >= MAX_STALE && self.stale > self.new
    }
}

/// Whether a segment is a host name with a public suffix.
fn is_host(segment: &str) -> bool {
    let name = segment.to_ascii_lowercase();
    let is_name_character = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    if !name.contains('.')
        || !name.bytes().all(is_name_character)
        || name.split('.').any(str::is_empty)
    {
        return false;
    }
    let extension = name.rsplit('.').next().unwrap_or_default();
    if FILE_EXTENSIONS.contains(&extension) && !name.starts_with("www.") {
        return false;
    }
    psl::domain(name.as_bytes()).is_some_and(|domain| domain.suffix().is_known())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_host_rejects_files_and_versions() {
        for name in
            ["index.html", "a.min.js", "readme.md", "main.rs", "1.2.3", "x.zip", "com", "a..com"]
        {
            assert!(!is_host(name), "{name}");
        }
        for name in ["www.example.com", "example.co.uk", "EXAMPLE.org", "www.example.rs"] {
            assert!(is_host(name), "{name}");
        }
    }

    /// Asserts whether a URL of `https://example.org` is reported as a trap.
    #[track_caller]
    fn check(trials: &HostTrials, path: &str, is_trap: bool) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        assert_eq!(trials.find_trap(&url).is_some(), is_trap, "{path}");
    }

    /// Records a fetched page with the given text.
    fn record(trials: &mut HostTrials, path: &str, text: &str) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        trials.record_page(&url, &PageFingerprint::from_text(&url, None, text));
    }

    #[test]
    fn same_host_twice_is_a_trap() {
        let trials = HostTrials::default();
        check(&trials, "/a/www.example.com", false);
        check(&trials, "/compare/example.com/example.net", false);
        check(&trials, "/www.example.com/a/www.example.com", true);
    }

    #[test]
    fn trial_fails_if_pages_repeat() {
        let mut trials = HostTrials::default();
        for page in ["home", "about", "news"] {
            record(&mut trials, &format!("/{page}"), page);
            record(&mut trials, &format!("/www.example.com/{page}"), page);
            record(&mut trials, &format!("/x/www.example.com/{page}"), page);
        }
        check(&trials, "/y/www.example.com", true);
        check(&trials, "/y", false);
    }

    #[test]
    fn trial_succeeds_if_pages_are_new() {
        let mut trials = HostTrials::default();
        let names = ["one", "two", "three", "four", "five", "six", "seven"];
        for name in names {
            record(&mut trials, &format!("/site/{name}.com"), &format!("All about {name}"));
            record(&mut trials, &format!("/whois/{name}.com"), "Not found");
        }
        check(&trials, "/site/eight.com", false);
    }
}
