//! `isDeadPage` of *Sic transit gloria telae* (Bar-Yossef, Broder, Kumar,
//! Tomkins, WWW 2004), Table 1.
//!
//! A *hard 404* is an error status for a missing page; a *soft-404* is a success
//! status for one. A host that returns soft-404s is recognized by its response to a
//! random URL.

use relink_model::{ControlKind, DeadReason, FetchOutcome, Probe};

use super::{alive, control, dead};
use crate::page::PageView;
use crate::page_similarity::SAME_TEXT;
use crate::{Decision, JudgeInput, RetryDelay};

/// The status codes that count as errors in addition to 5xx. All other 4xx count as
/// success (§3).
const ERRORS: [u16; 3] = [403, 404, 410];

/// Judges by Table 1. The numbers in the comments are its lines.
pub(crate) fn judge(input: &JudgeInput<'_>) -> Decision {
    if input.attempts.is_empty() {
        return Decision::Fetch {
            purpose: relink_model::FetchPurpose::Initial,
            wait: RetryDelay::HostInterval,
        };
    }
    // 3-4: a hard 404.
    if let Some(cause) = failure_cause(input.probe) {
        return Decision::Conclude(dead(input, cause, input.probe.outcome.to_string()));
    }
    // 5-6: the random URL r is the parent directory of u and 25 random characters.
    let Some(random_page) = control(input, ControlKind::RandomNameInParent) else {
        return Decision::Compare(ControlKind::RandomNameInParent);
    };
    // 7-8: the host returns a hard 404 on dead pages.
    let Some(probe) = random_page.probe.as_ref().filter(|probe| failure_cause(probe).is_none())
    else {
        return Decision::Conclude(alive(input, "the host returns an error on dead pages"));
    };
    let (page, random_page) =
        (PageView::new(input.url, input.probe), PageView::new(&random_page.url, probe));
    Decision::Conclude(compare(input, &page, &random_page))
}

fn compare(
    input: &JudgeInput<'_>,
    page: &PageView<'_>,
    random_page: &PageView<'_>,
) -> crate::Judgment {
    // 9-10: a root cannot be a soft-404.
    if page.url_parts().path == "/" && page.url_parts().query.is_none() {
        return alive(input, "a root cannot be a soft-404");
    }
    // 11-12: different number of redirects.
    if page.redirects != random_page.redirects {
        return alive(input, "a random URL has another number of redirects");
    }
    // 13-14: same redirects and same number of redirects.
    if page.final_url == random_page.final_url {
        return dead(input, DeadReason::Soft404, "a random URL redirects to the same URL");
    }
    // 15-16: almost-identical content.
    if page.digest.sketch.resemblance(&random_page.digest.sketch) >= SAME_TEXT {
        return dead(input, DeadReason::Soft404, "a random URL has almost the same content");
    }
    // 17: not a soft-404 page.
    alive(input, "a random URL has other content")
}

/// Returns the cause of a failed fetch (`atomicFetch` and `fetch` of the paper).
fn failure_cause(probe: &Probe) -> Option<DeadReason> {
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
