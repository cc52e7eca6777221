//! Built-in demo site with planted faults and the expected findings.
//!
//! The demo consists of many small sites on 127.0.0.1, distinguished by the
//! `Host` header, and a collection of documents that link to them. Most pages
//! are healthy. Some links are broken, each in another way, and some healthy
//! links only appear broken. [`Library::expected_findings`] lists the findings
//! that Relink should report.
//!
//! A few pages had other content a year ago. [`Library::set_time`] switches the
//! sites to another [`SimulatedTime`], and [`Library::previously_visited`]
//! returns the URLs to check at the earlier time.
//!
//! This crate does not judge or print anything, and serves on 127.0.0.1 only.
//!
//! The expected findings hold for a check that has a timeout of about one
//! second, retries at least once after a transient failure, compares pages with
//! the responses to random URLs, and does not follow redirects to private
//! addresses.

mod archive;
mod behavior;
mod cards;
mod documents;
mod faults;
mod federation;
mod hosts;
mod issues;
mod lost_pages;
mod pages;
mod portal;
mod received_request;
mod response;
mod server;
mod simulated_time;
mod sites;

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use relink_model::{FindingCode, Verdict};
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinSet;

use crate::faults::PlantedFault;
use crate::hosts::SitePorts;
use crate::simulated_time::SimulatedClock;

pub use crate::archive::{ArchivedPage, MiniArchive};
pub use crate::federation::{DemoFederation, ExpectedIncident};
pub use crate::simulated_time::SimulatedTime;

/// The running demo sites. The servers stop when this value is dropped.
#[derive(Debug)]
pub struct Library {
    ports: SitePorts,
    clock: Arc<SimulatedClock>,
    // Dropping the `JoinSet` ends the server and all of its connections.
    _server: JoinSet<()>,
    // Bound but not listening: connections are refused, and no other process
    // can use the port.
    _refusing_socket: TcpSocket,
}

/// A document of the collection to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The path in the collection, with `/` between folders.
    pub path: &'static str,
    /// The text, with the ports of the running sites in its URLs.
    pub text: String,
}

/// A planted fault, or a healthy link that appears broken, with the finding that
/// Relink should report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedFinding {
    /// A short description: `responds with 404`.
    pub name: &'static str,
    /// The URL exactly as written in the documents. It occurs once.
    pub url: String,
    /// The expected verdict.
    pub verdict: Verdict,
    /// The expected code, if the link is a finding.
    pub code: Option<FindingCode>,
}

/// A page in a decayed neighborhood: none of its own links is dead, but most links of the
/// linked pages are dead. The decay of a page is the probability that a reader who follows
/// random links from the page reaches a dead page.
#[derive(Debug, Clone, PartialEq)]
pub struct DecayedNeighborhood {
    /// The URL of the page.
    pub url: String,
    /// The decay of the page. A reader stops at each page with the probability 0.1 (sigma).
    pub decay: f64,
}

/// A page of the reading list, with its change in the last year and the step that Relink
/// should propose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedReading {
    /// The URL.
    pub url: String,
    /// The change, such as `moved`.
    pub event: &'static str,
    /// The name of the expected next step, such as `accept`.
    pub next_step: &'static str,
}

impl Library {
    /// Starts the sites on a free port of 127.0.0.1, on the caller's runtime.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let refusing_socket = TcpSocket::new_v4()?;
        refusing_socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
        let ports = SitePorts {
            served: listener.local_addr()?.port(),
            refusing: refusing_socket.local_addr()?.port(),
        };
        let clock = Arc::new(SimulatedClock::new());
        let mut server = JoinSet::new();
        server.spawn(server::serve(listener, ports, Arc::clone(&clock)));
        Ok(Self { ports, clock, _server: server, _refusing_socket: refusing_socket })
    }

    /// Sets the simulated time of all later requests. The sites start at
    /// [`SimulatedTime::Today`].
    pub fn set_time(&self, time: SimulatedTime) {
        self.clock.set_time(time);
    }

    /// Returns the URLs to check at [`SimulatedTime::OneYearAgo`]. Their current
    /// content can only be judged by a comparison with the earlier content.
    pub fn previously_visited(&self) -> Vec<String> {
        sites::PREVIOUSLY_VISITED.iter().map(|url| self.ports.insert_ports(url)).collect()
    }

    /// Returns the port of the sites.
    pub fn port(&self) -> u16 {
        self.ports.served
    }

    /// Returns `HOST:PORT:ADDRESS` for each site, for the `--resolve` option.
    pub fn overrides(&self) -> Vec<String> {
        self.ports
            .by_host()
            .map(|(host, port)| format!("{host}:{port}:{}", Ipv4Addr::LOCALHOST))
            .collect()
    }

    /// Returns the documents of the collection to check.
    pub fn documents(&self) -> Vec<Document> {
        documents::all(self.ports)
    }

    /// Returns the expected findings. Every other link of the documents is
    /// alive.
    pub fn expected_findings(&self) -> Vec<ExpectedFinding> {
        let expected_finding = |fault: &PlantedFault| ExpectedFinding {
            name: fault.name,
            url: self.ports.insert_ports(fault.url),
            verdict: fault.verdict,
            code: fault.code,
        };
        let mut findings: Vec<_> = faults::all().map(expected_finding).collect();
        findings.extend(lost_pages::faults().iter().map(expected_finding));
        findings
    }

    /// Returns the old and new URLs of the dead pages that moved. All other
    /// dead pages were deleted.
    pub fn moved_pages(&self) -> Vec<(String, String)> {
        let old_and_new_url = |page: &lost_pages::LostPage| {
            let old_url = self.ports.insert_ports(page.old);
            // The first three parts of the URL are `http:`, an empty part and the host.
            let origin = old_url.split('/').take(3).collect::<Vec<_>>().join("/");
            Some((old_url, format!("{origin}{}", page.new?)))
        };
        lost_pages::LOST_PAGES.iter().filter_map(old_and_new_url).collect()
    }

    /// Returns the captures of the sites to serve from a [`MiniArchive`].
    pub fn archived_pages(&self) -> Vec<ArchivedPage> {
        lost_pages::archived_pages(self.ports)
    }

    /// Returns a page in a decayed neighborhood, with its decay.
    pub fn neighborhood(&self) -> DecayedNeighborhood {
        let url = self.ports.insert_ports(&format!("http://{}/", portal::PORTAL));
        DecayedNeighborhood { url, decay: portal::decay() }
    }

    /// Returns a reading list as Markdown, and its pages with the expected steps.
    pub fn reading_list(&self) -> (String, Vec<PlannedReading>) {
        let mut text = "# The orchard\n\n".to_owned();
        let mut pages = Vec::new();
        for page in &sites::READING_LIST {
            let url = self.ports.insert_ports(page.url);
            text.extend([format!("- [{}]({url})\n", page.title)]);
            pages.push(PlannedReading { url, event: page.event, next_step: page.next_step });
        }
        (text, pages)
    }

    /// Returns the page that can replace the deleted page of the reading list.
    pub fn reading_replacement(&self) -> String {
        self.ports.insert_ports(sites::REPLACEMENT)
    }

    /// Returns the number of good pages on the sites.
    pub fn good_page_count(&self) -> usize {
        pages::all().len() + sites::good_pages().count()
    }
}

#[cfg(test)]
mod tests;
