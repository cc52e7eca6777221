//! `cargo xtask check`: quick checks to run while working on a change.

use crate::layers::Layer;
use crate::workspace::run as run_command;
use crate::{Workspace, XtaskError};

/// Runs `cargo fmt --check`, clippy and the tests of the pure crates.
pub fn run(workspace: &Workspace) -> Result<(), XtaskError> {
    run_command(workspace.cargo().args(["fmt", "--all", "--check"]))?;
    run_command(workspace.cargo().args([
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
    run_command(workspace.cargo().args(["test", "--locked", "--quiet"]).args(pure))
}
