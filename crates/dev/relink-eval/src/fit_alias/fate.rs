//! What happened to the pages of a folder in a synthetic reorganization.

use crate::random::SeededRandom;

/// What happens to the pages of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Nearly all moved.
    Moved,
    /// Some moved, some were deleted, some stayed.
    Mixed,
    /// All were deleted.
    Dead,
    /// Most stayed.
    Stay,
}

/// Probabilities of a page of a folder.
#[derive(Debug, Clone, Copy)]
pub struct FateShares {
    /// That it never moved.
    pub stay: f64,
    /// That it moved, if it did not stay.
    pub moved: f64,
}

impl Fate {
    /// Draws the probabilities for one folder.
    pub fn draw(self, random: &mut SeededRandom) -> FateShares {
        match self {
            Self::Moved => FateShares { stay: 0.0, moved: 0.97 },
            Self::Mixed => FateShares {
                stay: *random.pick(&[0.0, 0.2, 0.5]),
                moved: *random.pick(&[0.3, 0.6, 0.8]),
            },
            Self::Dead => FateShares { stay: *random.pick(&[0.0, 0.1, 0.3]), moved: 0.0 },
            Self::Stay => FateShares { stay: 0.85, moved: 0.1 },
        }
    }
}
