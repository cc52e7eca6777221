//! `relink harvest decay`: lists records by decay, and shows what `--max-decay` would hide.
//!
//! The decay of a record is the probability that a random walk over links, which starts at
//! its URL, ends on a dead page. The result is a range, because not all pages are fetched.

use std::fmt::Write as _;

use relink_decay::Sigma;
use relink_federation::{DecayRanking, RecordDecay, RecordDecaySettings};
use relink_report::human::{counted, grouped};
use relink_report::{printable, redact};
use serde_json::json;

use super::Session;
use crate::cli::{ExplainFormat, HarvestDecayArgs};
use crate::commands::signals::stop_on_signal;
use crate::error::{CommandError, Exit};
use crate::output::print;

/// Runs `decay`.
pub async fn run(args: &HarvestDecayArgs, session: &Session) -> Result<Exit, CommandError> {
    let settings = settings(args)?;
    let stop = stop_on_signal();
    let harvester = session.harvester();
    let mut rankings = Vec::new();
    for (provider, _) in session.providers(&args.names).await? {
        let ranking = harvester.record_decay(&provider, settings, &stop).await?;
        rankings.push((provider.name, ranking));
    }
    let text = match args.format {
        ExplainFormat::Json => json_text(args, &rankings),
        ExplainFormat::Human => {
            rankings.iter().map(|(name, ranking)| human_text(args, name, ranking)).collect()
        }
    };
    print(&text)?;
    Ok(if stop.is_stopped() { Exit::Interrupted } else { Exit::Clean })
}

fn settings(args: &HarvestDecayArgs) -> Result<RecordDecaySettings, CommandError> {
    let sigma = Sigma::new(args.sigma).map_err(|error| {
        CommandError::usage("invalid value for `--sigma`").cause(error.to_string())
    })?;
    if let Some(limit) = args.max_decay.filter(|limit| !(0.0..=1.0).contains(limit)) {
        return Err(CommandError::usage(format!(
            "invalid value for `--max-decay`: {limit} (expected 0 to 1)"
        )));
    }
    Ok(RecordDecaySettings { sigma, limit: args.max_decay, budget: args.budget })
}

/// Returns whether the limit would hide a record: `hide` or `keep`, `undecided` if the range
/// of its decay contains the limit, and nothing without a limit.
fn decision(record: &RecordDecay, limit: Option<f64>) -> &'static str {
    match limit.map(|limit| record.decay.is_above(limit)) {
        None => "",
        Some(Some(true)) => "hide",
        Some(Some(false)) => "keep",
        Some(None) => "undecided",
    }
}

fn human_text(args: &HarvestDecayArgs, name: &str, ranking: &DecayRanking) -> String {
    let mut text = format!(
        "{}  {}, σ {}, {} fetched with {}\n",
        printable(name),
        counted(ranking.records.len() as u64, "record"),
        args.sigma,
        counted(ranking.pages, "page"),
        counted(ranking.requests, "request")
    );
    if let Some(limit) = args.max_decay {
        let count = |expected: &str| {
            let records = ranking.records.iter();
            let matching = records.filter(|record| decision(record, args.max_decay) == expected);
            grouped(matching.count() as u64)
        };
        let _ = writeln!(
            text,
            "  limit {limit}: would hide {}, keep {}, undecided {}; nothing is hidden",
            count("hide"),
            count("keep"),
            count("undecided")
        );
    }
    for record in ranking.records.iter().take(args.top) {
        let range = record.decay;
        let _ = writeln!(
            text,
            "  {:.2} [{:.2}, {:.2}] {:<7} {:<9} {}  {}",
            range.middle(),
            range.low,
            range.high,
            range.source.as_str(),
            decision(record, args.max_decay),
            printable(&record.identifier),
            redact(&record.url)
        );
    }
    if ranking.records.len() > args.top {
        let _ = writeln!(text, "  … and {} more", ranking.records.len() - args.top);
    }
    text
}

fn json_text(args: &HarvestDecayArgs, rankings: &[(String, DecayRanking)]) -> String {
    let record_row = |record: &RecordDecay| {
        json!({
            "identifier": record.identifier,
            "title": record.title,
            "url": redact(&record.url).to_string(),
            "decay": record.decay.middle(),
            "low": record.decay.low,
            "high": record.decay.high,
            "source": record.decay.source.as_str(),
            "decision": Some(decision(record, args.max_decay)).filter(|text| !text.is_empty()),
        })
    };
    let rows: Vec<_> = rankings
        .iter()
        .map(|(name, ranking)| {
            json!({
                "provider": name,
                "sigma": args.sigma,
                "max_decay": args.max_decay,
                "pages": ranking.pages,
                "requests": ranking.requests,
                "records": ranking.records.iter().map(record_row).collect::<Vec<_>>(),
            })
        })
        .collect();
    format!("{:#}\n", serde_json::Value::from(rows))
}
