//! An example, taken apart once for all that is tried on it.

use super::facts::Facts;
use super::run::make;
use super::{Example, Scheme, UrlProgram};
use crate::Directory;
use crate::address::host;

/// An example, taken apart.
#[derive(Debug)]
pub(super) struct ParsedExample<'a> {
    pub(super) facts: Facts<'a>,
    /// How many components of the old path the directory has: what comes
    /// after them tells pages apart.
    pub(super) depth: usize,
    pub(super) host: String,
    pub(super) path: Vec<&'a str>,
    /// The path without a slash at its end.
    raw_path: &'a str,
    pub(super) is_slashed: bool,
    pub(super) scheme: Scheme,
    pub(super) query: Option<&'a str>,
    pub(super) is_sure: bool,
}

/// What a program makes of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgramOutcome {
    /// The known new address.
    Right,
    /// Another address.
    Wrong,
    /// Nothing: it does not apply.
    Silent,
}

impl<'a> ParsedExample<'a> {
    pub(super) fn of(example: &'a Example) -> Self {
        let directory = Directory::of(&example.old.url);
        let raw_path = example.new.path();
        let bare_path = raw_path.trim_end_matches('/');
        Self {
            facts: Facts::of(&example.old),
            depth: directory.as_str().matches('/').count() - 1,
            host: host(&example.new),
            path: bare_path.split('/').filter(|component| !component.is_empty()).collect(),
            raw_path: bare_path,
            is_slashed: bare_path.len() < raw_path.len(),
            scheme: if example.new.scheme() == "http" { Scheme::Http } else { Scheme::Https },
            query: example.new.query().filter(|query| !query.is_empty()),
            is_sure: example.is_sure,
        }
    }

    /// The new directory: all but the last component.
    pub(super) fn new_directory(&self) -> (&str, &str) {
        (&self.host, self.raw_path.rsplit_once('/').map_or("", |(directory, _)| directory))
    }

    /// Whether a program makes the new address. Scheme, `www.` and a slash at
    /// the end do not count: sites answer both ways.
    pub(super) fn outcome(&self, program: &UrlProgram) -> ProgramOutcome {
        let Some(made) = make(program, &self.facts) else { return ProgramOutcome::Silent };
        let is_right = made.path == self.raw_path
            && bare(&made.host) == bare(&self.host)
            && made.query.as_deref().unwrap_or_default() == self.query.unwrap_or_default();
        if is_right { ProgramOutcome::Right } else { ProgramOutcome::Wrong }
    }
}

fn bare(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}
