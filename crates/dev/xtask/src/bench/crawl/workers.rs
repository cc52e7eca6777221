//! One worker compared with many on a slow site (Website Health Analyser,
//! Fig. 11).
//!
//! Loopback has no latency, so the server delays each response.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use relink_testkit::web::{CannedResponse, TestServer};

use super::generated_site::{GeneratedSite, page_path};
use super::peers::relink_dead_paths;
use super::relink_args;
use crate::XtaskError;
use crate::bench::meter::measure;
use crate::bench::scratch::Scratch;

/// The compared numbers of workers.
const WORKERS: [usize; 5] = [1, 4, 16, 32, 64];
/// Pages of the site.
const PAGES: usize = 300;
/// Response time of the site.
const RESPONSE_TIME: Duration = Duration::from_millis(20);

/// The result: pages per second by number of workers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct WorkersOutcome(Vec<(usize, f64)>);

impl fmt::Display for WorkersOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "one worker against many, {} ms per response", RESPONSE_TIME.as_millis())?;
        write!(f, "{:<12} {:>8} {:>8}", "workers", "pages/s", "times")?;
        let alone = self.0.first().map_or(1.0, |(_, rate)| *rate);
        for (workers, rate) in &self.0 {
            write!(f, "\n{workers:<12} {rate:>8.0} {:>8.1}", rate / alone)?;
        }
        Ok(())
    }
}

/// Measures crawls with one and more workers.
pub(super) fn workers(relink: &Path) -> Result<WorkersOutcome, XtaskError> {
    let rates =
        WORKERS.iter().map(|&workers| Ok((workers, pages_per_second(relink, PAGES, workers)?)));
    rates.collect::<Result<_, XtaskError>>().map(WorkersOutcome)
}

/// Returns pages per second of a crawl. All planted dead links must be found.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn pages_per_second(relink: &Path, pages: usize, workers: usize) -> Result<f64, XtaskError> {
    let (site, scratch) = (GeneratedSite { pages }, Scratch::new()?);
    let web = serve(site);
    let url = web.url("/").to_string();
    let args = relink_args(&scratch.path().join("crawl.db"), &workers.to_string(), &url);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let run = measure(scratch.path(), relink, &args)?;
    let path = scratch.path().join("out");
    let output = std::fs::read_to_string(&path).map_err(|error| XtaskError::io(&path, &error))?;
    let dead = relink_dead_paths(&output);
    if dead.len() != site.dead_paths().len()
        || !dead.iter().all(|path| site.dead_paths().contains(path))
    {
        return Err(XtaskError::new(format!(
            "the dead links found are not those planted: {dead:?}"
        )));
    }
    Ok(pages as f64 / run.seconds)
}

/// Serves the site with a delay of each response.
fn serve(site: GeneratedSite) -> TestServer {
    let web = TestServer::start_blocking();
    web.respond(
        "/",
        CannedResponse::new(200, GeneratedSite::home_page()).with_delay(RESPONSE_TIME),
    );
    for number in 0..site.pages {
        web.respond(
            &page_path(number),
            CannedResponse::new(200, site.html(number)).with_delay(RESPONSE_TIME),
        );
    }
    web.respond_below(
        "/c",
        CannedResponse::new(404, "<title>Not found</title>").with_delay(RESPONSE_TIME),
    );
    web
}

/// Whether four workers are faster than one on a small site. For tests.
pub fn many_workers_are_faster(relink: &Path, pages: usize) -> Result<bool, XtaskError> {
    Ok(pages_per_second(relink, pages, 4)? > pages_per_second(relink, pages, 1)?)
}
