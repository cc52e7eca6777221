//! The terminal report: findings with their source lines, totals and a last line.

use std::collections::HashMap;
use std::io::Write;
use std::time::Duration;

use relink_engine::{CheckEnd, Diagnostic, Diagnostics, Ports};
use relink_model::{FindingCode, Verdict};
use relink_ports::{CheckedTarget, HostStats};
use relink_report::human::{self, Footer, Headline, SinglePageView, TextStyle};

use super::findings::{
    count_findings, group_findings, load_findings, sort_groups, split_revivable,
};
use super::human_findings::FindingList;
use super::{FinishedRun, RunDetails, cannot_write, crawl, host_row, survey};
use crate::cli::{GlobalArgs, SortArg};
use crate::config::ProjectConfig;
use crate::error::{CommandError, Exit};
use crate::settings::RunSettings;

/// Maximum number of locations read per finding of a crawl or survey. More are
/// never listed; the rest is counted.
const MAX_LOCATIONS: usize = 8;

/// Maximum number of findings without `--verbose`.
const MAX_FINDINGS: usize = 50;

/// Maximum number of diagnostics of each kind.
const MAX_DIAGNOSTICS: usize = 100;

/// Verdicts whose findings are shown without `--verbose`.
const DEFAULT_SHOWN: [Verdict; 6] = [
    Verdict::Dead,
    Verdict::Soft404,
    Verdict::Hijacked,
    Verdict::Local,
    Verdict::Failing,
    Verdict::AtRisk,
];

/// Returns the verdicts whose findings are listed.
pub(super) fn shown_verdicts(settings: &RunSettings, global: &GlobalArgs) -> Vec<Verdict> {
    let is_shown = |verdict: &Verdict| {
        global.verbose && *verdict != Verdict::Alive
            || settings.fail_on.contains(verdict)
            || DEFAULT_SHOWN.contains(verdict)
    };
    Verdict::ALL.into_iter().filter(is_shown).collect()
}

/// Settings of the report.
pub struct HumanReport {
    style: TextStyle,
    shown: Vec<Verdict>,
    is_quiet: bool,
    is_verbose: bool,
    max_age: Duration,
    /// The keys that the project's file sets, in one line.
    project: Option<String>,
    /// How findings are listed.
    pub(super) list: FindingList,
    sort: SortArg,
    /// The only input, if it is a URL.
    single_url: Option<String>,
}

