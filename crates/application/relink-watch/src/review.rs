//! Reports on collections: their members, changes and next steps.
//!
//! A *list* is a collection without its nested collections. The *accepted version* of a member is
//! the content that the user accepted last; the *latest version* is the newest content that
//! was seen. The *context* is what a member is compared with to judge whether it still fits
//! its collection.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use relink_change::{Change, Signature, TermVector};
use relink_collection::{
    Availability, ComparedRow, ComparedText, ContextJudgment, MemberReview, MemberState,
    ReviewMember, ReviewedList, VersionSummary, review, side_by_side,
};
use relink_model::{FindingCode, Verdict};
use relink_ports::{
    CollectionStore, StoredCollection, StoredMember, StoredVersion, VersionId, WatchedPage,
};
use relink_report::watch::{WatchChange, WatchList, WatchMember, WatchReport};

use crate::WatchError;
use crate::dated_versions::{DatedVersions, ReviewPeriod};
use crate::keyphrases::StoredKeyphrases;
use crate::library::{CollectionSettings, Library, context_of, load_versions, state_of};
use crate::topic_warnings::{topic_samples, topic_warnings};
use relink_repair::Revival;
use relink_requests::Ports;

/// Maximum number of members of a list whose terms are loaded for the context.
const MAX_CONTEXT: usize = 100;

/// Maximum number of other lists whose terms are loaded.
const MAX_OTHER_LISTS: usize = 12;

/// Maximum number of members whose page titles and keyphrases are loaded.
const MAX_DETAILS: usize = 500;

/// Maximum number of keyphrases of a member in a report.
const MAX_KEYPHRASES: usize = 8;

/// Whether the latest version of a page is not the accepted version.
pub(crate) fn is_other_version(member: &StoredMember, page: &WatchedPage) -> bool {
    member.reference.is_some() && page.latest != member.reference
}

/// Returns the members of a collection with their changes and next steps. `command` is the
/// name of the command in the report.
pub async fn review_collection(
    ports: &Ports,
    store: &dyn CollectionStore,
    name: &str,
    command: &'static str,
) -> Result<WatchReport, WatchError> {
    review_between(ports, store, name, command, None).await
}

/// Returns the members of a collection with their changes. With a period, the versions
/// at its start and end are compared instead of the accepted and the latest version, and no
/// next steps are proposed.
pub async fn review_between(
    ports: &Ports,
    store: &dyn CollectionStore,
    name: &str,
    command: &'static str,
    period: Option<ReviewPeriod>,
) -> Result<WatchReport, WatchError> {
    let mut shown = Library::load_tree(store, name).await?;
    let mut all = Library::load(store).await?;
    let mut pages = all.pages(store).await?;
    if let Some(period) = period {
        let dated = DatedVersions::load(store, &shown, period).await?;
        dated.apply(&mut shown, &mut all, &mut pages);
    }
    let mut loaded = LoadedReview::load(store, &shown, &all, pages, ports.now()).await?;
    loaded.archived = archived_copies(ports, &shown, &loaded.pages).await?;
    let lists: Vec<ReviewedList> =
        loaded.lists.iter().map(|list| loaded.reviewed_list(&all, list)).collect();
    let reviews = review(&lists);
    let reviews_by_list: HashMap<&str, Vec<MemberReview>> =
        loaded.lists.iter().map(|list| list.name.as_str()).zip(reviews).collect();
    let mut report: Vec<WatchList> = shown.collections.iter().map(empty_list).collect();
    for (number, collection, member) in shown.numbered() {
        let index = all.members(collection.id).iter().position(|other| other.id == member.id);
        let reviews = reviews_by_list.get(collection.name.as_str());
        let reviewed = index.and_then(|index| reviews?.get(index));
        let mut row = loaded.row(number, member, reviewed);
        if period.is_some() {
            row.next_step = None;
        }
        if let Some(list) = report.iter_mut().find(|list| list.name == collection.name) {
            list.members.push(row);
        }
    }
    let warnings = topic_warnings(&topic_samples(&shown), &loaded.versions);
    Ok(WatchReport::new(command, name.to_owned(), ports.now(), report, warnings))
}

/// Returns a list of the report without its members.
fn empty_list(collection: &StoredCollection) -> WatchList {
    WatchList {
        name: collection.name.clone(),
        title: collection.title.clone(),
        description: collection.description.clone(),
        tags: collection.tags.clone(),
        context: context_of(collection),
        members: Vec::new(),
    }
}

/// The pages and versions that a review needs.
struct LoadedReview {
    pages: HashMap<String, WatchedPage>,
    versions: HashMap<VersionId, StoredVersion>,
    /// The lists of the review: first the lists that are shown, then other lists with which
    /// changed members are compared.
    lists: Vec<StoredCollection>,
    now: Timestamp,
    /// URLs of archived copies, by the URLs of pages that are gone.
    archived: HashMap<String, String>,
}

