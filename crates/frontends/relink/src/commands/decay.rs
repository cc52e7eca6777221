//! `relink decay`: measures the decay of a page or of all pages of a graph.
//!
//! Decay is the probability that a random walk over links, which stops at each page with
//! the probability sigma, ends on a dead page (Bar-Yossef et al. 2004).

mod list;
mod rows;

pub use self::list::measure_links;

use std::path::Path;
use std::sync::Arc;

use relink_decay::{FailureProbabilitiesError, Interval};
use relink_engine::{Observer, Progress};
use relink_measure::{
    EdgeListError, EdgeLists, MeasureEnd, MeasureOutcome, MeasurePorts, MeasureSettings, PageScore,
    Scores, WebGraph, crawl_graph, measure, share_with_lower_decay,
};
use relink_model::Verdict;
use relink_ports::{CheckedTarget, RunSummary, Store};
use relink_report::decay::{self, DecayReport};
use relink_report::human::TextStyle;
use url::Url;

use super::signals::stop_on_signal;
use super::text_style;
use crate::cli::{CrawlSelector, DecayArgs, DecayFormat, GlobalArgs};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{ProgressDisplay, print, write_file};
use crate::settings::{DecayPlan, DecaySubject};
use crate::wiring;

/// Maximum number of recent crawls among which a crawl of the measured site is searched.
const MAX_CRAWLS: usize = 20;

/// Runs `relink decay`.
pub async fn run(args: DecayArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let plan = DecayPlan::resolve(args)?;
    plan.run.warn_project_config();
    let outputs = outputs(&plan)?;
    let (report, exit) = match &plan.subject {
        DecaySubject::Live(settings) => measure_page(&plan, settings, &global).await?,
        DecaySubject::List(inputs, settings) => {
            let (list, exit) = list::measure_inputs(&plan, inputs, settings, &global).await?;
            let report = DecayReport::of_list(env!("CARGO_PKG_VERSION"), list);
            (report.judged_by(plan.run.judging.policy.as_str()), exit)
        }
        DecaySubject::Crawl(choice, url) => {
            let store = wiring::store_for_reading(&plan.run.db).await?;
            let run = find_crawl(&*store, *choice).await?;
            let mut graph = crawl_graph(&*store, run.id, plan.failure_model).await?;
            graph.mark_failures(&plan.failure_list);
            let graph_name = format!("crawl {} of {}", run.id, run.inputs.join(" "));
            score_graph(&plan, &graph, graph_name, url.as_ref().map(Url::as_str))?
        }
        DecaySubject::Graph(path, page_name) => {
            let links = read_edge_list(path)?;
            let lists = EdgeLists { links: &links, dead: &plan.dead_names };
            let mut graph =
                lists.graph(plan.failure_model).map_err(|error| invalid_graph(path, &error))?;
            graph.mark_failures(&plan.failure_list);
            score_graph(&plan, &graph, path.display().to_string(), page_name.as_deref())?
        }
    };
    for (path, kind) in outputs {
        write(path, &render(kind, &report, TextStyle::Plain, plan.top)?)?;
    }
    let kind = match plan.format {
        DecayFormat::Human => OutputKind::Text,
        DecayFormat::Json => OutputKind::Json,
    };
    print(&render(kind, &report, text_style(&global), plan.top)?)?;
    Ok(exit)
}

/// Measures a page on the web.
async fn measure_page(
    plan: &DecayPlan,
    settings: &MeasureSettings,
    global: &GlobalArgs,
) -> Result<(DecayReport, Exit), CommandError> {
    let fetcher = wiring::fetcher(plan.run.fetch.clone())?;
    let clock = RunClock::start()?;
    let store = politeness_store(plan).await;
    let mut progress = MeasureProgress(ProgressDisplay::new(global));
    let stop = stop_on_signal();
    let ports = MeasurePorts { fetch: &*fetcher, clock: &clock, store: store.as_deref() };
    let measured = measure(ports, settings, &mut progress, &stop).await;
    progress.0.clear();
    if let MeasureEnd::NotRequested(reason) = &measured.end {
        return Err(CommandError::inconclusive(
            "the page was not requested, so nothing was measured",
        )
        .cause(reason.clone())
        .hint("measure a page that robots.txt allows, or try again later"));
    }
    if let MeasureEnd::NoNetwork(outcome) = &measured.end {
        return Err(CommandError::inconclusive("no host responded, so nothing was measured")
            .cause(format!("{}: {outcome}", settings.url))
            .hint("check your network connection and the URL"));
    }
    let share_with_lower_decay = match &store {
        Some(store) => share_of_site_with_lower_decay(plan, settings, &measured, &**store).await,
        None => None,
    };
    let exit = exit_code(plan, &measured);
    let page = rows::measured_page(settings.url.as_str(), &measured, share_with_lower_decay);
    let report = DecayReport::new(env!("CARGO_PKG_VERSION"), Some(page), None);
    Ok((report.judged_by(plan.run.judging.policy.as_str()), exit))
}

