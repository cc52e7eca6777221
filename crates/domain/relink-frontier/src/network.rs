//! Whether failures are more probably those of our own network.
//!
//! Hosts are of two classes: those of this machine, its network or the crawled
//! site, and those outside. A server of the first class proves nothing about
//! the second. What is seen outside is counted by registrable domain, because
//! hosts of one domain fail together.
//!
//! The rules, over the unrelated domains outside that a run has requested:
//!
//! - Three that were reached prove that the network works.
//! - None reached of three or more: the network is in doubt.
//! - At most two reached, and ten or more without an address: name resolution is
//!   in doubt. So many dead names in one list are far less probable.
//! - One and the same page from five or more, and from nearly all that answer:
//!   something between us and them answers (a captive portal, a name server that
//!   returns its own address for every name).
//!
//! A name that does not exist is credible in all other cases. Nothing here
//! resolves names or sends requests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use relink_model::{ConnectError, Digest, FetchOutcome, Phase, Probe};
use url::{Host, Url};

/// Domains outside that were reached, from which on the network works.
const PROOF: usize = 3;
/// Domains that failed, from which on it is in doubt if none was reached.
const MIN_FAILED: usize = 3;
/// Names without an address, from which on name resolution is in doubt unless
/// the network is proven to work.
const MIN_UNRESOLVED: usize = 10;
/// Domains with one and the same page, from which on it is not theirs.
const MIN_SAME_PAGE: usize = 5;
/// The least share of that page among all that answer, in percent.
const SAME_PAGE_SHARE: usize = 90;
/// Domains with one and the same page for which it is worth looking up a random
/// name.
const SUSPICIOUS_PAGES: usize = 2;
/// Domains whose first page is kept for comparison.
const MAX_PAGES: usize = 1_000;
/// Characters of a page without a title that are compared.
const OPENING: usize = 100;

/// Last labels of names that are only known in a local network, or nowhere
/// (RFC 6761, RFC 6762, RFC 8375).
const LOCAL_LABELS: [&str; 6] = ["localhost", "local", "internal", "invalid", "lan", "arpa"];

/// The registrable domain of a URL outside our own network, or its public
/// address; nothing for hosts of our own network.
pub fn outside_domain(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Ipv4(address) => {
            let is_own = address.is_loopback()
                || address.is_private()
                || address.is_link_local()
                || address.is_unspecified();
            (!is_own).then(|| address.to_string())
        }
        Host::Ipv6(address) => {
            let is_own = address.is_loopback()
                || address.is_unique_local()
                || address.is_unicast_link_local()
                || address.is_unspecified();
            (!is_own).then(|| address.to_string())
        }
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            let (_, last) = name.rsplit_once('.')?;
            let domain = psl::domain_str(name).unwrap_or(name);
            (!LOCAL_LABELS.contains(&last)).then(|| domain.to_owned())
        }
    }
}

/// Why our own network is in doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkDoubt {
    /// No host outside could be reached.
    NothingReached {
        /// How many domains were tried.
        tried: usize,
    },
    /// Nearly no name could be resolved.
    NamesUnresolved {
        /// Domains whose name could not be resolved.
        failed: usize,
        /// Domains that were tried.
        tried: usize,
    },
    /// Unrelated hosts answer with one and the same page.
    SamePage {
        /// How many domains.
        domains: usize,
    },
}

impl fmt::Display for NetworkDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingReached { tried } => {
                write!(f, "none of {tried} domains outside this network could be reached")
            }
            Self::NamesUnresolved { failed, tried } => {
                write!(f, "{failed} of {tried} domains could not be resolved")
            }
            Self::SamePage { domains } => {
                write!(f, "{domains} unrelated domains answer with one and the same page")
            }
        }
    }
}

/// What a run has seen of hosts outside our own network.
#[derive(Debug, Clone, Default)]
pub struct NetworkEvidence {
    reached: BTreeSet<String>,
    unreached: BTreeSet<String>,
    unresolved: BTreeSet<String>,
    /// The first page of each domain that answered, as a text to compare.
    pages: BTreeMap<String, String>,
}

