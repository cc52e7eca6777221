//! Replay of the demo's web archive: returns captures (archived responses) by URL and date,
//! and lists them as a `TimeMap` (RFC 7089).

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822::{self, DateTimePrinter};
use jiff::tz::TimeZone;

use super::index::distance;
use super::{ArchivedPage, not_archived, url_key};
use crate::response::CannedResponse;

/// Responds to the path after `/web/`: a time and a URL, or only a URL. The time has up to
/// 14 digits and can be followed by flags, such as `id_` for the unchanged response.
pub(super) fn respond(
    path: &str,
    accept_datetime: Option<&str>,
    captures: &[ArchivedPage],
) -> CannedResponse {
    let (time, url) = path.split_once('/').unwrap_or((path, ""));
    let digits = time.trim_end_matches(|char: char| !char.is_ascii_digit());
    if digits.is_empty() || !time.starts_with(digits) {
        return redirect_to_nearest(path, accept_datetime, captures);
    }
    match nearest(url, digits, captures) {
        Some(capture) if capture.captured_at == digits => replay(capture),
        Some(capture) => {
            let flags = time.get(digits.len()..).unwrap_or_default();
            CannedResponse::redirect(
                302,
                &format!("/web/{}{flags}/{}", capture.captured_at, capture.url),
            )
        }
        None => not_archived(),
    }
}

/// Returns the captured response with its time.
fn replay(capture: &ArchivedPage) -> CannedResponse {
    let response = CannedResponse::with_status(capture.status, capture.body.clone())
        .with_header("Memento-Datetime", &http_date(&capture.captured_at))
        .with_header("Link", &format!("<{}>; rel=\"original\"", capture.url));
    match &capture.location {
        Some(location) => response.with_header("Location", location),
        None => response,
    }
}

/// Redirects to the capture nearest to a date. Without a date, redirects to the newest capture.
fn redirect_to_nearest(
    url: &str,
    accept_datetime: Option<&str>,
    captures: &[ArchivedPage],
) -> CannedResponse {
    let date = accept_datetime.and_then(|date| rfc2822::parse(date).ok());
    let digits = date.map_or("9".repeat(14), |date| fourteen_digits(date.timestamp()));
    match nearest(url, &digits, captures) {
        Some(capture) => {
            CannedResponse::redirect(302, &format!("/web/{}/{}", capture.captured_at, capture.url))
                .with_header("Vary", "accept-datetime")
        }
        None => not_archived(),
    }
}

/// Returns the list of all captures of a URL (RFC 7089, section 5).
pub(super) fn time_map(url: &str, captures: &[ArchivedPage]) -> CannedResponse {
    let key = url_key(url);
    let mementos = captures.iter().filter(|capture| capture.key() == key).map(|capture| {
        let (captured_at, date) = (&capture.captured_at, http_date(&capture.captured_at));
        format!("</web/{captured_at}/{}>; rel=\"memento\"; datetime=\"{date}\"", capture.url)
    });
    let mementos: Vec<_> = mementos.collect();
    if mementos.is_empty() {
        return not_archived();
    }
    let list = format!("<{url}>; rel=\"original\",\n{}\n", mementos.join(",\n"));
    CannedResponse::page(list).with_content_type("application/link-format")
}

/// Returns the capture of a URL nearest to a time.
fn nearest<'a>(url: &str, digits: &str, captures: &'a [ArchivedPage]) -> Option<&'a ArchivedPage> {
    let key = url_key(url);
    let captures = captures.iter().filter(|capture| capture.key() == key);
    captures.min_by_key(|capture| distance(&capture.captured_at, digits))
}

/// Formats a time as 14 digits.
fn fourteen_digits(time: Timestamp) -> String {
    time.strftime("%Y%m%d%H%M%S").to_string()
}

/// Formats 14 digits as an HTTP date. Returns an empty text for invalid digits.
fn http_date(digits: &str) -> String {
    let format = |digits: &str| -> Result<String, jiff::Error> {
        let time = DateTime::strptime("%Y%m%d%H%M%S", digits)?.to_zoned(TimeZone::UTC)?;
        DateTimePrinter::new().timestamp_to_rfc9110_string(&time.timestamp())
    };
    format(digits).unwrap_or_default()
}
