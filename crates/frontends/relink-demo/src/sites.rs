//! Sites with their own response for unknown URLs.
//!
//! A checker cannot recognize the faults of these sites by the status code. Some error pages
//! have status 200, some good pages look like error pages, and some pages had other content a
//! year ago.

mod changed;
mod closed;
mod healthy;
mod reading;
mod society;
mod soft_404;
mod template;
mod walls;

use self::template::PageTemplate;
use crate::received_request::ReceivedRequest;
use crate::response::CannedResponse;

pub(crate) use self::changed::PREVIOUSLY_VISITED;
pub(crate) use self::reading::{READING_LIST, REPLACEMENT};

/// A site with its own response for unknown URLs.
#[derive(Debug)]
struct Site {
    host: &'static str,
    /// The template and the good pages.
    template: &'static PageTemplate,
    /// Responds to all other URLs.
    fallback: fn(&PageTemplate, &ReceivedRequest) -> CannedResponse,
}

/// All sites, grouped by the kind of fault.
const SITE_GROUPS: [&[Site]; 7] = [
    soft_404::SITES,
    changed::SITES,
    closed::SITES,
    walls::SITES,
    healthy::SITES,
    society::SITES,
    reading::SITES,
];

/// Returns the host names of the sites.
pub(crate) fn hosts() -> impl Iterator<Item = &'static str> {
    sites().map(|site| site.host)
}

/// Returns host and path of every good page.
pub(crate) fn good_pages() -> impl Iterator<Item = String> {
    let pages = |site: &'static Site| {
        site.template.pages.iter().map(|page| format!("{}{}", site.host, page.path))
    };
    sites().flat_map(pages)
}

/// Returns the response of the requested site, or `None` if there is no such site.
pub(crate) fn respond(received: &ReceivedRequest) -> Option<CannedResponse> {
    let site = sites().find(|site| site.host == received.request.host)?;
    let good_page = site.template.good_page(&received.request.target());
    Some(good_page.unwrap_or_else(|| (site.fallback)(site.template, received)))
}

/// Returns the sites of all groups.
fn sites() -> impl Iterator<Item = &'static Site> {
    SITE_GROUPS.into_iter().flatten()
}
