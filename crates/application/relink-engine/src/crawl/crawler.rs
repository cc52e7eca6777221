//! What a crawl knows while it goes: which links of a page lead on, and what
//! was left aside.
//!
//! Nothing here asks or stores. What must survive an interruption is a
//! [`Memory`], which is saved with the run from time to time; what a kill
//! loses of it is learned again.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_frontier::{
    CrawlScope, DetectedTrap, LinkDiscovery, PageFingerprint, ParameterLearner, RobotsPolicy,
    TrapDecision as Trapped, TrapDetector, TraversalOrder, UrlFilter, canonicalize, host_key,
    is_within_depth, strip,
};
use relink_judge::codes;
use relink_model::{
    FetchOutcome, FetchTask, Probe, RequestRights, SourceLocation, Verdict, is_same_host_and_port,
    redact_stored_url,
};
use relink_ports::{
    CacheWindow, LinkDecision, NewLink, NewPage, NewTarget, PageLink, RenderError, RequestOptions,
};
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::CrawlSettings;
use super::duplicate_parameters::DuplicateParameters;
use super::page_fetch::{PageFetch, RenderMode};
use super::reading::{
    BadLink, ParsedLink, ParsedPage, SITEMAP_BYTES, SitemapKind, is_named_as_sitemap,
};
use super::sitemap_limits::{MAX_SITEMAPS, SitemapLimits};
use crate::dispatch::{NewTasks, TaskSource};
use crate::isolation::isolate;
use crate::probe::{agent_for, landing};
use crate::robots::AGENT;

/// Where to go, and how far.
#[derive(Debug, Clone)]
pub struct CrawlRules {
    /// Which pages are followed.
    pub scope: CrawlScope,
    /// Which addresses take part at all.
    pub filter: UrlFilter,
    /// In which order.
    pub order: TraversalOrder,
    /// The deepest pages that are asked.
    pub depth: Option<u32>,
    /// The most pages that are followed.
    pub pages: Option<u64>,
    /// Maximum number of links read of one page.
    pub page_links: usize,
    /// Whether links are followed that pages ask not to.
    pub follows_all: bool,
    /// Whether links to other sites are checked.
    pub checks_others: bool,
    /// Other sites found alive at this moment or later need not be asked.
    pub fresh_since: Timestamp,
}

impl CrawlRules {
    /// Links read of one page, unless the user says otherwise: far more than a
    /// page for people has, and few enough that one page cannot fill the
    /// memory.
    pub const PAGE_LINKS: usize = 100_000;
}

/// Links that were not asked, by the reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkippedLinks {
    /// Deeper than the limit.
    pub too_deep: u64,
    /// Beyond the most pages.
    pub over_budget: u64,
    /// Left out by patterns.
    pub left_out: u64,
    /// To other sites, which are not checked.
    pub external: u64,
    /// Their page asks not to follow them.
    pub unfollowed: u64,
    /// Beyond the limit of links on one page.
    pub over_page_links: u64,
    /// Not links to pages (`mailto:` and the like).
    pub no_pages: u64,
    /// Pages longer than the limit, whose rest was not read.
    pub cut_pages: u64,
    /// Named by sitemaps beyond the limits.
    pub sitemaps: u64,
}

/// Where a sitemap is looked for if robots.txt names none.
const USUAL_SITEMAP: &str = "/sitemap.xml";

/// What a crawl keeps of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct CrawlCheckpoint {
    traps: TrapDetector,
    trials: ParameterLearner,
    skipped_links: SkippedLinks,
    #[serde(default)]
    sitemaps: SitemapLimits,
    /// URLs of [`USUAL_SITEMAP`] that pages link to: they are pages' links, and
    /// no guesses of ours.
    #[serde(default)]
    linked_sitemaps: BTreeSet<String>,
}

impl CrawlCheckpoint {
    fn new(now: Timestamp) -> Self {
        let year = now.to_zoned(TimeZone::UTC).year();
        let (trials, left_aside, sitemaps, linked_sitemaps) = Default::default();
        Self {
            traps: TrapDetector::new(year),
            trials,
            skipped_links: left_aside,
            sitemaps,
            linked_sitemaps,
        }
    }
}

