//! Host names of the demo sites, and their ports.
//!
//! Texts contain URLs without ports. The ports are inserted when they are known.

use crate::portal::PORTAL;
use crate::sites;

/// The library itself.
pub(crate) const LIBRARY: &str = "library.test";
/// The archive of the library.
pub(crate) const ARCHIVE: &str = "archive.library.test";
/// The town's newspaper.
pub(crate) const PRESS: &str = "press.test";
/// The clubs of the library.
pub(crate) const CLUB: &str = "club.test";

/// Hosts that are served, in addition to those in [`sites`]. The hosts after the first five
/// have only faults: a link checker waits longer between requests to a host after a rate
/// limit or a timeout, and good pages on the same host would be delayed.
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

/// A host whose port refuses connections.
const REFUSING: &str = "attic.library.test";

/// Ports of the running demo.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SitePorts {
    /// The port of the served hosts.
    pub(crate) served: u16,
    /// A port that refuses connections.
    pub(crate) refusing: u16,
}

impl SitePorts {
    /// Returns every host with its port.
    pub(crate) fn by_host(self) -> impl Iterator<Item = (&'static str, u16)> {
        let served = SERVED.into_iter().chain(sites::hosts()).map(move |host| (host, self.served));
        served.chain([(REFUSING, self.refusing)])
    }

    /// Inserts the port after each demo host in the URLs of a text, in lower
    /// and upper case.
    pub(crate) fn insert_ports(self, text: &str) -> String {
        let mut with_ports = text.to_owned();
        for (host, port) in self.by_host() {
            for host in [host.to_owned(), host.to_ascii_uppercase()] {
                let with_port = format!("://{host}:{port}/");
                with_ports = with_ports.replace(&format!("://{host}/"), &with_port);
            }
        }
        // 127.0.0.1 occurs only in redirects.
        with_ports.replace("://127.0.0.1/", &format!("://127.0.0.1:{}/", self.served))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the text with the served port 81 and the refusing port 82.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let ports = SitePorts { served: 81, refusing: 82 };
        assert_eq!(ports.insert_ports(text), expected);
    }

    #[test]
    fn insert_ports_adds_ports_to_demo_hosts() {
        check("(http://press.test/a)", "(http://press.test:81/a)");
        check("https://PRESS.TEST/", "https://PRESS.TEST:81/");
        check(
            "http://archive.library.test/ http://library.test/",
            "http://archive.library.test:81/ http://library.test:81/",
        );
        check("http://attic.library.test/x", "http://attic.library.test:82/x");
    }

    #[test]
    fn insert_ports_leaves_other_text_unchanged() {
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
