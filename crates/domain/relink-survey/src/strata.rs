//! URLs in random order, drawn from the top: of a domain, or of a directory.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use crate::catalog::UrlId;
use crate::ledger::CheckLog;
use crate::rng::SplitMix64;

/// Consecutive URLs in random order.
#[derive(Debug)]
pub(crate) struct ShuffledStrata {
    urls: Vec<UrlId>,
    /// The piles: where the undrawn part of each begins, and where it ends.
    piles: Vec<(usize, usize)>,
}

impl ShuffledStrata {
    /// A deck of piles, each shuffled, those that come first on top.
    pub(crate) fn new(
        piles: impl Iterator<Item = Vec<UrlId>>,
        is_first: impl Fn(UrlId) -> bool,
        chance: &mut SplitMix64,
    ) -> Self {
        let mut deck = Self { urls: Vec::new(), piles: Vec::new() };
        for mut pile in piles {
            chance.shuffle(&mut pile);
            pile.sort_by_key(|url| !is_first(*url));
            let start = deck.urls.len();
            deck.urls.extend(pile);
            deck.piles.push((start, deck.urls.len()));
        }
        deck
    }

    /// How many piles there are.
    pub(crate) fn piles(&self) -> usize {
        self.piles.len()
    }

    /// Turns up the next URL of a pile, whether or not it has been asked.
    pub(crate) fn turn(&mut self, pile: usize) -> Option<UrlId> {
        let (next, end) = self.piles.get_mut(pile)?;
        let url = (*next < *end).then(|| self.urls[*next])?;
        *next += 1;
        Some(url)
    }

    /// Draws from a pile the next URL that has not been asked, and notes that
    /// it is being asked.
    pub(crate) fn draw(&mut self, pile: usize, ledger: &mut CheckLog<'_>) -> Option<UrlId> {
        while let Some(url) = self.turn(pile) {
            if ledger.ask(url) {
                return Some(url);
            }
        }
        None
    }
}
