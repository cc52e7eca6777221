//! The links of a crawl, which come by target, read one by one into the lists
//! of its report.

use std::collections::{BTreeMap, HashMap};

use relink_frontier::{DepthCount, depth_curve, is_template, section};
use relink_model::{LinkKind, TaskId};
use relink_ports::{DocumentId, SiteLink, SitePage};
use relink_report::site::{Capped, DepthRow, Edge, InlinkRow, MissingFragment, TemplateRow};

use url::Url;

use super::SHOWN;
use super::targets::TargetReader;
use crate::anchors::{offers, shown};

/// Places named of each finding.
const SPOTS: usize = 50;

/// What the links tell.
#[derive(Default)]
pub(super) struct LinksRead {
    /// Pages that were read, which the rows by depth sum up to.
    pub(super) pages: u64,
    pub(super) links: u64,
    pub(super) inlinks: HashMap<TaskId, u64>,
    /// The links to what is broken.
    pub(super) spots: HashMap<TaskId, Capped<InlinkRow>>,
    pub(super) depths: Vec<DepthRow>,
    pub(super) little_new_from: Option<u32>,
    pub(super) orphans: Capped<String>,
    pub(super) fragments: Capped<MissingFragment>,
    pub(super) mixed: Capped<Edge>,
    pub(super) templates: Capped<TemplateRow>,
}

/// Links to the target being read.
#[derive(Default)]
struct Group {
    to: Option<TaskId>,
    links: u64,
    /// Pages it stands on, sitemaps aside.
    pages: u64,
    in_sitemaps: u64,
    last_page: Option<DocumentId>,
    /// Links by the depth of their page.
    by_depth: BTreeMap<u32, u64>,
    /// Pages it stands on, by their section.
    by_section: HashMap<String, u64>,
}

/// Reads links.
pub(super) struct LinkAggregator<'a> {
    pages: &'a HashMap<DocumentId, SitePage>,
    targets: &'a TargetReader,
    /// The page found on each task.
    page_of: HashMap<TaskId, DocumentId>,
    /// Pages whose anchors are known, by their URL.
    page_at: HashMap<&'a str, &'a SitePage>,
    group: Group,
    counts: Vec<DepthCount>,
    /// Pages read at each depth.
    read_at: BTreeMap<u32, u64>,
    /// Pages of each section.
    sections: HashMap<String, u64>,
    template_links: BTreeMap<u32, u64>,
    missing: BTreeMap<(TaskId, String), Capped<InlinkRow>>,
    read: LinksRead,
}

impl<'a> LinkAggregator<'a> {
    pub(super) fn new(pages: &'a HashMap<DocumentId, SitePage>, targets: &'a TargetReader) -> Self {
        let page_of: HashMap<TaskId, DocumentId> =
            pages.values().filter_map(|page| Some((page.task?, page.document))).collect();
        let mut read_at: BTreeMap<u32, u64> = BTreeMap::new();
        for task in page_of.keys() {
            if let Some(depth) = targets.brief(*task).and_then(|brief| brief.depth) {
                *read_at.entry(depth).or_default() += 1;
            }
        }
        let mut sections: HashMap<String, u64> = HashMap::new();
        for section in pages.values().filter_map(section_of) {
            *sections.entry(section).or_default() += 1;
        }
        Self {
            pages,
            targets,
            page_of,
            page_at: pages
                .values()
                .filter(|page| page.anchors.is_some())
                .map(|page| (page.label.as_str(), page))
                .collect(),
            group: Group::default(),
            counts: Vec::new(),
            read_at,
            sections,
            template_links: BTreeMap::new(),
            missing: BTreeMap::new(),
            read: LinksRead::default(),
        }
    }

    pub(super) fn read(&mut self, link: &SiteLink) {
        if self.group.to != Some(link.to) {
            self.close_group();
            self.group.to = Some(link.to);
        }
        let Some(page) = self.pages.get(&link.from) else { return };
        let depth = page.task.and_then(|task| self.targets.brief(task)?.depth);
        if page.is_sitemap {
            self.group.in_sitemaps += 1;
        } else if page.task.is_some() {
            self.count(link, page, depth);
            self.note_mixed(link, page);
            self.note_fragment(link, page);
        }
        self.note_spot(link, page);
    }

