//! How many of a site's own pages answer with a server error or not at all.

use relink_judge::codes;
use relink_model::{FindingCode, RunId, TaskId};
use relink_ports::{SiteTarget, Store};
use relink_report::human::grouped;
use url::Url;

use crate::EngineError;

/// From one page in so many on, the site as a whole counts as broken.
const SERIOUS: u64 = 5;
/// Targets are read this many at a time.
const PIECE: usize = 2048;

/// Codes of pages whose server fails or does not answer.
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
    codes::NO_ANSWER,
    codes::TRUNCATED,
];

/// The site's own pages, and how many of them fail on its side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SiteErrors {
    /// Own pages with a result.
    pub pages: u64,
    /// Those of them that answer with a server error, or not at all.
    pub errors: u64,
}

impl SiteErrors {
    /// Counts a page of the site.
    pub(super) fn note(&mut self, target: &SiteTarget) {
        let is_error = target.code.is_some_and(|code| SERVER_CODES.contains(&code))
            || matches!(target.status, Some(500..=599));
        self.pages += u64::from(target.verdict.is_some());
        self.errors += u64::from(target.verdict.is_some() && is_error);
    }

    /// Whether the site as a whole counts as broken: 20 % or more of its pages
    /// fail.
    pub fn is_serious(&self) -> bool {
        self.errors > 0 && self.errors * SERIOUS >= self.pages
    }

    /// The sentence for the report, if the site as a whole counts as broken.
    pub fn sentence(&self) -> Option<String> {
        let Self { pages, errors } = *self;
        let percent = 100 * errors / pages.max(1);
        self.is_serious().then(|| {
            let (pages, errors) = (grouped(pages), grouped(errors));
            format!(
                "{errors} of the {pages} pages of this site ({percent} %) answer with a server \
                 error or not at all"
            )
        })
    }
}

/// Counts the pages of a crawl that are inside its scope.
pub(super) async fn count(
    store: &dyn Store,
    run: RunId,
    is_own: impl Fn(&Url) -> bool,
) -> Result<SiteErrors, EngineError> {
    let mut errors = SiteErrors::default();
    let mut after = TaskId(0);
    loop {
        let piece = store.site_targets(run, after, PIECE).await?;
        let Some(last) = piece.last() else { return Ok(errors) };
        after = last.task;
        let own = |target: &&SiteTarget| Url::parse(&target.url).is_ok_and(|url| is_own(&url));
        piece.iter().filter(own).for_each(|target| errors.note(target));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_is_broken_from_a_fifth_of_its_pages_on() {
        let is_serious = |errors, pages| SiteErrors { pages, errors }.is_serious();
        assert!(!is_serious(0, 0) && !is_serious(0, 10));
        assert!(is_serious(1, 5) && is_serious(200, 1_000) && is_serious(1, 1));
        assert!(!is_serious(1, 6) && !is_serious(199, 1_000));
    }
}
