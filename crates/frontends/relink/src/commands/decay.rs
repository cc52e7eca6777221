//! `relink decay`: how rotten is the neighborhood of a page?

mod rows;

use std::path::Path;
use std::sync::Arc;

use relink_decay::{FailuresError, Interval};
use relink_engine::{
    EdgeListError, EdgeLists, MeasureEnd, MeasureOutcome, MeasurePorts, MeasureSettings, Observer,
    PageScore, Progress, Scores, WebGraph, crawled_web, measure, worse_than,
};
use relink_model::Verdict;
use relink_ports::{CheckedTarget, RunSummary, Store};
use relink_report::decay::{self, DecayReport};
use relink_report::human::TextStyle;
use url::Url;

use super::paint;
use super::signals::stop_on_signal;
use crate::cli::{CrawlChoice, DecayArgs, DecayFormat, GlobalArgs};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{ProgressDisplay, print, write_file};
use crate::settings::{DecayPlan, DecaySubject};
use crate::wiring;

/// Crawls that are looked through for one of the same site.
const CRAWLS: usize = 20;

/// Measures.
pub async fn run(args: DecayArgs, face: GlobalArgs) -> Result<Exit, CommandError> {
    let plan = DecayPlan::resolve(args)?;
    plan.run.note_project();
    let outputs = outputs(&plan)?;
    let (report, exit) = match &plan.subject {
        DecaySubject::Live(settings) => live(&plan, settings, &face).await?,
        DecaySubject::Crawl(choice, url) => {
            let store = wiring::store_for_reading(&plan.run.db).await?;
            let run = chosen(&*store, *choice).await?;
            let web = crawled_web(&*store, run.id, plan.fails).await?;
            let source = format!("crawl {} of {}", run.id, run.inputs.join(" "));
            known(&plan, &web, source, url.as_ref().map(Url::as_str))?
        }
        DecaySubject::Graph(graph, dead, name) => {
            let links = read(graph)?;
            let dead = dead.as_deref().map(read).transpose()?.unwrap_or_default();
            let lists = EdgeLists { links: &links, dead: &dead };
            let web = lists.web(plan.fails).map_err(|error| no_graph(graph, &error))?;
            known(&plan, &web, graph.display().to_string(), name.as_deref())?
        }
    };
    for (path, kind) in outputs {
        write(path, &rendered(kind, &report, TextStyle::Plain)?)?;
    }
    let kind = match plan.format {
        DecayFormat::Human => Kind::Text,
        DecayFormat::Json => Kind::Json,
    };
    print(&rendered(kind, &report, paint(&face))?)?;
    Ok(exit)
}

/// Measures a page of the living web.
async fn live(
    plan: &DecayPlan,
    settings: &MeasureSettings,
    face: &GlobalArgs,
) -> Result<(DecayReport, Exit), CommandError> {
    let fetcher = wiring::fetcher(plan.run.fetch.clone())?;
    let clock = RunClock::start()?;
    let store = pace_store(plan).await;
    let mut watcher = Watcher(ProgressDisplay::new(face));
    let stop = stop_on_signal();
    let ports = MeasurePorts { fetch: &*fetcher, clock: &clock, store: store.as_deref() };
    let measured = measure(ports, settings, &mut watcher, &stop).await;
    watcher.0.clear();
    if let MeasureEnd::NotRequested(reason) = &measured.end {
        return Err(CommandError::undecided("the page was not requested, so nothing was measured")
            .cause(reason.clone())
            .hint("measure a page that its host lets programs read, or try again later"));
    }
    if let MeasureEnd::NoNetwork(ending) = &measured.end {
        return Err(CommandError::undecided("no host answered, so nothing was measured")
            .cause(format!("{}: {ending}", settings.url))
            .hint("is this machine online, and the address right?"));
    }
    let rank = match &store {
        Some(store) => rank(plan, settings, &measured, &**store).await,
        None => None,
    };
    let exit = exit_of(plan, &measured);
    let page = rows::measured(settings.url.as_str(), &measured, rank);
    Ok((DecayReport::new(env!("CARGO_PKG_VERSION"), Some(page), None), exit))
}

fn exit_of(plan: &DecayPlan, measured: &MeasureOutcome) -> Exit {
    let is_above = plan.fail_above.is_some_and(|line| measured.account.decay.get() > line);
    let is_dead = measured.verdict.is_some_and(|word| Verdict::DEFAULT_FAIL_ON.contains(&word));
    match measured.end {
        MeasureEnd::Interrupted => Exit::Interrupted,
        _ if is_above || is_dead => Exit::Findings,
        _ => Exit::Clean,
    }
}

/// The database, which keeps when hosts may be requested again. One that
/// cannot be opened is reported, and the page is measured without it.
async fn pace_store(plan: &DecayPlan) -> Option<Arc<dyn Store>> {
    wiring::store(&plan.run.db).await.inspect_err(CommandError::remark).ok()
}

/// The share of the pages of the newest crawl of the same site that are less
/// rotten, if there is one.
async fn rank(
    plan: &DecayPlan,
    settings: &MeasureSettings,
    measured: &MeasureOutcome,
    store: &dyn Store,
) -> Option<f64> {
    let runs = store.runs(Some("crawl"), CRAWLS).await.ok()?;
    let is_here = |url: &String| Url::parse(url).is_ok_and(|url| is_same_site(&url, &settings.url));
    let run = runs.into_iter().find(|run| run.is_finished && run.inputs.iter().any(is_here))?;
    let web = crawled_web(store, run.id, plan.fails).await.ok()?;
    let scores = web.score(settings.form, &[settings.sigma]).ok()?;
    let pages = web.ranked(scores.first()?);
    (!pages.is_empty()).then(|| worse_than(measured.account.decay, &pages))
}

