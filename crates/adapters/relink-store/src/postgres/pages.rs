//! Stores pages of crawls, their links, and tasks for new targets.
//!
//! The links of a page are stored in the transaction that finishes the task of the
//! page. After a crash, either both are stored or neither.

use std::collections::HashMap;

use jiff::Timestamp;
use relink_model::RunId;
use relink_ports::{CacheWindow, CommitSummary, LinkDecision, NewPage, NewTarget, PageLink};

use super::clock::ClockOffset;
use super::error::DbResult;
use super::links::{self, LinkRow};
use super::rows::stored_text;
use super::session::Db;
use super::tasks::{self, NewTask, target_key};
use crate::values::{label_hash, pack_anchors};

/// A task that existed before these pages were stored.
struct ExistingTask {
    id: i64,
    depth: Option<i64>,
    rank: Option<i64>,
    /// Whether the target is not fetched yet.
    is_pending: bool,
}

/// The task of a link.
#[derive(Clone, Copy)]
enum LinkTask {
    /// The id of an existing task.
    Existing(i64),
    /// The index in the list of new tasks, which have no ids yet.
    New(usize),
}

/// Stores pages and counts their new targets. Each page has the id of the task that
/// fetched it, if any.
pub(super) async fn add(
    db: &Db<'_>,
    clock: ClockOffset,
    run: RunId,
    pages: &[(&NewPage, Option<i64>)],
    cache_window: CacheWindow,
) -> DbResult<CommitSummary> {
    let mut stored = Vec::with_capacity(pages.len());
    for (page, task) in pages {
        if let Some(document) = insert_document(db, run, page, *task).await? {
            stored.push((document, *page));
        }
    }
    if stored.is_empty() {
        return Ok(CommitSummary::default());
    }
    let mut existing = existing_tasks(db, run, &stored).await?;
    let now = clock.db_time(cache_window.now);
    let mut new: Vec<NewTask<'_>> = Vec::new();
    let mut new_keys: HashMap<String, usize> = HashMap::new();
    // The depth of a task is the number of links from a start page. Its rank is its place in
    // the order of the crawl. Both are the lowest values found so far.
    let mut lowered_tasks = Vec::new();
    let mut links: Vec<(i64, usize, &PageLink, LinkTask)> = Vec::new();
    for (document, page) in &stored {
        for (position, link) in page.links.iter().enumerate() {
            let key = target_key(&link.link.target);
            let task = if let Some(task) = existing.get_mut(&key) {
                lowered_tasks.extend(lower_existing(task, link.decision));
                LinkTask::Existing(task.id)
            } else if let Some(index) = new_keys.get(&key) {
                LinkTask::New(lower_new(&mut new, *index, link.decision))
            } else if let Some(task) = new_task(link, cache_window, now) {
                new_keys.insert(key, new.len());
                new.push(task);
                LinkTask::New(new.len() - 1)
            } else {
                continue;
            };
            links.push((*document, position, link, task));
        }
    }
    save_lowered(db, &lowered_tasks).await?;
    let (inserted, hosts) = tasks::insert_tasks(db, run, &new, cache_window.now).await?;
    let mut summary = CommitSummary::default();
    for task in &inserted {
        summary.new_targets += u64::from(task.is_new);
        summary.already_checked += u64::from(task.is_new && task.is_finished);
    }
    let rows = links.iter().filter_map(|(document, position, link, task)| {
        let task = match task {
            LinkTask::Existing(id) => *id,
            LinkTask::New(index) => inserted.get(*index)?.id,
        };
        Some(LinkRow { document: *document, position: *position, task, link: &link.link })
    });
    store_links(db, &rows.collect::<Vec<_>>(), cache_window.now).await?;
    tasks::update_due_times(db, run, &hosts).await?;
    Ok(summary)
}

/// Returns the task of a link whose target is new to the run, or `None` if the target is
/// skipped. Local targets, which are findings without a request, are never skipped.
/// `fresh_since` is `Timestamp::MAX` if a cached result must not be used.
fn new_task(link: &PageLink, cache_window: CacheWindow, now: i64) -> Option<NewTask<'_>> {
    let is_local = matches!(link.link.target, NewTarget::Local { .. });
    let (depth, rank, fresh_since) = match link.decision {
        LinkDecision::Fetch { depth, rank, may_use_cache } if !is_local => {
            let fresh_since = if may_use_cache { cache_window.fresh_since } else { Timestamp::MAX };
            (Some(depth), rank, fresh_since)
        }
        LinkDecision::Fetch { depth, .. } => (Some(depth), None, Timestamp::MAX),
        LinkDecision::Skip if is_local => (None, None, Timestamp::MAX),
        LinkDecision::Skip => return None,
    };
    let task = NewTask::immediate(&link.link, cache_window);
    Some(NewTask { depth, rank, fresh_since, not_before: now, ..task })
}

