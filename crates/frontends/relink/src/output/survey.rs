//! The parts of a report that only surveys have.
//!
//! A survey checks a sample of the URLs of each domain. It accepts the domain if few of them
//! are broken. Otherwise the domain is suspicious, and all its URLs are checked. Recall is
//! the share of all broken URLs that the survey found.

use jiff::SignedDuration;
use relink_engine::{
    BudgetUse, DomainCounts, DomainReport, DomainStatus, SurveyEnd, SurveyForecast, SurveyOutcome,
    SurveyReport,
};
use relink_ports::RunStats;
use relink_report::human::{counted, duration, grouped, interrupted, no_network};
use relink_report::survey::{
    BudgetRow, DomainCountsRow, DomainRow, ForecastRow, RecallRow, SurveyRow,
};
use relink_report::{printable, redact, redact_prose};

/// Maximum number of domains with broken URLs; `--verbose` lists all.
const MAX_DOMAINS: usize = 20;
/// Maximum number of directories per domain.
const MAX_DIRECTORIES: usize = 20;

/// Formats the first line: `Surveyed 3,902 URLs on 118 domains: 612 checked (15.7 %), 6.1 s`.
pub fn headline(outcome: &SurveyOutcome, elapsed: SignedDuration) -> String {
    let report = &outcome.report;
    let duration = duration(u64::try_from(elapsed.as_millis()).unwrap_or(0));
    let (urls, domains) =
        (counted(report.urls.into(), "URL"), counted(report.domains.len() as u64, "domain"));
    let checked = grouped(report.checked.into());
    let percent = 100.0 * f64::from(report.checked) / f64::from(report.urls.max(1));
    let verb = if outcome.last_survey_at.is_some() { "Rechecked" } else { "Surveyed" };
    format!("{verb} {urls} on {domains}: {checked} checked ({percent:.1} %), {duration}\n")
}

/// Formats the state of the domains:
/// `104 domains OK by sampling, 6 suspicious → full check, 8 broken`.
pub fn domain_counts(counts: DomainCounts) -> String {
    let accepted = counted(counts.accepted, "domain");
    let (suspicious, broken) = (grouped(counts.suspicious), grouped(counts.broken));
    format!("{accepted} OK by sampling, {suspicious} suspicious → full check, {broken} broken")
}

/// Formats the forecast: `To find 95 % of the broken URLs, about 21 % of all URLs must be …`.
pub fn forecast(forecast: &SurveyForecast) -> String {
    let SurveyForecast { recall, checks, urls } = forecast;
    let percent = |checks: u32| 100.0 * f64::from(checks) / f64::from((*urls).max(1));
    let (low, high) = (percent(checks.clustered), percent(checks.scattered));
    format!(
        "To find {recall} % of the broken URLs, about {low:.0} % of all URLs must be checked \
         if whole directories are broken, and {high:.0} % if many broken URLs are scattered."
    )
}

/// Formats the state of the domains and the estimated recall.
pub fn details(outcome: &SurveyOutcome, is_verbose: bool) -> String {
    let report = &outcome.report;
    let mut text = format!("  {}\n", domain_counts(report.domain_counts));
    text += &recall_line(report);
    if report.failing > 0 {
        text.extend([format!(
            "  {} of the broken URLs are failing and not yet confirmed\n",
            grouped(report.failing.into())
        )]);
    }
    if let Some(budget) = outcome.budget {
        text += &budget_line(outcome, budget);
    }
    text + &domain_list(report, is_verbose)
}

/// Formats the number of broken URLs and the estimated recall.
fn recall_line(report: &SurveyReport) -> String {
    let broken = counted(report.broken.into(), "broken URL");
    let Some(estimate) = report.estimate else {
        return format!("  {broken} among the checked ones\n");
    };
    if report.checked == report.urls {
        return format!("  {broken} (all URLs were checked)\n");
    }
    format!(
        "  {broken} found: an estimated {:.1} % of all (95 % interval {:.1} to {:.1} %)\n",
        estimate.recall(),
        estimate.low(),
        estimate.high()
    )
}

fn budget_line(outcome: &SurveyOutcome, budget: BudgetUse) -> String {
    let BudgetUse { allowed, already_used } = budget;
    let (allowed, used) = (grouped(allowed.into()), grouped(already_used.into()));
    let last_survey = match outcome.last_survey_at {
        Some(time) => format!("; full survey on {}", time.strftime("%Y-%m-%d")),
        None => String::new(),
    };
    format!("  budget: {allowed} URLs in seven days, {used} used before this run{last_survey}\n")
}

