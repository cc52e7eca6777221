//! Faults of sites that respond with a misleading status 200 or redirect. `BySite` means
//! that a function in [`crate::sites`] responds.

use relink_model::Verdict::{Blocked, Drifted, Hijacked, Soft404};

use super::{PlantedFault, alive, fault};
use crate::behavior::Behavior::{BySite, Redirect};

/// The faults. The last number of a row is the expected finding code.
#[rustfmt::skip]
pub(super) static TOWN_FAULTS: &[PlantedFault] = &[
    fault("one error page for all unknown URLs", "http://museum.test/exhibits/clockwork-duck", BySite, Soft404, 301),
    fault("error page that repeats the URL", "http://theater.test/plays/two-lamps", BySite, Soft404, 301),
    fault("redirect to an error page", "http://harbor.test/tides/moon-table", BySite, Soft404, 301),
    fault("redirect to a search without results", "http://market.test/stalls/candle-maker", BySite, Soft404, 301),
    fault("home page for all unknown URLs", "http://ferry.test/fares-for-horses", BySite, Soft404, 301),
    fault("error page with random content", "http://nursery.test/plants/blue-poppy", BySite, Soft404, 301),
    fault("missing record with status 200", "http://records.test/record?id=4417", BySite, Soft404, 301),
    fault("deleted page, in Spanish", "http://biblioteca.test/obras/187", BySite, Soft404, 301),
    fault("short error page in a large template", "http://council.test/offices/ink-allowance", BySite, Soft404, 301),
    fault("unknown article number", "http://wire.test/40417/swan-returned-to-owner", BySite, Soft404, 301),
    fault("PDF replaced by a web page", "http://college.test/papers/tides-and-towns.pdf", BySite, Soft404, 301),
    fault("redirect to the home page", "http://bakery.test/bread/seed-loaf", BySite, Soft404, 203),
    fault("meta refresh to the home page", "http://tower.test/bells/little-tom", BySite, Soft404, 203),
    fault("redirect to the section of a deleted page", "http://weekly.test/news/2009/flood-relief", Redirect(301, "/news/"), Soft404, 203),
    fault("suspended account", "http://choir.test/concerts/spring", BySite, Soft404, 304),
    fault("default page of a server", "http://regatta.test/", BySite, Soft404, 304),

    fault("parked domain", "http://homestead.test/recipes/plum-jam", BySite, Hijacked, 302),
    fault("gardening blog turned into a betting site", "http://allotment.test/notes/pruning-old-roses", BySite, Hijacked, 302),

    fault("other content than a year ago", "http://pier.test/notice", BySite, Drifted, 303),

    fault("redirect to a login page", "http://school.test/timetables/spring", BySite, Blocked, 493),
    fault("CAPTCHA", "http://bank.test/rates", BySite, Blocked, 499),
    fault("consent wall", "http://broadsheet.test/1911/bridge-inquiry", BySite, Blocked, 494),
    fault("empty page without JavaScript", "http://tram.test/lines/4", BySite, Blocked, 492),
    fault("maintenance page", "http://pool.test/lanes/booking", BySite, Blocked, 495),

    alive("login page as the home page", "http://staffroom.test/", BySite),
    alive("article about 404 pages", "http://handbook.test/chapters/404-not-found", BySite),
    alive("one line of text in a large template", "http://council.test/offices/lost-umbrellas", BySite),
    alive("any slug after the article number", "http://wire.test/18710/geese-on-the-march", BySite),
    alive("fails every other time", "http://windmill.test/grinding-days", BySite),
    alive("redesigned page", "http://mill.test/history", BySite),
    alive("news page that changes with every request", "http://daily.test/", BySite),
];
