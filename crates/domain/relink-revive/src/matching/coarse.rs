//! Coarse patterns of page profiles: FABLE's cluster rule as features.
//!
//! The coarse pattern of a move contains the new host, and for each component of the new
//! path, whether the component is *predictable*: whether it can be computed from the old URL
//! and title.
//!
//! The rule is the same as in [`crate::pattern`] with [`TokenRule::OneSource`]. Here the rule
//! compares the keys of profiled pages instead of texts, because it is applied to every
//! candidate.
//!
//! [`TokenRule::OneSource`]: crate::pattern::TokenRule::OneSource

use super::profile::{Key, PageProfile, hash_keys};
use crate::pattern::{Predictability, grade_against_source};

/// The coarse pattern of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CoarseKey {
    /// Key of the host and the predictability of each component.
    pub key: Key,
    /// Number of predictable components.
    pub predictable: usize,
    /// Number of partly predictable components.
    pub partly: usize,
    /// Number of unpredictable components.
    pub unpredictable: usize,
    /// Grade of the last component: 0 for unpredictable, 1 for partly, 2 for
    /// predictable.
    pub last: usize,
}

impl CoarseKey {
    /// Returns the pattern that leads from `old` to `new`.
    pub fn new(old: &PageProfile, new: &PageProfile) -> Self {
        let mut found = Self::default();
        let mut keys = vec![new.components.first().copied().unwrap_or_default()];
        for part in &new.component_words {
            let grade = predictability(old, part);
            keys.push(grade as u64);
            found.count(grade);
        }
        Self { key: hash_keys(&keys), ..found }
    }

    fn count(&mut self, grade: Predictability) {
        let (counter, last) = match grade {
            Predictability::Predictable => (&mut self.predictable, 2),
            Predictability::PartlyPredictable => (&mut self.partly, 1),
            Predictability::Unpredictable => (&mut self.unpredictable, 0),
        };
        *counter += 1;
        self.last = last;
    }

    /// Returns the number of components that are at least partly predictable.
    pub fn predictable_count(self) -> usize {
        self.predictable + self.partly
    }
}

/// Grades a component of a candidate by the best source of the old page.
fn predictability(old: &PageProfile, part: &[Key]) -> Predictability {
    let title: Vec<Key> = old.title_words.iter().map(|word| word.key).collect();
    let sources = old.component_words.iter().map(Vec::as_slice).chain([title.as_slice()]);
    let grades =
        sources.filter(|list| !list.is_empty()).map(|list| grade_against_source(part, list));
    grades.min().unwrap_or(Predictability::Unpredictable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::vocabulary::Vocabulary;

    #[test]
    fn pages_with_new_ids_have_one_pattern() {
        let mut vocabulary = Vocabulary::default();
        let mut pattern = |old: &str, title: &str, new: &str| {
            let old =
                PageProfile::new(&format!("https://a.test/{old}"), Some(title), &mut vocabulary);
            let new = PageProfile::new(&format!("https://a.test/{new}"), None, &mut vocabulary);
            CoarseKey::new(&old, &new)
        };
        let rancher =
            pattern("news/x1", "Rancher survives tornado", "news/ca/rancher-survives-tornado-1.21");
        let potter = pattern("news/y2", "Potter book flies", "news/ca/potter-book-flies-1.20");
        assert_eq!(rancher, potter);
        assert_eq!((rancher.predictable, rancher.partly, rancher.unpredictable), (1, 1, 1));
    }
}
