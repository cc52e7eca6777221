//! Settings of `relink crawl`.

use std::thread::available_parallelism;
use std::time::Duration;

use jiff::Timestamp;
use relink_engine::{CrawlRules, CrawlSettings, DispatchSettings, RenderMode, parse_seed};
use relink_frontier::{
    CrawlScope, PolitenessPolicy, ScopeMode, TrapLimits, TraversalOrder, UrlFilter,
};
use url::Url;

use super::run_key::RunKeyText;
use super::{RunSettings, current_dir, dispatch_settings, fresh_since, request_flags, url_filter};
use super::{judging_key, non_empty, outputs, read_files};
use crate::cli::{
    CrawlArgs, CrawlOrder, CrawlScopeArg, CrawlScopeArgs, Export, OutputFormat, RenderArg,
};
use crate::config::Config;
use crate::error::CommandError;
use crate::output::ReportSubject;

/// Default number of requests in flight per processor. It is high because most requests
/// wait for a response.
const REQUESTS_PER_PROCESSOR: usize = 16;

/// The settings of `relink crawl`.
pub struct CrawlPlan {
    /// What is crawled, and how requests are sent.
    pub crawl: CrawlSettings,
    /// The files to export.
    pub exports: Vec<Export>,
    /// The HTTP client, the database and the output.
    pub run: RunSettings,
}

impl CrawlPlan {
    /// Merges the flags, the environment and the configuration files.
    pub fn resolve(args: CrawlArgs, now: Timestamp) -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let files = read_files(args.config.as_deref(), &dir)?;
        let CrawlArgs {
            urls, format, output, export, fresh, fail_on, db, scope_args, request, ..
        } = args;
        let config = Config {
            format: format.map(OutputFormat::from),
            include: non_empty(scope_args.include.clone()),
            exclude: non_empty(scope_args.exclude.clone()),
            fail_on,
            db,
            max_page_links: scope_args.max_page_links,
            user_urls: scope_args.sitemap.clone(),
            ..request_flags(request)
        };
        let config = config.over(files);
        let outputs = outputs(&config, output, ReportSubject::Crawl)?;
        let seeds = parse_seeds(&urls)?;
        let rules = crawl_rules(&scope_args, &config, &seeds, now)?;
        let crawl = CrawlSettings {
            scope: run_key(&scope_args, &config).into_scope(),
            seeds,
            rules,
            sitemaps: scope_args.sitemap,
            reads_sitemaps: !scope_args.no_sitemaps,
            render: match scope_args.render {
                RenderArg::Auto => RenderMode::Auto,
                RenderArg::Always => RenderMode::Always,
                RenderArg::Never => RenderMode::Never,
            },
            dispatch: crawl_dispatch_settings(&config),
            max_time: scope_args.max_time.map(|duration| duration.0),
            is_fresh: fresh,
        };
        let page_bytes = super::page_bytes(&config);
        let mut run = RunSettings::new(config, &dir, outputs, urls)?;
        run.fetch.max_text_bytes = page_bytes;
        run.is_crawl = true;
        Ok(Self { crawl, exports: export, run })
    }
}

/// Parses the start URLs. Returns each as given and in canonical form.
fn parse_seeds(urls: &[String]) -> Result<Vec<(String, Url)>, CommandError> {
    let mut seeds = Vec::new();
    for original_url in urls {
        let url = parse_seed(original_url).map_err(|error| {
            CommandError::usage(format!("cannot crawl `{original_url}`"))
                .cause(error)
                .hint("use a URL, such as `relink crawl https://site.example/`")
        })?;
        seeds.push((original_url.clone(), url));
    }
    Ok(seeds)
}

/// Returns the rules for links to follow and to check.
fn crawl_rules(
    scope_args: &CrawlScopeArgs,
    config: &Config,
    seeds: &[(String, Url)],
    now: Timestamp,
) -> Result<CrawlRules, CommandError> {
    let mode = match scope_args.scope {
        CrawlScopeArg::Host => ScopeMode::Host,
        CrawlScopeArg::Domain => ScopeMode::Domain,
        CrawlScopeArg::Path => ScopeMode::Prefix,
    };
    let start_urls: Vec<Url> = seeds.iter().map(|(_, url)| url.clone()).collect();
    let max_age = config.max_cache_age.map_or(super::DAY, |duration| duration.0);
    Ok(CrawlRules {
        scope: CrawlScope::new(mode, &start_urls, UrlFilter::default()),
        filter: url_filter(config)?,
        order: match scope_args.order {
            CrawlOrder::Breadth => TraversalOrder::BreadthFirst,
            CrawlOrder::Depth => TraversalOrder::DepthFirst,
        },
        max_depth: scope_args.depth,
        max_pages: scope_args.max_pages,
        max_page_links: config.max_page_links.unwrap_or(CrawlRules::MAX_PAGE_LINKS),
        ignores_nofollow: scope_args.follow_nofollow,
        checks_external: !scope_args.no_external,
        traps: trap_limits(scope_args)?,
        fresh_since: fresh_since(now, max_age),
    })
}

