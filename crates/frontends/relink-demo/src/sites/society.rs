//! The Historical Society, whose pages moved to new URLs.

use super::Site;
use super::template::{PageTemplate, TitleStyle, good_page};
use crate::behavior;
use crate::lost_pages::{LOST_PAGES, page};
use crate::received_request::ReceivedRequest;
use crate::response::CannedResponse;

/// The site.
pub(super) const SITES: &[Site] =
    &[Site { host: "society.test", template: &SOCIETY, fallback: moved_page }];

/// Serves the moved pages at their new URLs. The old URLs do not redirect.
fn moved_page(_: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    let is_requested = |path: &str| path == received.request.path;
    match LOST_PAGES.iter().find(|page| page.new.is_some_and(is_requested)) {
        Some(lost_page) => CannedResponse::page(page(lost_page.title)),
        None => behavior::not_found(),
    }
}

const SOCIETY: PageTemplate = PageTemplate {
    name: "Historical Society",
    menu: &["Articles", "Lives", "Postbag", "Complaints"],
    footer: "The society meets when there is a quorum, which is two and a kettle.",
    title_style: TitleStyle::PageOnly,
    pages: &[
        good_page(
            "/welcome",
            "Welcome to the society",
            "We have a new site. Everything that was on the old one is on this one, except for \
             what is not, and all of it is somewhere else. The secretary knows where, and is \
             away until the end of the month, on the spring tour, for which the tickets were \
             on the old site. Please knock at the side door and mind the globe.",
        ),
        good_page(
            "/lives/hester-orchard",
            "Hester Orchard",
            "She wrote the first four thousand cards of the catalog in a hand that has not \
             faded, and asked every reader what they had thought of the book. The answers are \
             on the backs. She kept bees, a ledger of apologies and a rule against whistling.",
        ),
        good_page(
            "/lives/josiah-quill",
            "Josiah Quill",
            "Clock mender, flautist and second librarian, never once on time. He numbered the \
             shelves twice, the second time from the other end, and left a key to the two \
             systems in a third. His flute is in the archive, and his overcoat is in use.",
        ),
        good_page(
            "/lives/nora-haskell",
            "Nora Haskell",
            "She came for a week to dust the maps and stayed for thirty years. She took the \
             night train to the county town whenever a book was overdue there, and brought it \
             back. The timetable she annotated is still the only one that is right.",
        ),
    ],
};
