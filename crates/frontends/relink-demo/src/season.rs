//! When a visitor comes.

use std::sync::atomic::{AtomicBool, Ordering};

/// A time at which the library can be visited: most of it never changes, but
/// some of its neighbors were something else once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Season {
    /// Before anybody sold a domain, cleared a shelf or hired a designer.
    AYearAgo,
    /// Now.
    Today,
}

/// The season that holds for all visitors, and that can be changed while they
/// come and go.
#[derive(Debug)]
pub(crate) struct Calendar {
    is_past: AtomicBool,
}

impl Calendar {
    /// It is today until somebody says otherwise.
    pub(crate) fn new() -> Self {
        Self { is_past: AtomicBool::new(false) }
    }

    /// Lets another season begin.
    pub(crate) fn turn_to(&self, season: Season) {
        self.is_past.store(season == Season::AYearAgo, Ordering::Release);
    }

    /// The season there is.
    pub(crate) fn season(&self) -> Season {
        if self.is_past.load(Ordering::Acquire) { Season::AYearAgo } else { Season::Today }
    }
}
