//! Accepts and rejects changes without a person, if the collection allows it.
//!
//! Only clear changes are decided: pages that still fit their collection, and pages that
//! left its topic. A person decides on changes between these two (the *middle band* of the
//! paper on Walden's Paths, section 4.1).

use relink_change::AngleBand;
use relink_collection::NextStep;
use relink_ports::CollectionStore;
use relink_report::watch::WatchMember;

use crate::WatchError;
use crate::edit::{MemberSelector, WatchAction, apply_action};
use crate::library::{CollectionSettings, Library, is_in_tree};
use crate::review::review_collection;
use relink_requests::Ports;

/// The reason that is stored with an automatic rejection.
const REASON: &str = "rejected automatically: the page left the topic of its collection";

/// Number of members that were decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AutomaticDecisions {
    /// Members whose latest version became the reference.
    pub accepted: u64,
    /// Members that were marked as unacceptable.
    pub rejected: u64,
}

/// Decides the changes of all automatic collections among `names`, or among all collections
/// if `names` is empty.
pub async fn decide_automatically(
    ports: &Ports,
    store: &dyn CollectionStore,
    names: &[String],
) -> Result<AutomaticDecisions, WatchError> {
    let library = Library::load(store).await?;
    let is_selected =
        |name: &str| names.is_empty() || names.iter().any(|root| is_in_tree(name, root));
    let mut decisions = AutomaticDecisions::default();
    for collection in &library.collections {
        let settings = CollectionSettings::parse(&collection.settings);
        // Each nested collection is decided separately, because only a part of a collection
        // may be automatic.
        if !settings.is_automatic || !is_selected(&collection.name) {
            continue;
        }
        let report = review_collection(ports, store, &collection.name, "watch run").await?;
        let members = report.lists.iter().filter(|list| list.name == collection.name);
        let members: Vec<_> = members.flat_map(|list| &list.members).collect();
        let with_step = |step: NextStep| -> Vec<MemberSelector> {
            let members = members.iter().filter(|member| is_clear(member, step));
            members.map(|member| MemberSelector::Number(member.number)).collect()
        };
        let reject = WatchAction::Reject { reason: REASON.to_owned() };
        let (accepted, rejected) = (with_step(NextStep::Accept), with_step(NextStep::Reject));
        let name = &collection.name;
        apply_action(ports, store, name, &accepted, &WatchAction::Accept).await?;
        apply_action(ports, store, name, &rejected, &reject).await?;
        decisions.accepted += accepted.len() as u64;
        decisions.rejected += rejected.len() as u64;
    }
    Ok(decisions)
}

/// Whether this step is proposed for a member, and the movement of the angle does not
/// contradict it. Only pages that moved away from the context are rejected. Only pages that did
/// not move away are accepted.
fn is_clear(member: &WatchMember, step: NextStep) -> bool {
    let moved_away = member.context.is_some_and(|context| context.band == AngleBand::Away);
    member.next_step == Some(step) && moved_away == (step == NextStep::Reject)
}
