//! Pages of the Historical Society that are gone from their old addresses,
//! with the truth about each: where it lives now, or that it lives nowhere.
//!
//! The society has moved its papers as they were named, given its lives a new
//! name, divided its letters between two rooms and thrown its notices away.
//! An archive saw some of them redirect, rightly or wrongly.

use relink_model::{FindingCode, Verdict};

use crate::archive::ArchivedPage;
use crate::faults::PlantedFault;
use crate::hosts::SitePorts;

/// When the archive came by while the old addresses redirected.
const REDIRECTED: &str = "20190312101500";
/// When it had come by before that.
const COPIED: &str = "20160504120000";

/// A page that is gone from its old address.
#[derive(Debug)]
pub(crate) struct Departed {
    /// What is the matter, in a few words of its own.
    pub(crate) what: &'static str,
    /// The old address, without the port.
    pub(crate) old: &'static str,
    /// Its path today, if it has one.
    pub(crate) new: Option<&'static str>,
    /// The heading.
    pub(crate) title: &'static str,
    /// What the archive has.
    archived: Archived,
}

/// What the archive has of a page.
#[derive(Debug, Clone, Copy)]
enum Archived {
    /// Nothing.
    Nothing,
    /// A good copy.
    GoodCopy,
    /// A redirect to this path.
    Redirect(&'static str),
}

use Archived::{GoodCopy, Nothing, Redirect};

impl Departed {
    /// The fault that it is to whoever follows an old link.
    fn fault(&self) -> PlantedFault {
        PlantedFault {
            what: self.what,
            url: self.old,
            behavior: crate::behavior::Behavior::BySite,
            verdict: Verdict::Dead,
            code: Some(FindingCode::new(101)),
        }
    }

    fn kept(&self, ports: SitePorts) -> Option<ArchivedPage> {
        let old = ports.fill(self.old);
        match self.archived {
            Nothing => None,
            GoodCopy => Some(ArchivedPage::page(&old, COPIED, &page(self.title))),
            Redirect(path) => Some(ArchivedPage::redirect(&old, REDIRECTED, 301, path)),
        }
    }
}

/// A page of the society, as it always was.
pub(crate) fn page(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><title>{title}</title></head>\n<body>\n\
         <h1>{title}</h1>\n<p>Read before the Historical Society, with slides, by a member who \
         had been looking into {title} for longer than he cared to say. A discussion followed, \
         and tea. The society thanks the archive for the loan of the boxes, and the boxes for \
         holding out.</p>\n</body>\n</html>\n"
    )
}

/// Every such page as a fault.
pub(crate) fn faults() -> Vec<PlantedFault> {
    DEPARTED.iter().map(Departed::fault).collect()
}

/// What the archive has of them.
pub(crate) fn copies(ports: SitePorts) -> Vec<ArchivedPage> {
    DEPARTED.iter().filter_map(|page| page.kept(ports)).collect()
}

/// Every such page.
#[rustfmt::skip]
pub(crate) static DEPARTED: &[Departed] = &[
    moved("moved with its section: the ferry war", "http://society.test/papers/the-ferry-war.htm", "/articles/the-ferry-war", "The ferry war", Redirect("/articles/the-ferry-war")),
    moved("moved with its section: salt and silver", "http://society.test/papers/salt-and-silver.htm", "/articles/salt-and-silver", "Salt and silver", Redirect("/articles/salt-and-silver")),
    moved("moved with its section: a lost charter", "http://society.test/papers/a-lost-charter.htm", "/articles/a-lost-charter", "A lost charter", GoodCopy),
    moved("moved with its section: turnpikes", "http://society.test/papers/turnpikes-of-1790.htm", "/articles/turnpikes-of-1790", "Turnpikes of 1790", Nothing),
    moved("moved with its section: the wet harvest", "http://society.test/papers/the-wet-harvest.htm", "/articles/the-wet-harvest", "The wet harvest", Nothing),

    moved("its section was renamed: Hester Orchard", "http://society.test/people/hester-orchard", "/lives/hester-orchard", "Hester Orchard", Nothing),
    moved("its section was renamed: Josiah Quill", "http://society.test/people/josiah-quill", "/lives/josiah-quill", "Josiah Quill", Nothing),
    moved("its section was renamed: Nora Haskell", "http://society.test/people/nora-haskell", "/lives/nora-haskell", "Nora Haskell", Nothing),

    moved("went to one of two rooms: from Kars", "http://society.test/letters/from-kars", "/postbag/from-kars", "From Kars", Redirect("/postbag/from-kars")),
    moved("went to one of two rooms: from Leith", "http://society.test/letters/from-leith", "/postbag/from-leith", "From Leith", Redirect("/postbag/from-leith")),
    moved("went to one of two rooms: to the mayor", "http://society.test/letters/to-the-mayor", "/complaints/to-the-mayor", "To the mayor", Redirect("/complaints/to-the-mayor")),
    moved("went to one of two rooms: to the bishop", "http://society.test/letters/to-the-bishop", "/complaints/to-the-bishop", "To the bishop", Redirect("/complaints/to-the-bishop")),
    moved("went to one of two rooms: from Odessa", "http://society.test/letters/from-odessa", "/postbag/from-odessa", "From Odessa", Nothing),
    moved("went to one of two rooms: to the geese", "http://society.test/letters/to-the-geese", "/complaints/to-the-geese", "To the geese", Nothing),

    gone("was thrown away: rain gauge", "http://society.test/notices/rain-gauge", "Rain gauge", Nothing),
    gone("was thrown away: lost spectacles", "http://society.test/notices/lost-spectacles", "Lost spectacles", Nothing),
    gone("was thrown away: chairs wanted", "http://society.test/notices/chairs-wanted", "Chairs wanted", Nothing),
    gone("was thrown away: no smoking", "http://society.test/notices/no-smoking", "No smoking", Nothing),
    gone("was thrown away: annual dinner", "http://society.test/notices/annual-dinner", "Annual dinner", Nothing),

    gone("redirected where all tickets did: spring", "http://society.test/tickets/spring-tour", "Spring tour", Redirect("/welcome")),
    gone("redirected where all tickets did: autumn", "http://society.test/tickets/autumn-tour", "Autumn tour", Redirect("/welcome")),
];

const fn moved(
    what: &'static str,
    old: &'static str,
    new: &'static str,
    title: &'static str,
    archived: Archived,
) -> Departed {
    Departed { what, old, new: Some(new), title, archived }
}

const fn gone(
    what: &'static str,
    old: &'static str,
    title: &'static str,
    archived: Archived,
) -> Departed {
    Departed { what, old, new: None, title, archived }
}
