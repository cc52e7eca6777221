//! Statistics of all searches for dead pages as one JSON object: the output of
//! `relink revive --summary --format json`.
//!
//! An *alias* is a live URL of the same page. The statistics are those of the paper *Reviving
//! Dead Links on the Web with FABLE*; comments name its tables.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::CostRow;

/// Statistics of all searches for dead pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviveSummary {
    /// The version of this format.
    pub schema: u32,
    /// The number of pages searched for.
    pub pages: u64,
    /// The number of pages with an alias.
    pub aliases: u64,
    /// The number of pages with a good archived copy.
    pub archived: u64,
    /// The number of pages whose content was found on another site.
    pub with_replacement: u64,
    /// Pages with an alias by verdict, or `not checked`.
    pub by_verdict: BTreeMap<String, AliasShare>,
    /// Pages with an alias by kind of failure: `dns-or-connection`, `404`, `soft-404`,
    /// `hijacked`, `other`, or `not checked` (FABLE, Table 8).
    pub by_breakage: BTreeMap<String, AliasShare>,
    /// Pages with an alias by the year of the last good copy, `no copy`, or
    /// `not queried` if no archive was queried (FABLE, Table 9).
    pub by_copy_year: BTreeMap<String, AliasShare>,
    /// Pages with an alias by the age of the last good copy, or `no copy`.
    pub by_age: BTreeMap<String, AliasShare>,
    /// Aliases by the method that found them.
    pub by_method: BTreeMap<String, u64>,
    /// Pages by the code of each reason why there is no alias.
    pub reasons: BTreeMap<String, u64>,
    /// Pages by method, and by the code of each reason. Methods are `search`,
    /// `historical-redirect`, `inference`, and `directory` for dead directories
    /// (FABLE, Table 10).
    pub reasons_by_method: BTreeMap<String, BTreeMap<String, u64>>,
    /// The gaps of the archived copies of pages with an alias (FABLE, Table 11).
    pub copy_gaps: CopyGapSummary,
    /// The median time per page in milliseconds, by the method that found the
    /// alias, `none-found`, and `archived-copy` for loading the archived copy
    /// (FABLE, Figure 10).
    pub median_time_ms: BTreeMap<String, u64>,
    /// The cost on pages whose content is known, and the minimum cost of FABLE's
    /// baseline `SimilarCT` on the same pages (FABLE, Figure 9).
    pub cost_comparison: CostComparison,
    /// The number of pages for which each service was unavailable.
    pub unavailable: BTreeMap<String, u64>,
    /// The cost by method.
    pub costs: BTreeMap<String, CostRow>,
}

/// The gaps of archived copies: content and services that the live page has and the copy
/// lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CopyGapSummary {
    /// Pages with an alias for which an archive was queried.
    pub pages: u64,
    /// Pages with at least one gap.
    pub with_gap: u64,
    /// Pages by gap: `no-archived-copy`, `stale-content`, `service-not-usable`,
    /// `loss-of-recommendations` and `loss-of-ad-revenue`.
    pub by_gap: BTreeMap<String, u64>,
}

/// The costs of Relink and of `SimilarCT`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CostComparison {
    /// The number of pages.
    pub pages: u64,
    /// Search engine queries of Relink.
    pub searches: u64,
    /// Pages that Relink fetched from the live web.
    pub page_fetches: u64,
    /// Minimum number of search engine queries of `SimilarCT`.
    pub similar_ct_searches: u64,
    /// Minimum number of pages that `SimilarCT` fetches from the live web.
    pub similar_ct_page_fetches: u64,
}

/// The number of pages with an alias, out of all pages of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AliasShare {
    /// Pages with an alias.
    pub found: u64,
    /// All pages.
    pub pages: u64,
}
