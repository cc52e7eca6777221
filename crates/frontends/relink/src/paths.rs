//! Paths of the project root, the database and the configuration files.

use std::path::{Path, PathBuf};

/// The file that marks a project and configures it.
pub const CONFIG_FILE: &str = "relink.toml";

/// Returns the project root of `dir`: the nearest ancestor with a configuration file
/// or a git repository, or `dir` itself.
pub fn project_root(dir: &Path) -> PathBuf {
    let is_root = |dir: &&Path| dir.join(CONFIG_FILE).exists() || dir.join(".git").exists();
    dir.ancestors().find(is_root).unwrap_or(dir).to_owned()
}

/// Returns the configuration file of the project, if it exists.
pub fn project_config(dir: &Path) -> Option<PathBuf> {
    Some(project_root(dir).join(CONFIG_FILE)).filter(|file| file.exists())
}

/// Returns the configuration file of the user, if it exists.
pub fn user_config() -> Option<PathBuf> {
    user_config_path().filter(|file| file.exists())
}

/// Returns the path of the user's configuration file, which need not exist.
pub fn user_config_path() -> Option<PathBuf> {
    Some(xdg_directory("XDG_CONFIG_HOME", ".config")?.join("relink").join("config.toml"))
}

/// Returns the default database of the project of `dir`: one file per project in the
/// user's data directory.
pub fn default_database(dir: &Path) -> Option<PathBuf> {
    let root = project_root(dir);
    let name = root.file_name().map_or("root".into(), |name| name.to_string_lossy());
    let file = format!("{name}-{:08x}.db", fnv1a(root.as_os_str().as_encoded_bytes()));
    Some(data_directory()?.join(file))
}

/// Returns the directory for the data of this user.
pub fn data_directory() -> Option<PathBuf> {
    Some(xdg_directory("XDG_DATA_HOME", ".local/share")?.join("relink"))
}

/// Returns a directory of the XDG base directory specification: the value of a variable, or
/// a directory below the home directory. Relative values are invalid.
fn xdg_directory(variable: &str, below_home: &str) -> Option<PathBuf> {
    let value = std::env::var_os(variable).map(PathBuf::from);
    let configured = value.filter(|path| path.is_absolute());
    configured.or_else(|| std::env::home_dir().map(|home| home.join(below_home)))
}

/// Returns the FNV-1a hash of the path of a project. The hash is part of the database name of
/// the project, so the function must never change.
fn fnv1a(bytes: &[u8]) -> u32 {
    let mix = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811c_9dc5, mix)
}
