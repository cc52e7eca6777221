//! The terminal report: findings with their source lines, totals and a last line.
//!
//! A target is a URL that a run checked. A finding is a target with another verdict than
//! `alive`.

use std::collections::HashMap;
use std::io::Write;
use std::time::Duration;

use relink_documents::{Diagnostic, Diagnostics};
use relink_engine::{CheckEnd, CrawlOutcome};
use relink_model::{FindingCode, Verdict};
use relink_ports::{CheckedTarget, HostStats};
use relink_report::human::{self, Footer, Headline, SinglePageView, TextStyle};
use relink_report::printable;
use relink_requests::Ports;

use super::findings::{
    count_findings, group_findings, load_findings, sort_groups, split_revivable,
};
use super::human_findings::FindingList;
use super::{FinishedRun, RunDetails, cannot_write, crawl, host_row, survey};
use crate::cli::{GlobalArgs, SortArg};
use crate::config::ProjectConfig;
use crate::error::{CommandError, Exit};
use crate::settings::RunSettings;

/// Maximum number of locations that are read per finding of a crawl or survey. The report
/// never lists more; the total number of links is known without the locations.
const MAX_LOCATIONS: usize = 8;

/// Maximum number of findings without `--verbose`.
const MAX_FINDINGS: usize = 50;

/// Maximum number of diagnostics of each kind.
const MAX_DIAGNOSTICS: usize = 100;

/// Verdicts whose findings are listed without `--verbose`.
const DEFAULT_LISTED: [Verdict; 6] = [
    Verdict::Dead,
    Verdict::Soft404,
    Verdict::Hijacked,
    Verdict::Local,
    Verdict::Failing,
    Verdict::AtRisk,
];

/// Returns the verdicts whose findings are listed.
pub(super) fn listed_verdicts(settings: &RunSettings, global: &GlobalArgs) -> Vec<Verdict> {
    let is_listed = |verdict: &Verdict| {
        global.verbose && *verdict != Verdict::Alive
            || settings.fail_on.contains(verdict)
            || DEFAULT_LISTED.contains(verdict)
    };
    Verdict::ALL.into_iter().filter(is_listed).collect()
}

/// Settings of the report.
pub struct HumanReport {
    style: TextStyle,
    /// The verdicts whose findings are listed.
    listed_verdicts: Vec<Verdict>,
    is_quiet: bool,
    is_verbose: bool,
    /// Maximum age of reused results; `--max-cache-age`.
    max_cache_age: Duration,
    /// The keys that the project's file sets, in one line.
    project_line: Option<String>,
    /// The layout of the list of findings.
    pub(super) list: FindingList,
    sort: SortArg,
    /// The only input, if it is a URL.
    single_url: Option<String>,
}

impl HumanReport {
    pub(super) fn new(settings: &RunSettings, global: &GlobalArgs, style: TextStyle) -> Self {
        Self {
            style,
            listed_verdicts: listed_verdicts(settings, global),
            is_quiet: global.quiet,
            is_verbose: global.verbose,
            max_cache_age: settings.max_cache_age,
            project_line: settings.project.as_ref().and_then(ProjectConfig::line),
            list: FindingList {
                style,
                group_by: settings.findings.group_by.unwrap_or_default(),
                max_findings: max_findings(settings, global),
                is_quiet: global.quiet,
                shows_revivals: false,
            },
            sort: settings.findings.sort.unwrap_or_default(),
            single_url: single_url(&settings.inputs),
        }
    }

    /// Writes the report: the warnings that affect all results, the findings, the totals, and
    /// the result of the run in the last line.
    pub(super) async fn write(
        &self,
        out: &mut (dyn Write + Send),
        ports: &Ports,
        finished: &FinishedRun,
        hosts: &[HostStats],
    ) -> Result<(), CommandError> {
        let is_check = matches!(finished.details, RunDetails::Check(_));
        write_text(out, &self.head(finished))?;
        if is_check {
            write_text(out, &self.single_page(ports).await?)?;
        }
        // A survey or a crawl may have thousands of findings: list them only with
        // `--verbose`.
        let listed: &[Verdict] =
            if is_check || self.is_verbose { &self.listed_verdicts } else { &[] };
        let blocked_code = self.write_findings(out, ports, finished, listed).await?;
        write_text(out, &self.totals(finished))?;
        if let RunDetails::Crawl(outcome) = &finished.details {
            write_text(out, &self.crawl_overview(ports, finished, outcome).await?)?;
        }
        if let Some(outcome) = finished.details.survey() {
            write_text(out, &survey::details(outcome, self.is_verbose))?;
        }
        write_text(out, &self.host_table(hosts))?;
        if self.is_quiet && is_check && finished.exit == Exit::Clean {
            return Ok(());
        }
        if let Some(row) = &finished.gate.row {
            write_text(out, &row.footer())?;
        }
        write_text(out, &footer(finished, blocked_code))
    }