fn is_same_site(one: &Url, other: &Url) -> bool {
    one.host() == other.host() && one.port_or_known_default() == other.port_or_known_default()
}

/// The crawl that is meant.
async fn chosen(store: &dyn Store, choice: CrawlChoice) -> Result<RunSummary, CommandError> {
    let runs = store.runs(Some("crawl"), usize::MAX).await?;
    let is_meant = |run: &RunSummary| match choice {
        CrawlChoice::Latest => run.is_finished,
        CrawlChoice::Run(id) => run.id == id,
    };
    runs.into_iter().find(is_meant).ok_or_else(|| {
        CommandError::usage("there is no such crawl")
            .cause(match choice {
                CrawlChoice::Latest => "no crawl of this database has come to its end".to_owned(),
                CrawlChoice::Run(id) => format!("no crawl has the number {id}"),
            })
            .hint("`relink crawl status` lists the crawls there are")
    })
}

/// Scores a graph that is known, and tells of one of its pages if one is
/// named.
fn known(
    plan: &DecayPlan,
    web: &WebGraph,
    source: String,
    name: Option<&str>,
) -> Result<(DecayReport, Exit), CommandError> {
    let all = web.score(plan.form, &plan.sigmas).map_err(|error: FailuresError| {
        CommandError::internal("the pages cannot be scored").cause(error.to_string())
    })?;
    let ranked: Vec<Vec<PageScore>> = all.iter().map(|scores| web.ranked(scores)).collect();
    let page = name.map(|name| known_page(web, name, &all, &ranked)).transpose()?;
    let worst = match (&page, ranked.first().and_then(|pages| pages.first())) {
        (Some(page), _) => page.decay,
        (None, Some(worst)) => worst.decay.get(),
        (None, None) => 0.0,
    };
    let is_above = plan.fail_above.is_some_and(|line| worst > line);
    let web = rows::web(web, source, plan, &all, &ranked);
    let report = DecayReport::new(env!("CARGO_PKG_VERSION"), page, Some(web));
    Ok((report, if is_above { Exit::Findings } else { Exit::Clean }))
}

fn known_page(
    web: &WebGraph,
    name: &str,
    all: &[Scores],
    ranked: &[Vec<PageScore>],
) -> Result<decay::PageDecay, CommandError> {
    let unknown = || {
        CommandError::usage(format!("`{name}` is not among the pages"))
            .cause("no link of this graph leads there or starts there")
            .hint("leave it out to see every page")
    };
    let page = web.page(name).ok_or_else(unknown)?;
    let (scores, pages) = all.first().zip(ranked.first()).ok_or_else(unknown)?;
    let account = web.account(page, scores);
    let share = worse_than(account.decay, pages);
    Ok(rows::known(name, &account, share))
}

fn read(path: &Path) -> Result<String, CommandError> {
    relink_files::read_to_string(path).map_err(|error| {
        CommandError::usage(format!("cannot read `{}`", path.display()))
            .cause(error.to_string())
            .hint("a list of links is a text file: CSV, or two names a line")
    })
}

fn no_graph(path: &Path, error: &EdgeListError) -> CommandError {
    CommandError::usage(format!("`{}` is no list of links", path.display()))
        .cause(error.to_string())
        .hint("write `from,to` and then one link a line, or two names a line")
}

/// What a file gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Json,
    Svg,
}

/// The files to write, each known to be of a kind there is before anything is
/// asked.
fn outputs(plan: &DecayPlan) -> Result<Vec<(&Path, Kind)>, CommandError> {
    let is_live = matches!(plan.subject, DecaySubject::Live(_));
    let kind = |path: &'_ std::path::PathBuf| match path
        .extension()
        .and_then(|extension| extension.to_str())
    {
        Some("json") => Ok(Kind::Json),
        Some("txt") => Ok(Kind::Text),
        Some("svg") if !is_live => Ok(Kind::Svg),
        Some("svg") => Err(CommandError::usage("a single page has no chart")
            .cause("a chart shows how the scores of many pages spread")
            .hint("score a stored crawl with `--crawl latest`")),
        _ => Err(CommandError::usage(format!("nothing has the extension of `{}`", path.display()))
            .hint("end the name in `.json`, `.svg` or `.txt`")),
    };
    let paths = plan.outputs.iter();
    paths.map(|path| Ok((path.as_path(), kind(path)?))).collect()
}

fn rendered(kind: Kind, report: &DecayReport, paint: TextStyle) -> Result<String, CommandError> {
    let page = report.page.as_ref();
    Ok(match kind {
        Kind::Json => {
            let json = serde_json::to_string_pretty(report).map_err(|error| {
                CommandError::internal("cannot write the report").cause(error.to_string())
            })?;
            json + "\n"
        }
        Kind::Svg => report.web.as_ref().map_or_else(String::new, decay::svg),
        Kind::Text => match (page, &report.web) {
            (Some(page), _) => decay::page(paint, page),
            (None, Some(web)) => decay::web(paint, web),
            (None, None) => String::new(),
        },
    })
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    write_file(path, text).map_err(|error| {
        CommandError::usage(format!("cannot write `{}`", path.display())).cause(error.to_string())
    })
}

/// Shows how far it has come.
struct Watcher(ProgressDisplay);

impl Observer for Watcher {
    fn settled(&mut self, _: &CheckedTarget) -> std::io::Result<()> {
        Ok(())
    }

    fn progress(&mut self, progress: &Progress) {
        self.0.show(progress);
    }
}

/// An interval as reports have it.
fn between(interval: Interval) -> decay::IntervalRow {
    decay::IntervalRow { low: interval.low.get(), high: interval.high.get() }
}
