//! Restrictions on the configuration file of a project.
//!
//! Anyone who can propose a change to a project can change its `relink.toml`. The
//! file may select what is checked, and how. It must not redirect requests, send
//! secrets, spend money, or access files outside of the project. Keys that could do
//! so are ignored with a warning.

use std::path::{Component, Path, PathBuf};
use std::sync::Once;

use toml::Table;

use super::Config;
use crate::database;
use crate::error::CommandError;
use crate::paths;

/// The keys that a project's file sets, for the report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectConfig {
    /// The name of the file.
    pub file: String,
    /// The keys that are used.
    pub sets: Vec<String>,
    /// The keys that are ignored.
    pub ignored: Vec<String>,
}

impl ProjectConfig {
    /// Returns the line for a report: `relink.toml sets: exclude, fail-on`.
    pub fn line(&self) -> Option<String> {
        (!self.sets.is_empty()).then(|| format!("{} sets: {}", self.file, self.sets.join(", ")))
    }

    /// Prints a warning for each ignored key, once per process.
    pub fn warn(&self) {
        // A run may read the file twice.
        static WARNED: Once = Once::new();
        WARNED.call_once(|| self.print_warnings());
    }

    fn print_warnings(&self) {
        let user_file = match paths::user_config_path() {
            Some(path) => format!("`{}`", path.display()),
            None => "your own configuration".to_owned(),
        };
        for key in &self.ignored {
            let flag = key.rsplit('.').next().unwrap_or(key);
            let message = format!("`{key}` in `{}` is ignored: a project cannot set it", self.file);
            let hint = match flag {
                // These keys of a host have no flag.
                "headers" | "basic-auth" => format!("set it in {user_file}"),
                flag => format!("set it in {user_file}, or use `--{flag}`"),
            };
            CommandError::usage(message).hint(hint).warn();
        }
    }
}

