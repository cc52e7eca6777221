//! Finds keys and values in YAML, TOML, JSON and JavaScript with one scanner.
//!
//! It does not parse these languages. It finds `key: value`, `key = value` and
//! `"key": value` at any depth, and skips lines that are comments.

/// A value that follows a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value<'t> {
    /// A string or another scalar.
    Text(&'t str),
    /// A list or an object: the text after the colon.
    Rest(&'t str),
}

/// Returns the scalar values of a key, in order.
pub(crate) fn texts<'t>(config: &'t str, key: &str) -> Vec<&'t str> {
    let text = |value| match value {
        Value::Text(text) => Some(text),
        Value::Rest(_) => None,
    };
    occurrences(config, key).into_iter().filter_map(text).collect()
}

/// Returns the first scalar value of a key.
pub(crate) fn text<'t>(config: &'t str, key: &str) -> Option<&'t str> {
    texts(config, key).first().copied()
}

/// Returns the scalar value of a key that is not nested.
pub(crate) fn top_level<'t>(config: &'t str, key: &str) -> Option<&'t str> {
    let is_key = |line: &&str| {
        let rest = line.strip_prefix(key).map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with([':', '=']))
    };
    text(config.lines().find(is_key)?, key)
}

/// Returns the scalar or list values of a key, flattened.
pub(crate) fn list<'t>(config: &'t str, key: &str) -> Vec<&'t str> {
    let mut all = Vec::new();
    for value in occurrences(config, key) {
        match value {
            Value::Text(text) => all.push(text),
            Value::Rest(rest) => all.extend(items(rest)),
        }
    }
    all
}

/// Returns the texts in braces, brackets or an indented block after a key.
pub(crate) fn blocks<'t>(config: &'t str, key: &str) -> Vec<&'t str> {
    let block = |value| match value {
        Value::Rest(rest) => Some(block(rest)),
        Value::Text(_) => None,
    };
    occurrences(config, key).into_iter().filter_map(block).collect()
}

/// Returns the offsets of a key, in order.
pub(crate) fn positions(config: &str, key: &str) -> Vec<usize> {
    keys(config, key).map(|(at, _)| at).collect()
}

/// Returns all values of a key, in order.
fn occurrences<'t>(config: &'t str, key: &str) -> Vec<Value<'t>> {
    keys(config, key).map(|(_, value)| value).collect()
}

/// Returns the offsets of a key and the values after it.
fn keys<'t>(config: &'t str, key: &str) -> impl Iterator<Item = (usize, Value<'t>)> {
    config.match_indices(key).filter_map(move |(at, _)| {
        let value = config.get(at + key.len()..).and_then(value_after)?;
        is_key_start(config, at).then_some((at, value))
    })
}

/// Whether a key can start here: not inside of a word or a comment.
fn is_key_start(config: &str, at: usize) -> bool {
    let before = config.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_comment = ["//", "#", "*", "/*"].iter().any(|mark| line.trim_start().starts_with(mark));
    let is_inside_word = line
        .ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | '-' | '.' | '/'));
    !is_comment && !is_inside_word
}

/// Returns the value after a key, if a colon or an equals sign follows.
fn value_after(rest: &str) -> Option<Value<'_>> {
    let rest = rest.trim_start_matches(['"', '\'', '`']);
    let rest = rest.trim_start_matches([' ', '\t', '?']);
    let rest = rest.strip_prefix(':').or_else(|| rest.strip_prefix('='))?;
    let value = rest.trim_start_matches([' ', '\t']);
    if value.starts_with(['\n', '\r', '{', '[', '#']) || value.is_empty() {
        return Some(Value::Rest(value));
    }
    scalar(value).map(Value::Text)
}

/// Returns the scalar at the start of a text.
fn scalar(text: &str) -> Option<&str> {
    let quote = text.chars().next()?;
    if matches!(quote, '"' | '\'' | '`') {
        return text.get(1..)?.split(quote).next();
    }
    let end = text.find(['\n', '\r', ',', '}']).unwrap_or(text.len());
    let bare = text.get(..end)?;
    let bare = bare.split(" #").next().unwrap_or_default().trim();
    Some(bare.trim_end_matches(';'))
}

