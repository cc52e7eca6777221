//! Measures the focus of a collection: how well readers stay on its topic by following
//! links ([`relink_collection::Topicality`] states the rule).
//!
//! Members are judged by their stored versions, without a request. Pages that they
//! link to are fetched, each once, up to a limit. The walks are those of decay
//! ([`relink_decay`]), with another probability of success on each page.

use std::collections::HashMap;

use relink_change::{
    Background, Collection, Context, CorpusBuilder, Signature, TermSettings, TermVector,
};
use relink_collection::{Availability, MemberState, Topicality, focus_start};
use relink_decay::{
    DecayDefinition, DecayEstimate, DecayEstimator, EstimatorStep, Observation, PageIndex, Sigma,
    StoppingRule,
};
use relink_engine::{PageReader, PageReaderSettings, Ports, StopSignal};
use relink_frontier::canonicalize;
use relink_model::RequestRights;
use relink_page::body_blocks;
use relink_ports::{CollectionStore, StoredMember, StoredVersion, VersionId, WatchedPage};
use relink_report::watch::{FocusEnd, FocusEndKind, WatchFocus};
use relink_survey::SplitMix64;
use url::Url;

use crate::WatchError;
use crate::library::{Library, load_versions, state_of};

/// Maximum number of members at which walks start. More are sampled evenly.
const MAX_STARTS: usize = 500;

/// Maximum number of members whose terms form the topic.
const MAX_CONTEXT: usize = 100;

/// Number of pages that are fetched before the first random walk.
const PUSHED_PAGES: usize = 20;

/// Number of pages at which walks fail in a report.
const MAX_ENDS: usize = 10;

/// Half-width at which the interval is narrow enough.
const HALF_WIDTH: f64 = 0.05;

/// The page that stands for the choice of a random member.
const START: PageIndex = 0;

/// The collection to measure, and the settings.
#[derive(Debug, Clone, Copy)]
pub struct FocusRequest<'r> {
    /// The collection; its nested ones belong to it.
    pub collection: &'r str,
    /// Permissions of requests to members, and to pages on their hosts.
    pub rights: RequestRights,
    /// The probability that a walk ends at a page that is certainly on the topic.
    pub stop: f64,
    /// Maximum number of pages to fetch.
    pub max_pages: usize,
    /// The seed of the random walks.
    pub seed: u64,
}

/// Measures the focus of a collection. `progress` receives the number of fetched pages
/// and the next URL.
pub async fn measure_focus(
    ports: &Ports,
    store: &dyn CollectionStore,
    request: &FocusRequest<'_>,
    settings: PageReaderSettings,
    progress: &mut (dyn FnMut(u64, &str) + Send),
    stop: &StopSignal,
) -> Result<WatchFocus, WatchError> {
    let library = Library::load_tree(store, request.collection).await?;
    let members = Members::load(store, &library).await?;
    let mut corpus = CorpusBuilder::default();
    members.topic.iter().for_each(|terms| corpus.add(terms));
    let corpus = corpus.finish(Background::builtin());
    let topic = Collection { members: members.topic.clone() };
    let context = Context::new(&topic, &corpus);
    let reader = PageReader::new(ports, settings);
    let mut walk = FocusWalk {
        request: *request,
        context: &context,
        reader,
        pages: vec![None],
        by_url: HashMap::new(),
        known: HashMap::new(),
        fetched: 0,
        judged: HashMap::new(),
    };
    let starts = walk.add_members(&members);
    let estimate = walk.run(starts, progress, stop).await;
    Ok(walk.report(&estimate, members.starts.len(), stop.is_stopped()))
}

/// A page that was read in an earlier run.
struct KnownPage {
    url: Url,
    topic: Option<usize>,
    terms: TermVector,
    is_dead: bool,
    is_live: bool,
    links: Vec<String>,
}

/// The members of a collection at which walks start, and its topic.
struct Members {
    starts: Vec<KnownPage>,
    topic: Vec<TermVector>,
}

