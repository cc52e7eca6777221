//! Writes harvested records and the checks of their targets.
//!
//! A harvest reads the list of all records of a provider page by page, and stores each
//! page with the number of the list. Records that a complete list does not contain are
//! marked for deletion. Marked records are deleted later, after the caller has verified
//! their number. An arrival is a new or changed record whose locations are not checked
//! yet.

use jiff::Timestamp;
use relink_ports::{NewRecord, PageChanges, RecordLinkRole, TargetCheck};
use rusqlite::{Connection, OptionalExtension as _};

use super::super::error::DbResult;
use super::super::rows::{millis, to_i64};

// Values of `harvest_record.state`.
/// The provider lists the record.
pub(super) const CURRENT: i64 = 0;
/// The record is deleted.
pub(super) const DELETED: i64 = 1;
/// The provider has deleted the record, but it is still published until
/// [`apply_deletions`].
const MARKED: i64 = 2;

/// Values of `harvest_link.role`.
pub(super) mod link_role {
    pub(in super::super) const LOCATION: i64 = 0;
    pub(in super::super) const RELATED: i64 = 1;
}

/// A stored record with the identifier of a harvested record.
struct ExistingRecord {
    id: i64,
    state: i64,
    is_unchanged: bool,
}

/// Stores the records of one page of a harvested list.
pub(super) struct PageWriter {
    pub(super) provider: i64,
    /// The number of the list, which increases with each complete harvest.
    pub(super) list: i64,
    /// Whether new and changed records are arrivals.
    pub(super) marks_arrivals: bool,
    pub(super) now: Timestamp,
}

impl PageWriter {
    /// Stores the records of a page.
    pub(super) fn save(&self, db: &Connection, records: &[NewRecord]) -> DbResult<PageChanges> {
        let mut changes = PageChanges::default();
        for new in records {
            let existing = find_record(db, self.provider, new)?;
            match existing {
                None => {
                    self.insert(db, new)?;
                    changes.added += u64::from(!new.record.is_deleted);
                }
                // The provider lists the record as deleted.
                Some(existing) if new.record.is_deleted => {
                    changes.deleted += mark_deleted(db, &existing, self.list)?;
                }
                Some(existing)
                    if existing.is_unchanged
                        && existing.state != DELETED
                        && has_links(db, existing.id, new)? =>
                {
                    confirm_current(db, &existing, self.list)?;
                    changes.unchanged += 1;
                }
                Some(existing) => {
                    self.update(db, existing.id, new)?;
                    changes.changed += 1;
                }
            }
        }
        Ok(changes)
    }
}

/// Returns the stored record with the identifier of a harvested record.
fn find_record(
    db: &Connection,
    provider: i64,
    new: &NewRecord,
) -> DbResult<Option<ExistingRecord>> {
    let record = &new.record;
    let existing = db
        .prepare_cached(
            "SELECT id, state, metadata = ?3 AND datestamp = ?4 AND sets = ?5
             FROM harvest_record WHERE provider_id = ?1 AND identifier = ?2",
        )?
        .query_row(
            (provider, &record.identifier, &record.metadata, &record.datestamp, sets_json(new)?),
            |row| {
                Ok(ExistingRecord {
                    id: row.get(0)?,
                    state: row.get(1)?,
                    is_unchanged: row.get(2)?,
                })
            },
        )
        .optional()?;
    Ok(existing)
}

