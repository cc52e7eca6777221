//! Programs that fit one example, shaped by others like it.

use super::facts::nth;
use super::prepared::ParsedExample;
use super::price::Role;
use super::slot::{Choice, Trial, choices, choose, cuts, host_cuts};
use super::text::written;
use super::{NewQuery, OldQuery, Part, Run, Scheme, Segment, Slash, Style, TextSource, UrlProgram};

/// Styles in which a whole run of components may be written.
const RUN_STYLES: [Style; 3] = [Style::AsIs, Style::Lower, Style::LowerDashes];

/// Fewer components make no run.
const SHORTEST_RUN: usize = 2;

/// How a path is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathStrategy {
    /// A run of components together.
    WithRun,
    /// Each component by itself.
    Plain,
}

/// An example that may found a program, with all ways to make its parts.
pub(super) struct Seed<'a> {
    example: &'a ParsedExample<'a>,
    /// Of each component of the new path.
    path: Vec<Vec<Choice>>,
    host: Vec<Choice>,
    /// Of each parameter of the new query.
    query: Vec<(&'a str, Vec<Choice>)>,
}

impl<'a> Seed<'a> {
    pub(super) fn of(example: &'a ParsedExample<'a>) -> Self {
        let cuts = cuts(&example.facts);
        let last = example.path.len().saturating_sub(1);
        let role = |at: usize| if at == last { Role::Name } else { Role::Directory(at) };
        let components = example.path.iter().enumerate();
        let made = example.query.filter(|query| example.facts.raw_query != Some(query));
        let parameters = made.into_iter().flat_map(pairs);
        Self {
            example,
            path: components.map(|(at, target)| choices(&cuts, target, role(at))).collect(),
            host: choices(&host_cuts(&example.facts), &example.host, Role::Host),
            query: parameters
                .map(|(name, value)| (name, choices(&cuts, value, Role::Value)))
                .collect(),
        }
    }

    /// Drafts a program that makes the seed right, each choice being the one
    /// that is right for most of `members`.
    pub(super) fn draft(
        &self,
        members: &[&ParsedExample],
        manner: PathStrategy,
    ) -> Option<UrlProgram> {
        let path = match manner {
            PathStrategy::WithRun => {
                let run = longest_run(&self.example.facts.path, &self.example.path)?;
                self.path_with_run(members, run)?
            }
            PathStrategy::Plain => self.plain_path(members)?,
        };
        let trials: Vec<Trial> =
            members.iter().map(|member| (&member.facts, member.host.as_str())).collect();
        let program = UrlProgram {
            old_query: OldQuery::Any,
            old_depth: None,
            scheme: scheme(members),
            host: choose(&self.host, &trials)?.parts.clone(),
            path,
            slash: slash(members),
            query: self.query(members)?,
        };
        is_telling(&program, self.example).then_some(program)
    }

    /// Each component by itself.
    fn plain_path(&self, members: &[&ParsedExample]) -> Option<Vec<Segment>> {
        let length = self.path.len();
        let alike: Vec<&ParsedExample> =
            members.iter().copied().filter(|member| member.path.len() == length).collect();
        (0..length).map(|at| self.component(&alike, at, |_| Some(at))).collect()
    }

    /// A run of components moved together, and the others each by itself.
    fn path_with_run(&self, members: &[&ParsedExample], found: FoundRun) -> Option<Vec<Segment>> {
        let length = self.path.len();
        let before = 0..found.new_start;
        let after = found.new_start + found.length..length;
        let mut path: Vec<Segment> =
            before.map(|at| self.component(members, at, |_| Some(at))).collect::<Option<_>>()?;
        let leave = self.example.facts.path.len() - found.old_start - found.length;
        path.push(Segment::Run { run: Run { skip: found.old_start, leave, style: found.style } });
        for at in after {
            // Behind a run of any length, components count from the back.
            let place = |count: usize| count.checked_sub(length - at);
            path.push(self.component(members, at, place)?);
        }
        Some(path)
    }

