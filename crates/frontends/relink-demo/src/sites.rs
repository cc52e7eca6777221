//! Neighbors of the library: sites that answer every address, each in its way.
//!
//! A status code says little about them. What they say to an address they do
//! not know looks like a page, what looks like an error is one of their best
//! articles, and some were something else a year ago.

mod changed;
mod closed;
mod frame;
mod society;
mod soft;
mod sound;
mod walls;

use self::frame::Frame;
use crate::answer::CannedResponse;
use crate::visit::Visit;

pub(crate) use self::changed::KEEPSAKES;

/// A site with rules of its own.
#[derive(Debug)]
struct Site {
    host: &'static str,
    /// What its pages share, and the good ones among them.
    frame: &'static Frame,
    /// What it says to any other address.
    otherwise: fn(&Frame, &Visit) -> CannedResponse,
}

/// Every site, by what it shows.
const FAMILIES: [&[Site]; 6] =
    [soft::SITES, changed::SITES, closed::SITES, walls::SITES, sound::SITES, society::SITES];

/// The names of the sites.
pub(crate) fn hosts() -> impl Iterator<Item = &'static str> {
    sites().map(|site| site.host)
}

/// Host and path of every good page of theirs.
pub(crate) fn good_pages() -> impl Iterator<Item = String> {
    let pages = |site: &'static Site| {
        site.frame.leaves.iter().map(|leaf| format!("{}{}", site.host, leaf.path))
    };
    sites().flat_map(pages)
}

/// What the site that is asked says; `None` if there is no such site.
pub(crate) fn answer(visit: &Visit) -> Option<CannedResponse> {
    let site = sites().find(|site| site.host == visit.request.host)?;
    let leaf = site.frame.leaf(&visit.request.target());
    Some(leaf.unwrap_or_else(|| (site.otherwise)(site.frame, visit)))
}

fn sites() -> impl Iterator<Item = &'static Site> {
    FAMILIES.into_iter().flatten()
}
