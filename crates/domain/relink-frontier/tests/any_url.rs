//! What holds for every URL and every text: canonical form, scope, traps,
//! parameters and robots rules.

use proptest::prelude::*;
use relink_frontier::{
    CrawlScope, PageFingerprint, ParameterLearner, RobotsDirectives, RobotsTxt, ScopeMode,
    TrapDecision, TrapDetector, TrialOutcome, UrlFilter, UrlPattern, canonicalize, host_key,
    section, strip,
};
use relink_testkit::any_url::{any_segment, any_text, any_url, any_url_text};

proptest! {
    #[test]
    fn canonical_any_text_is_stable(base in any_url(), text in any_text()) {
        for base in [None, Some(&base)] {
            if let Ok(url) = canonicalize(base, &text) {
                prop_assert_eq!(canonicalize(None, url.as_str()).ok(), Some(url.clone()));
                prop_assert!(url.fragment().is_none());
            }
        }
    }

    #[test]
    fn scope_seed_is_inside_its_own_crawl(url in any_url(), other in any_url()) {
        for reach in [ScopeMode::Host, ScopeMode::Domain, ScopeMode::Prefix] {
            let scope = CrawlScope::new(reach, std::slice::from_ref(&url), UrlFilter::default());
            prop_assert!(scope.is_inside(&url));
            scope.is_inside(&other);
        }
        prop_assert_eq!(host_key(&url).is_empty(), url.host_str().is_none());
        section(&url);
    }

    #[test]
    fn scope_any_pattern_is_read_or_rejected(pattern in any_text(), url in any_url_text()) {
        if let Ok(scope) = UrlFilter::new(std::slice::from_ref(&pattern), &[]) {
            scope.matches(&url);
            prop_assert!(!scope.excludes(&url));
        }
        if let Ok(scope) = UrlFilter::new(&[], &[pattern]) {
            prop_assert_eq!(scope.matches(&url), !scope.excludes(&url));
        }
    }

    #[test]
    fn traps_any_urls_are_admitted_or_avoided(urls in prop::collection::vec(any_url(), 1..8)) {
        let mut watch = TrapDetector::new(2026);
        for url in &urls {
            prop_assert_eq!(watch.admit(url, 0), TrapDecision::Allow);
            watch.admit(url, 3);
            watch.new_outlinks(url, &urls);
            watch.seen(url, &PageFingerprint::of_text(None, url.path(), 1));
            watch.note_stripped(url);
            watch.note_redirect(url, &urls[0]);
            prop_assert!(!UrlPattern::of(url, 2026).as_str().is_empty());
        }
        watch.report();
    }

    #[test]
    fn parameters_any_url_strip_is_idempotent(url in any_url(), key in any_segment()) {
        let (stripped, _) = strip(&url);
        prop_assert_eq!(strip(&stripped).0, stripped);
        let mut trials = ParameterLearner::default();
        for key in trials.undecided(&url) {
            prop_assert!(trials.is_undecided(&url, &key));
            trials.record(&url, &key, TrialOutcome::Same);
        }
        trials.record(&url, &key, TrialOutcome::Different);
        trials.is_irrelevant(&url, &key);
        trials.strip(&url);
    }

    #[test]
    fn robots_any_rules_and_url_are_decided(
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
        RobotsDirectives::is_for_us(&agent);
    }
}