impl NetworkEvidence {
    /// Notes the result of a request to a host outside; returns whether one more
    /// domain was reached.
    pub fn note(&mut self, domain: &str, probe: &Probe) -> bool {
        self.note_page(domain, probe);
        if self.is_reached() {
            return false;
        }
        let domain = domain.to_owned();
        match probe.outcome {
            FetchOutcome::DnsFailed(_) | FetchOutcome::TimedOut(Phase::Dns) => {
                self.unresolved.insert(domain)
            }
            // A machine that refuses a connection was reached.
            FetchOutcome::ConnectFailed(ConnectError::Refused | ConnectError::Reset) => {
                return self.reached.insert(domain);
            }
            FetchOutcome::ConnectFailed(_)
            | FetchOutcome::TimedOut(Phase::Connect | Phase::Total) => {
                self.unreached.insert(domain)
            }
            FetchOutcome::PrivateAddress(_) | FetchOutcome::RobotsDisallowed => return false,
            _ => return self.reached.insert(domain),
        };
        false
    }

    /// Notes a domain that was reached before an interruption.
    pub fn recall_reached(&mut self, domain: &str) {
        self.reached.insert(domain.to_owned());
    }

    /// The domains that were reached, as far as they are kept.
    pub fn reached(&self) -> impl Iterator<Item = &str> {
        self.reached.iter().map(String::as_str)
    }

    /// Whether the network is proven to work.
    pub fn is_reached(&self) -> bool {
        self.reached.len() >= PROOF
    }

    /// Whether the pages are proven to be those of their hosts: three unrelated
    /// domains with three different pages, and no page that most of them share.
    pub fn has_different_pages(&self) -> bool {
        let kinds: BTreeSet<&String> = self.pages.values().collect();
        kinds.len() >= PROOF && 2 * self.largest_group() <= self.pages.len()
    }

    /// Whether failures are more probably those of our own network.
    pub fn doubt(&self) -> Option<NetworkDoubt> {
        let is_failed = |domain: &&String| !self.reached.contains(*domain);
        let unresolved = self.unresolved.iter().filter(is_failed).count();
        let failed = self.unresolved.union(&self.unreached).filter(is_failed).count();
        let tried = failed + self.reached.len();
        if self.reached.is_empty() && failed >= MIN_FAILED {
            return Some(NetworkDoubt::NothingReached { tried });
        }
        if !self.is_reached() && unresolved >= MIN_UNRESOLVED {
            return Some(NetworkDoubt::NamesUnresolved { failed: unresolved, tried });
        }
        None
    }

    /// Whether the pages are more probably not those of their hosts. A random
    /// name that `resolves` is enough with two domains.
    pub fn page_doubt(&self, resolves_random_name: bool) -> Option<NetworkDoubt> {
        let domains = self.largest_group();
        let least = if resolves_random_name { SUSPICIOUS_PAGES } else { MIN_SAME_PAGE };
        let is_shared = domains >= least && 100 * domains >= SAME_PAGE_SHARE * self.pages.len();
        is_shared.then_some(NetworkDoubt::SamePage { domains })
    }

    /// A domain for which looking up a random name next to it would tell more.
    pub fn suspicious_domain(&self) -> Option<&str> {
        let is_suspicious = self.largest_group() >= SUSPICIOUS_PAGES;
        self.pages.keys().next().filter(|_| is_suspicious).map(String::as_str)
    }

    fn largest_group(&self) -> usize {
        let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
        for page in self.pages.values() {
            *groups.entry(page).or_default() += 1;
        }
        groups.into_values().max().unwrap_or(0)
    }

    fn note_page(&mut self, domain: &str, probe: &Probe) {
        let is_page = matches!(probe.outcome, FetchOutcome::Response(200..=299));
        if !is_page || self.pages.len() >= MAX_PAGES || self.pages.contains_key(domain) {
            return;
        }
        let landing = probe.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        let landing = landing.as_ref().and_then(outside_domain);
        let elsewhere = landing.filter(|landing| landing != domain);
        let page = elsewhere.map(|landing| format!("to {landing}"));
        let page = page.or_else(|| probe.digest.as_deref().and_then(page_text));
        if let Some(page) = page {
            self.pages.insert(domain.to_owned(), page);
        }
    }
}

