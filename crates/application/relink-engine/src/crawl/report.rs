//! Builds the report of a crawl from the store.
//!
//! Pages, targets and links are read in batches of rows. Memory holds a few
//! numbers per target and the lists that are shown.

mod links;
mod targets;

use std::collections::HashMap;

use jiff::Timestamp;
use relink_model::{RunId, Verdict};
use relink_ports::{DocumentId, RunSummary, SitePage, Store};
use relink_report::human::counted;
use relink_report::site::{Capped, ChangeRow, SiteComparison, SiteHost, SiteReport, TrapRow};

use self::links::LinkAggregator;
use self::targets::TargetAggregator;
use super::{CHECKPOINT, SkippedLinks, checkpoint};
use relink_requests::{BEFORE_FIRST_TASK, EngineError, Ports};

/// Number of rows read from the store at a time.
const PAGE_SIZE: usize = 2048;
/// Maximum number of rows of a list in the report. The renderers show fewer.
pub(super) const MAX_ROWS: usize = 20_000;
/// Maximum number of hosts in the report.
const MAX_HOSTS: usize = 50;

/// Verdicts that count as findings.
pub(super) const BROKEN: [Verdict; 5] =
    [Verdict::Dead, Verdict::Soft404, Verdict::Hijacked, Verdict::Local, Verdict::Failing];

/// Builds the report of a crawl.
///
/// `earlier` is the crawl to compare with, if there is one.
pub async fn site_report(
    ports: &Ports,
    run: &RunSummary,
    earlier: Option<&RunSummary>,
) -> Result<SiteReport, EngineError> {
    let pages = load_pages(ports, run.id).await?;
    let mut targets = TargetAggregator::new(run.started_at, &run.inputs);
    let mut after = BEFORE_FIRST_TASK;
    loop {
        let rows = ports.store.site_targets(run.id, after, PAGE_SIZE).await?;
        let Some(last) = rows.last() else { break };
        after = last.task;
        for target in rows {
            targets.add(target);
        }
    }
    let mut links = LinkAggregator::new(&pages, &targets);
    let mut cursor = (BEFORE_FIRST_TASK, DocumentId(0), 0);
    loop {
        let rows = ports.store.site_links(run.id, cursor, PAGE_SIZE).await?;
        let Some(last) = rows.last() else { break };
        cursor = (last.to, last.from, last.position);
        for link in &rows {
            links.add(link);
        }
    }
    let totals = links.finish();
    let mut report = targets.finish(totals);
    report.run = run.id.0;
    report.seeds.clone_from(&run.inputs);
    report.started_at = run.started_at;
    report.finished_at = run.closed_at.unwrap_or_else(|| ports.now());
    report.targets = run.targets;
    add_hosts(ports, run.id, &mut report).await?;
    add_checkpoint(ports, run.id, &mut report).await?;
    if let Some(earlier) = earlier {
        report.comparison = Some(compare(ports, earlier, run.id).await?);
    }
    Ok(report)
}

/// Returns the parsed pages of a crawl.
async fn load_pages(
    ports: &Ports,
    run: RunId,
) -> Result<HashMap<DocumentId, SitePage>, EngineError> {
    let mut all = HashMap::new();
    let mut after = DocumentId(0);
    loop {
        let rows = ports.store.site_pages(run, after, PAGE_SIZE).await?;
        let Some(last) = rows.last() else { return Ok(all) };
        after = last.document;
        all.extend(rows.into_iter().map(|page| (page.document, page)));
    }
}

/// Adds the request statistics of the hosts. The rows of the report contain the timelines
/// so far.
async fn add_hosts(ports: &Ports, run: RunId, report: &mut SiteReport) -> Result<(), EngineError> {
    let timelines: HashMap<String, Vec<u32>> = std::mem::take(&mut report.hosts.rows)
        .into_iter()
        .map(|host| (host.name, host.timeline))
        .collect();
    let hosts = ports.store.host_stats(run, usize::MAX).await?;
    let rows = hosts.into_iter().map(|host| SiteHost {
        timeline: timelines.get(&host.name).cloned().unwrap_or_default(),
        name: host.name,
        requests: host.requests,
        throttled: host.throttled,
        request_ms: host.request_ms,
        politeness_wait_ms: host.politeness_wait_ms,
    });
    report.hosts = Capped::new(rows.collect(), MAX_HOSTS);
    Ok(())
}

