//! The budget of a branch for pages without new content.
//!
//! A budget is counted in points. A page with new content adds points. Every other page costs
//! points. A page that leads to further URLs costs most. The budget is never reset, so a
//! trap that contains a few new pages ends as well.

use serde::{Deserialize, Serialize};

/// Initial budget of a host: 200 growing pages.
const HOST_POINTS: u32 = 2_000;
/// Initial budget of all hosts of a domain. It is twice the budget of a host, so that a trap on one
/// host does not exhaust the budget of the domain.
const DOMAIN_POINTS: u32 = 2 * HOST_POINTS;
/// Initial budget of any other branch: 150 growing pages.
const BRANCH_POINTS: u32 = 1_500;
/// Points that a page with new content adds to its branches.
const NEW_POINTS: u32 = 20;
/// Points that a branch gets if one of its pages is the first to link to a page with new
/// content in another branch.
const DISCOVERY_POINTS: u32 = 30;
/// Divisor of the initial budget for URLs with dates far from the start of the crawl. Most
/// endless calendars consist of such dates.
const FAR_DATE_DIVISOR: u32 = 4;
/// Number of URLs of an exhausted branch that are still fetched, as trials. Each must belong
/// to a smaller branch of which no page was fetched.
const MAX_TRIALS: u32 = 20;

/// The contribution of a fetched page to its branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageValue {
    /// New content.
    New,
    /// Known text, and links to branches with new content.
    Linked,
    /// Known text, and no new URLs.
    Inert,
    /// Known text, and new URLs of branches without new content.
    Growing,
}

impl PageValue {
    /// Returns the cost of a page in points.
    fn cost(self) -> u32 {
        match self {
            Self::New => 0,
            Self::Linked => 4,
            Self::Inert => 5,
            Self::Growing => 10,
        }
    }
}

/// The budget of one branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BranchBudget {
    /// Number of pages with new content.
    new: u32,
    /// Number of pages with new content in other branches that pages of this branch discovered.
    #[serde(default)]
    discovered: u32,
    /// Points spent.
    spent: u32,
    /// Number of pages fetched.
    pages: u32,
    /// Number of trials since the budget was exhausted.
    #[serde(default)]
    trials: u32,
}

/// Properties of a branch that determine its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BranchKind {
    /// All hosts of a domain.
    Domain,
    Host,
    /// URLs with dates far from the start of the crawl.
    FarDates,
    Other,
}

impl BranchBudget {
    /// Records a page.
    pub(super) fn record_page(&mut self, value: PageValue) {
        self.pages = self.pages.saturating_add(1);
        self.new = self.new.saturating_add(u32::from(value == PageValue::New));
        self.spent = self.spent.saturating_add(value.cost());
    }

    /// Records that a page of the branch was the first to link to a page with new content.
    pub(super) fn record_discovery(&mut self) {
        self.discovered = self.discovered.saturating_add(1);
    }

    /// Returns the points earned by new content.
    fn earned(self) -> u32 {
        let discovered = self.discovered.saturating_mul(DISCOVERY_POINTS);
        self.new.saturating_mul(NEW_POINTS).saturating_add(discovered)
    }

    /// Whether the budget is spent.
    pub(super) fn is_exhausted(self, kind: BranchKind) -> bool {
        let initial = match kind {
            BranchKind::Domain => DOMAIN_POINTS,
            BranchKind::Host => HOST_POINTS,
            BranchKind::FarDates => BRANCH_POINTS / FAR_DATE_DIVISOR,
            BranchKind::Other => BRANCH_POINTS,
        };
        self.spent >= initial.saturating_add(self.earned())
    }

    /// Whether the branch has earned at least as many points as it cost. Such a branch is
    /// fetched even if a larger branch is exhausted.
    pub(super) fn is_promising(self) -> bool {
        self.earned() > 0 && self.spent <= self.earned()
    }

    /// Whether no page of the branch was fetched.
    pub(super) fn is_unseen(self) -> bool {
        self.pages == 0
    }

    /// Whether another URL of the exhausted branch may be fetched as a trial.
    pub(super) fn has_trial(self) -> bool {
        self.trials < MAX_TRIALS
    }

    /// Counts a trial.
    pub(super) fn use_trial(&mut self) {
        self.trials = self.trials.saturating_add(1);
    }

    /// Returns the priority to retain the budget. Budgets with the lowest priority are dropped
    /// first.
    pub(super) fn eviction_priority(self) -> u32 {
        self.spent.max(self.pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts whether these numbers of pages exhaust a budget.
    #[track_caller]
    fn check(pages: &[(PageValue, u32)], expect: bool) {
        let mut budget = BranchBudget::default();
        for (value, count) in pages {
            for _ in 0..*count {
                budget.record_page(*value);
            }
        }
        assert_eq!(budget.is_exhausted(BranchKind::Other), expect, "{pages:?}");
    }

    #[test]
    fn budget_ends_after_growing_pages() {
        check(&[(PageValue::Growing, 149)], false);
        check(&[(PageValue::Growing, 150)], true);
        check(&[(PageValue::Inert, 299)], false);
        check(&[(PageValue::Inert, 300)], true);
        check(&[(PageValue::Linked, 374)], false);
    }

    #[test]
    fn new_pages_extend_the_budget_and_do_not_reset_it() {
        check(&[(PageValue::New, 10), (PageValue::Growing, 150)], false);
        check(&[(PageValue::Growing, 150), (PageValue::New, 1), (PageValue::Growing, 2)], true);
        check(&[(PageValue::New, 100_000)], false);
    }
}
