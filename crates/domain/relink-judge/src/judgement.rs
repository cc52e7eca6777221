//! Decides whether to look again or what to conclude.
//!
//! Order of precedence among the looks of one run: an answer with content,
//! which is then weighed against other pages; hard evidence seen twice; a
//! wall; a fault; hard evidence seen once. The order in which looks were taken
//! decides only *why* the next one is taken.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{
    Code, Confidence, Control, ControlKind, Doubt, Ending, FailureStreak, Ground, History, Hop,
    Look, Mark, Probe, Purpose, Verdict, Word,
};

use crate::content::{Asking, Opinion, lies, weigh};
use crate::page::Heard;
use crate::policy::Rules;
use crate::reading::{Reading, Weight, read};
use crate::{Policy, certainty, codes, papers, reason};

/// Everything known about a target at one moment of a run.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The canonical URL asked.
    pub url: &'a str,
    /// All looks of this run, the last one included.
    pub looks: &'a [Look],
    /// The last probe.
    pub probe: &'a Probe,
    /// What it was heard to say, if somebody has listened already.
    pub heard: Option<Heard>,
    /// The pages asked for comparison, at most one of a kind.
    pub controls: &'a [Control],
    /// How the host treats strays elsewhere.
    pub habit: Habit,
    /// What earlier runs concluded.
    pub history: &'a History,
    /// The present moment.
    pub now: Timestamp,
}

/// What a host does to strays, as far as it was asked in this run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Habit {
    /// Directories in which a stray was refused.
    pub refusing: u32,
    /// Directories in which a stray was answered.
    pub answering: u32,
}

/// What follows from a case.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Another look is needed.
    Ask {
        /// Why.
        purpose: Purpose,
        /// How long to wait first.
        wait: Wait,
    },
    /// Another page is needed for comparison; a control without a probe, if it
    /// cannot be asked.
    Compare(ControlKind),
    /// It is settled for this run.
    Settle(Judgement),
}

/// How long to wait before another look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// At least the host's usual interval.
    HostInterval,
    /// A growing delay; the number is the retry, from 1.
    Backoff(u32),
}

/// A conclusion with its reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// What we conclude.
    pub verdict: Verdict,
    /// What the reader is told.
    pub word: Word,
    /// The code, if it is a finding.
    pub code: Option<Code>,
    /// The reason: one plain sentence, lower case, no full stop.
    pub reason: String,
    /// The failed runs in a row, this one included; `None` ends a streak.
    pub streak: Option<FailureStreak>,
    /// Since when the word has held.
    pub since: Timestamp,
    /// How sure it is.
    pub confidence: Confidence,
    /// What it rests on beside the looks.
    pub grounds: Vec<Ground>,
}

/// Whether an ending may be the fault of our own network.
///
/// Such endings are held back until some host has answered in the run. A
/// private address that was not opened says nothing about the network, nor
/// does an internal error.
pub fn is_network_ending(ending: &Ending) -> bool {
    let is_ours = matches!(ending, Ending::Barred(_) | Ending::Closed | Ending::InternalError);
    !ending.met_a_server() && !is_ours
}

