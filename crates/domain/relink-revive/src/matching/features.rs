//! What speaks for and against a live page being the alias of a dead one.
//!
//! Each [`Feature`] is one number about one pair. Those up to
//! [`Feature::OldWords`] look at the pair and the list of live pages alone;
//! the rest, filled in by `collective`, ask what the neighbors say.

#![expect(
    clippy::indexing_slicing,
    reason = "pages, features and terms are numbered by the study itself"
)]

use super::live_page_index::LivePageIndex;
use super::profile::{Key, PageProfile};
use super::vocabulary::{Term, Vocabulary, union};

/// The value of a feature that cannot be told, such as the likeness of titles
/// where the old title is not known.
pub const UNKNOWN: f32 = -1.0;

/// One thing that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Feature {
    /// Whether the slugs agree but for case and separators.
    SlugEqual,
    /// How alike the terms of the slugs are.
    SlugLikeness,
    /// How much of the old slug the new slug, parent and title hold.
    SlugKept,
    /// How much of the new slug the old slug, parent and title hold.
    SlugExplained,
    /// How alike the slugs are letter by letter.
    SlugLetters,
    /// Whether the titles agree but for case and separators.
    TitleEqual,
    /// How alike the terms of the titles are.
    TitleLikeness,
    /// How much of the old title the new title holds.
    TitleKept,
    /// How much of the new title the old title holds.
    TitleExplained,
    /// How alike the old slug and the new title are.
    SlugToTitle,
    /// How alike the old title and the new slug are.
    TitleToSlug,
    /// How much of the old path the new path holds.
    PathKept,
    /// How much of the new path the old path holds.
    PathExplained,
    /// How much of the new path the old path and title hold.
    AllExplained,
    /// Whether the components before the last agree.
    ParentEqual,
    /// How much of the old parent the new path and title hold.
    ParentKept,
    /// How many components agree, counted from the end.
    SameEnd,
    /// How many components agree, counted from the start.
    SameStart,
    /// How many words agree, counted from the end.
    SameLastWords,
    /// How many numbers of the old slug the new one lacks.
    NumbersLost,
    /// How many numbers the new slug has that the old one lacks.
    NumbersGained,
    /// How much the terms say that both names share.
    NameShared,
    /// How much the terms of the old name say that the new page lacks.
    NameLost,
    /// How much the terms of the new name say that the old one lacks.
    NameGained,
    /// How many live pages share the new slug, as a logarithm.
    SlugTwins,
    /// How many live pages share the new title, as a logarithm.
    TitleTwins,
    /// Whether the new address is a beginning of the old one.
    IsAbove,
    /// Whether the old address is a beginning of the new one.
    IsBelow,
    /// By how many components the new address is longer.
    Deeper,
    /// Whether the folders agree.
    SameFolder,
    /// Whether the addresses differ in case, separators or file ending only.
    SamePlace,
    /// How many live pages are in the old folder, as a logarithm.
    OldFolderAlive,
    /// How many live pages are below the new folder, as a logarithm.
    NewFolderSize,
    /// How many live pages share the old slug, as a logarithm.
    OldSlugTwins,
    /// How much of the old slug no live page mentions.
    OldSlugUnseen,
    /// How much of the old title no live page mentions.
    OldTitleUnseen,
    /// How much the terms of the old slug say.
    OldSlugWeight,
    /// How many terms the old slug has.
    OldWords,
}

/// How many features look at the pair alone.
pub const PAIR: usize = Feature::OldWords as usize + 1;

/// The features of a pair that look at the pair alone.
pub type PairFeatures = [f32; PAIR];

/// Compares a dead page with a live one.
pub struct PairComparer<'a> {
    /// The words of the site.
    pub vocabulary: &'a Vocabulary,
    /// Its live pages.
    pub library: &'a LivePageIndex,
}

