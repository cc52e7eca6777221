//! Query parameters that do not affect the content of a page.
//!
//! Campaign and session parameters are known. Other parameters are learned. A *trial*
//! compares a page with and without a parameter. If the page is the same in enough
//! trials, the parameter is removed from URLs of the same pattern. This module sends no
//! requests. The caller runs the trials.

mod duplicates;
mod known;
mod learner;

pub(crate) use duplicates::{DuplicateParameters, PageContent};
pub use known::strip;
pub use learner::{ParameterLearner, TrialOutcome};

use url::Url;

use crate::query::{Parameter, join_parameters, parameters};

/// Removes the query parameters for which `is_removed` returns true, given the key and
/// the value. Returns the keys of the removed parameters. The other parameters retain their
/// order and spelling.
fn remove_parameters(url: &Url, is_removed: impl Fn(&str, &str) -> bool) -> (Url, Vec<String>) {
    let is_removed = |parameter: &Parameter<'_>| is_removed(parameter.key, parameter.value);
    let (removed, retained): (Vec<_>, Vec<_>) = parameters(url).partition(is_removed);
    let mut stripped = url.clone();
    if !removed.is_empty() {
        stripped.set_query(join_parameters(retained).as_deref());
    }
    (stripped, removed.iter().map(|parameter| parameter.key.to_owned()).collect())
}
