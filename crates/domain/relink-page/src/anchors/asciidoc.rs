//! Anchors of AsciiDoc: section titles, ids in brackets, `anchor:` macros.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Anchors, IncludedFile, NameCounts, slug};
use crate::safe_slice::SafeSlice as _;

/// Maximum number of document attributes of one document.
const MAX_ATTRIBUTES: usize = 10_000;

/// Common values of `idprefix` and `idseparator`: the defaults of Asciidoctor
/// and of Antora.
const COMMON_STYLES: [(&str, &str); 2] = [("_", "_"), ("", "-")];

/// Adds the anchors of an AsciiDoc document.
pub(super) fn read_anchors(text: &str, anchors: &mut Anchors) {
    // A style is a pair of `idprefix` and `idseparator`. The anchors of all styles are added.
    let configured = (
        attribute(text, ":idprefix:").unwrap_or("_"),
        attribute(text, ":idseparator:").unwrap_or("_"),
    );
    let mut counts_by_style: Vec<((&str, &str), NameCounts)> =
        COMMON_STYLES.into_iter().map(|style| (style, NameCounts::default())).collect();
    if !COMMON_STYLES.contains(&configured) {
        counts_by_style.push((configured, NameCounts::default()));
    }
    let mut attributes = AttributeValues::default();
    let mut has_remote_text = false;
    for line in text.lines() {
        attributes.read_attribute(line);
        if let Some(title) = title(line) {
            add_section(title, &mut counts_by_style, anchors);
        } else if let Some((list, _)) = line.strip_prefix('[').and_then(|line| line.split_once(']'))
        {
            attributes.add_ids(list, anchors);
        }
        add_ids_between(line, "[[", "]]", anchors);
        add_labeled_ids(line, anchors);
        add_ids_between(line, "[#", "]", anchors);
        add_ids_between(line, "anchor:", "[", anchors);
        has_remote_text |= add_include(line, anchors);
    }
    // Text from another server rarely contains anchors that documents refer to.
    anchors.may_have_more |= has_remote_text && anchors.is_empty();
}

/// Adds the file of `include::path[]`. The path may contain attributes of the site. Returns
/// whether the path is a URL.
fn add_include(line: &str, anchors: &mut Anchors) -> bool {
    let path = line.strip_prefix("include::").and_then(|rest| rest.split('[').next());
    let is_remote = path.is_some_and(|path| path.contains("://"));
    if let Some(path) = path.filter(|_| !is_remote) {
        anchors.include(IncludedFile::Path(path.to_owned()));
    }
    is_remote
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

/// Adds the anchors of a section, one for each style in `counts_by_style`.
fn add_section(
    title: &str,
    counts_by_style: &mut [((&str, &str), NameCounts)],
    anchors: &mut Anchors,
) {
    // A cross reference may use the title of a section.
    anchors.add(title);
    let plain = without_anchor(title);
    let plain = without_macros(&plain);
    // An attribute such as `{name}` stands for any text.
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
    for ((prefix, separator), counts) in counts_by_style {
        let anchor = slug::asciidoctor(&plain, prefix, separator);
        match counts.add(&anchor) {
            0 => anchors.add(anchor),
            count => anchors.add(format!("{anchor}{separator}{}", count + 1)),
        }
    }
}

/// Returns a title without an anchor `[[id]]` at its start.
fn without_anchor(title: &str) -> String {
    match title.strip_prefix("[[").and_then(|title| title.split_once("]]")) {
        Some((_, title)) => title.trim().to_owned(),
        None => title.to_owned(),
    }
}

/// Values of the document attributes that were set so far, by name. An id may refer to
/// attributes: `[#{name}-install]`.
#[derive(Default)]
struct AttributeValues(HashMap<String, String>);

impl AttributeValues {
    /// Records the attribute that a line sets.
    fn read_attribute(&mut self, line: &str) {
        let Some((name, value)) = line.strip_prefix(':').and_then(|rest| rest.split_once(": "))
        else {
            return;
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if self.0.len() < MAX_ATTRIBUTES && name.bytes().all(is_name) {
            self.0.insert(name.to_owned(), value.trim().to_owned());
        }
    }

    /// Adds the ids in a block attribute list: `#id.role`, `style#id`, `id=name`.
    fn add_ids(&self, list: &str, anchors: &mut Anchors) {
        for part in list.split(',') {
            let part = part.trim();
            if let Some(id) = part.strip_prefix("id=") {
                self.add_id(id.trim_matches(['"', '\'']), anchors);
            } else if let Some((_, id)) = part.split_once('#') {
                self.add_id(bare_id(id), anchors);
            }
        }
    }

    /// Adds an id. An attribute without a known value stands for any text.
    fn add_id(&self, id: &str, anchors: &mut Anchors) {
        let reference = id.split_once('{').and_then(|(before, rest)| {
            let (name, after) = rest.split_once('}')?;
            Some((before, name, after))
        });
        match reference {
            None => anchors.add(id),
            Some((before, name, after)) => match self.0.get(name) {
                Some(value) => anchors.add(format!("{before}{value}{after}")),
                None => anchors.add_pattern(before.to_owned(), after.to_owned()),
            },
        }
    }
}

/// Returns a title with the texts of its macros: `link:url[text]` becomes `text`.
fn without_macros(title: &str) -> Cow<'_, str> {
    let is_macro = |word: &str| {
        ["link:", "xref:", "http://", "https://"].iter().any(|start| word.starts_with(start))
    };
    // The first letters of the macros. Only these positions are examined.
    let starts = title.match_indices(['l', 'x', 'h']).map(|(at, _)| at);
    let mut output = String::new();
    // End of the part of the title that is already in `output`.
    let mut done = 0;
    for start in starts {
        let is_word_start = start == 0 || title.slice(..start).ends_with([' ', '(', '`', '*']);
        if start < done || !is_word_start || !is_macro(title.slice(start..)) {
            continue;
        }
        let Some((target, rest)) = title.slice(start..).split_once('[') else { break };
        let Some((text, _)) = rest.split_once(']') else { break };
        output.push_str(title.slice(done..start));
        output.push_str(text.trim_end_matches('^'));
        done = start + target.len() + text.len() + "[]".len();
    }
    if done == 0 {
        return Cow::Borrowed(title);
    }
    output.push_str(title.slice(done..));
    Cow::Owned(output)
}

/// Adds the ids of `[[id,label]]`, which may contain dots.
fn add_labeled_ids(line: &str, anchors: &mut Anchors) {
    for part in line.split("[[").skip(1) {
        if let Some((id, _)) = part.split_once("]]") {
            anchors.add(id.split(',').next().unwrap_or_default());
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