/// Returns the exit code of a measurement of one page.
fn exit_code(plan: &DecayPlan, measured: &MeasureOutcome) -> Exit {
    let is_above_limit = plan.fail_above.is_some_and(|limit| measured.details.decay.get() > limit);
    let is_dead =
        measured.verdict.is_some_and(|verdict| Verdict::DEFAULT_FAIL_ON.contains(&verdict));
    match measured.end {
        MeasureEnd::Interrupted => Exit::Interrupted,
        _ if is_above_limit || is_dead => Exit::Findings,
        _ => Exit::Clean,
    }
}

/// Opens the database, which stores when each host may be requested again. If the database
/// cannot be opened, prints a warning and returns `None`.
async fn politeness_store(plan: &DecayPlan) -> Option<Arc<dyn Store>> {
    wiring::store(&plan.run.db).await.inspect_err(CommandError::warn).ok()
}

/// Returns the share of pages with a lower decay than the measured page, in the latest
/// crawl of its site. Returns `None` without such a crawl.
async fn share_of_site_with_lower_decay(
    plan: &DecayPlan,
    settings: &MeasureSettings,
    measured: &MeasureOutcome,
    store: &dyn Store,
) -> Option<f64> {
    let runs = store.runs(Some("crawl"), MAX_CRAWLS).await.ok()?;
    let is_on_site =
        |url: &String| Url::parse(url).is_ok_and(|url| is_same_site(&url, &settings.url));
    let is_crawl_of_site = |run: &RunSummary| run.is_finished && run.inputs.iter().any(is_on_site);
    let crawl = runs.into_iter().find(is_crawl_of_site)?;
    let graph = crawl_graph(store, crawl.id, plan.failure_model).await.ok()?;
    let scores = graph.score(settings.definition, &[settings.sigma]).ok()?;
    let pages = graph.ranked(scores.first()?);
    (!pages.is_empty()).then(|| share_with_lower_decay(measured.details.decay, &pages))
}

/// Whether two URLs have the same host and port.
fn is_same_site(left: &Url, right: &Url) -> bool {
    left.host() == right.host() && left.port_or_known_default() == right.port_or_known_default()
}

/// Returns the selected crawl.
pub(super) async fn find_crawl(
    store: &dyn Store,
    choice: CrawlSelector,
) -> Result<RunSummary, CommandError> {
    let runs = store.runs(Some("crawl"), usize::MAX).await?;
    let is_selected = |run: &RunSummary| match choice {
        CrawlSelector::Latest => run.is_finished,
        CrawlSelector::Run(id) => run.id == id,
    };
    runs.into_iter().find(is_selected).ok_or_else(|| {
        CommandError::usage("crawl not found")
            .cause(match choice {
                CrawlSelector::Latest => "the database has no finished crawl".to_owned(),
                CrawlSelector::Run(id) => format!("no crawl has the id {id}"),
            })
            .hint("run `relink crawl status` to list all crawls")
    })
}

/// Computes the scores of all pages of a graph. If `page_name` is given, adds the details of
/// this page. `graph_name` is printed in the report.
fn score_graph(
    plan: &DecayPlan,
    graph: &WebGraph,
    graph_name: String,
    page_name: Option<&str>,
) -> Result<(DecayReport, Exit), CommandError> {
    let scores_by_sigma = graph.score(plan.definition, &plan.sigmas).map_err(
        |error: FailureProbabilitiesError| {
            CommandError::internal("cannot compute the scores").cause(error.to_string())
        },
    )?;
    // For each sigma, the pages by decreasing decay.
    let ranked: Vec<Vec<PageScore>> =
        scores_by_sigma.iter().map(|scores| graph.ranked(scores)).collect();
    let page = match page_name {
        Some(name) => Some(page_details(graph, name, &scores_by_sigma, &ranked)?),
        None => None,
    };
    let worst_decay = match (&page, ranked.first().and_then(|pages| pages.first())) {
        (Some(page), _) => page.decay,
        (None, Some(worst)) => worst.decay.get(),
        (None, None) => 0.0,
    };
    let is_above_limit = plan.fail_above.is_some_and(|limit| worst_decay > limit);
    let web = rows::web(graph, graph_name, plan, &scores_by_sigma, &ranked);
    let report = DecayReport::new(env!("CARGO_PKG_VERSION"), page, Some(web));
    Ok((report, if is_above_limit { Exit::Findings } else { Exit::Clean }))
}

