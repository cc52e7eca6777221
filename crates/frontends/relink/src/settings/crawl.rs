//! What the flags of `relink crawl` mean.

use std::collections::BTreeMap;
use std::thread::available_parallelism;
use std::time::Duration;

use jiff::Timestamp;
use relink_engine::{CrawlRules, CrawlSettings, DispatchSettings, RenderMode, seed};
use relink_frontier::{CrawlScope, PolitenessPolicy, ScopeMode, TraversalOrder, UrlFilter};
use url::Url;

use super::{RunSettings, ask_settings, asking_flags, current_folder, fresh_since, pattern_scope};
use super::{outputs, read_files, said};
use crate::cli::{CrawlArgs, CrawlOrder, CrawlScopeArg, CrawlScopeArgs, Export, RenderArg};
use crate::config::Config;
use crate::error::CommandError;
use crate::output::ReportSubject;

/// Requests in flight for each processor: waiting for servers costs little.
const PER_PROCESSOR: usize = 16;

/// Everything `relink crawl` needs to know.
pub struct CrawlPlan {
    /// For the engine.
    pub crawl: CrawlSettings,
    /// What to write of the links.
    pub exports: Vec<Export>,
    /// For everything around it.
    pub run: RunSettings,
}

impl CrawlPlan {
    /// Merges all layers.
    pub fn resolve(args: CrawlArgs, now: Timestamp) -> Result<Self, CommandError> {
        let folder = current_folder()?;
        let files = read_files(args.config.as_deref(), &folder)?;
        let CrawlArgs { urls, format, output, export, fresh, fail_on, db, going, asking, .. } =
            args;
        let config = Config {
            format,
            include: said(going.include.clone()),
            exclude: said(going.exclude.clone()),
            fail_on,
            db,
            max_page_links: going.max_page_links,
            named_urls: going.sitemap.clone(),
            ..asking_flags(asking)
        };
        let config = config.over(files);
        let outputs = outputs(&config, output, ReportSubject::Crawl)?;
        let seeds = seeds(&urls)?;
        let rules = rules(&going, &config, &seeds, now)?;
        let crawl = CrawlSettings {
            scope: identity(&going, &config),
            seeds,
            rules,
            sitemaps: going.sitemap,
            reads_sitemaps: !going.no_sitemaps,
            render: match going.render {
                RenderArg::Auto => RenderMode::Auto,
                RenderArg::Always => RenderMode::Always,
                RenderArg::Never => RenderMode::Never,
            },
            ask: crawl_ask(&config),
            time: going.max_time.map(|span| span.0),
            is_fresh: fresh,
        };
        let page_bytes = super::page_bytes(&config);
        let mut run = RunSettings::new(config, &folder, outputs, urls)?;
        run.fetch.text_cap = page_bytes;
        Ok(Self { crawl, exports: export, run })
    }
}

fn seeds(urls: &[String]) -> Result<Vec<(String, Url)>, CommandError> {
    let canonical = |given: &String| match seed(given) {
        Ok(url) => Ok((given.clone(), url)),
        Err(error) => Err(CommandError::usage(format!("cannot crawl `{given}`"))
            .cause(error)
            .hint("write it like `relink crawl https://site.example/`")),
    };
    urls.iter().map(canonical).collect()
}

fn rules(
    going: &CrawlScopeArgs,
    config: &Config,
    seeds: &[(String, Url)],
    now: Timestamp,
) -> Result<CrawlRules, CommandError> {
    let reach = match going.scope {
        CrawlScopeArg::Host => ScopeMode::Host,
        CrawlScopeArg::Domain => ScopeMode::Domain,
        CrawlScopeArg::Path => ScopeMode::Prefix,
    };
    let starts: Vec<Url> = seeds.iter().map(|(_, url)| url.clone()).collect();
    let max_age = config.max_age.map_or(super::DAY, |span| span.0);
    Ok(CrawlRules {
        scope: CrawlScope::new(reach, &starts, UrlFilter::default()),
        filter: pattern_scope(config)?,
        order: match going.order {
            CrawlOrder::Breadth => TraversalOrder::BreadthFirst,
            CrawlOrder::Depth => TraversalOrder::DepthFirst,
        },
        depth: going.depth,
        pages: going.max_pages,
        page_links: config.max_page_links.unwrap_or(CrawlRules::PAGE_LINKS),
        follows_all: going.follow_nofollow,
        checks_others: !going.no_external,
        fresh_since: fresh_since(now, max_age),
    })
}

/// A site is visited more gently than a list that the user owns.
fn crawl_ask(config: &Config) -> DispatchSettings {
    let processors = available_parallelism().map_or(1, usize::from);
    let interval = config.host_interval.map_or(PolitenessPolicy::CRAWL_INTERVAL, |span| span.0);
    let host_concurrency = config.host_concurrency.unwrap_or(PolitenessPolicy::CRAWL_CONCURRENCY);
    let max_age = config.max_age.map_or(Duration::MAX, |span| span.0);
    DispatchSettings {
        concurrency: config.concurrency.unwrap_or(PER_PROCESSOR * processors).max(1),
        politeness: PolitenessPolicy::crawl(host_concurrency, interval),
        ..ask_settings(config, max_age)
    }
}

/// What beside the beginning decides which crawl this is. How fast it goes,
/// and how far, may change when it is taken up again.
fn identity(going: &CrawlScopeArgs, config: &Config) -> BTreeMap<String, String> {
    let list = |list: &Option<Vec<String>>| list.as_deref().unwrap_or_default().join("\u{1f}");
    BTreeMap::from([
        ("scope".to_owned(), format!("{:?}", going.scope)),
        ("order".to_owned(), format!("{:?}", going.order)),
        ("depth".to_owned(), format!("{:?}", going.depth)),
        ("include".to_owned(), list(&config.include)),
        ("exclude".to_owned(), list(&config.exclude)),
        ("render".to_owned(), format!("{:?}", going.render)),
    ])
}
