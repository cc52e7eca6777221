//! The copies: replayed as they were, chosen by date, listed.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822::{self, DateTimePrinter};
use jiff::tz::TimeZone;

use super::index::distance;
use super::{ArchivedPage, key_of, nothing};
use crate::answer::CannedResponse;

/// Answers what stands after `/web/`: a time and a URL, or a URL alone.
pub(super) fn answer(
    path: &str,
    accept_datetime: Option<&str>,
    kept: &[ArchivedPage],
) -> CannedResponse {
    let (front, url) = path.split_once('/').unwrap_or((path, ""));
    let digits = front.trim_end_matches(|it: char| !it.is_ascii_digit());
    if digits.is_empty() || !front.starts_with(digits) {
        return negotiated(path, accept_datetime, kept);
    }
    match nearest(url, digits, kept) {
        Some(copy) if copy.taken == digits => replayed(copy),
        Some(copy) => {
            let word = front.get(digits.len()..).unwrap_or_default();
            CannedResponse::redirect(302, &format!("/web/{}{word}/{}", copy.taken, copy.url))
        }
        None => nothing(),
    }
}

/// The answer as it was, with its time.
fn replayed(copy: &ArchivedPage) -> CannedResponse {
    let answer = CannedResponse::with_status(copy.status, copy.body.clone())
        .and("Memento-Datetime", &http_date(&copy.taken))
        .and("Link", &format!("<{}>; rel=\"original\"", copy.url));
    match &copy.location {
        Some(location) => answer.and("Location", location),
        None => answer,
    }
}

/// Leads to the copy nearest to a date, or else to the newest.
fn negotiated(url: &str, accept_datetime: Option<&str>, kept: &[ArchivedPage]) -> CannedResponse {
    let asked = accept_datetime.and_then(|date| rfc2822::parse(date).ok());
    let digits = asked.map_or("9".repeat(14), |date| stamp(date.timestamp()));
    match nearest(url, &digits, kept) {
        Some(copy) => CannedResponse::redirect(302, &format!("/web/{}/{}", copy.taken, copy.url))
            .and("Vary", "accept-datetime"),
        None => nothing(),
    }
}

/// The list of all copies of a URL (RFC 7089, section 5).
pub(super) fn list(url: &str, kept: &[ArchivedPage]) -> CannedResponse {
    let key = key_of(url);
    let copies = kept.iter().filter(|it| it.key() == key).map(|copy| {
        let (taken, date) = (&copy.taken, http_date(&copy.taken));
        format!("</web/{taken}/{}>; rel=\"memento\"; datetime=\"{date}\"", copy.url)
    });
    let copies: Vec<_> = copies.collect();
    if copies.is_empty() {
        return nothing();
    }
    let list = format!("<{url}>; rel=\"original\",\n{}\n", copies.join(",\n"));
    CannedResponse::page(list).of_kind("application/link-format")
}

fn nearest<'a>(url: &str, digits: &str, kept: &'a [ArchivedPage]) -> Option<&'a ArchivedPage> {
    let key = key_of(url);
    kept.iter().filter(|it| it.key() == key).min_by_key(|it| distance(&it.taken, digits))
}

fn stamp(time: Timestamp) -> String {
    time.strftime("%Y%m%d%H%M%S").to_string()
}

/// Fourteen digits as a date of HTTP; empty if they are no time.
fn http_date(digits: &str) -> String {
    let parsed = DateTime::strptime("%Y%m%d%H%M%S", digits).ok();
    let time = parsed.and_then(|it| it.to_zoned(TimeZone::UTC).ok());
    let date = time.map(|it| DateTimePrinter::new().timestamp_to_rfc9110_string(&it.timestamp()));
    date.and_then(Result::ok).unwrap_or_default()
}
