//! Claims about every rule of the list: where it concludes, and where it keeps
//! silent although it is near. Numbers and wording are the rules' own affair.

mod absence;
mod comparison;
mod history;
mod notice;
mod order;
mod properties;
mod wall;

use crate::Policy;
use crate::notation::{Judged, Scene};

#[track_caller]
fn judged(page: &str, beside: &[&str]) -> Judged {
    Scene::read(page, beside).judged(&Policy::default())
}

/// Claims the word and the code.
#[track_caller]
fn check(page: &str, beside: &[&str], expect: &str) {
    let judged = judged(page, beside);
    assert_eq!(judged.word(), expect, "{page}: {}", judged.judgment.reason);
}

/// Claims what is asked for comparison, in this order.
#[track_caller]
fn check_asked(page: &str, beside: &[&str], expect: &str) {
    assert_eq!(judged(page, beside).asked(), expect, "{page}");
}

/// Claims that the reason, or something it rests on, says this.
#[track_caller]
fn check_told(page: &str, beside: &[&str], expect: &str) {
    let judgment = judged(page, beside).judgment;
    let mut told = vec![judgment.reason];
    told.extend(judgment.evidence.into_iter().map(|ground| ground.note));
    assert!(told.iter().any(|note| note.contains(expect)), "no `{expect}` in {told:?}");
}
