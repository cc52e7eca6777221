//! The dependency rules between layers (`ARCHITECTURE.md`).
//!
//! The layer of a crate is its folder: `crates/<layer>/<crate>`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::workspace::output;
use crate::{Workspace, XtaskError};

/// A layer of the architecture, from the inside out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Domain types and their invariants.
    Model,
    /// Pure rules.
    Domain,
    /// Report formats. Crates of this layer do no I/O.
    Presentation,
    /// Traits the application needs from outside.
    Ports,
    /// One implementation of a port per external system.
    Adapters,
    /// Use cases.
    Application,
    /// The command line and the demo.
    Frontends,
    /// Tests, evaluation and automation.
    Dev,
}

impl Layer {
    /// Every layer, from the inside out.
    pub const ALL: [Self; 8] = [
        Self::Model,
        Self::Domain,
        Self::Presentation,
        Self::Ports,
        Self::Adapters,
        Self::Application,
        Self::Frontends,
        Self::Dev,
    ];

    /// Returns the layer of a crate or of one of its files, from a path below
    /// the root of the workspace: `crates/<layer>/<crate>`.
    pub fn from_path(path: &Path) -> Option<Self> {
        let mut names = path.strip_prefix("crates").ok()?.iter();
        let (folder, _crate) = (names.next()?, names.next()?);
        Self::ALL.into_iter().find(|layer| folder == layer.as_str())
    }

    /// Whether its crates are pure: no clock, randomness, network or disk.
    pub fn is_pure(self) -> bool {
        matches!(self, Self::Model | Self::Domain | Self::Presentation)
    }

    /// Returns the name of its folder.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Domain => "domain",
            Self::Presentation => "presentation",
            Self::Ports => "ports",
            Self::Adapters => "adapters",
            Self::Application => "application",
            Self::Frontends => "frontends",
            Self::Dev => "dev",
        }
    }

    /// Returns the layers its crates must not depend on.
    fn banned_layers(self) -> &'static [Self] {
        use Layer::{Adapters, Application, Dev, Domain, Frontends, Model, Ports, Presentation};
        match self {
            Self::Model => {
                &[Model, Domain, Presentation, Ports, Adapters, Application, Frontends, Dev]
            }
            Self::Domain => &[Presentation, Ports, Adapters, Application, Frontends, Dev],
            Self::Presentation => &[Ports, Adapters, Application, Frontends, Dev],
            Self::Ports | Self::Adapters => {
                &[Domain, Presentation, Adapters, Application, Frontends, Dev]
            }
            Self::Application => &[Adapters, Frontends, Dev],
            Self::Frontends => &[Dev],
            Self::Dev => &[],
        }
    }

    /// Returns the external crates its crates must not depend on. Each name
    /// includes its family: `sqlx` includes `sqlx-core`.
    fn banned_families(self) -> &'static [&'static str] {
        match self {
            Self::Model | Self::Domain | Self::Presentation => {
                &["tokio", "hyper", "reqwest", "sqlx", "rusqlite", "axum", "clap"]
            }
            Self::Ports => &["hyper", "reqwest", "sqlx", "rusqlite", "axum", "clap"],
            Self::Adapters => &["clap", "axum"],
            Self::Application => &["clap", "hyper", "reqwest", "sqlx", "rusqlite", "axum"],
            Self::Frontends | Self::Dev => &[],
        }
    }
}

/// A dependency of the part-of-speech tagger. Its own dependencies are not checked, because it
/// depends on `clap` only for a program that Relink does not build.
const UNCHECKED_DEPENDENCY: &str = "rs-conllu";

/// Returns every forbidden dependency, and every crate outside a layer folder.
pub fn violations(workspace: &Workspace) -> Result<Vec<String>, XtaskError> {
    let mut violations = Vec::new();
    let mut layers = BTreeMap::new();
    for member in &workspace.crates {
        let expected = |layer: &Layer| {
            member.path == Path::new("crates").join(layer.as_str()).join(&member.name)
        };
        match Layer::from_path(&member.path).filter(expected) {
            Some(layer) => {
                layers.insert(member.name.as_str(), layer);
            }
            None => violations.push(format!(
                "`{}` is not in a layer folder; move it to `crates/<layer>/{}`",
                member.path.display(),
                member.name
            )),
        }
    }
    for (name, layer) in &layers {
        let dependencies = dependencies(workspace, name)?;
        violations.extend(check_dependencies(name, *layer, &layers, &dependencies));
    }
    Ok(violations)
}

