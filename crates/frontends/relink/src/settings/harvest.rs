//! Settings of `relink harvest`.

use std::time::Duration;

use relink_engine::DispatchSettings;
use relink_federation::{
    ArrivalFilter, HarvestOptions, NotifyChoice, ProviderSettings, RecordOrigin,
};
use relink_harvest::OaiClientSettings;
use relink_model::RequestRights;
use relink_survey::LossLimit;
use url::Url;

use super::{RunSettings, current_dir, dispatch_settings, read_files, request_flags};
use crate::cli::{ArrivalsArg, ClearArg, LanguageArg, NotifyArg, ProviderFlags, RequestArgs};
use crate::config::Config;
use crate::error::CommandError;

/// Metadata format that every OAI-PMH provider supports.
const DEFAULT_PREFIX: &str = "oai_dc";
/// Wait between retries of a page of records, in units of the host interval.
const RETRY_INTERVALS: u32 = 20;
/// Maximum wait between retries of a page of records.
const MAX_RETRY_DELAY: Duration = Duration::from_mins(1);

/// The settings of a harvest that sends requests.
pub struct HarvestPlan {
    /// What is harvested, and how requests are sent.
    pub options: HarvestOptions,
    /// Settings of the OAI-PMH client.
    pub client: OaiClientSettings,
    /// The HTTP client and the database.
    pub run: RunSettings,
}

impl HarvestPlan {
    /// Merges the flags, the environment and the configuration files.
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
            // The URLs are from providers, so requests get no access to private addresses.
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
        retry_delay: retry_delay.min(MAX_RETRY_DELAY),
        max_pause: dispatch.max_host_wait,
        ..defaults
    }
}

/// Returns the settings of a new provider.
pub fn new_provider(flags: &ProviderFlags) -> Result<ProviderSettings, CommandError> {
    let origin = if let Some(base_url) = &flags.oai {
        RecordOrigin::Oai {
            base_url: base_url.clone(),
            metadata_prefix: DEFAULT_PREFIX.to_owned(),
            sets: Vec::new(),
            from: None,
        }
    } else if let Some(file) = &flags.file {
        RecordOrigin::File(current_dir()?.join(file))
    } else {
        RecordOrigin::Spi
    };
    edit_provider(flags, &[], ProviderSettings::new(origin))
}

/// Returns the settings of a provider after a change.
pub fn edit_provider(
    flags: &ProviderFlags,
    clear: &[ClearArg],
    mut settings: ProviderSettings,
) -> Result<ProviderSettings, CommandError> {
    settings.origin = edit_origin(flags, settings.origin)?;
    // Clear first, so that a list can be cleared and set in one command.
    for setting in clear {
        clear_setting(*setting, &mut settings);
    }
    replace_if_given(&mut settings.location_fields, flags.field.clone());
    replace_if_given(&mut settings.contacts, flags.contact.clone());
    replace_if_given(&mut settings.managers, flags.manager.clone());
    let webhooks = flags.webhook.iter().map(check_webhook_url).collect::<Result<_, _>>()?;
    replace_if_given(&mut settings.webhooks, webhooks);
    if let Some(choice) = flags.language {
        language_code(choice).clone_into(&mut settings.language);
    }
    if let Some(zone) = &flags.time_zone {
        settings.time_zone = check_time_zone(zone)?;
    }
    if !flags.notify.is_empty() {
        settings.notify = notify_choice(&flags.notify);
    }
    if let Some(choice) = flags.arrivals {
        settings.arrivals = arrival_filter(choice);
    }
    if let Some(plan) = flags.plan {
        settings.plan = plan.to_string();
    }
    settings.parameters = edit_parameters(flags, settings.parameters)?;
    settings.survey_every = flags.survey_every.unwrap_or(settings.survey_every);
    settings.recheck_after = flags.recheck_after.unwrap_or(settings.recheck_after);
    settings.hide_after = flags.hide_after.unwrap_or(settings.hide_after);
    settings.budget = flags.budget.or(settings.budget);
    Ok(settings)
}

/// Replaces a list, unless no value was given.
fn replace_if_given<T>(stored: &mut Vec<T>, values: Vec<T>) {
    if !values.is_empty() {
        *stored = values;
    }
}

/// Removes the value of a setting of `--clear`.
fn clear_setting(setting: ClearArg, settings: &mut ProviderSettings) {
    match (setting, &mut settings.origin) {
        (ClearArg::Set, RecordOrigin::Oai { sets, .. }) => sets.clear(),
        (ClearArg::From, RecordOrigin::Oai { from, .. }) => *from = None,
        (ClearArg::Set | ClearArg::From, _) => {}
        (ClearArg::Field, _) => settings.location_fields.clear(),
        (ClearArg::Contact, _) => settings.contacts.clear(),
        (ClearArg::Manager, _) => settings.managers.clear(),
        (ClearArg::Webhook, _) => settings.webhooks.clear(),
        (ClearArg::Budget, _) => settings.budget = None,
    }
}

