//! Where further errands come from while a run goes on.
//!
//! A crawl reads sitemaps when no link leads further; a survey draws its next
//! sample when answers are in. The asker only knows that there may be more.

use relink_model::Word;
use relink_ports::{DocumentId, LinkBatch, Moments, NewLink, NewPage};

use super::Asker;
use crate::EngineFault;
use crate::observer::Standings;

/// What a source adds to the run.
pub(crate) enum Further {
    /// A page that no errand brought.
    Page(NewPage, Moments),
    /// Links of a document, the first of them at this position.
    Links {
        /// The document they stand in.
        document: DocumentId,
        /// The position of the first.
        first: usize,
        /// The links, each to a target that is new to the run.
        links: Vec<NewLink>,
        /// When.
        moments: Moments,
    },
}

/// Has further errands once those there are have been worked off, or before.
pub(crate) trait Source: Send {
    /// What is to be asked next; none if nothing is, for the time being or at
    /// last.
    fn further(&mut self, now: jiff::Timestamp) -> Option<Further>;

    /// Whether it has more before everything is done.
    fn wants_more(&self) -> bool {
        false
    }

    /// A target is settled and stored.
    fn take(&mut self, _url: &str, _word: Word) {}

    /// A target waits for pages of its directory that were not yet asked.
    fn hold(&mut self, _url: &str) {}

    /// What must be stored before anything that follows from it, as the name of
    /// a note and its text; nothing if it has not changed.
    fn checkpoint(&mut self) -> Option<(&'static str, String)> {
        None
    }

    /// How the domains stand, if it knows domains.
    fn standings(&self) -> Option<Standings> {
        None
    }
}

impl Asker<'_> {
    /// The one who may have further errands.
    fn source(&mut self) -> Option<&mut dyn Source> {
        match (&mut self.crawler, &mut self.source) {
            (Some(crawler), _) => Some(&mut **crawler),
            (None, Some(source)) => Some(&mut **source),
            (None, None) => None,
        }
    }

    /// Whether there may be more to ask before everything is done.
    pub(super) fn wants_more(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.wants_more())
    }

    /// Stores what the source must not forget.
    pub(super) async fn keep_checkpoint(&mut self) -> Result<(), EngineFault> {
        if let Some((name, text)) = self.source().and_then(Source::checkpoint) {
            self.ports.store.keep_note(self.run, name, &text).await?;
        }
        Ok(())
    }

    /// Looks for further errands.
    pub(super) async fn find_more(&mut self) -> Result<bool, EngineFault> {
        let now = self.ports.now();
        let further = self.source().and_then(|source| source.further(now));
        self.keep_checkpoint().await?;
        let Some(further) = further else { return Ok(false) };
        match further {
            Further::Page(page, moments) => {
                let completed = self.ports.store.add_pages(self.run, &[page], moments).await?;
                self.note_found(&completed);
            }
            Further::Links { document, first, links, moments } => {
                let batch = LinkBatch { document, first, links: &links, moments };
                self.ports.store.add_links(self.run, batch).await?;
                self.targets += links.len() as u64;
                self.supply.note_new();
            }
        }
        Ok(true)
    }
}
