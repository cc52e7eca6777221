//! Stores documents, links, and tasks for the targets of links.
//!
//! A target is stored once for all runs. Each run has one task per target, to which links
//! refer. A *local* target is a finding without a request, such as a missing file. Its key is
//! stored instead of a URL. A result is *cached* if it was reused from an earlier run. The
//! *generation* is a counter that grows when a run starts or resumes. A result is stored with
//! the generation in which it was found.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_model::{RunId, Verdict};
use relink_ports::{
    CacheWindow, DocumentId, LinkBatch, LoadedDocument, NewDocument, NewLink, NewTarget,
};
use rusqlite::{CachedStatement, Connection, OptionalExtension as _};

use super::anchors;
use super::bulk::{BATCH_ROWS, RowBinder};
use super::bulk_links::BulkLinkWriter;
use super::error::DbResult;
use super::history::{LinkOriginWriter, RECORD_CHANGE};
use super::redaction;
use super::rows::{millis, to_i64};
use super::runs;
use crate::values::{host_bucket, ignored_codes, label_hash, task_state};

/// Returns the hash of the content of a stored document.
pub(super) fn document_hash(db: &Connection, run: RunId, label: &str) -> DbResult<Option<u64>> {
    let hash: Option<i64> = db
        .prepare_cached("SELECT content_hash FROM document WHERE run_id = ? AND label = ?")?
        .query_row((run.0, redaction::text(label)), |row| row.get(0))
        .optional()?;
    Ok(hash.map(i64::cast_unsigned))
}

/// Returns the stored document of the run with this label, inserting it if
/// necessary. Deletes the links of a document that must be loaded again.
pub(super) fn load_document(
    db: &Connection,
    run: RunId,
    document: &NewDocument,
) -> DbResult<LoadedDocument> {
    let content_hash = document.content_hash.cast_signed();
    let stored: Option<(i64, i64, bool)> = db
        .prepare_cached(
            "SELECT id, content_hash, loaded FROM document WHERE run_id = ? AND label = ?",
        )?
        .query_row((run.0, redaction::text(&document.label)), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let Some((id, stored_hash, is_loaded)) = stored else {
        let id = DocumentId(insert_document(db, run, document)?);
        return Ok(LoadedDocument { id, is_unchanged: false });
    };
    let is_unchanged = is_loaded && stored_hash == content_hash;
    if !is_unchanged {
        delete_links(db, run, id, document)?;
    }
    Ok(LoadedDocument { id: DocumentId(id), is_unchanged })
}

/// Inserts a document and returns its id.
fn insert_document(db: &Connection, run: RunId, document: &NewDocument) -> DbResult<i64> {
    let label = redaction::text(&document.label);
    db.prepare_cached(
        "INSERT INTO document (run_id, label, label_hash, revision, content_hash)
         VALUES (?, ?, ?, ?, ?)",
    )?
    .execute((
        run.0,
        &label,
        label_hash(&label),
        &document.revision,
        document.content_hash.cast_signed(),
    ))?;
    Ok(db.last_insert_rowid())
}

/// Deletes the links of a document that has changed or was loaded incompletely. Sets
/// `run.unlinked`, because tasks may then have no link left. `finish_loading` deletes
/// such tasks.
fn delete_links(db: &Connection, run: RunId, id: i64, document: &NewDocument) -> DbResult<()> {
    db.execute("DELETE FROM link WHERE document_id = ?", [id])?;
    db.execute(
        "UPDATE document SET content_hash = ?, revision = ?, loaded = 0, links = 0 WHERE id = ?",
        (document.content_hash.cast_signed(), &document.revision, id),
    )?;
    db.execute("UPDATE run SET unlinked = 1 WHERE id = ?", [run.0])?;
    Ok(())
}

/// Marks a document as completely loaded.
pub(super) fn finish_document(db: &Connection, document: DocumentId) -> DbResult<()> {
    db.prepare_cached("UPDATE document SET loaded = 1 WHERE id = ?")?.execute([document.0])?;
    Ok(())
}

/// Stores links with their targets, and tasks for targets that are new to the
/// run.
pub(super) fn add_links(db: &Connection, run: RunId, batch: &LinkBatch<'_>) -> DbResult<()> {
    let mut hosts: HashMap<&str, i64> = HashMap::new();
    let mut bulk_writer = BulkLinkWriter::new(db, run, batch.cache_window.now)?;
    let mut task_writer = TaskWriter::new(db, run, batch.cache_window.now)?;
    // A bulk insert fails if one of its targets is already stored. Then most of the remaining
    // targets are usually stored too, so bulk inserts are not tried again.
    let mut try_bulk = true;
    for (chunk, links) in batch.links.chunks(BATCH_ROWS).enumerate() {
        let first_position = batch.first_position + chunk * BATCH_ROWS;
        if try_bulk && let Some(links) = with_host_ids(db, links, &mut hosts)? {
            try_bulk = bulk_writer.add(batch.document.0, first_position, &links)?;
            if try_bulk {
                continue;
            }
        }
        for (position, link) in (first_position..).zip(links) {
            let target = match &link.target {
                NewTarget::Web { url, host, .. } => {
                    let host = host_id(db, host, &mut hosts)?;
                    task_writer.insert_web_target(url, host)?
                }
                NewTarget::Local { .. } => {
                    insert_local_target(db, run, &link.target, batch.cache_window)?
                }
            };
            let task = task_writer.insert_task(
                &link.into(),
                &target,
                &TaskDefaults::immediate(batch.cache_window),
            )?;
            task_writer.insert_link(batch.document.0, position, task.id, link)?;
        }
    }
    count_links(db, batch)?;
    update_due_times(db, run, hosts.into_values())
}

/// Returns the links with their host ids. Returns `None` if a multi-row statement
/// cannot insert the links, because it has a fixed number of rows and inserts web links only.
fn with_host_ids<'a>(
    db: &Connection,
    links: &'a [NewLink],
    hosts: &mut HashMap<&'a str, i64>,
) -> DbResult<Option<Vec<(&'a NewLink, i64)>>> {
    if links.len() < BATCH_ROWS {
        return Ok(None);
    }
    let mut links_with_hosts = Vec::with_capacity(links.len());
    for link in links {
        let NewTarget::Web { host, .. } = &link.target else { return Ok(None) };
        links_with_hosts.push((link, host_id(db, host, hosts)?));
    }
    Ok(Some(links_with_hosts))
}

