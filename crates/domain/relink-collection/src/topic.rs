//! Whether the members of a collection have a common topic.
//!
//! A sample of the members is judged: each member of the sample against the others, with the
//! context score. If most of them seem to come from other collections, the members have no
//! common topic. They should then be judged by folder, by neighbors or by description.

use relink_change::{
    Background, Collection, Context, ContextFlag, ContextScore, CorpusBuilder, TermVector,
};

/// Minimum number of members with text.
const MIN_MEMBERS: usize = 6;

/// Maximum number of members that are compared.
const MAX_MEMBERS: usize = 20;

/// Returns whether most members fit the others, or `None` if there are too few.
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
    let step = with_text.len().div_ceil(MAX_MEMBERS);
    let sample: Vec<TermVector> = with_text.into_iter().step_by(step).cloned().collect();
    let mut pages = CorpusBuilder::default();
    for terms in &sample {
        pages.add(terms);
    }
    let corpus = pages.finish(Background::builtin());
    let fits = |at: usize, page: &TermVector| {
        let others = sample.iter().enumerate().filter(|(other, _)| *other != at);
        let members = others.map(|(_, terms)| terms.clone()).collect();
        let fit = Context::new(&Collection { members }, &corpus).fit(page);
        fit.is_some_and(|fit| ContextScore::new(fit).flag() == ContextFlag::Fits)
    };
    let fitting = sample.iter().enumerate().filter(|(at, page)| fits(*at, page)).count();
    Some(2 * fitting >= sample.len())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let terms: Vec<TermVector> =
            topics.iter().map(|text| TermVector::from_text(text)).collect();
        assert_eq!(has_common_topic(&terms), Some(false));
    }
}
