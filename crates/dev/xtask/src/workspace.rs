//! The crates of the workspace, as reported by `cargo metadata`, and functions to run
//! programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::XtaskError;

/// The environment variable with the path of the `relink` binary to test.
const RELINK_VARIABLE: &str = "RELINK";

/// The workspace of this repository.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// The directory of the root `Cargo.toml`.
    pub root: PathBuf,
    /// Cargo's target directory.
    pub target: PathBuf,
    /// Its crates, sorted by name.
    pub crates: Vec<Crate>,
}

/// One crate of the workspace.
#[derive(Debug, Clone)]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// The description of the crate, or an empty text.
    pub description: String,
    /// Its directory, below the root.
    pub path: PathBuf,
}

impl Workspace {
    /// Reads the workspace with `cargo metadata`.
    pub fn load() -> Result<Self, XtaskError> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = output(cargo(root).args(["metadata", "--no-deps", "--format-version", "1"]))?;
        let metadata: Value = serde_json::from_str(&text)
            .map_err(|error| XtaskError::new(format!("cargo metadata is not JSON: {error}")))?;
        let root = PathBuf::from(string_at(&metadata, "workspace_root"));
        let mut crates: Vec<Crate> = metadata["packages"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|package| Crate::read(package, &root))
            .collect();
        crates.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { root, target: string_at(&metadata, "target_directory").into(), crates })
    }

    /// Returns a cargo command that runs at the root.
    pub fn cargo(&self) -> Command {
        cargo(&self.root)
    }

    /// Returns every `.rs` file of the crates, sorted, with its crate's name.
    pub fn sources(&self) -> Result<Vec<(&str, PathBuf)>, XtaskError> {
        let mut sources = Vec::new();
        for member in &self.crates {
            let mut files = Vec::new();
            for part in ["src", "tests", "benches", "examples"] {
                collect_rust_files(&self.root.join(&member.path).join(part), &mut files)?;
            }
            files.sort();
            sources.extend(files.into_iter().map(|file| (member.name.as_str(), file)));
        }
        Ok(sources)
    }
}

impl Crate {
    /// Reads a crate from an entry of `cargo metadata`.
    fn read(package: &Value, root: &Path) -> Self {
        let manifest = PathBuf::from(string_at(package, "manifest_path"));
        let directory = manifest.parent().unwrap_or(Path::new(""));
        Self {
            name: string_at(package, "name"),
            description: string_at(package, "description"),
            path: directory.strip_prefix(root).unwrap_or(directory).to_owned(),
        }
    }
}

/// Runs a command and returns its standard output.
pub fn output(command: &mut Command) -> Result<String, XtaskError> {
    let output = command.output().map_err(|error| launch_error(command, &error))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(XtaskError::new(format!("{command:?} failed:\n{}", stderr.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command whose output goes to the terminal.
pub fn run(command: &mut Command) -> Result<(), XtaskError> {
    let status = command.status().map_err(|error| launch_error(command, &error))?;
    if status.success() { Ok(()) } else { Err(XtaskError::new(format!("{command:?} failed"))) }
}

/// Returns the path of `relink`: the one on the command line, in `RELINK`, or a new
/// build.
pub fn relink_binary(
    workspace: &Workspace,
    path: Option<&Path>,
    progress: &impl Fn(&str),
) -> Result<PathBuf, XtaskError> {
    let variable = std::env::var_os(RELINK_VARIABLE).map(PathBuf::from);
    if let Some(path) = path.map(Path::to_owned).or(variable) {
        // A relative path would be wrong, because Relink runs in another directory.
        return std::path::absolute(&path).map_err(|error| XtaskError::io(&path, &error));
    }
    progress("building relink (name a binary with --relink or RELINK)");
    run(workspace.cargo().args(["build", "--locked", "--quiet", "-p", "relink"]))?;
    Ok(workspace.target.join("debug/relink"))
}

fn launch_error(command: &Command, error: &std::io::Error) -> XtaskError {
    XtaskError::new(format!("cannot run `{}`: {error}", command.get_program().display()))
}

/// Returns a command of the cargo that started this program, or of the cargo in `PATH`.
fn cargo(root: &Path) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root);
    command
}

fn string_at(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// Adds every `.rs` file below a directory, if the directory exists.
fn collect_rust_files(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), XtaskError> {
    if !directory.is_dir() {
        return Ok(());
    }
    let error = |source| XtaskError::io(directory, &source);
    for entry in directory.read_dir().map_err(error)? {
        let path = entry.map_err(error)?.path();
        if path.is_dir() {
            collect_rust_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
