//! Aggregates the targets of a crawl for its report.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use relink_frontier::host_key;
use relink_judge::codes;
use relink_model::{TaskId, Verdict};
use relink_ports::SiteTarget;
use relink_report::site::{
    Capped, ChainRow, PageMetric, SameTitle, SiteFinding, SiteHost, SiteReport, TreeRow,
};
use url::Url;

use super::super::SiteErrors;
use super::links::LinkTotals;
use super::{BROKEN, MAX_ROWS, millis_between};

/// Maximum number of rows of the directory tree.
const MAX_TREE_ROWS: usize = 5_000;
/// Maximum number of slowest and largest pages.
const MAX_EXTREMES: usize = 20;
/// Number of steps of a host timeline.
const TIMELINE_STEPS: u64 = 60;
/// Maximum number of pages listed per title.
const MAX_PAGES_PER_TITLE: usize = 20;
/// Maximum number of titles that are tracked.
const MAX_TITLES: usize = 200_000;
/// Minimum number of targets in a directory that is reported as dead.
const MIN_DEAD_DIRECTORY: u64 = 3;

/// Facts about a target that the link aggregation needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct TargetFacts {
    pub(super) depth: Option<u32>,
    pub(super) is_broken: bool,
    pub(super) is_plain_http: bool,
}

/// Aggregates targets.
pub(super) struct TargetAggregator {
    /// The start of the crawl.
    started: Timestamp,
    /// The first start page. Its host is the site.
    site: Option<Url>,
    facts: HashMap<TaskId, TargetFacts>,
    urls: HashMap<TaskId, String>,
    /// The last URLs of redirects that preserve fragments.
    final_urls: HashMap<TaskId, String>,
    /// Number of targets by verdict.
    verdicts: BTreeMap<Verdict, u64>,
    /// Number of targets by class of status, such as `2xx`.
    statuses: BTreeMap<String, u64>,
    findings: Vec<(TaskId, SiteFinding)>,
    /// Redirect chains.
    chains: Vec<(TaskId, ChainRow)>,
    slowest: Vec<PageMetric>,
    largest: Vec<PageMetric>,
    /// Pages of the site by title.
    titles: HashMap<String, Vec<TaskId>>,
    /// Number of targets and of broken targets, by directory of the site.
    tree: BTreeMap<String, (u64, u64)>,
    /// Host and time of each request, in milliseconds since the start.
    requests: Vec<(String, u64)>,
    errors: SiteErrors,
}

impl TargetAggregator {
    pub(super) fn new(started: Timestamp, seeds: &[String]) -> Self {
        let site = seeds.first().and_then(|seed| Url::parse(seed).ok());
        Self {
            started,
            site,
            facts: HashMap::new(),
            urls: HashMap::new(),
            final_urls: HashMap::new(),
            verdicts: BTreeMap::new(),
            statuses: BTreeMap::new(),
            findings: Vec::new(),
            chains: Vec::new(),
            slowest: Vec::new(),
            largest: Vec::new(),
            titles: HashMap::new(),
            tree: BTreeMap::new(),
            requests: Vec::new(),
            errors: SiteErrors::default(),
        }
    }

    /// Returns the facts about a target, if it has a result.
    pub(super) fn facts(&self, task: TaskId) -> Option<TargetFacts> {
        self.facts.get(&task).copied()
    }

    /// Returns the URL of a target; empty if the target has no result.
    pub(super) fn url(&self, task: TaskId) -> &str {
        self.urls.get(&task).map_or("", String::as_str)
    }

    /// Returns the last URL of a redirect chain that preserves the fragment of a link.
    pub(super) fn final_url(&self, task: TaskId) -> Option<&str> {
        self.final_urls.get(&task).map(String::as_str)
    }

