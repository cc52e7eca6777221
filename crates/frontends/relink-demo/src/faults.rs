//! The planted faults and the expected findings.
//!
//! URLs have no ports. Each URL occurs exactly once in the documents, so that its finding
//! can be identified. Redirects that should succeed stay on their own host, because Relink
//! does not follow a redirect from a page to another host with a private address.

mod town;

use relink_model::{FindingCode, Verdict};

use crate::behavior::Behavior::{
    self, CloseWithoutResponse, EndlessBody, EndlessRedirect, Http10, HugeHeaders, NoResponse,
    NotHttp, NotServed, OnFirstRequest, OnlyGet, Page, RateLimit, Redirect, RedirectUntilCookie,
    Reset, Stall, Status, Truncate,
};

/// A planted fault, or a healthy link that appears broken.
#[derive(Debug)]
pub(crate) struct PlantedFault {
    /// A short description.
    pub(crate) name: &'static str,
    /// The URL as written, without the port.
    pub(crate) url: &'static str,
    /// The behavior of the server.
    pub(crate) behavior: Behavior,
    /// The expected verdict.
    pub(crate) verdict: Verdict,
    /// The expected code.
    pub(crate) code: Option<FindingCode>,
}

/// Returns all planted faults.
pub(crate) fn all() -> impl Iterator<Item = &'static PlantedFault> {
    FAULTS.iter().chain(town::TOWN_FAULTS)
}

/// Faults that Relink recognizes by the HTTP response, the connection or the URL itself.
#[rustfmt::skip]
static FAULTS: &[PlantedFault] = &[
    dead("responds with 404", "http://library.test/exhibits/sundial", Status(404), 101),
    dead("responds with 410", "http://library.test/exhibits/phrenology", Status(410), 101),
    dead("redirects to a missing page", "http://library.test/go/donations", Redirect(302, "/donate"), 101),
    dead("moved permanently, then deleted", "http://archive.library.test/finding-aid", Redirect(301, "/guides/2009/aid"), 101),
    dead("host does not exist", "http://nowhere.invalid/catalog", NotServed, 102),
    dead("redirects in a loop", "http://labyrinth.test/lost", Redirect(302, "/found"), 105),
    dead("redirects to itself", "http://labyrinth.test/mirror", Redirect(301, "/mirror"), 105),
    dead("redirects endlessly", "http://labyrinth.test/maze", EndlessRedirect, 105),
    dead("redirects to a script", "http://club.test/join", Redirect(302, "javascript:void(0)"), 106),
    dead("redirects to an invalid URL", "http://club.test/statutes", Redirect(301, "http://"), 106),

    moved("permanent redirect (301)", "http://library.test/opening-times", Redirect(301, "http://library.test/hours"), 201),
    moved("permanent redirect (308)", "http://archive.library.test/plans", Redirect(308, "/maps"), 201),
    moved("permanent redirect to a trailing slash", "http://club.test/bees", Redirect(301, "/bees/"), 201),
    moved("two permanent redirects", "http://club.test/draughts", Redirect(301, "/board-games"), 201),
    moved("three permanent redirects", "http://press.test/paper", Redirect(301, "/gazette"), 202),

    alive("temporary redirect (302)", "http://library.test/today", Redirect(302, "/hours")),
    alive("temporary redirect (307)", "http://club.test/tonight", Redirect(307, "/chess/")),
    alive("permanent, then temporary redirect", "http://press.test/weather", Redirect(301, "/forecast")),
    alive("redirects until a cookie is sent", "http://press.test/subscribers", RedirectUntilCookie),
    alive("responds once with 500", "http://press.test/crossword", OnFirstRequest(&Status(500))),
    alive("responds once with 404", "http://press.test/small-ads", OnFirstRequest(&Status(404))),
    alive("resets the connection once", "http://press.test/obituaries", OnFirstRequest(&Reset)),
    alive("responds once with 429", "http://shy.test/reading-hour", OnFirstRequest(&RateLimit)),
    alive("rejects HEAD", "http://library.test/reservations", OnlyGet),
    alive("multiple choices (300)", "http://archive.library.test/charter", Status(300)),
    alive("HTTP/1.0 response", "http://archive.library.test/telegraph", Http10),
    alive("endless page", "http://archive.library.test/register", EndlessBody),
    alive("page about the number 404", "http://library.test/rooms/404", Page(ROOM_404.0, ROOM_404.1)),
    alive("parentheses in the URL", "http://archive.library.test/names/Orchard_(family)", Page(ORCHARD.0, ORCHARD.1)),
    alive("umlaut in the URL", "http://archive.library.test/names/Grünspan", Page(VERDIGRIS.0, VERDIGRIS.1)),
    alive("URL at the end of a sentence", "http://library.test/late-desk", Page(LATE_DESK.0, LATE_DESK.1)),
    alive("host name in upper case", "http://PRESS.TEST/masthead", Page(MASTHEAD.0, MASTHEAD.1)),
    alive("file name with a space", "shelf/reading%20list.md", NotServed),

    failing("responds with 500", "http://reference.test/atlas", Status(500), 500),
    failing("responds with 502", "http://reference.test/encyclopedia", Status(502), 502),
    failing("responds with 503", "http://tired.test/night-shelf", Status(503), 503),
    failing("responds with 504", "http://reference.test/almanac", Status(504), 504),
    failing("responds with 520", "http://reference.test/gazetteer", Status(520), 519),
    failing("responds with 400", "http://reference.test/thesaurus", Status(400), 510),
    failing("redirects without a Location", "http://reference.test/concordance", Status(301), 518),
    failing("does not support TLS", "https://archive.library.test/vault", NotServed, 524),
    failing("never responds", "http://slow.test/dial-up", NoResponse, 540),
    failing("stops in the middle of the page", "http://sleepy.test/long-story", Stall, 540),
    failing("refuses the connection", "http://attic.library.test/boxes", NotServed, 541),
    failing("resets the connection", "http://reference.test/dictionary", Reset, 542),
    failing("closes the connection without a response", "http://reference.test/telephone-book", CloseWithoutResponse, 542),
    failing("truncated page", "http://reference.test/serial-novel", Truncate, 545),
    failing("mail server", "http://reference.test/letters", NotHttp, 546),
    failing("oversized response headers", "http://reference.test/shelf-list", HugeHeaders, 546),

    blocked("login required (401)", "http://library.test/staff/rota", Status(401), 401),
    blocked("payment required (402)", "http://press.test/archive/premium", Status(402), 402),
    blocked("forbidden (403)", "http://archive.library.test/donors", Status(403), 403),
    blocked("teapot (418)", "http://club.test/tea", Status(418), 418),
    blocked("rate limited (429)", "http://busy.test/new-arrivals", RateLimit, 429),
    blocked("unavailable for legal reasons (451)", "http://press.test/1911/libel", Status(451), 451),
    blocked("rejects bots (999)", "http://club.test/members", Status(999), 499),
    blocked("redirects to a loopback address", "http://library.test/printer", Redirect(302, "http://127.0.0.1/"), 490),
    blocked("redirects to a private host", "http://club.test/intranet", Redirect(301, "http://library.test/hours"), 490),

    local("missing file", "lost-and-found.md", 601),
    local("missing image", "pictures/reading-room.jpg", 601),
    local("URL without a host", "http://:8080/catalog", 602),
    local("invalid port", "http://library.test:99999/hours", 602),
    local("URL without a scheme", "library.test/catalog", 602),
    local("space in the URL", "http://press.test/issues/spring fair", 602),
];

