//! `relink crawl --export`: writes the link graph or a sitemap.
//!
//! A target is a URL that the crawl checked. A document is a page whose links were read.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufWriter, IntoInnerError, Write};

use relink_model::{RunId, TaskId};
use relink_ports::{DocumentId, SiteLink, SitePage, SiteTarget};
use relink_report::graph::{GraphCsv, GraphEdgeRow, Graphml, NodeRow, SitemapXml};
use relink_report::human::counted;
use relink_requests::Ports;

use super::BEFORE_FIRST_TASK;
use crate::cli::{Export, ExportKind};
use crate::error::CommandError;
use crate::output::OutputFile;

/// Number of rows read from the store at a time.
const BATCH_SIZE: usize = 4096;

/// The position of a link in the store: target, document, and number in the document.
type LinkCursor = (TaskId, DocumentId, u64);

/// The cursor before the first link.
const BEFORE_FIRST_LINK: LinkCursor = (BEFORE_FIRST_TASK, DocumentId(0), 0);

/// Converts an error of the output file.
type ToCommandError<'a> = dyn Fn(io::Error) -> CommandError + Sync + 'a;

/// Writes an export file.
pub async fn write(ports: &Ports, run: RunId, export: &Export) -> Result<(), CommandError> {
    let cannot_write = |error: io::Error| {
        CommandError::internal(format!("cannot write `{}`", export.path.display()))
            .cause(error.to_string())
    };
    let mut out = BufWriter::new(OutputFile::create(&export.path).map_err(cannot_write)?);
    match export.kind {
        ExportKind::Graphml => write_graphml(ports, run, &mut out, &cannot_write).await?,
        ExportKind::Csv => write_csv(ports, run, &mut out, &cannot_write).await?,
        ExportKind::Sitemap => write_sitemap(ports, run, &mut out, &cannot_write).await?,
    }
    let file = out.into_inner().map_err(IntoInnerError::into_error).map_err(cannot_write)?;
    file.commit().map_err(cannot_write)
}

/// Writes the targets as nodes and the links as edges.
async fn write_graphml(
    ports: &Ports,
    run: RunId,
    out: impl Write + Send,
    cannot_write: &ToCommandError<'_>,
) -> Result<(), CommandError> {
    let mut graph = Graphml::begin(out).map_err(cannot_write)?;
    let targets = targets_of_documents(ports, run).await?;
    for_each_target(ports, run, |target| graph.node(&node_row(target)).map_err(cannot_write))
        .await?;
    let mut cursor = BEFORE_FIRST_LINK;
    loop {
        let batch = ports.store.site_links(run, cursor, BATCH_SIZE).await?;
        let Some(last) = batch.last() else { break };
        cursor = cursor_of(last);
        for link in &batch {
            // Documents without a target, such as sitemaps, are not nodes of the graph.
            if let Some(from) = targets.get(&link.from) {
                graph.edge(from.0, link.to.0, link.kind).map_err(cannot_write)?;
            }
        }
    }
    graph.end().map_err(cannot_write)
}

/// Writes one row per link, sorted by target.
async fn write_csv(
    ports: &Ports,
    run: RunId,
    out: impl Write + Send,
    cannot_write: &ToCommandError<'_>,
) -> Result<(), CommandError> {
    let mut table = GraphCsv::begin(out).map_err(cannot_write)?;
    let documents = documents(ports, run).await?.into_iter();
    let labels: HashMap<DocumentId, String> =
        documents.map(|document| (document.document, document.label)).collect();
    let mut target: Option<SiteTarget> = None;
    let mut cursor = BEFORE_FIRST_LINK;
    loop {
        let batch = ports.store.site_links(run, cursor, BATCH_SIZE).await?;
        let Some(last) = batch.last() else { break };
        cursor = cursor_of(last);
        for link in &batch {
            // Links are sorted by target, so each target is read once.
            if target.as_ref().is_none_or(|target| target.task != link.to) {
                // The query returns the first target after a task.
                let previous = TaskId(link.to.0 - 1);
                target = ports.store.site_targets(run, previous, 1).await?.into_iter().next();
            }
            let (Some(target), Some(from)) = (&target, labels.get(&link.from)) else { continue };
            let row = GraphEdgeRow {
                from,
                to: &target.url,
                kind: link.kind,
                line: link.line,
                fragment: link.fragment.as_deref(),
                verdict: target.verdict,
                status: target.status,
            };
            table.link(&row).map_err(cannot_write)?;
        }
    }
    table.end().map_err(cannot_write)
}

/// Writes a sitemap of the pages that were read, have status 200 and were not reached by a
/// redirect.
async fn write_sitemap(
    ports: &Ports,
    run: RunId,
    out: impl Write + Send,
    cannot_write: &ToCommandError<'_>,
) -> Result<(), CommandError> {
    let mut sitemap = SitemapXml::begin(out).map_err(cannot_write)?;
    let documents = documents(ports, run).await?.into_iter();
    let pages: HashSet<TaskId> = documents
        .filter(|document| !document.is_sitemap)
        .filter_map(|document| document.task)
        .collect();
    for_each_target(ports, run, |target| {
        let is_redirected = target.hops.len() > 1;
        if pages.contains(&target.task) && target.status == Some(200) && !is_redirected {
            sitemap.page(&target.url).map_err(cannot_write)?;
        }
        Ok(())
    })
    .await?;
    let omitted = sitemap.end().map_err(cannot_write)?;
    warn_omitted(omitted);
    Ok(())
}

/// Prints a warning if the sitemap does not contain all pages.
#[expect(clippy::print_stderr, reason = "warnings go to stderr")]
fn warn_omitted(pages: u64) {
    if pages > 0 {
        let pages = counted(pages, "page");
        eprintln!("warning: the sitemap has its maximum size; {pages} omitted");
    }
}

/// Calls `visit` with every target of a crawl, in the order of discovery.
async fn for_each_target(
    ports: &Ports,
    run: RunId,
    mut visit: impl FnMut(&SiteTarget) -> Result<(), CommandError> + Send,
) -> Result<(), CommandError> {
    let mut after = BEFORE_FIRST_TASK;
    loop {
        let batch = ports.store.site_targets(run, after, BATCH_SIZE).await?;
        let Some(last) = batch.last() else { return Ok(()) };
        after = last.task;
        batch.iter().try_for_each(&mut visit)?;
    }
}

fn node_row(target: &SiteTarget) -> NodeRow<'_> {
    NodeRow {
        id: target.task.0,
        url: &target.url,
        verdict: target.verdict,
        status: target.status,
        depth: target.depth,
        title: target.title.as_deref(),
    }
}

fn cursor_of(link: &SiteLink) -> LinkCursor {
    (link.to, link.from, link.position)
}

/// Returns the target of each document that has one.
async fn targets_of_documents(
    ports: &Ports,
    run: RunId,
) -> Result<HashMap<DocumentId, TaskId>, CommandError> {
    let documents = documents(ports, run).await?.into_iter();
    Ok(documents.filter_map(|document| Some((document.document, document.task?))).collect())
}

/// Returns all documents of a crawl. Drops their anchors, because they can be large.
async fn documents(ports: &Ports, run: RunId) -> Result<Vec<SitePage>, CommandError> {
    let mut all: Vec<SitePage> = Vec::new();
    loop {
        let after = all.last().map_or(DocumentId(0), |last| last.document);
        let batch = ports.store.site_pages(run, after, BATCH_SIZE).await?;
        if batch.is_empty() {
            return Ok(all);
        }
        all.extend(batch.into_iter().map(|page| SitePage { anchors: None, ..page }));
    }
}
