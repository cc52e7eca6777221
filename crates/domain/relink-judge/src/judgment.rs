//! The decision procedure: fetch again, compare with another page, or conclude.
//!
//! Precedence among the attempts of one run: a response with content, which is
//! then compared with other pages; a hard failure in two attempts; an access
//! wall; an error; a hard failure in one attempt. The order of the attempts
//! affects only the purpose of the next attempt.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{
    Assessment, Attempt, Confidence, Control, ControlKind, Evidence, FailureStreak, FetchOutcome,
    FetchPurpose, FindingCode, History, Hop, InconclusiveReason, PageFlag, Probe, Verdict,
};

use crate::content::{ControlAccess, Finding, assess, check_rejected, contradicts_error_status};
use crate::outcome_class::{EvidenceStrength, OutcomeClass, classify};
use crate::page::PhraseScan;
use crate::policy::RuleSet;
use crate::{Policy, codes, confidence, papers, reason};

/// All that is known about a target at one time of a run.
#[derive(Debug, Clone, Copy)]
pub struct JudgeInput<'a> {
    /// The requested canonical URL.
    pub url: &'a str,
    /// All attempts of this run, including the last one.
    pub attempts: &'a [Attempt],
    /// The last probe.
    pub probe: &'a Probe,
    /// The phrases on the page, if they were scanned already.
    pub phrase_scan: Option<PhraseScan>,
    /// The controls fetched so far, at most one of each kind.
    pub controls: &'a [Control],
    /// Results of earlier runs.
    pub history: &'a History,
    /// The current time.
    pub now: Timestamp,
}

/// The next step for a target.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Fetch the page again.
    Fetch {
        /// The purpose of the attempt.
        purpose: FetchPurpose,
        /// The delay before the attempt.
        wait: RetryDelay,
    },
    /// Fetch a control of this kind. If that is not possible, judge again with a
    /// control without a probe.
    Compare(ControlKind),
    /// The result for this run.
    Conclude(Judgment),
}

/// The delay before another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryDelay {
    /// The normal request interval of the host.
    HostInterval,
    /// Exponential backoff; holds the number of the retry, from 1.
    Backoff(u32),
}

/// A verdict with its reason and evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgment {
    /// The internal result.
    pub assessment: Assessment,
    /// The verdict that users see.
    pub verdict: Verdict,
    /// The code, if it is a finding.
    pub code: Option<FindingCode>,
    /// The reason: one sentence in lower case without a period.
    pub reason: String,
    /// The consecutive runs in which the page failed, including this one; `None` ends a streak.
    pub streak: Option<FailureStreak>,
    /// The time from which the verdict has been the same.
    pub since: Timestamp,
    /// The probability that the verdict is correct.
    pub confidence: Confidence,
    /// The evidence in addition to the attempts.
    pub evidence: Vec<Evidence>,
}

/// Whether the local network may have caused an outcome.
///
/// Such outcomes are not reported until some host has responded in the run.
/// Outcomes that Relink itself decides, such as a blocked private address or an
/// internal error, are not evidence about the network.
pub fn is_network_failure(outcome: &FetchOutcome) -> bool {
    let is_own_decision = matches!(
        outcome,
        FetchOutcome::PrivateAddress(_)
            | FetchOutcome::RobotsDisallowed
            | FetchOutcome::InternalError
    );
    !outcome.reached_server() && !is_own_decision
}

/// Whether a control got a definite response that can be reused for other pages.
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

