//! Reads records, arrivals (records whose locations are not checked yet), incidents,
//! notifications and the history of a provider. A location is a link of a record to the
//! described resource.

use jiff::civil::Date;
use std::collections::HashSet;

use relink_ports::{
    DomainDay, HarvestEvent, IncidentFilter, ProviderCounts, RecordFilter, RecordLinkRole,
    StoredArrival, StoredIncident, StoredNotification, StoredOverride, StoredRecord,
    StoredRecordLink,
};
use rusqlite::{Connection, Row};

use super::super::error::DbResult;
use super::super::rows::{millis, timestamp, to_i64};
use super::records::{DELETED, link_role};

/// Counts the records, links and domains of a provider.
pub(super) fn counts(db: &Connection, provider: i64) -> DbResult<ProviderCounts> {
    let (records, deleted, hidden) = db.query_row(
        "SELECT count(*) FILTER (WHERE state <> ?2), count(*) FILTER (WHERE state = ?2),
                count(*) FILTER (WHERE state <> ?2 AND NOT visible)
         FROM harvest_record WHERE provider_id = ?1",
        (provider, DELETED),
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    // SQLite counts distinct URLs with the index of URLs, without a list in memory.
    let urls = db.query_row(
        "SELECT count(*) FROM (SELECT DISTINCT url FROM harvest_link WHERE provider_id = ?)",
        [provider],
        |row| row.get(0),
    )?;
    let domains = db.query_row(
        "SELECT count(DISTINCT host) FROM harvest_link WHERE provider_id = ?",
        [provider],
        |row| row.get(0),
    )?;
    Ok(ProviderCounts { records, deleted, hidden, urls, domains })
}

/// The columns of [`record_row`], from `harvest_record`. The metadata, which may be
/// large, is empty unless `?1` is true. The last column is true for a new record that is
/// not checked yet.
const RECORD_COLUMNS: &str =
    "id, provider_id, identifier, title, sets, state = 1 /* deleted */, visible, changed_at,
     CASE WHEN ?1 THEN metadata ELSE '' END,
     EXISTS (SELECT 1 FROM harvest_arrival a WHERE a.record_id = id AND a.is_new)";

/// Returns the records that match the filter, with their links.
pub(super) fn records(db: &Connection, filter: &RecordFilter) -> DbResult<Vec<StoredRecord>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {RECORD_COLUMNS} FROM harvest_record
         WHERE id > ?2 AND (?3 IS NULL OR provider_id = ?3) AND (?4 IS NULL OR changed_at >= ?4)
           AND (?5 IS NULL OR changed_at <= ?5)
         ORDER BY id LIMIT ?6"
    ))?;
    let rows = statement.query_and_then(
        (
            filter.with_metadata,
            filter.after,
            filter.provider,
            filter.changed_from.map(millis),
            filter.changed_until.map(millis),
            to_i64(filter.limit),
        ),
        record_row,
    )?;
    with_links(db, rows.collect::<DbResult<_>>()?)
}

/// Returns the record with this identifier and its metadata.
pub(super) fn record(
    db: &Connection,
    provider: i64,
    identifier: &str,
) -> DbResult<Option<StoredRecord>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {RECORD_COLUMNS} FROM harvest_record WHERE provider_id = ?2 AND identifier = ?3"
    ))?;
    let rows = statement.query_and_then((true, provider, identifier), record_row)?;
    Ok(with_links(db, rows.collect::<DbResult<_>>()?)?.pop())
}

/// Returns the records whose identifier an older provider also uses.
pub(super) fn with_known_identifier(db: &Connection, ids: &[i64]) -> DbResult<HashSet<i64>> {
    let mut statement = db.prepare_cached(
        "SELECT EXISTS (
             SELECT 1 FROM harvest_provider p
             JOIN harvest_record o ON o.provider_id = p.id AND o.identifier = r.identifier
             WHERE p.id < r.provider_id)
         FROM harvest_record r WHERE r.id = ?",
    )?;
    let mut known = HashSet::new();
    for id in ids {
        if statement.query_row([id], |row| row.get(0))? {
            known.insert(*id);
        }
    }
    Ok(known)
}

