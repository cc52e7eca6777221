//! Settings of `relink survey`.

use std::io::Read as _;
use std::path::Path;

use relink_engine::{CatalogFields, CatalogSource, SurveySettings};
use relink_files::{BoundedReader, MAX_DOCUMENT_BYTES};
use relink_model::RequestRights;
use relink_page::DocumentFormat;
use relink_survey::{LeShulman, SamplingPlanName};

use super::run_key::RunKeyText;
use super::{
    RunSettings, current_dir, dispatch_settings, judging_key, outputs, read_files, request_flags,
};
use crate::cli::{FieldArgs, LeShulmanArgs, OutputFormat, SurveyArgs};
use crate::config::Config;
use crate::error::CommandError;
use crate::output::ReportSubject;

/// The catalog argument for standard input.
const STDIN: &str = "-";

/// The settings of `relink survey`.
pub struct SurveyPlan {
    /// What is surveyed, and how requests are sent.
    pub survey: SurveySettings,
    /// The source of the catalog.
    pub source: CatalogSource,
    /// The fields of the catalog.
    pub fields: CatalogFields,
    /// The domains whose result is explained at the end (`--explain`).
    pub explain: Vec<String>,
    /// The HTTP client, the database and the output.
    pub run: RunSettings,
}

impl SurveyPlan {
    /// Merges the flags, the environment and the configuration files.
    pub fn resolve(args: SurveyArgs) -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let files = read_files(args.config.as_deref(), &dir)?;
        let config = Config {
            format: args.format.map(OutputFormat::from),
            fail_on: args.fail_on,
            db: args.db,
            ..request_flags(args.request)
        };
        let config = config.over(files);
        let outputs = outputs(&config, args.output, ReportSubject::Survey)?;
        let source = catalog_source(args.catalog.as_deref())?;
        let fields = catalog_fields(&args.fields);
        let max_age = config.max_cache_age.map_or(super::DAY, |duration| duration.0);
        let survey = SurveySettings {
            plan: args.plan,
            le_shulman: le_shulman_parameters(args.plan, args.parameters)?,
            max_share: max_share(args.plan, args.max_share)?,
            recall: recall(args.plan, args.find)?,
            seed: args.seed,
            budget: args.budget.map(|budget| budget.0),
            rights: match source {
                // The stored URLs are from any web page, so requests get no access to
                // private addresses.
                CatalogSource::Store => RequestRights::discovered(),
                _ => RequestRights::user_supplied(),
            },
            dispatch: dispatch_settings(&config, max_age),
            is_fresh: args.fresh,
            scope: run_key(&fields, &dir, judging_key(&config)).into_scope(),
        };
        let inputs = args.catalog.iter().map(|path| path.display().to_string()).collect();
        let run = RunSettings::new(config, &dir, outputs, inputs)?;
        Ok(Self { survey, source, fields, explain: args.explain, run })
    }
}

/// Returns the parameters of the sampling plan of Le and Shulman. Other plans have none.
fn le_shulman_parameters(
    plan: SamplingPlanName,
    args: LeShulmanArgs,
) -> Result<LeShulman, CommandError> {
    let LeShulmanArgs { group_size, p1, p2_low, p2_high } = args;
    let is_given = group_size.is_some() || [p1, p2_low, p2_high].iter().any(Option::is_some);
    if is_given && plan != SamplingPlanName::LeShulman {
        let cause = format!("`--group-size`, `--p1` and `--p2-…` have no effect on plan `{plan}`");
        return Err(CommandError::usage("cannot set parameters of another plan")
            .cause(cause)
            .hint("add `--plan le-shulman`"));
    }
    let defaults = LeShulman::default();
    Ok(LeShulman {
        group: group_size.unwrap_or(defaults.group),
        p1: p1.unwrap_or(defaults.p1),
        p2_low: p2_low.unwrap_or(defaults.p2_low),
        p2_high: p2_high.unwrap_or(defaults.p2_high),
    })
}

/// Returns the share of `--max-share`, from 0 to 1.
fn max_share(plan: SamplingPlanName, percent: Option<f64>) -> Result<Option<f64>, CommandError> {
    if percent.is_some() && !plan.has_check_limit() {
        return Err(CommandError::usage(format!("cannot limit the checks of plan `{plan}`"))
            .cause("its estimate needs all of its checks")
            .hint("use `--plan default`, `sprt` or `sentinel`"));
    }
    Ok(percent.map(|percent| percent / 100.0))
}

/// Returns the share of broken URLs of `--find`, in percent.
fn recall(plan: SamplingPlanName, percent: Option<f64>) -> Result<Option<f64>, CommandError> {
    if percent.is_some() && !plan.has_recall_limit() {
        return Err(CommandError::usage(format!("cannot continue plan `{plan}` to a goal"))
            .cause("it ends by its own rule")
            .hint("use `--plan default`"));
    }
    Ok(percent)
}

/// Returns the source of a catalog; the database if no catalog is given.
pub fn catalog_source(catalog: Option<&Path>) -> Result<CatalogSource, CommandError> {
    Ok(match catalog {
        None => CatalogSource::Store,
        Some(path) if path == Path::new(STDIN) => {
            let mut bytes = Vec::new();
            BoundedReader::new(std::io::stdin().lock(), MAX_DOCUMENT_BYTES)
                .read_to_end(&mut bytes)
                .map_err(|error| {
                    CommandError::usage("cannot read standard input").cause(error.to_string())
                })?;
            CatalogSource::Stdin(bytes)
        }
        Some(path) => CatalogSource::File(path.to_owned()),
    })
}

/// Returns the columns of a catalog with URLs and domains.
pub fn catalog_fields(args: &FieldArgs) -> CatalogFields {
    CatalogFields {
        url: args.column.clone(),
        domain: args.domain_column.clone(),
        ground_truth: None,
        format: args.read_as,
    }
}

/// Returns the settings that identify a survey, in addition to its catalog.
fn run_key(fields: &CatalogFields, dir: &Path, key: RunKeyText) -> RunKeyText {
    key.with("folder", dir.display())
        .with_optional("url", fields.url.as_ref())
        .with_optional("domain", fields.domain.as_ref())
        .with_optional("truth", fields.ground_truth.as_ref())
        .with_optional("format", fields.format.map(DocumentFormat::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the run key of a survey in the folder `/project`.
    #[track_caller]
    fn check(fields: &CatalogFields, expected: &str) {
        assert_eq!(
            run_key(fields, Path::new("/project"), RunKeyText::new()).into_scope()["settings"],
            expected
        );
    }

    #[test]
    fn run_key_is_stable() {
        let none = CatalogFields { url: None, domain: None, ground_truth: None, format: None };
        check(&none, "v1;folder=/project;url=;domain=;truth=;format=");
        let all = CatalogFields {
            url: Some("link".to_owned()),
            domain: Some("site".to_owned()),
            ground_truth: None,
            format: Some(DocumentFormat::Csv),
        };
        check(&all, "v1;folder=/project;url=link;domain=site;truth=;format=csv");
    }
}
