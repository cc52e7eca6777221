//! What a visitor asks, and which of many visits it is.

use crate::Season;

/// What a visitor asked.
#[derive(Debug)]
pub(crate) struct Request {
    /// The method.
    pub(crate) method: String,
    /// The host, in lower case, without its port.
    pub(crate) host: String,
    /// The path as sent.
    pub(crate) path: String,
    /// What stands after the question mark.
    pub(crate) query: String,
    /// Whether a cookie came with it.
    pub(crate) has_cookie: bool,
    /// The date of the copy that is wanted of an archive.
    pub(crate) accept_datetime: Option<String>,
}

impl Request {
    /// Path and query, as they are written in an address.
    pub(crate) fn target(&self) -> String {
        match self.query.as_str() {
            "" => self.path.clone(),
            query => format!("{}?{query}", self.path),
        }
    }

    /// The last part of the path.
    pub(crate) fn name(&self) -> &str {
        self.path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    }
}

/// A request as the library remembers it.
#[derive(Debug)]
pub(crate) struct Visit {
    /// What was asked.
    pub(crate) request: Request,
    /// When.
    pub(crate) season: Season,
    /// Which of all visits to the library it is.
    pub(crate) number: u64,
    /// Which of the visits to this address it is, from 1.
    pub(crate) turn: u32,
}

impl Visit {
    /// One of `bound` choices, another for each visit and each `draw` (from
    /// `SplitMix64`, since nothing depends on how random it is).
    pub(crate) fn pick(&self, draw: u64, bound: usize) -> usize {
        let seed = self.number.wrapping_mul(1_000).wrapping_add(draw);
        let mut mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let choice = (mixed ^ (mixed >> 31)) % (bound.max(1) as u64);
        usize::try_from(choice).unwrap_or(0)
    }
}
