//! Tests of the storage of `relink harvest`.

use jiff::civil::date;
use relink_ports::{
    HarvestedRecord, LocationChange, NewNotification, RecordLinkRole, StoredRecordLink,
};

use super::*;

const DAY: Date = date(2026, 11, 18);

/// Returns a store with the provider `p`, and the id of the provider. Creating the tables
/// or the provider a second time has no effect.
async fn open_with_provider() -> (tempfile::TempDir, SqliteStore, i64) {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&directory.path().join("relink.db")).await.unwrap();
    store.create_harvest_tables().unwrap();
    store.create_harvest_tables().unwrap();
    assert!(store.add_provider("p", "{}").await.unwrap());
    assert!(!store.add_provider("p", "{}").await.unwrap());
    let id = store.providers().await.unwrap()[0].id;
    (directory, store, id)
}

/// Whether [`HarvestStore::save_page`] makes new and changed records arrivals, which are not visible
/// until they are checked.
const MARKS_ARRIVALS: bool = true;

/// The time of all changes.
fn now() -> Timestamp {
    "2026-11-18T09:00:00Z".parse().unwrap()
}

/// Returns a harvested record with one location, or without links if it is deleted. The store uses
/// the links of `NewRecord`, which are canonical, not those of the harvested record.
fn record(identifier: &str, url: &str, is_deleted: bool) -> NewRecord {
    let link = StoredRecordLink {
        role: RecordLinkRole::Location,
        url: url.to_owned(),
        host: "a.test".to_owned(),
        original: url.to_owned(),
        is_shown: true,
    };
    NewRecord {
        record: HarvestedRecord {
            identifier: identifier.to_owned(),
            datestamp: "2026-11-18".to_owned(),
            sets: vec!["s".to_owned()],
            is_deleted,
            title: Some("T".to_owned()),
            links: Vec::new(),
            metadata: format!("<x>{url}</x>"),
        },
        links: if is_deleted { Vec::new() } else { vec![link] },
    }
}

/// Returns the progress of a harvest that reads the list of records for the `list`th time.
/// `token` is the token of the next page.
fn progress(list: i64, token: Option<&str>) -> HarvestProgress {
    HarvestProgress { list, token: token.map(str::to_owned), ..HarvestProgress::default() }
}

#[tokio::test]
async fn save_page_stores_records_once_and_marks_deleted_ones() {
    let (_directory, store, id) = open_with_provider().await;
    let page = [record("1", "http://a.test/1", false), record("2", "http://a.test/2", false)];
    let first =
        store.save_page(id, &page, &progress(1, Some("t")), !MARKS_ARRIVALS, now()).await.unwrap();
    assert_eq!((first.added, first.changed), (2, 0));
    assert_eq!(store.providers().await.unwrap()[0].progress, progress(1, Some("t")));
    let repeated =
        store.save_page(id, &page, &progress(1, None), !MARKS_ARRIVALS, now()).await.unwrap();
    assert_eq!((repeated.added, repeated.unchanged), (0, 2));

    let page = [record("1", "http://a.test/new", false), record("2", "", true)];
    let second =
        store.save_page(id, &page, &progress(2, None), !MARKS_ARRIVALS, now()).await.unwrap();
    assert_eq!((second.changed, second.deleted), (1, 1));
    assert_eq!(store.pending_deletions(id).await.unwrap(), 1);
    assert_eq!(store.provider_counts(id).await.unwrap().records, 2);
    assert_eq!(store.apply_deletions(id, now()).await.unwrap(), 1);
    let counts = store.provider_counts(id).await.unwrap();
    assert_eq!((counts.records, counts.deleted, counts.urls), (1, 1, 1));
    let targets = store.harvest_targets(id, "", 10).await.unwrap();
    assert_eq!(targets.len(), 1);
    assert_eq!((targets[0].url.as_str(), targets[0].verdict), ("http://a.test/new", None));
}

#[tokio::test]
async fn record_with_an_identifier_of_an_earlier_provider_is_known() {
    let (_directory, store, first) = open_with_provider().await;
    assert!(store.add_provider("a", "{}").await.unwrap());
    let providers = store.providers().await.unwrap();
    let second = providers.iter().find(|provider| provider.name == "a").unwrap().id;
    for (provider, identifiers) in [(second, ["1", "2"]), (first, ["1", "3"])] {
        let page = identifiers.map(|identifier| record(identifier, "http://a.test/1", false));
        store.save_page(provider, &page, &progress(1, None), !MARKS_ARRIVALS, now()).await.unwrap();
    }
    let filter = RecordFilter { limit: 10, ..RecordFilter::default() };
    let records = store.harvested_records(&filter).await.unwrap();
    let ids: Vec<i64> = records.iter().map(|record| record.id).collect();
    let known = store.records_with_known_identifier(&ids).await.unwrap();
    let is_expected =
        |record: &&StoredRecord| record.provider == second && record.identifier == "1";
    assert_eq!(known, records.iter().filter(is_expected).map(|record| record.id).collect());
}