/// Decides the next step for a target: fetch again, compare, or conclude.
///
/// ```
/// use jiff::Timestamp;
/// use relink_judge::{Decision, JudgeInput, Policy, judge};
/// use relink_model::{
///     Attempt, ControlKind, FetchOutcome, FetchPurpose, History, Probe, Timings,
/// };
///
/// let requested_at = Timestamp::UNIX_EPOCH;
/// let outcome = FetchOutcome::Response(200);
/// let attempts = [Attempt {
///     requested_at,
///     purpose: FetchPurpose::Initial,
///     outcome: outcome.clone(),
///     duration_ms: 12,
/// }];
/// let probe = Probe {
///     requested_at,
///     hops: vec![],
///     outcome,
///     timings: Timings::default(),
///     retry_after: None,
///     version: None,
///     digest: None,
/// };
/// let input = JudgeInput {
///     url: "http://example.org/docs/a.html",
///     attempts: &attempts,
///     probe: &probe,
///     phrase_scan: None,
///     controls: &[],
///     history: &History::default(),
///     now: requested_at,
/// };
/// // Status 200: next, fetch a random name to detect a soft-404.
/// let next = judge(&Policy::default(), &input);
/// assert_eq!(next, Decision::Compare(ControlKind::RandomName));
/// ```
pub fn judge(policy: &Policy, input: &JudgeInput<'_>) -> Decision {
    if input.probe.outcome == FetchOutcome::InternalError {
        return Decision::Conclude(internal_error(input));
    }
    match policy.rules {
        RuleSet::Relink => {}
        RuleSet::SicTransit => return papers::sic_transit::judge(input),
        RuleSet::Fable => return papers::fable::judge(input),
    }
    let classes = classify_attempts(input);
    let Some(last) = classes.last() else {
        return Decision::Fetch { purpose: FetchPurpose::Initial, wait: RetryDelay::HostInterval };
    };
    if is_reached(&classes) {
        return match assess(input, ControlAccess::Allowed) {
            Ok(finding) => Decision::Conclude(judgment_from(policy, input, finding)),
            Err(kind) => Decision::Compare(kind),
        };
    }
    if let Some(finding) = contradicts_error_status(input) {
        return Decision::Conclude(judgment_from(policy, input, finding));
    }
    if let Some(judgment) = confirmed(input, &classes) {
        return Decision::Conclude(judgment);
    }
    if needs_other_user_agent(input) {
        return Decision::Fetch {
            purpose: FetchPurpose::AlternateUserAgent,
            wait: RetryDelay::HostInterval,
        };
    }
    if allows_retry(policy, &classes) {
        return next_attempt(*last, &classes);
    }
    match check_rejected(input, ControlAccess::Allowed) {
        Err(kind) => Decision::Compare(kind),
        Ok(Some(finding)) => Decision::Conclude(judgment_from(policy, input, finding)),
        Ok(None) => Decision::Conclude(conclude(policy, input)),
    }
}

/// Judges a target with the evidence at hand, without further requests.
pub fn conclude(policy: &Policy, input: &JudgeInput<'_>) -> Judgment {
    conclude_with(policy, input, ControlAccess::Denied)
}

/// Judges a page of an archive, for which no control exists. Error phrases in its
/// title or headings count without a comparison.
pub fn conclude_archived(policy: &Policy, input: &JudgeInput<'_>) -> Judgment {
    conclude_with(policy, input, ControlAccess::Impossible)
}

fn conclude_with(policy: &Policy, input: &JudgeInput<'_>, access: ControlAccess) -> Judgment {
    if input.probe.outcome == FetchOutcome::InternalError {
        return internal_error(input);
    }
    let classes = classify_attempts(input);
    if is_reached(&classes)
        && let Ok(finding) = assess(input, access)
    {
        return judgment_from(policy, input, finding);
    }
    if let Some(finding) = contradicts_error_status(input) {
        return judgment_from(policy, input, finding);
    }
    if let Ok(Some(finding)) = check_rejected(input, ControlAccess::Denied) {
        return judgment_from(policy, input, finding);
    }
    confirmed(input, &classes).unwrap_or_else(|| {
        let class = strongest(&classes).unwrap_or(OutcomeClass::NO_ATTEMPT);
        unconfirmed(policy, input, class)
    })
}

/// Returns the judgment of a page that was not read because of an internal error.
///
/// The page is failing. The failure does not count towards `dead`, and the page
/// is not fetched again in this run, because the same input would cause the same
/// error.
pub fn internal_error(input: &JudgeInput<'_>) -> Judgment {
    Judgment {
        assessment: Assessment::Inconclusive(InconclusiveReason::InternalError),
        verdict: Verdict::Failing,
        code: Some(codes::INTERNAL_ERROR),
        reason: FetchOutcome::InternalError.to_string(),
        streak: input.history.streak,
        since: since(input, Verdict::Failing),
        confidence: confidence::FAILED_NOW,
        evidence: Vec::new(),
    }
}

/// Classifies the attempts. If the page was fetched with another User-Agent, attempts
/// whose User-Agent the server rejected are ignored.
fn classify_attempts(input: &JudgeInput<'_>) -> Vec<OutcomeClass> {
    let uses_other_user_agent =
        |attempt: &Attempt| attempt.purpose == FetchPurpose::AlternateUserAgent;
    let was_tried = input.attempts.iter().any(uses_other_user_agent);
    let counts = |attempt: &&Attempt| {
        !was_tried || uses_other_user_agent(attempt) || !is_user_agent_rejection(attempt)
    };
    input.attempts.iter().filter(counts).map(|attempt| classify(&attempt.outcome)).collect()
}

/// Whether any attempt got a response with content, which takes precedence over all
/// failures.
fn is_reached(classes: &[OutcomeClass]) -> bool {
    classes.iter().any(|class| class.strength == EvidenceStrength::Reached)
}