/// Whether a page asked for comparison said something that lasts, so that
/// others may be judged by it, too.
pub fn is_conclusive(probe: &Probe) -> bool {
    match probe.ending {
        Ending::Answered(429 | 500..) => false,
        Ending::Answered(_) | Ending::Loop | Ending::TooManyHops | Ending::Malformed(_) => true,
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
pub fn judge(policy: &Policy, case: &Case<'_>) -> Next {
    if case.probe.ending == Ending::InternalError {
        return Next::Settle(internal_error(case));
    }
    match policy.rules {
        Rules::Relink => {}
        Rules::SicTransit => return papers::sic_transit::judge(case),
        Rules::Fable => return papers::fable::judge(case),
    }
    let readings = readings(case);
    let Some(last) = readings.last() else {
        return Next::Ask { purpose: Purpose::First, wait: Wait::HostInterval };
    };
    if is_reached(&readings) {
        return match weigh(case, Asking::Open) {
            Ok(opinion) => Next::Settle(settled(policy, case, opinion)),
            Err(kind) => Next::Compare(kind),
        };
    }
    if let Some(opinion) = lies(case) {
        return Next::Settle(settled(policy, case, opinion));
    }
    if let Some(judgement) = confirmed(case, &readings) {
        return Next::Settle(judgement);
    }
    if wants_other_agent(case) {
        return Next::Ask { purpose: Purpose::OtherAgent, wait: Wait::HostInterval };
    }
    if is_open(policy, &readings) {
        return again(*last, &readings);
    }
    Next::Settle(conclude(policy, case))
}

/// Judges a case from what was seen, when nothing more will be asked.
pub fn conclude(policy: &Policy, case: &Case<'_>) -> Judgement {
    if case.probe.ending == Ending::InternalError {
        return internal_error(case);
    }
    let readings = readings(case);
    if is_reached(&readings)
        && let Ok(opinion) = weigh(case, Asking::Closed)
    {
        return settled(policy, case, opinion);
    }
    if let Some(opinion) = lies(case) {
        return settled(policy, case, opinion);
    }
    confirmed(case, &readings).unwrap_or_else(|| {
        let reading = strongest(&readings).unwrap_or(Reading::UNSEEN);
        unconfirmed(policy, case, reading)
    })
}

/// The judgement on a page that could not be read because of an internal error.
///
/// It is failing, and not for the page's own fault: the failure does not count
/// towards a dead page, and the page is not fetched again in this run, because
/// the same input would meet the same error.
pub fn internal_error(case: &Case<'_>) -> Judgement {
    Judgement {
        verdict: Verdict::Unclear(Doubt::InternalError),
        word: Word::Failing,
        code: Some(codes::INTERNAL_ERROR),
        reason: Ending::InternalError.to_string(),
        streak: case.history.streak,
        since: since(case, Word::Failing),
        confidence: certainty::FAILED_NOW,
        grounds: Vec::new(),
    }
}

/// What the looks say. Once the server was asked by another name, refusals of
/// the first one no longer count.
fn readings(case: &Case<'_>) -> Vec<Reading> {
    let by_other_name = |look: &Look| look.purpose == Purpose::OtherAgent;
    let was_tried = case.looks.iter().any(by_other_name);
    let counts = |look: &&Look| !was_tried || by_other_name(look) || !is_disliked(look);
    case.looks.iter().filter(counts).map(|look| read(&look.ending)).collect()
}

/// An answer with content in any look outweighs everything else.
fn is_reached(readings: &[Reading]) -> bool {
    readings.iter().any(|reading| reading.weight == Weight::Reached)
}

/// Statuses by which servers turn away names they do not know.
const DISLIKED: [u16; 6] = [400, 403, 405, 406, 418, 999];

fn is_disliked(look: &Look) -> bool {
    look.ending.status().is_some_and(|status| DISLIKED.contains(&status))
}

/// Whether the server may have turned away our name and not the question.
fn wants_other_agent(case: &Case<'_>) -> bool {
    let was_tried = case.looks.iter().any(|look| look.purpose == Purpose::OtherAgent);
    let is_challenge = case.probe.digest.as_ref().is_some_and(|page| page.has(Mark::Challenge));
    case.looks.iter().any(is_disliked) && !was_tried && !is_challenge
}

/// A judgement on a page that answered.
fn settled(policy: &Policy, case: &Case<'_>, opinion: Opinion) -> Judgement {
    let mut opinion = opinion;
    if opinion.word == Word::Alive {
        moved(policy, case, &mut opinion);
    }
    Judgement {
        verdict: opinion.verdict,
        word: opinion.word,
        code: opinion.code,
        reason: opinion.reason,
        streak: match opinion.verdict {
            Verdict::Alive | Verdict::Moved => None,
            Verdict::Dead(_) => Some(FailureStreak::extended(case.history.streak, case.now)),
            // A wall is neither a success nor a failure.
            Verdict::Unclear(_) => case.history.streak,
        },
        since: since(case, opinion.word),
        confidence: opinion.confidence,
        grounds: opinion.grounds,
    }
}

/// Says so where a living page has another address for good, and where it was
/// reached only at the second attempt.
fn moved(policy: &Policy, case: &Case<'_>, opinion: &mut Opinion) {
    let Some((redirects, last)) = permanent_way(&case.probe.hops) else {
        let reached = |look: &&Look| read(&look.ending).weight == Weight::Reached;
        let latest =
            case.looks.iter().filter(reached).max_by_key(|look| (look.asked, look.ending.status()));
        if let Some(look) = latest.filter(|_| case.looks.len() > 1) {
            opinion.reason = reason::reached(&look.ending, case.looks);
        }
        return;
    };
    let is_long = redirects >= policy.long_chain;
    opinion.verdict = Verdict::Moved;
    opinion.word = Word::Moved;
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
    let arrives = read(&Ending::Answered(last.status)).weight == Weight::Reached;
    let is_permanent = redirects.iter().all(|hop| matches!(hop.status, 301 | 308));
    let is_elsewhere = first.url != last.url;
    (arrives && is_permanent && is_elsewhere).then_some((redirects.len(), last))
}

/// The same hard evidence in two looks is enough at once.
fn confirmed(case: &Case<'_>, readings: &[Reading]) -> Option<Judgement> {
    let hard = commonest(readings, Weight::Hard).filter(|(_, count)| *count >= 2);
    let (reading, _) = hard?;
    let looks = looks_of(case, reading.code);
    Some(Judgement {
        verdict: reading.verdict,
        word: Word::Dead,
        code: reading.code,
        reason: reason::confirmed(looks),
        streak: Some(FailureStreak::extended(case.history.streak, case.now)),
        since: since(case, Word::Dead),
        confidence: certainty::HARD_TWICE,
        grounds: Vec::new(),
    })
}

fn looks_of<'a>(case: &Case<'a>, code: Option<Code>) -> impl Iterator<Item = &'a Look> + Clone {
    case.looks.iter().filter(move |look| read(&look.ending).code == code)
}

