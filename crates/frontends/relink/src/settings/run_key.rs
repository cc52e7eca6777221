//! The text that identifies a run by its settings.
//!
//! The store saves this text with the run. A later command resumes an unfinished run only if
//! both have the same text. The text must therefore not change with the names of Rust types
//! and fields. It starts with a version.

use std::collections::BTreeMap;
use std::fmt::Display;

/// The version of the text. Increment it if the meaning of a setting changes.
const VERSION: &str = "v1";

/// The settings of a run as text: `v1;name=value;name=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunKeyText(String);

impl RunKeyText {
    /// Creates a text without settings.
    pub fn new() -> Self {
        Self(VERSION.to_owned())
    }

    /// Adds a setting.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Display) -> Self {
        self.0.extend([";", name, "=", &escape(&value.to_string())]);
        self
    }

    /// Adds an optional setting; `None` is written as an empty value.
    #[must_use]
    pub fn with_optional(self, name: &str, value: Option<impl Display>) -> Self {
        self.with(name, value.map(|value| value.to_string()).unwrap_or_default())
    }

    /// Adds a list, separated by commas.
    #[must_use]
    pub fn with_list(mut self, name: &str, values: &[String]) -> Self {
        let values: Vec<String> = values.iter().map(|value| escape(value)).collect();
        self.0.extend([";", name, "=", &values.join(",")]);
        self
    }

    /// Returns the text in the form that the engine expects: a map with the key `settings`.
    pub fn into_scope(self) -> BTreeMap<String, String> {
        BTreeMap::from([("settings".to_owned(), self.0)])
    }
}

/// Escapes the separators, so that two different lists of settings never have
/// the same text.
fn escape(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            '\\' | ';' | ',' => escaped.extend(['\\', character]),
            '\n' => escaped.push_str("\\n"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_lists_settings_in_order() {
        let text = RunKeyText::new()
            .with("format", "markdown")
            .with_optional("column", None::<&str>)
            .with_list("include", &["a".to_owned(), "b".to_owned()]);
        assert_eq!(text.0, "v1;format=markdown;column=;include=a,b");
    }

    #[test]
    fn separators_in_values_are_escaped() {
        let one_value = RunKeyText::new().with_list("include", &["a,b".to_owned()]);
        let two_values = RunKeyText::new().with_list("include", &["a".to_owned(), "b".to_owned()]);
        assert_ne!(one_value, two_values);
        let text = RunKeyText::new().with("folder", "a;b\\c\nd");
        assert_eq!(text.0, "v1;folder=a\\;b\\\\c\\nd");
    }
}
