//! The lifecycle of a broken URL: reported, escalated, hidden, restored. Sections (§) in this
//! module refer to Le & Shulman, "Managing Broken URLs in Federated Metadata"; §4 describes the
//! lifecycle.
//!
//! A *provider* delivers *records*; each record has *locations*, which are URLs. An *incident*
//! covers the time in which one target (canonical URL), or one whole host, is broken for one
//! provider. Only confirmed results advance an incident. A result in doubt (blocked, failing, or
//! a failure of the local network) changes nothing, and the same check stays due.
//!
//! Time is an argument: days are UTC dates. Nothing here checks a URL, stores or notifies.

mod guard;
mod lifecycle;
mod mass_failure;
mod outage;
mod timetable;
mod visibility;
#[cfg(test)]
mod year;

use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

pub use guard::{LossLimit, LossLimitError};
pub use lifecycle::Lifecycle;
pub use mass_failure::{DomainChecks, MassFailure};
pub use outage::HostChecks;
pub use timetable::NextCheck;
pub use visibility::{
    LocationState, OverrideAction, OverrideScope, is_record_visible, strongest_override,
};

/// The stage of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// The provider was notified automatically.
    Reported,
    /// The manager of the service was notified.
    Escalated,
    /// The records are hidden from searches.
    Hidden,
    /// The incident has ended.
    Restored,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 4] = [Self::Reported, Self::Escalated, Self::Hidden, Self::Restored];

    /// Returns the name used in all outputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Escalated => "escalated",
            Self::Hidden => "hidden",
            Self::Restored => "restored",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The subject of an incident: a target or a host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "name")]
pub enum IncidentSubject {
    /// One target, by canonical URL.
    Target(String),
    /// All targets of a host.
    Host(String),
}

impl IncidentSubject {
    /// Returns the URL or the host name.
    pub fn name(&self) -> &str {
        match self {
            Self::Target(name) | Self::Host(name) => name,
        }
    }
}

/// The effect of a check on an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckResult {
    /// The target works.
    Alive,
    /// The target is confirmed to be broken.
    Broken,
    /// The target is blocked or failing, or the local network may be down.
    Unknown,
}

/// Whether the timetable of an incident is suspended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Hold {
    /// The timetable applies.
    #[default]
    None,
    /// A manager has overridden the timetable. Only a recovery changes the stage.
    Overridden,
}

/// The event that led to the first finding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IncidentOrigin {
    /// A survey of the records. The timetable applies.
    #[default]
    Survey,
    /// A new record arrived. Its broken locations are removed at once (§6).
    Arrival,
    /// A user reported the URL. The records are hidden at once (§2).
    Report,
}

impl IncidentOrigin {
    /// Returns the name used in all outputs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Survey => "survey",
            Self::Arrival => "arrival",
            Self::Report => "report",
        }
    }
}

/// A change of the stage. Each change causes a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transition {
    /// The target was found broken: notify the provider automatically.
    Reported,
    /// The target is still broken without a reply: mail the service manager, and draft a
    /// personal mail.
    Escalated,
    /// The target of a new record is broken: remove the location from its records and notify
    /// the provider.
    Filtered,
    /// The target is still broken after the deadline: hide the records and notify the provider.
    Hidden,
    /// The incident has ended: show the records again and notify the provider.
    Restored,
}

/// The reason for the end of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndReason {
    /// The target works again.
    WorkingAgain,
    /// The provider replaced the URL in its records.
    UrlChanged,
    /// The provider deleted the records.
    RecordDeleted,
}

/// The end of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncidentEnd {
    /// The day of the end.
    pub on: Date,
    /// The reason.
    pub reason: EndReason,
}

/// The time in which a target or host is broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incident {
    /// The target or host.
    pub subject: IncidentSubject,
    /// The event that led to the first finding.
    #[serde(default)]
    pub origin: IncidentOrigin,
    /// The stage.
    pub stage: Stage,
    /// The day of the first finding.
    pub found_on: Date,
    /// The day of the escalation.
    pub escalated_on: Option<Date>,
    /// The day on which the records were hidden.
    pub hidden_on: Option<Date>,
    /// The end.
    pub end: Option<IncidentEnd>,
    /// The last conclusive check of the timetable.
    pub checked_on: Date,
    /// Number of re-checks since the records were hidden.
    pub hidden_checks: u32,
    /// The timetable does not advance before this day, because the provider replied.
    pub answered_until: Option<Date>,
    /// The day of the first reply to this incident.
    #[serde(default)]
    pub replied_on: Option<Date>,
}

