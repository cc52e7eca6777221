//! Requests for controls: pages that are fetched only for comparison. Most controls have
//! a random name that cannot exist, to learn how the error pages of a host look.

use relink_judge::{ControlUrl, control_key, control_url, is_conclusive, linked_control};
use relink_model::{Control, ControlKind, Probe, RequestRights};

use crate::isolation::isolate;

/// Maximum number of attempts to fetch a control.
const MAX_ATTEMPTS: u32 = 2;

/// A control to fetch. It is requested with GET, without the credentials of the
/// user.
#[derive(Debug, Clone)]
pub struct ControlRequest {
    /// What the control is compared with.
    pub kind: ControlKind,
    /// Identifies the control in caches and in the store. Pages with the same key share
    /// one control.
    pub key: String,
    /// The URL of the control.
    pub url: String,
    /// Permissions of the request.
    pub rights: RequestRights,
    /// The number of this attempt, from 1.
    pub attempt: u32,
}

impl ControlRequest {
    /// Returns the control of a page; `None` if the page has no control of this kind.
    /// `salt` is the seed of random names.
    pub fn of_page(
        kind: ControlKind,
        page: &str,
        rights: RequestRights,
        salt: u64,
    ) -> Option<Self> {
        let control = isolate(page, || control_url(kind, page, salt)).unwrap_or_default()?;
        Some(Self::from_url(kind, control, rights))
    }

    /// Returns a control to which the page itself links; otherwise the same as
    /// [`Self::of_page`].
    pub fn of_probe(
        kind: ControlKind,
        (page, probe): (&str, &Probe),
        rights: RequestRights,
        salt: u64,
    ) -> Option<Self> {
        if kind != ControlKind::LinkedQueryValue {
            return Self::of_page(kind, page, rights, salt);
        }
        let control = isolate(page, || linked_control(page, probe)).unwrap_or_default()?;
        Some(Self::from_url(kind, control, rights))
    }

    fn from_url(kind: ControlKind, control: ControlUrl, rights: RequestRights) -> Self {
        let ControlUrl { url, key } = control;
        Self::new(kind, key, url, rights)
    }

    /// Returns the first attempt to fetch a control.
    pub fn new(kind: ControlKind, key: String, url: String, rights: RequestRights) -> Self {
        Self { kind, key, url, rights: rights.without_credentials(), attempt: 1 }
    }

    /// Returns the next attempt after an attempt with this probe: `None` if the probe is
    /// conclusive or no attempt is left. A retry is worthwhile, because many pages may be judged
    /// by the control.
    pub fn next_attempt_after(&self, probe: &Probe) -> Option<Self> {
        let is_retried = !is_conclusive(probe) && self.attempt < MAX_ATTEMPTS;
        is_retried.then(|| Self { attempt: self.attempt + 1, ..self.clone() })
    }

    /// Whether other pages can use the control. A refetch is a control only for its
    /// own page.
    pub fn is_shared(&self) -> bool {
        self.kind != ControlKind::Refetch
    }
}

/// Returns the key of a control; `None` if the page has none of this kind.
pub fn control_key_for(kind: ControlKind, page: &str, probe: &Probe) -> Option<String> {
    let key = || match kind {
        ControlKind::LinkedQueryValue => linked_control(page, probe).map(|control| control.key),
        _ => control_key(kind, page),
    };
    isolate(page, key).unwrap_or_default()
}

/// Returns a control that could not be fetched. The judge then decides without it.
pub fn missing_control(kind: ControlKind) -> Control {
    Control { kind, url: String::new(), probe: None }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_model::{FetchOutcome, Timings};

    use super::*;

    fn probe(outcome: FetchOutcome) -> Probe {
        Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops: Vec::new(),
            outcome,
            timings: Timings::default(),
            retry_after: None,
            digest: None,
            version: None,
        }
    }

    #[test]
    fn inconclusive_control_is_retried_once() {
        let rights = RequestRights::user_supplied();
        let page = "http://a.test/x/page";
        let first = ControlRequest::of_page(ControlKind::RandomName, page, rights, 7).unwrap();
        assert!(first.url.starts_with("http://a.test/x/"), "{}", first.url);
        assert!(first.rights.may_reach_private() && !first.rights.may_carry_credentials());
        assert!(first.next_attempt_after(&probe(FetchOutcome::Response(404))).is_none());
        let failure = probe(FetchOutcome::TimedOut(relink_model::Phase::Headers));
        let second = first.next_attempt_after(&failure).unwrap();
        assert_eq!((second.attempt, &second.key), (2, &first.key));
        assert!(second.next_attempt_after(&failure).is_none(), "the second attempt is the last");
    }

    #[test]
    fn refetch_is_a_control_for_its_own_page_only() {
        let of_kind = |kind| {
            ControlRequest::new(kind, String::new(), String::new(), RequestRights::default())
        };
        assert!(!of_kind(ControlKind::Refetch).is_shared());
        assert!(of_kind(ControlKind::RandomName).is_shared());
    }
}
