//! How unusual a page is, before it is compared with anything.
//!
//! A host gets only a limited number of controls. They are spent on the most unusual
//! pages first. The number is used only to order pages, never as evidence.

use relink_model::{PageFlag, Probe};

use crate::PhraseScan;
use crate::page::{PageView, is_success};
use crate::phrases::PhraseClass;

/// Minimum suspicion of a page that may be an error page.
const MIN_SUSPICION: u32 = 2;

/// Returns how unusual a page is: 0 for a long page with a title that fits its URL.
///
/// The number depends only on the page, not on other pages or on the order of
/// requests.
pub fn suspicion(url: &str, probe: &Probe, scan: Option<PhraseScan>) -> u32 {
    let page = PageView::new(url, probe).with_phrase_scan(scan);
    let is_unindexed = page.has(PageFlag::NoIndex) || page.has(PageFlag::PasswordField);
    let has_title = !page.title().is_empty() || !page.digest.headings.is_empty();
    let signs = [
        (4, page.main_phrase(PhraseClass::NotFound).is_some()),
        (3, page.is_redirected()),
        (2, page.digest.text_length == 0 && page.is_html()),
        (2, page.digest.is_short() && page.is_html()),
        (2, page.find_phrase(PhraseClass::NotFound).is_some()),
        (2, !is_success(probe)),
        (1, is_unindexed),
        (1, page.is_html() && !has_title),
        (1, !page.has_url_words_in_title()),
    ];
    signs.into_iter().filter_map(|(weight, is_present)| is_present.then_some(weight)).sum()
}

/// Whether a page may be an error page by [`suspicion`].
pub fn is_suspicious(url: &str, probe: &Probe, scan: Option<PhraseScan>) -> bool {
    suspicion(url, probe, scan) >= MIN_SUSPICION
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Scene;

    fn suspicion_of(page: &str) -> u32 {
        let scene = Scene::parse(page, &[]);
        suspicion(&scene.url, &scene.probe, None)
    }

    #[test]
    fn error_pages_are_more_unusual_than_articles() {
        let article = suspicion_of("/trees/old-oak 200 \"The old oak\" #1");
        assert_eq!(article, 0);
        let pages = [
            "/trees/oak 200 \"Trees\" #1",
            "/trees/oak 200 \"Trees\" {Sorry}",
            "/trees/oak -> / 200 \"Trees\" {Sorry}",
            "/trees/oak -> / 200 \"Page not found\" {Page not found}",
        ];
        let numbers = pages.map(suspicion_of);
        assert!(numbers.is_sorted() && numbers[0] > article, "{numbers:?}");
    }
}
