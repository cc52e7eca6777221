//! The prevalence test of FABLE, §2.1: which links are broken?
//!
//! It must never call a working page broken, so anything but its three reasons
//! is alive.

use relink_model::{Cause, ControlKind, Ending, Probe, Purpose};

use super::{alive, control, dead};
use crate::content::is_login_page;
use crate::page::{Page, has_answered};
use crate::sibling::sibling_key;
use crate::{Case, Next, Wait};

/// Judges by the three reasons of §2.1.
pub(crate) fn judge(case: &Case<'_>) -> Next {
    if case.looks.is_empty() {
        return Next::Ask { purpose: Purpose::First, wait: Wait::HostInterval };
    }
    match &case.probe.ending {
        // 1) no request could be issued: DNS failure, connection time-out.
        Ending::NoAddress(_) | Ending::NoConnection(_) | Ending::TimedOut(_) | Ending::Tls(_) => {
            return Next::Settle(dead(case, Cause::NoAnswer, case.probe.ending.to_string()));
        }
        // 2) a 404 response.
        Ending::Answered(404) => {
            return Next::Settle(dead(case, Cause::Gone, "answered 404"));
        }
        _ => {}
    }
    let page = Page::of(case.url, case.probe);
    // Footnote 1: a canonical URL almost always means a response without error.
    if page.digest.canonical.is_some() || page.redirects == 0 {
        return Next::Settle(alive(case, case.probe.ending.to_string()));
    }
    soft_404(case, &page)
}

/// Third reason: the page and a stray redirect to one target which is not the
/// login page. The stray has a random suffix, or another number in the middle.
fn soft_404(case: &Case<'_>, page: &Page<'_>) -> Next {
    for kind in [ControlKind::StraySuffix, ControlKind::StrayNumber] {
        if sibling_key(kind, case.url).is_none() {
            continue;
        }
        let Some(stray) = control(case, kind) else { return Next::Compare(kind) };
        let Some(probe) = stray.probe.as_ref() else { continue };
        if is_caught(page, &stray.url, probe) {
            return Next::Settle(dead(
                case,
                Cause::Soft404,
                "a stray redirects to the same target",
            ));
        }
    }
    Next::Settle(alive(case, "no stray redirects to the same target"))
}

fn is_caught(page: &Page<'_>, url: &str, probe: &Probe) -> bool {
    let stray = Page::of(url, probe);
    has_answered(probe)
        && stray.redirects > 0
        && stray.landing == page.landing
        && !is_login_page(&stray)
}