/// A crawl under way.
pub(crate) struct Crawler {
    pub(crate) rules: CrawlRules,
    memory: CrawlCheckpoint,
    /// Hashes of every address that was let in, so that each is weighed once.
    seen: HashSet<u64>,
    /// Pages inside that were let in.
    pages: u64,
    /// What pages showed whose addresses differ in one parameter.
    parameters: DuplicateParameters,
    /// Links numbered so far.
    numbered: u64,
    render: RenderMode,
    /// How long it may take.
    pub(crate) time: Option<Duration>,
    /// Whether sitemaps that the site names are read.
    reads_sitemaps: bool,
    /// URLs that the user named: start pages and sitemaps.
    named: Vec<Url>,
    /// Sitemaps to be read once the links lead no further.
    sitemaps: Vec<Url>,
    /// Sitemaps that are being read.
    read_sitemaps: Vec<Url>,
    /// Sitemaps that no robots.txt names, tried at their usual URL.
    guessed_sitemaps: BTreeSet<String>,
    /// The origins where the crawl begins, by their host.
    origins: BTreeMap<String, Url>,
    /// Pages that needed a browser and were read without, and why.
    unrendered: Option<(u64, RenderError)>,
    /// What hosts said about robots.
    hosts: BTreeMap<String, HostNote>,
}

/// What a host said about robots that is worth telling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostNote {
    /// The host.
    pub host: String,
    /// The delay it asks for between visits.
    pub crawl_delay: Option<Duration>,
    /// Why nothing was requested there: the reason why its robots.txt could not
    /// be fetched.
    pub failure: Option<String>,
}

/// Where a page was found.
pub(crate) struct FetchedPageContext<'a> {
    pub(crate) task: &'a FetchTask,
    pub(crate) probe: &'a Probe,
    pub(crate) verdict: Verdict,
}

/// Sitemaps are read last, when no link leads further, so that what only they
/// name is known to be linked from nowhere.
impl TaskSource for Crawler {
    fn next_tasks(&mut self, now: Timestamp) -> Option<NewTasks> {
        let page = self.next_sitemaps()?;
        Some(NewTasks::Page(page, self.moments(now)))
    }
}

impl Crawler {
    /// A crawl at its beginning, or one that goes on with what it left behind.
    pub(crate) fn new(settings: &CrawlSettings, memory: Option<&str>, now: Timestamp) -> Self {
        // What cannot be read was written by another version and is learned anew.
        let memory = memory.and_then(|text| serde_json::from_str(text).ok());
        Self {
            rules: settings.rules.clone(),
            memory: memory.unwrap_or_else(|| CrawlCheckpoint::new(now)),
            seen: HashSet::new(),
            pages: 0,
            parameters: DuplicateParameters::default(),
            numbered: 0,
            render: settings.render,
            time: settings.time,
            reads_sitemaps: settings.reads_sitemaps,
            named: named_urls(settings),
            sitemaps: settings.sitemaps.clone(),
            read_sitemaps: Vec::new(),
            guessed_sitemaps: BTreeSet::new(),
            origins: origins(settings),
            unrendered: None,
            hosts: BTreeMap::new(),
        }
    }

    /// What hosts said about robots that is worth telling.
    pub(crate) fn hosts(&self) -> Vec<HostNote> {
        let is_worth = |note: &&HostNote| note.failure.is_some() || note.crawl_delay.is_some();
        self.hosts.values().filter(is_worth).cloned().collect()
    }

    /// A host said this about robots.
    pub(crate) fn note_robots(&mut self, host: &str, answer: &RobotsPolicy) {
        let note = HostNote {
            host: host.to_owned(),
            crawl_delay: answer.robots.crawl_delay(AGENT),
            failure: None,
        };
        self.hosts.insert(host.to_owned(), note);
        if self.reads_sitemaps {
            self.note_sitemaps(host, answer);
        }
    }

    /// Notes the sitemaps that a robots.txt names, or the usual one if it names
    /// none.
    fn note_sitemaps(&mut self, host: &str, answer: &RobotsPolicy) {
        let Some(base) = self.robots_url(host) else { return };
        let mut found: Vec<Url> = answer
            .robots
            .sitemaps()
            .iter()
            .filter_map(|text| canonicalize(Some(&base), text).ok())
            .collect();
        if found.is_empty() && !answer.is_unreachable && self.origins.contains_key(host) {
            let usual = base.join(USUAL_SITEMAP).ok();
            let usual = usual.filter(|url| answer.robots.is_allowed(AGENT, url));
            self.guessed_sitemaps.extend(usual.iter().map(Url::to_string));
            found.extend(usual);
        }
        for sitemap in found.into_iter().filter(|url| self.rules.scope.is_inside(url)) {
            if self.sitemaps.len() >= MAX_SITEMAPS {
                self.memory.skipped_links.sitemaps += 1;
            } else if !self.sitemaps.contains(&sitemap) {
                self.sitemaps.push(sitemap);
            }
        }
    }

