//! Decides whether to look again or what to conclude.
//!
//! Order of precedence among the looks of one run: an answer with content,
//! which is then weighed against other pages; hard evidence seen twice; a
//! wall; an error; hard evidence seen once. The order in which looks were taken
//! decides only *why* the next one is taken.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{
    Assessment, Attempt, Confidence, Control, ControlKind, Evidence, FailureStreak, FetchOutcome,
    FetchPurpose, FindingCode, History, Hop, InconclusiveReason, PageFlag, Probe, Verdict,
};

use crate::content::{ControlAccess, Finding, assess, contradicts_error_status};
use crate::outcome_class::{EvidenceStrength, OutcomeClass, read};
use crate::page::PhraseScan;
use crate::policy::RuleSet;
use crate::{Policy, codes, confidence, papers, reason};

/// Everything known about a target at one moment of a run.
#[derive(Debug, Clone, Copy)]
pub struct JudgeInput<'a> {
    /// The canonical URL asked.
    pub url: &'a str,
    /// All looks of this run, the last one included.
    pub attempts: &'a [Attempt],
    /// The last probe.
    pub probe: &'a Probe,
    /// What it was heard to say, if somebody has listened already.
    pub phrase_scan: Option<PhraseScan>,
    /// The pages asked for comparison, at most one of a kind.
    pub controls: &'a [Control],
    /// How the host treats strays elsewhere.
    pub soft404_profile: Soft404Profile,
    /// What earlier runs concluded.
    pub history: &'a History,
    /// The present moment.
    pub now: Timestamp,
}

/// What a host does to strays, as far as it was asked in this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Soft404Profile {
    /// Directories in which a stray was refused.
    pub hard_404_directories: u32,
    /// Directories in which a stray was answered.
    pub soft_404_directories: u32,
}

/// What follows from a case.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Another look is needed.
    Fetch {
        /// Why.
        purpose: FetchPurpose,
        /// How long to wait first.
        wait: RetryDelay,
    },
    /// Another page is needed for comparison; a control without a probe, if it
    /// cannot be asked.
    Compare(ControlKind),
    /// It is settled for this run.
    Settle(Judgment),
}

/// How long to wait before another look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryDelay {
    /// At least the host's usual interval.
    HostInterval,
    /// A growing delay; the number is the retry, from 1.
    Backoff(u32),
}

/// A conclusion with its reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgment {
    /// What we conclude.
    pub assessment: Assessment,
    /// What the reader is told.
    pub verdict: Verdict,
    /// The code, if it is a finding.
    pub code: Option<FindingCode>,
    /// The reason: one plain sentence, lower case, no full stop.
    pub reason: String,
    /// The failed runs in a row, this one included; `None` ends a streak.
    pub streak: Option<FailureStreak>,
    /// Since when the word has held.
    pub since: Timestamp,
    /// How sure it is.
    pub confidence: Confidence,
    /// What it rests on beside the looks.
    pub evidence: Vec<Evidence>,
}

/// Whether an ending may be the error of our own network.
///
/// Such endings are held back until some host has answered in the run. A
/// private address that was not opened says nothing about the network, nor
/// does an internal error.
pub fn is_network_failure(ending: &FetchOutcome) -> bool {
    let is_ours = matches!(
        ending,
        FetchOutcome::PrivateAddress(_)
            | FetchOutcome::RobotsDisallowed
            | FetchOutcome::InternalError
    );
    !ending.reached_server() && !is_ours
}

/// Whether a page asked for comparison said something that lasts, so that
/// others may be judged by it, too.
pub fn is_conclusive(probe: &Probe) -> bool {
    match probe.outcome {
        FetchOutcome::Response(429 | 500..) => false,
        FetchOutcome::Response(_)
        | FetchOutcome::RedirectLoop
        | FetchOutcome::TooManyRedirects
        | FetchOutcome::InvalidRedirect(_) => true,
        _ => false,
    }
}

