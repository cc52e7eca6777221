//! `relink revive --summary`: statistics of all searches.
//!
//! The tables are those of the FABLE paper (Zhu et al. 2023): by kind of breakage (Table 8),
//! by year of the last good copy (Table 9), by method and reason (Table 10), missing parts of
//! archived copies (Table 11), and the cost by method (Figures 9 and 10). An alias is a live
//! URL of the same page; a replacement is a similar page of another site.

mod text;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::tz::TimeZone;
use relink_repair::Revival;
use relink_report::{AliasShare, CopyGapSummary, CostComparison, ReviveSummary, SCHEMA};
use relink_requests::Ports;
use relink_revive::breakage::Breakage;
use relink_revive::cost::{Cost, RevivalMethod};

use crate::cli::ReviveFormat;
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};

/// Number of search results read from the store at a time.
const BATCH_SIZE: usize = 1024;

/// Key of the median time of pages without an alias.
const NONE_FOUND: &str = "none-found";

/// Key of the median time to load an archived copy.
const ARCHIVED_COPY: &str = "archived-copy";

/// Totals of all searches.
#[derive(Debug, Default)]
struct SearchTotals {
    pages: u64,
    aliases: u64,
    archived: u64,
    with_replacement: u64,
    // The share of pages with an alias in each group.
    by_verdict: BTreeMap<String, AliasShare>,
    by_breakage: BTreeMap<String, AliasShare>,
    by_copy_year: BTreeMap<String, AliasShare>,
    by_age: BTreeMap<String, AliasShare>,
    by_method: BTreeMap<RevivalMethod, u64>,
    /// The reasons why no alias was found.
    reasons: BTreeMap<String, u64>,
    reasons_by_method: BTreeMap<String, BTreeMap<String, u64>>,
    /// What archived copies lack.
    copy_gaps: CopyGapSummary,
    /// The cost compared with that of `SimilarCT`, the baseline of the paper.
    comparison: CostComparison,
    times: BTreeMap<String, Vec<Duration>>,
    /// Warnings about unavailable archives and search engines.
    unavailable: BTreeMap<String, u64>,
    costs: BTreeMap<RevivalMethod, Cost>,
}

/// Prints the statistics.
pub async fn print_summary(ports: &Ports, format: ReviveFormat) -> Result<Exit, CommandError> {
    let mut totals = SearchTotals::default();
    let mut after = String::new();
    loop {
        let batch = ports.store.revivals("", &after, BATCH_SIZE).await?;
        let Some(last) = batch.last() else { break };
        after.clone_from(&last.url);
        for stored in &batch {
            if let Ok(revival) = serde_json::from_str::<Revival>(&stored.report) {
                totals.add(&revival);
            }
        }
    }
    let text = match format {
        ReviveFormat::Human => totals.to_text(),
        ReviveFormat::Json | ReviveFormat::Jsonl => {
            format!("{}\n", serde_json::to_string(&totals.to_row()).map_err(cannot_encode)?)
        }
    };
    print(&text).map(|()| Exit::Clean)
}

impl SearchTotals {
    fn add(&mut self, revival: &Revival) {
        let is_found = revival.alias.is_some();
        self.pages += 1;
        self.aliases += u64::from(is_found);
        self.archived += u64::from(revival.archived.is_some());
        self.with_replacement += u64::from(!revival.replacements.is_empty());
        let verdict = revival.verdict;
        let not_checked = || "not checked".to_owned();
        let verdict_name = verdict.map_or_else(not_checked, |verdict| verdict.to_string());
        let breakage = verdict.map(|verdict| Breakage::new(verdict, revival.code).to_string());
        for (groups, group) in [
            (&mut self.by_verdict, verdict_name),
            (&mut self.by_breakage, breakage.unwrap_or_else(not_checked)),
            (&mut self.by_copy_year, copy_year(revival)),
            (&mut self.by_age, age_class(revival)),
        ] {
            let share = groups.entry(group).or_default();
            share.pages += 1;
            share.found += u64::from(is_found);
        }
        if let Some(alias) = &revival.alias {
            *self.by_method.entry(alias.method).or_default() += 1;
        }
        for warning in &revival.warnings {
            *self.unavailable.entry(warning.clone()).or_default() += 1;
        }
        self.add_reasons(revival);
        self.add_copy_gaps(revival);
        self.add_costs(revival);
    }