    /// Formats the notices, the headline, and the keys that the project's file sets.
    fn head(&self, finished: &FinishedRun) -> String {
        let mut text = String::new();
        for notice in finished.notices() {
            text.extend([format!("! {}\n", printable(&notice))]);
        }
        if !self.is_quiet {
            text += &self.headline(finished);
        }
        if let Some(line) = &self.project_line {
            text.extend([format!("{}\n", printable(line))]);
        }
        text
    }

    /// Formats the problems with documents, the number of targets per verdict, and the number
    /// of links that were not checked.
    fn totals(&self, finished: &FinishedRun) -> String {
        let mut text = String::new();
        let loaded = finished.details.loaded();
        if let Some(loaded) = loaded {
            text += &diagnostics("problems", &loaded.problems);
            if self.is_verbose {
                text += &diagnostics("expired `relink:ignore` comments", &loaded.expired);
            }
        }
        // The overview of a crawl has the same totals.
        if !self.is_quiet && !matches!(finished.details, RunDetails::Crawl(_)) {
            text.push('\n');
            text += &human::summary(self.style, &finished.stats.verdicts);
        }
        if let Some(loaded) = loaded.filter(|_| !self.is_quiet) {
            let sites = loaded.sites.iter().map(|site| (site.generator, &*site.config));
            text += &human::sites(sites);
            text += &human::not_read(loaded.auxiliary);
        }
        let skips = finished.skips();
        if self.is_verbose {
            text += &human::skipped(skips.iter().map(|(skip, count)| (skip.phrase(), count)));
        } else if !self.is_quiet {
            let checkable = skips.iter().filter(|(skip, _)| skip.is_checkable());
            text += &human::not_checked(checkable.map(|(skip, count)| (skip.phrase(), count)));
        }
        text
    }

    /// Formats the overview of a crawled site.
    async fn crawl_overview(
        &self,
        ports: &Ports,
        finished: &FinishedRun,
        outcome: &CrawlOutcome,
    ) -> Result<String, CommandError> {
        let mut report = crawl::report(ports, finished.run).await?;
        // The notices at the start of the report say why the crawl ended.
        report.termination_note = None;
        let overview = if self.is_verbose {
            format!("\n{}", relink_report::site::overview(&report, self.style))
        } else {
            relink_report::site::human(&report, self.style)
        };
        Ok(overview + &crawl::details(outcome))
    }

    /// Formats the requests to each host, if there are several hosts or one was throttled.
    fn host_table(&self, hosts: &[HostStats]) -> String {
        let is_throttled = hosts.iter().any(|host| host.throttled > 0);
        let has_table = self.is_verbose || hosts.len() > 1 || is_throttled;
        if self.is_quiet || !has_table {
            return String::new();
        }
        let rows: Vec<_> = hosts.iter().map(host_row).collect();
        format!("\n{}\n", human::hosts(self.style, &rows))
    }

    fn headline(&self, finished: &FinishedRun) -> String {
        let duration = finished.finished_at.duration_since(finished.started_at);
        if let RunDetails::Crawl(_) = &finished.details {
            // The overview of a crawl has the same numbers.
            return String::new();
        }
        if let Some(outcome) = finished.details.survey() {
            return survey::headline(outcome, duration);
        }
        human::headline(&Headline {
            links: finished.stats.links,
            documents: finished.stats.documents,
            hosts: finished.stats.hosts,
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(0),
            cached: finished.stats.cached,
            max_age: self.max_cache_age.as_secs(),
        })
    }

    /// Writes the findings with these verdicts. Returns the most frequent code of
    /// blocked pages.
    async fn write_findings(
        &self,
        out: &mut (dyn Write + Send),
        ports: &Ports,
        finished: &FinishedRun,
        listed: &[Verdict],
    ) -> Result<Option<FindingCode>, CommandError> {
        // The footer needs the codes of blocked pages, even if the pages are not listed.
        let mut verdicts = listed.to_vec();
        if !listed.contains(&Verdict::Blocked) {
            verdicts.push(Verdict::Blocked);
        }
        // Only a check counts the findings of every file, so it needs all locations.
        let is_check = matches!(finished.details, RunDetails::Check(_));
        let max_locations = if is_check { usize::MAX } else { MAX_LOCATIONS };
        let mut findings = load_findings(ports, finished.run, &verdicts, max_locations).await?;
        let blocked_code = most_frequent_blocked_code(&findings);
        findings.retain(|target| listed.contains(&target.result.verdict));
        // Known findings, which the gate exempts from failing the run, are listed last.
        let gated = finished.gate.split(findings);
        let mut groups = group_findings(&*ports.files, gated.open).await;
        if self.list.shows_revivals || !is_check {
            groups = split_revivable(groups);
        }
        sort_groups(&mut groups, self.sort);
        if is_check && !self.is_quiet {
            let counts = human::counts(self.style, &count_findings(&groups));
            out.write_all(counts.as_bytes()).map_err(cannot_write)?;
        }
        self.list.write(out, ports, &groups).await?;
        if let Some(row) = finished.gate.row.as_ref().filter(|_| !gated.known.is_empty()) {
            let known = group_findings(&*ports.files, gated.known).await;
            self.list.write_known(out, &row.known_title(), &known)?;
        }
        Ok(blocked_code)
    }

