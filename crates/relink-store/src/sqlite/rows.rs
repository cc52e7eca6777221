//! From rows to the model's words and back.

use jiff::Timestamp;
use relink_model::{
    Code, Errand, ErrandId, FailureStreak, History, Look, Probe, Purpose, TargetId, Word,
};
use relink_ports::StoreFault;
use serde::de::DeserializeOwned;

use super::fault::unreadable;
use super::row_struct::row_struct;

const READING: &str = "reading a stored value";

/// Milliseconds since 1970.
pub(super) fn millis(moment: Timestamp) -> i64 {
    moment.as_millisecond()
}

/// The moment of so many milliseconds since 1970; the ends of time if beyond.
pub(super) fn moment(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or(if millis < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

pub(super) fn word(text: Option<&str>) -> Result<Option<Word>, StoreFault> {
    text.map(str::parse)
        .transpose()
        .map_err(|fault| unreadable(READING, fault))
}

pub(super) fn code(text: Option<&str>) -> Result<Option<Code>, StoreFault> {
    text.map(str::parse)
        .transpose()
        .map_err(|fault| unreadable(READING, fault))
}

pub(super) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, StoreFault> {
    serde_json::from_str(text).map_err(|fault| unreadable(READING, fault))
}

/// Text that goes into a statement as one bound value.
pub(super) fn to_json<T: serde::Serialize + ?Sized>(value: &T) -> Result<String, StoreFault> {
    serde_json::to_string(value).map_err(|fault| unreadable("writing a value", fault))
}

fn purpose(text: &str) -> Purpose {
    match text {
        "retry" => Purpose::Retry,
        "second-look" => Purpose::SecondLook,
        _ => Purpose::First,
    }
}

row_struct! {
    /// An errand with what is known of its target.
    pub(super) struct ErrandRow {
        id: i64,
        target_id: i64,
        url: String,
        given: Option<String>,
        named: bool,
        purpose: String,
        not_before: i64,
        looks: Option<String>,
        word: Option<String>,
        code: Option<String>,
        since: Option<i64>,
        checked_at: Option<i64>,
        reached_at: Option<i64>,
        failed_runs: i64,
        first_failed_at: Option<i64>,
        last_failed_at: Option<i64>,
        reached: Option<String>,
    }
}

/// The columns of an [`ErrandRow`], from `errand e`, `target t` and the probe
/// `p` that last reached the page.
macro_rules! errand_columns {
    () => {
        "e.id, e.target_id, t.url, e.given, e.named, e.purpose, e.not_before, e.looks, \
         t.word, t.code, t.since, t.checked_at, t.reached_at, \
         t.failed_runs, t.first_failed_at, t.last_failed_at, p.detail AS reached"
    };
}
pub(super) use errand_columns;

impl ErrandRow {
    pub(super) fn into_errand(self) -> Result<Errand, StoreFault> {
        let history = self.history()?;
        Ok(Errand {
            id: ErrandId(self.id),
            target: TargetId(self.target_id),
            given: self.given.unwrap_or_else(|| self.url.clone()),
            url: self.url,
            is_named: self.named,
            purpose: purpose(&self.purpose),
            not_before: moment(self.not_before),
            looks: self
                .looks
                .as_deref()
                .map(from_json::<Vec<Look>>)
                .transpose()?
                .unwrap_or_default(),
            history,
        })
    }

    fn history(&self) -> Result<History, StoreFault> {
        let reached = self
            .reached
            .as_deref()
            .map(from_json::<Probe>)
            .transpose()?;
        Ok(History {
            word: word(self.word.as_deref())?,
            code: code(self.code.as_deref())?,
            since: self.since.map(moment),
            checked: self.checked_at.map(moment),
            last_reached: self.reached_at.map(moment),
            streak: streak(self.failed_runs, self.first_failed_at, self.last_failed_at),
            digest: reached.and_then(|probe| probe.digest),
        })
    }
}

pub(super) fn streak(runs: i64, first: Option<i64>, last: Option<i64>) -> Option<FailureStreak> {
    let runs = u32::try_from(runs).unwrap_or(u32::MAX);
    match (runs, first, last) {
        (1.., Some(first), Some(last)) => Some(FailureStreak {
            runs,
            first: moment(first),
            last: moment(last),
        }),
        _ => None,
    }
}
