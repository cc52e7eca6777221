//! `relink revive`: where did a dead page go?

pub mod engines;
mod summary;

use std::io::{self, Write as _};
use std::sync::Arc;

use relink_engine::{DeadPage, EngineError, Ports, REVIVABLE, Revival, ReviveObserver, revive};
use relink_lookup::{LocalArchive, WebArchive, WebArchiveSettings};
use relink_model::RequestRights;
use relink_ports::{Archive, BudgetStore, Clock as _};
use relink_report::human::{self, TextStyle};
use url::Url;

use super::paint;
use super::signals::stop_on_signal;
use crate::cli::{GlobalArgs, ReviveArgs, ReviveFormat};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{RevivalText, Steps, cannot_encode, print};
use crate::settings::{ArchiveChoice, RevivePlan, ReviveSetup};
use crate::wiring;

/// Dead pages read from the store at a time.
const PIECE: usize = 1024;

/// Looks for dead pages.
pub async fn run(args: ReviveArgs, face: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let plan = RevivePlan::resolve(args, clock.now())?;
    let run = &plan.run;
    run.note_project();
    let mut ports = wiring::ports(run.fetch.clone(), &run.db, Arc::new(clock)).await?;
    if plan.is_summary {
        return summary::tell(&ports, plan.format).await;
    }
    ports.archives = archives(&plan.looking, &ports)?;
    ports.searches = engines::open(&plan.looking, &plan.run.db, &ports).await?;
    let pages = dead_pages(&plan, &ports).await?;
    if pages.is_empty() && plan.format == ReviveFormat::Human {
        return print("No dead page is known. `relink check` finds them.\n").map(|()| Exit::Clean);
    }
    let stop = stop_on_signal();
    let mut teller = RevivalPrinter::new(plan.format, &face);
    match revive(&ports, &plan.looking.revive, pages, &mut teller, &stop).await {
        Err(EngineError::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {}
        done => done?,
    }
    teller.finish()?;
    Ok(if stop.is_stopped() { Exit::Interrupted } else { Exit::Clean })
}

/// The archives to ask.
pub fn archives(
    looking: &ReviveSetup,
    ports: &Ports,
) -> Result<Vec<Arc<dyn Archive>>, CommandError> {
    let mut archives: Vec<Arc<dyn Archive>> = Vec::new();
    if !looking.warcs.is_empty() {
        let local = LocalArchive::open(&looking.warcs).map_err(|error| {
            CommandError::usage(error.to_string())
                .because(&error)
                .hint("`--warc` takes WARC and CDXJ files")
        })?;
        archives.push(Arc::new(local));
    }
    for choice in &looking.archives {
        let (settings, place) = match choice {
            ArchiveChoice::InternetArchive(root) => {
                (WebArchiveSettings::internet_archive(root), root)
            }
            ArchiveChoice::Pywb(collection) => (WebArchiveSettings::pywb(collection), collection),
        };
        let manners = wiring::manners(settings.limits, place, looking.archive_budget);
        let settings = WebArchiveSettings { limits: manners, ..settings };
        let (fetch, clock) = (Arc::clone(&ports.fetch), Arc::clone(&ports.clock));
        let ledger: Arc<dyn BudgetStore> = Arc::clone(&ports.store) as _;
        archives.push(Arc::new(WebArchive::new(settings, fetch, clock).with_budget_store(ledger)));
    }
    Ok(archives)
}

/// The pages to look for, with what the store knows of them.
async fn dead_pages(plan: &RevivePlan, ports: &Ports) -> Result<Vec<DeadPage>, CommandError> {
    let mut pages = Vec::new();
    if let Some(urls) = &plan.urls {
        for url in urls {
            let known = ports.store.dead_target(url.as_str()).await?;
            let rights = RequestRights::named_by_user();
            pages.push(DeadPage { url: url.clone(), known, rights });
        }
        return Ok(pages);
    }
    let mut after = String::new();
    loop {
        let piece = ports.store.dead_targets(&REVIVABLE, &after, PIECE).await?;
        let Some(last) = piece.last() else { return Ok(pages) };
        after.clone_from(&last.url);
        pages.extend(piece.into_iter().filter_map(|known| {
            let url = Url::parse(&known.url).ok()?;
            Some(DeadPage { url, rights: known.rights, known: Some(known) })
        }));
    }
}

/// Tells what came of it, page by page.
struct RevivalPrinter {
    format: ReviveFormat,
    paint: TextStyle,
    steps: Steps,
    /// The rows of one JSON document, until it is whole.
    rows: Vec<serde_json::Value>,
}

impl RevivalPrinter {
    fn new(format: ReviveFormat, face: &GlobalArgs) -> Self {
        Self { format, paint: paint(face), steps: Steps::new(face), rows: Vec::new() }
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
    fn progress(&mut self, done: usize, all: usize, directory: &str) {
        self.steps.show(done as u64, all as u64, directory);
    }

    fn revived(&mut self, revival: &Revival) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match self.format {
            ReviveFormat::Human => {
                let told = RevivalText::of(revival);
                let text = self.steps.beside(|| human::revival(self.paint, &told.view()));
                out.write_all(text.as_bytes())
            }
            ReviveFormat::Jsonl => {
                serde_json::to_writer(&mut out, &RevivalText::of(revival).row())?;
                out.write_all(b"\n")
            }
            ReviveFormat::Json => {
                self.rows.push(serde_json::to_value(RevivalText::of(revival).row())?);
                Ok(())
            }
        }
    }
}
