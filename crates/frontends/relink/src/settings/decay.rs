//! Settings of `relink decay`.
//!
//! Sigma (σ) is the probability that a random walk stops at a live page. "The paper" is
//! Bar-Yossef et al., WWW 2004.

use std::path::{Path, PathBuf};

use relink_decay::{DecayDefinition, Sigma, StoppingRule};
use relink_engine::DispatchSettings;
use relink_measure::{FailureList, FailureModel, FailureSet, MeasureSettings};
use url::Url;

use super::{PolicyArg, RunSettings, current_dir, dispatch_settings, read_files, request_flags};
use crate::cli::{CrawlSelector, DecayArgs, DecayFormat, DefinitionArg, FailuresArg, ScoringArgs};
use crate::config::Config;
use crate::error::CommandError;

/// The settings of `relink decay`.
pub struct DecayPlan {
    /// The subject of the measurement.
    pub subject: DecaySubject,
    /// The values of σ, at least one.
    pub sigmas: Vec<Sigma>,
    /// The definition of decay.
    pub definition: DecayDefinition,
    /// The verdicts of the pages where walks fail.
    pub failure_model: FailureModel,
    /// Pages that count as dead.
    pub failure_list: FailureList,
    /// The content of the file of `--dead`.
    pub dead_names: String,
    /// The number of pages with the highest and with the lowest decay to list.
    pub top: usize,
    /// The score above which the run fails.
    pub fail_above: Option<f64>,
    /// The format of standard output.
    pub format: DecayFormat,
    /// Output files.
    pub outputs: Vec<PathBuf>,
    /// The HTTP client and the database.
    pub run: RunSettings,
}

/// The subject of a measurement.
pub enum DecaySubject {
    /// A page on the web.
    Live(Box<MeasureSettings>),
    /// URLs, files, directories and collections. The URL in the settings is not used.
    List(Vec<String>, Box<MeasureSettings>),
    /// A stored crawl, and optionally one of its pages.
    Crawl(CrawlSelector, Option<Url>),
    /// A link graph, and optionally one of its pages.
    Graph(PathBuf, Option<String>),
}

impl DecayPlan {
    /// Merges the flags, the environment and the configuration files.
    pub fn resolve(args: DecayArgs) -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let files = read_files(args.config.as_deref(), &dir)?;
        let config = Config { db: args.db, ..request_flags(args.request) }.over(files);
        let sigmas = parse_sigmas(&args.scoring.sigma)?;
        let definition = match args.scoring.definition {
            DefinitionArg::Plain => DecayDefinition::Plain,
            DefinitionArg::Selfloop => DecayDefinition::SelfLoop,
        };
        let failure_model = failure_model(&args.scoring)?;
        let dead_names = match &args.dead {
            Some(path) => read_names(path)?,
            None => String::new(),
        };
        let failure_list = failure_list(&dead_names, &args.fail_match)?;
        let inputs = args.inputs;
        let measure_settings = |url| -> Result<MeasureSettings, CommandError> {
            let settings =
                live_settings(url, &args.scoring, &sigmas, definition, failure_model, &config)?;
            Ok(MeasureSettings { failure_list: failure_list.clone(), ..settings })
        };
        let subject = match (args.crawl, args.graph) {
            (_, Some(graph)) => DecaySubject::Graph(graph, single_input(&inputs)?),
            (Some(crawl), None) => {
                let page = single_input(&inputs)?.as_deref().map(parse_page_url).transpose()?;
                DecaySubject::Crawl(crawl, page)
            }
            (None, None) => match inputs.as_slice() {
                [url] if is_page(url) => {
                    DecaySubject::Live(Box::new(measure_settings(parse_page_url(url)?)?))
                }
                inputs => {
                    let settings = measure_settings(parse_page_url(PLACEHOLDER_URL)?)?;
                    DecaySubject::List(inputs.to_vec(), Box::new(settings))
                }
            },
        };
        let page_bytes = super::page_bytes(&config);
        let mut run = RunSettings::new(config, &dir, Vec::new(), inputs)?;
        run.fetch.max_text_bytes = page_bytes;
        Ok(Self {
            subject,
            sigmas,
            definition,
            failure_model,
            failure_list,
            dead_names,
            top: args.top,
            fail_above: args.fail_above,
            format: args.format,
            outputs: args.output,
            run,
        })
    }
}

/// The URL in settings that are used for many URLs. It is replaced before each use.
const PLACEHOLDER_URL: &str = "https://example.org/";

/// Whether an input is a page: a URL, or a host name that is not a file.
fn is_page(input: &str) -> bool {
    let is_host = input.contains('.') && !Path::new(input).exists();
    input.contains("://") || is_host
}

/// Returns the only input, if there is one.
fn single_input(inputs: &[String]) -> Result<Option<String>, CommandError> {
    match inputs {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        more => Err(CommandError::usage("a crawl or graph takes at most one page")
            .cause(format!("{} were given", more.len()))
            .hint("give one page to print its details, or none")),
    }
}

