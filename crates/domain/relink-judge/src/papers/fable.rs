//! The test for broken links of FABLE, §2.1.
//!
//! It must not call a working page broken. A page is alive unless one of three
//! reasons applies.

use relink_model::{ControlKind, DeadReason, FetchOutcome, FetchPurpose, Probe};

use super::{alive, control, dead};
use crate::content::is_login_page;
use crate::control_url::control_key;
use crate::page::{PageView, is_success};
use crate::{Decision, JudgeInput, RetryDelay};

/// Judges by the three reasons of §2.1.
pub(crate) fn judge(input: &JudgeInput<'_>) -> Decision {
    if input.attempts.is_empty() {
        return Decision::Fetch { purpose: FetchPurpose::Initial, wait: RetryDelay::HostInterval };
    }
    match &input.probe.outcome {
        // 1) no request could be issued: DNS failure, connection timeout.
        FetchOutcome::DnsFailed(_)
        | FetchOutcome::ConnectFailed(_)
        | FetchOutcome::TimedOut(_)
        | FetchOutcome::TlsFailed(_) => {
            return Decision::Conclude(dead(
                input,
                DeadReason::NoResponse,
                input.probe.outcome.to_string(),
            ));
        }
        // 2) a 404 response.
        FetchOutcome::Response(404) => {
            return Decision::Conclude(dead(input, DeadReason::Gone, "status 404"));
        }
        _ => {}
    }
    let page = PageView::new(input.url, input.probe);
    // Footnote 1: a canonical URL almost always means a response without error.
    if page.digest.canonical.is_some() || page.redirects == 0 {
        return Decision::Conclude(alive(input, input.probe.outcome.to_string()));
    }
    soft_404(input, &page)
}

/// Reason 3: the page and a random URL redirect to the same target, which is not the
/// login page. The random URL has a random suffix, or another number in the path.
fn soft_404(input: &JudgeInput<'_>, page: &PageView<'_>) -> Decision {
    for kind in [ControlKind::RandomSuffix, ControlKind::RandomPathNumber] {
        if control_key(kind, input.url).is_none() {
            continue;
        }
        let Some(random) = control(input, kind) else { return Decision::Compare(kind) };
        let Some(probe) = random.probe.as_ref() else { continue };
        if has_same_redirect_target(page, &random.url, probe) {
            return Decision::Conclude(dead(
                input,
                DeadReason::Soft404,
                "a random URL redirects to the same target",
            ));
        }
    }
    Decision::Conclude(alive(input, "no random URL redirects to the same target"))
}

fn has_same_redirect_target(page: &PageView<'_>, url: &str, probe: &Probe) -> bool {
    let random_page = PageView::new(url, probe);
    is_success(probe)
        && random_page.redirects > 0
        && random_page.final_url == page.final_url
        && !is_login_page(&random_page)
}
