//! The targets of a crawl, read one by one into the lists of its report.

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
use super::links::LinksRead;
use super::{BROKEN, SHOWN, millis_between};

/// The most rows of the directory tree.
const TREE: usize = 5_000;
/// Pages named among the slowest and the largest.
const EXTREMES: usize = 20;
/// Steps of the hosts' timelines.
const STEPS: u64 = 60;
/// Pages of one title that are named.
const TITLED: usize = 20;
/// Titles that are watched for coming again.
const TITLES: usize = 200_000;
/// Missing pages of one directory that make it a dead one.
const DEAD_DIRECTORY: u64 = 3;

/// What the links need to know of a target.
#[derive(Debug, Clone, Copy)]
pub(super) struct TargetFacts {
    pub(super) depth: Option<u32>,
    pub(super) is_broken: bool,
    pub(super) is_plain_http: bool,
}

/// Reads targets.
pub(super) struct TargetReader {
    started: Timestamp,
    site: Option<Url>,
    briefs: HashMap<TaskId, TargetFacts>,
    addresses: HashMap<TaskId, String>,
    /// Where redirects that keep fragments lead.
    landings: HashMap<TaskId, String>,
    verdicts: BTreeMap<Verdict, u64>,
    statuses: BTreeMap<String, u64>,
    findings: Vec<(TaskId, SiteFinding)>,
    chains: Vec<(TaskId, ChainRow)>,
    slowest: Vec<PageMetric>,
    largest: Vec<PageMetric>,
    titles: HashMap<String, Vec<TaskId>>,
    tree: BTreeMap<String, (u64, u64)>,
    visits: Vec<(String, u64)>,
    errors: SiteErrors,
}

impl TargetReader {
    pub(super) fn new(started: Timestamp, seeds: &[String]) -> Self {
        let site = seeds.first().and_then(|seed| Url::parse(seed).ok());
        Self {
            started,
            site,
            briefs: HashMap::new(),
            addresses: HashMap::new(),
            landings: HashMap::new(),
            verdicts: BTreeMap::new(),
            statuses: BTreeMap::new(),
            findings: Vec::new(),
            chains: Vec::new(),
            slowest: Vec::new(),
            largest: Vec::new(),
            titles: HashMap::new(),
            tree: BTreeMap::new(),
            visits: Vec::new(),
            errors: SiteErrors::default(),
        }
    }

    pub(super) fn brief(&self, task: TaskId) -> Option<TargetFacts> {
        self.briefs.get(&task).copied()
    }

    pub(super) fn address(&self, task: TaskId) -> &str {
        self.addresses.get(&task).map_or("", String::as_str)
    }

    /// The page that a redirect leads to, if it keeps the fragment of a link.
    pub(super) fn landing(&self, task: TaskId) -> Option<&str> {
        self.landings.get(&task).map(String::as_str)
    }

    pub(super) fn read(&mut self, mut target: SiteTarget) {
        let Some(word) = target.verdict else { return };
        let landing = target.landing.take().map(|landing| (target.task, landing));
        self.landings.extend(landing);
        let is_broken = BROKEN.contains(&word);
        *self.verdicts.entry(word).or_default() += 1;
        *self.statuses.entry(class(target.status)).or_default() += 1;
        let brief = TargetFacts {
            depth: target.depth,
            is_broken,
            is_plain_http: target.url.starts_with("http://"),
        };
        self.briefs.insert(target.task, brief);
        if let Ok(url) = Url::parse(&target.url) {
            self.note_visit(&url, &target);
            if self.site.as_ref().is_some_and(|site| site.host() == url.host()) {
                self.errors.note(&target);
                self.note_in_tree(&url, is_broken);
                self.note_page(&target);
            }
        }
        if target.hops.len() > 1 {
            let chain = ChainRow { hops: target.hops.clone(), inlinks: 0 };
            self.chains.push((target.task, chain));
        }
        if is_broken {
            self.findings.push((target.task, finding(&target, word)));
        }
        self.addresses.insert(target.task, target.url);
    }

    /// Titles, sizes and times are told of the site's own pages.
    fn note_page(&mut self, target: &SiteTarget) {
        let value = |value: u64| PageMetric { url: target.url.clone(), value };
        if let Some(took) = target.took_ms {
            keep_most(&mut self.slowest, value(took.into()));
        }
        if let Some(bytes) = target.bytes {
            keep_most(&mut self.largest, value(bytes));
        }
        let is_page = target.status == Some(200) && target.hops.len() == 1;
        if let Some(title) = target.title.as_ref().filter(|title| is_page && !title.is_empty())
            && (self.titles.len() < TITLES || self.titles.contains_key(title))
        {
            self.titles.entry(title.clone()).or_default().push(target.task);
        }
    }

    fn note_in_tree(&mut self, url: &Url, is_broken: bool) {
        let path = url.path();
        for (at, _) in path.match_indices('/') {
            let Some(directory) = path.get(..=at) else { continue };
            let (targets, broken) = self.tree.entry(directory.to_owned()).or_default();
            *targets += 1;
            *broken += u64::from(is_broken);
        }
    }

    fn note_visit(&mut self, url: &Url, target: &SiteTarget) {
        if let Some(asked) = target.requested_at.filter(|asked| *asked >= self.started) {
            self.visits.push((host_key(url), millis_between(self.started, asked)));
        }
    }

