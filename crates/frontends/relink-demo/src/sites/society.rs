//! The Historical Society, which has moved most of its pages about.

use super::Site;
use super::frame::{Frame, Titles, leaf};
use crate::answer::CannedResponse;
use crate::behavior;
use crate::departed::{DEPARTED, page};
use crate::visit::Visit;

/// The site.
pub(super) const SITES: &[Site] =
    &[Site { host: "society.test", frame: &SOCIETY, otherwise: moved_pages }];

/// What moved, at its new address; nothing redirects there any more.
fn moved_pages(_: &Frame, visit: &Visit) -> CannedResponse {
    let is_here = |path: &str| path == visit.request.path;
    match DEPARTED.iter().find(|it| it.new.is_some_and(is_here)) {
        Some(departed) => CannedResponse::page(page(departed.title)),
        None => behavior::not_found(),
    }
}

const SOCIETY: Frame = Frame {
    name: "Historical Society",
    menu: &["Articles", "Lives", "Postbag", "Complaints"],
    foot: "The society meets when there is a quorum, which is two and a kettle.",
    titles: Titles::OfPage,
    leaves: &[
        leaf(
            "/welcome",
            "Welcome to the society",
            "We have a new site. Everything that was on the old one is on this one, except for \
             what is not, and all of it is somewhere else. The secretary knows where, and is \
             away until the end of the month, on the spring tour, for which the tickets were \
             on the old site. Please knock at the side door and mind the globe.",
        ),
        leaf(
            "/lives/hester-orchard",
            "Hester Orchard",
            "She wrote the first four thousand cards of the catalog in a hand that has not \
             faded, and asked every reader what they had thought of the book. The answers are \
             on the backs. She kept bees, a ledger of apologies and a rule against whistling.",
        ),
        leaf(
            "/lives/josiah-quill",
            "Josiah Quill",
            "Clock mender, flautist and second librarian, never once on time. He numbered the \
             shelves twice, the second time from the other end, and left a key to the two \
             systems in a third. His flute is in the archive, and his overcoat is in use.",
        ),
        leaf(
            "/lives/nora-haskell",
            "Nora Haskell",
            "She came for a week to dust the maps and stayed for thirty years. She took the \
             night train to the county town whenever a book was overdue there, and brought it \
             back. The timetable she annotated is still the only one that is right.",
        ),
    ],
};