/// Statuses with which servers reject unknown User-Agents.
const USER_AGENT_REJECTIONS: [u16; 6] = [400, 403, 405, 406, 418, 999];

fn is_user_agent_rejection(attempt: &Attempt) -> bool {
    attempt.outcome.status().is_some_and(|status| USER_AGENT_REJECTIONS.contains(&status))
}

/// Whether the server may have rejected only the User-Agent.
fn needs_other_user_agent(input: &JudgeInput<'_>) -> bool {
    let was_tried =
        input.attempts.iter().any(|attempt| attempt.purpose == FetchPurpose::AlternateUserAgent);
    let is_challenge =
        input.probe.digest.as_ref().is_some_and(|page| page.has_flag(PageFlag::BotChallenge));
    input.attempts.iter().any(is_user_agent_rejection) && !was_tried && !is_challenge
}

/// Builds the judgment of a page that responded.
fn judgment_from(policy: &Policy, input: &JudgeInput<'_>, finding: Finding) -> Judgment {
    let mut finding = finding;
    if finding.verdict == Verdict::Alive {
        apply_redirects(policy, input, &mut finding);
    }
    Judgment {
        assessment: finding.assessment,
        verdict: finding.verdict,
        code: finding.code,
        reason: finding.reason,
        streak: match finding.assessment {
            Assessment::Alive | Assessment::Moved => None,
            Assessment::Dead(_) => Some(FailureStreak::extend(input.history.streak, input.now)),
            // An access wall neither ends nor extends a streak.
            Assessment::Inconclusive(_) => input.history.streak,
        },
        since: since(input, finding.verdict),
        confidence: finding.confidence,
        evidence: finding.evidence,
    }
}

/// Changes the verdict of a live page to `moved` if all redirects are permanent.
/// Otherwise states the number of attempts, if there were several.
fn apply_redirects(policy: &Policy, input: &JudgeInput<'_>, finding: &mut Finding) {
    let Some((redirects, last)) = permanent_redirects(&input.probe.hops) else {
        let has_content =
            |attempt: &&Attempt| classify(&attempt.outcome).strength == EvidenceStrength::Reached;
        let latest = input
            .attempts
            .iter()
            .filter(has_content)
            .max_by_key(|attempt| (attempt.requested_at, attempt.outcome.status()));
        if let Some(attempt) = latest.filter(|_| input.attempts.len() > 1) {
            finding.reason = reason::reached(&attempt.outcome, input.attempts);
        }
        return;
    };
    let is_long = redirects >= policy.long_chain;
    finding.assessment = Assessment::Moved;
    finding.verdict = Verdict::Moved;
    finding.code = Some(if is_long { codes::LONG_CHAIN } else { codes::MOVED });
    finding.reason = reason::moved(redirects, last);
}

/// Returns the number of redirects and the last hop, if all redirects are
/// permanent and the last hop is another URL with content.
///
/// If one redirect is temporary, the first URL remains the one to use (RFC 9110
/// §15.4). A chain that ends at its first URL only sets a cookie.
fn permanent_redirects(hops: &[Hop]) -> Option<(usize, &Hop)> {
    let (last, redirects) = hops.split_last()?;
    let first = redirects.first()?;
    let has_content =
        classify(&FetchOutcome::Response(last.status)).strength == EvidenceStrength::Reached;
    let is_permanent = redirects.iter().all(|hop| matches!(hop.status, 301 | 308));
    let is_redirected = first.url != last.url;
    (has_content && is_permanent && is_redirected).then_some((redirects.len(), last))
}

/// Returns `dead` if two attempts had the same hard failure, such as status 404.
fn confirmed(input: &JudgeInput<'_>, classes: &[OutcomeClass]) -> Option<Judgment> {
    let hard = most_common(classes, EvidenceStrength::Hard).filter(|(_, count)| *count >= 2);
    let (class, _) = hard?;
    let attempts = attempts_with_code(input, class.code);
    Some(Judgment {
        assessment: class.assessment,
        verdict: Verdict::Dead,
        code: class.code,
        reason: reason::confirmed(attempts),
        streak: Some(FailureStreak::extend(input.history.streak, input.now)),
        since: since(input, Verdict::Dead),
        confidence: confidence::HARD_FAILURE_TWICE,
        evidence: Vec::new(),
    })
}

fn attempts_with_code<'a>(
    input: &JudgeInput<'a>,
    code: Option<FindingCode>,
) -> impl Iterator<Item = &'a Attempt> + Clone {
    input.attempts.iter().filter(move |attempt| classify(&attempt.outcome).code == code)
}

