//! HTTP status codes with their class, description and advice.
//!
//! The lookup is total: an unknown code gets the description of its class, as
//! RFC 9110 §15 requires of clients.

mod advice;
mod common;
mod registered;
mod specification;

use std::fmt;

use relink_model::{Assessment, FindingCode, Verdict};

use crate::codes;
use crate::outcome_class::{EvidenceStrength, classify_status};

/// The description of a status code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusInfo {
    /// The status code.
    pub status: u16,
    /// The name in the registry, or the common name.
    pub name: &'static str,
    /// The class of its first digit.
    pub class: StatusClass,
    /// The source of the meaning.
    pub origin: StatusOrigin,
    /// The section of the specification: `RFC 7725 §3`.
    pub specification: Option<&'static str>,
    /// The meaning, in full sentences.
    pub description: &'static str,
    /// What the user can do about it.
    pub advice: &'static str,
    /// The verdict of a page with this final status, or of a redirect with it.
    pub verdict: Verdict,
    /// The code it is reported under, if it is a finding.
    pub code: Option<FindingCode>,
}

/// The class of a status code, given by its first digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusClass {
    /// 1xx: a response will follow.
    Informational,
    /// 2xx: the request succeeded.
    Success,
    /// 3xx: the client must take another action, usually follow a redirect.
    Redirection,
    /// 4xx: the request is invalid or not permitted.
    ClientError,
    /// 5xx: the server failed.
    ServerError,
    /// Any other number: outside the standard.
    Outside,
}

/// The source of a status code's meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusOrigin {
    /// The IANA registry.
    Registered,
    /// Not registered, but sent by many servers.
    Common,
    /// Unknown: only the class has a meaning.
    Unknown,
}

/// Returns the description of a status code.
///
/// ```
/// let info = relink_judge::status::lookup(451);
/// assert_eq!(info.name, "Unavailable For Legal Reasons");
/// assert_eq!(info.code, Some(relink_judge::codes::LEGAL));
/// ```
pub fn lookup(status: u16) -> StatusInfo {
    let class = StatusClass::from_status(status);
    let (row, origin) = find(status).unwrap_or((class.row(status), StatusOrigin::Unknown));
    let (verdict, code) = verdict_of(status);
    StatusInfo {
        status,
        name: row.name,
        class,
        origin,
        specification: specification::specification(status),
        description: row.description,
        advice: row.advice,
        verdict,
        code,
    }
}

/// Returns all status codes with their own description, registered ones first.
pub fn all() -> impl Iterator<Item = StatusInfo> {
    registered::TABLE.iter().chain(common::TABLE).map(|row| lookup(row.status))
}

fn find(status: u16) -> Option<(Row, StatusOrigin)> {
    let within = |table: &'static [Row]| {
        let index = table.binary_search_by_key(&status, |row| row.status);
        index.ok().and_then(|index| table.get(index)).copied()
    };
    within(registered::TABLE)
        .map(|row| (row, StatusOrigin::Registered))
        .or_else(|| within(common::TABLE).map(|row| (row, StatusOrigin::Common)))
}

/// Returns the verdict and code of a page with this final status in its first
/// run, or of a redirect with this status to a live page.
fn verdict_of(status: u16) -> (Verdict, Option<FindingCode>) {
    match status {
        301 | 308 => return (Verdict::Moved, Some(codes::MOVED)),
        302 | 303 | 307 => return (Verdict::Alive, None),
        _ => {}
    }
    let class = classify_status(status);
    let verdict = match (class.assessment, class.strength) {
        (Assessment::Alive | Assessment::Moved, _) => Verdict::Alive,
        (Assessment::Inconclusive(_), _) => Verdict::Blocked,
        (Assessment::Dead(_), EvidenceStrength::Hard) => Verdict::Dead,
        (Assessment::Dead(_), _) => Verdict::Failing,
    };
    (verdict, class.code)
}