impl Members {
    async fn load(store: &dyn CollectionStore, library: &Library) -> Result<Self, WatchError> {
        let pages = library.pages(store).await?;
        let numbered = library.numbered().map(|(_, _, member)| member);
        let mut active: Vec<&StoredMember> =
            numbered.filter(|member| state_of(member) == MemberState::Active).collect();
        active.sort_by(|left, right| left.url.cmp(&right.url));
        active.dedup_by(|left, right| left.url == right.url);
        let step = active.len().div_ceil(MAX_STARTS).max(1);
        let active: Vec<&StoredMember> = active.into_iter().step_by(step).collect();
        let latest = |member: &StoredMember| pages.get(&member.url).and_then(|page| page.latest);
        let ids =
            active.iter().flat_map(|member| member.reference.into_iter().chain(latest(member)));
        let versions = load_versions(store, ids.collect()).await?;
        let topic_step = active.len().div_ceil(MAX_CONTEXT).max(1);
        let mut members = Self { starts: Vec::new(), topic: Vec::new() };
        for (number, member) in active.into_iter().enumerate() {
            let version = |id: VersionId| versions.get(&id);
            let reference = member.reference.and_then(version);
            let is_topic = number % topic_step == 0;
            let topic = reference.filter(|_| is_topic).and_then(|version| {
                members.add_topic(member, version).filter(|_| latest(member) == member.reference)
            });
            members.add_start(
                member,
                pages.get(&member.url),
                latest(member).and_then(version),
                topic,
            );
        }
        Ok(members)
    }

    /// Adds the accepted version of a member to the topic and returns its index.
    fn add_topic(&mut self, member: &StoredMember, version: &StoredVersion) -> Option<usize> {
        let mut terms = terms_of(version);
        if terms.is_empty() {
            return None;
        }
        terms.add_annotation(&member.annotation, TermSettings::default());
        self.topic.push(terms);
        Some(self.topic.len() - 1)
    }

    fn add_start(
        &mut self,
        member: &StoredMember,
        page: Option<&WatchedPage>,
        latest: Option<&StoredVersion>,
        topic: Option<usize>,
    ) {
        let Ok(url) = Url::parse(&member.url) else { return };
        let signature: Option<Signature> =
            latest.and_then(|version| serde_json::from_str(&version.signature).ok());
        let links = signature.map(|signature| signature.links).unwrap_or_default();
        let availability = Availability::from_verdict(page.and_then(|page| page.verdict));
        self.starts.push(KnownPage {
            url,
            topic,
            terms: latest.map(terms_of).unwrap_or_default(),
            is_dead: availability == Availability::Permanent,
            is_live: availability == Availability::Available && latest.is_some(),
            links: links.into_iter().map(|link| link.url).collect(),
        });
    }
}

fn terms_of(version: &StoredVersion) -> TermVector {
    serde_json::from_str(&version.terms).unwrap_or_default()
}

/// The pages that walks reach.
struct FocusWalk<'w> {
    request: FocusRequest<'w>,
    context: &'w Context<'w>,
    reader: PageReader<'w>,
    /// The URL and rights of each page; `None` is the start.
    pages: Vec<Option<(Url, RequestRights)>>,
    by_url: HashMap<String, PageIndex>,
    /// Members, whose state and links are stored.
    known: HashMap<PageIndex, (Topicality, Vec<Url>)>,
    fetched: u64,
    judged: HashMap<PageIndex, Topicality>,
}

