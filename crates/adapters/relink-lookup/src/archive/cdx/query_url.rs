//! Builds the query URLs of CDX servers, which search the index of a web archive. Long
//! lists take several requests: a *resume key* marks the position where the next request
//! continues.

use relink_ports::{CaptureOrder, CaptureQuery, CaptureScope, CaptureStatusFilter};
use url::Url;

use crate::archive::timestamp;

/// Maximum number of rows per request. A row has about 150 bytes.
const MAX_ROWS_PER_REQUEST: usize = 10_000;

/// Dialect of a CDX server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CdxDialect {
    /// The Internet Archive: returns an array of arrays, uses the field names
    /// `original` and `statuscode`, and pages long lists with a resume key.
    InternetArchive,
    /// pywb: returns one JSON object per line and uses the field names `url`
    /// and `status`.
    Pywb,
}

/// Position in a list that takes several requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CdxCursor {
    /// Resume key in the response to the previous request.
    pub resume_key: Option<String>,
    /// Number of captures that the previous requests returned.
    pub captures_before: usize,
}

/// Returns the URL of a query to `endpoint`.
///
/// Servers can omit rows with the digest of the previous row, but this is not used: all
/// redirects with an empty body have the same digest, even if their targets differ.
pub(crate) fn query_url(
    endpoint: &Url,
    dialect: CdxDialect,
    query: &CaptureQuery,
    cursor: &CdxCursor,
) -> Url {
    let mut url = endpoint.clone();
    let mut parameters = url.query_pairs_mut();
    parameters.append_pair("url", sanitize_url(&query.url).as_str());
    if query.scope == CaptureScope::Prefix {
        parameters.append_pair("matchType", "prefix");
    }
    for (name, time) in [("from", query.from), ("to", query.to)] {
        if let Some(time) = time {
            parameters.append_pair(name, &timestamp::format(time));
        }
    }
    let dialect_parameters = match dialect {
        CdxDialect::InternetArchive => internet_archive_parameters(query, cursor),
        CdxDialect::Pywb => pywb_parameters(query, cursor),
    };
    parameters.extend_pairs(dialect_parameters).finish();
    drop(parameters);
    url
}

/// Returns a URL without credentials and fragment, which archives must not
/// receive.
pub(crate) fn sanitize_url(url: &Url) -> Url {
    let mut sanitized = url.clone();
    sanitized.set_fragment(None);
    // Both calls fail only for URLs without a host, which have no credentials.
    let _ = sanitized.set_username("");
    let _ = sanitized.set_password(None);
    sanitized
}

/// Returns the number of rows to request: one more than the limit minus the captures
/// received. The additional row shows that the archive has more captures than the limit.
fn rows_to_request(query: &CaptureQuery, cursor: &CdxCursor) -> usize {
    query.limit.saturating_sub(cursor.captures_before).saturating_add(1).min(MAX_ROWS_PER_REQUEST)
}

/// Returns the query parameters for the Internet Archive.
fn internet_archive_parameters(
    query: &CaptureQuery,
    cursor: &CdxCursor,
) -> Vec<(&'static str, String)> {
    let rows = rows_to_request(query, cursor);
    let mut parameters = vec![
        ("output", "json".to_owned()),
        ("fl", "urlkey,timestamp,original,mimetype,statuscode,digest,length".to_owned()),
    ];
    match query.statuses {
        CaptureStatusFilter::Any => {}
        CaptureStatusFilter::Success => parameters.push(("filter", "statuscode:2..".to_owned())),
        CaptureStatusFilter::Redirects => parameters.push(("filter", "statuscode:3..".to_owned())),
    }
    match query.order {
        CaptureOrder::Oldest => {
            parameters.extend([("limit", rows.to_string()), ("showResumeKey", "true".to_owned())]);
        }
        // A negative limit returns the last rows, in ascending order.
        CaptureOrder::Newest => parameters.push(("limit", format!("-{rows}"))),
        CaptureOrder::Nearest(time) => parameters.extend([
            ("limit", rows.to_string()),
            ("sort", "closest".to_owned()),
            ("closest", timestamp::format(time)),
        ]),
    }
    if let Some(key) = &cursor.resume_key {
        parameters.push(("resumeKey", key.clone()));
    }
    parameters
}

/// Returns the query parameters for pywb.
fn pywb_parameters(query: &CaptureQuery, cursor: &CdxCursor) -> Vec<(&'static str, String)> {
    let rows = rows_to_request(query, cursor);
    let mut parameters = vec![("output", "json".to_owned()), ("limit", rows.to_string())];
    match query.statuses {
        CaptureStatusFilter::Any => {}
        CaptureStatusFilter::Success => parameters.push(("filter", "~status:2..".to_owned())),
        CaptureStatusFilter::Redirects => parameters.push(("filter", "~status:3..".to_owned())),
    }
    match query.order {
        CaptureOrder::Oldest => {}
        CaptureOrder::Newest => parameters.push(("sort", "reverse".to_owned())),
        CaptureOrder::Nearest(time) => parameters.push(("closest", timestamp::format(time))),
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    /// Checks the parameters of the query URL, decoded and separated by spaces.
    #[track_caller]
    fn check(dialect: CdxDialect, query: &CaptureQuery, cursor: &CdxCursor, expect: &str) {
        let query_url = query_url(&url("http://archive.test/cdx"), dialect, query, cursor);
        let parameters: Vec<_> =
            query_url.query_pairs().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(parameters.join(" "), expect);
    }

    #[test]
    fn query_url_uses_the_dialect_of_the_server() {
        let time = "2015-05-06T07:08:09Z".parse().unwrap();
        let query = CaptureQuery {
            statuses: CaptureStatusFilter::Redirects,
            from: Some(time),
            limit: 10,
            ..CaptureQuery::new(url("http://me:word@example.org/a?b=c&d#e"))
        };
        let fields = "fl=urlkey,timestamp,original,mimetype,statuscode,digest,length";
        check(
            CdxDialect::InternetArchive,
            &query,
            // Of 10 captures, 6 are missing, so 7 are requested.
            &CdxCursor { resume_key: Some("org,example)/a 2016".into()), captures_before: 4 },
            &format!(
                "url=http://example.org/a?b=c&d from=20150506070809 output=json {fields} \
                 filter=statuscode:3.. limit=7 showResumeKey=true resumeKey=org,example)/a 2016"
            ),
        );
        check(
            CdxDialect::Pywb,
            &query,
            &CdxCursor::default(),
            "url=http://example.org/a?b=c&d from=20150506070809 output=json limit=11 \
             filter=~status:3..",
        );
    }

    #[test]
    fn query_url_supports_newest_and_nearest() {
        let time = "2015-05-06T07:08:09Z".parse().unwrap();
        let newest = CaptureQuery {
            order: CaptureOrder::Newest,
            limit: 1,
            ..CaptureQuery::for_prefix(url("http://example.org/d/"))
        };
        let nearest = CaptureQuery {
            order: CaptureOrder::Nearest(time),
            limit: usize::MAX,
            ..CaptureQuery::new(url("http://example.org/"))
        };
        check(
            CdxDialect::Pywb,
            &newest,
            &CdxCursor::default(),
            "url=http://example.org/d/ matchType=prefix output=json limit=2 sort=reverse",
        );
        check(
            CdxDialect::Pywb,
            &nearest,
            &CdxCursor::default(),
            "url=http://example.org/ output=json limit=10000 closest=20150506070809",
        );
    }
}
