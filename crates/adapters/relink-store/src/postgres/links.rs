//! Stores links in multi-row statements.

use jiff::Timestamp;
use relink_ports::NewLink;

use super::error::DbResult;
use super::history;
use super::rows::{to_i64, without_nul};
use super::session::Db;
use crate::values::ignored_codes;

/// A link to store.
pub(super) struct LinkRow<'a> {
    pub(super) document: i64,
    pub(super) position: usize,
    pub(super) task: i64,
    pub(super) link: &'a NewLink,
}

/// Inserts links that are seen at the time `now`. Returns the number of links that were
/// not stored before.
pub(super) async fn insert(db: &Db<'_>, rows: &[LinkRow<'_>], now: Timestamp) -> DbResult<u64> {
    history::insert_origins(db, rows, now).await?;
    let column =
        |value: &dyn Fn(&LinkRow<'_>) -> i64| -> Vec<i64> { rows.iter().map(value).collect() };
    let kinds: Vec<&str> = rows.iter().map(|row| row.link.location.kind.as_str()).collect();
    let fragments: Vec<Option<String>> =
        rows.iter().map(|row| row.link.fragment.as_deref().map(without_nul)).collect();
    let codes: Vec<Option<String>> = rows.iter().map(|row| ignored_codes(row.link)).collect();
    db.execute(
        "INSERT INTO link (document_id, position, task_id, span_start, span_end, line, col, kind,
                           fragment, ignored_codes)
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
                              $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[])
         ON CONFLICT DO NOTHING",
        &[
            &column(&|row| row.document),
            &column(&|row| to_i64(row.position)),
            &column(&|row| row.task),
            &column(&|row| to_i64(row.link.location.span.start)),
            &column(&|row| to_i64(row.link.location.span.end)),
            &column(&|row| row.link.location.line.into()),
            &column(&|row| row.link.location.column.into()),
            &kinds,
            &fragments,
            &codes,
        ],
    )
    .await
}