/// What a page is compared by: it may show the requested URL in its text.
fn page_text(digest: &Digest) -> Option<String> {
    let title = digest.title.as_deref().unwrap_or_default();
    let text = format!("{title}\n{}", digest.headings.join("\n"));
    if text.trim().is_empty() {
        let opening: String = digest.text_start.chars().take(OPENING).collect();
        return (!opening.is_empty()).then_some(opening);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{DnsError, Hop, Timings};

    use super::*;

    fn probe(ending: FetchOutcome, landing: &str, title: &str) -> Probe {
        let hop = Hop { url: landing.to_owned(), status: 200, location: None, ip: None };
        let digest = Digest { title: Some(title.to_owned()), ..Digest::default() };
        Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops: vec![hop],
            outcome: ending,
            timings: Timings::default(),
            retry_after: None,
            digest: Some(Box::new(digest)),
        }
    }

    /// So many domains of each kind: that answer with pages of their own,
    /// without an address, and that do not let us connect.
    fn seen(answered: usize, unresolved: usize, unreached: usize) -> NetworkEvidence {
        let mut evidence = NetworkEvidence::default();
        for n in 0..answered {
            let domain = format!("up{n}.test");
            let page = probe(FetchOutcome::Response(200), &format!("http://{domain}/"), &domain);
            evidence.note(&domain, &page);
        }
        let failed = |ending| Probe { hops: Vec::new(), digest: None, ..probe(ending, "", "") };
        for n in 0..unresolved {
            let ending = FetchOutcome::DnsFailed(DnsError::NoSuchName);
            evidence.note(&format!("gone{n}.test"), &failed(ending));
        }
        for n in 0..unreached {
            let ending = FetchOutcome::TimedOut(Phase::Connect);
            evidence.note(&format!("far{n}.test"), &failed(ending));
        }
        evidence
    }

    #[track_caller]
    fn check(answered: usize, unresolved: usize, unreached: usize, is_doubted: bool) {
        let doubt = seen(answered, unresolved, unreached).doubt();
        assert_eq!(doubt.is_some(), is_doubted, "{answered} {unresolved} {unreached}: {doubt:?}");
    }

    #[test]
    fn names_that_do_not_exist_are_credible_in_short_lists() {
        check(0, 1, 0, false);
        check(0, 2, 0, false);
        check(1, 2, 0, false);
        check(1, 1, 1, false);
        check(1, 9, 0, false);
    }

    #[test]
    fn network_is_in_doubt_if_nothing_outside_is_reached() {
        check(0, 3, 0, true);
        check(0, 0, 3, true);
        check(0, 2, 1, true);
        check(0, 29, 0, true);
    }

    #[test]
    fn resolution_is_in_doubt_if_nearly_all_names_fail() {
        check(1, 29, 0, true);
        check(2, 10, 0, true);
        check(3, 10, 0, false);
        check(20, 10, 0, false);
        // Three that were reached prove that names are resolved.
        check(3, 500, 0, false);
    }

    #[test]
    fn order_of_results_does_not_matter_before_the_network_is_proven() {
        let mut evidence = seen(0, 12, 0);
        evidence.note("up.test", &probe(FetchOutcome::Response(404), "http://up.test/", ""));
        assert_eq!(evidence.doubt(), seen(1, 12, 0).doubt());
    }

    /// Domains with the page of a portal, and so many with a page of their own.
    fn with_portal(shared: usize, own: usize) -> NetworkEvidence {
        let mut evidence = seen(own, 0, 0);
        for n in 0..shared {
            let domain = format!("shared{n}.test");
            let page = probe(FetchOutcome::Response(200), &format!("http://{domain}/"), "Buy now");
            evidence.note(&domain, &page);
        }
        evidence
    }

    #[test]
    fn same_page_from_nearly_all_hosts_is_not_theirs() {
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
    fn redirect_of_all_hosts_to_one_host_is_the_same_page() {
        let mut evidence = NetworkEvidence::default();
        for n in 0..5 {
            let page =
                probe(FetchOutcome::Response(200), "http://portal.test/login", &n.to_string());
            evidence.note(&format!("a{n}.test"), &page);
        }
        assert!(evidence.page_doubt(false).is_some());
    }

    #[test]
    fn parking_pages_among_other_pages_are_those_of_their_hosts() {
        let evidence = with_portal(5, 6);
        assert!(evidence.has_different_pages());
        assert_eq!(evidence.page_doubt(false), None);
        assert!(!with_portal(5, 2).has_different_pages());
    }

    #[track_caller]
    fn check_domain(url: &str, expect: Option<&str>) {
        assert_eq!(outside_domain(&Url::parse(url).unwrap()).as_deref(), expect, "{url}");
    }

    #[test]
    fn hosts_of_our_own_network_are_not_outside() {
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
