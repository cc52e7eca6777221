//! An old page, split into the texts that programs can extract.

use std::borrow::Cow;

use jiff::civil::Date;

use super::{DatePart, HostPart, TextSource, TitlePiece};
use crate::OldPage;

/// Separators between the parts of a title.
const TITLE_SEPARATORS: [&str; 9] =
    [" | ", " - ", " \u{2013} ", " \u{2014} ", " :: ", " \u{b7} ", " \u{bb} ", " \u{ab} ", " / "];

/// Tracking parameters, in addition to those that start with `utm_`.
const TRACKING_PARAMETERS: [&str; 4] = ["fbclid", "gclid", "mc_cid", "mc_eid"];

/// An old page, parsed once for all programs.
#[derive(Debug)]
pub(super) struct ParsedOldPage<'a> {
    pub(super) host: &'a str,
    pub(super) path: Vec<&'a str>,
    /// Whether the path ends with a slash.
    pub(super) is_slashed: bool,
    pub(super) raw_query: Option<&'a str>,
    /// The query parameters without tracking parameters: names and values.
    pub(super) query: Vec<(&'a str, &'a str)>,
    pub(super) title: Option<&'a str>,
    pub(super) date: Option<Date>,
}

/// A text extracted from an old page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExtractedText<'a> {
    pub(super) text: Cow<'a, str>,
    /// Whether it may contain percent-escapes.
    pub(super) is_escaped: bool,
}

impl<'a> ParsedOldPage<'a> {
    pub(super) fn new(page: &'a OldPage) -> Self {
        let path = page.url.path();
        Self {
            host: page.url.host_str().unwrap_or_default(),
            path: path.split('/').filter(|component| !component.is_empty()).collect(),
            is_slashed: path.len() > 1 && path.ends_with('/'),
            raw_query: page.url.query(),
            query: page.url.query().map(parameters).unwrap_or_default(),
            title: page.title.as_deref(),
            date: page.date,
        }
    }

    /// Returns the text of a source, if the page has it.
    pub(super) fn extract(&self, source: &TextSource) -> Option<ExtractedText<'a>> {
        let escaped = |text: &'a str| ExtractedText { text: Cow::Borrowed(text), is_escaped: true };
        match source {
            TextSource::Path(at) => Some(escaped(nth(&self.path, *at)?)),
            TextSource::Query(name) => {
                let has_name = |(own_name, _): &&(&str, &str)| own_name.eq_ignore_ascii_case(name);
                self.query.iter().find(has_name).map(|(_, value)| escaped(value))
            }
            TextSource::Label(at) => {
                let labels: Vec<&str> = self.host.split('.').collect();
                Some(escaped(nth(&labels, *at)?))
            }
            TextSource::Host(HostPart::Whole) => Some(escaped(self.host)),
            TextSource::Host(HostPart::Bare) => {
                Some(escaped(self.host.strip_prefix("www.").unwrap_or(self.host)))
            }
            TextSource::Title(piece) => {
                let text = Cow::Borrowed(title_piece(self.title?, *piece)?);
                Some(ExtractedText { text, is_escaped: false })
            }
            TextSource::Date(part) => {
                let text = Cow::Owned(date_part(self.date?, *part));
                Some(ExtractedText { text, is_escaped: false })
            }
        }
    }
}

/// Returns the parameters of a query, without tracking parameters.
fn parameters(query: &str) -> Vec<(&str, &str)> {
    let all = query.split('&').filter(|parameter| !parameter.is_empty());
    let named = all.map(|parameter| parameter.split_once('=').unwrap_or(("", parameter)));
    named.filter(|(name, _)| !is_tracking(name)).collect()
}

fn is_tracking(name: &str) -> bool {
    name.starts_with("utm_") || TRACKING_PARAMETERS.contains(&name)
}

/// Returns the element at a position, from 0 at the start or -1 at the end.
pub(super) fn nth<T: Copy>(all: &[T], at: i32) -> Option<T> {
    let back = usize::try_from(at.unsigned_abs()).ok()?;
    let index = if at < 0 { all.len().checked_sub(back)? } else { back };
    all.get(index).copied()
}

fn title_piece(title: &str, piece: TitlePiece) -> Option<&str> {
    let title = title.trim();
    let separators = TITLE_SEPARATORS.iter();
    let piece = match piece {
        TitlePiece::Whole => title,
        TitlePiece::First => {
            title.get(..separators.filter_map(|separator| title.find(separator)).min()?)?
        }
        TitlePiece::Last => {
            let end = |separator: &&str| Some(title.rfind(*separator)? + separator.len());
            title.get(separators.filter_map(end).max()?..)?
        }
    };
    Some(piece.trim()).filter(|piece| !piece.is_empty())
}

fn date_part(date: Date, part: DatePart) -> String {
    match part {
        DatePart::Year => format!("{:04}", date.year()),
        DatePart::Month => format!("{:02}", date.month()),
        DatePart::Day => format!("{:02}", date.day()),
    }
}