impl StatusClass {
    /// Returns the class of a status code.
    pub const fn from_status(status: u16) -> Self {
        match status {
            100..=199 => Self::Informational,
            200..=299 => Self::Success,
            300..=399 => Self::Redirection,
            400..=499 => Self::ClientError,
            500..=599 => Self::ServerError,
            _ => Self::Outside,
        }
    }

    /// Returns the description of an unknown code of this class.
    const fn row(self, status: u16) -> Row {
        let (description, advice) = match self {
            Self::Informational => ("A response will follow.", advice::UNEXPECTED),
            Self::Success => ("The request succeeded.", advice::NOTHING),
            Self::Redirection => ("The page is at another URL.", advice::UNEXPECTED),
            Self::ClientError => ("The server rejects the request.", advice::CHECK),
            Self::ServerError => ("The server failed.", advice::WAIT),
            Self::Outside => ("The number is outside the standard.", advice::UNEXPECTED),
        };
        row(status, "unassigned", description, advice)
    }
}

impl fmt::Display for StatusClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Informational => "informational",
            Self::Success => "success",
            Self::Redirection => "redirection",
            Self::ClientError => "client error",
            Self::ServerError => "server error",
            Self::Outside => "outside the standard",
        })
    }
}

impl fmt::Display for StatusOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Registered => "IANA registry",
            Self::Common => "not registered, but common",
            Self::Unknown => "not registered",
        })
    }
}

/// A row of a table.
#[derive(Debug, Clone, Copy)]
struct Row {
    status: u16,
    name: &'static str,
    description: &'static str,
    advice: &'static str,
}

const fn row(
    status: u16,
    name: &'static str,
    description: &'static str,
    advice: &'static str,
) -> Row {
    Row { status, name, description, advice }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, expect: &str) {
        let info = lookup(status);
        let code = info.code.map_or("-".to_owned(), |code| code.to_string());
        let summary = format!("{} | {} | {code}", info.class, info.verdict);
        assert_eq!(summary, expect, "{status}");
    }

    #[test]
    fn lookup_returns_class_verdict_and_code() {
        check(100, "informational | failing | RL518");
        check(200, "success | alive | -");
        check(299, "success | alive | -");
        check(301, "redirection | moved | RL201");
        check(302, "redirection | alive | -");
        check(304, "redirection | alive | -");
        check(305, "redirection | failing | RL518");
        check(400, "client error | failing | RL510");
        check(403, "client error | blocked | RL403");
        check(404, "client error | dead | RL101");
        check(429, "client error | blocked | RL429");
        check(503, "server error | failing | RL503");
        check(522, "server error | failing | RL519");
        check(999, "outside the standard | blocked | RL499");
    }

    #[test]
    fn tables_are_sorted_and_disjoint() {
        for table in [registered::TABLE, common::TABLE] {
            assert!(table.windows(2).all(|pair| pair[0].status < pair[1].status));
        }
        let known = |row: &&Row| registered::TABLE.iter().any(|other| other.status == row.status);
        assert_eq!(common::TABLE.iter().filter(known).count(), 0);
    }

    #[test]
    fn registered_table_is_complete() {
        let classes = [1, 2, 3, 4, 5];
        let counts = classes.map(|class| {
            let in_class = |row: &&Row| row.status / 100 == class;
            registered::TABLE.iter().filter(in_class).count()
        });
        assert_eq!(counts, [5, 10, 9, 29, 11]);
    }

    #[test]
    fn every_number_has_class_description_and_advice() {
        for status in 0..=u16::MAX {
            let info = lookup(status);
            assert_eq!(info.status, status);
            assert!(info.description.ends_with('.'), "{status}");
            assert!(info.advice.ends_with('.'), "{status}");
            assert_eq!(info.code.is_none(), info.verdict == Verdict::Alive);
            let is_listed = info.code.is_none_or(|code| codes::lookup(code).is_some());
            assert!(is_listed, "{status}");
        }
    }
}
