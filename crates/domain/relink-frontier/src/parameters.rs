//! Query parameters that do not affect the content of a page.
//!
//! Some are known: campaign and session parameters. Others are learned: if a page is
//! the same without a parameter in enough trials, the parameter is removed from URLs
//! of that pattern. This module sends no requests; the caller runs the trials.

mod known;
mod learner;

pub use known::strip;
pub use learner::{ParameterLearner, TrialOutcome};

use url::Url;

/// Removes the query parameters for which `is_removed` returns true, given the key and
/// the value, and returns their keys. The others keep their order and spelling.
fn remove_parameters(url: &Url, is_removed: impl Fn(&str, &str) -> bool) -> (Url, Vec<String>) {
    let (mut retained, mut removed) = (Vec::new(), Vec::new());
    for pair in url.query().unwrap_or_default().split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if is_removed(key, value) {
            removed.push(key.to_owned());
        } else {
            retained.push(pair);
        }
    }
    let mut stripped = url.clone();
    if !removed.is_empty() {
        let query = retained.join("&");
        stripped.set_query((!query.is_empty()).then_some(&query));
    }
    (stripped, removed)
}
