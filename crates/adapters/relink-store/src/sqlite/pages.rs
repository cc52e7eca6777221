//! Pages of a crawl on their way in: their links, and the tasks they lead to.
//!
//! A page's links are stored in the transaction that settles its own task,
//! so no kill can come between them.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_model::{FetchTask, RunId, TaskId};
use relink_ports::{
    CacheWindow, CommitSummary, HostLease, LinkDecision, NewPage, NewTarget, PageLink, StoredRobots,
};
use rusqlite::{Connection, OptionalExtension as _};

use super::error::DbResult;
use super::loading::{self, InsertedTask, TaskDefaults, TaskWriter, host_id, local_target};
use super::redaction;
use super::rows::{self, millis, moment, number, task_columns};

/// Adds pages that no task brought.
pub(super) fn add(
    db: &Connection,
    run: RunId,
    pages: &[NewPage],
    moments: CacheWindow,
) -> DbResult<CommitSummary> {
    let mut intake = PageWriter::new(db, run, moments)?;
    for page in pages {
        intake.take(page, None)?;
    }
    intake.finish()
}

/// Takes in pages, counting what they lead to.
pub(super) struct PageWriter<'a, 'db> {
    db: &'db Connection,
    run: RunId,
    cache_window: CacheWindow,
    beginning: TaskWriter<'db>,
    hosts: HashMap<&'a str, i64>,
    completed: CommitSummary,
}

impl<'a, 'db> PageWriter<'a, 'db> {
    pub(super) fn new(db: &'db Connection, run: RunId, moments: CacheWindow) -> DbResult<Self> {
        let beginning = TaskWriter::new(db, run)?;
        let (hosts, completed) = Default::default();
        Ok(Self { db, run, cache_window: moments, beginning, hosts, completed })
    }

    /// Makes the hosts of new tasks due, and says what was found.
    pub(super) fn finish(self) -> DbResult<CommitSummary> {
        loading::make_due(self.db, self.run, self.hosts.into_values())?;
        Ok(self.completed)
    }

    /// Stores a page that was found on this task.
    pub(super) fn take(&mut self, page: &'a NewPage, task: Option<i64>) -> DbResult<()> {
        let Some(document) = self.document(page, task)? else { return Ok(()) };
        let mut stored = 0;
        for (position, link) in page.links.iter().enumerate() {
            if let Some(task) = self.target(link)? {
                self.beginning.place(document, position, task, &link.link)?;
                stored += 1;
            }
        }
        self.db
            .prepare_cached("UPDATE document SET links = ? WHERE id = ?")?
            .execute((number(stored), document))?;
        Ok(())
    }

    /// The page's document; nothing if the run has it already, which a seed or
    /// a sitemap may be after an interruption.
    fn document(&self, page: &NewPage, task: Option<i64>) -> DbResult<Option<i64>> {
        let anchors = page.anchors.as_deref().map(packed);
        let added = self
            .db
            .prepare_cached(
                "INSERT INTO document (run_id, label, content, loaded, task_id, sitemap, anchors)
                 VALUES (?, ?, 0, 1, ?, ?, ?) ON CONFLICT DO NOTHING",
            )?
            .execute((self.run.0, redaction::text(&page.label), task, page.is_sitemap, anchors))?;
        Ok((added > 0).then(|| self.db.last_insert_rowid()))
    }

    /// The task a link leads to, if it leads to one.
    fn target(&mut self, link: &'a PageLink) -> DbResult<Option<i64>> {
        let (url, host) = match &link.link.target {
            NewTarget::Web { url, host, .. } => (url, host),
            NewTarget::Local { .. } => {
                let target = local_target(self.db, self.run, &link.link.target, self.cache_window)?;
                let depth = match link.admission {
                    LinkDecision::Fetch { depth, .. } => Some(depth),
                    LinkDecision::Skip => None,
                };
                let start = self.start(depth, None, Timestamp::MAX);
                let begun = self.beginning.task(&(&link.link).into(), &target, &start)?;
                return Ok(Some(self.count(&begun)));
            }
        };
        if let Some(known) = self.known(url, link.admission)? {
            return Ok(Some(known));
        }
        let LinkDecision::Fetch { depth, rank, may_use_cache: trusts_memory } = link.admission
        else {
            return Ok(None);
        };
        let host = host_id(self.db, host, &mut self.hosts)?;
        let target = self.beginning.web_target(url, host)?;
        let fresh_since =
            if trusts_memory { self.cache_window.fresh_since } else { Timestamp::MAX };
        let start = self.start(Some(depth), rank, fresh_since);
        let begun = self.beginning.task(&(&link.link).into(), &target, &start)?;
        Ok(Some(self.count(&begun)))
    }