/// Returns the items of a list: `[a, 'b']` or lines with `- a`.
fn items(rest: &str) -> Vec<&str> {
    if let Some(inline) = rest.strip_prefix('[') {
        let inside = inline.split(']').next().unwrap_or_default();
        let items = inside.split([',', '\n']).map(trim_item);
        return items.filter(|item| !item.is_empty()).collect();
    }
    let is_skipped = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let lines = rest.lines().filter(|line| !is_skipped(line));
    let items = lines.map(str::trim).take_while(|line| line.starts_with("- "));
    items.filter_map(|line| line.strip_prefix("- ")).map(trim_item).collect()
}

fn trim_item(item: &str) -> &str {
    item.trim().trim_matches(['"', '\'', '`']).trim()
}

/// Returns a block: the text in balanced braces or brackets, or the lines that
/// are indented more than the key.
fn block(rest: &str) -> &str {
    if rest.starts_with(['{', '[']) {
        return balanced(rest);
    }
    let body = rest.split_once('\n').map_or("", |(_, body)| body);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let first = body.lines().find(|line| !line.trim().is_empty()).map_or(0, indent);
    let mut length = 0;
    for line in body.split_inclusive('\n') {
        let is_inside = line.trim().is_empty() || indent(line) >= first;
        let is_table = first == 0 && line.trim_start().starts_with('[');
        if !is_inside || is_table {
            break;
        }
        length += line.len();
    }
    body.get(..length).unwrap_or_default()
}

/// Returns the text up to the bracket that closes the first one.
pub(crate) fn balanced(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '{' | '[' => depth += 1,
            '}' | ']' if depth <= 1 => return text.get(..=at).unwrap_or_default(),
            '}' | ']' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// Returns the innermost braces around an offset.
pub(crate) fn enclosing(text: &str, at: usize) -> &str {
    let mut depth = 0_usize;
    for (start, character) in text.get(..at).unwrap_or_default().char_indices().rev() {
        match character {
            '}' => depth += 1,
            '{' if depth == 0 => return balanced(text.get(start..).unwrap_or_default()),
            '{' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// Returns the pairs of a map: `a: b`, `"a" = "b"` or `'a': 'b',`.
pub(crate) fn pairs(block: &str) -> Vec<(&str, &str)> {
    let inside = block.trim().trim_start_matches('{').trim_end_matches('}');
    inside.split([',', '\n']).filter_map(pair).collect()
}

fn pair(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if line.starts_with('#') || line.starts_with("//") {
        return None;
    }
    let quote = line.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'));
    let (key, rest) = if let Some(quote) = quote {
        line.get(1..)?.split_once(quote)?
    } else {
        let end = line.find([':', '='])?;
        (line.get(..end)?.trim(), line.get(end..)?)
    };
    let value = rest.trim_start().strip_prefix([':', '='])?.trim();
    let value = scalar(value).unwrap_or_default();
    (!key.is_empty() && !value.is_empty()).then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_four_languages() {
        let configs = [
            "docs_dir: manual # comment\n",
            "docs_dir = \"manual\"\n",
            "{ \"docs_dir\": \"manual\" }",
            "export default { docs_dir: 'manual', x: 1 }",
        ];
        for config in configs {
            assert_eq!(text(config, "docs_dir"), Some("manual"), "{config}");
        }
        assert_eq!(text("# docs_dir: x\nmy_docs_dir: y\n", "docs_dir"), None);
    }

    #[test]
    fn list_reads_inline_and_indented_items() {
        assert_eq!(list("from: ['/a', \"/b\"]", "from"), ["/a", "/b"]);
        assert_eq!(list("from:\n  - /a\n  - '/b'\nto: /c", "from"), ["/a", "/b"]);
        assert_eq!(list("from: /a", "from"), ["/a"]);
    }

    #[test]
    fn blocks_end_with_their_bracket_or_indentation() {
        assert_eq!(blocks("a: { b: { c: 1 } }, d: 2", "a"), ["{ b: { c: 1 } }"]);
        assert_eq!(blocks("a:\n  b: 1\n  c: 2\nd: 3\n", "a"), ["  b: 1\n  c: 2\n"]);
    }

    #[test]
    fn pairs_reads_maps() {
        assert_eq!(pairs("  'a.md': b.md\n  c.md: 'd.md'\n"), [("a.md", "b.md"), ("c.md", "d.md")]);
        assert_eq!(pairs("{'/a': '/b', '/c': '/d'}"), [("/a", "/b"), ("/c", "/d")]);
        assert_eq!(pairs("\"/a\" = \"b\"\n"), [("/a", "b")]);
    }
}