    /// Adds a target, if it has a result.
    pub(super) fn add(&mut self, mut target: SiteTarget) {
        let Some(verdict) = target.verdict else { return };
        let final_url = target.final_url.take().map(|final_url| (target.task, final_url));
        self.final_urls.extend(final_url);
        let is_broken = BROKEN.contains(&verdict);
        *self.verdicts.entry(verdict).or_default() += 1;
        *self.statuses.entry(status_class(target.status)).or_default() += 1;
        let facts = TargetFacts {
            depth: target.depth,
            is_broken,
            is_plain_http: target.url.starts_with("http://"),
        };
        self.facts.insert(target.task, facts);
        if let Ok(url) = Url::parse(&target.url) {
            self.record_request(&url, &target);
            if self.site.as_ref().is_some_and(|site| site.host() == url.host()) {
                self.errors.count(&target);
                self.record_directories(&url, is_broken);
                self.record_page(&target);
            }
        }
        if target.hops.len() > 1 {
            let chain = ChainRow { hops: target.hops.clone(), inlinks: 0 };
            self.chains.push((target.task, chain));
        }
        if is_broken {
            self.findings.push((target.task, finding(&target, verdict)));
        }
        self.urls.insert(target.task, target.url);
    }

    /// Records title, size and duration of a page of the site.
    fn record_page(&mut self, target: &SiteTarget) {
        let metric = |value: u64| PageMetric { url: target.url.clone(), value };
        if let Some(duration_ms) = target.duration_ms {
            insert_largest(&mut self.slowest, metric(duration_ms.into()));
        }
        if let Some(bytes) = target.bytes {
            insert_largest(&mut self.largest, metric(bytes));
        }
        // A redirect has the title of another page.
        let is_page = target.status == Some(200) && target.hops.len() == 1;
        if let Some(title) = target.title.as_ref().filter(|title| is_page && !title.is_empty())
            && (self.titles.len() < MAX_TITLES || self.titles.contains_key(title))
        {
            self.titles.entry(title.clone()).or_default().push(target.task);
        }
    }

    /// Counts a target in all directories of its path.
    fn record_directories(&mut self, url: &Url, is_broken: bool) {
        let path = url.path();
        for (slash, _) in path.match_indices('/') {
            let Some(directory) = path.get(..=slash) else { continue };
            let (targets, broken) = self.tree.entry(directory.to_owned()).or_default();
            *targets += 1;
            *broken += u64::from(is_broken);
        }
    }

    /// Records the time of the request, unless the result comes from an earlier run.
    fn record_request(&mut self, url: &Url, target: &SiteTarget) {
        if let Some(requested_at) =
            target.requested_at.filter(|requested_at| *requested_at >= self.started)
        {
            self.requests.push((host_key(url), millis_between(self.started, requested_at)));
        }
    }

    /// Builds the report from targets and links.
    pub(super) fn finish(mut self, totals: LinkTotals) -> SiteReport {
        let (hosts, step_ms) = timelines(&self.requests);
        let findings = self.ordered_findings(&totals);
        let chains = self.ordered_chains(&totals);
        let same_titles = self.same_titles();
        SiteReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pages: totals.pages,
            links: totals.links,
            termination_note: self.errors.summary(),
            verdicts: self.verdicts,
            statuses: self.statuses,
            depths: totals.depths,
            saturation_depth: totals.saturation_depth,
            hosts: Capped { total: hosts.len() as u64, rows: hosts },
            step_ms,
            tree: tree(self.tree),
            findings,
            chains,
            slowest: self.slowest,
            largest: self.largest,
            orphans: totals.orphans,
            same_titles,
            fragments: totals.fragments,
            mixed_content: totals.mixed,
            templates: totals.templates,
            ..SiteReport::default()
        }
    }

    /// Orders findings by impact: most links first, then lowest depth.
    fn ordered_findings(&mut self, totals: &LinkTotals) -> Capped<SiteFinding> {
        let mut findings: Vec<SiteFinding> = std::mem::take(&mut self.findings)
            .into_iter()
            .map(|(task, mut finding)| {
                finding.inlinks = totals.broken_inlinks.get(&task).cloned().unwrap_or_default();
                finding
            })
            .collect();
        findings.sort_by(|left, right| {
            let order = |finding: &SiteFinding| {
                (std::cmp::Reverse(finding.inlinks.total), finding.depth.unwrap_or(u32::MAX))
            };
            order(left).cmp(&order(right)).then_with(|| left.url.cmp(&right.url))
        });
        Capped::new(findings, MAX_ROWS)
    }

    /// Orders redirect chains: longest first, then by number of links.
    fn ordered_chains(&mut self, totals: &LinkTotals) -> Capped<ChainRow> {
        let mut chains: Vec<ChainRow> = std::mem::take(&mut self.chains)
            .into_iter()
            .map(|(task, chain)| ChainRow {
                inlinks: totals.inlinks.get(&task).copied().unwrap_or(0),
                ..chain
            })
            .collect();
        chains.sort_by(|left, right| {
            let key = |chain: &ChainRow| (chain.hops.len(), chain.inlinks);
            key(right).cmp(&key(left)).then_with(|| left.hops.cmp(&right.hops))
        });
        Capped::new(chains, MAX_ROWS)
    }

    /// Returns the titles that several pages have, most pages first.
    fn same_titles(&mut self) -> Capped<SameTitle> {
        let titles = std::mem::take(&mut self.titles);
        let mut same: Vec<(String, Vec<TaskId>)> =
            titles.into_iter().filter(|(_, pages)| pages.len() > 1).collect();
        same.sort_by(|left, right| {
            right.1.len().cmp(&left.1.len()).then_with(|| left.0.cmp(&right.0))
        });
        let total = same.len() as u64;
        same.truncate(MAX_ROWS);
        let rows = same.into_iter().map(|(title, pages)| SameTitle {
            title,
            pages: Capped {
                total: pages.len() as u64,
                rows: pages
                    .into_iter()
                    .take(MAX_PAGES_PER_TITLE)
                    .map(|page| self.url(page).to_owned())
                    .collect(),
            },
        });
        Capped { rows: rows.collect(), total }
    }
}