    /// The report, as far as targets and links tell it.
    pub(super) fn finish(mut self, read: LinksRead) -> SiteReport {
        let (hosts, step_ms) = timelines(&self.visits);
        let findings = self.ordered_findings(&read);
        let chains = self.ordered_chains(&read);
        let same_titles = self.same_titles();
        SiteReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pages: read.pages,
            links: read.links,
            remark: self.errors.sentence(),
            verdicts: self.verdicts,
            statuses: self.statuses,
            depths: read.depths,
            little_new_from: read.little_new_from,
            hosts: Capped { total: hosts.len() as u64, rows: hosts },
            step_ms,
            tree: tree(self.tree),
            findings,
            chains,
            slowest: self.slowest,
            largest: self.largest,
            orphans: read.orphans,
            same_titles,
            fragments: read.fragments,
            mixed: read.mixed,
            templates: read.templates,
            ..SiteReport::default()
        }
    }

    /// What costs the site most comes first: many links to it, few links away.
    fn ordered_findings(&mut self, read: &LinksRead) -> Capped<SiteFinding> {
        let mut findings: Vec<SiteFinding> = std::mem::take(&mut self.findings)
            .into_iter()
            .map(|(task, mut finding)| {
                finding.inlinks = read.spots.get(&task).cloned().unwrap_or_default();
                finding
            })
            .collect();
        findings.sort_by(|one, other| {
            let cost = |finding: &SiteFinding| {
                (std::cmp::Reverse(finding.inlinks.total), finding.depth.unwrap_or(u32::MAX))
            };
            cost(one).cmp(&cost(other)).then_with(|| one.url.cmp(&other.url))
        });
        Capped::of(findings, SHOWN)
    }

    fn ordered_chains(&mut self, read: &LinksRead) -> Capped<ChainRow> {
        let mut chains: Vec<ChainRow> = std::mem::take(&mut self.chains)
            .into_iter()
            .map(|(task, chain)| ChainRow {
                inlinks: read.inlinks.get(&task).copied().unwrap_or(0),
                ..chain
            })
            .collect();
        chains.sort_by(|one, other| {
            let key = |chain: &ChainRow| (chain.hops.len(), chain.inlinks);
            key(other).cmp(&key(one)).then_with(|| one.hops.cmp(&other.hops))
        });
        Capped::of(chains, SHOWN)
    }

    fn same_titles(&mut self) -> Capped<SameTitle> {
        let titles = std::mem::take(&mut self.titles);
        let mut same: Vec<(String, Vec<TaskId>)> =
            titles.into_iter().filter(|(_, pages)| pages.len() > 1).collect();
        same.sort_by(|one, other| {
            other.1.len().cmp(&one.1.len()).then_with(|| one.0.cmp(&other.0))
        });
        let total = same.len() as u64;
        same.truncate(SHOWN);
        let rows = same.into_iter().map(|(title, pages)| SameTitle {
            title,
            pages: Capped {
                total: pages.len() as u64,
                rows: pages
                    .into_iter()
                    .take(TITLED)
                    .map(|page| self.address(page).to_owned())
                    .collect(),
            },
        });
        Capped { rows: rows.collect(), total }
    }
}

fn finding(target: &SiteTarget, word: Verdict) -> SiteFinding {
    let advice = target.code.and_then(codes::meaning).map(|meaning| meaning.advice.to_owned());
    // What is no address is kept under a name of its own.
    let url = target.url.strip_prefix("malformed:").unwrap_or(&target.url);
    SiteFinding {
        url: url.to_owned(),
        verdict: word,
        code: target.code,
        status: target.status,
        reason: target.reason.clone(),
        advice,
        depth: target.depth,
        inlinks: Capped::default(),
    }
}

/// `2xx`; `none` where nobody answered or nobody was asked.
fn class(status: Option<u16>) -> String {
    status.map_or_else(|| "none".to_owned(), |status| format!("{}xx", status / 100))
}

/// Keeps the largest few, largest first.
fn keep_most(kept: &mut Vec<PageMetric>, new: PageMetric) {
    let at = kept.partition_point(|old| old.value >= new.value);
    if at < EXTREMES {
        kept.insert(at, new);
        kept.truncate(EXTREMES);
    }
}

/// The directories in the order of their paths. If there are too many, the
/// deepest are left out and counted.
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
            is_dead: broken == targets && targets >= DEAD_DIRECTORY,
        })
        .collect();
    if rows.len() > TREE {
        let mut levels: Vec<u32> = rows.iter().map(|row| row.level).collect();
        levels.sort_unstable();
        let deepest = levels[TREE];
        rows.retain(|row| row.level < deepest.max(1));
        rows.truncate(TREE);
    }
    Capped { rows, total }
}

/// Requests per host and step, and how long a step is.
fn timelines(visits: &[(String, u64)]) -> (Vec<SiteHost>, u64) {
    let end = visits.iter().map(|(_, at)| *at).max().unwrap_or(0);
    let step = (end / STEPS + 1).max(1);
    let steps = usize::try_from(end / step + 1).unwrap_or(1);
    let mut hosts: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (host, at) in visits {
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
