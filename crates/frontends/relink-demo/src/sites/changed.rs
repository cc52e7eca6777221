//! Sites with other content than a year ago, and sites that only appear changed.

use super::Site;
use super::template::{PageTemplate, TitleStyle, not_found};
use crate::behavior;
use crate::received_request::ReceivedRequest;
use crate::response::CannedResponse;
use crate::simulated_time::SimulatedTime;

/// The sites.
pub(super) const SITES: &[Site] = &[
    Site { host: "allotment.test", template: &BETTING, fallback: betting_site },
    Site { host: "college.test", template: &COLLEGE, fallback: college_papers },
    Site { host: "pier.test", template: &PIER, fallback: pier_notice },
    Site { host: "mill.test", template: &MILL, fallback: redesigned_mill },
    Site { host: "daily.test", template: &DAILY, fallback: random_headlines },
];

/// URLs to check at [`SimulatedTime::OneYearAgo`].
pub(crate) const PREVIOUSLY_VISITED: &[&str] = &[
    "http://allotment.test/notes/pruning-old-roses",
    "http://college.test/papers/tides-and-towns.pdf",
    "http://college.test/papers/on-slow-rivers.pdf",
    "http://pier.test/notice",
    "http://mill.test/history",
    "http://daily.test/",
];

/// Responds like a gardening blog whose domain expired and became a betting site.
fn betting_site(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    match (received.time, received.request.path.as_str()) {
        (SimulatedTime::OneYearAgo, "/notes/pruning-old-roses") => ALLOTMENT.page(ROSES.0, ROSES.1),
        (SimulatedTime::OneYearAgo, _) => behavior::not_found(),
        (SimulatedTime::Today, _) => template.page(CASINO.0, CASINO.1),
    }
}

/// Serves two papers. One of them was lost when the site was relaunched.
fn college_papers(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    match (received.time, received.request.path.as_str()) {
        (_, "/papers/on-slow-rivers.pdf") => pdf("On slow rivers"),
        (SimulatedTime::OneYearAgo, "/papers/tides-and-towns.pdf") => pdf("Tides and towns"),
        (SimulatedTime::Today, "/papers/tides-and-towns.pdf") => {
            template.page(WELCOME.0, WELCOME.1)
        }
        _ => behavior::not_found(),
    }
}

/// Serves a page with a notice. The notice of today differs from the notice of a year ago.
fn pier_notice(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    match (received.time, received.request.path.as_str()) {
        (SimulatedTime::OneYearAgo, "/notice") => template.page(REGATTA.0, REGATTA.1),
        (SimulatedTime::Today, "/notice") => template.page(CLOSING.0, CLOSING.1),
        _ => behavior::not_found(),
    }
}

/// Serves the history of a mill. The text is the same as a year ago, but the design is new.
fn redesigned_mill(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    if received.request.path != "/history" {
        return not_found(template, received);
    }
    match received.time {
        SimulatedTime::OneYearAgo => OLD_MILL.page("History of the mill", MILL_STORY),
        SimulatedTime::Today => {
            let text = format!("{MILL_LEAD}</p>\n<p>{MILL_STORY}</p>\n<p>{MILL_END}");
            template.page("Our mill and its history", &text)
        }
    }
}

/// Serves a news page with random headlines.
fn random_headlines(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    if received.request.path != "/" {
        return not_found(template, received);
    }
    let items = (0..12).map(|item| {
        // Each headline needs two random numbers.
        let subject = SUBJECTS[received.nth_random_below(2 * item, SUBJECTS.len())];
        let verb = PREDICATES[received.nth_random_below(2 * item + 1, PREDICATES.len())];
        format!("<h2>{subject} {verb}</h2>\n")
    });
    CannedResponse::page(template.html("", "All the news of the day", &items.collect::<String>()))
}

/// Returns a PDF file with one empty page.
fn pdf(title: &str) -> CannedResponse {
    let body = format!(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
         2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
         3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\n\
         4 0 obj<</Title({title})>>endobj\ntrailer<</Root 1 0 R/Info 4 0 R>>\n%%EOF\n"
    );
    CannedResponse::page(body).with_content_type("application/pdf")
}

/// The heading and the text of a page.
type PageText = (&'static str, &'static str);

const ALLOTMENT: PageTemplate = PageTemplate {
    name: "Notes from the Allotment",
    menu: &["Notes", "Plot 14", "About me"],
    footer: "Written with one glove on.",
    title_style: TitleStyle::PageAndSite,
    pages: &[],
};

const ROSES: PageText = (
    "Pruning old roses",
    "Leave them alone until the forsythia is out. Then take away what is dead, what is crossing \
     and what has scratched you, in that order, and cut a third from the rest above a bud that \
     looks outward. My neighbor prunes hers in November with hedge shears and has twice as many \
     flowers, so do not take this too seriously. Feed them afterward and say nothing.",
);

