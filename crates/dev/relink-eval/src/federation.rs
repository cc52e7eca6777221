//! `relink-eval federation`: evaluates a sampling plan by the share of broken
//! URLs that it finds and its number of requests.
//!
//! An external program, the *oracle*, knows the state of each URL and counts requests. This
//! command writes requests to standard output: `check N` and N lines with one URL each. It
//! reads N answers (0 alive, 1 broken) from standard input. At the end it
//! writes `done` with the plan's own estimate.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use clap::Args;
use relink_survey::{Catalog, RecallEstimate, SamplingPlan, SamplingPlanName, UrlHealth, UrlId};
use serde_json::json;

use crate::error::EvalError;

/// Arguments of `relink-eval federation`.
#[derive(Args)]
pub struct FederationArgs {
    /// Sampling plan: `full`, `single`, `sequential`, `le-shulman`, `sprt`, `sentinel`, `default`
    #[arg(long, default_value = "default", value_name = "NAME")]
    plan: SamplingPlanName,
    /// Number of runs; each run knows the broken URLs that the previous one found
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    runs: u32,
    /// Seed of the random number generator
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    seed: u64,
    /// Number of URLs per request to the oracle
    #[arg(long, default_value_t = 500, value_name = "NUMBER")]
    batch: usize,
    /// Write the result of each run and of each domain to this file
    #[arg(long, value_name = "FILE.tsv")]
    details: Option<PathBuf>,
    /// Catalog: a header, then `domain,url` per line
    #[arg(value_name = "CATALOG.csv")]
    catalog: PathBuf,
}

/// Surveys the catalog through the oracle.
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
        let mut plan = args.plan.create(&catalog, &known, args.seed.wrapping_add(number.into()));
        survey(plan.as_mut(), &catalog, &mut oracle, args.batch.max(1))?;
        known = plan.check_log().broken().collect();
        estimate = plan.estimate();
        details.push_str(&run_details(number + 1, plan.as_ref(), &catalog));
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

/// Runs a plan until it ends. The oracle checks the URLs.
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
        for (url, health) in urls.iter().zip(oracle.check(catalog, &urls)?) {
            plan.record(*url, health);
        }
    }
}

/// Returns the result of a run, and each domain with the decision of the plan and the reason.
fn run_details(number: u32, plan: &dyn SamplingPlan, catalog: &Catalog) -> String {
    let (total, all) = (plan.check_log().total(), catalog.len());
    let mut lines =
        vec![format!("run {number}\t{} of {all} checked\t{} broken", total.checked, total.broken)];
    for domain in catalog.domains() {
        let (name, decision) = (catalog.domain_name(domain), plan.decision(domain));
        lines.push(format!("{name}\t{decision}\t{}", plan.reason(domain)));
    }
    lines.join("\n") + "\n"
}

/// Client of the oracle.
struct Oracle<R, W> {
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> Oracle<R, W> {
    /// Checks URLs. Returns the answers in the same order.
    fn check(&mut self, catalog: &Catalog, urls: &[UrlId]) -> Result<Vec<UrlHealth>, EvalError> {
        let mut request = format!("check {}\n", urls.len());
        for url in urls {
            request.push_str(catalog.url(*url));
            request.push('\n');
        }
        self.output.write_all(request.as_bytes())?;
        self.output.flush()?;
        urls.iter().map(|_| self.read_answer()).collect()
    }

    fn read_answer(&mut self) -> Result<UrlHealth, EvalError> {
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

    /// Returns a catalog of three pages of one domain.
    fn catalog() -> Catalog {
        Catalog::new((1..=3).map(|page| ("a.test", format!("http://a.test/{page}"))))
    }

    #[test]
    fn oracle_answers_are_returned_in_order() {
        let catalog = catalog();
        let mut output = Vec::new();
        let mut oracle = Oracle { input: &b"0\n1\n0\n"[..], output: &mut output };
        let urls: Vec<UrlId> = catalog.urls().collect();
        let answers = oracle.check(&catalog, &urls).unwrap();
        assert_eq!(answers, [UrlHealth::Alive, UrlHealth::Broken, UrlHealth::Alive]);
        let request = "check 3\nhttp://a.test/1\nhttp://a.test/2\nhttp://a.test/3\n";
        assert_eq!(String::from_utf8(output).unwrap(), request);
    }

    #[test]
    fn missing_oracle_answer_is_an_error() {
        let catalog = catalog();
        let mut plan = SamplingPlanName::Full.create(&catalog, &[], 1);
        let mut oracle = Oracle { input: &b"0\n"[..], output: Vec::new() };
        assert!(survey(plan.as_mut(), &catalog, &mut oracle, 10).is_err());
    }

    #[test]
    fn run_details_list_every_domain_with_its_decision() {
        let catalog = catalog();
        let mut plan = SamplingPlanName::Full.create(&catalog, &[], 1);
        let mut oracle = Oracle { input: &b"0\n1\n0\n"[..], output: Vec::new() };
        survey(plan.as_mut(), &catalog, &mut oracle, 10).unwrap();
        assert_eq!(
            run_details(1, plan.as_ref(), &catalog),
            "run 1\t3 of 3 checked\t1 broken\n\
             a.test\tcheck all\tall 3 URLs were checked, 1 are broken\n"
        );
    }
}
