//! All tidy rules together.

use crate::numbers::Numbers;
use crate::{Fault, Workspace, contracts, docs, layers, sources};

/// What tidy found.
#[derive(Debug)]
pub struct Report {
    /// Each broken rule, with its place.
    pub breaches: Vec<String>,
    /// The house in numbers.
    pub numbers: Numbers,
}

/// Looks at everything.
pub fn report(workspace: &Workspace) -> Result<Report, Fault> {
    let sources = sources::read(workspace)?;
    let mut breaches = layers::violations(workspace)?;
    breaches.extend(sources::breaches(&sources));
    breaches.extend(docs::breaches(workspace)?);
    breaches.extend(contracts::breaches(workspace, &sources)?);
    Ok(Report { breaches, numbers: Numbers::of(&sources) })
}
