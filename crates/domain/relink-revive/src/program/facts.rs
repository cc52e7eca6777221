//! An old page as programs see it.

use std::borrow::Cow;

use jiff::civil::Date;

use super::{DatePart, HostPart, TextSource, TitlePiece};
use crate::OldPage;

/// What divides the pieces of a title.
const TITLE_DIVIDERS: [&str; 9] =
    [" | ", " - ", " \u{2013} ", " \u{2014} ", " :: ", " \u{b7} ", " \u{bb} ", " \u{ab} ", " / "];

/// Parameters that only track readers, beside those that begin with `utm_`.
const TRACKING: [&str; 4] = ["fbclid", "gclid", "mc_cid", "mc_eid"];

/// An old page, taken apart once for all programs.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) host: &'a str,
    pub(super) path: Vec<&'a str>,
    pub(super) is_slashed: bool,
    pub(super) raw_query: Option<&'a str>,
    pub(super) query: Vec<(&'a str, &'a str)>,
    pub(super) title: Option<&'a str>,
    pub(super) date: Option<Date>,
}

/// A text from an old page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExtractedText<'a> {
    pub(super) text: Cow<'a, str>,
    /// Whether it may hold percent-escapes.
    pub(super) is_escaped: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn of(page: &'a OldPage) -> Self {
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

    /// The text of a source, if the page has it.
    pub(super) fn find(&self, source: &TextSource) -> Option<ExtractedText<'a>> {
        let escaped = |text: &'a str| ExtractedText { text: Cow::Borrowed(text), is_escaped: true };
        match source {
            TextSource::Path(at) => Some(escaped(nth(&self.path, *at)?)),
            TextSource::Query(name) => {
                let same = |(own, _): &&(&str, &str)| own.eq_ignore_ascii_case(name);
                self.query.iter().find(same).map(|(_, value)| escaped(value))
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

/// The parameters of a query, those that only track readers left out.
fn parameters(query: &str) -> Vec<(&str, &str)> {
    let all = query.split('&').filter(|parameter| !parameter.is_empty());
    let named = all.map(|parameter| parameter.split_once('=').unwrap_or(("", parameter)));
    named.filter(|(name, _)| !is_tracking(name)).collect()
}

fn is_tracking(name: &str) -> bool {
    name.starts_with("utm_") || TRACKING.contains(&name)
}

/// The element at a place that counts from 0 at the front or -1 at the back.
pub(super) fn nth<T: Copy>(all: &[T], at: i32) -> Option<T> {
    let back = usize::try_from(at.unsigned_abs()).ok()?;
    let index = if at < 0 { all.len().checked_sub(back)? } else { back };
    all.get(index).copied()
}

fn title_piece(title: &str, piece: TitlePiece) -> Option<&str> {
    let title = title.trim();
    let dividers = TITLE_DIVIDERS.iter();
    let piece = match piece {
        TitlePiece::Whole => title,
        TitlePiece::First => {
            title.get(..dividers.filter_map(|divider| title.find(divider)).min()?)?
        }
        TitlePiece::Last => {
            let end = |divider: &&str| Some(title.rfind(*divider)? + divider.len());
            title.get(dividers.filter_map(end).max()?..)?
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