/// Returns the finding for a broken target, without its links.
fn finding(target: &SiteTarget, verdict: Verdict) -> SiteFinding {
    let advice = target.code.and_then(codes::lookup).map(|entry| entry.advice.to_owned());
    // Invalid URLs are stored with a prefix.
    let url = target.url.strip_prefix("malformed:").unwrap_or(&target.url);
    SiteFinding {
        url: url.to_owned(),
        verdict,
        code: target.code,
        status: target.status,
        reason: target.reason.clone(),
        advice,
        depth: target.depth,
        inlinks: Capped::default(),
    }
}

/// Returns the class of a status, such as `2xx`, or `none` without a response.
fn status_class(status: Option<u16>) -> String {
    status.map_or_else(|| "none".to_owned(), |status| format!("{}xx", status / 100))
}

/// Inserts into a list of the largest values, in descending order.
fn insert_largest(largest: &mut Vec<PageMetric>, new: PageMetric) {
    let position = largest.partition_point(|old| old.value >= new.value);
    if position < MAX_EXTREMES {
        largest.insert(position, new);
        largest.truncate(MAX_EXTREMES);
    }
}

/// Returns the directories ordered by path. If there are too many, the deepest
/// are dropped but counted.
fn tree(directories: BTreeMap<String, (u64, u64)>) -> Capped<TreeRow> {
    let total = directories.len() as u64;
    let level = |path: &str| u32::try_from(path.matches('/').count() - 1).unwrap_or(u32::MAX);
    let mut rows: Vec<TreeRow> = directories
        .into_iter()
        .map(|(path, (targets, broken))| TreeRow {
            level: level(&path),
            path,
            targets,
            broken,
            is_dead: broken == targets && targets >= MIN_DEAD_DIRECTORY,
        })
        .collect();
    if rows.len() > MAX_TREE_ROWS {
        let mut levels: Vec<u32> = rows.iter().map(|row| row.level).collect();
        levels.sort_unstable();
        // Of this level, only a part of the directories would fit.
        let first_dropped_level = levels[MAX_TREE_ROWS];
        rows.retain(|row| row.level < first_dropped_level.max(1));
        rows.truncate(MAX_TREE_ROWS);
    }
    Capped { rows, total }
}

/// Returns the number of requests per host and step of time, and the duration of a step in
/// milliseconds.
fn timelines(requests: &[(String, u64)]) -> (Vec<SiteHost>, u64) {
    let end = requests.iter().map(|(_, at)| *at).max().unwrap_or(0);
    let step = (end / TIMELINE_STEPS + 1).max(1);
    let steps = usize::try_from(end / step + 1).unwrap_or(1);
    let mut hosts: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (host, at) in requests {
        let timeline = hosts.entry(host).or_insert_with(|| vec![0; steps]);
        timeline[usize::try_from(at / step).unwrap_or(0).min(steps - 1)] += 1;
    }
    let hosts = hosts.into_iter().map(|(name, timeline)| SiteHost {
        name: name.to_owned(),
        timeline,
        ..SiteHost::default()
    });
    (hosts.collect(), step)
}
