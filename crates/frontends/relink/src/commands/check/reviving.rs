//! `relink check --revive`: looks for the dead pages that a check found.

use std::collections::BTreeSet;
use std::io;

use relink_engine::{
    DeadPage, Ports, REVIVABLE, Revival, ReviveObserver, ReviveSettings, Stop, revive,
};
use relink_model::RunId;
use relink_ports::SettledQuery;
use relink_report::printable;
use url::Url;

use crate::cli::Face;
use crate::failure::Failure;
use crate::output::Steps;

/// Dead pages read from the store at a time.
const PIECE: usize = 1024;

/// Looks for every dead page of a run; what comes of it is kept in the store.
pub async fn look(
    ports: &Ports,
    settings: &ReviveSettings,
    run: RunId,
    face: &Face,
    stop: &Stop,
) -> Result<(), Failure> {
    let pages = dead_pages(ports, run).await?;
    let mut listener = Listener { steps: Steps::new(face), remarks: BTreeSet::new() };
    let done = revive(ports, settings, pages, &mut listener, stop).await;
    listener.steps.clear();
    if !face.quiet {
        listener.tell_remarks();
    }
    Ok(done?)
}

/// The dead pages of a run, with what the store knows of them.
pub async fn dead_pages(ports: &Ports, run: RunId) -> Result<Vec<DeadPage>, Failure> {
    let mut pages = Vec::new();
    let mut query =
        SettledQuery { limit: PIECE, words: Some(&REVIVABLE), places: 0, ..SettledQuery::ALL };
    loop {
        let piece = ports.store.settled(run, query).await?;
        let Some(last) = piece.last() else { return Ok(pages) };
        query.after = last.errand;
        for settled in piece {
            let Ok(url) = Url::parse(&settled.url) else { continue };
            let known = ports.store.dead_target(&settled.url).await?;
            let rights = known.as_ref().map(|known| known.rights).unwrap_or_default();
            pages.push(DeadPage { url, known, rights });
        }
    }
}

/// Shows how far it is, and gathers what could not be asked.
struct Listener {
    steps: Steps,
    remarks: BTreeSet<String>,
}

impl Listener {
    #[expect(clippy::print_stderr, reason = "this is what stderr is for")]
    fn tell_remarks(&self) {
        for remark in &self.remarks {
            eprintln!("note: {}", printable(remark));
        }
    }
}

impl ReviveObserver for Listener {
    fn progress(&mut self, done: usize, all: usize, directory: &str) {
        self.steps.show(done as u64, all as u64, directory);
    }

    fn revived(&mut self, revival: &Revival) -> io::Result<()> {
        self.remarks.extend(revival.remarks.iter().cloned());
        Ok(())
    }
}
