//! The web that a crawl has seen, from the store.
//!
//! Only links that a reader may follow count. A page that leads elsewhere at
//! once stands for where it leads. Pages of other sites were checked but not
//! read, so they lie at the edge.

use std::collections::{HashMap, HashSet};

use relink_decay::{GraphError, Page};
use relink_model::{ErrandId, PlaceKind, RunId, Word};
use relink_ports::{DocumentId, SiteLink, SiteTarget, Store};
use url::Url;

use super::fails::Fails;
use super::known_web::{Knowledge, KnownWeb, Node};
use crate::EngineFault;
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
    fails: Fails,
) -> Result<KnownWeb, EngineFault> {
    let mut crawled = Crawled { pages: pages(store, run).await?, ..Crawled::default() };
    let mut cursor = (ErrandId(0), DocumentId(0), 0);
    loop {
        let piece = store.site_links(run, cursor, PIECE).await?;
        let Some(last) = piece.last() else { break };
        cursor = (last.to, last.from, last.position);
        for link in &piece {
            crawled.read_link(link);
        }
    }
    let mut targets = Vec::new();
    let mut after = ErrandId(0);
    loop {
        let piece = store.site_targets(run, after, PIECE).await?;
        let Some(last) = piece.last() else { break };
        after = last.errand;
        targets.extend(piece.into_iter().map(Target::new));
    }
    let mut web = crawled.web(&targets, fails)?;
    web.missing_links = links_left_aside(store, run).await?;
    Ok(web)
}

async fn pages(
    store: &dyn Store,
    run: RunId,
) -> Result<HashMap<DocumentId, ErrandId>, EngineFault> {
    let mut all = HashMap::new();
    let mut after = DocumentId(0);
    loop {
        let piece = store.site_pages(run, after, PIECE).await?;
        let Some(last) = piece.last() else { return Ok(all) };
        after = last.document;
        let read = piece.into_iter().filter(|page| !page.is_sitemap);
        all.extend(read.filter_map(|page| Some((page.document, page.errand?))));
    }
}

/// What a crawl's graph needs of a target.
struct Target {
    errand: ErrandId,
    url: String,
    word: Option<Word>,
    has_title: bool,
}

impl Target {
    fn new(target: SiteTarget) -> Self {
        let SiteTarget { errand, url, word, title, .. } = target;
        Self { errand, url, word, has_title: title.is_some() }
    }

    fn host(&self) -> Option<String> {
        Url::parse(&self.url).ok()?.host_str().map(str::to_owned)
    }
}

/// Pages and links as they are read.
#[derive(Default)]
struct Crawled {
    pages: HashMap<DocumentId, ErrandId>,
    links: Vec<(ErrandId, ErrandId)>,
    /// Where pages lead that lead elsewhere at once.
    onward: HashMap<ErrandId, ErrandId>,
    /// Pages with links of any kind but the way on.
    with_links: HashSet<ErrandId>,
}

impl Crawled {
    fn read_link(&mut self, link: &SiteLink) {
        let Some(&from) = self.pages.get(&link.from) else { return };
        match link.kind {
            PlaceKind::Refresh => {
                self.onward.insert(from, link.to);
            }
            // A place on the same page is no other page.
            PlaceKind::Link if link.fragment.is_some() && link.to == from => {}
            PlaceKind::Link => {
                self.with_links.insert(from);
                self.links.push((from, link.to));
            }
            _ => {
                self.with_links.insert(from);
            }
        }
    }

    /// Where a target leads in the end.
    fn landing(&self, mut errand: ErrandId) -> ErrandId {
        for _ in 0..MOST_HOPS {
            match self.onward.get(&errand) {
                Some(&next) if !self.with_links.contains(&errand) => errand = next,
                _ => break,
            }
        }
        errand
    }

    fn web(&self, targets: &[Target], fails: Fails) -> Result<KnownWeb, EngineFault> {
        let read: HashSet<ErrandId> = self.pages.values().copied().collect();
        let hosts: HashSet<String> = targets
            .iter()
            .filter(|target| read.contains(&target.errand))
            .filter_map(Target::host)
            .collect();
        let mut numbers: HashMap<ErrandId, Page> = HashMap::new();
        let mut nodes = Vec::new();
        let own = targets.iter().filter(|target| self.landing(target.errand) == target.errand);
        for (number, target) in (0..).zip(own) {
            numbers.insert(target.errand, number);
            let is_here = target.host().is_some_and(|host| hosts.contains(&host));
            nodes.push(node(target, read.contains(&target.errand), is_here, fails));
        }
        let number = |errand: ErrandId| numbers.get(&self.landing(errand)).copied();
        let links: Vec<(Page, Page)> = self
            .links
            .iter()
            .filter_map(|&(from, to)| Some((number(from)?, number(to)?)))
            .collect();
        let mut web = KnownWeb::new(nodes, &links).map_err(no_graph)?;
        for target in targets {
            if let Some(page) = number(target.errand) {
                web.add_name(target.url.clone(), page);
            }
        }
        Ok(web)
    }
}

fn node(target: &Target, is_read: bool, is_here: bool, fails: Fails) -> Node {
    let chance = target.word.map_or(0.0, |word| fails.chance(word));
    let knowledge = match target.word {
        None => Knowledge::Nothing,
        Some(word) if fails.leaves_open(word) => Knowledge::Nothing,
        Some(Word::Alive | Word::Moved | Word::Drifted | Word::AtRisk) if is_read => {
            Knowledge::Page
        }
        // What has no title and was not read on a site that was: a file.
        Some(Word::Alive | Word::Moved | Word::Drifted | Word::AtRisk)
            if is_here && !target.has_title =>
        {
            Knowledge::Leaf
        }
        Some(Word::Alive | Word::Moved | Word::Drifted | Word::AtRisk) => Knowledge::Alive,
        Some(_) => Knowledge::Leaf,
    };
    let name = target.url.strip_prefix("malformed:").unwrap_or(&target.url).to_owned();
    Node { name, fails: chance, knowledge }
}

fn no_graph(fault: GraphError) -> EngineFault {
    // Numbers of links come from the table of pages itself.
    EngineFault::Output(std::io::Error::other(fault))
}
