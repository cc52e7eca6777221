//! Detects failures of the local network.
//!
//! Hosts on this machine, in its local network or on the crawled site are not
//! *external*: that they respond proves nothing about external hosts. External hosts
//! are counted by registrable domain, because hosts of one domain fail together.
//!
//! The rules, over the external domains that a run has requested:
//!
//! - Three or more reached: the network works.
//! - None reached of three or more: the network is in doubt.
//! - At most two reached, and ten or more without an IP address: DNS resolution is in
//!   doubt. Ten dead names in one list are far less likely.
//! - Five or more, and at least 90 % of the domains that respond, return the same page: the
//!   pages are in doubt. A captive portal may send them, or the DNS server returns its own
//!   address for every name.
//!
//! In all other cases, a failure is attributed to the host. This module resolves no names
//! and sends no requests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use relink_model::{ConnectError, Digest, FetchOutcome, Phase, Probe};
use url::{Host, Url};

/// Number of reached domains that proves that the network works.
const MIN_REACHED: usize = 3;
/// Minimum number of failed domains for a doubt if none was reached.
const MIN_FAILED: usize = 3;
/// Minimum number of unresolved domains for a doubt, unless the network is proven to
/// work.
const MIN_UNRESOLVED: usize = 10;
/// Minimum number of domains with the same page for a doubt.
const MIN_SAME_PAGE: usize = 5;
/// Minimum percentage of the domains with the same page among all domains that respond.
const MIN_SAME_PAGE_PERCENT: usize = 90;
/// Minimum number of domains with the same page for a lookup of a random name. If the
/// random name resolves, the DNS server returns an address for every name.
const MIN_SUSPICIOUS_PAGES: usize = 2;
/// Maximum number of domains whose first page is stored.
const MAX_PAGES: usize = 1_000;
/// Number of compared characters of a page without title and headings.
const TEXT_PREFIX_LENGTH: usize = 100;

/// Top-level labels that exist only in local networks or not at all (RFC 6761, RFC
/// 6762, RFC 8375).
const LOCAL_LABELS: [&str; 6] = ["localhost", "local", "internal", "invalid", "lan", "arpa"];

/// Returns the registrable domain of an external URL, or its public IP address; `None`
/// for hosts of the local network.
pub fn external_domain(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Ipv4(address) => {
            let is_local = address.is_loopback()
                || address.is_private()
                || address.is_link_local()
                || address.is_unspecified();
            (!is_local).then(|| address.to_string())
        }
        Host::Ipv6(address) => {
            let is_local = address.is_loopback()
                || address.is_unique_local()
                || address.is_unicast_link_local()
                || address.is_unspecified();
            (!is_local).then(|| address.to_string())
        }
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            let (_, last) = name.rsplit_once('.')?;
            let domain = psl::domain_str(name).unwrap_or(name);
            (!LOCAL_LABELS.contains(&last)).then(|| domain.to_owned())
        }
    }
}

/// The reason to doubt the local network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkDoubt {
    /// No external host was reached.
    NothingReached {
        /// Number of requested domains.
        tried: usize,
    },
    /// Almost no name was resolved.
    NamesUnresolved {
        /// Number of unresolved domains.
        failed: usize,
        /// Number of requested domains.
        tried: usize,
    },
    /// Unrelated hosts respond with the same page.
    SamePage {
        /// Number of domains.
        domains: usize,
    },
}

impl fmt::Display for NetworkDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingReached { tried } => {
                write!(f, "none of {tried} external domains could be reached")
            }
            Self::NamesUnresolved { failed, tried } => {
                write!(f, "{failed} of {tried} domains could not be resolved")
            }
            Self::SamePage { domains } => {
                write!(f, "{domains} unrelated domains respond with the same page")
            }
        }
    }
}

/// The results of requests to external hosts in a run.
#[derive(Debug, Clone, Default)]
pub struct NetworkEvidence {
    reached: BTreeSet<String>,
    unreached: BTreeSet<String>,
    unresolved: BTreeSet<String>,
    /// A text that identifies the first page of each domain.
    pages: BTreeMap<String, String>,
}

impl NetworkEvidence {
    /// Records the result of a request to an external host. Returns whether a new
    /// domain was reached.
    pub fn record(&mut self, domain: &str, probe: &Probe) -> bool {
        self.record_page(domain, probe);
        if self.is_proven() {
            return false;
        }
        let domain = domain.to_owned();
        match probe.outcome {
            FetchOutcome::DnsFailed(_) | FetchOutcome::TimedOut(Phase::Dns) => {
                self.unresolved.insert(domain)
            }
            // The host was reached if it refuses a connection.
            FetchOutcome::ConnectFailed(ConnectError::Refused | ConnectError::Reset) => {
                return self.reached.insert(domain);
            }
            FetchOutcome::ConnectFailed(_)
            | FetchOutcome::TimedOut(Phase::Connect | Phase::Total) => {
                self.unreached.insert(domain)
            }
            // No request was sent, so the result proves nothing about the network.
            FetchOutcome::PrivateAddress(_) | FetchOutcome::RobotsDisallowed => return false,
            _ => return self.reached.insert(domain),
        };
        false
    }

