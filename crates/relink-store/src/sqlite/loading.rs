//! Loading: documents, links, and the errands they lead to.

use std::collections::BTreeSet;

use relink_model::{Place, RunId, Word};
use relink_ports::{
    DocumentId, LinkBatch, LoadedDocument, NewDocument, NewLink, NewTarget, StoreFault,
};
use serde::Serialize;
use sqlx::{Connection, SqliteConnection};

use super::SqliteStore;
use super::rows::{millis, to_json};

/// Shards of a larger database; see the `bucket` column.
const BUCKETS: u64 = 64;

/// One link as the statements below read it: an array, by position.
#[derive(Serialize)]
struct LinkRow<'a>(
    /* 0 url */ &'a str,
    /* 1 given, if it differs */ Option<&'a str>,
    /* 2 named */ bool,
    /* 3 position */ usize,
    /* 4 start */ usize,
    /* 5 end */ usize,
    /* 6 line */ u32,
    /* 7 column */ u32,
    /* 8 kind */ &'a str,
    /* 9 host */ Option<&'a str>,
    /* 10 word */ Option<Word>,
    /* 11 code */ Option<String>,
    /* 12 reason */ Option<&'a str>,
);

impl<'a> LinkRow<'a> {
    fn new(link: &'a NewLink, position: usize) -> Self {
        let Place {
            span,
            line,
            column,
            kind,
        } = link.place;
        let (url, host, named, word, code, reason) = match &link.target {
            NewTarget::Web {
                url,
                host,
                is_named,
            } => (url, Some(host.as_str()), *is_named, None, None, None),
            NewTarget::Local {
                key,
                word,
                code,
                reason,
            } => {
                let code = code.map(|code| code.to_string());
                (key, None, false, Some(*word), code, Some(reason.as_str()))
            }
        };
        let given = (link.given != *url).then_some(link.given.as_str());
        let kind = kind.as_str();
        Self(
            url, given, named, position, span.start, span.end, line, column, kind, host, word,
            code, reason,
        )
    }
}

impl SqliteStore {
    pub(super) async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreFault> {
        let doing = self.fault("loading a document");
        let mut connection = self.connection().await;
        let content = document.content.cast_signed();
        let known: Option<(i64, i64, bool)> = sqlx::query_as(
            "SELECT id, content, loaded FROM document WHERE run_id = ? AND label = ?",
        )
        .bind(run.0)
        .bind(&document.label)
        .fetch_optional(&mut *connection)
        .await
        .map_err(&doing)?;
        let loaded = match known {
            None => {
                let id = insert_document(&mut connection, run, document)
                    .await
                    .map_err(&doing)?;
                LoadedDocument {
                    id,
                    is_unchanged: false,
                }
            }
            Some((id, same, true)) if same == content => LoadedDocument {
                id: DocumentId(id),
                is_unchanged: true,
            },
            Some((id, _, _)) => {
                forget_links(&mut connection, run, id, content)
                    .await
                    .map_err(&doing)?;
                LoadedDocument {
                    id: DocumentId(id),
                    is_unchanged: false,
                }
            }
        };
        Ok(loaded)
    }

    pub(super) async fn add_links(
        &self,
        run: RunId,
        batch: LinkBatch<'_>,
    ) -> Result<(), StoreFault> {
        let doing = self.fault("storing links");
        let rows: Vec<LinkRow<'_>> = (batch.first..)
            .zip(batch.links)
            .map(|(n, link)| LinkRow::new(link, n))
            .collect();
        let json = to_json(&rows)?;
        let hosts = to_json(&hosts(&rows))?;
        let mut connection = self.connection().await;
        let mut transaction = connection.begin().await.map_err(&doing)?;
        insert_hosts(&mut transaction, &hosts)
            .await
            .map_err(&doing)?;
        insert_targets(&mut transaction, &json)
            .await
            .map_err(&doing)?;
        if rows.iter().any(|row| row.10.is_some()) {
            settle_local(&mut transaction, run, &json, &batch)
                .await
                .map_err(&doing)?;
        }
        insert_errands(&mut transaction, run, &json, &batch)
            .await
            .map_err(&doing)?;
        insert_links(&mut transaction, run, &json, batch.document)
            .await
            .map_err(&doing)?;
        make_due(&mut transaction, run, &hosts)
            .await
            .map_err(&doing)?;
        transaction.commit().await.map_err(&doing)
    }