    /// A task the run has already. Most links lead to one, so this comes
    /// first. A shorter way to a page that waits is noted, and an earlier turn.
    fn known(&self, url: &str, admission: LinkDecision) -> DbResult<Option<i64>> {
        let known: Option<(i64, Option<u32>, Option<i64>, u8)> = self
            .db
            .prepare_cached(
                "SELECT e.id, e.depth, e.rank, e.state FROM target t
                 CROSS JOIN task e ON e.run_id = ?2 AND e.target_id = t.id
                 WHERE t.url = ?1",
            )?
            .query_row((url, self.run.0), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()?;
        let Some((id, depth, rank, state)) = known else { return Ok(None) };
        if let LinkDecision::Fetch { depth: new_depth, rank: new_rank, .. } = admission
            && state == 0
            && (depth.is_some_and(|depth| new_depth < depth)
                || rank.zip(new_rank).is_some_and(|(rank, new)| new < rank))
        {
            let depth = depth.map(|depth| depth.min(new_depth));
            let rank = rank.map(|rank| new_rank.map_or(rank, |new| new.min(rank)));
            self.db
                .prepare_cached("UPDATE task SET depth = ?, rank = ? WHERE id = ?")?
                .execute((depth, rank, id))?;
        }
        Ok(Some(id))
    }

    /// Pages are asked in the order they are found, so a task begins with
    /// the moment it was found at.
    fn start(&self, depth: Option<u32>, rank: Option<i64>, fresh_since: Timestamp) -> TaskDefaults {
        let now = self.cache_window.now;
        TaskDefaults { fresh_since, now, not_before: millis(now), depth, rank }
    }

    fn count(&mut self, begun: &InsertedTask) -> i64 {
        self.completed.found += u64::from(begun.is_new);
        self.completed.known += u64::from(begun.is_new && begun.is_settled);
        begun.id
    }
}

pub(super) fn packed(anchors: &[u32]) -> Vec<u8> {
    anchors.iter().flat_map(|anchor| anchor.to_le_bytes()).collect()
}

/// The anchors of a page as they were stored.
pub(super) fn unpacked(anchors: &[u8]) -> Vec<u32> {
    anchors.as_chunks::<4>().0.iter().copied().map(u32::from_le_bytes).collect()
}

/// Due tasks by their rank; none if the lease is lost.
pub(super) fn ranked(
    db: &Connection,
    run: RunId,
    lease: HostLease,
    limit: usize,
    now: Timestamp,
) -> DbResult<Vec<FetchTask>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        task_columns!(),
        " FROM task e INDEXED BY task_ranked
          CROSS JOIN target t ON t.id = e.target_id
          WHERE e.state = 0 AND e.rank IS NOT NULL AND e.run_id = ?1 AND e.host_id = ?2
            AND e.not_before <= ?3
            AND EXISTS (SELECT 1 FROM host WHERE id = ?2 AND lease_no = ?5)
          ORDER BY e.rank LIMIT ?4"
    ))?;
    let rows = statement.query_and_then(
        (run.0, lease.host.0, millis(now), number(limit), lease.fencing_token),
        |row| rows::task(db, row),
    )?;
    rows.collect()
}

pub(super) fn last_task(db: &Connection, run: RunId) -> DbResult<TaskId> {
    let last = db
        .prepare_cached("SELECT ifnull(max(id), 0) FROM task WHERE run_id = ?")?
        .query_row([run.0], |row| row.get(0))?;
    Ok(TaskId(last))
}

pub(super) fn robots(
    db: &Connection,
    origin: &str,
    since: Timestamp,
) -> DbResult<Option<StoredRobots>> {
    let kept = db
        .prepare_cached(
            "SELECT asked_at, status, text FROM robots WHERE origin = ? AND asked_at >= ?",
        )?
        .query_row((origin, millis(since)), |row| {
            Ok(StoredRobots {
                origin: origin.to_owned(),
                requested_at: moment(row.get(0)?),
                status: row.get(1)?,
                text: row.get(2)?,
            })
        })
        .optional()?;
    Ok(kept)
}

pub(super) fn keep_robots(db: &Connection, robots: &StoredRobots) -> DbResult<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO robots (origin, asked_at, status, text) VALUES (?, ?, ?, ?)",
    )?
    .execute((
        &robots.origin,
        millis(robots.requested_at),
        robots.status,
        redaction::bytes(&robots.text),
    ))?;
    Ok(())
}

pub(super) fn note(db: &Connection, run: RunId, name: &str) -> DbResult<Option<String>> {
    let note = db
        .prepare_cached("SELECT text FROM note WHERE run_id = ? AND name = ?")?
        .query_row((run.0, name), |row| row.get(0))
        .optional()?;
    Ok(note)
}

pub(super) fn keep_note(db: &Connection, run: RunId, name: &str, text: &str) -> DbResult<()> {
    db.prepare_cached("INSERT OR REPLACE INTO note (run_id, name, text) VALUES (?, ?, ?)")?
        .execute((run.0, name, redaction::json(text)?))?;
    Ok(())
}
