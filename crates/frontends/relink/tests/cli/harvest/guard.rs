//! Failures of most domains at once: the local network is in doubt.

use std::fmt::Write as _;

use relink_testkit::web::TestServer;
use serde_json::Value;

use super::{RUN, first_row, time};
use crate::sandbox::{NO_DELAYS, Sandbox};

/// Number of unrelated domains.
const DOMAIN_COUNT: usize = 6;
/// Number of records on each domain.
const RECORD_COUNT: usize = 4;

/// A catalog file with records on unrelated domains, all of which work.
struct Catalog {
    web: TestServer,
    sandbox: Sandbox,
}

impl Catalog {
    /// Writes the catalog and adds it as a provider.
    fn new() -> Self {
        let catalog = Self { web: TestServer::start_blocking(), sandbox: Sandbox::new() };
        let mut table = String::from("id,url\n");
        for domain in 0..DOMAIN_COUNT {
            for number in 0..RECORD_COUNT {
                let host = host(domain);
                let url = catalog.web.host(&host).url(&format!("/{number}"));
                let _ = writeln!(table, "{domain}-{number},{url}");
            }
            catalog.restore(domain);
        }
        catalog.sandbox.write("catalog.csv", &table);
        let args = ["harvest", "add", "files", "--file", "catalog.csv", "--db", "relink.db"];
        catalog.sandbox.run_at(&time(0), &args).exits(0);
        catalog
    }

    /// Makes all pages of a domain work.
    fn restore(&self, domain: usize) {
        let host = host(domain);
        for number in 0..RECORD_COUNT {
            let body = format!("<title>{host} {number}</title><p>Lesson {number} of {host}");
            self.web.host(&host).page(&format!("/{number}"), 200, &body);
        }
    }

    /// Removes all pages of a domain.
    fn remove(&self, domain: usize) {
        for number in 0..RECORD_COUNT {
            let path = format!("/{number}");
            self.web.host(&host(domain)).page(&path, 404, "<title>Not found</title>");
        }
    }

    /// Harvests the catalog on a day, and checks the exit code. Only the host names of the first
    /// `resolved` domains can be resolved.
    #[track_caller]
    fn run(&self, day: i8, resolved: usize, flags: &[&str], code: i32) -> Value {
        let resolve: Vec<String> = (0..resolved)
            .map(|domain| format!("{}:{}:127.0.0.1", host(domain), self.web.port()))
            .collect();
        let mut args = vec!["harvest"];
        args.extend(RUN.iter().chain(flags).chain(NO_DELAYS));
        args.extend(["--allow-private", "--db", "relink.db"]);
        args.extend(resolve.iter().flat_map(|value| ["--resolve", value.as_str()]));
        first_row(&self.sandbox.run_at(&time(day), &args).exits(code))
    }
}

/// Returns the host name of a domain, such as `c0.test`.
fn host(domain: usize) -> String {
    format!("c{domain}.test")
}

/// Checks that nothing has changed, because the network is in doubt.
#[track_caller]
fn check_doubt(row: &Value, expect: &str) {
    let doubt = row["doubt"].as_str().unwrap_or_default();
    assert!(doubt.starts_with(expect), "{row}");
    let changes = &row["changes"];
    assert_eq!(changes["reported"], 0);
    assert_eq!(changes["hidden"], 0);
}

#[test]
fn failure_of_most_domains_advances_nothing_until_it_is_confirmed() {
    let catalog = Catalog::new();
    catalog.run(0, DOMAIN_COUNT, &[], 0);
    (1..DOMAIN_COUNT).for_each(|domain| catalog.remove(domain));
    let expect = "5 of 6 domains that worked at their last check fail now";
    // A run whose results are in doubt does not affect the next run.
    for day in [7, 7, 8, 9] {
        check_doubt(&catalog.run(day, DOMAIN_COUNT, &[], 3), expect);
    }
    let row = catalog.run(9, DOMAIN_COUNT, &["--allow-loss"], 0);
    assert_eq!(&row["doubt"], &Value::Null);
    assert_eq!(row["changes"]["reported"], 5);
    let row = catalog.run(10, DOMAIN_COUNT, &[], 0);
    assert_eq!(&row["doubt"], &Value::Null);
    assert_eq!(row["open"]["reported"], 5);
}

#[test]
fn failure_of_most_domains_ends_without_a_trace() {
    let catalog = Catalog::new();
    catalog.run(0, DOMAIN_COUNT, &[], 0);
    (0..DOMAIN_COUNT).for_each(|domain| catalog.remove(domain));
    check_doubt(&catalog.run(7, DOMAIN_COUNT, &[], 3), "6 of 6 domains that worked");
    (0..DOMAIN_COUNT).for_each(|domain| catalog.restore(domain));
    let row = catalog.run(8, DOMAIN_COUNT, &[], 0);
    let open = row["open"].as_object().unwrap();
    assert!(open.values().all(|count| *count == 0), "{row}");
}

#[test]
fn outage_of_the_name_server_advances_nothing_on_the_first_day() {
    let catalog = Catalog::new();
    check_doubt(&catalog.run(0, 1, &[], 3), "5 of 6 domains could not be resolved");
    catalog.run(0, DOMAIN_COUNT, &[], 0);
}
