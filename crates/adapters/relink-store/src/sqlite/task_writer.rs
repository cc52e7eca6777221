//! Inserts targets, and the tasks and links of a run that refer to them.
//!
//! The terms are defined in [`loading`](super::loading).

use jiff::Timestamp;
use relink_model::{RunId, Verdict};
use relink_ports::{CacheWindow, NewLink, NewTarget};
use rusqlite::{CachedStatement, Connection, OptionalExtension as _};

use super::anchors;
use super::bulk::RowBinder;
use super::error::DbResult;
use super::history::LinkOriginWriter;
use super::redaction;
use super::rows::{millis, to_i64};
use crate::values::{ignored_codes, task_state};

/// A stored target, with the values that are needed to create a task for it.
pub(super) struct StoredTarget {
    pub(super) id: i64,
    /// `None` for a local target.
    pub(super) host: Option<i64>,
    /// Whether the target is already marked as user-supplied.
    pub(super) is_user_supplied: bool,
    /// The current result of the target, from an earlier run or this run.
    pub(super) cached_result: Option<CachedResult>,
    /// Whether an earlier link of this generation has stored the same result. The run
    /// then usually has a task for the target.
    pub(super) is_recorded: bool,
}

impl StoredTarget {
    /// Whether the target was alive recently enough to reuse its result.
    fn is_fresh(&self, defaults: &TaskDefaults) -> bool {
        let fresh_times = millis(defaults.fresh_since)..=millis(defaults.now);
        self.cached_result.as_ref().is_some_and(|result| {
            result.verdict == Verdict::Alive.as_str() && fresh_times.contains(&result.checked_at)
        })
    }
}

/// The current result of a target.
pub(super) struct CachedResult {
    pub(super) generation: i64,
    pub(super) verdict: String,
    pub(super) checked_at: i64,
}

/// Reads an existing target and its current result.
fn find_target(db: &Connection, url: &str) -> DbResult<StoredTarget> {
    let target = db
        .prepare_cached("SELECT id, host_id, user_supplied FROM target WHERE url = ?")?
        .query_row([url], |row| {
            let (id, host, is_user_supplied) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(StoredTarget { id, host, is_user_supplied, cached_result: None, is_recorded: false })
        })?;
    let cached_result = db
        .prepare_cached("SELECT generation, verdict, checked_at FROM current_result WHERE id = ?")?
        .query_row([target.id], |row| {
            Ok(CachedResult {
                generation: row.get(0)?,
                verdict: row.get(1)?,
                checked_at: row.get(2)?,
            })
        })
        .optional()?;
    Ok(StoredTarget { cached_result, ..target })
}

/// The values of a new task that do not depend on its link.
pub(super) struct TaskDefaults {
    /// Targets that were alive at this time or later are not fetched again.
    pub(super) fresh_since: Timestamp,
    /// Results after this time are not reused, because they were stored when the system
    /// clock was ahead.
    pub(super) now: Timestamp,
    /// The earliest time of the first attempt.
    pub(super) not_before: i64,
    /// The number of links to follow from a start URL of the crawl.
    pub(super) depth: Option<u32>,
    /// The rank in a crawl. Tasks with a lower rank are fetched first.
    pub(super) rank: Option<i64>,
}

impl TaskDefaults {
    /// Returns the values of a task that is due immediately, outside of crawls.
    pub(super) fn immediate(cache_window: CacheWindow) -> Self {
        let CacheWindow { now, fresh_since } = cache_window;
        Self { fresh_since, now, not_before: 0, depth: None, rank: None }
    }
}

/// The link for which a task is inserted.
pub(super) struct TaskOrigin<'a> {
    pub(super) target: &'a NewTarget,
    pub(super) original_url: &'a str,
    /// Whether the link has a fragment to check.
    pub(super) has_fragment: bool,
}

impl<'a> From<&'a NewLink> for TaskOrigin<'a> {
    fn from(link: &'a NewLink) -> Self {
        Self {
            target: &link.target,
            original_url: &link.original_url,
            has_fragment: link.fragment.is_some(),
        }
    }
}

