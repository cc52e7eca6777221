//! The sites of the library, and at which port each is found.
//!
//! Texts are written without ports, as people write addresses; the ports are
//! filled in once they are known.

use crate::portal::PORTAL;
use crate::sites;

/// The library itself.
pub(crate) const LIBRARY: &str = "library.test";
/// Its archive, behind the boiler room.
pub(crate) const ARCHIVE: &str = "archive.library.test";
/// The town's newspaper.
pub(crate) const PRESS: &str = "press.test";
/// The clubs that meet in the library.
pub(crate) const CLUB: &str = "club.test";

/// Sites served at the open port, beside those with rules of their own. Those after the first five only have faults;
/// they stand apart because whoever is asked for patience by one page, or kept
/// waiting by it, rightly slows down for the whole site.
const SERVED: [&str; 12] = [
    LIBRARY,
    ARCHIVE,
    PRESS,
    CLUB,
    PORTAL,
    "reference.test",
    "labyrinth.test",
    "busy.test",
    "shy.test",
    "tired.test",
    "sleepy.test",
    "slow.test",
];

/// A site that nobody serves any more.
const DESERTED: &str = "attic.library.test";

/// Where the library is found while it runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SitePorts {
    /// Where the sites are served.
    pub(crate) open: u16,
    /// Where nobody listens.
    pub(crate) deserted: u16,
}

impl SitePorts {
    /// Every site with its port.
    pub(crate) fn of_hosts(self) -> impl Iterator<Item = (&'static str, u16)> {
        let served = SERVED.into_iter().chain(sites::hosts()).map(move |host| (host, self.open));
        served.chain([(DESERTED, self.deserted)])
    }

    /// The text with the port written behind every site's name, in lower or
    /// upper case.
    pub(crate) fn fill(self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (host, port) in self.of_hosts() {
            for host in [host.to_owned(), host.to_ascii_uppercase()] {
                let with_port = format!("://{host}:{port}/");
                filled = filled.replace(&format!("://{host}/"), &with_port);
            }
        }
        // The machine's own address stands in redirects alone.
        filled.replace("://127.0.0.1/", &format!("://127.0.0.1:{}/", self.open))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let ports = SitePorts { open: 81, deserted: 82 };
        assert_eq!(ports.fill(text), expect);
    }

    #[test]
    fn ports_are_filled_in_behind_the_sites_of_the_library() {
        check("(http://press.test/a)", "(http://press.test:81/a)");
        check("https://PRESS.TEST/", "https://PRESS.TEST:81/");
        check(
            "http://archive.library.test/ http://library.test/",
            "http://archive.library.test:81/ http://library.test:81/",
        );
        check("http://attic.library.test/x", "http://attic.library.test:82/x");
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        for text in [
            "http://nowhere.invalid/x",
            "library.test/x",
            "http://library.test:99999/",
            "http://my.library.test.example.org/",
        ] {
            check(text, text);
        }
    }
}
