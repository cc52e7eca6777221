//! What the flags of `relink survey` mean.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use relink_engine::{CatalogFields, CatalogSource, SurveySettings};
use relink_files::{Bounded, MAX_DOCUMENT_BYTES};
use relink_model::RequestRights;

use super::{RunSettings, ask_settings, asking_flags, current_folder, outputs, read_files};
use crate::cli::{FieldArgs, OutputFormat, SurveyArgs};
use crate::config::Config;
use crate::error::CommandError;
use crate::output::ReportSubject;

/// The catalog that stands for standard input.
const STDIN: &str = "-";

/// Everything `relink survey` needs to know.
pub struct SurveyPlan {
    /// For the engine.
    pub survey: SurveySettings,
    /// Where the catalog comes from.
    pub source: CatalogSource,
    /// What its fields mean.
    pub fields: CatalogFields,
    /// Domains to explain.
    pub explain: Vec<String>,
    /// For everything around it.
    pub run: RunSettings,
}

impl SurveyPlan {
    /// Merges all layers.
    pub fn resolve(args: SurveyArgs) -> Result<Self, CommandError> {
        let folder = current_folder()?;
        let files = read_files(args.config.as_deref(), &folder)?;
        let config = Config {
            format: args.format.map(OutputFormat::from),
            fail_on: args.fail_on,
            db: args.db,
            ..asking_flags(args.asking)
        };
        let config = config.over(files);
        let outputs = outputs(&config, args.output, ReportSubject::Survey)?;
        let source = catalog_source(args.catalog.as_deref())?;
        let fields = catalog_fields(&args.fields);
        let max_age = config.max_age.map_or(super::DAY, |span| span.0);
        let survey = SurveySettings {
            plan: args.plan,
            seed: args.seed,
            budget: args.budget.map(|budget| budget.0),
            rights: match source {
                // Pages of any origin may have named what a crawl stored.
                CatalogSource::Store => RequestRights::discovered(),
                _ => RequestRights::named_by_user(),
            },
            ask: ask_settings(&config, max_age),
            is_fresh: args.fresh,
            scope: BTreeMap::from([
                ("folder".to_owned(), folder.display().to_string()),
                ("fields".to_owned(), format!("{fields:?}")),
            ]),
        };
        let inputs = args.catalog.iter().map(|path| path.display().to_string()).collect();
        let run = RunSettings::new(config, &folder, outputs, inputs)?;
        Ok(Self { survey, source, fields, explain: args.explain, run })
    }
}

/// Where a catalog comes from; from the database, if none is named.
pub fn catalog_source(named: Option<&Path>) -> Result<CatalogSource, CommandError> {
    Ok(match named {
        None => CatalogSource::Store,
        Some(path) if path == Path::new(STDIN) => {
            let mut bytes = Vec::new();
            Bounded::new(std::io::stdin().lock(), MAX_DOCUMENT_BYTES)
                .read_to_end(&mut bytes)
                .map_err(|error| {
                    CommandError::usage("cannot read standard input").cause(error.to_string())
                })?;
            CatalogSource::Stdin(bytes)
        }
        Some(path) => CatalogSource::File(path.to_owned()),
    })
}

/// What the fields of a catalog mean.
pub fn catalog_fields(args: &FieldArgs) -> CatalogFields {
    CatalogFields {
        url: args.column.clone(),
        domain: args.domain_column.clone(),
        truth: None,
        format: args.read_as,
    }
}