/// Returns the limits for spider traps: sets of generated pages that link to ever more pages.
fn trap_limits(scope_args: &CrawlScopeArgs) -> Result<TrapLimits, CommandError> {
    let entered = &scope_args.enter_trap;
    let filter = UrlFilter::new(entered, &[]);
    let filter = filter.map_err(|error| CommandError::usage(error.to_string()))?;
    let defaults = TrapLimits::default();
    Ok(TrapLimits {
        pattern_pages: scope_args.max_pattern_pages.unwrap_or(defaults.pattern_pages),
        host_pages: scope_args.max_host_pages.unwrap_or(defaults.host_pages),
        entered: (!entered.is_empty()).then_some(filter),
    })
}

/// Returns the settings for sending requests. A crawl sends fewer requests per host than a
/// check.
fn crawl_dispatch_settings(config: &Config) -> DispatchSettings {
    let processors = available_parallelism().map_or(1, usize::from);
    let interval =
        config.host_interval.map_or(PolitenessPolicy::CRAWL_INTERVAL, |duration| duration.0);
    let host_concurrency = config.host_concurrency.unwrap_or(PolitenessPolicy::CRAWL_CONCURRENCY);
    let max_age = config.max_cache_age.map_or(Duration::MAX, |duration| duration.0);
    DispatchSettings {
        concurrency: config.concurrency.unwrap_or(REQUESTS_PER_PROCESSOR * processors).max(1),
        politeness: PolitenessPolicy::crawl(host_concurrency, interval),
        ..dispatch_settings(config, max_age)
    }
}

/// Returns the settings that identify a crawl, in addition to its start pages. Rate limits
/// and the limits of pages and time are not included, so that a crawl can be resumed with
/// other limits.
fn run_key(scope_args: &CrawlScopeArgs, config: &Config) -> RunKeyText {
    let values = |list: &Option<Vec<String>>| list.clone().unwrap_or_default();
    let scope = match scope_args.scope {
        CrawlScopeArg::Host => "host",
        CrawlScopeArg::Domain => "domain",
        CrawlScopeArg::Path => "path",
    };
    let order = match scope_args.order {
        CrawlOrder::Breadth => "breadth",
        CrawlOrder::Depth => "depth",
    };
    let render = match scope_args.render {
        RenderArg::Auto => "auto",
        RenderArg::Always => "always",
        RenderArg::Never => "never",
    };
    judging_key(config)
        .with("scope", scope)
        .with("order", order)
        .with_optional("depth", scope_args.depth)
        .with_list("include", &values(&config.include))
        .with_list("exclude", &values(&config.exclude))
        .with("render", render)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    /// Checks the run key of `relink crawl` with these flags.
    #[track_caller]
    fn check(flags: &[&str], expected: &str) {
        let args = ["relink", "crawl", "https://site.example/"].iter().chain(flags);
        let Command::Crawl(args) = Cli::parse_from(args).command else { panic!("not a crawl") };
        let config = Config {
            include: non_empty(args.scope_args.include.clone()),
            exclude: non_empty(args.scope_args.exclude.clone()),
            ..Config::default()
        };
        assert_eq!(run_key(&args.scope_args, &config).into_scope()["settings"], expected);
    }

    #[test]
    fn run_key_is_stable() {
        check(&[], "v1;scope=host;order=breadth;depth=;include=;exclude=;render=auto");
        let flags = ["--scope", "path", "--order", "depth", "--depth", "3", "--render", "never"];
        let patterns = ["--include", "a", "--exclude", "b", "--exclude", "c"];
        check(
            &[&flags[..], &patterns[..]].concat(),
            "v1;scope=path;order=depth;depth=3;include=a;exclude=b,c;render=never",
        );
    }
}