    /// The robots.txt of a host, from which relative sitemap lines are seen.
    fn robots_url(&self, host: &str) -> Option<Url> {
        let known = self.origins.get(host).or_else(|| self.origins.values().next())?;
        Url::parse(&format!("{}://{host}/robots.txt", known.scheme())).ok()
    }

    /// Whether a page is a sitemap that was only guessed, and is not there. It
    /// is then left out of the results.
    pub(crate) fn is_vain_guess(
        &self,
        task: &FetchTask,
        probe: &Probe,
        reading: Option<&ParsedPage>,
    ) -> bool {
        let is_guess = self.guessed_sitemaps.contains(&task.url)
            && !self.memory.linked_sitemaps.contains(&task.url);
        let leads_on = || {
            let last = landing(probe);
            last.is_some_and(|url| url.as_str() != task.url && is_named_as_sitemap(&url))
        };
        let is_there = matches!(probe.outcome, FetchOutcome::Response(200..=299))
            && (reading.is_some_and(|reading| reading.sitemap.is_some()) || leads_on());
        is_guess && !is_there
    }

    /// The robots.txt of a host could not be fetched.
    pub(crate) fn note_no_robots(&mut self, host: &str, reason: String) {
        let note = HostNote { host: host.to_owned(), crawl_delay: None, failure: Some(reason) };
        self.hosts.insert(host.to_owned(), note);
    }

    /// The sitemaps that are to be read now, as a page that links to them.
    fn next_sitemaps(&mut self) -> Option<NewPage> {
        let sitemaps = std::mem::take(&mut self.sitemaps);
        if sitemaps.is_empty() {
            return None;
        }
        self.reads_sitemaps = false;
        self.read_sitemaps.extend(sitemaps.iter().cloned());
        let named: Vec<(String, Url)> =
            sitemaps.into_iter().map(|url| (url.to_string(), url)).collect();
        let rights = |crawler: &Self, url: &Url| crawler.sitemap_rights(url);
        Some(NewPage { is_sitemap: true, ..self.listed_page("sitemaps", &named, rights) })
    }

    /// Whether a task that was let in still leads into no trap.
    pub(crate) fn is_still_allowed(&mut self, task: &FetchTask) -> bool {
        let Some(url) = Url::parse(&task.url).ok().filter(|url| self.follows(url)) else {
            return true;
        };
        // A look that was begun is brought to its end.
        let depth = task.depth.unwrap_or(0);
        !task.attempts.is_empty() || self.memory.traps.admit(&url, depth) == Trapped::Allow
    }

    /// A visit to a page that is followed, on the terms of its host.
    pub(crate) fn visit(&self, url: Url, task: &FetchTask, terms: RequestOptions) -> PageFetch {
        let agent = agent_for(task.purpose, &task.attempts);
        let body_cap = self.is_sitemap(&url).then_some(SITEMAP_BYTES);
        let terms = RequestOptions { max_body_bytes: body_cap, ..terms };
        let max_links = self.rules.page_links;
        PageFetch { url, rights: task.rights, agent, options: terms, mode: self.render, max_links }
    }

    /// A page needed a browser, and none could show it.
    pub(crate) fn note_unrendered(&mut self, error: RenderError) {
        let (count, _) = self.unrendered.get_or_insert((0, error));
        *count += 1;
    }

    /// How many pages were read without the browser they need, and why.
    pub(crate) fn unrendered(&self) -> Option<&(u64, RenderError)> {
        self.unrendered.as_ref()
    }

    /// Whether an address is that of a sitemap, which may be long.
    fn is_sitemap(&self, url: &Url) -> bool {
        self.read_sitemaps.contains(url) || is_named_as_sitemap(url)
    }

    /// A judged page with what it says: what it leads to, if that is followed.
    /// The links of an error page are nobody's.
    pub(crate) fn take(
        &mut self,
        at: &FetchedPageContext<'_>,
        reading: Option<Box<ParsedPage>>,
    ) -> Option<NewPage> {
        if !at.verdict.is_reached() && at.verdict != Verdict::Blocked {
            return None;
        }
        if let Some(reading) = reading {
            return self.select_links(at, *reading);
        }
        let landing = landing(at.probe)?;
        let asked = Url::parse(&at.task.url).ok()?;
        let is_inside = self.follows(&asked) && self.follows(&landing);
        (is_inside && landing != asked).then(|| self.weigh_redirect(at, &landing)).flatten()
    }

