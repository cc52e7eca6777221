//! Anchors of AsciiDoc: section titles, ids in brackets, `anchor:` macros.

use super::{Anchors, Counts, slug};

/// The prefix and the sign between words, as most sites have them: as
/// Asciidoctor does, and as Antora sets them.
const COMMON: [(&str, &str); 2] = [("_", "_"), ("", "-")];

/// Reads the anchors of AsciiDoc.
pub(super) fn read(text: &str, anchors: &mut Anchors) {
    let own = (attribute(text, ":idprefix:"), attribute(text, ":idseparator:"));
    let own = (own.0.unwrap_or("_"), own.1.unwrap_or("_"));
    let mut counts: Vec<((&str, &str), Counts)> =
        COMMON.into_iter().map(|style| (style, Counts::default())).collect();
    if !COMMON.contains(&own) {
        counts.push((own, Counts::default()));
    }
    for line in text.lines() {
        if let Some(title) = title(line) {
            section(title, &mut counts, anchors);
        } else if let Some(list) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            block(list.0, anchors);
        }
        between(line, "[[", "]]", anchors);
        between(line, "[#", "]", anchors);
        between(line, "anchor:", "[", anchors);
        anchors.is_open |= line.starts_with("include::");
    }
}

/// The value of a document's attribute.
fn attribute<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// The text of a section's title: `== Title` or, as in Markdown, `## Title`.
fn title(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('=');
    let text = if text.len() == line.len() { line.trim_start_matches('#') } else { text };
    let level = line.len() - text.len();
    let is_title = (1..=6).contains(&level) && text.starts_with(' ');
    is_title.then(|| text.trim())
}

fn section(title: &str, counts: &mut [((&str, &str), Counts)], anchors: &mut Anchors) {
    // A reference may name a section by its title.
    anchors.add(title);
    let plain = without_macros(title);
    for ((prefix, separator), counts) in counts {
        let anchor = slug::asciidoctor(&plain, prefix, separator);
        match counts.before(&anchor) {
            0 => anchors.add(anchor),
            again => anchors.add(format!("{anchor}{separator}{}", again + 1)),
        }
    }
}

/// A title without the anchor in front of it.
fn without_macros(title: &str) -> String {
    match title.strip_prefix("[[").and_then(|title| title.split_once("]]")) {
        Some((_, title)) => title.trim().to_owned(),
        None => title.to_owned(),
    }
}

/// `#id.role`, `style#id` and `id=name` in the brackets before a block.
fn block(list: &str, anchors: &mut Anchors) {
    for part in list.split(',') {
        let part = part.trim();
        if let Some(id) = part.strip_prefix("id=") {
            anchors.add(id.trim_matches(['"', '\'']));
        } else if let Some((_, id)) = part.split_once('#') {
            anchors.add(first_word(id));
        }
    }
}

/// Ids that stand between two signs, once or more often in a line.
fn between(line: &str, opening: &str, closing: &str, anchors: &mut Anchors) {
    let mut rest = line;
    while let Some((_, after)) = rest.split_once(opening) {
        let Some((id, after)) = after.split_once(closing) else { return };
        anchors.add(first_word(id));
        rest = after;
    }
}

/// What stands before a role, an option or a label.
fn first_word(id: &str) -> &str {
    id.split(['.', '%', ',', ']', ' ']).next().unwrap_or_default()
}
