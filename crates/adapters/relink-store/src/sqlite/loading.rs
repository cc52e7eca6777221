//! Loading: documents, links, and the tasks they lead to.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_model::{RunId, Verdict};
use relink_ports::{
    CacheWindow, DocumentId, LinkBatch, LoadedDocument, NewDocument, NewLink, NewTarget,
};
use rusqlite::{CachedStatement, Connection, OptionalExtension as _};

use super::anchors;
use super::bulk::{ROWS, Rows};
use super::error::DbResult;
use super::fresh::BulkLinkWriter;
use super::redaction;
use super::rows::{millis, number};
use super::runs;

/// Shards of a larger database; see the `bucket` column.
const BUCKETS: u64 = 64;

const PENDING: u8 = 0;
const SETTLED: u8 = 2;

pub(super) fn document(
    db: &Connection,
    run: RunId,
    document: &NewDocument,
) -> DbResult<LoadedDocument> {
    let content = document.content.cast_signed();
    let known: Option<(i64, i64, bool)> = db
        .prepare_cached("SELECT id, content, loaded FROM document WHERE run_id = ? AND label = ?")?
        .query_row((run.0, redaction::text(&document.label)), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let is_unchanged = known.is_some_and(|(_, same, loaded)| loaded && same == content);
    let id = match known {
        None => insert_document(db, run, document)?,
        Some((id, _, _)) => id,
    };
    if known.is_some() && !is_unchanged {
        forget_links(db, run, id, content)?;
    }
    Ok(LoadedDocument { id: DocumentId(id), is_unchanged })
}

fn insert_document(db: &Connection, run: RunId, document: &NewDocument) -> DbResult<i64> {
    db.prepare_cached("INSERT INTO document (run_id, label, content) VALUES (?, ?, ?)")?
        .execute((run.0, redaction::text(&document.label), document.content.cast_signed()))?;
    Ok(db.last_insert_rowid())
}

/// The document changed, or its loading was interrupted: start it over.
fn forget_links(db: &Connection, run: RunId, document: i64, content: i64) -> DbResult<()> {
    db.execute("DELETE FROM link WHERE document_id = ?", [document])?;
    db.execute(
        "UPDATE document SET content = ?, loaded = 0, links = 0 WHERE id = ?",
        (content, document),
    )?;
    db.execute("UPDATE run SET unlinked = 1 WHERE id = ?", [run.0])?;
    Ok(())
}

pub(super) fn finish_document(db: &Connection, document: DocumentId) -> DbResult<()> {
    db.prepare_cached("UPDATE document SET loaded = 1 WHERE id = ?")?.execute([document.0])?;
    Ok(())
}

/// Stores links with their targets, and tasks for targets new to the run.
pub(super) fn links(db: &Connection, run: RunId, batch: &LinkBatch<'_>) -> DbResult<()> {
    let mut hosts: HashMap<&str, i64> = HashMap::new();
    let mut fresh = BulkLinkWriter::new(db, run)?;
    let mut beginning = TaskWriter::new(db, run)?;
    // Where one target is known, most are; and what is named twice is known.
    let mut are_new = true;
    for (chunk, links) in batch.links.chunks(ROWS).enumerate() {
        let first = batch.first + chunk * ROWS;
        if are_new && let Some(links) = with_hosts(db, links, &mut hosts)? {
            are_new = fresh.add(batch.document.0, first, &links)?;
            if are_new {
                continue;
            }
        }
        for (position, link) in (first..).zip(links) {
            let target = match &link.target {
                NewTarget::Web { url, host, .. } => {
                    let host = host_id(db, host, &mut hosts)?;
                    beginning.web_target(url, host)?
                }
                NewTarget::Local { .. } => local_target(db, run, &link.target, batch.cache_window)?,
            };
            let task = beginning.task(
                &link.into(),
                &target,
                &TaskDefaults::at_once(batch.cache_window),
            )?;
            beginning.place(batch.document.0, position, task.id, link)?;
        }
    }
    count_links(db, batch)?;
    make_due(db, run, hosts.into_values())
}

/// Links with their hosts, if there are as many as are stored at once and all
/// lead to the web.
fn with_hosts<'a>(
    db: &Connection,
    links: &'a [NewLink],
    hosts: &mut HashMap<&'a str, i64>,
) -> DbResult<Option<Vec<(&'a NewLink, i64)>>> {
    if links.len() < ROWS {
        return Ok(None);
    }
    let mut all = Vec::with_capacity(links.len());
    for link in links {
        let NewTarget::Web { host, .. } = &link.target else { return Ok(None) };
        all.push((link, host_id(db, host, hosts)?));
    }
    Ok(Some(all))
}

