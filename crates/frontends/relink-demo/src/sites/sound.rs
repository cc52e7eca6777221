//! Sites whose good pages look bad to whoever looks only once, or only at a
//! part of them.

use super::Site;
use super::frame::{Frame, Leaf, Titles, honest, leaf};
use crate::answer::CannedResponse;
use crate::behavior;
use crate::visit::Visit;

/// The sites.
pub(super) const SITES: &[Site] = &[
    Site { host: "handbook.test", frame: &HANDBOOK, otherwise: honest },
    Site { host: "council.test", frame: &COUNCIL, otherwise: in_a_heavy_frame },
    Site { host: "wire.test", frame: &WIRE, otherwise: by_number },
    Site { host: "windmill.test", frame: &BECALMED, otherwise: every_other_time },
];

/// An error page of one line in a frame of many.
fn in_a_heavy_frame(frame: &Frame, _: &Visit) -> CannedResponse {
    frame.page(
        "Nothing to show",
        "There is no page at this address. Use the index of services on the left.",
    )
}

/// The story of this number, whatever name stands beside it.
fn by_number(frame: &Frame, visit: &Visit) -> CannedResponse {
    let number = |path: &str| path.split('/').nth(1).map(str::to_owned);
    let is_meant = |leaf: &&Leaf| number(leaf.path) == number(&visit.request.path);
    match frame.leaves.iter().find(is_meant) {
        Some(story) => frame.page(story.title, story.text),
        None => frame.page(
            "Story not found",
            "The wire has no story of this number. It was withdrawn, or never sent.",
        ),
    }
}

/// No wind at every first visit to an address, and wind at every second.
fn every_other_time(_: &Frame, visit: &Visit) -> CannedResponse {
    if visit.turn % 2 == 1 {
        let body = WINDMILL.html("", "No wind", "<p>The sails have stopped. Try again.</p>");
        return CannedResponse::with_status(502, body);
    }
    WINDMILL.leaf(&visit.request.target()).unwrap_or_else(behavior::not_found)
}

const HANDBOOK: Frame = Frame {
    name: "The Webmaster's Handbook",
    menu: &["Chapters", "Index"],
    foot: "Third edition.",
    titles: Titles::Both,
    leaves: &[leaf(
        "/chapters/404-not-found",
        "404 Not Found",
        "Every server says it, most of them badly. 404 Not Found means that the page you asked for \
         does not exist here, as far as the server knows, and that it does not care to say \
         whether it ever did. Say so in plain words, offer a way out, and above all send the \
         number 404 with it: an error page that is sent with 200 is a lie that programs believe. \
         The famous ones with jokes and broken robots are admired for a week and resented for \
         years. If a page was removed on purpose, 410 is the honest number; if it has moved, say \
         where it went. This chapter ends with forty examples, of which three are good.",
    )],
};

/// A frame of the kind that grows when every office wants a link of its own.
const COUNCIL: Frame = Frame {
    name: "Town Council",
    menu: &[
        "Births and names",
        "Weddings in the hall",
        "Burials and benches",
        "Dogs, geese and other licenses",
        "Coal and kindling",
        "Street lamps, reporting of",
        "Street lamps, thanks for",
        "Drains",
        "Ditches",
        "Rights of way",
        "Wrongs of way",
        "Allotments and waiting lists",
        "Market tolls",
        "Weights and measures",
        "The town clock",
        "Complaints about the town clock",
        "Flood levels and brass lines",
        "The bridge committee",
        "The other bridge committee",
        "Minutes since 1868",
        "Elections",
        "Petitions, short",
        "Petitions, by the yard",
        "The mayor's chain",
        "Public baths",
        "Public opinion",
        "Lost property",
        "Found property",
        "Snow",
        "Vacancies",
    ],
    foot: "The council offices are open from nine to four with an hour for dinner. Letters are \
           answered in the order of their weight. This site was made with the help of the county \
           and against its advice. Figures are given without guarantee, names without rank. \
           Copies of forms may be had at the desk for the price of the paper. The council is not \
           responsible for the weather, the neighboring town or the contents of other sites. \
           If you cannot find an office, follow the smell of floor polish to the second landing.",
    titles: Titles::OfSite,
    leaves: &[leaf(
        "/offices/lost-umbrellas",
        "Lost umbrellas",
        "Second floor, third door. Umbrellas are kept for a year and a day and then lent out.",
    )],
};

const WIRE: Frame = Frame {
    name: "County Wire",
    menu: &["Latest", "By town", "Send a story"],
    foot: "Stories are paid by the word.",
    titles: Titles::Both,
    leaves: &[leaf(
        "/18710/petition-for-geese-is-nine-yards-long",
        "Petition for geese is nine yards long",
        "Four hundred and twelve names were carried to the county town yesterday on a single roll \
         of paper, accompanied by twelve men and one goose. The clerk measured it before he read \
         it. Asked what would happen next, he said that it would be laid before the council, if \
         a table could be found. The goose has been given a receipt and was in good spirits.",
    )],
};

const WINDMILL: Frame = Frame {
    name: "The Windmill",
    menu: &["Grinding days", "Visitors"],
    foot: "Mind the sails.",
    titles: Titles::Both,
    leaves: &[leaf(
        "/grinding-days",
        "Grinding days",
        "We grind when there is wind and somebody to notice it. As a rule that is Tuesday and \
         Friday from October to May, and hardly ever in August. Bring your own sack. The miller \
         keeps a sixteenth, as millers do, and gives back a story. In a gale the brake is on and \
         the door is shut, and whoever is inside stays for supper whether they like it or not.",
    )],
};

/// The same mill without wind: nothing of it is always there.
const BECALMED: Frame = Frame { leaves: &[], ..WINDMILL };