impl LoadedReview {
    async fn load(
        store: &dyn CollectionStore,
        shown: &Library,
        all: &Library,
        pages: HashMap<String, WatchedPage>,
        now: Timestamp,
    ) -> Result<Self, WatchError> {
        let shown_names: HashSet<&str> =
            shown.collections.iter().map(|list| list.name.as_str()).collect();
        let others =
            all.collections.iter().filter(|list| !shown_names.contains(list.name.as_str()));
        let lists: Vec<StoredCollection> =
            shown.collections.iter().chain(others.take(MAX_OTHER_LISTS)).cloned().collect();
        let (versions, archived) = (HashMap::new(), HashMap::new());
        let mut review = Self { pages, versions, lists, now, archived };
        let mut ids = review.changed_versions(shown);
        // Only changed members are compared with their context.
        if !ids.is_empty() {
            ids.extend(review.context_versions(all));
        }
        let details = shown.numbered().filter_map(|(_, _, member)| member.reference);
        ids.extend(details.take(MAX_DETAILS));
        ids.extend(topic_samples(shown).into_iter().flat_map(|sample| sample.references));
        review.versions = load_versions(store, ids).await?;
        Ok(review)
    }

    /// Returns the accepted and the latest versions of changed members.
    fn changed_versions(&self, shown: &Library) -> Vec<VersionId> {
        let mut ids = Vec::new();
        for (_, _, member) in shown.numbered() {
            let Some(page) = self.pages.get(&member.url) else { continue };
            if is_other_version(member, page) {
                ids.extend(member.reference.into_iter().chain(page.latest));
            }
        }
        ids
    }

    /// Returns the accepted versions of a sample of each list.
    fn context_versions(&self, all: &Library) -> Vec<VersionId> {
        let mut ids = Vec::new();
        for list in &self.lists {
            let references = all.members(list.id).iter().filter_map(|member| member.reference);
            let references: Vec<VersionId> = references.collect();
            let step = references.len().div_ceil(MAX_CONTEXT).max(1);
            ids.extend(references.into_iter().step_by(step));
        }
        ids
    }

    /// Returns a list with its members for the review.
    fn reviewed_list(&self, all: &Library, list: &StoredCollection) -> ReviewedList {
        let members = all.members(list.id).iter().map(|member| self.review_member(member));
        let mut description = format!("{}. {}", list.title, list.description);
        for tag in &list.tags {
            description.push(' ');
            description.push_str(tag);
        }
        ReviewedList {
            // `a/b` is nested in the collection `a`.
            root: list.name.split('/').next().unwrap_or_default().to_owned(),
            context: context_of(list),
            description,
            angle: CollectionSettings::parse(&list.settings).angle.settings(),
            members: members.collect(),
        }
    }

    /// Returns a member with its versions for the review.
    fn review_member(&self, member: &StoredMember) -> ReviewMember {
        let page = self.pages.get(&member.url);
        let latest =
            page.filter(|page| is_other_version(member, page)).and_then(|page| page.latest);
        let is_changed = latest.is_some();
        ReviewMember {
            state: state_of(member),
            availability: page
                .map_or(Availability::Unchecked, |page| Availability::from_verdict(page.verdict)),
            annotation: member.annotation.clone(),
            reference: member.reference.map(|id| self.version(id, is_changed)),
            latest: latest.map(|id| self.version(id, true)),
            volatile: page
                .and_then(|page| serde_json::from_str(page.volatile.as_deref()?).ok())
                .unwrap_or_default(),
            is_muted: self.is_muted(member),
        }
    }

    /// Whether the user hides the changes of a member at this time.
    fn is_muted(&self, member: &StoredMember) -> bool {
        member.muted_until.is_some_and(|until| until > self.now)
    }

    /// Returns a version. A version that was not loaded has no words. The signature (the
    /// blocks of the text) is read only if it is needed, because it is large.
    fn version(&self, id: VersionId, with_signature: bool) -> VersionSummary {
        let Some(stored) = self.versions.get(&id) else {
            return VersionSummary { signature: None, terms: TermVector::default() };
        };
        let signature = with_signature.then(|| serde_json::from_str(&stored.signature).ok());
        VersionSummary {
            signature: signature.flatten(),
            terms: serde_json::from_str(&stored.terms).unwrap_or_default(),
        }
    }

