//! Where things lie on the disk: the project's root, the database, the
//! configuration.

use std::path::{Path, PathBuf};

/// The file that marks a project and configures it.
pub const CONFIG_FILE: &str = "relink.toml";

/// The root of the project that `folder` lies in: the nearest folder upward
/// with a configuration or a repository, or `folder` itself.
pub fn project_root(folder: &Path) -> PathBuf {
    let is_root =
        |folder: &&Path| folder.join(CONFIG_FILE).exists() || folder.join(".git").exists();
    folder.ancestors().find(is_root).unwrap_or(folder).to_owned()
}

/// The project's configuration file, if it has one.
pub fn project_config(folder: &Path) -> Option<PathBuf> {
    Some(project_root(folder).join(CONFIG_FILE)).filter(|file| file.exists())
}

/// The user's configuration file, if there is one.
pub fn user_config() -> Option<PathBuf> {
    user_config_path().filter(|file| file.exists())
}

/// Where the user's configuration file is, or would be.
pub fn user_config_path() -> Option<PathBuf> {
    Some(base("XDG_CONFIG_HOME", ".config")?.join("relink").join("config.toml"))
}

/// The database of the project that `folder` lies in: one file per project, in
/// the user's data directory.
pub fn default_database(folder: &Path) -> Option<PathBuf> {
    let root = project_root(folder);
    let name = root.file_name().map_or("root".into(), |name| name.to_string_lossy());
    let file = format!("{name}-{:08x}.db", fnv(root.as_os_str().as_encoded_bytes()));
    Some(base("XDG_DATA_HOME", ".local/share")?.join("relink").join(file))
}

/// A directory of the XDG base directory specification.
fn base(variable: &str, below_home: &str) -> Option<PathBuf> {
    let set = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    set.or_else(|| std::env::home_dir().map(|home| home.join(below_home)))
}

/// FNV-1a: two projects of one name are told apart, for ever in the same way.
fn fnv(bytes: &[u8]) -> u32 {
    let mix = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811c_9dc5, mix)
}
