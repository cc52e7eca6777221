//! Reads a database that cannot be written, because the file, its directory or the file system
//! is read-only.
//!
//! SQLite cannot use a write-ahead log there, because it would have to create files next
//! to the database. Therefore the file is opened as immutable, without a log. A file that
//! already has a log, or that is empty, is copied to a temporary directory, and the copy
//! is opened.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use relink_ports::StoreError;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use super::SqliteStore;
use super::error::DbResult;
use super::open::{
    EMPTY_SCHEMA_VERSION, check_version, configure, open_with_retry, schema_version,
};
use super::wal::wal_path;

/// The name of this operation in error messages.
const OPERATION: &str = "opening";

impl SqliteStore {
    /// Opens the store for reading, even if the file or its directory is
    /// read-only. Creates an empty store if the file does not exist.
    ///
    /// # Errors
    ///
    /// The same as for [`Self::open`]. If the file is read-only, later writes
    /// fail.
    pub async fn open_for_reading(path: &Path) -> Result<Self, StoreError> {
        if is_read_only(path) { open_read_only(path) } else { Self::open(path).await }
    }
}

/// Whether the file exists and it or its directory is read-only.
fn is_read_only(path: &Path) -> bool {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    path.is_file() && !(is_writable(path) && is_writable(parent.unwrap_or(Path::new("."))))
}

#[cfg(unix)]
fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.permissions().readonly())
}

/// Opens a file that cannot be written, or a copy of it.
fn open_read_only(path: &Path) -> Result<SqliteStore, StoreError> {
    let to_store_error = |error: super::DbError| error.into_store_error(path, OPERATION);
    let has_log = fs::metadata(wal_path(path)).is_ok_and(|log| log.len() > 0);
    if has_log {
        return open_copy(path);
    }
    let connection = connect_immutable(path).map_err(to_store_error)?;
    let version = schema_version(&connection).map_err(to_store_error)?;
    match check_version(path, version)? {
        EMPTY_SCHEMA_VERSION => open_copy(path),
        _ => Ok(SqliteStore::new(path, connection, None)),
    }
}

/// Opens a file without locks and log. No process may change the file meanwhile.
fn connect_immutable(path: &Path) -> DbResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(immutable_uri(path), flags)?;
    configure(&connection)?;
    Ok(connection)
}

/// Returns the path as an SQLite URI that declares the file immutable.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri + "?immutable=1"
}

/// Opens a copy in a temporary directory, which is removed with the store.
fn open_copy(path: &Path) -> Result<SqliteStore, StoreError> {
    let (directory, copy) = copy_to_temporary(path).map_err(|source| StoreError::Unreachable {
        path: path.display().to_string(),
        source: Box::new(source),
    })?;
    let connection = open_with_retry(&copy, Duration::ZERO)
        .map_err(|error| with_path(error, path.display().to_string()))?;
    Ok(SqliteStore::new(&copy, connection, Some(directory)))
}

/// Replaces the path of the copy in an error by `path`, the original file.
fn with_path(error: StoreError, path: String) -> StoreError {
    match error {
        StoreError::NotRelinkDatabase { .. } => StoreError::NotRelinkDatabase { path },
        StoreError::SchemaTooOld { found, known, .. } => {
            StoreError::SchemaTooOld { path, found, known }
        }
        StoreError::SchemaTooNew { found, known, .. } => {
            StoreError::SchemaTooNew { path, found, known }
        }
        error => error,
    }
}

/// Copies the database and its log to a temporary directory.
fn copy_to_temporary(path: &Path) -> io::Result<(TempDir, PathBuf)> {
    let directory = TempDir::with_prefix("relink-db-")?;
    let copy = directory.path().join("relink.db");
    copy_bytes(path, &copy)?;
    if wal_path(path).is_file() {
        copy_bytes(&wal_path(path), &wal_path(&copy))?;
    }
    Ok((directory, copy))
}

/// Copies the content without permissions, because the copy of a read-only file
/// has to be writable.
fn copy_bytes(from: &Path, to: &Path) -> io::Result<()> {
    io::copy(&mut fs::File::open(from)?, &mut fs::File::create(to)?).map(|_| ())
}

#[cfg(test)]
mod tests {
    use relink_ports::{RunStore as _, StoreMaintenance as _};

    use super::*;

    #[test]
    fn immutable_uri_escapes_special_bytes() {
        let uri = immutable_uri(Path::new("/a b/50%?#.db"));
        assert_eq!(uri, "file:/a%20b/50%25%3F%23.db?immutable=1");
    }

    #[tokio::test]
    async fn read_only_database_is_not_changed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("relink.db");
        drop(SqliteStore::open(&path).await.unwrap());
        let store = open_read_only(&path).unwrap();
        assert_eq!(store.size().await.unwrap().runs, 0);
        assert!(store.prune(jiff::Timestamp::UNIX_EPOCH).await.is_err());
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn read_only_database_with_old_schema_is_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("relink.db");
        drop(SqliteStore::open(&path).await.unwrap());
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", 9).unwrap();
        connection.close().unwrap();
        let expected_path = path.display().to_string();
        for opened in [open_read_only(&path), open_copy(&path)] {
            let error = opened.err().unwrap();
            let StoreError::SchemaTooOld { path, found, .. } = error else {
                panic!("{error:?}");
            };
            assert_eq!((path, found), (expected_path.clone(), 9));
        }
    }

    #[tokio::test]
    async fn read_only_database_with_log_is_read_from_copy() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("relink.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let key = relink_ports::RunKey {
            command: "check".to_owned(),
            inputs: Vec::new(),
            scope: String::new(),
        };
        store.open_run(&key, false, jiff::Timestamp::UNIX_EPOCH).await.unwrap();
        // Copy the files while the store is open, as a killed process would leave them.
        let left_behind = tempfile::tempdir().unwrap();
        let copy = left_behind.path().join("relink.db");
        copy_bytes(&path, &copy).unwrap();
        copy_bytes(&wal_path(&path), &wal_path(&copy)).unwrap();
        let store = open_read_only(&copy).unwrap();
        assert_eq!(store.size().await.unwrap().runs, 1);
        assert_eq!(fs::read_dir(&left_behind).unwrap().count(), 2);
    }
}
