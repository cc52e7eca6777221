//! Pages of a crawl on their way in: their links, and the errands they lead to.
//!
//! A page's links are stored in the transaction that settles its own errand,
//! so no kill can come between them.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_model::{Errand, ErrandId, RunId};
use relink_ports::{
    Admission, Completed, HostLease, KeptRobots, Moments, NewPage, NewTarget, PageLink,
};
use rusqlite::{Connection, OptionalExtension as _};

use super::fault::Outcome;
use super::loading::{self, Beginning, Begun, Start, host_id, local_target};
use super::redaction;
use super::rows::{self, errand_columns, millis, moment, number};

/// Adds pages that no errand brought.
pub(super) fn add(
    db: &Connection,
    run: RunId,
    pages: &[NewPage],
    moments: Moments,
) -> Outcome<Completed> {
    let mut intake = Intake::new(db, run, moments)?;
    for page in pages {
        intake.take(page, None)?;
    }
    intake.finish()
}

/// Takes in pages, counting what they lead to.
pub(super) struct Intake<'a, 'db> {
    db: &'db Connection,
    run: RunId,
    moments: Moments,
    beginning: Beginning<'db>,
    hosts: HashMap<&'a str, i64>,
    completed: Completed,
}

impl<'a, 'db> Intake<'a, 'db> {
    pub(super) fn new(db: &'db Connection, run: RunId, moments: Moments) -> Outcome<Self> {
        let beginning = Beginning::new(db, run)?;
        let (hosts, completed) = Default::default();
        Ok(Self { db, run, moments, beginning, hosts, completed })
    }

    /// Makes the hosts of new errands due, and says what was found.
    pub(super) fn finish(self) -> Outcome<Completed> {
        loading::make_due(self.db, self.run, self.hosts.into_values())?;
        Ok(self.completed)
    }

