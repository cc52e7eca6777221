//! Stores and reads the deliveries of notifications to webhooks.

use jiff::Timestamp;
use relink_ports::{MailState, StoredDelivery};
use rusqlite::Connection;

use super::super::error::DbResult;
use super::super::rows::{millis, timestamp};
use super::mails::state_number;
use super::queries::{NOTIFICATION_COLUMNS, notification_row};

/// Returns the pending deliveries, oldest first.
pub(super) fn pending(db: &Connection) -> DbResult<Vec<StoredDelivery>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {NOTIFICATION_COLUMNS}, d.url, d.attempts, d.not_before, d.error
         FROM harvest_notification n JOIN harvest_delivery d ON d.notification_id = n.id
         WHERE d.state = 0 /* pending */ ORDER BY n.id, d.url"
    ))?;
    let rows = statement.query_map((), |row| {
        Ok(StoredDelivery {
            notification: notification_row(row)?,
            url: row.get(6)?,
            attempts: row.get(7)?,
            not_before: timestamp(row.get(8)?),
            error: row.get(9)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Stores the state of a delivery after an attempt.
pub(super) fn record(
    db: &Connection,
    delivery: &StoredDelivery,
    state: MailState,
    error: Option<&str>,
    not_before: Timestamp,
) -> DbResult<()> {
    db.execute(
        "UPDATE harvest_delivery SET state = ?, error = ?, not_before = ?, attempts = attempts + 1
         WHERE notification_id = ? AND url = ?",
        (state_number(state), error, millis(not_before), delivery.notification.id, &delivery.url),
    )?;
    Ok(())
}
