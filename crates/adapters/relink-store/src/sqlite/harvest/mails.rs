//! The outbox: mails and their notifications.
//!
//! An address receives at most one mail per day. The notifications and the `Message-ID`
//! of a mail do not change after the first attempt. If the mail is sent again after a
//! crash, the mail server recognizes the duplicate.

use jiff::Timestamp;
use jiff::civil::Date;
use relink_ports::{MailState, StoredMail, StoredNotification};
use rusqlite::{Connection, Row};

use super::super::error::DbResult;
use super::super::rows::millis;
use super::queries::{NOTIFICATION_COLUMNS, notification_row};

/// Creates a mail for each address with unsent notifications. Skips addresses with a pending mail or
/// with a mail of this day.
pub(super) fn prepare(db: &Connection, day: Date, message_domain: &str) -> DbResult<()> {
    let day = day.to_string();
    // The mails inserted below have larger ids.
    let last_mail: i64 =
        db.query_row("SELECT ifnull(max(id), 0) FROM harvest_mail", [], |row| row.get(0))?;
    db.execute(
        "INSERT INTO harvest_mail (recipient, day, message_id)
         SELECT DISTINCT recipient, ?1,
                '<relink.' || ?1 || '.' || lower(hex(randomblob(10))) || '@' || ?2 || '>'
         FROM (SELECT DISTINCT recipient FROM harvest_outbox WHERE mail_id IS NULL) o
         WHERE NOT EXISTS (
             SELECT 1 FROM harvest_mail m WHERE m.recipient = o.recipient
                AND (m.state = 0 /* pending */ OR m.day = ?1
                     OR date(m.sent_at / 1000, 'unixepoch') = ?1))",
        (&day, message_domain),
    )?;
    // Assign notifications only to the new mails. A pending mail may have been sent
    // already without a record of it. A notification added to it would be lost, because
    // servers discard a second mail with the same Message-ID.
    db.execute(
        "UPDATE harvest_outbox SET mail_id = m.id FROM harvest_mail m
         WHERE harvest_outbox.mail_id IS NULL AND m.recipient = harvest_outbox.recipient
           AND m.id > ?",
        [last_mail],
    )?;
    Ok(())
}

/// Returns the mails in a state, oldest first.
pub(super) fn in_state(db: &Connection, state: MailState) -> DbResult<Vec<StoredMail>> {
    let mut statement = db.prepare_cached(
        "SELECT id, recipient, message_id, attempts, error FROM harvest_mail
         WHERE state = ? ORDER BY id",
    )?;
    let rows = statement.query_map([state_number(state)], mail_row)?;
    let mut mails: Vec<StoredMail> = rows.collect::<Result<_, _>>()?;
    for mail in &mut mails {
        mail.state = state;
        mail.notifications = notifications(db, "o.mail_id = ?1 AND o.recipient = ?2", mail)?;
    }
    Ok(mails)
}

/// Removes the failed mails, so that the next mails to their addresses contain their
/// notifications. Returns their number.
pub(super) fn retry_failed(db: &Connection) -> DbResult<usize> {
    db.execute(
        "UPDATE harvest_outbox SET mail_id = NULL
         WHERE mail_id IN (SELECT id FROM harvest_mail WHERE state = 2 /* failed */)",
        (),
    )?;
    Ok(db.execute("DELETE FROM harvest_mail WHERE state = 2 /* failed */", ())?)
}

/// Reads a mail. The caller adds its notifications and its state.
fn mail_row(row: &Row<'_>) -> rusqlite::Result<StoredMail> {
    Ok(StoredMail {
        id: row.get(0)?,
        recipient: row.get(1)?,
        message_id: row.get(2)?,
        notifications: Vec::new(),
        attempts: row.get(3)?,
        state: MailState::Pending,
        error: row.get(4)?,
    })
}

/// Returns the notifications whose outbox rows meet the SQL condition. In the condition,
/// `?1` is the id of the mail and `?2` its recipient.
fn notifications(
    db: &Connection,
    condition: &str,
    mail: &StoredMail,
) -> DbResult<Vec<StoredNotification>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {NOTIFICATION_COLUMNS} FROM harvest_notification n
         JOIN harvest_outbox o ON o.notification_id = n.id
         WHERE {condition} ORDER BY n.id"
    ))?;
    let rows = statement.query_map((mail.id, &mail.recipient), notification_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the pending mails and the mails that `prepare` would create. Mails that are not created
/// yet have the id zero.
pub(super) fn preview(db: &Connection) -> DbResult<Vec<StoredMail>> {
    let mut mails = in_state(db, MailState::Pending)?;
    let mut statement = db.prepare_cached(
        "SELECT DISTINCT 0, recipient, '', 0, NULL FROM harvest_outbox
         WHERE mail_id IS NULL ORDER BY recipient",
    )?;
    for row in statement.query_map((), mail_row)? {
        let mut mail = row?;
        mail.notifications =
            // `?1 = 0` is always true. It is there because every parameter must be used.
            notifications(db, "o.mail_id IS NULL AND ?1 = 0 AND o.recipient = ?2", &mail)?;
        mails.push(mail);
    }
    Ok(mails)
}

/// Returns the value of `harvest_mail.state` and `harvest_delivery.state`.
pub(super) fn state_number(state: MailState) -> i64 {
    match state {
        MailState::Pending => 0,
        MailState::Sent => 1,
        MailState::Failed => 2,
    }
}

/// Stores the state of a mail after an attempt.
pub(super) fn record(
    db: &Connection,
    mail: i64,
    state: MailState,
    error: Option<&str>,
    now: Timestamp,
) -> DbResult<()> {
    let sent_at = (state == MailState::Sent).then(|| millis(now));
    db.execute(
        "UPDATE harvest_mail SET state = ?, error = ?, sent_at = ?, attempts = attempts + 1
         WHERE id = ?",
        (state_number(state), error, sent_at, mail),
    )?;
    Ok(())
}
