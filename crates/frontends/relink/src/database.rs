//! The database of a command: an SQLite file, or a PostgreSQL server.
//!
//! The value of `--db` is a file name or a URL. Settings contain both as a path; only this
//! module distinguishes files and URLs. **The password of a URL is never printed.**

use std::path::{Path, PathBuf};

use relink_store::{is_database_url, redact_database_url};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::CommandError;
use crate::paths;

/// Returns the URL of a database server; `None` if the database is a file.
pub fn server_url(db: &Path) -> Option<&str> {
    db.to_str().filter(|text| is_database_url(text))
}

/// Returns the path or the URL of the database for messages, without the password.
pub fn display_name(db: &Path) -> String {
    let name = db.display().to_string();
    if name.contains("://") { redact_database_url(&name) } else { name }
}

/// Rejects the URL of an unknown kind of database as the name of a file: the file name would
/// contain the password.
pub fn check_file_name(db: &Path) -> Result<(), CommandError> {
    let is_url = db.to_str().and_then(|name| name.split_once("://")).is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
    });
    if !is_url || server_url(db).is_some() {
        return Ok(());
    }
    Err(CommandError::usage(format!("unknown kind of database: `{}`", display_name(db)))
        .hint("use a file, or a URL such as `postgres://USER@HOST/DATABASE`"))
}

/// Whether the database exists. Returns `true` for a server without connecting to it.
pub fn exists(db: &Path) -> bool {
    server_url(db).is_some() || db.exists()
}

/// Returns the path to which callers append a suffix to name a file that belongs to the
/// database, such as `.index` for the search index. The companions of a database file are
/// next to the file. Those of a server are in the user's data directory.
pub fn companion_path(db: &Path) -> Result<PathBuf, CommandError> {
    let Some(url) = server_url(db) else { return Ok(db.to_owned()) };
    let name = format!("postgres-{:016x}", xxh3_64(redact_database_url(url).as_bytes()));
    let directory = paths::data_directory().ok_or_else(|| {
        CommandError::internal("cannot determine the data directory")
            .hint("set HOME or XDG_DATA_HOME")
    })?;
    Ok(directory.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_name_hides_the_password() {
        assert_eq!(display_name(Path::new("postgres://a:b@h/x")), "postgres://a@h/x");
        assert_eq!(display_name(Path::new("mysql://a:b@h/x")), "mysql://a@h/x");
        assert_eq!(display_name(Path::new("dir/x.db")), "dir/x.db");
    }

    #[test]
    fn url_of_an_unknown_kind_of_database_is_not_a_file_name() {
        for url in ["mysql://a:b@h/x", "POSTGRES://a:b@h/x", "sqlite://x.db"] {
            let error = check_file_name(Path::new(url)).unwrap_err();
            assert!(!format!("{error:?}").contains(":b@"), "{error:?}");
        }
        assert!(check_file_name(Path::new("postgres://a:b@h/x")).is_ok());
        for file in ["x.db", "dir/x.db", "a:b/x.db", "C:/x.db", "://x"] {
            assert!(check_file_name(Path::new(file)).is_ok(), "{file}");
        }
    }

    #[test]
    fn companion_path_does_not_depend_on_the_password() {
        let path = |url: &str| companion_path(Path::new(url)).unwrap();
        assert_eq!(path("postgres://a:b@h/x"), path("postgres://a:c@h/x"));
        assert_ne!(path("postgres://a:b@h/x"), path("postgres://a:b@h/y"));
        assert_eq!(path("dir/x.db"), Path::new("dir/x.db"));
    }
}
