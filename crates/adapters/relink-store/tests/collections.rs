//! Tests of collections in the SQLite store: their members (pages), watched pages and
//! versions.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use jiff::Timestamp;
use relink_model::Verdict;
use relink_ports::{
    CollectionId, CollectionStore as _, CollectionUpdate, MemberEvent, MemberId, PageUpdate,
    StoredCollection, StoredMember, StoredVersion, VersionId,
};
use relink_store::SqliteStore;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// Returns a new collection. A name such as `b/x` is a collection nested in `b`.
fn collection(name: &str, position: u32) -> StoredCollection {
    StoredCollection {
        id: CollectionId(0),
        name: name.to_owned(),
        position,
        title: name.to_owned(),
        description: "d".to_owned(),
        tags: vec!["t".to_owned()],
        context: "folder".to_owned(),
        source: Some("a.md".to_owned()),
        settings: "{}".to_owned(),
        created_at: NOW,
        updated_at: NOW,
    }
}

/// Returns a new active member.
fn member(url: &str, position: u32) -> StoredMember {
    StoredMember {
        id: MemberId(0),
        collection: CollectionId(0),
        position,
        url: url.to_owned(),
        original_url: url.to_owned(),
        title: "T".to_owned(),
        annotation: "A".to_owned(),
        tags: Vec::new(),
        state: "active".to_owned(),
        reference: None,
        muted_until: None,
        reason: String::new(),
        replaced_url: None,
        added_at: NOW,
    }
}

fn event(kind: &str) -> MemberEvent {
    MemberEvent { at: NOW, kind: kind.to_owned(), detail: String::new() }
}

/// Returns the update that adds a collection with members for these URLs.
fn update(name: &str, position: u32, urls: &[&str]) -> CollectionUpdate {
    let members =
        urls.iter().zip(0..).map(|(url, position)| (member(url, position), vec![event("added")]));
    CollectionUpdate { collection: collection(name, position), members: members.collect() }
}

/// Returns a new version whose signature has a password, which must not be stored.
fn version(url: &str) -> StoredVersion {
    StoredVersion {
        id: VersionId(0),
        url: url.to_owned(),
        seen_at: NOW,
        title: "T".to_owned(),
        bytes: 10,
        signature: r#"{"links":["http://ann:secret@a.test/"],"n":18446744073709551615}"#.to_owned(),
        terms: "{}".to_owned(),
        keyphrases: "{}".to_owned(),
        text: Some("text".to_owned()),
    }
}

async fn open() -> (tempfile::TempDir, SqliteStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&directory.path().join("relink.db")).await.unwrap();
    (directory, store)
}

#[tokio::test]
async fn save_collections_sorts_by_name_and_updates_existing_ones() {
    let (_directory, store) = open().await;
    let updates =
        [update("b", 0, &["http://a.test/1"]), update("a", 0, &[]), update("b/x", 1, &[])];
    store.save_collections(&updates).await.unwrap();
    let stored = store.collections().await.unwrap();
    let names: Vec<&str> = stored.iter().map(|collection| collection.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "b/x"]);
    let renamed = StoredCollection { title: "New".to_owned(), ..stored[1].clone() };
    let rename = CollectionUpdate { collection: renamed, members: Vec::new() };
    store.save_collections(&[rename]).await.unwrap();
    let after = store.collections().await.unwrap();
    assert_eq!((after[1].id, after[1].title.as_str()), (stored[1].id, "New"));
    assert_eq!(store.members(&[after[1].id]).await.unwrap().len(), 1);
}

#[tokio::test]
async fn page_is_due_until_its_result_is_saved() {
    let (_directory, store) = open().await;
    let urls = ["http://a.test/1", "http://a.test/2"];
    store.save_collections(&[update("a", 0, &urls), update("b", 0, &urls[..1])]).await.unwrap();
    let collections = store.collections().await.unwrap();
    let ids: Vec<CollectionId> = collections.iter().map(|collection| collection.id).collect();
    let due = store.due_pages(&ids, NOW, "", 10).await.unwrap();
    assert_eq!(due, urls, "a page in two collections is due once");
    assert_eq!(store.due_pages(&ids, NOW, urls[0], 10).await.unwrap(), urls[1..]);
    assert_eq!(store.due_pages(&ids[1..], NOW, "", 10).await.unwrap(), urls[..1]);

    let mut page = store.watched_pages(&[urls[0].to_owned()]).await.unwrap().remove(0);
    page.next_at = Timestamp::MAX;
    page.verdict = Some(Verdict::Alive);
    page.checksum = Some(u64::MAX);
    let page_update = PageUpdate { page, version: Some(version(urls[0])) };
    store.save_watched_pages(&[page_update]).await.unwrap();
    let page = store.watched_pages(&[urls[0].to_owned()]).await.unwrap().remove(0);
    assert_eq!((page.verdict, page.checksum), (Some(Verdict::Alive), Some(u64::MAX)));
    assert_eq!(store.due_pages(&ids, NOW, "", 10).await.unwrap(), urls[1..]);
    store.schedule_pages(&ids, NOW).await.unwrap();
    assert_eq!(store.due_pages(&ids, NOW, "", 10).await.unwrap(), urls);

    // The first version becomes the accepted version in all collections.
    for member in store.members(&ids).await.unwrap() {
        let accepted_version = if member.url == urls[0] { page.latest } else { None };
        assert_eq!(member.reference, accepted_version);
    }
    let stored = store.versions(&[page.latest.unwrap()]).await.unwrap().remove(0);
    assert!(!stored.signature.contains("secret"), "{}", stored.signature);
    // Redaction must not change large numbers.
    assert!(stored.signature.contains("18446744073709551615"));
    assert_eq!(store.version_times(urls[0]).await.unwrap().len(), 1);
}

#[tokio::test]
async fn removed_member_is_not_due_and_has_a_history() {
    let (_directory, store) = open().await;
    store.save_collections(&[update("a", 0, &["http://a.test/1"])]).await.unwrap();
    let ids: Vec<CollectionId> =
        store.collections().await.unwrap().iter().map(|collection| collection.id).collect();
    let member = store.members(&ids).await.unwrap().remove(0);
    let removed = StoredMember { state: "gap".to_owned(), ..member.clone() };
    store.update_members(&[(removed, event("removed"))]).await.unwrap();
    assert_eq!(store.due_pages(&ids, NOW, "", 10).await.unwrap(), Vec::<String>::new());
    let kinds: Vec<String> =
        store.member_events(member.id).await.unwrap().into_iter().map(|event| event.kind).collect();
    assert_eq!(kinds, ["added", "removed"]);
}

#[tokio::test]
async fn delete_collections_keeps_pages_of_other_collections() {
    let (_directory, store) = open().await;
    let urls = ["http://a.test/1", "http://a.test/2"];
    store.save_collections(&[update("a", 0, &urls), update("b", 0, &urls[..1])]).await.unwrap();
    let all = store.collections().await.unwrap();
    store.delete_collections(&[all[0].id]).await.unwrap();
    let pages = store.watched_pages(&urls.map(str::to_owned)).await.unwrap();
    assert_eq!(pages.len(), 1);
    assert_eq!(pages[0].url, urls[0]);
    assert_eq!(store.collections().await.unwrap().len(), 1);
}
