//! Every HTTP status code: its class, its meaning and what to do about it.
//!
//! The function is total: a number that nobody has heard of gets the sentence
//! of its class, as RFC 9110 §15 asks of every client.

mod advice;
mod common;
mod registered;

use std::fmt;

use relink_model::{Assessment, FindingCode, Verdict};

use crate::codes;
use crate::outcome_class::{EvidenceStrength, read_status};

/// What a status code means and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusInfo {
    /// The status code.
    pub status: u16,
    /// Its name in the registry, or the one it is commonly known by.
    pub name: &'static str,
    /// The class its first digit puts it in.
    pub class: StatusClass,
    /// Who vouches for this meaning.
    pub origin: StatusOrigin,
    /// What it means, in plain sentences.
    pub description: &'static str,
    /// What to do about it.
    pub advice: &'static str,
    /// The word a page gets that ends with it, or redirects with it.
    pub verdict: Verdict,
    /// The code it is reported under, if it is a finding.
    pub code: Option<FindingCode>,
}

/// The class a status code's first digit puts it in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusClass {
    /// 1xx: the answer is still to come.
    Informational,
    /// 2xx: it went well.
    Success,
    /// 3xx: look elsewhere.
    Redirection,
    /// 4xx: the request is at error.
    ClientError,
    /// 5xx: the server is at error.
    ServerError,
    /// Any other number: outside the standard.
    Outside,
}

/// Who vouches for a status code's meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusOrigin {
    /// It is in the IANA registry.
    Registered,
    /// It is not registered, but many servers send it.
    Common,
    /// Nobody: only its class is known.
    Unknown,
}

/// What a status code means.
///
/// ```
/// let meaning = relink_judge::status::meaning(451);
/// assert_eq!(meaning.name, "Unavailable For Legal Reasons");
/// assert_eq!(meaning.code, Some(relink_judge::codes::LEGAL));
/// ```
pub fn meaning(status: u16) -> StatusInfo {
    let class = StatusClass::of(status);
    let (row, standing) = find(status).unwrap_or((class.row(status), StatusOrigin::Unknown));
    let (word, code) = word_of(status);
    StatusInfo {
        status,
        name: row.name,
        class,
        origin: standing,
        description: row.description,
        advice: row.advice,
        verdict: word,
        code,
    }
}

/// Every status code with a meaning of its own, registered ones first.
pub fn all() -> impl Iterator<Item = StatusInfo> {
    registered::TABLE.iter().chain(common::TABLE).map(|row| meaning(row.status))
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

/// The word and code of a page that ends with this status in its first run, or
/// that redirects with it to a page that is there.
fn word_of(status: u16) -> (Verdict, Option<FindingCode>) {
    match status {
        301 | 308 => return (Verdict::Moved, Some(codes::MOVED)),
        302 | 303 | 307 => return (Verdict::Alive, None),
        _ => {}
    }
    let reading = read_status(status);
    let word = match (reading.assessment, reading.weight) {
        (Assessment::Alive | Assessment::Moved, _) => Verdict::Alive,
        (Assessment::Inconclusive(_), _) => Verdict::Blocked,
        (Assessment::Dead(_), EvidenceStrength::Hard) => Verdict::Dead,
        (Assessment::Dead(_), _) => Verdict::Failing,
    };
    (word, reading.code)
}

impl StatusClass {
    /// The class of a status code.
    pub const fn of(status: u16) -> Self {
        match status {
            100..=199 => Self::Informational,
            200..=299 => Self::Success,
            300..=399 => Self::Redirection,
            400..=499 => Self::ClientError,
            500..=599 => Self::ServerError,
            _ => Self::Outside,
        }
    }

    /// What is said of a code of this class that nobody knows.
    const fn row(self, status: u16) -> Row {
        let (sentence, advice) = match self {
            Self::Informational => ("The answer is still to come.", advice::ODD),
            Self::Success => ("The request went well.", advice::NOTHING),
            Self::Redirection => ("The page is to be looked for elsewhere.", advice::ODD),
            Self::ClientError => ("The server refuses the request.", advice::CHECK),
            Self::ServerError => ("The server failed.", advice::WAIT),
            Self::Outside => ("The number lies outside the standard.", advice::ODD),
        };
        row(status, "unassigned", sentence, advice)
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

/// One line of a table.
#[derive(Debug, Clone, Copy)]
struct Row {
    status: u16,
    name: &'static str,
    description: &'static str,
    advice: &'static str,
}

const fn row(status: u16, name: &'static str, sentence: &'static str, advice: &'static str) -> Row {
    Row { status, name, description: sentence, advice }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, expect: &str) {
        let meaning = meaning(status);
        let code = meaning.code.map_or("-".to_owned(), |code| code.to_string());
        let told = format!("{} | {} | {code}", meaning.class, meaning.verdict);
        assert_eq!(told, expect, "{status}");
    }

    #[test]
    fn each_kind_of_answer_has_its_word_and_code() {
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
    fn both_tables_are_in_order_and_do_not_overlap() {
        for table in [registered::TABLE, common::TABLE] {
            assert!(table.windows(2).all(|pair| pair[0].status < pair[1].status));
        }
        let known = |row: &&Row| registered::TABLE.iter().any(|other| other.status == row.status);
        assert_eq!(common::TABLE.iter().filter(known).count(), 0);
    }

    #[test]
    fn the_registry_is_whole() {
        let classes = [1, 2, 3, 4, 5];
        let counts = classes.map(|class| {
            let in_class = |row: &&Row| row.status / 100 == class;
            registered::TABLE.iter().filter(in_class).count()
        });
        assert_eq!(counts, [5, 10, 9, 29, 11]);
    }

    #[test]
    fn every_number_has_a_class_a_sentence_and_advice() {
        for status in 0..=u16::MAX {
            let meaning = meaning(status);
            assert_eq!(meaning.status, status);
            assert!(meaning.description.ends_with('.'), "{status}");
            assert!(meaning.advice.ends_with('.'), "{status}");
            assert_eq!(meaning.code.is_none(), meaning.verdict == Verdict::Alive);
            let is_listed = meaning.code.is_none_or(|code| codes::meaning(code).is_some());
            assert!(is_listed, "{status}");
        }
    }
}
