//! Which crate may lean on which: the "never" lines of `ARCHITECTURE.md`.

use crate::workspace::output;
use crate::{Fault, Workspace};

/// A ring of the architecture, from the inside out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ring {
    /// What we talk about.
    Words,
    /// The rules, pure.
    Reason,
    /// How we say it, pure.
    Shapes,
    /// What the engine needs from outside.
    Ports,
    /// One outside thing each.
    Edges,
    /// The use cases.
    Work,
    /// What people meet.
    Face,
    /// For those who build it.
    Dev,
}

impl Ring {
    /// The ring of a crate, by its name.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "relink-model" => Self::Words,
            "relink-page" | "relink-judge" | "relink-frontier" | "relink-survey"
            | "relink-change" | "relink-revive" | "relink-decay" => Self::Reason,
            "relink-wire" => Self::Shapes,
            "relink-ports" => Self::Ports,
            "relink-fetch" | "relink-files" | "relink-lookup" | "relink-harvest"
            | "relink-notify" | "relink-render" | "relink-store" => Self::Edges,
            "relink-engine" => Self::Work,
            "relink-demo" | "relink-server" | "relink" => Self::Face,
            "relink-testkit" | "relink-eval" | "xtask" => Self::Dev,
            _ => return None,
        })
    }

    /// Whether its crates are pure: no clock, no chance, no network, no disk.
    pub fn is_pure(self) -> bool {
        matches!(self, Self::Words | Self::Reason | Self::Shapes)
    }

    /// Its name in the documentation.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Words => "Words",
            Self::Reason => "Reason",
            Self::Shapes => "Shapes",
            Self::Ports => "Ports",
            Self::Edges => "Edges",
            Self::Work => "Work",
            Self::Face => "Face",
            Self::Dev => "Dev",
        }
    }

    /// The rings its crates never lean on.
    fn banned_rings(self) -> &'static [Self] {
        use Ring::{Dev, Edges, Face, Ports, Reason, Shapes, Work};
        match self {
            Self::Words => &[Reason, Shapes, Ports, Edges, Work, Face, Dev],
            Self::Reason | Self::Shapes => &[Ports, Edges, Work, Face, Dev],
            Self::Ports | Self::Edges => &[Reason, Shapes, Edges, Work, Face, Dev],
            Self::Work => &[Edges, Face, Dev],
            Self::Face => &[Dev],
            Self::Dev => &[],
        }
    }

    /// The outside crates its crates never lean on, with their families
    /// (`sqlx` stands for `sqlx-core` too).
    fn banned_families(self) -> &'static [&'static str] {
        match self {
            Self::Words | Self::Reason | Self::Shapes => {
                &["tokio", "hyper", "reqwest", "sqlx", "rusqlite", "axum", "clap"]
            }
            Self::Ports => &["hyper", "reqwest", "sqlx", "rusqlite", "axum", "clap"],
            Self::Edges => &["clap", "axum"],
            Self::Work => &["clap", "hyper", "reqwest", "sqlx", "rusqlite", "axum"],
            Self::Face | Self::Dev => &[],
        }
    }
}

/// Every dependency that a "never" line forbids, and every crate without a
/// ring.
pub fn breaches(workspace: &Workspace) -> Result<Vec<String>, Fault> {
    let mut breaches = Vec::new();
    for member in &workspace.crates {
        let Some(ring) = Ring::of(&member.name) else {
            let name = &member.name;
            breaches.push(format!("`{name}` has no ring; give it one in `rings.rs`"));
            continue;
        };
        let needs = dependencies(workspace, &member.name)?;
        breaches.extend(forbidden(&member.name, ring, &needs));
    }
    Ok(breaches)
}

/// What a crate needs, directly or not, itself left out.
fn dependencies(workspace: &Workspace, name: &str) -> Result<Vec<String>, Fault> {
    let tree = output(
        workspace
            .cargo()
            .args(["tree", "--locked", "-p", name, "-e", "normal", "--prefix", "none"]),
    )?;
    let mut names: Vec<String> =
        tree.lines().skip(1).filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Which of the dependencies a crate of this ring must not have.
fn forbidden(name: &str, ring: Ring, needs: &[String]) -> Vec<String> {
    let is_banned = |need: &str| {
        Ring::of(need).is_some_and(|other| ring.banned_rings().contains(&other))
            || ring.banned_families().iter().any(|family| is_of(need, family))
    };
    needs
        .iter()
        .filter(|need| need.as_str() != name && is_banned(need))
        .map(|need| format!("`{name}` ({}) must not depend on `{need}`", ring.as_str()))
        .collect()
}

/// Whether a crate is the one that names a family, or of that family.
fn is_of(name: &str, family: &str) -> bool {
    name.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, needs: &[&str], expect: &[&str]) {
        let needs: Vec<String> = needs.iter().map(|&need| need.to_owned()).collect();
        let ring = Ring::of(name).unwrap();
        let found = forbidden(name, ring, &needs);
        let expect: Vec<String> = expect
            .iter()
            .map(|need| format!("`{name}` ({}) must not depend on `{need}`", ring.as_str()))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn reason_leans_on_words_and_itself_only() {
        check("relink-judge", &["relink-model", "relink-page"], &[]);
        check("relink-judge", &["tokio-util", "tokio"], &["tokio-util", "tokio"]);
        check("relink-judge", &["relink-ports"], &["relink-ports"]);
        check("relink-wire", &["sqlx-core"], &["sqlx-core"]);
    }

    #[test]
    fn an_edge_knows_no_other_edge_and_no_rule() {
        check("relink-fetch", &["relink-ports", "tokio", "hyper"], &[]);
        check("relink-fetch", &["relink-store"], &["relink-store"]);
        check("relink-files", &["relink-page"], &["relink-page"]);
        check("relink-store", &["relink-engine"], &["relink-engine"]);
    }

    #[test]
    fn the_engine_knows_ports_and_no_edge() {
        check("relink-engine", &["relink-judge", "relink-ports", "tokio"], &[]);
        check(
            "relink-engine",
            &["relink-fetch", "clap_builder"],
            &["relink-fetch", "clap_builder"],
        );
    }

    #[test]
    fn a_name_that_only_begins_alike_is_another_family() {
        check("relink-model", &["tokioneer", "claptrap"], &[]);
    }
}