/// Lists the domains with the most broken URLs, or all domains.
fn domain_list(report: &SurveyReport, is_verbose: bool) -> String {
    let mut domains: Vec<&DomainReport> =
        report.domains.iter().filter(|domain| is_verbose || domain.broken > 0).collect();
    domains.sort_by_key(|domain| (std::cmp::Reverse(domain.broken), domain.name.clone()));
    let listed = if is_verbose { domains.len() } else { MAX_DOMAINS.min(domains.len()) };
    let mut text: String = domains[..listed].iter().map(|domain| domain_line(domain)).collect();
    if domains.len() > listed {
        let more = counted((domains.len() - listed) as u64, "more domain");
        text.extend([format!("  … and {more}: use `--verbose` to list them\n")]);
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

fn domain_line(domain: &DomainReport) -> String {
    let symbol = match domain.status {
        DomainStatus::Accepted => '✓',
        DomainStatus::Suspicious => '◌',
        DomainStatus::Broken => '✗',
        DomainStatus::Unchecked => '·',
    };
    format!(
        "  {symbol} {}  {} broken, {} of {} checked: {}\n",
        printable(&domain.name),
        grouped(domain.broken.into()),
        grouped(domain.checked.into()),
        grouped(domain.urls.into()),
        printable(&domain.reason)
    )
}

/// Formats the details of a domain.
pub fn explain_domain(domain: &DomainReport) -> String {
    let mut text = format!(
        "\n{}: {}\n  {} of {} checked, {} broken",
        printable(&domain.name),
        domain.status.as_str(),
        grouped(domain.checked.into()),
        counted(domain.urls.into(), "URL"),
        grouped(domain.broken.into())
    );
    if domain.failing > 0 {
        text.extend([format!(", {} of them failing", grouped(domain.failing.into()))]);
    }
    text.extend([format!("\n  reason: {}\n", printable(&domain.reason))]);
    for (name, urls, checked, broken) in domain.directories.iter().take(MAX_DIRECTORIES) {
        let name = printable(name);
        text.extend([format!("  {name}  {broken} broken, {checked} of {urls} checked\n")]);
    }
    let omitted = domain.directories.len().saturating_sub(MAX_DIRECTORIES);
    if omitted > 0 {
        text.extend([format!("  … and {omitted} more directories with broken URLs\n")]);
    }
    text
}

/// Formats the last line of a survey that did not finish.
pub fn footer(end: SurveyEnd, stats: &RunStats) -> Option<String> {
    Some(match end {
        SurveyEnd::Finished | SurveyEnd::UpToDate => return None,
        SurveyEnd::BudgetSpent => {
            "This week's budget is exhausted; run the same command next week to continue.\n"
                .to_owned()
        }
        SurveyEnd::NoNetwork => no_network().to_owned(),
        SurveyEnd::Interrupted => interrupted(stats.checked, stats.targets),
    })
}

/// Returns the JSON row of a survey.
pub fn row(outcome: &SurveyOutcome) -> SurveyRow<'_> {
    let report = &outcome.report;
    let DomainCounts { accepted, suspicious, broken, unchecked } = report.domain_counts;
    SurveyRow {
        plan: outcome.plan.as_str().into(),
        seed: outcome.seed,
        end: end_name(outcome.end).into(),
        urls: report.urls,
        checked: report.checked,
        broken: report.broken,
        failing: report.failing,
        recall: report.estimate.map(|estimate| RecallRow {
            estimate: estimate.recall(),
            low: estimate.low(),
            high: estimate.high(),
        }),
        forecast: report.forecast.map(|SurveyForecast { recall, checks, .. }| ForecastRow {
            recall,
            clustered: checks.clustered,
            scattered: checks.scattered,
        }),
        budget: outcome
            .budget
            .map(|BudgetUse { allowed, already_used: before }| BudgetRow { allowed, before }),
        domain_counts: DomainCountsRow { ok: accepted, suspicious, broken, unchecked },
        domains: report.domains.iter().map(domain_row).collect(),
    }
}

fn end_name(end: SurveyEnd) -> &'static str {
    match end {
        SurveyEnd::Finished => "finished",
        SurveyEnd::UpToDate => "up-to-date",
        SurveyEnd::BudgetSpent => "budget-spent",
        SurveyEnd::NoNetwork => "no-network",
        SurveyEnd::Interrupted => "interrupted",
    }
}

fn domain_row(domain: &DomainReport) -> DomainRow<'_> {
    DomainRow {
        name: redact(&domain.name),
        urls: domain.urls,
        checked: domain.checked,
        broken: domain.broken,
        failing: domain.failing,
        status: domain.status.as_str().into(),
        reason: redact_prose(&domain.reason),
    }
}
