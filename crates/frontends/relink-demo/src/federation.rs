//! Two providers with 30 metadata records, and their pages over a simulated quarter.
//!
//! A provider is an organization with metadata records; a location is the URL of a described
//! page. The providers speak OAI-PMH, a protocol for harvesting records. An incident is a
//! period in which a URL or a host is broken.
//!
//! [`DemoFederation::set_day`] selects the simulated day. The day determines which pages are
//! broken and which records exist. [`DemoFederation::expected`] lists the expected incidents.
//! They follow the timetable of the paper by Le and Shulman: an incident is reported at once,
//! escalated after 7 days, and its record is hidden after 30 days.

use std::fmt::Write as _;
use std::io;
use std::net::Ipv4Addr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::behavior::{not_found, send};
use crate::received_request::Request;
use crate::response::CannedResponse;
use crate::server::{ACCEPT_RETRY_DELAY, read_request};

/// The hosts of the records: provider, host and number of records.
const HOSTS: [(&str, &str, usize); 3] =
    [("harbor", "harbor.test", 12), ("harbor", "pilot.test", 8), ("school", "school.test", 9)];
/// The day on which the school adds its last record, `school.test:new`.
const ARRIVAL_DAY: u32 = 35;
/// The names of the two pages that the last record describes.
const NEW_PAGES: [&str; 2] = ["new", "gone"];

/// A page that is broken for some days, and the expected days of its incident.
struct Failure {
    provider: &'static str,
    host: &'static str,
    /// The name of the page; `*` for all pages of the host.
    page: &'static str,
    days: Range<u32>,
    /// The days on which the incident is reported, escalated, hidden and restored.
    expected_days: [Option<u32>; 4],
}

/// The planted failures. The pages of a domain are checked every seven days, and pages of
/// hidden records after 1, 2, 3, 5, 8 … days.
const FAILURES: [Failure; 5] = [
    Failure {
        provider: "harbor",
        host: "harbor.test",
        page: "3",
        days: 0..u32::MAX,
        expected_days: [Some(0), Some(7), Some(30), None],
    },
    // The record is hidden on day 37, then checked after 1, 2, 3 and 5 days: 37 + 11 = 48.
    Failure {
        provider: "harbor",
        host: "harbor.test",
        page: "5",
        days: 7..45,
        expected_days: [Some(7), Some(14), Some(37), Some(48)],
    },
    Failure {
        provider: "school",
        host: "school.test",
        page: "2",
        days: 14..20,
        expected_days: [Some(14), None, None, Some(21)],
    },
    // An outage of a whole host is one incident.
    Failure {
        provider: "harbor",
        host: "pilot.test",
        page: "*",
        days: 21..25,
        expected_days: [Some(21), None, None, Some(28)],
    },
    // The location is hidden when the record arrives on day 35, then checked after 1, 2, 3, 5
    // and 8 days: 35 + 19 = 54.
    Failure {
        provider: "school",
        host: "school.test",
        page: "gone",
        days: 0..50,
        expected_days: [Some(ARRIVAL_DAY), None, Some(ARRIVAL_DAY), Some(54)],
    },
];

/// An incident that should be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedIncident {
    /// The provider.
    pub provider: &'static str,
    /// The URL, or the host with its port.
    pub subject: String,
    /// The days on which the incident is reported, escalated, hidden and restored.
    pub days: [Option<u32>; 4],
}

/// The running providers and their pages. The server stops when this value is dropped.
#[derive(Debug)]
pub struct DemoFederation {
    port: u16,
    day: Arc<AtomicU32>,
    // Dropping the `JoinSet` ends the server and all of its connections.
    _server: JoinSet<()>,
}

impl DemoFederation {
    /// Number of records on the last day.
    pub const RECORDS: usize = 30;
    /// Names of the providers.
    pub const PROVIDERS: [&'static str; 2] = ["harbor", "school"];
    /// Number of simulated days.
    pub const DAYS: u32 = 91;

    /// Starts the federation on a free port of 127.0.0.1, on the caller's runtime.
    ///
    /// # Errors
    ///
    /// Fails if there is no free port.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let day = Arc::<AtomicU32>::default();
        let mut server = JoinSet::new();
        server.spawn(serve(listener, ServerState { port, day: Arc::clone(&day) }));
        Ok(Self { port, day, _server: server })
    }

    /// Returns the URL of the OAI-PMH interface of a provider.
    pub fn base_url(&self, provider: &str) -> String {
        format!("http://127.0.0.1:{}/oai/{provider}", self.port)
    }

    /// Returns the addresses of the hosts, as `HOST:PORT:ADDRESS`.
    pub fn overrides(&self) -> Vec<String> {
        let hosts = HOSTS.iter().map(|(_, host, _)| *host);
        hosts.map(|host| format!("{host}:{}:127.0.0.1", self.port)).collect()
    }