/// Returns the details of one page, with the scores of the first sigma.
fn page_details(
    graph: &WebGraph,
    name: &str,
    scores_by_sigma: &[Scores],
    ranked: &[Vec<PageScore>],
) -> Result<decay::PageDecay, CommandError> {
    let unknown_page = || {
        CommandError::usage(format!("page not found: `{name}`"))
            .cause("the graph has no link from or to this page")
            .hint("remove it to print all pages")
    };
    let page = graph.page(name).ok_or_else(unknown_page)?;
    let (scores, pages) = scores_by_sigma.first().zip(ranked.first()).ok_or_else(unknown_page)?;
    let details = graph.page_details(page, scores);
    let share = share_with_lower_decay(details.decay, pages);
    Ok(rows::known_page(name, &details, share))
}

fn read_edge_list(path: &Path) -> Result<String, CommandError> {
    relink_files::read_to_string(path).map_err(|error| {
        CommandError::usage(format!("cannot read `{}`", path.display()))
            .cause(error.to_string())
            .hint("use a text file: CSV, or two names per line")
    })
}

fn invalid_graph(path: &Path, error: &EdgeListError) -> CommandError {
    CommandError::usage(format!("invalid link graph: `{}`", path.display()))
        .cause(error.to_string())
        .hint("use CSV with the columns `from,to`, or two names per line")
}

/// The format of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputKind {
    Text,
    Json,
    Svg,
}

/// Returns the output files with their formats. Called before the first request, so that
/// an unsupported format fails at once.
fn outputs(plan: &DecayPlan) -> Result<Vec<(&Path, OutputKind)>, CommandError> {
    let has_graph = matches!(plan.subject, DecaySubject::Crawl(..) | DecaySubject::Graph(..));
    let paths = plan.outputs.iter();
    paths.map(|path| Ok((path.as_path(), output_kind(path, has_graph)?))).collect()
}

/// Returns the format of an output file, by the extension of its name.
fn output_kind(path: &Path, has_graph: bool) -> Result<OutputKind, CommandError> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Ok(OutputKind::Json),
        Some("txt") => Ok(OutputKind::Text),
        Some("svg") if has_graph => Ok(OutputKind::Svg),
        Some("svg") => Err(CommandError::usage("cannot draw a chart of a single page")
            .cause("a chart shows the distribution of the scores of many pages")
            .hint("use a stored crawl with `--crawl latest`")),
        _ => {
            Err(CommandError::usage(format!("unsupported output extension: `{}`", path.display()))
                .hint("use `.json`, `.svg` or `.txt`"))
        }
    }
}

/// Formats a report. `top` is the maximum number of listed pages.
fn render(
    kind: OutputKind,
    report: &DecayReport,
    style: TextStyle,
    top: usize,
) -> Result<String, CommandError> {
    Ok(match kind {
        OutputKind::Json => {
            let json = serde_json::to_string_pretty(report).map_err(|error| {
                CommandError::internal("cannot write the report").cause(error.to_string())
            })?;
            json + "\n"
        }
        OutputKind::Svg => report.web.as_ref().map_or_else(String::new, decay::svg),
        OutputKind::Text => {
            if let Some(list) = &report.list {
                policy_line(report) + &decay::list(style, list, top)
            } else if let Some(page) = &report.page {
                policy_line(report) + &decay::page(style, page)
            } else if let Some(web) = &report.web {
                decay::web(style, web)
            } else {
                String::new()
            }
        }
    })
}

/// Returns a line with the rules for verdicts (`--policy`), unless they are Relink's own.
fn policy_line(report: &DecayReport) -> String {
    match report.policy.as_deref() {
        None | Some("relink") => String::new(),
        Some(policy) => format!("judged by the policy `{policy}`\n"),
    }
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    write_file(path, text).map_err(|error| {
        CommandError::usage(format!("cannot write `{}`", path.display())).cause(error.to_string())
    })
}

/// Shows the progress of a measurement.
struct MeasureProgress(ProgressDisplay);

impl Observer for MeasureProgress {
    fn on_result(&mut self, _: &CheckedTarget) -> std::io::Result<()> {
        Ok(())
    }

    fn on_progress(&mut self, progress: &Progress) {
        self.0.show(progress);
    }
}

/// Converts an interval to its JSON row.
fn interval_row(interval: Interval) -> decay::IntervalRow {
    decay::IntervalRow { low: interval.low.get(), high: interval.high.get() }
}
