//! A crawl as one report, made from what the store holds of it.
//!
//! Three streams are read, each in pieces: pages, targets, links. What is kept
//! in memory is a few numbers for each target, and the lists that are shown.

mod links;
mod targets;

use std::collections::HashMap;

use jiff::Timestamp;
use relink_model::{RunId, TaskId, Verdict};
use relink_ports::{DocumentId, RunSummary, SitePage, Store};
use relink_report::human::counted;
use relink_report::site::{Capped, ChangeRow, SiteComparison, SiteHost, SiteReport, TrapRow};

use self::links::LinkAggregator;
use self::targets::TargetReader;
use super::{MEMORY, SkippedLinks, crawler};
use crate::{EngineError, Ports};

/// Rows read from the store at a time.
const PIECE: usize = 2048;
/// Maximum number of rows of a list; pages and terminals show fewer still.
pub(super) const SHOWN: usize = 20_000;
/// Hosts that are shown.
const HOSTS: usize = 50;

/// Words by which a finding is told.
pub(super) const BROKEN: [Verdict; 5] =
    [Verdict::Dead, Verdict::Soft404, Verdict::Hijacked, Verdict::Local, Verdict::Failing];

/// Makes the report of a crawl.
///
/// `before` is the crawl to compare it with, if there is one.
pub async fn site_report(
    ports: &Ports,
    run: &RunSummary,
    before: Option<&RunSummary>,
) -> Result<SiteReport, EngineError> {
    let pages = pages(ports, run.id).await?;
    let mut targets = TargetReader::new(run.started, &run.inputs);
    let mut after = TaskId(0);
    loop {
        let piece = ports.store.site_targets(run.id, after, PIECE).await?;
        let Some(last) = piece.last() else { break };
        after = last.task;
        for target in piece {
            targets.read(target);
        }
    }
    let mut links = LinkAggregator::new(&pages, &targets);
    let mut cursor = (TaskId(0), DocumentId(0), 0);
    loop {
        let piece = ports.store.site_links(run.id, cursor, PIECE).await?;
        let Some(last) = piece.last() else { break };
        cursor = (last.to, last.from, last.position);
        for link in &piece {
            links.read(link);
        }
    }
    let read = links.finish();
    let mut report = targets.finish(read);
    report.run = run.id.0;
    report.seeds.clone_from(&run.inputs);
    report.started = run.started;
    report.finished = run.closed.unwrap_or_else(|| ports.now());
    report.targets = run.targets;
    add_hosts(ports, run.id, &mut report).await?;
    add_memory(ports, run.id, &mut report).await?;
    if let Some(before) = before {
        report.comparison = Some(compare(ports, before, run.id).await?);
    }
    Ok(report)
}

async fn pages(ports: &Ports, run: RunId) -> Result<HashMap<DocumentId, SitePage>, EngineError> {
    let mut all = HashMap::new();
    let mut after = DocumentId(0);
    loop {
        let piece = ports.store.site_pages(run, after, PIECE).await?;
        let Some(last) = piece.last() else { return Ok(all) };
        after = last.document;
        all.extend(piece.into_iter().map(|page| (page.document, page)));
    }
}

async fn add_hosts(ports: &Ports, run: RunId, report: &mut SiteReport) -> Result<(), EngineError> {
    let timelines: HashMap<String, Vec<u32>> = std::mem::take(&mut report.hosts.rows)
        .into_iter()
        .map(|host| (host.name, host.timeline))
        .collect();
    let hosts = ports.store.hosts(run, usize::MAX).await?;
    let rows = hosts.into_iter().map(|host| SiteHost {
        timeline: timelines.get(&host.name).cloned().unwrap_or_default(),
        name: host.name,
        requests: host.requests,
        throttled: host.throttled,
        busy_ms: host.request_ms,
        waited_ms: host.politeness_wait_ms,
    });
    report.hosts = Capped::of(rows.collect(), HOSTS);
    Ok(())
}

