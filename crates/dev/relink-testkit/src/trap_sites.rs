//! Sites with spider traps, as pure functions from a URL to a response.
//!
//! A *spider trap* is an endless set of generated pages, such as the months of a calendar.
//! A *real page* is a page that a crawl should find. Every site has the same real pages and
//! one trap, to which the home page and all real pages link. Some traps contain real pages
//! of their own.
//!
//! The sites can be crawled without HTTP, to test the rules of a crawl, and through a
//! [`TestServer`](crate::web::TestServer). In the submodules, there is one function per
//! trap. It returns the response to a request, or `None` if the path is not in the trap.

mod content;
mod dated;
mod facets;
mod generated;
mod histories;
mod invented;
mod invented_more;
mod large_site;
mod linked;
mod repeated;
mod request;

pub use content::prose;
pub use large_site::{LargeSite, MemberSite};
pub use request::{SiteRequest, SiteResponse};

use content::{home_page, real_page, real_paths};

/// The text of the pages of a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrapText {
    /// Pages repeat, reorder or select known text.
    Known,
    /// Every page has text of its own.
    Unique,
}

/// A site with one spider trap.
#[derive(Debug, Clone, Copy)]
pub struct TrapSite {
    /// The name of the trap.
    pub name: &'static str,
    /// Whether the pages of the trap have text of their own.
    pub text: TrapText,
    /// The page that leads into the trap.
    entry: &'static str,
    /// Returns the paths of the real pages of the trap. Every site has further real pages.
    real_pages: fn() -> Vec<String>,
    /// The pages of the trap, or `None` if the path does not belong to it.
    respond: fn(&SiteRequest) -> Option<SiteResponse>,
}

impl TrapSite {
    const fn new(
        name: &'static str,
        entry: &'static str,
        respond: fn(&SiteRequest) -> Option<SiteResponse>,
    ) -> Self {
        Self { name, text: TrapText::Known, entry, real_pages: Vec::new, respond }
    }

    /// Declares that every page of the trap has text of its own.
    const fn with_unique_text(self) -> Self {
        Self { text: TrapText::Unique, ..self }
    }

    /// Adds real pages that only this site has. `real_pages` returns their paths.
    const fn with_real_pages(self, real_pages: fn() -> Vec<String>) -> Self {
        Self { real_pages, ..self }
    }

    /// Returns the paths of all real pages.
    pub fn real_pages(&self) -> Vec<String> {
        let mut paths = real_paths();
        paths.extend((self.real_pages)());
        paths
    }

    /// Returns the response to a path with its query.
    pub fn respond(&self, target: &str) -> SiteResponse {
        let request = SiteRequest::parse(target);
        if let Some(response) = (self.respond)(&request) {
            return response;
        }
        let link_to_trap = (self.entry.to_owned(), "Browse".to_owned());
        let page = match request.path.as_str() {
            "/" => Some(home_page()),
            path => real_page(path),
        };
        page.map_or(SiteResponse::Missing, |mut page| {
            page.links.push(link_to_trap);
            SiteResponse::Page(page.to_html())
        })
    }
}

/// Returns the sites that the rules against traps were written for.
pub fn known_sites() -> Vec<TrapSite> {
    [
        facets::SITES,
        generated::SITES,
        histories::SITES,
        repeated::SITES,
        dated::SITES,
        linked::SITES,
    ]
    .concat()
}

/// Returns the sites that no rule was adapted to. They measure how general the
/// rules are.
pub fn unseen_sites() -> Vec<TrapSite> {
    [invented::SITES, invented_more::SITES].concat()
}
