//! Statistics of all searches for dead pages as one JSON object: the output of
//! `relink revive --summary --format json`.

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
    /// By verdict, or `not checked` (FABLE, Table 8).
    pub by_verdict: BTreeMap<String, AliasShare>,
    /// By the age of the last good copy, or `no copy` (FABLE, Table 9).
    pub by_age: BTreeMap<String, AliasShare>,
    /// Aliases by the method that found them.
    pub by_method: BTreeMap<String, u64>,
    /// Pages by the code of each reason why there is no alias (FABLE, Table 10).
    pub reasons: BTreeMap<String, u64>,
    /// The number of pages for which each service was unavailable.
    pub unavailable: BTreeMap<String, u64>,
    /// The cost by method (FABLE, Figures 9 and 10).
    pub costs: BTreeMap<String, CostRow>,
}

/// The number of pages with an alias, out of all pages of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AliasShare {
    /// Pages with an alias.
    pub found: u64,
    /// All pages.
    pub pages: u64,
}