/// A key, and a function that removes it from a configuration.
type Removal = (&'static str, fn(&mut Config));

/// Keys that redirect requests, send secrets or spend money.
const USER_ONLY: [Removal; 16] = [
    ("allow-private", |config| config.allow_private = None),
    ("client-cert", |config| config.client_cert = None),
    ("client-key", |config| config.client_key = None),
    ("contact", |config| config.contact = None),
    ("dns-server", |config| config.dns_server = None),
    ("header", |config| config.header = None),
    ("header-for", |config| config.header_for = None),
    ("no-proxy", |config| config.no_proxy = None),
    ("proxy", |config| config.proxy = None),
    ("resolve", |config| config.resolve = None),
    ("user-agent", |config| config.user_agent = None),
    ("revive.archive", |config| config.revive.archive = None),
    ("revive.archive-budget", |config| config.revive.archive_budget = None),
    ("revive.search", |config| config.revive.search = None),
    ("revive.search-budget", |config| config.revive.search_budget = None),
    ("revive.max-searches", |config| config.revive.max_searches = None),
];

/// A key with paths, a function that returns the paths, and a function that removes the key.
type PathKey = (&'static str, fn(&Config) -> Vec<PathBuf>, fn(&mut Config));

/// Keys with paths that must be inside of the project.
const PROJECT_PATHS: [PathKey; 6] = [
    (
        "baseline",
        |config| config.baseline.iter().cloned().collect(),
        |config| config.baseline = None,
    ),
    ("db", |config| config.db.iter().cloned().collect(), |config| config.db = None),
    (
        "root-dir",
        |config| config.root_dir.clone().unwrap_or_default(),
        |config| config.root_dir = None,
    ),
    (
        "map",
        |config| config.map.iter().flatten().map(|map| map.0.dir.clone()).collect(),
        |config| config.map = None,
    ),
    (
        "revive.live-pages",
        |config| config.revive.live_pages.clone().unwrap_or_default(),
        |config| config.revive.live_pages = None,
    ),
    (
        "revive.warc",
        |config| config.revive.warc.clone().unwrap_or_default(),
        |config| config.revive.warc = None,
    ),
];

/// Removes the keys that a project must not set. Returns the configuration and the keys of
/// the file.
///
/// `table` is the parsed file, `root` is the directory of the project. Relative paths are
/// relative to `dir`.
pub(super) fn restrict(
    mut config: Config,
    table: &Table,
    file: &Path,
    root: &Path,
    dir: &Path,
) -> (Config, ProjectConfig) {
    let keys = qualified_keys(table);
    let is_set = |key: &str| keys.iter().any(|set_key| set_key == key);
    let mut ignored: Vec<String> = Vec::new();
    for (key, remove) in USER_ONLY.iter().filter(|(key, _)| is_set(key)) {
        remove(&mut config);
        ignored.push((*key).to_owned());
    }
    for (name, host) in config.host.iter_mut().flatten() {
        let removed = host.remove_user_only().into_iter();
        ignored.extend(removed.map(|key| format!("host.{name}.{key}")));
    }
    for (key, paths, remove) in PROJECT_PATHS {
        let is_outside = |path: &PathBuf| {
            database::server_url(path).is_some() || !is_inside(root, &dir.join(path))
        };
        if paths(&config).iter().any(is_outside) {
            remove(&mut config);
            ignored.push(key.to_owned());
        }
    }
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let sets = keys.into_iter().filter(|key| !ignored.contains(key)).collect();
    (config, ProjectConfig { file: name, sets, ignored })
}

/// Returns all keys of a file. Keys in tables start with the name of the table, such as
/// `revive.search` and `host.example.org.accept`.
fn qualified_keys(table: &Table) -> Vec<String> {
    let mut keys = Vec::new();
    for (key, value) in table {
        match (key.as_str(), value.as_table()) {
            ("host", Some(hosts)) => {
                for (name, host) in hosts {
                    let settings = host.as_table().into_iter().flat_map(Table::keys);
                    keys.extend(settings.map(|setting| format!("host.{name}.{setting}")));
                }
            }
            ("revive", Some(revive)) => {
                keys.extend(revive.keys().map(|setting| format!("revive.{setting}")));
            }
            _ => keys.push(key.clone()),
        }
    }
    keys
}

/// Whether a path is inside of a directory after resolving symbolic links.
pub fn is_inside(directory: &Path, path: &Path) -> bool {
    let Ok(directory) = directory.canonicalize() else { return false };
    // Missing directories would be created below the nearest ancestor that exists. A symbolic
    // link counts as existing even if its target is missing, because the target may be created
    // outside later.
    let Some(existing) = path.ancestors().find(|part| part.symlink_metadata().is_ok()) else {
        return false;
    };
    let missing = path.strip_prefix(existing).unwrap_or(path);
    let has_only_names = missing.components().all(|part| matches!(part, Component::Normal(_)));
    has_only_names && existing.canonicalize().is_ok_and(|existing| existing.starts_with(&directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Restricts a configuration file with this text, in an empty project.
    fn restrict_text(text: &str) -> (Config, ProjectConfig) {
        let root = tempfile::tempdir().unwrap();
        let config = toml::from_str(text).unwrap();
        let table = text.parse().unwrap();
        restrict(config, &table, Path::new("/x/relink.toml"), root.path(), root.path())
    }

    #[test]
    fn restrict_removes_keys_that_could_send_secrets() {
        let text = "proxy = \"http://127.0.0.1:1\"\nheader = [\"A: b\"]\nretries = 1\n\
                    exclude = [\"x\"]\n[revive]\nsearch = [\"brave\"]\nmin-confidence = 0.5\n";
        let (config, project) = restrict_text(text);
        assert!(config.proxy.is_none() && config.header.is_none());
        assert!(config.revive.search.is_none() && config.retries == Some(1));
        assert_eq!(project.ignored, ["header", "proxy", "revive.search"]);
        assert_eq!(
            project.line().unwrap(),
            "relink.toml sets: exclude, retries, revive.min-confidence"
        );
    }

    #[test]
    fn restrict_accepts_only_paths_inside_of_the_project() {
        let (config, project) = restrict_text("db = \"cache/relink.db\"\n");
        assert!(config.db.is_some() && project.ignored.is_empty());
        for text in [
            "db = \"../x.db\"",
            "db = \"/tmp/x.db\"",
            "db = \"a/../../x.db\"",
            "db = \"postgres://a@127.0.0.1/x\"",
        ] {
            let (config, project) = restrict_text(text);
            assert!(config.db.is_none(), "{text}");
            assert_eq!(project.ignored, ["db"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn is_inside_resolves_symbolic_links() {
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let create_link = |name: &str, target: &Path| {
            std::os::unix::fs::symlink(target, root.path().join(name)).unwrap();
        };
        create_link("out", other.path());
        create_link("dangling", &other.path().join("missing.db"));
        create_link("in", root.path());
        for (path, expected) in
            [("x.db", true), ("in/x.db", true), ("out/x.db", false), ("dangling", false)]
        {
            assert_eq!(is_inside(root.path(), &root.path().join(path)), expected, "{path}");
        }
    }
}
