//! Stores pages of crawls, their links, and tasks for new targets. Also reads and
//! stores robots.txt files and checkpoints.
//!
//! The links of a page are stored in the transaction that finishes the task of the
//! page. After a crash, either both are stored or neither.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_model::{FetchTask, RunId, TaskId};
use relink_ports::{
    CacheWindow, CommitSummary, HostLease, LinkDecision, NewPage, NewTarget, PageLink, StoredRobots,
};
use rusqlite::{Connection, OptionalExtension as _};

use super::error::DbResult;
use super::loading::{self, host_id};
use super::local_targets::insert_local_target;
use super::redaction;
use super::rows::{self, millis, task_columns, timestamp, to_i64};
use super::task_writer::{InsertedTask, TaskDefaults, TaskIds, TaskWriter};
use crate::values::{label_hash, pack_anchors, task_state};

/// Adds pages that no task fetched, such as seed lists and sitemaps.
pub(super) fn add(
    db: &Connection,
    run: RunId,
    pages: &[NewPage],
    cache_window: CacheWindow,
) -> DbResult<CommitSummary> {
    let mut writer = PageWriter::new(db, run, cache_window)?;
    for page in pages {
        writer.add(page, None)?;
    }
    writer.finish()
}

/// Stores pages and counts their new targets.
pub(super) struct PageWriter<'a, 'db> {
    db: &'db Connection,
    run: RunId,
    cache_window: CacheWindow,
    task_writer: TaskWriter<'db>,
    hosts: HashMap<&'a str, i64>,
    summary: CommitSummary,
}

impl<'a, 'db> PageWriter<'a, 'db> {
    /// Creates a writer without pages.
    pub(super) fn new(
        db: &'db Connection,
        run: RunId,
        cache_window: CacheWindow,
    ) -> DbResult<Self> {
        let task_writer = TaskWriter::new(db, run, cache_window.now)?;
        let (hosts, summary) = Default::default();
        Ok(Self { db, run, cache_window, task_writer, hosts, summary })
    }

    /// Updates the due times of the hosts of new tasks, and returns the counts.
    pub(super) fn finish(self) -> DbResult<CommitSummary> {
        loading::update_due_times(self.db, self.run, self.hosts.into_values())?;
        Ok(self.summary)
    }

    /// Stores a page and its links. `task` is the task that fetched the page.
    pub(super) fn add(&mut self, page: &'a NewPage, task: Option<i64>) -> DbResult<()> {
        let Some(document) = self.insert_document(page, task)? else { return Ok(()) };
        let mut stored = 0;
        for (position, link) in page.links.iter().enumerate() {
            if let Some(ids) = self.target_task(link)? {
                self.task_writer.insert_link(document, position, ids, &link.link)?;
                stored += 1;
            }
        }
        self.db
            .prepare_cached("UPDATE document SET links = ? WHERE id = ?")?
            .execute((to_i64(stored), document))?;
        Ok(())
    }

    /// Inserts the document of a page. Returns `None` if it exists, which
    /// happens for seed lists and sitemaps after an interruption.
    fn insert_document(&self, page: &NewPage, task: Option<i64>) -> DbResult<Option<i64>> {
        let anchors = page.anchors.as_deref().map(pack_anchors);
        let label = redaction::text(&page.label);
        let added = self
            .db
            .prepare_cached(
                "INSERT INTO document
                     (run_id, label, label_hash, content_hash, loaded, task_id, sitemap, anchors)
                 VALUES (?, ?, ?, 0, 1, ?, ?, ?) ON CONFLICT DO NOTHING",
            )?
            .execute((self.run.0, &label, label_hash(&label), task, page.is_sitemap, anchors))?;
        Ok((added > 0).then(|| self.db.last_insert_rowid()))
    }

    /// Returns the task of the target of a link, inserting the task if necessary. Returns
    /// `None` if the link is skipped. Local targets, which are findings without a
    /// request, are never skipped.
    fn target_task(&mut self, link: &'a PageLink) -> DbResult<Option<TaskIds>> {
        let (url, host) = match &link.link.target {
            NewTarget::Web { url, host, .. } => (url, host),
            NewTarget::Local { .. } => {
                let target =
                    insert_local_target(self.db, self.run, &link.link.target, self.cache_window)?;
                let depth = match link.decision {
                    LinkDecision::Fetch { depth, .. } => Some(depth),
                    LinkDecision::Skip => None,
                };
                let defaults = self.task_defaults(depth, None, Timestamp::MAX);
                let inserted =
                    self.task_writer.insert_task(&(&link.link).into(), &target, &defaults)?;
                return Ok(Some(self.count_task(&inserted)));
            }
        };
        if let Some(task) = self.existing_task(url, link.decision)? {
            return Ok(Some(task));
        }
        let LinkDecision::Fetch { depth, rank, may_use_cache } = link.decision else {
            return Ok(None);
        };
        let host = host_id(self.db, host, &mut self.hosts)?;
        let target = self.task_writer.insert_web_target(url, host)?;
        let fresh_since =
            if may_use_cache { self.cache_window.fresh_since } else { Timestamp::MAX };
        let defaults = self.task_defaults(Some(depth), rank, fresh_since);
        let inserted = self.task_writer.insert_task(&(&link.link).into(), &target, &defaults)?;
        Ok(Some(self.count_task(&inserted)))
    }

