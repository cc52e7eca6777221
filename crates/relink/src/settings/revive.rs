//! What the flags of `relink revive` mean.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_engine::{AskSettings, ReviveSettings};
use relink_model::Confidence;
use serde::Deserialize;
use url::Url;

use super::{RunSettings, ask_settings, asking_flags, current_folder, fresh_since, read_files};
use crate::cli::{ReviveArgs, ReviveFormat, RevivingArgs, usual_archive};
use crate::config::Config;
use crate::failure::Failure;

/// How old an answer may be that is not looked for again.
const ANSWER_AGE: Duration = Duration::from_hours(30 * 24);

/// Nothing less sure is suggested beside a finding.
const LEAST: f64 = 0.7;

/// How dead pages are looked for.
pub struct Looking {
    /// For the engine.
    pub revive: ReviveSettings,
    /// Archives on the web.
    pub archives: Vec<ArchiveChoice>,
    /// Search engines.
    pub searches: Vec<SearchChoice>,
    /// Archives on the disk.
    pub warcs: Vec<PathBuf>,
}

/// Everything `relink revive` needs to know.
pub struct RevivePlan {
    /// How pages are looked for.
    pub looking: Looking,
    /// The pages to look for; nothing means every dead one of the database.
    pub urls: Option<Vec<Url>>,
    /// Whether only sums are wanted.
    pub is_summary: bool,
    /// What stdout gets.
    pub format: ReviveFormat,
    /// For everything around it.
    pub run: RunSettings,
}

/// An archive on the web, by how it speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveChoice {
    /// Like the Internet Archive.
    InternetArchive(Url),
    /// Like a collection of pywb's.
    Pywb(Url),
}

/// A search engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchChoice {
    /// An index of the pages in the database.
    Local,
    /// A SearXNG server.
    Searxng(Url),
    /// Brave, Mojeek or Kagi.
    Named(&'static str),
}

impl RevivePlan {
    /// Merges all layers.
    pub fn resolve(args: ReviveArgs, now: Timestamp) -> Result<Self, Failure> {
        let folder = current_folder()?;
        let files = read_files(args.config.as_deref(), &folder)?;
        let config = Config { db: args.db, ..asking_flags(args.asking) }.over(files);
        let ask = ask_settings(&config, Duration::MAX);
        let age = args.answer_age.map_or(ANSWER_AGE, |span| span.0);
        let revive = ReviveSettings {
            pace: ask.pace,
            policy: ask.policy,
            live: live_pages(&args.live)?,
            fresh_since: fresh_since(now, age),
            least: least(args.least)?,
            link_date: args
                .date
                .and_then(|date| Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())),
        };
        let urls = args.urls.iter().map(|text| page(text)).collect::<Result<Vec<Url>, _>>()?;
        Ok(Self {
            looking: Looking {
                revive,
                archives: archives(&args.archive)?,
                searches: searches(&args.search)?,
                warcs: args.warc,
            },
            urls: (!args.all).then_some(urls),
            is_summary: args.summary,
            format: args.format,
            run: RunSettings::new(config, &folder, Vec::new(), args.urls)?,
        })
    }
}

impl Looking {
    /// How a check looks for what it found dead, if it is to.
    pub fn after_check(
        args: RevivingArgs,
        ask: &AskSettings,
        now: Timestamp,
    ) -> Result<Option<Self>, Failure> {
        if !args.revive {
            return Ok(None);
        }
        let revive = ReviveSettings {
            pace: ask.pace,
            policy: ask.policy,
            live: live_pages(&args.live)?,
            fresh_since: fresh_since(now, ANSWER_AGE),
            least: least(LEAST)?,
            link_date: None,
        };
        Ok(Some(Self {
            revive,
            archives: archives(&args.archive)?,
            searches: Vec::new(),
            warcs: args.warc,
        }))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share lies between 0 and 1"
)]
fn least(share: f64) -> Result<Confidence, Failure> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Failure::usage(format!("`{share}` is no share"))
            .hint("write it like `--least 0.7`: from 0 to 1"));
    }
    Ok(Confidence::percent((share * 100.0).round() as u8))
}

