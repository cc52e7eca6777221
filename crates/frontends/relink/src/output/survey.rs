//! What a survey's report says beside its findings.

use jiff::SignedDuration;
use relink_engine::{
    BudgetUse, DomainCounts, DomainReport, DomainStatus, SurveyEnd, SurveyOutcome, SurveyReport,
};
use relink_ports::RunStats;
use relink_report::human::{counted, duration, grouped, interrupted, no_network};
use relink_report::survey::{BudgetRow, DomainRow, RecallRow, StandingsRow, SurveyRow};
use relink_report::{printable, redact, redact_prose};

/// Domains with broken URLs that are named; `--verbose` names all.
const DOMAINS_SHOWN: usize = 20;
/// Directories that are named of a domain.
const DIRECTORIES_SHOWN: usize = 20;

/// `Surveyed 3,902 URLs on 118 domains: 612 asked (15.7 %), 6.1 s`.
pub fn headline(outcome: &SurveyOutcome, took: SignedDuration) -> String {
    let report = &outcome.report;
    let took = duration(u64::try_from(took.as_millis()).unwrap_or(0));
    let (urls, domains) =
        (counted(report.urls.into(), "URL"), counted(report.domains.len() as u64, "domain"));
    let asked = grouped(report.checked.into());
    let percent = 100.0 * f64::from(report.checked) / f64::from(report.urls.max(1));
    let verb = if outcome.surveyed.is_some() { "Rechecked" } else { "Surveyed" };
    format!("{verb} {urls} on {domains}: {asked} asked ({percent:.1} %), {took}\n")
}

/// `104 domains OK by sampling, 6 suspicious → full check, 8 broken`.
pub fn standings(standings: DomainCounts) -> String {
    let accepted = counted(standings.accepted, "domain");
    let (suspicious, broken) = (grouped(standings.suspicious), grouped(standings.broken));
    format!("{accepted} OK by sampling, {suspicious} suspicious → full check, {broken} broken")
}

/// What is made of the domains, and how much was probably found.
pub fn details(outcome: &SurveyOutcome, is_verbose: bool) -> String {
    let report = &outcome.report;
    let mut text = format!("  {}\n", standings(report.standings));
    text += &recall(report);
    if report.failing > 0 {
        text.extend([format!(
            "  {} of what counts as broken here is failing: bad now, to be confirmed\n",
            grouped(report.failing.into())
        )]);
    }
    if let Some(budget) = outcome.budget {
        text += &budget_line(outcome, budget);
    }
    text + &domains(report, is_verbose)
}

fn recall(report: &SurveyReport) -> String {
    let broken = counted(report.broken.into(), "broken URL");
    let Some(estimate) = report.estimate else {
        return format!("  {broken} among those asked\n");
    };
    if report.checked == report.urls {
        return format!("  {broken}: everything was asked, so that is all\n");
    }
    format!(
        "  {broken} found: {:.1} % of all there are, probably (95 % interval {:.1} to {:.1} %)\n",
        estimate.recall(),
        estimate.low(),
        estimate.high()
    )
}

fn budget_line(outcome: &SurveyOutcome, budget: BudgetUse) -> String {
    let BudgetUse { allowed, before } = budget;
    let (allowed, before) = (grouped(allowed.into()), grouped(before.into()));
    let since = outcome.surveyed.map_or(String::new(), |moment| {
        format!("; surveyed as a whole on {}", moment.strftime("%Y-%m-%d"))
    });
    format!("  budget: {allowed} URLs in seven days, {before} used before this run{since}\n")
}

/// The domains in which most is broken, or all of them.
fn domains(report: &SurveyReport, is_verbose: bool) -> String {
    let mut shown: Vec<&DomainReport> =
        report.domains.iter().filter(|domain| is_verbose || domain.broken > 0).collect();
    shown.sort_by(|one, other| other.broken.cmp(&one.broken).then(one.name.cmp(&other.name)));
    let count = if is_verbose { shown.len() } else { DOMAINS_SHOWN.min(shown.len()) };
    let mut text: String = shown[..count].iter().map(|domain| domain_line(domain)).collect();
    if shown.len() > count {
        let more = counted((shown.len() - count) as u64, "more domain");
        text.extend([format!("  … and {more}: `--verbose` tells of every domain\n")]);
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

fn domain_line(domain: &DomainReport) -> String {
    let sign = match domain.status {
        DomainStatus::Accepted => '✓',
        DomainStatus::Suspicious => '◌',
        DomainStatus::Broken => '✗',
        DomainStatus::Unseen => '·',
    };
    format!(
        "  {sign} {}  {} broken, {} of {} asked: {}\n",
        printable(&domain.name),
        grouped(domain.broken.into()),
        grouped(domain.checked.into()),
        grouped(domain.urls.into()),
        printable(&domain.reason)
    )
}

/// All there is to say of a domain.
pub fn explain_domain(domain: &DomainReport) -> String {
    let mut text = format!(
        "\n{}: {}\n  {} of {} asked, {} broken",
        printable(&domain.name),
        domain.status.as_str(),
        grouped(domain.checked.into()),
        counted(domain.urls.into(), "URL"),
        grouped(domain.broken.into())
    );
    if domain.failing > 0 {
        text.extend([format!(", {} of them failing", grouped(domain.failing.into()))]);
    }
    text.extend([format!("\n  why it stopped: {}\n", printable(&domain.reason))]);
    for (name, urls, checked, broken) in domain.directories.iter().take(DIRECTORIES_SHOWN) {
        let name = printable(name);
        text.extend([format!("  {name}  {broken} broken, {checked} of {urls} asked\n")]);
    }
    let more = domain.directories.len().saturating_sub(DIRECTORIES_SHOWN);
    if more > 0 {
        text.extend([format!("  … and {more} more directories with broken URLs\n")]);
    }
    text
}

/// The last sentence of a survey that did not come to its proper end.
pub fn closing(end: SurveyEnd, tally: &RunStats) -> Option<String> {
    Some(match end {
        SurveyEnd::Finished | SurveyEnd::UpToDate => return None,
        SurveyEnd::BudgetSpent => {
            "This week's budget is used up; the same command goes on next week.\n".to_owned()
        }
        SurveyEnd::NoNetwork => no_network().to_owned(),
        SurveyEnd::Interrupted => interrupted(tally.checked, tally.targets),
    })
}

/// The survey in JSON.
pub fn row(outcome: &SurveyOutcome) -> SurveyRow<'_> {
    let report = &outcome.report;
    let DomainCounts { accepted, suspicious, broken, unseen } = report.standings;
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
        budget: outcome.budget.map(|BudgetUse { allowed, before }| BudgetRow { allowed, before }),
        standings: StandingsRow { ok: accepted, suspicious, broken, unseen },
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
