//! Dead pages of the Historical Society, with their new URL if they moved.
//!
//! The society moved its papers to another section, renamed the section about people,
//! split its letters into two sections, and deleted its notices and tickets. A web
//! archive contains captures (archived responses) of some pages. A capture is a copy of the
//! page or a redirect to its new URL. The redirects of the tickets are wrong: they lead to the
//! welcome page.

use relink_model::{FindingCode, Verdict};

use crate::archive::ArchivedPage;
use crate::faults::PlantedFault;
use crate::hosts::SitePorts;

/// The time of all captures of redirects: 2019-03-12, 10:15:00.
const REDIRECTED_AT: &str = "20190312101500";
/// The time of all captures of good pages: 2016-05-04, 12:00:00.
const COPIED_AT: &str = "20160504120000";

/// A page that no longer exists at its old URL.
#[derive(Debug)]
pub(crate) struct LostPage {
    /// A short description.
    pub(crate) name: &'static str,
    /// The old URL, without the port.
    pub(crate) old: &'static str,
    /// The new path, if the page moved.
    pub(crate) new: Option<&'static str>,
    /// The heading.
    pub(crate) title: &'static str,
    /// The capture in the archive.
    archived: Archived,
}

/// The capture of a page in the archive.
#[derive(Debug, Clone, Copy)]
enum Archived {
    /// No capture.
    Nothing,
    /// A good copy.
    GoodCopy,
    /// A redirect to this path.
    Redirect(&'static str),
}

use Archived::{GoodCopy, Nothing, Redirect};

impl LostPage {
    /// Returns the fault of a link to the old URL.
    fn fault(&self) -> PlantedFault {
        PlantedFault {
            name: self.name,
            url: self.old,
            behavior: crate::behavior::Behavior::BySite,
            verdict: Verdict::Dead,
            code: Some(FindingCode::new(101)),
        }
    }

    /// Returns the capture of the page before it was lost, if there is one.
    fn archived_page(&self, ports: SitePorts) -> Option<ArchivedPage> {
        let old = ports.insert_ports(self.old);
        match self.archived {
            Nothing => None,
            GoodCopy => Some(ArchivedPage::page(&old, COPIED_AT, &page(self.title))),
            Redirect(path) => Some(ArchivedPage::redirect(&old, REDIRECTED_AT, 301, path)),
        }
    }
}

/// Returns the HTML of a page, which is the same at its old and new URL.
pub(crate) fn page(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><title>{title}</title></head>\n<body>\n\
         <h1>{title}</h1>\n<p>Read before the Historical Society, with slides, by a member who \
         had been looking into {title} for longer than he cared to say. A discussion followed, \
         and tea. The society thanks the archive for the loan of the boxes, and the boxes for \
         holding out.</p>\n</body>\n</html>\n"
    )
}

/// Returns the faults of links to all lost pages.
pub(crate) fn faults() -> Vec<PlantedFault> {
    LOST_PAGES.iter().map(LostPage::fault).collect()
}

/// Returns the captures of all lost pages.
pub(crate) fn archived_pages(ports: SitePorts) -> Vec<ArchivedPage> {
    LOST_PAGES.iter().filter_map(|page| page.archived_page(ports)).collect()
}

/// All lost pages.
#[rustfmt::skip]
pub(crate) static LOST_PAGES: &[LostPage] = &[
    moved("moved to a new section: the ferry war", "http://society.test/papers/the-ferry-war.htm", "/articles/the-ferry-war", "The ferry war", Redirect("/articles/the-ferry-war")),
    moved("moved to a new section: salt and silver", "http://society.test/papers/salt-and-silver.htm", "/articles/salt-and-silver", "Salt and silver", Redirect("/articles/salt-and-silver")),
    moved("moved to a new section: a lost charter", "http://society.test/papers/a-lost-charter.htm", "/articles/a-lost-charter", "A lost charter", GoodCopy),
    moved("moved to a new section: turnpikes", "http://society.test/papers/turnpikes-of-1790.htm", "/articles/turnpikes-of-1790", "Turnpikes of 1790", Nothing),
    moved("moved to a new section: the wet harvest", "http://society.test/papers/the-wet-harvest.htm", "/articles/the-wet-harvest", "The wet harvest", Nothing),

    moved("section was renamed: Hester Orchard", "http://society.test/people/hester-orchard", "/lives/hester-orchard", "Hester Orchard", Nothing),
    moved("section was renamed: Josiah Quill", "http://society.test/people/josiah-quill", "/lives/josiah-quill", "Josiah Quill", Nothing),
    moved("section was renamed: Nora Haskell", "http://society.test/people/nora-haskell", "/lives/nora-haskell", "Nora Haskell", Nothing),

    moved("section was split: from Kars", "http://society.test/letters/from-kars", "/postbag/from-kars", "From Kars", Redirect("/postbag/from-kars")),
    moved("section was split: from Leith", "http://society.test/letters/from-leith", "/postbag/from-leith", "From Leith", Redirect("/postbag/from-leith")),
    moved("section was split: to the mayor", "http://society.test/letters/to-the-mayor", "/complaints/to-the-mayor", "To the mayor", Redirect("/complaints/to-the-mayor")),
    moved("section was split: to the bishop", "http://society.test/letters/to-the-bishop", "/complaints/to-the-bishop", "To the bishop", Redirect("/complaints/to-the-bishop")),
    moved("section was split: from Odessa", "http://society.test/letters/from-odessa", "/postbag/from-odessa", "From Odessa", Nothing),
    moved("section was split: to the geese", "http://society.test/letters/to-the-geese", "/complaints/to-the-geese", "To the geese", Nothing),

    deleted("deleted: rain gauge", "http://society.test/notices/rain-gauge", "Rain gauge", Nothing),
    deleted("deleted: lost spectacles", "http://society.test/notices/lost-spectacles", "Lost spectacles", Nothing),
    deleted("deleted: chairs wanted", "http://society.test/notices/chairs-wanted", "Chairs wanted", Nothing),
    deleted("deleted: no smoking", "http://society.test/notices/no-smoking", "No smoking", Nothing),
    deleted("deleted: annual dinner", "http://society.test/notices/annual-dinner", "Annual dinner", Nothing),

    deleted("deleted, with an erroneous redirect: spring", "http://society.test/tickets/spring-tour", "Spring tour", Redirect("/welcome")),
    deleted("deleted, with an erroneous redirect: autumn", "http://society.test/tickets/autumn-tour", "Autumn tour", Redirect("/welcome")),
];

/// Creates a page that moved.
const fn moved(
    name: &'static str,
    old: &'static str,
    new: &'static str,
    title: &'static str,
    archived: Archived,
) -> LostPage {
    LostPage { name, old, new: Some(new), title, archived }
}

/// Creates a page that was deleted.
const fn deleted(
    name: &'static str,
    old: &'static str,
    title: &'static str,
    archived: Archived,
) -> LostPage {
    LostPage { name, old, new: None, title, archived }
}