/// Judges a case: look again, compare, or settle.
///
/// ```
/// use jiff::Timestamp;
/// use relink_judge::{Case, Habit, Next, Policy, judge};
/// use relink_model::{ControlKind, Ending, History, Look, Probe, Purpose, Timings};
///
/// let now = Timestamp::UNIX_EPOCH;
/// let ending = Ending::Answered(200);
/// let looks = [Look { asked: now, purpose: Purpose::First, ending: ending.clone(), took_ms: 12 }];
/// let timings = Timings::default();
/// let probe = Probe { asked: now, hops: vec![], ending, timings, retry_after: None, digest: None };
/// let case = Case {
///     url: "http://example.org/docs/a.html",
///     looks: &looks,
///     probe: &probe,
///     heard: None,
///     controls: &[],
///     habit: Habit::default(),
///     history: &History::default(),
///     now,
/// };
/// // It answers; does the server answer anything?
/// assert_eq!(judge(&Policy::default(), &case), Next::Compare(ControlKind::Stray));
/// ```
pub fn judge(policy: &Policy, case: &JudgeInput<'_>) -> Decision {
    if case.probe.outcome == FetchOutcome::InternalError {
        return Decision::Settle(internal_error(case));
    }
    match policy.rules {
        RuleSet::Relink => {}
        RuleSet::SicTransit => return papers::sic_transit::judge(case),
        RuleSet::Fable => return papers::fable::judge(case),
    }
    let readings = readings(case);
    let Some(last) = readings.last() else {
        return Decision::Fetch { purpose: FetchPurpose::Initial, wait: RetryDelay::HostInterval };
    };
    if is_reached(&readings) {
        return match assess(case, ControlAccess::Open) {
            Ok(opinion) => Decision::Settle(settled(policy, case, opinion)),
            Err(kind) => Decision::Compare(kind),
        };
    }
    if let Some(opinion) = contradicts_error_status(case) {
        return Decision::Settle(settled(policy, case, opinion));
    }
    if let Some(judgment) = confirmed(case, &readings) {
        return Decision::Settle(judgment);
    }
    if wants_other_agent(case) {
        return Decision::Fetch {
            purpose: FetchPurpose::AlternateUserAgent,
            wait: RetryDelay::HostInterval,
        };
    }
    if is_open(policy, &readings) {
        return again(*last, &readings);
    }
    Decision::Settle(conclude(policy, case))
}

/// Judges a case from what was seen, when nothing more will be asked.
pub fn conclude(policy: &Policy, case: &JudgeInput<'_>) -> Judgment {
    if case.probe.outcome == FetchOutcome::InternalError {
        return internal_error(case);
    }
    let readings = readings(case);
    if is_reached(&readings)
        && let Ok(opinion) = assess(case, ControlAccess::Closed)
    {
        return settled(policy, case, opinion);
    }
    if let Some(opinion) = contradicts_error_status(case) {
        return settled(policy, case, opinion);
    }
    confirmed(case, &readings).unwrap_or_else(|| {
        let reading = strongest(&readings).unwrap_or(OutcomeClass::UNSEEN);
        unconfirmed(policy, case, reading)
    })
}

/// The judgment on a page that could not be read because of an internal error.
///
/// It is failing, and not for the page's own error: the failure does not count
/// towards a dead page, and the page is not fetched again in this run, because
/// the same input would meet the same error.
pub fn internal_error(case: &JudgeInput<'_>) -> Judgment {
    Judgment {
        assessment: Assessment::Inconclusive(InconclusiveReason::InternalError),
        verdict: Verdict::Failing,
        code: Some(codes::INTERNAL_ERROR),
        reason: FetchOutcome::InternalError.to_string(),
        streak: case.history.streak,
        since: since(case, Verdict::Failing),
        confidence: confidence::FAILED_NOW,
        evidence: Vec::new(),
    }
}

/// What the looks say. Once the server was asked by another name, refusals of
/// the first one no longer count.
fn readings(case: &JudgeInput<'_>) -> Vec<OutcomeClass> {
    let by_other_name = |look: &Attempt| look.purpose == FetchPurpose::AlternateUserAgent;
    let was_tried = case.attempts.iter().any(by_other_name);
    let counts = |look: &&Attempt| !was_tried || by_other_name(look) || !is_disliked(look);
    case.attempts.iter().filter(counts).map(|look| read(&look.outcome)).collect()
}

/// An answer with content in any look outweighs everything else.
fn is_reached(readings: &[OutcomeClass]) -> bool {
    readings.iter().any(|reading| reading.weight == EvidenceStrength::Reached)
}

