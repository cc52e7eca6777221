//! Tables 1 and 2 of the paper on Walden's Paths (Dalal et al. 2004), and the same tables for
//! the data. The tables compare the angles between term vectors.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use relink_change::{AngleBand, AngleSettings, ContextFlag, ContextScore, PaperContext};

use super::judge;
use super::read::{Label, Page, Role};

/// A candidate, compared with the page that it would replace.
struct Replacement {
    label: Label,
    /// The angle between the replaced page and the candidate, in degrees.
    between: f64,
    /// How much nearer the candidate is to the context, in degrees.
    moved: f64,
    band: AngleBand,
}

/// The values in the paper.
const PAPER: &str = "\
Table 1 of the paper (degrees)
                     elephants              CNN Financial          same directory
angle to original    78.1 (30.8 to 88.1)    81.9 (77.0 to 87.7)    75.1 (35.1 to 84.5)
moved to context     -7.8 (-23.2 to 1.6)    -9.1 (-45.0 to 0.9)     1.9 (-15.2 to 14.3)
Table 2 of the paper
                     away    similar  toward
same directory        5.0 %  50.0 %   45.0 %
not a member         62.5 %  37.5 %    0.0 %
";

/// Returns the tables as text.
pub(super) fn report(all: &[Vec<Vec<Page>>], settings: &AngleSettings) -> String {
    let mut text = String::from(PAPER);
    let replacements: Vec<Replacement> =
        all.iter().flatten().flat_map(|pages| replacements(pages, settings)).collect();
    let mut groups: BTreeMap<Label, Vec<&Replacement>> = BTreeMap::new();
    for replacement in &replacements {
        groups.entry(replacement.label).or_default().push(replacement);
    }
    // Writing to a string cannot fail.
    let _ = writeln!(text, "Table 1 by the paper's measure on this data (degrees)");
    for (label, group) in &groups {
        let summary = |value: fn(&Replacement) -> f64| summary(group.iter().map(|it| value(it)));
        let _ = writeln!(
            text,
            "{label:?}: angle to original {}, moved to context {}",
            summary(|it| it.between),
            summary(|it| it.moved)
        );
    }
    let _ = writeln!(text, "Table 2 by the paper's measure on this data (away, similar, toward)");
    for (label, group) in &groups {
        let bands = [AngleBand::Away, AngleBand::Similar, AngleBand::Toward];
        let counts = bands.map(|band| group.iter().filter(|it| it.band == band).count());
        let _ = writeln!(text, "{}", shares(*label, counts));
    }
    let _ = writeln!(text, "Table 2 by the context score (out of place, unclear, fits)");
    context_scores(all, &mut text);
    text
}

/// Writes the number of candidates by label and by classification of the context score.
fn context_scores(all: &[Vec<Vec<Page>>], text: &mut String) {
    let mut groups: BTreeMap<Label, [usize; 3]> = BTreeMap::new();
    for judged in all.iter().flat_map(|collections| judge(&collections.iter().collect::<Vec<_>>()))
    {
        let flag = judged.fit.map_or(ContextFlag::Unclear, |fit| ContextScore::new(fit).flag());
        let column = match flag {
            ContextFlag::OutOfPlace => 0,
            ContextFlag::Unclear => 1,
            ContextFlag::Fits => 2,
        };
        groups.entry(judged.page.label).or_default()[column] += 1;
    }
    for (label, counts) in groups {
        let _ = writeln!(text, "{}", shares(label, counts));
    }
}

/// Compares each candidate with the replaced page.
fn replacements(pages: &[Page], settings: &AngleSettings) -> Vec<Replacement> {
    let with_role = |role| pages.iter().filter(move |page| page.role == role);
    let members = with_role(Role::Member).map(|page| &page.terms);
    let context = PaperContext::new(members, settings.clone());
    let Some(original) = with_role(Role::Replaced).next() else { return Vec::new() };
    let replacement = |page: &Page| {
        let moved = context.angle_change(&original.terms, &page.terms);
        let between = context.angle_between(&original.terms, &page.terms);
        Replacement { label: page.label, between, moved, band: context.band(moved) }
    };
    with_role(Role::Candidate).map(replacement).collect()
}

/// Returns each candidate with its movement toward the context, compared with the
/// replaced page, in degrees.
pub(super) fn moves<'p>(
    pages: &'p [Page],
    settings: &AngleSettings,
) -> impl Iterator<Item = (&'p Page, f64)> {
    let candidates = pages.iter().filter(|page| page.role == Role::Candidate);
    let moved = replacements(pages, settings).into_iter().map(|replacement| replacement.moved);
    candidates.zip(moved.collect::<Vec<f64>>())
}

/// Formats mean, range and standard deviation.
fn summary(values: impl Iterator<Item = f64>) -> String {
    let values: Vec<f64> = values.collect();
    let count = number(values.len());
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{mean:.1} ({low:.1} to {high:.1}, deviation {deviation:.2})")
}

/// Formats three counts as percentages of their sum.
fn shares(label: Label, counts: [usize; 3]) -> String {
    let total = number(counts.iter().sum());
    let [one, two, three] = counts.map(|count| 100.0 * number(count) / total);
    format!("{:8} {one:>5.1} % {two:>5.1} % {three:>5.1} %", format!("{label:?}"))
}

#[expect(clippy::cast_precision_loss, reason = "a data set has fewer than 2^52 pages")]
fn number(count: usize) -> f64 {
    count as f64
}
