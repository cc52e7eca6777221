//! `isDeadPage` of *Sic transit gloria telae* (Bar-Yossef, Broder, Kumar,
//! Tomkins, WWW 2004), Table 1.

use relink_model::{ControlKind, DeadReason, FetchOutcome, Probe};

use super::{alive, control, dead};
use crate::page::PageView;
use crate::page_similarity::SAME_TEXT;
use crate::{Decision, JudgeInput, RetryDelay};

/// The return codes that count as errors, beside 5xx. All other 4xx count as
/// success (§3).
const ERRORS: [u16; 3] = [403, 404, 410];

/// Judges by Table 1; the numbers are its lines.
pub(crate) fn judge(case: &JudgeInput<'_>) -> Decision {
    if case.attempts.is_empty() {
        return Decision::Fetch {
            purpose: relink_model::FetchPurpose::Initial,
            wait: RetryDelay::HostInterval,
        };
    }
    // 3-4: a hard 404.
    if let Some(cause) = error(case.probe) {
        return Decision::Settle(dead(case, cause, case.probe.outcome.to_string()));
    }
    // 5-6: r = u.PARENT + 25 random characters.
    let Some(stray) = control(case, ControlKind::RandomNameInParent) else {
        return Decision::Compare(ControlKind::RandomNameInParent);
    };
    // 7-8: the host returns a hard 404 on dead pages.
    let Some(probe) = stray.probe.as_ref().filter(|probe| error(probe).is_none()) else {
        return Decision::Settle(alive(case, "the host returns an error on dead pages"));
    };
    let (page, stray) = (PageView::of(case.url, case.probe), PageView::of(&stray.url, probe));
    Decision::Settle(compare(case, &page, &stray))
}

fn compare(case: &JudgeInput<'_>, page: &PageView<'_>, stray: &PageView<'_>) -> crate::Judgment {
    // 9-10: a root cannot be a soft-404.
    if page.address().path == "/" && page.address().query.is_none() {
        return alive(case, "a root cannot be a soft-404");
    }
    // 11-12: different number of redirects.
    if page.redirects != stray.redirects {
        return alive(case, "a stray takes another number of redirects");
    }
    // 13-14: same redirects and same number of redirects.
    if page.landing == stray.landing {
        return dead(case, DeadReason::Soft404, "a stray ends at the same address");
    }
    // 15-16: almost-identical content.
    if page.digest.sketch.resemblance(&stray.digest.sketch) >= SAME_TEXT {
        return dead(case, DeadReason::Soft404, "a stray has almost the same content");
    }
    // 17: not a soft-404 page.
    alive(case, "a stray has other content")
}

/// Why a fetch failed, if it did (`atomicFetch` and `fetch`).
fn error(probe: &Probe) -> Option<DeadReason> {
    match &probe.outcome {
        FetchOutcome::Response(status) if ERRORS.contains(status) => Some(DeadReason::Gone),
        FetchOutcome::Response(500..=599) => Some(DeadReason::ServerError),
        FetchOutcome::Response(_) => None,
        FetchOutcome::DnsFailed(_) => Some(DeadReason::HostNotFound),
        FetchOutcome::RedirectLoop | FetchOutcome::TooManyRedirects => {
            Some(DeadReason::RedirectLoop)
        }
        FetchOutcome::InvalidRedirect(_) => Some(DeadReason::InvalidRedirect),
        _ => Some(DeadReason::NoResponse),
    }
}
