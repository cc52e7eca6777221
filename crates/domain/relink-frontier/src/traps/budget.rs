//! How many pages alike a pattern of addresses may show.
//!
//! A budget is counted in points. Each page that shows what was shown before
//! costs some, each new one sets the account back and makes the budget larger.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::fingerprint::TextFingerprint;
use super::{PageFingerprint, UrlPattern, is_new};

/// A budget at its beginning: 20 pages that are the same, 50 that are near.
const START: u32 = 1_000;
/// What a new page adds.
const GROWTH: u32 = 20;
/// The largest budget, reached after 450 new pages.
const LARGEST: u32 = 10_000;
/// What a page costs that differs in nothing but numbers and dates.
const SAME: u32 = 50;
/// What a page costs that differs in little.
const NEAR: u32 = 20;
/// What either costs where new links elsewhere were found on it: a gallery of
/// pictures without a word is no trap, though it is one after some hundreds.
const WITH_WAYS_OUT: u32 = 1;
/// Dates far from now get a quarter of the budget.
const FAR: u32 = 4;

/// Pages remembered to know the same again: a calendar may repeat itself after
/// a month of days or a year of months.
const REMEMBERED: usize = 32;
/// Pages compared for nearness. With more, a section of pages that are alike
/// would always have one that is near by chance.
const COMPARED: usize = 4;

/// The account of one pattern.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PatternBudget {
    /// New pages so far.
    new: u32,
    /// Spent since the last new page.
    spent: u32,
    /// The latest pages that were new, the newest last.
    remembered: VecDeque<TextFingerprint>,
}

impl PatternBudget {
    /// Another page of the pattern was seen.
    pub(super) fn spend(&mut self, sight: &PageFingerprint, pattern: &UrlPattern) {
        let cost = self.cost(sight, pattern.counts_on());
        if cost > 0 {
            // A spent budget stays spent, however long the pages go on.
            self.spent = self.spent.saturating_add(cost).min(self.limit(pattern.is_far()));
            return;
        }
        (self.new, self.spent) = (self.new.saturating_add(1), 0);
        if self.remembered.len() >= REMEMBERED {
            self.remembered.pop_front();
        }
        self.remembered.push_back(sight.glimpse.clone());
    }

    /// Whether no more pages of the pattern are entered.
    pub(super) fn is_spent(&self, is_far: bool) -> bool {
        self.spent >= self.limit(is_far)
    }

    /// How near the pattern is to being a trap, to know what may be forgotten.
    pub(super) fn eviction_priority(&self) -> u32 {
        self.spent
    }

    fn cost(&self, sight: &PageFingerprint, counts_on: bool) -> u32 {
        let is_same = !is_new(&sight.glimpse, self.remembered.iter());
        let mut latest = self.remembered.iter().rev().take(COMPARED);
        let is_near = is_same || latest.any(|other| sight.glimpse.is_near(other, counts_on));
        match (is_same, is_near) {
            (_, false) => 0,
            _ if sight.new_outlinks > 0 => WITH_WAYS_OUT,
            (true, _) => SAME,
            (false, true) => NEAR,
        }
    }

    fn limit(&self, is_far: bool) -> u32 {
        let grown = START.saturating_add(self.new.saturating_mul(GROWTH)).min(LARGEST);
        if is_far { grown / FAR } else { grown }
    }
}
