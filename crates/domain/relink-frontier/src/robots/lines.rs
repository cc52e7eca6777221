//! The lines of a `robots.txt`, and the words they begin with.

use std::time::Duration;

use super::{EVERYBODY, RobotsTxt};

/// The mark some editors put before a text.
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// A line that means something.
pub(super) enum Line<'a> {
    /// The agent's name in lower case, or `*`.
    Agent(String),
    /// `Allow` or `Disallow`, with what it holds for and the line as written.
    Rule { is_allow: bool, value: &'a str, line: &'a str },
    /// `Crawl-delay`.
    Delay(Duration),
    /// `Sitemap`.
    Sitemap(&'a str),
}

/// The text of a file: no mark before it, nothing beyond the limit, and bytes
/// that are no UTF-8 as percent-escapes, which rules treat alike.
pub(super) fn text_of(bytes: &[u8]) -> String {
    let mut bytes = bytes;
    for mark in BYTE_ORDER_MARK {
        bytes = bytes.strip_prefix(&[mark]).unwrap_or(bytes);
    }
    let mut text = String::with_capacity(bytes.len().min(RobotsTxt::LONGEST_FILE));
    for chunk in whole_lines(bytes).utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(percent_encoding::percent_encode(chunk.invalid(), ALL_BYTES));
    }
    text
}

/// Everything is escaped: only bytes that are no text are passed.
const ALL_BYTES: &percent_encoding::AsciiSet = percent_encoding::NON_ALPHANUMERIC;

/// As many bytes as are read, without the line that is cut off by the limit:
/// half a rule may forbid twice as much.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let Some(window) = bytes.get(..=RobotsTxt::LONGEST_FILE) else { return bytes };
    let end = memchr::memrchr2(b'\n', b'\r', window).unwrap_or(0);
    window.get(..end).unwrap_or_default()
}

/// The lines that mean something, in order.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.split(['\n', '\r']).filter_map(read_line)
}

fn read_line(line: &str) -> Option<Line<'_>> {
    let line = line.split('#').next().unwrap_or_default().trim();
    let (key, value) = key_and_value(line)?;
    Some(match key.to_ascii_lowercase().as_str() {
        "user-agent" | "useragent" | "user agent" => Line::Agent(product_token(value)),
        "allow" => Line::Rule { is_allow: true, value, line },
        // Misspellings that Google's reader forgives, too.
        "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => {
            Line::Rule { is_allow: false, value, line }
        }
        "crawl-delay" | "crawldelay" | "crawl delay" => Line::Delay(read_delay(value)?),
        "sitemap" | "site-map" if !value.is_empty() => Line::Sitemap(value),
        _ => return None,
    })
}

/// A forgotten colon is forgiven where there are just two words.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    if let Some((key, value)) = line.split_once(':') {
        return Some((key.trim(), value.trim()));
    }
    let (key, value) = line.split_once(char::is_whitespace)?;
    let value = value.trim();
    (!value.contains(char::is_whitespace)).then_some((key, value))
}

/// The name of an agent: letters, `-` and `_` from the beginning, in lower
/// case. What follows (`/1.0`, a contact) is not part of it.
pub(super) fn product_token(agent: &str) -> String {
    let agent = agent.trim();
    let is_everybody = agent
        .strip_prefix('*')
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    if is_everybody {
        return EVERYBODY.to_owned();
    }
    let is_name = |letter: &char| letter.is_ascii_alphabetic() || matches!(letter, '-' | '_');
    agent.chars().take_while(is_name).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// A number of seconds; what follows the number is passed over.
fn read_delay(value: &str) -> Option<Duration> {
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let number = value.split(|letter| !is_number(letter)).next()?;
    let seconds: f64 = number.parse().ok()?;
    let longest = RobotsTxt::MAX_CRAWL_DELAY;
    Some(Duration::try_from_secs_f64(seconds).map_or(longest, |delay| delay.min(longest)))
}
