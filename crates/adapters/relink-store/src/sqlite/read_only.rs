//! Reads a database that cannot be written: a read-only file, or one in a
//! read-only directory or file system.
//!
//! SQLite cannot use a write-ahead log there, because it would have to create
//! files next to the database. So the file is opened as immutable. If a log is
//! left, or if the schema is old, a temporary copy is opened instead.

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
use super::open::{MIGRATIONS, configure, open_in_turn, schema_version};
use super::wal::log_of;

const DOING: &str = "opening";

impl SqliteStore {
    /// Opens the store for reading, even if nothing can be written where it
    /// is. Creates an empty one if there is none.
    ///
    /// # Errors
    ///
    /// As [`Self::open`]. If the file is read-only, later writes fail.
    pub async fn open_for_reading(path: &Path) -> Result<Self, StoreError> {
        let opened = if is_read_only(path) { None } else { Some(Self::open(path).await) };
        match opened {
            Some(opened) => opened,
            None => open_read_only(path),
        }
    }
}

/// Whether there is a file that cannot be written where it is.
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

fn open_read_only(path: &Path) -> Result<SqliteStore, StoreError> {
    let told = |trouble: super::DbError| trouble.into_store_error(path, DOING);
    let has_log = fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0);
    if has_log {
        return open_copy(path);
    }
    let connection = connect_immutable(path).map_err(told)?;
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let place = || path.display().to_string();
    match schema_version(&connection).map_err(told)? {
        None => Err(StoreError::NotRelinkDatabase { path: place() }),
        Some(found) if found > known => {
            Err(StoreError::SchemaTooNew { path: place(), found, known })
        }
        Some(found) if found < known => open_copy(path),
        Some(_) => Ok(SqliteStore::new(path, connection, None)),
    }
}

fn connect_immutable(path: &Path) -> DbResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(immutable_uri(path), flags)?;
    configure(&connection)?;
    Ok(connection)
}

/// The path as a URI; each byte that could have a meaning there is escaped.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            // Writing into a string does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri + "?immutable=1"
}

/// Opens a copy in a temporary directory, which is removed with the store.
fn open_copy(path: &Path) -> Result<SqliteStore, StoreError> {
    let (folder, copy) = copy_to_temporary(path).map_err(|source| StoreError::Unreachable {
        path: path.display().to_string(),
        source: Box::new(source),
    })?;
    let connection = open_in_turn(&copy, Duration::ZERO)?;
    Ok(SqliteStore::new(&copy, connection, Some(folder)))
}

fn copy_to_temporary(path: &Path) -> io::Result<(TempDir, PathBuf)> {
    let folder = TempDir::with_prefix("relink-db-")?;
    let copy = folder.path().join("relink.db");
    copy_bytes(path, &copy)?;
    if log_of(path).is_file() {
        copy_bytes(&log_of(path), &log_of(&copy))?;
    }
    Ok((folder, copy))
}

/// Copies content only: the copy of a read-only file has to be writable.
fn copy_bytes(from: &Path, to: &Path) -> io::Result<()> {
    io::copy(&mut fs::File::open(from)?, &mut fs::File::create(to)?).map(|_| ())
}

#[cfg(test)]
mod tests {
    use relink_ports::Store as _;

    use super::*;

    #[test]
    fn immutable_uri_escapes_what_has_a_meaning() {
        let uri = immutable_uri(Path::new("/a b/50%?#.db"));
        assert_eq!(uri, "file:/a%20b/50%25%3F%23.db?immutable=1");
    }

    #[tokio::test]
    async fn read_only_database_is_read_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("relink.db");
        drop(SqliteStore::open(&path).await.unwrap());
        let store = open_read_only(&path).unwrap();
        assert_eq!(store.size().await.unwrap().runs, 0);
        assert!(store.prune(jiff::Timestamp::UNIX_EPOCH).await.is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[tokio::test]
    async fn read_only_database_with_a_log_is_read_from_a_copy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("relink.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let plan = relink_ports::RunKey {
            command: "check".to_owned(),
            inputs: Vec::new(),
            scope: String::new(),
        };
        store.open_run(&plan, false, jiff::Timestamp::UNIX_EPOCH).await.unwrap();
        // What a process that was killed leaves behind.
        let left = tempfile::tempdir().unwrap();
        let copy = left.path().join("relink.db");
        copy_bytes(&path, &copy).unwrap();
        copy_bytes(&log_of(&path), &log_of(&copy)).unwrap();
        let store = open_read_only(&copy).unwrap();
        assert_eq!(store.size().await.unwrap().runs, 1);
        assert_eq!(fs::read_dir(&left).unwrap().count(), 2);
    }
}