    /// Returns the row of a member in the report.
    fn row(
        &self,
        number: u32,
        member: &StoredMember,
        reviewed: Option<&MemberReview>,
    ) -> WatchMember {
        let page = self.pages.get(&member.url);
        let reference = member.reference.and_then(|id| self.versions.get(&id));
        let latest = page.and_then(|page| self.versions.get(&page.latest?));
        let title = if member.title.is_empty() {
            reference.map(|version| version.title.clone()).unwrap_or_default()
        } else {
            member.title.clone()
        };
        let context = reviewed.and_then(|review| review.context);
        let (verdict, code) = reported_verdict(page, context.as_ref());
        WatchMember {
            number,
            url: member.url.clone(),
            title,
            annotation: member.annotation.clone(),
            tags: member.tags.clone(),
            state: state_of(member),
            replaced_url: member.replaced_url.clone(),
            muted_until: member.muted_until.filter(|_| self.is_muted(member)),
            user_reason: member.reason.clone(),
            availability: Availability::from_verdict(page.and_then(|page| page.verdict)),
            verdict,
            code,
            reason: page.map(|page| page.reason.clone()).unwrap_or_default(),
            since: page.and_then(|page| page.since),
            checked_at: page.and_then(|page| page.checked_at),
            next_at: page.map(|page| page.next_at),
            accepted_at: reference.map(|version| version.seen_at),
            latest_at: latest.map(|version| version.seen_at),
            change: reviewed.and_then(|review| review.change.as_ref()).map(WatchChange::from),
            is_markup_changed: reviewed.is_some_and(|review| review.change.is_none())
                && has_other_checksum(page, reference),
            context,
            next_step: reviewed.map(|review| review.next_step),
            bytes: page.and_then(|page| page.latest_bytes),
            keyphrases: reference.map(keyphrases_of).unwrap_or_default(),
            archived_url: self.archived.get(&member.url).cloned(),
            comparison: reviewed
                .and_then(|review| comparison(reference?, latest?, review.change.as_ref()?))
                .unwrap_or_default(),
        }
    }
}

/// Returns the verdict and code of a page. A page that is available but left the topic of
/// its collection is drifted (RL303).
fn reported_verdict(
    page: Option<&WatchedPage>,
    context: Option<&ContextJudgment>,
) -> (Option<Verdict>, Option<FindingCode>) {
    let Some(page) = page else { return (None, None) };
    let has_left_topic = context.is_some_and(ContextJudgment::has_left_topic);
    let is_available = Availability::from_verdict(page.verdict) == Availability::Available;
    if has_left_topic && is_available {
        return (Some(Verdict::Drifted), Some(relink_judge::codes::DRIFTED));
    }
    (page.verdict, page.code)
}

/// Whether the last fetch of a page had other bytes than a version.
fn has_other_checksum(page: Option<&WatchedPage>, version: Option<&StoredVersion>) -> bool {
    let known = |version: &StoredVersion| {
        serde_json::from_str::<SignatureChecksum>(&version.signature).ok()
    };
    let version = version.and_then(known).map(|signature| signature.checksum);
    let last = page.and_then(|page| page.checksum);
    version.is_some() && last.is_some() && version != last
}

/// The checksum of a stored signature. Parsing only the checksum is faster than parsing the
/// whole signature.
#[derive(serde::Deserialize)]
struct SignatureChecksum {
    checksum: u64,
}

/// Compares the accepted and the latest version block by block.
fn comparison(
    old: &StoredVersion,
    new: &StoredVersion,
    change: &Change,
) -> Option<Vec<ComparedRow>> {
    let old_signature: Signature = serde_json::from_str(&old.signature).ok()?;
    let new_signature: Signature = serde_json::from_str(&new.signature).ok()?;
    let old = ComparedText { signature: &old_signature, text: old.text.as_deref() };
    let new = ComparedText { signature: &new_signature, text: new.text.as_deref() };
    Some(side_by_side(old, new, change))
}

/// Returns the archived copies of pages that are gone, from earlier searches.
async fn archived_copies(
    ports: &Ports,
    shown: &Library,
    pages: &HashMap<String, WatchedPage>,
) -> Result<HashMap<String, String>, WatchError> {
    let mut archived = HashMap::new();
    for (_, _, member) in shown.numbered() {
        let verdict = pages.get(&member.url).and_then(|page| page.verdict);
        let is_gone = Availability::from_verdict(verdict) == Availability::Permanent;
        if !is_gone && state_of(member) == MemberState::Active {
            continue;
        }
        let stored = ports.store.revival(&member.url).await?;
        let revival =
            stored.and_then(|stored| serde_json::from_str::<Revival>(&stored.report).ok());
        if let Some(copy) = revival.and_then(|revival| revival.archived) {
            archived.insert(member.url.clone(), copy.replay_url.to_string());
        }
    }
    Ok(archived)
}

/// Returns the first keyphrases of a version.
fn keyphrases_of(version: &StoredVersion) -> Vec<String> {
    let stored = StoredKeyphrases::parse(&version.keyphrases);
    stored.similar.into_iter().map(|phrase| phrase.text).take(MAX_KEYPHRASES).collect()
}