/// Statuses by which servers turn away names they do not know.
const USER_AGENT_REJECTIONS: [u16; 6] = [400, 403, 405, 406, 418, 999];

fn is_disliked(look: &Attempt) -> bool {
    look.outcome.status().is_some_and(|status| USER_AGENT_REJECTIONS.contains(&status))
}

/// Whether the server may have turned away our name and not the question.
fn wants_other_agent(case: &JudgeInput<'_>) -> bool {
    let was_tried =
        case.attempts.iter().any(|look| look.purpose == FetchPurpose::AlternateUserAgent);
    let is_challenge =
        case.probe.digest.as_ref().is_some_and(|page| page.has(PageFlag::BotChallenge));
    case.attempts.iter().any(is_disliked) && !was_tried && !is_challenge
}

/// A judgment on a page that answered.
fn settled(policy: &Policy, case: &JudgeInput<'_>, opinion: Finding) -> Judgment {
    let mut opinion = opinion;
    if opinion.verdict == Verdict::Alive {
        moved(policy, case, &mut opinion);
    }
    Judgment {
        assessment: opinion.assessment,
        verdict: opinion.verdict,
        code: opinion.code,
        reason: opinion.reason,
        streak: match opinion.assessment {
            Assessment::Alive | Assessment::Moved => None,
            Assessment::Dead(_) => Some(FailureStreak::extended(case.history.streak, case.now)),
            // A wall is neither a success nor a failure.
            Assessment::Inconclusive(_) => case.history.streak,
        },
        since: since(case, opinion.verdict),
        confidence: opinion.confidence,
        evidence: opinion.evidence,
    }
}

/// Says so where a living page has another address for good, and where it was
/// reached only at the second attempt.
fn moved(policy: &Policy, case: &JudgeInput<'_>, opinion: &mut Finding) {
    let Some((redirects, last)) = permanent_way(&case.probe.hops) else {
        let reached = |look: &&Attempt| read(&look.outcome).weight == EvidenceStrength::Reached;
        let latest = case
            .attempts
            .iter()
            .filter(reached)
            .max_by_key(|look| (look.requested_at, look.outcome.status()));
        if let Some(look) = latest.filter(|_| case.attempts.len() > 1) {
            opinion.reason = reason::reached(&look.outcome, case.attempts);
        }
        return;
    };
    let is_long = redirects >= policy.long_chain;
    opinion.assessment = Assessment::Moved;
    opinion.verdict = Verdict::Moved;
    opinion.code = Some(if is_long { codes::LONG_CHAIN } else { codes::MOVED });
    opinion.reason = reason::moved(redirects, last);
}

/// The number of redirects and the last hop, if all of them are permanent and
/// lead to content elsewhere.
///
/// One temporary redirect on the way means that the first address is still the
/// one to use (RFC 9110 §15.4). A chain that ends where it began only set a
/// cookie.
fn permanent_way(hops: &[Hop]) -> Option<(usize, &Hop)> {
    let (last, redirects) = hops.split_last()?;
    let first = redirects.first()?;
    let arrives = read(&FetchOutcome::Response(last.status)).weight == EvidenceStrength::Reached;
    let is_permanent = redirects.iter().all(|hop| matches!(hop.status, 301 | 308));
    let is_elsewhere = first.url != last.url;
    (arrives && is_permanent && is_elsewhere).then_some((redirects.len(), last))
}

/// The same hard evidence in two looks is enough at once.
fn confirmed(case: &JudgeInput<'_>, readings: &[OutcomeClass]) -> Option<Judgment> {
    let hard = commonest(readings, EvidenceStrength::Hard).filter(|(_, count)| *count >= 2);
    let (reading, _) = hard?;
    let looks = looks_of(case, reading.code);
    Some(Judgment {
        assessment: reading.assessment,
        verdict: Verdict::Dead,
        code: reading.code,
        reason: reason::confirmed(looks),
        streak: Some(FailureStreak::extended(case.history.streak, case.now)),
        since: since(case, Verdict::Dead),
        confidence: confidence::HARD_TWICE,
        evidence: Vec::new(),
    })
}

fn looks_of<'a>(
    case: &JudgeInput<'a>,
    code: Option<FindingCode>,
) -> impl Iterator<Item = &'a Attempt> + Clone {
    case.attempts.iter().filter(move |look| read(&look.outcome).code == code)
}

