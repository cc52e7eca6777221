//! Features of a pair of a dead and a live page.
//!
//! The *slug* of a page is the last component of its path, and its *name*
//! consists of slug and title. A *term* is a stemmed word, and rare terms have a high
//! *weight*. A *rewrite* says how the new slug was made from the old name.
//!
//! These features depend only on the pair and on the list of live pages. The features in
//! `context_features` also depend on other dead pages.

#![expect(
    clippy::indexing_slicing,
    reason = "page, feature and term numbers are assigned by this module"
)]

use super::coarse::CoarseKey;
use super::linear_score::pair_log_odds;
use super::live_page_index::{LivePageIndex, PageNumber};
use super::profile::{Key, PageProfile};
use super::rewrite::{Rewrite, WordClass};
use super::vocabulary::{Term, Vocabulary, union};

/// Minimum number of digits of a page id.
const MIN_ID_DIGITS: usize = 3;

/// Value of an unknown feature, such as the similarity of titles if the old title
/// is not known.
pub const UNKNOWN: f32 = -1.0;

/// Defines an enum of features with the list of all its variants.
macro_rules! features {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(usize)]
        pub(in crate::matching) enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// All features, in the order of the variants.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];
        }
    };
}
pub(super) use features;

features! {
/// A feature of a pair.
Feature {
    /// Whether the slugs are equal, ignoring case and separators.
    SlugEqual,
    /// Similarity of the terms of the slugs.
    SlugSimilarity,
    /// Share of the old slug that occurs in the new slug, parent and title.
    SlugKept,
    /// Share of the new slug that occurs in the old slug, parent and title.
    SlugExplained,
    /// Similarity of the trigrams of the slugs.
    SlugTrigramSimilarity,
    /// Whether the titles are equal, ignoring case and separators.
    TitleEqual,
    /// Similarity of the terms of the titles.
    TitleSimilarity,
    /// Share of the old title that occurs in the new title.
    TitleKept,
    /// Share of the new title that occurs in the old title.
    TitleExplained,
    /// Similarity of the old slug and the new title.
    SlugToTitle,
    /// Similarity of the old title and the new slug.
    TitleToSlug,
    /// Share of the old path that occurs in the new path.
    PathKept,
    /// Share of the new path that occurs in the old path.
    PathExplained,
    /// Share of the new path that occurs in the old path and title.
    AllExplained,
    /// Whether the components before the last are equal.
    ParentEqual,
    /// Share of the old parent that occurs in the new path and title.
    ParentKept,
    /// Number of equal components at the end.
    SameEnd,
    /// Number of equal components at the start.
    SameStart,
    /// Number of equal words at the end.
    SameLastWords,
    /// How many numbers of the old slug the new slug lacks.
    NumbersLost,
    /// How many numbers of the new slug the old slug lacks.
    NumbersGained,
    /// Weight of the terms that both names share.
    NameShared,
    /// Weight of the terms of the old name that the new page lacks.
    NameLost,
    /// Weight of the terms of the new name that the old page lacks.
    NameGained,
    /// Logarithm of the number of live pages with the new slug.
    SlugDuplicates,
    /// Logarithm of the number of live pages with the new title.
    TitleDuplicates,
    /// Whether the new URL is a prefix of the old one.
    IsAncestor,
    /// Whether the old URL is a prefix of the new one.
    IsDescendant,
    /// Number of components by which the new URL is longer.
    DepthDifference,
    /// Whether the folders are equal.
    SameFolder,
    /// Whether the URLs differ only in case, separators or file extension.
    SameUrl,
    /// Logarithm of the number of live pages in the old folder.
    OldFolderPages,
    /// Logarithm of the number of live pages below the new folder.
    NewFolderSize,
    /// Logarithm of the number of live pages with the old slug.
    OldSlugDuplicates,
    /// Share of the old slug that occurs on no live page.
    OldSlugUnseen,
    /// Share of the old title that occurs on no live page.
    OldTitleUnseen,
    /// Weight of the terms of the old slug.
    OldSlugWeight,
    /// Number of terms of the old slug.
    OldSlugTerms,
    /// Whether the titles are equal and no other live page has this title.
    TitleUnique,
    /// Whether the slugs are equal and no other live page has this slug.
    SlugUnique,
    /// How many numbers of the old path the new path lacks.
    PathNumbersLost,
    /// How many numbers of the new path the old path lacks.
    PathNumbersGained,
    /// How many numbers of at least three digits both paths contain.
    IdsShared,
    /// Share of the words of old and new slug that a rewrite explains.
    RewriteCommon,
    /// Source of the rewrite: slug, title, or parent and slug.
    RewriteSource,
    /// Class of the words that a rewrite adds.
    RewriteAdded,
    /// Class of the words that a rewrite removes.
    RewriteRemoved,
    /// Number of predictable components of the new URL.
    Predictable,
    /// Number of partly predictable components.
    PartlyPredictable,
    /// Number of unpredictable components.
    Unpredictable,
    /// Predictability of the last component.
    LastPredictable,
    /// Log odds of the linear score of the pair.
    LinearPair,
}
}

