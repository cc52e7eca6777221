//! Sites with good pages that appear broken if a checker sends only one request, or reads
//! only a part of the page.

use super::Site;
use super::template::{GoodPage, PageTemplate, TitleStyle, good_page, not_found};
use crate::behavior;
use crate::received_request::ReceivedRequest;
use crate::response::CannedResponse;

/// The sites.
pub(super) const SITES: &[Site] = &[
    Site { host: "handbook.test", template: &HANDBOOK, fallback: not_found },
    Site { host: "council.test", template: &COUNCIL, fallback: short_error_page },
    Site { host: "wire.test", template: &WIRE, fallback: story_by_number },
    Site { host: "windmill.test", template: &WINDMILL_WITHOUT_PAGES, fallback: every_other_time },
];

/// Returns an error page of one line in a large template.
fn short_error_page(template: &PageTemplate, _: &ReceivedRequest) -> CannedResponse {
    template.page(
        "Nothing to show",
        "There is no page at this address. Use the index of services on the left.",
    )
}

/// Returns the story with the number in the path. Ignores the slug: the words after the
/// number.
fn story_by_number(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    let number = |path: &str| path.split('/').nth(1).map(str::to_owned);
    let has_number = |page: &&GoodPage| number(page.path) == number(&received.request.path);
    match template.pages.iter().find(has_number) {
        Some(story) => template.page(story.title, story.text),
        None => template.page(
            "Story not found",
            "The wire has no story of this number. It was withdrawn, or never sent.",
        ),
    }
}

/// Responds with 502 to every odd request for a URL.
fn every_other_time(_: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    if received.nth_for_url % 2 == 1 {
        let body = WINDMILL.html("", "No wind", "<p>The sails have stopped. Try again.</p>");
        return CannedResponse::with_status(502, body);
    }
    WINDMILL.good_page(&received.request.target()).unwrap_or_else(behavior::not_found)
}

const HANDBOOK: PageTemplate = PageTemplate {
    name: "The Webmaster's Handbook",
    menu: &["Chapters", "Index"],
    footer: "Third edition.",
    title_style: TitleStyle::PageAndSite,
    pages: &[good_page(
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

/// A template with many more words than the text of a page.
const COUNCIL: PageTemplate = PageTemplate {
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
    footer: "The council offices are open from nine to four with an hour for dinner. Letters are \
           answered in the order of their weight. This site was made with the help of the county \
           and against its advice. Figures are given without guarantee, names without rank. \
           Copies of forms may be had at the desk for the price of the paper. The council is not \
           responsible for the weather, the neighboring town or the contents of other sites. \
           If you cannot find an office, follow the smell of floor polish to the second landing.",
    title_style: TitleStyle::SiteOnly,
    pages: &[good_page(
        "/offices/lost-umbrellas",
        "Lost umbrellas",
        "Second floor, third door. Umbrellas are kept for a year and a day and then lent out.",
    )],
};

const WIRE: PageTemplate = PageTemplate {
    name: "County Wire",
    menu: &["Latest", "By town", "Send a story"],
    footer: "Stories are paid by the word.",
    title_style: TitleStyle::PageAndSite,
    pages: &[good_page(
        "/18710/petition-for-geese-is-nine-yards-long",
        "Petition for geese is nine yards long",
        "Four hundred and twelve names were carried to the county town yesterday on a single roll \
         of paper, accompanied by twelve men and one goose. The clerk measured it before he read \
         it. Asked what would happen next, he said that it would be laid before the council, if \
         a table could be found. The goose has been given a receipt and was in good spirits.",
    )],
};

const WINDMILL: PageTemplate = PageTemplate {
    name: "The Windmill",
    menu: &["Grinding days", "Visitors"],
    footer: "Mind the sails.",
    title_style: TitleStyle::PageAndSite,
    pages: &[good_page(
        "/grinding-days",
        "Grinding days",
        "We grind when there is wind and someone to notice it. As a rule that is Tuesday and \
         Friday from October to May, and hardly ever in August. Bring your own sack. The miller \
         keeps a sixteenth, as millers do, and gives back a story. In a gale the brake is on and \
         the door is shut, and anyone inside stays for supper whether they like it or not.",
    )],
};

/// The template without good pages. Every request reaches `every_other_time`, because good
/// pages are served before the fallback.
const WINDMILL_WITHOUT_PAGES: PageTemplate = PageTemplate { pages: &[], ..WINDMILL };
