//! Stores and reads providers (organizations whose metadata records are harvested) and
//! the progress of their harvests.

use relink_ports::{HarvestProgress, StoredProvider};
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::super::error::DbResult;
use super::super::rows::{millis, timestamp};

/// Adds a provider. Returns false if the name exists.
pub(super) fn add(db: &Connection, name: &str, settings: &str) -> DbResult<bool> {
    let added = db.execute(
        "INSERT INTO harvest_provider (name, settings) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (name, settings),
    )?;
    Ok(added > 0)
}

/// Replaces the settings of a provider. Returns false if the provider does not exist. If
/// `restarts` is true, the harvest starts from the beginning. Only the number of the list
/// is not reset, because it must increase.
pub(super) fn update(
    db: &Connection,
    name: &str,
    settings: &str,
    restarts: bool,
) -> DbResult<bool> {
    let updated =
        db.execute("UPDATE harvest_provider SET settings = ? WHERE name = ?", (settings, name))?;
    if restarts {
        db.execute(
            "UPDATE harvest_provider
             SET from_stamp = NULL, token = NULL, token_expires_at = NULL, list_started = NULL
             WHERE name = ?",
            [name],
        )?;
    }
    Ok(updated > 0)
}

/// Returns all providers by name.
pub(super) fn list(db: &Connection) -> DbResult<Vec<StoredProvider>> {
    let mut statement = db.prepare_cached(
        "SELECT id, name, settings, from_stamp, list, token, token_expires_at, list_started,
                harvested_at
         FROM harvest_provider ORDER BY name",
    )?;
    let rows = statement.query_map((), provider_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Converts a row of the database to a provider.
fn provider_row(row: &Row<'_>) -> rusqlite::Result<StoredProvider> {
    Ok(StoredProvider {
        id: row.get(0)?,
        name: row.get(1)?,
        settings: row.get(2)?,
        progress: HarvestProgress {
            from: row.get(3)?,
            list: row.get(4)?,
            token: row.get(5)?,
            token_expires_at: row.get::<_, Option<i64>>(6)?.map(timestamp),
            list_started: row.get(7)?,
            harvested_at: row.get::<_, Option<i64>>(8)?.map(timestamp),
        },
    })
}

/// Stores the progress of a harvest: the date from which the next harvest reads, the
/// number of the list, and the resumption token of an incomplete list.
pub(super) fn save_progress(
    db: &Connection,
    provider: i64,
    progress: &HarvestProgress,
) -> DbResult<()> {
    db.prepare_cached(
        "UPDATE harvest_provider SET from_stamp = ?, list = ?, token = ?, token_expires_at = ?,
                list_started = ?, harvested_at = ? WHERE id = ?",
    )?
    .execute((
        &progress.from,
        progress.list,
        &progress.token,
        progress.token_expires_at.map(millis),
        &progress.list_started,
        progress.harvested_at.map(millis),
        provider,
    ))?;
    Ok(())
}

/// Deletes a provider and all of its data. Returns false if the provider does not exist.
pub(super) fn remove(db: &Connection, name: &str) -> DbResult<bool> {
    let id: Option<i64> = db
        .query_row("SELECT id FROM harvest_provider WHERE name = ?", [name], |row| row.get(0))
        .optional()?;
    let Some(id) = id else { return Ok(false) };
    // These tables have no `provider_id`. They are emptied before the notifications that
    // they refer to are deleted.
    for table in ["outbox", "delivery"] {
        let delete = format!(
            "DELETE FROM harvest_{table} WHERE notification_id IN
                 (SELECT id FROM harvest_notification WHERE provider_id = ?)"
        );
        db.execute(&delete, [id])?;
    }
    let tables = [
        "link",
        "hidden_link",
        "arrival",
        "record",
        "domain",
        "day",
        "decay",
        "incident",
        "override",
        "event",
        "notification",
    ];
    // Delete pending mails that have no notification left.
    db.execute(
        "DELETE FROM harvest_mail WHERE state = 0 /* pending */ AND id NOT IN
             (SELECT mail_id FROM harvest_outbox WHERE mail_id IS NOT NULL)",
        (),
    )?;
    for table in tables {
        db.execute(&format!("DELETE FROM harvest_{table} WHERE provider_id = ?"), [id])?;
    }
    db.execute("DELETE FROM harvest_provider WHERE id = ?", [id])?;
    Ok(true)
}