#[tokio::test]
async fn mark_absent_marks_records_that_the_list_omits_until_they_are_listed_again() {
    let (_directory, store, id) = open_with_provider().await;
    let page = [record("1", "http://a.test/1", false), record("2", "http://a.test/2", false)];
    store.save_page(id, &page, &progress(1, None), !MARKS_ARRIVALS, now()).await.unwrap();
    store.save_page(id, &page[..1], &progress(2, None), !MARKS_ARRIVALS, now()).await.unwrap();
    assert_eq!(store.mark_absent(id, 2).await.unwrap(), 1);
    // The third list has both records again, so the mark is removed.
    store.save_page(id, &page, &progress(3, None), !MARKS_ARRIVALS, now()).await.unwrap();
    assert_eq!(store.pending_deletions(id).await.unwrap(), 0);
}

/// Returns changes that add a notification for one address and one webhook.
fn notification(key: &str) -> HarvestChanges {
    HarvestChanges {
        notifications: vec![NewNotification {
            key: key.to_owned(),
            kind: "reported".to_owned(),
            content: "{}".to_owned(),
            recipients: vec!["a@example.org".to_owned()],
            webhooks: vec!["http://a.test/hook".to_owned()],
        }],
        ..HarvestChanges::default()
    }
}

#[tokio::test]
async fn prepare_mails_creates_one_mail_per_address_and_day() {
    let (_directory, store, id) = open_with_provider().await;
    // A notification with a known key is not stored again.
    for key in ["k1", "k2", "k1"] {
        store.apply(id, DAY, &notification(key), now()).await.unwrap();
    }
    assert_eq!(store.preview_mails().await.unwrap()[0].notifications.len(), 2);
    let mails = store.prepare_mails(DAY, "example.org").await.unwrap();
    assert_eq!((mails.len(), mails[0].notifications.len()), (1, 2));
    // A failed attempt does not change the mail. The notification `k3` waits for the next
    // mail, because the address receives one mail per day.
    store.record_mail(mails[0].id, MailState::Pending, Some("451"), now()).await.unwrap();
    store.apply(id, DAY, &notification("k3"), now()).await.unwrap();
    let repeated = store.prepare_mails(DAY, "example.org").await.unwrap();
    assert_eq!(repeated[0].message_id, mails[0].message_id);
    assert_eq!((repeated[0].notifications.len(), repeated[0].attempts), (2, 1));
    store.record_mail(mails[0].id, MailState::Sent, None, now()).await.unwrap();
    assert!(store.prepare_mails(DAY, "example.org").await.unwrap().is_empty());
    let tomorrow = store.prepare_mails(DAY.tomorrow().unwrap(), "example.org").await.unwrap();
    assert_eq!(tomorrow[0].notifications[0].key, "k3");
    assert_ne!(tomorrow[0].message_id, mails[0].message_id);
}

#[tokio::test]
async fn retry_puts_the_notifications_of_failed_mails_into_new_mails() {
    let (_directory, store, id) = open_with_provider().await;
    store.apply(id, DAY, &notification("k1"), now()).await.unwrap();
    let mail = store.prepare_mails(DAY, "example.org").await.unwrap().remove(0);
    store.record_mail(mail.id, MailState::Failed, Some("550"), now()).await.unwrap();
    let failed = store.failed_mails().await.unwrap();
    assert_eq!((failed.len(), failed[0].state), (1, MailState::Failed));
    assert_eq!((failed[0].error.as_deref(), failed[0].notifications.len()), (Some("550"), 1));
    assert!(store.prepare_mails(DAY, "example.org").await.unwrap().is_empty());
    assert_eq!(store.retry_failed_mails().await.unwrap(), 1);
    assert_eq!(store.retry_failed_mails().await.unwrap(), 0);
    let mails = store.prepare_mails(DAY, "example.org").await.unwrap();
    assert_eq!((mails[0].notifications[0].key.as_str(), mails[0].attempts), ("k1", 0));
    assert!(store.failed_mails().await.unwrap().is_empty());
}