/// The ids of a task and its target.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskIds {
    pub(super) task: i64,
    pub(super) target: i64,
}

/// The task of a target, after it was inserted or found.
pub(super) struct InsertedTask {
    pub(super) ids: TaskIds,
    /// Whether the task was inserted by this call.
    pub(super) is_new: bool,
    /// Whether the task needs no request.
    pub(super) is_finished: bool,
}

/// Inserts targets, tasks and links of a run. Its statements are prepared once.
pub(super) struct TaskWriter<'db> {
    db: &'db Connection,
    run: RunId,
    insert_target: CachedStatement<'db>,
    insert_task: CachedStatement<'db>,
    insert_link: CachedStatement<'db>,
    origins: LinkOriginWriter<'db>,
}

impl<'db> TaskWriter<'db> {
    /// Creates a writer for links that are seen at the time `now`.
    pub(super) fn new(db: &'db Connection, run: RunId, now: Timestamp) -> DbResult<Self> {
        let insert_target = db.prepare_cached(
            "INSERT INTO target (url, host_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
        )?;
        let insert_task = db.prepare_cached(
            "INSERT INTO task
                 (run_id, target_id, host_id, user_supplied, original_url, state, cached,
                  generation, not_before, depth, rank)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        )?;
        let insert_link = db.prepare_cached(&format!("{INSERT_LINK} VALUES {LINK_VALUES}"))?;
        let origins = LinkOriginWriter::new(db, run, millis(now))?;
        Ok(Self { db, run, insert_target, insert_task, insert_link, origins })
    }

    /// Returns the target with this URL, inserting it if necessary.
    pub(super) fn insert_web_target(&mut self, url: &str, host: i64) -> DbResult<StoredTarget> {
        let url = redaction::url(url);
        if self.insert_target.execute((&url, host))? == 0 {
            return find_target(self.db, &url);
        }
        let id = self.db.last_insert_rowid();
        Ok(StoredTarget {
            id,
            host: Some(host),
            is_user_supplied: false,
            cached_result: None,
            is_recorded: false,
        })
    }

    /// Returns the task of a target in this run, inserting it if necessary.
    pub(super) fn insert_task(
        &mut self,
        origin: &TaskOrigin<'_>,
        target: &StoredTarget,
        defaults: &TaskDefaults,
    ) -> DbResult<InsertedTask> {
        let (url, is_user_supplied) = match origin.target {
            NewTarget::Web { url, rights, .. } => (url, rights.is_user_supplied()),
            NewTarget::Local { key, .. } => (key, false),
        };
        let is_local = target.host.is_none();
        if target.is_recorded
            && let Some(id) = find_task(self.db, self.run, target.id)?
        {
            let ids = TaskIds { task: id, target: target.id };
            return Ok(InsertedTask { ids, is_new: false, is_finished: true });
        }
        // The target keeps this mark if later runs only discover the URL.
        if is_user_supplied && !target.is_user_supplied {
            mark_user_supplied(self.db, target.id)?;
        }
        // To check the fragment of a link, the anchors of the page are needed.
        let can_use_cache = target.is_fresh(defaults)
            && (!origin.has_fragment || anchors::are_known(self.db, target.id)?);
        let is_finished = is_local || can_use_cache;
        let generation =
            target.cached_result.as_ref().filter(|_| is_finished).map(|result| result.generation);
        let original_url = redaction::text(origin.original_url);
        let original_url = (original_url != *url).then_some(original_url);
        let inserted_rows = self.insert_task.execute((
            self.run.0,
            target.id,
            target.host,
            is_user_supplied,
            original_url,
            if is_finished { task_state::FINISHED } else { task_state::PENDING },
            can_use_cache && !is_local,
            generation,
            defaults.not_before,
            defaults.depth,
            defaults.rank,
        ))?;
        if inserted_rows > 0 {
            let ids = TaskIds { task: self.db.last_insert_rowid(), target: target.id };
            return Ok(InsertedTask { ids, is_new: true, is_finished });
        }
        if is_user_supplied {
            mark_task_user_supplied(self.db, self.run, target.id)?;
        }
        let id = self.reused_task(origin, target, is_finished, generation)?;
        let ids = TaskIds { task: id, target: target.id };
        Ok(InsertedTask { ids, is_new: false, is_finished })
    }

