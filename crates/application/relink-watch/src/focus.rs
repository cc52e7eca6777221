//! Measures the focus of a collection: how well readers stay on its topic by following
//! links ([`relink_collection::Topicality`] states the rule).
//!
//! The *members* are the pages of the collection; their *accepted versions* form the topic.
//! Members are judged by their stored versions, without a request. Pages to which they
//! link are fetched, each once, up to a limit.
//!
//! The focus is estimated by random *walks* over links, in the same way as decay
//! ([`relink_decay`]). A walk *fails* where it leaves the topic or reaches a dead page. The
//! better a page fits the topic, the more likely a walk ends there with success.

use std::collections::HashMap;

use relink_change::{
    Background, Collection, Context, CorpusBuilder, Signature, TermSettings, TermVector,
};
use relink_collection::{Availability, MemberState, Topicality, focus_start};
use relink_decay::{
    DecayDefinition, DecayEstimate, DecayEstimator, EstimatorStep, Observation, PageIndex, Sigma,
    StoppingRule,
};
use relink_engine::{PageReader, PageReaderSettings};
use relink_frontier::canonicalize;
use relink_model::RequestRights;
use relink_page::body_blocks;
use relink_ports::{CollectionStore, StoredMember, StoredVersion, VersionId, WatchedPage};
use relink_report::watch::{FocusEnd, FocusEndKind, WatchFocus};
use relink_requests::{Ports, StopSignal};
use relink_survey::SplitMix64;
use url::Url;

use crate::WatchError;
use crate::library::{Library, load_versions, state_of};

/// Maximum number of members at which walks start. Of a larger collection, an even sample
/// is used.
const MAX_STARTS: usize = 500;

/// Maximum number of members whose words form the topic.
const MAX_TOPIC_MEMBERS: usize = 100;

/// Number of pages that are explored exactly before the first random walk.
const PUSHED_PAGES: usize = 20;

/// Number of pages at which walks fail in a report.
const MAX_ENDS: usize = 10;

/// The measurement ends when the confidence interval is the focus ± this number.
const TARGET_HALF_WIDTH: f64 = 0.02;

/// An artificial page with links to all members. A walk starts on this page, so its first step
/// leads to a random member.
const START: PageIndex = 0;

/// The collection to measure, and the settings.
#[derive(Debug, Clone, Copy)]
pub struct FocusRequest<'r> {
    /// The name of the collection. Nested collections belong to it.
    pub collection: &'r str,
    /// Permissions of requests to members, and to pages on their hosts.
    pub rights: RequestRights,
    /// The stop probability: the probability that a walk ends at a page that is certainly on
    /// the topic.
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
        page_indexes: HashMap::new(),
        stored_pages: HashMap::new(),
        fetched: 0,
        judged: HashMap::new(),
    };
    let starts = walk.add_members(&members);
    let estimate = walk.run(starts, progress, stop).await;
    Ok(walk.report(&estimate, members.starts.len(), stop.is_stopped()))
}

/// A member at which walks start, with its stored version.
struct StartPage {
    url: Url,
    /// The index of the page in the topic, if it is part of the topic.
    topic: Option<usize>,
    /// The weighted words of the latest version.
    terms: TermVector,
    is_dead: bool,
    /// Whether the page is alive and has a stored version. A page that is neither dead nor
    /// live must be fetched.
    is_live: bool,
    links: Vec<String>,
}

/// The members of a collection at which walks start, and its topic.
struct Members {
    starts: Vec<StartPage>,
    /// The weighted words of a sample of the accepted versions.
    topic: Vec<TermVector>,
}

