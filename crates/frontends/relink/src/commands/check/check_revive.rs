//! `relink check --revive`: looks for the dead pages that a check found.

use std::collections::BTreeSet;
use std::io;

use relink_engine::{
    DeadPage, Ports, REVIVABLE, Revival, ReviveObserver, ReviveSettings, StopSignal, revive,
};
use relink_model::RunId;
use relink_ports::CheckedTargetQuery;
use relink_report::printable;
use url::Url;

use crate::cli::GlobalArgs;
use crate::error::CommandError;
use crate::output::Steps;

/// Dead pages read from the store at a time.
const PIECE: usize = 1024;

/// Looks for every dead page of a run; what comes of it is kept in the store.
pub async fn look(
    ports: &Ports,
    settings: &ReviveSettings,
    run: RunId,
    face: &GlobalArgs,
    stop: &StopSignal,
) -> Result<(), CommandError> {
    let pages = dead_pages(ports, run).await?;
    let mut listener = ReviveProgress { steps: Steps::new(face), remarks: BTreeSet::new() };
    let done = revive(ports, settings, pages, &mut listener, stop).await;
    listener.steps.clear();
    if !face.quiet {
        listener.tell_remarks();
    }
    Ok(done?)
}

/// The dead pages of a run, with what the store knows of them.
pub async fn dead_pages(ports: &Ports, run: RunId) -> Result<Vec<DeadPage>, CommandError> {
    let mut pages = Vec::new();
    let mut query = CheckedTargetQuery {
        limit: PIECE,
        verdicts: Some(&REVIVABLE),
        locations: 0,
        ..CheckedTargetQuery::ALL
    };
    loop {
        let piece = ports.store.checked_targets(run, query).await?;
        let Some(last) = piece.last() else { return Ok(pages) };
        query.after = last.task;
        for settled in piece {
            let Ok(url) = Url::parse(&settled.url) else { continue };
            let known = ports.store.dead_target(&settled.url).await?;
            let rights = known.as_ref().map(|known| known.rights).unwrap_or_default();
            pages.push(DeadPage { url, known, rights });
        }
    }
}

/// Shows how far it is, and gathers what could not be asked.
struct ReviveProgress {
    steps: Steps,
    remarks: BTreeSet<String>,
}

impl ReviveProgress {
    #[expect(clippy::print_stderr, reason = "this is what stderr is for")]
    fn tell_remarks(&self) {
        for remark in &self.remarks {
            eprintln!("note: {}", printable(remark));
        }
    }
}

impl ReviveObserver for ReviveProgress {
    fn progress(&mut self, done: usize, all: usize, directory: &str) {
        self.steps.show(done as u64, all as u64, directory);
    }

    fn revived(&mut self, revival: &Revival) -> io::Result<()> {
        self.remarks.extend(revival.remarks.iter().cloned());
        Ok(())
    }
}