impl Incident {
    /// Opens an incident on the day of the first finding.
    pub fn open(subject: IncidentSubject, day: Date) -> Self {
        Self {
            subject,
            origin: IncidentOrigin::Survey,
            stage: Stage::Reported,
            found_on: day,
            escalated_on: None,
            hidden_on: None,
            end: None,
            checked_on: day,
            hidden_checks: 0,
            answered_until: None,
            replied_on: None,
        }
    }

    /// Opens an incident whose target is hidden at once: it was broken on arrival, or a user
    /// reported it and a check confirmed the report.
    pub fn open_hidden(subject: IncidentSubject, day: Date, origin: IncidentOrigin) -> Self {
        Self { origin, stage: Stage::Hidden, hidden_on: Some(day), ..Self::open(subject, day) }
    }

    /// Whether the incident has not ended.
    pub fn is_open(&self) -> bool {
        self.end.is_none()
    }

    /// Records a reply of the provider on this day. The incident does not advance before the
    /// day `until`.
    pub fn record_reply(&mut self, day: Date, until: Date) {
        self.replied_on.get_or_insert(day);
        self.answered_until = Some(until);
    }

    /// Ends the incident. Returns `None` if it has ended before.
    pub fn close(&mut self, day: Date, reason: EndReason) -> Option<Transition> {
        if !self.is_open() {
            return None;
        }
        self.stage = Stage::Restored;
        self.end = Some(IncidentEnd { on: day, reason });
        Some(Transition::Restored)
    }

    /// Hides the records at once, after a user report was confirmed. Returns `None` if the
    /// records are hidden already or the incident has ended.
    pub fn hide_now(&mut self, day: Date) -> Option<Transition> {
        if !self.is_open() || self.stage == Stage::Hidden {
            return None;
        }
        self.checked_on = day;
        Some(self.hide(day))
    }

    /// Returns the incident of one target that stays broken after its host has recovered. The
    /// new incident continues the timetable of the incident of the host.
    #[must_use]
    pub fn split(&self, target: &str) -> Self {
        let subject = IncidentSubject::Target(target.to_owned());
        let stage = self.last_open_stage();
        Self { subject, stage, end: None, ..self.clone() }
    }

    /// Returns the stage before the end.
    fn last_open_stage(&self) -> Stage {
        if self.hidden_on.is_some() {
            Stage::Hidden
        } else if self.escalated_on.is_some() {
            Stage::Escalated
        } else {
            Stage::Reported
        }
    }

    /// Records a check, and returns the change of the stage, if any.
    ///
    /// A live target restores the records on any day. A broken target advances the incident only
    /// if a check is due, so that additional checks do not shift the timetable.
    pub fn record_check(
        &mut self,
        day: Date,
        result: CheckResult,
        lifecycle: &Lifecycle,
        hold: Hold,
    ) -> Option<Transition> {
        match result {
            CheckResult::Unknown => None,
            CheckResult::Alive => self.close(day, EndReason::WorkingAgain),
            CheckResult::Broken => self.record_broken(day, lifecycle, hold),
        }
    }

    fn record_broken(
        &mut self,
        day: Date,
        lifecycle: &Lifecycle,
        hold: Hold,
    ) -> Option<Transition> {
        if !self.is_due(day, lifecycle) {
            return None;
        }
        self.checked_on = day;
        let is_held = hold == Hold::Overridden || self.is_answered(day);
        match self.stage {
            Stage::Reported if !is_held => Some(self.escalate(day)),
            Stage::Escalated if !is_held => Some(self.hide(day)),
            Stage::Hidden => {
                self.hidden_checks = self.hidden_checks.saturating_add(1);
                None
            }
            Stage::Reported | Stage::Escalated | Stage::Restored => None,
        }
    }

    /// Whether a reply of the provider suspends the timetable on this day.
    fn is_answered(&self, day: Date) -> bool {
        self.answered_until.is_some_and(|until| day < until)
    }

    fn escalate(&mut self, day: Date) -> Transition {
        self.stage = Stage::Escalated;
        self.escalated_on = Some(day);
        Transition::Escalated
    }

    fn hide(&mut self, day: Date) -> Transition {
        self.stage = Stage::Hidden;
        self.hidden_on = Some(day);
        self.hidden_checks = 0;
        Transition::Hidden
    }
}

#[cfg(test)]
mod tests;