    /// Records a domain that was reached before an interruption of the run.
    pub fn restore_reached(&mut self, domain: &str) {
        self.reached.insert(domain.to_owned());
    }

    /// Returns the reached domains. No more are recorded once the network is proven to work.
    pub fn reached(&self) -> impl Iterator<Item = &str> {
        self.reached.iter().map(String::as_str)
    }

    /// Whether the network is proven to work.
    pub fn is_proven(&self) -> bool {
        self.reached.len() >= MIN_REACHED
    }

    /// Whether the pages are proven to come from their hosts: three domains have
    /// different pages, and no page is shared by most domains.
    pub fn has_different_pages(&self) -> bool {
        let distinct_pages: BTreeSet<&String> = self.pages.values().collect();
        distinct_pages.len() >= MIN_REACHED && 2 * self.largest_group() <= self.pages.len()
    }

    /// Returns a doubt if the local network is a likelier cause of the failures than the hosts.
    pub fn doubt(&self) -> Option<NetworkDoubt> {
        let is_failed = |domain: &&String| !self.reached.contains(*domain);
        let unresolved = self.unresolved.iter().filter(is_failed).count();
        let failed = self.unresolved.union(&self.unreached).filter(is_failed).count();
        let tried = failed + self.reached.len();
        if self.reached.is_empty() && failed >= MIN_FAILED {
            return Some(NetworkDoubt::NothingReached { tried });
        }
        if !self.is_proven() && unresolved >= MIN_UNRESOLVED {
            return Some(NetworkDoubt::NamesUnresolved { failed: unresolved, tried });
        }
        None
    }

    /// Returns a doubt if the pages do not come from their hosts. If a random name
    /// resolves, two domains with the same page suffice.
    pub fn page_doubt(&self, resolves_random_name: bool) -> Option<NetworkDoubt> {
        let domains = self.largest_group();
        let min = if resolves_random_name { MIN_SUSPICIOUS_PAGES } else { MIN_SAME_PAGE };
        let is_shared = domains >= min && 100 * domains >= MIN_SAME_PAGE_PERCENT * self.pages.len();
        is_shared.then_some(NetworkDoubt::SamePage { domains })
    }

    /// Returns a domain under which a random name should be looked up; `None` if no two
    /// domains have the same page.
    pub fn suspicious_domain(&self) -> Option<&str> {
        let is_suspicious = self.largest_group() >= MIN_SUSPICIOUS_PAGES;
        self.pages.keys().next().filter(|_| is_suspicious).map(String::as_str)
    }

    /// Returns the largest number of domains that have the same page.
    fn largest_group(&self) -> usize {
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for page in self.pages.values() {
            *groups.entry(page).or_default() += 1;
        }
        groups.into_values().max().unwrap_or(0)
    }

    /// Stores what identifies the first page of a domain: its text, or the domain that it
    /// redirects to, because a captive portal may redirect to itself.
    fn record_page(&mut self, domain: &str, probe: &Probe) {
        let is_page = matches!(probe.outcome, FetchOutcome::Response(200..=299));
        if !is_page || self.pages.len() >= MAX_PAGES || self.pages.contains_key(domain) {
            return;
        }
        let final_url = probe.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        let final_domain = final_url.as_ref().and_then(external_domain);
        let other_domain = final_domain.filter(|other| other != domain);
        let page = other_domain.map(|other| format!("to {other}"));
        let page = page.or_else(|| probe.digest.as_deref().and_then(page_text));
        if let Some(page) = page {
            self.pages.insert(domain.to_owned(), page);
        }
    }
}

