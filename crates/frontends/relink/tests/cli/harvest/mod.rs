//! `relink harvest` with a scripted OAI-PMH provider and its pages on loopback.

mod arrivals;
mod concurrent;
mod decay;
mod incidents;
mod intake;
mod interruptions;
mod mails;
mod managers;
mod oai_peers;
mod peers;
mod providers;
mod report;
mod server;
mod spi;
mod webhooks;

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};
use serde_json::Value;

use self::server::Server;
use crate::sandbox::{CommandOutput, QUICK, Sandbox};

/// Number of records per page of the provider.
const PAGE: usize = 5;

/// A record of the provider.
#[derive(Debug, Clone)]
pub struct Record {
    pub identifier: String,
    pub url: String,
    /// A second location.
    pub mirror: Option<String>,
    pub is_deleted: bool,
}

/// A provider with 10 records on `a.test` and 3 on `b.test`.
pub struct Provider {
    pub web: TestServer,
    pub sandbox: Sandbox,
    pub records: Arc<Mutex<Vec<Record>>>,
}

impl Provider {
    pub fn new() -> Self {
        Self::with_contacts(&[])
    }

    /// Creates a provider that receives all notices by mail.
    pub fn with_contacts(contacts: &[&str]) -> Self {
        let web = TestServer::start_blocking();
        let mut records = Vec::new();
        for (host, count) in [("a.test", 10), ("b.test", 3)] {
            for number in 0..count {
                let path = format!("/{number}");
                let body = format!("<title>{host} {number}</title><p>Lesson {number} of {host}");
                web.host(host).page(&path, 200, &body);
                let identifier = format!("oai:{host}:{number}");
                let url = String::from(web.host(host).url(&path));
                records.push(Record { identifier, url, mirror: None, is_deleted: false });
            }
        }
        let records = Arc::new(Mutex::new(records));
        let served = Arc::clone(&records);
        web.respond_below_with("/oai", move |request| {
            oai_response(&served.lock().unwrap(), request)
        });
        let provider = Self { web, sandbox: Sandbox::new(), records };
        let url = String::from(provider.web.url("/oai"));
        let mut args = vec!["add", "lre", "--oai", &url, "--notify", "rss,atom,xlsx,mail"];
        for contact in contacts {
            args.extend(["--contact", contact]);
        }
        provider.harvest(&args).exits(0);
        provider
    }

    /// Runs a subcommand.
    pub fn harvest(&self, args: &[&str]) -> CommandOutput {
        self.harvest_at("2026-01-01T09:00:00Z", args)
    }

    /// Runs a subcommand at a time.
    pub fn harvest_at(&self, now: &str, args: &[&str]) -> CommandOutput {
        let mut all = vec!["harvest"];
        all.extend(args);
        all.extend(["--db", "relink.db"]);
        self.sandbox.run_at(now, &all)
    }

    /// Runs a subcommand that sends requests on a day of January or February 2026, counted
    /// from 0.
    pub fn request_on(&self, day: i8, args: &[&str]) -> CommandOutput {
        self.request_at(&time(day), "127.0.0.1", args)
    }

    /// Runs a subcommand that sends requests for targets to an IP address.
    pub fn request_at(&self, now: &str, address: &str, args: &[&str]) -> CommandOutput {
        let args = self.request_args(address, args);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        self.harvest_at(now, &args)
    }

    /// Returns the arguments of a subcommand that sends requests for targets to an IP address.
    pub fn request_args(&self, address: &str, args: &[&str]) -> Vec<String> {
        let mut all: Vec<String> = args.iter().chain(QUICK).map(|&arg| arg.to_owned()).collect();
        all.push("--allow-private".to_owned());
        for host in ["a.test", "b.test"] {
            all.push("--resolve".to_owned());
            all.push(format!("{host}:{}:{address}", self.web.port()));
        }
        all
    }

    /// Runs the provider on a day and returns its report.
    #[track_caller]
    pub fn run_on(&self, day: i8, exit: i32) -> Value {
        self.run_with(day, &[], exit)
    }

    /// Runs the provider with further flags.
    #[track_caller]
    pub fn run_with(&self, day: i8, flags: &[&str], exit: i32) -> Value {
        let mut args = vec!["run", "--format", "json"];
        args.extend(flags);
        let output = self.request_on(day, &args).exits(exit);
        let rows: Value = serde_json::from_str(&output.stdout).unwrap();
        rows[0].clone()
    }

    /// Runs the provider while no target responds.
    pub fn run_without_targets(&self, day: i8) -> Value {
        let args = ["run", "--format", "json"];
        let output = self.request_at(&time(day), "127.0.0.2", &args).exits(3);
        let rows: Value = serde_json::from_str(&output.stdout).unwrap();
        rows[0].clone()
    }

