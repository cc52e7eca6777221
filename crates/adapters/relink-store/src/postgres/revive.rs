//! Reads and stores dead targets, revivals (searches for the new URL of a dead page),
//! patterns (rules by which the URLs of a directory changed), cached searches and budgets
//! of services.

use jiff::Timestamp;
use relink_model::{Confidence, Probe, RequestRights, Verdict};
use relink_ports::{DeadTarget, StoredPattern, StoredRevival, TextChange, TitledPage};
use tokio_postgres::Row;

use super::error::DbResult;
use super::rows::{
    from_json, millis, optional_number, parse_name, stored_text, timestamp, to_i64, without_nul,
};
use super::session::Db;
use crate::redaction;
use crate::values::{page_text, prefix_end};

/// The columns of [`dead_target_row`], from `current_result t` and `probe p`.
macro_rules! dead_columns {
    () => {
        "t.url, t.verdict, t.since, t.reached_at, p.detail, t.user_supplied,
         t.code, t.status, t.checked_at
         FROM current_result t LEFT JOIN probe p ON p.id = t.reached_probe AND p.target_id = t.id"
    };
}

/// Returns the current result of a URL and the page that was last reached
/// there.
pub(super) async fn dead_target(db: &Db<'_>, url: &str) -> DbResult<Option<DeadTarget>> {
    let sql = concat!("SELECT ", dead_columns!(), " WHERE t.url = $1");
    let row = db.query_opt(sql, &[&without_nul(url)]).await?;
    row.as_ref().map(dead_target_row).transpose()
}

/// Returns the targets with these verdicts in URL order, starting after the URL
/// `after`.
pub(super) async fn dead_targets(
    db: &Db<'_>,
    verdicts: &[Verdict],
    after: &str,
    limit: usize,
) -> DbResult<Vec<DeadTarget>> {
    let verdicts: Vec<&str> = verdicts.iter().map(|verdict| verdict.as_str()).collect();
    let sql = concat!(
        "SELECT ",
        dead_columns!(),
        " WHERE t.url > $1 AND t.host_id IS NOT NULL AND t.verdict = ANY($2)
          ORDER BY t.url LIMIT $3"
    );
    let rows = db.query(sql, &[&without_nul(after), &verdicts, &to_i64(limit)]).await?;
    rows.iter().map(dead_target_row).collect()
}

/// Converts a row of the database to a dead target.
fn dead_target_row(row: &Row) -> DbResult<DeadTarget> {
    let reached: Option<Probe> = from_json(row.get(4))?;
    Ok(DeadTarget {
        url: row.get(0),
        // The column is `NOT NULL`, so the default is never used.
        verdict: parse_name(row.get(1))?.unwrap_or(Verdict::Dead),
        since: row.get::<_, Option<i64>>(2).map(timestamp),
        last_reached_at: row.get::<_, Option<i64>>(3).map(timestamp),
        digest: reached.and_then(|probe| probe.digest).map(|digest| *digest),
        rights: RequestRights::from_stored(row.get(5)),
        code: parse_name(row.get(6))?,
        status: optional_number(row, 7),
        checked_at: row.get::<_, Option<i64>>(8).map(timestamp),
    })
}

/// Returns the stored search for the new URL of a dead page.
pub(super) async fn revival(db: &Db<'_>, url: &str) -> DbResult<Option<StoredRevival>> {
    let row = db
        .query_opt(
            "SELECT url, alias, confidence, searched_at, report FROM revival WHERE url = $1",
            &[&without_nul(url)],
        )
        .await?;
    Ok(row.as_ref().map(revival_row))
}

/// Returns stored searches by URL prefix, in URL order, starting after the URL
/// `after`.
pub(super) async fn revivals(
    db: &Db<'_>,
    prefix: &str,
    after: &str,
    limit: usize,
) -> DbResult<Vec<StoredRevival>> {
    let prefix = without_nul(prefix);
    let rows = db
        .query(
            "SELECT url, alias, confidence, searched_at, report FROM revival
             WHERE url >= $1 AND url < $2 AND url > $3 ORDER BY url LIMIT $4",
            &[&prefix, &prefix_end(&prefix), &without_nul(after), &to_i64(limit)],
        )
        .await?;
    Ok(rows.iter().map(revival_row).collect())
}

