//! What is asked of a CDX server, in its own dialect.

use relink_ports::{CaptureOrder, CaptureQuery, CaptureScope, CaptureStatusFilter};
use url::Url;

use crate::archive::timestamp;

/// The most rows asked for at once. A row has about 150 bytes.
const PAGE_ROWS: usize = 10_000;

/// Which CDX server it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CdxDialect {
    /// The Internet Archive's: an array of arrays, `original` and
    /// `statuscode`, long lists with a key to go on from.
    InternetArchive,
    /// pywb's: a JSON object in each line, `url` and `status`.
    Pywb,
}

/// One of the requests that a list takes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CdxCursor {
    /// Where the last page ended.
    pub resume: Option<String>,
    /// How many captures the earlier pages brought.
    pub found: usize,
}

/// The URL to ask at `endpoint`.
///
/// Nothing is ever collapsed: redirects with empty bodies have one checksum,
/// wherever they lead.
pub(crate) fn query_url(
    endpoint: &Url,
    dialect: CdxDialect,
    query: &CaptureQuery,
    page: &CdxCursor,
) -> Url {
    let mut asked = endpoint.clone();
    let mut pairs = asked.query_pairs_mut();
    pairs.append_pair("url", bare(&query.url).as_str());
    if query.scope == CaptureScope::Prefix {
        pairs.append_pair("matchType", "prefix");
    }
    for (name, time) in [("from", query.from), ("to", query.to)] {
        if let Some(time) = time {
            pairs.append_pair(name, &timestamp::write(time));
        }
    }
    let specific = match dialect {
        CdxDialect::InternetArchive => internet_archive(query, page),
        CdxDialect::Pywb => pywb(query, page),
    };
    pairs.extend_pairs(specific).finish();
    drop(pairs);
    asked
}

/// A URL as it may be told to others: without its credentials and fragment.
pub(crate) fn bare(url: &Url) -> Url {
    let mut bare = url.clone();
    bare.set_fragment(None);
    // Both fail only for URLs without a host, which have no credentials.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    bare
}

/// One row more than wanted tells whether there are more.
fn rows_wanted(query: &CaptureQuery, page: &CdxCursor) -> usize {
    query.limit.saturating_sub(page.found).saturating_add(1).min(PAGE_ROWS)
}

fn internet_archive(query: &CaptureQuery, page: &CdxCursor) -> Vec<(&'static str, String)> {
    let rows = rows_wanted(query, page);
    let mut pairs = vec![
        ("output", "json".to_owned()),
        ("fl", "urlkey,timestamp,original,mimetype,statuscode,digest,length".to_owned()),
    ];
    match query.statuses {
        CaptureStatusFilter::Any => {}
        CaptureStatusFilter::Good => pairs.push(("filter", "statuscode:2..".to_owned())),
        CaptureStatusFilter::Redirects => pairs.push(("filter", "statuscode:3..".to_owned())),
    }
    match query.order {
        CaptureOrder::Oldest => {
            pairs.extend([("limit", rows.to_string()), ("showResumeKey", "true".to_owned())]);
        }
        // The last rows, in the usual order.
        CaptureOrder::Newest => pairs.push(("limit", format!("-{rows}"))),
        CaptureOrder::Nearest(time) => pairs.extend([
            ("limit", rows.to_string()),
            ("sort", "closest".to_owned()),
            ("closest", timestamp::write(time)),
        ]),
    }
    if let Some(key) = &page.resume {
        pairs.push(("resumeKey", key.clone()));
    }
    pairs
}

fn pywb(query: &CaptureQuery, page: &CdxCursor) -> Vec<(&'static str, String)> {
    let rows = rows_wanted(query, page);
    let mut pairs = vec![("output", "json".to_owned()), ("limit", rows.to_string())];
    match query.statuses {
        CaptureStatusFilter::Any => {}
        CaptureStatusFilter::Good => pairs.push(("filter", "~status:2..".to_owned())),
        CaptureStatusFilter::Redirects => pairs.push(("filter", "~status:3..".to_owned())),
    }
    match query.order {
        CaptureOrder::Oldest => {}
        CaptureOrder::Newest => pairs.push(("sort", "reverse".to_owned())),
        CaptureOrder::Nearest(time) => pairs.push(("closest", timestamp::write(time))),
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[track_caller]
    fn check(dialect: CdxDialect, query: &CaptureQuery, page: &CdxCursor, expect: &str) {
        let asked = query_url(&url("http://archive.test/cdx"), dialect, query, page);
        let pairs: Vec<_> =
            asked.query_pairs().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(pairs.join(" "), expect);
    }

    #[test]
    fn each_server_is_asked_in_its_dialect() {
        let moment = "2015-05-06T07:08:09Z".parse().unwrap();
        let query = CaptureQuery {
            statuses: CaptureStatusFilter::Redirects,
            from: Some(moment),
            limit: 10,
            ..CaptureQuery::new(url("http://me:word@example.org/a?b=c&d#e"))
        };
        let fields = "fl=urlkey,timestamp,original,mimetype,statuscode,digest,length";
        check(
            CdxDialect::InternetArchive,
            &query,
            &CdxCursor { resume: Some("org,example)/a 2016".into()), found: 4 },
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
    fn the_newest_and_the_nearest_have_their_words() {
        let moment = "2015-05-06T07:08:09Z".parse().unwrap();
        let newest = CaptureQuery {
            order: CaptureOrder::Newest,
            limit: 1,
            ..CaptureQuery::below(url("http://example.org/d/"))
        };
        let nearest = CaptureQuery {
            order: CaptureOrder::Nearest(moment),
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
