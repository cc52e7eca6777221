//! The study report: how many pages of collections are valid, changed and gone, by
//! cause, top-level domain and size, and over time (Walden's Paths, section 2).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use relink_change::Level;
use relink_collection::{Availability, MemberState};
use relink_model::Verdict;
use serde::Serialize;

use super::{WatchMember, WatchReport};
use crate::SCHEMA;
use crate::human::{grouped, padded, shown_prose};

/// Sizes of documents: upper limit in bytes, and name.
const SIZES: [(u64, &str); 4] = [
    (4_000, "below 4 kB"),
    (16_000, "4 to 16 kB"),
    (64_000, "16 to 64 kB"),
    (u64::MAX, "above 64 kB"),
];

/// Maximum number of months.
const MAX_MONTHS: usize = 240;

/// The finding code of a host name that does not exist.
const UNKNOWN_HOST: &str = "RL102";

/// The finding codes of pages that are gone although the server responds.
const GONE_CODES: [&str; 2] = ["RL101", "RL104"];

/// Width of the first column of the table.
const NAME_COLUMNS: usize = 38;

/// The number of pages by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StudyCounts {
    /// All pages.
    pub pages: u64,
    /// Pages that respond with their content.
    pub valid: u64,
    /// Valid pages without a change since the accepted version.
    pub unchanged: u64,
    /// Valid pages of which only the markup or the links changed, not the text.
    pub checksum: u64,
    /// Valid pages with a low change.
    pub low: u64,
    /// Valid pages with a moderate change.
    pub moderate: u64,
    /// Valid pages with a high change.
    pub high: u64,
    /// Pages that are probably unavailable for a short time.
    pub temporary: u64,
    /// Pages that are probably gone for good.
    pub permanent: u64,
    /// Pages that were not checked yet.
    pub unchecked: u64,
}

/// The counts of one group of pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StudyRow {
    /// The kind of group: `all`, `cause`, `month`, `size` or `tld`.
    pub group: &'static str,
    /// The name of the group.
    pub name: String,
    /// The counts.
    #[serde(flatten)]
    pub counts: StudyCounts,
}

/// The checks and changes of one page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageHistory {
    /// The time and verdict of each check, oldest first.
    pub checks: Vec<(Timestamp, Verdict)>,
    /// The time of each version after the first one, and its level of change since the
    /// first one, oldest first.
    pub changes: Vec<(Timestamp, Level)>,
}

/// Counts of pages by group: the output of `relink watch study`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StudyReport {
    schema: u32,
    command: &'static str,
    /// The time at which the report was created.
    pub created_at: Timestamp,
    /// The groups.
    pub rows: Vec<StudyRow>,
}

impl StudyReport {
    /// Counts the pages of collections. A page in several collections counts once;
    /// gaps (members without a page) do not count. `histories` are the histories of the
    /// same pages.
    pub fn new(reports: &[WatchReport], histories: &[PageHistory], created_at: Timestamp) -> Self {
        let mut counted_urls = BTreeSet::new();
        let mut groups: BTreeMap<(&'static str, String), StudyCounts> = BTreeMap::new();
        let members = reports.iter().flat_map(WatchReport::members);
        for member in members.filter(|member| member.state != MemberState::Gap) {
            if !counted_urls.insert(member.url.as_str()) {
                continue;
            }
            let markup_change = member.is_markup_changed.then_some(Level::Checksum);
            let level = member.change.as_ref().map(|change| change.level).or(markup_change);
            for group in member_groups(member) {
                groups.entry(group).or_default().add(member.availability, level);
            }
        }
        for (month, counts) in counts_by_month(histories, created_at) {
            groups.insert(("month", month), counts);
        }
        let rows =
            groups.into_iter().map(|((group, name), counts)| StudyRow { group, name, counts });
        Self { schema: SCHEMA, command: "watch study", created_at, rows: rows.collect() }
    }
}

impl StudyCounts {
    /// Counts a page by its availability and change.
    fn add(&mut self, availability: Availability, level: Option<Level>) {
        self.pages += 1;
        match availability {
            Availability::Unchecked => self.unchecked += 1,
            Availability::Temporary => self.temporary += 1,
            Availability::Permanent => self.permanent += 1,
            Availability::Available => {
                self.valid += 1;
                match level {
                    None | Some(Level::None) => self.unchanged += 1,
                    Some(Level::Checksum) => self.checksum += 1,
                    Some(Level::Low) => self.low += 1,
                    Some(Level::Moderate) => self.moderate += 1,
                    Some(Level::High) => self.high += 1,
                }
            }
        }
    }