fn count_links(db: &Connection, batch: &LinkBatch<'_>) -> DbResult<()> {
    db.prepare_cached("UPDATE document SET links = links + ? WHERE id = ?")?
        .execute((number(batch.links.len()), batch.document.0))?;
    Ok(())
}

/// The host's number.
pub(super) fn host_id<'a>(
    db: &Connection,
    name: &'a str,
    hosts: &mut HashMap<&'a str, i64>,
) -> DbResult<i64> {
    if let Some(id) = hosts.get(name) {
        return Ok(*id);
    }
    db.prepare_cached("INSERT INTO host (name, bucket) VALUES (?, ?) ON CONFLICT DO NOTHING")?
        .execute((name, number(bucket(name))))?;
    let id = db
        .prepare_cached("SELECT id FROM host WHERE name = ?")?
        .query_row([name], |row| row.get(0))?;
    hosts.insert(name, id);
    Ok(id)
}

/// Says when each host's first task falls due.
pub(super) fn make_due(
    db: &Connection,
    run: RunId,
    hosts: impl Iterator<Item = i64>,
) -> DbResult<()> {
    let mut first = db.prepare_cached(
        "SELECT min(not_before) FROM task WHERE run_id = ? AND host_id = ? AND state = 0",
    )?;
    let mut set = db.prepare_cached(
        "INSERT INTO run_host (run_id, host_id, due_at) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET due_at = excluded.due_at
         WHERE due_at IS NOT excluded.due_at",
    )?;
    for host in hosts {
        let due: Option<i64> = first.query_row((run.0, host), |row| row.get(0))?;
        if due.is_some() {
            set.execute((run.0, host, due))?;
        }
    }
    Ok(())
}

/// FNV-1a: it must be the same on every machine and in every version.
fn bucket(name: &str) -> usize {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    usize::try_from(name.bytes().fold(start, mix) % BUCKETS).unwrap_or(0)
}

/// A target, as far as a task begins with it.
pub(super) struct StoredTarget {
    id: i64,
    host: Option<i64>,
    /// Whether the store says already that the user named it.
    is_named: bool,
    /// How it stands, if anything is known of it.
    known: Option<CachedResult>,
}

/// How a target stands.
struct CachedResult {
    generation: i64,
    verdict: String,
    settled_at: i64,
}

fn find_target(db: &Connection, url: &str) -> DbResult<StoredTarget> {
    let target = db
        .prepare_cached("SELECT id, host_id, named FROM target WHERE url = ?")?
        .query_row([url], |row| {
            let (id, host, is_named) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(StoredTarget { id, host, is_named, known: None })
        })?;
    let known = db
        .prepare_cached("SELECT turn, word, settled_at FROM standing WHERE id = ?")?
        .query_row([target.id], |row| {
            Ok(CachedResult {
                generation: row.get(0)?,
                verdict: row.get(1)?,
                settled_at: row.get(2)?,
            })
        })
        .optional()?;
    Ok(StoredTarget { known, ..target })
}

/// What needs no asking is settled while loading.
pub(super) fn local_target(
    db: &Connection,
    run: RunId,
    target: &NewTarget,
    moments: CacheWindow,
) -> DbResult<StoredTarget> {
    let NewTarget::Local { key, verdict: word, code, reason } = target else {
        unreachable!("only local targets come here")
    };
    let (key, reason) = (redaction::text(key), redaction::text(reason));
    db.prepare_cached("INSERT INTO target (url) VALUES (?) ON CONFLICT DO NOTHING")?
        .execute([&key])?;
    let id: i64 = db
        .prepare_cached("SELECT id FROM target WHERE url = ?")?
        .query_row([&key], |row| row.get(0))?;
    let (turn, now) = (runs::generation(db, run)?, millis(moments.now));
    db.prepare_cached(
        "INSERT OR REPLACE INTO outcome
             (target_id, turn, word, code, reason, settled_at, since)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6,
                 ifnull((SELECT since FROM standing WHERE id = ?1 AND word = ?3), ?6))",
    )?
    .execute((id, turn, word.as_str(), code.map(|code| code.to_string()), reason, now))?;
    let known =
        CachedResult { generation: turn, verdict: word.as_str().to_owned(), settled_at: now };
    Ok(StoredTarget { id, host: None, is_named: false, known: Some(known) })
}

