//! URLs and limits of a remote web archive.

use url::Url;

use super::CdxDialect;
use crate::service_client::ServiceLimits;

/// Maximum size of one page of a capture list: enough for 50,000 rows.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;

/// Maximum size of an archived page: twice the default for live pages.
const MAX_PAGE_BYTES: usize = 1024 * 1024;

/// URLs and limits of a remote web archive.
///
/// All URLs except the URL of the CDX server are prefixes: the client appends an original URL, or a
/// timestamp and an original URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebArchiveSettings {
    /// Display name.
    pub name: String,
    /// The CDX server, if there is one.
    pub cdx: Option<(CdxDialect, Url)>,
    /// The `TimeMap` prefix (RFC 7089). It is used if there is no CDX server.
    pub timemap: Option<Url>,
    /// The `TimeGate` prefix (RFC 7089). It is used if there is no CDX server.
    pub timegate: Option<Url>,
    /// The prefix of replay URLs, if all captures have the same prefix.
    pub replay: Option<Url>,
    /// Rate limit, daily number of requests and timeout.
    pub limits: ServiceLimits,
    /// Maximum size of one page of a capture list in bytes.
    pub max_list_bytes: usize,
    /// Maximum size of an archived page in bytes.
    pub max_page_bytes: usize,
}

impl WebArchiveSettings {
    /// Settings of the Internet Archive or a compatible archive. `root` is the
    /// part before `web/` and `cdx/`: `https://web.archive.org/`.
    pub fn internet_archive(root: &Url) -> Self {
        let index = append_path(root, "cdx/search/cdx");
        Self {
            cdx: Some((CdxDialect::InternetArchive, index)),
            timemap: Some(append_path(root, "web/timemap/link/")),
            timegate: Some(append_path(root, "web/")),
            replay: Some(append_path(root, "web/")),
            ..Self::without_urls("Internet Archive")
        }
    }

    /// Settings of a pywb collection: `http://127.0.0.1:8080/collection/`.
    pub fn pywb(collection: &Url) -> Self {
        Self {
            cdx: Some((CdxDialect::Pywb, append_path(collection, "cdx"))),
            timemap: Some(append_path(collection, "timemap/link/")),
            timegate: Some(append_path(collection, "")),
            replay: Some(append_path(collection, "")),
            ..Self::without_urls("pywb")
        }
    }

    /// Settings of an archive that only supports Memento (RFC 7089).
    pub fn memento(name: &str, timemap: &Url, timegate: &Url) -> Self {
        Self {
            timemap: Some(timemap.clone()),
            timegate: Some(timegate.clone()),
            ..Self::without_urls(name)
        }
    }

    /// Creates settings with default limits and without any URL.
    fn without_urls(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            cdx: None,
            timemap: None,
            timegate: None,
            replay: None,
            limits: ServiceLimits::default(),
            max_list_bytes: MAX_LIST_BYTES,
            max_page_bytes: MAX_PAGE_BYTES,
        }
    }
}

/// Appends a path to a URL, and removes its query and fragment.
fn append_path(root: &Url, tail: &str) -> Url {
    let mut url = root.clone();
    let path = format!("{}/{tail}", root.path().trim_end_matches('/'));
    url.set_path(&path);
    url.set_query(None);
    url.set_fragment(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_below_the_root_with_or_without_trailing_slash() {
        for root in ["http://archive.test/all", "http://archive.test/all/?x#y"] {
            let root = Url::parse(root).unwrap();
            let settings = WebArchiveSettings::pywb(&root);
            assert_eq!(settings.replay.unwrap().as_str(), "http://archive.test/all/");
            assert_eq!(settings.cdx.unwrap().1.as_str(), "http://archive.test/all/cdx");
        }
        let root = Url::parse("https://archive.test").unwrap();
        let settings = WebArchiveSettings::internet_archive(&root);
        assert_eq!(settings.replay.unwrap().as_str(), "https://archive.test/web/");
    }
}
