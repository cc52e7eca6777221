//! An example, parsed once for all programs that are tried on it.

use super::parsed_old_page::ParsedOldPage;
use super::run::build;
use super::{Example, Scheme, UrlProgram};
use crate::Directory;
use crate::url_parts::host;

/// A parsed example. Fields without a comment describe the new URL.
#[derive(Debug)]
pub(super) struct ParsedExample<'a> {
    pub(super) old: ParsedOldPage<'a>,
    /// The number of components of the old directory. The components after them
    /// distinguish its pages.
    pub(super) depth: usize,
    pub(super) host: String,
    pub(super) path: Vec<&'a str>,
    /// The path without a trailing slash.
    raw_path: &'a str,
    pub(super) is_slashed: bool,
    pub(super) scheme: Scheme,
    pub(super) query: Option<&'a str>,
    pub(super) is_certain: bool,
}

/// Result of a program on an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgramOutcome {
    /// The program produces the known new URL.
    Correct,
    /// The program produces another URL.
    Wrong,
    /// The program does not apply.
    NotApplicable,
}

impl<'a> ParsedExample<'a> {
    pub(super) fn new(example: &'a Example) -> Self {
        let directory = Directory::from_url(&example.old.url);
        let raw_path = example.new.path();
        let bare_path = raw_path.trim_end_matches('/');
        Self {
            old: ParsedOldPage::new(&example.old),
            depth: directory.as_str().matches('/').count() - 1,
            host: host(&example.new),
            path: bare_path.split('/').filter(|component| !component.is_empty()).collect(),
            raw_path: bare_path,
            is_slashed: bare_path.len() < raw_path.len(),
            scheme: if example.new.scheme() == "http" { Scheme::Http } else { Scheme::Https },
            query: example.new.query().filter(|query| !query.is_empty()),
            is_certain: example.is_certain,
        }
    }

    /// Returns host and path of the new directory, without the last component.
    pub(super) fn new_directory(&self) -> (&str, &str) {
        (&self.host, self.raw_path.rsplit_once('/').map_or("", |(directory, _)| directory))
    }

    /// Compares the result of a program with the known new URL. Ignores the
    /// scheme, `www.` and a trailing slash, because sites respond to both forms.
    pub(super) fn outcome(&self, program: &UrlProgram) -> ProgramOutcome {
        let Some(draft) = build(program, &self.old) else {
            return ProgramOutcome::NotApplicable;
        };
        let is_correct = draft.path == self.raw_path
            && bare(&draft.host) == bare(&self.host)
            && draft.query.as_deref().unwrap_or_default() == self.query.unwrap_or_default();
        if is_correct { ProgramOutcome::Correct } else { ProgramOutcome::Wrong }
    }
}

/// Returns the host without `www.`.
fn bare(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}
