//! The prevalence test of FABLE, §2.1: which links are broken?
//!
//! It must never call a working page broken, so anything but its three reasons
//! is alive.

use relink_model::{ControlKind, DeadReason, FetchOutcome, FetchPurpose, Probe};

use super::{alive, control, dead};
use crate::content::is_login_page;
use crate::control_url::control_key;
use crate::page::{PageView, has_answered};
use crate::{Decision, JudgeInput, RetryDelay};

/// Judges by the three reasons of §2.1.
pub(crate) fn judge(case: &JudgeInput<'_>) -> Decision {
    if case.attempts.is_empty() {
        return Decision::Fetch { purpose: FetchPurpose::Initial, wait: RetryDelay::HostInterval };
    }
    match &case.probe.outcome {
        // 1) no request could be issued: DNS failure, connection time-out.
        FetchOutcome::DnsFailed(_)
        | FetchOutcome::ConnectFailed(_)
        | FetchOutcome::TimedOut(_)
        | FetchOutcome::Tls(_) => {
            return Decision::Settle(dead(
                case,
                DeadReason::NoResponse,
                case.probe.outcome.to_string(),
            ));
        }
        // 2) a 404 response.
        FetchOutcome::Response(404) => {
            return Decision::Settle(dead(case, DeadReason::Gone, "answered 404"));
        }
        _ => {}
    }
    let page = PageView::of(case.url, case.probe);
    // Footnote 1: a canonical URL almost always means a response without error.
    if page.digest.canonical.is_some() || page.redirects == 0 {
        return Decision::Settle(alive(case, case.probe.outcome.to_string()));
    }
    soft_404(case, &page)
}

/// Third reason: the page and a stray redirect to one target which is not the
/// login page. The stray has a random suffix, or another number in the middle.
fn soft_404(case: &JudgeInput<'_>, page: &PageView<'_>) -> Decision {
    for kind in [ControlKind::RandomSuffix, ControlKind::RandomPathNumber] {
        if control_key(kind, case.url).is_none() {
            continue;
        }
        let Some(stray) = control(case, kind) else { return Decision::Compare(kind) };
        let Some(probe) = stray.probe.as_ref() else { continue };
        if is_caught(page, &stray.url, probe) {
            return Decision::Settle(dead(
                case,
                DeadReason::Soft404,
                "a stray redirects to the same target",
            ));
        }
    }
    Decision::Settle(alive(case, "no stray redirects to the same target"))
}

fn is_caught(page: &PageView<'_>, url: &str, probe: &Probe) -> bool {
    let stray = PageView::of(url, probe);
    has_answered(probe)
        && stray.redirects > 0
        && stray.landing == page.landing
        && !is_login_page(&stray)
}
