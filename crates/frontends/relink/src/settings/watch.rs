//! Settings of `relink watch run`.

use std::path::PathBuf;

use relink_engine::WatchSettings;
use relink_model::RequestRights;

use super::{RunSettings, current_dir, dispatch_settings, read_files, request_flags};
use crate::cli::WatchRunArgs;
use crate::config::Config;
use crate::error::CommandError;

/// The settings of `relink watch run`.
pub struct WatchPlan {
    /// Settings of the engine.
    pub watch: WatchSettings,
    /// Settings of the run.
    pub run: RunSettings,
}

impl WatchPlan {
    /// Merges all layers.
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
