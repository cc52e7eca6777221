//! Stores documents, links, and tasks for the targets of links.
//!
//! A target is stored once for all runs. Each run has one task per target, to which links
//! refer. A *local* target is a finding without a request, such as a missing file. Its key is
//! stored instead of a URL. A result is *cached* if it was reused from an earlier run. The
//! *generation* is a counter that grows when a run starts or resumes. A result is stored with
//! the generation in which it was found.

use std::collections::HashMap;

use relink_model::RunId;
use relink_ports::{DocumentId, LinkBatch, LoadedDocument, NewDocument, NewLink, NewTarget};
use rusqlite::{Connection, OptionalExtension as _};

use super::bulk::BATCH_ROWS;
use super::bulk_links::BulkLinkWriter;
use super::error::DbResult;
use super::local_targets::insert_local_target;
use super::redaction;
use super::rows::to_i64;
use super::task_writer::{TaskDefaults, TaskWriter};
use crate::values::{host_bucket, label_hash};

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
    let mut task_writer = TaskWriter::new(db, run, batch.cache_window.now)?;
    // Most documents are small and do not need the statements of bulk inserts.
    let mut bulk_writer = (batch.links.len() >= BATCH_ROWS)
        .then(|| BulkLinkWriter::new(db, run, batch.cache_window.now))
        .transpose()?;
    for (chunk, links) in batch.links.chunks(BATCH_ROWS).enumerate() {
        let first_position = batch.first_position + chunk * BATCH_ROWS;
        if let Some(bulk) = &mut bulk_writer
            && let Some(links) = with_host_ids(db, links, &mut hosts)?
        {
            if bulk.add(batch.document.0, first_position, &links)? {
                continue;
            }
            // A target of the chunk is already stored. Then most of the remaining targets
            // are usually stored too, so bulk inserts are not tried again.
            bulk_writer = None;
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
            task_writer.insert_link(batch.document.0, position, task.ids, link)?;
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
