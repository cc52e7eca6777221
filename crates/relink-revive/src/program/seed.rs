//! Programs that fit one example, shaped by others like it.

use super::facts::nth;
use super::prepared::Prepared;
use super::price::Role;
use super::slot::{Cut, Trial, choices, choose, cuts, host_cuts};
use super::text::written;
use super::{NewQuery, OldQuery, Part, Run, Scheme, Segment, Slash, Source, Style, UrlProgram};

/// Styles in which a whole run of components may be written.
const RUN_STYLES: [Style; 3] = [Style::AsIs, Style::Lower, Style::LowerDashes];

/// Fewer components make no run.
const SHORTEST_RUN: usize = 2;

/// How a path is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// A run of components together.
    WithRun,
    /// Each component by itself.
    Plain,
}

/// Drafts a program that makes `seed` right, each choice being the one that is
/// right for most of `members`.
pub(super) fn draft(seed: &Prepared, members: &[&Prepared], manner: Manner) -> Option<UrlProgram> {
    let run = match manner {
        Manner::WithRun => Some(longest_run(&seed.facts.path, &seed.path)?),
        Manner::Plain => None,
    };
    let cuts = cuts(&seed.facts);
    let path = match run {
        Some(run) => path_with_run(seed, members, &cuts, run)?,
        None => plain_path(seed, members, &cuts)?,
    };
    let program = UrlProgram {
        old_query: OldQuery::Any,
        old_depth: None,
        scheme: scheme(members),
        host: host(seed, members)?,
        path,
        slash: slash(members),
        query: query(seed, members, &cuts),
    };
    is_telling(&program, seed).then_some(program)
}

/// Whether a program looks at what tells pages of the directory apart.
/// Otherwise it would send all of them to one place.
fn is_telling(program: &UrlProgram, seed: &Prepared) -> bool {
    let count = seed.facts.path.len();
    let is_beyond = |at: i32| {
        let places: Vec<usize> = (0..count).collect();
        nth(&places, at).is_some_and(|place| place >= seed.depth)
    };
    let tells = |part: &Part| match part {
        Part::Text(_) => false,
        Part::Take(take) => match &take.source {
            Source::Path(at) => is_beyond(*at),
            Source::Query(_) | Source::Title(_) => true,
            Source::Date(_) | Source::Label(_) | Source::Host(_) => false,
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

fn host(seed: &Prepared, members: &[&Prepared]) -> Option<Vec<Part>> {
    let trials: Vec<Trial> =
        members.iter().map(|member| (&member.facts, member.host.as_str())).collect();
    let choices = choices(&host_cuts(&seed.facts), &seed.host, Role::Host);
    choose(choices, &trials).map(|choice| choice.parts)
}

/// Each component by itself.
fn plain_path(seed: &Prepared, members: &[&Prepared], cuts: &[Cut]) -> Option<Vec<Segment>> {
    let length = seed.path.len();
    let alike: Vec<&Prepared> =
        members.iter().copied().filter(|member| member.path.len() == length).collect();
    (0..length)
        .map(|at| {
            let place = i32::try_from(at).ok()?;
            component(seed, &alike, cuts, place, length)
        })
        .collect()
}

/// A run of components moved together, and the others each by itself.
fn path_with_run(
    seed: &Prepared,
    members: &[&Prepared],
    cuts: &[Cut],
    found: FoundRun,
) -> Option<Vec<Segment>> {
    let length = seed.path.len();
    let before = (0..found.new_start).map(|at| i32::try_from(at).ok());
    let behind = length - found.new_start - found.length;
    let after = (1..=behind).rev().map(|back| i32::try_from(back).ok().map(|back| -back));
    let mut made = |place: Option<i32>| component(seed, members, cuts, place?, length);
    let mut path: Vec<Segment> = before.map(&mut made).collect::<Option<_>>()?;
    let leave = seed.facts.path.len() - found.old_start - found.length;
    path.push(Segment::Run { run: Run { skip: found.old_start, leave, style: found.style } });
    for place in after {
        path.push(made(place)?);
    }
    Some(path)
}

/// One component of the new path. Places count from the front, or from -1 at
/// the back.
fn component(
    seed: &Prepared,
    members: &[&Prepared],
    cuts: &[Cut],
    place: i32,
    length: usize,
) -> Option<Segment> {
    let target = nth(&seed.path, place)?;
    let is_last = place == -1 || usize::try_from(place).is_ok_and(|at| at + 1 == length);
    let role = match usize::try_from(place) {
        _ if is_last => Role::Name,
        Ok(at) => Role::Directory(at),
        Err(_) => Role::Directory(length),
    };
    let trials: Vec<Trial> = members
        .iter()
        .filter_map(|member| Some((&member.facts, nth(&member.path, place)?)))
        .collect();
    choose(choices(cuts, target, role), &trials).map(|choice| Segment::Component(choice.parts))
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
                let both = spelt[old_start..].iter().zip(&new[new_start..]);
                let length = both.take_while(|(old, new)| old.as_ref() == **new).count();
                if length > best.map_or(SHORTEST_RUN - 1, |best| best.length) {
                    best = Some(FoundRun { old_start, new_start, length, style });
                }
            }
        }
    }
    best
}

fn query(seed: &Prepared, members: &[&Prepared], cuts: &[Cut]) -> NewQuery {
    let Some(text) = seed.query else { return NewQuery::None };
    if seed.facts.raw_query == Some(text) {
        return NewQuery::Keep;
    }
    let mut parameters = Vec::new();
    for (at, (name, value)) in pairs(text).enumerate() {
        let trials: Vec<Trial> = members
            .iter()
            .filter_map(|member| {
                let pair = pairs(member.query?).nth(at).filter(|(own, _)| *own == name)?;
                Some((&member.facts, pair.1))
            })
            .collect();
        let Some(choice) = choose(choices(cuts, value, Role::Value), &trials) else { continue };
        parameters.push((name.to_owned(), choice.parts));
    }
    NewQuery::Make(parameters)
}

fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').map(|pair| pair.split_once('=').unwrap_or(("", pair)))
}

fn scheme(members: &[&Prepared]) -> Scheme {
    let plain = members.iter().filter(|member| member.scheme == Scheme::Http).count();
    if plain * 2 > members.len() { Scheme::Http } else { Scheme::Https }
}

fn slash(members: &[&Prepared]) -> Slash {
    let count =
        |holds: &dyn Fn(&Prepared) -> bool| members.iter().filter(|member| holds(member)).count();
    let with = count(&|member| member.is_slashed);
    let kept = count(&|member| member.is_slashed == member.facts.is_slashed);
    let without = members.len() - with;
    match () {
        () if with >= kept && with >= without => Slash::With,
        () if without >= kept => Slash::Without,
        () => Slash::Keep,
    }
}