    pub(super) async fn finish_document(&self, document: DocumentId) -> Result<(), StoreFault> {
        sqlx::query("UPDATE document SET loaded = 1 WHERE id = ?")
            .bind(document.0)
            .execute(&mut *self.connection().await)
            .await
            .map_err(self.fault("loading a document"))?;
        Ok(())
    }

    pub(super) async fn finish_loading(
        &self,
        run: RunId,
        documents: &[DocumentId],
    ) -> Result<(), StoreFault> {
        let doing = self.fault("ending the loading");
        let kept: Vec<i64> = documents.iter().map(|document| document.0).collect();
        let mut connection = self.connection().await;
        let mut transaction = connection.begin().await.map_err(&doing)?;
        drop_documents(&mut transaction, run, &to_json(&kept)?)
            .await
            .map_err(&doing)?;
        drop_unlinked(&mut transaction, run).await.map_err(&doing)?;
        transaction.commit().await.map_err(&doing)
    }
}

/// The distinct hosts of a batch with their buckets.
fn hosts<'a>(rows: &[LinkRow<'a>]) -> Vec<(&'a str, u64)> {
    let names: BTreeSet<&str> = rows.iter().filter_map(|row| row.9).collect();
    names.into_iter().map(|name| (name, bucket(name))).collect()
}

/// FNV-1a: it must be the same on every machine and in every version.
fn bucket(name: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(start, mix) % BUCKETS
}

async fn insert_document(
    connection: &mut SqliteConnection,
    run: RunId,
    document: &NewDocument,
) -> Result<DocumentId, sqlx::Error> {
    let (id,) = sqlx::query_as(
        "INSERT INTO document (run_id, label, content) VALUES (?, ?, ?) RETURNING id",
    )
    .bind(run.0)
    .bind(&document.label)
    .bind(document.content.cast_signed())
    .fetch_one(connection)
    .await?;
    Ok(DocumentId(id))
}

/// The document changed, or its loading was interrupted: start it over.
async fn forget_links(
    connection: &mut SqliteConnection,
    run: RunId,
    document: i64,
    content: i64,
) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    sqlx::query("DELETE FROM link WHERE document_id = ?")
        .bind(document)
        .execute(&mut *transaction)
        .await?;
    sqlx::query("UPDATE document SET content = ?, loaded = 0 WHERE id = ?")
        .bind(content)
        .bind(document)
        .execute(&mut *transaction)
        .await?;
    sqlx::query("UPDATE run SET unlinked = 1 WHERE id = ?")
        .bind(run.0)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await
}

async fn insert_hosts(connection: &mut SqliteConnection, hosts: &str) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO host (name, bucket)
         SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
         ON CONFLICT (name) DO NOTHING",
    )
    .bind(hosts)
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert_targets(connection: &mut SqliteConnection, rows: &str) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO target (url, host_id)
         SELECT j.value ->> 0, h.id
         FROM json_each(?) j LEFT JOIN host h ON h.name = j.value ->> 9 WHERE true
         ON CONFLICT (url) DO NOTHING",
    )
    .bind(rows)
    .execute(connection)
    .await?;
    Ok(())
}