    /// Stores a page that was found on this errand.
    pub(super) fn take(&mut self, page: &'a NewPage, errand: Option<i64>) -> Outcome<()> {
        let Some(document) = self.document(page, errand)? else { return Ok(()) };
        let mut stored = 0;
        for (position, link) in page.links.iter().enumerate() {
            if let Some(errand) = self.target(link)? {
                self.beginning.place(document, position, errand, &link.link)?;
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
    fn document(&self, page: &NewPage, errand: Option<i64>) -> Outcome<Option<i64>> {
        let anchors = page.anchors.as_deref().map(packed);
        let added = self
            .db
            .prepare_cached(
                "INSERT INTO document (run_id, label, content, loaded, errand_id, sitemap, anchors)
                 VALUES (?, ?, 0, 1, ?, ?, ?) ON CONFLICT DO NOTHING",
            )?
            .execute((
                self.run.0,
                redaction::text(&page.label),
                errand,
                page.is_sitemap,
                anchors,
            ))?;
        Ok((added > 0).then(|| self.db.last_insert_rowid()))
    }

    /// The errand a link leads to, if it leads to one.
    fn target(&mut self, link: &'a PageLink) -> Outcome<Option<i64>> {
        let (url, host) = match &link.link.target {
            NewTarget::Web { url, host, .. } => (url, host),
            NewTarget::Local { .. } => {
                let target = local_target(self.db, self.run, &link.link.target, self.moments)?;
                let depth = match link.admission {
                    Admission::Ask { depth, .. } => Some(depth),
                    Admission::Leave => None,
                };
                let start = self.start(depth, None, Timestamp::MAX);
                let begun = self.beginning.errand(&(&link.link).into(), &target, &start)?;
                return Ok(Some(self.count(&begun)));
            }
        };
        if let Some(known) = self.known(url, link.admission)? {
            return Ok(Some(known));
        }
        let Admission::Ask { depth, rank, trusts_memory } = link.admission else {
            return Ok(None);
        };
        let host = host_id(self.db, host, &mut self.hosts)?;
        let target = self.beginning.web_target(url, host)?;
        let fresh_since = if trusts_memory { self.moments.fresh_since } else { Timestamp::MAX };
        let start = self.start(Some(depth), rank, fresh_since);
        let begun = self.beginning.errand(&(&link.link).into(), &target, &start)?;
        Ok(Some(self.count(&begun)))
    }

    /// An errand the run has already. Most links lead to one, so this comes
    /// first. A shorter way to a page that waits is noted, and an earlier turn.
    fn known(&self, url: &str, admission: Admission) -> Outcome<Option<i64>> {
        let known: Option<(i64, Option<u32>, Option<i64>, u8)> = self
            .db
            .prepare_cached(
                "SELECT e.id, e.depth, e.rank, e.state FROM target t
                 CROSS JOIN errand e ON e.run_id = ?2 AND e.target_id = t.id
                 WHERE t.url = ?1",
            )?
            .query_row((url, self.run.0), |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()?;
        let Some((id, depth, rank, state)) = known else { return Ok(None) };
        if let Admission::Ask { depth: new_depth, rank: new_rank, .. } = admission
            && state == 0
            && (depth.is_some_and(|depth| new_depth < depth)
                || rank.zip(new_rank).is_some_and(|(rank, new)| new < rank))
        {
            let depth = depth.map(|depth| depth.min(new_depth));
            let rank = rank.map(|rank| new_rank.map_or(rank, |new| new.min(rank)));
            self.db
                .prepare_cached("UPDATE errand SET depth = ?, rank = ? WHERE id = ?")?
                .execute((depth, rank, id))?;
        }
        Ok(Some(id))
    }

    /// Pages are asked in the order they are found, so an errand begins with
    /// the moment it was found at.
    fn start(&self, depth: Option<u32>, rank: Option<i64>, fresh_since: Timestamp) -> Start {
        let now = self.moments.now;
        Start { fresh_since, now, not_before: millis(now), depth, rank }
    }

    fn count(&mut self, begun: &Begun) -> i64 {
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

/// Due errands by their rank; none if the lease is lost.
pub(super) fn ranked(
    db: &Connection,
    run: RunId,
    lease: HostLease,
    limit: usize,
    now: Timestamp,
) -> Outcome<Vec<Errand>> {
    let mut statement = db.prepare_cached(concat!(
        "SELECT ",
        errand_columns!(),
        " FROM errand e INDEXED BY errand_ranked
          CROSS JOIN target t ON t.id = e.target_id
          WHERE e.state = 0 AND e.rank IS NOT NULL AND e.run_id = ?1 AND e.host_id = ?2
            AND e.not_before <= ?3
            AND EXISTS (SELECT 1 FROM host WHERE id = ?2 AND lease_no = ?5)
          ORDER BY e.rank LIMIT ?4"
    ))?;
    let rows = statement
        .query_and_then((run.0, lease.host.0, millis(now), number(limit), lease.number), |row| {
            rows::errand(db, row)
        })?;
    rows.collect()
}

pub(super) fn last_errand(db: &Connection, run: RunId) -> Outcome<ErrandId> {
    let last = db
        .prepare_cached("SELECT ifnull(max(id), 0) FROM errand WHERE run_id = ?")?
        .query_row([run.0], |row| row.get(0))?;
    Ok(ErrandId(last))
}

pub(super) fn robots(
    db: &Connection,
    origin: &str,
    since: Timestamp,
) -> Outcome<Option<KeptRobots>> {
    let kept = db
        .prepare_cached(
            "SELECT asked_at, status, text FROM robots WHERE origin = ? AND asked_at >= ?",
        )?
        .query_row((origin, millis(since)), |row| {
            Ok(KeptRobots {
                origin: origin.to_owned(),
                asked: moment(row.get(0)?),
                status: row.get(1)?,
                text: row.get(2)?,
            })
        })
        .optional()?;
    Ok(kept)
}

pub(super) fn keep_robots(db: &Connection, robots: &KeptRobots) -> Outcome<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO robots (origin, asked_at, status, text) VALUES (?, ?, ?, ?)",
    )?
    .execute((
        &robots.origin,
        millis(robots.asked),
        robots.status,
        redaction::bytes(&robots.text),
    ))?;
    Ok(())
}

pub(super) fn note(db: &Connection, run: RunId, name: &str) -> Outcome<Option<String>> {
    let note = db
        .prepare_cached("SELECT text FROM note WHERE run_id = ? AND name = ?")?
        .query_row((run.0, name), |row| row.get(0))
        .optional()?;
    Ok(note)
}

pub(super) fn keep_note(db: &Connection, run: RunId, name: &str, text: &str) -> Outcome<()> {
    db.prepare_cached("INSERT OR REPLACE INTO note (run_id, name, text) VALUES (?, ?, ?)")?
        .execute((run.0, name, redaction::json(text)?))?;
    Ok(())
}