/// Adds the links of a batch to the link count of their document.
fn count_links(db: &Connection, batch: &LinkBatch<'_>) -> DbResult<()> {
    db.prepare_cached("UPDATE document SET links = links + ? WHERE id = ?")?
        .execute((to_i64(batch.links.len()), batch.document.0))?;
    Ok(())
}

/// Returns the id of a host, inserting the host if necessary. `hosts` caches the
/// ids of earlier calls.
pub(super) fn host_id<'a>(
    db: &Connection,
    name: &'a str,
    hosts: &mut HashMap<&'a str, i64>,
) -> DbResult<i64> {
    if let Some(id) = hosts.get(name) {
        return Ok(*id);
    }
    db.prepare_cached("INSERT INTO host (name, bucket) VALUES (?, ?) ON CONFLICT DO NOTHING")?
        .execute((name, host_bucket(name)))?;
    let id = db
        .prepare_cached("SELECT id FROM host WHERE name = ?")?
        .query_row([name], |row| row.get(0))?;
    hosts.insert(name, id);
    Ok(id)
}

/// Stores the due time of the first pending task of each host. Hosts without pending
/// tasks are not changed.
pub(super) fn update_due_times(
    db: &Connection,
    run: RunId,
    hosts: impl Iterator<Item = i64>,
) -> DbResult<()> {
    let mut select_due = db.prepare_cached(
        "SELECT min(not_before) FROM task
         WHERE run_id = ? AND host_id = ? AND state = 0 /* pending */",
    )?;
    let mut store_due = db.prepare_cached(
        "INSERT INTO run_host (run_id, host_id, due_at) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET due_at = excluded.due_at
         WHERE due_at IS NOT excluded.due_at",
    )?;
    for host in hosts {
        let due: Option<i64> = select_due.query_row((run.0, host), |row| row.get(0))?;
        if due.is_some() {
            store_due.execute((run.0, host, due))?;
        }
    }
    Ok(())
}

