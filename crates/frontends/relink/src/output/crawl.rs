//! The parts of a report that only crawls have.

use std::fmt::Write as _;

use relink_engine::{CrawlEnd, CrawlOutcome, previous_crawl, site_report};
use relink_model::RunId;
use relink_report::human::{counted, duration, grouped};
use relink_report::printable;
use relink_report::site::SiteReport;
use relink_requests::Ports;

use super::FinishedRun;
use crate::error::CommandError;

/// Returns the report of a finished crawl.
pub async fn report(ports: &Ports, run: RunId) -> Result<SiteReport, CommandError> {
    let runs = ports.store.runs(Some("crawl"), usize::MAX).await?;
    let summary = runs.into_iter().find(|summary| summary.id == run).ok_or_else(|| {
        CommandError::internal("cannot report the crawl: the database does not contain its run")
    })?;
    // The report lists the changes since the previous crawl of the same site.
    let previous = previous_crawl(ports, &summary).await?;
    Ok(site_report(ports, &summary, previous.as_ref()).await?)
}

/// Formats notes on hosts and on pages that require a browser.
pub fn details(outcome: &CrawlOutcome) -> String {
    let mut text = String::new();
    for note in &outcome.hosts {
        let host = printable(&note.host);
        if let Some(reason) = &note.failure {
            let reason = printable(reason);
            let _ = writeln!(text, "  {host}: {reason}; not crawled");
        }
        if let Some(delay) = note.crawl_delay {
            let delay = duration(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
            let _ = writeln!(text, "  {host}: robots.txt sets a Crawl-delay of {delay}");
        }
    }
    if let Some((pages, error)) = &outcome.render_failures {
        let pages = counted(*pages, "page");
        let _ = writeln!(text, "  {pages} built by scripts could not be rendered: {error}");
        text += "  hint: install Chromium (`apt install chromium`), or set RELINK_BROWSER to its path\n";
    }
    text
}

/// Returns warnings that affect all results: the site fails as a whole, or it
/// stopped responding.
pub fn notices(outcome: &CrawlOutcome) -> Vec<String> {
    let block_notice = match &outcome.end {
        CrawlEnd::BlockedByHost { host, requests, is_silent: true } => {
            Some(format!("{host} stopped responding after {} requests", grouped(*requests)))
        }
        CrawlEnd::BlockedByHost { host, requests, is_silent: false } => {
            let requests = grouped(*requests);
            Some(format!("{host} now rejects every request; {requests} requests were sent to it"))
        }
        _ => None,
    };
    block_notice.into_iter().chain(outcome.errors.summary()).collect()
}

/// Formats the last line of the report of a crawl that did not finish, or that fails because
/// of the errors of its site. Returns `None` for all other crawls.
pub fn footer(outcome: &CrawlOutcome, run: &FinishedRun) -> Option<String> {
    let stats = &run.stats;
    let (checked, targets) = (grouped(stats.checked), grouped(stats.targets));
    Some(match &outcome.end {
        CrawlEnd::Finished if run.failing_findings == 0 && outcome.errors.is_broken_site() => {
            "The errors of the crawled site fail this run.\n".to_owned()
        }
        CrawlEnd::Finished => return None,
        CrawlEnd::NoNetwork => relink_report::human::no_network().to_owned(),
        CrawlEnd::Interrupted => relink_report::human::interrupted(stats.checked, stats.targets),
        CrawlEnd::TimeLimitReached => format!(
            "Stopped at the time limit after {checked} of {targets} URLs; run the same command to resume.\n"
        ),
        CrawlEnd::BlockedByHost { host, requests, is_silent } => format!(
            "{} {checked} of {targets} URLs were checked; run the same command later to resume.\n",
            stop_reason(host, *requests, *is_silent)
        ),
    })
}

/// Returns the sentence on the host that ended the crawl.
fn stop_reason(host: &str, requests: u64, is_silent: bool) -> String {
    let (host, requests) = (printable(host), grouped(requests));
    let behavior = if is_silent { "stopped responding" } else { "started to block requests" };
    format!("{host} {behavior} after {requests} requests, so the crawl stopped.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_reason_distinguishes_blocking_from_silent_hosts() {
        assert_eq!(
            stop_reason("a.test", 1_200, false),
            "a.test started to block requests after 1,200 requests, so the crawl stopped."
        );
        assert_eq!(
            stop_reason("a.test", 9, true),
            "a.test stopped responding after 9 requests, so the crawl stopped."
        );
    }
}
