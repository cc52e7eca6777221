//! Rules of `cargo xtask tidy` for words and type names (`CONTRIBUTING.md`).
//!
//! Checks Rust sources (code, comments and strings) and the Markdown documents
//! of the repository. Every exception is listed with its reason.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::sources::Source;
use crate::{Workspace, XtaskError};

/// Forbidden words, each with what to write instead. This keeps words out that the style
/// guide has replaced throughout the workspace.
const FORBIDDEN_WORDS: [(&str, &str); 16] = [
    // Figurative names that parts of Relink had in the past.
    ("asker", "dispatcher"),
    ("errand", "task"),
    ("inquest", "judgment"),
    ("lore", "the name of the data"),
    ("manners", "robots, limits"),
    ("quest", "search"),
    ("tray", "queue"),
    ("whereabouts", "lookup"),
    // Words that hide who or what acts.
    ("nobody", "name the actor"),
    ("somebody", "name the actor"),
    ("told", "reported, returned, printed"),
    ("whoever", "name the actor"),
    // Dated words and British spellings.
    ("anew", "again, from scratch"),
    ("catalogue", "catalog"),
    ("judgement", "judgment"),
    ("learnt", "learned"),
];

/// Forbidden pairs of adjacent words, each with what to write instead. "So many" hides a
/// number that the reader needs.
const FORBIDDEN_PAIRS: [(&str, &str, &str); 1] = [("so", "many", "the number, or name the limit")];

/// Files in which all forbidden words are allowed, with the reason.
const FILES_WITHOUT_WORD_RULES: [(&str, &str); 2] = [
    ("CONTRIBUTING.md", "lists the words"),
    ("crates/dev/xtask/src/vocabulary.rs", "lists the words"),
];

/// Types that may end in `Fault`, with the reason.
const ALLOWED_FAULTS: [(&str, &str); 1] = [("PlantedFault", "a defect planted in the demo site")];

/// Public types that may share their name, with the reason.
const ALLOWED_TWICE: [(&str, &str); 0] = [];

/// Returns a message for each forbidden word or name.
pub fn violations(workspace: &Workspace, sources: &[Source]) -> Result<Vec<String>, XtaskError> {
    let mut violations = fault_types(sources);
    violations.extend(shared_names(sources));
    for source in sources {
        violations.extend(forbidden_words(&source.path, &source.text));
    }
    for path in documents(&workspace.root)? {
        let text = std::fs::read_to_string(&path).map_err(|error| XtaskError::io(&path, &error))?;
        let path = path.strip_prefix(&workspace.root).unwrap_or(&path);
        violations.extend(forbidden_words(path, &text));
    }
    Ok(violations)
}

/// Returns the Markdown files of the root and of `docs/`.
fn documents(root: &Path) -> Result<Vec<PathBuf>, XtaskError> {
    let mut documents = Vec::new();
    for folder in [root.to_owned(), root.join("docs")] {
        let entries = folder.read_dir().map_err(|error| XtaskError::io(&folder, &error))?;
        for entry in entries {
            let path = entry.map_err(|error| XtaskError::io(&folder, &error))?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                documents.push(path);
            }
        }
    }
    documents.sort();
    Ok(documents)
}

/// Returns a message for each forbidden word of a text.
fn forbidden_words(path: &Path, text: &str) -> Vec<String> {
    if FILES_WITHOUT_WORD_RULES.iter().any(|(allowed, _)| path == Path::new(allowed)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words = split_words(line);
        let single =
            FORBIDDEN_WORDS.iter().filter(|(word, _)| words.iter().any(|other| other == word));
        let single = single.map(|(word, instead)| ((*word).to_owned(), *instead));
        let pairs = FORBIDDEN_PAIRS.iter().filter(|(first, second, _)| {
            words.windows(2).any(|pair| pair[0] == *first && pair[1] == *second)
        });
        let pairs = pairs.map(|(first, second, instead)| (format!("{first} {second}"), *instead));
        for (word, instead) in single.chain(pairs) {
            let path = path.display();
            found.push(format!("{path}:{number} uses `{word}`; write: {instead}"));
        }
    }
    found
}