/// Returns the direct and indirect dependencies of a crate.
fn dependencies(workspace: &Workspace, name: &str) -> Result<Vec<String>, XtaskError> {
    let names = cargo_tree(workspace, name, &[])?;
    // `cargo tree` rejects the flag for a crate without this dependency.
    if names.iter().any(|dependency| dependency == UNCHECKED_DEPENDENCY) {
        return cargo_tree(workspace, name, &["--prune", UNCHECKED_DEPENDENCY]);
    }
    Ok(names)
}

/// Returns the names that `cargo tree` prints for a crate.
fn cargo_tree(
    workspace: &Workspace,
    name: &str,
    flags: &[&str],
) -> Result<Vec<String>, XtaskError> {
    let tree = output(
        workspace
            .cargo()
            .args(["tree", "--locked", "-p", name, "-e", "normal", "--prefix", "none"])
            .args(flags),
    )?;
    let mut names: Vec<String> =
        tree.lines().skip(1).filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Returns a message for each dependency that a crate of this layer must not
/// have.
fn check_dependencies(
    name: &str,
    layer: Layer,
    layers: &BTreeMap<&str, Layer>,
    dependencies: &[String],
) -> Vec<String> {
    let is_banned = |other: &str| {
        layers.get(other).is_some_and(|other| layer.banned_layers().contains(other))
            || layer.banned_families().iter().any(|family| is_in_family(other, family))
    };
    dependencies
        .iter()
        .filter(|other| other.as_str() != name && is_banned(other))
        .map(|other| format!("`{name}` ({}) must not depend on `{other}`", layer.as_str()))
        .collect()
}

/// Whether a crate has the name of a family or belongs to that family.
fn is_in_family(name: &str, family: &str) -> bool {
    name.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer_of(path: &str) -> Option<Layer> {
        Layer::from_path(Path::new(path))
    }

    #[track_caller]
    fn check(layer: Layer, dependencies: &[&str], expect: &[&str]) {
        let layers = BTreeMap::from([
            ("relink-model", Layer::Model),
            ("relink-page", Layer::Domain),
            ("relink-judge", Layer::Domain),
            ("relink-report", Layer::Presentation),
            ("relink-ports", Layer::Ports),
            ("relink-fetch", Layer::Adapters),
            ("relink-store", Layer::Adapters),
            ("relink-engine", Layer::Application),
        ]);
        let dependencies: Vec<String> =
            dependencies.iter().map(|&dependency| dependency.to_owned()).collect();
        let found = check_dependencies("it", layer, &layers, &dependencies);
        let expect: Vec<String> = expect
            .iter()
            .map(|other| format!("`it` ({}) must not depend on `{other}`", layer.as_str()))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn layer_of_crate_is_its_folder() {
        assert_eq!(layer_of("crates/domain/relink-page"), Some(Layer::Domain));
        assert_eq!(layer_of("crates/dev/xtask"), Some(Layer::Dev));
        assert_eq!(layer_of("crates/relink-page"), None);
        assert_eq!(layer_of("crates/misc/relink-page"), None);
        assert_eq!(layer_of("crates/domain"), None);
        assert_eq!(layer_of("domain/relink-page"), None);
    }

    #[test]
    fn domain_crates_may_use_the_model_and_each_other() {
        check(Layer::Domain, &["relink-model", "relink-page"], &[]);
        check(Layer::Domain, &["tokio-util", "tokio"], &["tokio-util", "tokio"]);
        check(Layer::Domain, &["relink-ports"], &["relink-ports"]);
        check(Layer::Domain, &["relink-report"], &["relink-report"]);
        check(Layer::Presentation, &["sqlx-core"], &["sqlx-core"]);
    }

    #[test]
    fn adapters_may_not_use_adapters_or_domain_crates() {
        check(Layer::Adapters, &["relink-ports", "tokio", "hyper"], &[]);
        check(Layer::Adapters, &["relink-store"], &["relink-store"]);
        check(Layer::Adapters, &["relink-page"], &["relink-page"]);
        check(Layer::Adapters, &["relink-engine"], &["relink-engine"]);
    }

    #[test]
    fn application_may_use_ports_but_not_adapters() {
        check(Layer::Application, &["relink-judge", "relink-ports", "tokio"], &[]);
        check(
            Layer::Application,
            &["relink-fetch", "clap_builder"],
            &["relink-fetch", "clap_builder"],
        );
    }

    #[test]
    fn crates_with_a_common_prefix_are_not_one_family() {
        check(Layer::Model, &["tokioneer", "claptrap"], &[]);
    }
}
