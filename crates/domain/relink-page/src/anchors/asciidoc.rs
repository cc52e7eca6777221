//! Anchors of AsciiDoc: section titles, ids in brackets, `anchor:` macros.

use super::{Anchors, IncludedFile, NameCounts, slug};

/// Common values of `idprefix` and `idseparator`: the defaults of Asciidoctor
/// and of Antora.
const COMMON_STYLES: [(&str, &str); 2] = [("_", "_"), ("", "-")];

/// Adds the anchors of an AsciiDoc document.
pub(super) fn read_anchors(text: &str, anchors: &mut Anchors) {
    let configured = (
        attribute(text, ":idprefix:").unwrap_or("_"),
        attribute(text, ":idseparator:").unwrap_or("_"),
    );
    let mut counts: Vec<((&str, &str), NameCounts)> =
        COMMON_STYLES.into_iter().map(|style| (style, NameCounts::default())).collect();
    if !COMMON_STYLES.contains(&configured) {
        counts.push((configured, NameCounts::default()));
    }
    for line in text.lines() {
        if let Some(title) = title(line) {
            add_section(title, &mut counts, anchors);
        } else if let Some(list) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            add_block_ids(list.0, anchors);
        }
        add_ids_between(line, "[[", "]]", anchors);
        add_ids_between(line, "[#", "]", anchors);
        add_ids_between(line, "anchor:", "[", anchors);
        add_include(line, anchors);
    }
}

/// Adds the file of `include::path[]`. A path with an attribute is unknown.
fn add_include(line: &str, anchors: &mut Anchors) {
    let path = line.strip_prefix("include::").and_then(|rest| rest.split('[').next());
    match path {
        Some(path) if path.contains('{') => anchors.may_have_more = true,
        Some(path) => anchors.include(IncludedFile::Path(path.to_owned())),
        None => {}
    }
}

/// Returns the value of a document attribute.
fn attribute<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// Returns the text of a section title: `== Title` or `## Title`.
fn title(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('=');
    let text = if text.len() == line.len() { line.trim_start_matches('#') } else { text };
    let level = line.len() - text.len();
    let is_title = (1..=6).contains(&level) && text.starts_with(' ');
    is_title.then(|| text.trim())
}

fn add_section(title: &str, counts: &mut [((&str, &str), NameCounts)], anchors: &mut Anchors) {
    // A cross reference may use the title of a section.
    anchors.add(title);
    let plain = without_anchor(title);
    if let Some((before, rest)) = plain.split_once('{') {
        let after = rest.split_once('}').map_or("", |(_, after)| after);
        for (prefix, separator) in COMMON_STYLES {
            let (start, end) = (
                slug::asciidoctor(before, prefix, separator),
                slug::asciidoctor(after, "", separator),
            );
            anchors.add_pattern(start, end);
        }
    }
    for ((prefix, separator), counts) in counts {
        let anchor = slug::asciidoctor(&plain, prefix, separator);
        match counts.add(&anchor) {
            0 => anchors.add(anchor),
            count => anchors.add(format!("{anchor}{separator}{}", count + 1)),
        }
    }
}

/// Returns a title without the anchor before it.
fn without_anchor(title: &str) -> String {
    match title.strip_prefix("[[").and_then(|title| title.split_once("]]")) {
        Some((_, title)) => title.trim().to_owned(),
        None => title.to_owned(),
    }
}

/// Adds the ids in a block attribute list: `#id.role`, `style#id`, `id=name`.
fn add_block_ids(list: &str, anchors: &mut Anchors) {
    for part in list.split(',') {
        let part = part.trim();
        if let Some(id) = part.strip_prefix("id=") {
            anchors.add(id.trim_matches(['"', '\'']));
        } else if let Some((_, id)) = part.split_once('#') {
            anchors.add(bare_id(id));
        }
    }
}

/// Adds all ids of a line that are between `opening` and `closing`.
fn add_ids_between(line: &str, opening: &str, closing: &str, anchors: &mut Anchors) {
    let mut rest = line;
    while let Some((_, after)) = rest.split_once(opening) {
        let Some((id, after)) = after.split_once(closing) else { return };
        anchors.add(bare_id(id));
        rest = after;
    }
}

/// Returns the id without the role, option or label after it.
fn bare_id(id: &str) -> &str {
    id.split(['.', '%', ',', ']', ' ']).next().unwrap_or_default()
}
