//! The index of the demo's web archive: responds to CDX queries with a JSON array of
//! arrays, one row per capture.

use url::form_urlencoded;

use super::{ArchivedPage, url_key};
use crate::response::CannedResponse;

/// The columns, in the order of the Internet Archive.
const HEADER: &str =
    r#"["urlkey","timestamp","original","mimetype","statuscode","digest","length"]"#;

/// The assumed size of the headers of a capture in bytes.
const HEADER_BYTES: usize = 300;

/// The supported parameters of a query. Other parameters are ignored. Times are texts of up
/// to 14 digits: `20140102030405`.
#[derive(Debug, Default)]
struct IndexQuery {
    key: String,
    /// Whether all URLs that start with the key match.
    is_prefix: bool,
    from: String,
    to: String,
    /// Patterns that a status must match; a dot matches any digit.
    statuses: Vec<String>,
    /// Maximum number of rows; a negative number selects the last rows.
    limit: Option<isize>,
    /// If set, rows are sorted by their distance from this time.
    closest: Option<String>,
    /// The index of the first row. The resume key of the previous response contains it.
    start: usize,
    shows_resume_key: bool,
}

/// Responds to a query.
pub(super) fn respond(query: &str, captures: &[ArchivedPage]) -> CannedResponse {
    let query = IndexQuery::parse(query);
    let mut matching: Vec<&ArchivedPage> =
        captures.iter().filter(|capture| query.matches(capture)).collect();
    if let Some(closest) = &query.closest {
        matching.sort_by_key(|capture| distance(&capture.captured_at, closest));
    }
    let (page, resume_key) = query.paginate(&matching);
    let mut rows = vec![HEADER.to_owned()];
    rows.extend(page.iter().map(|capture| capture_row(capture)));
    if let Some(key) = resume_key {
        // An empty row precedes the resume key.
        rows.push("[]".to_owned());
        rows.push(format!("[\"{key}\"]"));
    }
    let body = if page.is_empty() { "[]".to_owned() } else { format!("[{}]", rows.join(",\n")) };
    CannedResponse::page(body + "\n").with_content_type("application/json")
}

impl IndexQuery {
    /// Parses the query string of a CDX request.
    fn parse(query: &str) -> Self {
        // Without parameters, the range ends at the last possible time.
        let mut parsed = Self { to: "9".repeat(14), ..Self::default() };
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match name.as_ref() {
                "url" => {
                    parsed.is_prefix |= value.ends_with('*');
                    parsed.key = url_key(value.trim_end_matches('*'));
                }
                "matchType" => parsed.is_prefix |= value == "prefix",
                "from" => parsed.from = value.into_owned(),
                "to" => parsed.to = format!("{value:9<14}"),
                "filter" => {
                    let pattern = value.strip_prefix("statuscode:").map(str::to_owned);
                    parsed.statuses.extend(pattern);
                }
                "limit" => parsed.limit = value.parse().ok(),
                "closest" => parsed.closest = Some(value.into_owned()),
                "showResumeKey" => parsed.shows_resume_key = value == "true",
                "resumeKey" => parsed.start = value.parse().unwrap_or_default(),
                _ => {}
            }
        }
        parsed
    }

    /// Whether a capture matches the query.
    fn matches(&self, capture: &ArchivedPage) -> bool {
        let key = capture.key();
        let has_key = if self.is_prefix { key.starts_with(&self.key) } else { key == self.key };
        let is_in_range = self.from <= capture.captured_at && capture.captured_at <= self.to;
        let status = capture.status.to_string();
        let has_status = self.statuses.iter().all(|pattern| status_matches(pattern, &status));
        has_key && is_in_range && has_status
    }

    /// Returns the rows within the limit, and the key to resume from.
    fn paginate<'a, 'b>(
        &self,
        matching: &'a [&'b ArchivedPage],
    ) -> (&'a [&'b ArchivedPage], Option<usize>) {
        let matching = matching.get(self.start..).unwrap_or_default();
        let limit = self.limit.map_or(matching.len(), isize::unsigned_abs).min(matching.len());
        if self.limit.is_some_and(isize::is_negative) {
            return (&matching[matching.len() - limit..], None);
        }
        let has_more = limit < matching.len() && self.shows_resume_key;
        (&matching[..limit], has_more.then_some(self.start + limit))
    }
}

/// Whether a status matches a pattern. A dot matches any digit.
fn status_matches(pattern: &str, status: &str) -> bool {
    let is_match = |(pattern, digit): (char, char)| pattern == '.' || pattern == digit;
    pattern.len() == status.len() && pattern.chars().zip(status.chars()).all(is_match)
}

/// Returns a distance of two times for sorting: the difference of their 14 digits as
/// numbers. The result has no unit, but is larger for times that are farther apart.
pub(super) fn distance(left: &str, right: &str) -> u64 {
    let number = |digits: &str| format!("{digits:0<14}").parse::<u64>().unwrap_or_default();
    number(left).abs_diff(number(right))
}

/// Formats a capture as a row of the response.
fn capture_row(capture: &ArchivedPage) -> String {
    let ArchivedPage { url, captured_at, status, body, .. } = capture;
    // Indexes do not know the media type of a redirect.
    let mime = if capture.location.is_some() { "unk" } else { "text/html" };
    let key = capture.key();
    let digest = digest(body);
    let length = body.len() + HEADER_BYTES;
    format!(
        "[\"{}\",\"{captured_at}\",\"{}\",\"{mime}\",\"{status}\",\"{digest}\",\"{length}\"]",
        escaped(&key),
        escaped(url)
    )
}

/// Escapes a text for a JSON string.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Returns a digest of a body with the length and the Base32 alphabet of the digests of the
/// Internet Archive. Each letter is taken from the FNV-1a hash of the body and the earlier
/// letters.
fn digest(body: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let letters = (0..32).map(|letter| {
        for byte in body.bytes().chain([letter]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // Use the upper five bits.
        let index = usize::try_from(hash >> 59).unwrap_or_default();
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[index])
    });
    letters.collect()
}
