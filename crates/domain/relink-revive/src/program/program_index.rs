//! What was learned, directory by directory.
//!
//! A page is answered from the programs of its own directory. Where there are
//! none that apply, those of the directories above are asked, learned from all
//! examples below them: a site is often moved as a whole.

use std::collections::{BTreeMap, BTreeSet};

use relink_model::Confidence;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{Example, LearnedProgram, ProgramScope, learn};
use crate::address::is_same_page;
use crate::{Directory, OldPage};

/// How many examples are looked at for one directory; more teach nothing new.
const MOST_EXAMPLES: usize = 200;

/// Programs by directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgramIndex {
    programs: BTreeMap<Directory, Vec<LearnedProgram>>,
}

/// Where a page may have gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction<'a> {
    /// The address, alive or not.
    pub url: Url,
    /// The directory whose program says so.
    pub directory: &'a Directory,
    /// That program.
    pub program: &'a LearnedProgram,
    /// Whether the program was seen to move pages of the page's own directory.
    pub reach: ProgramScope,
}

impl Prediction<'_> {
    /// The share of such answers that are expected to be right, before anyone
    /// has looked whether they are alive.
    pub fn confidence(&self) -> Confidence {
        self.program.confidence()
    }

    /// The share of such answers that are expected to be right among those
    /// found alive.
    pub fn confidence_if_alive(&self) -> Confidence {
        self.program.record.confidence_if_alive(self.reach)
    }

    /// The same where something else bears the answer out, too.
    pub fn confidence_if_proven(&self) -> Confidence {
        self.program.record.confidence_if_proven(self.reach)
    }
}

impl ProgramIndex {
    /// Learns from all examples, of many directories and sites.
    pub fn learn(examples: &[Example]) -> Self {
        let mut own: BTreeMap<Directory, Vec<&Example>> = BTreeMap::new();
        let mut below: BTreeMap<Directory, (BTreeSet<Directory>, Vec<&Example>)> = BTreeMap::new();
        for example in examples.iter().filter(|example| example.is_learnable()) {
            let directory = Directory::of(&example.old.url);
            let mut above = directory.parent();
            while let Some(parent) = above {
                above = parent.parent();
                let (children, all) = below.entry(parent).or_default();
                children.insert(directory.clone());
                all.push(example);
            }
            own.entry(directory).or_default().push(example);
        }
        let mut book = Self::default();
        for (directory, (_, mut all)) in below {
            all.extend(own.get(&directory).into_iter().flatten());
            book.add(directory, &all);
        }
        for (directory, all) in own {
            book.add(directory, &all);
        }
        book
    }

    /// Puts what a directory teaches before what was learned for it already.
    fn add(&mut self, directory: Directory, examples: &[&Example]) {
        let step = examples.len().div_ceil(MOST_EXAMPLES).max(1);
        let sample: Vec<Example> =
            examples.iter().step_by(step).map(|example| (*example).clone()).collect();
        let mut learned = learn(&sample);
        if learned.is_empty() {
            return;
        }
        let own: Vec<&Example> =
            sample.iter().filter(|it| Directory::of(&it.old.url) == directory).collect();
        for LearnedProgram { program, record } in &mut learned {
            let makes = |it: &&&Example| {
                program.run(&it.old).is_some_and(|made| is_same_page(&made, &it.new))
            };
            record.own = own.iter().filter(makes).count();
        }
        let known = self.programs.entry(directory).or_default();
        known.retain(|old| learned.iter().all(|new| new.program != old.program));
        learned.append(known);
        *known = learned;
    }

    /// The programs of a directory, the most trusted first.
    pub fn programs(&self, directory: &Directory) -> &[LearnedProgram] {
        self.programs.get(directory).map_or(&[], Vec::as_slice)
    }

    /// All directories with their programs.
    pub fn iter(&self) -> impl Iterator<Item = (&Directory, &[LearnedProgram])> {
        self.programs.iter().map(|(directory, programs)| (directory, programs.as_slice()))
    }

    /// Where a page may have gone by the programs of its own directory and those
    /// above, the likeliest first, each address once; the page itself is never
    /// among them.
    pub fn predict(&self, page: &OldPage) -> Vec<Prediction<'_>> {
        let mut found: Vec<Prediction> = Vec::new();
        let mut next = Some(Directory::of(&page.url));
        let mut is_own = true;
        while let Some(directory) = next {
            if let Some((directory, programs)) = self.programs.get_key_value(&directory) {
                for program in programs {
                    let Some(url) = program.program.run(page) else { continue };
                    let is_known = found.iter().any(|it| is_same_page(&it.url, &url));
                    let is_seen = is_own && program.record.own > 0;
                    let reach = if is_seen { ProgramScope::Own } else { ProgramScope::Below };
                    if !is_known && !is_same_page(&url, &page.url) {
                        found.push(Prediction { url, directory, program, reach });
                    }
                }
            }
            next = directory.parent();
            is_own = false;
        }
        // By what each is worth unseen: more examples, even of a directory above,
        // are right oftener than one of its own.
        found.sort_by_key(|prediction| std::cmp::Reverse(prediction.confidence()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of `example.org` with their new paths, all sure.
    fn book(moves: &[(&str, &str)]) -> ProgramIndex {
        let example = |(old, new): &(&str, &str)| Example {
            old: OldPage::new(url(old)),
            new: url(new),
            is_sure: true,
        };
        ProgramIndex::learn(&moves.iter().map(example).collect::<Vec<_>>())
    }

    fn url(path: &str) -> Url {
        format!("https://example.org{path}").parse().unwrap()
    }

    /// What is predicted for a page, with how sure it is if it is alive.
    #[track_caller]
    fn check(book: &ProgramIndex, old: &str, expect: &[(&str, u8)]) {
        let old = OldPage::new(url(old));
        let found = book.predict(&old);
        let found: Vec<(&str, u8)> =
            found.iter().map(|it| (it.url.path(), it.confidence_if_alive().as_percent())).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn a_directory_without_an_example_of_its_own_is_less_sure() {
        let below = ("/a/b/oak", "/z/b/oak");
        let further = ("/a/c/d/elm", "/z/c/d/elm");
        check(&book(&[below, further]), "/a/yew", &[("/z/yew", 93)]);
        check(&book(&[below, further, ("/a/ash", "/z/ash")]), "/a/yew", &[("/z/yew", 95)]);
    }

    /// Learning from this took minutes before the number of components had a
    /// limit.
    #[test]
    fn learn_url_with_thousands_of_components_teaches_nothing() {
        let long = |root: &str| format!("/{root}{}", "/a-b".repeat(900));
        let (old, new) = (long("old"), long("new"));
        assert_eq!(book(&[(&old, &new)]).iter().count(), 0);
        let parameters = format!("/a?{}", "b=c&".repeat(900));
        assert_eq!(book(&[(&parameters, "/b")]).iter().count(), 0);
    }
}