fn page(text: &str) -> Result<Url, Failure> {
    relink_frontier::canonical(None, text).map_err(|fault| {
        Failure::usage(format!("`{text}` is no page to look for"))
            .cause(fault.to_string())
            .hint("write it like `relink revive https://example.org/old/page`")
    })
}

fn archives(named: &[String]) -> Result<Vec<ArchiveChoice>, Failure> {
    if named.is_empty() {
        return Ok(usual_archive().map(ArchiveChoice::InternetArchive).into_iter().collect());
    }
    let wanted = named.iter().filter(|name| *name != "none");
    wanted.map(|name| archive(name)).collect()
}

fn archive(name: &str) -> Result<ArchiveChoice, Failure> {
    let (is_pywb, address) = match name.strip_prefix("pywb:") {
        Some(address) => (true, address),
        None => (false, name),
    };
    // The address of a service is a directory, whether or not it is written so.
    let address = format!("{}/", address.trim_end_matches('/'));
    let url = relink_frontier::canonical(None, &address).map_err(|fault| {
        Failure::usage(format!("`{name}` is no archive"))
            .cause(fault.to_string())
            .hint("give its base address, `pywb:URL` for a collection of pywb's, or `none`")
    })?;
    Ok(if is_pywb { ArchiveChoice::Pywb(url) } else { ArchiveChoice::InternetArchive(url) })
}

fn searches(named: &[String]) -> Result<Vec<SearchChoice>, Failure> {
    if named.is_empty() {
        return Ok(vec![SearchChoice::Local]);
    }
    named.iter().filter(|name| *name != "none").map(|name| search(name)).collect()
}

fn search(name: &str) -> Result<SearchChoice, Failure> {
    if let Some(address) = name.strip_prefix("searxng:") {
        let address = format!("{}/", address.trim_end_matches('/'));
        let url = Url::parse(&address).map_err(|fault| {
            Failure::usage(format!("`{name}` is no search engine")).cause(fault.to_string())
        })?;
        return Ok(SearchChoice::Searxng(url));
    }
    match name {
        "local" => Ok(SearchChoice::Local),
        "brave" => Ok(SearchChoice::Named("brave")),
        "mojeek" => Ok(SearchChoice::Named("mojeek")),
        "kagi" => Ok(SearchChoice::Named("kagi")),
        _ => Err(Failure::usage(format!("`{name}` is no search engine that is known"))
            .hint("`local`, `searxng:URL`, `brave`, `mojeek`, `kagi` and `none` are")),
    }
}

/// A live page in a list of JSON lines.
#[derive(Deserialize)]
struct LiveRow {
    url: String,
    #[serde(default)]
    title: Option<String>,
}

fn live_pages(files: &[PathBuf]) -> Result<Vec<(String, Option<String>)>, Failure> {
    let mut pages = Vec::new();
    for file in files {
        pages.extend(live_list(file)?);
    }
    Ok(pages)
}

/// A list of live pages: JSON lines, or one address a line.
fn live_list(file: &Path) -> Result<Vec<(String, Option<String>)>, Failure> {
    let text = std::fs::read_to_string(file).map_err(|fault| {
        Failure::usage(format!("cannot read `{}`", file.display())).cause(fault.to_string())
    })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .enumerate()
        .map(|(at, line)| {
            if !line.starts_with('{') {
                return Ok((line.to_owned(), None));
            }
            let row: LiveRow = serde_json::from_str(line).map_err(|fault| {
                Failure::usage(format!("line {} of `{}` is no page", at + 1, file.display()))
                    .cause(fault.to_string())
                    .hint("write one `{\"url\": …, \"title\": …}` a line, or one address")
            })?;
            Ok((row.url, row.title))
        })
        .collect()
}
