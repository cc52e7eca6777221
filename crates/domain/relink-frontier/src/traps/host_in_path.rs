//! Host names inside a path: `/about/www.example.com/about/…`.
//!
//! A link that forgets its `https://` is relative, and where a server answers
//! everything each page on the way has it again. Some sites do speak of hosts
//! in their paths, so a site is given a trial: as long as such pages show
//! something new, they are entered. One host twice in a path is no speech.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};
use url::Url;

use super::fingerprint::TextFingerprint;
use super::shape::segments;
use super::{PageFingerprint, is_new};
use crate::host_key;

/// Pages without anything new after which a site's trial ends.
const PATIENCE: u32 = 5;
/// Pages remembered, to know what is new.
const REMEMBERED: usize = 32;
/// Sites on trial; a crawl of more learns nothing of the others.
const MOST_SITES: usize = 1_024;

/// Top-level domains that are endings of files as well. A name with one of
/// them is a host only if it begins with `www.`.
const FILE_ENDINGS: [&str; 26] = [
    "ac", "ai", "am", "app", "as", "cab", "cc", "do", "in", "java", "la", "md", "me", "mk", "ml",
    "mov", "pl", "ps", "pub", "py", "rs", "sh", "so", "st", "vi", "zip",
];

/// What is known of the sites of a crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct HostTrials {
    sites: BTreeMap<String, Trial>,
    /// The latest pages that were new, with and without hosts in their paths.
    remembered: VecDeque<TextFingerprint>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Trial {
    new: u32,
    stale: u32,
}

impl HostTrials {
    /// The pattern of the trap an address is, if it is one.
    pub(super) fn trap_of(&self, url: &Url) -> Option<String> {
        let mut hosts: Vec<&str> = segments(url).filter(|segment| is_host(segment)).collect();
        let first = *hosts.first()?;
        let all = hosts.len();
        hosts.sort_unstable();
        hosts.dedup();
        let is_repeated = hosts.len() < all;
        let site = host_key(url);
        let has_failed = self.sites.get(&site).is_some_and(|trial| trial.has_failed());
        (is_repeated || has_failed).then(|| format!("{site}/…/{first}/…"))
    }

    /// A page was seen.
    pub(super) fn seen(&mut self, url: &Url, sight: &PageFingerprint) {
        let is_new = is_new(&sight.glimpse, self.remembered.iter());
        if is_new {
            if self.remembered.len() >= REMEMBERED {
                self.remembered.pop_front();
            }
            self.remembered.push_back(sight.glimpse.clone());
        }
        if segments(url).any(is_host) {
            self.note(host_key(url), is_new);
        }
    }

    fn note(&mut self, site: String, is_new: bool) {
        if self.sites.len() >= MOST_SITES && !self.sites.contains_key(&site) {
            return;
        }
        let trial = self.sites.entry(site).or_default();
        trial.new += u32::from(is_new);
        trial.stale += u32::from(!is_new);
    }
}

impl Trial {
    fn has_failed(self) -> bool {
        self.stale >= PATIENCE && self.stale > self.new
    }
}

/// Whether a segment is the name of a host under a public suffix.
fn is_host(segment: &str) -> bool {
    let name = segment.to_ascii_lowercase();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    if !name.contains('.') || !name.bytes().all(is_name) || name.split('.').any(str::is_empty) {
        return false;
    }
    let ending = name.rsplit('.').next().unwrap_or_default();
    if FILE_ENDINGS.contains(&ending) && !name.starts_with("www.") {
        return false;
    }
    psl::domain(name.as_bytes()).is_some_and(|domain| domain.suffix().is_known())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_versions_are_no_hosts() {
        for name in
            ["index.html", "a.min.js", "readme.md", "main.rs", "1.2.3", "x.zip", "com", "a..com"]
        {
            assert!(!is_host(name), "{name}");
        }
        for name in ["www.example.com", "example.co.uk", "EXAMPLE.org", "www.example.rs"] {
            assert!(is_host(name), "{name}");
        }
    }

    #[track_caller]
    fn check(trials: &HostTrials, path: &str, is_trap: bool) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        assert_eq!(trials.trap_of(&url).is_some(), is_trap, "{path}");
    }

    fn see(trials: &mut HostTrials, path: &str, text: &str) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        trials.seen(&url, &PageFingerprint::of_text(None, text, 0));
    }

    #[test]
    fn one_host_twice_is_a_trap_at_once() {
        let trials = HostTrials::default();
        check(&trials, "/a/www.example.com", false);
        check(&trials, "/compare/example.com/example.net", false);
        check(&trials, "/www.example.com/a/www.example.com", true);
    }

    #[test]
    fn a_site_that_shows_its_own_pages_there_fails_the_trial() {
        let mut trials = HostTrials::default();
        for page in ["home", "about", "news"] {
            see(&mut trials, &format!("/{page}"), page);
            see(&mut trials, &format!("/www.example.com/{page}"), page);
            see(&mut trials, &format!("/x/www.example.com/{page}"), page);
        }
        check(&trials, "/y/www.example.com", true);
        check(&trials, "/y", false);
    }

    #[test]
    fn a_site_about_hosts_passes_it() {
        let mut trials = HostTrials::default();
        let names = ["one", "two", "three", "four", "five", "six", "seven"];
        for name in names {
            see(&mut trials, &format!("/site/{name}.com"), &format!("All about {name}"));
            see(&mut trials, &format!("/whois/{name}.com"), "Not found");
        }
        check(&trials, "/site/eight.com", false);
    }
}
