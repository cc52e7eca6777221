//! Splits a `robots.txt` into lines with a known key.

use std::time::Duration;

use super::{ANY_AGENT, RobotsTxt};

/// The UTF-8 byte order mark.
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// A line with a known key.
pub(super) enum Line<'a> {
    /// The agent's name in lower case, or `*`.
    Agent(String),
    /// `Allow` or `Disallow` with its value and the whole line.
    Rule { is_allow: bool, value: &'a str, line: &'a str },
    /// `Crawl-delay`.
    Delay(Duration),
    /// `Sitemap`.
    Sitemap(&'a str),
}

/// Decodes a file. Removes the byte order mark and everything beyond the size limit.
/// Percent-encodes bytes that are not UTF-8, which does not change the meaning of a rule.
pub(super) fn decode(bytes: &[u8]) -> String {
    let mut bytes = bytes;
    // Remove the mark byte by byte, because it may be incomplete.
    for mark in BYTE_ORDER_MARK {
        bytes = bytes.strip_prefix(&[mark]).unwrap_or(bytes);
    }
    let mut text = String::with_capacity(bytes.len().min(RobotsTxt::MAX_FILE_SIZE));
    for chunk in whole_lines(bytes).utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(percent_encoding::percent_encode(chunk.invalid(), ALL_BYTES));
    }
    text
}

/// The bytes that [`decode`] encodes. It encodes only bytes that are not text, which are never
/// alphanumeric.
const ALL_BYTES: &percent_encoding::AsciiSet = percent_encoding::NON_ALPHANUMERIC;

/// Returns the bytes up to the size limit without an incomplete last line. The first half
/// of a rule may disallow more than the whole rule.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let Some(window) = bytes.get(..=RobotsTxt::MAX_FILE_SIZE) else { return bytes };
    let end = memchr::memrchr2(b'\n', b'\r', window).unwrap_or(0);
    window.get(..end).unwrap_or_default()
}

/// Returns the lines with a known key.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.split(['\n', '\r']).filter_map(parse_line)
}

fn parse_line(line: &str) -> Option<Line<'_>> {
    let line = line.split('#').next().unwrap_or_default().trim();
    let (key, value) = key_and_value(line)?;
    Some(match key.to_ascii_lowercase().as_str() {
        "user-agent" | "useragent" | "user agent" => Line::Agent(product_token(value)),
        "allow" => Line::Rule { is_allow: true, value, line },
        // Misspellings that Google's parser accepts, too.
        "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => {
            Line::Rule { is_allow: false, value, line }
        }
        "crawl-delay" | "crawldelay" | "crawl delay" => Line::Delay(parse_delay(value)?),
        "sitemap" | "site-map" if !value.is_empty() => Line::Sitemap(value),
        _ => return None,
    })
}

/// Splits a line at the colon. Accepts a line without a colon if it has two words.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    if let Some((key, value)) = line.split_once(':') {
        return Some((key.trim(), value.trim()));
    }
    let (key, value) = line.split_once(char::is_whitespace)?;
    let value = value.trim();
    (!value.contains(char::is_whitespace)).then_some((key, value))
}

/// Returns the product token of a User-Agent in lower case: the letters, `-` and `_` at
/// its start.
pub(super) fn product_token(agent: &str) -> String {
    let agent = agent.trim();
    let is_any_agent = agent
        .strip_prefix('*')
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    if is_any_agent {
        return ANY_AGENT.to_owned();
    }
    let is_name_character =
        |letter: &char| letter.is_ascii_alphabetic() || matches!(letter, '-' | '_');
    agent.chars().take_while(is_name_character).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Parses a number of seconds, such as `2.5`, and ignores the text after it.
fn parse_delay(value: &str) -> Option<Duration> {
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let number = value.split(|letter| !is_number(letter)).next()?;
    let seconds: f64 = number.parse().ok()?;
    let max = RobotsTxt::MAX_CRAWL_DELAY;
    Some(Duration::try_from_secs_f64(seconds).map_or(max, |delay| delay.min(max)))
}
