//! What a crawl knows while it goes: which links of a page lead on, and what
//! was left aside.
//!
//! Nothing here asks or stores. What must survive an interruption is a
//! [`Memory`], which is saved with the run from time to time; what a kill
//! loses of it is learnt again.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_frontier::{
    Admission as Trapped, AvoidedPattern, CrawlScope, Discovery, Order, PageSight, ParameterTrials,
    RobotsAnswer, Scope, TrapWatch, canonical, host_name, is_within_depth, strip,
};
use relink_judge::codes;
use relink_model::{
    Ending, Errand, Place, Probe, RequestRights, Word, is_same_host_and_port, redact_stored_url,
};
use relink_ports::{Admission, Moments, NewLink, NewPage, NewTarget, PageLink, RenderFault, Terms};
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::CrawlSettings;
use super::lookalikes::Lookalikes;
use super::reading::{
    BadLink, FoundLink, PageReading, SITEMAP_BYTES, SitemapKind, is_named_as_sitemap,
};
use super::sitemap_limits::{MAX_SITEMAPS, SitemapLimits};
use super::visit::{RenderMode, Visit};
use crate::ask::{Further, Source};
use crate::isolation::isolate;
use crate::look::{agent_for, landing};
use crate::robots::AGENT;

/// Where to go, and how far.
#[derive(Debug, Clone)]
pub struct CrawlRules {
    /// Which pages are followed.
    pub scope: CrawlScope,
    /// Which addresses take part at all.
    pub filter: Scope,
    /// In which order.
    pub order: Order,
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
pub struct LeftAside {
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
struct Memory {
    traps: TrapWatch,
    trials: ParameterTrials,
    left_aside: LeftAside,
    #[serde(default)]
    sitemaps: SitemapLimits,
    /// URLs of [`USUAL_SITEMAP`] that pages link to: they are pages' links, and
    /// no guesses of ours.
    #[serde(default)]
    linked_sitemaps: BTreeSet<String>,
}

impl Memory {
    fn new(now: Timestamp) -> Self {
        let year = now.to_zoned(TimeZone::UTC).year();
        let (trials, left_aside, sitemaps, linked_sitemaps) = Default::default();
        Self { traps: TrapWatch::new(year), trials, left_aside, sitemaps, linked_sitemaps }
    }
}

/// A crawl under way.
pub(crate) struct Crawler {
    pub(crate) rules: CrawlRules,
    memory: Memory,
    /// Hashes of every address that was let in, so that each is weighed once.
    seen: HashSet<u64>,
    /// Pages inside that were let in.
    pages: u64,
    /// What pages showed whose addresses differ in one parameter.
    parameters: Lookalikes,
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
    unrendered: Option<(u64, RenderFault)>,
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
pub(crate) struct Standing<'a> {
    pub(crate) errand: &'a Errand,
    pub(crate) probe: &'a Probe,
    pub(crate) word: Word,
}

/// Sitemaps are read last, when no link leads further, so that what only they
/// name is known to be linked from nowhere.
impl Source for Crawler {
    fn further(&mut self, now: Timestamp) -> Option<Further> {
        let page = self.next_sitemaps()?;
        Some(Further::Page(page, self.moments(now)))
    }
}

impl Crawler {
    /// A crawl at its beginning, or one that goes on with what it left behind.
    pub(crate) fn new(settings: &CrawlSettings, memory: Option<&str>, now: Timestamp) -> Self {
        // What cannot be read was written by another version and is learnt anew.
        let memory = memory.and_then(|text| serde_json::from_str(text).ok());
        Self {
            rules: settings.rules.clone(),
            memory: memory.unwrap_or_else(|| Memory::new(now)),
            seen: HashSet::new(),
            pages: 0,
            parameters: Lookalikes::default(),
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
    pub(crate) fn note_robots(&mut self, host: &str, answer: &RobotsAnswer) {
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
    fn note_sitemaps(&mut self, host: &str, answer: &RobotsAnswer) {
        let Some(base) = self.robots_url(host) else { return };
        let mut found: Vec<Url> = answer
            .robots
            .sitemaps()
            .iter()
            .filter_map(|text| canonical(Some(&base), text).ok())
            .collect();
        if found.is_empty() && !answer.is_unreachable && self.origins.contains_key(host) {
            let usual = base.join(USUAL_SITEMAP).ok();
            let usual = usual.filter(|url| answer.robots.is_allowed(AGENT, url));
            self.guessed_sitemaps.extend(usual.iter().map(Url::to_string));
            found.extend(usual);
        }
        for sitemap in found.into_iter().filter(|url| self.rules.scope.is_inside(url)) {
            if self.sitemaps.len() >= MAX_SITEMAPS {
                self.memory.left_aside.sitemaps += 1;
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
        errand: &Errand,
        probe: &Probe,
        reading: Option<&PageReading>,
    ) -> bool {
        let is_guess = self.guessed_sitemaps.contains(&errand.url)
            && !self.memory.linked_sitemaps.contains(&errand.url);
        let leads_on = || {
            let last = landing(probe);
            last.is_some_and(|url| url.as_str() != errand.url && is_named_as_sitemap(&url))
        };
        let is_there = matches!(probe.ending, Ending::Answered(200..=299))
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

    /// Whether an errand that was let in still leads into no trap.
    pub(crate) fn still_enters(&mut self, errand: &Errand) -> bool {
        let Some(url) = Url::parse(&errand.url).ok().filter(|url| self.follows(url)) else {
            return true;
        };
        // A look that was begun is brought to its end.
        let depth = errand.depth.unwrap_or(0);
        !errand.looks.is_empty() || self.memory.traps.admit(&url, depth) == Trapped::Enter
    }

    /// A visit to a page that is followed, on the terms of its host.
    pub(crate) fn visit(&self, url: Url, errand: &Errand, terms: Terms) -> Visit {
        let agent = agent_for(errand.purpose, &errand.looks);
        let body_cap = self.is_sitemap(&url).then_some(SITEMAP_BYTES);
        let terms = Terms { body_cap, ..terms };
        let max_links = self.rules.page_links;
        Visit { url, rights: errand.rights, agent, terms, mode: self.render, max_links }
    }

    /// A page needed a browser, and none could show it.
    pub(crate) fn note_unrendered(&mut self, fault: RenderFault) {
        let (count, _) = self.unrendered.get_or_insert((0, fault));
        *count += 1;
    }

    /// How many pages were read without the browser they need, and why.
    pub(crate) fn unrendered(&self) -> Option<&(u64, RenderFault)> {
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
        at: &Standing<'_>,
        reading: Option<Box<PageReading>>,
    ) -> Option<NewPage> {
        if !at.word.is_reached() && at.word != Word::Blocked {
            return None;
        }
        if let Some(reading) = reading {
            return self.weigh(at, *reading);
        }
        let landing = landing(at.probe)?;
        let asked = Url::parse(&at.errand.url).ok()?;
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
    pub(crate) fn left_aside(&self) -> &LeftAside {
        &self.memory.left_aside
    }

    /// The traps that were avoided.
    pub(crate) fn avoided(&self) -> Vec<AvoidedPattern> {
        self.memory.traps.report()
    }

    pub(crate) fn moments(&self, now: Timestamp) -> Moments {
        Moments { now, fresh_since: self.rules.fresh_since }
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
            let found = Discovery { depth: 0, batch, position };
            let link = NewLink {
                place: super::argument(position, given),
                given: redact_stored_url(given).into_owned(),
                target: web(url, rights(self, url)),
                fragment: None,
                hidden: Vec::new(),
            };
            page.links.push(PageLink { link, admission: self.ask(found, true) });
        }
        page
    }

    /// A page that was read: which of its links lead on.
    pub(crate) fn weigh(&mut self, at: &Standing<'_>, reading: PageReading) -> Option<NewPage> {
        let depth = at.errand.depth.unwrap_or(0);
        let landing = at.probe.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        let landing = landing.or_else(|| Url::parse(&at.errand.url).ok())?;
        let batch = self.number(reading.links.len());
        let mut page = NewPage {
            label: at.errand.url.clone(),
            is_sitemap: reading.sitemap.is_some(),
            anchors: reading.anchors,
            links: Vec::with_capacity(reading.links.len()),
        };
        self.memory.left_aside.no_pages += reading.skipped.len() as u64;
        self.memory.left_aside.over_page_links += reading.more as u64;
        self.memory.left_aside.cut_pages += u64::from(reading.is_cut);
        if reading.sitemap.is_some() && !self.memory.sitemaps.take_sitemap() {
            self.memory.left_aside.sitemaps += reading.links.len() as u64;
            return Some(page);
        }
        let is_index = reading.sitemap == Some(SitemapKind::Index);
        let index_level = is_index.then(|| self.index_level(at, &landing));
        let mut fresh = Vec::new();
        for (position, link) in (0..).zip(reading.links) {
            let way = Way {
                found: Discovery { depth: depth + 1, batch, position },
                rights: at.errand.rights,
                from: &landing,
                is_closed: reading.forbids_following,
                index_level,
            };
            let (place, given) = (link.place, link.given.clone());
            let weighed = isolate(&given, || self.weigh_link(&way, link, &mut fresh));
            let weighed = weighed.unwrap_or_else(|_| Some(self.unweighed(&way, place, &given)));
            page.links.extend(weighed);
        }
        self.note_sight(at, &landing, reading.sight, &fresh);
        Some(page)
    }

    /// The number of sitemap indexes above a page.
    fn index_level(&self, at: &Standing<'_>, landing: &Url) -> u32 {
        let requested = Url::parse(&at.errand.url).ok();
        let level = |url: &Url| self.memory.sitemaps.level(url);
        let levels = requested.iter().chain([landing]).map(level);
        levels.max().unwrap_or(0)
    }

    /// A page that leads elsewhere at once: its way on is a link of the same
    /// depth, so that what is there is read once, however many lead to it.
    pub(crate) fn weigh_redirect(&mut self, at: &Standing<'_>, landing: &Url) -> Option<NewPage> {
        let batch = self.number(1);
        let place = Place {
            span: relink_model::Span { start: 0, end: 0 },
            line: 1,
            column: 1,
            kind: relink_model::PlaceKind::Refresh,
        };
        let (given, fragment) = (landing.to_string(), None);
        let url = Ok(landing.clone());
        let link = FoundLink { place, given, url, fragment, is_unfollowed: false };
        let found = Discovery { depth: at.errand.depth.unwrap_or(0), batch, position: 0 };
        let from = Url::parse(&at.errand.url).ok()?;
        self.memory.traps.note_redirect(&from, landing);
        self.memory.sitemaps.note_redirect(&from, landing);
        let (rights, index_level) = (at.errand.rights, None);
        let way = Way { found, rights, from: &from, is_closed: false, index_level };
        let links = self.weigh_link(&way, link, &mut Vec::new()).into_iter().collect();
        Some(NewPage { label: at.errand.url.clone(), links, ..NewPage::default() })
    }

    /// What becomes of a link; nothing if it takes no part at all.
    fn weigh_link(
        &mut self,
        way: &Way<'_>,
        link: FoundLink,
        fresh: &mut Vec<Url>,
    ) -> Option<PageLink> {
        let FoundLink { place, given, url, fragment, is_unfollowed } = link;
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
        if !self.rules.filter.takes(url.as_str()) {
            self.memory.left_aside.left_out += 1;
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
            link: NewLink { place, given, target, fragment, hidden: Vec::new() },
            admission,
        })
    }

    fn admit(&mut self, way: &Way<'_>, url: &Url, is_shy: bool, fresh: &mut Vec<Url>) -> Admission {
        let hash = xxh3_64(url.as_str().as_bytes());
        let is_inside = self.rules.scope.is_inside(url);
        if self.seen.contains(&hash) {
            return self.ask(way.found, is_inside);
        }
        let aside = &mut self.memory.left_aside;
        if is_shy && (is_inside || way.is_closed) {
            aside.unfollowed += 1;
            return Admission::Leave;
        }
        if !is_inside {
            if !self.rules.checks_others {
                aside.external += 1;
                return Admission::Leave;
            }
            self.seen.insert(hash);
            return self.ask(way.found, false);
        }
        if !is_within_depth(way.found.depth, self.rules.depth) {
            aside.too_deep += 1;
            return Admission::Leave;
        }
        if let Trapped::Avoid(..) = self.memory.traps.admit(url, way.found.depth) {
            return Admission::Leave;
        }
        if self.rules.pages.is_some_and(|most| self.pages >= most) {
            aside.over_budget += 1;
            return Admission::Leave;
        }
        if way.index_level.is_some_and(|level| !self.memory.sitemaps.list(url, level)) {
            aside.sitemaps += 1;
            return Admission::Leave;
        }
        self.seen.insert(hash);
        self.pages += 1;
        fresh.push(url.clone());
        self.ask(way.found, true)
    }

    fn ask(&self, found: Discovery, is_page: bool) -> Admission {
        let rank = match self.rules.order {
            // First come, first served.
            Order::BreadthFirst => None,
            Order::DepthFirst => Some(self.rules.order.key(found)),
        };
        Admission::Ask { depth: found.depth, rank, trusts_memory: !is_page }
    }

    fn malformed(
        &mut self,
        way: &Way<'_>,
        place: Place,
        given: String,
        bad: BadLink,
    ) -> Option<PageLink> {
        if !self.rules.filter.takes(&given) {
            self.memory.left_aside.left_out += 1;
            return None;
        }
        let target = NewTarget::Local {
            key: format!("malformed:{given}"),
            word: Word::Local,
            code: Some(bad.code),
            reason: bad.reason,
        };
        let link = NewLink { place, given, target, fragment: None, hidden: Vec::new() };
        Some(PageLink { link, admission: self.ask(way.found, false) })
    }

    /// A link that cannot be followed because of an internal error.
    fn unweighed(&self, way: &Way<'_>, place: Place, given: &str) -> PageLink {
        let target = NewTarget::Local {
            key: format!("internal-error:{given}"),
            word: Word::Failing,
            code: Some(codes::INTERNAL_ERROR),
            reason: "internal error while reading this link".to_owned(),
        };
        let (given, fragment, hidden) = (given.to_owned(), None, Vec::new());
        let link = NewLink { place, given, target, fragment, hidden };
        PageLink { link, admission: self.ask(way.found, false) }
    }

    /// Tells the trap watch and the trials what a page looked like.
    fn note_sight(
        &mut self,
        at: &Standing<'_>,
        landing: &Url,
        sight: Option<PageSight>,
        fresh: &[Url],
    ) {
        let Some(digest) = &at.probe.digest else { return };
        let ways_out = self.memory.traps.ways_out(landing, fresh);
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
pub(super) fn told(memory: &str) -> (Vec<AvoidedPattern>, LeftAside) {
    let memory: Option<Memory> = serde_json::from_str(memory).ok();
    memory.map_or_else(Default::default, |memory| (memory.traps.report(), memory.left_aside))
}

/// Where a crawl begins, host by host.
fn origins(settings: &CrawlSettings) -> BTreeMap<String, Url> {
    settings.seeds.iter().map(|(_, url)| (host_name(url), url.clone())).collect()
}

/// How a link was come upon.
struct Way<'a> {
    found: Discovery,
    /// The rights of the page that links there.
    rights: RequestRights,
    from: &'a Url,
    /// Whether the page asks that none of its links be followed.
    is_closed: bool,
    /// If the page is an index of sitemaps, the number of indexes above it.
    index_level: Option<u32>,
}

fn web(url: &Url, rights: RequestRights) -> NewTarget {
    NewTarget::Web { host: host_name(url), rights, url: url.to_string() }
}
