//! Links to targets that nobody has seen: the usual case when a list is loaded
//! for the first time, stored many rows to a statement.
//!
//! Whatever is known already is left to [`Beginning`](super::loading::Beginning).

use std::borrow::Cow;

use relink_model::RunId;
use relink_ports::{NewLink, NewTarget};
use rusqlite::{CachedStatement, Connection};

use super::bulk::{ROWS, Rows, first_number, many};
use super::error::DbResult;
use super::loading::{INSERT_LINK, LINK_VALUES, put_place};
use super::redaction;

/// Stores links to new targets.
pub(super) struct BulkLinkWriter<'db> {
    db: &'db Connection,
    run: RunId,
    targets: CachedStatement<'db>,
    tasks: CachedStatement<'db>,
    links: CachedStatement<'db>,
}

impl<'db> BulkLinkWriter<'db> {
    pub(super) fn new(db: &'db Connection, run: RunId) -> DbResult<Self> {
        let targets = many(ROWS, "INSERT OR IGNORE INTO target (url, host_id, named)", "(?, ?, ?)");
        let tasks = many(
            ROWS,
            "INSERT OR FAIL INTO task (run_id, target_id, host_id, named, given)",
            "(?, ?, ?, ?, ?)",
        );
        let links = many(ROWS, INSERT_LINK, LINK_VALUES);
        Ok(Self {
            db,
            run,
            targets: db.prepare_cached(&targets)?,
            tasks: db.prepare_cached(&tasks)?,
            links: db.prepare_cached(&links)?,
        })
    }

    /// Stores [`ROWS`] links of a document, from this position on, each with the
    /// number of its host. Returns whether it did: not if a target is known.
    pub(super) fn add(
        &mut self,
        document: i64,
        position: usize,
        links: &[(&NewLink, i64)],
    ) -> DbResult<bool> {
        let mut rows = Rows::of(&mut self.targets);
        for (link, host) in links {
            rows.put(&[&url(link), host, &is_named(link)])?;
        }
        if rows.run()? < ROWS {
            return Ok(false);
        }
        let target = first_number(self.db, ROWS);
        let mut rows = Rows::of(&mut self.tasks);
        for ((link, host), target) in links.iter().zip(target..) {
            let given = redaction::text(&link.original_url);
            let given = (given != url(link)).then_some(given);
            rows.put(&[&self.run.0, &target, host, &is_named(link), &given])?;
        }
        rows.run()?;
        let task = first_number(self.db, ROWS);
        let mut rows = Rows::of(&mut self.links);
        for (((link, _), task), position) in links.iter().zip(task..).zip(position..) {
            put_place(&mut rows, document, position, task, link)?;
        }
        rows.run()?;
        Ok(true)
    }
}

fn url(link: &NewLink) -> Cow<'_, str> {
    match &link.target {
        NewTarget::Web { url, .. } => redaction::url(url),
        NewTarget::Local { key, .. } => redaction::text(key),
    }
}

fn is_named(link: &NewLink) -> bool {
    matches!(&link.target, NewTarget::Web { rights, .. } if rights.is_named_by_user())
}
