//! The decay of the pages of a list, file or collection.
//!
//! The decay of a page is the probability that a random walk over links, which starts at the
//! page, ends on a dead page.

use std::fmt::Write as _;

use jiff::Timestamp;
use relink_model::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use super::IntervalRow;
use crate::human::{TextStyle, counted, shown_prose, shown_url};
use crate::{redact, schema};

/// The scores of a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ListDecay {
    /// The inputs, with secrets masked.
    #[serde(serialize_with = "redact::url")]
    pub source: String,
    /// The pages, the highest decay first.
    pub pages: Vec<ListedPage>,
    /// Mean decay of the pages.
    #[schemars(schema_with = "schema::share")]
    pub mean_decay: f64,
    /// Mean share of dead links over the live pages that have links; null if no live page
    /// has links.
    #[schemars(schema_with = "schema::share_or_null")]
    pub mean_dead_share: Option<f64>,
    /// The means on each day with a measurement, oldest first.
    pub history: Vec<DecayDayRow>,
    /// Number of distinct pages that were requested.
    pub pages_checked: u64,
    /// Number of requests, including redirects and controls.
    pub requests: u64,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ListedPage {
    /// The URL, with secrets masked.
    #[serde(serialize_with = "redact::url")]
    pub url: String,
    /// The verdict of the page itself, or null if it was not requested.
    #[schemars(schema_with = "schema::verdict_or_null")]
    pub verdict: Option<Verdict>,
    /// The decay score.
    #[schemars(schema_with = "schema::share")]
    pub decay: f64,
    /// The confidence interval; its coverage is at least 95 %.
    pub interval: IntervalRow,
    /// The share of the page's links that are dead, or null if the page has no links or
    /// is dead.
    #[schemars(schema_with = "schema::share_or_null")]
    pub dead_share: Option<f64>,
    /// Whether the page is alive and its decay is high (RL901).
    pub is_at_risk: bool,
    /// The dead pages that readers most often end on.
    #[serde(serialize_with = "masked_urls")]
    pub dead_ends: Vec<String>,
}

/// The means of one day.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct DecayDayRow {
    /// The time of the first measurement of the day.
    #[schemars(with = "String")]
    pub at: Timestamp,
    /// Number of pages.
    pub pages: u64,
    /// Mean decay.
    #[schemars(schema_with = "schema::share")]
    pub mean_decay: f64,
    /// Mean share of dead links over the live pages that have links; null if no live page
    /// has links.
    #[schemars(schema_with = "schema::share_or_null")]
    pub mean_dead_share: Option<f64>,
}

/// Serializes URLs with secrets masked.
fn masked_urls<S: serde::Serializer>(urls: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(urls.iter().map(|url| redact(url).to_string()))
}

impl ListDecay {
    /// Creates the report and computes the means. The last argument contains the number of
    /// checked pages and the number of requests.
    pub fn new(
        source: String,
        mut pages: Vec<ListedPage>,
        history: Vec<DecayDayRow>,
        (pages_checked, requests): (u64, u64),
    ) -> Self {
        let mean = |values: &[f64]| {
            let count = f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX));
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / count)
        };
        let decays: Vec<f64> = pages.iter().map(|page| page.decay).collect();
        let dead_shares: Vec<f64> = pages.iter().filter_map(|page| page.dead_share).collect();
        pages.sort_by(|left, right| right.decay.total_cmp(&left.decay));
        Self {
            source,
            pages,
            mean_decay: mean(&decays).unwrap_or(0.0),
            mean_dead_share: mean(&dead_shares),
            history,
            pages_checked,
            requests,
        }
    }
}

