//! Warnings about collections whose members have no common topic, although they are the
//! context of each other.

use std::collections::HashMap;

use relink_change::TermVector;
use relink_collection::{ContextKind, MAX_TOPIC_MEMBERS, has_common_topic};
use relink_ports::{StoredVersion, VersionId};

use crate::library::{Library, context_of};

/// Maximum number of contexts that are checked for a common topic.
const MAX_SAMPLES: usize = 20;

/// Members that form one context.
pub(crate) struct TopicSample {
    /// The name of their collection.
    collection: String,
    /// Accepted versions of members, evenly spaced over all members of the context.
    pub(crate) references: Vec<VersionId>,
}

/// Returns a sample of each context of a collection and its nested ones.
pub(crate) fn topic_samples(shown: &Library) -> Vec<TopicSample> {
    let mut samples = Vec::new();
    let mut has_whole_tree = false;
    for list in &shown.collections {
        let lists = match context_of(list) {
            ContextKind::Folder => std::slice::from_ref(list),
            // The context is the same for all collections with this setting.
            ContextKind::All if !has_whole_tree => {
                has_whole_tree = true;
                &shown.collections
            }
            _ => continue,
        };
        let members = lists.iter().flat_map(|list| shown.members(list.id));
        let references = members.filter_map(|member| member.reference).collect();
        samples.push(TopicSample { collection: list.name.clone(), references: sample(references) });
    }
    samples.truncate(MAX_SAMPLES);
    samples
}

/// Returns at most [`MAX_TOPIC_MEMBERS`] versions, evenly spaced.
fn sample(references: Vec<VersionId>) -> Vec<VersionId> {
    let step = references.len().div_ceil(MAX_TOPIC_MEMBERS).max(1);
    references.into_iter().step_by(step).collect()
}

/// Returns a warning for each context without a common topic.
pub(crate) fn topic_warnings(
    samples: &[TopicSample],
    versions: &HashMap<VersionId, StoredVersion>,
) -> Vec<String> {
    let has_topic = |sample: &TopicSample| {
        let terms = sample.references.iter().filter_map(|id| versions.get(id));
        let terms = terms.filter_map(|version| serde_json::from_str(&version.terms).ok());
        has_common_topic(&terms.collect::<Vec<TermVector>>())
    };
    let mixed = samples.iter().filter(|sample| has_topic(sample) == Some(false));
    mixed.map(warning).collect()
}

fn warning(sample: &TopicSample) -> String {
    format!(
        "the members of `{}` have no common topic, so the context scores are unreliable; \
         use folders, or `relink watch edit {} --context neighbors` or `description`",
        sample.collection, sample.collection
    )
}
