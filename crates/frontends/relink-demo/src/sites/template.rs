//! Templates of the demo sites: name, menu and footer around a text.

use crate::behavior;
use crate::received_request::ReceivedRequest;
use crate::response::CannedResponse;

/// The template of a site, and its good pages.
#[derive(Debug)]
pub(super) struct PageTemplate {
    /// The name of the site.
    pub(super) name: &'static str,
    /// The entries of the menu.
    pub(super) menu: &'static [&'static str],
    /// The text in the footer.
    pub(super) footer: &'static str,
    /// The contents of `<title>`.
    pub(super) title_style: TitleStyle,
    /// The good pages.
    pub(super) pages: &'static [GoodPage],
}

/// The contents of `<title>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TitleStyle {
    /// The title of the page and the name of the site.
    PageAndSite,
    /// Only the title of the page.
    PageOnly,
    /// Only the name of the site.
    SiteOnly,
}

/// A good page.
#[derive(Debug)]
pub(super) struct GoodPage {
    /// Path and query.
    pub(super) path: &'static str,
    /// The heading.
    pub(super) title: &'static str,
    /// The text.
    pub(super) text: &'static str,
}

/// Creates a good page.
pub(super) const fn good_page(
    path: &'static str,
    title: &'static str,
    text: &'static str,
) -> GoodPage {
    GoodPage { path, title, text }
}

impl PageTemplate {
    /// Returns the good page at this path, if there is one. A site with good pages also has a
    /// home page that links to the good pages.
    pub(super) fn good_page(&self, path: &str) -> Option<CannedResponse> {
        if let Some(page) = self.pages.iter().find(|page| page.path == path) {
            return Some(self.page(page.title, page.text));
        }
        (path == "/" && !self.pages.is_empty()).then(|| self.home_page())
    }

    /// Returns the home page, with links to the good pages.
    fn home_page(&self) -> CannedResponse {
        let links = self.pages.iter().map(|page| {
            let (path, title) = (page.path, page.title);
            format!("<li><a href=\"{path}\">{title}</a></li>\n")
        });
        let links: String = links.collect();
        let body = format!("<p>Come in, look around, and mind the step.</p>\n<ul>\n{links}</ul>");
        CannedResponse::page(self.html("", "Welcome", &body))
    }

    /// Returns a page with one paragraph.
    pub(super) fn page(&self, title: &str, text: &str) -> CannedResponse {
        CannedResponse::page(self.html("", title, &format!("<p>{text}</p>")))
    }

    /// Returns the HTML of a page. `head` is added to its head.
    pub(super) fn html(&self, head: &str, title: &str, body: &str) -> String {
        let name = self.name;
        let full_title = match self.title_style {
            TitleStyle::PageAndSite => format!("{title} – {name}"),
            TitleStyle::PageOnly => title.to_owned(),
            TitleStyle::SiteOnly => name.to_owned(),
        };
        let menu = self.menu.join("</li><li>");
        let footer = self.footer;
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n\
             <title>{full_title}</title>\n{head}</head>\n<body>\n\
             <header>{name}<nav><ul><li>{menu}</li></ul></nav></header>\n\
             <main>\n<h1>{title}</h1>\n{body}\n</main>\n<footer>{footer}</footer>\n</body>\n</html>\n"
        )
    }
}

/// Responds with 404.
pub(super) fn not_found(_: &PageTemplate, _: &ReceivedRequest) -> CannedResponse {
    behavior::not_found()
}
