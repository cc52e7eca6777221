//! Removes secrets from URLs and from text with URLs in it.
//!
//! Secrets are the user name and password before a host (together *userinfo*), and the
//! values of query parameters that usually contain secrets (`access_token`,
//! `X-Amz-Signature`). The functions work on text, not on parsed URLs, because malformed
//! URLs are also shown and stored and may contain passwords. They accept every spelling
//! that a URL parser accepts (`HTTP:u:p@h`, `http:\\u:p@h`, `//u:p@h`, tabs and line
//! breaks inside) and percent-encoded URLs inside of other URLs.
//!
//! Email addresses, `@scope/package` and `git@host:path` are not changed. All
//! functions are idempotent and run in O(n log n).

mod parameters;
mod userinfo;
mod view;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use url::Url;

use self::view::View;

/// The fullwidth form of `@`. URL parsers read it as `@` in a host.
const FULLWIDTH_AT: char = '\u{ff20}';
/// Replaces a user name and password.
const USERINFO_MASK: &str = "***@";
/// Replaces the value of a parameter.
const VALUE_MASK: &str = "***";

/// The rule for the end of a URL in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The whole text is one URL.
    Url,
    /// White space, quotes and brackets end a URL.
    Prose,
}

/// The secrets to replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Secrets {
    /// User names, passwords and the values of secret parameters.
    All,
    /// User names and passwords.
    Userinfo,
}

/// A byte range with a secret, and the text that replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mask {
    start: usize,
    end: usize,
    replacement: &'static str,
}

/// Redacts a possibly malformed URL for display.
///
/// ```
/// use relink_model::redact_url;
/// assert_eq!(redact_url("https://ann:secret@example.org/a"), "https://***@example.org/a");
/// assert_eq!(redact_url("https://example.org/?token=1f2e"), "https://example.org/?token=***");
/// assert_eq!(redact_url("https://example.org/@ann"), "https://example.org/@ann");
/// ```
pub fn redact_url(url: &str) -> Cow<'_, str> {
    redact(url, Mode::Url, Secrets::All)
}

/// Redacts every URL in a text for display.
///
/// Unlike in [`redact_url`], white space, quotes and brackets end a URL.
pub fn redact_text(text: &str) -> Cow<'_, str> {
    redact(text, Mode::Prose, Secrets::All)
}

/// Redacts a possibly malformed URL for the database; see
/// [`redact_stored_text`].
pub fn redact_stored_url(url: &str) -> Cow<'_, str> {
    redact(url, Mode::Url, Secrets::Userinfo)
}

/// Redacts the user names and passwords of every URL in a text for the
/// database.
///
/// Secret parameters are not removed, because a URL with another query is another page.
pub fn redact_stored_text(text: &str) -> Cow<'_, str> {
    redact(text, Mode::Prose, Secrets::Userinfo)
}

/// Removes the user name and password of a URL, for the database.
///
/// Unlike [`redact_stored_url`], this function does not insert `***@`. It does not change a
/// URL inside of the path or query, because a URL with another path or query is another page.
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
        Err(_) => redact(url, Mode::Url, Secrets::Userinfo),
    }
}

/// Inserts `//` before the user name of a reference with a password:
/// `http:ann:secret@host/` becomes `http://ann:secret@host/`.
///
/// On a page of the same scheme, a URL parser reads such a reference as a relative path
/// (URL standard, 4.4, "special relative or authority"). The author meant a
/// URL with a password, and the password must not become part of a path.
pub fn with_authority(text: &str) -> Cow<'_, str> {
    if !text.contains('@') {
        return text.into();
    }
    let without_line_breaks: String =
        text.chars().filter(|char| !matches!(char, '\t' | '\n' | '\r')).collect();
    let trimmed = without_line_breaks.trim_start_matches(|first: char| first <= ' ');
    let Some((scheme, rest)) = trimmed.split_once(':') else { return text.into() };
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let after_slashes = rest.trim_start_matches(['/', '\\']);
    let authority = after_slashes.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let userinfo = authority.rsplit_once('@').map_or("", |(userinfo, _)| userinfo);
    // Without slashes, text before an `@` is a user name. After slashes, it is a user
    // name only if a password follows: `http:/ann@home` may be a path,
    // `http:/ann:secret@home` is not.
    let is_userinfo = !userinfo.is_empty() && (after_slashes == rest || userinfo.contains(':'));
    if is_web && is_userinfo { format!("{scheme}://{after_slashes}").into() } else { text.into() }
}

/// Replaces the secrets in a text by `***`.
fn redact(text: &str, mode: Mode, secrets: Secrets) -> Cow<'_, str> {
    let may_have_userinfo = may_contain(text, '@', "40") || text.contains(FULLWIDTH_AT);
    let may_have_parameters = secrets == Secrets::All && may_contain(text, '=', "3d");
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
    apply_masks(text, masks)
}

/// Whether a text may contain a character, literally (`@`) or percent-encoded (`%40`). `hex`
/// is the code of the character.
fn may_contain(text: &str, char: char, hex: &str) -> bool {
    text.contains(char)
        || (text.contains('%') && (text.contains(hex) || text.contains(&hex.to_uppercase())))
}

/// Replaces the byte ranges of the masks.
fn apply_masks(text: &str, mut masks: Vec<Mask>) -> Cow<'_, str> {
    if masks.is_empty() {
        return Cow::Borrowed(text);
    }
    masks.sort_by_key(|mask| mask.start);
    let mut redacted = String::with_capacity(text.len());
    let mut copied_until = 0;
    for mask in masks {
        // Masks can overlap. A mask that starts inside the previous one only
        // extends it.
        if mask.start >= copied_until {
            redacted.push_str(text.get(copied_until..mask.start).unwrap_or_default());
            redacted.push_str(mask.replacement);
        }
        copied_until = copied_until.max(mask.end);
    }
    redacted.push_str(text.get(copied_until..).unwrap_or_default());
    Cow::Owned(redacted)
}
