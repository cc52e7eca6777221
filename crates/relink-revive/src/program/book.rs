//! What was learnt, directory by directory.
//!
//! A page is answered from the programs of its own directory. Where there are
//! none that apply, those of the directories above are asked, learnt from all
//! examples below them: a site is often moved as a whole.

use std::collections::{BTreeMap, BTreeSet};

use relink_model::Confidence;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{Example, LearnedProgram, Reach, learn};
use crate::address::is_same_page;
use crate::{Directory, OldPage};

/// How many examples are looked at for one directory; more teach nothing new.
const MOST_EXAMPLES: usize = 200;

/// Programs by directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgramBook {
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
    /// Whether the directory is the page's own.
    pub reach: Reach,
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
}

impl ProgramBook {
    /// Learns from all examples, of many directories and sites.
    pub fn learn(examples: &[Example]) -> Self {
        let mut own: BTreeMap<Directory, Vec<&Example>> = BTreeMap::new();
        let mut below: BTreeMap<Directory, (BTreeSet<Directory>, Vec<&Example>)> = BTreeMap::new();
        for example in examples {
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

    /// Puts what a directory teaches before what was learnt for it already.
    fn add(&mut self, directory: Directory, examples: &[&Example]) {
        let step = examples.len().div_ceil(MOST_EXAMPLES).max(1);
        let sample: Vec<Example> =
            examples.iter().step_by(step).map(|example| (*example).clone()).collect();
        let mut learned = learn(&sample);
        if learned.is_empty() {
            return;
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
        let mut reach = Reach::Own;
        while let Some(directory) = next {
            if let Some((directory, programs)) = self.programs.get_key_value(&directory) {
                for program in programs {
                    let Some(url) = program.program.run(page) else { continue };
                    let is_known = found.iter().any(|it| is_same_page(&it.url, &url));
                    if !is_known && !is_same_page(&url, &page.url) {
                        found.push(Prediction { url, directory, program, reach });
                    }
                }
            }
            next = directory.parent();
            reach = Reach::Below;
        }
        found.sort_by_key(|prediction| std::cmp::Reverse(prediction.confidence()));
        found
    }
}