/// Parses the URL of a page.
fn parse_page_url(text: &str) -> Result<Url, CommandError> {
    relink_engine::parse_seed(text).map_err(|error| {
        CommandError::usage(format!("cannot measure `{text}`"))
            .cause(error)
            .hint("use a URL, such as `relink decay https://site.example/`")
    })
}

/// Reads the file of `--dead`.
fn read_names(path: &Path) -> Result<String, CommandError> {
    relink_files::read_to_string(path).map_err(|error| {
        CommandError::usage(format!("cannot read `{}`", path.display()))
            .cause(error.to_string())
            .hint("use a text file with one URL or name per line")
    })
}

fn failure_list(names: &str, patterns: &[String]) -> Result<FailureList, CommandError> {
    FailureList::new(names, patterns).map_err(|error| {
        CommandError::usage("invalid value for `--fail-match`").cause(error.to_string())
    })
}

fn parse_sigmas(values: &[f64]) -> Result<Vec<Sigma>, CommandError> {
    values.iter().map(|value| parse_sigma(*value)).collect()
}

fn parse_sigma(value: f64) -> Result<Sigma, CommandError> {
    Sigma::new(value).map_err(|error| {
        CommandError::usage("invalid value for `--sigma`")
            .cause(error.to_string())
            .hint("use a value above 0 and up to 1; the paper uses 0.1")
    })
}

fn failure_model(scoring: &ScoringArgs) -> Result<FailureModel, CommandError> {
    let failing_weight = scoring.failing_weight;
    if !(0.0..=1.0).contains(&failing_weight) {
        return Err(CommandError::usage(format!(
            "invalid value for `--failing-weight`: {failing_weight} (expected 0 to 1)"
        ))
        .hint("0 counts failing pages as alive, 1 as dead"));
    }
    let set = match scoring.failures {
        FailuresArg::Dead => FailureSet::Dead,
        FailuresArg::Hijacked => FailureSet::Hijacked,
        FailuresArg::Blocked => FailureSet::Blocked,
    };
    Ok(FailureModel { set, failing_weight })
}

/// Returns the settings to measure the links of a check: the σ and the definition of the
/// paper, and the default limits.
pub fn link_settings(dispatch: &DispatchSettings) -> Result<MeasureSettings, CommandError> {
    Ok(MeasureSettings {
        url: parse_page_url(PLACEHOLDER_URL)?,
        sigma: parse_sigma(DEFAULT_SIGMA)?,
        definition: DecayDefinition::Plain,
        stopping_rule: StoppingRule::default(),
        seed: 1,
        // The default of `--failing-weight`.
        failure_model: FailureModel { set: FailureSet::Dead, failing_weight: 0.5 },
        politeness: dispatch.politeness,
        policy: dispatch.policy,
        max_host_wait: dispatch.max_host_wait,
        uses_controls: dispatch.uses_controls,
        is_user_supplied: true,
        failure_list: FailureList::default(),
        radius: None,
        reuses_results: true,
    })
}

/// The value of σ in the paper.
const DEFAULT_SIGMA: f64 = 0.1;

/// Returns the settings to measure a page on the web.
fn live_settings(
    url: Url,
    scoring: &ScoringArgs,
    sigmas: &[Sigma],
    definition: DecayDefinition,
    failure_model: FailureModel,
    config: &Config,
) -> Result<MeasureSettings, CommandError> {
    let [sigma] = sigmas else {
        return Err(CommandError::usage(
            "`--sigma` takes a single value unless `--crawl` or `--graph` is given",
        )
        .cause(format!("{} values were given", sigmas.len()))
        .hint("give one value, or use a stored crawl with `--crawl latest`"));
    };
    let dispatch = dispatch_settings(config, super::DAY);
    Ok(MeasureSettings {
        is_user_supplied: true,
        url,
        sigma: *sigma,
        definition,
        stopping_rule: stopping_rule(scoring),
        seed: scoring.seed,
        failure_model,
        politeness: dispatch.politeness,
        policy: dispatch.policy,
        max_host_wait: dispatch.max_host_wait,
        uses_controls: dispatch.uses_controls,
        failure_list: FailureList::default(),
        radius: scoring.radius,
        // Stored results were judged by the rules of Relink.
        reuses_results: config.policy.is_none_or(|policy| policy == PolicyArg::Relink),
    })
}

/// Returns the rule that stops a measurement: after a number of walks, or at a precision.
fn stopping_rule(scoring: &ScoringArgs) -> StoppingRule {
    let rule = match scoring.walks {
        Some(walks) => StoppingRule { max_walks: walks, ..StoppingRule::sic_transit() },
        None => StoppingRule { target_half_width: scoring.half_width, ..StoppingRule::default() },
    };
    let max_pages = scoring.max_pages.unwrap_or(rule.max_pages_fetched).max(1);
    StoppingRule { max_pages_fetched: max_pages, ..rule }
}
