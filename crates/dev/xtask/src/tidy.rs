//! All tidy rules together.

use crate::numbers::SizeStats;
use crate::{Workspace, XtaskError, contracts, docs, layers, sources};

/// What tidy found.
#[derive(Debug)]
pub struct Report {
    /// Each broken rule, with its place.
    pub violations: Vec<String>,
    /// The house in numbers.
    pub numbers: SizeStats,
}

/// Looks at everything.
pub fn report(workspace: &Workspace) -> Result<Report, XtaskError> {
    let sources = sources::read(workspace)?;
    let mut violations = layers::violations(workspace)?;
    violations.extend(sources::violations(&sources));
    violations.extend(docs::violations(workspace)?);
    violations.extend(contracts::violations(workspace, &sources)?);
    Ok(Report { violations, numbers: SizeStats::of(&sources) })
}
