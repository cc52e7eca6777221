//! What came of all pages looked for so far, in tables: by kind of death
//! (FABLE, Table 8), by age of the last good copy (Table 9), why there is no
//! alias (Table 10), and what it took by method (Figures 9 and 10).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use relink_engine::{Ports, Revival};
use relink_report::human::{counted, duration, grouped};
use relink_report::{FoundShare, ReviveSummary, SCHEMA, printable};
use relink_revive::cost::{Cost, RevivalMethod};

use crate::cli::ReviveFormat;
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};

/// Revivals read from the store at a time.
const PIECE: usize = 1024;

/// What could not be asked is told in so many rows.
const UNASKED: usize = 8;

/// The sums.
#[derive(Debug, Default)]
struct Sums {
    pages: u64,
    aliases: u64,
    archived: u64,
    replaced: u64,
    by_death: BTreeMap<String, FoundShare>,
    by_age: BTreeMap<String, FoundShare>,
    by_method: BTreeMap<RevivalMethod, u64>,
    reasons: BTreeMap<String, u64>,
    unasked: BTreeMap<String, u64>,
    costs: BTreeMap<RevivalMethod, Cost>,
}

/// Tells the sums.
pub async fn tell(ports: &Ports, format: ReviveFormat) -> Result<Exit, CommandError> {
    let mut sums = Sums::default();
    let mut after = String::new();
    loop {
        let piece = ports.store.revivals("", &after, PIECE).await?;
        let Some(last) = piece.last() else { break };
        after.clone_from(&last.url);
        for kept in &piece {
            if let Ok(revival) = serde_json::from_str::<Revival>(&kept.report) {
                sums.add(&revival);
            }
        }
    }
    let text = match format {
        ReviveFormat::Human => sums.to_text(),
        ReviveFormat::Json | ReviveFormat::Jsonl => {
            format!("{}\n", serde_json::to_string(&sums.to_row()).map_err(cannot_encode)?)
        }
    };
    print(&text).map(|()| Exit::Clean)
}

impl Sums {
    fn add(&mut self, revival: &Revival) {
        let is_found = revival.alias.is_some();
        let count = |share: &mut FoundShare| {
            share.pages += 1;
            share.found += u64::from(is_found);
        };
        self.pages += 1;
        self.aliases += u64::from(is_found);
        self.archived += u64::from(revival.archived.is_some());
        self.replaced += u64::from(!revival.replacements.is_empty());
        let death = revival.verdict.map_or("not checked".to_owned(), |word| word.to_string());
        count(self.by_death.entry(death).or_default());
        count(self.by_age.entry(age_class(revival)).or_default());
        if let Some(alias) = &revival.alias {
            *self.by_method.entry(alias.method).or_default() += 1;
        }
        for reason in &revival.reasons {
            *self.reasons.entry(reason.code().to_owned()).or_default() += 1;
        }
        for remark in &revival.remarks {
            *self.unasked.entry(remark.clone()).or_default() += 1;
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
            replaced: self.replaced,
            by_death: self.by_death.clone(),
            by_age: self.by_age.clone(),
            by_method: self.by_method.iter().map(|(it, found)| (named(it), *found)).collect(),
            reasons: self.reasons.clone(),
            unasked: self.unasked.clone(),
            costs: self.costs.iter().map(|(it, cost)| (named(it), cost.into())).collect(),
        }
    }

    fn to_text(&self) -> String {
        if self.pages == 0 {
            return "No page was looked for yet. Begin with `relink revive --all`.\n".to_owned();
        }
        let mut text = format!(
            "{} looked for: {} found again, {} in an archive, {} with a replacement elsewhere\n",
            counted(self.pages, "dead page"),
            grouped(self.aliases),
            grouped(self.archived),
            grouped(self.replaced)
        );
        text += &shares("by kind of death", &self.by_death);
        text += &shares("by age of the last good copy", &self.by_age);
        if !self.reasons.is_empty() {
            text += "\nwhy there is no alias\n";
            for (reason, pages) in &self.reasons {
                let _ = writeln!(text, "  {:>7}  {reason}", grouped(*pages));
            }
        }
        text + &self.unasked_text() + &self.costs_text()
    }

    /// What stopped a search, as a budget that was spent, most often first.
    fn unasked_text(&self) -> String {
        let mut rows: Vec<(&String, &u64)> = self.unasked.iter().collect();
        rows.sort_by_key(|(_, pages)| std::cmp::Reverse(**pages));
        let mut text = String::new();
        for (remark, pages) in rows.iter().take(UNASKED) {
            let _ = writeln!(text, "  {:>7}  {}", grouped(**pages), printable(remark));
        }
        if text.is_empty() { text } else { format!("\nwhat could not be asked\n{text}") }
    }

    fn costs_text(&self) -> String {
        let mut text =
            "\nwhat it took            found  archive  searches  fetches  time\n".to_owned();
        for (method, cost) in &self.costs {
            let name = match method {
                RevivalMethod::HistoricalRedirect => "historical redirects",
                RevivalMethod::Search => "search and matching",
                RevivalMethod::Inference => "inference",
                RevivalMethod::Elsewhere => "other sites",
            };
            let found = match method {
                RevivalMethod::Elsewhere => self.replaced,
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

fn shares(title: &str, rows: &BTreeMap<String, FoundShare>) -> String {
    let mut text = format!("\n{title}\n");
    for (name, FoundShare { found, pages }) in rows {
        let _ = writeln!(text, "  {:>7} of {:>7}  {name}", grouped(*found), grouped(*pages));
    }
    text
}

/// How old the last good copy is, in the classes of the paper's Table 9.
fn age_class(revival: &Revival) -> String {
    let Some(copy) = &revival.archived else { return "no copy".to_owned() };
    let days = revival.tried.duration_since(copy.captured_at).as_hours() / 24;
    match days {
        ..365 => "less than 1 year",
        365..1825 => "1 to 5 years",
        1825..3650 => "5 to 10 years",
        _ => "more than 10 years",
    }
    .to_owned()
}
