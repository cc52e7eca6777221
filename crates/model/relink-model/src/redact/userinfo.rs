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
    let mut at = 0;
    while at < view.len() {
        let Some(start) = authority_start(view, at) else {
            masks.extend(bare_userinfo_end(view, at).and_then(|end| mask(view, at, end)));
            at += 1;
            continue;
        };
        let end = userinfo_end(view, start);
        masks.extend(end.and_then(|end| mask(view, start, end)));
        at = end.unwrap_or(start).max(at + 1);
    }
    masks
}

/// Returns the mask of a user name and password, unless they are empty or already masked.
fn mask(view: &View, start: usize, end: usize) -> Option<Mask> {
    // `//@name` has nothing before its `@`.
    if end <= start + 1 || view.chars(start..end).eq(USERINFO_MASK.chars()) {
        return None;
    }
    let (start, end) = view.bytes(start..end)?;
    Some(Mask { start, end, replacement: USERINFO_MASK })
}

/// Returns the start of an authority if `at` is the position of the `//` before it, or of
/// the `:` after a special scheme.
fn authority_start(view: &View, at: usize) -> Option<usize> {
    match view.char(at)? {
        ':' if has_special_scheme(view, at) => Some(after_slashes(view, at + 1).0),
        '/' | '\\' if may_start_url(view, at) => {
            let (after, slashes) = after_slashes(view, at);
            (slashes >= 2).then_some(after)
        }
        _ => None,
    }
}

/// Whether the slashes at `at` may precede the authority of a URL.
fn may_start_url(view: &View, at: usize) -> bool {
    view.char_before(at).is_none_or(|before| {
        before.is_whitespace()
            || before.is_control()
            || matches!(before, ':' | '=' | '\'' | '<' | '>' | '"' | '(' | ')' | '`')
    })
}

/// Whether the letters before the `:` at `colon` are a special scheme.
fn has_special_scheme(view: &View, colon: usize) -> bool {
    const MAX_SCHEME: usize = 5;
    // Parsers remove tabs inside a scheme, so the window is larger than a scheme, and
    // tabs are not counted.
    let window = view.chars(colon.saturating_sub(2 * MAX_SCHEME)..colon);
    // The characters before the colon, last first.
    let letters: Vec<char> =
        window.rev().filter(|char| !is_removed(*char)).take(MAX_SCHEME + 1).collect();
    SPECIAL_SCHEMES.iter().any(|scheme| {
        let ends_with_scheme =
            scheme.chars().rev().zip(&letters).all(|(a, b)| b.eq_ignore_ascii_case(&a));
        let preceding = letters.get(scheme.len());
        ends_with_scheme
            && letters.len() >= scheme.len()
            && preceding.is_none_or(|char| !char.is_alphanumeric())
    })
}

/// Returns the position after the slashes at `from`, and their number.
/// Backslashes count as slashes, and tabs between them are skipped, as in URL
/// parsers.
fn after_slashes(view: &View, from: usize) -> (usize, usize) {
    let (mut after, mut slashes) = (from, 0);
    for (at, char) in (from..).zip(view.chars(from..view.len())) {
        match char {
            '/' | '\\' => (after, slashes) = (at + 1, slashes + 1),
            char if is_removed(char) => {}
            _ => break,
        }
    }
    (after, slashes)
}

/// Returns the position after the `@` of the user name and password at `start`.
fn userinfo_end(view: &View, start: usize) -> Option<usize> {
    let end = view.authority_end(start);
    if let Some(at) = view.last_at(start..end) {
        return Some(at + 1);
    }
    // In `https://ann:se/cret@host`, the URL standard reads `ann` as a host with an
    // invalid port. The author meant a password that contains a slash.
    let colon = view.last_colon(start..end)?;
    if is_port(view, colon + 1, end) {
        return None;
    }
    view.last_at(start..view.wide_end(start)).map(|at| at + 1)
}

fn is_port(view: &View, start: usize, end: usize) -> bool {
    let is_number =
        end - start <= MAX_PORT_DIGITS && view.chars(start..end).all(|char| char.is_ascii_digit());
    is_number || view.char_before(end) == Some(']')
}

/// Returns the position after the `@` if a text of the form `name:password@host`, without
/// a scheme, starts at `at`. In prose, only texts after a backtick are considered.
fn bare_userinfo_end(view: &View, at: usize) -> Option<usize> {
    let is_start = match view.mode {
        Mode::Url => at == 0,
        Mode::Prose => view.char_before(at) == Some('`'),
    };
    if !is_start {
        return None;
    }
    let end = view.authority_end(at);
    let last_at = view.last_at(at..end)?;
    let colon = view.next_colon(at).filter(|colon| *colon < last_at)?;
    let name: String = view.chars(at..colon).collect();
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    let mut schemes = PREFIXES_WITHOUT_PASSWORD.iter().chain(&SPECIAL_SCHEMES);
    let is_scheme = schemes.any(|scheme| name.eq_ignore_ascii_case(scheme));
    let host_end = view.next_colon(last_at).map_or(end, |colon| colon.min(end));
    let host: String = view.chars(last_at + 1..host_end).collect();
    (is_name && !is_scheme && is_host(&host)).then_some(last_at + 1)
}

/// Whether a text has the form of a host name or IP address, and not of a
/// version number.
fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|char| char.is_alphanumeric() || char == '-')
    };
    let last = text.rsplit('.').next().unwrap_or_default();
    let is_name = text.contains('.') && last.chars().all(char::is_alphabetic);
    let is_ip = text.parse::<std::net::Ipv4Addr>().is_ok() || text.starts_with('[');
    is_ip || text == "localhost" || (is_name && text.split('.').all(is_label))
}
