//! Counts the pages of a site that return a server error or do not respond.

use relink_judge::codes;
use relink_model::{FindingCode, RunId};
use relink_ports::{SiteTarget, Store};
use relink_report::human::grouped;
use url::Url;

use relink_requests::{BEFORE_FIRST_TASK, EngineError};

/// The site counts as broken if at least one page in five fails.
const BROKEN_SITE_DIVISOR: u64 = 5;
/// Number of targets read from the store at a time.
const PAGE_SIZE: usize = 2048;

/// Codes of server errors and missing responses.
const SERVER_CODES: [FindingCode; 11] = [
    codes::SERVER_ERROR,
    codes::BAD_GATEWAY,
    codes::UNAVAILABLE,
    codes::GATEWAY_TIMEOUT,
    codes::OTHER_SERVER_ERROR,
    codes::TIMED_OUT,
    codes::CONNECTION_REFUSED,
    codes::CONNECTION_RESET,
    codes::UNREACHABLE,
    codes::CONNECTION_FAILED,
    codes::TRUNCATED,
];

/// Number of pages of the site, and how many of them fail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SiteErrors {
    /// Pages with a result.
    pub pages: u64,
    /// Pages that return a server error or do not respond.
    pub errors: u64,
}

impl SiteErrors {
    /// Counts a page of the site, if it has a result.
    pub(super) fn count(&mut self, target: &SiteTarget) {
        let is_error = target.code.is_some_and(|code| SERVER_CODES.contains(&code))
            || matches!(target.status, Some(500..=599));
        self.pages += u64::from(target.verdict.is_some());
        self.errors += u64::from(target.verdict.is_some() && is_error);
    }

    /// Whether the site counts as broken: 20 % or more of its pages fail.
    pub fn is_broken_site(&self) -> bool {
        self.errors > 0 && self.errors * BROKEN_SITE_DIVISOR >= self.pages
    }

    /// Returns the sentence for the report if the site counts as broken.
    pub fn summary(&self) -> Option<String> {
        let Self { pages, errors } = *self;
        let percent = 100 * errors / pages.max(1);
        self.is_broken_site().then(|| {
            let (pages, errors) = (grouped(pages), grouped(errors));
            format!(
                "{errors} of the {pages} pages of this site ({percent} %) return a server error \
                 or do not respond"
            )
        })
    }
}

/// Counts the pages of a crawl inside its scope.
pub(super) async fn count(
    store: &dyn Store,
    run: RunId,
    is_internal: impl Fn(&Url) -> bool,
) -> Result<SiteErrors, EngineError> {
    let mut errors = SiteErrors::default();
    let mut after = BEFORE_FIRST_TASK;
    loop {
        let page = store.site_targets(run, after, PAGE_SIZE).await?;
        let Some(last) = page.last() else { return Ok(errors) };
        after = last.task;
        let is_in_scope =
            |target: &&SiteTarget| Url::parse(&target.url).is_ok_and(|url| is_internal(&url));
        page.iter().filter(is_in_scope).for_each(|target| errors.count(target));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_is_broken_if_a_fifth_of_its_pages_fail() {
        for (errors, pages, is_broken) in [
            (0, 0, false),
            (0, 10, false),
            (1, 1, true),
            (1, 5, true),
            (1, 6, false),
            (200, 1_000, true),
            (199, 1_000, false),
        ] {
            let site = SiteErrors { pages, errors };
            assert_eq!(site.is_broken_site(), is_broken, "{site:?}");
        }
    }
}
