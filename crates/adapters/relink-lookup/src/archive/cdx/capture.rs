//! Converts rows of a CDX index to captures. A CDX index is the list of captures
//! (archived responses) of a web archive. A revisit is a capture without content: the
//! page had the same digest (checksum of the body) as an earlier capture.

use std::collections::HashMap;

use relink_model::{Capture, with_authority};
use url::Url;

use super::Row;
use crate::archive::{surt, timestamp};

/// Content type of a revisit record, which has no body.
const REVISIT: &str = "warc/revisit";

/// Converts a row to a capture. Returns `None` unless it has an HTTP URL and a
/// time.
pub(crate) fn capture_from_row(row: &Row) -> Option<Capture> {
    let url = parse_http_url(row.url.as_deref()?)?;
    let captured_at = timestamp::parse(row.time.as_deref()?)?;
    let status = row.status.as_deref().and_then(|status| status.parse().ok());
    let redirect =
        row.redirect.as_deref().and_then(|target| url.join(&with_authority(target)).ok());
    Some(Capture {
        status: status.filter(|status| (100..=999).contains(status)),
        mime: row.mime.clone(),
        digest: row.digest.clone(),
        length: row.length.as_deref().and_then(|length| length.parse().ok()),
        redirect: redirect.filter(is_http_url),
        is_revisit: row.mime.as_deref() == Some(REVISIT),
        ..Capture::new(url, captured_at)
    })
}

/// Parses an HTTP URL. Old indexes omit the scheme.
fn parse_http_url(text: &str) -> Option<Url> {
    let has_scheme = text.contains("://") || text.starts_with("urn:") || text.starts_with("dns:");
    let parsed = if has_scheme { Url::parse(text) } else { Url::parse(&format!("http://{text}")) };
    parsed.ok().filter(is_http_url)
}

fn is_http_url(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

/// Copies the status of the original capture to its revisits. The status remains unknown
/// if captures with the same digest have different statuses. This happens because all
/// empty bodies have the same digest.
pub(crate) fn resolve_revisits(captures: &mut [Capture]) {
    // Computing keys is expensive, and most lists have no revisits.
    if captures.iter().all(|capture| !capture.is_revisit || capture.status.is_some()) {
        return;
    }
    // The status by URL key and digest. An ambiguous status is `None`.
    let mut statuses: HashMap<(String, String), Option<u16>> = HashMap::new();
    for capture in captures.iter().filter(|capture| !capture.is_revisit && capture.status.is_some())
    {
        let Some(digest) = capture.digest.clone() else { continue };
        let known_status =
            statuses.entry((surt::key(&capture.url), digest)).or_insert(capture.status);
        if *known_status != capture.status {
            *known_status = None;
        }
    }
    for capture in
        captures.iter_mut().filter(|capture| capture.is_revisit && capture.status.is_none())
    {
        let Some(digest) = capture.digest.clone() else { continue };
        let original_status = statuses.get(&(surt::key(&capture.url), digest));
        capture.status = original_status.copied().flatten();
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    /// Parses lines of the form `time url mime status digest redirect`.
    fn captures(lines: &str) -> Vec<Capture> {
        let text = format!(" CDX b a m s k r\n{lines}");
        let rows = parse(text.as_bytes(), 100, false).unwrap().rows;
        let mut captures: Vec<_> = rows.iter().filter_map(capture_from_row).collect();
        resolve_revisits(&mut captures);
        captures
    }

    /// Checks the printed captures.
    #[track_caller]
    fn check(lines: &str, expect: &[&str]) {
        let printed: Vec<_> = captures(lines).iter().map(Capture::to_string).collect();
        assert_eq!(printed, expect);
    }

    #[test]
    fn row_is_converted_to_capture() {
        check(
            "2015 http://example.org/a text/html 200 A -\n2016 example.org:80/a unk 301 B /b",
            &[
                "2015-01-01T00:00:00Z 200 http://example.org/a",
                "2016-01-01T00:00:00Z 301 http://example.org/a -> http://example.org/b",
            ],
        );
    }

    #[test]
    fn redirect_to_non_http_url_has_no_target() {
        let line = "2015 http://example.org/a unk 301 A javascript:alert(1)";
        check(line, &["2015-01-01T00:00:00Z 301 http://example.org/a"]);
    }

    #[test]
    fn row_without_http_url_or_time_is_skipped() {
        check("2015 dns:example.org text/dns 200 A -\nlater http://example.org/ - 200 A -", &[]);
        check("2015 ftp://example.org/a - 226 A -\n2015 http:// - 200 A -", &[]);
    }

    #[test]
    fn invalid_status_is_unknown() {
        let line = "2015-01-01T00:00:00Z - http://example.org/";
        check("2015 http://example.org/ text/html - A -", &[line]);
        check("2015 http://example.org/ text/html 70000 A -", &[line]);
        check("2015 http://example.org/ text/html 0 A -", &[line]);
    }

    #[test]
    fn revisit_gets_status_of_its_original_if_unambiguous() {
        let first = "2015 http://example.org/a text/html 200 A -";
        let revisit = "2016 http://www.example.org/a warc/revisit - A -";
        let resolved = &captures(&format!("{first}\n{revisit}"))[1];
        assert_eq!((resolved.status, resolved.is_revisit), (Some(200), true));
        let last_status = |lines: String| captures(&lines).last().unwrap().status;
        assert_eq!(last_status(revisit.to_owned()), None);
        let other = "2014 http://example.org/a text/html 404 A -";
        assert_eq!(last_status(format!("{first}\n{other}\n{revisit}")), None);
        let of_other_page = "2016 http://example.org/b warc/revisit - A -";
        assert_eq!(last_status(format!("{first}\n{of_other_page}")), None);
    }
}
