//! Reads the body of an answer, as far as it is wanted.

use std::time::Duration;

use hyper::Response;
use hyper::body::{Body as _, Incoming};
use hyper::header::{
    CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use relink_model::FetchOutcome;
use relink_ports::{Body, RequestOptions};
use tokio::time::timeout;

use crate::connection::HttpConnection;
use crate::decode::{self, Decoded};
use crate::outcome;
use crate::settings::FetchSettings;

/// What a page asks of programs, where it cannot say so itself.
static ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// The largest body read only to keep its connection.
const DRAIN_CAP: u64 = 4 * 1024;

/// The longest wait for such a body: longer, and a new connection is cheaper.
const DRAIN_PATIENCE: Duration = Duration::from_millis(200);

/// How many bytes are read of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    text: usize,
    other: usize,
}

impl BodyLimits {
    /// Those of the request, or else those of the settings. By the latter text
    /// is read further than anything else: it is what gets compared.
    pub fn of(settings: &FetchSettings, terms: &RequestOptions) -> Self {
        match terms.max_body_bytes {
            Some(cap) => Self { text: cap, other: cap },
            None => Self { text: settings.text_cap, other: settings.other_cap },
        }
    }
}

/// Reads and decodes the body of a final answer.
pub(crate) async fn read(
    line: &mut HttpConnection,
    answer: Response<Incoming>,
    caps: BodyLimits,
) -> Result<Body, FetchOutcome> {
    let (head, body) = answer.into_parts();
    let content_type = text_of(&head.headers, &CONTENT_TYPE);
    let cap = if is_text(content_type.as_deref()) { caps.text } else { caps.other };
    let read = read_capped(line, body, cap).await?;
    let codings = text_of(&head.headers, &CONTENT_ENCODING);
    let codings = decode::codings(codings.as_deref().unwrap_or_default());
    let decoded = decode::decode(&codings, read, cap);
    Ok(Body {
        content_type,
        language: text_of(&head.headers, &CONTENT_LANGUAGE),
        robots: text_of(&head.headers, &ROBOTS_TAG),
        bytes: decoded.bytes.into(),
        is_truncated: decoded.is_truncated,
    })
}

/// Reads a redirect's body if it is small and comes at once, so that the line
/// can be used again; hangs up otherwise.
pub(crate) async fn drain(line: &mut HttpConnection, body: Incoming) {
    let size = body.size_hint().exact();
    let is_small = size.is_some_and(|size| size <= DRAIN_CAP);
    if !is_small || timeout(DRAIN_PATIENCE, empty(line, body)).await.is_err() {
        line.close();
    }
}

async fn empty(line: &mut HttpConnection, mut body: Incoming) {
    while let Some(Ok(_)) = line.next_frame(&mut body).await {}
}

async fn read_capped(
    line: &mut HttpConnection,
    mut body: Incoming,
    cap: usize,
) -> Result<Decoded, FetchOutcome> {
    let promised = body.size_hint().exact().unwrap_or(0);
    let mut bytes = Vec::with_capacity(usize::try_from(promised).unwrap_or(cap).min(cap));
    while let Some(frame) = line.next_frame(&mut body).await {
        let frame = frame.map_err(|error| outcome::of_body(&error))?;
        let Some(chunk) = frame.data_ref() else {
            continue;
        };
        let room = cap - bytes.len();
        bytes.extend_from_slice(&chunk[..room.min(chunk.len())]);
        if chunk.len() > room {
            line.close();
            return Ok(Decoded { bytes, is_truncated: true });
        }
    }
    Ok(Decoded { bytes, is_truncated: false })
}

/// Whether a content type is worth reading as text. Without one it may be.
fn is_text(content_type: Option<&str>) -> bool {
    let Some(content_type) = content_type else {
        return true;
    };
    let essence = content_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let words = ["html", "xml", "json", "javascript", "ecmascript"];
    essence.is_empty()
        || essence.starts_with("text/")
        || words.iter().any(|word| essence.contains(word))
}

/// A header's value as text; bytes that are none are replaced.
pub(crate) fn text_of(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// The headers that go by one of these names.
pub(crate) fn wanted(headers: &HeaderMap, names: &[&str]) -> Vec<(String, String)> {
    let chosen = headers.iter().filter(|(name, _)| names.contains(&name.as_str()));
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    chosen.map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_the_rest() {
        for text in [
            "text/html; charset=utf-8",
            "TEXT/PLAIN",
            "application/xhtml+xml",
            "application/ld+json",
            "image/svg+xml",
            "application/javascript",
            "",
        ] {
            assert!(is_text(Some(text)), "{text}");
        }
        for other in ["image/png", "application/pdf", "application/octet-stream", "video/mp4"] {
            assert!(!is_text(Some(other)), "{other}");
        }
        assert!(is_text(None));
    }
}
