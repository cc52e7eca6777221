//! What is planted at the library's neighbors, where the status code says 200
//! and something else is true.

use relink_model::Verdict::{Blocked, Drifted, Hijacked, Soft404};

use super::{PlantedFault, alive, fault};
use crate::behavior::Behavior::{BySite, Redirect};

/// Everything planted there.
#[rustfmt::skip]
pub(super) static NEIGHBORS: &[PlantedFault] = &[
    fault("shows one error page for anything", "http://museum.test/exhibits/clockwork-duck", BySite, Soft404, 301),
    fault("shows an error page that repeats the address", "http://theater.test/plays/two-lamps", BySite, Soft404, 301),
    fault("sends the unknown to an error page", "http://harbor.test/tides/moon-table", BySite, Soft404, 301),
    fault("sends the unknown to a search", "http://market.test/stalls/candle-maker", BySite, Soft404, 301),
    fault("shows the front page for anything", "http://ferry.test/fares-for-horses", BySite, Soft404, 301),
    fault("shows an error page that is new each time", "http://nursery.test/plants/blue-poppy", BySite, Soft404, 301),
    fault("has no such record and says 200", "http://records.test/record?id=4417", BySite, Soft404, 301),
    fault("was deleted, in Spanish", "http://biblioteca.test/obras/187", BySite, Soft404, 301),
    fault("is nothing in a heavy frame", "http://council.test/offices/ink-allowance", BySite, Soft404, 301),
    fault("has an unknown number", "http://wire.test/40417/swan-returned-to-owner", BySite, Soft404, 301),
    fault("was a PDF and is a web page", "http://college.test/papers/tides-and-towns.pdf", BySite, Soft404, 301),
    fault("sends the unknown to the front page", "http://bakery.test/bread/seed-loaf", BySite, Soft404, 203),
    fault("leads to the front page by a refresh", "http://tower.test/bells/little-tom", BySite, Soft404, 203),
    fault("was removed and leads to its section", "http://weekly.test/news/2009/flood-relief", Redirect(301, "/news/"), Soft404, 203),
    fault("is a suspended account", "http://choir.test/concerts/spring", BySite, Soft404, 304),
    fault("is a server's default page", "http://regatta.test/", BySite, Soft404, 304),

    fault("is a parked domain", "http://homestead.test/recipes/plum-jam", BySite, Hijacked, 302),
    fault("was a gardening blog and takes bets", "http://allotment.test/notes/pruning-old-roses", BySite, Hijacked, 302),

    fault("is about something else than a year ago", "http://pier.test/notice", BySite, Drifted, 303),

    fault("sends everybody to a login", "http://school.test/timetables/spring", BySite, Blocked, 493),
    fault("tests visitors for being human", "http://bank.test/rates", BySite, Blocked, 499),
    fault("wants consent first", "http://broadsheet.test/1911/bridge-inquiry", BySite, Blocked, 494),
    fault("shows nothing without scripts", "http://tram.test/lines/4", BySite, Blocked, 492),
    fault("is closed for maintenance", "http://pool.test/lanes/booking", BySite, Blocked, 495),

    alive("is a login and meant to be one", "http://staffroom.test/", BySite),
    alive("is an article about 404 pages", "http://handbook.test/chapters/404-not-found", BySite),
    alive("is one line in a heavy frame", "http://council.test/offices/lost-umbrellas", BySite),
    alive("answers to any name beside its number", "http://wire.test/18710/geese-on-the-march", BySite),
    alive("fails every other time", "http://windmill.test/grinding-days", BySite),
    alive("has been redesigned", "http://mill.test/history", BySite),
    alive("has other news at every visit", "http://daily.test/", BySite),
];