/// Whether another look in this run could still change the answer.
fn is_open(policy: &Policy, readings: &[Reading]) -> bool {
    let is_lasting = |reading: &Reading| matches!(reading.weight, Weight::Walled | Weight::Lasting);
    if readings.iter().any(is_lasting) {
        return false;
    }
    // The second look at hard evidence is not a retry and comes on top.
    let second_looks = usize::from(readings.iter().any(|r| r.weight == Weight::Hard));
    readings.len() < 1 + policy.retries as usize + second_looks
}

fn again(last: Reading, readings: &[Reading]) -> Next {
    if last.weight == Weight::Hard {
        return Next::Ask { purpose: Purpose::SecondLook, wait: Wait::HostInterval };
    }
    let troubles = readings.iter().filter(|reading| reading.weight != Weight::Hard).count();
    Next::Ask {
        purpose: Purpose::Retry,
        wait: Wait::Backoff(u32::try_from(troubles).unwrap_or(u32::MAX)),
    }
}

/// What remains when nothing was reached and nothing hard was seen twice.
fn unconfirmed(policy: &Policy, case: &Case<'_>, reading: Reading) -> Judgement {
    if matches!(reading.verdict, Verdict::Dead(_)) {
        return failed(policy, case, reading);
    }
    Judgement {
        verdict: reading.verdict,
        word: Word::Blocked,
        code: reading.code,
        reason: reason::told(looks_of(case, reading.code)),
        // A wall is neither a success nor a failure.
        streak: case.history.streak,
        since: since(case, Word::Blocked),
        confidence: certainty::WALL,
        grounds: Vec::new(),
    }
}

/// Weak evidence: failing, until enough runs over enough days agree.
fn failed(policy: &Policy, case: &Case<'_>, reading: Reading) -> Judgement {
    let streak = FailureStreak::extended(case.history.streak, case.now);
    let told = reason::told(case.looks.iter());
    let (word, reason, confidence) = if is_worn_out(policy, &streak) {
        (Word::Dead, reason::worn_out(&told, &streak), certainty::WORN_OUT)
    } else {
        (Word::Failing, reason::unconfirmed(&told, &streak, policy), certainty::FAILED_NOW)
    };
    Judgement {
        verdict: reading.verdict,
        word,
        code: reading.code,
        reason,
        streak: Some(streak),
        since: since(case, word),
        confidence,
        grounds: Vec::new(),
    }
}

/// Minutes by which a daily job may start too early and still count as daily.
const UNPUNCTUALITY: i64 = 10;

pub(crate) fn is_worn_out(policy: &Policy, streak: &FailureStreak) -> bool {
    let minutes = streak.last.duration_since(streak.first).as_mins() + UNPUNCTUALITY;
    streak.runs >= policy.confirm_runs && minutes >= 24 * 60 * policy.confirm_days
}

/// The commonest reading among those that take precedence.
fn strongest(readings: &[Reading]) -> Option<Reading> {
    let weight = readings.iter().map(|reading| reading.weight).min()?;
    commonest(readings, weight).map(|(reading, _)| reading)
}

/// The commonest reading of this weight and how often it was seen; of equally
/// common ones that with the smallest code, so that order does not matter.
fn commonest(readings: &[Reading], weight: Weight) -> Option<(Reading, usize)> {
    let mut counts: BTreeMap<Option<Code>, (Reading, usize)> = BTreeMap::new();
    for reading in readings.iter().filter(|reading| reading.weight == weight) {
        counts.entry(reading.code).or_insert((*reading, 0)).1 += 1;
    }
    counts.into_values().max_by_key(|(reading, count)| (*count, Reverse(reading.code)))
}

fn since(case: &Case<'_>, word: Word) -> Timestamp {
    match case.history.since {
        Some(since) if case.history.word == Some(word) => since,
        _ => case.now,
    }
}

#[cfg(test)]
mod tests;
