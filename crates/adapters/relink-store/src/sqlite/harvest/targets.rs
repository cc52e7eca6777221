//! Reads the targets of a provider's records, and the records of targets.

use std::collections::BTreeSet;

use relink_ports::{HarvestTarget, StoredRecord, TargetSelection};
use rusqlite::{Connection, Row};

use super::super::error::DbResult;
use super::super::rows::{timestamp, to_i64};
use super::queries::records_by_id;

/// The schemes of targets. All URLs of a host with one scheme are a range of the index of
/// URLs.
const SCHEMES: [&str; 2] = ["http", "https"];

/// The columns of [`target_row`], from links `l` grouped by URL, and their targets `t`.
const TARGET_COLUMNS: &str =
    "l.url, l.host, t.verdict, ifnull(t.reason, ''), t.checked_at, l.number";

/// Returns the URLs of a provider with their last check, starting after the URL
/// `after`.
pub(super) fn targets(
    db: &Connection,
    provider: i64,
    after: &str,
    limit: usize,
) -> DbResult<Vec<HarvestTarget>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {TARGET_COLUMNS}
         FROM (SELECT url, host, count(*) AS number FROM harvest_link
               WHERE provider_id = ?1 AND url > ?2 GROUP BY url, host ORDER BY url LIMIT ?3) l
         LEFT JOIN harvest_target t ON t.url = l.url ORDER BY l.url"
    ))?;
    let rows = statement.query_map((provider, after, to_i64(limit)), target_row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the selected targets that records have links to, in URL order.
pub(super) fn selected(
    db: &Connection,
    provider: i64,
    selection: &TargetSelection,
) -> DbResult<Vec<HarvestTarget>> {
    let mut statement = db.prepare_cached(&format!(
        "SELECT {TARGET_COLUMNS}
         FROM (SELECT url, host, count(*) AS number FROM harvest_link
               WHERE provider_id = ?1 AND url >= ?2 AND url <= ?3 GROUP BY url, host) l
         LEFT JOIN harvest_target t ON t.url = l.url"
    ))?;
    let mut found = Vec::new();
    for range in ranges(selection) {
        let rows = statement.query_map((provider, &range.first, &range.last), target_row)?;
        for row in rows {
            found.extend(Some(row?).filter(|target| range.includes(&target.host)));
        }
    }
    found.sort_by(|one: &HarvestTarget, other| one.url.cmp(&other.url));
    found.dedup_by(|one, other| one.url == other.url);
    Ok(found)
}

/// Converts a row of the database to a target.
fn target_row(row: &Row<'_>) -> rusqlite::Result<HarvestTarget> {
    let verdict: Option<String> = row.get(2)?;
    Ok(HarvestTarget {
        url: row.get(0)?,
        host: row.get(1)?,
        verdict: verdict.and_then(|name| name.parse().ok()),
        reason: row.get(3)?,
        checked_at: row.get::<_, Option<i64>>(4)?.map(timestamp),
        links: row.get(5)?,
    })
}

/// Returns the records with links to the selected targets, in the order of their ids.
pub(super) fn records(
    db: &Connection,
    provider: i64,
    selection: &TargetSelection,
) -> DbResult<Vec<StoredRecord>> {
    let mut statement = db.prepare_cached(
        "SELECT record_id, host FROM harvest_link
         WHERE provider_id = ? AND url >= ? AND url <= ?",
    )?;
    let mut ids: BTreeSet<i64> = BTreeSet::new();
    for range in ranges(selection) {
        let mut rows = statement.query((provider, &range.first, &range.last))?;
        while let Some(row) = rows.next()? {
            if range.includes(&row.get::<_, String>(1)?) {
                ids.insert(row.get(0)?);
            }
        }
    }
    records_by_id(db, ids)
}

/// A range of URLs, including both ends.
struct UrlRange {
    first: String,
    last: String,
    /// The host of the URLs in the range, or `None` if URLs of any host are included.
    host: Option<String>,
}

impl UrlRange {
    fn includes(&self, host: &str) -> bool {
        self.host.as_deref().is_none_or(|limit| limit == host)
    }
}

/// Returns the ranges of the index that contain the selection. URLs with a user name
/// before the host are outside of the range of their host. They are rare, and the daily
/// run checks them.
fn ranges(selection: &TargetSelection) -> Vec<UrlRange> {
    let single_url = |url: &String| UrlRange { first: url.clone(), last: url.clone(), host: None };
    let mut ranges: Vec<UrlRange> = selection.urls.iter().map(single_url).collect();
    for host in &selection.hosts {
        ranges.extend(SCHEMES.iter().map(|scheme| UrlRange {
            first: format!("{scheme}://{host}/"),
            // The greatest character is after all paths.
            last: format!("{scheme}://{host}/\u{10FFFF}"),
            host: Some(host.clone()),
        }));
    }
    ranges
}