/// Number of features of a pair.
pub const PAIR_FEATURES: usize = Feature::ALL.len();

/// The features of a pair.
pub type PairFeatures = [f32; PAIR_FEATURES];

/// Compares a dead page with a live one.
pub struct PairComparer<'a> {
    /// The terms of the site.
    pub vocabulary: &'a Vocabulary,
    /// The live pages of the site.
    pub live_pages: &'a LivePageIndex,
}

impl PairComparer<'_> {
    /// Computes the features of a pair.
    pub fn features(&self, old: &PageProfile, new: &PageProfile) -> PairFeatures {
        let mut features = [UNKNOWN; PAIR_FEATURES];
        self.compare_slugs(old, new, &mut features);
        self.compare_titles(old, new, &mut features);
        self.compare_paths(old, new, &mut features);
        self.compare_names(old, new, &mut features);
        compare_url_positions(old, new, &mut features);
        self.count_duplicates(old, new, &mut features);
        self.describe_old(old, &mut features);
        compare_numbers(old, new, &mut features);
        describe_rewrite(old, new, &mut features);
        describe_pattern(old, new, &mut features);
        self.count_unique(old, new, &mut features);
        features[Feature::LinearPair as usize] = pair_log_odds(&features);
        features
    }

    /// Sets the features of titles and slugs that only one live page has.
    fn count_unique(&self, old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
        let has_one = |pages: &[PageNumber]| pages.len() == 1;
        let same_title = old.title_key.filter(|key| new.title_key == Some(*key));
        let is_title_unique =
            same_title.is_some_and(|key| has_one(self.live_pages.with_title(key)));
        let is_slug_unique =
            old.slug_key == new.slug_key && has_one(self.live_pages.with_slug(new.slug_key));
        features[Feature::TitleUnique as usize] = indicator(is_title_unique);
        features[Feature::SlugUnique as usize] = indicator(is_slug_unique);
    }

    fn compare_slugs(&self, old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
        let new_name = union(&new.slug_and_title, &new.parent);
        let old_name = union(&old.slug_and_title, &old.parent);
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        set(Feature::SlugEqual, indicator(old.slug_key == new.slug_key));
        set(Feature::SlugSimilarity, self.similarity(&old.slug, &new.slug));
        set(Feature::SlugKept, self.share(&old.slug, &new_name));
        set(Feature::SlugExplained, self.share(&new.slug, &old_name));
        set(Feature::SlugTrigramSimilarity, dice(&old.trigrams, &new.trigrams));
        set(Feature::NumbersLost, missing_count(&old.numbers, &new.numbers));
        set(Feature::NumbersGained, missing_count(&new.numbers, &old.numbers));
    }

    fn compare_titles(&self, old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        if let Some(new_title) = &new.title {
            set(Feature::SlugToTitle, self.similarity(&old.slug, new_title));
        }
        let Some(old_title) = &old.title else { return };
        set(Feature::TitleToSlug, self.similarity(old_title, &new.slug));
        let Some(new_title) = &new.title else { return };
        set(
            Feature::TitleEqual,
            indicator(old.title_key.is_some() && old.title_key == new.title_key),
        );
        set(Feature::TitleSimilarity, self.similarity(old_title, new_title));
        set(Feature::TitleKept, self.share(old_title, new_title));
        set(Feature::TitleExplained, self.share(new_title, old_title));
    }

    fn compare_paths(&self, old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        set(Feature::PathKept, self.share(&old.path, &new.path));
        set(Feature::PathExplained, self.share(&new.path, &old.path));
        set(Feature::AllExplained, self.share(&new.path, &old.path_and_title));
        set(Feature::ParentKept, self.share(&old.parent, &new.path_and_title));
    }

    fn compare_names(&self, old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        let shared = self.vocabulary.shared_weight(&old.slug_and_title, &new.slug_and_title);
        let kept = self.vocabulary.shared_weight(&old.slug_and_title, &new.path_and_title);
        let explained = self.vocabulary.shared_weight(&new.slug_and_title, &old.path_and_title);
        set(Feature::NameShared, shared);
        set(Feature::NameLost, self.vocabulary.total_weight(&old.slug_and_title) - kept);
        set(Feature::NameGained, self.vocabulary.total_weight(&new.slug_and_title) - explained);
    }

    fn count_duplicates(&self, old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        let by_title = |key| log_count(self.live_pages.with_title(key).len());
        set(Feature::SlugDuplicates, log_count(self.live_pages.with_slug(new.slug_key).len()));
        set(Feature::TitleDuplicates, new.title_key.map_or(0.0, by_title));
        set(Feature::OldSlugDuplicates, log_count(self.live_pages.with_slug(old.slug_key).len()));
        set(Feature::OldFolderPages, log_count(self.live_pages.folder_size(old.folder())));
        set(Feature::NewFolderSize, log_count(self.live_pages.count_below(new.folder()) as usize));
    }

    /// Sets the features of the dead page alone.
    fn describe_old(&self, old: &PageProfile, features: &mut PairFeatures) {
        let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
        set(Feature::OldSlugUnseen, self.unseen_share(&old.slug));
        if let Some(title) = &old.title {
            set(Feature::OldTitleUnseen, self.unseen_share(title));
        }
        set(Feature::OldSlugWeight, self.vocabulary.total_weight(&old.slug));
        set(Feature::OldSlugTerms, count(old.slug.len()));
    }

    /// Returns the share of the weight of `part` that also occurs in `whole`.
    fn share(&self, part: &[Term], whole: &[Term]) -> f32 {
        ratio(self.vocabulary.shared_weight(part, whole), self.vocabulary.total_weight(part))
    }

    /// Returns the weighted Dice coefficient of two sets of terms.
    fn similarity(&self, one: &[Term], other: &[Term]) -> f32 {
        let all = self.vocabulary.total_weight(one) + self.vocabulary.total_weight(other);
        ratio(2.0 * self.vocabulary.shared_weight(one, other), all)
    }

    /// Returns the share of the weight of terms that no live page uses.
    fn unseen_share(&self, terms: &[Term]) -> f32 {
        let is_unseen = |term: &&Term| self.vocabulary.page_count(**term) == 0;
        let unseen: f32 =
            terms.iter().filter(is_unseen).map(|&term| self.vocabulary.weight(term)).sum();
        ratio(unseen, self.vocabulary.total_weight(terms))
    }
}

