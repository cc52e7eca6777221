//! `relink-eval soft404`: is each page alive, dead, or can it not be told?
//!
//! Questions come as JSON lines (`url`, `prior`, `siblings`); what an earlier
//! visit saw and which other pages are known is given to the judge as history.
//! The web is played by a server that is used as an HTTP proxy.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use relink_engine::{ControlCache, ExamineSettings, PageCheck, PageCheckRequest, PageChecker};
use relink_fetch::{FetchSettings, Fetcher, Proxies, Proxy};
use relink_judge::Policy;
use relink_model::{History, RequestRights, Verdict};
use relink_ports::Clock;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::EvalError;

/// The longest a page may take to answer.
const TIMEOUT: Duration = Duration::from_secs(1);

/// What to answer, and how.
#[derive(Args)]
pub struct Soft404Args {
    /// Questions, one JSON object a line: `url`, `prior`, `siblings`
    #[arg(long, value_name = "FILE.jsonl")]
    probes: PathBuf,
    /// The server that plays the web, as an HTTP proxy
    #[arg(long, value_name = "URL")]
    proxy: Proxy,
    /// By which rules: `default`, `sic-transit`, `fable` or `status`
    #[arg(long, default_value = "default", value_name = "NAME")]
    policy: String,
    /// Where random names come from
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    salt: u64,
    /// Also write each answer with word, code, confidence and reason
    #[arg(long, value_name = "FILE.jsonl")]
    details: Option<PathBuf>,
}

/// One page to judge, and what is known of it.
#[derive(Debug, Deserialize)]
struct JudgeQuestion {
    url: String,
    #[serde(default)]
    prior: Option<Prior>,
    #[serde(default)]
    siblings: Option<Vec<String>>,
}

/// What an earlier visit saw.
#[derive(Debug, Deserialize)]
struct Prior {
    title: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    content_type: Option<String>,
}

/// One answer with its reasons.
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
    let puzzles = read(&args.probes)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut details = Vec::new();
    let answers = runtime.block_on(async {
        let proxies = Proxies::all(args.proxy.clone());
        let fetcher =
            Fetcher::new(FetchSettings { timeout: TIMEOUT, proxies, ..FetchSettings::default() })?;
        let settings = ExamineSettings { policy, max_host_wait: Duration::ZERO, salt: args.salt };
        let examiner = PageChecker { fetch: &fetcher, clock: &Now, settings };
        let mut shelf = ControlCache::default();
        let mut answers = Vec::new();
        for puzzle in puzzles {
            let (given, question) = puzzle.into_question();
            let found = examiner.check_page(&question, &mut shelf).await;
            let answer = if is_by_status { by_status(&found) } else { answer(&found) };
            details.push(detail(&given, answer, &found));
            answers.push(format!("{given}\t{answer}\n"));
        }
        Ok::<_, EvalError>(answers)
    })?;
    io::stdout().lock().write_all(answers.concat().as_bytes())?;
    if let Some(path) = &args.details {
        fs::write(path, details.concat()).map_err(|error| EvalError::File(path.clone(), error))?;
    }
    Ok(())
}

fn read(path: &PathBuf) -> Result<Vec<JudgeQuestion>, EvalError> {
    let text = fs::read_to_string(path).map_err(|error| EvalError::File(path.clone(), error))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| EvalError::Line(at + 1, error))
        })
        .collect()
}

/// What the words mean to one who only asks whether the page is there.
fn answer(examined: &PageCheck) -> &'static str {
    match examined.judgment.verdict {
        Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk => "alive",
        Verdict::Dead | Verdict::Soft404 | Verdict::Hijacked | Verdict::Local => "dead",
        Verdict::Failing | Verdict::Blocked => "unknown",
    }
}

/// What one would say who looks at nothing but the status of the first answer.
fn by_status(examined: &PageCheck) -> &'static str {
    let first = examined.attempts.first().and_then(|look| look.outcome.status());
    if first.is_some_and(|status| status < 400) { "alive" } else { "dead" }
}

fn detail(given: &str, answer: &str, examined: &PageCheck) -> String {
    let judgment = &examined.judgment;
    let detail = Detail {
        url: given,
        answer,
        verdict: judgment.verdict,
        code: judgment.code,
        confidence: judgment.confidence,
        reason: &judgment.reason,
        evidence: &judgment.evidence,
        requests: examined.attempts.len() + examined.controls.len(),
    };
    let line = serde_json::to_string(&detail).map(|line| line + "\n");
    // A struct of plain values cannot fail to be written.
    line.unwrap_or_default()
}

impl JudgeQuestion {
    /// The address as given, and the question.
    fn into_question(self) -> (String, PageCheckRequest) {
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
                rights: RequestRights::named_by_user(),
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

/// The time of day.
struct Now;

impl Clock for Now {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}
