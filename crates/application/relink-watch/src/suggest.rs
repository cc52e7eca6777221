//! Finds pages that can replace a member (a page of a collection).
//!
//! For a page that is gone or rejected, the candidates are its new URL (*alias*), its
//! archived copy, copies on other sites and similar pages. For a healthy page, the
//! candidates are similar pages. Every live candidate is fetched, compared with the
//! *accepted version* (the content that the user accepted last), and judged in the
//! *context* of the collection: how well it fits the topic.

use std::collections::{HashMap, HashSet};

use relink_change::{
    PageAttributes, Signature, SimilarityWeights, TermVector, VolatileParts, compare,
};
use relink_collection::{
    Availability, ContextJudgment, MemberState, ReviewMember, ReviewedList, VersionSummary,
    judge_candidate,
};
use relink_keyphrase::{PlanLimits, QueryPlan, SearchGoal};
use relink_model::RequestRights;
use relink_ports::{
    CollectionStore, SearchEngine, StoredCollection, StoredMember, StoredVersion, VersionId,
};
use relink_report::human::counted;
use relink_report::watch::{CandidateKind, WatchCandidate, WatchSuggestions};
use url::Url;

use crate::WatchError;
use crate::candidate_page::{CandidatePage, CandidateReader};
use crate::edit::{MemberSelector, select_one};
use crate::keyphrases::StoredKeyphrases;
use crate::library::{CollectionSettings, Library, context_of, load_versions, state_of};
use relink_engine::{PageReader, PageReaderSettings};
use relink_repair::{DeadPage, Revival, ReviveObserver, ReviveSettings, revive};
use relink_requests::{Ports, StopSignal};

/// Maximum number of search results whose pages are fetched.
const MAX_FETCHED: usize = 8;

/// Maximum number of candidates.
const MAX_CANDIDATES: usize = 10;

/// Minimum share of common text for a page to count as a copy.
const MIN_COPY_SHARE: f64 = 0.9;

/// The member to replace.
#[derive(Debug, Clone, Copy)]
pub struct SuggestRequest<'r> {
    /// The name of the collection.
    pub collection: &'r str,
    /// The member.
    pub member: &'r MemberSelector,
    /// Permissions of requests to the member itself.
    pub rights: RequestRights,
    /// Limits of the search for copies of the page.
    pub identical: PlanLimits,
    /// Limits of the search for similar pages.
    pub similar: PlanLimits,
    /// The influence of each attribute on the similarity of two pages.
    pub weights: SimilarityWeights,
    /// Number of linked pages per page that are fetched for their titles, if they are
    /// not stored.
    pub linked_pages: usize,
}

/// Finds candidates for a member.
pub async fn suggest_replacements(
    ports: &Ports,
    store: &dyn CollectionStore,
    request: &SuggestRequest<'_>,
    settings: &ReviveSettings,
    stop: &StopSignal,
) -> Result<WatchSuggestions, WatchError> {
    let library = Library::load_tree(store, request.collection).await?;
    let member = select_one(&library, request.collection, request.member)?.clone();
    let mut search = Search::load(ports, store, settings, &library, member, request).await?;
    let mut found = WatchSuggestions::new(&search.member.url, &search.member.title);
    if search.needs_replacement {
        search.revive(request.rights, stop, &mut found).await?;
    }
    search.search_web(request, stop, &mut found).await?;
    found.candidates.truncate(MAX_CANDIDATES);
    Ok(found)
}

/// The accepted version of the member.
struct AcceptedVersion {
    /// The blocks and links of the page; `None` if they cannot be read.
    signature: Option<Signature>,
    /// The weighted words of the page.
    terms: TermVector,
    keyphrases: StoredKeyphrases,
    /// The attributes by which candidates are compared.
    profile: PageAttributes,
}

impl AcceptedVersion {
    /// Reads the accepted version of the page at `url`.
    async fn load(
        reader: &mut CandidateReader<'_>,
        url: &str,
        version: &StoredVersion,
    ) -> Result<Self, WatchError> {
        let signature: Option<Signature> = serde_json::from_str(&version.signature).ok();
        let terms = terms_of(version);
        let profile = match (Url::parse(url), &signature) {
            (Ok(url), Some(signature)) => reader.profile(&url, signature, &terms).await?,
            _ => PageAttributes { terms: terms.clone(), ..PageAttributes::default() },
        };
        let keyphrases = StoredKeyphrases::parse(&version.keyphrases);
        Ok(Self { signature, terms, keyphrases, profile })
    }
}

/// A search for candidates.
struct Search<'s> {
    ports: &'s Ports,
    settings: &'s ReviveSettings,
    reader: CandidateReader<'s>,
    weights: SimilarityWeights,
    member: StoredMember,
    /// Whether the member is gone, rejected or removed.
    needs_replacement: bool,
    accepted: Option<AcceptedVersion>,
    /// The list of the member, without the member. Each candidate is judged as if it were
    /// the new version of a member of this list.
    list: ReviewedList,
    /// The URLs of the collection.
    members: HashSet<String>,
}

