//! What the pages of one site have in common.

use crate::answer::CannedResponse;
use crate::behavior;
use crate::visit::Visit;

/// The page frame of a site, and its good pages.
#[derive(Debug)]
pub(super) struct Frame {
    /// What the site calls itself.
    pub(super) name: &'static str,
    /// What its menu offers.
    pub(super) menu: &'static [&'static str],
    /// What stands at the foot of every page.
    pub(super) foot: &'static str,
    /// What is written above its pages.
    pub(super) titles: Titles,
    /// The good pages.
    pub(super) leaves: &'static [Leaf],
}

/// What titles a site has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Titles {
    /// That of the page and the name of the site.
    Both,
    /// That of the page alone.
    OfPage,
    /// The name of the site, whatever the page.
    OfSite,
}

/// A good page.
#[derive(Debug)]
pub(super) struct Leaf {
    /// Path and query.
    pub(super) path: &'static str,
    /// The heading.
    pub(super) title: &'static str,
    /// What it says.
    pub(super) text: &'static str,
}

/// A good page in a table.
pub(super) const fn leaf(path: &'static str, title: &'static str, text: &'static str) -> Leaf {
    Leaf { path, title, text }
}

impl Frame {
    /// The good page at this path, if there is one. A site with good pages has
    /// a front page that leads to them.
    pub(super) fn leaf(&self, path: &str) -> Option<CannedResponse> {
        if let Some(leaf) = self.leaves.iter().find(|leaf| leaf.path == path) {
            return Some(self.page(leaf.title, leaf.text));
        }
        (path == "/" && !self.leaves.is_empty()).then(|| self.front())
    }

    fn front(&self) -> CannedResponse {
        let links = self.leaves.iter().map(|leaf| {
            let (path, title) = (leaf.path, leaf.title);
            format!("<li><a href=\"{path}\">{title}</a></li>\n")
        });
        let links: String = links.collect();
        let body = format!("<p>Come in, look around, and mind the step.</p>\n<ul>\n{links}</ul>");
        CannedResponse::page(self.html("", "Welcome", &body))
    }

    /// A page of one paragraph.
    pub(super) fn page(&self, title: &str, text: &str) -> CannedResponse {
        CannedResponse::page(self.html("", title, &format!("<p>{text}</p>")))
    }

    /// A page as HTML, with more to stand in its head.
    pub(super) fn html(&self, head: &str, title: &str, body: &str) -> String {
        let name = self.name;
        let written = match self.titles {
            Titles::Both => format!("{title} – {name}"),
            Titles::OfPage => title.to_owned(),
            Titles::OfSite => name.to_owned(),
        };
        let menu = self.menu.join("</li><li>");
        let foot = self.foot;
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n\
             <title>{written}</title>\n{head}</head>\n<body>\n\
             <header>{name}<nav><ul><li>{menu}</li></ul></nav></header>\n\
             <main>\n<h1>{title}</h1>\n{body}\n</main>\n<footer>{foot}</footer>\n</body>\n</html>\n"
        )
    }
}

/// Says honestly that there is no such page.
pub(super) fn honest(_: &Frame, _: &Visit) -> CannedResponse {
    behavior::not_found()
}