/// Returns the records with these ids, without their metadata.
pub(super) fn records_by_id(
    db: &Connection,
    ids: impl IntoIterator<Item = i64>,
) -> DbResult<Vec<StoredRecord>> {
    let mut statement =
        db.prepare_cached(&format!("SELECT {RECORD_COLUMNS} FROM harvest_record WHERE id = ?2"))?;
    let mut records = Vec::new();
    for id in ids {
        let rows = statement.query_and_then((false, id), record_row)?;
        records.extend(rows.collect::<DbResult<Vec<_>>>()?);
    }
    with_links(db, records)
}

fn with_links(db: &Connection, mut records: Vec<StoredRecord>) -> DbResult<Vec<StoredRecord>> {
    for record in &mut records {
        record.links = links(db, record.id)?;
    }
    Ok(records)
}

/// Converts a row of the database to a record.
fn record_row(row: &Row<'_>) -> DbResult<StoredRecord> {
    Ok(StoredRecord {
        id: row.get(0)?,
        provider: row.get(1)?,
        identifier: row.get(2)?,
        title: row.get(3)?,
        sets: serde_json::from_str(&row.get::<_, String>(4)?)?,
        is_deleted: row.get(5)?,
        is_visible: row.get(6)?,
        changed_at: timestamp(row.get(7)?),
        metadata: row.get(8)?,
        is_pending: row.get(9)?,
        links: Vec::new(),
    })
}

