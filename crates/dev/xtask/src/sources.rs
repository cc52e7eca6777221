//! Rules of `cargo xtask tidy` for single source files: headers, unfinished work,
//! clocks in pure crates, printing, and rights of requests. The code is searched for
//! names. It is not parsed.

use std::path::{Path, PathBuf};

use crate::layers::Layer;
use crate::{Workspace, XtaskError, lexer};

/// Clocks and random generators. Pure crates take time and randomness as
/// arguments.
const CLOCKS_AND_RANDOMNESS: [&str; 5] =
    ["SystemTime::now", "Timestamp::now", "Instant::now", "thread_rng", "rand::rng"];

/// Macros and functions that print or exit.
const PRINT_OR_EXIT: [&str; 5] = ["println!", "print!", "eprintln!", "eprint!", "process::exit"];

/// The crates that may print and exit: those of programs.
const PROGRAM_CRATES: &[&str] = &["relink", "xtask", "relink-eval"];

/// Constructors of rights with which a request may reach private addresses and carry
/// the user's headers.
const PRIVILEGED_RIGHTS: [&str; 3] = [
    "RequestRights::user_supplied",
    "RequestRights::configured_service",
    "RequestRights::from_stored",
];

/// Files that may call [`PRIVILEGED_RIGHTS`]: those that read user input, and the
/// store, which restores the rights of stored URLs.
const MAY_GRANT_RIGHTS: &[&str] = &[
    "crates/frontends/relink/src/commands/demo/reading.rs",
    "crates/frontends/relink/src/commands/revive.rs",
    "crates/frontends/relink/src/settings/survey.rs",
    "crates/frontends/relink/src/settings/watch.rs",
    "crates/application/relink-engine/src/crawl/crawler.rs",
    "crates/application/relink-documents/src/load/mod.rs",
    "crates/application/relink-documents/src/load/pages.rs",
    "crates/application/relink-measure/src/page_prober.rs",
    "crates/application/relink-repair/src/revive/live.rs",
    "crates/dev/relink-eval/src/soft404.rs",
    "crates/adapters/relink-harvest/src/oai_client.rs",
    "crates/adapters/relink-lookup/src/service_client.rs",
    "crates/adapters/relink-notify/src/webhook.rs",
    "crates/adapters/relink-wiki/src/session.rs",
    "crates/model/relink-model/src/rights.rs",
    "crates/adapters/relink-store/src/postgres/revive.rs",
    "crates/adapters/relink-store/src/postgres/rows.rs",
    "crates/adapters/relink-store/src/sqlite/revive.rs",
    "crates/adapters/relink-store/src/sqlite/rows.rs",
    "crates/dev/relink-testkit/src/memory_store/reading.rs",
    "crates/dev/relink-testkit/src/memory_store/state.rs",
    "crates/dev/relink-testkit/src/store_suite/fixture.rs",
];

/// Macros and attributes of unfinished work.
const UNFINISHED: [&str; 4] = ["todo!(", "unimplemented!(", "dbg!(", "#[ignore"];

/// One source file.
#[derive(Debug)]
pub struct Source {
    /// The name of its crate.
    pub member: String,
    /// Its path below the root of the workspace.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Its text, with comments and literals replaced by spaces.
    pub blanked_text: String,
}

impl Source {
    /// Creates a source and blanks its comments and literals.
    pub fn new(member: &str, path: &Path, text: String) -> Self {
        Self {
            member: member.to_owned(),
            path: path.to_owned(),
            blanked_text: lexer::blank_literals(&text),
            text,
        }
    }

    /// Returns the blanked text before the module of unit tests, which is the last item of a
    /// file.
    fn without_unit_tests(&self) -> &str {
        self.blanked_text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
    }
}

/// Reads every source file of the workspace. Paths are below its root.
pub fn read(workspace: &Workspace) -> Result<Vec<Source>, XtaskError> {
    let read = |(member, path): (&str, PathBuf)| {
        let text = std::fs::read_to_string(&path).map_err(|error| XtaskError::io(&path, &error))?;
        let path = path.strip_prefix(&workspace.root).unwrap_or(&path);
        Ok(Source::new(member, path, text))
    };
    workspace.sources()?.into_iter().map(read).collect()
}

/// Returns a message for each violation of a rule.
pub fn violations(sources: &[Source]) -> Vec<String> {
    sources.iter().flat_map(violations_in).collect()
}

