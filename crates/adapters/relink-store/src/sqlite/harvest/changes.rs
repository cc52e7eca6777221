//! Writes the changes of one harvest run: incidents, visibility of records and links,
//! notifications, statistics, and decisions of users (overrides).
//!
//! A provider is an organization whose metadata records are harvested. A location is a
//! link of a record to the described resource. An incident is a period in which a target
//! or a whole host is broken. An arrival is a new or changed record whose locations are
//! not checked yet.

use jiff::Timestamp;
use jiff::civil::Date;
use relink_ports::{
    DomainDay, HarvestChanges, HarvestEvent, LocationChange, NewNotification, StoredIncident,
    StoredOverride,
};
use rusqlite::Connection;

use super::super::error::DbResult;
use super::super::rows::millis;

/// Applies all changes of a run. The caller provides the transaction.
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
        set_record_visibility(db, *record, *is_visible, now)?;
    }
    for change in &changes.locations {
        set_location_visibility(db, provider, change, now)?;
    }
    for record in &changes.arrived {
        db.prepare_cached("DELETE FROM harvest_arrival WHERE record_id = ?")?.execute([record])?;
    }
    for notification in &changes.notifications {
        add_notification(db, provider, notification, now)?;
    }
    for statistics in &changes.days {
        save_domain_day(db, provider, statistics)?;
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

/// Stores the statistics of a domain on a day. A second run on the same day adds to the
/// number of checks and replaces the other counts.
fn save_domain_day(db: &Connection, provider: i64, statistics: &DomainDay) -> DbResult<()> {
    db.prepare_cached(
        "INSERT INTO harvest_day VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
             urls = excluded.urls, checked = checked + excluded.checked,
             broken = excluded.broken, hidden = excluded.hidden",
    )?
    .execute((
        provider,
        &statistics.host,
        statistics.day.to_string(),
        statistics.urls,
        statistics.checked,
        statistics.broken,
        statistics.hidden,
    ))?;
    Ok(())
}

/// Replaces the mean decay of domains. The decay of a page is the probability that a
/// random walk over links from the page ends on a dead page.
pub(super) fn save_domain_decay(
    db: &Connection,
    provider: i64,
    domains: &[(String, f64)],
) -> DbResult<()> {
    let mut statement =
        db.prepare_cached("INSERT OR REPLACE INTO harvest_decay VALUES (?, ?, ?)")?;
    for (host, decay) in domains {
        statement.execute((provider, host, decay))?;
    }
    Ok(())
}

/// Inserts or updates an incident. The id zero means a new incident.
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

/// Publishes or hides a record.
fn set_record_visibility(
    db: &Connection,
    record: i64,
    is_visible: bool,
    now: Timestamp,
) -> DbResult<()> {
    db.prepare_cached("UPDATE harvest_record SET visible = ?, changed_at = ? WHERE id = ?")?
        .execute((is_visible, millis(now), record))?;
    Ok(())
}

/// Publishes a location with its record, or omits it.
fn set_location_visibility(
    db: &Connection,
    provider: i64,
    change: &LocationChange,
    now: Timestamp,
) -> DbResult<()> {
    let LocationChange { record, url, is_shown } = change;
    if *is_shown {
        db.prepare_cached("DELETE FROM harvest_hidden_link WHERE record_id = ? AND url = ?")?
            .execute((record, url))?;
    } else {
        db.prepare_cached(
            "INSERT INTO harvest_hidden_link (record_id, url, provider_id) VALUES (?, ?, ?)
             ON CONFLICT DO NOTHING",
        )?
        .execute((record, url, provider))?;
    }
    db.prepare_cached("UPDATE harvest_record SET changed_at = ? WHERE id = ?")?
        .execute((millis(now), record))?;
    Ok(())
}

/// Stores a notification with its recipients and webhooks, unless its key exists. The
/// outbox has the recipients of mails.
fn add_notification(
    db: &Connection,
    provider: i64,
    notification: &NewNotification,
    now: Timestamp,
) -> DbResult<()> {
    let NewNotification { key, kind, content, recipients, webhooks } = notification;
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
    for url in webhooks {
        db.execute(
            "INSERT INTO harvest_delivery (notification_id, url) VALUES (?, ?)
             ON CONFLICT DO NOTHING",
            (id, url),
        )?;
    }
    Ok(())
}

/// Adds an event to the history of a provider.
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

/// Stores a decision of a user that replaces automatic decisions.
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
