//! Sites with soft-404s: they respond to unknown URLs with status 200 or a redirect, each
//! site in a different way. They have good pages too.

mod offers;
mod templates;

use self::offers::{GOODS, PLANTS, PRAISE, REMARKS};
use self::templates::{
    BAKERY, BIBLIOTECA, FERRY, HARBOR, MARKET, MUSEUM, NURSERY, RECORDS, THEATER, TOWER, WEEKLY,
};
use super::Site;
use super::template::{PageTemplate, not_found};
use crate::behavior;
use crate::received_request::ReceivedRequest;
use crate::response::CannedResponse;

/// The sites.
pub(super) const SITES: &[Site] = &[
    Site { host: "museum.test", template: &MUSEUM, fallback: one_error_page },
    Site { host: "theater.test", template: &THEATER, fallback: error_page_with_url },
    Site { host: "bakery.test", template: &BAKERY, fallback: redirect_to_home_page },
    Site { host: "tower.test", template: &TOWER, fallback: refresh_to_home_page },
    Site { host: "harbor.test", template: &HARBOR, fallback: redirect_to_error_page },
    Site { host: "market.test", template: &MARKET, fallback: redirect_to_search },
    Site { host: "ferry.test", template: &FERRY, fallback: home_page },
    Site { host: "nursery.test", template: &NURSERY, fallback: recommendations },
    Site { host: "records.test", template: &RECORDS, fallback: no_such_record },
    Site { host: "weekly.test", template: &WEEKLY, fallback: not_found },
    Site { host: "biblioteca.test", template: &BIBLIOTECA, fallback: deleted_work },
];

/// Returns the same error page for all URLs.
fn one_error_page(template: &PageTemplate, _: &ReceivedRequest) -> CannedResponse {
    template.page(
        "Page not found",
        "We have looked in every drawer. What you were sent to is not on this site, or has been \
         put back in the wrong place. The menu above leads to everything that can be found.",
    )
}

/// Returns an error page with the URL, a random number and a random time.
fn error_page_with_url(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    let path = &received.request.path;
    let number = received.nth_overall;
    let mark = received.nth_random_below(0, 0xffff_ffff);
    let minute = received.nth_random_below(1, 60);
    let second = received.nth_random_below(2, 60);
    let text = format!(
        "There is no {path} in this house. If you write to the box office, \
         please mention number {mark:08x}-{number} and the time, 19:{minute:02}:{second:02}."
    );
    template.page("An error occurred", &text)
}

/// Redirects to the home page.
fn redirect_to_home_page(_: &PageTemplate, _: &ReceivedRequest) -> CannedResponse {
    CannedResponse::redirect(302, "/")
}

/// Returns a page with a meta refresh to the home page.
fn refresh_to_home_page(template: &PageTemplate, _: &ReceivedRequest) -> CannedResponse {
    let head = "<meta http-equiv=\"refresh\" content=\"0; url=/\">\n";
    CannedResponse::page(template.html(
        head,
        "One moment",
        "<p>You are being led to the stairs.</p>",
    ))
}

/// Redirects to an error page with status 200.
fn redirect_to_error_page(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    if received.request.path != "/sorry/page-not-found.html" {
        return CannedResponse::redirect(302, "/sorry/page-not-found.html");
    }
    template.page(
        "Lost at sea",
        "There is no such berth in this harbor. It may have been filled in, renamed or sold to \
         the next town. The harbor master keeps a list of what is left, and you will find it \
         under the first entry of the menu.",
    )
}

/// Redirects to a search for the last path component. The search has no results, but
/// random recommendations.
fn redirect_to_search(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    if received.request.path != "/search" {
        return CannedResponse::redirect(302, &format!("/search?q={}", received.request.name()));
    }
    let name = received.request.query.strip_prefix("q=").unwrap_or_default();
    let offers = offers(received, &GOODS, &REMARKS);
    let body = format!(
        "<p>Your search for {name} has no results.</p>\n\
         <h2>Others were glad to find</h2>\n<ul>\n{offers}</ul>"
    );
    CannedResponse::page(template.html("", "Search", &body))
}

/// Returns the home page at every URL.
fn home_page(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    template.good_page("/").unwrap_or_else(|| not_found(template, received))
}

/// Returns an apology with random recommendations.
fn recommendations(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    let offers = offers(received, &PLANTS, &PRAISE);
    let body = format!(
        "<p>We no longer grow what you asked for.</p>\n\
         <h2>You may also like</h2>\n<ul>\n{offers}</ul>"
    );
    CannedResponse::page(template.html("", "Sorry, sold out", &body))
}

/// Returns ten random recommendations.
fn offers(received: &ReceivedRequest, things: &[&str], remarks: &[&str]) -> String {
    // Each recommendation needs two random numbers.
    let offer = |item: u64| {
        let thing = things[received.nth_random_below(2 * item, things.len())];
        let remark = remarks[received.nth_random_below(2 * item + 1, remarks.len())];
        format!("<li>{thing}, {remark}</li>\n")
    };
    (0..10).map(offer).collect()
}

/// Responds to an unknown record with status 200, and to other paths with 404.
fn no_such_record(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    if received.request.path != "/record" {
        return behavior::not_found();
    }
    template.page("Parish records", "No such record. Please check the number and try again.")
}

/// The highest number of a work in the library of the valley.
const LAST_WORK: u32 = 400;

/// Responds to a deleted work with status 200, and to a number that was never assigned with
/// 404.
fn deleted_work(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    let is_assigned = received.request.name().parse().is_ok_and(|number: u32| number <= LAST_WORK);
    if !received.request.path.starts_with("/obras/") || !is_assigned {
        return behavior::not_found();
    }
    let head = "<meta name=\"robots\" content=\"noindex\">\n";
    let body = "<p>La obra que buscas ha sido eliminada del catálogo o no existe.</p>";
    CannedResponse::page(template.html(head, "Obra no encontrada", body))
}
