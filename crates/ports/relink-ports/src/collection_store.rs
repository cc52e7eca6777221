//! Storage of collections, their members, and the versions of watched pages.
//!
//! A *collection* is a set of pages that belong together, such as a reading list.
//! A *member* is a page in a collection. A *version* is the content of a page
//! between two confirmed changes. A page is stored once, even if it is a member
//! of several collections. Each member refers to the version that the curator of
//! its collection has accepted.
//!
//! A signature is a summary of a version, from which changes are computed. Signatures,
//! term vectors (weights of words) and keyphrases are stored as JSON texts, which the
//! store does not parse.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{FindingCode, Verdict};

use crate::StoreError;

/// The id of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectionId(pub i64);

/// The id of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(pub i64);

/// The id of a version of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionId(pub i64);

/// A stored collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCollection {
    /// The id; 0 for a new collection.
    pub id: CollectionId,
    /// The unique name; nested collections have names such as `reading/Owls`.
    pub name: String,
    /// The position among the collections of the same file.
    pub position: u32,
    /// The title.
    pub title: String,
    /// The description.
    pub description: String,
    /// The tags.
    pub tags: Vec<String>,
    /// The name of the context: what the pages of the collection have in common, such as
    /// a topic.
    pub context: String,
    /// The file of the last import.
    pub source: Option<String>,
    /// Further settings as JSON.
    pub settings: String,
    /// The time of the first import.
    pub created_at: Timestamp,
    /// The time of the last import or edit.
    pub updated_at: Timestamp,
}

/// A stored member of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMember {
    /// The id; 0 for a new member.
    pub id: MemberId,
    /// The collection.
    pub collection: CollectionId,
    /// The position in the collection.
    pub position: u32,
    /// The canonical URL of the page.
    pub url: String,
    /// The URL as written in the file.
    pub original_url: String,
    /// The title that the curator gave the page.
    pub title: String,
    /// The annotation by the curator.
    pub annotation: String,
    /// The tags.
    pub tags: Vec<String>,
    /// The name of the state, such as `active`.
    pub state: String,
    /// The version that the curator accepted. Changes are differences from this version.
    pub reference: Option<VersionId>,
    /// Changes of the page are not reported before this time.
    pub muted_until: Option<Timestamp>,
    /// The reason why the member is muted or rejected.
    pub reason: String,
    /// The URL that this page replaced.
    pub replaced_url: Option<String>,
    /// The time when the member was added to the collection.
    pub added_at: Timestamp,
}

/// A collection with members to store.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectionUpdate {
    /// The collection, stored by its name.
    pub collection: StoredCollection,
    /// The members with new events of their histories. The field `collection` of
    /// a member is ignored.
    pub members: Vec<(StoredMember, Vec<MemberEvent>)>,
}

/// An event in the history of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberEvent {
    /// The time.
    pub at: Timestamp,
    /// The kind, such as `accepted`.
    pub kind: String,
    /// Details for users; empty if there are none.
    pub detail: String,
}

/// The state of a watched page.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchedPage {
    /// The canonical URL.
    pub url: String,
    /// The time of the next check.
    pub next_at: Timestamp,
    /// The time between checks in milliseconds.
    pub interval_ms: i64,
    /// The time of the last check.
    pub checked_at: Option<Timestamp>,
    /// The verdict of the last check.
    pub verdict: Option<Verdict>,
    /// The code of the last check.
    pub code: Option<FindingCode>,
    /// The reason of the verdict.
    pub reason: String,
    /// The time since which every check had this verdict.
    pub since: Option<Timestamp>,
    /// The latest version that a second fetch has confirmed.
    pub latest: Option<VersionId>,
    /// The size of the latest version in bytes. Not used when a page is saved.
    pub latest_bytes: Option<u64>,
    /// The checksum of the last body that was equal to the latest version. A body
    /// with this checksum needs no comparison.
    pub checksum: Option<u64>,
    /// A changed page that a second fetch has not confirmed yet, as JSON.
    pub candidate: Option<String>,
    /// The parts of the page that change with every fetch, as JSON.
    pub volatile: Option<String>,
}

/// A version of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVersion {
    /// The id; 0 for a new version.
    pub id: VersionId,
    /// The canonical URL of the page.
    pub url: String,
    /// The time when the version was first seen.
    pub seen_at: Timestamp,
    /// The title of the page.
    pub title: String,
    /// The size of the body in bytes.
    pub bytes: u64,
    /// The signature, from which changes are computed, as JSON.
    pub signature: String,
    /// The weights of the words of the version as JSON.
    pub terms: String,
    /// The keyphrases as JSON.
    pub keyphrases: String,
    /// The text, if the user stores it.
    pub text: Option<String>,
}

/// The result of a check of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageUpdate {
    /// The new state.
    pub page: WatchedPage,
    /// The new version, if the page has changed. The new version becomes the latest version
    /// of the page, and the accepted version of members without an accepted version.
    pub version: Option<StoredVersion>,
}

/// The storage of collections.
#[async_trait]
pub trait CollectionStore: Send + Sync {
    /// Returns all collections. Nested collections follow their outermost
    /// collection, in the order of their positions.
    async fn collections(&self) -> Result<Vec<StoredCollection>, StoreError>;

    /// Stores collections and members in one transaction. New pages of active
    /// members are due at once.
    async fn save_collections(&self, updates: &[CollectionUpdate]) -> Result<(), StoreError>;

    /// Deletes collections, their members, and pages without a member.
    async fn delete_collections(&self, collections: &[CollectionId]) -> Result<(), StoreError>;

    /// Returns the members of collections by collection and position.
    async fn members(&self, collections: &[CollectionId]) -> Result<Vec<StoredMember>, StoreError>;

    /// Updates members and appends an event to the history of each.
    async fn update_members(
        &self,
        updates: &[(StoredMember, MemberEvent)],
    ) -> Result<(), StoreError>;

    /// Returns the history of a member, oldest first.
    async fn member_events(&self, member: MemberId) -> Result<Vec<MemberEvent>, StoreError>;

    /// Makes the pages of active and rejected members due at `now`.
    async fn schedule_pages(
        &self,
        collections: &[CollectionId],
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns the URLs of pages of active and rejected members that are due, in URL order
    /// after `after`.
    async fn due_pages(
        &self,
        collections: &[CollectionId],
        now: Timestamp,
        after: &str,
        limit: usize,
    ) -> Result<Vec<String>, StoreError>;

    /// Returns the states of pages, in any order.
    async fn watched_pages(&self, urls: &[String]) -> Result<Vec<WatchedPage>, StoreError>;

    /// Stores the results of checks in one transaction.
    async fn save_watched_pages(&self, updates: &[PageUpdate]) -> Result<(), StoreError>;

    /// Returns versions, in any order.
    async fn versions(&self, ids: &[VersionId]) -> Result<Vec<StoredVersion>, StoreError>;

    /// Replaces the keyphrases of a version.
    async fn save_keyphrases(&self, version: VersionId, keyphrases: &str)
    -> Result<(), StoreError>;

    /// Returns the ids and times of the versions of a page, oldest first.
    async fn version_times(&self, url: &str) -> Result<Vec<(VersionId, Timestamp)>, StoreError>;
}