    /// Returns the task that the run already had for a target, after it was adapted to a new
    /// link.
    fn reused_task(
        &self,
        origin: &TaskOrigin<'_>,
        target: &StoredTarget,
        is_finished: bool,
        generation: Option<i64>,
    ) -> DbResult<i64> {
        let id = find_task(self.db, self.run, target.id)?
            .expect("the insertion failed because the run has a task of the target");
        if origin.has_fragment && !is_finished {
            discard_cached_result(self.db, id)?;
        }
        if target.host.is_none() {
            // The task was inserted before an interruption of the run. The file
            // may have been created or deleted since, so use the new result.
            set_generation(self.db, id, generation)?;
        }
        Ok(id)
    }

    /// Inserts a link to the target of a task.
    pub(super) fn insert_link(
        &mut self,
        document: i64,
        position: usize,
        ids: TaskIds,
        link: &NewLink,
    ) -> DbResult<()> {
        let mut row = RowBinder::new(&mut self.insert_link);
        bind_link(&mut row, document, position, ids.task, link)?;
        row.execute()?;
        self.origins.add(document, ids.target)
    }
}

/// Inserts links, with one group of [`LINK_VALUES`] per row.
pub(super) const INSERT_LINK: &str =
    "INSERT OR FAIL INTO link (document_id, position, task_id, span_start, span_end, line, col,
                               kind, fragment, ignored_codes)";

/// The parameters of a link, bound by [`bind_link`].
pub(super) const LINK_VALUES: &str = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// Binds the parameters of a link to the target of a task.
pub(super) fn bind_link(
    rows: &mut RowBinder<'_, '_>,
    document: i64,
    position: usize,
    task: i64,
    link: &NewLink,
) -> DbResult<()> {
    let location = link.location;
    rows.bind(&[
        &document,
        &to_i64(position),
        &task,
        &to_i64(location.span.start),
        &to_i64(location.span.end),
        &location.line,
        &location.column,
        &location.kind.as_str(),
        &link.fragment.as_deref(),
        &ignored_codes(link),
    ])
}

/// Returns the task that the run already has for a target.
fn find_task(db: &Connection, run: RunId, target: i64) -> DbResult<Option<i64>> {
    let mut statement =
        db.prepare_cached("SELECT id FROM task WHERE run_id = ? AND target_id = ?")?;
    Ok(statement.query_row((run.0, target), |row| row.get(0)).optional()?)
}

/// Marks the task of a target as user-supplied.
fn mark_task_user_supplied(db: &Connection, run: RunId, target: i64) -> DbResult<()> {
    db.prepare_cached(
        "UPDATE task SET user_supplied = 1
         WHERE run_id = ? AND target_id = ? AND NOT user_supplied",
    )?
    .execute((run.0, target))?;
    Ok(())
}

/// Marks a target as user-supplied. Later runs that only discover the URL do
/// not reset this.
fn mark_user_supplied(db: &Connection, target: i64) -> DbResult<()> {
    db.prepare_cached("UPDATE target SET user_supplied = 1 WHERE id = ?")?.execute([target])?;
    Ok(())
}

/// Makes a task with a cached result pending again. Used if a link to its target has a
/// fragment, but the anchors of the page are not stored.
fn discard_cached_result(db: &Connection, task: i64) -> DbResult<()> {
    db.prepare_cached(
        "UPDATE task SET state = 0 /* pending */, cached = 0, generation = NULL
         WHERE id = ? AND cached",
    )?
    .execute([task])?;
    Ok(())
}

/// Assigns the result of this generation to a finished task.
fn set_generation(db: &Connection, task: i64, generation: Option<i64>) -> DbResult<()> {
    db.prepare_cached("UPDATE task SET generation = ? WHERE id = ?")?
        .execute((generation, task))?;
    Ok(())
}
