//! Programs from examples.
//!
//! One directory may have been split over several new ones, and some examples
//! are wrong. So programs are found one after the other: each is drafted from
//! one example, shaped by those like it, and takes away all examples it makes
//! right, until few or none are left.

use std::collections::HashMap;

use super::prepared::{ParsedExample, ProgramOutcome};
use super::seed::{PathStrategy, Seed};
use super::single_example::needs_one;
use super::trial::{LearnedProgram, assess};
use super::{Example, OldQuery, Segment, UrlProgram};

/// How many examples may found a program: a group without any order is given
/// up after so many.
const SEEDS: usize = 10;

/// A program that is right for so many of so many examples is not bettered;
/// the rest is noise.
const ENOUGH: (usize, usize) = (9, 10);

/// Learns the programs of a group of alike pages, the best first.
///
/// ```
/// use relink_revive::OldPage;
/// use relink_revive::program::{Example, learn};
/// let page = |path: &str| OldPage::new(format!("http://example.org/{path}").parse().unwrap());
/// let example = |old, new| Example { old: page(old), new: page(new).url, is_sure: true };
/// let examples = [
///     example("html5/tag_i.asp", "tags/tag_i.asp"),
///     example("html5/att_video.asp", "tags/att_video.asp"),
/// ];
/// let programs = learn(&examples);
/// let found = programs[0].program.run(&page("html5/tag_b.asp"));
/// assert_eq!(found, Some(page("tags/tag_b.asp").url));
/// ```
pub fn learn(examples: &[Example]) -> Vec<LearnedProgram> {
    let learnable = examples.iter().filter(|example| example.is_learnable());
    let prepared: Vec<ParsedExample> = learnable.map(ParsedExample::of).collect();
    let all: Vec<&ParsedExample> = prepared.iter().collect();
    assess(&all)
}

/// When to stop looking for more programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchEffort {
    /// When nothing is left to explain.
    Thorough,
    /// When only noise may be left.
    Brief,
}

/// The programs of a group, those that explain most first.
pub(super) fn programs(examples: &[&ParsedExample], care: SearchEffort) -> Vec<UrlProgram> {
    let mut remaining = by_new_directory(examples);
    let mut programs: Vec<(usize, UrlProgram)> = Vec::new();
    for _ in 0..SEEDS {
        let Some(seed) = remaining.first().copied() else { break };
        let best = best_draft(seed, &remaining);
        remaining.remove(0);
        let Some((support, program)) = best else { continue };
        remaining.retain(|example| example.outcome(&program) != ProgramOutcome::Right);
        programs.push((support, program));
        if care == SearchEffort::Brief
            && is_enough(examples.len() - remaining.len(), examples.len())
        {
            break;
        }
    }
    programs.sort_by_key(|(support, _)| std::cmp::Reverse(*support));
    programs.into_iter().map(|(_, program)| program).collect()
}

fn is_enough(explained: usize, all: usize) -> bool {
    explained * ENOUGH.1 >= all * ENOUGH.0
}

/// Those that went to the new directory of most come first: they are the
/// likeliest to follow a rule.
fn by_new_directory<'a>(examples: &[&'a ParsedExample<'a>]) -> Vec<&'a ParsedExample<'a>> {
    let mut sizes: HashMap<(&str, &str), usize> = HashMap::new();
    for example in examples {
        *sizes.entry(example.new_directory()).or_default() += 1;
    }
    let mut sorted = examples.to_vec();
    sorted.sort_by_cached_key(|example| {
        std::cmp::Reverse(sizes.get(&example.new_directory()).copied())
    });
    sorted
}

/// The program that makes the seed and most others right.
fn best_draft(seed: &ParsedExample, remaining: &[&ParsedExample]) -> Option<(usize, UrlProgram)> {
    let founder = Seed::of(seed);
    let best = best_of(seed, &founder, remaining, remaining);
    let neighbors: Vec<&ParsedExample> = remaining
        .iter()
        .copied()
        .filter(|example| example.new_directory() == seed.new_directory())
        .collect();
    // What is right for so many cannot be bettered by looking at fewer.
    let is_good = best.as_ref().is_some_and(|(support, _)| *support >= neighbors.len());
    if is_good || neighbors.len() == remaining.len() {
        return best;
    }
    let narrow = best_of(seed, &founder, &neighbors, remaining);
    let is_better = |one: &(usize, UrlProgram), other: &(usize, UrlProgram)| one.0 > other.0;
    match (best, narrow) {
        (Some(best), Some(narrow)) => Some(if is_better(&narrow, &best) { narrow } else { best }),
        (best, narrow) => best.or(narrow),
    }
}

fn best_of(
    seed: &ParsedExample,
    founder: &Seed,
    members: &[&ParsedExample],
    all: &[&ParsedExample],
) -> Option<(usize, UrlProgram)> {
    let mut best: Option<(usize, UrlProgram)> = None;
    for manner in [PathStrategy::WithRun, PathStrategy::Plain] {
        let Some(program) = founder.draft(members, manner) else { continue };
        let right: Vec<&ParsedExample> = all
            .iter()
            .copied()
            .filter(|it| it.outcome(&program) == ProgramOutcome::Right)
            .collect();
        let is_founded = seed.outcome(&program) == ProgramOutcome::Right;
        let is_borne_out = right.len() > 1 || needs_one(&program, &seed.facts);
        let is_better = best.as_ref().is_none_or(|(support, _)| right.len() > *support);
        if is_founded && is_borne_out && is_better && !sends_all_to_one_place(&right) {
            best = Some((right.len(), guarded(program, &right)));
        }
        if best.as_ref().is_some_and(|(support, _)| is_enough(*support, all.len())) {
            break;
        }
    }
    best
}

/// Whether several old pages share one new address: then it is no address of
/// any of them, but where a site sends what it has lost.
fn sends_all_to_one_place(right: &[&ParsedExample]) -> bool {
    let [first, rest @ ..] = right else { return false };
    let is_other = |example: &&&ParsedExample| example.facts.path != first.facts.path;
    let is_same_place = |example: &ParsedExample| {
        example.path == first.path && example.host == first.host && example.query == first.query
    };
    rest.iter().any(|example| is_other(&example)) && rest.iter().all(|it| is_same_place(it))
}

/// A program learned from pages without a query is not for pages with one: a
/// query chooses among many pages of one path. And one that was only seen to
/// work at one depth, and moves no run of components, is for that depth.
fn guarded(program: UrlProgram, right: &[&ParsedExample]) -> UrlProgram {
    let is_absent = right.iter().all(|example| example.facts.query.is_empty());
    let has_run = program.path.iter().any(|segment| matches!(segment, Segment::Run { .. }));
    let depth = right.first().map(|example| example.facts.path.len());
    let is_one_depth = right.iter().all(|example| Some(example.facts.path.len()) == depth);
    UrlProgram {
        old_query: if is_absent { OldQuery::Absent } else { OldQuery::Any },
        old_depth: depth.filter(|_| is_one_depth && !has_run),
        ..program
    }
}
