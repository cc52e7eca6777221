//! What came of all dead pages looked for so far as one JSON object: the
//! contract of `relink revive --summary --format json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::CostRow;

/// What came of all dead pages looked for so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviveSummary {
    /// The version of this contract.
    pub schema: u32,
    /// How many pages were looked for.
    pub pages: u64,
    /// Of how many an alias was found.
    pub aliases: u64,
    /// Of how many an archive has a good copy.
    pub archived: u64,
    /// Of how many another site has the content.
    pub replaced: u64,
    /// By the word of a check, or `not checked` (FABLE, Table 8).
    pub by_death: BTreeMap<String, FoundShare>,
    /// By the age of the last good copy, or `no copy` (FABLE, Table 9).
    pub by_age: BTreeMap<String, FoundShare>,
    /// Aliases by the method that found them.
    pub by_method: BTreeMap<String, u64>,
    /// Pages by the code of each reason why there is no alias (FABLE, Table 10).
    pub reasons: BTreeMap<String, u64>,
    /// Pages by what could not be asked for them, in plain words.
    pub unasked: BTreeMap<String, u64>,
    /// What it took, by method (FABLE, Figures 9 and 10).
    pub costs: BTreeMap<String, CostRow>,
}

/// Of how many pages an alias was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoundShare {
    /// Those with an alias.
    pub found: u64,
    /// All of them.
    pub pages: u64,
}