/// A stored target, with the values that are needed to create a task for it.
pub(super) struct StoredTarget {
    id: i64,
    host: Option<i64>,
    /// Whether the target is already marked as user-supplied.
    is_user_supplied: bool,
    /// The current result of the target, from an earlier run or this run.
    cached_result: Option<CachedResult>,
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
struct CachedResult {
    generation: i64,
    verdict: String,
    checked_at: i64,
}

/// Reads an existing target and its current result.
fn find_target(db: &Connection, url: &str) -> DbResult<StoredTarget> {
    let target = db
        .prepare_cached("SELECT id, host_id, user_supplied FROM target WHERE url = ?")?
        .query_row([url], |row| {
            let (id, host, is_user_supplied) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(StoredTarget { id, host, is_user_supplied, cached_result: None })
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

/// Stores a target that needs no request, such as a file, with its result.
pub(super) fn insert_local_target(
    db: &Connection,
    run: RunId,
    target: &NewTarget,
    cache_window: CacheWindow,
) -> DbResult<StoredTarget> {
    let NewTarget::Local { key, verdict, code, reason } = target else {
        unreachable!("the caller passes local targets only")
    };
    let (key, reason) = (redaction::text(key), redaction::text(reason));
    db.prepare_cached("INSERT INTO target (url) VALUES (?) ON CONFLICT DO NOTHING")?
        .execute([&key])?;
    let id: i64 = db
        .prepare_cached("SELECT id FROM target WHERE url = ?")?
        .query_row([&key], |row| row.get(0))?;
    let (generation, now) = (runs::generation(db, run)?, millis(cache_window.now));
    let code = code.map(|code| code.to_string());
    db.prepare_cached(RECORD_CHANGE)?.execute((id, generation, now, verdict.as_str(), &code))?;
    db.prepare_cached(
        "INSERT OR REPLACE INTO result
             (target_id, generation, verdict, code, reason, checked_at, since)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6,
                 ifnull((SELECT since FROM current_result WHERE id = ?1 AND verdict = ?3), ?6))",
    )?
    .execute((id, generation, verdict.as_str(), code, reason, now))?;
    let cached_result =
        CachedResult { generation, verdict: verdict.as_str().to_owned(), checked_at: now };
    Ok(StoredTarget { id, host: None, is_user_supplied: false, cached_result: Some(cached_result) })
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

/// The task of a target, after it was inserted or found.
pub(super) struct InsertedTask {
    pub(super) id: i64,
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
        let origins = LinkOriginWriter::new(db, millis(now))?;
        Ok(Self { db, run, insert_target, insert_task, insert_link, origins })
    }

    /// Returns the target with this URL, inserting it if necessary.
    pub(super) fn insert_web_target(&mut self, url: &str, host: i64) -> DbResult<StoredTarget> {
        let url = redaction::url(url);
        if self.insert_target.execute((&url, host))? == 0 {
            return find_target(self.db, &url);
        }
        let id = self.db.last_insert_rowid();
        Ok(StoredTarget { id, host: Some(host), is_user_supplied: false, cached_result: None })
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
            let id = self.db.last_insert_rowid();
            return Ok(InsertedTask { id, is_new: true, is_finished });
        }
        let id = existing_task(self.db, self.run, target, is_user_supplied)?;
        if origin.has_fragment && !is_finished {
            discard_cached_result(self.db, id)?;
        }
        if is_local {
            // The task was inserted before an interruption of the run. The file
            // may have been created or deleted since, so use the new result.
            set_generation(self.db, id, generation)?;
        }
        Ok(InsertedTask { id, is_new: false, is_finished })
    }

    /// Inserts a link to the target of a task.
    pub(super) fn insert_link(
        &mut self,
        document: i64,
        position: usize,
        task: i64,
        link: &NewLink,
    ) -> DbResult<()> {
        let mut row = RowBinder::new(&mut self.insert_link);
        bind_link(&mut row, document, position, task, link)?;
        row.execute()?;
        self.origins.add(document, task, task)
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

/// Returns the task that the run already has for a target. Marks the task as
/// user-supplied if the URL of the new link is user-supplied.
fn existing_task(
    db: &Connection,
    run: RunId,
    target: &StoredTarget,
    is_user_supplied: bool,
) -> DbResult<i64> {
    if is_user_supplied {
        db.prepare_cached(
            "UPDATE task SET user_supplied = 1
             WHERE run_id = ? AND target_id = ? AND NOT user_supplied",
        )?
        .execute((run.0, target.id))?;
    }
    let task = db
        .prepare_cached("SELECT id FROM task WHERE run_id = ? AND target_id = ?")?
        .query_row((run.0, target.id), |row| row.get(0))?;
    Ok(task)
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

/// Deletes documents that are not in `documents`, and tasks without links.
pub(super) fn finish_loading(
    db: &Connection,
    run: RunId,
    documents: &[DocumentId],
) -> DbResult<()> {
    let remaining: Vec<i64> = documents.iter().map(|document| document.0).collect();
    let remaining = serde_json::to_string(&remaining)?;
    let mut statement = db.prepare(
        "SELECT id FROM document WHERE run_id = ?
         AND id NOT IN (SELECT value FROM json_each(?))",
    )?;
    let removed = statement.query_map((run.0, remaining), |row| row.get(0))?;
    for document in removed.collect::<Result<Vec<i64>, _>>()? {
        db.execute("DELETE FROM link WHERE document_id = ?", [document])?;
        db.execute("DELETE FROM document WHERE id = ?", [document])?;
        db.execute("UPDATE run SET unlinked = 1 WHERE id = ?", [run.0])?;
    }
    delete_unlinked_tasks(db, run)
}

/// Deletes tasks whose links were all deleted, and updates the due times of
/// their hosts.
fn delete_unlinked_tasks(db: &Connection, run: RunId) -> DbResult<()> {
    let is_unlinked: bool =
        db.query_row("SELECT unlinked FROM run WHERE id = ?", [run.0], |row| row.get(0))?;
    if is_unlinked {
        db.execute(
            "DELETE FROM task WHERE run_id = ?
             AND NOT EXISTS (SELECT 1 FROM link WHERE task_id = task.id)",
            [run.0],
        )?;
        db.execute(
            "UPDATE run_host SET due_at = (
                 SELECT min(not_before) FROM task
                 WHERE run_id = ?1 AND host_id = run_host.host_id AND state = 0 /* pending */)
             WHERE run_id = ?1",
            [run.0],
        )?;
        db.execute("UPDATE run SET unlinked = 0 WHERE id = ?", [run.0])?;
    }
    Ok(())
}
