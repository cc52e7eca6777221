//! The papers' rules line by line.

mod fable;
mod sic_transit;

use crate::Policy;
use crate::notation::Scene;

/// Claims the word under a policy, and the pages asked for comparison.
#[track_caller]
fn check(policy: &Policy, page: &str, beside: &[&str], expect: &str, asked: &str) {
    let judged = Scene::read(page, beside).judged(policy);
    let told = (judged.word(), judged.asked());
    assert_eq!(told, (expect.to_owned(), asked.to_owned()), "{page}");
}