/// Returns the source of the records after a change.
fn edit_origin(flags: &ProviderFlags, stored: RecordOrigin) -> Result<RecordOrigin, CommandError> {
    let origin = match (&flags.oai, &flags.file, stored) {
        _ if flags.spi => RecordOrigin::Spi,
        (_, Some(file), _) => RecordOrigin::File(current_dir()?.join(file)),
        (None, None, origin) => origin,
        (Some(url), None, RecordOrigin::Oai { metadata_prefix, sets, from, .. }) => {
            RecordOrigin::Oai { base_url: check_base_url(url)?, metadata_prefix, sets, from }
        }
        (Some(url), None, _) => RecordOrigin::Oai {
            base_url: check_base_url(url)?,
            metadata_prefix: DEFAULT_PREFIX.to_owned(),
            sets: Vec::new(),
            from: None,
        },
    };
    match origin {
        RecordOrigin::Oai { base_url, metadata_prefix, mut sets, from } => {
            replace_if_given(&mut sets, flags.set.clone());
            Ok(RecordOrigin::Oai {
                base_url,
                metadata_prefix: flags.prefix.clone().unwrap_or(metadata_prefix),
                sets,
                from: flags.from.clone().or(from),
            })
        }
        _ if !flags.set.is_empty() || flags.prefix.is_some() || flags.from.is_some() => {
            Err(CommandError::usage("`--set`, `--prefix` and `--from` need an OAI-PMH provider")
                .hint("add `--oai URL`"))
        }
        other => Ok(other),
    }
}

/// Returns the URL, or an error if its scheme is not http or https.
fn check_base_url(url: &Url) -> Result<Url, CommandError> {
    if matches!(url.scheme(), "http" | "https") {
        return Ok(url.clone());
    }
    Err(CommandError::usage(format!("invalid URL for `--oai`: {url}"))
        .hint("use an http or https URL"))
}

fn notify_choice(values: &[NotifyArg]) -> NotifyChoice {
    NotifyChoice {
        rss: values.contains(&NotifyArg::Rss),
        atom: values.contains(&NotifyArg::Atom),
        xlsx: values.contains(&NotifyArg::Xlsx),
        mail: values.contains(&NotifyArg::Mail),
    }
}

fn arrival_filter(choice: ArrivalsArg) -> ArrivalFilter {
    match choice {
        ArrivalsArg::New => ArrivalFilter::New,
        ArrivalsArg::All => ArrivalFilter::All,
        ArrivalsArg::Off => ArrivalFilter::Off,
    }
}

/// Returns the parameters *G*, *p1*, *p2⁻* and *p2⁺* of the sampling plan of Le and Shulman
/// after a change. `stored` contains the values before the change.
fn edit_parameters(
    flags: &ProviderFlags,
    stored: (u32, f64, f64, f64),
) -> Result<(u32, f64, f64, f64), CommandError> {
    let (group, p1, p2_low, p2_high) = stored;
    Ok((
        flags.group.unwrap_or(group).max(1),
        check_share("--p1", flags.p1.unwrap_or(p1))?,
        check_share("--p2-low", flags.p2_low.unwrap_or(p2_low))?,
        check_share("--p2-high", flags.p2_high.unwrap_or(p2_high))?,
    ))
}

/// Returns the URL, or an error if its scheme is not http or https.
fn check_webhook_url(url: &Url) -> Result<String, CommandError> {
    if matches!(url.scheme(), "http" | "https") {
        return Ok(url.to_string());
    }
    Err(CommandError::usage(format!("invalid URL for `--webhook`: {url}"))
        .hint("use an http or https URL"))
}

/// Returns the name of a time zone, or an error if the time zone is unknown.
fn check_time_zone(name: &str) -> Result<String, CommandError> {
    relink_federation::parse_time_zone(name).map(|_| name.to_owned()).ok_or_else(|| {
        CommandError::usage(format!("unknown time zone `{name}`"))
            .hint("use a name such as `Europe/Oslo`, or an offset such as `+01:00`")
    })
}

/// Returns the value of a flag, or an error if it is not between 0 and 1.
fn check_share(flag: &str, value: f64) -> Result<f64, CommandError> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(CommandError::usage(format!("invalid value for `{flag}`: {value} (expected 0 to 1)")))
    }
}

fn language_code(language: LanguageArg) -> &'static str {
    match language {
        LanguageArg::En => "en",
        LanguageArg::De => "de",
        LanguageArg::Fr => "fr",
        LanguageArg::Es => "es",
    }
}
