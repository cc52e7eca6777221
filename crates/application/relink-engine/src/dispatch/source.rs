//! Where further tasks come from while a run goes on.
//!
//! A crawl reads sitemaps when no link leads further; a survey draws its next
//! sample when answers are in. The asker only knows that there may be more.

use relink_model::Verdict;
use relink_ports::{CacheWindow, DocumentId, LinkBatch, NewLink, NewPage};

use super::Dispatcher;
use crate::EngineError;
use crate::observer::DomainCounts;

/// What a source adds to the run.
pub(crate) enum NewTasks {
    /// A page that no task brought.
    Page(NewPage, CacheWindow),
    /// Links of a document, the first of them at this position.
    Links {
        /// The document they stand in.
        document: DocumentId,
        /// The position of the first.
        first: usize,
        /// The links, each to a target that is new to the run.
        links: Vec<NewLink>,
        /// When.
        cache_window: CacheWindow,
    },
}

/// Has further tasks once those there are have been worked off, or before.
pub(crate) trait TaskSource: Send {
    /// What is to be asked next; none if nothing is, for the time being or at
    /// last.
    fn next_tasks(&mut self, now: jiff::Timestamp) -> Option<NewTasks>;

    /// Whether it has more before everything is done.
    fn wants_more(&self) -> bool {
        false
    }

    /// A target is settled and stored.
    fn take(&mut self, _url: &str, _word: Verdict) {}

    /// A target waits for pages of its directory that were not yet asked.
    fn hold(&mut self, _url: &str) {}

    /// What must be stored before anything that follows from it, as the name of
    /// a note and its text; nothing if it has not changed.
    fn checkpoint(&mut self) -> Option<(&'static str, String)> {
        None
    }

    /// How the domains stand, if it knows domains.
    fn standings(&self) -> Option<DomainCounts> {
        None
    }
}

impl Dispatcher<'_> {
    /// The one who may have further tasks.
    fn source(&mut self) -> Option<&mut dyn TaskSource> {
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
    pub(super) async fn keep_checkpoint(&mut self) -> Result<(), EngineError> {
        if let Some((name, text)) = self.source().and_then(TaskSource::checkpoint) {
            self.ports.store.save_checkpoint(self.run, name, &text).await?;
        }
        Ok(())
    }

    /// Looks for further tasks.
    pub(super) async fn find_more(&mut self) -> Result<bool, EngineError> {
        let now = self.ports.now();
        let further = self.source().and_then(|source| source.next_tasks(now));
        self.keep_checkpoint().await?;
        let Some(further) = further else { return Ok(false) };
        match further {
            NewTasks::Page(page, moments) => {
                let completed = self.ports.store.add_pages(self.run, &[page], moments).await?;
                self.note_found(&completed);
            }
            NewTasks::Links { document, first, links, cache_window: moments } => {
                let batch = LinkBatch { document, first, links: &links, cache_window: moments };
                self.ports.store.add_links(self.run, batch).await?;
                self.targets += links.len() as u64;
                self.supply.note_new();
            }
        }
        Ok(true)
    }
}
