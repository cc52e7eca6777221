//! `relink revive --summary`: statistics of all searches, by verdict (FABLE, Table 8), by
//! age of the last good copy (Table 9), by reason (Table 10), and the cost by method
//! (Figures 9 and 10).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use relink_engine::{Ports, Revival};
use relink_report::human::{counted, duration, grouped};
use relink_report::{AliasShare, ReviveSummary, SCHEMA, printable};
use relink_revive::cost::{Cost, RevivalMethod};

use crate::cli::ReviveFormat;
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};

/// Number of search results read from the store at a time.
const BATCH: usize = 1024;

/// Maximum number of unavailable services.
const MAX_UNAVAILABLE: usize = 8;

/// Totals of all searches.
#[derive(Debug, Default)]
struct SearchTotals {
    pages: u64,
    aliases: u64,
    archived: u64,
    with_replacement: u64,
    by_verdict: BTreeMap<String, AliasShare>,
    by_age: BTreeMap<String, AliasShare>,
    by_method: BTreeMap<RevivalMethod, u64>,
    reasons: BTreeMap<String, u64>,
    unavailable: BTreeMap<String, u64>,
    costs: BTreeMap<RevivalMethod, Cost>,
}

/// Prints the statistics.
pub async fn print_summary(ports: &Ports, format: ReviveFormat) -> Result<Exit, CommandError> {
    let mut totals = SearchTotals::default();
    let mut after = String::new();
    loop {
        let batch = ports.store.revivals("", &after, BATCH).await?;
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
        let count = |share: &mut AliasShare| {
            share.pages += 1;
            share.found += u64::from(is_found);
        };
        self.pages += 1;
        self.aliases += u64::from(is_found);
        self.archived += u64::from(revival.archived.is_some());
        self.with_replacement += u64::from(!revival.replacements.is_empty());
        let verdict =
            revival.verdict.map_or("not checked".to_owned(), |verdict| verdict.to_string());
        count(self.by_verdict.entry(verdict).or_default());
        count(self.by_age.entry(age_class(revival)).or_default());
        if let Some(alias) = &revival.alias {
            *self.by_method.entry(alias.method).or_default() += 1;
        }
        for reason in &revival.reasons {
            *self.reasons.entry(reason.code().to_owned()).or_default() += 1;
        }
        for warning in &revival.warnings {
            *self.unavailable.entry(warning.clone()).or_default() += 1;
        }
        for (method, cost) in &revival.costs {
            let sum = self.costs.entry(*method).or_default();
            *sum = *sum + *cost;
        }
    }

    fn to_row(&self) -> ReviveSummary {
        let named = |method: &RevivalMethod| method.as_str().to_owned();
        ReviveSummary {
            schema: SCHEMA,
            pages: self.pages,
            aliases: self.aliases,
            archived: self.archived,
            with_replacement: self.with_replacement,
            by_verdict: self.by_verdict.clone(),
            by_age: self.by_age.clone(),
            by_method: self.by_method.iter().map(|(it, found)| (named(it), *found)).collect(),
            reasons: self.reasons.clone(),
            unavailable: self.unavailable.clone(),
            costs: self.costs.iter().map(|(it, cost)| (named(it), cost.into())).collect(),
        }
    }

    fn to_text(&self) -> String {
        if self.pages == 0 {
            return "No searches yet. Start with `relink revive --all`.\n".to_owned();
        }
        let mut text = format!(
            "{} searched for: {} with an alias, {} with an archived copy, {} with a replacement\n",
            counted(self.pages, "dead page"),
            grouped(self.aliases),
            grouped(self.archived),
            grouped(self.with_replacement)
        );
        text += &shares("by verdict", &self.by_verdict);
        text += &shares("by age of the last good copy", &self.by_age);
        if !self.reasons.is_empty() {
            text += "\nreasons without an alias\n";
            for (reason, pages) in &self.reasons {
                let _ = writeln!(text, "  {:>7}  {reason}", grouped(*pages));
            }
        }
        text + &self.unavailable_text() + &self.costs_text()
    }

    /// Lists unavailable services, such as exhausted budgets, most frequent first.
    fn unavailable_text(&self) -> String {
        let mut rows: Vec<(&String, &u64)> = self.unavailable.iter().collect();
        rows.sort_by_key(|(_, pages)| std::cmp::Reverse(**pages));
        let mut text = String::new();
        for (warning, pages) in rows.iter().take(MAX_UNAVAILABLE) {
            let _ = writeln!(text, "  {:>7}  {}", grouped(**pages), printable(warning));
        }
        if text.is_empty() { text } else { format!("\nunavailable services\n{text}") }
    }

    fn costs_text(&self) -> String {
        let mut text =
            "\ncost                    found  archive  searches  fetches  time\n".to_owned();
        for (method, cost) in &self.costs {
            let name = match method {
                RevivalMethod::HistoricalRedirect => "historical redirects",
                RevivalMethod::Search => "search and matching",
                RevivalMethod::Inference => "inference",
                RevivalMethod::Replacement => "other sites",
            };
            let found = match method {
                RevivalMethod::Replacement => self.with_replacement,
                _ => self.by_method.get(method).copied().unwrap_or(0),
            };
            let millis = u64::try_from(cost.time.as_millis()).unwrap_or(u64::MAX);
            let _ = writeln!(
                text,
                "  {name:<20} {found:>6}  {:>7}  {:>8}  {:>7}  {}",
                cost.archive_lookups,
                cost.searches,
                cost.page_fetches,
                duration(millis)
            );
        }
        text
    }
}

fn shares(title: &str, rows: &BTreeMap<String, AliasShare>) -> String {
    let mut text = format!("\n{title}\n");
    for (name, AliasShare { found, pages }) in rows {
        let _ = writeln!(text, "  {:>7} of {:>7}  {name}", grouped(*found), grouped(*pages));
    }
    text
}

/// Returns the age class of the last good copy, as in Table 9 of the paper.
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
