//! A reading list about orchards, and the site with its pages.
//!
//! In the last year, one page got a new design, one page got a new paragraph, one page moved,
//! one page left the topic, and one page was deleted. Another page of the list is on a site
//! that was sold. A page that is not on the list can replace the deleted page.

use super::Site;
use super::template::{PageTemplate, TitleStyle};
use crate::behavior;
use crate::received_request::ReceivedRequest;
use crate::response::CannedResponse;
use crate::simulated_time::SimulatedTime;

/// The site.
pub(super) const SITES: &[Site] =
    &[Site { host: "orchard.test", template: &ORCHARD, fallback: orchard_page }];

/// A page of the reading list, and the step that Relink should propose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadingPage {
    /// The title in the list.
    pub(crate) title: &'static str,
    /// The URL, without the port.
    pub(crate) url: &'static str,
    /// The change in the last year.
    pub(crate) event: &'static str,
    /// The expected next step.
    pub(crate) next_step: &'static str,
}

/// Creates a page of the reading list. The parameters have the order of the fields.
const fn page(
    title: &'static str,
    url: &'static str,
    event: &'static str,
    next_step: &'static str,
) -> ReadingPage {
    ReadingPage { title, url, event, next_step }
}

/// The pages of the reading list.
pub(crate) const READING_LIST: [ReadingPage; 8] = [
    page("Planting", "http://orchard.test/planting", "unchanged", "none"),
    page("Grafting", "http://orchard.test/grafting", "unchanged", "none"),
    page("Harvest", "http://orchard.test/harvest", "cosmetic change", "none"),
    page("Pruning", "http://orchard.test/pruning", "new paragraph", "accept"),
    page("Storing", "http://orchard.test/storing", "moved", "none"),
    page("Varieties", "http://orchard.test/varieties", "left the topic", "reject"),
    page("Cider", "http://orchard.test/cider", "deleted", "replace"),
    page("Old roses", "http://allotment.test/notes/pruning-old-roses", "resold", "replace"),
];

/// The page that can replace the deleted page about cider.
pub(crate) const REPLACEMENT: &str = "http://orchard.test/pressing";

/// Serves the pages of the list in their state of the simulated time.
fn orchard_page(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    use SimulatedTime::{OneYearAgo, Today};
    match (received.time, received.request.path.as_str()) {
        (_, "/planting") => template.page("Planting apple trees", PLANTING),
        (_, "/grafting") => template.page("Grafting apple trees", GRAFTING),
        (_, "/pressing") => template.page("Pressing apples for cider", PRESSING),
        (OneYearAgo, "/harvest") => template.page("Harvesting apples", HARVEST),
        (Today, "/harvest") => {
            let body = format!("<div class=\"new\"><section><p>{HARVEST}</section></div>");
            CannedResponse::page(template.html("<!-- 2 -->", "Harvesting apples", &body))
        }
        (OneYearAgo, "/pruning") => template.page("Pruning apple trees", PRUNING),
        (Today, "/pruning") => {
            template.page("Pruning apple trees", &format!("{PRUNING}</p><p>{PRUNING_MORE}"))
        }
        (OneYearAgo, "/storing") | (_, "/fruit/storing") => {
            template.page("Storing apples", STORING)
        }
        (Today, "/storing") => CannedResponse::redirect(301, "/fruit/storing"),
        (OneYearAgo, "/varieties") => template.page("Apple varieties", VARIETIES),
        (Today, "/varieties") => template.page("Ferry timetable", TIMETABLE),
        (OneYearAgo, "/cider") => template.page("Making cider", CIDER),
        _ => behavior::not_found(),
    }
}

const ORCHARD: PageTemplate = PageTemplate {
    name: "The Orchard Book",
    menu: &["Trees", "Fruit", "Tools"],
    footer: "Windfalls are free.",
    title_style: TitleStyle::PageAndSite,
    pages: &[],
};

const HARVEST: &str = "Pick apples in the orchard when the fruit comes away with a turn of the wrist. \
    Early apples ripen on the tree in August, keeping apples in October before the frost. Lay the \
    fruit in baskets, not in sacks, and leave the highest apples of every tree for the birds.";

const PRUNING: &str = "Prune apple trees in winter, when the orchard rests. Take out dead and crossing \
    branches first, open the middle of the tree to the light, and shorten the young wood by a third. \
    A clean saw and a dry day keep canker away from the cuts.";

const PRUNING_MORE: &str =
    "Summer pruning of trained apple trees brings more fruit buds and less wood.";

const STORING: &str = "Store sound apples from the orchard in a cool dark cellar, in one layer on slatted \
    trays, so that the fruit does not touch. Turn the apples once a month and eat the bruised fruit \
    first. Late varieties keep until the trees are in flower again.";

const VARIETIES: &str = "An orchard needs apple varieties that flower together, so that bees carry the \
    pollen from tree to tree. Russets keep the longest, codlins cook the best, and pearmains are the \
    oldest apples with a name. Plant three trees of different varieties for a good crop of fruit.";

const TIMETABLE: &str = "The ferry leaves the upper landing every hour and the lower landing at half past. \
    Tickets are sold on board, in coins only. On regatta days the last crossing is at nine. Dogs travel \
    free, bicycles pay half, and the captain decides about pianos.";

const CIDER: &str = "Cider is made of apples from the orchard in October. Mill the fruit, press the pulp in \
    cloths, and let the juice ferment in a barrel over winter. Sweet and sharp apples together make the \
    best cider. Rack it off the yeast in spring, before the apple trees flower.";

const PLANTING: &str = "Plant an apple tree in late autumn, while the soil of the orchard is warm. Dig a \
             hole twice as wide as the roots, drive in a stake, and set the tree so that the \
             graft stays above the soil. Water the roots of a young tree in its first summer.";

const GRAFTING: &str = "A graft joins a twig of one apple variety to the roots of another tree. Cut the \
             twig in winter, keep it cool, and bind it to the rootstock in spring when the sap \
             of the orchard rises. A dwarf rootstock keeps the tree small and early in fruit.";

const PRESSING: &str = "Mill ripe apples from the orchard into pulp, build the pulp into a cheese between \
             cloths, and press the juice slowly. The juice of sharp and sweet apples ferments in \
             the barrel into cider. Rack the cider off the yeast before the apple trees flower.";