/// Whether a stored record has the links of the harvested record. The links of an
/// unchanged record differ if the user has changed the metadata fields that contain
/// links.
fn has_links(db: &Connection, record: i64, new: &NewRecord) -> DbResult<bool> {
    let mut statement = db.prepare_cached(
        "SELECT original FROM harvest_link WHERE record_id = ? ORDER BY position",
    )?;
    let stored: Vec<String> =
        statement.query_map([record], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(stored.iter().eq(new.links.iter().map(|link| &link.original)))
}

fn sets_json(new: &NewRecord) -> DbResult<String> {
    Ok(serde_json::to_string(&new.record.sets)?)
}

impl PageWriter {
    /// Inserts a record. If the record is an arrival, it is hidden until its locations
    /// are checked.
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
            sets_json(new)?,
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

    /// Replaces the content and links of a record. Links that are hidden because they are
    /// broken stay hidden if the new content has them, too.
    fn update(&self, db: &Connection, id: i64, new: &NewRecord) -> DbResult<()> {
        let record = &new.record;
        db.prepare_cached(
            "UPDATE harvest_record SET datestamp = ?, sets = ?, title = ?, metadata = ?, state = ?,
                    list = ?, changed_at = ? WHERE id = ?",
        )?
        .execute((
            &record.datestamp,
            sets_json(new)?,
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

    /// Queues a record for a check of its locations. A record that is already queued as
    /// new stays new.
    fn add_arrival(&self, db: &Connection, record: i64, is_new: bool) -> DbResult<()> {
        db.prepare_cached(
            "INSERT INTO harvest_arrival (record_id, provider_id, is_new) VALUES (?, ?, ?)
             ON CONFLICT DO NOTHING",
        )?
        .execute((record, self.provider, is_new))?;
        Ok(())
    }
}

/// Inserts the links of a record.
fn insert_links(db: &Connection, provider: i64, record: i64, new: &NewRecord) -> DbResult<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO harvest_link (record_id, position, provider_id, role, url, host, original)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (position, link) in new.links.iter().enumerate() {
        let role = match link.role {
            RecordLinkRole::Location => link_role::LOCATION,
            RecordLinkRole::Related => link_role::RELATED,
        };
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

/// Marks a record for deletion. Returns the number of newly marked records.
fn mark_deleted(db: &Connection, existing: &ExistingRecord, list: i64) -> DbResult<u64> {
    let state = if existing.state == DELETED { DELETED } else { MARKED };
    db.prepare_cached("UPDATE harvest_record SET state = ?, list = ? WHERE id = ?")?.execute((
        state,
        list,
        existing.id,
    ))?;
    Ok(u64::from(existing.state == CURRENT))
}

/// Records that an unchanged record occurs in this list, and removes a mark for deletion.
fn confirm_current(db: &Connection, existing: &ExistingRecord, list: i64) -> DbResult<()> {
    db.prepare_cached("UPDATE harvest_record SET state = ?, list = ? WHERE id = ?")?.execute((
        CURRENT,
        list,
        existing.id,
    ))?;
    Ok(())
}

/// Marks current records for deletion if they do not occur in this list.
pub(super) fn mark_absent(db: &Connection, provider: i64, list: i64) -> DbResult<u64> {
    let marked = db.execute(
        "UPDATE harvest_record SET state = ? WHERE provider_id = ? AND state = ? AND list <> ?",
        (MARKED, provider, CURRENT, list),
    )?;
    Ok(marked as u64)
}

/// Counts the records that are marked for deletion.
pub(super) fn pending_deletions(db: &Connection, provider: i64) -> DbResult<u64> {
    let count = db.query_row(
        "SELECT count(*) FROM harvest_record WHERE provider_id = ? AND state = 2 /* marked */",
        [provider],
        |row| row.get(0),
    )?;
    Ok(count)
}

/// Deletes the content of the marked records and returns their number. Their rows stay
/// with the state [`DELETED`], because Relink reports deleted records to its own clients.
pub(super) fn apply_deletions(db: &Connection, provider: i64, now: Timestamp) -> DbResult<u64> {
    for table in ["link", "hidden_link", "arrival"] {
        let delete = format!(
            "DELETE FROM harvest_{table} WHERE record_id IN
                 (SELECT id FROM harvest_record
                  WHERE provider_id = ? AND state = 2 /* marked */)"
        );
        db.execute(&delete, [provider])?;
    }
    let deleted = db.execute(
        "UPDATE harvest_record SET state = ?, changed_at = ?
         WHERE provider_id = ? AND state = 2 /* marked */",
        (DELETED, millis(now), provider),
    )?;
    Ok(deleted as u64)
}

/// Replaces the last checks of targets.
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
