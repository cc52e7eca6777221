//! The weekly budget of a survey.

/// Maximum number of URLs fetched in seven days.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// A share of the catalog, from 0 to 1.
    Share(f64),
    /// A number of URLs.
    Urls(u32),
}

impl Budget {
    /// Returns the number of URLs for a catalog of this size, at least 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count is a count"
    )]
    pub(super) fn limit(self, urls: u32) -> u32 {
        match self {
            Self::Share(share) => ((f64::from(urls) * share).floor() as u32).max(1),
            Self::Urls(count) => count,
        }
    }
}
