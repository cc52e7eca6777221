//! Finds user names and passwords (userinfo) in a text. The authority of a URL consists
//! of userinfo, host and port. Positions are those of the [`View`].

use super::view::{View, is_removed};
use super::{Mask, Mode, USERINFO_MASK};

/// Schemes that are followed by a host after any number of slashes (URL
/// standard, 3.1: special schemes).
const SPECIAL_SCHEMES: [&str; 5] = ["http", "https", "ftp", "ws", "wss"];

/// Words before a `:` in texts that contain an `@` but no password, such as
/// `mailto:ann@example.org`.
const PREFIXES_WITHOUT_PASSWORD: [&str; 18] = [
    "acct", "cid", "contact", "e-mail", "email", "git", "im", "jsr", "mail", "mailto", "mid",
    "npm", "pkg", "sip", "sips", "tag", "urn", "xmpp",
];

/// The maximum number of digits of a port.
const MAX_PORT_DIGITS: usize = 5;

/// Returns a mask for every user name and password, including the `@`.
pub(super) fn masks(view: &View) -> Vec<Mask> {
    let mut masks = Vec::new();
    let mut position = 0;
    while position < view.len() {
        if let Some(start) = authority_start(view, position) {
            let end = userinfo_end(view, start);
            masks.extend(end.and_then(|end| userinfo_mask(view, start, end)));
            position = end.unwrap_or(start).max(position + 1);
        } else {
            let end = bare_userinfo_end(view, position);
            masks.extend(end.and_then(|end| userinfo_mask(view, position, end)));
            position += 1;
        }
    }
    masks
}

/// Returns the mask of a user name and password, unless they are empty or already masked.
fn userinfo_mask(view: &View, start: usize, end: usize) -> Option<Mask> {
    // In `//@name`, the user name before the `@` is empty.
    if end <= start + 1 || view.chars(start..end).eq(USERINFO_MASK.chars()) {
        return None;
    }
    let (start, end) = view.byte_range(start..end)?;
    Some(Mask { start, end, replacement: USERINFO_MASK })
}

/// Returns the start of an authority if the `//` before the authority, or the `:` after a
/// special scheme, is at `position`.
fn authority_start(view: &View, position: usize) -> Option<usize> {
    match view.char(position)? {
        ':' if has_special_scheme(view, position) => Some(skip_slashes(view, position + 1).0),
        '/' | '\\' if may_start_url(view, position) => {
            let (start, slash_count) = skip_slashes(view, position);
            (slash_count >= 2).then_some(start)
        }
        _ => None,
    }
}

/// Whether the slashes at `position` may precede the authority of a URL.
fn may_start_url(view: &View, position: usize) -> bool {
    view.char_before(position).is_none_or(|before| {
        before.is_whitespace()
            || before.is_control()
            || matches!(before, ':' | '=' | '\'' | '<' | '>' | '"' | '(' | ')' | '`')
    })
}

/// Whether the letters before the `:` at `colon` are a special scheme.
fn has_special_scheme(view: &View, colon: usize) -> bool {
    const MAX_SCHEME_LENGTH: usize = 5;
    // Parsers remove tabs inside a scheme. The window is therefore larger than a scheme, and
    // tabs are not counted.
    let window = view.chars(colon.saturating_sub(2 * MAX_SCHEME_LENGTH)..colon);
    // The characters before the colon, last first.
    let reversed: Vec<char> =
        window.rev().filter(|char| !is_removed(*char)).take(MAX_SCHEME_LENGTH + 1).collect();
    SPECIAL_SCHEMES.iter().any(|scheme| {
        let Some((letters, before)) = reversed.split_at_checked(scheme.len()) else {
            return false;
        };
        let is_scheme = scheme
            .chars()
            .rev()
            .zip(letters)
            .all(|(char, letter)| letter.eq_ignore_ascii_case(&char));
        // `xhttp` is not a special scheme.
        is_scheme && before.first().is_none_or(|char| !char.is_alphanumeric())
    })
}

/// Returns the position after the slashes at `from`, and the number of slashes.
/// Backslashes count as slashes, and tabs between slashes are skipped, as in URL
/// parsers.
fn skip_slashes(view: &View, from: usize) -> (usize, usize) {
    let mut end = from;
    let mut slash_count = 0;
    for (position, char) in (from..).zip(view.chars(from..view.len())) {
        match char {
            '/' | '\\' => {
                end = position + 1;
                slash_count += 1;
            }
            char if is_removed(char) => {}
            _ => break,
        }
    }
    (end, slash_count)
}

/// Returns the position after the `@` of the user name and password at `start`.
fn userinfo_end(view: &View, start: usize) -> Option<usize> {
    let end = view.authority_end(start);
    if let Some(at_sign) = view.last_at_sign(start..end) {
        return Some(at_sign + 1);
    }
    // In `https://ann:se/cret@host`, the URL standard reads `ann` as a host with an
    // invalid port. The author meant a password that contains a slash.
    let colon = view.last_colon(start..end)?;
    if is_port(view, colon + 1, end) {
        return None;
    }
    view.last_at_sign(start..view.malformed_url_end(start)).map(|at_sign| at_sign + 1)
}

/// Whether the text after a colon is a port, or the end of an IPv6 address (`[::1]`).
fn is_port(view: &View, start: usize, end: usize) -> bool {
    let is_number =
        end - start <= MAX_PORT_DIGITS && view.chars(start..end).all(|char| char.is_ascii_digit());
    is_number || view.char_before(end) == Some(']')
}

/// Returns the position after the `@` if a text of the form `name:password@host`, without
/// a scheme, starts at `start`. In prose, only texts after a backtick are considered.
fn bare_userinfo_end(view: &View, start: usize) -> Option<usize> {
    let is_start = match view.mode {
        Mode::Url => start == 0,
        Mode::Prose => view.char_before(start) == Some('`'),
    };
    if !is_start {
        return None;
    }
    let end = view.authority_end(start);
    let at_sign = view.last_at_sign(start..end)?;
    let colon = view.next_colon(start).filter(|colon| *colon < at_sign)?;
    let name: String = view.chars(start..colon).collect();
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    let mut schemes = PREFIXES_WITHOUT_PASSWORD.iter().chain(&SPECIAL_SCHEMES);
    let is_scheme = schemes.any(|scheme| name.eq_ignore_ascii_case(scheme));
    let host_end = view.next_colon(at_sign).map_or(end, |colon| colon.min(end));
    let host: String = view.chars(at_sign + 1..host_end).collect();
    (is_name && !is_scheme && is_host(&host)).then_some(at_sign + 1)
}

/// Whether a text has the form of a host name or IP address. A version number such as
/// `18.2.0` does not, because its last label is not a word.
fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|char| char.is_alphanumeric() || char == '-')
    };
    let last_label = text.rsplit('.').next().unwrap_or_default();
    let has_domain = text.contains('.') && last_label.chars().all(char::is_alphabetic);
    let is_ip = text.parse::<std::net::Ipv4Addr>().is_ok() || text.starts_with('[');
    is_ip || text == "localhost" || (has_domain && text.split('.').all(is_label))
}