    /// Returns the counts in the order of the columns.
    fn values(&self) -> [u64; 10] {
        [
            self.pages,
            self.valid,
            self.unchanged,
            self.checksum,
            self.low,
            self.moderate,
            self.high,
            self.temporary,
            self.permanent,
            self.unchecked,
        ]
    }
}

/// The names of [`StudyCounts::values`].
const COUNT_NAMES: [&str; 10] = [
    "pages",
    "valid",
    "unchanged",
    "checksum",
    "low",
    "moderate",
    "high",
    "temporary",
    "permanent",
    "unchecked",
];

/// Returns the kind and name of each group that a member belongs to.
fn member_groups(member: &WatchMember) -> Vec<(&'static str, String)> {
    let mut groups = vec![("all", "all".to_owned()), ("tld", top_level_domain(&member.url))];
    if let Some(bytes) = member.bytes {
        let size = SIZES.iter().find(|(limit, _)| bytes < *limit).map_or("", |(_, name)| name);
        groups.push(("size", size.to_owned()));
    }
    groups.extend(failure_cause(member).map(|cause| ("cause", cause.to_owned())));
    groups
}

/// Returns the counts at the end of each month (UTC), from the first check to `now`. A
/// page counts from its first check on. Its level of change is relative to its first
/// version.
fn counts_by_month(histories: &[PageHistory], now: Timestamp) -> Vec<(String, StudyCounts)> {
    let first = histories.iter().filter_map(|page| page.checks.first()).map(|(at, _)| *at).min();
    let month_of = |at: Timestamp| at.to_zoned(TimeZone::UTC).date().first_of_month();
    let (Some(mut month), last) = (first.map(month_of), month_of(now)) else { return Vec::new() };
    let mut rows = Vec::new();
    while month <= last && rows.len() < MAX_MONTHS {
        let Ok(next) = month.checked_add(1.month()) else { break };
        let Ok(end) = next.to_zoned(TimeZone::UTC) else { break };
        let mut counts = StudyCounts::default();
        for page in histories {
            if let Some(verdict) = last_before(&page.checks, end.timestamp()) {
                let level = last_before(&page.changes, end.timestamp());
                counts.add(Availability::from_verdict(Some(verdict)), level);
            }
        }
        rows.push((month.strftime("%Y-%m").to_string(), counts));
        month = next;
    }
    rows
}

/// Returns the value of the last entry before `end`.
fn last_before<T: Copy>(values: &[(Timestamp, T)], end: Timestamp) -> Option<T> {
    values.iter().rev().find(|(at, _)| *at < end).map(|(_, value)| *value)
}

/// Returns the cause of an unavailable page, in the classes of Walden's Paths, section 2.
fn failure_cause(member: &WatchMember) -> Option<&'static str> {
    let code = member.code.map(|code| code.to_string()).unwrap_or_default();
    match member.verdict? {
        Verdict::Dead | Verdict::Failing if code == UNKNOWN_HOST => Some("unknown host"),
        Verdict::Soft404 => Some("server responds, page is gone"),
        Verdict::Dead if GONE_CODES.contains(&code.as_str()) => {
            Some("server responds, page is gone")
        }
        Verdict::Dead | Verdict::Failing => Some("host is down or does not serve pages"),
        Verdict::Hijacked => Some("other owner"),
        Verdict::Blocked => Some("access is blocked"),
        _ => None,
    }
}

/// Returns the last label of the host name, or `address` for an IP address.
fn top_level_domain(url: &str) -> String {
    let authority = url.split("://").nth(1).unwrap_or_default();
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.starts_with('[') {
        return "address".to_owned();
    }
    let host = host.split(':').next().unwrap_or_default();
    match host.rsplit('.').next() {
        Some(label) if !label.is_empty() && !label.chars().all(|char| char.is_ascii_digit()) => {
            label.to_ascii_lowercase()
        }
        _ => "address".to_owned(),
    }
}