/// Intermediate redirects. No document links to them.
pub(crate) static REDIRECT_STEPS: &[(&str, Behavior)] = &[
    ("http://labyrinth.test/found", Redirect(302, "/lost")),
    ("http://club.test/board-games", Redirect(301, "/chess/")),
    ("http://press.test/gazette", Redirect(301, "/the-gazette")),
    ("http://press.test/the-gazette", Redirect(301, "/about")),
    ("http://press.test/forecast", Redirect(302, "/about")),
];

/// The title and the text of a page.
type PageText = (&'static str, &'static str);

const ROOM_404: PageText = (
    "Room 404: page not found here, only maps",
    "Room 404 is on the fourth floor, behind the globe. Visitors ask at the desk whether \
     404 was not found; it was, in 1926, when a wall was taken down and a forgotten map \
     room came to light. It seats six and is open whenever the lift works.",
);
const ORCHARD: PageText = (
    "Orchard (family)",
    "The Orchards kept the mill for five generations and the library's first catalog for \
     two. Not to be confused with the orchard behind the library, which kept the Orchards \
     in cider. Papers: two boxes, one of them sticky.",
);
const VERDIGRIS: PageText = (
    "Grünspan, Ottilie",
    "Ottilie Grünspan bound books in this town from 1888 to 1931 and signed each one inside \
     the spine, where only the next binder would find it. We have found two hundred and six \
     signatures so far and are in no hurry.",
);
const LATE_DESK: PageText = (
    "The late desk",
    "On Thursdays one lamp and one librarian stay until ten. The late desk lends what is on \
     the trolley, answers questions about trains, and does not ask why anybody needs a book \
     about badgers at a quarter to ten.",
);
const MASTHEAD: PageText = (
    "Masthead of the Gazette",
    "Founded 1868. Printed every Saturday, weather and the compositor permitting. Editor: \
     see the door. Corrections are printed on page two in the same size of type as the \
     mistake, which keeps both of them short.",
);

/// Creates a fault with the verdict `dead` and this code.
const fn dead(
    name: &'static str,
    url: &'static str,
    behavior: Behavior,
    code: u16,
) -> PlantedFault {
    fault(name, url, behavior, Verdict::Dead, code)
}

/// Creates a fault with the verdict `moved` and this code.
const fn moved(
    name: &'static str,
    url: &'static str,
    behavior: Behavior,
    code: u16,
) -> PlantedFault {
    fault(name, url, behavior, Verdict::Moved, code)
}

/// Creates a fault with the verdict `failing` and this code.
const fn failing(
    name: &'static str,
    url: &'static str,
    behavior: Behavior,
    code: u16,
) -> PlantedFault {
    fault(name, url, behavior, Verdict::Failing, code)
}

/// Creates a fault with the verdict `blocked` and this code.
const fn blocked(
    name: &'static str,
    url: &'static str,
    behavior: Behavior,
    code: u16,
) -> PlantedFault {
    fault(name, url, behavior, Verdict::Blocked, code)
}

/// Creates an error in the document itself, with the verdict `local` and this code.
const fn local(name: &'static str, url: &'static str, code: u16) -> PlantedFault {
    fault(name, url, NotServed, Verdict::Local, code)
}

/// Creates a healthy link that appears broken, with the verdict `alive` and no code.
const fn alive(name: &'static str, url: &'static str, behavior: Behavior) -> PlantedFault {
    PlantedFault { code: None, ..fault(name, url, behavior, Verdict::Alive, 0) }
}

/// Creates a fault from all of its fields.
const fn fault(
    name: &'static str,
    url: &'static str,
    behavior: Behavior,
    verdict: Verdict,
    code: u16,
) -> PlantedFault {
    PlantedFault { name, url, behavior, verdict, code: Some(FindingCode::new(code)) }
}
