//! Detects failures of the local network.
//!
//! Hosts on this machine, in its local network or on the crawled site are not
//! *external*: that they respond proves nothing about external hosts. External hosts
//! are counted by registrable domain, because hosts of one domain fail together.
//!
//! The rules, over the external domains that a run has requested:
//!
//! - Three or more were reached: the network works.
//! - Three or more were requested, and none was reached: the network is in doubt.
//! - At most two were reached, and ten or more have no IP address: DNS resolution is in
//!   doubt, because ten dead names in one list are far less likely.
//! - Five or more, and at least 90 % of the domains that respond, return the same page: the
//!   pages are in doubt. A captive portal may send them, or the DNS server returns its own
//!   address for every name. Error pages count unless they are default pages of web servers,
//!   which are equal on unrelated hosts.
//! - Two or more require a login to the network (511), and fewer are reached: a captive portal
//!   responds. Web servers do not send this status (RFC 6585, section 6).
//!
//! A connection that is closed without a response, 502 and 504 may come from a proxy, so they do
//! not prove that the host was reached.
//!
//! In all other cases, the host is the cause of a failure. This module resolves no names
//! and sends no requests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use relink_model::{ConnectError, Digest, FetchOutcome, Phase, Probe, ProtocolError};
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
/// Minimum number of domains that require a login to the network for a doubt.
const MIN_LOGINS: usize = 2;
/// Minimum number of domains with the same page for a lookup of a random name under one of
/// these domains. If the random name resolves, the DNS server returns an address for every name.
const MIN_SUSPICIOUS_PAGES: usize = 2;
/// Maximum number of domains whose first page is stored.
const MAX_PAGES: usize = 1_000;
/// Number of compared characters of a page without title and headings.
const TEXT_PREFIX_LENGTH: usize = 100;

/// Phrases of default error pages: numbers and reasons of statuses (RFC 9110, section 15).
const DEFAULT_ERROR_PHRASES: [&str; 17] = [
    "400",
    "401",
    "403",
    "404",
    "410",
    "429",
    "500",
    "502",
    "503",
    "504",
    "not found",
    "forbidden",
    "gone",
    "bad gateway",
    "unavailable",
    "denied",
    "error",
];

/// Top-level labels that exist only in local networks or not at all (RFC 6761, RFC
/// 6762, RFC 8375).
const LOCAL_LABELS: [&str; 6] = ["localhost", "local", "internal", "invalid", "lan", "arpa"];

/// Returns the registrable domain of an external URL, or its public IP address, or `None`
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
    /// The network requires a login.
    LoginRequired {
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
            Self::LoginRequired { domains } => {
                write!(f, "the network requires a login, according to {domains} domains (511)")
            }
        }
    }
}

/// The results of requests to external hosts in a run.
#[derive(Debug, Clone, Default)]
pub struct NetworkEvidence {
    /// Domains whose server responded or refused a connection.
    reached: BTreeSet<String>,
    /// Domains of which a connection failed.
    unreached: BTreeSet<String>,
    /// Domains whose name could not be resolved.
    unresolved: BTreeSet<String>,
    /// Domains for which a login to the network is required.
    logins: BTreeSet<String>,
    /// A text that identifies the first page of each domain, see [`page_text`].
    pages: BTreeMap<String, String>,
    /// The same for the first error page of each domain.
    error_pages: BTreeMap<String, String>,
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
            FetchOutcome::Response(511) => self.logins.insert(domain),
            FetchOutcome::ConnectFailed(_)
            | FetchOutcome::TimedOut(Phase::Connect | Phase::Total)
            | FetchOutcome::ProtocolError(ProtocolError::Closed | ProtocolError::Reset)
            | FetchOutcome::Response(502 | 504) => self.unreached.insert(domain),
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
        let is_unreached = |domain: &&String| !self.reached.contains(*domain);
        let unresolved = self.unresolved.iter().filter(is_unreached).count();
        let failed = self.unresolved.union(&self.unreached).filter(is_unreached).count();
        let logins = self.logins.len();
        if logins >= MIN_LOGINS && logins > self.reached.len() {
            return Some(NetworkDoubt::LoginRequired { domains: logins });
        }
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
        let min_domains = if resolves_random_name { MIN_SUSPICIOUS_PAGES } else { MIN_SAME_PAGE };
        let domains = self.largest_group();
        if is_shared_by_most(domains, min_domains, self.pages.len()) {
            return Some(NetworkDoubt::SamePage { domains });
        }
        let domains = largest_group(&self.error_pages);
        let responded: BTreeSet<_> = self.pages.keys().chain(self.error_pages.keys()).collect();
        let is_doubted = is_shared_by_most(domains, MIN_SAME_PAGE, responded.len());
        is_doubted.then_some(NetworkDoubt::SamePage { domains })
    }

    /// Returns a domain under which a random name should be looked up, or `None` if no two
    /// domains have the same page.
    pub fn suspicious_domain(&self) -> Option<&str> {
        let is_suspicious = self.largest_group() >= MIN_SUSPICIOUS_PAGES;
        self.pages.keys().next().filter(|_| is_suspicious).map(String::as_str)
    }

    /// Returns the largest number of domains that have the same page.
    fn largest_group(&self) -> usize {
        largest_group(&self.pages)
    }

    /// Stores the text that identifies the first page of a domain. If the domain redirects to
    /// another domain, that domain is stored instead, because a captive portal may redirect to
    /// itself. Error pages are stored separately: they do not prove that pages come from their
    /// hosts.
    fn record_page(&mut self, domain: &str, probe: &Probe) {
        let is_page = matches!(probe.outcome, FetchOutcome::Response(200..=299));
        let pages = if is_page { &mut self.pages } else { &mut self.error_pages };
        if pages.len() >= MAX_PAGES || pages.contains_key(domain) {
            return;
        }
        let final_url = probe.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        let final_domain = final_url.as_ref().and_then(external_domain);
        let redirect_domain = final_domain.filter(|final_domain| final_domain != domain);
        let text = probe.digest.as_deref().and_then(page_text);
        let specific_text = text.filter(|text| is_page || !is_default_error_page(text));
        let identity = if let Some(redirect_domain) = redirect_domain {
            Some(format!("to {redirect_domain}"))
        } else if specific_text.is_some() {
            specific_text
        } else if !is_page && probe.outcome.status().is_some() {
            // Default error pages of two domains must not count as the same page.
            Some(format!("of {domain}"))
        } else {
            None
        };
        if let Some(identity) = identity {
            pages.insert(domain.to_owned(), identity);
        }
    }
}

/// Returns the largest number of domains that have the same page. `pages` maps each domain to
/// the text of its page.
fn largest_group(pages: &BTreeMap<String, String>) -> usize {
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    for page in pages.values() {
        *groups.entry(page).or_default() += 1;
    }
    groups.into_values().max().unwrap_or(0)
}

/// Whether at least `min_domains` domains, and most of the `responded` domains, have the same
/// page.
fn is_shared_by_most(domains: usize, min_domains: usize, responded: usize) -> bool {
    domains >= min_domains && 100 * domains >= MIN_SAME_PAGE_PERCENT * responded
}

/// Whether the text of an error page is the default text of a web server or framework. Such a
/// text names the status.
fn is_default_error_page(text: &str) -> bool {
    let text = text.to_lowercase();
    DEFAULT_ERROR_PHRASES.iter().any(|phrase| text.contains(phrase))
}

/// Returns a text that identifies a page: title and headings, or the start of the page text.
/// The remaining text is not compared, because it may contain the requested URL.
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
mod tests;
