//! Whether a record appears in searches.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a manager decided.
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

/// What an override applies to, from the most general to the most specific.
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
    /// It may be shown.
    Shown,
    /// Its incident is hidden.
    Hidden,
}

/// Returns the decision that applies: the most specific one, and of equally specific ones the
/// last in the list, which is in order of time.
pub fn strongest_override(
    overrides: impl IntoIterator<Item = (OverrideScope, OverrideAction)>,
) -> Option<OverrideAction> {
    overrides.into_iter().max_by_key(|(scope, _)| *scope).map(|(_, action)| action)
}

/// Whether a record appears in searches. It is hidden only if none of its locations may be shown.
/// A record without locations is shown.
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
        let of = |list: &[(OverrideScope, OverrideAction)]| strongest_override(list.to_vec());
        assert_eq!(of(&[]), None);
        assert_eq!(
            of(&[(OverrideScope::Record, restore), (OverrideScope::Provider, hide)]),
            Some(restore)
        );
        assert_eq!(
            of(&[(OverrideScope::Domain, restore), (OverrideScope::Domain, hide)]),
            Some(hide)
        );
    }
}