/// How a task that is new to its run begins.
pub(super) struct TaskDefaults {
    /// Targets found alive at this moment or later need not be asked again.
    pub(super) fresh_since: Timestamp,
    /// Results later than this come from a system clock that was ahead, and are
    /// not reused.
    pub(super) now: Timestamp,
    /// Not asked before.
    pub(super) not_before: i64,
    /// How far from the beginning of a crawl.
    pub(super) depth: Option<u32>,
    /// Its turn in a crawl that goes by rank.
    pub(super) rank: Option<i64>,
}

impl TaskDefaults {
    /// For a target that may be asked at once, in its turn.
    pub(super) fn at_once(moments: CacheWindow) -> Self {
        let CacheWindow { now, fresh_since } = moments;
        Self { fresh_since, now, not_before: 0, depth: None, rank: None }
    }
}

/// What a task is told by the link that leads to it.
pub(super) struct TaskOrigin<'a> {
    pub(super) target: &'a NewTarget,
    pub(super) original_url: &'a str,
    /// Whether it wants a place on the target.
    pub(super) wants_anchor: bool,
}

impl<'a> From<&'a NewLink> for TaskOrigin<'a> {
    fn from(link: &'a NewLink) -> Self {
        Self {
            target: &link.target,
            original_url: &link.original_url,
            wants_anchor: link.fragment.is_some(),
        }
    }
}

/// A task, found or made.
pub(super) struct InsertedTask {
    pub(super) id: i64,
    /// Whether it is new to the run.
    pub(super) is_new: bool,
    /// Whether it needs no asking.
    pub(super) is_settled: bool,
}

/// Begins tasks, with statements prepared once for many of them.
pub(super) struct TaskWriter<'db> {
    db: &'db Connection,
    run: RunId,
    target: CachedStatement<'db>,
    task: CachedStatement<'db>,
    link: CachedStatement<'db>,
}

impl<'db> TaskWriter<'db> {
    pub(super) fn new(db: &'db Connection, run: RunId) -> DbResult<Self> {
        let target = db.prepare_cached(
            "INSERT INTO target (url, host_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
        )?;
        let task = db.prepare_cached(
            "INSERT INTO task
                 (run_id, target_id, host_id, named, given, state, cached, turn, not_before, depth,
                  rank)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        )?;
        let link = db.prepare_cached(&format!("{INSERT_LINK} VALUES {LINK_VALUES}"))?;
        Ok(Self { db, run, target, task, link })
    }

    pub(super) fn web_target(&mut self, url: &str, host: i64) -> DbResult<StoredTarget> {
        let url = redaction::url(url);
        if self.target.execute((&url, host))? == 0 {
            return find_target(self.db, &url);
        }
        let id = self.db.last_insert_rowid();
        Ok(StoredTarget { id, host: Some(host), is_named: false, known: None })
    }

    /// The target's task in this run, made if need be.
    pub(super) fn task(
        &mut self,
        lead: &TaskOrigin<'_>,
        target: &StoredTarget,
        start: &TaskDefaults,
    ) -> DbResult<InsertedTask> {
        let (url, is_named) = match lead.target {
            NewTarget::Web { url, rights, .. } => (url, rights.is_named_by_user()),
            NewTarget::Local { key, .. } => (key, false),
        };
        let is_local = target.host.is_none();
        if is_named && !target.is_named {
            note_named(self.db, target.id)?;
        }
        let fresh = millis(start.fresh_since)..=millis(start.now);
        let is_fresh = target.known.as_ref().is_some_and(|known| {
            known.verdict == Verdict::Alive.as_str() && fresh.contains(&known.settled_at)
        }) && (!lead.wants_anchor || anchors::are_known(self.db, target.id)?);
        let is_settled = is_local || is_fresh;
        let turn = target.known.as_ref().filter(|_| is_settled).map(|known| known.generation);
        let given = redaction::text(lead.original_url);
        let given = (given != *url).then_some(given);
        let added = self.task.execute((
            self.run.0,
            target.id,
            target.host,
            is_named,
            given,
            if is_settled { SETTLED } else { PENDING },
            is_fresh && !is_local,
            turn,
            start.not_before,
            start.depth,
            start.rank,
        ))?;
        let id = match added {
            0 => known_task(self.db, self.run, target, is_named)?,
            _ => self.db.last_insert_rowid(),
        };
        if added == 0 && lead.wants_anchor && !is_settled {
            invalidate_cached(self.db, id)?;
        }
        if added == 0 && is_local {
            // From before an interruption: the file may have come or gone since.
            settle_anew(self.db, id, turn)?;
        }
        Ok(InsertedTask { id, is_new: added > 0, is_settled })
    }

