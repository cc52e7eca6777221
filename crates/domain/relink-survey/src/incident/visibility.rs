//! Decides whether a record appears in searches. A manager can override the decision.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The decision of a manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OverrideAction {
    /// Hide the records.
    Hide,
    /// Show the records.
    Restore,
}

impl OverrideAction {
    /// Returns the name used in all outputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hide => "hide",
            Self::Restore => "restore",
        }
    }
}

/// The records that an override applies to, from the most general to the most specific.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OverrideScope {
    /// All records of a provider.
    Provider,
    /// All records with a location on a domain.
    Domain,
    /// All records with this location.
    Target,
    /// One record.
    Record,
}

impl OverrideScope {
    /// Returns the name used in all outputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provider => "provider",
            Self::Domain => "domain",
            Self::Target => "target",
            Self::Record => "record",
        }
    }
}

impl fmt::Display for OverrideScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The state of one location of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationState {
    /// The location may be shown.
    Shown,
    /// The location has an incident in the stage "hidden".
    Hidden,
}

/// Returns the action of the most specific override. If several overrides are equally specific,
/// the last of them applies. `overrides` are ordered by time, oldest first.
pub fn strongest_override(
    overrides: impl IntoIterator<Item = (OverrideScope, OverrideAction)>,
) -> Option<OverrideAction> {
    overrides.into_iter().max_by_key(|(scope, _)| *scope).map(|(_, action)| action)
}

/// Whether a record appears in searches. A record is hidden only if none of its locations may be
/// shown. A record without locations is shown. `decision` overrides this rule.
pub fn is_record_visible(
    locations: impl IntoIterator<Item = LocationState>,
    decision: Option<OverrideAction>,
) -> bool {
    match decision {
        Some(OverrideAction::Hide) => false,
        Some(OverrideAction::Restore) => true,
        None => {
            let mut locations = locations.into_iter().peekable();
            locations.peek().is_none() || locations.any(|state| state == LocationState::Shown)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LocationState::{Hidden, Shown};
    use super::*;

    #[test]
    fn record_is_hidden_if_no_location_is_shown() {
        assert!(is_record_visible([], None));
        assert!(is_record_visible([Hidden, Shown], None));
        assert!(!is_record_visible([Hidden, Hidden], None));
    }

    #[test]
    fn override_beats_the_locations() {
        assert!(is_record_visible([Hidden], Some(OverrideAction::Restore)));
        assert!(!is_record_visible([Shown], Some(OverrideAction::Hide)));
    }

    #[test]
    fn most_specific_override_wins_then_the_newest() {
        let (hide, restore) = (OverrideAction::Hide, OverrideAction::Restore);
        let strongest =
            |list: &[(OverrideScope, OverrideAction)]| strongest_override(list.to_vec());
        assert_eq!(strongest(&[]), None);
        assert_eq!(
            strongest(&[(OverrideScope::Record, restore), (OverrideScope::Provider, hide)]),
            Some(restore)
        );
        assert_eq!(
            strongest(&[(OverrideScope::Domain, restore), (OverrideScope::Domain, hide)]),
            Some(hide)
        );
    }
}