impl<'s> Search<'s> {
    /// Loads the member, its accepted version, and the list to which it belongs.
    async fn load(
        ports: &'s Ports,
        store: &dyn CollectionStore,
        settings: &'s ReviveSettings,
        library: &Library,
        member: StoredMember,
        request: &SuggestRequest<'_>,
    ) -> Result<Self, WatchError> {
        let pages = library.pages(store).await?;
        let verdict = pages.get(&member.url).and_then(|page| page.verdict);
        let needs_replacement = state_of(&member) != MemberState::Active
            || Availability::from_verdict(verdict) == Availability::Permanent;
        let others =
            library.members(member.collection).iter().filter(|other| other.id != member.id);
        let others: Vec<&StoredMember> = others.collect();
        let mut ids: Vec<_> = others.iter().filter_map(|other| other.reference).collect();
        ids.extend(member.reference);
        let versions = load_versions(store, ids).await?;
        let mut reader = candidate_reader(ports, settings, request.linked_pages);
        let accepted = match member.reference.and_then(|id| versions.get(&id)) {
            Some(version) => Some(AcceptedVersion::load(&mut reader, &member.url, version).await?),
            None => None,
        };
        let collection = library.collections.iter().find(|list| list.id == member.collection);
        Ok(Self {
            ports,
            settings,
            reader,
            weights: request.weights,
            member,
            needs_replacement,
            accepted,
            list: reviewed_list(collection, &others, &versions),
            members: library.numbered().map(|(_, _, member)| member.url.clone()).collect(),
        })
    }

    /// Searches for the new URL, the archived copy and copies on other sites.
    async fn revive(
        &mut self,
        rights: RequestRights,
        stop: &StopSignal,
        found: &mut WatchSuggestions,
    ) -> Result<(), WatchError> {
        let Ok(url) = Url::parse(&self.member.url) else { return Ok(()) };
        let stored = self.ports.store.dead_target(&self.member.url).await?;
        let page = DeadPage { url, stored, rights };
        let mut observer = RevivalCollector(Vec::new());
        revive(self.ports, self.settings, vec![page], &mut observer, stop).await?;
        for revival in observer.0 {
            found.warnings.extend(revival.warnings.iter().cloned());
            self.add_revival(&revival, found).await?;
        }
        Ok(())
    }

    /// Adds the results of the search for the new URL of the page.
    async fn add_revival(
        &mut self,
        revival: &Revival,
        found: &mut WatchSuggestions,
    ) -> Result<(), WatchError> {
        if let Some(alias) = &revival.alias {
            let page = self.reader.read(alias.url.as_str()).await?;
            let reason = format!("new URL of the page, confidence {}", alias.confidence);
            let url = alias.url.to_string();
            found.add(self.described(CandidateKind::Alias, url, reason, page.as_ref()));
        }
        if let Some(archived) = &revival.archived {
            let reason = format!("archived copy of {}", archived.captured_at.strftime("%Y-%m-%d"));
            let url = archived.replay_url.to_string();
            found.add(self.described(CandidateKind::Archived, url, reason, None));
        }
        for replacement in &revival.replacements {
            let url = replacement.url.as_str();
            let page = self.reader.read(url).await?;
            let kind = if replacement.similarity.is_mirror() {
                CandidateKind::Copy
            } else {
                CandidateKind::Similar
            };
            let reason = replacement.reason.clone();
            found.add(self.described(kind, url.to_owned(), reason, page.as_ref()));
        }
        Ok(())
    }

    /// Returns a candidate. If the page was fetched, it is compared with the accepted version
    /// and judged in the context of the collection.
    fn described(
        &self,
        kind: CandidateKind,
        url: String,
        reason: String,
        page: Option<&CandidatePage>,
    ) -> WatchCandidate {
        let accepted = self.accepted.as_ref().zip(page);
        let similarity = accepted
            .map(|(accepted, page)| accepted.profile.similarity(&page.profile, &self.weights));
        let context = page.and_then(|page| self.judge(&page.version));
        WatchCandidate { kind, url, reason, context, similarity }
    }

    /// Searches for copies and similar pages by the stored keyphrases.
    async fn search_web(
        &mut self,
        request: &SuggestRequest<'_>,
        stop: &StopSignal,
        found: &mut WatchSuggestions,
    ) -> Result<(), WatchError> {
        let Some(accepted) = &self.accepted else { return Ok(()) };
        // For a page that needs no replacement, only similar pages are searched.
        let goals =
            [(SearchGoal::Identical, request.identical), (SearchGoal::Similar, request.similar)]
                .into_iter()
                .filter(|(goal, _)| self.needs_replacement || *goal == SearchGoal::Similar);
        let phrases = accepted.keyphrases.phrases();
        for engine in &self.ports.search_engines {
            found.engines.push(engine.name().to_owned());
            found.warnings.extend(accepted.keyphrases.engine_warning(engine.name()));
        }
        // URLs, each with the name of the engine that found it.
        let mut urls: Vec<(String, String)> = Vec::new();
        for (goal, limits) in goals {
            for engine in &self.ports.search_engines {
                if stop.is_stopped() {
                    return Ok(());
                }
                let plan = QueryPlan::with_limits(goal, &phrases, None, limits);
                self.run_plan(&**engine, plan, &mut urls, found).await;
            }
        }
        let mut unread = Vec::new();
        for (url, engine) in urls.into_iter().take(MAX_FETCHED) {
            let Some(page) = self.reader.read(&url).await? else {
                unread.push(url);
                continue;
            };
            if let Some(candidate) = self.candidate(&url, &engine, &page) {
                found.add(candidate);
            }
        }
        if let Some(first) = unread.first() {
            let count = counted(unread.len() as u64, "page");
            found.warnings.push(format!("{count} found but not readable, for example {first}"));
        }
        Ok(())
    }