/// Adds the traps and skipped links of the checkpoint.
async fn add_checkpoint(
    ports: &Ports,
    run: RunId,
    report: &mut SiteReport,
) -> Result<(), EngineError> {
    let Some(checkpoint) = ports.store.checkpoint(run, CHECKPOINT).await? else { return Ok(()) };
    let (traps, skipped) = checkpoint::parse_checkpoint(&checkpoint);
    report.traps = traps
        .into_iter()
        .map(|trap| TrapRow {
            kind: trap.kind.as_str().to_owned(),
            pattern: trap.pattern,
            count: trap.count,
            example: trap.example,
            flag: format!("--enter-trap '{}'", trap.glob),
        })
        .collect();
    report.not_followed = skip_reasons(&skipped);
    report.notes.extend(truncated_pages_note(&skipped));
    Ok(())
}

/// Returns the number of links to pages that the crawl did not fetch.
pub async fn count_skipped_links(store: &dyn Store, run: RunId) -> Result<u64, EngineError> {
    let Some(checkpoint) = store.checkpoint(run, CHECKPOINT).await? else { return Ok(0) };
    let (_, skipped) = checkpoint::parse_checkpoint(&checkpoint);
    let counts = [
        skipped.too_deep,
        skipped.over_page_limit,
        skipped.excluded,
        skipped.external,
        skipped.nofollow,
        skipped.over_page_links,
        skipped.sitemaps,
    ];
    Ok(counts.iter().sum())
}

/// Returns the note on pages that were read partly.
fn truncated_pages_note(skipped: &SkippedLinks) -> Option<String> {
    let pages = counted(skipped.truncated_pages, "page");
    let note = format!("{pages} longer than the limit, read in part (`--max-page-size`)");
    (skipped.truncated_pages > 0).then_some(note)
}

/// Returns the skipped links by reason.
pub(super) fn skip_reasons(skipped: &SkippedLinks) -> Vec<(String, u64)> {
    [
        (skipped.too_deep, "deeper than the limit"),
        (skipped.over_page_limit, "over the page budget"),
        (skipped.excluded, "excluded by patterns"),
        (skipped.external, "to other sites (`--no-external`)"),
        (skipped.nofollow, "marked `nofollow` by their page"),
        (skipped.over_page_links, "over the limit of links on one page (`--max-page-links`)"),
        (skipped.not_web_pages, "not to web pages (`mailto:` and the like)"),
        (skipped.sitemaps, "listed in sitemaps beyond the limits"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, reason)| (reason.to_owned(), count))
    .collect()
}

/// Compares a crawl with an earlier one.
async fn compare(
    ports: &Ports,
    earlier: &RunSummary,
    run: RunId,
) -> Result<SiteComparison, EngineError> {
    let (mut new, mut fixed, mut regressed) = (Vec::new(), Vec::new(), Vec::new());
    let mut after_url = String::new();
    loop {
        let rows = ports.store.verdict_changes(earlier.id, run, &after_url, PAGE_SIZE).await?;
        let Some(last) = rows.last() else { break };
        after_url.clone_from(&last.url);
        for change in rows {
            let is_broken =
                |verdict: Option<Verdict>| verdict.is_some_and(|verdict| BROKEN.contains(&verdict));
            let (was_broken, is_broken_now) = (is_broken(change.before), is_broken(change.after));
            let changes = match (was_broken, is_broken_now, change.before) {
                (false, true, Some(verdict)) if verdict.is_reached() => &mut regressed,
                (false, true, _) => &mut new,
                (true, false, _) => &mut fixed,
                _ => continue,
            };
            let relink_ports::VerdictChange { url, before, after, code } = change;
            changes.push(ChangeRow { url, before, after, code });
        }
    }
    Ok(SiteComparison {
        run: earlier.id.0,
        started_at: earlier.started_at,
        new: Capped::new(new, MAX_ROWS),
        fixed: Capped::new(fixed, MAX_ROWS),
        regressed: Capped::new(regressed, MAX_ROWS),
    })
}

/// Returns the previous finished crawl with the same start pages.
pub async fn previous_crawl(
    ports: &Ports,
    run: &RunSummary,
) -> Result<Option<RunSummary>, EngineError> {
    let runs = ports.store.runs(Some("crawl"), usize::MAX).await?;
    // The newest run comes first.
    let is_earlier_crawl =
        |other: &RunSummary| other.id < run.id && other.is_finished && other.inputs == run.inputs;
    Ok(runs.into_iter().find(is_earlier_crawl))
}

/// Returns the milliseconds between two timestamps.
pub(super) fn millis_between(start: Timestamp, end: Timestamp) -> u64 {
    u64::try_from(end.duration_since(start).as_millis()).unwrap_or(0)
}
