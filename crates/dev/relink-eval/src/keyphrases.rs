//! `relink-eval keyphrases`: measures how well keyphrases find pages.
//!
//! Reads labeled collections (JSON lines with `collection`, `title` and `text` or
//! `html`). For every distinct page, all pages are searched by queries with the keyphrases of
//! the page, as exact phrases. For each setting, two results are measured:
//!
//! - *found*: the share of pages for which a query has the page as its only result, and the
//!   mean number of phrases in these queries;
//! - *same topic*: the share of pages from the same collection among the results of
//!   the search for similar pages.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use relink_keyphrase::{
    DocumentFrequencies, KeyphraseSettings, KeyphraseSource, Keyphrases, PlanLimits, QueryPlan,
    SIGNATURE_WORDS, SearchGoal, lexical_signature, page_keyphrases,
};
use relink_model::SearchQuery;
use relink_page::{BlockText, DocumentFormat, block_text};
use serde::Deserialize;

use crate::error::EvalError;
use crate::json_lines::read_rows;

/// Arguments of `relink-eval keyphrases`.
#[derive(Args)]
pub struct KeyphraseArgs {
    /// Labeled collections
    #[arg(value_name = "FILE.jsonl")]
    collections: PathBuf,
    /// Print the number of pages per second instead
    #[arg(long)]
    time: bool,
}

/// A line of the input file.
#[derive(Debug, Deserialize)]
struct Row {
    collection: String,
    role: String,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    html: Option<String>,
}

/// A page with its collections.
struct Page {
    blocks: BlockText,
    /// The words, each between spaces, for the search.
    words: String,
    collections: BTreeSet<String>,
}

/// A way to select phrases.
struct Variant {
    name: &'static str,
    settings: KeyphraseSettings,
    frequencies: DocumentFrequencies,
}

/// Measures every variant.
pub fn run(args: &KeyphraseArgs) -> Result<(), EvalError> {
    let pages = pages(&args.collections)?;
    let text = if args.time { speed(&pages) } else { report(&pages) };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

fn pages(path: &Path) -> Result<Vec<Page>, EvalError> {
    let mut pages: BTreeMap<String, Page> = BTreeMap::new();
    for row in read_rows::<Row>(path)? {
        // A candidate from another collection does not belong to this one.
        if row.role == "other" {
            continue;
        }
        let (format, source) = match (row.html, row.text) {
            (Some(html), _) => (DocumentFormat::Html, html),
            (None, text) => (DocumentFormat::Markdown, text.unwrap_or_default()),
        };
        let page = pages.entry(source).or_insert_with_key(|source| {
            let blocks = block_text(format, source.as_bytes());
            Page { words: searchable(blocks.text()), blocks, collections: BTreeSet::new() }
        });
        page.collections.insert(row.collection);
    }
    Ok(pages.into_values().collect())
}

/// Returns the words of a text in lower case, each between spaces.
fn searchable(text: &str) -> String {
    let is_inner = |character: char| character.is_alphanumeric() || matches!(character, '-' | '\'');
    let words = text.split(|character: char| !is_inner(character) && character != '’');
    let mut searchable = String::from(" ");
    for word in words.filter(|word| !word.is_empty()) {
        let word = word.replace('’', "'").to_lowercase();
        searchable.push_str(word.strip_suffix("'s").unwrap_or(&word).trim_matches(['-', '\'']));
        searchable.push(' ');
    }
    searchable
}

/// Returns the settings to measure.
fn variants() -> Vec<Variant> {
    let variant =
        |name, settings| Variant { name, settings, frequencies: DocumentFrequencies::builtin() };
    let default = KeyphraseSettings::default();
    let equal = KeyphraseSettings {
        heading_weight: 1,
        emphasis_weight: 1,
        annotation_weight: 1,
        ..default
    };
    vec![
        variant("default", default),
        variant("equal weights", equal),
        variant("two adjectives", KeyphraseSettings { max_modifiers: 2, ..default }),
        variant("verbs", KeyphraseSettings { allows_verbs: true, ..default }),
        Variant {
            frequencies: DocumentFrequencies::default(),
            ..variant("without table", default)
        },
    ]
}

/// Measures each variant, and lexical signatures for comparison.
fn report(pages: &[Page]) -> String {
    let mut text =
        format!("{} pages\nvariant          found  phrases  results  same topic\n", pages.len());
    for variant in variants() {
        let mut total = Totals::default();
        for page in pages {
            let found = extract(page, &variant);
            total.add_identical(pages, page, &found);
            total.add_similar(pages, page, &found);
        }
        total.write(variant.name, pages.len(), &mut text);
    }
    let mut total = Totals::default();
    for page in pages {
        let frequencies = DocumentFrequencies::default();
        let words = lexical_signature(page.blocks.text(), &frequencies, SIGNATURE_WORDS);
        let results = search(pages, &SearchQuery::new(words));
        total.found += usize::from(results.len() == 1);
        total.phrases += SIGNATURE_WORDS;
    }
    total.write("signature", pages.len(), &mut text);
    text
}

/// Returns the keyphrases of a page in one variant.
fn extract(page: &Page, variant: &Variant) -> Keyphrases {
    let source = KeyphraseSource::default();
    page_keyphrases(&page.blocks, source, &variant.frequencies, &variant.settings)
}

/// Returns the pages that contain all terms and phrases of a query.
fn search<'p>(pages: &'p [Page], query: &SearchQuery) -> Vec<&'p Page> {
    let needles = query.terms.iter().chain(&query.phrases).map(|text| format!(" {text} "));
    let needles: Vec<String> = needles.collect();
    let contains = |page: &&Page| needles.iter().all(|needle| page.words.contains(needle));
    pages.iter().filter(contains).collect()
}