    fn add_reasons(&mut self, revival: &Revival) {
        for reason in &revival.reasons {
            let code = reason.code().to_owned();
            let method = reason.method().map_or("directory", RevivalMethod::as_str);
            *self.reasons.entry(code.clone()).or_default() += 1;
            let reasons = self.reasons_by_method.entry(method.to_owned()).or_default();
            *reasons.entry(code).or_default() += 1;
        }
    }

    fn add_copy_gaps(&mut self, revival: &Revival) {
        let Some(gaps) = &revival.copy_gaps else { return };
        self.copy_gaps.pages += 1;
        self.copy_gaps.with_gap += u64::from(!gaps.is_empty());
        for gap in gaps {
            *self.copy_gaps.by_gap.entry(gap.code().to_owned()).or_default() += 1;
        }
    }

    fn add_costs(&mut self, revival: &Revival) {
        for (method, cost) in &revival.costs {
            let sum = self.costs.entry(*method).or_default();
            *sum = *sum + *cost;
        }
        // The cost of an alias excludes the later search for replacements.
        let alias_costs =
            revival.costs.iter().filter(|(method, _)| **method != RevivalMethod::Replacement);
        let cost: Cost = alias_costs.map(|(_, cost)| *cost).sum();
        let method = revival.alias.as_ref().map_or(NONE_FOUND, |alias| alias.method.as_str());
        self.times.entry(method.to_owned()).or_default().push(cost.time);
        if let Some(time) = revival.copy_time {
            self.times.entry(ARCHIVED_COPY.to_owned()).or_default().push(time);
        }
        if let Some(similar_ct) = revival.similar_ct {
            self.comparison.pages += 1;
            self.comparison.searches += u64::from(cost.searches);
            self.comparison.page_fetches += u64::from(cost.page_fetches);
            self.comparison.similar_ct_searches += u64::from(similar_ct.searches);
            self.comparison.similar_ct_page_fetches += u64::from(similar_ct.page_fetches);
        }
    }

    /// Returns the median time by method in milliseconds.
    fn median_times(&self) -> BTreeMap<String, u64> {
        let median = |times: &[Duration]| {
            let mut times = times.to_vec();
            times.sort_unstable();
            let middle = times.get(times.len() / 2).copied().unwrap_or_default();
            u64::try_from(middle.as_millis()).unwrap_or(u64::MAX)
        };
        self.times.iter().map(|(name, times)| (name.clone(), median(times))).collect()
    }

    fn to_row(&self) -> ReviveSummary {
        let name = |method: &RevivalMethod| method.as_str().to_owned();
        ReviveSummary {
            schema: SCHEMA,
            pages: self.pages,
            aliases: self.aliases,
            archived: self.archived,
            with_replacement: self.with_replacement,
            by_verdict: self.by_verdict.clone(),
            by_breakage: self.by_breakage.clone(),
            by_copy_year: self.by_copy_year.clone(),
            by_age: self.by_age.clone(),
            by_method: self
                .by_method
                .iter()
                .map(|(method, found)| (name(method), *found))
                .collect(),
            reasons: self.reasons.clone(),
            reasons_by_method: self.reasons_by_method.clone(),
            copy_gaps: self.copy_gaps.clone(),
            median_time_ms: self.median_times(),
            cost_comparison: self.comparison,
            unavailable: self.unavailable.clone(),
            costs: self.costs.iter().map(|(method, cost)| (name(method), cost.into())).collect(),
        }
    }
}

/// Returns the year of the last good copy, as in Table 9 of the FABLE paper.
fn copy_year(revival: &Revival) -> String {
    let lookups: u32 = revival.costs.values().map(|cost| cost.archive_lookups).sum();
    match &revival.archived {
        Some(copy) => copy.captured_at.to_zoned(TimeZone::UTC).year().to_string(),
        None if lookups == 0 => "not queried".to_owned(),
        None => "no copy".to_owned(),
    }
}

/// Returns the age class of the last good copy.
fn age_class(revival: &Revival) -> String {
    let Some(copy) = &revival.archived else { return "no copy".to_owned() };
    let days = revival.searched_at.duration_since(copy.captured_at).as_hours() / 24;
    match days {
        ..365 => "less than 1 year",
        365..1825 => "1 to 5 years",
        1825..3650 => "5 to 10 years",
        _ => "more than 10 years",
    }
    .to_owned()
}
