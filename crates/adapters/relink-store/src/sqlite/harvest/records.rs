//! Writes records and the checks of their targets.

use jiff::Timestamp;
use relink_ports::{NewRecord, PageChanges, RecordLinkRole, TargetCheck};
use rusqlite::{Connection, OptionalExtension as _};

use super::super::error::DbResult;
use super::super::rows::{millis, to_i64};

/// The state of a record: current, deleted, or marked for deletion.
pub(super) const CURRENT: i64 = 0;
pub(super) const DELETED: i64 = 1;
const MARKED: i64 = 2;

/// A stored record, as far as a page can change it.
struct Known {
    id: i64,
    state: i64,
    is_same: bool,
}

/// Stores the records of a page.
pub(super) fn save(
    db: &Connection,
    provider: i64,
    records: &[NewRecord],
    list: i64,
    now: Timestamp,
) -> DbResult<PageChanges> {
    let mut changes = PageChanges::default();
    for new in records {
        let known = find(db, provider, new)?;
        match known {
            None => {
                insert(db, provider, new, list, now)?;
                changes.added += u64::from(!new.record.is_deleted);
            }
            Some(known) if new.record.is_deleted => {
                changes.deleted += mark(db, &known, list)?;
            }
            Some(known) if known.is_same && known.state != DELETED => {
                touch(db, &known, list)?;
                changes.unchanged += 1;
            }
            Some(known) => {
                update(db, provider, known.id, new, list, now)?;
                changes.changed += 1;
            }
        }
    }
    Ok(changes)
}

fn find(db: &Connection, provider: i64, new: &NewRecord) -> DbResult<Option<Known>> {
    let record = &new.record;
    let known = db
        .prepare_cached(
            "SELECT id, state, metadata = ?3 AND datestamp = ?4 AND sets = ?5
             FROM harvest_record WHERE provider_id = ?1 AND identifier = ?2",
        )?
        .query_row(
            (provider, &record.identifier, &record.metadata, &record.datestamp, sets(new)?),
            |row| Ok(Known { id: row.get(0)?, state: row.get(1)?, is_same: row.get(2)? }),
        )
        .optional()?;
    Ok(known)
}

fn sets(new: &NewRecord) -> DbResult<String> {
    Ok(serde_json::to_string(&new.record.sets)?)
}

fn insert(
    db: &Connection,
    provider: i64,
    new: &NewRecord,
    list: i64,
    now: Timestamp,
) -> DbResult<()> {
    let record = &new.record;
    let state = if record.is_deleted { DELETED } else { CURRENT };
    db.prepare_cached(
        "INSERT INTO harvest_record
             (provider_id, identifier, datestamp, sets, title, metadata, state, list, changed_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?
    .execute((
        provider,
        &record.identifier,
        &record.datestamp,
        sets(new)?,
        &record.title,
        &record.metadata,
        state,
        list,
        millis(now),
    ))?;
    insert_links(db, provider, db.last_insert_rowid(), new)
}

fn insert_links(db: &Connection, provider: i64, record: i64, new: &NewRecord) -> DbResult<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO harvest_link (record_id, position, provider_id, role, url, host, original)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (position, link) in new.links.iter().enumerate() {
        let role = i64::from(link.role == RecordLinkRole::Related);
        let position = to_i64(position);
        statement.execute((
            record,
            position,
            provider,
            role,
            &link.url,
            &link.host,
            &link.original,
        ))?;
    }
    Ok(())
}

/// Marks a record as deleted. Returns the number of newly marked records.
fn mark(db: &Connection, known: &Known, list: i64) -> DbResult<u64> {
    let state = if known.state == DELETED { DELETED } else { MARKED };
    db.prepare_cached("UPDATE harvest_record SET state = ?, list = ? WHERE id = ?")?
        .execute((state, list, known.id))?;
    Ok(u64::from(known.state == CURRENT))
}

fn touch(db: &Connection, known: &Known, list: i64) -> DbResult<()> {
    db.prepare_cached("UPDATE harvest_record SET state = ?, list = ? WHERE id = ?")?
        .execute((CURRENT, list, known.id))?;
    Ok(())
}

fn update(
    db: &Connection,
    provider: i64,
    id: i64,
    new: &NewRecord,
    list: i64,
    now: Timestamp,
) -> DbResult<()> {
    let record = &new.record;
    db.prepare_cached(
        "UPDATE harvest_record SET datestamp = ?, sets = ?, title = ?, metadata = ?, state = ?,
                list = ?, changed_at = ? WHERE id = ?",
    )?
    .execute((
        &record.datestamp,
        sets(new)?,
        &record.title,
        &record.metadata,
        CURRENT,
        list,
        millis(now),
        id,
    ))?;
    db.prepare_cached("DELETE FROM harvest_link WHERE record_id = ?")?.execute([id])?;
    insert_links(db, provider, id, new)
}

pub(super) fn mark_absent(db: &Connection, provider: i64, list: i64) -> DbResult<u64> {
    let marked = db.execute(
        "UPDATE harvest_record SET state = ? WHERE provider_id = ? AND state = ? AND list <> ?",
        (MARKED, provider, CURRENT, list),
    )?;
    Ok(marked as u64)
}

pub(super) fn pending_deletions(db: &Connection, provider: i64) -> DbResult<u64> {
    let count = db.query_row(
        "SELECT count(*) FROM harvest_record WHERE provider_id = ? AND state = 2",
        [provider],
        |row| row.get(0),
    )?;
    Ok(count)
}

pub(super) fn apply_deletions(db: &Connection, provider: i64, now: Timestamp) -> DbResult<u64> {
    db.execute(
        "DELETE FROM harvest_link WHERE record_id IN
             (SELECT id FROM harvest_record WHERE provider_id = ? AND state = 2)",
        [provider],
    )?;
    let deleted = db.execute(
        "UPDATE harvest_record SET state = ?, changed_at = ? WHERE provider_id = ? AND state = 2",
        (DELETED, millis(now), provider),
    )?;
    Ok(deleted as u64)
}

pub(super) fn save_checks(db: &Connection, checks: &[TargetCheck]) -> DbResult<()> {
    let mut statement = db.prepare_cached(
        "INSERT OR REPLACE INTO harvest_target (url, verdict, reason, checked_at)
         VALUES (?, ?, ?, ?)",
    )?;
    for check in checks {
        let checked_at = millis(check.checked_at);
        statement.execute((&check.url, check.verdict.as_str(), &check.reason, checked_at))?;
    }
    Ok(())
}