#[tokio::test]
async fn remove_provider_deletes_all_its_data() {
    let (_directory, store, id) = open_with_provider().await;
    let page = [record("1", "http://a.test/1", false)];
    store.save_page(id, &page, &progress(1, None), !MARKS_ARRIVALS, now()).await.unwrap();
    store.apply(id, DAY, &notification("k"), now()).await.unwrap();
    assert!(store.remove_provider("p").await.unwrap());
    assert!(!store.remove_provider("p").await.unwrap());
    assert!(store.preview_mails().await.unwrap().is_empty());
    assert_eq!(store.provider_counts(id).await.unwrap(), ProviderCounts::default());
}

#[tokio::test]
async fn deliveries_stay_pending_until_they_are_accepted_or_rejected() {
    let (_directory, store, id) = open_with_provider().await;
    for key in ["k1", "k2"] {
        store.apply(id, DAY, &notification(key), now()).await.unwrap();
    }
    let pending = store.pending_deliveries().await.unwrap();
    assert_eq!((pending.len(), pending[0].attempts), (2, 0));
    assert_eq!(pending[0].notification.key, "k1");
    let error = Some("503");
    store.record_delivery(&pending[0], MailState::Pending, error, now()).await.unwrap();
    store.record_delivery(&pending[1], MailState::Sent, None, now()).await.unwrap();
    let pending = store.pending_deliveries().await.unwrap();
    assert_eq!((pending.len(), pending[0].attempts, pending[0].not_before), (1, 1, now()));
    assert_eq!(pending[0].error.as_deref(), error);
    store.record_delivery(&pending[0], MailState::Failed, Some("410"), now()).await.unwrap();
    assert!(store.pending_deliveries().await.unwrap().is_empty());
}

#[tokio::test]
async fn arrivals_stay_hidden_until_checked_and_broken_locations_are_left_out() {
    let (_directory, store, id) = open_with_provider().await;
    let page = [record("1", "http://a.test/1", false)];
    store.save_page(id, &page, &progress(1, None), MARKS_ARRIVALS, now()).await.unwrap();
    let filter = RecordFilter { limit: 10, ..RecordFilter::default() };
    let stored = store.harvested_records(&filter).await.unwrap();
    assert!(stored[0].is_pending && !stored[0].is_visible && stored[0].links[0].is_shown);
    let record = stored[0].id;
    let urls = vec!["http://a.test/1".to_owned()];
    assert_eq!(store.arrivals(id).await.unwrap(), [StoredArrival { record, urls }]);
    let change = LocationChange { record, url: "http://a.test/1".to_owned(), is_shown: false };
    let changes = HarvestChanges {
        visibility: vec![(record, true)],
        locations: vec![change.clone()],
        arrived: vec![record],
        ..HarvestChanges::default()
    };
    store.apply(id, DAY, &changes, now()).await.unwrap();
    let stored = store.harvested_records(&filter).await.unwrap();
    assert!(!stored[0].is_pending && stored[0].is_visible && !stored[0].links[0].is_shown);
    assert!(store.arrivals(id).await.unwrap().is_empty());
    let locations = vec![LocationChange { is_shown: true, ..change }];
    let changes = HarvestChanges { locations, ..HarvestChanges::default() };
    store.apply(id, DAY, &changes, now()).await.unwrap();
    assert!(store.harvested_records(&filter).await.unwrap()[0].links[0].is_shown);
}

/// Returns the URLs of targets with their numbers of links.
fn urls(targets: &[HarvestTarget]) -> Vec<(&str, u64)> {
    targets.iter().map(|target| (target.url.as_str(), target.links)).collect()
}

