//! Inserts links to new targets in multi-row statements, the usual case when a
//! document is loaded for the first time.
//!
//! Links to known targets are inserted by [`TaskWriter`](super::task_writer::TaskWriter).

use std::borrow::Cow;

use jiff::Timestamp;
use relink_model::RunId;
use relink_ports::{NewLink, NewTarget};
use rusqlite::{CachedStatement, Connection};

use super::bulk::{BATCH_ROWS, RowBinder, first_rowid, insert_rows};
use super::error::DbResult;
use super::history::{INSERT_ORIGIN, ORIGIN_VALUES, OriginDocument};
use super::redaction;
use super::rows::millis;
use super::task_writer::{INSERT_LINK, LINK_VALUES, bind_link};

/// Inserts links to new targets.
pub(super) struct BulkLinkWriter<'db> {
    db: &'db Connection,
    run: RunId,
    targets: CachedStatement<'db>,
    tasks: CachedStatement<'db>,
    links: CachedStatement<'db>,
    origins: CachedStatement<'db>,
    now: i64,
}

impl<'db> BulkLinkWriter<'db> {
    /// Creates a writer for links that are seen at the time `now`.
    pub(super) fn new(db: &'db Connection, run: RunId, now: Timestamp) -> DbResult<Self> {
        let targets = insert_rows(
            BATCH_ROWS,
            "INSERT OR IGNORE INTO target (url, host_id, user_supplied)",
            "(?, ?, ?)",
        );
        let tasks = insert_rows(
            BATCH_ROWS,
            "INSERT OR FAIL INTO task (run_id, target_id, host_id, user_supplied, original_url)",
            "(?, ?, ?, ?, ?)",
        );
        let links = insert_rows(BATCH_ROWS, INSERT_LINK, LINK_VALUES);
        let origins = insert_rows(BATCH_ROWS, INSERT_ORIGIN, ORIGIN_VALUES);
        Ok(Self {
            db,
            run,
            targets: db.prepare_cached(&targets)?,
            tasks: db.prepare_cached(&tasks)?,
            links: db.prepare_cached(&links)?,
            origins: db.prepare_cached(&origins)?,
            now: millis(now),
        })
    }

    /// Inserts [`BATCH_ROWS`] links of a document, each with the id of its host.
    /// `position` is the position of the first link. Returns false if a target is already
    /// known. New targets are inserted then, but no tasks and links.
    pub(super) fn add(
        &mut self,
        document: i64,
        position: usize,
        links: &[(&NewLink, i64)],
    ) -> DbResult<bool> {
        let mut rows = RowBinder::new(&mut self.targets);
        for (link, host) in links {
            rows.bind(&[&url(link), host, &is_user_supplied(link)])?;
        }
        if rows.execute()? < BATCH_ROWS {
            return Ok(false);
        }
        let first_target = first_rowid(self.db, BATCH_ROWS);
        let mut rows = RowBinder::new(&mut self.tasks);
        for ((link, host), target) in links.iter().zip(first_target..) {
            let original_url = redaction::text(&link.original_url);
            let original_url = (original_url != url(link)).then_some(original_url);
            rows.bind(&[&self.run.0, &target, host, &is_user_supplied(link), &original_url])?;
        }
        rows.execute()?;
        let first_task = first_rowid(self.db, BATCH_ROWS);
        let mut rows = RowBinder::new(&mut self.links);
        for (((link, _), task), position) in links.iter().zip(first_task..).zip(position..) {
            bind_link(&mut rows, document, position, task, link)?;
        }
        rows.execute()?;
        self.add_origins(document, first_target)?;
        Ok(true)
    }

    /// Records when the links to the new targets were first seen.
    fn add_origins(&mut self, document: i64, first_target: i64) -> DbResult<()> {
        let OriginDocument { label_hash, revision } = OriginDocument::read(self.db, document)?;
        let mut rows = RowBinder::new(&mut self.origins);
        for target in (first_target..).take(BATCH_ROWS) {
            rows.bind(&[&target, &label_hash, &self.run.0, &self.now, &revision])?;
        }
        rows.execute()?;
        Ok(())
    }
}

/// Returns the stored URL of a link.
fn url(link: &NewLink) -> Cow<'_, str> {
    match &link.target {
        NewTarget::Web { url, .. } => redaction::url(url),
        NewTarget::Local { key, .. } => redaction::text(key),
    }
}

fn is_user_supplied(link: &NewLink) -> bool {
    matches!(&link.target, NewTarget::Web { rights, .. } if rights.is_user_supplied())
}