    /// Sends the queries of a plan, and adds new URLs with the name of the engine.
    async fn run_plan(
        &self,
        engine: &dyn SearchEngine,
        mut plan: QueryPlan,
        urls: &mut Vec<(String, String)>,
        found: &mut WatchSuggestions,
    ) {
        while let Some(query) = plan.query().cloned() {
            let response = match engine.search(&query).await {
                Ok(response) => response,
                Err(error) => {
                    found.warnings.push(error.to_string());
                    return;
                }
            };
            plan.record_result_count(response.estimated_total());
            for hit in response.hits {
                let url = hit.url.to_string();
                let is_new = urls.iter().all(|(known, _)| *known != url)
                    && !self.members.contains(&url)
                    && found.candidates.iter().all(|candidate| candidate.url != url);
                if is_new {
                    urls.push((url, engine.name().to_owned()));
                }
            }
        }
    }

    /// Classifies a page that a search engine found as a copy or a similar page.
    fn candidate(&self, url: &str, engine: &str, page: &CandidatePage) -> Option<WatchCandidate> {
        let old = self.accepted.as_ref()?.signature.as_ref()?;
        let change = compare(old, page.version.signature.as_ref()?, &VolatileParts::default());
        let share = 1.0 - change.content;
        let is_copy = share >= MIN_COPY_SHARE;
        if is_copy && !self.needs_replacement {
            // A copy of a healthy page adds nothing.
            return None;
        }
        let reason = if is_copy {
            format!("{:.0} % of the text in common, found by {engine}", share * 100.0)
        } else {
            format!("found by {engine}")
        };
        let kind = if is_copy { CandidateKind::Copy } else { CandidateKind::Similar };
        Some(self.described(kind, url.to_owned(), reason, Some(page)))
    }

    /// Judges a page as if it were the new version of the member.
    fn judge(&self, page: &VersionSummary) -> Option<ContextJudgment> {
        let accepted = self.accepted.as_ref()?;
        let accepted =
            VersionSummary { signature: accepted.signature.clone(), terms: accepted.terms.clone() };
        judge_candidate(&self.list, &accepted, page)
    }
}

/// Returns the weighted words of a stored version; none if they cannot be read.
fn terms_of(version: &StoredVersion) -> TermVector {
    serde_json::from_str(&version.terms).unwrap_or_default()
}

/// Returns a list with these members and their accepted versions.
fn reviewed_list(
    collection: Option<&StoredCollection>,
    members: &[&StoredMember],
    versions: &HashMap<VersionId, StoredVersion>,
) -> ReviewedList {
    let members = members.iter().map(|member| {
        let version = member.reference.and_then(|id| versions.get(&id));
        let terms = version.map(terms_of).unwrap_or_default();
        ReviewMember {
            availability: Availability::Available,
            annotation: member.annotation.clone(),
            reference: Some(VersionSummary { signature: None, terms }),
            ..ReviewMember::default()
        }
    });
    ReviewedList {
        context: collection.map(context_of).unwrap_or_default(),
        description: collection.map(|list| list.description.clone()).unwrap_or_default(),
        angle: collection
            .map(|list| CollectionSettings::parse(&list.settings).angle)
            .unwrap_or_default()
            .settings(),
        members: members.collect(),
        ..ReviewedList::default()
    }
}

/// Returns a reader of candidates with the limits of the search for a new URL.
fn candidate_reader<'s>(
    ports: &'s Ports,
    settings: &'s ReviveSettings,
    linked_pages: usize,
) -> CandidateReader<'s> {
    let settings = PageReaderSettings {
        politeness: settings.politeness,
        max_host_wait: settings.max_host_wait,
        policy: settings.policy,
    };
    CandidateReader::new(ports, PageReader::new(ports, settings), linked_pages)
}

/// Collects the results of a revival.
struct RevivalCollector(Vec<Revival>);

impl ReviveObserver for RevivalCollector {
    fn on_progress(&mut self, _done: usize, _all: usize, _directory: &str) {}

    fn on_revival(&mut self, revival: &Revival) -> std::io::Result<()> {
        self.0.push(revival.clone());
        Ok(())
    }
}