#[tokio::test]
async fn selection_finds_targets_and_records_by_url_and_by_host() {
    let (_directory, store, id) = open_with_provider().await;
    let mut page = vec![
        record("1", "http://a.test/1", false),
        record("2", "https://a.test/2", false),
        record("3", "http://a.test/1", false),
        record("4", "http://a.test.example/1", false),
    ];
    page[3].links[0].host = "a.test.example".to_owned();
    store.save_page(id, &page, &progress(1, None), !MARKS_ARRIVALS, now()).await.unwrap();
    let hosts = vec!["a.test".to_owned()];
    let by_host = TargetSelection { hosts, ..TargetSelection::default() };
    let found = store.selected_targets(id, &by_host).await.unwrap();
    assert_eq!(urls(&found), [("http://a.test/1", 2), ("https://a.test/2", 1)]);
    let records = store.records_of_targets(id, &by_host).await.unwrap();
    let identifiers: Vec<&str> = records.iter().map(|record| record.identifier.as_str()).collect();
    assert_eq!(identifiers, ["1", "2", "3"]);
    assert_eq!(records[0].links.len(), 1);

    let by_url = TargetSelection {
        urls: vec!["http://a.test/1".to_owned(), "http://a.test/none".to_owned()],
        hosts: Vec::new(),
    };
    // Records have no link to the second URL.
    assert_eq!(urls(&store.selected_targets(id, &by_url).await.unwrap()).len(), 1);
    assert_eq!(store.records_of_targets(id, &by_url).await.unwrap().len(), 2);
    let record = store.harvested_record(id, "2").await.unwrap().unwrap();
    assert_eq!(record.metadata, "<x>https://a.test/2</x>");
    assert_eq!(store.harvested_record(id, "none").await.unwrap(), None);
}

#[tokio::test]
async fn open_incidents_are_found_by_their_subject() {
    let (_directory, store, id) = open_with_provider().await;
    let incident = |name: &str, is_open| StoredIncident {
        id: 0,
        stage: "reported".to_owned(),
        is_open,
        incident: format!("{{\"subject\":{{\"kind\":\"target\",\"name\":\"{name}\"}}}}"),
    };
    let incidents = vec![incident("a", true), incident("b", true), incident("a", false)];
    let changes = HarvestChanges { incidents, ..HarvestChanges::default() };
    store.apply(id, DAY, &changes, now()).await.unwrap();
    let subjects = ["a".to_owned(), "c".to_owned(), "a".to_owned()];
    let found = store.open_incidents_of(id, &subjects).await.unwrap();
    assert_eq!(found.iter().map(|incident| incident.id).collect::<Vec<_>>(), [1]);
}

#[tokio::test]
async fn update_provider_replaces_settings_and_can_restart_the_harvest() {
    let (_directory, store, id) = open_with_provider().await;
    let from = Some("2026-01-01".to_owned());
    let saved = HarvestProgress { from, ..progress(3, Some("t")) };
    store.save_progress(id, &saved).await.unwrap();
    assert!(store.update_provider("p", "{\"x\":1}", false).await.unwrap());
    let stored = store.providers().await.unwrap().remove(0);
    assert_eq!((stored.settings.as_str(), stored.progress), ("{\"x\":1}", saved));
    assert!(store.update_provider("p", "{}", true).await.unwrap());
    assert_eq!(store.providers().await.unwrap()[0].progress, progress(3, None));
    assert!(!store.update_provider("none", "{}", true).await.unwrap());
}

#[tokio::test]
async fn save_page_stores_changed_links_of_an_unchanged_record() {
    let (_directory, store, id) = open_with_provider().await;
    let mut page = [record("1", "http://a.test/1", false)];
    store.save_page(id, &page, &progress(1, None), !MARKS_ARRIVALS, now()).await.unwrap();
    let second_link = StoredRecordLink {
        url: "http://a.test/2".to_owned(),
        original: "http://a.test/2".to_owned(),
        ..page[0].links[0].clone()
    };
    page[0].links.push(second_link);
    let changes =
        store.save_page(id, &page, &progress(2, None), !MARKS_ARRIVALS, now()).await.unwrap();
    assert_eq!((changes.changed, changes.unchanged), (1, 0));
    assert_eq!(store.provider_counts(id).await.unwrap().urls, 2);
}

#[tokio::test]
async fn released_store_can_be_opened_by_others_and_reopens_itself() {
    let (directory, store, _) = open_with_provider().await;
    let path = directory.path().join("relink.db");
    let wait = std::time::Duration::ZERO;
    let locked = SqliteStore::open_with(&path, wait).await.err();
    assert!(matches!(locked, Some(StoreError::Locked { .. })), "{locked:?}");
    store.release();
    let other = SqliteStore::open_with(&path, wait).await.unwrap();
    other.add_provider("q", "{}").await.unwrap();
    let locked = store.providers().await.unwrap_err();
    assert!(matches!(locked, StoreError::Locked { .. }), "{locked:?}");
    drop(other);
    assert_eq!(store.providers().await.unwrap().len(), 2);
    store.release();
    store.release();
    store.close();
    // A closed store does not open the file again.
    assert!(store.providers().await.is_err());
}
