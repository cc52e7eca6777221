//! What was settled before every place was known: told page by page, so that
//! the asking goes on meanwhile.

use std::collections::HashSet;

use relink_model::ErrandId;
use relink_ports::SettledQuery;

use super::Asker;
use super::settle::PAGE;
use crate::{EngineFault, Observer};

/// What is still to be told of the results from before.
pub(super) struct Backlog {
    /// The last errand told.
    after: ErrandId,
    /// The last errand there is to tell.
    through: ErrandId,
    /// What was settled since, and is told already.
    told: HashSet<ErrandId>,
}

impl Backlog {
    /// Everything up to this errand.
    pub(super) fn through(errand: ErrandId) -> Self {
        Self { after: ErrandId(0), through: errand, told: HashSet::new() }
    }
}

impl Asker<'_> {
    /// Notes that a result was told as it came.
    pub(super) fn note_told(&mut self, errand: ErrandId) {
        if let Some(backlog) = &mut self.backlog {
            backlog.told.insert(errand);
        }
    }

    /// Tells the next results from before: local links, what was alive lately,
    /// in a resumed run what was settled before, and what was asked while
    /// loading.
    pub(super) async fn tell_some_backlog(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        let places = self.places();
        let Some(backlog) = &mut self.backlog else { return Ok(()) };
        let query = SettledQuery { after: backlog.after, limit: PAGE, places, ..SettledQuery::ALL };
        let page = self.ports.store.settled(self.run, query).await?;
        for settled in page.iter().take_while(|settled| settled.errand <= backlog.through) {
            if !backlog.told.contains(&settled.errand) {
                observer.settled(settled)?;
            }
        }
        match page.last().filter(|last| last.errand < backlog.through) {
            Some(last) => backlog.after = last.errand,
            None => self.backlog = None,
        }
        Ok(())
    }

    /// Tells all that is left of it.
    pub(super) async fn tell_backlog(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<(), EngineFault> {
        while self.backlog.is_some() {
            self.tell_some_backlog(observer).await?;
        }
        Ok(())
    }
}
