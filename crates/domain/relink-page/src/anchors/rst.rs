//! Anchors of reStructuredText: section titles, targets, named directives.

use super::{Anchors, IncludedFile, NameCounts, slug};
use crate::safe_slice::SafeSlice as _;

/// Prefixes of directives that insert text from source code, such as
/// `.. autoclass::`. The anchors of that text are not known.
const GENERATING_DIRECTIVES: [&str; 6] =
    [".. auto", ".. doxygen", ".. click::", ".. argparse::", ".. program-output::", ".. toctree-"];

/// Adds the anchors of a reStructuredText document.
pub(super) fn read_anchors(text: &str, anchors: &mut Anchors) {
    let mut counts = NameCounts::default();
    let mut previous = "";
    for line in text.lines() {
        let trimmed = line.trim();
        if is_adornment(line) && is_title(previous, line) {
            add_title(previous.trim(), &mut counts, anchors);
        }
        if let Some(target) = target(trimmed) {
            add_name(target, anchors);
        } else if let Some(name) = trimmed.strip_prefix(":name:") {
            add_name(name.trim(), anchors);
        } else if let Some(label) = footnote(trimmed) {
            anchors.add(format!("footnote-{label}"));
            anchors.add(slug::docutils(label));
        }
        anchors.may_have_more |= GENERATING_DIRECTIVES.iter().any(|name| trimmed.starts_with(name));
        if let Some(path) = trimmed.strip_prefix(".. include::") {
            anchors.include(IncludedFile::Path(path.trim().to_owned()));
        }
        add_inline_targets(line, anchors);
        previous = line;
    }
    // docutils compares the names of targets without regard to case.
    anchors.ignore_case();
}

/// Whether the line repeats one punctuation character and is not indented.
fn is_adornment(line: &str) -> bool {
    let line = line.trim_end();
    let Some(character) = line.bytes().next().filter(u8::is_ascii_punctuation) else {
        return false;
    };
    line.len() >= 2 && line.bytes().all(|byte| byte == character)
}

/// Whether a line is a section title underlined by `adornment`. As in docutils,
/// an underline shorter than its title needs at least four characters.
fn is_title(line: &str, adornment: &str) -> bool {
    let title = line.trim();
    !title.is_empty()
        && !is_adornment(line)
        && (title.chars().count() <= adornment.trim_end().len() || adornment.len() >= 4)
}

fn add_title(text: &str, counts: &mut NameCounts, anchors: &mut Anchors) {
    let anchor = slug::docutils(&without_markup(text));
    let earlier_count = counts.add(&anchor);
    match earlier_count {
        0 => anchors.add(anchor),
        // docutils names a repeated title `title-1` or `id1`, depending on its
        // setting `auto_id_prefix`.
        count => {
            anchors.add(format!("{anchor}-{count}"));
            anchors.add(format!("id{count}"));
        }
    }
}

/// Returns a title without backquotes and the roles before them: ``:ref:`owls` ``
/// becomes `owls`.
fn without_markup(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let role_start = before.strip_suffix(':').and_then(|role| role.rfind(':'));
        plain.push_str(before.slice(..role_start.unwrap_or(before.len())));
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// Returns the name in `.. _name:`.
fn target(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(".. _")?;
    match rest.strip_prefix('`') {
        Some(quoted) => quoted.split_once('`').map(|(name, _)| name),
        None => rest.split_once(':').map(|(name, _)| name),
    }
}

/// Adds a name and the id that docutils derives from the name. As in docutils, tabs and
/// repeated spaces in a name count as one space.
fn add_name(name: &str, anchors: &mut Anchors) {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    anchors.add(slug::docutils(&name));
    anchors.add(name);
}

/// Returns the label in `.. [label] text`, which has no spaces.
fn footnote(line: &str) -> Option<&str> {
    let (label, _) = line.strip_prefix(".. [")?.split_once(']')?;
    (!label.contains(char::is_whitespace)).then_some(label)
}

/// Adds the inline targets, ``_`name` ``, of a line.
fn add_inline_targets(line: &str, anchors: &mut Anchors) {
    let mut rest = line;
    while let Some((_, after)) = rest.split_once("_`") {
        let Some((target, after)) = after.split_once('`') else { return };
        add_name(target, anchors);
        rest = after;
    }
}