    /// An address that was let in before an interruption.
    pub(crate) fn recall(&mut self, url: &str) {
        let is_new = self.seen.insert(xxh3_64(url.as_bytes()));
        let is_inside = Url::parse(url).is_ok_and(|url| self.rules.scope.is_inside(&url));
        self.pages += u64::from(is_new && is_inside);
        self.numbered += u64::from(is_new);
    }

    /// What has to be kept of it.
    pub(crate) fn memory(&self) -> Option<String> {
        serde_json::to_string(&self.memory).ok()
    }

    /// What was not asked.
    pub(crate) fn left_aside(&self) -> &SkippedLinks {
        &self.memory.skipped_links
    }

    /// The traps that were avoided.
    pub(crate) fn avoided(&self) -> Vec<DetectedTrap> {
        self.memory.traps.report()
    }

    pub(crate) fn moments(&self, now: Timestamp) -> CacheWindow {
        CacheWindow { now, fresh_since: self.rules.fresh_since }
    }

    /// Whether the page at this address is read for its links.
    pub(crate) fn follows(&self, url: &Url) -> bool {
        self.rules.scope.is_inside(url)
    }

    /// The page that starts the crawl: the addresses the user named.
    pub(crate) fn seeds(&mut self, label: &str, urls: &[(String, Url)]) -> NewPage {
        self.listed_page(label, urls, |_, _| RequestRights::named_by_user())
    }

    /// The rights of a sitemap: the user named it, or a host whose robots.txt
    /// may speak for itself only.
    fn sitemap_rights(&self, sitemap: &Url) -> RequestRights {
        let is_own = |named: &Url| is_same_host_and_port(named, sitemap);
        if self.named.iter().any(is_own) {
            RequestRights::named_by_user()
        } else {
            RequestRights::discovered()
        }
    }

    /// A page that lists these URLs, each with its rights.
    fn listed_page(
        &mut self,
        label: &str,
        urls: &[(String, Url)],
        rights: impl Fn(&Self, &Url) -> RequestRights,
    ) -> NewPage {
        let batch = self.number(urls.len());
        let mut page = NewPage { label: label.to_owned(), ..NewPage::default() };
        for (position, (given, url)) in (0..).zip(urls) {
            self.recall(url.as_str());
            let found = LinkDiscovery { depth: 0, batch, position };
            let link = NewLink {
                location: super::argument(position, given),
                original_url: redact_stored_url(given).into_owned(),
                target: web(url, rights(self, url)),
                fragment: None,
                ignored_codes: Vec::new(),
            };
            page.links.push(PageLink { link, admission: self.ask(found, true) });
        }
        page
    }

    /// A page that was read: which of its links lead on.
    pub(crate) fn select_links(
        &mut self,
        at: &FetchedPageContext<'_>,
        reading: ParsedPage,
    ) -> Option<NewPage> {
        let depth = at.task.depth.unwrap_or(0);
        let landing = at.probe.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        let landing = landing.or_else(|| Url::parse(&at.task.url).ok())?;
        let batch = self.number(reading.links.len());
        let mut page = NewPage {
            label: at.task.url.clone(),
            is_sitemap: reading.sitemap.is_some(),
            anchors: reading.anchors,
            links: Vec::with_capacity(reading.links.len()),
        };
        self.memory.skipped_links.no_pages += reading.skipped.len() as u64;
        self.memory.skipped_links.over_page_links += reading.more as u64;
        self.memory.skipped_links.cut_pages += u64::from(reading.is_truncated);
        if reading.sitemap.is_some() && !self.memory.sitemaps.take_sitemap() {
            self.memory.skipped_links.sitemaps += reading.links.len() as u64;
            return Some(page);
        }
        let is_index = reading.sitemap == Some(SitemapKind::Index);
        let index_level = is_index.then(|| self.index_level(at, &landing));
        let mut fresh = Vec::new();
        for (position, link) in (0..).zip(reading.links) {
            let way = LinkContext {
                found: LinkDiscovery { depth: depth + 1, batch, position },
                rights: at.task.rights,
                from: &landing,
                is_closed: reading.forbids_following,
                index_level,
            };
            let (place, given) = (link.location, link.original_url.clone());
            let weighed = isolate(&given, || self.weigh_link(&way, link, &mut fresh));
            let weighed = weighed.unwrap_or_else(|_| Some(self.unweighed(&way, place, &given)));
            page.links.extend(weighed);
        }
        self.note_sight(at, &landing, reading.sight, &fresh);
        Some(page)
    }

