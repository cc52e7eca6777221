//! `relink harvest` with a scripted provider on loopback.
//!
//! A provider publishes metadata records over OAI-PMH. The *locations* of a record are links
//! to pages, which are called *targets*. An *incident* is a period in which a target is broken.
//! An incident is reported to the provider, escalated to the service manager, its record is
//! hidden, and later restored. Tests simulate days: day 0 is 1 January 2026.

mod arrivals;
mod concurrent;
mod decay;
mod guard;
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
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};
use serde_json::Value;

use self::server::Server;
use crate::sandbox::{CommandOutput, NO_DELAYS, Running, Sandbox};

/// The name of the provider.
pub const PROVIDER: &str = "lre";

/// Number of records per page of the provider.
const RECORDS_PER_PAGE: usize = 5;

/// The IP address of the targets.
pub const WEB_ADDRESS: &str = "127.0.0.1";

/// An IP address without a server: all connections are refused.
pub const REFUSING_ADDRESS: &str = "127.0.0.2";

/// A record of the provider.
#[derive(Debug, Clone)]
pub struct Record {
    pub identifier: String,
    pub url: String,
    /// A second location.
    pub mirror: Option<String>,
    pub is_deleted: bool,
}

/// A provider named [`PROVIDER`] with 10 records on `a.test` and 3 on `b.test`. Record `oai:a.test:2`
/// has the location `/2` on `a.test`.
pub struct Provider {
    /// The server of the provider and of the targets.
    pub web: TestServer,
    pub sandbox: Sandbox,
    /// The records that the provider publishes.
    pub records: Arc<Mutex<Vec<Record>>>,
}