/// Converts a row of the database to a revival.
fn revival_row(row: &Row) -> StoredRevival {
    StoredRevival {
        url: row.get(0),
        alias: row.get(1),
        confidence: optional_number(row, 2).map(Confidence::from_percent),
        searched_at: timestamp(row.get(3)),
        report: row.get(4),
    }
}

/// Replaces the stored searches for these URLs.
pub(super) async fn save_revivals(db: &Db<'_>, revivals: &[StoredRevival]) -> DbResult<()> {
    for revival in revivals {
        db.execute(
            "INSERT INTO revival (url, alias, confidence, searched_at, report)
             VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (url) DO UPDATE SET alias = excluded.alias,
                 confidence = excluded.confidence, searched_at = excluded.searched_at,
                 report = excluded.report",
            &[
                &without_nul(&redaction::url(&revival.url)),
                &revival.alias.as_deref().map(redaction::url),
                &revival.confidence.map(|confidence| i64::from(confidence.as_percent())),
                &millis(revival.searched_at),
                &redaction::json(&revival.report)?,
            ],
        )
        .await?;
    }
    Ok(())
}

/// Reads the columns of [`pattern_row`].
macro_rules! select_pattern {
    () => {
        "SELECT id, directory, dead, disabled, learned_at, programs FROM pattern"
    };
}

/// Returns the pattern that was learned for a directory.
pub(super) async fn pattern(db: &Db<'_>, directory: &str) -> DbResult<Option<StoredPattern>> {
    let sql = concat!(select_pattern!(), " WHERE directory = $1");
    let row = db.query_opt(sql, &[&without_nul(directory)]).await?;
    Ok(row.as_ref().map(pattern_row))
}

/// Returns all learned patterns.
pub(super) async fn patterns(db: &Db<'_>) -> DbResult<Vec<StoredPattern>> {
    let rows = db.query(concat!(select_pattern!(), " ORDER BY id"), &[]).await?;
    Ok(rows.iter().map(pattern_row).collect())
}

/// Converts a row of the database to a pattern.
fn pattern_row(row: &Row) -> StoredPattern {
    StoredPattern {
        id: row.get(0),
        directory: row.get(1),
        is_dead: row.get(2),
        is_disabled: row.get(3),
        learned_at: timestamp(row.get(4)),
        programs: row.get(5),
    }
}

/// Inserts or updates the pattern of a directory and returns its id.
pub(super) async fn save_pattern(db: &Db<'_>, pattern: &StoredPattern) -> DbResult<i64> {
    let row = db
        .query_one(
            "INSERT INTO pattern (directory, dead, learned_at, programs) VALUES ($1, $2, $3, $4)
             ON CONFLICT (directory) DO UPDATE SET
                 dead = excluded.dead, learned_at = excluded.learned_at,
                 programs = excluded.programs
             RETURNING id",
            &[
                &stored_text(&pattern.directory),
                &pattern.is_dead,
                &millis(pattern.learned_at),
                &redaction::json(&pattern.programs)?,
            ],
        )
        .await?;
    Ok(row.get(0))
}

/// Disables or enables a pattern. Returns whether it exists.
pub(super) async fn disable_pattern(db: &Db<'_>, id: i64, is_disabled: bool) -> DbResult<bool> {
    let changed =
        db.execute("UPDATE pattern SET disabled = $1 WHERE id = $2", &[&is_disabled, &id]).await?;
    Ok(changed > 0)
}

/// Returns the cached hits of a search if they are not older than `since`.
pub(super) async fn search(db: &Db<'_>, key: &str, since: Timestamp) -> DbResult<Option<String>> {
    let row = db
        .query_opt(
            "SELECT hits FROM search WHERE key = $1 AND requested_at >= $2",
            &[&without_nul(key), &millis(since)],
        )
        .await?;
    Ok(row.map(|row| row.get(0)))
}

/// Caches the hits of a search.
pub(super) async fn cache_search(
    db: &Db<'_>,
    key: &str,
    hits: &str,
    now: Timestamp,
) -> DbResult<()> {
    db.execute(
        "INSERT INTO search (key, requested_at, hits) VALUES ($1, $2, $3)
         ON CONFLICT (key) DO UPDATE SET
             requested_at = excluded.requested_at, hits = excluded.hits",
        &[&without_nul(key), &millis(now), &redaction::json(hits)?],
    )
    .await?;
    Ok(())
}