    /// One component of the new path; `place` tells where it stands in a path
    /// with so many components.
    fn component(
        &self,
        members: &[&ParsedExample],
        at: usize,
        place: impl Fn(usize) -> Option<usize>,
    ) -> Option<Segment> {
        let trials: Vec<Trial> = members
            .iter()
            .filter_map(|member| {
                let target = member.path.get(place(member.path.len())?)?;
                Some((&member.facts, *target))
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
                    let pair = pairs(member.query?).nth(at).filter(|(own, _)| own == name)?;
                    Some((&member.facts, pair.1))
                })
                .collect();
            Some(((*name).to_owned(), choose(choices, &trials)?.parts.clone()))
        };
        self.query.iter().enumerate().map(value).collect::<Option<_>>().map(NewQuery::Make)
    }
}

/// Whether a program looks at what tells pages of the directory apart.
/// Otherwise it would send all of them to one place.
fn is_telling(program: &UrlProgram, seed: &ParsedExample) -> bool {
    let count = seed.facts.path.len();
    let is_beyond = |at: i32| {
        let places: Vec<usize> = (0..count).collect();
        nth(&places, at).is_some_and(|place| place >= seed.depth)
    };
    let tells = |part: &Part| match part {
        Part::Text(_) => false,
        Part::Take(take) => match &take.source {
            TextSource::Path(at) => is_beyond(*at),
            TextSource::Query(_) | TextSource::Title(_) => true,
            TextSource::Date(_) | TextSource::Label(_) | TextSource::Host(_) => false,
        },
    };
    let in_path = program.path.iter().any(|segment| match segment {
        Segment::Component(parts) => parts.iter().any(tells),
        Segment::Run { run } => count - run.leave.min(count) > seed.depth.max(run.skip),
    });
    let in_query = match &program.query {
        NewQuery::None => false,
        NewQuery::Keep => !seed.facts.query.is_empty(),
        NewQuery::Make(parameters) => parameters.iter().any(|(_, value)| value.iter().any(tells)),
    };
    in_path || in_query
}

/// A run of components that the old and the new path share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FoundRun {
    old_start: usize,
    new_start: usize,
    length: usize,
    style: Style,
}

/// The longest, if any is long enough; of two, the one in the plainer style.
fn longest_run(old: &[&str], new: &[&str]) -> Option<FoundRun> {
    let mut best: Option<FoundRun> = None;
    for style in RUN_STYLES {
        let spelt: Vec<_> = old
            .iter()
            .map(|text| written((*text).into(), true, style).unwrap_or_default())
            .collect();
        for old_start in 0..old.len() {
            for new_start in 0..new.len() {
                let both = spelt.iter().skip(old_start).zip(new.iter().skip(new_start));
                let length = both.take_while(|(old, new)| old.as_ref() == **new).count();
                if length > best.map_or(SHORTEST_RUN - 1, |best| best.length) {
                    best = Some(FoundRun { old_start, new_start, length, style });
                }
            }
        }
    }
    best
}

fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').map(|pair| pair.split_once('=').unwrap_or(("", pair)))
}

fn scheme(members: &[&ParsedExample]) -> Scheme {
    let plain = members.iter().filter(|member| member.scheme == Scheme::Http).count();
    if plain * 2 > members.len() { Scheme::Http } else { Scheme::Https }
}

fn slash(members: &[&ParsedExample]) -> Slash {
    let count = |holds: &dyn Fn(&ParsedExample) -> bool| {
        members.iter().filter(|member| holds(member)).count()
    };
    let with = count(&|member| member.is_slashed);
    let kept = count(&|member| member.is_slashed == member.facts.is_slashed);
    let without = members.len() - with;
    match () {
        () if with >= kept && with >= without => Slash::With,
        () if without >= kept => Slash::Without,
        () => Slash::Keep,
    }
}
