//! Reads and stores watched pages (pages that are checked repeatedly because they are
//! members of collections) and their versions. A version is the content of a page between
//! two confirmed changes. A candidate is a change that is not confirmed yet.

use jiff::Timestamp;
use relink_ports::{CollectionId, PageUpdate, StoredVersion, VersionId, WatchedPage};
use rusqlite::{Connection, Row};

use super::collections::json_ids;
use super::error::DbResult;
use super::redaction;
use super::rows::{millis, parse_name, timestamp, to_i64};

/// Makes the pages of active and rejected members due now. A rejected member is checked,
/// too, because its page may return.
pub(super) fn schedule_pages(
    db: &Connection,
    collections: &[CollectionId],
    now: Timestamp,
) -> DbResult<()> {
    let ids = json_ids(collections.iter().map(|id| id.0))?;
    db.execute(
        "UPDATE watched_page SET next_at = ?1
         WHERE next_at > ?1 AND url IN (
             SELECT url FROM member
             WHERE collection_id IN (SELECT value FROM json_each(?2))
                 AND state IN ('active', 'rejected'))",
        (millis(now), ids),
    )?;
    Ok(())
}

/// Returns the URLs of due pages in URL order, starting after the URL `after`.
pub(super) fn due_pages(
    db: &Connection,
    collections: &[CollectionId],
    now: Timestamp,
    after: &str,
    limit: usize,
) -> DbResult<Vec<String>> {
    let ids = json_ids(collections.iter().map(|id| id.0))?;
    let mut statement = db.prepare_cached(
        "SELECT p.url FROM watched_page p
         WHERE p.next_at <= ?1 AND p.url > ?2 AND EXISTS (
             SELECT 1 FROM member m
             WHERE m.url = p.url AND m.state IN ('active', 'rejected')
                 AND m.collection_id IN (SELECT value FROM json_each(?3)))
         ORDER BY p.url LIMIT ?4",
    )?;
    let rows = statement.query_map((millis(now), after, ids, to_i64(limit)), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the watched pages with these URLs.
pub(super) fn watched_pages(db: &Connection, urls: &[String]) -> DbResult<Vec<WatchedPage>> {
    let mut statement = db.prepare_cached(
        "SELECT p.url, next_at, interval_ms, checked_at, verdict, code, reason, since, latest_id,
                checksum, candidate, volatile, v.bytes
         FROM watched_page p LEFT JOIN page_version v ON v.id = p.latest_id
         WHERE p.url IN (SELECT value FROM json_each(?))",
    )?;
    let rows = statement.query_and_then([serde_json::to_string(urls)?], page_row)?;
    rows.collect()
}

/// Converts a row of the database to a watched page.
fn page_row(row: &Row<'_>) -> DbResult<WatchedPage> {
    Ok(WatchedPage {
        url: row.get(0)?,
        next_at: timestamp(row.get(1)?),
        interval_ms: row.get(2)?,
        checked_at: row.get::<_, Option<i64>>(3)?.map(timestamp),
        verdict: parse_name(row.get(4)?)?,
        code: parse_name(row.get(5)?)?,
        reason: row.get(6)?,
        since: row.get::<_, Option<i64>>(7)?.map(timestamp),
        latest: row.get::<_, Option<i64>>(8)?.map(VersionId),
        checksum: row.get::<_, Option<i64>>(9)?.map(i64::cast_unsigned),
        candidate: row.get(10)?,
        volatile: row.get(11)?,
        latest_bytes: row.get::<_, Option<i64>>(12)?.and_then(|bytes| u64::try_from(bytes).ok()),
    })
}

/// Updates watched pages and stores their new versions.
pub(super) fn save_watched_pages(db: &Connection, updates: &[PageUpdate]) -> DbResult<()> {
    for PageUpdate { page, version } in updates {
        let latest = match version {
            Some(version) => Some(add_version(db, version)?),
            None => page.latest,
        };
        save_page(db, page, latest)?;
    }
    Ok(())
}

/// Updates a watched page. `latest` is its latest version.
fn save_page(db: &Connection, page: &WatchedPage, latest: Option<VersionId>) -> DbResult<()> {
    db.prepare_cached(
        "UPDATE watched_page SET next_at = ?2, interval_ms = ?3, checked_at = ?4, verdict = ?5,
             code = ?6, reason = ?7, since = ?8, latest_id = ?9, checksum = ?10, candidate = ?11,
             volatile = ?12
         WHERE url = ?1",
    )?
    .execute((
        &page.url,
        millis(page.next_at),
        page.interval_ms,
        page.checked_at.map(millis),
        page.verdict.map(relink_model::Verdict::as_str),
        page.code.map(|code| code.to_string()),
        redaction::text(&page.reason),
        page.since.map(millis),
        latest.map(|version| version.0),
        page.checksum.map(u64::cast_signed),
        page.candidate.as_deref().map(redaction::json).transpose()?,
        page.volatile.as_deref().map(redaction::json).transpose()?,
    ))?;
    Ok(())
}

/// Stores a version. It becomes the accepted version of members that have none.
fn add_version(db: &Connection, version: &StoredVersion) -> DbResult<VersionId> {
    db.prepare_cached(
        "INSERT INTO page_version (url, seen_at, title, bytes, signature, terms, keyphrases, text)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute((
        redaction::url(&version.url),
        millis(version.seen_at),
        redaction::text(&version.title),
        i64::try_from(version.bytes).unwrap_or(i64::MAX),
        redaction::json(&version.signature)?,
        redaction::json(&version.terms)?,
        redaction::json(&version.keyphrases)?,
        version.text.as_deref().map(redaction::text),
    ))?;
    let id = db.last_insert_rowid();
    db.prepare_cached("UPDATE member SET reference_id = ? WHERE url = ? AND reference_id IS NULL")?
        .execute((id, redaction::url(&version.url)))?;
    Ok(VersionId(id))
}

/// Returns the versions with these ids.
pub(super) fn versions(db: &Connection, ids: &[VersionId]) -> DbResult<Vec<StoredVersion>> {
    let mut statement = db.prepare_cached(
        "SELECT id, url, seen_at, title, bytes, signature, terms, keyphrases, text
         FROM page_version WHERE id IN (SELECT value FROM json_each(?))",
    )?;
    let rows = statement.query_map([json_ids(ids.iter().map(|id| id.0))?], |row| {
        Ok(StoredVersion {
            id: VersionId(row.get(0)?),
            url: row.get(1)?,
            seen_at: timestamp(row.get(2)?),
            title: row.get(3)?,
            bytes: u64::try_from(row.get::<_, i64>(4)?).unwrap_or(0),
            signature: row.get(5)?,
            terms: row.get(6)?,
            keyphrases: row.get(7)?,
            text: row.get(8)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Replaces the keyphrases (JSON) of a version.
pub(super) fn save_keyphrases(
    db: &Connection,
    version: VersionId,
    keyphrases: &str,
) -> DbResult<()> {
    db.prepare_cached("UPDATE page_version SET keyphrases = ? WHERE id = ?")?
        .execute((redaction::json(keyphrases)?, version.0))?;
    Ok(())
}

/// Returns the ids and times of all versions of a page, oldest first.
pub(super) fn version_times(db: &Connection, url: &str) -> DbResult<Vec<(VersionId, Timestamp)>> {
    let mut statement = db.prepare_cached(
        "SELECT id, seen_at FROM page_version WHERE url = ? ORDER BY seen_at, id",
    )?;
    let rows =
        statement.query_map([url], |row| Ok((VersionId(row.get(0)?), timestamp(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
