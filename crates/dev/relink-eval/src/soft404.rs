//! `relink-eval soft404`: classifies pages as alive, dead or unknown.
//!
//! A soft-404 is a dead page with a success status. Each line of the input is a JSON object
//! with `url`, `prior` (the content of an earlier fetch) and `siblings` (known pages of the
//! same site). An HTTP proxy simulates the web.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use relink_engine::{ControlCache, PageCheck, PageCheckRequest, PageCheckSettings, PageChecker};
use relink_fetch::{FetchSettings, Fetcher, Proxies, Proxy};
use relink_judge::Policy;
use relink_model::{History, RequestRights, Verdict};
use relink_ports::Clock;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::EvalError;
use crate::json_lines::read_rows;

/// Timeout of a request.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Arguments of `relink-eval soft404`.
#[derive(Args)]
pub struct Soft404Args {
    /// Questions, one JSON object per line: `url`, `prior`, `siblings`
    #[arg(long, value_name = "FILE.jsonl")]
    probes: PathBuf,
    /// HTTP proxy that simulates the web
    #[arg(long, value_name = "URL")]
    proxy: Proxy,
    /// Judging policy: `default`, `sic-transit`, `fable` or `status`
    #[arg(long, default_value = "default", value_name = "NAME")]
    policy: String,
    /// Seed for random names
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    salt: u64,
    /// Also write each answer with verdict, code, confidence and reason
    #[arg(long, value_name = "FILE.jsonl")]
    details: Option<PathBuf>,
}

/// A page to judge, with its history.
#[derive(Debug, Deserialize)]
struct JudgeQuestion {
    url: String,
    #[serde(default)]
    prior: Option<Prior>,
    #[serde(default)]
    siblings: Option<Vec<String>>,
}

/// The content of an earlier fetch.
#[derive(Debug, Deserialize)]
struct Prior {
    title: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    content_type: Option<String>,
}

/// An answer with its evidence.
#[derive(Debug, Serialize)]
struct Detail<'a> {
    url: &'a str,
    answer: &'a str,
    verdict: Verdict,
    code: Option<relink_model::FindingCode>,
    confidence: relink_model::Confidence,
    reason: &'a str,
    evidence: &'a [relink_model::Evidence],
    requests: usize,
}

/// Answers every question.
pub fn run(args: &Soft404Args) -> Result<(), EvalError> {
    let is_by_status = args.policy == "status";
    let policy = Policy::named(if is_by_status { "default" } else { &args.policy });
    let policy = policy.ok_or_else(|| EvalError::Policy(args.policy.clone()))?;
    let questions: Vec<JudgeQuestion> = read_rows(&args.probes)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut details = Vec::new();
    let answers = runtime.block_on(async {
        let proxies = Proxies::all(args.proxy.clone());
        let fetcher =
            Fetcher::new(FetchSettings { timeout: TIMEOUT, proxies, ..FetchSettings::default() })?;
        let (max_host_wait, salt) = (Duration::ZERO, args.salt);
        let settings = PageCheckSettings { policy, max_host_wait, salt, uses_controls: true };
        let checker = PageChecker { fetch: &fetcher, clock: &Now, settings };
        let controls = ControlCache::default();
        let mut answers = Vec::new();
        for question in questions {
            let (given_url, request) = question.into_request();
            let check = checker.check_page(&request, &controls).await;
            let answer = if is_by_status { answer_by_status(&check) } else { answer(&check) };
            details.push(detail(&given_url, answer, &check));
            answers.push(format!("{given_url}\t{answer}\n"));
        }
        Ok::<_, EvalError>(answers)
    })?;
    io::stdout().lock().write_all(answers.concat().as_bytes())?;
    if let Some(path) = &args.details {
        fs::write(path, details.concat()).map_err(|error| EvalError::File(path.clone(), error))?;
    }
    Ok(())
}

/// Maps a verdict to the classes of the data set.
fn answer(check: &PageCheck) -> &'static str {
    match check.judgment.verdict {
        Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk => "alive",
        Verdict::Dead | Verdict::Soft404 | Verdict::Hijacked | Verdict::Local => "dead",
        Verdict::Failing | Verdict::Blocked => "unknown",
    }
}

/// Classifies a page by the status of the first response alone.
fn answer_by_status(check: &PageCheck) -> &'static str {
    let first = check.attempts.first().and_then(|attempt| attempt.outcome.status());
    if first.is_some_and(|status| status < 400) { "alive" } else { "dead" }
}

/// Returns an answer with its evidence, as a line of JSON.
fn detail(given_url: &str, answer: &str, check: &PageCheck) -> String {
    let judgment = &check.judgment;
    let detail = Detail {
        url: given_url,
        answer,
        verdict: judgment.verdict,
        code: judgment.code,
        confidence: judgment.confidence,
        reason: &judgment.reason,
        evidence: &judgment.evidence,
        requests: check.attempts.len() + check.controls.len(),
    };
    let line = serde_json::to_string(&detail).map(|line| line + "\n");
    // Serializing a struct of plain values cannot fail.
    line.unwrap_or_default()
}

impl JudgeQuestion {
    /// Returns the URL as given, and the request.
    fn into_request(self) -> (String, PageCheckRequest) {
        let url = Url::parse(&self.url);
        let neighbors = self.siblings.unwrap_or_default();
        let absolute = |path: &String| match &url {
            Ok(url) => url.join(path).map_or_else(|_| path.clone(), String::from),
            Err(_) => path.clone(),
        };
        let neighbors = neighbors.iter().map(absolute).collect();
        let canonical = url.as_ref().map_or_else(|_| self.url.clone(), ToString::to_string);
        let history = self.prior.map_or_else(History::default, Prior::into_history);
        (
            self.url,
            PageCheckRequest {
                url: canonical,
                rights: RequestRights::user_supplied(),
                history,
                neighbors,
            },
        )
    }
}

impl Prior {
    fn into_history(self) -> History {
        let text = self.text.unwrap_or_default();
        let content_type = self.content_type.as_deref();
        let digest = relink_page::text_digest(self.title.as_deref(), &text, content_type);
        History { digest: Some(digest.into()), ..History::default() }
    }
}

/// The system clock.
struct Now;

impl Clock for Now {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}