    fn count(&mut self, link: &SiteLink, page: &SitePage, depth: Option<u32>) {
        self.read.links += 1;
        let group = &mut self.group;
        let is_first = group.links == 0 && group.in_sitemaps == 0;
        group.links += 1;
        if group.last_page != Some(link.from) {
            group.last_page = Some(link.from);
            group.pages += 1;
            if let Some(section) = section_of(page) {
                *group.by_section.entry(section).or_default() += 1;
            }
        }
        let Some(depth) = depth else { return };
        *group.by_depth.entry(depth).or_default() += 1;
        let at = depth as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, DepthCount::default());
        }
        let count = &mut self.counts[at];
        count.links += 1;
        // A target is found where its first link stands.
        count.new_links += u64::from(is_first);
    }

    fn note_spot(&mut self, link: &SiteLink, page: &SitePage) {
        if self.targets.brief(link.to).is_some_and(|brief| brief.is_broken) {
            let spots = self.read.spots.entry(link.to).or_default();
            add_spot(spots, page, link.line);
        }
    }

    /// An encrypted page that takes in something unencrypted.
    fn note_mixed(&mut self, link: &SiteLink, page: &SitePage) {
        let is_taken_in =
            matches!(link.kind, LinkKind::Embed | LinkKind::Resource | LinkKind::Form);
        let is_plain = self.targets.brief(link.to).is_some_and(|brief| brief.is_plain_http);
        if is_taken_in && is_plain && page.label.starts_with("https:") {
            self.read.mixed.total += 1;
            if self.read.mixed.rows.len() < SHOWN {
                let to = self.targets.address(link.to).to_owned();
                self.read.mixed.rows.push(Edge { from: page.label.clone(), to });
            }
        }
    }

    fn note_fragment(&mut self, link: &SiteLink, page: &SitePage) {
        let Some(fragment) = &link.fragment else { return };
        let target = match self.targets.landing(link.to) {
            Some(landing) => self.page_at.get(landing).copied(),
            None => self.page_of.get(&link.to).and_then(|page| self.pages.get(page)),
        };
        let Some(anchors) = target.and_then(|target| target.anchors.as_ref()) else { return };
        if !offers(anchors, fragment) {
            let spots = self.missing.entry((link.to, fragment.clone())).or_default();
            add_spot(spots, page, link.line);
        }
    }

    fn close_group(&mut self) {
        let group = std::mem::take(&mut self.group);
        let Some(to) = group.to else { return };
        self.read.inlinks.insert(to, group.links);
        let page = self.page_of.get(&to).and_then(|page| self.pages.get(page));
        let is_page = page.is_some_and(|page| !page.is_sitemap);
        if group.links == 0 && group.in_sitemaps > 0 && is_page {
            self.read.orphans.total += 1;
            if self.read.orphans.rows.len() < SHOWN {
                self.read.orphans.rows.push(self.targets.address(to).to_owned());
            }
        }
        let in_section = group.by_section.iter().any(|(section, pages)| {
            is_template(*pages, self.sections.get(section).copied().unwrap_or(0))
        });
        if in_section || is_template(group.pages, self.page_of.len() as u64) {
            for (depth, links) in group.by_depth {
                *self.template_links.entry(depth).or_default() += links;
            }
            let url = self.targets.address(to).to_owned();
            self.read.templates.total += 1;
            self.read.templates.rows.push(TemplateRow { url, pages: group.pages });
        }
    }

    pub(super) fn finish(mut self) -> LinksRead {
        self.close_group();
        // The deepest pages may have no links; they are pages all the same.
        let deepest = self.read_at.keys().next_back().map_or(0, |depth| *depth as usize + 1);
        if self.counts.len() < deepest {
            self.counts.resize(deepest, DepthCount::default());
        }
        self.read.pages = self.read_at.values().sum();
        let curve = depth_curve(&self.counts);
        self.read.little_new_from = curve.saturation_depth;
        self.read.depths = curve
            .points
            .into_iter()
            .map(|point| DepthRow {
                depth: point.depth,
                pages: self.read_at.get(&point.depth).copied().unwrap_or(0),
                links: point.links,
                new_links: point.new_links,
                template_links: self.template_links.get(&point.depth).copied().unwrap_or(0),
                slope: point.slope,
            })
            .collect();
        self.read.templates.rows.sort_by_key(|row| std::cmp::Reverse(row.pages));
        self.read.templates.rows.truncate(SHOWN);
        let missing = std::mem::take(&mut self.missing);
        let fragments = missing.into_iter().map(|((to, fragment), inlinks)| MissingFragment {
            url: self.targets.address(to).to_owned(),
            fragment: shown(&fragment),
            inlinks,
        });
        self.read.fragments = Capped::of(fragments.collect(), SHOWN);
        self.read
    }
}

fn section_of(page: &SitePage) -> Option<String> {
    let url = Url::parse(&page.label).ok()?;
    section(&url).map(str::to_owned)
}

fn add_spot(spots: &mut Capped<InlinkRow>, page: &SitePage, line: u32) {
    spots.total += 1;
    if spots.rows.len() < SPOTS {
        spots.rows.push(InlinkRow { page: page.label.clone(), line });
    }
}
