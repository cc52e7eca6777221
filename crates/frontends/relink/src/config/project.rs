//! What a project's own file may set.
//!
//! A project's `relink.toml` comes with the project, so anyone who may propose
//! a change of it may write it. It says what is checked and how; it cannot send
//! requests or secrets elsewhere, spend what is paid for, or touch files outside
//! of the project. Such keys are ignored, with a warning.

use std::path::{Component, Path, PathBuf};

use toml::Table;

use super::Config;
use crate::error::CommandError;
use crate::paths;

/// What a project's file sets, for the report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectConfig {
    /// The name of the file.
    pub file: String,
    /// The keys that count.
    pub sets: Vec<String>,
    /// The keys that are ignored.
    pub ignored: Vec<String>,
}

impl ProjectConfig {
    /// The line for a report: `relink.toml sets: exclude, fail-on`.
    pub fn line(&self) -> Option<String> {
        (!self.sets.is_empty()).then(|| format!("{} sets: {}", self.file, self.sets.join(", ")))
    }

    /// Warns of the keys that are ignored.
    pub fn warn(&self) {
        let own = paths::user_config_path();
        let own =
            own.map_or("your own configuration".to_owned(), |path| format!("`{}`", path.display()));
        for key in &self.ignored {
            let flag = key.rsplit('.').next().unwrap_or(key);
            let message = format!("`{key}` in `{}` is ignored: a project cannot set it", self.file);
            let hint = match flag {
                // There is no flag for the table.
                "host" => format!("set it in {own}"),
                flag => format!("set it in {own}, or give `--{flag}` on the command line"),
            };
            CommandError::usage(message).hint(hint).warn();
        }
    }
}

/// A key and how it is taken out of a configuration.
type Removal = (&'static str, fn(&mut Config));

/// Keys that send requests or secrets elsewhere, or spend what is paid for.
const USER_ONLY: [Removal; 17] = [
    ("allow-private", |config| config.allow_private = None),
    ("client-cert", |config| config.client_cert = None),
    ("client-key", |config| config.client_key = None),
    ("contact", |config| config.contact = None),
    ("dns-server", |config| config.dns_server = None),
    ("header", |config| config.header = None),
    ("header-for", |config| config.header_for = None),
    ("host", |config| config.host = None),
    ("no-proxy", |config| config.no_proxy = None),
    ("proxy", |config| config.proxy = None),
    ("resolve", |config| config.resolve = None),
    ("user-agent", |config| config.user_agent = None),
    ("revive.archive", |config| config.revive.archive = None),
    ("revive.archive-budget", |config| config.revive.archive_budget = None),
    ("revive.search", |config| config.revive.search = None),
    ("revive.search-budget", |config| config.revive.search_budget = None),
    ("revive.searches", |config| config.revive.searches = None),
];

/// A key that names files, the files, and how it is taken out.
type Paths = (&'static str, fn(&Config) -> Vec<PathBuf>, fn(&mut Config));

/// Keys that name files, which must lie in the project.
const INSIDE_ONLY: [Paths; 4] = [
    ("db", |config| config.db.iter().cloned().collect(), |config| config.db = None),
    (
        "root-dir",
        |config| config.root_dir.iter().cloned().collect(),
        |config| config.root_dir = None,
    ),
    (
        "revive.live",
        |config| config.revive.live.clone().unwrap_or_default(),
        |config| config.revive.live = None,
    ),
    (
        "revive.warc",
        |config| config.revive.warc.clone().unwrap_or_default(),
        |config| config.revive.warc = None,
    ),
];

/// The configuration of a project's file, as far as it counts, and what it sets.
///
/// `root` is the directory of the project, `folder` the one that relative paths
/// start from.
pub(super) fn restrict(
    mut config: Config,
    table: &Table,
    file: &Path,
    root: &Path,
    folder: &Path,
) -> (Config, ProjectConfig) {
    let keys = keys(table);
    let is_set = |key: &str| keys.iter().any(|set| set == key);
    let mut ignored: Vec<String> = Vec::new();
    for (key, remove) in USER_ONLY.iter().filter(|(key, _)| is_set(key)) {
        remove(&mut config);
        ignored.push((*key).to_owned());
    }
    for (key, paths, remove) in INSIDE_ONLY {
        if paths(&config).iter().any(|path| !is_inside(root, &folder.join(path))) {
            remove(&mut config);
            ignored.push(key.to_owned());
        }
    }
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let sets = keys.into_iter().filter(|key| !ignored.contains(key)).collect();
    (config, ProjectConfig { file: name, sets, ignored })
}

/// Every key of a file, those of `[revive]` with its name before them.
fn keys(table: &Table) -> Vec<String> {
    let mut keys = Vec::new();
    for (key, value) in table {
        match value.as_table().filter(|_| key == "revive") {
            Some(inner) => keys.extend(inner.keys().map(|inner| format!("{key}.{inner}"))),
            None => keys.push(key.clone()),
        }
    }
    keys
}

/// Whether a path lies in a directory, wherever the links on the way lead.
pub fn is_inside(directory: &Path, path: &Path) -> bool {
    let Ok(directory) = directory.canonicalize() else { return false };
    // The nearest part that exists; what is missing is made below it. A link to
    // nowhere exists, and leads wherever it says.
    let Some(existing) = path.ancestors().find(|part| part.symlink_metadata().is_ok()) else {
        return false;
    };
    let missing = path.strip_prefix(existing).unwrap_or(path);
    let is_plain = missing.components().all(|part| matches!(part, Component::Normal(_)));
    is_plain && existing.canonicalize().is_ok_and(|existing| existing.starts_with(&directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restricted(text: &str) -> (Config, ProjectConfig) {
        let root = tempfile::tempdir().unwrap();
        let config = toml::from_str(text).unwrap();
        let table = text.parse().unwrap();
        restrict(config, &table, Path::new("/x/relink.toml"), root.path(), root.path())
    }

    #[test]
    fn restrict_drops_keys_that_move_secrets() {
        let text = "proxy = \"http://127.0.0.1:1\"\nheader = [\"A: b\"]\nretries = 1\n\
                    exclude = [\"x\"]\n[revive]\nsearch = [\"brave\"]\nleast = 0.5\n";
        let (config, project) = restricted(text);
        assert!(config.proxy.is_none() && config.header.is_none());
        assert!(config.revive.search.is_none() && config.retries == Some(1));
        assert_eq!(project.ignored, ["header", "proxy", "revive.search"]);
        assert_eq!(project.line().unwrap(), "relink.toml sets: exclude, retries, revive.least");
    }

    #[test]
    fn restrict_keeps_paths_inside_of_the_project_only() {
        let (config, project) = restricted("db = \"cache/relink.db\"\n");
        assert!(config.db.is_some() && project.ignored.is_empty());
        for text in ["db = \"../x.db\"", "db = \"/tmp/x.db\"", "db = \"a/../../x.db\""] {
            let (config, project) = restricted(text);
            assert!(config.db.is_none(), "{text}");
            assert_eq!(project.ignored, ["db"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn is_inside_follows_links() {
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let link = |name: &str, target: &Path| {
            std::os::unix::fs::symlink(target, root.path().join(name)).unwrap();
        };
        link("out", other.path());
        link("nowhere", &other.path().join("missing.db"));
        link("in", root.path());
        for (path, expect) in
            [("x.db", true), ("in/x.db", true), ("out/x.db", false), ("nowhere", false)]
        {
            assert_eq!(is_inside(root.path(), &root.path().join(path)), expect, "{path}");
        }
    }
}
