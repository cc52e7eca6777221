//! Sources of further tasks during a run.
//!
//! A crawl reads sitemaps when no link is left. A survey draws its next sample
//! from the results so far. The dispatcher does not know either of them.

use relink_model::Verdict;
use relink_ports::{CacheWindow, DocumentId, LinkBatch, NewLink, NewPage};

use super::Dispatcher;
use crate::EngineError;
use crate::observer::DomainCounts;

/// Tasks that a source adds to the run.
pub(crate) enum NewTasks {
    /// A page that is not the target of a task.
    Page(NewPage, CacheWindow),
    /// Links of a document.
    Links {
        /// The document that contains the links.
        document: DocumentId,
        /// The position of the first link in the document.
        first: usize,
        /// The links, each to a target that is new to the run.
        links: Vec<NewLink>,
        /// The current time and the oldest cached result that may be reused.
        cache_window: CacheWindow,
    },
}

/// A source of tasks that depend on earlier results.
pub(crate) trait TaskSource: Send {
    /// Returns the next tasks; `None` if there are none at present.
    fn next_tasks(&mut self, now: jiff::Timestamp) -> Option<NewTasks>;

    /// Whether tasks are available before all earlier ones are done.
    fn has_ready_tasks(&self) -> bool {
        false
    }

    /// Called after a target is checked and stored.
    fn on_result(&mut self, _url: &str, _verdict: Verdict) {}

    /// Called when a target waits for pages of its directory that are not yet
    /// fetched.
    fn on_hold(&mut self, _url: &str) {}

    /// Returns the name and text of a checkpoint that must be stored before
    /// anything derived from it; `None` if it has not changed.
    fn checkpoint(&mut self) -> Option<(&'static str, String)> {
        None
    }

    /// Returns the state of the domains, for sources that track domains.
    fn domain_counts(&self) -> Option<DomainCounts> {
        None
    }
}

impl Dispatcher<'_> {
    /// Returns the source of this run.
    fn source(&mut self) -> Option<&mut dyn TaskSource> {
        match (&mut self.crawler, &mut self.source) {
            (Some(crawler), _) => Some(&mut **crawler),
            (None, Some(source)) => Some(&mut **source),
            (None, None) => None,
        }
    }

    /// Whether the source has tasks before all earlier ones are done.
    pub(super) fn source_has_ready_tasks(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.has_ready_tasks())
    }

    /// Stores the checkpoint of the source.
    pub(super) async fn save_source_checkpoint(&mut self) -> Result<(), EngineError> {
        if let Some((name, text)) = self.source().and_then(TaskSource::checkpoint) {
            self.ports.store.save_checkpoint(self.run, name, &text).await?;
        }
        Ok(())
    }

    /// Adds the next tasks of the source. Returns whether there were any.
    pub(super) async fn add_new_tasks(&mut self) -> Result<bool, EngineError> {
        let now = self.ports.now();
        let new_tasks = self.source().and_then(|source| source.next_tasks(now));
        self.save_source_checkpoint().await?;
        let Some(new_tasks) = new_tasks else { return Ok(false) };
        match new_tasks {
            NewTasks::Page(page, cache_window) => {
                let summary = self.ports.store.add_pages(self.run, &[page], cache_window).await?;
                self.count_new_targets(&summary);
            }
            NewTasks::Links { document, first, links, cache_window } => {
                let batch =
                    LinkBatch { document, first_position: first, links: &links, cache_window };
                self.ports.store.add_links(self.run, batch).await?;
                self.targets += links.len() as u64;
                self.claims.add_stored_batch();
            }
        }
        Ok(true)
    }
}
