//! Settings of `relink watch run`, `focus` and `suggest`.
//!
//! A member is a page in a collection.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use relink_change::SimilarityWeights;
use relink_engine::{DispatchSettings, PageReaderSettings};
use relink_keyphrase::{PlanLimits, SearchGoal};
use relink_model::RequestRights;
use relink_watch::WatchSettings;

use super::{
    ReviveSetup, RunSettings, current_dir, dispatch_settings, non_empty, read_files, request_flags,
};
use crate::cli::{RequestArgs, WatchRunArgs, WatchSearchArgs};
use crate::config::{Config, ReviveConfig};
use crate::error::CommandError;

/// The settings of `relink watch run`.
pub struct WatchPlan {
    /// What is watched, and how requests are sent.
    pub watch: WatchSettings,
    /// The HTTP client and the database.
    pub run: RunSettings,
}

impl WatchPlan {
    /// Merges the flags, the environment and the configuration files.
    pub fn resolve(args: WatchRunArgs, db: Option<PathBuf>) -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let files = read_files(args.config.as_deref(), &dir)?;
        let config = Config { db, ..request_flags(args.request) }.over(files);
        let max_age = config.max_cache_age.map_or(super::DAY, |duration| duration.0);
        let watch = WatchSettings {
            names: args.names,
            checks_all: args.all,
            dispatch: dispatch_settings(&config, max_age),
            // The user chose the pages, as with the links of a local document.
            rights: RequestRights::user_supplied(),
        };
        Ok(Self { watch, run: RunSettings::new(config, &dir, Vec::new(), Vec::new())? })
    }
}

/// The settings of `relink watch focus`.
pub struct FocusPlan {
    /// The settings for reading pages.
    pub reader: PageReaderSettings,
    /// Permissions of requests to members.
    pub rights: RequestRights,
    /// The HTTP client and the database.
    pub run: RunSettings,
}

impl FocusPlan {
    /// Merges the flags, the environment and the configuration files.
    pub fn resolve(
        request: RequestArgs,
        config: Option<&Path>,
        db: Option<PathBuf>,
    ) -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let files = read_files(config, &dir)?;
        let config = Config { db, ..request_flags(request) }.over(files);
        let DispatchSettings { politeness, max_host_wait, policy, .. } =
            dispatch_settings(&config, Duration::MAX);
        Ok(Self {
            reader: PageReaderSettings { politeness, max_host_wait, policy },
            rights: RequestRights::user_supplied(),
            run: RunSettings::new(config, &dir, Vec::new(), Vec::new())?,
        })
    }
}

/// The settings of a search for replacements.
pub struct SuggestPlan {
    /// The settings of the search for pages.
    pub setup: ReviveSetup,
    /// Permissions of requests to the member itself.
    pub rights: RequestRights,
    /// Limits of the search for copies of a member.
    pub identical: PlanLimits,
    /// Limits of the search for similar pages.
    pub similar: PlanLimits,
    /// The influence of each attribute on the similarity of two pages.
    pub weights: SimilarityWeights,
    /// Number of linked pages per page that are fetched for their titles.
    pub linked_pages: usize,
    /// The HTTP client and the database.
    pub run: RunSettings,
}

impl SuggestPlan {
    /// Merges the flags, the environment and the configuration files.
    pub fn resolve(
        args: WatchSearchArgs,
        db: Option<PathBuf>,
        now: Timestamp,
    ) -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let files = read_files(args.config.as_deref(), &dir)?;
        let identical = PlanLimits {
            initial_phrases: args.copy_phrases,
            enough_results: args.copy_results,
            ..PlanLimits::for_goal(SearchGoal::Identical)
        };
        let similar = PlanLimits {
            initial_phrases: args.similar_phrases,
            min_phrases: args.last_phrases.max(1),
            enough_results: args.similar_results,
            ..PlanLimits::for_goal(SearchGoal::Similar)
        };
        let revive = ReviveConfig {
            archive: non_empty(args.archive),
            warc: non_empty(args.warc),
            search: non_empty(args.search),
            ..ReviveConfig::default()
        };
        let config = Config { db, revive, ..request_flags(args.request) }.over(files);
        let dispatch = dispatch_settings(&config, Duration::MAX);
        Ok(Self {
            setup: ReviveSetup::new(&config.revive, &dispatch, now)?,
            rights: RequestRights::user_supplied(),
            identical,
            similar,
            weights: args.weights.unwrap_or_default(),
            linked_pages: args.linked_pages,
            run: RunSettings::new(config, &dir, Vec::new(), Vec::new())?,
        })
    }
}
