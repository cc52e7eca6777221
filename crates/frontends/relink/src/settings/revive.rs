//! Settings of `relink revive` and of the table `[revive]` in configuration files: how new
//! URLs of dead pages are searched for.

mod choices;

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use relink_engine::DispatchSettings;
use relink_model::Confidence;
use relink_ports::TitledPage;
use relink_repair::ReviveSettings;
use serde::Deserialize;
use url::Url;

pub use self::choices::{ArchiveChoice, SearchChoice};
use super::{
    RunSettings, current_dir, dispatch_settings, fresh_since, non_empty, read_files, request_flags,
};
use crate::cli::{CheckReviveArgs, ReplacementsArg, ReviveArgs, ReviveFormat};
use crate::config::{Config, ReviveConfig};
use crate::error::CommandError;

/// Default maximum age of a search result that is reused.
const MAX_RESULT_AGE: Duration = Duration::from_hours(30 * 24);

/// Default minimum confidence of a suggestion.
const MIN_CONFIDENCE: f64 = 0.7;

/// Default maximum number of searches per page: by title and by signature (the rarest words
/// of the page), first on the page's site, then on all sites. The limit is low because
/// searches may cost money.
const MAX_SEARCHES: u32 = 4;

/// The settings of the search for new URLs of dead pages.
pub struct ReviveSetup {
    /// How the search works.
    pub revive: ReviveSettings,
    /// Archives on the web.
    pub archives: Vec<ArchiveChoice>,
    /// Search engines.
    pub searches: Vec<SearchChoice>,
    /// Local archive files.
    pub warcs: Vec<PathBuf>,
    /// Maximum number of requests per day to each archive on the web, if set.
    pub archive_budget: Option<u32>,
    /// Maximum number of searches per day with each engine on the web, if set.
    pub search_budget: Option<u32>,
}

/// The settings of `relink revive`.
pub struct RevivePlan {
    /// The settings of the search.
    pub setup: ReviveSetup,
    /// The pages to search for; `None` means every dead page in the database.
    pub urls: Option<Vec<Url>>,
    /// Whether only statistics are printed.
    pub is_summary: bool,
    /// The format of standard output.
    pub format: ReviveFormat,
    /// The HTTP client and the database.
    pub run: RunSettings,
}

impl RevivePlan {
    /// Merges the flags, the environment and the configuration files.
    pub fn resolve(mut args: ReviveArgs, now: Timestamp) -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let files = read_files(args.config.as_deref(), &dir)?;
        let revive = revive_flags(&mut args);
        let config = Config { db: args.db, revive, ..request_flags(args.request) }.over(files);
        let dispatch = dispatch_settings(&config, Duration::MAX);
        let urls =
            args.urls.iter().map(|text| parse_page_url(text)).collect::<Result<Vec<Url>, _>>()?;
        Ok(Self {
            setup: ReviveSetup::new(&config.revive, &dispatch, now)?,
            urls: (!args.all).then_some(urls),
            is_summary: args.summary,
            format: args.format,
            run: RunSettings::new(config, &dir, Vec::new(), args.urls)?,
        })
    }
}

/// Converts the flags of `relink revive` to the topmost layer.
fn revive_flags(args: &mut ReviveArgs) -> ReviveConfig {
    ReviveConfig {
        archive: non_empty(std::mem::take(&mut args.archive)),
        warc: non_empty(std::mem::take(&mut args.warc)),
        live_pages: non_empty(std::mem::take(&mut args.live_pages)),
        search: non_empty(std::mem::take(&mut args.search)),
        replacements: args.replacements,
        max_searches: args.max_searches,
        archive_budget: args.archive_budget,
        search_budget: args.search_budget,
        date: args.date,
        min_confidence: args.min_confidence,
        max_result_age: args.max_result_age,
    }
}

/// Converts the flags of `relink check --revive` to the topmost layer.
pub(super) fn check_revive_flags(args: CheckReviveArgs) -> ReviveConfig {
    ReviveConfig {
        archive: non_empty(args.archive),
        warc: non_empty(args.warc),
        live_pages: non_empty(args.live_pages),
        search: non_empty(args.search),
        replacements: args.replacements,
        ..ReviveConfig::default()
    }
}

impl ReviveSetup {
    /// Creates the setup of a search that uses the given politeness and retries.
    pub(super) fn new(
        config: &ReviveConfig,
        dispatch: &DispatchSettings,
        now: Timestamp,
    ) -> Result<Self, CommandError> {
        let age = config.max_result_age.map_or(MAX_RESULT_AGE, |duration| duration.0);
        let start_of_day = |date: Date| Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp());
        let revive = ReviveSettings {
            politeness: dispatch.politeness,
            max_host_wait: dispatch.max_host_wait,
            policy: dispatch.policy,
            live_pages: live_pages(config.live_pages.as_deref().unwrap_or_default())?,
            fresh_since: fresh_since(now, age),
            min_confidence: parse_confidence(config.min_confidence.unwrap_or(MIN_CONFIDENCE))?,
            link_date: config.date.and_then(start_of_day),
            replacements: config.replacements.unwrap_or(ReplacementsArg::Missing).into(),
            max_searches: config.max_searches.unwrap_or(MAX_SEARCHES),
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
    reason = "the value is between 0 and 1"
)]
fn parse_confidence(share: f64) -> Result<Confidence, CommandError> {
    if !(0.0..=1.0).contains(&share) {
        return Err(CommandError::usage(format!(
            "invalid value for `--min-confidence`: {share} (expected 0 to 1)"
        ))
        .hint("use a value such as `--min-confidence 0.7`"));
    }
    Ok(Confidence::from_percent((share * 100.0).round() as u8))
}

fn parse_page_url(text: &str) -> Result<Url, CommandError> {
    relink_frontier::canonicalize(None, text).map_err(|error| {
        CommandError::usage(format!("invalid URL: `{text}`"))
            .cause(error.to_string())
            .hint("use a URL, such as `relink revive https://example.org/old/page`")
    })
}

/// A live page in a list in the format JSON Lines.
#[derive(Deserialize)]
struct LivePageRow {
    url: String,
    #[serde(default)]
    title: Option<String>,
}

/// Reads the files of `--live-pages`.
fn live_pages(files: &[PathBuf]) -> Result<Vec<TitledPage>, CommandError> {
    let mut pages = Vec::new();
    for file in files {
        pages.extend(read_live_pages(file)?);
    }
    Ok(pages)
}

/// Reads a list of live pages: JSON Lines, or one URL per line.
fn read_live_pages(file: &Path) -> Result<Vec<TitledPage>, CommandError> {
    let text = relink_files::read_to_string(file).map_err(|error| {
        CommandError::usage(format!("cannot read `{}`", file.display())).cause(error.to_string())
    })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut pages = Vec::new();
    for (index, line) in lines.enumerate() {
        if !line.starts_with('{') {
            pages.push(TitledPage { url: line.to_owned(), title: None });
            continue;
        }
        let row: LivePageRow = serde_json::from_str(line).map_err(|error| {
            CommandError::usage(format!("invalid line {} in `{}`", index + 1, file.display()))
                .cause(error.to_string())
                .hint("write one `{\"url\": …, \"title\": …}` or one URL per line")
        })?;
        pages.push(TitledPage { url: row.url, title: row.title });
    }
    Ok(pages)
}
