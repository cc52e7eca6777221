//! Anchors of reStructuredText: section titles, targets, named directives.

use super::{Anchors, Counts, slug};
use crate::cut::Cut as _;

/// What takes in other text, whose anchors are then the document's own.
const INCLUDES: [&str; 3] = [".. include::", ".. auto", ".. doxygen"];

/// Reads the anchors of reStructuredText.
pub(super) fn read(text: &str, anchors: &mut Anchors) {
    let mut counts = Counts::default();
    let mut last = "";
    for line in text.lines() {
        let written = line.trim();
        if is_adornment(line) && is_title(last, line) {
            title(last.trim(), &mut counts, anchors);
        }
        if let Some(target) = target(written) {
            name(target, anchors);
        } else if let Some(given) = written.strip_prefix(":name:") {
            name(given.trim(), anchors);
        } else if let Some(label) = footnote(written) {
            anchors.add(format!("footnote-{label}"));
            anchors.add(slug::docutils(label));
        }
        anchors.is_open |= INCLUDES.iter().any(|include| written.starts_with(include));
        inline_targets(line, anchors);
        last = line;
    }
    anchors.fold();
}

/// A line of one sign, at the left.
fn is_adornment(line: &str) -> bool {
    let line = line.trim_end();
    let Some(sign) = line.bytes().next().filter(u8::is_ascii_punctuation) else { return false };
    line.len() >= 2 && line.bytes().all(|byte| byte == sign)
}

/// Whether a line is the title that the adornment below it belongs to.
fn is_title(line: &str, adornment: &str) -> bool {
    let title = line.trim();
    !title.is_empty()
        && !is_adornment(line)
        && (title.chars().count() <= adornment.trim_end().len() || adornment.len() >= 4)
}

fn title(text: &str, counts: &mut Counts, anchors: &mut Anchors) {
    let anchor = slug::docutils(&without_markup(text));
    match counts.before(&anchor) {
        0 => anchors.add(anchor),
        again => {
            anchors.add(format!("{anchor}-{again}"));
            anchors.add(format!("id{again}"));
        }
    }
}

/// A title without roles, backquotes and stars.
fn without_markup(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let role = before.rfind(':').filter(|end| *end + 1 == before.len());
        let start = role.and_then(|end| before.cut(..end).rfind(':'));
        plain.push_str(before.cut(..start.unwrap_or(before.len())));
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// The name in `.. _name:`.
fn target(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(".. _")?;
    match rest.strip_prefix('`') {
        Some(quoted) => quoted.split_once('`').map(|(name, _)| name),
        None => rest.split_once(':').map(|(name, _)| name),
    }
}

/// A target is known by its name and by the id made of it.
fn name(given: &str, anchors: &mut Anchors) {
    anchors.add(given);
    anchors.add(slug::docutils(given));
}

/// The label in `.. [label] text`.
fn footnote(line: &str) -> Option<&str> {
    line.strip_prefix(".. [")?.split_once(']').map(|(label, _)| label)
}

/// ``_`name` `` within a line.
fn inline_targets(line: &str, anchors: &mut Anchors) {
    let mut rest = line;
    while let Some((_, after)) = rest.split_once("_`") {
        let Some((target, after)) = after.split_once('`') else { return };
        name(target, anchors);
        rest = after;
    }
}