    /// Returns the task that the run already has for this URL. If it is pending and the
    /// depth or rank of this link is smaller, the task gets the smaller values. Called
    /// before a task is inserted, because most links of a site lead to known targets.
    fn existing_task(&self, url: &str, decision: LinkDecision) -> DbResult<Option<TaskIds>> {
        let stored: Option<(TaskIds, Option<u32>, Option<i64>, i64)> = self
            .db
            .prepare_cached(
                "SELECT task.id, t.id, task.depth, task.rank, task.state FROM target t
                 CROSS JOIN task ON task.run_id = ?2 AND task.target_id = t.id
                 WHERE t.url = ?1",
            )?
            .query_row((url, self.run.0), |row| {
                let ids = TaskIds { task: row.get(0)?, target: row.get(1)? };
                Ok((ids, row.get(2)?, row.get(3)?, row.get(4)?))
            })
            .optional()?;
        let Some((ids, depth, rank, state)) = stored else { return Ok(None) };
        if let LinkDecision::Fetch { depth: new_depth, rank: new_rank, .. } = decision
            && state == task_state::PENDING
            && (depth.is_some_and(|depth| new_depth < depth)
                || rank.zip(new_rank).is_some_and(|(rank, new_rank)| new_rank < rank))
        {
            let depth = depth.map(|depth| depth.min(new_depth));
            let rank = rank.map(|rank| new_rank.map_or(rank, |new_rank| new_rank.min(rank)));
            self.db
                .prepare_cached("UPDATE task SET depth = ?, rank = ? WHERE id = ?")?
                .execute((depth, rank, ids.task))?;
        }
        Ok(Some(ids))
    }

    /// Returns the initial values of a task. `not_before` is the time of discovery,
    /// because pages are fetched in order of discovery. If `fresh_since` is
    /// `Timestamp::MAX`, no cached result is used.
    fn task_defaults(
        &self,
        depth: Option<u32>,
        rank: Option<i64>,
        fresh_since: Timestamp,
    ) -> TaskDefaults {
        let now = self.cache_window.now;
        TaskDefaults { fresh_since, now, not_before: millis(now), depth, rank }
    }

    /// Counts the task in the summary and returns its ids.
    fn count_task(&mut self, inserted: &InsertedTask) -> TaskIds {
        self.summary.new_targets += u64::from(inserted.is_new);
        self.summary.already_checked += u64::from(inserted.is_new && inserted.is_finished);
        inserted.ids
    }
}

/// Returns due tasks in the order of their ranks, which is the order in which a crawl
/// visits pages. Returns an empty list if the lease was lost.
pub(super) fn due_by_rank(
    db: &Connection,
    run: RunId,
    lease: HostLease,
    limit: usize,
    now: Timestamp,
) -> DbResult<Vec<FetchTask>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        task_columns!(),
        " FROM task INDEXED BY task_ranked
          CROSS JOIN target t ON t.id = task.target_id
          WHERE task.state = 0 /* pending */ AND task.rank IS NOT NULL AND task.run_id = ?1
            AND task.host_id = ?2 AND task.not_before <= ?3
            AND EXISTS (SELECT 1 FROM host WHERE id = ?2 AND fencing_token = ?5)
          ORDER BY task.rank LIMIT ?4"
    ))?;
    let rows = statement.query_and_then(
        (run.0, lease.host.0, millis(now), to_i64(limit), lease.fencing_token),
        |row| rows::task_from_row(db, row),
    )?;
    rows.collect()
}

/// Returns the greatest task id of a run, or zero.
pub(super) fn last_task_id(db: &Connection, run: RunId) -> DbResult<TaskId> {
    let last = db
        .prepare_cached("SELECT ifnull(max(id), 0) FROM task WHERE run_id = ?")?
        .query_row([run.0], |row| row.get(0))?;
    Ok(TaskId(last))
}

/// Returns the robots.txt of an origin if it was fetched at `since` or later.
pub(super) fn robots(
    db: &Connection,
    origin: &str,
    since: Timestamp,
) -> DbResult<Option<StoredRobots>> {
    let stored = db
        .prepare_cached(
            "SELECT requested_at, status, text FROM robots WHERE origin = ? AND requested_at >= ?",
        )?
        .query_row((origin, millis(since)), |row| {
            Ok(StoredRobots {
                origin: origin.to_owned(),
                requested_at: timestamp(row.get(0)?),
                status: row.get(1)?,
                text: row.get(2)?,
            })
        })
        .optional()?;
    Ok(stored)
}

/// Replaces the stored robots.txt of an origin.
pub(super) fn save_robots(db: &Connection, robots: &StoredRobots) -> DbResult<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO robots (origin, requested_at, status, text) VALUES (?, ?, ?, ?)",
    )?
    .execute((
        &robots.origin,
        millis(robots.requested_at),
        robots.status,
        redaction::bytes(&robots.text),
    ))?;
    Ok(())
}

/// Returns the state that an interrupted run saved under this name.
pub(super) fn checkpoint(db: &Connection, run: RunId, name: &str) -> DbResult<Option<String>> {
    let text = db
        .prepare_cached("SELECT text FROM checkpoint WHERE run_id = ? AND name = ?")?
        .query_row((run.0, name), |row| row.get(0))
        .optional()?;
    Ok(text)
}

/// Saves state that is needed to resume the run.
pub(super) fn save_checkpoint(db: &Connection, run: RunId, name: &str, text: &str) -> DbResult<()> {
    db.prepare_cached("INSERT OR REPLACE INTO checkpoint (run_id, name, text) VALUES (?, ?, ?)")?
        .execute((run.0, name, redaction::json(text)?))?;
    Ok(())
}
