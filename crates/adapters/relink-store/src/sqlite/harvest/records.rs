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

/// The page that is stored.
pub(super) struct Page {
    pub(super) provider: i64,
    /// The number of the list.
    pub(super) list: i64,
    /// Whether new and changed records are arrivals.
    pub(super) marks_arrivals: bool,
    pub(super) now: Timestamp,
}

impl Page {
    /// Stores the records of a page.
    pub(super) fn save(&self, db: &Connection, records: &[NewRecord]) -> DbResult<PageChanges> {
        let mut changes = PageChanges::default();
        for new in records {
            let known = find(db, self.provider, new)?;
            match known {
                None => {
                    self.insert(db, new)?;
                    changes.added += u64::from(!new.record.is_deleted);
                }
                Some(known) if new.record.is_deleted => {
                    changes.deleted += mark(db, &known, self.list)?;
                }
                Some(known) if known.is_same && known.state != DELETED => {
                    touch(db, &known, self.list)?;
                    changes.unchanged += 1;
                }
                Some(known) => {
                    self.update(db, known.id, new)?;
                    changes.changed += 1;
                }
            }
        }
        Ok(changes)
    }
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

impl Page {
    fn insert(&self, db: &Connection, new: &NewRecord) -> DbResult<()> {
        let record = &new.record;
        let state = if record.is_deleted { DELETED } else { CURRENT };
        let is_arrival = self.marks_arrivals && !record.is_deleted && !new.links.is_empty();
        db.prepare_cached(
            "INSERT INTO harvest_record (provider_id, identifier, datestamp, sets, title, metadata,
                 state, list, changed_at, visible)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute((
            self.provider,
            &record.identifier,
            &record.datestamp,
            sets(new)?,
            &record.title,
            &record.metadata,
            state,
            self.list,
            millis(self.now),
            !is_arrival,
        ))?;
        let id = db.last_insert_rowid();
        if is_arrival {
            self.add_arrival(db, id, true)?;
        }
        insert_links(db, self.provider, id, new)
    }

    fn update(&self, db: &Connection, id: i64, new: &NewRecord) -> DbResult<()> {
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
            self.list,
            millis(self.now),
            id,
        ))?;
        if self.marks_arrivals && !new.links.is_empty() {
            self.add_arrival(db, id, false)?;
        }
        db.prepare_cached("DELETE FROM harvest_link WHERE record_id = ?")?.execute([id])?;
        insert_links(db, self.provider, id, new)?;
        db.prepare_cached(
            "DELETE FROM harvest_hidden_link WHERE record_id = ?1
             AND url NOT IN (SELECT url FROM harvest_link WHERE record_id = ?1)",
        )?
        .execute([id])?;
        Ok(())
    }

    /// A record that is still waiting as a new one stays so.
    fn add_arrival(&self, db: &Connection, record: i64, is_new: bool) -> DbResult<()> {
        db.prepare_cached(
            "INSERT INTO harvest_arrival (record_id, provider_id, is_new) VALUES (?, ?, ?)
             ON CONFLICT DO NOTHING",
        )?
        .execute((record, self.provider, is_new))?;
        Ok(())
    }
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
    for table in ["link", "hidden_link", "arrival"] {
        let delete = format!(
            "DELETE FROM harvest_{table} WHERE record_id IN
                 (SELECT id FROM harvest_record WHERE provider_id = ? AND state = 2)"
        );
        db.execute(&delete, [provider])?;
    }
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