/// Formats the scores of a list: the `top` pages with the highest decay, the means, and the
/// history.
pub fn list(style: TextStyle, report: &ListDecay, top: usize) -> String {
    let mut text = String::new();
    for page in report.pages.iter().take(top) {
        let mark = if page.is_at_risk { "  RL901 at-risk" } else { "" };
        let verdict = page.verdict.filter(|verdict| *verdict != Verdict::Alive);
        let verdict = verdict.map_or_else(String::new, |verdict| {
            format!("  {}", style.verdict(verdict, verdict.as_str()))
        });
        let _ = writeln!(text, "{:.2}  {}{verdict}{mark}", page.decay, shown_url(&page.url));
        if !page.dead_ends.is_empty() && page.is_at_risk {
            let ends: Vec<String> = page.dead_ends.iter().map(|url| shown_url(url)).collect();
            let _ = writeln!(text, "      dead ends: {}", ends.join(", "));
        }
    }
    let omitted = report.pages.len().saturating_sub(top);
    if omitted > 0 {
        let _ = writeln!(text, "      … {} more", counted(omitted as u64, "page"));
    }
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let dead_share = match report.mean_dead_share {
        None => "no live page with links".to_owned(),
        Some(share) => format!("mean share of dead links {}", percent(share)),
    };
    let head = format!(
        "{}: mean decay {:.2}, {dead_share}",
        shown_prose(&report.source),
        report.mean_decay
    );
    let _ = writeln!(text, "{}", style.strong(&head));
    if report.history.len() > 1 {
        for day in &report.history {
            let _ = writeln!(
                text,
                "  {}  {:.2}  {}  {}",
                day.at.strftime("%Y-%m-%d"),
                day.mean_decay,
                day.mean_dead_share.map_or_else(|| "–".to_owned(), percent),
                counted(day.pages, "page")
            );
        }
    }
    let (pages, requests) =
        (counted(report.pages_checked, "page"), counted(report.requests, "request"));
    let _ = writeln!(text, "{pages} checked, {requests}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a page. The page is dead if `decay` is 1.
    fn page(url: &str, decay: f64, dead_share: Option<f64>) -> ListedPage {
        ListedPage {
            url: url.to_owned(),
            verdict: Some(if decay < 1.0 { Verdict::Alive } else { Verdict::Dead }),
            decay,
            interval: IntervalRow { low: decay, high: decay },
            dead_share,
            is_at_risk: (0.5..1.0).contains(&decay),
            dead_ends: vec!["http://a.test/gone".to_owned()],
        }
    }

    #[test]
    fn list_shows_pages_by_descending_decay_and_the_means() {
        let pages = vec![
            page("http://a.test/good", 0.2, Some(0.1)),
            page("http://a.test/dead", 1.0, None),
            page("http://a.test/risky", 0.6, Some(0.5)),
        ];
        let report = ListDecay::new("list.md".to_owned(), pages, Vec::new(), (9, 12));
        assert_eq!(
            list(TextStyle::Plain, &report, 2),
            "1.00  http://a.test/dead  dead\n\
             0.60  http://a.test/risky  RL901 at-risk\n      dead ends: http://a.test/gone\n      \
             … 1 page more\n\
             list.md: mean decay 0.60, mean share of dead links 30 %\n\
             9 pages checked, 12 requests\n"
        );
    }

    #[test]
    fn list_without_live_links_shows_no_share_of_dead_links() {
        let day = |text: &str, mean_dead_share| DecayDayRow {
            at: text.parse().unwrap(),
            pages: 1,
            mean_decay: 1.0,
            mean_dead_share,
        };
        let history =
            vec![day("2026-11-01T09:00:00Z", Some(0.5)), day("2026-11-08T09:00:00Z", None)];
        let pages = vec![page("http://a.test/dead", 1.0, None)];
        let report = ListDecay::new("list.md".to_owned(), pages, history, (1, 2));
        assert_eq!(
            list(TextStyle::Plain, &report, 1),
            "1.00  http://a.test/dead  dead\n\
             list.md: mean decay 1.00, no live page with links\n  \
             2026-11-01  1.00  50 %  1 page\n  \
             2026-11-08  1.00  –  1 page\n\
             1 page checked, 2 requests\n"
        );
    }
}