/// Whether another attempt in this run may change the result.
fn allows_retry(policy: &Policy, classes: &[OutcomeClass]) -> bool {
    let is_persistent = |class: &OutcomeClass| {
        matches!(class.strength, EvidenceStrength::Blocked | EvidenceStrength::Persistent)
    };
    if classes.iter().any(is_persistent) {
        return false;
    }
    // The confirmation of a hard failure is not a retry and comes in addition.
    let has_hard_failure = classes.iter().any(|class| class.strength == EvidenceStrength::Hard);
    let confirmations = usize::from(has_hard_failure);
    classes.len() < 1 + policy.retries as usize + confirmations
}

fn next_attempt(last: OutcomeClass, classes: &[OutcomeClass]) -> Decision {
    if last.strength == EvidenceStrength::Hard {
        return Decision::Fetch {
            purpose: FetchPurpose::Confirmation,
            wait: RetryDelay::HostInterval,
        };
    }
    let failures = classes.iter().filter(|class| class.strength != EvidenceStrength::Hard).count();
    Decision::Fetch {
        purpose: FetchPurpose::Retry,
        wait: RetryDelay::Backoff(u32::try_from(failures).unwrap_or(u32::MAX)),
    }
}

/// Returns the judgment if no attempt got content and no hard failure was confirmed.
fn unconfirmed(policy: &Policy, input: &JudgeInput<'_>, class: OutcomeClass) -> Judgment {
    if matches!(class.assessment, Assessment::Dead(_)) {
        return failed(policy, input, class);
    }
    Judgment {
        assessment: class.assessment,
        verdict: Verdict::Blocked,
        code: class.code,
        reason: reason::summarize(attempts_with_code(input, class.code)),
        // An access wall neither ends nor extends a streak.
        streak: input.history.streak,
        since: since(input, Verdict::Blocked),
        confidence: confidence::WALL,
        evidence: Vec::new(),
    }
}

/// Returns `failing`, or `dead` if the page failed in enough runs over enough days.
fn failed(policy: &Policy, input: &JudgeInput<'_>, class: OutcomeClass) -> Judgment {
    let streak = FailureStreak::extend(input.history.streak, input.now);
    let summary = reason::summarize(input.attempts.iter());
    let (verdict, reason, confidence) = if has_failed_long_enough(policy, &streak) {
        (Verdict::Dead, reason::failed_repeatedly(&summary, &streak), confidence::FAILED_REPEATEDLY)
    } else {
        (Verdict::Failing, reason::failing(&summary, &streak, policy), confidence::FAILED_NOW)
    };
    Judgment {
        assessment: class.assessment,
        verdict,
        code: class.code,
        reason,
        streak: Some(streak),
        since: since(input, verdict),
        confidence,
        evidence: Vec::new(),
    }
}

/// Tolerance for daily jobs that start a few minutes early.
const SCHEDULE_SLACK_MINUTES: i64 = 10;

/// Whether the streak has enough runs over enough days to count as dead.
pub(crate) fn has_failed_long_enough(policy: &Policy, streak: &FailureStreak) -> bool {
    let minutes = streak.last_at.duration_since(streak.first_at).as_mins() + SCHEDULE_SLACK_MINUTES;
    streak.runs >= policy.confirm_runs && minutes >= 24 * 60 * policy.confirm_days
}

/// Returns the most common class among those with the strongest evidence.
fn strongest(classes: &[OutcomeClass]) -> Option<OutcomeClass> {
    let strength = classes.iter().map(|class| class.strength).min()?;
    most_common(classes, strength).map(|(class, _)| class)
}

/// Returns the most common class of this strength and its count. A tie is decided
/// by the smaller code, so that the order of attempts does not matter.
fn most_common(
    classes: &[OutcomeClass],
    strength: EvidenceStrength,
) -> Option<(OutcomeClass, usize)> {
    let mut counts: BTreeMap<Option<FindingCode>, (OutcomeClass, usize)> = BTreeMap::new();
    for class in classes.iter().filter(|class| class.strength == strength) {
        counts.entry(class.code).or_insert((*class, 0)).1 += 1;
    }
    counts.into_values().max_by_key(|(class, count)| (*count, Reverse(class.code)))
}

/// Returns the time from which the verdict has been the same: that of an earlier run, or
/// now if the verdict is new.
fn since(input: &JudgeInput<'_>, verdict: Verdict) -> Timestamp {
    match input.history.since {
        Some(since) if input.history.verdict == Some(verdict) => since,
        _ => input.now,
    }
}

#[cfg(test)]
mod tests;
