//! What is planted: one line for each fault or trap, with its truth.
//!
//! Addresses are written without ports. Each stands exactly once in the
//! documents, so that what is said about it can be found again. Redirects that
//! should arrive stay on their own host, because a redirect to another host of
//! this machine is one into a private network, and rightly not followed.

mod neighbors;

use relink_model::{FindingCode, Verdict};

use crate::behavior::Behavior::{
    self, Absent, CookieBounce, Endless, FirstOnly, HangUp, HugeHead, Maze, NotHttp, OldHttp,
    OnlyGet, Page, Redirect, Reset, Silence, Stall, Status, Throttle, Truncate,
};

/// A fault, or something sound that looks like one.
#[derive(Debug)]
pub(crate) struct PlantedFault {
    /// What is the matter.
    pub(crate) what: &'static str,
    /// The destination as written, without the port.
    pub(crate) url: &'static str,
    /// How the address answers, if anybody serves it.
    pub(crate) behavior: Behavior,
    /// The word it should be given.
    pub(crate) verdict: Verdict,
    /// The code it should be given.
    pub(crate) code: Option<FindingCode>,
}

/// Everything planted.
pub(crate) fn all() -> impl Iterator<Item = &'static PlantedFault> {
    FAULTS.iter().chain(neighbors::NEIGHBORS)
}

/// What is planted in the library and its archive, press and clubs, and told
/// by the way they answer.
#[rustfmt::skip]
static FAULTS: &[PlantedFault] = &[
    dead("answers 404", "http://library.test/exhibits/sundial", Status(404), 101),
    dead("answers 410", "http://library.test/exhibits/phrenology", Status(410), 101),
    dead("redirects to a page that is not there", "http://library.test/go/donations", Redirect(302, "/donate"), 101),
    dead("moved for good, then vanished", "http://archive.library.test/finding-aid", Redirect(301, "/guides/2009/aid"), 101),
    dead("no such host", "http://nowhere.invalid/catalog", Absent, 102),
    dead("redirects in a circle", "http://labyrinth.test/lost", Redirect(302, "/found"), 105),
    dead("redirects to itself", "http://labyrinth.test/mirror", Redirect(301, "/mirror"), 105),
    dead("redirects without end", "http://labyrinth.test/maze", Maze, 105),
    dead("redirects to a script", "http://club.test/join", Redirect(302, "javascript:void(0)"), 106),
    dead("redirects to no address", "http://club.test/statutes", Redirect(301, "http://"), 106),

    moved("moved for good (301)", "http://library.test/opening-times", Redirect(301, "http://library.test/hours"), 201),
    moved("moved for good (308)", "http://archive.library.test/plans", Redirect(308, "/maps"), 201),
    moved("moved behind a slash", "http://club.test/bees", Redirect(301, "/bees/"), 201),
    moved("moved twice", "http://club.test/draughts", Redirect(301, "/board-games"), 201),
    moved("moved three times", "http://press.test/paper", Redirect(301, "/gazette"), 202),

    alive("redirects for today (302)", "http://library.test/today", Redirect(302, "/hours")),
    alive("redirects for tonight (307)", "http://club.test/tonight", Redirect(307, "/chess/")),
    alive("moved for good, then for a while", "http://press.test/weather", Redirect(301, "/forecast")),
    alive("bounces until a cookie comes back", "http://press.test/subscribers", CookieBounce),
    alive("fails once with 500", "http://press.test/crossword", FirstOnly(&Status(500))),
    alive("says 404 once", "http://press.test/small-ads", FirstOnly(&Status(404))),
    alive("is reset once", "http://press.test/obituaries", FirstOnly(&Reset)),
    alive("asks for patience once", "http://shy.test/reading-hour", FirstOnly(&Throttle)),
    alive("refuses HEAD", "http://library.test/reservations", OnlyGet),
    alive("offers several versions (300)", "http://archive.library.test/charter", Status(300)),
    alive("speaks HTTP/1.0", "http://archive.library.test/telegraph", OldHttp),
    alive("has no end", "http://archive.library.test/register", Endless),
    alive("is about the number 404", "http://library.test/rooms/404", Page(ROOM_404.0, ROOM_404.1)),
    alive("has brackets in its address", "http://archive.library.test/names/Orchard_(family)", Page(ORCHARD.0, ORCHARD.1)),
    alive("has an umlaut in its address", "http://archive.library.test/names/Grünspan", Page(VERDIGRIS.0, VERDIGRIS.1)),
    alive("stands at the end of a sentence", "http://library.test/late-desk", Page(LATE_DESK.0, LATE_DESK.1)),
    alive("shouts its host name", "http://PRESS.TEST/masthead", Page(MASTHEAD.0, MASTHEAD.1)),
    alive("is a file with a space in its name", "shelf/reading%20list.md", Absent),

    failing("answers 500", "http://reference.test/atlas", Status(500), 500),
    failing("answers 502", "http://reference.test/encyclopedia", Status(502), 502),
    failing("answers 503", "http://tired.test/night-shelf", Status(503), 503),
    failing("answers 504", "http://reference.test/almanac", Status(504), 504),
    failing("answers 520", "http://reference.test/gazetteer", Status(520), 519),
    failing("answers 400", "http://reference.test/thesaurus", Status(400), 510),
    failing("redirects to nowhere", "http://reference.test/concordance", Status(301), 518),
    failing("speaks no TLS", "https://archive.library.test/vault", Absent, 524),
    failing("never answers", "http://slow.test/dial-up", Silence, 540),
    failing("stops in the middle of the page", "http://sleepy.test/long-story", Stall, 540),
    failing("refuses the connection", "http://attic.library.test/boxes", Absent, 541),
    failing("resets the connection", "http://reference.test/dictionary", Reset, 542),
    failing("hangs up without a word", "http://reference.test/telephone-book", HangUp, 542),
    failing("breaks off", "http://reference.test/serial-novel", Truncate, 545),
    failing("is a mail server", "http://reference.test/letters", NotHttp, 546),
    failing("has an enormous head", "http://reference.test/shelf-list", HugeHead, 546),

    blocked("wants a login (401)", "http://library.test/staff/rota", Status(401), 401),
    blocked("wants money (402)", "http://press.test/archive/premium", Status(402), 402),
    blocked("refuses us (403)", "http://archive.library.test/donors", Status(403), 403),
    blocked("is a teapot (418)", "http://club.test/tea", Status(418), 418),
    blocked("always asks for patience (429)", "http://busy.test/new-arrivals", Throttle, 429),
    blocked("is withheld by law (451)", "http://press.test/1911/libel", Status(451), 451),
    blocked("turns programs away (999)", "http://club.test/members", Status(999), 499),
    blocked("redirects to this machine's address", "http://library.test/printer", Redirect(302, "http://127.0.0.1/"), 490),
    blocked("redirects to a private host", "http://club.test/intranet", Redirect(301, "http://library.test/hours"), 490),

    local("is a missing file", "lost-and-found.md", 601),
    local("is a missing picture", "pictures/reading-room.jpg", 601),
    local("has no host", "http://:8080/catalog", 602),
    local("has an impossible port", "http://library.test:99999/hours", 602),
    local("has no scheme", "library.test/catalog", 602),
    local("has a space in it", "http://press.test/issues/spring fair", 602),
];

