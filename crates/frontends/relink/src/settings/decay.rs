//! What the flags of `relink decay` mean.

use std::path::PathBuf;

use relink_decay::{Form, Patience, Sigma};
use relink_engine::{Fails, FailureSet, MeasureSettings};
use url::Url;

use super::{RunSettings, ask_settings, asking_flags, current_folder, read_files};
use crate::cli::{CrawlChoice, DecayArgs, DecayForm, DecayFormat, FailuresChoice, ScoringArgs};
use crate::config::Config;
use crate::failure::Failure;

/// Everything `relink decay` needs to know.
pub struct DecayPlan {
    /// What is scored.
    pub subject: DecaySubject,
    /// The patiences of the surfer, at least one.
    pub sigmas: Vec<Sigma>,
    /// Which of the two definitions.
    pub form: Form,
    /// On which pages surfers fail.
    pub fails: Fails,
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
    pub fn resolve(args: DecayArgs) -> Result<Self, Failure> {
        let folder = current_folder()?;
        let files = read_files(args.config.as_deref(), &folder)?;
        let config = Config { db: args.db, ..asking_flags(args.asking) }.over(files);
        let sigmas = sigmas(&args.scoring.sigma)?;
        let form = match args.scoring.form {
            DecayForm::Plain => Form::Plain,
            DecayForm::Selfloop => Form::SelfLoop,
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

fn page(given: &str) -> Result<Url, Failure> {
    relink_engine::seed(given).map_err(|fault| {
        Failure::usage(format!("cannot measure `{given}`"))
            .cause(fault)
            .hint("write it like `relink decay https://site.example/`")
    })
}

fn sigmas(given: &[f64]) -> Result<Vec<Sigma>, Failure> {
    let sigma = |&value: &f64| {
        Sigma::new(value).map_err(|fault| {
            Failure::usage("that is no patience for a surfer")
                .cause(fault.to_string())
                .hint("the paper's is `--sigma 0.1`")
        })
    };
    given.iter().map(sigma).collect()
}

fn fails(scoring: &ScoringArgs) -> Result<Fails, Failure> {
    let unconfirmed = scoring.count_failing;
    if !(0.0..=1.0).contains(&unconfirmed) {
        return Err(Failure::usage(format!("`--count-failing {unconfirmed}` is no share"))
            .cause("a share lies between 0 and 1")
            .hint("0 counts failing pages as sound, 1 as dead"));
    }
    let set = match scoring.failures {
        FailuresChoice::Dead => FailureSet::Dead,
        FailuresChoice::Hijacked => FailureSet::Hijacked,
        FailuresChoice::Blocked => FailureSet::Blocked,
    };
    Ok(Fails { set, unconfirmed })
}

fn live(
    url: Url,
    scoring: &ScoringArgs,
    sigmas: &[Sigma],
    form: Form,
    fails: Fails,
    config: &Config,
) -> Result<MeasureSettings, Failure> {
    let [sigma] = sigmas else {
        return Err(Failure::usage("the living web is measured with one sigma at a time")
            .cause(format!("{} are given", sigmas.len()))
            .hint("give one, or score a stored crawl with `--crawl latest`"));
    };
    let ask = ask_settings(config, super::DAY);
    Ok(MeasureSettings {
        url,
        sigma: *sigma,
        form,
        patience: patience(scoring),
        seed: scoring.seed,
        fails,
        pace: ask.pace,
        policy: ask.policy,
        wait: ask.patience,
    })
}

fn patience(scoring: &ScoringArgs) -> Patience {
    let patience = match scoring.walks {
        Some(walks) => Patience { walks, ..Patience::sic_transit() },
        None => Patience { half_width: scoring.within, ..Patience::default() },
    };
    let looks = scoring.max_pages.unwrap_or(patience.looks).max(1);
    Patience { looks, ..patience }
}
