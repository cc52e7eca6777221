//! Tests of every rule: where it concludes, and where it does not apply although it
//! is close. Confidence and wording are not tested here.

mod absence;
mod comparison;
mod history;
mod linked;
mod notice;
mod order;
mod properties;
mod query;
mod wall;

use crate::Policy;
use crate::notation::{Scene, SceneResult};

#[track_caller]
fn judge(page: &str, context: &[&str]) -> SceneResult {
    Scene::parse(page, context).judge(&Policy::default())
}

/// Checks the verdict and the code.
#[track_caller]
fn check(page: &str, context: &[&str], expect: &str) {
    let result = judge(page, context);
    assert_eq!(result.verdict(), expect, "{page}: {}", result.judgment.reason);
}

/// Checks the requested controls and their order.
#[track_caller]
fn check_controls(page: &str, context: &[&str], expect: &str) {
    assert_eq!(judge(page, context).controls(), expect, "{page}");
}

/// Checks that the reason or a piece of evidence contains a text.
#[track_caller]
fn check_text(page: &str, context: &[&str], expect: &str) {
    let judgment = judge(page, context).judgment;
    let mut texts = vec![judgment.reason];
    texts.extend(judgment.evidence.into_iter().map(|evidence| evidence.note));
    assert!(texts.iter().any(|text| text.contains(expect)), "no `{expect}` in {texts:?}");
}