/// Returns a text that identifies a page: title and headings, or the start of its text.
/// The rest is not compared, because it may contain the requested URL.
fn page_text(digest: &Digest) -> Option<String> {
    let title = digest.title.as_deref().unwrap_or_default();
    let text = format!("{title}\n{}", digest.headings.join("\n"));
    if text.trim().is_empty() {
        let prefix: String = digest.text_start.chars().take(TEXT_PREFIX_LENGTH).collect();
        return (!prefix.is_empty()).then_some(prefix);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{DnsError, Hop, Timings};

    use super::*;

    fn probe(outcome: FetchOutcome, final_url: &str, title: &str) -> Probe {
        let hop = Hop { url: final_url.to_owned(), status: 200, location: None, ip: None };
        let digest = Digest { title: Some(title.to_owned()), ..Digest::default() };
        Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops: vec![hop],
            outcome,
            timings: Timings::default(),
            retry_after: None,
            version: None,
            digest: Some(Box::new(digest)),
        }
    }

    /// Returns the evidence of `reached` domains with different pages, `unresolved`
    /// domains, and `unreached` domains with connection timeouts.
    fn evidence(reached: usize, unresolved: usize, unreached: usize) -> NetworkEvidence {
        let mut evidence = NetworkEvidence::default();
        for n in 0..reached {
            let domain = format!("up{n}.test");
            let page = probe(FetchOutcome::Response(200), &format!("http://{domain}/"), &domain);
            evidence.record(&domain, &page);
        }
        let failed = |outcome| Probe { hops: Vec::new(), digest: None, ..probe(outcome, "", "") };
        for n in 0..unresolved {
            let outcome = FetchOutcome::DnsFailed(DnsError::NoSuchName);
            evidence.record(&format!("gone{n}.test"), &failed(outcome));
        }
        for n in 0..unreached {
            let outcome = FetchOutcome::TimedOut(Phase::Connect);
            evidence.record(&format!("far{n}.test"), &failed(outcome));
        }
        evidence
    }

    /// Asserts whether the network is in doubt after these numbers of domains.
    #[track_caller]
    fn check(reached: usize, unresolved: usize, unreached: usize, is_doubted: bool) {
        let doubt = evidence(reached, unresolved, unreached).doubt();
        assert_eq!(doubt.is_some(), is_doubted, "{reached} {unresolved} {unreached}: {doubt:?}");
    }

    #[test]
    fn nonexistent_names_are_credible_in_short_lists() {
        check(0, 1, 0, false);
        check(0, 2, 0, false);
        check(1, 2, 0, false);
        check(1, 1, 1, false);
        check(1, 9, 0, false);
    }

    #[test]
    fn network_is_in_doubt_if_no_external_host_is_reached() {
        check(0, 3, 0, true);
        check(0, 0, 3, true);
        check(0, 2, 1, true);
        check(0, 29, 0, true);
    }

    #[test]
    fn resolution_is_in_doubt_if_almost_all_names_fail() {
        check(1, 29, 0, true);
        check(2, 10, 0, true);
        check(3, 10, 0, false);
        check(20, 10, 0, false);
        // Three reached domains prove that names are resolved.
        check(3, 500, 0, false);
    }

    #[test]
    fn order_of_results_does_not_matter_before_network_is_proven() {
        let mut unresolved = evidence(0, 12, 0);
        unresolved.record("up.test", &probe(FetchOutcome::Response(404), "http://up.test/", ""));
        assert_eq!(unresolved.doubt(), evidence(1, 12, 0).doubt());
    }

    /// Returns the evidence of `shared` domains with the page of a portal and `own` domains
    /// with different pages.
    fn with_portal(shared: usize, own: usize) -> NetworkEvidence {
        let mut evidence = evidence(own, 0, 0);
        for n in 0..shared {
            let domain = format!("shared{n}.test");
            let page = probe(FetchOutcome::Response(200), &format!("http://{domain}/"), "Buy now");
            evidence.record(&domain, &page);
        }
        evidence
    }

    #[test]
    fn same_page_from_almost_all_hosts_is_doubted() {
        assert_eq!(
            with_portal(5, 0).page_doubt(false),
            Some(NetworkDoubt::SamePage { domains: 5 })
        );
        assert!(with_portal(60, 2).page_doubt(false).is_some());
        assert_eq!(with_portal(4, 0).page_doubt(false), None);
        assert_eq!(with_portal(5, 5).page_doubt(false), None);
        assert!(with_portal(2, 0).page_doubt(true).is_some());
        assert_eq!(with_portal(1, 0).page_doubt(true), None);
    }

    #[test]
    fn redirect_of_all_hosts_to_one_host_is_doubted() {
        let mut evidence = NetworkEvidence::default();
        for n in 0..5 {
            let page =
                probe(FetchOutcome::Response(200), "http://portal.test/login", &n.to_string());
            evidence.record(&format!("a{n}.test"), &page);
        }
        assert!(evidence.page_doubt(false).is_some());
    }

    #[test]
    fn parked_pages_among_other_pages_are_not_doubted() {
        let evidence = with_portal(5, 6);
        assert!(evidence.has_different_pages());
        assert_eq!(evidence.page_doubt(false), None);
        assert!(!with_portal(5, 2).has_different_pages());
    }

    /// Asserts the registrable domain, or `None` for a host of the local network.
    #[track_caller]
    fn check_domain(url: &str, expect: Option<&str>) {
        assert_eq!(external_domain(&Url::parse(url).unwrap()).as_deref(), expect, "{url}");
    }

    #[test]
    fn external_domain_excludes_local_hosts() {
        check_domain("http://127.0.0.1:8080/", None);
        check_domain("http://[::1]/", None);
        check_domain("http://192.168.1.1/", None);
        check_domain("http://localhost/", None);
        check_domain("http://printer/", None);
        check_domain("http://nas.local/", None);
        check_domain("http://nowhere.invalid/", None);
        check_domain("http://192.0.2.7/", Some("192.0.2.7"));
        check_domain("http://www.example.co.uk/", Some("example.co.uk"));
        check_domain("http://a.b.test/", Some("b.test"));
    }
}