impl HumanReport {
    pub(super) fn new(settings: &RunSettings, global: &GlobalArgs, style: TextStyle) -> Self {
        Self {
            style,
            shown: shown_verdicts(settings, global),
            is_quiet: global.quiet,
            is_verbose: global.verbose,
            max_age: settings.max_cache_age,
            project: settings.project.as_ref().and_then(ProjectConfig::line),
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

    pub(super) async fn write(
        &self,
        out: &mut (dyn Write + Send),
        ports: &Ports,
        end: &FinishedRun,
        hosts: &[HostStats],
    ) -> Result<(), CommandError> {
        let write = |out: &mut (dyn Write + Send), text: &str| {
            out.write_all(text.as_bytes()).map_err(cannot_write)
        };
        for notice in end.notices() {
            write(out, &format!("! {}\n", relink_report::printable(&notice)))?;
        }
        if !self.is_quiet {
            write(out, &self.headline(end))?;
        }
        if let Some(line) = &self.project {
            write(out, &format!("{}\n", relink_report::printable(line)))?;
        }
        let is_check = matches!(end.details, RunDetails::Check(_));
        if is_check {
            write(out, &self.single_page(ports).await?)?;
        }
        // A survey or a crawl may have thousands of findings: list them only with
        // `--verbose`.
        let shown: &[Verdict] = if is_check || self.is_verbose { &self.shown } else { &[] };
        let blocked_code = self.findings(out, ports, end, shown).await?;
        if let Some(loaded) = end.details.loaded() {
            write(out, &diagnostics("problems", &loaded.problems))?;
            if self.is_verbose {
                write(out, &diagnostics("expired `relink:ignore` comments", &loaded.expired))?;
            }
        }
        if !self.is_quiet && !matches!(end.details, RunDetails::Crawl(_)) {
            write(out, &format!("\n{}", human::summary(self.style, &end.stats.verdicts)))?;
        }
        if !self.is_quiet
            && let Some(loaded) = end.details.loaded()
        {
            write(
                out,
                &human::sites(loaded.sites.iter().map(|site| (site.generator, &*site.config))),
            )?;
            write(out, &human::not_read(loaded.auxiliary))?;
        }
        if !self.is_verbose && !self.is_quiet {
            let skips = end.skips();
            let skips = skips.iter().filter(|(skip, _)| skip.is_checkable());
            write(out, &human::not_checked(skips.map(|(skip, count)| (skip.phrase(), count))))?;
        }
        if self.is_verbose {
            let skips = end.skips();
            write(out, &human::skipped(skips.iter().map(|(skip, count)| (skip.phrase(), count))))?;
        }
        if let RunDetails::Crawl(outcome) = &end.details {
            let mut report = crawl::report(ports, end.run).await?;
            // The notices above already contain it.
            report.termination_note = None;
            let overview = if self.is_verbose {
                format!("\n{}", relink_report::site::overview(&report, self.style))
            } else {
                relink_report::site::human(&report, self.style)
            };
            write(out, &format!("{overview}{}", crawl::details(outcome)))?;
        }
        if let Some(outcome) = end.details.survey() {
            write(out, &survey::details(outcome, self.is_verbose))?;
        }
        if !self.is_quiet
            && (self.is_verbose || hosts.len() > 1 || hosts.iter().any(|host| host.throttled > 0))
        {
            let rows: Vec<_> = hosts.iter().map(host_row).collect();
            write(out, &format!("\n{}\n", human::hosts(self.style, &rows)))?;
        }
        if self.is_quiet && is_check && end.exit == Exit::Clean {
            return Ok(());
        }
        if let Some(row) = &end.gate.row {
            write(out, &row.footer())?;
        }
        write(out, &footer(end, blocked_code))
    }

    fn headline(&self, end: &FinishedRun) -> String {
        let duration = end.finished.duration_since(end.started);
        if let RunDetails::Crawl(_) = &end.details {
            // The overview at the end has the same numbers.
            return String::new();
        }
        if let Some(outcome) = end.details.survey() {
            return survey::headline(outcome, duration);
        }
        human::headline(&Headline {
            links: end.stats.links,
            documents: end.stats.documents,
            hosts: end.stats.hosts,
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(0),
            cached: end.stats.cached,
            max_age: self.max_age.as_secs(),
        })
    }

    /// Writes the findings with these verdicts. Returns the most frequent code of
    /// blocked pages.
    async fn findings(
        &self,
        out: &mut (dyn Write + Send),
        ports: &Ports,
        end: &FinishedRun,
        shown: &[Verdict],
    ) -> Result<Option<FindingCode>, CommandError> {
        let mut verdicts = shown.to_vec();
        verdicts.extend([Verdict::Blocked].into_iter().filter(|verdict| !shown.contains(verdict)));
        // Only a check counts the links of every file.
        let is_check = matches!(end.details, RunDetails::Check(_));
        let max_locations = if is_check { usize::MAX } else { MAX_LOCATIONS };
        let mut findings = load_findings(ports, end.run, &verdicts, max_locations).await?;
        let blocked_code = most_frequent_block(&findings);
        findings.retain(|target| shown.contains(&target.result.verdict));
        let gated = end.gate.split(findings);
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
        if let Some(row) = end.gate.row.as_ref().filter(|_| !gated.known.is_empty()) {
            let known = group_findings(&*ports.files, gated.known).await;
            self.list.write_known(out, &row.known_title(), &known)?;
        }
        Ok(blocked_code)
    }

    /// Formats the responses of a single URL on the command line.
    async fn single_page(&self, ports: &Ports) -> Result<String, CommandError> {
        let Some(given) = self.single_url.as_ref().filter(|_| !self.is_quiet) else {
            return Ok(String::new());
        };
        let Ok(url) = relink_frontier::canonicalize(None, given) else { return Ok(String::new()) };
        let record = ports.store.target_record(url.as_str()).await?;
        let probe = record.and_then(|record| record.latest).and_then(|latest| latest.probe);
        let Some(probe) = probe.filter(|probe| !probe.hops.is_empty()) else {
            return Ok(String::new());
        };
        let digest = probe.digest.as_deref();
        let view = SinglePageView {
            url: given,
            hops: &probe.hops,
            title: digest.and_then(|digest| digest.title.as_deref()),
            bytes: digest.map(|digest| digest.bytes),
            duration_ms: Some(probe.timings.total.into()),
        };
        Ok(format!("\n{}", human::single_page(self.style, &view)))
    }
}

/// Returns the maximum number of listed findings; 0 means all.
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
fn most_frequent_block(findings: &[CheckedTarget]) -> Option<FindingCode> {
    let mut blocked: HashMap<FindingCode, u64> = HashMap::new();
    for target in findings.iter().filter(|target| target.result.verdict == Verdict::Blocked) {
        if let Some(code) = target.result.code {
            *blocked.entry(code).or_default() += 1;
        }
    }
    let frequency = |(code, count): &(FindingCode, u64)| (*count, std::cmp::Reverse(*code));
    blocked.into_iter().max_by_key(frequency).map(|(code, _)| code)
}

/// Lists the diagnostics of documents.
fn diagnostics(title: &str, diagnostics: &Diagnostics) -> String {
    if diagnostics.entries.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{title}:\n");
    let shown = &diagnostics.entries[..diagnostics.entries.len().min(MAX_DIAGNOSTICS)];
    for Diagnostic { path, line, text: message } in shown {
        text.extend(["  ", &human::problem(path, *line, message), "\n"]);
    }
    let more = (diagnostics.entries.len() - shown.len()) as u64 + diagnostics.omitted;
    if more > 0 {
        text.extend(["  … and ", &human::grouped(more), " more\n"]);
    }
    text
}

fn footer(end: &FinishedRun, blocked_code: Option<FindingCode>) -> String {
    let finished = || {
        human::footer(&Footer {
            failing: end.failing,
            blocked: end.stats.verdicts.get(&Verdict::Blocked).copied().unwrap_or(0),
            blocked_code,
        })
    };
    match &end.details {
        RunDetails::Check(outcome) => match outcome.end {
            CheckEnd::Interrupted => human::interrupted(end.stats.checked, end.stats.targets),
            CheckEnd::NoNetwork => human::no_network().to_owned(),
            CheckEnd::Finished => finished(),
        },
        RunDetails::Crawl(outcome) => crawl::footer(outcome, end).unwrap_or_else(finished),
        RunDetails::Survey(outcome) => {
            survey::footer(outcome.end, &end.stats).unwrap_or_else(finished)
        }
    }
}
