//! Tables that must agree with the code: the finding codes and the hazards of
//! `SECURITY.md`. Also rejects code that could store an empty record.

use std::collections::BTreeSet;

use crate::sources::Source;
use crate::{Workspace, XtaskError};

/// The page with the table of hazards.
const HAZARDS_PAGE: &str = "SECURITY.md";
/// The heading of the table of hazards.
const HAZARDS_HEADING: &str = "## Which hazards are tested?";
/// Expected number of hazards in the table.
const HAZARD_COUNT: usize = 35;
/// Entry of a hazard of a feature that Relink does not have.
const NOT_BUILT: &str = "not built";

/// The file with the constants of the codes.
const CODE_NAMES: &str = "crates/domain/relink-judge/src/codes/names.rs";
/// The file that documents the codes.
const CODE_TABLE: &str = "crates/domain/relink-judge/src/codes/table.rs";

/// Returns a message for each entry that does not agree with the code.
pub fn violations(workspace: &Workspace, sources: &[Source]) -> Result<Vec<String>, XtaskError> {
    let path = workspace.root.join(HAZARDS_PAGE);
    let page = std::fs::read_to_string(&path).map_err(|error| XtaskError::io(&path, &error))?;
    let mut violations = check_hazards(&page, sources);
    violations.extend(check_codes(sources));
    violations.extend(sources.iter().flat_map(check_empty_records));
    Ok(violations)
}

/// Returns hazards without a test, and tests that do not exist.
fn check_hazards(page: &str, sources: &[Source]) -> Vec<String> {
    let table = page.split_once(HAZARDS_HEADING).map_or("", |(_, table)| table);
    let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
    let rows: Vec<&str> =
        rows.filter(|row| row.starts_with(|char: char| char.is_ascii_digit())).collect();
    let mut violations = Vec::new();
    if rows.len() != HAZARD_COUNT {
        violations.push(format!("{HAZARDS_PAGE} has {} of {HAZARD_COUNT} hazards", rows.len()));
    }
    for (number, row) in (1..).zip(rows) {
        let tests: Vec<&str> =
            row.split('`').skip(1).step_by(2).filter(|test| test.contains(".rs::")).collect();
        if !row.starts_with(&format!("{number} |")) {
            violations.push(format!("{HAZARDS_PAGE}: hazard {number} is out of order: {row}"));
        }
        if tests.is_empty() && !row.contains(NOT_BUILT) {
            violations.push(format!("{HAZARDS_PAGE}: hazard {number} has no test"));
        }
        let missing = tests.into_iter().filter(|test| !has_test(sources, test));
        violations.extend(missing.map(|test| format!("{HAZARDS_PAGE}: there is no test `{test}`")));
    }
    violations
}

/// Whether there is a test of this file and name.
fn has_test(sources: &[Source], test: &str) -> bool {
    let Some((file, name)) = test.split_once("::") else { return false };
    let definition = format!("fn {name}(");
    let file = sources.iter().find(|source| source.path.ends_with(file));
    file.is_some_and(|source| source.blanked_text.contains(&definition))
}

/// Returns codes that are used but documented as reserved, and the reverse.
fn check_codes(sources: &[Source]) -> Vec<String> {
    let find = |path: &str| sources.iter().find(|source| source.path.ends_with(path));
    let (Some(names), Some(table)) = (find(CODE_NAMES), find(CODE_TABLE)) else {
        return vec![format!("{CODE_NAMES} or {CODE_TABLE} is missing")];
    };
    let (in_use, reserved) = (
        names_after(&table.blanked_text, "in_use("),
        names_after(&table.blanked_text, "reserved("),
    );
    let used = used_codes(sources);
    let mut violations = Vec::new();
    for (name, number) in parse_constants(&names.blanked_text) {
        let is_used = used.contains(&format!("codes::{name}")) || used.contains(&number);
        match (in_use.contains(&name), reserved.contains(&name), is_used) {
            (true, false, true) | (false, true, false) => {}
            (true, false, false) => {
                violations.push(format!("code {name} is not used: mark it as reserved"));
            }
            (false, true, true) => {
                violations.push(format!("code {name} is used: remove its reserved mark"));
            }
            _ => violations.push(format!("code {name} is not in the table once")),
        }
    }
    violations
}