impl PairComparer<'_> {
    /// The features of one pair.
    pub fn features(&self, old: &PageProfile, new: &PageProfile) -> PairFeatures {
        let mut features = [UNKNOWN; PAIR];
        self.compare_slugs(old, new, &mut features);
        self.compare_titles(old, new, &mut features);
        self.compare_paths(old, new, &mut features);
        self.compare_names(old, new, &mut features);
        compare_places(old, new, &mut features);
        self.count_twins(old, new, &mut features);
        self.describe_old(old, &mut features);
        features
    }

    fn compare_slugs(&self, old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
        let new_name = union(&new.name, &new.parent);
        let old_name = union(&old.name, &old.parent);
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        set(Feature::SlugEqual, truth(old.slug_key == new.slug_key));
        set(Feature::SlugLikeness, self.likeness(&old.slug, &new.slug));
        set(Feature::SlugKept, self.share(&old.slug, &new_name));
        set(Feature::SlugExplained, self.share(&new.slug, &old_name));
        set(Feature::SlugLetters, dice(&old.trigrams, &new.trigrams));
        set(Feature::NumbersLost, lacking(&old.numbers, &new.numbers));
        set(Feature::NumbersGained, lacking(&new.numbers, &old.numbers));
    }

    fn compare_titles(&self, old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        if let Some(new_title) = &new.title {
            set(Feature::SlugToTitle, self.likeness(&old.slug, new_title));
        }
        let Some(old_title) = &old.title else { return };
        set(Feature::TitleToSlug, self.likeness(old_title, &new.slug));
        let Some(new_title) = &new.title else { return };
        set(Feature::TitleEqual, truth(old.title_key.is_some() && old.title_key == new.title_key));
        set(Feature::TitleLikeness, self.likeness(old_title, new_title));
        set(Feature::TitleKept, self.share(old_title, new_title));
        set(Feature::TitleExplained, self.share(new_title, old_title));
    }

    fn compare_paths(&self, old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        set(Feature::PathKept, self.share(&old.path, &new.path));
        set(Feature::PathExplained, self.share(&new.path, &old.path));
        set(Feature::AllExplained, self.share(&new.path, &old.all));
        set(Feature::ParentKept, self.share(&old.parent, &new.all));
    }

    fn compare_names(&self, old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        let shared = self.vocabulary.shared(&old.name, &new.name);
        let kept = self.vocabulary.shared(&old.name, &new.all);
        let explained = self.vocabulary.shared(&new.name, &old.all);
        set(Feature::NameShared, shared);
        set(Feature::NameLost, self.vocabulary.total(&old.name) - kept);
        set(Feature::NameGained, self.vocabulary.total(&new.name) - explained);
    }

    fn count_twins(&self, old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        let by_title = |key| logarithm(self.library.with_title(key).len());
        set(Feature::SlugTwins, logarithm(self.library.with_slug(new.slug_key).len()));
        set(Feature::TitleTwins, new.title_key.map_or(0.0, by_title));
        set(Feature::OldSlugTwins, logarithm(self.library.with_slug(old.slug_key).len()));
        set(Feature::OldFolderAlive, logarithm(self.library.in_folder(old.folder())));
        set(Feature::NewFolderSize, logarithm(self.library.below(new.folder()) as usize));
    }

    fn describe_old(&self, old: &PageProfile, features: &mut PairFeatures) {
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        set(Feature::OldSlugUnseen, self.unseen(&old.slug));
        if let Some(title) = &old.title {
            set(Feature::OldTitleUnseen, self.unseen(title));
        }
        set(Feature::OldSlugWeight, self.vocabulary.total(&old.slug));
        set(Feature::OldWords, count(old.slug.len()));
    }

    /// How much of what `part` says, `whole` says too.
    fn share(&self, part: &[Term], whole: &[Term]) -> f32 {
        ratio(self.vocabulary.shared(part, whole), self.vocabulary.total(part))
    }

    /// How alike two sets of terms are, by the weight of what they share (Dice).
    fn likeness(&self, one: &[Term], other: &[Term]) -> f32 {
        let all = self.vocabulary.total(one) + self.vocabulary.total(other);
        ratio(2.0 * self.vocabulary.shared(one, other), all)
    }

    /// How much of what the terms say is in terms that no live page uses.
    fn unseen(&self, terms: &[Term]) -> f32 {
        let is_unseen = |term: &&Term| self.vocabulary.pages(**term) == 0;
        let unseen: f32 =
            terms.iter().filter(is_unseen).map(|&term| self.vocabulary.weight(term)).sum();
        ratio(unseen, self.vocabulary.total(terms))
    }
}

/// Where the two stand in the tree of addresses.
fn compare_places(old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
    let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
    let start = same_start(&old.components, &new.components);
    let (long, short) = (old.components.len(), new.components.len());
    set(Feature::SameStart, count(start));
    set(Feature::SameEnd, count(same_end(&old.components[1..], &new.components[1..])));
    set(Feature::SameLastWords, count(same_end(&old.words[1..], &new.words[1..])));
    set(
        Feature::ParentEqual,
        truth(old.parent_key().is_some() && old.parent_key() == new.parent_key()),
    );
    set(Feature::IsAbove, truth(start == short && short < long));
    set(Feature::IsBelow, truth(start == long && long < short));
    set(Feature::Deeper, count(short) - count(long));
    set(Feature::SameFolder, truth(old.folder() == new.folder()));
    set(Feature::SamePlace, truth(old.components == new.components));
}

/// How many keys agree from the start.
pub fn same_start(one: &[Key], other: &[Key]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// How many keys agree from the end.
pub fn same_end(one: &[Key], other: &[Key]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// How many numbers of one sorted list the other lacks.
fn lacking(one: &[String], other: &[String]) -> f32 {
    count(one.iter().filter(|number| other.binary_search(number).is_err()).count())
}

/// How alike two sorted sets are (Dice).
fn dice(one: &[Key], other: &[Key]) -> f32 {
    let shared = one.iter().filter(|key| other.binary_search(key).is_ok()).count();
    ratio(2.0 * count(shared), count(one.len() + other.len()))
}

/// A part of a whole; nothing of nothing is nothing.
pub fn ratio(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The logarithm of one more than a count.
pub fn logarithm(number: usize) -> f32 {
    count(number).ln_1p()
}

/// A count as a feature.
#[expect(clippy::cast_precision_loss, reason = "features need no more than six digits")]
pub fn count(number: usize) -> f32 {
    number as f32
}

/// One for a claim that holds.
pub fn truth(claim: bool) -> f32 {
    f32::from(u8::from(claim))
}
