//! Actions of the user on collections and members.
//!
//! The *reference* of a member is its accepted version. A removed member leaves a *gap*,
//! which is shown until the user closes it.

use jiff::Timestamp;
use relink_collection::MemberState;
use relink_ports::{CollectionStore, MemberEvent, StoredMember, VersionId};

use crate::WatchError;
use crate::library::{Library, state_of};
use relink_requests::Ports;

/// Selects members of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberSelector {
    /// The number in the output of `show` and `diff`.
    Number(u32),
    /// The URL.
    Url(String),
    /// All members to which the action applies.
    All,
}

impl std::fmt::Display for MemberSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Url(url) => f.write_str(url),
            Self::All => f.write_str("all"),
        }
    }
}

/// An action on members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchAction {
    /// Makes the latest version the reference.
    Accept,
    /// Marks the latest version as unacceptable.
    Reject {
        /// The reason; may be empty.
        reason: String,
    },
    /// Hides changes until a time.
    Mute {
        /// The end.
        until: Timestamp,
        /// The reason; may be empty.
        reason: String,
    },
    /// Removes the member and leaves a gap.
    Remove,
    /// Closes the gap of a removed member.
    Close,
}

/// Applies an action to the selected members and returns their URLs.
pub async fn apply_action(
    ports: &Ports,
    store: &dyn CollectionStore,
    collection: &str,
    selectors: &[MemberSelector],
    action: &WatchAction,
) -> Result<Vec<String>, WatchError> {
    let library = Library::load_tree(store, collection).await?;
    let pages = library.pages(store).await?;
    let now = ports.now();
    let mut updates: Vec<(StoredMember, MemberEvent)> = Vec::new();
    for selector in selectors {
        for member in select(&library, collection, selector)? {
            let latest = pages.get(&member.url).and_then(|page| page.latest);
            if *selector == MemberSelector::All && !applies(action, member, latest) {
                continue;
            }
            // Several selectors may name the same member.
            let is_new = updates.iter().all(|(updated, _)| updated.id != member.id);
            if is_new {
                updates.push(updated(member, action, latest, now)?);
            }
        }
    }
    store.update_members(&updates).await?;
    Ok(updates.into_iter().map(|(member, _)| member.url).collect())
}

/// Returns the members that a selector names.
pub(crate) fn select<'l>(
    library: &'l Library,
    collection: &str,
    selector: &MemberSelector,
) -> Result<Vec<&'l StoredMember>, WatchError> {
    let matches = |number: u32, member: &StoredMember| match selector {
        MemberSelector::All => true,
        MemberSelector::Number(selected) => *selected == number,
        MemberSelector::Url(url) => {
            let canonical = relink_frontier::canonicalize(None, url).map(String::from);
            canonical.is_ok_and(|canonical| canonical == member.url) || member.original_url == *url
        }
    };
    let selected = library.numbered().filter(|(number, _, member)| matches(*number, member));
    let selected: Vec<&StoredMember> = selected.map(|(_, _, member)| member).collect();
    if selected.is_empty() && *selector != MemberSelector::All {
        return Err(WatchError::UnknownMember {
            member: selector.to_string(),
            collection: collection.to_owned(),
        });
    }
    Ok(selected)
}

/// Whether an action on all members applies to this member.
fn applies(action: &WatchAction, member: &StoredMember, latest: Option<VersionId>) -> bool {
    let is_active = state_of(member) == MemberState::Active;
    let is_changed = is_active && member.reference.is_some() && latest != member.reference;
    match action {
        WatchAction::Accept | WatchAction::Reject { .. } => is_changed,
        WatchAction::Mute { .. } | WatchAction::Remove => is_active,
        WatchAction::Close => state_of(member) == MemberState::Gap,
    }
}

/// Returns the member after an action, and the event for its history.
fn updated(
    member: &StoredMember,
    action: &WatchAction,
    latest: Option<VersionId>,
    now: Timestamp,
) -> Result<(StoredMember, MemberEvent), WatchError> {
    let mut member = member.clone();
    let (kind, detail) = match action {
        WatchAction::Accept => {
            if latest.is_none() {
                return Err(WatchError::NoVersion { url: member.url });
            }
            member.reference = latest;
            member.reason.clear();
            set_state(&mut member, MemberState::Active);
            ("accepted", String::new())
        }
        WatchAction::Reject { reason } => {
            member.reason.clone_from(reason);
            set_state(&mut member, MemberState::Rejected);
            ("rejected", reason.clone())
        }
        WatchAction::Mute { until, reason } => {
            member.muted_until = Some(*until);
            member.reason.clone_from(reason);
            ("muted", format!("until {}: {reason}", until.strftime("%Y-%m-%d")))
        }
        WatchAction::Remove => {
            set_state(&mut member, MemberState::Gap);
            ("removed", String::new())
        }
        WatchAction::Close => {
            set_state(&mut member, MemberState::Closed);
            ("closed", String::new())
        }
    };
    Ok((member, MemberEvent { at: now, kind: kind.to_owned(), detail }))
}

fn set_state(member: &mut StoredMember, state: MemberState) {
    state.as_str().clone_into(&mut member.state);
}

/// Returns the first member that a selector names.
pub(crate) fn select_one<'l>(
    library: &'l Library,
    collection: &str,
    selector: &MemberSelector,
) -> Result<&'l StoredMember, WatchError> {
    let unknown = || WatchError::UnknownMember {
        member: selector.to_string(),
        collection: collection.to_owned(),
    };
    select(library, collection, selector)?.into_iter().next().ok_or_else(unknown)
}

/// Deletes a collection with its nested ones, and returns the number of members.
pub async fn remove_collection(
    store: &dyn CollectionStore,
    name: &str,
) -> Result<usize, WatchError> {
    let library = Library::load_tree(store, name).await?;
    let members = library.numbered().count();
    store.delete_collections(&library.ids()).await?;
    Ok(members)
}
