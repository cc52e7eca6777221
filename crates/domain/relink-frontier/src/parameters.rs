//! Parameters of an address that do not matter.
//!
//! Some are known: marks of campaigns and names of sessions. Others are learned
//! by trial: where a page stays the same without a parameter, often enough,
//! it is left out on addresses of that kind. Nothing here asks for pages; the
//! trials' outcomes are told.

mod known;
mod trials;

pub use known::strip;
pub use trials::{ParameterLearner, TrialOutcome};

use url::Url;

/// Leaves out of the query what `is_dropped` says, by key and value, and names
/// the keys. What stays keeps its place and its writing.
fn without(url: &Url, is_dropped: impl Fn(&str, &str) -> bool) -> (Url, Vec<String>) {
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for pair in url.query().unwrap_or_default().split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if is_dropped(key, value) {
            dropped.push(key.to_owned());
        } else {
            kept.push(pair);
        }
    }
    let mut stripped = url.clone();
    if !dropped.is_empty() {
        let query = kept.join("&");
        stripped.set_query((!query.is_empty()).then_some(&query));
    }
    (stripped, dropped)
}
