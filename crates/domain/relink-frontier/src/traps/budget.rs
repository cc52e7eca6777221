//! The budget of a URL pattern for near-duplicate pages.
//!
//! A budget is counted in points. Each page with known content costs points. Each new page
//! resets the spent points and increases the budget.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::fingerprint::TextFingerprint;
use super::{PageFingerprint, UrlPattern, is_new};

/// Initial budget: 20 equal pages or 50 near duplicates.
const INITIAL: u32 = 1_000;
/// Increase per new page.
const GROWTH: u32 = 20;
/// Maximum budget, reached after 450 new pages.
const MAX: u32 = 10_000;
/// Cost of a page that differs only in numbers and dates.
const EQUAL_COST: u32 = 50;
/// Cost of a near duplicate.
const NEAR_COST: u32 = 20;
/// Cost of either if it has new outlinks. It is low, because a gallery of images without
/// text is not a trap before some hundred pages.
const LINKED_COST: u32 = 1;
/// Divisor of the budget for dates far from now.
const FAR_DIVISOR: u32 = 4;

/// Number of stored pages that are compared for equality. A calendar may repeat itself
/// after a month of days or a year of months.
const MAX_STORED: usize = 32;
/// Number of pages that are compared for near duplicates. With more, a section of similar
/// pages would always contain one by chance.
const MAX_COMPARED: usize = 4;

/// The budget of one pattern.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct PatternBudget {
    /// Number of new pages.
    new: u32,
    /// Points spent since the last new page.
    spent: u32,
    /// The latest new pages, the newest last.
    recent: VecDeque<TextFingerprint>,
}

impl PatternBudget {
    /// Records a page of the pattern.
    pub(super) fn record_page(&mut self, page: &PageFingerprint, pattern: &UrlPattern) {
        let cost = self.cost(page, pattern.is_sequence());
        if cost > 0 {
            // An exhausted budget stays exhausted.
            self.spent = self.spent.saturating_add(cost).min(self.limit(pattern.is_far()));
            return;
        }
        (self.new, self.spent) = (self.new.saturating_add(1), 0);
        if self.recent.len() >= MAX_STORED {
            self.recent.pop_front();
        }
        self.recent.push_back(page.text.clone());
    }

    /// Whether no more pages of the pattern are fetched.
    pub(super) fn is_exhausted(&self, is_far: bool) -> bool {
        self.spent >= self.limit(is_far)
    }

    /// Returns the priority to retain the budget; the lowest is dropped first.
    pub(super) fn eviction_priority(&self) -> u32 {
        self.spent
    }

    fn cost(&self, page: &PageFingerprint, is_sequence: bool) -> u32 {
        let is_equal = !is_new(&page.text, self.recent.iter());
        let mut latest = self.recent.iter().rev().take(MAX_COMPARED);
        let is_near = is_equal || latest.any(|other| page.text.is_near(other, is_sequence));
        match (is_equal, is_near) {
            (_, false) => 0,
            _ if page.new_outlinks > 0 => LINKED_COST,
            (true, _) => EQUAL_COST,
            (false, true) => NEAR_COST,
        }
    }

    fn limit(&self, is_far: bool) -> u32 {
        let limit = INITIAL.saturating_add(self.new.saturating_mul(GROWTH)).min(MAX);
        if is_far { limit / FAR_DIVISOR } else { limit }
    }
}
