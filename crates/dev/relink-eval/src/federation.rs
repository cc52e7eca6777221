//! `relink-eval federation`: how much of what is broken is found, with how
//! many requests?
//!
//! The truth is held by an oracle that counts. A plan asks it over standard
//! output (`check N` and N lines, one URL each), reads N answers (0 alive, 1
//! broken) from standard input, and ends by `done` with its own estimate.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use clap::Args;
use relink_survey::{Catalog, RecallEstimate, SamplingPlan, SamplingPlanName, UrlHealth, UrlId};
use serde_json::json;

use crate::error::EvalError;

/// What to survey, and how.
#[derive(Args)]
pub struct FederationArgs {
    /// By which plan: `full`, `single`, `sequential`, `lre`, `sprt`, `sentinel`, `default`
    #[arg(long, default_value = "default", value_name = "NAME")]
    plan: SamplingPlanName,
    /// How many runs; each knows what the one before found broken
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    runs: u32,
    /// Where chance comes from
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// How many URLs are asked at a time
    #[arg(long, default_value_t = 500, value_name = "NUMBER")]
    batch: usize,
    /// Write what each run came to and what became of each domain
    #[arg(long, value_name = "FILE.tsv")]
    details: Option<PathBuf>,
    /// The catalog: `domain,url` a line, after a heading
    #[arg(value_name = "CATALOG.csv")]
    catalog: PathBuf,
}

/// Surveys the catalog; the oracle is at the other end of the pipes.
pub fn run(args: &FederationArgs) -> Result<(), EvalError> {
    let file = |error| EvalError::File(args.catalog.clone(), error);
    let text = fs::read_to_string(&args.catalog).map_err(file)?;
    let catalog = Catalog::new(text.lines().skip(1).filter_map(|line| line.split_once(',')));
    drop(text);
    let mut oracle = Oracle { input: io::stdin().lock(), output: io::stdout().lock() };
    let mut known = Vec::new();
    let mut details = String::new();
    let mut estimate = RecallEstimate::exact(0);
    for number in 0..args.runs.max(1) {
        let mut plan = args.plan.begin(&catalog, &known, args.seed.wrapping_add(number.into()));
        survey(plan.as_mut(), &catalog, &mut oracle, args.batch.max(1))?;
        known = plan.ledger().broken().collect();
        estimate = plan.estimate();
        details.push_str(&detail(number + 1, plan.as_ref(), &catalog));
    }
    if let Some(path) = &args.details {
        fs::write(path, details).map_err(|error| EvalError::File(path.clone(), error))?;
    }
    let RecallEstimate { found, .. } = estimate;
    let done = json!({
        "estimate": estimate.recall(),
        "low": estimate.low(),
        "high": estimate.high(),
        "found": found,
    });
    writeln!(oracle.output, "done {done}")?;
    Ok(oracle.output.flush()?)
}

fn survey(
    plan: &mut dyn SamplingPlan,
    catalog: &Catalog,
    oracle: &mut Oracle<impl BufRead, impl Write>,
    batch: usize,
) -> Result<(), EvalError> {
    loop {
        let urls = plan.next_batch(batch);
        if urls.is_empty() {
            return Ok(());
        }
        for (url, answer) in urls.iter().zip(oracle.ask(catalog, &urls)?) {
            plan.take(*url, answer);
        }
    }
}

/// What a run came to, and each domain with its ruling and the reason.
fn detail(number: u32, plan: &dyn SamplingPlan, catalog: &Catalog) -> String {
    let (total, all) = (plan.ledger().total(), catalog.len());
    let mut lines =
        vec![format!("run {number}\t{} of {all} checked\t{} broken", total.checked, total.broken)];
    for domain in catalog.domains() {
        let (name, ruling) = (catalog.domain_name(domain), plan.ruling(domain));
        lines.push(format!("{name}\t{ruling}\t{}", plan.reason(domain)));
    }
    lines.join("\n") + "\n"
}

/// The one who knows.
struct Oracle<R, W> {
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> Oracle<R, W> {
    /// Asks for some URLs; the answers come in the same order.
    fn ask(&mut self, catalog: &Catalog, urls: &[UrlId]) -> Result<Vec<UrlHealth>, EvalError> {
        let mut question = format!("check {}\n", urls.len());
        for url in urls {
            question.push_str(catalog.url(*url));
            question.push('\n');
        }
        self.output.write_all(question.as_bytes())?;
        self.output.flush()?;
        urls.iter().map(|_| self.answer()).collect()
    }

    fn answer(&mut self) -> Result<UrlHealth, EvalError> {
        let mut line = String::new();
        self.input.read_line(&mut line).map_err(EvalError::Input)?;
        match line.trim() {
            "0" => Ok(UrlHealth::Alive),
            "1" => Ok(UrlHealth::Broken),
            other => Err(EvalError::Answer(other.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog() -> Catalog {
        Catalog::new((1..=3).map(|page| ("a.test", format!("http://a.test/{page}"))))
    }

    #[test]
    fn the_oracle_is_asked_and_answers_in_order() {
        let catalog = catalog();
        let mut output = Vec::new();
        let mut oracle = Oracle { input: &b"0\n1\n0\n"[..], output: &mut output };
        let urls: Vec<UrlId> = catalog.urls().collect();
        let answers = oracle.ask(&catalog, &urls).unwrap();
        assert_eq!(answers, [UrlHealth::Alive, UrlHealth::Broken, UrlHealth::Alive]);
        let asked = "check 3\nhttp://a.test/1\nhttp://a.test/2\nhttp://a.test/3\n";
        assert_eq!(String::from_utf8(output).unwrap(), asked);
    }

    #[test]
    fn an_oracle_that_falls_silent_is_a_fault() {
        let catalog = catalog();
        let mut plan = SamplingPlanName::Full.begin(&catalog, &[], 1);
        let mut oracle = Oracle { input: &b"0\n"[..], output: Vec::new() };
        assert!(survey(plan.as_mut(), &catalog, &mut oracle, 10).is_err());
    }

    #[test]
    fn the_detail_names_every_domain_with_its_ruling() {
        let catalog = catalog();
        let mut plan = SamplingPlanName::Full.begin(&catalog, &[], 1);
        let mut oracle = Oracle { input: &b"0\n1\n0\n"[..], output: Vec::new() };
        survey(plan.as_mut(), &catalog, &mut oracle, 10).unwrap();
        assert_eq!(
            detail(1, plan.as_ref(), &catalog),
            "run 1\t3 of 3 checked\t1 broken\n\
             a.test\tcheck all\tall 3 URLs were checked, 1 are broken\n"
        );
    }
}