impl Provider {
    /// Creates a provider without mail addresses.
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
        let served_records = Arc::clone(&records);
        web.respond_below_with("/oai", move |request| {
            oai_response(&served_records.lock().unwrap(), request)
        });
        let provider = Self { web, sandbox: Sandbox::new(), records };
        let url = String::from(provider.web.url("/oai"));
        let mut args = vec!["add", PROVIDER, "--oai", &url, "--notify", "rss,atom,xlsx,mail"];
        for contact in contacts {
            args.extend(["--contact", contact]);
        }
        provider.harvest(&args).exits(0);
        provider
    }

    /// Runs a subcommand of `relink harvest` on day 0.
    pub fn harvest(&self, args: &[&str]) -> CommandOutput {
        self.harvest_at("2026-01-01T09:00:00Z", args)
    }

    /// Runs a subcommand of `relink harvest` at a time.
    pub fn harvest_at(&self, now: &str, args: &[&str]) -> CommandOutput {
        let command = [&["harvest"], args, &["--db", "relink.db"]].concat();
        self.sandbox.run_at(now, &command)
    }

    /// Runs a subcommand on a day, with flags that allow requests for targets.
    pub fn harvest_on_day(&self, day: i8, args: &[&str]) -> CommandOutput {
        self.harvest_with_targets_at(&time(day), WEB_ADDRESS, args)
    }

    /// Runs a subcommand that sends requests for targets to `address`.
    pub fn harvest_with_targets_at(
        &self,
        now: &str,
        address: &str,
        args: &[&str],
    ) -> CommandOutput {
        let args = self.args_with_targets_at(address, args);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        self.harvest_at(now, &args)
    }

    /// Starts a subcommand on a day. The test can read the output while the subcommand runs.
    pub fn spawn_on_day(&self, day: i8, args: &[&str]) -> Running {
        let args = self.args_with_targets_at(WEB_ADDRESS, args);
        let mut command_line = vec!["harvest"];
        command_line.extend(args.iter().map(String::as_str));
        command_line.extend(["--db", "relink.db"]);
        let mut command = self.sandbox.command(&command_line);
        command.env("RELINK_NOW", time(day)).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::new(command.spawn().unwrap())
    }

    /// Returns the arguments of a subcommand that sends requests for targets to `address`.
    pub fn args_with_targets_at(&self, address: &str, args: &[&str]) -> Vec<String> {
        let mut all_args: Vec<String> =
            args.iter().chain(NO_DELAYS).map(|&arg| arg.to_owned()).collect();
        all_args.push("--allow-private".to_owned());
        for host in ["a.test", "b.test"] {
            all_args.push("--resolve".to_owned());
            all_args.push(format!("{host}:{}:{address}", self.web.port()));
        }
        all_args
    }

    /// Runs `relink harvest run` on a day and returns its report. The run must succeed.
    #[track_caller]
    pub fn run_on_day(&self, day: i8) -> Value {
        self.run_on_day_with(day, &[])
    }

    /// Runs `relink harvest run` with further flags. The run must succeed.
    #[track_caller]
    pub fn run_on_day_with(&self, day: i8, flags: &[&str]) -> Value {
        let args = [RUN, flags].concat();
        first_row(&self.harvest_on_day(day, &args).exits(0))
    }

    /// Runs `relink harvest run`, which must stop because an action needs confirmation.
    #[track_caller]
    pub fn refused_run_on_day(&self, day: i8) -> Value {
        first_row(&self.harvest_on_day(day, RUN).exits(1))
    }

    /// Runs `relink harvest run`, which must fail because of an error of the provider.
    #[track_caller]
    pub fn failed_run_on_day(&self, day: i8) -> Value {
        first_row(&self.harvest_on_day(day, RUN).exits(3))
    }

    /// Runs `relink harvest run` while no target responds.
    pub fn run_without_targets_on_day(&self, day: i8) -> Value {
        first_row(&self.harvest_with_targets_at(&time(day), REFUSING_ADDRESS, RUN).exits(3))
    }

    /// Returns the status of the provider with all incidents, including ended ones.
    pub fn status(&self) -> Value {
        first_row(&self.harvest(&["status", "--all", "--format", "json"]).exits(0))
    }

    /// Returns the response of the OAI-PMH interface of `relink serve` to a query.
    pub fn query_oai_server(&self, query: &str) -> String {
        let server = Server::start(self, &["--oai"]);
        let response = server.request("GET", &format!("/oai?{query}"), &[], "");
        assert_eq!(response.status, 200, "{}", response.body);
        response.body
    }

    /// Returns the identifiers of hidden records.
    pub fn hidden_records(&self) -> Vec<String> {
        self.exported_identifiers("--hidden")
    }

    /// Returns the identifiers of visible records.
    pub fn visible_records(&self) -> Vec<String> {
        self.exported_identifiers("--visible")
    }

    /// Returns the identifiers of the records that `relink harvest export` prints.
    fn exported_identifiers(&self, flag: &str) -> Vec<String> {
        let output = self.harvest(&["export", flag]).exits(0);
        let rows: Value = serde_json::from_str(&output.stdout).unwrap();
        let identifier = |row: &Value| row["identifier"].as_str().unwrap().to_owned();
        rows.as_array().unwrap().iter().map(identifier).collect()
    }

    /// Removes a page of a host: its status becomes 404.
    pub fn remove_page(&self, host: &str, path: &str) {
        self.web.host(host).page(path, 404, "<title>Not found</title>");
    }

    /// Makes a removed page work again.
    pub fn restore_page(&self, host: &str, path: &str) {
        self.web.host(host).page(path, 200, "<title>Back</title><p>The lesson is back");
    }

    /// Adds a record with one or two locations, given by their paths on `a.test`.
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
    pub fn exported_record(&self, identifier: &str) -> Value {
        let output = self.harvest(&["export"]).exits(0);
        let rows: Value = serde_json::from_str(&output.stdout).unwrap();
        let has_identifier = |row: &&Value| row["identifier"] == identifier;
        rows.as_array().unwrap().iter().find(has_identifier).cloned().unwrap_or_default()
    }

    /// Returns the first location of a record.
    pub fn record_url(&self, index: usize) -> String {
        self.records.lock().unwrap()[index].url.clone()
    }
}

/// The arguments of a run with a JSON report.
const RUN: &[&str] = &["run", "--format", "json"];

/// Parses the JSON array of a report, and returns its first row: the row of [`PROVIDER`].
fn first_row(output: &CommandOutput) -> Value {
    let rows: Value = serde_json::from_str(&output.stdout).unwrap();
    rows[0].clone()
}

/// Returns 09:00 UTC on a day, counted from 1 January 2026.
pub fn time(day: i8) -> String {
    let date = jiff::civil::date(2026, 1, 1).saturating_add(jiff::Span::new().days(day));
    format!("{date}T09:00:00Z")
}

/// Returns the response of the provider with pages of [`RECORDS_PER_PAGE`] records. The
/// resumption token is the index of the first record of the next page.
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
    for record in records.iter().skip(start).take(RECORDS_PER_PAGE) {
        body += &record_xml(record);
    }
    let next = start + RECORDS_PER_PAGE;
    let token = if next < records.len() { next.to_string() } else { String::new() };
    let _ = write!(body, "<resumptionToken>{token}</resumptionToken></ListRecords>");
    xml(&body)
}

/// Returns the XML of a record in a list.
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

/// Creates an OAI-PMH response.
pub fn xml(body: &str) -> CannedResponse {
    let text = format!(
        "<?xml version=\"1.0\"?><OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\">\
         <responseDate>2026-01-01T09:00:00Z</responseDate>{body}</OAI-PMH>"
    );
    CannedResponse::new(200, text).with_header("Content-Type", "text/xml")
}