impl FocusWalk<'_> {
    /// Adds the members and returns their indices.
    fn add_members(&mut self, members: &Members) -> Vec<PageIndex> {
        let rights = self.request.rights;
        let starts = members.starts.iter().map(|member| {
            let page = self.page(member.url.clone(), rights);
            if member.is_dead || member.is_live {
                let topicality = match member.topic {
                    _ if member.is_dead => Topicality::Dead,
                    Some(at) => Topicality::of_fit(self.context.fit_of_member(at)),
                    None => Topicality::of_fit(self.context.fit(&member.terms)),
                };
                let links = member.links.iter();
                let links = links.filter_map(|link| canonicalize(Some(&member.url), link).ok());
                self.known.insert(page, (topicality, links.collect()));
            }
            page
        });
        starts.collect()
    }

    /// Returns the index of a URL.
    fn page(&mut self, url: Url, rights: RequestRights) -> PageIndex {
        let next = PageIndex::try_from(self.pages.len()).unwrap_or(PageIndex::MAX);
        let page = *self.by_url.entry(url.to_string()).or_insert(next);
        if page == next {
            self.pages.push(Some((url, rights)));
        }
        page
    }

    async fn run(
        &mut self,
        starts: Vec<PageIndex>,
        progress: &mut (dyn FnMut(u64, &str) + Send),
        stop: &StopSignal,
    ) -> DecayEstimate {
        // The start and the members that were read in an earlier run need no request.
        let free = 1 + self.known.len();
        let rule = StoppingRule {
            push_pages: free + PUSHED_PAGES.min(self.request.max_pages),
            max_pages_fetched: free + self.request.max_pages,
            target_half_width: HALF_WIDTH,
            ..StoppingRule::default()
        };
        let (sigma, definition) = (Sigma::default(), DecayDefinition::Plain);
        let mut estimator = DecayEstimator::new(START, sigma, definition, rule);
        let mut random = SplitMix64::new(self.request.seed);
        estimator.record(START, &focus_start(starts.clone()));
        for page in starts {
            if self.known.contains_key(&page) {
                let observation = self.observe(page, progress).await;
                estimator.record(page, &observation);
            }
        }
        loop {
            match estimator.next(&mut || random.unit()) {
                EstimatorStep::Done(estimate) => return estimate,
                EstimatorStep::Fetch(_) if stop.is_stopped() => return estimator.estimate(),
                EstimatorStep::Fetch(page) => {
                    let observation = self.observe(page, progress).await;
                    estimator.record(page, &observation);
                }
            }
        }
    }

    /// Judges a page, by its stored version or by a request.
    async fn observe(
        &mut self,
        page: PageIndex,
        progress: &mut (dyn FnMut(u64, &str) + Send),
    ) -> Observation {
        let Some((url, rights)) =
            usize::try_from(page).ok().and_then(|at| self.pages.get(at)?.clone())
        else {
            return Topicality::Unknown.observation(self.request.stop, Vec::new());
        };
        let (topicality, links) = if let Some(known) = self.known.remove(&page) {
            known
        } else {
            progress(self.fetched, url.as_str());
            self.fetched += 1;
            self.read(&url, rights).await
        };
        self.judged.insert(page, topicality);
        let links = links.into_iter().filter(|link| *link != url);
        let links = links.map(|link| {
            let rights = rights.inherit(&url, &link);
            self.page(link, rights)
        });
        let links = links.collect();
        topicality.observation(self.request.stop, links)
    }

    async fn read(&mut self, url: &Url, rights: RequestRights) -> (Topicality, Vec<Url>) {
        let page = self.reader.read(url, rights).await;
        match Availability::from_verdict(Some(page.verdict)) {
            Availability::Permanent => return (Topicality::Dead, Vec::new()),
            Availability::Temporary | Availability::Unchecked => {
                return (Topicality::Unknown, Vec::new());
            }
            Availability::Available => {}
        }
        let text = page.content.as_ref().and_then(|(_, body)| {
            let page = body_blocks(body.content_type.as_deref(), &body.bytes)?;
            let title = page.title().unwrap_or_default().to_owned();
            Some(TermVector::from_member(&title, &page, "", TermSettings::default()))
        });
        let fit = text.and_then(|terms| self.context.fit(&terms));
        (Topicality::of_fit(fit), page.links())
    }

    fn report(&self, estimate: &DecayEstimate, members: usize, is_interrupted: bool) -> WatchFocus {
        let count = |test: fn(Topicality) -> bool| {
            self.judged.values().filter(|topicality| test(**topicality)).count() as u64
        };
        let ends = estimate.dead_ends.iter().take(MAX_ENDS).filter_map(|end| {
            let (url, _) = self.pages.get(usize::try_from(end.page).ok()?)?.as_ref()?;
            let kind = match self.judged.get(&end.page)? {
                Topicality::Dead => FocusEndKind::Dead,
                Topicality::OffTopic => FocusEndKind::OffTopic,
                Topicality::Unknown | Topicality::Topical(_) => FocusEndKind::Unknown,
            };
            Some(FocusEnd { url: url.to_string(), kind, share: end.share })
        });
        WatchFocus {
            name: self.request.collection.to_owned(),
            focus: 1.0 - estimate.decay.get(),
            low: 1.0 - estimate.interval.high.get(),
            high: 1.0 - estimate.interval.low.get(),
            stop: self.request.stop,
            members: members as u64,
            fetched: self.fetched,
            walks: estimate.walks,
            topical: count(|topicality| matches!(topicality, Topicality::Topical(_))),
            off_topic: count(|topicality| topicality == Topicality::OffTopic),
            dead: count(|topicality| topicality == Topicality::Dead),
            unknown: count(|topicality| topicality == Topicality::Unknown),
            is_interrupted,
            ends: ends.collect(),
            ..WatchFocus::default()
        }
    }
}