/// Waits for all transactions that have reserved probe ids. Otherwise the caller could miss a probe
/// that has a smaller id than the probes it reads and is committed later. `RESERVE_PROBE_IDS` holds
/// the same lock.
async fn wait_for_probes(db: &Db<'_>) -> DbResult<()> {
    db.execute("SELECT pg_advisory_xact_lock(hashtext('relink probes ' || current_schema()))", &[])
        .await?;
    Ok(())
}

/// Returns the changes of texts since the probe with the id `after`: the URL, and the
/// text of the page, or `None` if the page is not alive now. Probes of live pages whose
/// content was replaced by a later probe are omitted.
pub(super) async fn text_changes(
    db: &Db<'_>,
    after: i64,
    limit: usize,
) -> DbResult<Vec<TextChange>> {
    wait_for_probes(db).await?;
    let rows = db
        .query(
            "SELECT p.id, t.url, t.verdict = $3, p.detail
             FROM probe p JOIN current_result t ON t.id = p.target_id
             WHERE p.id > $1 AND t.host_id IS NOT NULL
               AND (t.verdict <> $3 OR t.reached_probe = p.id)
             ORDER BY p.id LIMIT $2",
            &[&after, &to_i64(limit), &Verdict::Alive.as_str()],
        )
        .await?;
    let change = |row: &Row| {
        let is_alive: bool = row.get(2);
        let probe: Option<Probe> = if is_alive { from_json(row.get(3))? } else { None };
        DbResult::Ok(TextChange {
            probe_id: row.get(0),
            url: row.get(1),
            text: probe.map(|probe| page_text(*probe.digest.unwrap_or_default())),
        })
    };
    rows.iter().map(change).collect()
}

/// Returns the greatest probe id, or zero.
pub(super) async fn last_probe_id(db: &Db<'_>) -> DbResult<i64> {
    wait_for_probes(db).await?;
    Ok(db.query_one("SELECT coalesce(max(id), 0) FROM probe", &[]).await?.get(0))
}

/// Returns the token that changes when probe ids may be reused.
pub(super) async fn probe_id_epoch(db: &Db<'_>) -> DbResult<String> {
    Ok(db.query_one("SELECT token FROM probe_id_epoch", &[]).await?.get(0))
}

/// Returns the live HTML pages with this URL prefix.
pub(super) async fn live_pages(
    db: &Db<'_>,
    prefix: &str,
    after: &str,
    limit: usize,
) -> DbResult<Vec<TitledPage>> {
    let prefix = without_nul(prefix);
    let rows = db
        .query(
            "SELECT t.url, p.detail::json #>> '{digest,title}'
             FROM current_result t JOIN probe p ON p.id = t.reached_probe AND p.target_id = t.id
             WHERE t.url >= $1 AND t.url < $2 AND t.url > $3 AND t.verdict = $5
               AND p.detail::json #>> '{digest,content_type}' ILIKE '%html%'
             ORDER BY t.url LIMIT $4",
            &[
                &prefix,
                &prefix_end(&prefix),
                &without_nul(after),
                &to_i64(limit),
                &Verdict::Alive.as_str(),
            ],
        )
        .await?;
    Ok(rows.iter().map(|row| TitledPage { url: row.get(0), title: row.get(1) }).collect())
}

/// Counts one request to a service if its daily budget allows it.
pub(super) async fn try_spend(db: &Db<'_>, service: &str, day: i64, budget: u32) -> DbResult<bool> {
    if budget == 0 {
        return Ok(false);
    }
    // The counter is reset only on a later day, not if the system clock is set back to an
    // earlier day.
    let changed = db
        .execute(
            "INSERT INTO service_usage AS used (service, day, requests) VALUES ($1, $2, 1)
             ON CONFLICT (service) DO UPDATE SET
                 requests = CASE WHEN excluded.day > used.day THEN 1 ELSE used.requests + 1 END,
                 day = greatest(used.day, excluded.day)
             WHERE excluded.day > used.day OR used.requests < $3",
            &[&service, &day, &i64::from(budget)],
        )
        .await?;
    Ok(changed > 0)
}