/// What the crawl itself remembers: traps, and links it did not ask.
async fn add_memory(ports: &Ports, run: RunId, report: &mut SiteReport) -> Result<(), EngineError> {
    let Some(memory) = ports.store.checkpoint(run, MEMORY).await? else { return Ok(()) };
    let (traps, aside) = crawler::told(&memory);
    report.traps = traps
        .into_iter()
        .map(|trap| TrapRow {
            kind: trap.kind.as_str().to_owned(),
            pattern: trap.pattern,
            count: trap.count,
            example: trap.example,
        })
        .collect();
    report.not_followed = reasons(&aside);
    report.notes.extend(long_pages(&aside));
    Ok(())
}

/// How many links of a crawl lead to pages that it did not ask.
pub(crate) async fn links_left_aside(store: &dyn Store, run: RunId) -> Result<u64, EngineError> {
    let Some(memory) = store.checkpoint(run, MEMORY).await? else { return Ok(0) };
    let (_, aside) = crawler::told(&memory);
    let lost = [
        aside.too_deep,
        aside.over_budget,
        aside.left_out,
        aside.external,
        aside.unfollowed,
        aside.over_page_links,
        aside.sitemaps,
    ];
    Ok(lost.iter().sum())
}

/// What is said of pages that were not read to their end.
fn long_pages(aside: &SkippedLinks) -> Option<String> {
    let pages = counted(aside.cut_pages, "page");
    let told = format!("{pages} longer than the limit, read in part (`--max-page-size`)");
    (aside.cut_pages > 0).then_some(told)
}

/// Links that were not asked, with the reason in plain words.
pub(super) fn reasons(aside: &SkippedLinks) -> Vec<(String, u64)> {
    [
        (aside.too_deep, "deeper than the limit"),
        (aside.over_budget, "over the page budget"),
        (aside.left_out, "left out by patterns"),
        (aside.external, "to other sites (`--no-external`)"),
        (aside.unfollowed, "marked `nofollow` by their page"),
        (aside.over_page_links, "over the limit of links on one page (`--max-page-links`)"),
        (aside.no_pages, "not to web pages (`mailto:` and the like)"),
        (aside.sitemaps, "named by sitemaps beyond the limits"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, reason)| (reason.to_owned(), count))
    .collect()
}

/// What changed since the crawl before.
async fn compare(
    ports: &Ports,
    before: &RunSummary,
    run: RunId,
) -> Result<SiteComparison, EngineError> {
    let (mut new, mut fixed, mut regressed) = (Vec::new(), Vec::new(), Vec::new());
    let mut beyond = String::new();
    loop {
        let piece = ports.store.verdict_changes(before.id, run, &beyond, PIECE).await?;
        let Some(last) = piece.last() else { break };
        beyond.clone_from(&last.url);
        for change in piece {
            let is_broken = |word: Option<Verdict>| word.is_some_and(|word| BROKEN.contains(&word));
            let (was_broken, is_now) = (is_broken(change.before), is_broken(change.after));
            let changes = match (was_broken, is_now, change.before) {
                (false, true, Some(before)) if before.is_reached() => &mut regressed,
                (false, true, _) => &mut new,
                (true, false, _) => &mut fixed,
                _ => continue,
            };
            let relink_ports::VerdictChange { url, before, after, code } = change;
            changes.push(ChangeRow { url, before, after, code });
        }
    }
    Ok(SiteComparison {
        run: before.id.0,
        started: before.started,
        new: Capped::of(new, SHOWN),
        fixed: Capped::of(fixed, SHOWN),
        regressed: Capped::of(regressed, SHOWN),
    })
}

/// The crawl of the same site before this one, if it came to its end.
pub async fn crawl_before(
    ports: &Ports,
    run: &RunSummary,
) -> Result<Option<RunSummary>, EngineError> {
    let runs = ports.store.runs(Some("crawl"), usize::MAX).await?;
    let is_before =
        |other: &RunSummary| other.id < run.id && other.is_finished && other.inputs == run.inputs;
    Ok(runs.into_iter().find(is_before))
}

/// Milliseconds from one moment to a later one.
pub(super) fn millis_between(start: Timestamp, end: Timestamp) -> u64 {
    u64::try_from(end.duration_since(start).as_millis()).unwrap_or(0)
}
