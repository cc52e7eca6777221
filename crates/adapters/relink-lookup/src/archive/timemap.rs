//! Parses `TimeMaps`: lists of an archive's captures of one URL (RFC 7089,
//! section 5).

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use relink_model::Capture;
use url::Url;

use super::link_format::links;
use super::timestamp;

/// One page of a `TimeMap`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TimeMap {
    /// The captures. Their status is unknown, because a `TimeMap` does not distinguish
    /// pages, redirects and errors.
    pub captures: Vec<Capture>,
    /// Number of links to captures that could not be parsed.
    pub skipped: usize,
    /// The other pages of the list.
    pub pages: Vec<Url>,
}

/// Parses at most `max_captures` captures of a `TimeMap` of `url` that was
/// fetched from `timemap_url`. Returns `None` if the bytes are not a `TimeMap`.
pub(super) fn parse(
    bytes: &[u8],
    url: &Url,
    timemap_url: &Url,
    max_captures: usize,
) -> Option<TimeMap> {
    let text = String::from_utf8_lossy(bytes);
    let mut timemap = TimeMap::default();
    let mut is_timemap = false;
    for link in links(&text) {
        is_timemap |= link.has_relation("original")
            || link.has_relation("self")
            || link.has_relation("timegate");
        if link.has_relation("memento") && timemap.captures.len() < max_captures {
            let captured_at = link.parameter("datetime").and_then(parse_http_date);
            match (timemap_url.join(link.target), captured_at) {
                (Ok(replay_url), Some(captured_at)) => {
                    timemap.captures.push(new_capture(url, replay_url, captured_at));
                }
                _ => timemap.skipped += 1,
            }
        } else if link.has_relation("timemap") && !link.has_relation("self") {
            timemap
                .pages
                .extend(timemap_url.join(link.target).ok().filter(|page| page != timemap_url));
        }
    }
    let is_empty = text.trim().is_empty();
    (is_timemap || !timemap.captures.is_empty() || is_empty).then_some(timemap)
}

/// Creates a capture. Prefers the original URL contained in `replay_url`, which
/// has the archived scheme and host (`http` or `https`, with or without `www`).
fn new_capture(url: &Url, replay_url: Url, captured_at: Timestamp) -> Capture {
    let original = original_url(&replay_url).unwrap_or_else(|| url.clone());
    Capture { replay_url: Some(replay_url), ..Capture::new(original, captured_at) }
}

/// Returns the original URL of a replay URL such as
/// `http://archive.test/web/20150506/http://a.test/`.
pub(super) fn original_url(replay_url: &Url) -> Option<Url> {
    let (_, url) = split_replay_url(replay_url)?;
    Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// Splits a replay URL into the time of the capture and the original URL.
pub(super) fn split_replay_url(replay_url: &Url) -> Option<(Timestamp, &str)> {
    let text = replay_url.as_str();
    text.match_indices('/').find_map(|(at, _)| {
        let (captured_at, url) = timestamp::split(text.get(at + 1..)?)?;
        (url.starts_with("http://") || url.starts_with("https://")).then_some((captured_at, url))
    })
}

/// Parses an HTTP date (RFC 9110, section 5.6.7).
pub(super) fn parse_http_date(text: &str) -> Option<Timestamp> {
    Some(rfc2822::parse(text.trim()).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    /// Parses the `TimeMap` of `http://a.test/` with at most three captures.
    fn timemap(text: &str) -> Option<TimeMap> {
        let timemap_url = url("http://archive.test/timemap/link/http://a.test/");
        parse(text.as_bytes(), &url("http://a.test/"), &timemap_url, 3)
    }

    /// The last two of the four captures have an invalid date or none.
    const LIST: &str = "<http://a.test/>; rel=\"original\",\n\
        <http://archive.test/timemap/link/http://a.test/>; rel=\"self\"; from=\"x\",\n\
        <http://archive.test/timemap/2/http://a.test/>; rel=\"timemap\",\n\
        </20150506070809/https://www.a.test/>; rel=\"first memento\"; \
        datetime=\"Wed, 06 May 2015 07:08:09 GMT\",\n\
        <http://archive.test/x>; rel=\"memento\"; datetime=\"Thu, 07 May 2015 00:00:00 GMT\",\n\
        <http://archive.test/y>; rel=\"memento\"; datetime=\"soon\",\n\
        <http://archive.test/z>; rel=\"memento\"";

    #[test]
    fn parse_returns_captures_with_time_and_replay_url() {
        let timemap = timemap(LIST).unwrap();
        let printed: Vec<_> = timemap.captures.iter().map(Capture::to_string).collect();
        assert_eq!(
            printed,
            ["2015-05-06T07:08:09Z - https://www.a.test/", "2015-05-07T00:00:00Z - http://a.test/"]
        );
        let replay_url = timemap.captures[0].replay_url.as_ref().unwrap().as_str();
        assert_eq!(replay_url, "http://archive.test/20150506070809/https://www.a.test/");
        assert_eq!(timemap.skipped, 2);
        assert_eq!(timemap.pages, [url("http://archive.test/timemap/2/http://a.test/")]);
    }

    #[test]
    fn parse_accepts_empty_list_and_rejects_other_formats() {
        assert_eq!(timemap(""), Some(TimeMap::default()));
        assert_eq!(timemap("<http://a.test/>; rel=\"original\""), Some(TimeMap::default()));
        assert_eq!(timemap("<!doctype html><title>Down</title>"), None);
        assert_eq!(timemap("{\"mementos\": []}"), None);
    }

    #[test]
    fn parse_stops_at_the_limit() {
        let copy = "</20150506070809/http://a.test/>; rel=memento; \
                    datetime=\"Wed, 06 May 2015 07:08:09 GMT\",\n";
        assert_eq!(timemap(&copy.repeat(1000)).unwrap().captures.len(), 3);
    }
}
