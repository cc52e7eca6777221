//! Removes user names and passwords of URLs from all stored values. The *stored form* of
//! a value is the value without them.
//!
//! The engine already removes user names and passwords. This module is a second safeguard.
//! Secrets in query parameters are not removed, because a resumed run needs them to
//! request the same URL.

use std::borrow::Cow;

use relink_model::{redact_stored_text, without_userinfo};
use serde_json::Value;

/// The name of JSON members that are URLs to request. From these, the user name and
/// password are removed. In all other strings, `***` replaces them.
const URL_MEMBER: &str = "url";

/// Returns the stored form of a target URL.
pub(crate) fn url(url: &str) -> Cow<'_, str> {
    without_userinfo(url)
}

/// Returns the stored form of a text.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    redact_stored_text(text)
}

/// Returns the stored form of a file, such as robots.txt.
pub(crate) fn bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(bytes);
    match redact_stored_text(&text) {
        Cow::Borrowed(_) => Cow::Borrowed(bytes),
        Cow::Owned(redacted) => Cow::Owned(redacted.into_bytes()),
    }
}

/// Returns the stored form of a JSON record.
pub(crate) fn json(record: &str) -> serde_json::Result<Cow<'_, str>> {
    // A user name is followed by `@`, which may be encoded as `%40`, or repeatedly as
    // `%2540`. Most records have neither, so parsing them is skipped.
    let may_have_userinfo = record.contains('@') || (record.contains('%') && record.contains("40"));
    if !may_have_userinfo {
        return Ok(Cow::Borrowed(record));
    }
    let mut value: Value = serde_json::from_str(record)?;
    if !redact_value(&mut value, None) {
        return Ok(Cow::Borrowed(record));
    }
    Ok(Cow::Owned(serde_json::to_string(&value)?))
}

/// Returns the stored form of a JSON record in UTF-8.
pub(crate) fn json_bytes(record: &[u8]) -> serde_json::Result<Cow<'_, [u8]>> {
    let Ok(text) = str::from_utf8(record) else { return Ok(Cow::Borrowed(record)) };
    Ok(match json(text)? {
        Cow::Borrowed(_) => Cow::Borrowed(record),
        Cow::Owned(redacted) => Cow::Owned(redacted.into_bytes()),
    })
}

/// Redacts a JSON value and returns whether the value has changed. `name` is the name of
/// the JSON member that contains the value.
fn redact_value(value: &mut Value, name: Option<&str>) -> bool {
    match value {
        Value::String(text) => {
            let redacted = if name == Some(URL_MEMBER) { url(text) } else { self::text(text) };
            let Cow::Owned(redacted) = redacted else { return false };
            *text = redacted;
            true
        }
        Value::Array(items) => {
            items.iter_mut().fold(false, |changed, item| redact_value(item, name) | changed)
        }
        Value::Object(members) => members
            .iter_mut()
            .fold(false, |changed, (name, member)| redact_value(member, Some(name)) | changed),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_json(record: &str, expect: &str) {
        assert_eq!(json(record).unwrap(), expect);
    }

    #[test]
    fn json_masks_passwords_in_every_string() {
        check_json(r#"{"a":["x http://u:p@h/"]}"#, r#"{"a":["x http://***@h/"]}"#);
        check_json(r#"{"location":"HTTP:u:p\"w@h"}"#, r#"{"location":"HTTP:***@h"}"#);
        check_json(r#"{"hops":[{"url":"http://u:p@h/x"}]}"#, r#"{"hops":[{"url":"http://h/x"}]}"#);
    }

    #[test]
    fn json_without_passwords_is_unchanged() {
        for record in [r#"{ "mail": "ann@example.org" }"#, r#"{"n":18446744073709551615}"#] {
            check_json(record, record);
        }
    }

    #[test]
    fn bytes_masks_passwords_in_robots_txt() {
        let robots = b"Sitemap: http://u:p@h/a.xml\nDisallow: /\xff\n";
        let expect = "Sitemap: http://***@h/a.xml\nDisallow: /\u{fffd}\n";
        assert_eq!(bytes(robots), expect.as_bytes());
        assert_eq!(bytes(b"Disallow: /\xff@\n"), &b"Disallow: /\xff@\n"[..]);
    }
}