/// Returns a message for each violation in one file.
fn violations_in(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    if !source.text.starts_with("//!") {
        let path = source.path.display();
        found.push(format!("{path}:1 does not start with a `//!` header"));
    }
    let all = source.blanked_text.as_str();
    found.extend(uses(source, all, &UNFINISHED, "is unfinished work"));
    if Layer::from_path(&source.path).is_some_and(Layer::is_pure) {
        let reason = "in a pure crate; take time and randomness as arguments";
        found.extend(uses(source, all, &CLOCKS_AND_RANDOMNESS, reason));
    }
    if !may_grant_rights(&source.path) {
        let reason = "grants rights; list the file in `MAY_GRANT_RIGHTS` if it reads user input";
        found.extend(uses(source, source.without_unit_tests(), &PRIVILEGED_RIGHTS, reason));
    }
    if !PROGRAM_CRATES.contains(&source.member.as_str()) {
        let reason = "outside the binary; only `relink` prints or exits";
        found.extend(uses(source, all, &PRINT_OR_EXIT, reason));
    }
    found
}

/// Whether a file may grant rights to a request. Files of tests may. Unit tests next to the
/// code may, too.
fn may_grant_rights(path: &Path) -> bool {
    let is_test = path.components().any(|part| part.as_os_str() == "tests");
    is_test || MAY_GRANT_RIGHTS.iter().any(|allowed| path == Path::new(allowed))
}

/// Returns a message for each line of `code`, which is the beginning of a source, that contains
/// one of the words.
fn uses(source: &Source, code: &str, words: &[&str], reason: &str) -> Vec<String> {
    let path = source.path.display();
    let mut found = Vec::new();
    for (line, code) in (1..).zip(code.lines()) {
        for word in words.iter().filter(|word| has_word(code, word)) {
            found.push(format!("{path}:{line} uses `{word}` {reason}"));
        }
    }
    found
}

/// Whether the code contains the word, and not only as the end of a longer one
/// (`println!` in `eprintln!`).
fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(position, _)| {
        let before = code.get(..position).unwrap_or_default().chars().last();
        !before.is_some_and(|char| char.is_alphanumeric() || char == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(member: &str, text: &str, expect: &[&str]) {
        let path = format!("crates/{member}/a.rs");
        let (_, name) = member.split_once('/').unwrap();
        let source = Source::new(name, Path::new(&path), text.to_owned());
        let expect: Vec<String> = expect.iter().map(|rest| format!("{path}:{rest}")).collect();
        assert_eq!(violations(&[source]), expect);
    }

    #[test]
    fn violations_reports_a_missing_header() {
        check("frontends/relink", "//! What it is for.\n", &[]);
        check("frontends/relink", "fn a() {}\n", &["1 does not start with a `//!` header"]);
    }

    #[test]
    fn violations_reports_clocks_in_pure_crates() {
        let text = "//! A.\nlet now = jiff::Timestamp::now();\n";
        check("application/relink-engine", text, &[]);
        check(
            "domain/relink-judge",
            text,
            &["2 uses `Timestamp::now` in a pure crate; take time and randomness as arguments"],
        );
    }

    #[test]
    fn violations_reports_printing_outside_the_binary() {
        let text = "//! A.\neprintln!();\n";
        check("frontends/relink", text, &[]);
        check(
            "domain/relink-page",
            text,
            &["2 uses `eprintln!` outside the binary; only `relink` prints or exits"],
        );
    }

    #[test]
    fn violations_reports_rights_outside_the_listed_files() {
        let text = "//! A.\nlet rights = RequestRights::user_supplied();\n";
        let violation = "uses `RequestRights::user_supplied` grants rights; list the file in \
                      `MAY_GRANT_RIGHTS` if it reads user input";
        check("application/relink-documents", text, &[&format!("2 {violation}")]);
        let listed = Path::new("crates/application/relink-documents/src/load/mod.rs");
        assert_eq!(violations(&[Source::new("relink-engine", listed, text.to_owned())]), [""; 0]);
        check("application/relink-engine", "//! A.\nRequestRights::discovered();\n", &[]);
        let unit_test = "//! A.\n#[cfg(test)]\nmod tests {\nRequestRights::user_supplied();\n}\n";
        check("application/relink-engine", unit_test, &[]);
        let declaration = "//! A.\n#[cfg(test)]\nmod tests;\nRequestRights::user_supplied();\n";
        check("application/relink-engine", declaration, &[&format!("4 {violation}")]);
    }

    #[test]
    fn violations_reports_unfinished_work_in_code_only() {
        check(
            "frontends/relink",
            "//! A.\n#[ignore = \"slow\"]\n",
            &["2 uses `#[ignore` is unfinished work"],
        );
        check("frontends/relink", "//! A.\n// no todo!() here\nlet a = \"dbg!()\";\n", &[]);
    }
}
