//! The parts of the page, in their order, with what to do about each.

use super::markup::{Markup, element};
use super::view::View;
use super::{changes, crawl, depth, findings, first, hosts, links, pages, statuses, tree};
use crate::human::grouped;

/// What a part has to show.
#[derive(Debug)]
pub(super) struct Body {
    /// How many of what it lists there are.
    pub(super) count: Option<u64>,
    /// The rest.
    pub(super) markup: Markup,
}

impl Body {
    /// So many of them; nothing if there are none.
    pub(super) fn counted(count: u64, markup: impl FnOnce() -> Markup) -> Option<Self> {
        (count > 0).then(|| Self { count: Some(count), markup: markup() })
    }
}

/// A part of the page.
pub(super) struct Part {
    id: &'static str,
    title: &'static str,
    /// What to do about it, in one sentence.
    advice: &'static str,
    /// What is said if there is nothing to show.
    pub(super) empty: &'static str,
    body: fn(&View) -> Option<Body>,
}

impl Part {
    /// Its line in the contents, and the part itself.
    pub(super) fn section(&self, view: &View) -> Option<(Markup, Markup)> {
        let body = (self.body)(view)?;
        let count: Markup = body.count.map(|count| tag(&grouped(count))).into();
        let link = element("a", [("href", &format!("#{}", self.id))], self.title);
        let entry = element("li", [], [link, count.clone()]);
        let heading = element("h2", [], [self.title.into(), count]);
        let section =
            element("section", [("id", self.id)], [heading, advice(self.advice), body.markup]);
        Some((entry, section))
    }
}

fn tag(text: &str) -> Markup {
    [" ".into(), element("span", [("class", "count")], text)].into()
}

fn advice(text: &str) -> Markup {
    let label = element("strong", [], "What to do: ");
    element("p", [("class", "advice")], [label, text.into()])
}

/// All of them: what is wrong first, then what the site is like, then how the
/// crawl went.
pub(super) const PARTS: [Part; 18] = [
    Part {
        id: "first",
        title: "Do first",
        advice: "begin here; each of these mends many links at once or keeps readers from harm.",
        empty: "Nothing stands out that should be done before the rest.",
        body: first::body,
    },
    Part {
        id: "changes",
        title: "Since the crawl before",
        advice: "look at what regressed first: it worked before, so something has changed.",
        empty: "There is no finished earlier crawl of this site to compare with.",
        body: changes::body,
    },
    Part {
        id: "findings",
        title: "Findings",
        advice: "work from the top: what most pages link to, and what is nearest to the start, \
                 costs readers most.",
        empty: "Nothing is broken.",
        body: findings::body,
    },
    Part {
        id: "chains",
        title: "Redirects",
        advice: "link to the last address directly; every hop costs readers time and may break.",
        empty: "No link is redirected.",
        body: links::chains,
    },
    Part {
        id: "fragments",
        title: "Missing places on pages",
        advice: "give the page the id that links want, or change the links; readers now land at \
                 the top of the page.",
        empty: "Every place on a page that a link wants is there.",
        body: links::fragments,
    },
    Part {
        id: "mixed",
        title: "Mixed content",
        advice: "take these in by https; browsers block or warn of what an encrypted page takes \
                 in unencrypted.",
        empty: "No encrypted page takes in anything unencrypted.",
        body: links::mixed,
    },
    Part {
        id: "orphans",
        title: "Orphan pages",
        advice: "link to them from a page that fits, or take them out of the sitemap.",
        empty: "No page is named by a sitemap alone.",
        body: pages::orphans,
    },
    Part {
        id: "titles",
        title: "Titles that several pages have",
        advice: "give each page its own title, or let one of them be the canonical page.",
        empty: "No two pages have the same title.",
        body: pages::titles,
    },
    Part {
        id: "depth",
        title: "Links by depth",
        advice: "set the depth limit of the next crawl to where little new appears, and bring \
                 nearer to the start what readers should find.",
        empty: "No links were read.",
        body: depth::body,
    },
    Part {
        id: "templates",
        title: "Links that stand on nearly every page",
        advice: "mend these in the template: one edit counts on every page.",
        empty: "No link stands on nearly every page.",
        body: depth::templates,
    },
    Part {
        id: "directories",
        title: "Directories",
        advice: "where a whole directory is gone, one redirect mends all of its links.",
        empty: "No directory of the site was visited.",
        body: tree::body,
    },
    Part {
        id: "statuses",
        title: "Answers by class of status",
        advice: "if many addresses gave no answer at all, check the network of this crawl before \
                 the links.",
        empty: "Nothing was asked.",
        body: statuses::body,
    },
    Part {
        id: "slowest",
        title: "Slowest pages",
        advice: "look for what these pages wait for, and whether it can be kept ready.",
        empty: "No page was timed.",
        body: pages::slowest,
    },
    Part {
        id: "largest",
        title: "Largest pages",
        advice: "split or shrink them; size is what the server sent, without pictures.",
        empty: "No page was measured.",
        body: pages::largest,
    },
    Part {
        id: "hosts",
        title: "Hosts over time",
        advice: "where waiting outweighs asking, a shorter delay in robots.txt makes the next \
                 crawl quicker.",
        empty: "No host was asked.",
        body: hosts::body,
    },
    Part {
        id: "traps",
        title: "Traps avoided",
        advice: "search engines meet these too: keep them out with robots.txt, rel=nofollow or \
                 rel=canonical.",
        empty: "No trap was met.",
        body: crawl::traps,
    },
    Part {
        id: "aside",
        title: "Links not asked",
        advice: "raise the limit or change the pattern if one of these should have been asked.",
        empty: "No link was left aside.",
        body: crawl::left_aside,
    },
    Part {
        id: "notes",
        title: "Notes",
        advice: "see whether a limit or a host's wish kept the crawl from what it should read.",
        empty: "Nothing else is to be said of this crawl.",
        body: crawl::notes,
    },
];
