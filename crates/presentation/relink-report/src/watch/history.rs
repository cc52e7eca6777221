//! The history of a member as terminal text and JSON.

use std::fmt::Write as _;

use jiff::Timestamp;
use relink_change::Level;
use serde::Serialize;

use super::{masked_text, masked_url};
use crate::SCHEMA;
use crate::human::{TextStyle, cut_end, shown_prose, shown_url, size};

/// A version of a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WatchVersion {
    /// The time at which the version was first seen.
    pub seen_at: Timestamp,
    /// The title of the page.
    #[serde(serialize_with = "masked_text")]
    pub title: String,
    /// The size in bytes.
    pub bytes: u64,
    /// Whether the text of the version is stored.
    pub has_text: bool,
    /// Whether the user accepted this version.
    pub is_accepted: bool,
    /// The level of change since the version before; `None` for the first one, and if the
    /// stored data of this version cannot be read.
    pub level: Option<Level>,
    /// The share of words that changed since the version before.
    #[serde(rename = "content")]
    pub changed_share: Option<f64>,
}

/// An event in the history of a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WatchEvent {
    /// The time.
    pub at: Timestamp,
    /// The kind, such as `accepted`.
    pub kind: String,
    /// Details; empty if there are none.
    #[serde(serialize_with = "masked_text")]
    pub detail: String,
}

/// The history of a member.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WatchHistory {
    schema: u32,
    command: &'static str,
    /// The URL.
    #[serde(serialize_with = "masked_url")]
    pub url: String,
    /// The title.
    #[serde(serialize_with = "masked_text")]
    pub title: String,
    /// The versions of the page, oldest first.
    pub versions: Vec<WatchVersion>,
    /// The events of the member, oldest first.
    pub events: Vec<WatchEvent>,
}

impl WatchHistory {
    /// Creates the history.
    pub fn new(
        url: &str,
        title: &str,
        versions: Vec<WatchVersion>,
        events: Vec<WatchEvent>,
    ) -> Self {
        let (url, title) = (url.to_owned(), title.to_owned());
        Self { schema: SCHEMA, command: "watch show", url, title, versions, events }
    }
}

/// Formats the history of a member.
pub fn history_text(history: &WatchHistory, style: TextStyle) -> String {
    let mut text = String::new();
    if !history.title.is_empty() {
        let _ = writeln!(text, "{}", style.strong(&shown_prose(&history.title)));
    }
    let _ = writeln!(text, "{}", style.quiet(&shown_url(&history.url)));
    text.push_str("\nversions of the page\n");
    if history.versions.is_empty() {
        text.push_str("  none yet; run `relink watch run`\n");
    }
    for (index, version) in history.versions.iter().enumerate() {
        let mut facts = vec![size(version.bytes)];
        facts.push(match (version.level, version.changed_share) {
            (Some(level), Some(changed_share)) => {
                format!("{level} change, {:.0} % of the text", changed_share * 100.0)
            }
            _ if index == 0 => "first version".to_owned(),
            _ => "not comparable".to_owned(),
        });
        if version.has_text {
            facts.push("text stored".to_owned());
        }
        if version.is_accepted {
            facts.push("accepted".to_owned());
        }
        let title = cut_end(&shown_prose(&version.title), 40);
        let _ =
            writeln!(text, "  {}  {}  {title}", day_and_time(version.seen_at), facts.join(" · "));
    }
    text.push_str("\nevents\n");
    for event in &history.events {
        let detail = shown_prose(&event.detail);
        let line = format!("  {}  {} {detail}", day_and_time(event.at), event.kind);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Formats a time without seconds.
fn day_and_time(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_text_lists_versions_and_events() {
        let version = |level: Option<Level>, changed_share| WatchVersion {
            seen_at: Timestamp::UNIX_EPOCH,
            title: "Owl\u{1b}[2J".to_owned(),
            bytes: 2_000,
            has_text: true,
            is_accepted: level.is_none(),
            level,
            changed_share,
        };
        let versions = vec![
            version(None, None),
            version(Some(Level::Moderate), Some(0.3)),
            version(None, None),
        ];
        let event = WatchEvent {
            at: Timestamp::UNIX_EPOCH,
            kind: "muted".to_owned(),
            detail: "until 1970-02-01: exam".to_owned(),
        };
        let history = WatchHistory::new("https://example.org/", "Owl", versions, vec![event]);
        let text = history_text(&history, TextStyle::Plain);
        for part in [
            "first version · text stored · accepted",
            "moderate change, 30 % of the text",
            "not comparable · text stored",
            "1970-01-01 00:00  muted until 1970-02-01: exam",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(!text.contains('\u{1b}'));
    }
}
