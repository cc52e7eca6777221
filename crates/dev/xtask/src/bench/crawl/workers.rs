//! One worker against many, on a site that takes its time to answer.
//!
//! On loopback nothing waits, so the site waits for us: the paper's threads
//! were worth something because the web was slow (Website Health Analyser,
//! Fig. 11).

use std::fmt;
use std::path::Path;
use std::time::Duration;

use relink_testkit::web::{CannedResponse, TestServer};

use super::book::{GeneratedSite, page};
use super::peers::relink_dead_paths;
use super::relink_words;
use crate::XtaskError;
use crate::bench::meter::measure;
use crate::bench::scratch::Scratch;

/// Workers compared.
const WORKERS: [usize; 5] = [1, 4, 16, 32, 64];
/// Pages of the site.
const PAGES: usize = 300;
/// How long it takes to answer.
const ANSWER_TIME: Duration = Duration::from_millis(20);

/// What came of it: how many workers, and pages a second.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct WorkersOutcome(Vec<(usize, f64)>);

impl fmt::Display for WorkersOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "one worker against many, {} ms for each answer", ANSWER_TIME.as_millis())?;
        write!(f, "{:<12} {:>8} {:>8}", "workers", "pages/s", "times")?;
        let alone = self.0.first().map_or(1.0, |(_, rate)| *rate);
        for (workers, rate) in &self.0 {
            write!(f, "\n{workers:<12} {rate:>8.0} {:>8.1}", rate / alone)?;
        }
        Ok(())
    }
}

/// Measures crawls with one worker and with more.
pub(super) fn workers(relink: &Path) -> Result<WorkersOutcome, XtaskError> {
    let rates = WORKERS.iter().map(|&workers| Ok((workers, rate(relink, PAGES, workers)?)));
    rates.collect::<Result<_, XtaskError>>().map(WorkersOutcome)
}

/// Pages a second with so many workers, on a site of so many pages whose dead
/// links have to be found.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn rate(relink: &Path, pages: usize, workers: usize) -> Result<f64, XtaskError> {
    let (book, scratch) = (GeneratedSite { pages }, Scratch::new()?);
    let web = serve(book);
    let url = web.url("/").to_string();
    let words = relink_words(&scratch.path().join("crawl.db"), &workers.to_string(), &url);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let run = measure(scratch.path(), relink, &words)?;
    let path = scratch.path().join("out");
    let said = std::fs::read_to_string(&path).map_err(|error| XtaskError::io(&path, &error))?;
    let dead = relink_dead_paths(&said);
    if dead.len() != book.planted().len() || !dead.iter().all(|path| book.planted().contains(path))
    {
        return Err(XtaskError::new(format!(
            "the dead links found are not those planted: {dead:?}"
        )));
    }
    Ok(pages as f64 / run.seconds)
}

fn serve(book: GeneratedSite) -> TestServer {
    let web = TestServer::start_blocking();
    web.answer("/", CannedResponse::new(200, GeneratedSite::cover()).after(ANSWER_TIME));
    for number in 0..book.pages {
        web.answer(&page(number), CannedResponse::new(200, book.html(number)).after(ANSWER_TIME));
    }
    web.below("/c", CannedResponse::new(404, "<title>Not found</title>").after(ANSWER_TIME));
    web
}

/// Runs the comparison in small, for tests: whether four workers are faster
/// than one on a site of so many pages.
pub fn many_workers_are_faster(relink: &Path, pages: usize) -> Result<bool, XtaskError> {
    Ok(rate(relink, pages, 4)? > rate(relink, pages, 1)?)
}
