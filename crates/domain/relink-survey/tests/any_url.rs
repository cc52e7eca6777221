//! Properties of catalogs with any URLs and domain names: every URL is in one directory of one
//! domain.

use proptest::prelude::*;
use relink_survey::Catalog;
use relink_testkit::any_url::{any_host, any_text};

proptest! {
    #[test]
    fn catalog_puts_any_url_into_one_directory(
        urls in prop::collection::vec((any_host(), any_text()), 0..20)
    ) {
        let catalog = Catalog::new(urls.iter().map(|(domain, url)| (domain, url)));
        prop_assert!(catalog.len() as usize <= urls.len());
        for url in catalog.urls() {
            let text = catalog.url(url);
            let directory = catalog.directory_of(url);
            prop_assert!(catalog.urls_of(directory).any(|other| other == url));
            prop_assert!(text.starts_with(catalog.directory_name(directory)));
            let found = catalog.domain_of(directory);
            let domain = catalog.domain_name(found);
            let is_given = |(given, url): &(String, String)| given == domain && url == text;
            prop_assert!(urls.iter().any(is_given));
        }
    }
}
