//! Edits of collections and members by the user: pages, titles, annotations, order.
//!
//! The *context* of a collection states with what its members are compared to judge whether
//! they fit.

use relink_collection::{ContextKind, MemberState};
use relink_ports::{CollectionStore, CollectionUpdate, MemberEvent, StoredMember};

use crate::WatchError;
use crate::edit::{MemberSelector, select_one};
use crate::library::{AngleOptions, CollectionSettings, Library, PhraseOptions};
use relink_requests::Ports;

/// Replaces the page of a member. Its title, annotation and position stay, and the
/// URL of the original page is stored. The next run fetches the new page.
pub async fn replace_member(
    ports: &Ports,
    store: &dyn CollectionStore,
    collection: &str,
    selector: &MemberSelector,
    url: &str,
) -> Result<(), WatchError> {
    let library = Library::load_tree(store, collection).await?;
    let mut member = select_one(&library, collection, selector)?.clone();
    let invalid = || WatchError::InvalidUrl { url: url.to_owned() };
    let new = relink_frontier::canonicalize(None, url).map_err(|_| invalid())?;
    if !matches!(new.scheme(), "http" | "https") {
        return Err(invalid());
    }
    let old = std::mem::replace(&mut member.url, new.into());
    url.clone_into(&mut member.original_url);
    let detail = format!("{old} by {}", member.url);
    // After a second replacement, the URL of the original page stays stored.
    member.replaced_url.get_or_insert(old);
    member.reference = None;
    member.reason.clear();
    MemberState::Active.as_str().clone_into(&mut member.state);
    let event = MemberEvent { at: ports.now(), kind: "replaced".to_owned(), detail };
    Ok(store.update_members(&[(member, event)]).await?)
}

/// Changes of a member by the user; `None` changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberEditRequest {
    /// The title.
    pub title: Option<String>,
    /// The annotation.
    pub annotation: Option<String>,
    /// The tags.
    pub tags: Option<Vec<String>>,
    /// The new position in the collection, from 1.
    pub position: Option<u32>,
}

/// Edits a member, with an entry in its history.
pub async fn edit_member(
    ports: &Ports,
    store: &dyn CollectionStore,
    collection: &str,
    selector: &MemberSelector,
    edit: &MemberEditRequest,
) -> Result<(), WatchError> {
    let library = Library::load_tree(store, collection).await?;
    let member = select_one(&library, collection, selector)?;
    let mut order: Vec<StoredMember> = library.members(member.collection).to_vec();
    let old_index = order.iter().position(|other| other.id == member.id).unwrap_or(0);
    let mut edited = order.remove(old_index);
    edited.title = edit.title.clone().unwrap_or(edited.title);
    edited.annotation = edit.annotation.clone().unwrap_or(edited.annotation);
    edited.tags = edit.tags.clone().unwrap_or(edited.tags);
    let id = edited.id;
    let new_index = edit.position.map_or(old_index, |position| position.saturating_sub(1) as usize);
    order.insert(new_index.min(order.len()), edited);
    let event = |kind: &str| {
        let (kind, detail) = (kind.to_owned(), String::new());
        MemberEvent { at: ports.now(), kind, detail }
    };
    // Other members get new positions if the edited one moved.
    let mut updates = Vec::new();
    for (mut member, position) in order.into_iter().zip(0..) {
        let is_moved = member.position != position;
        member.position = position;
        if member.id == id {
            updates.push((member, event("edited")));
        } else if is_moved {
            updates.push((member, event("reordered")));
        }
    }
    Ok(store.update_members(&updates).await?)
}

/// Changes of a collection by the user; `None` changes nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CollectionEdit {
    /// The title.
    pub title: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// The tags.
    pub tags: Option<Vec<String>>,
    /// The context, also of nested collections.
    pub context: Option<ContextKind>,
    /// Whether clear changes are accepted and rejected without a person, also in nested
    /// collections (see [`crate::decide_automatically`]).
    pub is_automatic: Option<bool>,
    /// Settings of the angle between a page and its context, also of nested collections.
    pub angle: AngleOptions,
    /// Forms of keyphrases, also of nested collections.
    pub phrases: PhraseOptions,
}

/// Edits a collection.
pub async fn edit_collection(
    ports: &Ports,
    store: &dyn CollectionStore,
    name: &str,
    edit: &CollectionEdit,
) -> Result<(), WatchError> {
    let library = Library::load_tree(store, name).await?;
    let mut updates = Vec::new();
    for collection in &library.collections {
        let mut collection = collection.clone();
        if collection.name == name {
            collection.title = edit.title.clone().unwrap_or(collection.title);
            collection.description = edit.description.clone().unwrap_or(collection.description);
            collection.tags = edit.tags.clone().unwrap_or(collection.tags);
        }
        if let Some(context) = edit.context {
            context.as_str().clone_into(&mut collection.context);
        }
        let mut settings = CollectionSettings::parse(&collection.settings);
        settings.is_automatic = edit.is_automatic.unwrap_or(settings.is_automatic);
        settings.angle = edit.angle.over(settings.angle);
        settings.phrases = edit.phrases.over(settings.phrases);
        collection.settings = settings.to_text()?;
        collection.updated_at = ports.now();
        updates.push(CollectionUpdate { collection, members: Vec::new() });
    }
    Ok(store.save_collections(&updates).await?)
}