/// Returns the constants of the codes as name and number.
fn parse_constants(code: &str) -> Vec<(String, String)> {
    let constant = |line: &str| {
        let (name, rest) = line.trim().strip_prefix("pub const ")?.split_once(':')?;
        let number = rest.split_once("Code::new(")?.1.split_once(')')?.0;
        Some((name.to_owned(), number.to_owned()))
    };
    code.lines().filter_map(constant).collect()
}

/// Returns the names that follow a call in the table.
fn names_after(code: &str, call: &str) -> BTreeSet<String> {
    let names = code.split(call).skip(1).filter_map(|rest| rest.split(',').next());
    names.map(|name| name.trim().to_owned()).collect()
}

/// Returns every `codes::NAME` used outside of tests, and every HTTP status
/// that is a code itself.
fn used_codes(sources: &[Source]) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for source in sources.iter().filter(|source| is_product_code(source)) {
        let code = source.blanked_text.split("#[cfg(test)]").next().unwrap_or_default();
        let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
        for rest in code.split("codes::").skip(1) {
            let name: String = rest.chars().take_while(|char| is_word(*char)).collect();
            used.insert(format!("codes::{name}"));
        }
        // An arm such as `401 | 402 => …, Code::new(status)` uses the codes 401 and 402.
        for arm in code.split("Code::new(status)").filter(|_| code.contains("Code::new(status)")) {
            let patterns = arm.rsplit_once("=>").map_or("", |(patterns, _)| patterns);
            let patterns = patterns.rsplit([',', '{', '}']).next().unwrap_or_default();
            used.extend(patterns.split('|').map(|number| number.trim().to_owned()));
        }
    }
    used
}

/// Whether a source is part of the product, not of its tests.
fn is_product_code(source: &Source) -> bool {
    let path = source.path.to_string_lossy();
    let is_dev =
        ["xtask", "relink-testkit", "relink-eval", "relink-demo"].contains(&source.member.as_str());
    !is_dev && !path.contains("/tests") && !path.contains("/codes/") && !path.ends_with("tests.rs")
}

/// Returns lines that serialize a record and fall back to an empty record.
fn check_empty_records(source: &Source) -> Vec<String> {
    let has_fallback = |line: &str| line.contains("serde_json::to_") && line.contains("unwrap_or");
    let lines = (1..).zip(source.blanked_text.lines()).filter(|(_, line)| has_fallback(line));
    let path = source.path.display();
    lines
        .map(|(line, _)| format!("{path}:{line} may write an empty record; return the error"))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source::new("relink-judge", Path::new(path), text.to_owned())
    }

    #[test]
    fn hazards_reports_missing_tests_and_rows() {
        let sources = [source("crates/a/tests/b.rs", "fn c() {}\n")];
        let page = format!(
            "{HAZARDS_HEADING}\n| 1 | x | `tests/b.rs::c` |\n| 2 | y | `b.rs::d` |\n| 3 | z | not built |\n| 4 | z | |\n"
        );
        assert_eq!(
            check_hazards(&page, &sources),
            [
                "SECURITY.md has 4 of 35 hazards",
                "SECURITY.md: there is no test `b.rs::d`",
                "SECURITY.md: hazard 4 has no test",
            ]
        );
    }

    #[test]
    fn codes_reports_a_used_code_marked_as_reserved() {
        let sources = [
            source(
                CODE_NAMES,
                "pub const A: Code = Code::new(101);\npub const B: Code = Code::new(401);\npub const C: Code = Code::new(102);\n",
            ),
            source(CODE_TABLE, "reserved(\n A,\n), in_use(\n B,\n), in_use(C,"),
            source(
                "crates/domain/relink-judge/src/a.rs",
                "x => codes::A, 401 | 403 => f(Code::new(status)),",
            ),
        ];
        assert_eq!(
            check_codes(&sources),
            ["code A is used: remove its reserved mark", "code C is not used: mark it as reserved"]
        );
    }

    #[test]
    fn empty_records_reports_a_fallback() {
        let lax = source("a.rs", "let text = serde_json::to_string(&a).unwrap_or_default();\n");
        assert_eq!(
            check_empty_records(&lax),
            ["a.rs:1 may write an empty record; return the error"]
        );
    }
}