/// Returns the links of a record in their order.
fn links(db: &Connection, record: i64) -> DbResult<Vec<StoredRecordLink>> {
    let mut statement = db.prepare_cached(
        "SELECT role, url, host, original,
                NOT EXISTS (SELECT 1 FROM harvest_hidden_link h
                            WHERE h.record_id = l.record_id AND h.url = l.url)
         FROM harvest_link l WHERE record_id = ? ORDER BY position",
    )?;
    let rows = statement.query_map([record], |row| {
        let role = match row.get::<_, i64>(0)? {
            link_role::LOCATION => RecordLinkRole::Location,
            _ => RecordLinkRole::Related,
        };
        Ok(StoredRecordLink {
            role,
            url: row.get(1)?,
            host: row.get(2)?,
            original: row.get(3)?,
            is_shown: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the records whose locations are not checked yet, with the URLs of the
/// locations.
pub(super) fn arrivals(db: &Connection, provider: i64) -> DbResult<Vec<StoredArrival>> {
    let mut statement = db.prepare_cached(
        "SELECT a.record_id, l.url FROM harvest_arrival a
         LEFT JOIN harvest_link l ON l.record_id = a.record_id AND l.role = ?2
         WHERE a.provider_id = ?1 ORDER BY a.record_id, l.position",
    )?;
    // The rows are sorted by record. A record without locations has one row without a URL.
    let mut rows = statement.query([provider, link_role::LOCATION])?;
    let mut arrivals: Vec<StoredArrival> = Vec::new();
    while let Some(row) = rows.next()? {
        let record = row.get(0)?;
        if arrivals.last().is_none_or(|last| last.record != record) {
            arrivals.push(StoredArrival { record, urls: Vec::new() });
        }
        if let Some(last) = arrivals.last_mut() {
            last.urls.extend(row.get::<_, Option<String>>(1)?);
        }
    }
    Ok(arrivals)
}

/// Returns the day of the last survey of each domain.
pub(super) fn surveyed_domains(db: &Connection, provider: i64) -> DbResult<Vec<(String, Date)>> {
    let mut statement =
        db.prepare_cached("SELECT host, surveyed_on FROM harvest_domain WHERE provider_id = ?")?;
    let rows =
        statement.query_map([provider], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let mut domains = Vec::new();
    for row in rows {
        let (host, day) = row?;
        domains.extend(day.parse().ok().map(|day| (host, day)));
    }
    Ok(domains)
}

/// Returns the mean decay of each domain.
pub(super) fn domain_decay(db: &Connection, provider: i64) -> DbResult<Vec<(String, f64)>> {
    let mut statement =
        db.prepare_cached("SELECT host, decay FROM harvest_decay WHERE provider_id = ?")?;
    let rows = statement.query_map([provider], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the daily statistics of each domain.
pub(super) fn domain_days(db: &Connection, provider: i64) -> DbResult<Vec<DomainDay>> {
    let mut statement = db.prepare_cached(
        "SELECT host, day, urls, checked, broken, hidden FROM harvest_day
         WHERE provider_id = ? ORDER BY host, day",
    )?;
    let mut rows = statement.query([provider])?;
    let mut days = Vec::new();
    while let Some(row) = rows.next()? {
        let Ok(day) = row.get::<_, String>(1)?.parse() else { continue };
        days.push(DomainDay {
            host: row.get(0)?,
            day,
            urls: row.get(2)?,
            checked: row.get(3)?,
            broken: row.get(4)?,
            hidden: row.get(5)?,
        });
    }
    Ok(days)
}

/// Returns the incidents of a provider, oldest first.
pub(super) fn incidents(
    db: &Connection,
    provider: i64,
    filter: IncidentFilter,
) -> DbResult<Vec<StoredIncident>> {
    let mut statement = db.prepare_cached(
        "SELECT id, stage, is_open, incident FROM harvest_incident
         WHERE provider_id = ?1 AND (is_open OR NOT ?2) ORDER BY id",
    )?;
    let is_only_open = filter == IncidentFilter::Open;
    let rows = statement.query_map((provider, is_only_open), incident_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the open incidents with these subjects (URLs or hosts), oldest first. A
/// subject may occur twice in the list.
pub(super) fn open_incidents_of(
    db: &Connection,
    provider: i64,
    subjects: &[String],
) -> DbResult<Vec<StoredIncident>> {
    let mut statement = db.prepare_cached(
        "SELECT id, stage, is_open, incident FROM harvest_incident
         WHERE provider_id = ? AND is_open AND json_extract(incident, '$.subject.name') = ?",
    )?;
    let mut found = Vec::new();
    for subject in subjects {
        let rows = statement.query_map((provider, subject), incident_row)?;
        found.extend(rows.collect::<Result<Vec<_>, _>>()?);
    }
    found.sort_by_key(|incident: &StoredIncident| incident.id);
    found.dedup_by_key(|incident| incident.id);
    Ok(found)
}

/// Converts a row of the database to an incident.
fn incident_row(row: &Row<'_>) -> rusqlite::Result<StoredIncident> {
    Ok(StoredIncident {
        id: row.get(0)?,
        stage: row.get(1)?,
        is_open: row.get(2)?,
        incident: row.get(3)?,
    })
}

/// Returns the decisions of users that replace automatic decisions.
pub(super) fn overrides(db: &Connection, provider: i64) -> DbResult<Vec<StoredOverride>> {
    let mut statement = db.prepare_cached(
        "SELECT scope, subject, action, reason, user, decided_at FROM harvest_override
         WHERE provider_id = ? ORDER BY id",
    )?;
    let rows = statement.query_map([provider], |row| {
        Ok(StoredOverride {
            scope: row.get(0)?,
            subject: row.get(1)?,
            action: row.get(2)?,
            reason: row.get(3)?,
            user: row.get(4)?,
            decided_at: timestamp(row.get(5)?),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the history of a provider, oldest first.
pub(super) fn events(db: &Connection, provider: i64) -> DbResult<Vec<HarvestEvent>> {
    let mut statement = db.prepare_cached(
        "SELECT at, user, kind, subject, text FROM harvest_event WHERE provider_id = ? ORDER BY id",
    )?;
    let rows = statement.query_map([provider], |row| {
        Ok(HarvestEvent {
            at: timestamp(row.get(0)?),
            user: row.get(1)?,
            kind: row.get(2)?,
            subject: row.get(3)?,
            text: row.get(4)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The columns of [`notification_row`], from `harvest_notification n`.
pub(super) const NOTIFICATION_COLUMNS: &str =
    "n.id, n.provider_id, n.key, n.kind, n.content, n.created_at";

/// Converts a row of the database to a notification.
pub(super) fn notification_row(row: &Row<'_>) -> rusqlite::Result<StoredNotification> {
    Ok(StoredNotification {
        id: row.get(0)?,
        provider: row.get(1)?,
        key: row.get(2)?,
        kind: row.get(3)?,
        content: row.get(4)?,
        created_at: timestamp(row.get(5)?),
    })
}

/// Returns the latest notifications of a provider.
pub(super) fn notifications(
    db: &Connection,
    provider: i64,
    limit: usize,
) -> DbResult<Vec<StoredNotification>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {NOTIFICATION_COLUMNS} FROM harvest_notification n
         WHERE n.provider_id = ? ORDER BY n.id DESC LIMIT ?"
    ))?;
    let rows = statement.query_map((provider, to_i64(limit)), notification_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}
