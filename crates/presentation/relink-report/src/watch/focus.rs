//! The focus of a collection as terminal text and JSON.
//!
//! Random walks start at the pages of the collection and follow links. The focus is the share
//! of walks that end on a page of the topic of the collection. A walk fails at a dead page and
//! at a page off the topic.

use std::fmt::Write as _;

use serde::Serialize;

use super::{masked_text, masked_url};
use crate::SCHEMA;
use crate::human::{TextStyle, counted, grouped, padded, shown_prose, shown_url};

/// The reason why walks fail at a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FocusEndKind {
    /// The page is dead.
    Dead,
    /// The page is not on the topic.
    OffTopic,
    /// The page could not be judged.
    Unknown,
}

impl FocusEndKind {
    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dead => "dead",
            Self::OffTopic => "off topic",
            Self::Unknown => "not judged",
        }
    }
}

/// A page at which walks fail.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FocusEnd {
    /// The URL.
    #[serde(serialize_with = "masked_url")]
    pub url: String,
    /// The reason why walks fail there.
    pub kind: FocusEndKind,
    /// Lower bound of the share of walks that fail there.
    pub share: f64,
}

/// The focus of a collection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WatchFocus {
    /// The version of the JSON schema.
    pub schema: u32,
    /// The command that printed the focus.
    pub command: &'static str,
    /// The name of the collection.
    #[serde(serialize_with = "masked_text")]
    pub name: String,
    /// The share of walks that end on the topic.
    pub focus: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// The probability that a walk ends at a page that is certainly on the topic.
    pub stop: f64,
    /// Number of members at which walks start.
    pub members: u64,
    /// Number of fetched pages.
    pub fetched: u64,
    /// Number of random walks, in addition to the exact part.
    pub walks: u32,
    /// Judged pages on the topic.
    pub topical: u64,
    /// Judged pages off the topic.
    pub off_topic: u64,
    /// Dead pages.
    pub dead: u64,
    /// Pages that could not be judged.
    pub unknown: u64,
    /// Whether the user interrupted the measurement.
    pub is_interrupted: bool,
    /// Pages at which walks fail, largest share first.
    pub ends: Vec<FocusEnd>,
}

impl Default for WatchFocus {
    fn default() -> Self {
        Self {
            schema: SCHEMA,
            command: "watch focus",
            name: String::new(),
            focus: 0.0,
            low: 0.0,
            high: 1.0,
            stop: 0.0,
            members: 0,
            fetched: 0,
            walks: 0,
            topical: 0,
            off_topic: 0,
            dead: 0,
            unknown: 0,
            is_interrupted: false,
            ends: Vec::new(),
        }
    }
}

/// Formats the focus of a collection.
pub fn focus_text(focus: &WatchFocus, style: TextStyle) -> String {
    let mut text = format!(
        "{} · focus {:.2} (95 % interval {:.2} to {:.2})\n",
        style.strong(&shown_prose(&focus.name)),
        focus.focus,
        focus.low,
        focus.high
    );
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "  Of readers who start at a random page and follow random links, {:.0} % stop at a page \
         of the topic.",
        focus.focus * 100.0
    );
    let counts = [
        (focus.topical, "on the topic"),
        (focus.off_topic, "off the topic"),
        (focus.dead, "dead"),
        (focus.unknown, "not judged"),
    ];
    let nonzero = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> =
        nonzero.map(|(count, name)| format!("{} {name}", grouped(*count))).collect();
    let _ = writeln!(
        text,
        "  {} and {} linked from them: {}",
        counted(focus.members, "member"),
        counted(focus.fetched, "page"),
        counts.join(" · ")
    );
    if !focus.ends.is_empty() {
        text.push_str("readers leave the topic at:\n");
    }
    for end in &focus.ends {
        let share = format!("{:>5.1} %", end.share * 100.0);
        let kind = padded(end.kind.as_str(), 11);
        let _ = writeln!(text, "{share}  {kind} {}", shown_url(&end.url));
    }
    if focus.is_interrupted {
        text.push_str("interrupted; the interval covers the pages that were not read\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn focus_text_names_the_pages_where_walks_fail() {
        let focus = WatchFocus {
            name: "owls".to_owned(),
            focus: 0.625,
            low: 0.6,
            high: 0.65,
            members: 8,
            fetched: 1,
            topical: 7,
            off_topic: 2,
            ends: vec![FocusEnd {
                url: "https://example.org/trains\u{1b}[2J".to_owned(),
                kind: FocusEndKind::OffTopic,
                share: 0.125,
            }],
            ..WatchFocus::default()
        };
        let text = focus_text(&focus, TextStyle::Plain);
        assert!(text.contains("owls · focus 0.62 (95 % interval 0.60 to 0.65)"), "{text}");
        assert!(text.contains("8 members and 1 page linked from them: 7 on the topic"), "{text}");
        assert!(text.contains(" 12.5 %  off topic   https://example.org/trains"), "{text}");
        assert!(!text.contains('\u{1b}'));
    }
}
