//! The report of `relink harvest run`.
//!
//! A provider is an organization whose metadata records are harvested. The locations of a
//! record are its links. An incident is a period in which a location or a host is broken. Its
//! stages: it is reported to the provider, it is escalated, and its records are hidden.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::human::{counted, grouped};
use crate::printable;

/// The report of a run for one provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HarvestRunRow {
    /// The provider.
    pub provider: String,
    /// The source of the records.
    pub source: String,
    /// The records read.
    pub intake: IntakeRow,
    /// The records and links of the provider after the run.
    pub records: u64,
    /// Records that the provider has deleted.
    pub deleted: u64,
    /// Records that are hidden.
    pub hidden: u64,
    /// Distinct URLs.
    pub urls: u64,
    /// Distinct hosts.
    pub domains: u64,
    /// The locations of new and changed records.
    #[serde(default)]
    pub arrivals: ArrivalsRow,
    /// The checks of this run.
    pub survey: SurveyCountsRow,
    /// The changes of this run, by stage.
    pub changes: StageCountsRow,
    /// The open incidents, by stage.
    pub open: StageCountsRow,
    /// The next day on which an incident is due.
    pub next_check: Option<String>,
    /// The reason why no incident advanced, if the local network seems to be faulty.
    pub doubt: Option<String>,
    /// The reasons why the run stopped early. The next run continues there.
    pub errors: Vec<String>,
    /// The actions that need a confirmation and were not done.
    pub refusals: Vec<String>,
    /// Notes about the provider for the user.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The records read from a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntakeRow {
    /// Number of pages.
    pub pages: u64,
    /// New records.
    pub added: u64,
    /// Changed records.
    pub changed: u64,
    /// Records without a change.
    pub unchanged: u64,
    /// Records that the provider deleted.
    pub deleted: u64,
    /// Whether the whole list was read.
    pub is_complete: bool,
    /// Records that were skipped.
    pub problems: Vec<String>,
}

/// The locations of new and changed records, checked on arrival.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArrivalsRow {
    /// Checked URLs.
    pub checked: u64,
    /// Broken URLs, which are left out of their records.
    pub left_out: u64,
    /// Records without a working location.
    pub held_back: u64,
}

/// The checks of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyCountsRow {
    /// Checked URLs.
    pub checked: u64,
    /// Domains without a broken URL in the sample.
    pub ok: u64,
    /// Domains with broken URLs.
    pub suspicious: u64,
    /// Domains of which most URLs are broken.
    pub broken: u64,
}

/// Numbers by stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageCountsRow {
    /// Reported to the provider.
    pub reported: u64,
    /// Escalated to the service manager.
    pub escalated: u64,
    /// Hidden.
    pub hidden: u64,
    /// Restored.
    pub restored: u64,
}

impl HarvestRunRow {
    /// Formats the report of a provider for a terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{}  {}\n", printable(&self.provider), printable(&self.source));
        let intake = &self.intake;
        let _ = writeln!(
            text,
            "  {} read ({} new, {} changed, {} deleted), {} on {}",
            counted(intake.added + intake.changed + intake.unchanged + intake.deleted, "record"),
            grouped(intake.added),
            grouped(intake.changed),
            grouped(intake.deleted),
            counted(self.urls, "URL"),
            counted(self.domains, "domain")
        );
        if self.arrivals.checked > 0 {
            let ArrivalsRow { checked, left_out, held_back } = self.arrivals;
            let _ = writeln!(
                text,
                "  arrivals   checked {}: {} left out, {} held back",
                counted(checked, "URL"),
                grouped(left_out),
                counted(held_back, "record")
            );
        }
        let survey = &self.survey;
        let _ = writeln!(
            text,
            "  checked {}: {} OK by sampling, {} suspicious, {} broken",
            counted(survey.checked, "URL"),
            counted(survey.ok, "domain"),
            grouped(survey.suspicious),
            grouped(survey.broken)
        );
        let _ = writeln!(text, "  changes    {}", self.changes.text());
        let _ = writeln!(text, "  incidents  {}{}", self.open.text(), self.next_check_text());
        for remark in self.remarks() {
            text.extend(["  ", &remark, "\n"]);
        }
        text
    }

    /// Formats the day of the next check.
    fn next_check_text(&self) -> String {
        self.next_check.as_ref().map(|day| format!("  (next check {day})")).unwrap_or_default()
    }

    /// Returns the problems of the run as lines.
    fn remarks(&self) -> Vec<String> {
        let problems = self.intake.problems.iter().map(|text| format!("skipped: {text}"));
        let doubt = self.doubt.iter().map(|text| format!("nothing advanced: {text}"));
        let errors = self.errors.iter().map(|text| format!("error: {text}"));
        let refusals = self
            .refusals
            .iter()
            .map(|text| format!("stopped: {text}; confirm with `--allow-loss`"));
        let notes = self.notes.iter().map(|text| format!("note: {text}"));
        let remarks = problems.chain(doubt).chain(errors).chain(refusals).chain(notes);
        remarks.map(|remark| printable(&remark).into_owned()).collect()
    }
}

impl StageCountsRow {
    /// Formats the counts as one line.
    pub(super) fn text(&self) -> String {
        let Self { reported, escalated, hidden, restored } = self;
        let mut parts = vec![
            format!("reported {}", grouped(*reported)),
            format!("escalated {}", grouped(*escalated)),
            format!("hidden {}", grouped(*hidden)),
        ];
        if *restored > 0 {
            parts.push(format!("restored {}", grouped(*restored)));
        }
        parts.join("  ")
    }
}