/// Compares the positions of two URLs in the URL tree of the site.
fn compare_url_positions(old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
    let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
    let common = common_prefix_len(&old.components, &new.components);
    let (old_depth, new_depth) = (old.components.len(), new.components.len());
    set(Feature::SameStart, count(common));
    set(Feature::SameEnd, count(common_suffix_len(&old.components[1..], &new.components[1..])));
    set(Feature::SameLastWords, count(common_suffix_len(&old.words[1..], &new.words[1..])));
    set(
        Feature::ParentEqual,
        indicator(old.parent_key().is_some() && old.parent_key() == new.parent_key()),
    );
    set(Feature::IsAncestor, indicator(common == new_depth && new_depth < old_depth));
    set(Feature::IsDescendant, indicator(common == old_depth && old_depth < new_depth));
    set(Feature::DepthDifference, count(new_depth) - count(old_depth));
    set(Feature::SameFolder, indicator(old.folder() == new.folder()));
    set(Feature::SameUrl, indicator(old.components == new.components));
}

/// Compares the numbers in two paths.
fn compare_numbers(old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
    let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
    let (old, new) = (&old.path_numbers, &new.path_numbers);
    set(Feature::PathNumbersLost, missing_count(old, new));
    set(Feature::PathNumbersGained, missing_count(new, old));
    let is_id =
        |number: &&String| number.len() >= MIN_ID_DIGITS && new.binary_search(number).is_ok();
    set(Feature::IdsShared, count(old.iter().filter(is_id).count()));
}

/// Describes how the new slug was made from the old slug or title.
fn describe_rewrite(old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
    let Some(rewrite) = Rewrite::detect(old, new) else { return };
    let mut set = |feature: Feature, value: f32| features[feature as usize] = value;
    let highest = |classes: [WordClass; 2]| f32::from(classes[0].max(classes[1]) as u8);
    set(Feature::RewriteCommon, rewrite.common);
    set(Feature::RewriteSource, f32::from(rewrite.source as u8));
    set(Feature::RewriteAdded, highest(rewrite.added));
    set(Feature::RewriteRemoved, highest(rewrite.removed));
}

/// Describes the coarse pattern of the new URL.
fn describe_pattern(old: &PageProfile, new: &PageProfile, features: &mut PairFeatures) {
    let pattern = CoarseKey::new(old, new);
    let mut set = |feature: Feature, value: usize| features[feature as usize] = count(value);
    set(Feature::Predictable, pattern.predictable);
    set(Feature::PartlyPredictable, pattern.partly);
    set(Feature::Unpredictable, pattern.unpredictable);
    set(Feature::LastPredictable, pattern.last);
}

/// Returns the number of equal keys at the start.
pub fn common_prefix_len(one: &[Key], other: &[Key]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// Returns the number of equal keys at the end.
pub fn common_suffix_len(one: &[Key], other: &[Key]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Returns how many numbers of one sorted list are missing in the other.
fn missing_count(one: &[String], other: &[String]) -> f32 {
    count(one.iter().filter(|number| other.binary_search(number).is_err()).count())
}

/// Returns the Dice coefficient of two sorted sets: the share of elements that are in both.
fn dice(one: &[Key], other: &[Key]) -> f32 {
    let shared = one.iter().filter(|key| other.binary_search(key).is_ok()).count();
    ratio(2.0 * count(shared), count(one.len() + other.len()))
}

/// Returns the ratio of a part to a whole, or 0 if the whole is 0.
pub fn ratio(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Returns the logarithm of a count plus one.
pub fn log_count(number: usize) -> f32 {
    count(number).ln_1p()
}

/// Converts a count to a feature value.
#[expect(clippy::cast_precision_loss, reason = "features need no more than six digits")]
pub fn count(number: usize) -> f32 {
    number as f32
}

/// Returns 1 if a condition holds, else 0.
pub fn indicator(condition: bool) -> f32 {
    f32::from(u8::from(condition))
}
