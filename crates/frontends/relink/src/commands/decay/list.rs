//! `relink decay INPUT…`: measures the pages that URLs, documents and collections link to.
//!
//! The decay of a page is the probability that a random walk over links from this page
//! ends on a dead page. A collection is a stored set of pages (`relink watch`).

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use relink_documents::{ExtractSettings, extract};
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_measure::{
    DecayDay, ListOutcome, MeasurePorts, MeasureSettings, MeasuredPage, decay_over_time,
    measure_list,
};
use relink_ports::Clock as _;
use relink_report::decay::{DecayDayRow, IntervalRow, ListDecay, ListedPage};
use relink_report::extract::LinkFormat;
use relink_requests::{Ports, StopSignal};
use relink_watch::collection_urls;
use serde::Deserialize;
use url::Url;

use super::MeasureProgress;
use crate::cli::GlobalArgs;
use crate::clock::RunClock;
use crate::commands::signals::stop_on_signal;
use crate::error::{CommandError, Exit};
use crate::output::ProgressDisplay;
use crate::settings::DecayPlan;
use crate::wiring;

/// Number of dead ends that are listed for each page. A dead end is a dead page on which
/// walks end; the dead ends of most walks come first.
const SHOWN_DEAD_ENDS: usize = 3;

/// A link of a document, as `relink extract` writes it.
#[derive(Deserialize)]
struct ExtractedLink {
    target: String,
}

/// Measures the pages of the inputs.
pub(super) async fn measure_inputs(
    plan: &DecayPlan,
    inputs: &[String],
    settings: &MeasureSettings,
    global: &GlobalArgs,
) -> Result<(ListDecay, Exit), CommandError> {
    let clock = RunClock::start()?;
    let urls = input_urls(&plan.run.db, inputs, &clock).await?;
    let store = wiring::store(&plan.run.db).await?;
    let fetcher = wiring::fetcher(plan.run.fetch.clone())?;
    let mut progress = MeasureProgress(ProgressDisplay::new(global));
    let stop = stop_on_signal();
    let ports = MeasurePorts { fetch: &*fetcher, clock: &clock, store: Some(&*store) };
    let list = measure_list(ports, settings, &urls, &mut progress, &stop).await?;
    progress.0.clear();
    let names: Vec<String> = urls.iter().map(Url::to_string).collect();
    let history = decay_over_time(&*store, &names).await?;
    let report = report(inputs, &list, &history);
    let mut decays = list.pages.iter().map(|page| page.outcome.details.decay.get());
    let is_above_limit = plan.fail_above.is_some_and(|limit| decays.any(|decay| decay > limit));
    let exit = if list.is_interrupted {
        Exit::Interrupted
    } else if is_above_limit {
        Exit::Findings
    } else {
        Exit::Clean
    };
    Ok((report, exit))
}

/// Measures the pages that documents link to, and stores their scores.
pub async fn measure_links(
    ports: &Ports,
    db: &Path,
    inputs: &[OsString],
    settings: &MeasureSettings,
    global: &GlobalArgs,
    stop: &StopSignal,
) -> Result<(), CommandError> {
    let inputs: Vec<String> =
        inputs.iter().map(|input| input.to_string_lossy().into_owned()).collect();
    let urls = input_urls(db, &inputs, &RunClock::start()?).await?;
    let mut progress = MeasureProgress(ProgressDisplay::new(global));
    let ports =
        MeasurePorts { fetch: &*ports.fetch, clock: &*ports.clock, store: Some(&*ports.store) };
    measure_list(ports, settings, &urls, &mut progress, stop).await?;
    progress.0.clear();
    Ok(())
}

/// Returns the web pages of the inputs without duplicates: a URL itself, the links of a
/// file or directory, and the members of a collection.
async fn input_urls(
    db: &Path,
    inputs: &[String],
    clock: &RunClock,
) -> Result<Vec<Url>, CommandError> {
    let mut raw_urls = Vec::new();
    for input in inputs {
        if input.contains("://") {
            raw_urls.push(input.clone());
        } else if PathBuf::from(input).exists() || input == "-" {
            raw_urls.extend(document_links(input, clock).await?);
        } else {
            let members = collection_urls(&*wiring::collections(db).await?, input).await;
            raw_urls.extend(members.map_err(|error| {
                CommandError::from(error).hint("use a URL, a file, a directory or a collection")
            })?);
        }
    }
    let mut seen = HashSet::new();
    let mut urls = Vec::new();
    for raw_url in &raw_urls {
        let Ok(canonical) = relink_frontier::canonicalize(None, raw_url) else { continue };
        let Ok(url) = Url::parse(canonical.as_str()) else { continue };
        if matches!(url.scheme(), "http" | "https") && seen.insert(url.clone()) {
            urls.push(url);
        }
    }
    if urls.is_empty() {
        return Err(CommandError::usage("no links to web pages in the input")
            .hint("use a URL, a file with links, a directory or a collection"));
    }
    Ok(urls)
}

/// Returns the URLs that `relink extract` would print for a file, a directory or `-`.
async fn document_links(input: &str, clock: &RunClock) -> Result<Vec<String>, CommandError> {
    let settings = ExtractSettings {
        paths: vec![PathBuf::from(input)],
        format: None,
        column: None,
        link_format: LinkFormat::JsonLine,
        today: clock.now().to_zoned(TimeZone::UTC).date(),
    };
    let disk = LocalFiles::new(LocalFilesSettings::default());
    let mut json_lines = Vec::new();
    let mut collect = |part: &[u8]| {
        json_lines.extend_from_slice(part);
        Ok(())
    };
    let extracted = extract(&disk, &settings, None, &mut collect).await;
    let summary = extracted.map_err(|error| {
        CommandError::internal("cannot read the links").cause(error.to_string())
    })?;
    if let Some(problem) = summary.first_problems.first().filter(|_| summary.documents == 0) {
        return Err(CommandError::usage(format!("cannot read `{input}`"))
            .cause(problem.text.clone())
            .hint("use a URL, a file with links, a directory or a collection"));
    }
    let text = String::from_utf8_lossy(&json_lines);
    let links = text.lines().filter_map(|line| serde_json::from_str::<ExtractedLink>(line).ok());
    Ok(links.map(|link| link.target).collect())
}

fn report(inputs: &[String], list: &ListOutcome, history: &[DecayDay]) -> ListDecay {
    let pages: Vec<ListedPage> = list.pages.iter().map(listed_page).collect();
    let day_row = |day: &DecayDay| DecayDayRow {
        at: day.at,
        pages: day.pages,
        mean_decay: day.mean_decay,
        mean_dead_share: day.mean_dead_share,
    };
    ListDecay::new(
        inputs.join(" "),
        pages,
        history.iter().map(day_row).collect(),
        (list.cost.pages, list.cost.requests),
    )
}

fn listed_page(page: &MeasuredPage) -> ListedPage {
    let details = &page.outcome.details;
    let dead_ends = details.dead_ends.iter().take(SHOWN_DEAD_ENDS);
    ListedPage {
        url: page.url.to_string(),
        verdict: page.outcome.verdict,
        decay: details.decay.get(),
        interval: IntervalRow {
            low: details.interval.low.get(),
            high: details.interval.high.get(),
        },
        dead_share: page.outcome.dead_share(),
        is_at_risk: page.outcome.is_alive() && details.decay.get() >= relink_engine::AT_RISK_DECAY,
        dead_ends: dead_ends.map(|end| end.page.clone()).collect(),
    }
}
