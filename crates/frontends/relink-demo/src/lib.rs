//! The Rotten Library: a built-in site with planted faults and their truth.
//!
//! A town of small sites on 127.0.0.1, told apart by the `Host` header, and a
//! collection of documents that link to them. Most pages are good; some links
//! are broken in every way a link can be, and some only look broken. What was
//! planted is told as [`Planted`], to be compared with what Relink says.
//!
//! A few pages were something else a year ago. Whoever wants to know has to
//! have been there: [`Library::turn_to`] lets another [`Season`] begin, and
//! [`Library::keepsakes`] names what was worth a visit.
//!
//! Nothing here judges, prints or leaves the machine. The library knows how it
//! misbehaves, not how anybody finds out.
//!
//! The truth holds for a check that gives up on an answer after a second or
//! so, asks at least once more after a passing trouble, compares what answers
//! with what strays get, and opens no private address that only a redirect
//! names.

mod answer;
mod archive;
mod behavior;
mod cards;
mod departed;
mod documents;
mod faults;
mod hosts;
mod issues;
mod pages;
mod portal;
mod season;
mod server;
mod sites;
mod visit;

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use relink_model::{FindingCode, Verdict};
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinSet;

use crate::faults::PlantedFault;
use crate::hosts::SitePorts;
use crate::season::Calendar;

pub use crate::archive::{ArchivedPage, MiniArchive};
pub use crate::season::Season;

/// The library, open to visitors until it is dropped.
#[derive(Debug)]
pub struct Library {
    ports: SitePorts,
    calendar: Arc<Calendar>,
    // Dropping the set ends the server and all of its conversations.
    _server: JoinSet<()>,
    // Bound but not listening: whoever knocks is refused, and nobody else can
    // move in behind the address.
    _deserted: TcpSocket,
}

/// A document of the collection to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Where it stands in the collection, with `/` between folders.
    pub path: &'static str,
    /// What it says, with the addresses as they are while the library runs.
    pub text: String,
}

/// Something planted: a fault, or something sound that looks like one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedFinding {
    /// What is the matter, in a few plain words: `answers 404`.
    pub what: &'static str,
    /// The destination exactly as it is written in the documents, once.
    pub url: String,
    /// The word a checker should give it.
    pub verdict: Verdict,
    /// The code it should be reported under, if it is a finding.
    pub code: Option<FindingCode>,
}

/// A page in a decaying neighborhood: none of its own links is dead, and most
/// of what lies behind them is.
#[derive(Debug, Clone, PartialEq)]
pub struct RottenNeighborhood {
    /// The page.
    pub address: String,
    /// Its decay, in the plain form with a sigma of 0.1.
    pub decay: f64,
}

impl Library {
    /// Opens the library on a free port of 127.0.0.1, on the caller's runtime.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let deserted = TcpSocket::new_v4()?;
        deserted.bind((Ipv4Addr::LOCALHOST, 0).into())?;
        let ports = SitePorts {
            open: listener.local_addr()?.port(),
            deserted: deserted.local_addr()?.port(),
        };
        let calendar = Arc::new(Calendar::new());
        let mut server = JoinSet::new();
        server.spawn(server::serve(listener, ports, Arc::clone(&calendar)));
        Ok(Self { ports, calendar, _server: server, _deserted: deserted })
    }

    /// Lets another season begin, for every visit from now on. A library that
    /// has just been opened is that of today.
    pub fn turn_to(&self, season: Season) {
        self.calendar.turn_to(season);
    }

    /// The addresses that had a visitor a year ago: what they were then is
    /// needed to judge what they are today.
    pub fn previously_visited(&self) -> Vec<String> {
        sites::KEEPSAKES.iter().map(|address| self.ports.fill(address)).collect()
    }

    /// The port the sites are served on.
    pub fn port(&self) -> u16 {
        self.ports.open
    }

    /// `HOST:PORT:ADDRESS` for each site, for whoever resolves names.
    pub fn overrides(&self) -> Vec<String> {
        self.ports
            .of_hosts()
            .map(|(host, port)| format!("{host}:{port}:{}", Ipv4Addr::LOCALHOST))
            .collect()
    }

    /// The documents of the collection to check.
    pub fn documents(&self) -> Vec<Document> {
        documents::all(self.ports)
    }

    /// What was planted, and what should be said about it. Every other link of
    /// the documents is alive.
    pub fn planted(&self) -> Vec<ExpectedFinding> {
        let departed = departed::faults();
        let planted = |fault: &PlantedFault| ExpectedFinding {
            what: fault.what,
            url: self.ports.fill(fault.url),
            verdict: fault.verdict,
            code: fault.code,
        };
        faults::all().map(planted).chain(departed.iter().map(planted)).collect()
    }

    /// The planted pages that live elsewhere now, with their old and their new
    /// addresses. Every other one is lost.
    pub fn moved(&self) -> Vec<(String, String)> {
        let moved = |page: &departed::Departed| {
            let old = self.ports.fill(page.old);
            let host = old.split('/').take(3).collect::<Vec<_>>().join("/");
            Some((old, format!("{host}{}", page.new?)))
        };
        departed::DEPARTED.iter().filter_map(moved).collect()
    }

    /// What a web archive has of the sites, for a [`MiniArchive`] to keep.
    pub fn copies(&self) -> Vec<ArchivedPage> {
        departed::copies(self.ports)
    }

    /// A page whose neighborhood decays, with the truth about it.
    pub fn neighborhood(&self) -> RottenNeighborhood {
        let address = self.ports.fill(&format!("http://{}/", portal::PORTAL));
        RottenNeighborhood { address, decay: portal::decay() }
    }

    /// How many good pages the sites have.
    pub fn pages(&self) -> usize {
        pages::all().len() + sites::good_pages().count()
    }
}

#[cfg(test)]
mod tests;
