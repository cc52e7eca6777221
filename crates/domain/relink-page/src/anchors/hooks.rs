//! Anchors that the plugins of a documentation project create from a notation in Markdown.
//!
//! `MkDocs` hooks replace comments such as `<!-- md:option name -->` with an
//! anchor of that name, and mdBook preprocessors replace lines such as
//! `r[rule.name]` with the anchor `r-rule.name`. The plugins are not executed; only
//! the notation is parsed.

use memchr::memmem;

use super::Anchors;
use super::includes::contains;
use crate::safe_slice::SafeSlice as _;

/// Names of plugin blocks that contain keys and values.
const DATA_BLOCKS: [&str; 4] = ["configuration", "configuration_basic", "options", "properties"];
/// Maximum length of the prefix (`md`) and of the kind (`option`) in a comment such as
/// `md:option`.
const MAX_KIND: usize = 20;

/// Adds the anchors of comments and of rules.
pub(super) fn add_hook_anchors(text: &str, anchors: &mut Anchors) {
    for at in memmem::find_iter(text.as_bytes(), "<!--") {
        let comment = text.slice(at + "<!--".len()..).split('\n').next().unwrap_or_default();
        for name in comment_names(comment.split("-->").next().unwrap_or_default()) {
            anchors.add(name);
            // Material for MkDocs marks the setting itself with a plus sign.
            anchors.add(format!("+{name}"));
        }
    }
    if contains(text, "\nr[") {
        for name in text.lines().filter_map(rule_name) {
            anchors.add(format!("r-{name}"));
        }
    }
}

/// Adds the anchor `grammar-NAME` for every production `NAME -> …` of a grammar. The
/// preprocessor `mdbook-spec` creates these anchors.
pub(super) fn add_grammars(text: &str, anchors: &mut Anchors) {
    if !contains(text, "```grammar") {
        return;
    }
    let mut is_grammar = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_grammar = line.starts_with("```grammar");
        } else if let Some((name, _)) = line.split_once(" ->").filter(|_| is_grammar) {
            let name = name.trim_start_matches("@root ");
            anchors.add(format!("grammar-{name}"));
        }
    }
}

/// Adds the keys in blocks of plugins, such as
/// `{% configuration %} … {% endconfiguration %}`, which are often headings.
pub(super) fn add_block_keys(text: &str, anchors: &mut Anchors) {
    // The tag that ends the current block, such as `endconfiguration`.
    let mut closing: Option<String> = None;
    for line in text.lines() {
        let tag = line.trim().strip_prefix("{%").map(|rest| rest.trim_start_matches('-').trim());
        let name = tag.and_then(|tag| tag.split([' ', '%', '-']).next()).unwrap_or_default();
        if closing.as_deref().is_some_and(|end| end == name) {
            closing = None;
        } else if closing.is_none() && DATA_BLOCKS.contains(&name) {
            closing = Some(format!("end{name}"));
        } else if closing.is_some()
            && let Some((key, _)) = line.trim().split_once(':')
            && !key.contains([' ', '"'])
        {
            anchors.add(key);
        }
    }
}

/// Returns the names in a comment of the form `prefix:kind name`; empty for other comments.
fn comment_names(comment: &str) -> impl Iterator<Item = &str> {
    let mut words = comment.split_whitespace();
    let kind = words.next().and_then(|word| word.split_once(':'));
    let is_word = |part: &str| {
        (1..=MAX_KIND).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let is_notation = kind.is_some_and(|(prefix, kind)| is_word(prefix) && is_word(kind));
    words.filter(move |_| is_notation)
}

/// Returns the name in a line `r[name]`.
fn rule_name(line: &str) -> Option<&str> {
    let name = line.trim_end().strip_prefix("r[")?.strip_suffix(']')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (!name.is_empty() && name.bytes().all(is_name)).then_some(name)
}