    /// Formats the responses and the title of a page, if its URL is the only input.
    async fn single_page(&self, ports: &Ports) -> Result<String, CommandError> {
        let no_text = Ok(String::new());
        if self.is_quiet {
            return no_text;
        }
        let Some(original_url) = &self.single_url else { return no_text };
        let Ok(url) = relink_frontier::canonicalize(None, original_url) else { return no_text };
        let record = ports.store.target_record(url.as_str()).await?;
        let probe = record.and_then(|record| record.latest).and_then(|latest| latest.probe);
        let Some(probe) = probe.filter(|probe| !probe.hops.is_empty()) else { return no_text };
        let digest = probe.digest.as_deref();
        let view = SinglePageView {
            url: original_url,
            hops: &probe.hops,
            title: digest.and_then(|digest| digest.title.as_deref()),
            bytes: digest.map(|digest| digest.bytes),
            duration_ms: Some(probe.timings.total.into()),
        };
        Ok(format!("\n{}", human::single_page(self.style, &view)))
    }
}

fn write_text(out: &mut (dyn Write + Send), text: &str) -> Result<(), CommandError> {
    out.write_all(text.as_bytes()).map_err(cannot_write)
}

/// Returns the maximum number of listed findings. `--max-findings 0` means all.
fn max_findings(settings: &RunSettings, global: &GlobalArgs) -> usize {
    match settings.findings.max_findings {
        Some(0) => usize::MAX,
        Some(limit) => limit,
        None if global.verbose => usize::MAX,
        None => MAX_FINDINGS,
    }
}

/// Returns the only input if it is a URL.
fn single_url(inputs: &[String]) -> Option<String> {
    match inputs {
        [only] if only.starts_with("http://") || only.starts_with("https://") => Some(only.clone()),
        _ => None,
    }
}

/// Returns the most frequent code of blocked pages.
fn most_frequent_blocked_code(findings: &[CheckedTarget]) -> Option<FindingCode> {
    let mut counts: HashMap<FindingCode, u64> = HashMap::new();
    for target in findings.iter().filter(|target| target.result.verdict == Verdict::Blocked) {
        if let Some(code) = target.result.code {
            *counts.entry(code).or_default() += 1;
        }
    }
    // Of two equally frequent codes, take the smaller one.
    let frequency = |(code, count): &(FindingCode, u64)| (*count, std::cmp::Reverse(*code));
    counts.into_iter().max_by_key(frequency).map(|(code, _)| code)
}

/// Lists diagnostics of documents below a title.
fn diagnostics(title: &str, diagnostics: &Diagnostics) -> String {
    if diagnostics.entries.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}:\n");
    let shown = &diagnostics.entries[..diagnostics.entries.len().min(MAX_DIAGNOSTICS)];
    for Diagnostic { path, line, text: message } in shown {
        text.extend(["  ", &human::problem(path, *line, message), "\n"]);
    }
    let omitted = (diagnostics.entries.len() - shown.len()) as u64 + diagnostics.omitted;
    if omitted > 0 {
        text.extend(["  … and ", &human::grouped(omitted), " more\n"]);
    }
    text
}

/// Formats the last line: the result, or why the run did not finish.
fn footer(finished: &FinishedRun, blocked_code: Option<FindingCode>) -> String {
    let result_line = || {
        human::footer(&Footer {
            failing: finished.failing_findings,
            blocked: finished.stats.verdicts.get(&Verdict::Blocked).copied().unwrap_or(0),
            blocked_code,
        })
    };
    match &finished.details {
        RunDetails::Check(outcome) => match outcome.end {
            CheckEnd::Interrupted => {
                human::interrupted(finished.stats.checked, finished.stats.targets)
            }
            CheckEnd::NoNetwork => human::no_network().to_owned(),
            CheckEnd::Finished => result_line(),
        },
        RunDetails::Crawl(outcome) => crawl::footer(outcome, finished).unwrap_or_else(result_line),
        RunDetails::Survey(outcome) => {
            survey::footer(outcome.end, &finished.stats).unwrap_or_else(result_line)
        }
    }
}