/// Whether another look in this run could still change the answer.
fn is_open(policy: &Policy, readings: &[OutcomeClass]) -> bool {
    let is_lasting = |reading: &OutcomeClass| {
        matches!(reading.weight, EvidenceStrength::Blocked | EvidenceStrength::Persistent)
    };
    if readings.iter().any(is_lasting) {
        return false;
    }
    // The second look at hard evidence is not a retry and comes on top.
    let second_looks = usize::from(readings.iter().any(|r| r.weight == EvidenceStrength::Hard));
    readings.len() < 1 + policy.retries as usize + second_looks
}

fn again(last: OutcomeClass, readings: &[OutcomeClass]) -> Decision {
    if last.weight == EvidenceStrength::Hard {
        return Decision::Fetch {
            purpose: FetchPurpose::Confirmation,
            wait: RetryDelay::HostInterval,
        };
    }
    let troubles =
        readings.iter().filter(|reading| reading.weight != EvidenceStrength::Hard).count();
    Decision::Fetch {
        purpose: FetchPurpose::Retry,
        wait: RetryDelay::Backoff(u32::try_from(troubles).unwrap_or(u32::MAX)),
    }
}

/// What remains when nothing was reached and nothing hard was seen twice.
fn unconfirmed(policy: &Policy, case: &JudgeInput<'_>, reading: OutcomeClass) -> Judgment {
    if matches!(reading.assessment, Assessment::Dead(_)) {
        return failed(policy, case, reading);
    }
    Judgment {
        assessment: reading.assessment,
        verdict: Verdict::Blocked,
        code: reading.code,
        reason: reason::told(looks_of(case, reading.code)),
        // A wall is neither a success nor a failure.
        streak: case.history.streak,
        since: since(case, Verdict::Blocked),
        confidence: confidence::WALL,
        evidence: Vec::new(),
    }
}

/// Weak evidence: failing, until enough runs over enough days agree.
fn failed(policy: &Policy, case: &JudgeInput<'_>, reading: OutcomeClass) -> Judgment {
    let streak = FailureStreak::extended(case.history.streak, case.now);
    let told = reason::told(case.attempts.iter());
    let (word, reason, confidence) = if is_worn_out(policy, &streak) {
        (Verdict::Dead, reason::worn_out(&told, &streak), confidence::FAILED_REPEATEDLY)
    } else {
        (Verdict::Failing, reason::unconfirmed(&told, &streak, policy), confidence::FAILED_NOW)
    };
    Judgment {
        assessment: reading.assessment,
        verdict: word,
        code: reading.code,
        reason,
        streak: Some(streak),
        since: since(case, word),
        confidence,
        evidence: Vec::new(),
    }
}

/// Minutes by which a daily job may start too early and still count as daily.
const SCHEDULE_SLACK_MINUTES: i64 = 10;

pub(crate) fn is_worn_out(policy: &Policy, streak: &FailureStreak) -> bool {
    let minutes = streak.last.duration_since(streak.first).as_mins() + SCHEDULE_SLACK_MINUTES;
    streak.runs >= policy.confirm_runs && minutes >= 24 * 60 * policy.confirm_days
}

/// The commonest reading among those that take precedence.
fn strongest(readings: &[OutcomeClass]) -> Option<OutcomeClass> {
    let weight = readings.iter().map(|reading| reading.weight).min()?;
    commonest(readings, weight).map(|(reading, _)| reading)
}

/// The commonest reading of this weight and how often it was seen; of equally
/// common ones that with the smallest code, so that order does not matter.
fn commonest(readings: &[OutcomeClass], weight: EvidenceStrength) -> Option<(OutcomeClass, usize)> {
    let mut counts: BTreeMap<Option<FindingCode>, (OutcomeClass, usize)> = BTreeMap::new();
    for reading in readings.iter().filter(|reading| reading.weight == weight) {
        counts.entry(reading.code).or_insert((*reading, 0)).1 += 1;
    }
    counts.into_values().max_by_key(|(reading, count)| (*count, Reverse(reading.code)))
}

fn since(case: &JudgeInput<'_>, word: Verdict) -> Timestamp {
    match case.history.since {
        Some(since) if case.history.verdict == Some(word) => since,
        _ => case.now,
    }
}

#[cfg(test)]
mod tests;
