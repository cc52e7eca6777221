//! `relink-eval change`: measures how much each page changed.
//!
//! Reads JSON lines (`id`, `format`, `old`, `new`) and prints JSON lines (`id`,
//! `content`, `links`, `level`).
//!
//! The data set contains a reference value for each change. For this value, everything
//! between `<` and `>` was removed in every format, even in code and formulas of Markdown,
//! where these characters are not tags. This command reads text formats in the same way, so
//! that both count the same words. With `--as-read`, it compares the text as `relink` does.
//!
//! The reference also counts a moved block as a change. Relink measures moves
//! separately, so the printed content change is the sum of content change and moves.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use relink_change::{Level, LevelThresholds, Measure, Signature, VolatileParts, compare};
use relink_page::{DocumentFormat, block_text};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::EvalError;
use crate::json_lines::read_rows;

/// Arguments of `relink-eval change`.
#[derive(Args)]
pub struct ChangeArgs {
    /// Pairs of versions, one JSON object per line: `id`, `format`, `old`, `new`
    #[arg(value_name = "FILE.jsonl")]
    pairs: PathBuf,
    /// Measure of the content change: `content`, `proportional`, `johnson`, `shingles`, `simhash` or `words`
    #[arg(long, default_value = "content", value_name = "NAME")]
    measure: Measure,
    /// Do not remove the text between `<` and `>` from Markdown and other text, unlike the reference
    #[arg(long)]
    as_read: bool,
    /// Print the number of pages per second to standard error
    #[arg(long)]
    time: bool,
}

/// Two versions of a page.
#[derive(Debug, Deserialize)]
struct Pair {
    /// Any JSON value; repeated in the answer.
    id: Value,
    format: String,
    old: String,
    new: String,
}

/// The change between two versions.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    id: &'a Value,
    content: f64,
    links: f64,
    level: Level,
}

/// Compares every pair.
pub fn run(args: &ChangeArgs) -> Result<(), EvalError> {
    let pairs: Vec<Pair> = read_rows(&args.pairs)?;
    let start = Instant::now();
    let answers: Vec<Answer<'_>> = pairs.iter().map(|pair| answer(pair, args)).collect();
    let elapsed = start.elapsed().as_secs_f64();
    let mut output = io::stdout().lock();
    for answer in &answers {
        writeln!(output, "{}", serde_json::to_string(answer).map_err(io::Error::other)?)?;
    }
    if args.time {
        report_speed(2 * pairs.len(), elapsed);
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "requested by `--time`")]
#[expect(clippy::cast_precision_loss, reason = "a data set has fewer than 2^52 pages")]
fn report_speed(pages: usize, elapsed: f64) {
    eprintln!("{pages} pages in {elapsed:.3} s, {:.0} pages/s", pages as f64 / elapsed);
}

/// Compares the two versions of a page.
fn answer<'p>(pair: &'p Pair, args: &ChangeArgs) -> Answer<'p> {
    let format = format_named(&pair.format);
    let is_markup = matches!(format, DocumentFormat::Html | DocumentFormat::Xml);
    let read = |text: &str| {
        let text = if !args.as_read && !is_markup { without_tags(text) } else { text.into() };
        Signature::new(text.as_bytes(), &block_text(format, text.as_bytes()))
    };
    let (mut old, mut new) = (read(&pair.old), read(&pair.new));
    // Compare the checksums of the original versions, before tags are removed.
    (old.checksum, new.checksum) = (0, u64::from(pair.old != pair.new));
    let change = compare(&old, &new, &VolatileParts::default());
    let (content, level) = match args.measure {
        Measure::Content => ((change.content + change.moves).min(1.0), change.level),
        _ if change.level == Level::None => (0.0, Level::None),
        measure => {
            let content = measure.change(&old, &new);
            (content, LevelThresholds::default().level(content))
        }
    };
    Answer { id: &pair.id, content, links: change.links, level }
}

/// Removes everything between `<` and `>`.
fn without_tags(text: &str) -> Cow<'_, str> {
    // Returns the start and the end of the next tag.
    let next_tag = |text: &'_ str| {
        let (before, tag) = text.split_once('<')?;
        let (_, after) = tag.split_once('>')?;
        Some((before.len(), text.len() - after.len()))
    };
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((start, end)) = next_tag(rest) {
        plain.push_str(rest.get(..start).unwrap_or_default());
        plain.push(' ');
        rest = rest.get(end..).unwrap_or_default();
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Returns the format of a file extension. Unknown extensions are read as text,
/// SGML as HTML.
fn format_named(name: &str) -> DocumentFormat {
    match name {
        "md" | "markdown" => DocumentFormat::Markdown,
        "html" | "htm" | "sgml" => DocumentFormat::Html,
        "rst" => DocumentFormat::Rst,
        "xml" | "cnxml" => DocumentFormat::Xml,
        _ => DocumentFormat::PlainText,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_tags_removes_text_between_angle_brackets() {
        assert_eq!(without_tags("a <b>c</b> < d"), "a  c  < d");
        assert_eq!(without_tags("a b"), "a b");
        assert_eq!(without_tags("<a>"), " ");
    }
}