    /// The number of sitemap indexes above a page.
    fn index_level(&self, at: &FetchedPageContext<'_>, landing: &Url) -> u32 {
        let requested = Url::parse(&at.task.url).ok();
        let level = |url: &Url| self.memory.sitemaps.level(url);
        let levels = requested.iter().chain([landing]).map(level);
        levels.max().unwrap_or(0)
    }

    /// A page that leads elsewhere at once: its way on is a link of the same
    /// depth, so that what is there is read once, however many lead to it.
    pub(crate) fn weigh_redirect(
        &mut self,
        at: &FetchedPageContext<'_>,
        landing: &Url,
    ) -> Option<NewPage> {
        let batch = self.number(1);
        let place = SourceLocation {
            span: relink_model::Span { start: 0, end: 0 },
            line: 1,
            column: 1,
            kind: relink_model::LinkKind::Refresh,
        };
        let (given, fragment) = (landing.to_string(), None);
        let url = Ok(landing.clone());
        let link = ParsedLink {
            location: place,
            original_url: given,
            url,
            fragment,
            is_unfollowed: false,
        };
        let found = LinkDiscovery { depth: at.task.depth.unwrap_or(0), batch, position: 0 };
        let from = Url::parse(&at.task.url).ok()?;
        self.memory.traps.note_redirect(&from, landing);
        self.memory.sitemaps.note_redirect(&from, landing);
        let (rights, index_level) = (at.task.rights, None);
        let way = LinkContext { found, rights, from: &from, is_closed: false, index_level };
        let links = self.weigh_link(&way, link, &mut Vec::new()).into_iter().collect();
        Some(NewPage { label: at.task.url.clone(), links, ..NewPage::default() })
    }

    /// What becomes of a link; nothing if it takes no part at all.
    fn weigh_link(
        &mut self,
        way: &LinkContext<'_>,
        link: ParsedLink,
        fresh: &mut Vec<Url>,
    ) -> Option<PageLink> {
        let ParsedLink { location: place, original_url: given, url, fragment, is_unfollowed } =
            link;
        let url = match url {
            Ok(url) => url,
            Err(bad) => return self.malformed(way, place, given, bad),
        };
        let (url, _) = strip(&url);
        let (stripped, dropped) = self.memory.trials.strip(&url);
        if !dropped.is_empty() && self.rules.scope.is_inside(&url) {
            self.memory.traps.note_stripped(&url);
        }
        let url = stripped;
        if !self.rules.filter.matches(url.as_str()) {
            self.memory.skipped_links.left_out += 1;
            return None;
        }
        if url.path() == USUAL_SITEMAP && self.rules.scope.is_inside(&url) {
            self.memory.linked_sitemaps.insert(url.to_string());
        }
        let is_shy = (is_unfollowed || way.is_closed) && !self.rules.follows_all;
        let admission = self.admit(way, &url, is_shy, fresh);
        // Pages write most addresses in short, each in its own way.
        let given = redact_stored_url(url.as_str()).into_owned();
        let target = web(&url, way.rights.inherited(way.from, &url));
        Some(PageLink {
            link: NewLink {
                location: place,
                original_url: given,
                target,
                fragment,
                ignored_codes: Vec::new(),
            },
            admission,
        })
    }

    fn admit(
        &mut self,
        way: &LinkContext<'_>,
        url: &Url,
        is_shy: bool,
        fresh: &mut Vec<Url>,
    ) -> LinkDecision {
        let hash = xxh3_64(url.as_str().as_bytes());
        let is_inside = self.rules.scope.is_inside(url);
        if self.seen.contains(&hash) {
            return self.ask(way.found, is_inside);
        }
        let aside = &mut self.memory.skipped_links;
        if is_shy && (is_inside || way.is_closed) {
            aside.unfollowed += 1;
            return LinkDecision::Skip;
        }
        if !is_inside {
            if !self.rules.checks_others {
                aside.external += 1;
                return LinkDecision::Skip;
            }
            self.seen.insert(hash);
            return self.ask(way.found, false);
        }
        if !is_within_depth(way.found.depth, self.rules.depth) {
            aside.too_deep += 1;
            return LinkDecision::Skip;
        }
        if let Trapped::Reject(..) = self.memory.traps.admit(url, way.found.depth) {
            return LinkDecision::Skip;
        }
        if self.rules.pages.is_some_and(|most| self.pages >= most) {
            aside.over_budget += 1;
            return LinkDecision::Skip;
        }
        if way.index_level.is_some_and(|level| !self.memory.sitemaps.list(url, level)) {
            aside.sitemaps += 1;
            return LinkDecision::Skip;
        }
        self.seen.insert(hash);
        self.pages += 1;
        fresh.push(url.clone());
        self.ask(way.found, true)
    }

