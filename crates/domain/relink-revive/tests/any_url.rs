//! Properties that hold for all URLs and titles: patterns, programs, matching,
//! redirects and sites.

use jiff::Timestamp;
use proptest::prelude::*;
use relink_revive::matching::{Baseline, KnownAlias, MatchResult, PageInfo, SiteMatcher};
use relink_revive::pattern::{CoarsePattern, TokenRule, clusters};
use relink_revive::program::{Example, ProgramIndex, learn};
use relink_revive::redirects::{ArchivedRedirect, RedirectHistory, vet};
use relink_revive::replacement::may_be_replacement;
use relink_revive::site::is_same_site;
use relink_revive::{Directory, OldPage, Site};
use relink_testkit::any_url::{any_text, any_url};

proptest! {
    #[test]
    fn any_url_is_on_its_own_site(one in any_url(), other in any_url()) {
        prop_assert!(is_same_site(&one, &one));
        prop_assert_eq!(is_same_site(&one, &other), Site::from_url(&one) == Site::from_url(&other));
        may_be_replacement(&one, &other);
        let mut directory = Some(Directory::from_url(&one));
        while let Some(inner) = directory {
            directory = inner.parent();
            let outer = directory.as_ref().map_or(0, |outer| outer.as_str().len());
            prop_assert!(outer < inner.as_str().len());
        }
    }

    #[test]
    fn any_redirect_target_is_vetted(urls in prop::collection::vec(any_url(), 3)) {
        let history = |url: usize, target: usize| RedirectHistory {
            url: urls[url].clone(),
            redirects: vec![ArchivedRedirect {
                at: Timestamp::UNIX_EPOCH,
                target: urls[target].clone(),
            }],
        };
        let vetting = vet(&history(0, 1), &[history(1, 2), history(2, 1)]);
        prop_assert_eq!(vetting.alias().is_none(), vetting.no_alias().is_some());
    }

    #[test]
    fn any_candidate_has_a_pattern(old in any_url(), new in any_url(), title in any_text()) {
        let page = OldPage::new(old).with_title(title);
        for rule in [TokenRule::AllTogether, TokenRule::OneSource] {
            let pattern = CoarsePattern::new(&page, &new, rule);
            prop_assert!(pattern.predictable_count() <= pattern.components().len());
            clusters(std::slice::from_ref(&page), &[vec![new.clone()]], rule);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn programs_are_learned_from_any_examples(
        urls in prop::collection::vec(any_url(), 2..5),
        title in any_text(),
    ) {
        let pairs = urls.iter().zip(urls.iter().skip(1));
        let examples: Vec<Example> = pairs
            .map(|(old, new)| Example {
                old: OldPage::new(old.clone()).with_title(title.clone()),
                new: new.clone(),
                is_certain: true,
            })
            .collect();
        let page = OldPage::new(urls[0].clone()).with_title(title);
        for learned in learn(&examples) {
            learned.program.run(&page);
        }
        ProgramIndex::learn(&examples).predict(&page);
    }

    #[test]
    fn any_pages_are_matched(
        urls in prop::collection::vec(any_text(), 1..6),
        title in any_text(),
    ) {
        let page = |url| PageInfo { url, title: Some(title.as_str()), text: Some(title.as_str()) };
        let pages: Vec<PageInfo> = urls.iter().map(|url| page(url.as_str())).collect();
        let pairs = urls.iter().zip(urls.iter().skip(1));
        let known: Vec<KnownAlias> = pairs.map(|(old, new)| KnownAlias { old, new }).collect();
        let matcher = SiteMatcher::new(&pages, &pages, &known);
        for dead in 0..pages.len() {
            if let MatchResult::Alias(found) = matcher.match_page(dead) {
                prop_assert!(found.live < pages.len());
            }
        }
        for baseline in [Baseline::SameSlug, Baseline::Title, Baseline::TopCluster] {
            prop_assert_eq!(baseline.find_aliases(&pages, &pages).len(), pages.len());
        }
    }
}
