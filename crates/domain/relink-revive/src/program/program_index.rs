//! Learned programs by directory.
//!
//! The new URL of a page is predicted by the programs of its own directory and
//! of all parent directories. The programs of a parent directory are learned
//! from all examples below it, because sites are often moved as a whole.

use std::collections::BTreeMap;

use relink_model::Confidence;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{Example, LearnedProgram, ProgramScope, learn};
use crate::url_parts::is_same_page;
use crate::{Directory, OldPage};

/// Maximum number of examples per directory; more do not improve the programs.
const MAX_EXAMPLES: usize = 200;

/// Learned programs by directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgramIndex {
    programs: BTreeMap<Directory, Vec<LearnedProgram>>,
}

/// A new URL predicted for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction<'a> {
    /// The predicted URL, alive or not.
    pub url: Url,
    /// The directory that the program belongs to.
    pub directory: &'a Directory,
    /// The program.
    pub program: &'a LearnedProgram,
    /// Whether the program reproduces examples of the page's own directory.
    pub scope: ProgramScope,
}

impl Prediction<'_> {
    /// Returns the expected share of correct URLs, before a URL is fetched.
    pub fn confidence(&self) -> Confidence {
        self.program.confidence()
    }

    /// Returns the expected share of correct URLs among live URLs.
    pub fn confidence_if_alive(&self) -> Confidence {
        self.program.record.confidence_if_alive(self.scope)
    }

    /// Returns the expected share of correct URLs among live URLs that other
    /// evidence confirms.
    pub fn confidence_if_confirmed(&self) -> Confidence {
        self.program.record.confidence_if_confirmed(self.scope)
    }
}

impl ProgramIndex {
    /// Learns programs from examples of any number of directories and sites.
    pub fn learn(examples: &[Example]) -> Self {
        // The examples directly in each directory, and the examples in its subdirectories.
        let mut own: BTreeMap<Directory, Vec<&Example>> = BTreeMap::new();
        let mut below: BTreeMap<Directory, Vec<&Example>> = BTreeMap::new();
        for example in examples.iter().filter(|example| example.is_learnable()) {
            let directory = Directory::from_url(&example.old.url);
            let mut above = directory.parent();
            while let Some(parent) = above {
                above = parent.parent();
                below.entry(parent).or_default().push(example);
            }
            own.entry(directory).or_default().push(example);
        }
        let mut index = Self::default();
        for (directory, mut all) in below {
            all.extend(own.get(&directory).into_iter().flatten());
            index.add(directory, &all);
        }
        for (directory, all) in own {
            index.add(directory, &all);
        }
        index
    }

    /// Learns programs for a directory and inserts them before its existing ones.
    fn add(&mut self, directory: Directory, examples: &[&Example]) {
        let step = examples.len().div_ceil(MAX_EXAMPLES).max(1);
        let sample: Vec<Example> =
            examples.iter().step_by(step).map(|example| (*example).clone()).collect();
        let mut learned = learn(&sample);
        if learned.is_empty() {
            return;
        }
        let own: Vec<&Example> =
            sample.iter().filter(|it| Directory::from_url(&it.old.url) == directory).collect();
        for LearnedProgram { program, record } in &mut learned {
            let is_correct = |example: &&&Example| {
                program.run(&example.old).is_some_and(|url| is_same_page(&url, &example.new))
            };
            record.own_support = own.iter().filter(is_correct).count();
        }
        let known = self.programs.entry(directory).or_default();
        known.retain(|old| learned.iter().all(|new| new.program != old.program));
        learned.append(known);
        *known = learned;
    }

    /// Returns the programs of a directory, most trusted first.
    pub fn programs(&self, directory: &Directory) -> &[LearnedProgram] {
        self.programs.get(directory).map_or(&[], Vec::as_slice)
    }

    /// Iterates over all directories with their programs.
    pub fn iter(&self) -> impl Iterator<Item = (&Directory, &[LearnedProgram])> {
        self.programs.iter().map(|(directory, programs)| (directory, programs.as_slice()))
    }

    /// Returns the URLs predicted by the programs of the page's directory and
    /// its parents, most likely first. Contains each URL once, and never the
    /// URL of the page itself.
    pub fn predict(&self, page: &OldPage) -> Vec<Prediction<'_>> {
        let mut found: Vec<Prediction> = Vec::new();
        let mut next = Some(Directory::from_url(&page.url));
        let mut is_own = true;
        while let Some(directory) = next {
            if let Some((directory, programs)) = self.programs.get_key_value(&directory) {
                for program in programs {
                    let Some(url) = program.program.run(page) else { continue };
                    let is_known = found.iter().any(|it| is_same_page(&it.url, &url));
                    let has_own_support = is_own && program.record.own_support > 0;
                    let scope = if has_own_support {
                        ProgramScope::OwnDirectory
                    } else {
                        ProgramScope::Subdirectory
                    };
                    if !is_known && !is_same_page(&url, &page.url) {
                        found.push(Prediction { url, directory, program, scope });
                    }
                }
            }
            next = directory.parent();
            is_own = false;
        }
        // Sort by confidence, not by directory: a program from many examples of a parent
        // directory is correct more often than one from a single example of the page's own
        // directory.
        found.sort_by_key(|prediction| std::cmp::Reverse(prediction.confidence()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Learns from pages of `example.org` and their new paths, all certain.
    fn index(moves: &[(&str, &str)]) -> ProgramIndex {
        let example = |(old, new): &(&str, &str)| Example {
            old: OldPage::new(url(old)),
            new: url(new),
            is_certain: true,
        };
        ProgramIndex::learn(&moves.iter().map(example).collect::<Vec<_>>())
    }

    fn url(path: &str) -> Url {
        format!("https://example.org{path}").parse().unwrap()
    }

    /// Checks the predicted paths and their confidence if alive.
    #[track_caller]
    fn check(index: &ProgramIndex, old: &str, expect: &[(&str, u8)]) {
        let old = OldPage::new(url(old));
        let found = index.predict(&old);
        let found: Vec<(&str, u8)> =
            found.iter().map(|it| (it.url.path(), it.confidence_if_alive().as_percent())).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn prediction_without_own_example_has_lower_confidence() {
        let below = ("/a/b/oak", "/z/b/oak");
        let further = ("/a/c/d/elm", "/z/c/d/elm");
        check(&index(&[below, further]), "/a/yew", &[("/z/yew", 93)]);
        check(&index(&[below, further, ("/a/ash", "/z/ash")]), "/a/yew", &[("/z/yew", 95)]);
    }

    /// Learning from this URL took minutes before the number of components was
    /// limited.
    #[test]
    fn learn_ignores_urls_with_thousands_of_components() {
        let long = |root: &str| format!("/{root}{}", "/a-b".repeat(900));
        let (old, new) = (long("old"), long("new"));
        assert_eq!(index(&[(&old, &new)]).iter().count(), 0);
        let parameters = format!("/a?{}", "b=c&".repeat(900));
        assert_eq!(index(&[(&parameters, "/b")]).iter().count(), 0);
    }
}
