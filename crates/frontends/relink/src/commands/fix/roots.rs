//! The directories in which files may be changed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Characters that start the variable part of a glob.
const GLOB_CHARACTERS: [char; 4] = ['*', '?', '[', '{'];

/// The directories of the inputs, without symbolic links.
#[derive(Debug)]
pub struct Roots(Vec<PathBuf>);

impl Roots {
    /// Returns the directories of the inputs of a command.
    pub fn new(inputs: &[OsString]) -> Self {
        Self(inputs.iter().filter_map(|input| input_directory(Path::new(input))).collect())
    }

    /// Returns the input directory that contains a file, after symbolic links are resolved. The
    /// error is the reason why the file may not be changed.
    pub fn root_of(&self, file: &Path) -> Result<&Path, String> {
        let real = file.canonicalize().map_err(|error| error.to_string())?;
        let root = self.0.iter().find(|root| real.starts_with(root)).map(PathBuf::as_path);
        root.ok_or_else(|| "the file is a symbolic link to a file outside of the inputs".to_owned())
    }
}

/// Returns the directory of an input: a directory itself, the parent of a file, or the fixed
/// part of a glob, such as `docs` for `docs/*/index.md`.
fn input_directory(input: &Path) -> Option<PathBuf> {
    if input.is_dir() {
        return input.canonicalize().ok();
    }
    let is_fixed = |name: &std::ffi::OsStr| !name.to_string_lossy().contains(GLOB_CHARACTERS);
    let directory: PathBuf = input
        .parent()?
        .components()
        .take_while(|component| is_fixed(component.as_os_str()))
        .collect();
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { &directory };
    directory.canonicalize().ok()
}
