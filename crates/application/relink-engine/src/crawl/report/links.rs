//! Aggregates the links of a crawl for its report.
//!
//! The links are ordered by target; the links to one target are a *group*. A *section* is
//! the first directory of a path. A *template* link is on nearly all pages of the site or
//! of a section, such as a link in the menu. An *orphan* is a page that only sitemaps
//! list. *Mixed content* is a plain HTTP resource in an HTTPS page.

use std::collections::{BTreeMap, HashMap};

use relink_frontier::{DepthCount, depth_curve, is_template, section};
use relink_model::{LinkKind, TaskId};
use relink_ports::{DocumentId, SiteLink, SitePage};
use relink_report::site::{Capped, DepthRow, Edge, InlinkRow, MissingFragment, TemplateRow};
use url::Url;

use super::MAX_ROWS;
use super::targets::TargetAggregator;
use relink_documents::{decoded, has_anchor};

/// Maximum number of links listed per finding.
const MAX_INLINKS: usize = 50;

/// Aggregated links.
#[derive(Default)]
pub(super) struct LinkTotals {
    /// Number of parsed pages, the sum of the rows by depth.
    pub(super) pages: u64,
    /// Number of links on the parsed pages.
    pub(super) links: u64,
    /// Number of links to each target.
    pub(super) inlinks: HashMap<TaskId, u64>,
    /// Links to broken targets.
    pub(super) broken_inlinks: HashMap<TaskId, Capped<InlinkRow>>,
    pub(super) depths: Vec<DepthRow>,
    /// The depth from which further levels add few new links.
    pub(super) saturation_depth: Option<u32>,
    pub(super) orphans: Capped<String>,
    /// Links to anchors that do not exist.
    pub(super) fragments: Capped<MissingFragment>,
    /// Pages with mixed content, and its URLs.
    pub(super) mixed: Capped<Edge>,
    pub(super) templates: Capped<TemplateRow>,
}

/// Links to the current target.
#[derive(Default)]
struct TargetGroup {
    /// The target.
    to: Option<TaskId>,
    /// Number of links, except those in sitemaps.
    links: u64,
    /// Number of pages with a link to the target, except sitemaps.
    pages: u64,
    /// Number of links in sitemaps.
    in_sitemaps: u64,
    /// The page of the last link. The links of one page are consecutive.
    last_page: Option<DocumentId>,
    /// Number of links by the depth of their page.
    by_depth: BTreeMap<u32, u64>,
    /// Number of pages with a link to the target, by section.
    by_section: HashMap<String, u64>,
}

/// Aggregates links.
pub(super) struct LinkAggregator<'a> {
    pages: &'a HashMap<DocumentId, SitePage>,
    targets: &'a TargetAggregator,
    /// The page of each task.
    page_by_task: HashMap<TaskId, DocumentId>,
    /// Pages with known anchors, by URL.
    page_by_url: HashMap<&'a str, &'a SitePage>,
    group: TargetGroup,
    /// Number of links and of new links, by depth.
    links_by_depth: Vec<DepthCount>,
    /// Number of parsed pages by depth.
    pages_by_depth: BTreeMap<u32, u64>,
    /// Number of pages by section.
    pages_by_section: HashMap<String, u64>,
    /// Number of template links by depth.
    template_links: BTreeMap<u32, u64>,
    /// Links to missing anchors, by target and fragment.
    missing_anchors: BTreeMap<(TaskId, String), Capped<InlinkRow>>,
    totals: LinkTotals,
}

impl<'a> LinkAggregator<'a> {
    pub(super) fn new(
        pages: &'a HashMap<DocumentId, SitePage>,
        targets: &'a TargetAggregator,
    ) -> Self {
        let page_by_task: HashMap<TaskId, DocumentId> =
            pages.values().filter_map(|page| Some((page.task?, page.document))).collect();
        let mut pages_by_depth: BTreeMap<u32, u64> = BTreeMap::new();
        for task in page_by_task.keys() {
            if let Some(depth) = targets.facts(*task).and_then(|facts| facts.depth) {
                *pages_by_depth.entry(depth).or_default() += 1;
            }
        }
        let mut pages_by_section: HashMap<String, u64> = HashMap::new();
        for section in pages.values().filter_map(page_section) {
            *pages_by_section.entry(section).or_default() += 1;
        }
        Self {
            pages,
            targets,
            page_by_task,
            page_by_url: pages
                .values()
                .filter(|page| page.anchors.is_some())
                .map(|page| (page.label.as_str(), page))
                .collect(),
            group: TargetGroup::default(),
            links_by_depth: Vec::new(),
            pages_by_depth,
            pages_by_section,
            template_links: BTreeMap::new(),
            missing_anchors: BTreeMap::new(),
            totals: LinkTotals::default(),
        }
    }

    /// Adds a link. All links to one target must be added one after the other.
    pub(super) fn add(&mut self, link: &SiteLink) {
        if self.group.to != Some(link.to) {
            self.close_group();
            self.group.to = Some(link.to);
        }
        let Some(page) = self.pages.get(&link.from) else { return };
        let depth = page.task.and_then(|task| self.targets.facts(task)?.depth);
        if page.is_sitemap {
            self.group.in_sitemaps += 1;
        } else if page.task.is_some() {
            // A page without a task is invented: it only lists the start pages.
            self.count(link, page, depth);
            self.record_mixed_content(link, page);
            self.record_fragment(link, page);
        }
        self.record_broken_inlink(link, page);
    }