    fn ask(&self, found: LinkDiscovery, is_page: bool) -> LinkDecision {
        let rank = match self.rules.order {
            // First come, first served.
            TraversalOrder::BreadthFirst => None,
            TraversalOrder::DepthFirst => Some(self.rules.order.key(found)),
        };
        LinkDecision::Fetch { depth: found.depth, rank, may_use_cache: !is_page }
    }

    fn malformed(
        &mut self,
        way: &LinkContext<'_>,
        place: SourceLocation,
        given: String,
        bad: BadLink,
    ) -> Option<PageLink> {
        if !self.rules.filter.matches(&given) {
            self.memory.skipped_links.left_out += 1;
            return None;
        }
        let target = NewTarget::Local {
            key: format!("malformed:{given}"),
            verdict: Verdict::Local,
            code: Some(bad.code),
            reason: bad.reason,
        };
        let link = NewLink {
            location: place,
            original_url: given,
            target,
            fragment: None,
            ignored_codes: Vec::new(),
        };
        Some(PageLink { link, admission: self.ask(way.found, false) })
    }

    /// A link that cannot be followed because of an internal error.
    fn unweighed(&self, way: &LinkContext<'_>, place: SourceLocation, given: &str) -> PageLink {
        let target = NewTarget::Local {
            key: format!("internal-error:{given}"),
            verdict: Verdict::Failing,
            code: Some(codes::INTERNAL_ERROR),
            reason: "internal error while reading this link".to_owned(),
        };
        let (given, fragment, hidden) = (given.to_owned(), None, Vec::new());
        let link = NewLink {
            location: place,
            original_url: given,
            target,
            fragment,
            ignored_codes: hidden,
        };
        PageLink { link, admission: self.ask(way.found, false) }
    }

    /// Tells the trap watch and the trials what a page looked like.
    fn note_sight(
        &mut self,
        at: &FetchedPageContext<'_>,
        landing: &Url,
        sight: Option<PageFingerprint>,
        fresh: &[Url],
    ) {
        let Some(digest) = &at.probe.digest else { return };
        let ways_out = self.memory.traps.new_outlinks(landing, fresh);
        if let Some(sight) = sight {
            self.memory.traps.seen(landing, &sight.with_ways_out(ways_out));
        }
        self.parameters.note(landing, digest, &mut self.memory.trials);
    }

    /// The number of the first of so many links.
    fn number(&mut self, links: usize) -> u64 {
        let first = self.numbered;
        self.numbered += links.max(1) as u64;
        first
    }
}

/// The URLs that the user named.
fn named_urls(settings: &CrawlSettings) -> Vec<Url> {
    let seeds = settings.seeds.iter().map(|(_, url)| url);
    seeds.chain(&settings.sitemaps).cloned().collect()
}

/// What a crawl's memory tells: traps that were avoided, and links that were
/// not asked.
pub(super) fn told(memory: &str) -> (Vec<DetectedTrap>, SkippedLinks) {
    let memory: Option<CrawlCheckpoint> = serde_json::from_str(memory).ok();
    memory.map_or_else(Default::default, |memory| (memory.traps.report(), memory.skipped_links))
}

/// Where a crawl begins, host by host.
fn origins(settings: &CrawlSettings) -> BTreeMap<String, Url> {
    settings.seeds.iter().map(|(_, url)| (host_key(url), url.clone())).collect()
}

/// How a link was come upon.
struct LinkContext<'a> {
    found: LinkDiscovery,
    /// The rights of the page that links there.
    rights: RequestRights,
    from: &'a Url,
    /// Whether the page asks that none of its links be followed.
    is_closed: bool,
    /// If the page is an index of sitemaps, the number of indexes above it.
    index_level: Option<u32>,
}

fn web(url: &Url, rights: RequestRights) -> NewTarget {
    NewTarget::Web { host: host_key(url), rights, url: url.to_string() }
}
