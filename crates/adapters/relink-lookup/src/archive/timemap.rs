//! A `TimeMap`: the list of an archive's copies of one URL (RFC 7089, section 5).

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use relink_model::Capture;
use url::Url;

use super::link_format::links;
use super::timestamp;

/// What one page of a list says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TimeMap {
    /// The copies; nothing tells what they are copies of: pages, redirects and
    /// errors are all alike here.
    pub captures: Vec<Capture>,
    /// How many links to copies made no sense.
    pub skipped: usize,
    /// The further pages of the list.
    pub pages: Vec<Url>,
}

/// Reads a page of a list of copies of `url`, found at `address`; `None` if it
/// is no such list.
pub(super) fn read(bytes: &[u8], url: &Url, address: &Url, limit: usize) -> Option<TimeMap> {
    let text = String::from_utf8_lossy(bytes);
    let mut map = TimeMap::default();
    let mut is_map = false;
    for link in links(&text) {
        is_map |= link.is("original") || link.is("self") || link.is("timegate");
        if link.is("memento") && map.captures.len() < limit {
            let taken = link.parameter("datetime").and_then(moment);
            match (address.join(link.target), taken) {
                (Ok(copy), Some(taken)) => map.captures.push(captured(url, copy, taken)),
                _ => map.skipped += 1,
            }
        } else if link.is("timemap") && !link.is("self") {
            map.pages.extend(address.join(link.target).ok().filter(|page| page != address));
        }
    }
    let is_empty = text.trim().is_empty();
    (is_map || !map.captures.is_empty() || is_empty).then_some(map)
}

/// A capture found at `copy`. Where the archive writes the URL it archived
/// into that address, this is the one: `http` or `https`, with `www` or not.
fn captured(url: &Url, copy: Url, taken: Timestamp) -> Capture {
    let archived = archived_url(&copy).unwrap_or_else(|| url.clone());
    Capture { replay_url: Some(copy), ..Capture::new(archived, taken) }
}

/// The URL in an address such as `http://archive.test/web/20150506/http://a.test/`.
pub(super) fn archived_url(copy: &Url) -> Option<Url> {
    let (_, url) = split_address(copy)?;
    Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// Time and URL of an address that an archive gives to a copy.
pub(super) fn split_address(copy: &Url) -> Option<(Timestamp, &str)> {
    let text = copy.as_str();
    text.match_indices('/').find_map(|(at, _)| {
        let (taken, url) = timestamp::split(text.get(at + 1..)?)?;
        (url.starts_with("http://") || url.starts_with("https://")).then_some((taken, url))
    })
}

/// A date as headers and lists write it (RFC 9110, section 5.6.7).
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    Some(rfc2822::parse(text.trim()).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn map(text: &str) -> Option<TimeMap> {
        let address = url("http://archive.test/timemap/link/http://a.test/");
        read(text.as_bytes(), &url("http://a.test/"), &address, 3)
    }

    const LIST: &str = "<http://a.test/>; rel=\"original\",\n\
        <http://archive.test/timemap/link/http://a.test/>; rel=\"self\"; from=\"x\",\n\
        <http://archive.test/timemap/2/http://a.test/>; rel=\"timemap\",\n\
        </20150506070809/https://www.a.test/>; rel=\"first memento\"; \
        datetime=\"Wed, 06 May 2015 07:08:09 GMT\",\n\
        <http://archive.test/x>; rel=\"memento\"; datetime=\"Thu, 07 May 2015 00:00:00 GMT\",\n\
        <http://archive.test/y>; rel=\"memento\"; datetime=\"soon\",\n\
        <http://archive.test/z>; rel=\"memento\"";

    #[test]
    fn copies_come_with_their_times_and_addresses() {
        let map = map(LIST).unwrap();
        let told: Vec<_> = map.captures.iter().map(|it| format!("{it}")).collect();
        assert_eq!(
            told,
            ["2015-05-06T07:08:09Z - https://www.a.test/", "2015-05-07T00:00:00Z - http://a.test/"]
        );
        let address = map.captures[0].replay_url.as_ref().unwrap().as_str();
        assert_eq!(address, "http://archive.test/20150506070809/https://www.a.test/");
        assert_eq!(map.skipped, 2);
        assert_eq!(map.pages, [url("http://archive.test/timemap/2/http://a.test/")]);
    }

    #[test]
    fn an_empty_list_is_one_and_a_web_page_is_not() {
        assert_eq!(map(""), Some(TimeMap::default()));
        assert_eq!(map("<http://a.test/>; rel=\"original\""), Some(TimeMap::default()));
        assert_eq!(map("<!doctype html><title>Down</title>"), None);
        assert_eq!(map("{\"mementos\": []}"), None);
    }

    #[test]
    fn a_list_is_read_to_the_limit() {
        let copy = "</20150506070809/http://a.test/>; rel=memento; \
                    datetime=\"Wed, 06 May 2015 07:08:09 GMT\",\n";
        assert_eq!(map(&copy.repeat(1000)).unwrap().captures.len(), 3);
    }
}