    /// Returns the status.
    pub fn status(&self) -> Value {
        let output = self.harvest(&["status", "--all", "--format", "json"]).exits(0);
        let rows: Value = serde_json::from_str(&output.stdout).unwrap();
        rows[0].clone()
    }

    /// Returns the response of our OAI-PMH interface to a query.
    pub fn oai(&self, query: &str) -> String {
        let server = Server::start(self, &["--oai"]);
        let response = server.request("GET", &format!("/oai?{query}"), &[], "");
        assert_eq!(response.status, 200, "{}", response.body);
        response.body
    }

    /// Returns the identifiers of exported records.
    pub fn export(&self, flags: &[&str]) -> Vec<String> {
        let mut args = vec!["export"];
        args.extend(flags);
        let output = self.harvest(&args).exits(0);
        let rows: Value = serde_json::from_str(&output.stdout).unwrap();
        let identifier = |row: &Value| row["identifier"].as_str().unwrap().to_owned();
        rows.as_array().unwrap().iter().map(identifier).collect()
    }

    /// Removes a page of a host.
    pub fn remove_page(&self, host: &str, path: &str) {
        self.web.host(host).page(path, 404, "<title>Not found</title>");
    }

    /// Adds a record with its locations on `a.test`.
    pub fn add_record(&self, identifier: &str, paths: &[&str]) {
        let url = |path: &&str| String::from(self.web.host("a.test").url(path));
        let mut urls = paths.iter().map(url);
        self.records.lock().unwrap().push(Record {
            identifier: identifier.to_owned(),
            url: urls.next().unwrap(),
            mirror: urls.next(),
            is_deleted: false,
        });
    }

    /// Returns the exported row of a record.
    pub fn exported(&self, identifier: &str) -> Value {
        let output = self.harvest(&["export"]).exits(0);
        let rows: Value = serde_json::from_str(&output.stdout).unwrap();
        let is_row = |row: &&Value| row["identifier"] == identifier;
        rows.as_array().unwrap().iter().find(is_row).cloned().unwrap_or_default()
    }

    /// Returns the URL of a record.
    pub fn url(&self, index: usize) -> String {
        self.records.lock().unwrap()[index].url.clone()
    }
}

/// Returns the time of a day, counted from 1 January 2026.
pub fn time(day: i8) -> String {
    let date = jiff::civil::date(2026, 1, 1).saturating_add(jiff::Span::new().days(day));
    format!("{date}T09:00:00Z")
}

/// Returns the response of a provider with pages of [`PAGE`] records. The token is the number of
/// the first record.
fn oai_response(records: &[Record], request: &RecordedRequest) -> CannedResponse {
    let argument = |name: &str| {
        let (_, rest) = request.path.split_once(&format!("{name}="))?;
        rest.split('&').next().map(str::to_owned)
    };
    if argument("verb").as_deref() == Some("Identify") {
        return xml("<Identify><repositoryName>R</repositoryName><deletedRecord>persistent\
                    </deletedRecord><granularity>YYYY-MM-DD</granularity></Identify>");
    }
    let start: usize = argument("resumptionToken").map_or(0, |token| token.parse().unwrap());
    let mut body = String::from("<ListRecords>");
    for record in records.iter().skip(start).take(PAGE) {
        body += &record_xml(record);
    }
    let next = start + PAGE;
    let token = if next < records.len() { next.to_string() } else { String::new() };
    let _ = write!(body, "<resumptionToken>{token}</resumptionToken></ListRecords>");
    xml(&body)
}

fn record_xml(record: &Record) -> String {
    let Record { identifier, url, mirror, is_deleted } = record;
    let mirror = mirror.as_ref().map(|url| format!("<location>{url}</location>"));
    let mirror = mirror.unwrap_or_default();
    let status = if *is_deleted { " status=\"deleted\"" } else { "" };
    let header = format!(
        "<header{status}><identifier>{identifier}</identifier><datestamp>2026-01-01</datestamp>\
         </header>"
    );
    if *is_deleted {
        return format!("<record>{header}</record>");
    }
    format!(
        "<record>{header}<metadata><lom xmlns=\"http://ltsc.ieee.org/xsd/LOM\"><general><title><string>Title of {identifier}</string>\
         </title></general><technical><location>{url}</location>{mirror}</technical></lom></metadata>\
         </record>"
    )
}

pub fn xml(body: &str) -> CannedResponse {
    let text = format!(
        "<?xml version=\"1.0\"?><OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\">\
         <responseDate>2026-01-01T09:00:00Z</responseDate>{body}</OAI-PMH>"
    );
    CannedResponse::new(200, text).with_header("Content-Type", "text/xml")
}
