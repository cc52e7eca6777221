//! How a URL is broken: the columns of FABLE's Table 8 (§5.1.2).

use std::fmt;

use relink_model::{FindingCode, Verdict};

/// Codes of failed DNS resolution, connection or TLS setup.
const CONNECTION_CODES: [std::ops::RangeInclusive<u16>; 2] = [102..=103, 520..=589];

/// Codes of pages that a server reports as missing.
const NOT_FOUND_CODES: [u16; 2] = [101, 104];

/// How a URL is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breakage {
    /// DNS, TCP or TLS failure: the paper's `DNS+`.
    Connection,
    /// A 404 or 410 response.
    NotFound,
    /// A success status without the page, or a redirect to an unrelated page.
    Soft404,
    /// The domain has a new owner. The paper counts these as soft-404.
    Hijacked,
    /// Another failure, such as a redirect loop or a server error.
    Other,
}

impl Breakage {
    /// Returns how a dead page is broken.
    pub fn new(verdict: Verdict, code: Option<FindingCode>) -> Self {
        let number = code.map(FindingCode::number);
        match verdict {
            Verdict::Soft404 => Self::Soft404,
            Verdict::Hijacked => Self::Hijacked,
            _ if number.is_some_and(|it| NOT_FOUND_CODES.contains(&it)) => Self::NotFound,
            _ if number
                .is_some_and(|it| CONNECTION_CODES.iter().any(|codes| codes.contains(&it))) =>
            {
                Self::Connection
            }
            _ => Self::Other,
        }
    }
}

/// The name used in reports.
impl fmt::Display for Breakage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connection => "dns-or-connection",
            Self::NotFound => "404",
            Self::Soft404 => "soft-404",
            Self::Hijacked => "hijacked",
            Self::Other => "other",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the name of the breakage of a page with this verdict and finding code. The code
    /// 101 is that of the finding RL101.
    #[track_caller]
    fn check(verdict: Verdict, code: u16, expect: &str) {
        let breakage = Breakage::new(verdict, Some(FindingCode::new(code)));
        assert_eq!(breakage.to_string(), expect);
    }

    #[test]
    fn dead_pages_are_split_like_fable_table_8() {
        check(Verdict::Dead, 101, "404");
        check(Verdict::Dead, 102, "dns-or-connection");
        check(Verdict::Dead, 540, "dns-or-connection");
        check(Verdict::Dead, 105, "other");
        check(Verdict::Dead, 500, "other");
        check(Verdict::Soft404, 301, "soft-404");
        check(Verdict::Soft404, 203, "soft-404");
        check(Verdict::Hijacked, 302, "hijacked");
        assert_eq!(Breakage::new(Verdict::Dead, None), Breakage::Other);
    }
}
