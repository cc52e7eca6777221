//! Sites that answer 200 where nothing is, each in another way, with good
//! pages beside it.

mod frames;
mod offers;

use self::frames::{
    BAKERY, BIBLIOTECA, FERRY, HARBOR, MARKET, MUSEUM, NURSERY, RECORDS, THEATER, TOWER, WEEKLY,
};
use self::offers::{GOODS, PLANTS, PRAISE, REMARKS};
use super::Site;
use super::frame::{Frame, honest};
use crate::answer::CannedResponse;
use crate::behavior;
use crate::visit::Visit;

/// The sites.
pub(super) const SITES: &[Site] = &[
    Site { host: "museum.test", frame: &MUSEUM, otherwise: one_error_page },
    Site { host: "theater.test", frame: &THEATER, otherwise: echo },
    Site { host: "bakery.test", frame: &BAKERY, otherwise: to_the_front },
    Site { host: "tower.test", frame: &TOWER, otherwise: refresh_to_the_front },
    Site { host: "harbor.test", frame: &HARBOR, otherwise: to_an_error_page },
    Site { host: "market.test", frame: &MARKET, otherwise: to_a_search },
    Site { host: "ferry.test", frame: &FERRY, otherwise: the_front_itself },
    Site { host: "nursery.test", frame: &NURSERY, otherwise: recommendations },
    Site { host: "records.test", frame: &RECORDS, otherwise: no_such_record },
    Site { host: "weekly.test", frame: &WEEKLY, otherwise: honest },
    Site { host: "biblioteca.test", frame: &BIBLIOTECA, otherwise: deleted_work },
];

/// One and the same error page.
fn one_error_page(frame: &Frame, _: &Visit) -> CannedResponse {
    frame.page(
        "Page not found",
        "We have looked in every drawer. What you were sent to is not on this site, or has been \
         put back in the wrong place. The menu above leads to everything that can be found.",
    )
}

/// An error page that repeats the address and tells a number and the time.
fn echo(frame: &Frame, visit: &Visit) -> CannedResponse {
    let (path, number) = (&visit.request.path, visit.number);
    let (mark, minute, second) = (visit.pick(0, 0xffff_ffff), visit.pick(1, 60), visit.pick(2, 60));
    let text = format!(
        "Nobody answers to the name of {path} in this house. If you write to the box office, \
         please mention number {mark:08x}-{number} and the time, 19:{minute:02}:{second:02}."
    );
    frame.page("An error occurred", &text)
}

/// A redirect to the front page.
fn to_the_front(_: &Frame, _: &Visit) -> CannedResponse {
    CannedResponse::redirect(302, "/")
}

/// A page that sends its reader to the front page at once.
fn refresh_to_the_front(frame: &Frame, _: &Visit) -> CannedResponse {
    let head = "<meta http-equiv=\"refresh\" content=\"0; url=/\">\n";
    CannedResponse::page(frame.html(head, "One moment", "<p>You are being led to the stairs.</p>"))
}

/// A redirect to an error page, which is answered as if all were well.
fn to_an_error_page(frame: &Frame, visit: &Visit) -> CannedResponse {
    if visit.request.path != "/sorry/page-not-found.html" {
        return CannedResponse::redirect(302, "/sorry/page-not-found.html");
    }
    frame.page(
        "Lost at sea",
        "There is no such berth in this harbor. It may have been filled in, renamed or sold to \
         the next town. The harbor master keeps a list of what is left, and you will find it \
         under the first entry of the menu.",
    )
}

/// A redirect to a search for the name that was asked for, which finds nothing
/// and shows other things at each visit.
fn to_a_search(frame: &Frame, visit: &Visit) -> CannedResponse {
    if visit.request.path != "/search" {
        return CannedResponse::redirect(302, &format!("/search?q={}", visit.request.name()));
    }
    let sought = visit.request.query.strip_prefix("q=").unwrap_or_default();
    let offers = offers(visit, &GOODS, &REMARKS);
    let body = format!(
        "<p>Your search for {sought} has no results.</p>\n\
         <h2>Others were glad to find</h2>\n<ul>\n{offers}</ul>"
    );
    CannedResponse::page(frame.html("", "Search", &body))
}

/// The front page's text, at the address that was asked for.
fn the_front_itself(frame: &Frame, visit: &Visit) -> CannedResponse {
    frame.leaf("/").unwrap_or_else(|| honest(frame, visit))
}

/// A word of regret and recommendations, other ones at each visit.
fn recommendations(frame: &Frame, visit: &Visit) -> CannedResponse {
    let offers = offers(visit, &PLANTS, &PRAISE);
    let body = format!(
        "<p>We no longer grow what you asked for.</p>\n\
         <h2>You may also like</h2>\n<ul>\n{offers}</ul>"
    );
    CannedResponse::page(frame.html("", "Sorry, sold out", &body))
}

/// Ten things, other ones at each visit.
fn offers(visit: &Visit, things: &[&str], remarks: &[&str]) -> String {
    let offer = |draw: u64| {
        let thing = things[visit.pick(2 * draw, things.len())];
        let remark = remarks[visit.pick(2 * draw + 1, remarks.len())];
        format!("<li>{thing}, {remark}</li>\n")
    };
    (0..10).map(offer).collect()
}

/// A record that does not exist, and honesty about everything else.
fn no_such_record(frame: &Frame, visit: &Visit) -> CannedResponse {
    if visit.request.path != "/record" {
        return behavior::not_found();
    }
    frame.page("Parish records", "No such record. Please check the number and try again.")
}

/// A work that was taken out, and honesty about numbers never given.
fn deleted_work(frame: &Frame, visit: &Visit) -> CannedResponse {
    let is_given = visit.request.name().parse().is_ok_and(|number: u32| number <= 400);
    if !visit.request.path.starts_with("/obras/") || !is_given {
        return behavior::not_found();
    }
    let head = "<meta name=\"robots\" content=\"noindex\">\n";
    let body = "<p>La obra que buscas ha sido eliminada del catálogo o no existe.</p>";
    CannedResponse::page(frame.html(head, "Obra no encontrada", body))
}
