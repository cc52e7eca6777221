//! Removes secrets from URLs and from text with URLs in it.
//!
//! A secret is the user name and password before a host, and the value of a
//! query parameter that is known to hold one (`access_token`,
//! `X-Amz-Signature`). The functions read text, not parsed URLs: malformed
//! URLs are shown and stored too, and hold passwords just as well. They accept
//! every spelling that a URL parser accepts (`HTTP:u:p@h`, `http:\\u:p@h`,
//! `//u:p@h`, tabs and line breaks inside) and percent-encoded URLs inside of
//! others.
//!
//! Ordinary text stays as it is: mail addresses, `@scope/package`, and
//! `git@host:path`. All functions are idempotent and take linear time, up to
//! a logarithm.

mod parameters;
mod userinfo;
mod view;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use url::Url;

use self::view::View;

/// Replaces a user name and password.
const USERINFO_MASK: &str = "***@";
/// Replaces the value of a parameter.
const VALUE_MASK: &str = "***";

/// How far a URL reaches in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The whole text is one URL.
    Url,
    /// White space, quotes and brackets end a URL.
    Prose,
}

/// Bytes of a text to replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mask {
    start: usize,
    end: usize,
    replacement: &'static str,
}

/// Returns a URL, or what is meant as one, as it may be shown.
///
/// ```
/// use relink_model::redact_url;
/// assert_eq!(redact_url("https://ann:secret@example.org/a"), "https://***@example.org/a");
/// assert_eq!(redact_url("https://example.org/?token=1f2e"), "https://example.org/?token=***");
/// assert_eq!(redact_url("https://example.org/@ann"), "https://example.org/@ann");
/// ```
pub fn redact_url(url: &str) -> Cow<'_, str> {
    redact(url, Mode::Url, true)
}

/// Returns text as it may be shown: each URL in it without its secrets.
///
/// Unlike in [`redact_url`], white space, quotes and brackets end a URL.
pub fn redact_text(text: &str) -> Cow<'_, str> {
    redact(text, Mode::Prose, true)
}

/// Returns what is meant as a URL as it may be stored, without user names and
/// passwords; see [`redact_stored_text`].
pub fn redact_stored_url(url: &str) -> Cow<'_, str> {
    redact(url, Mode::Url, false)
}

/// Returns text as it may be stored: each URL in it without user name and
/// password.
///
/// Parameters stay, because a URL with another query is another page.
pub fn redact_stored_text(text: &str) -> Cow<'_, str> {
    redact(text, Mode::Prose, false)
}

/// Returns a URL as it may be stored, without its user name and password.
///
/// Only its own are cut. Those of a URL inside its path or query are part of
/// the page's name: without them, another page would be requested.
pub fn without_userinfo(url: &str) -> Cow<'_, str> {
    if !url.contains('@') {
        return Cow::Borrowed(url);
    }
    match Url::parse(url) {
        Ok(parsed) if parsed.username().is_empty() && parsed.password().is_none() => {
            Cow::Borrowed(url)
        }
        Ok(mut parsed) => {
            // Both fail only for URLs without a host, which have no userinfo.
            let _ = parsed.set_username("");
            let _ = parsed.set_password(None);
            Cow::Owned(parsed.into())
        }
        Err(_) => redact(url, Mode::Url, false),
    }
}

/// Returns a reference with `//` before its host if it holds a password.
///
/// Seen from a page of the same scheme, `http:ann:secret@host/` is a relative
/// path (URL standard, 4.4, "special relative or authority"). It is meant as a
/// URL with a password, which must not become part of a path.
pub fn with_authority(text: &str) -> Cow<'_, str> {
    if !text.contains('@') {
        return text.into();
    }
    let visible: String = text.chars().filter(|char| !matches!(char, '\t' | '\n' | '\r')).collect();
    let trimmed = visible.trim_start_matches(|first: char| first <= ' ');
    let Some((scheme, rest)) = trimmed.split_once(':') else { return text.into() };
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let bare = rest.trim_start_matches(['/', '\\']);
    let authority = bare.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let userinfo = authority.rsplit_once('@').map_or("", |(userinfo, _)| userinfo);
    // After a slash, `http:/ann@home` may well be a path; a password is not.
    let is_userinfo = !userinfo.is_empty() && (bare == rest || userinfo.contains(':'));
    if is_web && is_userinfo { format!("{scheme}://{bare}").into() } else { text.into() }
}

fn redact(text: &str, mode: Mode, with_parameters: bool) -> Cow<'_, str> {
    let may_have_userinfo = may_hold(text, '@', "40") || text.contains('\u{ff20}');
    let may_have_parameters = with_parameters && may_hold(text, '=', "3d");
    if !may_have_userinfo && !may_have_parameters {
        return Cow::Borrowed(text);
    }
    let view = View::new(text, mode);
    let mut masks = Vec::new();
    if may_have_userinfo {
        masks.extend(userinfo::masks(&view));
    }
    if may_have_parameters {
        masks.extend(parameters::masks(&view));
    }
    apply(text, masks)
}

/// Whether a text holds a character, as such or percent-encoded.
fn may_hold(text: &str, char: char, hex: &str) -> bool {
    text.contains(char)
        || (text.contains('%') && (text.contains(hex) || text.contains(&hex.to_uppercase())))
}

fn apply(text: &str, mut masks: Vec<Mask>) -> Cow<'_, str> {
    if masks.is_empty() {
        return Cow::Borrowed(text);
    }
    masks.sort_by_key(|mask| mask.start);
    let mut redacted = String::with_capacity(text.len());
    let mut copied = 0;
    for mask in masks {
        // A mask inside another one has nothing left to hide; one that reaches
        // further than the one before hides the rest.
        if mask.start >= copied {
            redacted.push_str(text.get(copied..mask.start).unwrap_or_default());
            redacted.push_str(mask.replacement);
        }
        copied = copied.max(mask.end);
    }
    redacted.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(redacted)
}
