//! Drafts programs that reproduce one example, generalized with others.

use super::parsed_example::ParsedExample;
use super::parsed_old_page::nth;
use super::price::Role;
use super::text::apply_style;
use super::text_choice::{Choice, Trial, choices, choose, host_slices, text_slices};
use super::{NewQuery, OldQuery, Part, Run, Scheme, Segment, Slash, Style, TextSource, UrlProgram};

/// Styles in which a run of components may be written.
const RUN_STYLES: [Style; 3] = [Style::AsIs, Style::Lower, Style::LowerDashes];

/// Minimum number of components of a run.
const MIN_RUN_LENGTH: usize = 2;

/// How the components of the new path are produced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathStrategy {
    /// A run of consecutive components of the old path is copied.
    WithRun,
    /// Each component is produced separately.
    WithoutRun,
}

/// An example with all choices for the parts of its new URL.
pub(super) struct Seed<'a> {
    example: &'a ParsedExample<'a>,
    /// The choices for each component of the new path.
    path: Vec<Vec<Choice>>,
    host: Vec<Choice>,
    /// The choices for the value of each parameter of the new query.
    query: Vec<(&'a str, Vec<Choice>)>,
}

impl<'a> Seed<'a> {
    pub(super) fn new(example: &'a ParsedExample<'a>) -> Self {
        let slices = text_slices(&example.old);
        let last = example.path.len().saturating_sub(1);
        let role = |at: usize| if at == last { Role::Name } else { Role::Directory(at) };
        let components = example.path.iter().enumerate();
        let new_query = example.query.filter(|query| example.old.raw_query != Some(query));
        let parameters = new_query.into_iter().flat_map(parameters);
        Self {
            example,
            path: components.map(|(at, target)| choices(&slices, target, role(at))).collect(),
            host: choices(&host_slices(&example.old), &example.host, Role::Host),
            query: parameters
                .map(|(name, value)| (name, choices(&slices, value, Role::Value)))
                .collect(),
        }
    }

    /// Drafts a program that reproduces the example. Uses the choices that are
    /// correct for most of `members`.
    pub(super) fn draft(
        &self,
        members: &[&ParsedExample],
        strategy: PathStrategy,
    ) -> Option<UrlProgram> {
        let path = match strategy {
            PathStrategy::WithRun => {
                let run = longest_run(&self.example.old.path, &self.example.path)?;
                self.path_with_run(members, run)?
            }
            PathStrategy::WithoutRun => self.path_without_run(members)?,
        };
        let trials: Vec<Trial> =
            members.iter().map(|member| (&member.old, member.host.as_str())).collect();
        let program = UrlProgram {
            old_query: OldQuery::Any,
            old_depth: None,
            scheme: scheme(members),
            host: choose(&self.host, &trials)?.parts.clone(),
            path,
            slash: slash(members),
            query: self.query(members)?,
        };
        depends_on_page(&program, self.example).then_some(program)
    }

    /// Produces each component separately.
    fn path_without_run(&self, members: &[&ParsedExample]) -> Option<Vec<Segment>> {
        let length = self.path.len();
        let same_length: Vec<&ParsedExample> =
            members.iter().copied().filter(|member| member.path.len() == length).collect();
        (0..length).map(|at| self.component(&same_length, at, |_| Some(at))).collect()
    }

    /// Copies a run of components and produces the others separately.
    fn path_with_run(&self, members: &[&ParsedExample], run: SharedRun) -> Option<Vec<Segment>> {
        let length = self.path.len();
        let before = 0..run.new_start;
        let after = run.new_start + run.length..length;
        let mut path: Vec<Segment> =
            before.map(|at| self.component(members, at, |_| Some(at))).collect::<Option<_>>()?;
        let leave = self.example.old.path.len() - run.old_start - run.length;
        path.push(Segment::Run { run: Run { skip: run.old_start, leave, style: run.style } });
        for at in after {
            // The run may have any length, so later components count from the end.
            let position = |count: usize| count.checked_sub(length - at);
            path.push(self.component(members, at, position)?);
        }
        Some(path)
    }

    /// Chooses how to produce one component of the new path. `position` returns
    /// its index in a path with the given number of components.
    fn component(
        &self,
        members: &[&ParsedExample],
        at: usize,
        position: impl Fn(usize) -> Option<usize>,
    ) -> Option<Segment> {
        let trials: Vec<Trial> = members
            .iter()
            .filter_map(|member| {
                let target = member.path.get(position(member.path.len())?)?;
                Some((&member.old, *target))
            })
            .collect();
        choose(self.path.get(at)?, &trials).map(|choice| Segment::Component(choice.parts.clone()))
    }

