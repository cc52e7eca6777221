//! What the flags of `relink decay` mean.

use std::path::PathBuf;

use relink_decay::{DecayDefinition, Sigma, StoppingRule};
use relink_engine::{FailureModel, FailureSet, MeasureSettings};
use url::Url;

use super::{RunSettings, ask_settings, asking_flags, current_folder, read_files};
use crate::cli::{CrawlChoice, DecayArgs, DecayForm, DecayFormat, FailuresChoice, ScoringArgs};
use crate::config::Config;
use crate::error::CommandError;

/// Everything `relink decay` needs to know.
pub struct DecayPlan {
    /// What is scored.
    pub subject: DecaySubject,
    /// The patiences of the surfer, at least one.
    pub sigmas: Vec<Sigma>,
    /// Which of the two definitions.
    pub form: DecayDefinition,
    /// On which pages surfers fail.
    pub fails: FailureModel,
    /// How many pages are named at either end.
    pub top: usize,
    /// The score above which a run fails.
    pub fail_above: Option<f64>,
    /// What stdout gets.
    pub format: DecayFormat,
    /// Files to write too.
    pub outputs: Vec<PathBuf>,
    /// For everything around it.
    pub run: RunSettings,
}

/// What is scored.
pub enum DecaySubject {
    /// A page of the living web.
    Live(Box<MeasureSettings>),
    /// A stored crawl, and a page of it if one is named.
    Crawl(CrawlChoice, Option<Url>),
    /// A list of links, the dead pages of it, and a page if one is named.
    Graph(PathBuf, Option<PathBuf>, Option<String>),
}

impl DecayPlan {
    /// Merges all layers.
    pub fn resolve(args: DecayArgs) -> Result<Self, CommandError> {
        let folder = current_folder()?;
        let files = read_files(args.config.as_deref(), &folder)?;
        let config = Config { db: args.db, ..asking_flags(args.asking) }.over(files);
        let sigmas = sigmas(&args.scoring.sigma)?;
        let form = match args.scoring.form {
            DecayForm::Plain => DecayDefinition::Plain,
            DecayForm::Selfloop => DecayDefinition::SelfLoop,
        };
        let fails = fails(&args.scoring)?;
        let inputs: Vec<String> = args.url.iter().cloned().collect();
        let subject = match (args.crawl, args.graph, args.url) {
            (_, Some(graph), name) => DecaySubject::Graph(graph, args.dead, name),
            (Some(crawl), _, url) => {
                DecaySubject::Crawl(crawl, url.as_deref().map(page).transpose()?)
            }
            (None, None, url) => {
                let url = page(url.as_deref().unwrap_or_default())?;
                let live = live(url, &args.scoring, &sigmas, form, fails, &config)?;
                DecaySubject::Live(Box::new(live))
            }
        };
        let page_bytes = super::page_bytes(&config);
        let mut run = RunSettings::new(config, &folder, Vec::new(), inputs)?;
        run.fetch.text_cap = page_bytes;
        let (top, fail_above, format) = (args.top, args.fail_above, args.format);
        let outputs = args.output;
        Ok(Self { subject, sigmas, form, fails, top, fail_above, format, outputs, run })
    }
}

fn page(given: &str) -> Result<Url, CommandError> {
    relink_engine::seed(given).map_err(|error| {
        CommandError::usage(format!("cannot measure `{given}`"))
            .cause(error)
            .hint("write it like `relink decay https://site.example/`")
    })
}

fn sigmas(given: &[f64]) -> Result<Vec<Sigma>, CommandError> {
    let sigma = |&value: &f64| {
        Sigma::new(value).map_err(|error| {
            CommandError::usage("that is no patience for a surfer")
                .cause(error.to_string())
                .hint("the paper's is `--sigma 0.1`")
        })
    };
    given.iter().map(sigma).collect()
}

fn fails(scoring: &ScoringArgs) -> Result<FailureModel, CommandError> {
    let unconfirmed = scoring.count_failing;
    if !(0.0..=1.0).contains(&unconfirmed) {
        return Err(CommandError::usage(format!("`--count-failing {unconfirmed}` is no share"))
            .cause("a share lies between 0 and 1")
            .hint("0 counts failing pages as sound, 1 as dead"));
    }
    let set = match scoring.failures {
        FailuresChoice::Dead => FailureSet::Dead,
        FailuresChoice::Hijacked => FailureSet::Hijacked,
        FailuresChoice::Blocked => FailureSet::Blocked,
    };
    Ok(FailureModel { set, unconfirmed })
}

fn live(
    url: Url,
    scoring: &ScoringArgs,
    sigmas: &[Sigma],
    form: DecayDefinition,
    fails: FailureModel,
    config: &Config,
) -> Result<MeasureSettings, CommandError> {
    let [sigma] = sigmas else {
        return Err(CommandError::usage("the living web is measured with one sigma at a time")
            .cause(format!("{} are given", sigmas.len()))
            .hint("give one, or score a stored crawl with `--crawl latest`"));
    };
    let ask = ask_settings(config, super::DAY);
    Ok(MeasureSettings {
        url,
        sigma: *sigma,
        form,
        stopping_rule: patience(scoring),
        seed: scoring.seed,
        fails,
        politeness: ask.politeness,
        policy: ask.policy,
        wait: ask.max_host_wait,
    })
}

fn patience(scoring: &ScoringArgs) -> StoppingRule {
    let patience = match scoring.walks {
        Some(walks) => StoppingRule { walks, ..StoppingRule::sic_transit() },
        None => StoppingRule { half_width: scoring.within, ..StoppingRule::default() },
    };
    let looks = scoring.max_pages.unwrap_or(patience.pages_fetched).max(1);
    StoppingRule { pages_fetched: looks, ..patience }
}
