//! Finds the secret values of query parameters in a text.

use super::view::View;
use super::{Mask, VALUE_MASK};

/// Names whose value is a secret of any length, in lower case and
/// without `-`, `_` and `.`.
const SECRET_NAMES: [&str; 24] = [
    "accesskey",
    "apikey",
    "assertion",
    "authorization",
    "awsaccesskeyid",
    "bearer",
    "credential",
    "credentials",
    "jsessionid",
    "jwt",
    "pass",
    "passphrase",
    "passwd",
    "phpsessid",
    "pwd",
    "samlresponse",
    "secretkey",
    "sessionid",
    "sessionkey",
    "subscriptionkey",
    "xamzcredential",
    "xapikey",
    "xgoogcredential",
    "xsecret",
];

/// Suffixes of names whose value is a secret.
const SECRET_ENDINGS: [&str; 6] =
    ["apikey", "password", "privatekey", "secret", "signature", "token"];

/// Names used for secrets and for ordinary words. Only their long values are masked
/// (replaced by `***`).
const AMBIGUOUS_NAMES: [&str; 4] = ["auth", "key", "sid", "sig"];

/// The minimum length of a masked value of an ambiguous name.
const MIN_AMBIGUOUS_LENGTH: usize = 8;

/// Names of paging cursors, which end like names of secrets.
const PAGING_NAMES: [&str; 5] =
    ["continuationtoken", "nextpagetoken", "nexttoken", "pagetoken", "pagingtoken"];

/// The maximum length of a compared name.
const MAX_NAME_LENGTH: usize = 40;

/// Returns a mask (a range to replace) for every secret value.
pub(super) fn masks(view: &View) -> Vec<Mask> {
    let equal_signs = (0..view.len()).filter(|at| view.char(*at) == Some('='));
    let mut masks: Vec<Mask> = Vec::new();
    let mut last_value_end = 0;
    for equal_sign in equal_signs {
        let start = equal_sign + 1;
        if start < last_value_end {
            // A `=` inside a value does not start another value.
            continue;
        }
        let Some((name, separator)) = parameter_name(view, equal_sign) else { continue };
        let Some(class) = NameClass::from_name(&name) else { continue };
        let end = value_end(view, start, separator);
        last_value_end = end;
        masks.extend(value_mask(view, start, end, class));
    }
    masks
}

/// Whether the values of a name are always secret, or only if they are long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameClass {
    Secret,
    Ambiguous,
}

impl NameClass {
    /// Returns the class of a normalized name; `None` if its values are not secret.
    fn from_name(name: &str) -> Option<Self> {
        if PAGING_NAMES.contains(&name) {
            return None;
        }
        if SECRET_NAMES.contains(&name)
            || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
        {
            return Some(Self::Secret);
        }
        AMBIGUOUS_NAMES.contains(&name).then_some(Self::Ambiguous)
    }
}

/// Returns the normalized name before an equal sign, and the separator before the name:
/// `accesstoken` and `&` for `&access_token=`. Returns `None` if no name precedes the sign.
fn parameter_name(view: &View, equal_sign: usize) -> Option<(String, char)> {
    let is_name =
        |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '[' | ']');
    // One character more than the longest name, for the separator.
    let window = view.chars(equal_sign.saturating_sub(MAX_NAME_LENGTH + 1)..equal_sign);
    let mut reversed = String::new();
    for char in window.rev() {
        if matches!(char, '?' | '&' | ';' | '#') {
            let name: String = reversed.chars().rev().collect();
            return (!name.is_empty()).then_some((name, char));
        }
        if !is_name(char) {
            return None;
        }
        if char.is_ascii_alphanumeric() {
            reversed.push(char.to_ascii_lowercase());
        }
    }
    None
}

/// Returns the end of the value at `start`. A parameter after `;` is part of the path
/// (`/a;jsessionid=1/b`), so that its value also ends at a `/`.
fn value_end(view: &View, start: usize, separator: char) -> usize {
    let is_end = |char: char| match char {
        '&' | '#' => true,
        ';' | '/' | '?' | ',' => separator == ';',
        _ => false,
    };
    let end = view.url_end(start);
    let length = view.chars(start..end).position(is_end);
    length.map_or(end, |length| start + length)
}

/// Returns the mask of a value, unless the value is a template, too short to be a secret, or
/// already masked.
fn value_mask(view: &View, start: usize, end: usize, class: NameClass) -> Option<Mask> {
    // `token={token}` and `token=<token>` are templates.
    let is_template = matches!(view.char(start), Some('{' | '<'));
    let is_short = class == NameClass::Ambiguous && end - start < MIN_AMBIGUOUS_LENGTH;
    if is_template || is_short || view.chars(start..end).eq(VALUE_MASK.chars()) {
        return None;
    }
    let (start, end) = view.byte_range(start..end)?;
    Some(Mask { start, end, replacement: VALUE_MASK })
}