/// Formats the study as CSV, one row per group.
pub fn study_csv(report: &StudyReport) -> String {
    let mut text = format!("group,name,{}\n", COUNT_NAMES.join(","));
    for row in &report.rows {
        let values: Vec<String> = row.counts.values().iter().map(u64::to_string).collect();
        let name = shown_prose(&row.name).replace('"', "\"\"");
        let _ = writeln!(text, "{},\"{name}\",{}", row.group, values.join(","));
    }
    text
}

/// Formats the study as a table.
pub fn study_text(report: &StudyReport) -> String {
    let mut text = padded("", NAME_COLUMNS);
    for column in COUNT_NAMES {
        let _ = write!(text, "{column:>10}");
    }
    text.push('\n');
    for row in &report.rows {
        let name = if row.group == "all" {
            row.name.clone()
        } else {
            format!("{}: {}", row.group, row.name)
        };
        text.push_str(&padded(&shown_prose(&name), NAME_COLUMNS));
        for value in row.counts.values() {
            let _ = write!(text, "{:>10}", grouped(value));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::WatchList;

    /// Creates a member with a page of 5,000 bytes.
    fn member(url: &str, verdict: Verdict) -> WatchMember {
        WatchMember {
            url: url.to_owned(),
            verdict: Some(verdict),
            availability: Availability::from_verdict(Some(verdict)),
            bytes: Some(5_000),
            ..WatchMember::default()
        }
    }

    // Expected lines are a group, its name and the nine counts of `COUNT_NAMES`.

    #[test]
    fn study_counts_each_page_once_by_group() {
        let dead = WatchMember {
            code: Some(relink_model::FindingCode::new(102)),
            ..member("https://b.example.com/", Verdict::Dead)
        };
        let alive = member("https://a.example.org/x", Verdict::Alive);
        let members =
            vec![alive.clone(), dead, member("http://127.0.0.1:80/", Verdict::Blocked), alive];
        let list = WatchList { members, ..WatchList::default() };
        let report =
            WatchReport::new("x", "r".to_owned(), Timestamp::UNIX_EPOCH, vec![list], Vec::new());
        let study = StudyReport::new(&[report], &[], Timestamp::UNIX_EPOCH);
        let csv = study_csv(&study);
        for line in [
            "all,\"all\",3,1,1,0,0,0,0,1,1,0",
            "cause,\"unknown host\",1,0,0,0,0,0,0,0,1,0",
            "cause,\"access is blocked\",1,0,0,0,0,0,0,1,0,0",
            "tld,\"org\",1,1,1,0,0,0,0,0,0,0",
            "tld,\"address\",1,0,0,0,0,0,0,1,0,0",
            "size,\"4 to 16 kB\",3,1,1,0,0,0,0,1,1,0",
        ] {
            assert!(csv.contains(line), "{line} in\n{csv}");
        }
        assert!(study_text(&study).lines().count() == study.rows.len() + 1);
    }

    #[test]
    fn study_counts_the_state_at_the_end_of_each_month() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let (january, march) = (at("2026-01-10T00:00:00Z"), at("2026-03-10T00:00:00Z"));
        let dying_page = PageHistory {
            checks: vec![(january, Verdict::Alive), (march, Verdict::Dead)],
            changes: Vec::new(),
        };
        let changing_page = PageHistory {
            checks: vec![(march, Verdict::Alive)],
            changes: vec![(march, Level::High)],
        };
        let study = StudyReport::new(&[], &[dying_page, changing_page], at("2026-03-31T23:00:00Z"));
        let csv = study_csv(&study);
        for line in [
            "month,\"2026-01\",1,1,1,0,0,0,0,0,0,0",
            "month,\"2026-02\",1,1,1,0,0,0,0,0,0,0",
            "month,\"2026-03\",2,1,0,0,0,0,1,0,1,0",
        ] {
            assert!(csv.contains(line), "{line} in\n{csv}");
        }
        assert_eq!(study.rows.len(), 3);
    }

    #[test]
    fn top_level_domain_is_the_last_label() {
        assert_eq!(top_level_domain("https://Example.ORG:8080/a.html"), "org");
        assert_eq!(top_level_domain("http://u:p@a.test/"), "test");
        assert_eq!(top_level_domain("http://[::1]/"), "address");
        assert_eq!(top_level_domain("http://127.0.0.1/"), "address");
    }
}
