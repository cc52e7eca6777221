//! History that is never pruned: when links were first seen, and when verdicts
//! changed.

use jiff::Timestamp;
use relink_model::{RunId, Verdict};
use relink_ports::{LinkOrigin, PastChange};
use tokio_postgres::Row;

use super::error::DbResult;
use super::links::LinkRow;
use super::rows::{millis, parse_name, stored_text, timestamp, without_nul};
use super::session::Db;
use crate::values::label_hash;

/// Records the time `now` for links that were not recorded before. A link is identified
/// by its target and the label of its document.
pub(super) async fn insert_origins(
    db: &Db<'_>,
    rows: &[LinkRow<'_>],
    now: Timestamp,
) -> DbResult<()> {
    let documents: Vec<i64> = rows.iter().map(|row| row.document).collect();
    let tasks: Vec<i64> = rows.iter().map(|row| row.task).collect();
    db.execute(
        "INSERT INTO link_origin (target_id, label_hash, run_id, seen_at, revision)
         SELECT task.target_id, d.label_hash, d.run_id, $3, d.revision
         FROM unnest($1::bigint[], $2::bigint[]) AS new (document, task)
         JOIN document d ON d.id = new.document JOIN task ON task.id = new.task
         ON CONFLICT DO NOTHING",
        &[&documents, &tasks, &millis(now)],
    )
    .await?;
    Ok(())
}

/// Returns when a link to a target was first seen in each of these documents.
pub(super) async fn link_origins(
    db: &Db<'_>,
    url: &str,
    documents: &[&str],
) -> DbResult<Vec<Option<LinkOrigin>>> {
    let mut origins = Vec::with_capacity(documents.len());
    for document in documents {
        let label = label_hash(&stored_text(document));
        let row = db
            .query_opt(
                "SELECT o.seen_at, o.run_id, o.revision FROM target t
                 JOIN link_origin o ON o.target_id = t.id
                 WHERE t.url = $1 AND o.label_hash = $2",
                &[&without_nul(url), &label],
            )
            .await?;
        origins.push(row.map(|row| LinkOrigin {
            seen_at: timestamp(row.get(0)),
            run: RunId(row.get(1)),
            revision: row.get(2),
        }));
    }
    Ok(origins)
}

/// Returns the changes of the verdict of a target, oldest first.
pub(super) async fn verdict_changes(db: &Db<'_>, target: i64) -> DbResult<Vec<PastChange>> {
    let rows = db
        .query(
            "SELECT changed_at, old_verdict, new_verdict, code FROM verdict_change
             WHERE target_id = $1 AND old_verdict <> new_verdict ORDER BY generation",
            &[&target],
        )
        .await?;
    let change = |row: &Row| {
        DbResult::Ok(PastChange {
            changed_at: timestamp(row.get(0)),
            // Both columns are `NOT NULL`, so the defaults are never used.
            before: parse_name(row.get(1))?.unwrap_or(Verdict::Alive),
            after: parse_name(row.get(2))?.unwrap_or(Verdict::Alive),
            code: parse_name(row.get(3))?,
        })
    };
    rows.iter().map(change).collect()
}

/// A common table expression `changed` that records a verdict change for each row of
/// `new` whose verdict differs from the verdict in the previous generation. `new` has the columns
/// `target`, `since`, `verdict` and `code`. `$generation` is the SQL placeholder of the generation,
/// such as `"$1"`.
///
/// A generation may judge a target twice. A change that the first judgment recorded is
/// then replaced, even if the verdict is the previous one again.
macro_rules! record_changes {
    ($generation:literal) => {
        concat!(
            "changed AS (
                 INSERT INTO verdict_change (target_id, generation, changed_at, old_verdict,
                                             new_verdict, code)
                 SELECT new.target, ",
            $generation,
            ", new.since, before.verdict, new.verdict, new.code
                 FROM new JOIN LATERAL (
                     SELECT verdict FROM result
                     WHERE target_id = new.target AND generation < ",
            $generation,
            "        ORDER BY generation DESC LIMIT 1) AS before ON TRUE
                 WHERE before.verdict <> new.verdict
                    OR EXISTS (SELECT 1 FROM verdict_change c
                               WHERE c.target_id = new.target AND c.generation = ",
            $generation,
            ")
                 ON CONFLICT (target_id, generation) DO UPDATE SET
                     changed_at = excluded.changed_at, old_verdict = excluded.old_verdict,
                     new_verdict = excluded.new_verdict, code = excluded.code)"
        )
    };
}
pub(super) use record_changes;
