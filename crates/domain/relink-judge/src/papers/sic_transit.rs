//! `isDeadPage` of *Sic transit gloria telae* (Bar-Yossef, Broder, Kumar,
//! Tomkins, WWW 2004), Table 1.

use relink_model::{Cause, ControlKind, Ending, Probe};

use super::{alive, control, dead};
use crate::likeness::SAME_TEXT;
use crate::page::Page;
use crate::{Case, Next, Wait};

/// The return codes that count as errors, beside 5xx. All other 4xx count as
/// success (§3).
const ERRORS: [u16; 3] = [403, 404, 410];

/// Judges by Table 1; the numbers are its lines.
pub(crate) fn judge(case: &Case<'_>) -> Next {
    if case.looks.is_empty() {
        return Next::Ask { purpose: relink_model::Purpose::First, wait: Wait::HostInterval };
    }
    // 3-4: a hard 404.
    if let Some(cause) = error(case.probe) {
        return Next::Settle(dead(case, cause, case.probe.ending.to_string()));
    }
    // 5-6: r = u.PARENT + 25 random characters.
    let Some(stray) = control(case, ControlKind::StrayInParent) else {
        return Next::Compare(ControlKind::StrayInParent);
    };
    // 7-8: the host returns a hard 404 on dead pages.
    let Some(probe) = stray.probe.as_ref().filter(|probe| error(probe).is_none()) else {
        return Next::Settle(alive(case, "the host returns an error on dead pages"));
    };
    let (page, stray) = (Page::of(case.url, case.probe), Page::of(&stray.url, probe));
    Next::Settle(compare(case, &page, &stray))
}

fn compare(case: &Case<'_>, page: &Page<'_>, stray: &Page<'_>) -> crate::Judgement {
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
        return dead(case, Cause::Soft404, "a stray ends at the same address");
    }
    // 15-16: almost-identical content.
    if page.digest.sketch.resemblance(&stray.digest.sketch) >= SAME_TEXT {
        return dead(case, Cause::Soft404, "a stray has almost the same content");
    }
    // 17: not a soft-404 page.
    alive(case, "a stray has other content")
}

/// Why a fetch failed, if it did (`atomicFetch` and `fetch`).
fn error(probe: &Probe) -> Option<Cause> {
    match &probe.ending {
        Ending::Answered(status) if ERRORS.contains(status) => Some(Cause::Gone),
        Ending::Answered(500..=599) => Some(Cause::ServerFailed),
        Ending::Answered(_) => None,
        Ending::NoAddress(_) => Some(Cause::NoHost),
        Ending::Loop | Ending::TooManyHops => Some(Cause::Loop),
        Ending::Malformed(_) => Some(Cause::Malformed),
        _ => Some(Cause::NoAnswer),
    }
}
