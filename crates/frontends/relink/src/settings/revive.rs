//! What the flags of `relink revive`, and the table `[revive]`, mean.

mod choices;

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use relink_engine::{DispatchSettings, ReviveSettings};
use relink_model::Confidence;
use serde::Deserialize;
use url::Url;

pub use self::choices::{ArchiveChoice, SearchChoice};
use super::{
    RunSettings, ask_settings, asking_flags, current_folder, fresh_since, read_files, said,
};
use crate::cli::{CheckReviveArgs, ElsewhereChoice, ReviveArgs, ReviveFormat};
use crate::config::{Config, ReviveConfig};
use crate::error::CommandError;

/// How old an answer may be that is not looked for again.
const ANSWER_AGE: Duration = Duration::from_hours(30 * 24);

/// Nothing less sure is suggested.
const LEAST: f64 = 0.7;

/// The most searches for one page: of its site by title and by signature, then
/// of all sites by the same (ours). Searches are paid for by the piece; who
/// pays nothing for them may ask for more.
const SEARCHES: u32 = 4;

/// How dead pages are looked for.
pub struct ReviveSetup {
    /// For the engine.
    pub revive: ReviveSettings,
    /// Archives on the web.
    pub archives: Vec<ArchiveChoice>,
    /// Search engines.
    pub searches: Vec<SearchChoice>,
    /// Archives on the disk.
    pub warcs: Vec<PathBuf>,
    /// The most requests in a day to each archive on the web, if not the usual.
    pub archive_budget: Option<u32>,
    /// The most searches in a day of each engine on the web, if not the usual.
    pub search_budget: Option<u32>,
}

/// Everything `relink revive` needs to know.
pub struct RevivePlan {
    /// How pages are looked for.
    pub looking: ReviveSetup,
    /// The pages to look for; nothing means every dead one of the database.
    pub urls: Option<Vec<Url>>,
    /// Whether only sums are wanted.
    pub is_summary: bool,
    /// What stdout gets.
    pub format: ReviveFormat,
    /// For everything around it.
    pub run: RunSettings,
}

impl RevivePlan {
    /// Merges all layers.
    pub fn resolve(mut args: ReviveArgs, now: Timestamp) -> Result<Self, CommandError> {
        let folder = current_folder()?;
        let files = read_files(args.config.as_deref(), &folder)?;
        let revive = looking_flags(&mut args);
        let config = Config { db: args.db, revive, ..asking_flags(args.asking) }.over(files);
        let ask = ask_settings(&config, Duration::MAX);
        let urls = args.urls.iter().map(|text| page(text)).collect::<Result<Vec<Url>, _>>()?;
        Ok(Self {
            looking: ReviveSetup::new(&config.revive, &ask, now)?,
            urls: (!args.all).then_some(urls),
            is_summary: args.summary,
            format: args.format,
            run: RunSettings::new(config, &folder, Vec::new(), args.urls)?,
        })
    }
}

/// The flags of `relink revive` as the topmost layer.
fn looking_flags(args: &mut ReviveArgs) -> ReviveConfig {
    ReviveConfig {
        archive: said(std::mem::take(&mut args.archive)),
        warc: said(std::mem::take(&mut args.warc)),
        live: said(std::mem::take(&mut args.live)),
        search: said(std::mem::take(&mut args.search)),
        elsewhere: args.elsewhere,
        searches: args.searches,
        archive_budget: args.archive_budget,
        search_budget: args.search_budget,
        date: args.date,
        least: args.least,
        answer_age: args.answer_age,
    }
}

/// Those of `relink check --revive`; the rest is for the files to say.
pub(super) fn reviving_flags(args: CheckReviveArgs) -> ReviveConfig {
    ReviveConfig {
        archive: said(args.archive),
        warc: said(args.warc),
        live: said(args.live),
        search: said(args.search),
        elsewhere: args.elsewhere,
        ..ReviveConfig::default()
    }
}

impl ReviveSetup {
    /// How dead pages are looked for, with servers asked as is said here.
    pub(super) fn new(
        config: &ReviveConfig,
        ask: &DispatchSettings,
        now: Timestamp,
    ) -> Result<Self, CommandError> {
        let age = config.answer_age.map_or(ANSWER_AGE, |span| span.0);
        let midnight = |date: Date| Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp());
        let revive = ReviveSettings {
            politeness: ask.politeness,
            max_host_wait: ask.max_host_wait,
            policy: ask.policy,
            live: live_pages(config.live.as_deref().unwrap_or_default())?,
            fresh_since: fresh_since(now, age),
            least: least(config.least.unwrap_or(LEAST))?,
            link_date: config.date.and_then(midnight),
            elsewhere: config.elsewhere.unwrap_or(ElsewhereChoice::Missing).into(),
            searches: config.searches.unwrap_or(SEARCHES),
        };
        Ok(Self {
            revive,
            archives: choices::archives(config.archive.as_deref())?,
            searches: choices::searches(config.search.as_deref())?,
            warcs: config.warc.clone().unwrap_or_default(),
            archive_budget: config.archive_budget,
            search_budget: config.search_budget,
        })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share lies between 0 and 1"
)]
fn least(share: f64) -> Result<Confidence, CommandError> {
    if !(0.0..=1.0).contains(&share) {
        return Err(CommandError::usage(format!("`{share}` is no share"))
            .hint("write it like `--least 0.7`: from 0 to 1"));
    }
    Ok(Confidence::percent((share * 100.0).round() as u8))
}

fn page(text: &str) -> Result<Url, CommandError> {
    relink_frontier::canonicalize(None, text).map_err(|error| {
        CommandError::usage(format!("`{text}` is no page to look for"))
            .cause(error.to_string())
            .hint("write it like `relink revive https://example.org/old/page`")
    })
}

/// A live page in a list of JSON lines.
#[derive(Deserialize)]
struct LiveRow {
    url: String,
    #[serde(default)]
    title: Option<String>,
}

fn live_pages(files: &[PathBuf]) -> Result<Vec<(String, Option<String>)>, CommandError> {
    let mut pages = Vec::new();
    for file in files {
        pages.extend(live_list(file)?);
    }
    Ok(pages)
}

/// A list of live pages: JSON lines, or one address a line.
fn live_list(file: &Path) -> Result<Vec<(String, Option<String>)>, CommandError> {
    let text = relink_files::read_to_string(file).map_err(|error| {
        CommandError::usage(format!("cannot read `{}`", file.display())).cause(error.to_string())
    })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .enumerate()
        .map(|(at, line)| {
            if !line.starts_with('{') {
                return Ok((line.to_owned(), None));
            }
            let row: LiveRow = serde_json::from_str(line).map_err(|error| {
                CommandError::usage(format!("line {} of `{}` is no page", at + 1, file.display()))
                    .cause(error.to_string())
                    .hint("write one `{\"url\": …, \"title\": …}` a line, or one address")
            })?;
            Ok((row.url, row.title))
        })
        .collect()
}
