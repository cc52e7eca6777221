//! Reads collections with their members and pages.
//!
//! A collection `a/b` is nested in the collection `a`. "The paper" is the paper on Walden's
//! Paths (Dalal et al. 2004). It classifies changes by the *angle* between the words of a page
//! and its *context* (the other pages of the collection). A person decides on changes in a
//! *middle band* of angles.

use std::collections::HashMap;

use relink_change::AngleSettings;
use relink_collection::{ContextKind, MemberState};
use relink_keyphrase::{KeyphraseSettings, english_nouns};
use relink_ports::{
    CollectionId, CollectionStore, StoredCollection, StoredMember, VersionId, WatchedPage,
};
use serde::{Deserialize, Serialize};

use crate::error::{WatchError, to_json};

/// Number of URLs or ids read from the store at a time.
const CHUNK_SIZE: usize = 500;

/// Settings of a collection that are not columns of the store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct CollectionSettings {
    /// Whether the text of each version is stored.
    pub(crate) keeps_text: bool,
    /// Whether changes outside the middle band are accepted and rejected without a
    /// person.
    pub(crate) is_automatic: bool,
    /// The settings of the paper's angle.
    pub(crate) angle: AngleOptions,
    /// The forms of keyphrases.
    pub(crate) phrases: PhraseOptions,
}

/// The forms of keyphrases; `None` is the default of [`KeyphraseSettings`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PhraseOptions {
    /// Maximum number of adjectives before the nouns.
    pub adjectives: Option<usize>,
    /// Whether a verb may precede the nouns.
    pub verbs: Option<bool>,
}

impl PhraseOptions {
    /// Returns these options; options that are not set have the value of `lower`.
    pub(crate) fn over(self, lower: Self) -> Self {
        let Self { adjectives, verbs } = self;
        Self { adjectives: adjectives.or(lower.adjectives), verbs: verbs.or(lower.verbs) }
    }

    /// Returns the settings of the extraction.
    pub(crate) fn settings(self) -> KeyphraseSettings {
        let default = KeyphraseSettings::default();
        KeyphraseSettings {
            max_modifiers: self.adjectives.unwrap_or(default.max_modifiers),
            allows_verbs: self.verbs.unwrap_or(default.allows_verbs),
            ..default
        }
    }
}

/// Settings of the paper's angle; `None` is the default of [`AngleSettings`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AngleOptions {
    /// Minimum movement toward the context, in degrees.
    pub toward: Option<f64>,
    /// Minimum movement away from the context, in degrees.
    pub away: Option<f64>,
    /// The constant that is added to the logarithm of a count.
    pub scaling: Option<f64>,
    /// The factor of nouns.
    pub noun_factor: Option<f64>,
}

impl AngleOptions {
    /// Returns these options; options that are not set have the value of `lower`.
    pub(crate) fn over(self, lower: Self) -> Self {
        Self {
            toward: self.toward.or(lower.toward),
            away: self.away.or(lower.away),
            scaling: self.scaling.or(lower.scaling),
            noun_factor: self.noun_factor.or(lower.noun_factor),
        }
    }

    /// Returns the settings of the measure.
    pub(crate) fn settings(self) -> AngleSettings {
        let default = AngleSettings::default();
        AngleSettings {
            toward: self.toward.unwrap_or(default.toward),
            away: self.away.unwrap_or(default.away),
            scaling: self.scaling.unwrap_or(default.scaling),
            noun_factor: self.noun_factor.unwrap_or(default.noun_factor),
            nouns: english_nouns(),
        }
    }
}

impl CollectionSettings {
    /// Reads stored settings. Settings that cannot be read are the defaults.
    pub(crate) fn parse(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    pub(crate) fn to_text(self) -> Result<String, WatchError> {
        to_json(&self)
    }
}

/// Collections with their members.
pub(crate) struct Library {
    pub(crate) collections: Vec<StoredCollection>,
    members: HashMap<CollectionId, Vec<StoredMember>>,
}

impl Library {
    /// Loads all collections.
    pub(crate) async fn load(store: &dyn CollectionStore) -> Result<Self, WatchError> {
        Self::load_some(store, store.collections().await?).await
    }

