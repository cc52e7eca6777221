//! Stores *local* targets: findings without a request, such as a missing file.

use std::borrow::Cow;

use relink_model::{RunId, Verdict};
use relink_ports::{CacheWindow, NewTarget};
use rusqlite::{Connection, OptionalExtension as _};

use super::error::DbResult;
use super::history::RECORD_CHANGE;
use super::redaction;
use super::rows::millis;
use super::runs;
use super::task_writer::{CachedResult, StoredTarget};

/// The values of a local target that are stored.
struct LocalResult<'a> {
    key: Cow<'a, str>,
    verdict: Verdict,
    code: Option<String>,
    reason: Cow<'a, str>,
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
    let result = LocalResult {
        key: redaction::text(key),
        verdict: *verdict,
        code: code.map(|code| code.to_string()),
        reason: redaction::text(reason),
    };
    let (generation, now) = (runs::generation(db, run)?, millis(cache_window.now));
    // Many links lead to the same file. Only the first link writes the result.
    let recorded = find_recorded(db, &result, generation)?;
    let id = match recorded {
        Some(id) => id,
        None => insert_result(db, &result, generation, now)?,
    };
    let cached_result =
        CachedResult { generation, verdict: verdict.as_str().to_owned(), checked_at: now };
    Ok(StoredTarget {
        id,
        host: None,
        is_user_supplied: false,
        cached_result: Some(cached_result),
        is_recorded: recorded.is_some(),
    })
}

/// Returns the id of a target whose stored result of this generation is `result`.
fn find_recorded(
    db: &Connection,
    result: &LocalResult<'_>,
    generation: i64,
) -> DbResult<Option<i64>> {
    let id = db
        .prepare_cached(
            "SELECT t.id FROM target t
             CROSS JOIN result r ON r.target_id = t.id AND r.generation = ?2
             WHERE t.url = ?1 AND r.verdict = ?3 AND r.code IS ?4 AND r.reason = ?5",
        )?
        .query_row(
            (&result.key, generation, result.verdict.as_str(), &result.code, &result.reason),
            |row| row.get(0),
        )
        .optional()?;
    Ok(id)
}

/// Stores the result of a target, which is inserted if necessary. Returns its id.
fn insert_result(
    db: &Connection,
    result: &LocalResult<'_>,
    generation: i64,
    now: i64,
) -> DbResult<i64> {
    let LocalResult { key, verdict, code, reason } = result;
    let is_new = db
        .prepare_cached("INSERT INTO target (url) VALUES (?) ON CONFLICT DO NOTHING")?
        .execute([key])?
        > 0;
    let id: i64 = if is_new {
        db.last_insert_rowid()
    } else {
        db.prepare_cached("SELECT id FROM target WHERE url = ?")?
            .query_row([key], |row| row.get(0))?
    };
    db.prepare_cached(RECORD_CHANGE)?.execute((id, generation, now, verdict.as_str(), code))?;
    db.prepare_cached(
        "INSERT OR REPLACE INTO result
             (target_id, generation, verdict, code, reason, checked_at, since)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6,
                 ifnull((SELECT since FROM current_result WHERE id = ?1 AND verdict = ?3), ?6))",
    )?
    .execute((id, generation, verdict.as_str(), code, reason, now))?;
    Ok(id)
}