    fn query(&self, members: &[&ParsedExample]) -> Option<NewQuery> {
        if self.example.query.is_none() {
            return Some(NewQuery::None);
        }
        if self.query.is_empty() {
            return Some(NewQuery::Keep);
        }
        let value = |(at, (name, choices)): (usize, &(&str, Vec<Choice>))| {
            let trials: Vec<Trial> = members
                .iter()
                .filter_map(|member| {
                    let pair = parameters(member.query?).nth(at).filter(|(own, _)| own == name)?;
                    Some((&member.old, pair.1))
                })
                .collect();
            Some(((*name).to_owned(), choose(choices, &trials)?.parts.clone()))
        };
        self.query.iter().enumerate().map(value).collect::<Option<_>>().map(NewQuery::Make)
    }
}

/// Whether a program uses a part of the old page that distinguishes the page from
/// other pages of the directory. Otherwise the program would produce one URL for all pages.
fn depends_on_page(program: &UrlProgram, seed: &ParsedExample) -> bool {
    let count = seed.old.path.len();
    let is_below_directory = |at: i32| {
        let positions: Vec<usize> = (0..count).collect();
        nth(&positions, at).is_some_and(|position| position >= seed.depth)
    };
    let is_specific = |part: &Part| match part {
        Part::Text(_) => false,
        Part::Extract(extract) => match &extract.source {
            TextSource::Path(at) => is_below_directory(*at),
            TextSource::Query(_) | TextSource::Title(_) => true,
            TextSource::Date(_) | TextSource::Label(_) | TextSource::Host(_) => false,
        },
    };
    let in_path = program.path.iter().any(|segment| match segment {
        Segment::Component(parts) => parts.iter().any(is_specific),
        Segment::Run { run } => count - run.leave.min(count) > seed.depth.max(run.skip),
    });
    let in_query = match &program.query {
        NewQuery::None => false,
        NewQuery::Keep => !seed.old.query.is_empty(),
        NewQuery::Make(parameters) => {
            parameters.iter().any(|(_, value)| value.iter().any(is_specific))
        }
    };
    in_path || in_query
}

/// A run of components that the old and the new path share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SharedRun {
    old_start: usize,
    new_start: usize,
    length: usize,
    style: Style,
}

/// Returns the longest shared run of at least [`MIN_RUN_LENGTH`] components. Of two runs with
/// the same length, returns the run in the simpler style.
fn longest_run(old: &[&str], new: &[&str]) -> Option<SharedRun> {
    let mut best: Option<SharedRun> = None;
    for style in RUN_STYLES {
        let styled: Vec<_> = old
            .iter()
            .map(|text| apply_style((*text).into(), true, style).unwrap_or_default())
            .collect();
        for old_start in 0..old.len() {
            for new_start in 0..new.len() {
                let both = styled.iter().skip(old_start).zip(new.iter().skip(new_start));
                let length = both.take_while(|(old, new)| old.as_ref() == **new).count();
                if length > best.map_or(MIN_RUN_LENGTH - 1, |best| best.length) {
                    best = Some(SharedRun { old_start, new_start, length, style });
                }
            }
        }
    }
    best
}

fn parameters(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').map(|pair| pair.split_once('=').unwrap_or(("", pair)))
}

/// Returns the scheme of most examples.
fn scheme(members: &[&ParsedExample]) -> Scheme {
    let http = members.iter().filter(|member| member.scheme == Scheme::Http).count();
    if http * 2 > members.len() { Scheme::Http } else { Scheme::Https }
}

/// Returns the rule for the slash at the end of the path that most examples follow.
fn slash(members: &[&ParsedExample]) -> Slash {
    let count = |predicate: &dyn Fn(&ParsedExample) -> bool| {
        members.iter().filter(|member| predicate(member)).count()
    };
    let with = count(&|member| member.is_slashed);
    let unchanged = count(&|member| member.is_slashed == member.old.is_slashed);
    let without = members.len() - with;
    if with >= unchanged && with >= without {
        Slash::With
    } else if without >= unchanged {
        Slash::Without
    } else {
        Slash::Keep
    }
}
