//! How the crawl went: what it avoided, what it left aside, what hosts wanted.

use super::markup::element;
use super::part::Body;
use super::table::{numbers, words};
use super::view::View;

pub(super) fn traps(view: &View) -> Option<Body> {
    let traps = &view.report.traps;
    Body::counted(traps.len() as u64, || {
        let columns =
            [words("pattern"), words("what it is"), numbers("not entered"), words("for example")];
        view.table("What was not entered", columns, traps, traps.len() as u64, |trap| {
            [
                element("code", [], trap.pattern.as_str()),
                trap.kind.as_str().into(),
                trap.count.into(),
                view.addresses.link(&trap.example),
            ]
        })
    })
}

pub(super) fn left_aside(view: &View) -> Option<Body> {
    let aside = &view.report.not_followed;
    let links = aside.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
    Body::counted(links, || {
        let columns = [words("why"), numbers("links")];
        view.table("Why not", columns, aside, aside.len() as u64, |(why, count)| {
            [why.as_str().into(), (*count).into()]
        })
    })
}

pub(super) fn notes(view: &View) -> Option<Body> {
    let notes = &view.report.notes;
    Body::counted(notes.len() as u64, || {
        view.table("Notes on the crawl", [words("note")], notes, notes.len() as u64, |note| {
            [note.as_str().into()]
        })
    })
}
