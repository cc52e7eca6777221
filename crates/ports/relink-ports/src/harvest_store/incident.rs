//! Incidents, decisions of users, the history, and all changes of one run.
//!
//! An incident is a period in which a target or a whole host of a provider is broken. The
//! stages of an incident are `reported`, `escalated`, `hidden` and `restored`.

use jiff::Timestamp;

use super::{DomainDay, LocationChange, NewNotification};

/// A stored incident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredIncident {
    /// The id in the store; 0 for a new incident.
    pub id: i64,
    /// The stage.
    pub stage: String,
    /// Whether the incident has not ended.
    pub is_open: bool,
    /// The incident as JSON.
    pub incident: String,
}

/// The incidents that a query returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IncidentFilter {
    /// Incidents that have not ended.
    Open,
    /// All incidents.
    All,
}

/// A decision of a user that replaces automatic decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredOverride {
    /// The scope: `record`, `target`, `domain` or `provider`.
    pub scope: String,
    /// The identifier, URL, host or name.
    pub subject: String,
    /// The action: `hide` or `restore`.
    pub action: String,
    /// The reason.
    pub reason: String,
    /// The user who decided.
    pub user: String,
    /// The time of the decision.
    pub decided_at: Timestamp,
}

/// An entry of the history of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HarvestEvent {
    /// The time.
    pub at: Timestamp,
    /// The user who caused the entry; `relink` for automatic actions.
    pub user: String,
    /// The kind, such as `note` or `answer`.
    pub kind: String,
    /// The identifier, URL, host or name.
    pub subject: String,
    /// The text.
    pub text: String,
}

/// All changes of one run for one provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HarvestChanges {
    /// New and changed incidents.
    pub incidents: Vec<StoredIncident>,
    /// Notifications.
    pub notifications: Vec<NewNotification>,
    /// The ids of records whose visibility changes, with the new value of `is_visible`.
    pub visibility: Vec<(i64, bool)>,
    /// Locations that are omitted from their published records, or included again.
    pub locations: Vec<LocationChange>,
    /// The ids of new and changed records whose locations have been checked.
    pub arrived: Vec<i64>,
    /// The state of the provider and its domains.
    pub days: Vec<DomainDay>,
    /// Domains surveyed on this day.
    pub surveyed: Vec<String>,
    /// Entries of the history.
    pub events: Vec<HarvestEvent>,
    /// Decisions to add.
    pub overrides: Vec<StoredOverride>,
    /// Decisions of users to delete: scope and subject.
    pub lifted: Vec<(String, String)>,
}
