//! Writes the changes of a run.

use jiff::Timestamp;
use jiff::civil::Date;
use relink_ports::{HarvestChanges, HarvestEvent, NewNotification, StoredIncident, StoredOverride};
use rusqlite::Connection;

use super::super::error::DbResult;
use super::super::rows::millis;

pub(super) fn apply(
    db: &Connection,
    provider: i64,
    day: Date,
    changes: &HarvestChanges,
    now: Timestamp,
) -> DbResult<()> {
    for incident in &changes.incidents {
        save_incident(db, provider, incident)?;
    }
    for (record, is_visible) in &changes.visibility {
        set_visible(db, *record, *is_visible, now)?;
    }
    for notification in &changes.notifications {
        add_notification(db, provider, notification, now)?;
    }
    for host in &changes.surveyed {
        db.prepare_cached("INSERT OR REPLACE INTO harvest_domain VALUES (?, ?, ?)")?.execute((
            provider,
            host,
            day.to_string(),
        ))?;
    }
    for event in &changes.events {
        add_event(db, provider, event)?;
    }
    for (scope, subject) in &changes.lifted {
        db.execute(
            "DELETE FROM harvest_override WHERE provider_id = ? AND scope = ? AND subject = ?",
            (provider, scope, subject),
        )?;
    }
    for decision in &changes.overrides {
        add_override(db, provider, decision)?;
    }
    Ok(())
}

fn save_incident(db: &Connection, provider: i64, incident: &StoredIncident) -> DbResult<()> {
    let StoredIncident { id, stage, is_open, incident } = incident;
    if *id == 0 {
        db.prepare_cached(
            "INSERT INTO harvest_incident (provider_id, stage, is_open, incident)
             VALUES (?, ?, ?, ?)",
        )?
        .execute((provider, stage, is_open, incident))?;
    } else {
        db.prepare_cached(
            "UPDATE harvest_incident SET stage = ?, is_open = ?, incident = ? WHERE id = ?",
        )?
        .execute((stage, is_open, incident, id))?;
    }
    Ok(())
}

fn set_visible(db: &Connection, record: i64, is_visible: bool, now: Timestamp) -> DbResult<()> {
    db.prepare_cached("UPDATE harvest_record SET visible = ?, changed_at = ? WHERE id = ?")?
        .execute((is_visible, millis(now), record))?;
    Ok(())
}

fn add_notification(
    db: &Connection,
    provider: i64,
    notification: &NewNotification,
    now: Timestamp,
) -> DbResult<()> {
    let NewNotification { key, kind, content, recipients } = notification;
    let added = db.execute(
        "INSERT INTO harvest_notification (provider_id, key, kind, content, created_at)
         VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (provider, key, kind, content, millis(now)),
    )?;
    if added == 0 {
        return Ok(());
    }
    let id = db.last_insert_rowid();
    for recipient in recipients {
        db.execute(
            "INSERT INTO harvest_outbox (notification_id, recipient) VALUES (?, ?)
             ON CONFLICT DO NOTHING",
            (id, recipient),
        )?;
    }
    Ok(())
}

fn add_event(db: &Connection, provider: i64, event: &HarvestEvent) -> DbResult<()> {
    db.prepare_cached(
        "INSERT INTO harvest_event (provider_id, at, user, kind, subject, text)
         VALUES (?, ?, ?, ?, ?, ?)",
    )?
    .execute((
        provider,
        millis(event.at),
        &event.user,
        &event.kind,
        &event.subject,
        &event.text,
    ))?;
    Ok(())
}

fn add_override(db: &Connection, provider: i64, decision: &StoredOverride) -> DbResult<()> {
    db.execute(
        "INSERT INTO harvest_override
             (provider_id, scope, subject, action, reason, user, decided_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            provider,
            &decision.scope,
            &decision.subject,
            &decision.action,
            &decision.reason,
            &decision.user,
            millis(decision.decided_at),
        ),
    )?;
    Ok(())
}
