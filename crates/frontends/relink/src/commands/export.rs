//! `relink crawl --export`: writes the link graph or a sitemap.

use std::collections::HashMap;
use std::io::{self, BufWriter, IntoInnerError, Write};

use relink_engine::Ports;
use relink_model::{RunId, TaskId};
use relink_ports::{DocumentId, SiteLink, SitePage, SiteTarget};
use relink_report::graph::{GraphCsv, GraphEdgeRow, Graphml, NodeRow, SitemapXml};
use relink_report::human::counted;

use crate::cli::{Export, ExportKind};
use crate::error::CommandError;
use crate::output::OutputFile;

/// Number of rows read from the store at a time.
const BATCH: usize = 4096;

/// Writes an export file.
pub async fn write(ports: &Ports, run: RunId, export: &Export) -> Result<(), CommandError> {
    let cannot = |error: io::Error| {
        CommandError::internal(format!("cannot write `{}`", export.path.display()))
            .cause(error.to_string())
    };
    let mut out = BufWriter::new(OutputFile::create(&export.path).map_err(cannot)?);
    match export.kind {
        ExportKind::Graphml => graphml(ports, run, &mut out, &cannot).await?,
        ExportKind::Csv => csv(ports, run, &mut out, &cannot).await?,
        ExportKind::Sitemap => sitemap(ports, run, &mut out, &cannot).await?,
    }
    let file = out.into_inner().map_err(IntoInnerError::into_error).map_err(cannot)?;
    file.commit().map_err(cannot)
}

type Cannot<'a> = dyn Fn(io::Error) -> CommandError + Sync + 'a;

async fn graphml(
    ports: &Ports,
    run: RunId,
    out: impl Write + Send,
    cannot: &Cannot<'_>,
) -> Result<(), CommandError> {
    let mut graph = Graphml::begin(out).map_err(cannot)?;
    let pages = page_tasks(ports, run).await?;
    for_each_target(ports, run, |target| graph.node(&node(target)).map_err(cannot)).await?;
    let mut cursor = (TaskId(0), DocumentId(0), 0);
    loop {
        let batch = ports.store.site_links(run, cursor, BATCH).await?;
        let Some(last) = batch.last() else { break };
        cursor = after_link(last);
        for link in &batch {
            if let Some(from) = pages.get(&link.from) {
                graph.edge(from.0, link.to.0, link.kind).map_err(cannot)?;
            }
        }
    }
    graph.end().map_err(cannot)
}

async fn csv(
    ports: &Ports,
    run: RunId,
    out: impl Write + Send,
    cannot: &Cannot<'_>,
) -> Result<(), CommandError> {
    let mut table = GraphCsv::begin(out).map_err(cannot)?;
    let pages: HashMap<DocumentId, String> =
        pages(ports, run).await?.into_iter().map(|page| (page.document, page.label)).collect();
    let mut target: Option<SiteTarget> = None;
    let mut cursor = (TaskId(0), DocumentId(0), 0);
    loop {
        let batch = ports.store.site_links(run, cursor, BATCH).await?;
        let Some(last) = batch.last() else { break };
        cursor = after_link(last);
        for link in &batch {
            // Links are sorted by target, so each target is read once.
            if target.as_ref().is_none_or(|target| target.task != link.to) {
                let before = TaskId(link.to.0 - 1);
                target = ports.store.site_targets(run, before, 1).await?.into_iter().next();
            }
            let (Some(target), Some(from)) = (&target, pages.get(&link.from)) else { continue };
            let row = GraphEdgeRow {
                from,
                to: &target.url,
                kind: link.kind,
                line: link.line,
                fragment: link.fragment.as_deref(),
                verdict: target.verdict,
                status: target.status,
            };
            table.link(&row).map_err(cannot)?;
        }
    }
    table.end().map_err(cannot)
}

/// Writes a sitemap of the pages that were read, have status 200 and do not redirect.
async fn sitemap(
    ports: &Ports,
    run: RunId,
    out: impl Write + Send,
    cannot: &Cannot<'_>,
) -> Result<(), CommandError> {
    let mut sitemap = SitemapXml::begin(out).map_err(cannot)?;
    let read: HashMap<TaskId, bool> = pages(ports, run)
        .await?
        .into_iter()
        .filter_map(|page| Some((page.task?, page.is_sitemap)))
        .collect();
    for_each_target(ports, run, |target| {
        let is_page = read.get(&target.task) == Some(&false);
        if is_page && target.status == Some(200) && target.hops.len() == 1 {
            sitemap.page(&target.url).map_err(cannot)?;
        }
        Ok(())
    })
    .await?;
    let omitted = sitemap.end().map_err(cannot)?;
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

/// Calls `each` with every target of a crawl, in the order of discovery.
async fn for_each_target(
    ports: &Ports,
    run: RunId,
    mut each: impl FnMut(&SiteTarget) -> Result<(), CommandError> + Send,
) -> Result<(), CommandError> {
    let mut after = TaskId(0);
    loop {
        let batch = ports.store.site_targets(run, after, BATCH).await?;
        let Some(last) = batch.last() else { return Ok(()) };
        after = last.task;
        batch.iter().try_for_each(&mut each)?;
    }
}

fn node(target: &SiteTarget) -> NodeRow<'_> {
    NodeRow {
        id: target.task.0,
        url: &target.url,
        verdict: target.verdict,
        status: target.status,
        depth: target.depth,
        title: target.title.as_deref(),
    }
}

fn after_link(link: &SiteLink) -> (TaskId, DocumentId, u64) {
    (link.to, link.from, link.position)
}

async fn page_tasks(
    ports: &Ports,
    run: RunId,
) -> Result<HashMap<DocumentId, TaskId>, CommandError> {
    let pages = pages(ports, run).await?;
    Ok(pages.into_iter().filter_map(|page| Some((page.document, page.task?))).collect())
}

async fn pages(ports: &Ports, run: RunId) -> Result<Vec<SitePage>, CommandError> {
    let mut all: Vec<SitePage> = Vec::new();
    loop {
        let after = all.last().map_or(DocumentId(0), |page| page.document);
        let batch = ports.store.site_pages(run, after, BATCH).await?;
        if batch.is_empty() {
            return Ok(all);
        }
        all.extend(batch.into_iter().map(|page| SitePage { anchors: None, ..page }));
    }
}