/// What stands on the way of longer redirects; nothing links here.
pub(crate) static STEPS: &[(&str, Behavior)] = &[
    ("http://labyrinth.test/found", Redirect(302, "/lost")),
    ("http://club.test/board-games", Redirect(301, "/chess/")),
    ("http://press.test/gazette", Redirect(301, "/the-gazette")),
    ("http://press.test/the-gazette", Redirect(301, "/about")),
    ("http://press.test/forecast", Redirect(302, "/about")),
];

/// Title and text of a page.
type Text = (&'static str, &'static str);

const ROOM_404: Text = (
    "Room 404: page not found here, only maps",
    "Room 404 is on the fourth floor, behind the globe. Visitors ask at the desk whether \
     404 was not found; it was, in 1926, when a wall was taken down and a forgotten map \
     room came to light. It seats six and is open whenever the lift works.",
);
const ORCHARD: Text = (
    "Orchard (family)",
    "The Orchards kept the mill for five generations and the library's first catalog for \
     two. Not to be confused with the orchard behind the library, which kept the Orchards \
     in cider. Papers: two boxes, one of them sticky.",
);
const VERDIGRIS: Text = (
    "Grünspan, Ottilie",
    "Ottilie Grünspan bound books in this town from 1888 to 1931 and signed each one inside \
     the spine, where only the next binder would find it. We have found two hundred and six \
     signatures so far and are in no hurry.",
);
const LATE_DESK: Text = (
    "The late desk",
    "On Thursdays one lamp and one librarian stay until ten. The late desk lends what is on \
     the trolley, answers questions about trains, and does not ask why anybody needs a book \
     about badgers at a quarter to ten.",
);
const MASTHEAD: Text = (
    "Masthead of the Gazette",
    "Founded 1868. Printed every Saturday, weather and the compositor permitting. Editor: \
     see the door. Corrections are printed on page two in the same size of type as the \
     mistake, which keeps both of them short.",
);

const fn dead(
    what: &'static str,
    address: &'static str,
    behavior: Behavior,
    code: u16,
) -> PlantedFault {
    fault(what, address, behavior, Verdict::Dead, code)
}

const fn moved(
    what: &'static str,
    address: &'static str,
    behavior: Behavior,
    code: u16,
) -> PlantedFault {
    fault(what, address, behavior, Verdict::Moved, code)
}

const fn failing(
    what: &'static str,
    address: &'static str,
    behavior: Behavior,
    code: u16,
) -> PlantedFault {
    fault(what, address, behavior, Verdict::Failing, code)
}

const fn blocked(
    what: &'static str,
    address: &'static str,
    behavior: Behavior,
    code: u16,
) -> PlantedFault {
    fault(what, address, behavior, Verdict::Blocked, code)
}

const fn local(what: &'static str, address: &'static str, code: u16) -> PlantedFault {
    fault(what, address, Absent, Verdict::Local, code)
}

const fn alive(what: &'static str, address: &'static str, behavior: Behavior) -> PlantedFault {
    PlantedFault { code: None, ..fault(what, address, behavior, Verdict::Alive, 0) }
}

const fn fault(
    what: &'static str,
    address: &'static str,
    behavior: Behavior,
    word: Verdict,
    code: u16,
) -> PlantedFault {
    PlantedFault { what, url: address, behavior, verdict: word, code: Some(FindingCode::new(code)) }
}