/// Lowers the depth and rank of a new task if another link to its target has a lower depth or rank.
/// Returns `index`. A depth or rank that is `None` stays `None`.
fn lower_new(new: &mut [NewTask<'_>], index: usize, decision: LinkDecision) -> usize {
    if let (Some(task), LinkDecision::Fetch { depth, rank, .. }) = (new.get_mut(index), decision) {
        task.depth = task.depth.map(|known| known.min(depth));
        task.rank = task.rank.map(|known| rank.map_or(known, |rank| rank.min(known)));
    }
    index
}

/// Lowers the depth and rank of a pending task if a link has a lower depth or rank. Returns the task
/// id and the new depth and rank, or `None` if nothing changed.
fn lower_existing(
    task: &mut ExistingTask,
    decision: LinkDecision,
) -> Option<(i64, Option<i64>, Option<i64>)> {
    let LinkDecision::Fetch { depth, rank, .. } = decision else { return None };
    let depth = i64::from(depth);
    let is_lower = task.depth.is_some_and(|known| depth < known)
        || task.rank.zip(rank).is_some_and(|(known, rank)| rank < known);
    if !task.is_pending || !is_lower {
        return None;
    }
    task.depth = task.depth.map(|known| known.min(depth));
    task.rank = task.rank.map(|known| rank.map_or(known, |rank| rank.min(known)));
    Some((task.id, task.depth, task.rank))
}

/// Stores lowered depths and ranks, by task id.
async fn save_lowered(
    db: &Db<'_>,
    lowered_tasks: &[(i64, Option<i64>, Option<i64>)],
) -> DbResult<()> {
    // A task can occur several times. Its last values are the lowest.
    for (id, depth, rank) in lowered_tasks {
        db.execute("UPDATE task SET depth = $1, rank = $2 WHERE id = $3", &[depth, rank, id])
            .await?;
    }
    Ok(())
}

/// Inserts the document of a page. Returns `None` if it exists, which happens
/// for seed lists and sitemaps after an interruption.
async fn insert_document(
    db: &Db<'_>,
    run: RunId,
    page: &NewPage,
    task: Option<i64>,
) -> DbResult<Option<i64>> {
    let anchors = page.anchors.as_deref().map(pack_anchors);
    let label = stored_text(&page.label);
    let row = db
        .query_opt(
            "INSERT INTO document (run_id, label, label_hash, content_hash, loaded, task_id,
                                   sitemap, anchors)
             VALUES ($1, $2, $3, 0, TRUE, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id",
            &[&run.0, &label, &label_hash(&label), &task, &page.is_sitemap, &anchors],
        )
        .await?;
    Ok(row.map(|row| row.get(0)))
}

/// Returns the existing tasks of links to web pages by URL. The tasks of local targets
/// are not returned, because they are inserted again with their current verdict.
async fn existing_tasks(
    db: &Db<'_>,
    run: RunId,
    pages: &[(i64, &NewPage)],
) -> DbResult<HashMap<String, ExistingTask>> {
    let links = pages.iter().flat_map(|(_, page)| &page.links);
    let web = links.filter(|link| matches!(link.link.target, NewTarget::Web { .. }));
    let urls: Vec<String> = web.map(|link| target_key(&link.link.target)).collect();
    let rows = db
        .query(
            "SELECT t.url, task.id, task.depth, task.rank, task.state = 0 /* pending */
             FROM target t
             JOIN task ON task.run_id = $2 AND task.target_id = t.id
             WHERE t.url = ANY($1)",
            &[&urls, &run.0],
        )
        .await?;
    let task_from_row = |row: &tokio_postgres::Row| ExistingTask {
        id: row.get(1),
        depth: row.get(2),
        rank: row.get(3),
        is_pending: row.get(4),
    };
    Ok(rows.iter().map(|row| (row.get(0), task_from_row(row))).collect())
}

/// Inserts links and counts them in their documents.
async fn store_links(db: &Db<'_>, rows: &[LinkRow<'_>], now: Timestamp) -> DbResult<()> {
    links::insert(db, rows, now).await?;
    let mut links_by_document: HashMap<i64, i64> = HashMap::new();
    for row in rows {
        *links_by_document.entry(row.document).or_default() += 1;
    }
    let (documents, links): (Vec<i64>, Vec<i64>) = links_by_document.into_iter().unzip();
    db.execute(
        "UPDATE document SET links = new.links
         FROM unnest($1::bigint[], $2::bigint[]) AS new (id, links) WHERE document.id = new.id",
        &[&documents, &links],
    )
    .await?;
    Ok(())
}
