//! The database of a command: an SQLite file, or a PostgreSQL server.
//!
//! Settings contain the value of `--db`, a file name or a URL, as a path. Only this module
//! distinguishes the two. **The password of a URL is never printed.**

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
    server_url(db).map_or_else(|| db.display().to_string(), redact_database_url)
}

/// Whether the database exists. Returns `true` for a server without connecting to it.
pub fn exists(db: &Path) -> bool {
    server_url(db).is_some() || db.exists()
}

/// Returns the common start of the paths of files that belong to the database, such as the
/// search index and the journals of repairs. The files of a file database are next to it,
/// the files of a server are in the user's data directory.
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
        assert_eq!(display_name(Path::new("dir/x.db")), "dir/x.db");
    }

    #[test]
    fn companion_path_does_not_depend_on_the_password() {
        let path = |url: &str| companion_path(Path::new(url)).unwrap();
        assert_eq!(path("postgres://a:b@h/x"), path("postgres://a:c@h/x"));
        assert_ne!(path("postgres://a:b@h/x"), path("postgres://a:b@h/y"));
        assert_eq!(path("dir/x.db"), Path::new("dir/x.db"));
    }
}