/// Sums over all pages.
#[derive(Default)]
struct Totals {
    /// Pages that a search found as the only result.
    found: usize,
    /// Phrases in the queries that found these pages.
    phrases: usize,
    /// Other pages found by searches for the same topic.
    results: usize,
    /// Results that share a collection with the page.
    same_topic: usize,
}

impl Totals {
    /// Searches for the page itself.
    fn add_identical(&mut self, pages: &[Page], page: &Page, found: &Keyphrases) {
        let limits =
            PlanLimits { enough_results: 1, ..PlanLimits::for_goal(SearchGoal::Identical) };
        let mut plan = QueryPlan::with_limits(SearchGoal::Identical, found, None, limits);
        while let Some(query) = plan.query().cloned() {
            let results = search(pages, &query);
            if results.len() == 1 && results.iter().all(|result| std::ptr::eq(*result, page)) {
                self.found += 1;
                self.phrases += query.phrases.len();
                return;
            }
            plan.record_result_count(results.len() as u64);
        }
    }

    /// Searches for pages of the same topic.
    fn add_similar(&mut self, pages: &[Page], page: &Page, found: &Keyphrases) {
        // The page itself is always a result.
        let limits = PlanLimits { enough_results: 4, ..PlanLimits::for_goal(SearchGoal::Similar) };
        let mut plan = QueryPlan::with_limits(SearchGoal::Similar, found, None, limits);
        let mut last = Vec::new();
        while let Some(query) = plan.query().cloned() {
            last = search(pages, &query);
            plan.record_result_count(last.len() as u64);
        }
        for result in last.into_iter().filter(|result| !std::ptr::eq(*result, page)) {
            self.results += 1;
            self.same_topic += usize::from(!result.collections.is_disjoint(&page.collections));
        }
    }

    /// Writes the line of a variant in the table.
    fn write(&self, name: &str, pages: usize, text: &mut String) {
        let percent = |part: usize, all: usize| 100.0 * number(part) / number(all.max(1));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{name:<15} {:>5.1} %   {:>6.2}   {:>6.1}     {:>5.1} %",
            percent(self.found, pages),
            number(self.phrases) / number(self.found.max(1)),
            number(self.results) / number(pages.max(1)),
            percent(self.same_topic, self.results)
        );
    }
}

/// Measures the number of pages per second with the default settings.
fn speed(pages: &[Page]) -> String {
    let Some(variant) = variants().into_iter().next() else { return String::new() };
    // Load the tagger and the table first.
    pages.iter().take(1).for_each(|page| drop(extract(page, &variant)));
    let start = Instant::now();
    let phrases: usize = pages.iter().map(|page| extract(page, &variant).exact.len()).sum();
    let elapsed = start.elapsed().as_secs_f64();
    let rate = number(pages.len()) / elapsed;
    format!(
        "{} pages, {phrases} phrases in {elapsed:.2} s: {rate:.0} pages/s on one core\n",
        pages.len()
    )
}

#[expect(clippy::cast_precision_loss, reason = "a data set has fewer than 2^52 pages")]
fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searchable_separates_words_by_one_space() {
        assert_eq!(searchable("The owl’s nest, (barn-owl)!"), " the owl nest barn-owl ");
    }
}