impl Members {
    /// Loads an even sample of the active members with their versions.
    async fn load(store: &dyn CollectionStore, library: &Library) -> Result<Self, WatchError> {
        let pages = library.pages(store).await?;
        let numbered = library.numbered().map(|(_, _, member)| member);
        let mut active: Vec<&StoredMember> =
            numbered.filter(|member| state_of(member) == MemberState::Active).collect();
        active.sort_by(|left, right| left.url.cmp(&right.url));
        active.dedup_by(|left, right| left.url == right.url);
        let start_step = active.len().div_ceil(MAX_STARTS).max(1);
        let active: Vec<&StoredMember> = active.into_iter().step_by(start_step).collect();
        let latest = |member: &StoredMember| pages.get(&member.url).and_then(|page| page.latest);
        let ids =
            active.iter().flat_map(|member| member.reference.into_iter().chain(latest(member)));
        let versions = load_versions(store, ids.collect()).await?;
        let topic_step = active.len().div_ceil(MAX_TOPIC_MEMBERS).max(1);
        let mut members = Self { starts: Vec::new(), topic: Vec::new() };
        for (number, member) in active.into_iter().enumerate() {
            let version = |id: VersionId| versions.get(&id);
            let reference = member.reference.and_then(version);
            let is_in_sample = number % topic_step == 0;
            // A member is judged as part of the topic only if its latest version is its accepted
            // version.
            let topic = reference.filter(|_| is_in_sample).and_then(|version| {
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

    /// Adds a member at which walks start, judged by its latest version.
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
        self.starts.push(StartPage {
            url,
            topic,
            terms: latest.map(terms_of).unwrap_or_default(),
            is_dead: availability == Availability::Permanent,
            is_live: availability == Availability::Available && latest.is_some(),
            links: links.into_iter().map(|link| link.url).collect(),
        });
    }
}

/// Returns the weighted words of a stored version; none if they cannot be read.
fn terms_of(version: &StoredVersion) -> TermVector {
    serde_json::from_str(&version.terms).unwrap_or_default()
}

/// The pages that walks reach.
struct FocusWalk<'w> {
    request: FocusRequest<'w>,
    context: &'w Context<'w>,
    reader: PageReader<'w>,
    /// The URL and rights of each page; `None` for the artificial start page.
    pages: Vec<Option<(Url, RequestRights)>>,
    /// The indexes of the pages by URL.
    page_indexes: HashMap<String, PageIndex>,
    /// Judgment and links of members with a stored version, until a walk reaches them.
    stored_pages: HashMap<PageIndex, (Topicality, Vec<Url>)>,
    /// Number of fetched pages.
    fetched: u64,
    /// The judgments of the pages that walks have reached.
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
                    Some(index) => Topicality::of_fit(self.context.fit_of_member(index)),
                    None => Topicality::of_fit(self.context.fit(&member.terms)),
                };
                let links = member.links.iter();
                let links = links.filter_map(|link| canonicalize(Some(&member.url), link).ok());
                self.stored_pages.insert(page, (topicality, links.collect()));
            }
            page
        });
        starts.collect()
    }

    /// Returns the index of a URL, and adds the URL if it is new.
    fn page(&mut self, url: Url, rights: RequestRights) -> PageIndex {
        let next_index = PageIndex::try_from(self.pages.len()).unwrap_or(PageIndex::MAX);
        let index = *self.page_indexes.entry(url.to_string()).or_insert(next_index);
        let is_new = index == next_index;
        if is_new {
            self.pages.push(Some((url, rights)));
        }
        index
    }

    /// Takes walks from the members until the estimate is precise enough.
    async fn run(
        &mut self,
        starts: Vec<PageIndex>,
        progress: &mut (dyn FnMut(u64, &str) + Send),
        stop: &StopSignal,
    ) -> DecayEstimate {
        // The start page and the members with a stored version need no request.
        let pages_without_request = 1 + self.stored_pages.len();
        let rule = StoppingRule {
            push_pages: pages_without_request + PUSHED_PAGES.min(self.request.max_pages),
            max_pages_fetched: pages_without_request + self.request.max_pages,
            target_half_width: TARGET_HALF_WIDTH,
            ..StoppingRule::default()
        };
        let (sigma, definition) = (Sigma::default(), DecayDefinition::Plain);
        let mut estimator = DecayEstimator::new(START, sigma, definition, rule);
        let mut random = SplitMix64::new(self.request.seed);
        estimator.record(START, &focus_start(starts.clone()));
        for page in starts {
            if self.stored_pages.contains_key(&page) {
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
            usize::try_from(page).ok().and_then(|index| self.pages.get(index)?.clone())
        else {
            return Topicality::Unknown.observation(self.request.stop, Vec::new());
        };
        let (topicality, links) = if let Some(stored) = self.stored_pages.remove(&page) {
            stored
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

    /// Fetches a page. Returns its judgment and its links.
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

    /// Returns the focus with its interval, and the pages where walks fail.
    fn report(&self, estimate: &DecayEstimate, members: usize, is_interrupted: bool) -> WatchFocus {
        let count = |is_counted: fn(Topicality) -> bool| {
            self.judged.values().filter(|topicality| is_counted(**topicality)).count() as u64
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
