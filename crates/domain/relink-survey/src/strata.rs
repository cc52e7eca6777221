//! The URLs of domains or directories in random order. Each domain or directory is a *stratum*:
//! URLs are drawn from each of them separately.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use crate::catalog::UrlId;
use crate::check_log::CheckLog;
use crate::rng::SplitMix64;

/// Strata of URLs, each in random order.
#[derive(Debug)]
pub(crate) struct ShuffledStrata {
    urls: Vec<UrlId>,
    /// The start and the end, in `urls`, of the URLs of each stratum that are not drawn yet.
    strata: Vec<(usize, usize)>,
}

impl ShuffledStrata {
    /// Shuffles each stratum. URLs for which `is_first` returns true come first.
    pub(crate) fn new(
        strata: impl Iterator<Item = Vec<UrlId>>,
        is_first: impl Fn(UrlId) -> bool,
        rng: &mut SplitMix64,
    ) -> Self {
        let mut shuffled = Self { urls: Vec::new(), strata: Vec::new() };
        for mut stratum in strata {
            rng.shuffle(&mut stratum);
            stratum.sort_by_key(|url| !is_first(*url));
            let start = shuffled.urls.len();
            shuffled.urls.extend(stratum);
            shuffled.strata.push((start, shuffled.urls.len()));
        }
        shuffled
    }

    /// Returns the number of strata.
    pub(crate) fn count(&self) -> usize {
        self.strata.len()
    }

    /// Returns the next URL of a stratum, whether or not it was checked.
    pub(crate) fn pop(&mut self, stratum: usize) -> Option<UrlId> {
        let (next, end) = self.strata.get_mut(stratum)?;
        let url = (*next < *end).then(|| self.urls[*next])?;
        *next += 1;
        Some(url)
    }

    /// Returns the next unchecked URL of a stratum and records that its check starts.
    pub(crate) fn draw(&mut self, stratum: usize, log: &mut CheckLog<'_>) -> Option<UrlId> {
        while let Some(url) = self.pop(stratum) {
            if log.start(url) {
                return Some(url);
            }
        }
        None
    }
}
