//! What no source file may say.

use std::path::{Path, PathBuf};

use crate::layers::Layer;
use crate::{Workspace, XtaskError, lexer};

/// A clock or a source of chance: in a pure crate both come in as arguments.
const CLOCKS_AND_CHANCE: [&str; 5] =
    ["SystemTime::now", "Timestamp::now", "Instant::now", "thread_rng", "rand::rng"];

/// What only the binary and the automation do: printing and exiting.
const TERMINAL: [&str; 5] = ["println!", "print!", "eprintln!", "eprint!", "process::exit"];

/// The crates that may.
const AT_THE_TERMINAL: &[&str] = &["relink", "xtask", "relink-eval"];

/// What gives a request the rights of a URL that the user named.
const RIGHTS: [&str; 3] = [
    "RequestRights::named_by_user",
    "RequestRights::configured_service",
    "RequestRights::from_stored",
];

/// The files that may: those that read what the user wrote, and the store.
const GIVE_RIGHTS: [&str; 13] = [
    "crates/frontends/relink/src/commands/revive.rs",
    "crates/frontends/relink/src/settings/survey.rs",
    "crates/application/relink-engine/src/crawl/crawler.rs",
    "crates/application/relink-engine/src/load/mod.rs",
    "crates/application/relink-engine/src/load/pages.rs",
    "crates/application/relink-engine/src/measure/looking.rs",
    "crates/application/relink-engine/src/revive/live.rs",
    "crates/dev/relink-eval/src/soft404.rs",
    "crates/adapters/relink-lookup/src/gate.rs",
    "crates/model/relink-model/src/rights.rs",
    "crates/adapters/relink-store/src/sqlite/revive.rs",
    "crates/adapters/relink-store/src/sqlite/rows.rs",
    "crates/dev/relink-testkit/src/store_suite/scene.rs",
];

/// What is left behind by unfinished work.
const UNFINISHED: [&str; 4] = ["todo!(", "unimplemented!(", "dbg!(", "#[ignore"];

/// One source file.
#[derive(Debug)]
pub struct Source {
    /// Its crate's name.
    pub member: String,
    /// Its path.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Its text without comments and literals.
    pub code: String,
}

impl Source {
    /// A source with its code.
    pub fn new(member: &str, path: &Path, text: String) -> Self {
        Self { member: member.to_owned(), path: path.to_owned(), code: lexer::code(&text), text }
    }
}

/// Reads every source file of the workspace; paths are below its root.
pub fn read(workspace: &Workspace) -> Result<Vec<Source>, XtaskError> {
    let read = |(member, path): (&str, PathBuf)| {
        let text = std::fs::read_to_string(&path).map_err(|error| XtaskError::io(&path, &error))?;
        let path = path.strip_prefix(&workspace.root).unwrap_or(&path);
        Ok(Source::new(member, path, text))
    };
    workspace.sources()?.into_iter().map(read).collect()
}

/// Every place where a source says what it may not.
pub fn violations(sources: &[Source]) -> Vec<String> {
    sources.iter().flat_map(breaches_in).collect()
}

fn breaches_in(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    if !source.text.starts_with("//!") {
        let path = source.path.display();
        found.push(format!("{path}:1 does not open with a `//!` header"));
    }
    found.extend(says(source, &UNFINISHED, "is unfinished work"));
    if Layer::from_path(&source.path).is_some_and(Layer::is_pure) {
        let reason = "in a pure crate; time and chance come in as arguments";
        found.extend(says(source, &CLOCKS_AND_CHANCE, reason));
    }
    if !may_give_rights(&source.path) {
        let reason = "gives rights; list the file in `GIVE_RIGHTS` if a user's words come in there";
        found.extend(says(source, &RIGHTS, reason));
    }
    if !AT_THE_TERMINAL.contains(&source.member.as_str()) {
        let reason = "outside the binary; only `relink` prints or exits";
        found.extend(says(source, &TERMINAL, reason));
    }
    found
}

/// Whether a file may give a request rights; tests may.
fn may_give_rights(path: &Path) -> bool {
    let is_test = path.components().any(|part| part.as_os_str() == "tests");
    is_test || GIVE_RIGHTS.iter().any(|allowed| path == Path::new(allowed))
}

/// Each line of code that says one of the words.
fn says(source: &Source, words: &[&str], reason: &str) -> Vec<String> {
    let path = source.path.display();
    let mut found = Vec::new();
    for (line, code) in (1..).zip(source.code.lines()) {
        for word in words.iter().filter(|word| has_word(code, word)) {
            found.push(format!("{path}:{line} says `{word}` {reason}"));
        }
    }
    found
}

/// Whether the word stands in the code, not as the end of a longer one
/// (`println!` in `eprintln!`).
fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code.get(..at).unwrap_or_default().chars().last();
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
    fn a_file_opens_with_a_header() {
        check("frontends/relink", "//! What it is for.\n", &[]);
        check("frontends/relink", "fn a() {}\n", &["1 does not open with a `//!` header"]);
    }

    #[test]
    fn a_pure_crate_asks_no_clock() {
        let text = "//! A.\nlet now = jiff::Timestamp::now();\n";
        check("application/relink-engine", text, &[]);
        check(
            "domain/relink-judge",
            text,
            &["2 says `Timestamp::now` in a pure crate; time and chance come in as arguments"],
        );
    }

    #[test]
    fn only_the_binary_prints() {
        let text = "//! A.\neprintln!();\n";
        check("frontends/relink", text, &[]);
        check(
            "domain/relink-page",
            text,
            &["2 says `eprintln!` outside the binary; only `relink` prints or exits"],
        );
    }

    #[test]
    fn rights_outside_the_listed_files_are_a_breach() {
        let text = "//! A.\nlet rights = RequestRights::named_by_user();\n";
        let breach = "says `RequestRights::named_by_user` gives rights; list the file in \
                      `GIVE_RIGHTS` if a user's words come in there";
        check("application/relink-engine", text, &[&format!("2 {breach}")]);
        let listed = Path::new("crates/application/relink-engine/src/load/mod.rs");
        assert_eq!(violations(&[Source::new("relink-engine", listed, text.to_owned())]), [""; 0]);
        check("application/relink-engine", "//! A.\nRequestRights::discovered();\n", &[]);
    }

    #[test]
    fn unfinished_work_is_seen_in_code_and_not_in_words() {
        check(
            "frontends/relink",
            "//! A.\n#[ignore = \"slow\"]\n",
            &["2 says `#[ignore` is unfinished work"],
        );
        check("frontends/relink", "//! A.\n// no todo!() here\nlet a = \"dbg!()\";\n", &[]);
    }
}
