//! Builds the graph of a crawl from the store.
//!
//! Only links that a user may follow count. A page that redirects is replaced
//! by the page to which it redirects. Pages of other sites were checked but not parsed, so
//! their links are unknown.

use std::collections::{HashMap, HashSet};

use relink_decay::{GraphError, PageIndex};
use relink_model::{LinkKind, RunId, TaskId, Verdict};
use relink_ports::{DocumentId, SiteLink, SiteTarget, Store};
use url::Url;

use super::failure_model::FailureModel;
use super::web_graph::{Node, NodeState, WebGraph};
use relink_engine::count_skipped_links;
use relink_requests::{BEFORE_FIRST_TASK, EngineError};

/// Number of rows read from the store at a time.
const PAGE_SIZE: usize = 4096;
/// Maximum length of a redirect chain.
const MAX_REDIRECTS: usize = 20;

/// Builds the graph of a crawl.
///
/// # Errors
///
/// If the store cannot be read.
pub async fn crawl_graph(
    store: &dyn Store,
    run: RunId,
    failure_model: FailureModel,
) -> Result<WebGraph, EngineError> {
    let mut graph = CrawlGraph { pages: load_pages(store, run).await?, ..CrawlGraph::default() };
    let mut cursor = (BEFORE_FIRST_TASK, DocumentId(0), 0);
    loop {
        let rows = store.site_links(run, cursor, PAGE_SIZE).await?;
        let Some(last) = rows.last() else { break };
        cursor = (last.to, last.from, last.position);
        for link in &rows {
            graph.add_link(link);
        }
    }
    let mut targets = Vec::new();
    let mut after = BEFORE_FIRST_TASK;
    loop {
        let rows = store.site_targets(run, after, PAGE_SIZE).await?;
        let Some(last) = rows.last() else { break };
        after = last.task;
        targets.extend(rows.into_iter().map(GraphTarget::new));
    }
    let mut web = graph.build_graph(&targets, failure_model)?;
    web.has_verdicts = true;
    web.missing_links = count_skipped_links(store, run).await?;
    Ok(web)
}

/// Returns the task of each parsed page, by document.
async fn load_pages(
    store: &dyn Store,
    run: RunId,
) -> Result<HashMap<DocumentId, TaskId>, EngineError> {
    let mut all = HashMap::new();
    let mut after = DocumentId(0);
    loop {
        let rows = store.site_pages(run, after, PAGE_SIZE).await?;
        let Some(last) = rows.last() else { return Ok(all) };
        after = last.document;
        let parsed = rows.into_iter().filter(|page| !page.is_sitemap);
        all.extend(parsed.filter_map(|page| Some((page.document, page.task?))));
    }
}

/// A target of the crawl that can become a page of the graph.
struct GraphTarget {
    task: TaskId,
    url: String,
    verdict: Option<Verdict>,
    has_title: bool,
}

impl GraphTarget {
    fn new(target: SiteTarget) -> Self {
        let SiteTarget { task, url, verdict, title, .. } = target;
        Self { task, url, verdict, has_title: title.is_some() }
    }

    fn host(&self) -> Option<String> {
        Url::parse(&self.url).ok()?.host_str().map(str::to_owned)
    }
}

/// Pages and links read so far.
#[derive(Default)]
struct CrawlGraph {
    pages: HashMap<DocumentId, TaskId>,
    links: Vec<(TaskId, TaskId)>,
    /// The page to which each redirecting page redirects.
    redirects: HashMap<TaskId, TaskId>,
    /// Pages that have links other than a redirect.
    pages_with_links: HashSet<TaskId>,
}

impl CrawlGraph {
    fn add_link(&mut self, link: &SiteLink) {
        let Some(&from) = self.pages.get(&link.from) else { return };
        match link.kind {
            LinkKind::Refresh => {
                self.redirects.insert(from, link.to);
            }
            // An anchor of the same page is not another page.
            LinkKind::Hyperlink if link.fragment.is_some() && link.to == from => {}
            LinkKind::Hyperlink => {
                self.pages_with_links.insert(from);
                self.links.push((from, link.to));
            }
            _ => {
                self.pages_with_links.insert(from);
            }
        }
    }

    /// Returns the last page of the redirect chain that starts at a target.
    fn redirect_end(&self, mut task: TaskId) -> TaskId {
        for _ in 0..MAX_REDIRECTS {
            match self.redirects.get(&task) {
                Some(&next) if !self.pages_with_links.contains(&task) => task = next,
                _ => break,
            }
        }
        task
    }

    /// Builds the graph of the pages that do not redirect.
    fn build_graph(
        &self,
        targets: &[GraphTarget],
        failure_model: FailureModel,
    ) -> Result<WebGraph, EngineError> {
        let parsed: HashSet<TaskId> = self.pages.values().copied().collect();
        // Only pages of the site are parsed.
        let site_hosts: HashSet<String> = targets
            .iter()
            .filter(|target| parsed.contains(&target.task))
            .filter_map(GraphTarget::host)
            .collect();
        let mut indexes: HashMap<TaskId, PageIndex> = HashMap::new();
        let mut nodes = Vec::new();
        let final_targets =
            targets.iter().filter(|target| self.redirect_end(target.task) == target.task);
        for (index, target) in (0..).zip(final_targets) {
            indexes.insert(target.task, index);
            let is_on_site = target.host().is_some_and(|host| site_hosts.contains(&host));
            nodes.push(node(target, parsed.contains(&target.task), is_on_site, failure_model));
        }
        let index = |task: TaskId| indexes.get(&self.redirect_end(task)).copied();
        let links: Vec<(PageIndex, PageIndex)> =
            self.links.iter().filter_map(|&(from, to)| Some((index(from)?, index(to)?))).collect();
        let mut web = WebGraph::new(nodes, &links).map_err(graph_error)?;
        for target in targets {
            if let Some(page) = index(target.task) {
                web.add_name(target.url.clone(), page);
            }
        }
        Ok(web)
    }
}

/// Returns the page of the graph for a target.
fn node(
    target: &GraphTarget,
    is_parsed: bool,
    is_on_site: bool,
    failure_model: FailureModel,
) -> Node {
    let failure_probability =
        target.verdict.map_or(0.0, |verdict| failure_model.failure_probability(verdict));
    let state = match target.verdict {
        None => NodeState::Unknown,
        Some(verdict) if failure_model.is_unknown(verdict) => NodeState::Unknown,
        Some(Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk) if is_parsed => {
            NodeState::Known
        }
        // A target on the crawled site that was not parsed and has no title is a file,
        // such as a picture. It has no links.
        Some(Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk)
            if is_on_site && !target.has_title =>
        {
            NodeState::Leaf
        }
        Some(Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk) => {
            NodeState::LinksUnknown
        }
        Some(_) => NodeState::Leaf,
    };
    let name = target.url.strip_prefix("malformed:").unwrap_or(&target.url).to_owned();
    let is_soft_404 = target.verdict == Some(Verdict::Soft404);
    Node { name, failure_probability, is_soft_404, state }
}

fn graph_error(error: GraphError) -> EngineError {
    // Link indexes come from the same table of pages, so they are in range.
    EngineError::Output(std::io::Error::other(error))
}
