//! Applies the robots.txt of a host to its URLs and redirects. If the file cannot be
//! applied, because it could not be fetched or its parser panicked, nothing is allowed.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use relink_frontier::{RobotsPolicy, host_key};
use relink_ports::{RedirectFilter, Store, StoreError};
use url::Url;

use super::robots::{AGENT, RobotsFailure, stored_rules};
use crate::isolation::isolate;

/// The rules of one origin.
#[derive(Debug, Clone)]
pub enum HostRules {
    /// The parsed file.
    Known(Arc<RobotsPolicy>),
    /// The file could not be fetched, so nothing is allowed.
    Failed(Arc<RobotsFailure>),
}

impl HostRules {
    /// Whether the rules allow a URL.
    pub fn is_allowed(&self, url: &Url) -> bool {
        match self {
            Self::Known(policy) => is_allowed(policy, url),
            Self::Failed(_) => false,
        }
    }

    /// Returns why a URL is not allowed.
    pub fn reason(&self, url: &Url) -> String {
        let policy = match self {
            Self::Known(policy) => policy,
            Self::Failed(failure) => return failure.reason(),
        };
        let rule = isolate(url.as_str(), || policy.robots.rule(AGENT, url).map(str::to_owned));
        match rule.unwrap_or_default() {
            Some(rule) => format!("robots.txt says `{rule}`"),
            None => "robots.txt forbids it".to_owned(),
        }
    }

    /// Returns the requested delay between requests.
    pub fn crawl_delay(&self) -> Option<Duration> {
        match self {
            Self::Known(policy) => policy.robots.crawl_delay(AGENT),
            Self::Failed(_) => None,
        }
    }

    /// Returns a filter that applies the rules to redirects within a host and allows
    /// redirects to other hosts.
    pub fn host_filter(&self, host: &str) -> Option<RedirectFilter> {
        let Self::Known(policy) = self else { return None };
        let (policy, host) = (Arc::clone(policy), host.to_owned());
        let filter = move |url: &Url| host_key(url) != host || is_allowed(&policy, url);
        Some(RedirectFilter::new(filter))
    }

    /// Returns a filter that allows redirects within the origin of `url`, if the
    /// rules allow them, and no others.
    pub fn origin_filter(&self, url: &Url) -> RedirectFilter {
        let (rules, origin) = (self.clone(), url.origin());
        RedirectFilter::new(move |next: &Url| next.origin() == origin && rules.is_allowed(next))
    }
}

fn is_allowed(policy: &RobotsPolicy, url: &Url) -> bool {
    isolate(url.as_str(), || policy.robots.is_allowed(AGENT, url)).unwrap_or(false)
}

/// Loads the rules of an origin from the store; `None` if they must be fetched.
pub async fn load_rules(
    store: &dyn Store,
    origin: &str,
    now: Timestamp,
) -> Result<Option<RobotsPolicy>, StoreError> {
    let since = now.checked_sub(RobotsPolicy::LIFETIME).unwrap_or(Timestamp::MIN);
    // A file from the future was stored before the system clock was set back.
    let stored = store.robots(origin, since).await?.filter(|stored| stored.requested_at <= now);
    Ok(stored.as_ref().and_then(stored_rules).filter(|policy| policy.is_fresh(now)))
}

#[cfg(test)]
mod tests {
    use relink_model::{FetchOutcome, Probe, Timings};

    use super::*;

    fn rules(text: &str) -> HostRules {
        let policy = RobotsPolicy::from_status(200, text.as_bytes(), Timestamp::UNIX_EPOCH);
        HostRules::Known(Arc::new(policy))
    }

    fn url(text: &str) -> Url {
        text.parse().unwrap()
    }

    #[test]
    fn disallowed_url_is_refused_with_the_rule() {
        let rules = rules("User-agent: *\nDisallow: /x\nCrawl-delay: 3\n");
        assert!(rules.is_allowed(&url("http://a.test/y")));
        assert!(!rules.is_allowed(&url("http://a.test/x/y")));
        assert_eq!(rules.reason(&url("http://a.test/x/y")), "robots.txt says `Disallow: /x`");
        assert_eq!(rules.crawl_delay(), Some(Duration::from_secs(3)));
    }

    #[test]
    fn redirect_filters_apply_the_rules_within_the_host() {
        let rules = rules("User-agent: *\nDisallow: /x\n");
        let host = rules.host_filter("a.test").unwrap();
        let origin = rules.origin_filter(&url("http://a.test/"));
        for (target, by_host, by_origin) in [
            ("http://a.test/y", true, true),
            ("http://a.test/x", false, false),
            ("http://b.test/x", true, false),
        ] {
            let target = url(target);
            let is_allowed = (host.allows(&target), origin.allows(&target));
            assert_eq!(is_allowed, (by_host, by_origin), "{target}");
        }
    }

    #[test]
    fn failed_file_allows_nothing() {
        let probe = Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops: Vec::new(),
            outcome: FetchOutcome::Response(503),
            timings: Timings::default(),
            retry_after: None,
            digest: None,
            version: None,
        };
        let failure = RobotsFailure { probe, attempts: Vec::new() };
        let rules = HostRules::Failed(Arc::new(failure));
        assert!(!rules.is_allowed(&url("http://a.test/")));
        assert!(
            rules.reason(&url("http://a.test/")).starts_with("robots.txt could not be fetched")
        );
        assert!(rules.host_filter("a.test").is_none());
    }
}
