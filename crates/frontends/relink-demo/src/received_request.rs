//! A request that the demo server received, and how often its URL was requested.

use crate::SimulatedTime;

/// A parsed request.
#[derive(Debug)]
pub(crate) struct Request {
    /// The method.
    pub(crate) method: String,
    /// The host, in lower case, without its port.
    pub(crate) host: String,
    /// The path as sent.
    pub(crate) path: String,
    /// The query without the question mark.
    pub(crate) query: String,
    /// Whether the request has a cookie.
    pub(crate) has_cookie: bool,
    /// The `Accept-Datetime` header, for the archive.
    pub(crate) accept_datetime: Option<String>,
}

impl Request {
    /// Returns path and query as written in a URL.
    pub(crate) fn target(&self) -> String {
        match self.query.as_str() {
            "" => self.path.clone(),
            query => format!("{}?{query}", self.path),
        }
    }

    /// Returns the last component of the path: `c` for `/a/b/c`.
    pub(crate) fn name(&self) -> &str {
        self.path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    }
}

/// A request with its time and its position among all requests.
#[derive(Debug)]
pub(crate) struct ReceivedRequest {
    /// The request.
    pub(crate) request: Request,
    /// The simulated time.
    pub(crate) time: SimulatedTime,
    /// The position among all requests.
    pub(crate) nth_overall: u64,
    /// The position among the requests for the same URL, from 1.
    pub(crate) nth_for_url: u32,
}

impl ReceivedRequest {
    /// Returns a pseudo-random number less than `bound`. The number depends on `index` and on
    /// the position of this request among all requests (`SplitMix64`).
    pub(crate) fn nth_random_below(&self, index: u64, bound: usize) -> usize {
        let seed = self.nth_overall.wrapping_mul(1_000).wrapping_add(index);
        let mut mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let number = (mixed ^ (mixed >> 31)) % (bound.max(1) as u64);
        usize::try_from(number).unwrap_or(0)
    }
}
