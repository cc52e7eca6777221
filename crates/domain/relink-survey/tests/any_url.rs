//! What holds for every URL and every name of a domain: a catalog keeps them
//! all, each in one directory of one domain.

use proptest::prelude::*;
use relink_survey::Catalogue;
use relink_testkit::any_url::{any_host, any_text};

proptest! {
    #[test]
    fn catalogue_any_urls_are_kept_in_one_directory(
        urls in prop::collection::vec((any_host(), any_text()), 0..20)
    ) {
        let catalogue = Catalogue::new(urls.iter().map(|(domain, url)| (domain, url)));
        prop_assert!(catalogue.len() as usize <= urls.len());
        for url in catalogue.urls() {
            let text = catalogue.url(url);
            let directory = catalogue.directory_of(url);
            prop_assert!(catalogue.urls_of(directory).any(|other| other == url));
            prop_assert!(text.starts_with(catalogue.directory_name(directory)));
            let found = catalogue.domain_of(directory);
            let domain = catalogue.domain_name(found);
            let is_given = |(own, url): &(String, String)| own == domain && url == text;
            prop_assert!(urls.iter().any(is_given));
        }
    }
}