    /// Stores the place of a link that led to this task.
    pub(super) fn place(
        &mut self,
        document: i64,
        position: usize,
        task: i64,
        link: &NewLink,
    ) -> DbResult<()> {
        let mut row = Rows::of(&mut self.link);
        put_place(&mut row, document, position, task, link)?;
        row.run()?;
        Ok(())
    }
}

/// Stores the place of a link.
pub(super) const INSERT_LINK: &str =
    "INSERT OR FAIL INTO link (document_id, position, task_id, span_start, span_end, line, col,
                               kind, fragment, hidden)";

/// What [`put_place`] puts.
pub(super) const LINK_VALUES: &str = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// Puts the place of a link that led to this task.
pub(super) fn put_place(
    rows: &mut Rows<'_, '_>,
    document: i64,
    position: usize,
    task: i64,
    link: &NewLink,
) -> DbResult<()> {
    let place = link.location;
    rows.put(&[
        &document,
        &number(position),
        &task,
        &number(place.span.start),
        &number(place.span.end),
        &place.line,
        &place.column,
        &place.kind.as_str(),
        &link.fragment.as_deref(),
        &hidden(link),
    ])
}

/// A task this run has already; being named by the user outweighs having
/// been found.
fn known_task(db: &Connection, run: RunId, target: &StoredTarget, is_named: bool) -> DbResult<i64> {
    if is_named {
        db.prepare_cached(
            "UPDATE task SET named = 1 WHERE run_id = ? AND target_id = ? AND NOT named",
        )?
        .execute((run.0, target.id))?;
    }
    let task = db
        .prepare_cached("SELECT id FROM task WHERE run_id = ? AND target_id = ?")?
        .query_row((run.0, target.id), |row| row.get(0))?;
    Ok(task)
}

/// A target that the user named in any run stays named: later runs that only
/// discover it do not change who named it first.
fn note_named(db: &Connection, target: i64) -> DbResult<()> {
    db.prepare_cached("UPDATE target SET named = 1 WHERE id = ?")?.execute([target])?;
    Ok(())
}

/// A task that was settled from memory is asked after all: a link wants to
/// know more of its target than memory does.
fn invalidate_cached(db: &Connection, task: i64) -> DbResult<()> {
    db.prepare_cached(
        "UPDATE task SET state = 0, cached = 0, turn = NULL WHERE id = ? AND cached",
    )?
    .execute([task])?;
    Ok(())
}

fn settle_anew(db: &Connection, task: i64, turn: Option<i64>) -> DbResult<()> {
    db.prepare_cached("UPDATE task SET turn = ? WHERE id = ?")?.execute((turn, task))?;
    Ok(())
}

/// The codes a link hides, as they are kept.
fn hidden(link: &NewLink) -> Option<String> {
    (!link.ignored_codes.is_empty()).then(|| format!(" {} ", link.ignored_codes.join(" ")))
}

/// Drops documents that no longer take part, and tasks that are nobody's.
pub(super) fn finish(db: &Connection, run: RunId, documents: &[DocumentId]) -> DbResult<()> {
    let kept: Vec<i64> = documents.iter().map(|document| document.0).collect();
    let kept = serde_json::to_string(&kept)?;
    let mut gone = db.prepare(
        "SELECT id FROM document WHERE run_id = ?
         AND id NOT IN (SELECT value FROM json_each(?))",
    )?;
    let gone = gone.query_map((run.0, kept), |row| row.get(0))?;
    for document in gone.collect::<Result<Vec<i64>, _>>()? {
        db.execute("DELETE FROM link WHERE document_id = ?", [document])?;
        db.execute("DELETE FROM document WHERE id = ?", [document])?;
        db.execute("UPDATE run SET unlinked = 1 WHERE id = ?", [run.0])?;
    }
    drop_unlinked(db, run)
}

fn drop_unlinked(db: &Connection, run: RunId) -> DbResult<()> {
    let is_unlinked: bool =
        db.query_row("SELECT unlinked FROM run WHERE id = ?", [run.0], |row| row.get(0))?;
    if is_unlinked {
        db.execute(
            "DELETE FROM task WHERE run_id = ?
             AND NOT EXISTS (SELECT 1 FROM link WHERE task_id = task.id)",
            [run.0],
        )?;
        db.execute(
            "UPDATE run_host SET due_at = (
                 SELECT min(not_before) FROM task
                 WHERE run_id = ?1 AND host_id = run_host.host_id AND state = 0)
             WHERE run_id = ?1",
            [run.0],
        )?;
        db.execute("UPDATE run SET unlinked = 0 WHERE id = ?", [run.0])?;
    }
    Ok(())
}
