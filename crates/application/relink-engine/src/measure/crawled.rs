//! The web that a crawl has seen, from the store.
//!
//! Only links that a reader may follow count. A page that leads elsewhere at
//! once stands for where it leads. Pages of other sites were checked but not
//! read, so they lie at the edge.

use std::collections::{HashMap, HashSet};

use relink_decay::{GraphError, PageIndex};
use relink_model::{LinkKind, RunId, TaskId, Verdict};
use relink_ports::{DocumentId, SiteLink, SiteTarget, Store};
use url::Url;

use super::failure_model::FailureModel;
use super::web_graph::{Knowledge, Node, WebGraph};
use crate::EngineError;
use crate::crawl::links_left_aside;

/// Rows read from the store at a time.
const PIECE: usize = 4096;
/// The longest chain of redirects that is followed.
const MOST_HOPS: usize = 20;

/// The web that a crawl has seen.
///
/// # Errors
///
/// Where the store cannot be read.
pub async fn crawled_web(
    store: &dyn Store,
    run: RunId,
    fails: FailureModel,
) -> Result<WebGraph, EngineError> {
    let mut crawled = Crawled { pages: pages(store, run).await?, ..Crawled::default() };
    let mut cursor = (TaskId(0), DocumentId(0), 0);
    loop {
        let piece = store.site_links(run, cursor, PIECE).await?;
        let Some(last) = piece.last() else { break };
        cursor = (last.to, last.from, last.position);
        for link in &piece {
            crawled.read_link(link);
        }
    }
    let mut targets = Vec::new();
    let mut after = TaskId(0);
    loop {
        let piece = store.site_targets(run, after, PIECE).await?;
        let Some(last) = piece.last() else { break };
        after = last.task;
        targets.extend(piece.into_iter().map(GraphTarget::new));
    }
    let mut web = crawled.web(&targets, fails)?;
    web.missing_links = links_left_aside(store, run).await?;
    Ok(web)
}

async fn pages(store: &dyn Store, run: RunId) -> Result<HashMap<DocumentId, TaskId>, EngineError> {
    let mut all = HashMap::new();
    let mut after = DocumentId(0);
    loop {
        let piece = store.site_pages(run, after, PIECE).await?;
        let Some(last) = piece.last() else { return Ok(all) };
        after = last.document;
        let read = piece.into_iter().filter(|page| !page.is_sitemap);
        all.extend(read.filter_map(|page| Some((page.document, page.task?))));
    }
}

/// What a crawl's graph needs of a target.
struct GraphTarget {
    task: TaskId,
    url: String,
    verdict: Option<Verdict>,
    has_title: bool,
}

impl GraphTarget {
    fn new(target: SiteTarget) -> Self {
        let SiteTarget { task, url, verdict: word, title, .. } = target;
        Self { task, url, verdict: word, has_title: title.is_some() }
    }

    fn host(&self) -> Option<String> {
        Url::parse(&self.url).ok()?.host_str().map(str::to_owned)
    }
}

/// Pages and links as they are read.
#[derive(Default)]
struct Crawled {
    pages: HashMap<DocumentId, TaskId>,
    links: Vec<(TaskId, TaskId)>,
    /// Where pages lead that lead elsewhere at once.
    onward: HashMap<TaskId, TaskId>,
    /// Pages with links of any kind but the way on.
    with_links: HashSet<TaskId>,
}

impl Crawled {
    fn read_link(&mut self, link: &SiteLink) {
        let Some(&from) = self.pages.get(&link.from) else { return };
        match link.kind {
            LinkKind::Refresh => {
                self.onward.insert(from, link.to);
            }
            // A place on the same page is no other page.
            LinkKind::Hyperlink if link.fragment.is_some() && link.to == from => {}
            LinkKind::Hyperlink => {
                self.with_links.insert(from);
                self.links.push((from, link.to));
            }
            _ => {
                self.with_links.insert(from);
            }
        }
    }

    /// Where a target leads in the end.
    fn landing(&self, mut task: TaskId) -> TaskId {
        for _ in 0..MOST_HOPS {
            match self.onward.get(&task) {
                Some(&next) if !self.with_links.contains(&task) => task = next,
                _ => break,
            }
        }
        task
    }

    fn web(&self, targets: &[GraphTarget], fails: FailureModel) -> Result<WebGraph, EngineError> {
        let read: HashSet<TaskId> = self.pages.values().copied().collect();
        let hosts: HashSet<String> = targets
            .iter()
            .filter(|target| read.contains(&target.task))
            .filter_map(GraphTarget::host)
            .collect();
        let mut numbers: HashMap<TaskId, PageIndex> = HashMap::new();
        let mut nodes = Vec::new();
        let own = targets.iter().filter(|target| self.landing(target.task) == target.task);
        for (number, target) in (0..).zip(own) {
            numbers.insert(target.task, number);
            let is_here = target.host().is_some_and(|host| hosts.contains(&host));
            nodes.push(node(target, read.contains(&target.task), is_here, fails));
        }
        let number = |task: TaskId| numbers.get(&self.landing(task)).copied();
        let links: Vec<(PageIndex, PageIndex)> = self
            .links
            .iter()
            .filter_map(|&(from, to)| Some((number(from)?, number(to)?)))
            .collect();
        let mut web = WebGraph::new(nodes, &links).map_err(no_graph)?;
        for target in targets {
            if let Some(page) = number(target.task) {
                web.add_name(target.url.clone(), page);
            }
        }
        Ok(web)
    }
}

fn node(target: &GraphTarget, is_read: bool, is_here: bool, fails: FailureModel) -> Node {
    let chance = target.verdict.map_or(0.0, |word| fails.chance(word));
    let knowledge = match target.verdict {
        None => Knowledge::Nothing,
        Some(word) if fails.leaves_open(word) => Knowledge::Nothing,
        Some(Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk) if is_read => {
            Knowledge::Page
        }
        // What has no title and was not read on a site that was: a file.
        Some(Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk)
            if is_here && !target.has_title =>
        {
            Knowledge::Leaf
        }
        Some(Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk) => {
            Knowledge::Alive
        }
        Some(_) => Knowledge::Leaf,
    };
    let name = target.url.strip_prefix("malformed:").unwrap_or(&target.url).to_owned();
    Node { name, fails: chance, knowledge }
}

fn no_graph(error: GraphError) -> EngineError {
    // Numbers of links come from the table of pages itself.
    EngineError::Output(std::io::Error::other(error))
}
