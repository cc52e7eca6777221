//! Decides whether a fetched page is a new version.
//!
//! The first version and every change need two fetches shortly after each other.
//! Parts that differ between the two fetches are volatile and ignored from then on. Responses
//! that do not show the content of the page, such as challenges, login forms, consent walls and
//! maintenance notices, are never versions: the judge gives them a verdict for
//! which [`is_version`] is false.

use jiff::{SignedDuration, Timestamp};
use relink_change::{Change, Confirmation, Signature, VolatileParts, compare, confirm};
use relink_model::Verdict;
use serde::{Deserialize, Serialize};

/// Maximum time between two fetches that confirm each other. In a longer time, the page
/// may have changed again.
const MAX_CANDIDATE_AGE: SignedDuration = SignedDuration::from_hours(1);

/// Whether a response with this verdict shows the content of the page.
pub const fn is_version(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk)
}

/// A first fetch that waits for its confirmation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The time of the fetch.
    pub at: Timestamp,
    /// Its signature.
    pub signature: Signature,
}

/// What is known about a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageTrack {
    /// The latest version.
    pub latest: Option<Signature>,
    /// An unconfirmed fetch.
    pub candidate: Option<Candidate>,
    /// The volatile parts.
    pub volatile: VolatileParts,
}

/// The decision about a fetched page.
#[derive(Debug, Clone, PartialEq)]
pub enum TrackDecision {
    /// The page equals the latest version, except for markup and volatile parts.
    Unchanged,
    /// The page must be fetched again. It is the new candidate.
    Confirm,
    /// The page is the first version.
    FirstVersion,
    /// The page is a new version.
    NewVersion(Box<Change>),
    /// The two fetches differ, so no decision is possible until the next check.
    Unstable,
}

/// Decides about a fetched page and updates what is known about it.
///
/// ```
/// use relink_change::Signature;
/// use relink_collection::{PageTrack, TrackDecision, track};
/// use relink_page::{DocumentFormat, block_text};
/// let fetch = |text: &str| {
///     Signature::new(text.as_bytes(), &block_text(DocumentFormat::Html, text.as_bytes()))
/// };
/// let now = jiff::Timestamp::UNIX_EPOCH;
/// let mut page = PageTrack::default();
/// assert_eq!(track(&mut page, &fetch("<p>Owls"), now), TrackDecision::Confirm);
/// assert_eq!(track(&mut page, &fetch("<p>Owls"), now), TrackDecision::FirstVersion);
/// assert_eq!(track(&mut page, &fetch("<p>Owls"), now), TrackDecision::Unchanged);
/// ```
pub fn track(page: &mut PageTrack, fetched: &Signature, now: Timestamp) -> TrackDecision {
    let candidate = page.candidate.take().filter(|candidate| is_fresh(candidate, now));
    let Some(latest) = &page.latest else {
        return track_first(page, candidate, fetched, now);
    };
    if latest.checksum == fetched.checksum {
        return TrackDecision::Unchanged;
    }
    if !compare(latest, fetched, &page.volatile).is_visible() {
        page.volatile.count_rotation_at_positions(latest, fetched);
        return TrackDecision::Unchanged;
    }
    let Some(candidate) = candidate else {
        page.candidate = Some(Candidate { at: now, signature: fetched.clone() });
        return TrackDecision::Confirm;
    };
    let (confirmation, volatile) = confirm(latest, &candidate.signature, fetched, &page.volatile);
    page.volatile = volatile;
    match confirmation {
        Confirmation::Unchanged => TrackDecision::Unchanged,
        Confirmation::Changed(change) => {
            page.latest = Some(fetched.clone());
            TrackDecision::NewVersion(change)
        }
        Confirmation::Unstable => TrackDecision::Unstable,
    }
}

/// Decides about a fetched page without a version.
fn track_first(
    page: &mut PageTrack,
    candidate: Option<Candidate>,
    fetched: &Signature,
    now: Timestamp,
) -> TrackDecision {
    let Some(candidate) = candidate else {
        page.candidate = Some(Candidate { at: now, signature: fetched.clone() });
        return TrackDecision::Confirm;
    };
    page.volatile.extend(VolatileParts::learn(&candidate.signature, fetched));
    page.latest = Some(fetched.clone());
    TrackDecision::FirstVersion
}

/// Whether a candidate is recent enough to confirm a fetch. The clock may have been set back.
fn is_fresh(candidate: &Candidate, now: Timestamp) -> bool {
    let age = now.duration_since(candidate.at);
    age <= MAX_CANDIDATE_AGE && age >= -MAX_CANDIDATE_AGE
}

#[cfg(test)]
mod tests {
    use relink_page::{DocumentFormat, block_text};

    use super::*;

    /// Returns the signature of a response.
    fn fetch(html: &str) -> Signature {
        Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
    }

    /// Returns the response to a request. The clock, counter, advertisement, token and related
    /// links of the page depend on the number of the request.
    fn page(request: u32, price: &str) -> Signature {
        fetch(&format!(
            "<title>Owl shop</title><h1>Owl shop</h1><p id=clock>It is 10:{request:02} now</p>\
             <p>A stuffed owl costs {price} euros and comes with a stand.</p>\
             <div class=ad><p>Buy product number{request} today</p></div>\
             <p>Viewed {request} times</p><form><input type=hidden name=csrf value={request}></form>\
             <ul class=related><li><a href=/r/{request}>Related number{request}</a></ul>"
        ))
    }

    /// Returns the state after two fetches: the page has a first version.
    fn known(price: &str) -> PageTrack {
        let mut known = PageTrack::default();
        track(&mut known, &page(1, price), Timestamp::UNIX_EPOCH);
        track(&mut known, &page(2, price), Timestamp::UNIX_EPOCH);
        known
    }

    #[test]
    fn volatile_parts_are_never_a_change() {
        let mut known = known("10");
        for request in 3..40 {
            let decision = track(&mut known, &page(request, "10"), Timestamp::UNIX_EPOCH);
            assert_eq!(decision, TrackDecision::Unchanged, "{request}");
        }
    }

    #[test]
    fn change_needs_a_second_fetch() {
        let mut known = known("10");
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(track(&mut known, &page(3, "12"), now), TrackDecision::Confirm);
        assert!(matches!(track(&mut known, &page(4, "12"), now), TrackDecision::NewVersion(_)));
        assert_eq!(track(&mut known, &page(5, "12"), now), TrackDecision::Unchanged);
    }

    #[test]
    fn change_that_is_gone_on_the_second_fetch_is_not_reported() {
        let mut known = known("10");
        let now = Timestamp::UNIX_EPOCH;
        assert_eq!(track(&mut known, &page(3, "12"), now), TrackDecision::Confirm);
        assert_eq!(track(&mut known, &page(4, "10"), now), TrackDecision::Unchanged);
        assert_eq!(known.candidate, None);
    }

    #[test]
    fn old_candidate_does_not_confirm() {
        let mut known = known("10");
        let later = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(2);
        track(&mut known, &page(3, "12"), Timestamp::UNIX_EPOCH);
        assert_eq!(track(&mut known, &page(4, "12"), later), TrackDecision::Confirm);
    }

    #[test]
    fn pages_that_are_not_the_content_are_not_versions() {
        for verdict in [Verdict::Blocked, Verdict::Soft404, Verdict::Hijacked, Verdict::Failing] {
            assert!(!is_version(verdict));
        }
        assert!(is_version(Verdict::Alive) && is_version(Verdict::Moved));
    }
}
