//! `relink survey analyze`: the distribution of URLs over domains, as in Figures 3 and 4 of
//! the paper by Le and Shulman. A size class contains the domains with a similar number of
//! URLs.

use std::path::{Path, PathBuf};

use relink_engine::{LoadedCatalog, read_catalog};
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_report::bars::{BarChart, ChartBar, svg};
use relink_report::human::{counted, grouped};
use relink_report::printable;
use relink_survey::{SizeClass, size_classes};
use serde_json::json;

use crate::cli::{AnalyzeArgs, ExplainFormat};
use crate::commands::harvest::open_session;
use crate::error::{CommandError, Exit};
use crate::output::{print, write_file};
use crate::settings::{catalog_fields, catalog_source, current_dir, database};
use crate::wiring;

/// Runs `relink survey analyze`.
pub async fn run(args: AnalyzeArgs) -> Result<Exit, CommandError> {
    if let Some(path) = args.output.as_deref().filter(|path| !is_svg(path)) {
        return Err(CommandError::usage(format!(
            "unsupported chart extension: `{}`",
            path.display()
        ))
        .cause("charts are written as SVG")
        .hint("use `.svg`"));
    }
    let loaded = if let Some(name) = &args.provider {
        provider_catalog(name, args.db.clone()).await?
    } else {
        let source = catalog_source(args.catalog.as_deref())?;
        let store = wiring::store_for_reading(&database(args.db, &current_dir()?)?).await?;
        let disk = LocalFiles::new(LocalFilesSettings::default());
        read_catalog(&disk, &*store, &source, &catalog_fields(&args.fields)).await?
    };
    let classes = size_classes(&loaded.catalog);
    if let Some(path) = &args.output {
        write_file(path, svg(&charts(&classes))).map_err(|error| {
            CommandError::internal(format!("cannot write `{}`", path.display()))
                .cause(error.to_string())
        })?;
    }
    print(&match args.format {
        ExplainFormat::Human => human_text(&loaded, &classes),
        ExplainFormat::Json => json_text(&loaded, &classes),
    })?;
    Ok(Exit::Clean)
}

/// Returns the URLs of the harvested records of a provider.
async fn provider_catalog(name: &str, db: Option<PathBuf>) -> Result<LoadedCatalog, CommandError> {
    let session = open_session(db, None).await?;
    let (provider, _) = session.provider(name).await?;
    let catalog = session.harvester().catalog(&provider).await?;
    if catalog.catalog.is_empty() {
        return Err(CommandError::usage(format!("provider `{name}` has no URLs"))
            .hint("run `relink harvest run` first"));
    }
    Ok(catalog)
}

fn is_svg(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"))
}

fn human_text(loaded: &LoadedCatalog, classes: &[SizeClass]) -> String {
    let catalog = &loaded.catalog;
    let domains = counted(catalog.domains().len() as u64, "domain");
    let directories = catalog.directories().len() as u64;
    let mut text = format!(
        "{}: {} on {domains}, in {} directories\n",
        printable(&loaded.label),
        counted(catalog.len().into(), "URL"),
        grouped(directories)
    );
    if loaded.problem_count + loaded.duplicates > 0 {
        let problems = counted(loaded.problem_count, "row");
        let duplicates = grouped(loaded.duplicates);
        text.extend([format!("skipped: {problems} without a URL, {duplicates} duplicates\n")]);
    }
    for chart in charts(classes) {
        text.extend(["\n", &chart.text()]);
    }
    text
}

/// Returns the charts of the domains and of the URLs in each size class.
fn charts(classes: &[SizeClass]) -> [BarChart; 2] {
    let bar = |class: &SizeClass, share: f64, count: u32| ChartBar {
        label: size_text(class),
        share,
        note: format!("{:.1} % ({})", 100.0 * share, grouped(count.into())),
    };
    let domain_bar = |class: &SizeClass| bar(class, class.share_of_domains, class.domains);
    let url_bar = |class: &SizeClass| bar(class, class.share_of_urls, class.urls);
    [
        BarChart {
            title: "Domains by size".to_owned(),
            bars: classes.iter().map(domain_bar).collect(),
        },
        BarChart {
            title: "URLs by the size of their domain".to_owned(),
            bars: classes.iter().map(url_bar).collect(),
        },
    ]
}

/// Formats the number of URLs in a size class: `2–10 URLs`, `over 10,000 URLs`.
fn size_text(class: &SizeClass) -> String {
    let SizeClass { from, to, .. } = *class;
    match to {
        u32::MAX => format!("over {} URLs", grouped((from - 1).into())),
        _ if from == to => counted(from.into(), "URL"),
        _ => format!("{}–{} URLs", grouped(from.into()), grouped(to.into())),
    }
}

fn json_text(loaded: &LoadedCatalog, classes: &[SizeClass]) -> String {
    let class_row = |class: &SizeClass| {
        json!({
            "from": class.from,
            "to": (class.to != u32::MAX).then_some(class.to),
            "domains": class.domains,
            "urls": class.urls,
            "share_of_domains": class.share_of_domains,
            "share_of_urls": class.share_of_urls,
        })
    };
    let catalog = &loaded.catalog;
    let document = json!({
        "catalog": loaded.label,
        "urls": catalog.len(),
        "domains": catalog.domains().len(),
        "directories": catalog.directories().len(),
        "invalid_rows": loaded.problem_count,
        "duplicates": loaded.duplicates,
        "classes": classes.iter().map(class_row).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}
