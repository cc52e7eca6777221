//! History that is never pruned: when links were first seen, and when verdicts
//! changed.

use relink_model::{RunId, Verdict};
use relink_ports::{LinkOrigin, PastChange};
use rusqlite::{CachedStatement, Connection, OptionalExtension as _};

use super::error::DbResult;
use super::redaction;
use super::rows::{parse_name, timestamp};
use crate::values::label_hash;

/// The insertion of link origins, with one group of [`ORIGIN_VALUES`] per row.
pub(super) const INSERT_ORIGIN: &str =
    "INSERT OR IGNORE INTO link_origin (target_id, label_hash, run_id, seen_at, revision)";

/// The parameters of a link origin.
pub(super) const ORIGIN_VALUES: &str = "(?, ?, ?, ?, ?)";

/// The columns of a link origin that depend on the document.
pub(super) struct OriginDocument {
    pub(super) label_hash: i64,
    pub(super) revision: Option<String>,
}

impl OriginDocument {
    /// Reads the columns of a stored document.
    pub(super) fn read(db: &Connection, document: i64) -> DbResult<Self> {
        let mut statement =
            db.prepare_cached("SELECT label_hash, revision FROM document WHERE id = ?")?;
        Ok(statement.query_row([document], |row| {
            Ok(Self { label_hash: row.get(0)?, revision: row.get(1)? })
        })?)
    }
}

/// Records when a document was first seen with a link to a target.
pub(super) struct LinkOriginWriter<'db> {
    db: &'db Connection,
    run: RunId,
    now: i64,
    insert: CachedStatement<'db>,
    /// The document of the last link, with its id.
    document: Option<(i64, OriginDocument)>,
}

impl<'db> LinkOriginWriter<'db> {
    /// Creates a writer of links that are seen at the time `now`.
    pub(super) fn new(db: &'db Connection, run: RunId, now: i64) -> DbResult<Self> {
        let insert = db.prepare_cached(&format!("{INSERT_ORIGIN} VALUES {ORIGIN_VALUES}"))?;
        Ok(Self { db, run, now, insert, document: None })
    }

    /// Records a link of a document to a target, unless it is already recorded.
    pub(super) fn add(&mut self, document: i64, target: i64) -> DbResult<()> {
        let origin = match self.document.take() {
            Some((id, origin)) if id == document => origin,
            _ => OriginDocument::read(self.db, document)?,
        };
        self.insert.execute((target, origin.label_hash, self.run.0, self.now, &origin.revision))?;
        self.document = Some((document, origin));
        Ok(())
    }
}

/// Returns when a link to a target was first seen in each of these documents.
pub(super) fn link_origins(
    db: &Connection,
    url: &str,
    documents: &[&str],
) -> DbResult<Vec<Option<LinkOrigin>>> {
    let mut statement = db.prepare_cached(
        "SELECT o.seen_at, o.run_id, o.revision FROM target t
         CROSS JOIN link_origin o ON o.target_id = t.id WHERE t.url = ? AND o.label_hash = ?",
    )?;
    let mut origins = Vec::with_capacity(documents.len());
    for document in documents {
        let label = label_hash(&redaction::text(document));
        let origin = statement.query_row((url, label), |row| {
            let (seen_at, run) = (timestamp(row.get(0)?), RunId(row.get(1)?));
            Ok(LinkOrigin { seen_at, run, revision: row.get(2)? })
        });
        origins.push(origin.optional()?);
    }
    Ok(origins)
}

/// Records a verdict change if the verdict of a result differs from the verdict in the previous
/// generation (the counter that grows when a run starts or resumes). Must be executed
/// before the result is stored. The parameters are the target, the generation, the time,
/// the verdict and the code.
///
/// A target may be judged twice in a generation. Then the second judgment replaces a change that
/// the first judgment recorded, even if the verdict is the same as in the previous generation.
pub(super) const RECORD_CHANGE: &str = "INSERT OR REPLACE INTO verdict_change
         (target_id, generation, changed_at, old_verdict, new_verdict, code)
     SELECT ?1, ?2, ?3, last.verdict, ?4, ?5
     FROM (SELECT verdict FROM result WHERE target_id = ?1 AND generation < ?2
           ORDER BY generation DESC LIMIT 1) AS last
     WHERE last.verdict <> ?4
        OR EXISTS (SELECT 1 FROM verdict_change WHERE target_id = ?1 AND generation = ?2)";

/// Returns the changes of the verdict of a target, oldest first.
pub(super) fn verdict_changes(db: &Connection, target: i64) -> DbResult<Vec<PastChange>> {
    let mut statement = db.prepare_cached(
        "SELECT changed_at, old_verdict, new_verdict, code FROM verdict_change
         WHERE target_id = ? AND old_verdict <> new_verdict ORDER BY generation",
    )?;
    let rows = statement.query_and_then([target], |row| {
        DbResult::Ok(PastChange {
            changed_at: timestamp(row.get(0)?),
            // Both columns are `NOT NULL`, so the defaults are never used.
            before: parse_name(row.get(1)?)?.unwrap_or(Verdict::Alive),
            after: parse_name(row.get(2)?)?.unwrap_or(Verdict::Alive),
            code: parse_name(row.get(3)?)?,
        })
    })?;
    rows.collect()
}
