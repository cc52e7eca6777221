//! Kinds of spider traps.

use serde::{Deserialize, Serialize};

/// The kind of a spider trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrapKind {
    /// Too many path segments.
    TooDeep,
    /// One segment repeated many times.
    RepeatedSegment,
    /// Longer than browsers and caches accept.
    TooLong,
    /// Too many query parameters.
    TooManyParameters,
    /// A host name in the path.
    HostInPath,
    /// The same pages with changing session ids.
    SessionIds,
    /// Endless dates without content.
    EndlessCalendar,
    /// Endless numbered pages with the same content.
    EndlessPages,
    /// Many URLs of one branch with content that is known from other pages.
    NearDuplicates,
    /// URLs with parameters that do not change the page.
    IrrelevantParameters,
    /// Other spellings of known URLs.
    SameSpelling,
    /// Redirects to ever new URLs.
    EndlessRedirects,
    /// Endless pages with content of their own.
    Generated,
    /// More pages than a host may have.
    HostBudget,
}

impl TrapKind {
    /// Returns a description for reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooDeep => "paths with too many segments",
            Self::RepeatedSegment => "paths with repeated segments",
            Self::TooLong => "URLs too long for browsers",
            Self::TooManyParameters => "too many query parameters",
            Self::HostInPath => "host names in the path (a link without `https://`)",
            Self::EndlessCalendar => "an endless calendar",
            Self::EndlessPages => "endless numbered pages",
            Self::SessionIds => "the same pages with changing session ids",
            Self::NearDuplicates => "many URLs with known content",
            Self::IrrelevantParameters => "parameters that do not change the page",
            Self::SameSpelling => "other spellings of the same pages",
            Self::EndlessRedirects => "endless redirects to new URLs",
            Self::Generated => "endless generated pages",
            Self::HostBudget => "more pages than the limit of a host",
        }
    }
}