/// What needs no asking is settled while loading. An errand from before an
/// interruption is settled anew: the file may have come or gone since.
async fn settle_local(
    connection: &mut SqliteConnection,
    run: RunId,
    rows: &str,
    batch: &LinkBatch<'_>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "UPDATE target SET
             since = CASE WHEN word IS j.value ->> 10 THEN since ELSE ?2 END,
             word = j.value ->> 10, code = j.value ->> 11, reason = j.value ->> 12,
             checked_at = ?2
         FROM json_each(?1) j
         WHERE url = j.value ->> 0 AND j.value ->> 10 IS NOT NULL",
    )
    .bind(rows)
    .bind(millis(batch.now))
    .execute(&mut *connection)
    .await?;
    // The subquery keeps the order: rows of the batch, then their errands.
    sqlx::query(
        "UPDATE errand SET (word, code, reason, since, settled_at) =
             (SELECT word, code, reason, since, checked_at FROM target WHERE id = target_id)
         WHERE id IN (
             SELECT e.id FROM json_each(?1) j
             CROSS JOIN target t ON t.url = j.value ->> 0
             CROSS JOIN errand e ON e.run_id = ?2 AND e.target_id = t.id
             WHERE j.value ->> 10 IS NOT NULL)",
    )
    .bind(rows)
    .bind(run.0)
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert_errands(
    connection: &mut SqliteConnection,
    run: RunId,
    rows: &str,
    batch: &LinkBatch<'_>,
) -> Result<(), sqlx::Error> {
    // A row settled here is local, or was alive lately; all others wait.
    sqlx::query(
        "WITH row AS (
             SELECT t.*, j.value ->> 1 AS given, j.value ->> 2 AS named,
                    t.word = 'alive' AND t.checked_at >= ?3 AND t.host_id IS NOT NULL AS cached
             FROM json_each(?2) j CROSS JOIN target t ON t.url = j.value ->> 0
         )
         INSERT INTO errand (run_id, target_id, host_id, named, given, state, cached,
                             word, code, status, reason, since, settled_at)
         SELECT ?1, id, host_id, named, given,
                iif(cached OR host_id IS NULL, 2, 0), ifnull(cached, 0),
                iif(cached OR host_id IS NULL, word, NULL),
                iif(cached OR host_id IS NULL, code, NULL),
                iif(cached OR host_id IS NULL, status, NULL),
                iif(cached OR host_id IS NULL, reason, NULL),
                iif(cached OR host_id IS NULL, since, NULL),
                iif(cached OR host_id IS NULL, checked_at, NULL)
         FROM row WHERE true
         ON CONFLICT (run_id, target_id) DO UPDATE SET named = 1
         WHERE excluded.named AND NOT errand.named",
    )
    .bind(run.0)
    .bind(rows)
    .bind(millis(batch.fresh_since))
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert_links(
    connection: &mut SqliteConnection,
    run: RunId,
    rows: &str,
    document: DocumentId,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO link (document_id, position, errand_id, span_start, span_end, line, col, kind)
         SELECT ?1, j.value ->> 3, e.id, j.value ->> 4, j.value ->> 5,
                j.value ->> 6, j.value ->> 7, j.value ->> 8
         FROM json_each(?3) j
         CROSS JOIN target t ON t.url = j.value ->> 0
         CROSS JOIN errand e ON e.run_id = ?2 AND e.target_id = t.id",
    )
    .bind(document.0)
    .bind(run.0)
    .bind(rows)
    .execute(connection)
    .await?;
    Ok(())
}

async fn make_due(
    connection: &mut SqliteConnection,
    run: RunId,
    hosts: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "WITH due AS (
             SELECT h.id, (SELECT min(not_before) FROM errand
                           WHERE run_id = ?1 AND host_id = h.id AND state = 0) AS due_at
             FROM json_each(?2) j CROSS JOIN host h ON h.name = j.value ->> 0
         )
         INSERT INTO run_host (run_id, host_id, due_at)
         SELECT ?1, id, due_at FROM due WHERE due_at IS NOT NULL
         ON CONFLICT (run_id, host_id) DO UPDATE SET due_at = excluded.due_at
         WHERE run_host.due_at IS NOT excluded.due_at",
    )
    .bind(run.0)
    .bind(hosts)
    .execute(connection)
    .await?;
    Ok(())
}

async fn drop_documents(
    connection: &mut SqliteConnection,
    run: RunId,
    kept: &str,
) -> Result<(), sqlx::Error> {
    let gone = "SELECT id FROM document WHERE run_id = ?1
                AND id NOT IN (SELECT value FROM json_each(?2))";
    for statement in [
        format!("UPDATE run SET unlinked = 1 WHERE id = ?1 AND EXISTS ({gone})"),
        format!("DELETE FROM link WHERE document_id IN ({gone})"),
        format!("DELETE FROM document WHERE id IN ({gone})"),
    ] {
        // Made of the constants above alone.
        sqlx::query(sqlx::AssertSqlSafe(statement))
            .bind(run.0)
            .bind(kept)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Drops errands that no link names any more, and tells their hosts.
async fn drop_unlinked(connection: &mut SqliteConnection, run: RunId) -> Result<(), sqlx::Error> {
    for statement in DROP_UNLINKED {
        sqlx::query(statement)
            .bind(run.0)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

const DROP_UNLINKED: [&str; 3] = [
    "DELETE FROM errand
     WHERE run_id = ?1 AND (SELECT unlinked FROM run WHERE id = ?1)
       AND NOT EXISTS (SELECT 1 FROM link WHERE errand_id = errand.id)",
    "UPDATE run_host SET due_at = (SELECT min(not_before) FROM errand
                                   WHERE run_id = ?1 AND host_id = run_host.host_id AND state = 0)
     WHERE run_id = ?1 AND (SELECT unlinked FROM run WHERE id = ?1)",
    "UPDATE run SET unlinked = 0 WHERE id = ?1",
];