    /// Counts a link on a page at this depth.
    fn count(&mut self, link: &SiteLink, page: &SitePage, depth: Option<u32>) {
        self.totals.links += 1;
        let group = &mut self.group;
        let is_first = group.links == 0 && group.in_sitemaps == 0;
        group.links += 1;
        if group.last_page != Some(link.from) {
            group.last_page = Some(link.from);
            group.pages += 1;
            if let Some(section) = page_section(page) {
                *group.by_section.entry(section).or_default() += 1;
            }
        }
        let Some(depth) = depth else { return };
        *group.by_depth.entry(depth).or_default() += 1;
        let index = depth as usize;
        if self.links_by_depth.len() <= index {
            self.links_by_depth.resize(index + 1, DepthCount::default());
        }
        let count = &mut self.links_by_depth[index];
        count.links += 1;
        // A target is new at the depth of its first link.
        count.new_links += u64::from(is_first);
    }

    fn record_broken_inlink(&mut self, link: &SiteLink, page: &SitePage) {
        if self.targets.facts(link.to).is_some_and(|facts| facts.is_broken) {
            let inlinks = self.totals.broken_inlinks.entry(link.to).or_default();
            add_inlink(inlinks, page, link.line);
        }
    }

    /// Records an HTTPS page that embeds a plain HTTP resource.
    fn record_mixed_content(&mut self, link: &SiteLink, page: &SitePage) {
        let is_embedded =
            matches!(link.kind, LinkKind::Embed | LinkKind::Resource | LinkKind::Form);
        let is_plain_http = self.targets.facts(link.to).is_some_and(|facts| facts.is_plain_http);
        if is_embedded && is_plain_http && page.label.starts_with("https:") {
            self.totals.mixed.total += 1;
            if self.totals.mixed.rows.len() < MAX_ROWS {
                let to = self.targets.url(link.to).to_owned();
                self.totals.mixed.rows.push(Edge { from: page.label.clone(), to });
            }
        }
    }

    /// Records a link to an anchor that its target page lacks.
    fn record_fragment(&mut self, link: &SiteLink, page: &SitePage) {
        let Some(fragment) = &link.fragment else { return };
        let target = match self.targets.final_url(link.to) {
            Some(final_url) => self.page_by_url.get(final_url).copied(),
            None => self.page_by_task.get(&link.to).and_then(|page| self.pages.get(page)),
        };
        let Some(anchors) = target.and_then(|target| target.anchors.as_ref()) else { return };
        if !has_anchor(anchors, fragment) {
            let inlinks = self.missing_anchors.entry((link.to, fragment.clone())).or_default();
            add_inlink(inlinks, page, link.line);
        }
    }

    /// Ends the group of links to the current target.
    fn close_group(&mut self) {
        let group = std::mem::take(&mut self.group);
        let Some(to) = group.to else { return };
        self.totals.inlinks.insert(to, group.links);
        let page = self.page_by_task.get(&to).and_then(|page| self.pages.get(page));
        let is_page = page.is_some_and(|page| !page.is_sitemap);
        if group.links == 0 && group.in_sitemaps > 0 && is_page {
            self.totals.orphans.total += 1;
            if self.totals.orphans.rows.len() < MAX_ROWS {
                self.totals.orphans.rows.push(self.targets.url(to).to_owned());
            }
        }
        let is_section_template = group.by_section.iter().any(|(section, pages)| {
            is_template(*pages, self.pages_by_section.get(section).copied().unwrap_or(0))
        });
        if is_section_template || is_template(group.pages, self.page_by_task.len() as u64) {
            for (depth, links) in group.by_depth {
                *self.template_links.entry(depth).or_default() += links;
            }
            let url = self.targets.url(to).to_owned();
            self.totals.templates.total += 1;
            self.totals.templates.rows.push(TemplateRow { url, pages: group.pages });
        }
    }

    /// Returns the totals after the last link.
    pub(super) fn finish(mut self) -> LinkTotals {
        self.close_group();
        // The deepest pages may have no links, but still get a row.
        let levels = self.pages_by_depth.keys().next_back().map_or(0, |depth| *depth as usize + 1);
        if self.links_by_depth.len() < levels {
            self.links_by_depth.resize(levels, DepthCount::default());
        }
        self.totals.pages = self.pages_by_depth.values().sum();
        let curve = depth_curve(&self.links_by_depth);
        self.totals.saturation_depth = curve.saturation_depth;
        self.totals.depths = curve
            .points
            .into_iter()
            .map(|point| DepthRow {
                depth: point.depth,
                pages: self.pages_by_depth.get(&point.depth).copied().unwrap_or(0),
                links: point.links,
                new_links: point.new_links,
                template_links: self.template_links.get(&point.depth).copied().unwrap_or(0),
                slope: point.slope,
            })
            .collect();
        self.totals.templates.rows.sort_by_key(|row| std::cmp::Reverse(row.pages));
        self.totals.templates.rows.truncate(MAX_ROWS);
        let missing_anchors = std::mem::take(&mut self.missing_anchors);
        let fragments =
            missing_anchors.into_iter().map(|((to, fragment), inlinks)| MissingFragment {
                url: self.targets.url(to).to_owned(),
                fragment: decoded(&fragment),
                inlinks,
            });
        self.totals.fragments = Capped::new(fragments.collect(), MAX_ROWS);
        self.totals
    }
}

/// Returns the section of the site to which a page belongs.
fn page_section(page: &SitePage) -> Option<String> {
    let url = Url::parse(&page.label).ok()?;
    section(&url).map(str::to_owned)
}

fn add_inlink(inlinks: &mut Capped<InlinkRow>, page: &SitePage, line: u32) {
    inlinks.total += 1;
    if inlinks.rows.len() < MAX_INLINKS {
        inlinks.rows.push(InlinkRow { page: page.label.clone(), line });
    }
}
