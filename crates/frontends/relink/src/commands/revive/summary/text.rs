//! The statistics of all searches as text for the terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use relink_report::human::{counted, duration, grouped};
use relink_report::{AliasShare, printable};
use relink_revive::copy_gap::CopyGap;
use relink_revive::cost::RevivalMethod;

use super::{ARCHIVED_COPY, NONE_FOUND, SearchTotals};

/// Maximum number of listed unavailable services.
const MAX_UNAVAILABLE: usize = 8;

impl SearchTotals {
    pub(super) fn to_text(&self) -> String {
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
        text += &shares("by how the page is broken", &self.by_breakage);
        text += &shares("by year of the last good copy", &self.by_copy_year);
        text += &self.reasons_text();
        text += &self.gaps_text();
        text + &self.unavailable_text() + &self.costs_text() + &self.comparison_text()
    }

    /// Lists the reasons why no alias was found, by method.
    fn reasons_text(&self) -> String {
        let mut text = String::new();
        for (method, reasons) in &self.reasons_by_method {
            let _ = writeln!(text, "\nno alias by {}", row_label(method));
            for (reason, pages) in reasons {
                let _ = writeln!(text, "  {:>7}  {reason}", grouped(*pages));
            }
        }
        text
    }

    /// Lists what archived copies lack, such as images.
    fn gaps_text(&self) -> String {
        let gaps = &self.copy_gaps;
        if gaps.pages == 0 {
            return String::new();
        }
        let mut text = format!(
            "\nwhat the archived copy lacks ({} of {} with an alias)\n",
            grouped(gaps.with_gap),
            counted(gaps.pages, "page")
        );
        for gap in CopyGap::ALL {
            if let Some(pages) = gaps.by_gap.get(gap.code()) {
                let _ = writeln!(text, "  {:>7}  {gap}", grouped(*pages));
            }
        }
        text
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
            let found = match method {
                RevivalMethod::Replacement => self.with_replacement,
                _ => self.by_method.get(method).copied().unwrap_or(0),
            };
            let millis = u64::try_from(cost.time.as_millis()).unwrap_or(u64::MAX);
            let _ = writeln!(
                text,
                "  {:<20} {found:>6}  {:>7}  {:>8}  {:>7}  {}",
                row_label(method.as_str()),
                cost.archive_lookups,
                cost.searches,
                cost.page_fetches,
                duration(millis)
            );
        }
        text += "\nmedian time per page\n";
        for (name, millis) in self.median_times() {
            let _ = writeln!(text, "  {:<28} {}", row_label(&name), duration(millis));
        }
        text
    }

    /// Compares the cost with that of `SimilarCT`, the baseline of the FABLE paper.
    fn comparison_text(&self) -> String {
        let comparison = &self.comparison;
        if comparison.pages == 0 {
            return String::new();
        }
        format!(
            "\ncost on {} with known content  searches  fetches\n  {:<32} {:>9}  {:>7}\n  {:<32} {:>9}  {:>7}\n",
            counted(comparison.pages, "page"),
            "Relink",
            comparison.searches,
            comparison.page_fetches,
            "SimilarCT, at least",
            comparison.similar_ct_searches,
            comparison.similar_ct_page_fetches
        )
    }
}

/// Returns the label of a row, by its key: the name of a method or another key.
fn row_label(key: &str) -> &str {
    match key {
        "historical-redirect" => "historical redirects",
        "search" => "search and matching",
        "replacement" => "other sites",
        "directory" => "any method: dead directories",
        NONE_FOUND => "none found",
        ARCHIVED_COPY => "loading the archived copy",
        other => other,
    }
}

/// Formats the share of pages with an alias in each row.
fn shares(title: &str, rows: &BTreeMap<String, AliasShare>) -> String {
    let mut text = format!("\n{title}\n");
    for (name, AliasShare { found, pages }) in rows {
        let _ = writeln!(text, "  {:>7} of {:>7}  {name}", grouped(*found), grouped(*pages));
    }
    text
}