const BETTING: PageTemplate = PageTemplate {
    name: "BetKing Bonus",
    menu: &["Casino", "Slots", "Live odds", "Jackpot"],
    footer: "Play for fun. Terms apply.",
    title_style: TitleStyle::PageAndSite,
    pages: &[],
};

const CASINO: PageText = (
    "Best online casino bonuses and free spins",
    "Claim a welcome bonus of up to 500 and 200 free spins on your first deposit. Compare betting \
     odds for every match, play roulette, blackjack and poker with live dealers, and cash out in \
     minutes. New players get a risk-free bet each weekend. Trusted bookmakers, high payouts, \
     daily jackpots and a loyalty club with cashback for every wager.",
);

const COLLEGE: PageTemplate = PageTemplate {
    name: "River College",
    menu: &["Study", "Research", "People", "News"],
    footer: "On the left bank since 1840.",
    title_style: TitleStyle::PageAndSite,
    pages: &[],
};

const WELCOME: PageText = (
    "Welcome to our new website",
    "River College has a fresh look. Find your course, meet our staff and read about life on the \
     left bank. We have brought together everything that matters in one place, with a calendar, \
     a prospectus and pictures of people smiling on lawns. If you miss something from the former \
     site, our web team is happy to hear from you in the new academic year.",
);

const PIER: PageTemplate = PageTemplate {
    name: "The Pier",
    menu: &[],
    footer: "",
    title_style: TitleStyle::PageOnly,
    pages: &[],
};

const REGATTA: PageText = (
    "Regatta on the first of July",
    "Boats with a sail start at ten, boats without one at eleven, and bathtubs when the judges \
     have stopped laughing. Crews of two or more, one of whom can swim. Enter your name at the \
     kiosk by Friday evening. The prize is the silver oar, to be returned next summer, polished.",
);

const CLOSING: PageText = (
    "Winter closing",
    "From November until further notice the gate will be locked at dusk. Anglers holding keys \
     should mind the missing planks beyond the third lamp. Coal deliveries use the lower steps. \
     For lifebelts ring the coastguard. Lost gloves hang upon the railing beside the telescope.",
);

const OLD_MILL: PageTemplate = PageTemplate {
    name: "The Mill",
    menu: &[],
    footer: "Last changed in March.",
    title_style: TitleStyle::PageOnly,
    pages: &[],
};

const MILL: PageTemplate = PageTemplate {
    name: "Riverside Mill Experience",
    menu: &[
        "Plan your visit",
        "Tickets and prices",
        "Weddings",
        "Flour shop",
        "Schools and groups",
        "Gift cards",
        "Our story",
        "Newsletter",
        "Search",
        "My basket",
    ],
    footer: "Follow us for milling days, recipes and offers. Accessibility. Privacy. Cookies. Press. \
           Work with us. The Riverside Mill Trust is a registered charity.",
    title_style: TitleStyle::PageAndSite,
    pages: &[],
};

const MILL_LEAD: &str = "Discover seven centuries of milling, from the first stone to the last sack, \
    in the place where it all happened.";

const MILL_STORY: &str = "The first mill on this bend of the river is named in a deed of 1312, in a \
    quarrel about eels. It was rebuilt in stone after the fire of 1604 and again, higher, after \
    the flood of 1882. Five generations of the Orchard family ground corn here; the last of them \
    kept the wheel turning through two winters of ice by walking on it. The wheel was stopped in \
    1951 and started again in 1987 by volunteers, one of whom had stopped it. It turns on the \
    first Sunday of every month if there is water, and the flour is sold in the old sack loft.";

const MILL_END: &str = "Join us for a tour, stay for a scone, and take home a bag of freshly ground \
    flour for the whole family.";

const DAILY: PageTemplate = PageTemplate {
    name: "The Daily Ferryman",
    menu: &["Town", "County", "Weather", "Chess"],
    footer: "Set by hand, corrected by readers.",
    title_style: TitleStyle::PageAndSite,
    pages: &[],
};

/// The first parts of headlines.
#[rustfmt::skip]
const SUBJECTS: [&str; 18] = [
    "Mayor", "Second heron", "Bee club", "Retired compositor", "Branch line", "Goose committee",
    "Lighthouse keeper", "Lower valley", "Town clock", "Bell ringers", "Ferryman's cousin",
    "County surveyor", "Baker's peg", "Chess champion", "Weathervane", "Night librarian",
    "Harbor master", "Alderman",
];

/// The second parts of headlines.
#[rustfmt::skip]
const PREDICATES: [&str; 18] = [
    "denies all knowledge of the turnips", "found asleep in the reading room",
    "to be repainted by popular demand", "wins by a nose and apologizes",
    "asks for quiet on Thursdays", "lost between two stations",
    "declared safe after inspection", "meets in the rain without umbrellas",
    "returns a book after forty years", "gains nine minutes in a week",
    "refuses to comment on the eels", "seen on the wrong side of the river",
    "opens a window for the first time since 1974", "is thanked and given a kettle",
    "moves to larger rooms above the ironmonger", "to face the county town again",
    "votes against the new bench", "sings at the opening of the bridge",
];
