//! Tests of the papers' rules, line by line.

mod fable;
mod sic_transit;

use crate::Policy;
use crate::notation::Scene;

/// Checks the verdict under a policy and the controls it requests.
#[track_caller]
fn check(policy: &Policy, page: &str, context: &[&str], expect: &str, controls: &str) {
    let result = Scene::parse(page, context).judge(policy);
    let summary = (result.verdict(), result.controls());
    assert_eq!(summary, (expect.to_owned(), controls.to_owned()), "{page}");
}
