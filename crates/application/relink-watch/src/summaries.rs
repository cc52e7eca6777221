//! The list of collections with their counters, and the URLs of a collection.
//!
//! A collection `a/b` is nested in the collection `a`. A *gap* is the position of a removed
//! member; it is shown until the user closes it.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use relink_collection::{Availability, MemberState};
use relink_ports::{CollectionStore, StoredCollection, StoredMember, WatchedPage};
use relink_report::watch::WatchSummary;
use relink_requests::Ports;

use crate::WatchError;
use crate::library::{Library, context_of, is_in_tree, state_of};
use crate::review::is_other_version;

/// Returns the outermost collections with their counters.
pub async fn collection_list(
    ports: &Ports,
    store: &dyn CollectionStore,
) -> Result<Vec<WatchSummary>, WatchError> {
    let library = Library::load(store).await?;
    let pages = library.pages(store).await?;
    let roots = library.collections.iter().filter(|list| !list.name.contains('/'));
    Ok(roots.map(|root| summary(&library, &pages, root, ports.now())).collect())
}

/// Returns the URLs of the active members of a collection and its nested collections, each once.
pub async fn collection_urls(
    store: &dyn CollectionStore,
    name: &str,
) -> Result<Vec<String>, WatchError> {
    let library = Library::load_tree(store, name).await?;
    let mut seen = HashSet::new();
    let members = library.numbered().map(|(_, _, member)| member);
    let active = members.filter(|member| state_of(member) == MemberState::Active);
    let urls = active.map(|member| member.url.clone());
    Ok(urls.filter(|url| seen.insert(url.clone())).collect())
}

/// Returns the counters of an outermost collection and its nested collections.
fn summary(
    library: &Library,
    pages: &HashMap<String, WatchedPage>,
    root: &StoredCollection,
    now: Timestamp,
) -> WatchSummary {
    let mut summary = WatchSummary {
        name: root.name.clone(),
        title: root.title.clone(),
        source: root.source.clone(),
        context: context_of(root),
        ..WatchSummary::default()
    };
    for list in library.collections.iter().filter(|list| is_in_tree(&list.name, &root.name)) {
        summary.nested += u64::from(list.name != root.name);
        for member in library.members(list.id) {
            count(&mut summary, member, pages.get(&member.url), now);
        }
    }
    summary
}

/// Adds a member to the counters.
fn count(
    summary: &mut WatchSummary,
    member: &StoredMember,
    page: Option<&WatchedPage>,
    now: Timestamp,
) {
    let state = state_of(member);
    if state == MemberState::Closed {
        return;
    }
    summary.members += 1;
    summary.open += u64::from(state != MemberState::Active);
    if state == MemberState::Gap {
        return;
    }
    let Some(page) = page else { return };
    match Availability::from_verdict(page.verdict) {
        Availability::Unchecked => summary.unchecked += 1,
        Availability::Temporary => summary.temporary += 1,
        Availability::Permanent => summary.permanent += 1,
        Availability::Available => summary.changed += u64::from(is_other_version(member, page)),
    }
    summary.due += u64::from(page.next_at <= now);
    summary.next_at = Some(summary.next_at.map_or(page.next_at, |next| next.min(page.next_at)));
}
