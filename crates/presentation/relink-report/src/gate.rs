//! The number of findings that a gate exempts from failing the run, as JSON and text. A gate is
//! one of the flags `--since`, `--baseline` and `--accept`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::human::counted;
use crate::printable;

/// The findings that a gate exempts from failing the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateRow {
    /// The kind of gate.
    #[serde(flatten)]
    pub kind: GateRowKind,
    /// Links with a finding that are known and do not fail the run.
    pub known_links: u64,
    /// Targets with an accepted code.
    pub accepted: u64,
    /// Findings of the baseline that the run does not have.
    pub fixed: u64,
}

/// The kind of gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GateRowKind {
    /// Only links that changes since a revision added or broke fail the run.
    Since {
        /// The revision as given.
        revision: String,
    },
    /// Only findings that are not in a file fail the run.
    Baseline {
        /// The file.
        file: String,
    },
    /// Some codes do not fail the run.
    Accept,
}

impl GateRow {
    /// Returns the title of the list of known findings.
    pub fn known_title(&self) -> String {
        let links = counted(self.known_links, "known broken link");
        match &self.kind {
            GateRowKind::Since { revision } => {
                format!("{links}, not changed since `{}`:", printable(revision))
            }
            GateRowKind::Baseline { file } => format!("{links}, listed in `{}`:", printable(file)),
            GateRowKind::Accept => format!("{links}:"),
        }
    }

    /// Returns the last line of a report: the number of exempted findings, and what to do.
    pub fn footer(&self) -> String {
        let mut parts = Vec::new();
        if self.known_links > 0 {
            let do_not = if self.known_links == 1 { "does not" } else { "do not" };
            parts.push(format!(
                "{} {do_not} fail this run",
                counted(self.known_links, "known broken link")
            ));
        }
        if self.accepted > 0 {
            let has = if self.accepted == 1 { "has" } else { "have" };
            parts.push(format!("{} {has} an accepted code", counted(self.accepted, "page")));
        }
        if self.fixed > 0 {
            let are = if self.fixed == 1 { "is" } else { "are" };
            let findings = counted(self.fixed, "finding");
            parts.push(format!(
                "{findings} of the baseline {are} fixed: update it with `relink baseline`"
            ));
        }
        if parts.is_empty() { String::new() } else { format!("gate: {}\n", parts.join("; ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gate_row_of_since_has_json_footer_and_title() {
        let kind = GateRowKind::Since { revision: "origin/main".to_owned() };
        let row = GateRow { kind, known_links: 4, accepted: 1, fixed: 0 };
        assert_eq!(
            serde_json::to_string(&row).unwrap(),
            r#"{"kind":"since","revision":"origin/main","known_links":4,"accepted":1,"fixed":0}"#
        );
        assert_eq!(
            row.footer(),
            "gate: 4 known broken links do not fail this run; 1 page has an accepted code\n"
        );
        assert_eq!(row.known_title(), "4 known broken links, not changed since `origin/main`:");
    }
}