/// Splits a line into lower-case words. Identifiers are split, too: `TaskId`
/// and `task_id` are two words each.
fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for char in line.chars().chain([' ']) {
        let starts_word = char.is_uppercase() && was_lower;
        if (starts_word || !char.is_alphabetic()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphabetic() {
            word.extend(char.to_lowercase());
        }
        was_lower = char.is_lowercase();
    }
    words
}

/// Returns a message for each type whose name ends in `Fault`.
fn fault_types(sources: &[Source]) -> Vec<String> {
    let is_fault = |name: &str| {
        name.ends_with("Fault") && !ALLOWED_FAULTS.iter().any(|(allowed, _)| *allowed == name)
    };
    let definitions = sources.iter().flat_map(type_definitions);
    definitions
        .filter(|found| is_fault(&found.name))
        .map(|found| {
            format!("{} defines `{}`; error types end in `Error`", found.location, found.name)
        })
        .collect()
}

/// Returns a message for each name that two public types share.
fn shared_names(sources: &[Source]) -> Vec<String> {
    let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for found in sources.iter().flat_map(type_definitions).filter(|found| found.is_public) {
        by_name.entry(found.name).or_default().push(found.location);
    }
    by_name
        .into_iter()
        .filter(|(name, location)| {
            location.len() > 1 && !ALLOWED_TWICE.iter().any(|(allowed, _)| allowed == name)
        })
        .map(|(name, location)| {
            format!("`{name}` is the name of several public types: {}", location.join(", "))
        })
        .collect()
}

/// The definition of a type.
struct TypeDefinition {
    name: String,
    /// Path and line.
    location: String,
    is_public: bool,
}

/// Returns the types that a source defines outside of its test modules.
fn type_definitions(source: &Source) -> Vec<TypeDefinition> {
    // Comments and string literals define no types.
    let code = source.blanked_text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let path = source.path.display();
    let definition = |(number, line): (usize, &str)| {
        let line = line.trim_start();
        let public = line.strip_prefix("pub ");
        let rest = public.unwrap_or(line);
        let rest =
            rest.strip_prefix("pub(crate) ").or(rest.strip_prefix("pub(super) ")).unwrap_or(rest);
        let name = ["struct ", "enum ", "trait ", "type ", "union "]
            .iter()
            .find_map(|keyword| rest.strip_prefix(keyword))?;
        let is_ident = |char: &char| char.is_alphanumeric() || *char == '_';
        Some(TypeDefinition {
            name: name.chars().take_while(is_ident).collect(),
            location: format!("{path}:{number}"),
            is_public: public.is_some(),
        })
    };
    (1..).zip(code.lines()).filter_map(definition).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source::new("relink", Path::new(path), text.to_owned())
    }

    #[test]
    fn split_words_splits_identifiers() {
        assert_eq!(
            split_words("let TaskId = task_id(\"a b\");"),
            ["let", "task", "id", "task", "id", "a", "b"]
        );
    }

    #[test]
    fn forbidden_words_are_found_in_identifiers_and_prose() {
        let text = "struct ErrandId;\n// a request\n// so many as told\n";
        let found = forbidden_words(Path::new("a.rs"), text);
        assert_eq!(
            found,
            [
                "a.rs:1 uses `errand`; write: task",
                "a.rs:3 uses `told`; write: reported, returned, printed",
                "a.rs:3 uses `so many`; write: the number, or name the limit",
            ]
        );
    }

    #[test]
    fn forbidden_words_are_allowed_in_listed_files() {
        assert_eq!(forbidden_words(Path::new("CONTRIBUTING.md"), "told"), [""; 0]);
    }

    #[test]
    fn fault_types_reports_types_that_end_in_fault() {
        let sources = [source("a.rs", "enum StoreFault {}\npub struct PlantedFault;\n")];
        assert_eq!(
            fault_types(&sources),
            ["a.rs:1 defines `StoreFault`; error types end in `Error`"]
        );
    }

    #[test]
    fn shared_names_reports_public_types_of_one_name() {
        let sources = [
            source("a.rs", "pub struct Page;\nstruct Row;\n"),
            source("b.rs", "    pub enum Page {}\npub struct Row;\n"),
            source("c.rs", "#[cfg(test)]\nmod tests { pub struct Page; }\n"),
        ];
        assert_eq!(
            shared_names(&sources),
            ["`Page` is the name of several public types: a.rs:1, b.rs:1"]
        );
    }
}
