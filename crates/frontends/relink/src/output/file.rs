//! Output files that are complete or absent.
//!
//! What is written goes to a file without a name, in the directory of the
//! output. Only [`OutputFile::commit`] gives it the name that the user wants,
//! in one step. A run that fails leaves an earlier file as it was. Devices and
//! pipes are written directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, Write};
use std::path::{Path, PathBuf};

use tempfile::Builder;

/// Directories of special files: what is there is opened, never replaced.
const SYSTEM_DIRECTORIES: [&str; 2] = ["/dev", "/proc"];

/// Mode of a new file, before the user's mask.
#[cfg(unix)]
const NEW_FILE_MODE: u32 = 0o666;

/// A file that is being written.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    /// The name to give it; none if the output is written directly.
    path: Option<PathBuf>,
}

impl OutputFile {
    /// Begins a file. Fails if it could not be written in the end.
    pub fn create(path: &Path) -> io::Result<Self> {
        if is_special(path) {
            return Ok(Self { file: File::create(path)?, path: None });
        }
        // A symbolic link stays, and the file it leads to is replaced.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let exists = path.exists();
        if exists {
            // A file that may not be written may not be replaced either.
            OpenOptions::new().write(true).open(&path)?;
        }
        match tempfile::tempfile_in(folder_of(&path)) {
            Ok(file) => Ok(Self { file, path: Some(path) }),
            Err(error) if exists && error.kind() == io::ErrorKind::PermissionDenied => {
                Ok(Self { file: File::create(&path)?, path: None })
            }
            Err(error) => Err(error),
        }
    }

    /// Gives the file its name, in place of an earlier one.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some(path) = &self.path else { return Ok(()) };
        self.file.rewind()?;
        let mut named = new_file(folder_of(path))?;
        io::copy(&mut self.file, &mut named)?;
        if let Ok(earlier) = fs::metadata(path) {
            named.as_file().set_permissions(earlier.permissions())?;
        }
        named.persist(path).map(|_| ()).map_err(|error| error.error)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes a whole file.
pub fn write_file(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OutputFile::create(path)?;
    file.write_all(text.as_bytes())?;
    file.commit()
}

/// Whether the path is a device, a pipe or another file that is not replaced.
pub fn is_special(path: &Path) -> bool {
    let is_system = SYSTEM_DIRECTORIES.iter().any(|directory| path.starts_with(directory));
    is_system || path.metadata().is_ok_and(|metadata| !metadata.is_file())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".relink-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(NEW_FILE_MODE));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn output_file_dropped_before_commit_leaves_the_earlier_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "earlier").unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(names(folder.path()), ["a.json"]);
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "earlier");
        assert!(OutputFile::create(&folder.path().join("gone/a.json")).is_err());
    }

    #[test]
    fn output_file_committed_replaces_the_earlier_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        for text in ["first, and longer", "second"] {
            write_file(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        use super::*;

        #[test]
        fn output_file_keeps_the_mode_of_the_earlier_one() {
            let folder = tempfile::tempdir().unwrap();
            let (path, fresh) = (folder.path().join("a.json"), folder.path().join("b.json"));
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            write_file(&path, "text").unwrap();
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o640);
            let usual = folder.path().join("c.json");
            fs::write(&usual, "").unwrap();
            write_file(&fresh, "text").unwrap();
            assert_eq!(mode(&fresh), mode(&usual));
        }

        #[test]
        fn output_file_through_a_symlink_replaces_its_target() {
            let folder = tempfile::tempdir().unwrap();
            let (path, link) = (folder.path().join("a.json"), folder.path().join("b.json"));
            fs::write(&path, "").unwrap();
            symlink(&path, &link).unwrap();
            write_file(&link, "text").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "text");
            assert!(link.is_symlink());
        }

        #[test]
        fn output_file_that_is_a_device_is_written_directly() {
            write_file(Path::new("/dev/null"), "text").unwrap();
            assert!(is_special(Path::new("/dev/stdout")));
        }
    }
}
