//! The result of a check, for reports in several formats.
//!
//! When a report is created, secrets are masked and control characters are replaced in all
//! texts, so no format can contain them. Each format escapes its own syntax.

mod gitlab;
mod html;
mod junit;
mod markdown;
mod sarif;
mod table;
mod xlsx;

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_gate::FindingId;
use relink_model::{FindingCode, Verdict};

pub use self::gitlab::gitlab;
pub use self::html::html;
pub use self::junit::junit;
pub use self::markdown::markdown;
pub use self::sarif::sarif;
pub use self::table::{ResultTable, csv};
pub use self::xlsx::{XlsxError, xlsx};
use crate::{GateRow, printable, redact, redact_prose};

/// The result of a check.
#[derive(Debug, Clone)]
pub struct CheckReport {
    /// The version of Relink.
    pub version: String,
    /// The start of the run.
    pub started_at: Timestamp,
    /// The end of the run.
    pub finished_at: Timestamp,
    /// The inputs.
    pub inputs: Vec<String>,
    /// The number of links.
    pub links: u64,
    /// The number of documents.
    pub documents: u64,
    /// Targets by verdict.
    pub verdicts: BTreeMap<Verdict, u64>,
    /// Warnings that affect all results.
    pub notices: Vec<String>,
    /// The findings that `--since`, `--baseline` and `--accept` exempt from failing the run.
    pub gate: Option<GateRow>,
    /// The number of findings that fail the run.
    pub failing: u64,
    /// Findings grouped by cause, without exempted ones.
    pub causes: Vec<CheckCause>,
    /// All links with a finding, by document and position.
    pub broken_links: Vec<BrokenLink>,
}

/// Findings with one common cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckCause {
    /// The verdict.
    pub verdict: Verdict,
    /// The code.
    pub code: Option<FindingCode>,
    /// A URL, a path or a host.
    pub name: String,
    /// A description such as `missing directory, 9 links to 4 files`.
    pub description: String,
    /// The reason of the first finding.
    pub reason: String,
    /// The number of links.
    pub links: u64,
    /// The first locations.
    pub locations: Vec<String>,
}

/// A link with a finding. All texts are without secrets and control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLink {
    /// The stable id.
    pub id: FindingId,
    /// The document.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// The code.
    pub code: Option<FindingCode>,
    /// The URL.
    pub url: String,
    /// The reason.
    pub reason: String,
    /// Whether the link fails the run.
    pub is_failing: bool,
    /// Whether `--since`, `--baseline` or `--accept` exempts the link from failing the run.
    pub is_known: bool,
}

impl BrokenLink {
    /// Masks the secrets in the texts of a link and replaces control characters.
    #[must_use]
    pub fn cleaned(self) -> Self {
        Self {
            path: printable(&redact(&self.path)).into_owned(),
            url: printable(&redact(&self.url)).into_owned(),
            reason: printable(&redact_prose(&self.reason)).into_owned(),
            ..self
        }
    }

    /// Returns the code and the verdict: `RL101 dead`.
    pub fn label(&self) -> String {
        match self.code {
            Some(code) => format!("{code} {}", self.verdict),
            None => self.verdict.to_string(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A URL that contains a password and special characters of every format.
    pub(crate) const HOSTILE_URL: &str =
        "https://ann:secret@example.org/a](x)|`b`<script>alert(1)</script>\n::error::\u{1b}[2J@all";

    /// Creates a dead link that fails the run.
    pub(crate) fn link(path: &str, url: &str) -> BrokenLink {
        BrokenLink {
            id: FindingId::new(path, url),
            path: path.to_owned(),
            line: 3,
            column: 7,
            verdict: Verdict::Dead,
            code: Some(FindingCode::new(101)),
            url: url.to_owned(),
            reason: "404 in 2 attempts".to_owned(),
            is_failing: true,
            is_known: false,
        }
        .cleaned()
    }

    /// Returns a report with three links: to a plain URL, to [`HOSTILE_URL`], and one that is
    /// exempted from failing the run.
    pub(crate) fn report() -> CheckReport {
        let known = BrokenLink {
            is_failing: false,
            is_known: true,
            ..link("docs/old.md", "https://example.org/old")
        };
        CheckReport {
            version: "0.1.0".to_owned(),
            started_at: Timestamp::UNIX_EPOCH,
            finished_at: Timestamp::UNIX_EPOCH,
            inputs: vec!["docs".to_owned()],
            links: 12,
            documents: 3,
            verdicts: BTreeMap::from([(Verdict::Alive, 9), (Verdict::Dead, 3)]),
            notices: Vec::new(),
            gate: None,
            failing: 2,
            causes: vec![CheckCause {
                verdict: Verdict::Dead,
                code: Some(FindingCode::new(101)),
                name: "https://example.org/gone".to_owned(),
                description: "1 link".to_owned(),
                reason: "404 in 2 attempts".to_owned(),
                links: 1,
                locations: vec!["docs/a b.md:3:7".to_owned()],
            }],
            broken_links: vec![
                link("docs/a b.md", "https://example.org/gone"),
                link("docs/c.md", HOSTILE_URL),
                known,
            ],
        }
    }

    /// Asserts that a text has no secret and no control character except line feeds.
    #[track_caller]
    pub(crate) fn check_safe(text: &str) {
        assert!(!text.contains("secret"), "{text}");
        assert!(!text.chars().any(|char| char.is_control() && char != '\n'), "{text:?}");
    }
}
