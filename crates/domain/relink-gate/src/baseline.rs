//! Baselines: known findings that do not fail a run.
//!
//! A baseline is a JSON file with one finding per line, so that its changes are
//! readable in a diff. It contains no secret: callers pass masked URLs.

use std::collections::{BTreeMap, HashMap};

use relink_model::FindingCode;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::FindingId;

/// The version of the format.
const VERSION: u32 = 1;

/// The known findings of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownFindings {
    /// The findings, by document and URL.
    entries: BTreeMap<(String, String), BaselineEntry>,
}

/// A known finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaselineEntry {
    /// The id, for readers. It is computed from path and URL.
    pub id: String,
    /// The document, relative to the project.
    pub path: String,
    /// The URL or the local target, with secrets masked.
    pub url: String,
    /// The code at the time of the baseline, for readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<FindingCode>,
    /// The number of links in the document.
    pub links: u64,
}

/// The content of a baseline file.
#[derive(Deserialize)]
struct BaselineFile {
    version: u32,
    findings: Vec<BaselineEntry>,
}

/// The result of comparing a run with a baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaselineMatch {
    /// For each link, whether it is known.
    pub is_known: Vec<bool>,
    /// Findings of the baseline that the run does not have.
    pub fixed: u64,
}

/// The file is not a baseline.
#[derive(Debug, Error)]
pub enum ParseBaselineError {
    /// It is not JSON, or a member is missing.
    #[error("not a baseline: {0}")]
    Invalid(#[from] serde_json::Error),
    /// It has another version.
    #[error("unsupported baseline version {0} (supported: {VERSION})")]
    Version(u32),
}

impl KnownFindings {
    /// Creates a baseline of links, each with its document, URL and code.
    pub fn new<'a>(
        links: impl IntoIterator<Item = (&'a str, &'a str, Option<FindingCode>)>,
    ) -> Self {
        let mut entries: BTreeMap<(String, String), BaselineEntry> = BTreeMap::new();
        for (path, url, code) in links {
            let key = (path.to_owned(), url.to_owned());
            let entry = entries.entry(key).or_insert_with(|| BaselineEntry {
                id: FindingId::new(path, url).to_string(),
                path: path.to_owned(),
                url: url.to_owned(),
                code,
                links: 0,
            });
            entry.links += 1;
        }
        Self { entries }
    }

    /// Reads a baseline file.
    pub fn parse(text: &str) -> Result<Self, ParseBaselineError> {
        let file: BaselineFile = serde_json::from_str(text)?;
        if file.version != VERSION {
            return Err(ParseBaselineError::Version(file.version));
        }
        let entries = file.findings.into_iter();
        Ok(Self {
            entries: entries
                .map(|entry| ((entry.path.clone(), entry.url.clone()), entry))
                .collect(),
        })
    }

    /// Returns the text of the file.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let lines: Vec<String> =
            self.entries.values().map(serde_json::to_string).collect::<Result<_, _>>()?;
        let findings = match lines.as_slice() {
            [] => "[]".to_owned(),
            lines => format!("[\n{}\n]", lines.join(",\n")),
        };
        Ok(format!("{{\"version\":{VERSION},\"findings\":{findings}}}\n"))
    }

    /// Returns the number of findings.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no finding.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Compares the links of a run, each given by its document and URL. If a document
    /// has more links to a URL than the baseline, the last of these links are new.
    pub fn compare(&self, links: &[(&str, &str)]) -> BaselineMatch {
        let mut seen: HashMap<(&str, &str), u64> = HashMap::new();
        let mut is_known = Vec::with_capacity(links.len());
        for (path, url) in links {
            let count = seen.entry((path, url)).or_default();
            *count += 1;
            is_known.push(*count <= self.links(path, url));
        }
        let is_fixed = |entry: &&BaselineEntry| !seen.contains_key(&(&*entry.path, &*entry.url));
        let fixed = self.entries.values().filter(is_fixed).count();
        BaselineMatch { is_known, fixed: fixed as u64 }
    }

    /// Returns the known number of links to a URL in a document.
    fn links(&self, path: &str, url: &str) -> u64 {
        let entry = self.entries.get(&(path.to_owned(), url.to_owned()));
        entry.map_or(0, |entry| entry.links)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two links in `a.md` have the same target, so the baseline has two findings.
    const LINKS: [(&str, &str, Option<FindingCode>); 3] = [
        ("b.md", "https://example.org/x", Some(FindingCode::new(101))),
        ("a.md", "file:gone.md", Some(FindingCode::new(601))),
        ("a.md", "file:gone.md", Some(FindingCode::new(601))),
    ];

    #[test]
    fn baseline_file_is_sorted_and_read_again() {
        let baseline = KnownFindings::new(LINKS);
        let text = baseline.to_json().unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((baseline.len(), lines.len()), (2, 4), "{text}");
        assert!(
            lines[1].contains(r#""path":"a.md","url":"file:gone.md","code":"RL601","links":2"#)
        );
        assert_eq!(KnownFindings::parse(&text).unwrap(), baseline);
        let empty = KnownFindings::default();
        assert_eq!(KnownFindings::parse(&empty.to_json().unwrap()).unwrap(), empty);
    }

    #[test]
    fn more_links_than_in_the_baseline_are_new() {
        let baseline = KnownFindings::new(LINKS);
        let link = ("a.md", "file:gone.md");
        let comparison = baseline.compare(&[link, link, link]);
        assert_eq!(comparison.is_known, [true, true, false]);
        assert_eq!(comparison.fixed, 1);
        assert_eq!(baseline.compare(&[("c.md", "file:gone.md")]).is_known, [false]);
    }

    #[test]
    fn parse_rejects_other_files() {
        for text in ["", "{}", "[]", r#"{"version":1}"#] {
            assert!(
                matches!(KnownFindings::parse(text), Err(ParseBaselineError::Invalid(_))),
                "{text}"
            );
        }
        let newer = KnownFindings::parse(r#"{"version":2,"findings":[]}"#).unwrap_err();
        assert_eq!(newer.to_string(), "unsupported baseline version 2 (supported: 1)");
    }
}
