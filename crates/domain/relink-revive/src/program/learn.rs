//! Learns programs from examples.
//!
//! A directory may have been split into several new ones, and some examples are
//! wrong. Programs are therefore learned one after the other. Each starts from
//! one example, the seed, and is generalized with similar examples. The examples
//! that a program reproduces are then removed, until few or none are left.

use std::collections::HashMap;

use super::parsed_example::{ParsedExample, ProgramOutcome};
use super::seed::{PathStrategy, Seed};
use super::single_example::one_example_suffices;
use super::track_record::{LearnedProgram, learn_and_validate};
use super::{Example, OldQuery, Segment, UrlProgram};

/// Maximum number of seeds. A group without any pattern is abandoned after this
/// number of seeds.
const MAX_SEEDS: usize = 10;

/// Minimum share of examples that learned programs have to reproduce, as a
/// fraction; the remaining examples count as noise.
const SUFFICIENT_SHARE: (usize, usize) = (9, 10);

/// Learns the programs of a group of similar pages, most trusted first.
///
/// ```
/// use relink_revive::OldPage;
/// use relink_revive::program::{Example, learn};
/// let page = |path: &str| OldPage::new(format!("http://example.org/{path}").parse().unwrap());
/// let example = |old, new| Example { old: page(old), new: page(new).url, is_certain: true };
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
    let parsed: Vec<ParsedExample> = learnable.map(ParsedExample::new).collect();
    let all: Vec<&ParsedExample> = parsed.iter().collect();
    learn_and_validate(&all)
}

/// When to stop the search for more programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchEffort {
    /// After all examples are reproduced.
    Thorough,
    /// After a [`SUFFICIENT_SHARE`] of the examples is reproduced.
    Brief,
}

/// Learns the programs of a group; those that reproduce most examples come first.
pub(super) fn learn_programs(examples: &[&ParsedExample], effort: SearchEffort) -> Vec<UrlProgram> {
    let mut remaining = sort_by_new_directory(examples);
    let mut programs: Vec<(usize, UrlProgram)> = Vec::new();
    for _ in 0..MAX_SEEDS {
        let Some(seed) = remaining.first().copied() else { break };
        let best = best_program_for_seed(seed, &remaining);
        remaining.remove(0);
        let Some((support, program)) = best else { continue };
        remaining.retain(|example| example.outcome(&program) != ProgramOutcome::Correct);
        programs.push((support, program));
        if effort == SearchEffort::Brief
            && is_sufficient(examples.len() - remaining.len(), examples.len())
        {
            break;
        }
    }
    programs.sort_by_key(|(support, _)| std::cmp::Reverse(*support));
    programs.into_iter().map(|(_, program)| program).collect()
}

fn is_sufficient(reproduced: usize, all: usize) -> bool {
    reproduced * SUFFICIENT_SHARE.1 >= all * SUFFICIENT_SHARE.0
}

/// Sorts examples by the size of the new directory that they moved to: examples
/// that share a new directory are most likely to follow a rule.
fn sort_by_new_directory<'a>(examples: &[&'a ParsedExample<'a>]) -> Vec<&'a ParsedExample<'a>> {
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

/// Returns the program that reproduces the seed and the most other examples, and the number
/// of examples that it reproduces.
fn best_program_for_seed(
    example: &ParsedExample,
    remaining: &[&ParsedExample],
) -> Option<(usize, UrlProgram)> {
    let seed = Seed::new(example);
    let best = best_program_from_members(example, &seed, remaining, remaining);
    let neighbors: Vec<&ParsedExample> = remaining
        .iter()
        .copied()
        .filter(|other| other.new_directory() == example.new_directory())
        .collect();
    // Generalize from the neighbors alone only if that could reproduce more examples.
    let is_good = best.as_ref().is_some_and(|(support, _)| *support >= neighbors.len());
    if is_good || neighbors.len() == remaining.len() {
        return best;
    }
    let narrow = best_program_from_members(example, &seed, &neighbors, remaining);
    let is_better = |one: &(usize, UrlProgram), other: &(usize, UrlProgram)| one.0 > other.0;
    match (best, narrow) {
        (Some(best), Some(narrow)) => Some(if is_better(&narrow, &best) { narrow } else { best }),
        (best, narrow) => best.or(narrow),
    }
}

/// Drafts programs from a seed, generalized with `members`, and returns the one
/// that reproduces most of `all`.
fn best_program_from_members(
    example: &ParsedExample,
    seed: &Seed,
    members: &[&ParsedExample],
    all: &[&ParsedExample],
) -> Option<(usize, UrlProgram)> {
    let mut best: Option<(usize, UrlProgram)> = None;
    for strategy in [PathStrategy::WithRun, PathStrategy::WithoutRun] {
        let Some(program) = seed.draft(members, strategy) else { continue };
        let reproduced: Vec<&ParsedExample> = all
            .iter()
            .copied()
            .filter(|it| it.outcome(&program) == ProgramOutcome::Correct)
            .collect();
        let reproduces_seed = example.outcome(&program) == ProgramOutcome::Correct;
        let is_supported = reproduced.len() > 1 || one_example_suffices(&program, &example.old);
        let is_better = best.as_ref().is_none_or(|(support, _)| reproduced.len() > *support);
        if reproduces_seed && is_supported && is_better && !share_one_target(&reproduced) {
            best = Some((reproduced.len(), with_guards(program, &reproduced)));
        }
        if best.as_ref().is_some_and(|(support, _)| is_sufficient(*support, all.len())) {
            break;
        }
    }
    best
}

/// Whether different old pages have the same new URL. That URL is then not the
/// alias of any of them, but the target of a redirect for all missing pages.
fn share_one_target(examples: &[&ParsedExample]) -> bool {
    let [first, rest @ ..] = examples else { return false };
    let is_other_page = |example: &&&ParsedExample| example.old.path != first.old.path;
    let has_same_target = |example: &ParsedExample| {
        example.path == first.path && example.host == first.host && example.query == first.query
    };
    rest.iter().any(|example| is_other_page(&example)) && rest.iter().all(|it| has_same_target(it))
}

/// Restricts a program to pages like the examples that it reproduces.
///
/// If none of the examples has a query, the program is only for pages without a query, because
/// a query selects among many pages of one path. If all examples have the same depth and
/// the program does not copy a run of components, the program is only for that depth.
fn with_guards(program: UrlProgram, examples: &[&ParsedExample]) -> UrlProgram {
    let is_absent = examples.iter().all(|example| example.old.query.is_empty());
    let has_run = program.path.iter().any(|segment| matches!(segment, Segment::Run { .. }));
    let depth = examples.first().map(|example| example.old.path.len());
    let is_one_depth = examples.iter().all(|example| Some(example.old.path.len()) == depth);
    UrlProgram {
        old_query: if is_absent { OldQuery::Absent } else { OldQuery::Any },
        old_depth: depth.filter(|_| is_one_depth && !has_run),
        ..program
    }
}
