//! Stores the documents of a run and their links. A run is loaded after all of its
//! documents are stored. Other workers can join the run only then.

use relink_model::RunId;
use relink_ports::{DocumentId, LinkBatch, LoadedDocument, NewDocument};

use super::error::DbResult;
use super::links::{self, LinkRow};
use super::rows::{stored_text, to_i64};
use super::session::Db;
use super::tasks::{self, NewTask};
use crate::values::label_hash;

/// Returns the hash of the content of a stored document.
pub(super) async fn document_hash(db: &Db<'_>, run: RunId, label: &str) -> DbResult<Option<u64>> {
    let row = db
        .query_opt(
            "SELECT content_hash FROM document WHERE run_id = $1 AND label = $2",
            &[&run.0, &stored_text(label)],
        )
        .await?;
    Ok(row.map(|row| row.get::<_, i64>(0).cast_unsigned()))
}

/// Returns the stored document of the run with this label, inserting it if
/// necessary. Deletes the links of a document that must be loaded again.
pub(super) async fn load_document(
    db: &Db<'_>,
    run: RunId,
    document: &NewDocument,
) -> DbResult<LoadedDocument> {
    let content_hash = document.content_hash.cast_signed();
    let label = stored_text(&document.label);
    let added = db
        .query_opt(
            "INSERT INTO document (run_id, label, label_hash, revision, content_hash)
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id",
            &[&run.0, &label, &label_hash(&label), &document.revision, &content_hash],
        )
        .await?;
    if let Some(row) = added {
        return Ok(LoadedDocument { id: DocumentId(row.get(0)), is_unchanged: false });
    }
    let row = db
        .query_one(
            "SELECT id, loaded AND content_hash = $3 FROM document
             WHERE run_id = $1 AND label = $2 FOR UPDATE",
            &[&run.0, &label, &content_hash],
        )
        .await?;
    let (id, is_unchanged): (i64, bool) = (row.get(0), row.get(1));
    if !is_unchanged {
        delete_links(db, run, id, document).await?;
    }
    Ok(LoadedDocument { id: DocumentId(id), is_unchanged })
}

/// Deletes the links of a document that has changed or was loaded incompletely. Some
/// tasks may then have no link left. `run.unlinked` records this, so that
/// `finish_loading` deletes them.
async fn delete_links(db: &Db<'_>, run: RunId, id: i64, document: &NewDocument) -> DbResult<()> {
    db.execute("DELETE FROM link WHERE document_id = $1", &[&id]).await?;
    db.execute(
        "UPDATE document SET content_hash = $1, revision = $2, loaded = FALSE, links = 0
         WHERE id = $3",
        &[&document.content_hash.cast_signed(), &document.revision, &id],
    )
    .await?;
    db.execute("UPDATE run SET unlinked = TRUE WHERE id = $1", &[&run.0]).await?;
    Ok(())
}

/// Marks a document as completely loaded.
pub(super) async fn finish_document(db: &Db<'_>, document: DocumentId) -> DbResult<()> {
    db.execute("UPDATE document SET loaded = TRUE WHERE id = $1", &[&document.0]).await?;
    Ok(())
}

/// Stores links with their targets, and tasks for targets that are new to the
/// run.
pub(super) async fn add_links(db: &Db<'_>, run: RunId, batch: &LinkBatch<'_>) -> DbResult<()> {
    let due_immediately = |link| NewTask::immediate(link, batch.cache_window);
    let new: Vec<NewTask<'_>> = batch.links.iter().map(due_immediately).collect();
    let (inserted, hosts) = tasks::insert_tasks(db, run, &new, batch.cache_window.now).await?;
    let links = (batch.first_position..).zip(batch.links).zip(inserted);
    let rows: Vec<LinkRow<'_>> = links
        .map(|((position, link), task)| LinkRow {
            document: batch.document.0,
            position,
            task: task.id,
            link,
        })
        .collect();
    let added = links::insert(db, &rows, batch.cache_window.now).await?;
    db.execute(
        "UPDATE document SET links = links + $1 WHERE id = $2",
        &[&added.cast_signed(), &batch.document.0],
    )
    .await?;
    tasks::update_due_times(db, run, &hosts).await
}

/// Deletes documents that are not in `documents`, and tasks without links. Marks the run
/// as loaded, so that other workers may fetch its tasks.
pub(super) async fn finish_loading(
    db: &Db<'_>,
    run: RunId,
    documents: &[DocumentId],
) -> DbResult<()> {
    let remaining: Vec<i64> = documents.iter().map(|document| document.0).collect();
    let removed = db
        .query(
            "DELETE FROM document WHERE run_id = $1 AND id <> ALL($2) RETURNING id",
            &[&run.0, &remaining],
        )
        .await?;
    let removed: Vec<i64> = removed.iter().map(|row| row.get(0)).collect();
    db.execute("DELETE FROM link WHERE document_id = ANY($1)", &[&removed]).await?;
    let row = db
        .query_one(
            "UPDATE run SET loaded = TRUE, unlinked = unlinked OR $2 WHERE id = $1
             RETURNING unlinked",
            &[&run.0, &(to_i64(removed.len()) > 0)],
        )
        .await?;
    if row.get(0) {
        delete_unlinked_tasks(db, run).await?;
    }
    Ok(())
}

/// Deletes tasks whose links were all deleted, and updates the due times of
/// their hosts.
async fn delete_unlinked_tasks(db: &Db<'_>, run: RunId) -> DbResult<()> {
    db.execute(
        "DELETE FROM task WHERE run_id = $1
         AND NOT EXISTS (SELECT 1 FROM link WHERE task_id = task.id)",
        &[&run.0],
    )
    .await?;
    db.execute(
        "UPDATE run_host SET due_at = (
             SELECT min(not_before) FROM task
             WHERE run_id = $1 AND host_id = run_host.host_id AND state = 0 /* pending */)
         WHERE run_id = $1",
        &[&run.0],
    )
    .await?;
    db.execute("UPDATE run SET unlinked = FALSE WHERE id = $1", &[&run.0]).await?;
    Ok(())
}
