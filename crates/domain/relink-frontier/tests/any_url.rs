//! Properties of canonical URLs, scopes, traps, parameters and robots rules for any URL and
//! any text. Calls whose results are unused only test that nothing panics.

use proptest::prelude::*;
use relink_frontier::{
    CrawlScope, PageFingerprint, ParameterLearner, RobotsDirectives, RobotsTxt, ScopeMode,
    TrapDecision, TrapGuard, TrapLimits, TrialOutcome, UrlFilter, UrlPattern, canonicalize,
    host_key, section, strip,
};
use relink_testkit::any_url::{any_segment, any_text, any_url, any_url_text};

/// The year of the crawl.
const YEAR: i16 = 2026;

proptest! {
    #[test]
    fn canonicalize_any_text_is_stable(base in any_url(), text in any_text()) {
        for base in [None, Some(&base)] {
            if let Ok(url) = canonicalize(base, &text) {
                prop_assert_eq!(canonicalize(None, url.as_str()).ok(), Some(url.clone()));
                prop_assert!(url.fragment().is_none());
            }
        }
    }

    #[test]
    fn scope_contains_its_seed(url in any_url(), other in any_url()) {
        for mode in [ScopeMode::Host, ScopeMode::Domain, ScopeMode::Prefix] {
            let scope = CrawlScope::new(mode, std::slice::from_ref(&url), UrlFilter::default());
            prop_assert!(scope.is_inside(&url));
            scope.is_inside(&other);
        }
        section(&url);
    }

    #[test]
    fn host_key_is_empty_only_without_a_host(url in any_url()) {
        prop_assert_eq!(host_key(&url).is_empty(), url.host_str().is_none());
    }

    #[test]
    fn url_filter_accepts_or_rejects_any_pattern(pattern in any_text(), url in any_url_text()) {
        if let Ok(filter) = UrlFilter::new(std::slice::from_ref(&pattern), &[]) {
            filter.matches(&url);
            prop_assert!(!filter.excludes(&url));
        }
        if let Ok(filter) = UrlFilter::new(&[], &[pattern]) {
            prop_assert_eq!(filter.matches(&url), !filter.excludes(&url));
        }
    }

    #[test]
    fn trap_guard_accepts_any_urls(urls in prop::collection::vec(any_url(), 1..8)) {
        let mut guard = TrapGuard::new(YEAR, TrapLimits::default());
        for url in &urls {
            let fetched_form = guard.rewrite(url, &urls[0]);
            // A start page, which has no referring page, is always fetched.
            prop_assert_eq!(guard.check(&fetched_form, None), TrapDecision::Allow);
            guard.check(&fetched_form, Some(&urls[0]));
            guard.accept(&fetched_form, Some(&urls[0]));
            guard.record_known_link(&fetched_form, &urls[0]);
            guard.check_again(&fetched_form);
            let page = PageFingerprint::from_text(&fetched_form, None, fetched_form.path());
            guard.record_page(&fetched_form, &page, &urls);
            guard.record_redirect(&fetched_form, &urls[0]);
            prop_assert!(!UrlPattern::new(&fetched_form, YEAR).as_str().is_empty());
        }
        guard.report();
    }

    #[test]
    fn strip_known_parameters_is_idempotent(url in any_url()) {
        let (stripped, _) = strip(&url);
        prop_assert_eq!(strip(&stripped).0, stripped);
    }

    #[test]
    fn parameter_learner_accepts_any_url(url in any_url(), key in any_segment()) {
        let mut learner = ParameterLearner::default();
        for key in learner.undecided(&url) {
            prop_assert!(learner.is_undecided(&url, &key));
            learner.record(&url, &key, TrialOutcome::Same);
        }
        learner.record(&url, &key, TrialOutcome::Different);
        learner.is_irrelevant(&url, &key);
        learner.strip(&url);
    }

    #[test]
    fn robots_txt_accepts_any_rules_and_urls(
        rules in prop::collection::vec(any_segment(), 0..6),
        url in any_url(),
        agent in any_text(),
    ) {
        let lines: Vec<String> =
            rules.iter().map(|rule| format!("Disallow: /{rule}\nAllow: /{rule}*$\n")).collect();
        let lines = lines.concat();
        let text = format!("User-agent: {agent}\n{lines}Sitemap: {url}\nCrawl-delay: {agent}\n");
        let robots = RobotsTxt::parse(text.as_bytes());
        robots.crawl_delay(&agent);
        robots.sitemaps();
        for name in [agent.as_str(), "relink"] {
            if !robots.is_allowed(name, &url) {
                prop_assert!(robots.rule(name, &url).is_some());
            }
        }
        RobotsDirectives::parse([text.as_str()]);
        RobotsDirectives::applies_to_relink(&agent);
    }
}
