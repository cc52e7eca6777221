//! `relink check --revive`: searches for new URLs of the dead pages of a check.

use std::collections::BTreeSet;
use std::io;

use relink_model::{RunId, Verdict};
use relink_ports::CheckedTargetQuery;
use relink_repair::{DeadPage, Revival, ReviveObserver, ReviveSettings, revive};
use relink_report::printable;
use relink_requests::{Ports, StopSignal};
use url::Url;

use crate::cli::GlobalArgs;
use crate::error::CommandError;
use crate::output::Steps;

/// Number of dead pages read from the store at a time.
const BATCH_SIZE: usize = 1024;

/// Searches for new URLs of every dead page of a run. The results are saved in the store.
pub async fn search(
    ports: &Ports,
    settings: &ReviveSettings,
    run: RunId,
    global: &GlobalArgs,
    stop: &StopSignal,
) -> Result<(), CommandError> {
    let pages = dead_pages(ports, run).await?;
    let mut progress = ReviveProgress { steps: Steps::new(global), warnings: BTreeSet::new() };
    let result = revive(ports, settings, pages, &mut progress, stop).await;
    progress.steps.clear();
    if !global.quiet {
        progress.print_warnings();
    }
    Ok(result?)
}

/// Returns the dead pages of a run with their stored data.
pub async fn dead_pages(ports: &Ports, run: RunId) -> Result<Vec<DeadPage>, CommandError> {
    let mut pages = Vec::new();
    let mut query = CheckedTargetQuery {
        limit: BATCH_SIZE,
        verdicts: Some(&Verdict::GONE),
        max_locations: 0,
        ..CheckedTargetQuery::ALL
    };
    loop {
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { return Ok(pages) };
        query.after = last.task;
        for target in batch {
            let Ok(url) = Url::parse(&target.url) else { continue };
            let stored = ports.store.dead_target(&target.url).await?;
            let rights = stored.as_ref().map(|stored| stored.rights).unwrap_or_default();
            pages.push(DeadPage { url, stored, rights });
        }
    }
}

/// Shows the progress of a search and collects its warnings, each text once.
struct ReviveProgress {
    steps: Steps,
    warnings: BTreeSet<String>,
}

impl ReviveProgress {
    #[expect(clippy::print_stderr, reason = "warnings go to stderr")]
    fn print_warnings(&self) {
        for warning in &self.warnings {
            eprintln!("warning: {}", printable(warning));
        }
    }
}

impl ReviveObserver for ReviveProgress {
    fn on_progress(&mut self, done: usize, all: usize, directory: &str) {
        self.steps.show(done as u64, all as u64, directory);
    }

    fn on_revival(&mut self, revival: &Revival) -> io::Result<()> {
        self.warnings.extend(revival.warnings.iter().cloned());
        Ok(())
    }
}
