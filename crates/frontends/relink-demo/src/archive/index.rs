//! The index: which captures there are, as an array of arrays.

use url::form_urlencoded;

use super::{ArchivedPage, key_of};
use crate::answer::CannedResponse;

/// The columns, in the usual order.
const HEADER: &str =
    r#"["urlkey","timestamp","original","mimetype","statuscode","digest","length"]"#;

/// What was asked, as far as it is understood; the rest is passed over.
#[derive(Debug, Default)]
struct Question {
    key: String,
    is_prefix: bool,
    from: String,
    to: String,
    statuses: Vec<String>,
    limit: Option<isize>,
    closest: Option<String>,
    start: usize,
    has_resume_key: bool,
}

/// Answers a query.
pub(super) fn answer(query: &str, kept: &[ArchivedPage]) -> CannedResponse {
    let question = Question::read(query);
    let mut found: Vec<&ArchivedPage> = kept.iter().filter(|it| question.admits(it)).collect();
    if let Some(closest) = &question.closest {
        found.sort_by_key(|it| distance(&it.taken, closest));
    }
    let (rows, resume) = question.cut(&found);
    let mut lines = vec![HEADER.to_owned()];
    lines.extend(rows.iter().map(|it| row(it)));
    lines.extend(resume.into_iter().flat_map(|key| ["[]".to_owned(), format!("[\"{key}\"]")]));
    let body = if rows.is_empty() { "[]".to_owned() } else { format!("[{}]", lines.join(",\n")) };
    CannedResponse::page(body + "\n").of_kind("application/json")
}

impl Question {
    fn read(query: &str) -> Self {
        let mut question = Self { to: "9".repeat(14), ..Self::default() };
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match name.as_ref() {
                "url" => {
                    question.is_prefix |= value.ends_with('*');
                    question.key = key_of(value.trim_end_matches('*'));
                }
                "matchType" => question.is_prefix |= value == "prefix",
                "from" => question.from = value.into_owned(),
                "to" => question.to = format!("{value:9<14}"),
                "filter" => {
                    let pattern = value.strip_prefix("statuscode:").map(str::to_owned);
                    question.statuses.extend(pattern);
                }
                "limit" => question.limit = value.parse().ok(),
                "closest" => question.closest = Some(value.into_owned()),
                "showResumeKey" => question.has_resume_key = value == "true",
                "resumeKey" => question.start = value.parse().unwrap_or_default(),
                _ => {}
            }
        }
        question
    }

    fn admits(&self, kept: &ArchivedPage) -> bool {
        let key = kept.key();
        let is_meant = if self.is_prefix { key.starts_with(&self.key) } else { key == self.key };
        let is_then = self.from <= kept.taken && kept.taken <= self.to;
        let status = kept.status.to_string();
        is_meant && is_then && self.statuses.iter().all(|pattern| matches(pattern, &status))
    }

    /// The rows within the limit, and where to go on.
    fn cut<'a, 'b>(
        &self,
        found: &'a [&'b ArchivedPage],
    ) -> (&'a [&'b ArchivedPage], Option<usize>) {
        let found = found.get(self.start..).unwrap_or_default();
        let limit = self.limit.map_or(found.len(), isize::unsigned_abs).min(found.len());
        if self.limit.is_some_and(isize::is_negative) {
            return (&found[found.len() - limit..], None);
        }
        let has_more = limit < found.len() && self.has_resume_key;
        (&found[..limit], has_more.then_some(self.start + limit))
    }
}

/// Whether a status fits a pattern in which a dot stands for any digit.
fn matches(pattern: &str, status: &str) -> bool {
    let fits = |(one, other): (char, char)| one == '.' || one == other;
    pattern.len() == status.len() && pattern.chars().zip(status.chars()).all(fits)
}

/// How far two times lie apart, well enough to sort by: the difference of
/// their digits grows with that of the times.
pub(super) fn distance(one: &str, other: &str) -> u64 {
    let number = |digits: &str| format!("{digits:0<14}").parse::<u64>().unwrap_or_default();
    number(one).abs_diff(number(other))
}

fn row(kept: &ArchivedPage) -> String {
    let ArchivedPage { url, taken, status, body, .. } = kept;
    let mime = if kept.location.is_some() { "unk" } else { "text/html" };
    let (key, digest, length) = (kept.key(), digest(body), body.len() + 300);
    format!(
        "[\"{}\",\"{taken}\",\"{}\",\"{mime}\",\"{status}\",\"{digest}\",\"{length}\"]",
        quoted(&key),
        quoted(url)
    )
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A name for a body, in the alphabet of the real thing: FNV-1a, once more for
/// each letter.
fn digest(body: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let letters = (0..32).map(|letter| {
        for byte in body.bytes().chain([letter]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // Five bits.
        let index = usize::try_from(hash >> 59).unwrap_or_default();
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[index])
    });
    letters.collect()
}
