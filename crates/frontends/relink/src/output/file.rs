//! Output files that are replaced atomically.
//!
//! Output is written to an unnamed temporary file in the directory of the target path.
//! [`OutputFile::commit`] then replaces the target, so a run that fails does not change an
//! existing file. Devices and pipes are written directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, Write};
use std::path::{Path, PathBuf};

use tempfile::Builder;

/// Directories of special files, which are opened and never replaced.
const SYSTEM_DIRECTORIES: [&str; 2] = ["/dev", "/proc"];

/// Mode of a new file, before the umask is applied.
#[cfg(unix)]
const NEW_FILE_MODE: u32 = 0o666;

/// A file that is being written.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    /// The target path; `None` if the output is written directly.
    path: Option<PathBuf>,
}

impl OutputFile {
    /// Creates a file. Fails if the target is not writable.
    pub fn create(path: &Path) -> io::Result<Self> {
        if is_special(path) {
            return Ok(Self { file: File::create(path)?, path: None });
        }
        // Replace the target of a symbolic link, not the link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let exists = path.exists();
        if exists {
            // Replacing a file needs only a writable directory, but a read-only file must not
            // be replaced.
            OpenOptions::new().write(true).open(&path)?;
        }
        match tempfile::tempfile_in(parent_dir(&path)) {
            Ok(file) => Ok(Self { file, path: Some(path) }),
            // The file is writable, but its directory is not.
            Err(error) if exists && error.kind() == io::ErrorKind::PermissionDenied => {
                Ok(Self { file: File::create(&path)?, path: None })
            }
            Err(error) => Err(error),
        }
    }

    /// Replaces the target with the file.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some(path) = &self.path else { return Ok(()) };
        // Copy to a file with a name, because an unnamed file cannot be renamed.
        self.file.rewind()?;
        let mut named = create_named(parent_dir(path))?;
        io::copy(&mut self.file, &mut named)?;
        if let Ok(existing) = fs::metadata(path) {
            named.as_file().set_permissions(existing.permissions())?;
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

/// Writes a file atomically.
pub fn write_file(path: &Path, content: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = OutputFile::create(path)?;
    file.write_all(content.as_ref())?;
    file.commit()
}

/// Whether the path is a device, a pipe or another special file.
pub fn is_special(path: &Path) -> bool {
    let is_system = SYSTEM_DIRECTORIES.iter().any(|directory| path.starts_with(directory));
    is_system || path.metadata().is_ok_and(|metadata| !metadata.is_file())
}

fn parent_dir(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a temporary file with a name and the mode of a new file.
fn create_named(dir: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".relink-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(NEW_FILE_MODE));
    }
    builder.tempfile_in(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the names of all files in a directory.
    fn file_names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn dropped_output_file_preserves_the_existing_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        fs::write(&path, "earlier").unwrap();
        let mut file = OutputFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(file_names(dir.path()), ["a.json"]);
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "earlier");
    }

    #[test]
    fn output_file_in_missing_directory_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert!(OutputFile::create(&dir.path().join("missing/a.json")).is_err());
    }

    #[test]
    fn committed_output_file_replaces_the_existing_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.json");
        for text in ["first, and longer", "second"] {
            write_file(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(file_names(dir.path()), ["a.json"]);
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        use super::*;

        #[test]
        fn output_file_preserves_the_mode_of_the_existing_file() {
            let dir = tempfile::tempdir().unwrap();
            let (path, new_path) = (dir.path().join("a.json"), dir.path().join("b.json"));
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            write_file(&path, "text").unwrap();
            let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o640);
            // A new file has the default mode.
            let default = dir.path().join("c.json");
            fs::write(&default, "").unwrap();
            write_file(&new_path, "text").unwrap();
            assert_eq!(mode(&new_path), mode(&default));
        }

        #[test]
        fn output_file_through_a_symlink_replaces_its_target() {
            let dir = tempfile::tempdir().unwrap();
            let (path, link) = (dir.path().join("a.json"), dir.path().join("b.json"));
            fs::write(&path, "").unwrap();
            symlink(&path, &link).unwrap();
            write_file(&link, "text").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "text");
            assert!(link.is_symlink());
        }

        #[test]
        fn write_file_accepts_a_device() {
            write_file(Path::new("/dev/null"), "text").unwrap();
            assert!(is_special(Path::new("/dev/stdout")));
        }
    }
}
