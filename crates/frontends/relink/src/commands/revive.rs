//! `relink revive`: searches for the new URLs of dead pages, in web archives and with search
//! engines.

pub mod engines;
mod summary;

use std::io::{self, Write as _};
use std::sync::Arc;

use relink_lookup::{LocalArchive, WebArchive, WebArchiveSettings};
use relink_model::{RequestRights, Verdict};
use relink_ports::{Archive, BudgetStore, Clock as _};
use relink_repair::{DeadPage, Revival, ReviveObserver, revive};
use relink_report::human::{self, TextStyle};
use relink_requests::{EngineError, Ports};
use url::Url;

use super::signals::stop_on_signal;
use super::text_style;
use crate::cli::{GlobalArgs, ReviveArgs, ReviveFormat};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{RevivalText, Steps, cannot_encode, print};
use crate::settings::{ArchiveChoice, RevivePlan, ReviveSetup};
use crate::wiring;

/// Number of dead pages read from the store at a time.
const BATCH_SIZE: usize = 1024;

/// Runs `relink revive`.
pub async fn run(args: ReviveArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let plan = RevivePlan::resolve(args, clock.now())?;
    let run = &plan.run;
    run.warn_project_config();
    let mut ports = wiring::ports(run.fetch.clone(), &run.db, Arc::new(clock)).await?;
    if plan.is_summary {
        return summary::print_summary(&ports, plan.format).await;
    }
    ports.archives = archives(&plan.setup, &ports)?;
    ports.search_engines = engines::open(&plan.setup, &plan.run.db, &ports).await?;
    let pages = dead_pages(&plan, &ports).await?;
    if pages.is_empty() && plan.format == ReviveFormat::Human {
        return print("The database has no dead pages. Run `relink check` first.\n")
            .map(|()| Exit::Clean);
    }
    let stop = stop_on_signal();
    let mut printer = RevivalPrinter::new(plan.format, &global);
    match revive(&ports, &plan.setup.revive, pages, &mut printer, &stop).await {
        // The reader of the output, such as `head`, closed the pipe.
        Err(EngineError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        result => result?,
    }
    printer.finish()?;
    Ok(if stop.is_stopped() { Exit::Interrupted } else { Exit::Clean })
}

/// Returns the archives to query: local WARC files first, then archives on the web.
pub fn archives(setup: &ReviveSetup, ports: &Ports) -> Result<Vec<Arc<dyn Archive>>, CommandError> {
    let mut archives: Vec<Arc<dyn Archive>> = Vec::new();
    if !setup.warcs.is_empty() {
        let local = LocalArchive::open(&setup.warcs).map_err(|error| {
            CommandError::usage(error.to_string())
                .with_sources(&error)
                .hint("use WARC or CDXJ files with `--warc`")
        })?;
        archives.push(Arc::new(local));
    }
    for choice in &setup.archives {
        let (settings, location) = match choice {
            ArchiveChoice::InternetArchive(root) => {
                (WebArchiveSettings::internet_archive(root), root)
            }
            ArchiveChoice::Pywb(collection) => (WebArchiveSettings::pywb(collection), collection),
        };
        let limits = wiring::service_limits(settings.limits, location, setup.archive_budget);
        let settings = WebArchiveSettings { limits, ..settings };
        let (fetch, clock) = (Arc::clone(&ports.fetch), Arc::clone(&ports.clock));
        let budget_store: Arc<dyn BudgetStore> = Arc::clone(&ports.store) as _;
        archives.push(Arc::new(
            WebArchive::new(settings, fetch, clock).with_budget_store(budget_store),
        ));
    }
    Ok(archives)
}

/// Returns the dead pages with their stored data: the given URLs, or all dead pages of the
/// database.
async fn dead_pages(plan: &RevivePlan, ports: &Ports) -> Result<Vec<DeadPage>, CommandError> {
    let mut pages = Vec::new();
    if let Some(urls) = &plan.urls {
        for url in urls {
            let stored = ports.store.dead_target(url.as_str()).await?;
            let rights = RequestRights::user_supplied();
            pages.push(DeadPage { url: url.clone(), stored, rights });
        }
        return Ok(pages);
    }
    let mut after = String::new();
    loop {
        let batch = ports.store.dead_targets(&Verdict::GONE, &after, BATCH_SIZE).await?;
        let Some(last) = batch.last() else { return Ok(pages) };
        after.clone_from(&last.url);
        pages.extend(batch.into_iter().filter_map(|stored| {
            let url = Url::parse(&stored.url).ok()?;
            Some(DeadPage { url, rights: stored.rights, stored: Some(stored) })
        }));
    }
}

/// Prints the search result of each page.
struct RevivalPrinter {
    format: ReviveFormat,
    style: TextStyle,
    steps: Steps,
    /// The rows of a JSON document, which is printed at the end.
    rows: Vec<serde_json::Value>,
}

impl RevivalPrinter {
    fn new(format: ReviveFormat, global: &GlobalArgs) -> Self {
        Self { format, style: text_style(global), steps: Steps::new(global), rows: Vec::new() }
    }

    fn finish(self) -> Result<(), CommandError> {
        self.steps.clear();
        if self.format == ReviveFormat::Json {
            let text = serde_json::to_string_pretty(&self.rows).map_err(cannot_encode)?;
            return print(&format!("{text}\n"));
        }
        Ok(())
    }
}

impl ReviveObserver for RevivalPrinter {
    fn on_progress(&mut self, done: usize, all: usize, directory: &str) {
        self.steps.show(done as u64, all as u64, directory);
    }

    fn on_revival(&mut self, revival: &Revival) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match self.format {
            ReviveFormat::Human => {
                let revival = RevivalText::new(revival);
                let text = self.steps.suspended(|| human::revival(self.style, &revival.view()));
                out.write_all(text.as_bytes())
            }
            ReviveFormat::Jsonl => {
                serde_json::to_writer(&mut out, &RevivalText::new(revival).row())?;
                out.write_all(b"\n")
            }
            ReviveFormat::Json => {
                self.rows.push(serde_json::to_value(RevivalText::new(revival).row())?);
                Ok(())
            }
        }
    }
}
