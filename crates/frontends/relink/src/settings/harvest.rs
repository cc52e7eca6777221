//! Settings of `relink harvest`.

use std::time::Duration;

use relink_engine::{
    ArrivalFilter, DispatchSettings, HarvestOptions, NotifyChoice, ProviderSettings, RecordOrigin,
};
use relink_harvest::OaiClientSettings;
use relink_model::RequestRights;
use relink_survey::LossLimit;
use url::Url;

use super::{RunSettings, current_dir, dispatch_settings, read_files, request_flags};
use crate::cli::{AddProviderArgs, ArrivalsArg, LanguageArg, NotifyArg, RequestArgs};
use crate::config::Config;
use crate::error::CommandError;

/// Metadata format that every OAI-PMH provider supports.
const DEFAULT_PREFIX: &str = "oai_dc";
/// Waits between retries of a page, in units of the host interval.
const RETRY_INTERVALS: u32 = 20;

/// The settings of a harvest that sends requests.
pub struct HarvestPlan {
    /// Options of the engine.
    pub options: HarvestOptions,
    /// Settings of the OAI-PMH client.
    pub client: OaiClientSettings,
    /// Settings of the run.
    pub run: RunSettings,
}

impl HarvestPlan {
    /// Merges all layers.
    pub fn resolve(
        request: RequestArgs,
        db: Option<std::path::PathBuf>,
    ) -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let files = read_files(None, &dir)?;
        let config = Config { db, ..request_flags(request) }.over(files);
        let max_age = config.max_cache_age.map_or(super::DAY, |duration| duration.0);
        let dispatch = dispatch_settings(&config, max_age);
        let client = client_settings(&config, &dispatch);
        let options = HarvestOptions {
            is_full: false,
            reads_only: false,
            allows_loss: false,
            loss_limit: LossLimit::default(),
            // Any provider may have named the URLs.
            rights: RequestRights::discovered(),
            dispatch,
        };
        Ok(Self { options, client, run: RunSettings::new(config, &dir, Vec::new(), Vec::new())? })
    }
}

fn client_settings(config: &Config, dispatch: &DispatchSettings) -> OaiClientSettings {
    let defaults = OaiClientSettings::default();
    let retry_delay = match config.host_interval {
        Some(interval) => interval.0.saturating_mul(RETRY_INTERVALS),
        None => defaults.retry_delay,
    };
    OaiClientSettings {
        retry_delay: retry_delay.min(Duration::from_mins(1)),
        max_pause: dispatch.max_host_wait,
        ..defaults
    }
}

/// Converts the flags of `relink harvest add`.
pub fn provider_settings(args: &AddProviderArgs) -> Result<ProviderSettings, CommandError> {
    let origin = match (&args.oai, &args.file) {
        (Some(base_url), _) => RecordOrigin::Oai {
            base_url: base_url.clone(),
            metadata_prefix: args.prefix.clone().unwrap_or_else(|| DEFAULT_PREFIX.to_owned()),
            sets: args.set.clone(),
            from: args.from.clone(),
        },
        (None, Some(file)) => RecordOrigin::File(current_dir()?.join(file)),
        (None, None) => RecordOrigin::Spi,
    };
    let defaults = ProviderSettings::new(origin);
    let has = |way| args.notify.contains(&way);
    let (group, p1, p2_low, p2_high) = defaults.parameters;
    let parameters = (
        args.group.unwrap_or(group).max(1),
        share("--p1", args.p1.unwrap_or(p1))?,
        share("--p2-low", args.p2_low.unwrap_or(p2_low))?,
        share("--p2-high", args.p2_high.unwrap_or(p2_high))?,
    );
    Ok(ProviderSettings {
        location_fields: args.field.clone(),
        contacts: args.contact.clone(),
        managers: args.manager.clone(),
        webhooks: args.webhook.iter().map(webhook_url).collect::<Result<_, _>>()?,
        language: language(args.language).to_owned(),
        time_zone: time_zone(&args.time_zone)?,
        notify: NotifyChoice {
            rss: has(NotifyArg::Rss),
            atom: has(NotifyArg::Atom),
            xlsx: has(NotifyArg::Xlsx),
            mail: has(NotifyArg::Mail),
        },
        plan: args.plan.to_string(),
        parameters,
        arrivals: match args.arrivals {
            ArrivalsArg::New => ArrivalFilter::New,
            ArrivalsArg::All => ArrivalFilter::All,
            ArrivalsArg::Off => ArrivalFilter::Off,
        },
        survey_every: args.survey_every,
        recheck_after: args.recheck_after,
        hide_after: args.hide_after,
        budget: args.budget,
        ..defaults
    })
}

fn webhook_url(url: &Url) -> Result<String, CommandError> {
    if matches!(url.scheme(), "http" | "https") {
        return Ok(url.to_string());
    }
    Err(CommandError::usage(format!("invalid URL for `--webhook`: {url}"))
        .hint("use an http or https URL"))
}

fn time_zone(name: &str) -> Result<String, CommandError> {
    relink_engine::parse_time_zone(name).map(|_| name.to_owned()).ok_or_else(|| {
        CommandError::usage(format!("unknown time zone `{name}`"))
            .hint("use `UTC` or an offset such as `+01:00`")
    })
}

fn share(flag: &str, value: f64) -> Result<f64, CommandError> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(CommandError::usage(format!("invalid value for `{flag}`: {value} (expected 0 to 1)")))
    }
}

fn language(language: LanguageArg) -> &'static str {
    match language {
        LanguageArg::En => "en",
        LanguageArg::De => "de",
        LanguageArg::Fr => "fr",
        LanguageArg::Es => "es",
    }
}
