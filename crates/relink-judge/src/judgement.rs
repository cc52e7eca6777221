//! Decides whether to look again or what to conclude.
//!
//! Order of precedence among the looks of one run: content reached; hard
//! evidence seen twice; a wall; a fault; hard evidence seen once. The order in
//! which looks were taken decides only *why* the next one is taken.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{Code, Ending, FailureStreak, History, Hop, Look, Purpose, Verdict, Word};

use crate::reading::{Reading, Weight, read};
use crate::{Policy, codes, reason};

/// Everything known about a target at one moment of a run.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// All looks of this run, the last one included.
    pub looks: &'a [Look],
    /// The hops of the last probe, its final answer included.
    pub hops: &'a [Hop],
    /// What earlier runs concluded.
    pub history: &'a History,
    /// The present moment.
    pub now: Timestamp,
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
}

/// Whether an ending may be the fault of our own network.
///
/// Such endings are held back until some host has answered in the run. A
/// private address that was not opened says nothing about the network.
pub fn is_network_ending(ending: &Ending) -> bool {
    !ending.met_a_server() && !matches!(ending, Ending::Barred(_))
}

/// Judges a case: look again, or settle.
///
/// ```
/// use jiff::Timestamp;
/// use relink_judge::{Case, Next, Policy, judge};
/// use relink_model::{Ending, History, Look, Purpose, Word};
///
/// let now = Timestamp::UNIX_EPOCH;
/// let ending = Ending::Answered(200);
/// let looks = [Look { asked: now, purpose: Purpose::First, ending, took_ms: 12 }];
/// let history = History::default();
/// let case = Case { looks: &looks, hops: &[], history: &history, now };
/// let Next::Settle(judgement) = judge(&Policy::default(), &case) else { panic!() };
/// assert_eq!(judgement.word, Word::Alive);
/// ```
pub fn judge(policy: &Policy, case: &Case) -> Next {
    let readings = readings(case);
    let Some(last) = readings.last() else {
        return Next::Ask { purpose: Purpose::First, wait: Wait::HostInterval };
    };
    if let Some(judgement) = reached(policy, case).or_else(|| confirmed(case, &readings)) {
        return Next::Settle(judgement);
    }
    if is_open(policy, &readings) {
        return again(*last, &readings);
    }
    Next::Settle(conclude(policy, case))
}

/// Judges a case from what was seen, when there will be no more looks.
pub fn conclude(policy: &Policy, case: &Case) -> Judgement {
    let readings = readings(case);
    reached(policy, case).or_else(|| confirmed(case, &readings)).unwrap_or_else(|| {
        let reading = strongest(&readings).unwrap_or(Reading::UNSEEN);
        unconfirmed(policy, case, &readings, reading)
    })
}

fn readings(case: &Case) -> Vec<Reading> {
    case.looks.iter().map(|look| read(&look.ending)).collect()
}

/// Content reached in any look outweighs everything else.
fn reached(policy: &Policy, case: &Case) -> Option<Judgement> {
    let look = case
        .looks
        .iter()
        .filter(|look| read(&look.ending).weight == Weight::Reached)
        .max_by_key(|look| (look.asked, look.ending.status()))?;
    let alive = || reason::reached(&look.ending, case.looks);
    let (verdict, word, code, reason) = match permanent_way(case.hops) {
        None => (Verdict::Alive, Word::Alive, None, alive()),
        Some((redirects, last)) => {
            let is_long = redirects >= policy.long_chain;
            let code = if is_long { codes::LONG_CHAIN } else { codes::MOVED };
            let reason = reason::moved(redirects, last);
            (Verdict::Moved, Word::Moved, Some(code), reason)
        }
    };
    Some(Judgement { verdict, word, code, reason, streak: None, since: since(case, word) })
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
fn confirmed(case: &Case, readings: &[Reading]) -> Option<Judgement> {
    let hard = commonest(readings, Weight::Hard).filter(|(_, count)| *count >= 2);
    let (reading, _) = hard?;
    let looks = looks_of(case, readings, reading.code);
    Some(Judgement {
        verdict: reading.verdict,
        word: Word::Dead,
        code: reading.code,
        reason: reason::confirmed(looks),
        streak: Some(FailureStreak::extended(case.history.streak, case.now)),
        since: since(case, Word::Dead),
    })
}

fn looks_of<'a>(
    case: &Case<'a>,
    readings: &[Reading],
    code: Option<Code>,
) -> impl Iterator<Item = &'a Look> + Clone {
    case.looks
        .iter()
        .zip(readings)
        .filter(move |(_, reading)| reading.code == code)
        .map(|(look, _)| look)
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
fn unconfirmed(policy: &Policy, case: &Case, readings: &[Reading], reading: Reading) -> Judgement {
    if matches!(reading.verdict, Verdict::Dead(_)) {
        return failed(policy, case, reading);
    }
    Judgement {
        verdict: reading.verdict,
        word: Word::Blocked,
        code: reading.code,
        reason: reason::told(looks_of(case, readings, reading.code)),
        // A wall is neither a success nor a failure.
        streak: case.history.streak,
        since: since(case, Word::Blocked),
    }
}

/// Weak evidence: failing, until enough runs over enough days agree.
fn failed(policy: &Policy, case: &Case, reading: Reading) -> Judgement {
    let streak = FailureStreak::extended(case.history.streak, case.now);
    let told = reason::told(case.looks.iter());
    let (word, reason) = if is_worn_out(policy, &streak) {
        (Word::Dead, reason::worn_out(&told, &streak))
    } else {
        (Word::Failing, reason::unconfirmed(&told, &streak, policy))
    };
    Judgement {
        verdict: reading.verdict,
        word,
        code: reading.code,
        reason,
        streak: Some(streak),
        since: since(case, word),
    }
}

/// Minutes by which a daily job may start too early and still count as daily.
const UNPUNCTUALITY: i64 = 10;

fn is_worn_out(policy: &Policy, streak: &FailureStreak) -> bool {
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

fn since(case: &Case, word: Word) -> Timestamp {
    match case.history.since {
        Some(since) if case.history.word == Some(word) => since,
        _ => case.now,
    }
}

#[cfg(test)]
mod tests;
