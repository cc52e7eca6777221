//! The quick part of what a change must pass, for while one is working.

use crate::layers::Layer;
use crate::workspace::run as must;
use crate::{Workspace, XtaskError};

/// Runs the formatter's check, the linter, and the tests of the pure crates.
pub fn run(workspace: &Workspace) -> Result<(), XtaskError> {
    must(workspace.cargo().args(["fmt", "--all", "--check"]))?;
    must(workspace.cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ]))?;
    let pure = workspace
        .crates
        .iter()
        .filter(|member| Layer::from_path(&member.path).is_some_and(Layer::is_pure))
        .flat_map(|member| ["--package", &member.name]);
    must(workspace.cargo().args(["test", "--locked", "--quiet"]).args(pure))
}
