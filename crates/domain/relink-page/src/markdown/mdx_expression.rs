//! Expressions of MDX in the destination of a link or image: `{require('./a.png').default}`
//! and names of imported files. Other expressions are placeholders.

use std::collections::HashSet;
use std::ops::Range;

use super::mdx::{is_relative_file, trailing_string};
use crate::safe_slice::SafeSlice as _;

/// Maximum number of imported names of one document.
const MAX_NAMES: usize = 1_000;

/// What an expression refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expression {
    /// The path in this range of the expression.
    Path(Range<usize>),
    /// A file that the document imports, so that the import is the link.
    Import,
    /// A value that is not known.
    Unknown,
}

/// Names of the files that a document imports by a relative path.
#[derive(Debug, Default)]
pub(crate) struct ImportedNames<'t>(HashSet<&'t str>);

impl<'t> ImportedNames<'t> {
    /// Reads the lines `import name from './file.png'`.
    pub(crate) fn read(text: &'t str) -> Self {
        let lines = text.lines().filter(|line| line.starts_with("import "));
        Self(lines.filter_map(imported_name).take(MAX_NAMES).collect())
    }

    /// Returns what the text in the braces of `{expression}` refers to.
    pub(crate) fn classify(&self, expression: &str) -> Expression {
        if let Some(path) = required_path(expression) {
            return Expression::Path(path);
        }
        // Astro images have the property `src`.
        let name = expression.trim();
        let name = name.strip_suffix(".src").unwrap_or(name);
        if self.0.contains(name) { Expression::Import } else { Expression::Unknown }
    }
}

/// Returns the name of an import of a relative file.
fn imported_name(line: &str) -> Option<&str> {
    let file = trailing_string(line)?;
    let name = line.strip_prefix("import ")?.split(" from ").next()?.trim();
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_$".contains(&byte));
    (is_name && !name.is_empty() && is_relative_file(line.slice(file))).then_some(name)
}

/// Returns the range of the path in `require('path')` and `require('path').default`.
fn required_path(expression: &str) -> Option<Range<usize>> {
    let start = expression.len() - expression.trim_start().len();
    let call = expression.slice(start..).strip_prefix("require(")?;
    let quote = call.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let (path, rest) = call.slice(1..).split_once(quote)?;
    let rest = rest.strip_prefix(')')?.trim_end();
    let start = start + "require(".len() + 1;
    // The name of a package is not a path.
    let is_path = path.starts_with(['.', '/', '~']) || path.starts_with("@site/");
    (is_path && matches!(rest, "" | ".default")).then_some(start..start + path.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the class of an expression in a document that imports `logo`, but neither
    /// `Tabs` nor `other`, as a file.
    #[track_caller]
    fn check(expression: &str, expected: &Expression) {
        let text = "import logo from './logo.png';\nimport { Tabs } from './tabs.jsx'\n\
            import other from 'package/file.png'\n";
        assert_eq!(&ImportedNames::read(text).classify(expression), expected, "{expression}");
    }

    #[test]
    fn classify_finds_required_paths_and_imported_files() {
        check("require('./a.png').default", &Expression::Path(9..16));
        check(" require(\"@site/static/a.png\")", &Expression::Path(10..28));
        check("logo", &Expression::Import);
        check("logo.src", &Expression::Import);
    }

    #[test]
    fn classify_does_not_evaluate_other_expressions() {
        for text in ["other", "Tabs", "props.url", "require('package')", "require('./a').b.c", ""] {
            check(text, &Expression::Unknown);
        }
    }
}