    /// Loads the collection with this name and its nested collections.
    pub(crate) async fn load_tree(
        store: &dyn CollectionStore,
        name: &str,
    ) -> Result<Self, WatchError> {
        let all = store.collections().await?;
        let is_root = |list: &&StoredCollection| !list.name.contains('/');
        let known: Vec<String> = all.iter().filter(is_root).map(|list| list.name.clone()).collect();
        let tree: Vec<StoredCollection> =
            all.into_iter().filter(|list| is_in_tree(&list.name, name)).collect();
        if tree.is_empty() {
            return Err(WatchError::UnknownCollection { name: name.to_owned(), known });
        }
        Self::load_some(store, tree).await
    }

    /// Loads the members of these collections.
    async fn load_some(
        store: &dyn CollectionStore,
        collections: Vec<StoredCollection>,
    ) -> Result<Self, WatchError> {
        let ids: Vec<CollectionId> = collections.iter().map(|list| list.id).collect();
        let mut members: HashMap<CollectionId, Vec<StoredMember>> = HashMap::new();
        for member in store.members(&ids).await? {
            members.entry(member.collection).or_default().push(member);
        }
        Ok(Self { collections, members })
    }

    /// Returns the ids of the collections.
    pub(crate) fn ids(&self) -> Vec<CollectionId> {
        self.collections.iter().map(|list| list.id).collect()
    }

    /// Returns the members of a collection, in order.
    pub(crate) fn members(&self, collection: CollectionId) -> &[StoredMember] {
        self.members.get(&collection).map(Vec::as_slice).unwrap_or_default()
    }

    /// Iterates over the members of all collections, in any order.
    pub(crate) fn members_mut(&mut self) -> impl Iterator<Item = &mut StoredMember> {
        self.members.values_mut().flatten()
    }

    /// Returns the members of all collections with the numbers that the user sees. A removed
    /// member (a gap) has a number until the user closes the gap.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (u32, &StoredCollection, &StoredMember)> {
        let all = self
            .collections
            .iter()
            .flat_map(|list| self.members(list.id).iter().map(move |member| (list, member)));
        let shown = all.filter(|(_, member)| state_of(member) != MemberState::Closed);
        (1..).zip(shown).map(|(number, (collection, member))| (number, collection, member))
    }

    /// Loads the pages of all members, by URL.
    pub(crate) async fn pages(
        &self,
        store: &dyn CollectionStore,
    ) -> Result<HashMap<String, WatchedPage>, WatchError> {
        let mut urls: Vec<String> =
            self.members.values().flatten().map(|member| member.url.clone()).collect();
        urls.sort_unstable();
        urls.dedup();
        let mut pages = HashMap::with_capacity(urls.len());
        for chunk in urls.chunks(CHUNK_SIZE) {
            let loaded = store.watched_pages(chunk).await?;
            pages.extend(loaded.into_iter().map(|page| (page.url.clone(), page)));
        }
        Ok(pages)
    }
}

/// Loads versions by id.
pub(crate) async fn load_versions(
    store: &dyn CollectionStore,
    mut ids: Vec<VersionId>,
) -> Result<HashMap<VersionId, relink_ports::StoredVersion>, WatchError> {
    ids.sort_unstable();
    ids.dedup();
    let mut versions = HashMap::with_capacity(ids.len());
    for chunk in ids.chunks(CHUNK_SIZE) {
        let loaded = store.versions(chunk).await?;
        versions.extend(loaded.into_iter().map(|version| (version.id, version)));
    }
    Ok(versions)
}

/// Whether a collection is `root` or nested in it.
pub(crate) fn is_in_tree(name: &str, root: &str) -> bool {
    name.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the state of a member; active if the stored state is unknown.
pub(crate) fn state_of(member: &StoredMember) -> MemberState {
    let states =
        [MemberState::Active, MemberState::Rejected, MemberState::Gap, MemberState::Closed];
    states.into_iter().find(|state| state.as_str() == member.state).unwrap_or_default()
}

/// Returns the context of a collection.
pub(crate) fn context_of(collection: &StoredCollection) -> ContextKind {
    collection.context.parse().unwrap_or_default()
}
