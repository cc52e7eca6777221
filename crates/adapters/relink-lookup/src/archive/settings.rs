//! Where an archive on the web is, and how it is to be asked.

use url::Url;

use super::CdxDialect;
use crate::service_client::ServiceLimits;

/// The most bytes of a list read in one answer: room for 50,000 rows.
const LIST_CAP: usize = 8 * 1024 * 1024;

/// The most bytes read of an archived page, which is more than is read of a
/// living one.
const PAGE_CAP: usize = 1024 * 1024;

/// Where an archive on the web is, and how it is to be asked.
///
/// Every address ends where a URL, or a time and a URL, is to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebArchiveSettings {
    /// What people call it.
    pub name: String,
    /// Its index, where it has one to be asked.
    pub cdx: Option<(CdxDialect, Url)>,
    /// Where its lists of copies begin (RFC 7089), used where there is no index.
    pub timemap: Option<Url>,
    /// Where copies are asked for by date (RFC 7089), used where there is no
    /// index.
    pub timegate: Option<Url>,
    /// Where copies can be read, where all of them are below one address.
    pub replay: Option<Url>,
    /// How it is treated.
    pub limits: ServiceLimits,
    /// The most bytes of a list read in one answer.
    pub list_cap: usize,
    /// The most bytes read of an archived page.
    pub page_cap: usize,
}

impl WebArchiveSettings {
    /// The Internet Archive, or another that speaks as it does. `root` is what
    /// comes before `web/` and `cdx/`: `https://web.archive.org/`.
    pub fn internet_archive(root: &Url) -> Self {
        let index = with_tail(root, "cdx/search/cdx");
        Self {
            cdx: Some((CdxDialect::InternetArchive, index)),
            timemap: Some(with_tail(root, "web/timemap/link/")),
            timegate: Some(with_tail(root, "web/")),
            replay: Some(with_tail(root, "web/")),
            ..Self::nameless("Internet Archive")
        }
    }

    /// A collection of a pywb server: `http://127.0.0.1:8080/collection/`.
    pub fn pywb(collection: &Url) -> Self {
        Self {
            cdx: Some((CdxDialect::Pywb, with_tail(collection, "cdx"))),
            timemap: Some(with_tail(collection, "timemap/link/")),
            timegate: Some(with_tail(collection, "")),
            replay: Some(with_tail(collection, "")),
            ..Self::nameless("pywb")
        }
    }

    /// An archive of which only the addresses of RFC 7089 are known.
    pub fn memento(name: &str, timemap: &Url, timegate: &Url) -> Self {
        Self {
            timemap: Some(timemap.clone()),
            timegate: Some(timegate.clone()),
            ..Self::nameless(name)
        }
    }

    fn nameless(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            cdx: None,
            timemap: None,
            timegate: None,
            replay: None,
            limits: ServiceLimits::default(),
            list_cap: LIST_CAP,
            page_cap: PAGE_CAP,
        }
    }
}

/// An address below another.
fn with_tail(root: &Url, tail: &str) -> Url {
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
    fn addresses_are_below_the_root_with_or_without_its_slash() {
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
