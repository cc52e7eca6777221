//! The sections on spider traps, links that were not followed, and remarks.

use super::markup::element;
use super::section::SectionBody;
use super::table::{number_column, text_column};
use super::view::View;

/// Returns the content of the section on spider traps.
pub(super) fn traps(view: &View) -> Option<SectionBody> {
    let traps = &view.report.traps;
    SectionBody::counted(traps.len() as u64, || {
        let columns = [
            text_column("pattern"),
            text_column("kind"),
            number_column("not followed"),
            text_column("example"),
            text_column("flag that enters it"),
        ];
        view.table("Spider traps", columns, traps, traps.len() as u64, |trap| {
            [
                element("code", [], trap.pattern.as_str()),
                trap.kind.as_str().into(),
                trap.count.into(),
                view.urls.link(&trap.example),
                element("code", [], trap.flag.as_str()),
            ]
        })
    })
}

/// Returns the content of the section on links that were not followed.
pub(super) fn not_followed(view: &View) -> Option<SectionBody> {
    let rows = &view.report.not_followed;
    let links = rows.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
    SectionBody::counted(links, || {
        let columns = [text_column("reason"), number_column("links")];
        view.table("Links not followed", columns, rows, rows.len() as u64, |(reason, count)| {
            [reason.as_str().into(), (*count).into()]
        })
    })
}

/// Returns the content of the section on further remarks.
pub(super) fn notes(view: &View) -> Option<SectionBody> {
    let notes = &view.report.notes;
    SectionBody::counted(notes.len() as u64, || {
        view.table("Notes on the crawl", [text_column("note")], notes, notes.len() as u64, |note| {
            [note.as_str().into()]
        })
    })
}
