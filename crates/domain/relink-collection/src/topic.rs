//! Whether the members of a collection have a common topic.
//!
//! A sample of the members is compared pairwise. If most members have few words in common
//! with most others, the list is not one context, and its members should be judged by
//! folder, by neighbors or by description.

use relink_change::{Background, Collection, Context, CorpusBuilder, TermVector};

/// Minimum number of members with text.
const MIN_MEMBERS: usize = 6;

/// Maximum number of members that are compared.
pub const MAX_TOPIC_MEMBERS: usize = 40;

/// Minimum cohesion of a collection with a common topic. `docs/change.md` describes how it
/// was measured.
const MIN_COHESION: f64 = 0.06;

/// Returns whether the members have a common topic, or `None` if there are too few.
///
/// ```
/// use relink_change::TermVector;
/// use relink_collection::has_common_topic;
/// let owls = ["owl hunts mouse at night", "night owl and mouse", "mouse fears the owl",
///     "owl nest at night", "the owl eats a mouse", "a mouse at night and the owl"];
/// let owls: Vec<TermVector> = owls.iter().map(|text| TermVector::from_text(text)).collect();
/// assert_eq!(has_common_topic(&owls), Some(true));
/// assert_eq!(has_common_topic(&owls[..2]), None);
/// ```
pub fn has_common_topic(members: &[TermVector]) -> Option<bool> {
    let with_text: Vec<&TermVector> = members.iter().filter(|terms| !terms.is_empty()).collect();
    if with_text.len() < MIN_MEMBERS {
        return None;
    }
    let step = with_text.len().div_ceil(MAX_TOPIC_MEMBERS);
    let members = with_text.into_iter().step_by(step).cloned().collect();
    // Only the general table is used: in a list of many topics, the words of each topic are
    // rare.
    let corpus = CorpusBuilder::default().finish(Background::builtin());
    let context = Context::new(&Collection { members }, &corpus);
    context.cohesion().map(|cohesion| cohesion >= MIN_COHESION)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(texts: &[&str]) -> Vec<TermVector> {
        texts.iter().map(|text| TermVector::from_text(text)).collect()
    }

    #[test]
    fn pages_of_many_topics_have_no_common_topic() {
        let topics = [
            "The owl hunts mice in the dark forest at night",
            "Compile the kernel with these compiler options",
            "Bake the bread dough with yeast in a hot oven",
            "The railway timetable lists trains to the coast",
            "Tax law changes for small companies this year",
            "The violin sonata was composed in Vienna",
            "Plant tomatoes in the garden after the last frost",
            "The football team won the championship final",
        ];
        assert_eq!(has_common_topic(&terms(&topics)), Some(false));
    }

    #[test]
    fn several_lists_in_one_have_no_common_topic() {
        // Each page resembles the pages of its own list.
        let lists = [
            "owl night forest mouse feather nest",
            "kernel compiler driver option module patch",
            "bread dough yeast oven flour recipe",
            "railway train timetable station coast ticket",
        ];
        let page = |list: &&str, at: usize| {
            let words: Vec<&str> = list.split(' ').collect();
            format!("the {} and the {}", words[at % 6..].join(" "), words[..3].join(" "))
        };
        let pages: Vec<String> =
            lists.iter().flat_map(|list| (0..5).map(move |at| page(list, at))).collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        assert_eq!(has_common_topic(&terms(&pages)), Some(false));
        assert_eq!(has_common_topic(&terms(&pages[..6])), Some(true));
    }
}
