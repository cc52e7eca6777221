//! Measures the sizes of files and functions for `cargo xtask tidy`.
//!
//! The sizes are printed to show growth. No rule limits them.

use std::fmt;

use crate::sources::Source;

/// Functions with more lines are listed.
const LONG_FUNCTION_LINES: usize = 60;

/// Sizes of files and functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeStats {
    /// The lengths of the files, ascending.
    files: Vec<usize>,
    /// The lengths of the functions, ascending.
    functions: Vec<usize>,
    /// Functions past [`LONG_FUNCTION_LINES`] lines, with path and line.
    long: Vec<String>,
}

impl SizeStats {
    /// Measures the sources.
    pub fn measure(sources: &[Source]) -> Self {
        let mut stats = Self { files: Vec::new(), functions: Vec::new(), long: Vec::new() };
        for source in sources {
            stats.files.push(source.text.lines().count());
            for function in find_functions(&source.blanked_text) {
                stats.functions.push(function.lines);
                if function.lines > LONG_FUNCTION_LINES {
                    let path = source.path.display();
                    stats.long.push(format!(
                        "{path}:{} `{}` has {} lines",
                        function.line, function.name, function.lines
                    ));
                }
            }
        }
        stats.files.sort_unstable();
        stats.functions.sort_unstable();
        stats
    }
}

impl fmt::Display for SizeStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, functions) = (&self.files, &self.functions);
        write!(
            f,
            "{} files, {} lines, file median {} p95 {} max {}; \
             {} functions, median {} p95 {} max {}, {} over {LONG_FUNCTION_LINES} lines",
            files.len(),
            files.iter().sum::<usize>(),
            percentile(files, 50),
            percentile(files, 95),
            percentile(files, 100),
            functions.len(),
            percentile(functions, 50),
            percentile(functions, 95),
            percentile(functions, 100),
            self.long.len(),
        )?;
        self.long.iter().try_for_each(|long| write!(f, "\n  {long}"))
    }
}

/// Returns the percentile of an ascending list (nearest rank).
fn percentile(sorted: &[usize], percent: usize) -> usize {
    let index = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(index).copied().unwrap_or(0)
}

/// One function of a file.
#[derive(Debug, PartialEq, Eq)]
struct Function {
    name: String,
    /// The line number of its `fn`.
    line: usize,
    /// Its number of lines.
    lines: usize,
}

/// Returns every function with a body. Matches braces. Does not parse.
fn find_functions(code: &str) -> Vec<Function> {
    code.match_indices("fn ")
        .filter(|&(offset, _)| is_start_of_word(code, offset))
        .filter_map(|(offset, _)| parse_function(code, offset))
        .collect()
}

/// Whether no letter, digit or underscore precedes this offset.
fn is_start_of_word(code: &str, offset: usize) -> bool {
    let before = code.get(..offset).unwrap_or_default().chars().last();
    !before.is_some_and(|char| char.is_alphanumeric() || char == '_')
}

/// Parses the function whose `fn` is at this offset, or `None` without a body.
fn parse_function(code: &str, offset: usize) -> Option<Function> {
    let rest = code.get(offset..).unwrap_or_default();
    let name: String = rest
        .get(3..)
        .unwrap_or_default()
        .chars()
        .take_while(|char| char.is_alphanumeric() || *char == '_')
        .collect();
    let open = find_body(rest)?;
    let end = open + find_closing_brace(rest.get(open..).unwrap_or_default())?;
    let line = code.get(..offset).unwrap_or_default().matches('\n').count() + 1;
    let lines = rest.get(..end).unwrap_or_default().matches('\n').count() + 1;
    (!name.is_empty()).then_some(Function { name, line, lines })
}

/// Returns the offset of the brace that opens a function's body. A signature
/// without a body ends in `;`; a `;` inside brackets belongs to an array type.
fn find_body(rest: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (offset, char) in rest.char_indices() {
        match char {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(offset),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Returns the offset of the matching closing brace.
fn find_closing_brace(rest: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (offset, char) in rest.char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(offset);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[track_caller]
    fn check(code: &str, expect: &[(&str, usize, usize)]) {
        let found = find_functions(code);
        let found: Vec<(&str, usize, usize)> = found
            .iter()
            .map(|function| (function.name.as_str(), function.line, function.lines))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn find_functions_counts_lines_from_signature_to_closing_brace() {
        check("fn a() {}\n\npub fn b()\n{\n  if c {}\n}\n", &[("a", 1, 1), ("b", 3, 4)]);
    }

    #[test]
    fn find_functions_skips_signatures_without_body() {
        check("fn a();\ntype B = fn (u8) -> u8;\nfn c(d: [u8; 2]) {\n}\n", &[("c", 3, 2)]);
    }

    #[test]
    fn display_lists_long_functions() {
        let text = format!("fn a() {{\n{}}}\n", "b();\n".repeat(LONG_FUNCTION_LINES));
        let source = Source::new("relink", Path::new("a.rs"), text);
        assert_eq!(
            SizeStats::measure(&[source]).to_string(),
            "1 files, 62 lines, file median 62 p95 62 max 62; \
             1 functions, median 62 p95 62 max 62, 1 over 60 lines\n  \
             a.rs:1 `a` has 62 lines"
        );
    }

    #[test]
    fn percentile_returns_a_member_of_the_list() {
        assert_eq!(percentile(&[], 50), 0);
        assert_eq!(percentile(&[1, 2, 3, 4], 50), 2);
        assert_eq!(percentile(&[1, 2, 3, 4], 95), 4);
    }
}
