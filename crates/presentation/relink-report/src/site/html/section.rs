//! The sections of the page, in order, with the advice for each.

use super::markup::{Markup, element};
use super::view::View;
use super::{
    changes, crawl_notes, depth, findings, hosts, links, pages, priorities, statuses, tree,
};
use crate::human::grouped;

/// The content of a section.
#[derive(Debug)]
pub(super) struct SectionBody {
    /// The number of items in the section.
    pub(super) count: Option<u64>,
    /// The content.
    pub(super) markup: Markup,
}

impl SectionBody {
    /// Creates a section with a number of items; `None` if there are none.
    pub(super) fn counted(count: u64, markup: impl FnOnce() -> Markup) -> Option<Self> {
        (count > 0).then(|| Self { count: Some(count), markup: markup() })
    }
}

/// A section of the page: its fixed texts, and the function that renders its content.
pub(super) struct Section {
    id: &'static str,
    title: &'static str,
    /// The advice.
    advice: &'static str,
    /// The text if the section is empty.
    pub(super) empty: &'static str,
    body: fn(&View) -> Option<SectionBody>,
}

impl Section {
    /// Renders the entry in the table of contents, and the section. Returns `None` if the
    /// section is empty.
    pub(super) fn render(&self, view: &View) -> Option<(Markup, Markup)> {
        let body = (self.body)(view)?;
        let count: Markup = body.count.map(|count| count_tag(&grouped(count))).into();
        let link = element("a", [("href", &format!("#{}", self.id))], self.title);
        let entry = element("li", [], [link, count.clone()]);
        let heading = element("h2", [], [self.title.into(), count]);
        let section =
            element("section", [("id", self.id)], [heading, advice(self.advice), body.markup]);
        Some((entry, section))
    }
}

/// Renders a number of items, next to a heading.
fn count_tag(text: &str) -> Markup {
    [" ".into(), element("span", [("class", "count")], text)].into()
}

/// Renders the advice of a section.
fn advice(text: &str) -> Markup {
    let label = element("strong", [], "What to do: ");
    element("p", [("class", "advice")], [label, text.into()])
}

/// All sections: findings first, then properties of the site, then notes on the
/// crawl.
pub(super) const SECTIONS: [Section; 18] = [
    Section {
        id: "priorities",
        title: "Most important",
        advice: "start here; each of these fixes many links at once or protects readers.",
        empty: "No finding is more important than the others.",
        body: priorities::body,
    },
    Section {
        id: "changes",
        title: "Changes since the previous crawl",
        advice: "check the regressions first: these URLs worked before.",
        empty: "There is no earlier finished crawl of this site to compare with.",
        body: changes::body,
    },
    Section {
        id: "findings",
        title: "Findings",
        advice: "start at the top: findings that many pages link to, and that are close to the \
                 start page, affect most readers.",
        empty: "No findings.",
        body: findings::body,
    },
    Section {
        id: "chains",
        title: "Redirects",
        advice: "link to the last URL directly; every redirect takes time and may break.",
        empty: "No link is redirected.",
        body: links::chains,
    },
    Section {
        id: "fragments",
        title: "Missing anchors",
        advice: "add the id to the page, or change the links; readers now arrive at the top of \
                 the page.",
        empty: "All linked anchors exist.",
        body: links::fragments,
    },
    Section {
        id: "mixed",
        title: "Mixed content",
        advice: "load these resources over HTTPS; browsers block HTTP resources of HTTPS pages \
                 or warn about them.",
        empty: "No HTTPS page loads HTTP resources.",
        body: links::mixed,
    },
    Section {
        id: "orphans",
        title: "Orphan pages",
        advice: "link to them from a suitable page, or remove them from the sitemap.",
        empty: "All pages in sitemaps are linked.",
        body: pages::orphans,
    },
    Section {
        id: "titles",
        title: "Duplicate titles",
        advice: "give each page its own title, or declare one of them as the canonical page.",
        empty: "No two pages have the same title.",
        body: pages::titles,
    },
    Section {
        id: "depth",
        title: "Links by depth",
        advice: "set the depth limit of the next crawl to the depth from which few new links \
                 appear, and link important pages closer to the start page.",
        empty: "No links were read.",
        body: depth::body,
    },
    Section {
        id: "templates",
        title: "Template links",
        advice: "fix these in the template: one edit applies to every page.",
        empty: "No link occurs on nearly every page.",
        body: depth::templates,
    },
    Section {
        id: "directories",
        title: "Directories",
        advice: "if a whole directory is gone, one redirect fixes all of its links.",
        empty: "No directory of the site was read.",
        body: tree::body,
    },
    Section {
        id: "statuses",
        title: "URLs by status class",
        advice: "if many URLs have no response, check your network connection first.",
        empty: "No requests were sent.",
        body: statuses::body,
    },
    Section {
        id: "slowest",
        title: "Slowest pages",
        advice: "find out what slows these pages down, and consider caching it.",
        empty: "No page was timed.",
        body: pages::slowest,
    },
    Section {
        id: "largest",
        title: "Largest pages",
        advice: "split or shrink them; the size is that of the HTML, without images.",
        empty: "No page was measured.",
        body: pages::largest,
    },
    Section {
        id: "hosts",
        title: "Hosts",
        advice: "if the wait time is longer than the request time, a shorter Crawl-delay in \
                 robots.txt makes the next crawl faster.",
        empty: "No host was contacted.",
        body: hosts::body,
    },
    Section {
        id: "traps",
        title: "Spider traps",
        advice: "exclude them for search engines too, with robots.txt, rel=nofollow or \
                 rel=canonical.",
        empty: "No spider trap was found.",
        body: crawl_notes::traps,
    },
    Section {
        id: "not-followed",
        title: "Links not followed",
        advice: "raise the limit or change the pattern if one of these should be followed.",
        empty: "All links were followed.",
        body: crawl_notes::not_followed,
    },
    Section {
        id: "notes",
        title: "Notes",
        advice: "check whether a limit or a robots.txt rule excluded important pages.",
        empty: "No further notes.",
        body: crawl_notes::notes,
    },
];
