//! What a crawl's report says beside its findings.

use std::fmt::Write as _;

use relink_engine::{CrawlEnd, CrawlOutcome, Ports, crawl_before, site_report};
use relink_model::RunId;
use relink_report::human::{counted, duration, grouped};
use relink_report::printable;
use relink_report::site::SiteReport;

use super::FinishedRun;
use crate::error::CommandError;

/// The report of a crawl that has come to its end.
pub async fn report(ports: &Ports, run: RunId) -> Result<SiteReport, CommandError> {
    let runs = ports.store.runs(Some("crawl"), usize::MAX).await?;
    let summary = runs.into_iter().find(|summary| summary.id == run).ok_or_else(|| {
        CommandError::usage("only crawls have such a report")
            .hint("end the name in `.json`, `.jsonl` or `.txt`")
    })?;
    let before = crawl_before(ports, &summary).await?;
    Ok(site_report(ports, &summary, before.as_ref()).await?)
}

/// What hosts asked for, and pages that need a browser.
pub fn details(outcome: &CrawlOutcome) -> String {
    let mut text = String::new();
    for note in &outcome.hosts {
        let host = printable(&note.host);
        if let Some(reason) = &note.failure {
            let reason = printable(reason);
            let _ = writeln!(text, "  {host}: {reason}; nothing was crawled there");
        }
        if let Some(delay) = note.crawl_delay {
            let delay = duration(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
            let _ = writeln!(text, "  {host}: robots.txt asks for {delay} between visits");
        }
    }
    if let Some((pages, error)) = &outcome.unrendered {
        let pages = counted(*pages, "page");
        let _ = writeln!(text, "  {pages} built by scripts could not be read: {error}");
        text +=
            "  hint: install a browser (`apt install chromium`), or name one in RELINK_BROWSER\n";
    }
    text
}

/// What the reader must know before the results: the site fails as a whole, or
/// stopped answering.
pub fn notices(outcome: &CrawlOutcome) -> Vec<String> {
    let stopped = match &outcome.end {
        CrawlEnd::BlockedByHost { host, requests: asked, is_silent } => {
            let how = if *is_silent { "does not answer any more" } else { "refuses every request" };
            Some(format!("{host} {how} after {} requests", grouped(*asked)))
        }
        _ => None,
    };
    stopped.into_iter().chain(outcome.errors.sentence()).collect()
}

/// The last sentence of a crawl that did not come to its proper end.
pub fn closing(outcome: &CrawlOutcome, end: &FinishedRun) -> Option<String> {
    let tally = &end.tally;
    let (settled, targets) = (grouped(tally.checked), grouped(tally.targets));
    Some(match &outcome.end {
        CrawlEnd::Finished if end.failing == 0 && outcome.errors.is_serious() => {
            "The errors of the site itself fail this run.\n".to_owned()
        }
        CrawlEnd::Finished => return None,
        CrawlEnd::NoNetwork => relink_report::human::no_network().to_owned(),
        CrawlEnd::Interrupted => relink_report::human::interrupted(tally.checked, tally.targets),
        CrawlEnd::TimeLimitReached => format!(
            "The time is up after {settled} of {targets}; the same command goes on from there.\n"
        ),
        CrawlEnd::BlockedByHost { host, requests: asked, .. } => format!(
            "{} stopped answering us after {} requests, so nothing more was asked. \
             {settled} of {targets} are settled; the same command goes on from there another day.\n",
            printable(host),
            grouped(*asked)
        ),
    })
}