    /// Selects a day, counted from 0.
    pub fn set_day(&self, day: u32) {
        self.day.store(day, Ordering::Relaxed);
    }

    /// Returns the incidents that should be found in the quarter.
    pub fn expected(&self) -> Vec<ExpectedIncident> {
        let incident = |failure: &Failure| {
            let host = format!("{}:{}", failure.host, self.port);
            let subject = match failure.page {
                "*" => host,
                page => format!("http://{host}/{page}"),
            };
            let days = failure.expected_days;
            ExpectedIncident { provider: failure.provider, subject, days }
        };
        FAILURES.iter().map(incident).collect()
    }
}

/// State shared by all connections.
#[derive(Debug, Clone)]
struct ServerState {
    port: u16,
    day: Arc<AtomicU32>,
}

/// Serves the federation until the future is dropped.
async fn serve(listener: TcpListener, state: ServerState) {
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let state = state.clone();
                // Ignore the error: the client closed the connection.
                connections.spawn(async move { _ = state.handle(stream).await });
            }
            Err(_) => tokio::time::sleep(ACCEPT_RETRY_DELAY).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

impl ServerState {
    /// Handles one request of a connection.
    async fn handle(&self, mut stream: TcpStream) -> io::Result<()> {
        let Some(request) = read_request(&mut stream).await? else { return Ok(()) };
        let response = match request.path.strip_prefix("/oai/") {
            Some(provider) => self.oai_response(provider, &request),
            None => self.page_response(&request),
        };
        send(&mut stream, &response.to_http(&request)).await
    }

    /// Returns the response to the request for a page.
    fn page_response(&self, request: &Request) -> CannedResponse {
        let day = self.day.load(Ordering::Relaxed);
        let name = request.path.trim_start_matches('/');
        let is_broken = |failure: &Failure| {
            failure.host == request.host
                && (failure.page == "*" || failure.page == name)
                && failure.days.contains(&day)
        };
        let host = HOSTS.iter().find(|(_, host, _)| *host == request.host);
        let exists = host.is_some_and(|(_, _, records)| {
            let is_numbered = name.parse::<usize>().is_ok_and(|number| number < *records);
            is_numbered || NEW_PAGES.contains(&name)
        });
        if !exists || FAILURES.iter().any(is_broken) {
            return not_found();
        }
        CannedResponse::page(format!(
            "<title>{} {name}</title><h1>{} {name}</h1><p>Lesson {name} of {}, for classes and for \
             readers at home.",
            request.host, request.host, request.host
        ))
    }

    /// Returns the response of the OAI-PMH interface of a provider.
    fn oai_response(&self, provider: &str, request: &Request) -> CannedResponse {
        let mut body = String::new();
        if request.query.contains("verb=Identify") {
            body += "<Identify><repositoryName>Demo</repositoryName><deletedRecord>persistent\
                     </deletedRecord><granularity>YYYY-MM-DD</granularity></Identify>";
        } else {
            body += "<ListRecords>";
            for (_, host, count) in HOSTS.iter().filter(|(name, ..)| *name == provider) {
                for number in 0..*count {
                    let url = format!("http://{host}:{}/{number}", self.port);
                    body += &record(&format!("{host}:{number}"), &[url]);
                }
            }
            if provider == "school" && self.day.load(Ordering::Relaxed) >= ARRIVAL_DAY {
                let urls = NEW_PAGES.map(|page| format!("http://school.test:{}/{page}", self.port));
                body += &record("school.test:new", &urls);
            }
            body += "</ListRecords>";
        }
        let xml = format!(
            "<?xml version=\"1.0\"?><OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\">\
             {body}</OAI-PMH>"
        );
        CannedResponse::page(xml).with_content_type("text/xml; charset=utf-8")
    }
}

/// Returns a record in the metadata format LOM.
fn record(name: &str, urls: &[String]) -> String {
    let mut locations = String::new();
    for url in urls {
        let _ = write!(locations, "<location>{url}</location>");
    }
    format!(
        "<record><header><identifier>oai:{name}</identifier><datestamp>2026-01-01</datestamp>\
         </header><metadata><lom xmlns=\"http://ltsc.ieee.org/xsd/LOM\"><general><title><string>\
         Lesson {name}</string></title></general><technical>{locations}</technical></lom>\
         </metadata></record>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn federation_has_thirty_records() {
        let first_records: usize = HOSTS.iter().map(|(_, _, count)| count).sum();
        // One record is added on [`ARRIVAL_DAY`].
        assert_eq!(first_records + 1, DemoFederation::RECORDS);
    }
}
