//! `cargo xtask tidy`: checks all rules and measures the sources.

use crate::numbers::SizeStats;
use crate::{Workspace, XtaskError, contracts, docs, layers, sources, vocabulary};

/// The result of `cargo xtask tidy`.
#[derive(Debug)]
pub struct TidyReport {
    /// Violations of rules, with path and line.
    pub violations: Vec<String>,
    /// Sizes of files and functions.
    pub sizes: SizeStats,
}

/// Checks all rules.
pub fn report(workspace: &Workspace) -> Result<TidyReport, XtaskError> {
    let sources = sources::read(workspace)?;
    let mut violations = layers::violations(workspace)?;
    violations.extend(sources::violations(&sources));
    violations.extend(docs::violations(workspace)?);
    violations.extend(contracts::violations(workspace, &sources)?);
    violations.extend(vocabulary::violations(workspace, &sources)?);
    Ok(TidyReport { violations, sizes: SizeStats::measure(&sources) })
}
