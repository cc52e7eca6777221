//! Reads response bodies within limits.

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
use crate::decode::{self, BodyBytes};
use crate::outcome;
use crate::settings::FetchSettings;

/// The header with directives for crawlers, such as `noindex`.
static ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// Maximum size of a body that is drained: read and dropped, so that its connection can
/// be reused.
const MAX_DRAIN_BYTES: u64 = 4 * 1024;

/// Maximum time for draining a body. If draining takes longer, a new connection is
/// cheaper.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(200);

/// Maximum number of bytes to read of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    text: usize,
    other: usize,
}

impl BodyLimits {
    /// Returns the limits of the request, or else the limits of the settings. The
    /// settings allow more for text, because only text is compared.
    pub fn new(settings: &FetchSettings, options: &RequestOptions) -> Self {
        match options.max_body_bytes {
            Some(limit) => Self { text: limit, other: limit },
            None => Self { text: settings.max_text_bytes, other: settings.max_other_bytes },
        }
    }
}

/// Reads and decodes the body of a final response.
pub(crate) async fn read(
    connection: &mut HttpConnection,
    response: Response<Incoming>,
    limits: BodyLimits,
) -> Result<Body, FetchOutcome> {
    let (head, body) = response.into_parts();
    let content_type = header_text(&head.headers, &CONTENT_TYPE);
    let limit = if is_text(content_type.as_deref()) { limits.text } else { limits.other };
    let encoded = read_limited(connection, body, limit).await?;
    let codings = header_text(&head.headers, &CONTENT_ENCODING);
    let codings = decode::codings(codings.as_deref().unwrap_or_default());
    let decoded = decode::decode(&codings, encoded, limit);
    Ok(Body {
        content_type,
        language: header_text(&head.headers, &CONTENT_LANGUAGE),
        robots: header_text(&head.headers, &ROBOTS_TAG),
        bytes: decoded.bytes.into(),
        is_truncated: decoded.is_truncated,
    })
}

/// Reads the body of a redirect if it is small and arrives quickly, so that the
/// connection can be reused. Closes the connection otherwise.
pub(crate) async fn drain(connection: &mut HttpConnection, body: Incoming) {
    let size = body.size_hint().exact();
    let is_small = size.is_some_and(|size| size <= MAX_DRAIN_BYTES);
    if !is_small || timeout(DRAIN_TIMEOUT, read_to_end(connection, body)).await.is_err() {
        connection.close();
    }
}

async fn read_to_end(connection: &mut HttpConnection, mut body: Incoming) {
    while let Some(Ok(_)) = connection.next_frame(&mut body).await {}
}

/// Reads a body up to the limit.
async fn read_limited(
    connection: &mut HttpConnection,
    mut body: Incoming,
    limit: usize,
) -> Result<BodyBytes, FetchOutcome> {
    let declared_size = body.size_hint().exact().unwrap_or(0);
    let mut bytes = Vec::with_capacity(usize::try_from(declared_size).unwrap_or(limit).min(limit));
    while let Some(frame) = connection.next_frame(&mut body).await {
        let frame = frame.map_err(|error| outcome::from_body_error(&error))?;
        let Some(chunk) = frame.data_ref() else {
            continue;
        };
        let remaining = limit - bytes.len();
        bytes.extend_from_slice(&chunk[..remaining.min(chunk.len())]);
        if chunk.len() > remaining {
            connection.close();
            return Ok(BodyBytes { bytes, is_truncated: true });
        }
    }
    Ok(BodyBytes { bytes, is_truncated: false })
}

/// Whether a content type is read as text. A missing type counts as text.
fn is_text(content_type: Option<&str>) -> bool {
    let Some(content_type) = content_type else {
        return true;
    };
    let essence = content_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let keywords = ["html", "xml", "json", "javascript", "ecmascript"];
    essence.is_empty()
        || essence.starts_with("text/")
        || keywords.iter().any(|keyword| essence.contains(keyword))
}

/// Returns a header's value as text. Invalid UTF-8 is replaced.
pub(crate) fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Returns the headers with one of these names.
pub(crate) fn select_headers(headers: &HeaderMap, names: &[&str]) -> Vec<(String, String)> {
    let selected = headers.iter().filter(|(name, _)| names.contains(&name.as_str()));
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    selected.map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_text_recognizes_text_types() {
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
