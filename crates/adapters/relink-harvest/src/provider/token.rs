//! Resumption tokens, which request the next page of a list. A token contains the whole
//! state of the list, so it never expires. Its form is `AFTER!PREFIX!FROM!UNTIL!SET`.

use std::fmt;

use jiff::Timestamp;

use super::arguments::Selection;
use super::record_xml::MetadataPrefix;

/// The position in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListToken {
    pub(super) selection: Selection,
    /// The id of the last record of the previous page.
    pub(super) after: i64,
}

impl ListToken {
    /// Starts a list.
    pub(super) fn first(selection: Selection) -> Self {
        Self { selection, after: 0 }
    }

    /// Returns the position after a record.
    pub(super) fn next(&self, after: i64) -> Self {
        Self { selection: self.selection.clone(), after }
    }

    /// Parses a token. Returns `None` if the token is invalid.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('!');
        let after = parts.next()?.parse().ok().filter(|after| *after > 0)?;
        let prefix = MetadataPrefix::parse(parts.next()?)?;
        let (from, until) = (parts.next()?, parts.next()?);
        let from = if from.is_empty() { None } else { Some(parse_milliseconds(from)?) };
        let until = if until.is_empty() { None } else { Some(parse_milliseconds(until)?) };
        let set = Some(parts.next()?.to_owned()).filter(|set| !set.is_empty());
        let is_complete = parts.next().is_none();
        is_complete.then_some(Self { selection: Selection { prefix, set, from, until }, after })
    }
}

/// Parses a time, given in milliseconds since 1970.
fn parse_milliseconds(text: &str) -> Option<Timestamp> {
    Timestamp::from_millisecond(text.parse().ok()?).ok()
}

impl fmt::Display for ListToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Selection { prefix, set, from, until } = &self.selection;
        let milliseconds = |time: &Option<Timestamp>| {
            time.map(|time| time.as_millisecond().to_string()).unwrap_or_default()
        };
        let set = set.as_deref().unwrap_or_default();
        let (from, until) = (milliseconds(from), milliseconds(until));
        write!(f, "{}!{}!{from}!{until}!{set}", self.after, prefix.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_round_trip_and_junk_is_rejected() {
        let selection = Selection {
            prefix: MetadataPrefix::Lom,
            set: Some("lre".to_owned()),
            from: Timestamp::from_millisecond(1_000).ok(),
            until: None,
        };
        let token = ListToken::first(selection).next(7);
        assert_eq!(token.to_string(), "7!oai_lom!1000!!lre");
        assert_eq!(ListToken::parse("7!oai_lom!1000!!lre"), Some(token));
        for junk in ["", "junk", "0!oai_dc!!!", "7!x!!!", "7!oai_dc!a!!", "7!oai_dc!!!a!b"] {
            assert_eq!(ListToken::parse(junk), None, "{junk}");
        }
    }
}
