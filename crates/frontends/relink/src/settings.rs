//! Merges the command line with the configuration.
//!
//! Layers, in ascending order of precedence: defaults, the user's file, the
//! project's `relink.toml`, `RELINK_*` variables, flags.

mod crawl;
mod decay;
mod harvest;
mod judging;
mod network;
mod request;
mod revive;
mod run_key;
mod survey;
mod watch;
mod worker;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use relink_documents::{Input, LoadSettings, LocalRules, PathMap, ReadOptions, SiteChoice};
use relink_engine::{CheckSettings, DispatchSettings};
use relink_files::{IgnoredFiles, LocalFilesSettings};
use relink_frontier::{PolitenessPolicy, UrlFilter, UrlRemap};
use relink_gate::AcceptedCodes;
use relink_judge::Policy;
use relink_model::Verdict;
use relink_page::{Column, DocumentFormat, SlugStyle};
use relink_ports::RunStats;
use url::Url;

use crate::cli::{CheckArgs, FindingArgs, OutputFormat, RequestArgs, WalkArgs};
use crate::config::{AcceptValue, Config, ProjectConfig, is_inside};
use crate::duration_arg::DurationArg;
use crate::error::CommandError;
use crate::gate::{GatePlan, SinceGate};
use crate::output::ReportSubject;
use crate::paths;
use crate::stdin::{SpoolFile, Stdin};

pub use self::crawl::CrawlPlan;
pub use self::decay::{DecayPlan, DecaySubject, link_settings};
pub use self::harvest::{HarvestPlan, edit_provider, new_provider};
pub use self::judging::{Judging, PolicyArg};
pub use self::revive::{ArchiveChoice, RevivePlan, ReviveSetup, SearchChoice};
use self::run_key::RunKeyText;
pub use self::survey::{SurveyPlan, catalog_fields, catalog_source};
pub use self::watch::{FocusPlan, SuggestPlan, WatchPlan};
pub use self::worker::WorkerPlan;

/// Default maximum age of a cached result.
const DAY: Duration = Duration::from_hours(24);

/// The settings of `relink check`.
pub struct CheckPlan {
    /// What is checked, and how requests are sent.
    pub check: CheckSettings,
    /// The rules for reading directories.
    pub files: LocalFilesSettings,
    /// The rules for findings that fail the run.
    pub gate: GatePlan,
    /// The search for new URLs of dead pages after the check, if requested.
    pub revive: Option<ReviveSetup>,
    /// The HTTP client, the database and the output.
    pub run: RunSettings,
    /// The spool file of standard input, which must exist until the run ends.
    #[expect(dead_code, reason = "dropping it deletes the file")]
    pub spool_file: Option<SpoolFile>,
}

/// The settings of all commands that send requests.
pub struct RunSettings {
    /// Settings of the HTTP client.
    pub fetch: relink_fetch::FetchSettings,
    /// The database file.
    pub db: PathBuf,
    /// The format of standard output.
    pub format: OutputFormat,
    /// Output files with their formats.
    pub outputs: Vec<(PathBuf, OutputFormat)>,
    /// The verdicts that fail the run.
    pub fail_on: Vec<Verdict>,
    /// Whether the run is a crawl, whose HTML report is about a site.
    pub is_crawl: bool,
    /// The layout of findings in the human report.
    pub findings: FindingArgs,
    /// The maximum age of a cached result.
    pub max_cache_age: Duration,
    /// The inputs as given.
    pub inputs: Vec<String>,
    /// The configuration file of the project, if there is one.
    pub project: Option<ProjectConfig>,
    /// The rules for verdicts.
    pub judging: Judging,
}

impl CheckPlan {
    /// Merges the flags, the environment and the configuration files.
    pub fn resolve(mut args: CheckArgs, now: Timestamp) -> Result<Self, CommandError> {
        let dir = current_dir()?;
        let files = read_files(args.config.as_deref(), &dir)?;
        add_listed_inputs(&mut args)?;
        let walk = args.walk.clone();
        let (inputs, output, is_fresh) = (args.inputs.clone(), args.output.clone(), args.fresh);
        let (format, column) = (args.documents.read_as, args.documents.column.clone());
        let since =
            args.gate.since.as_deref().map(|since| SinceGate::open(since, &args)).transpose()?;
        let accept_for = std::mem::take(&mut args.gate.accept_for);
        let revive_args = std::mem::take(&mut args.revive);
        let is_revive_requested = revive_args.revive;
        let revive = revive::check_revive_flags(revive_args);
        let config = Config { revive, ..check_flags(args) }.over(files);
        let outputs = outputs(&config, output, ReportSubject::Check)?;
        for (path, _format) in &outputs {
            reject_input_as_output(path, &inputs)?;
        }
        let options = ReadOptions {
            format,
            column: column.as_deref().map(Column::from),
            ..read_options(&config)?
        };
        let max_age = config.max_cache_age.map_or(DAY, |duration| duration.0);
        let dispatch = dispatch_settings(&config, max_age);
        // Filled below if standard input is large.
        let mut spool_file = None;
        let fresh_since = fresh_since(now, max_age);
        let scope = run_key(&config, &options, &dir).into_scope();
        let load =
            load_settings(&inputs, &config, options, fresh_since, &dispatch, &mut spool_file)?;
        let extensions = config.extensions.clone();
        let gate = GatePlan { since, ..gate_plan(&config, &accept_for)? };
        Ok(Self {
            gate,
            revive: is_revive_requested
                .then(|| ReviveSetup::new(&config.revive, &dispatch, now))
                .transpose()?,
            check: CheckSettings { dispatch, is_fresh, scope, load },
            run: {
                let mut run = RunSettings::new(config, &dir, outputs, display_inputs(&inputs))?;
                run.fetch.max_redirects = walk.max_redirects.unwrap_or(run.fetch.max_redirects);
                run
            },
            files: LocalFilesSettings { extensions, ..walk_settings(&walk) },
            spool_file,
        })
    }
}

impl RunSettings {
    /// Prints the keys that the project's file sets on stderr. Called for reports that do not
    /// list these keys.
    pub fn warn_project_config(&self) {
        if let Some(line) = self.project.as_ref().and_then(ProjectConfig::line) {
            CommandError::usage(line).warn();
        }
    }

    /// Returns the number of findings that fail the run.
    pub fn failing(&self, stats: &RunStats) -> u64 {
        self.fail_on.iter().map(|verdict| stats.verdicts.get(verdict).copied().unwrap_or(0)).sum()
    }

    fn new(
        config: Config,
        dir: &Path,
        outputs: Vec<(PathBuf, OutputFormat)>,
        inputs: Vec<String>,
    ) -> Result<Self, CommandError> {
        Ok(Self {
            fetch: request::fetch_settings(&config, &inputs)?,
            judging: judging(&config),
            project: config.project,
            db: database(config.db, dir)?,
            format: config.format.unwrap_or(OutputFormat::Human),
            outputs,
            is_crawl: false,
            findings: FindingArgs {
                group_by: config.group_by,
                sort: config.sort,
                max_findings: config.max_findings,
            },
            fail_on: config.fail_on.unwrap_or_else(|| Verdict::DEFAULT_FAIL_ON.to_vec()),
            max_cache_age: config.max_cache_age.map_or(DAY, |duration| duration.0),
            inputs,
        })
    }
}

/// Returns the output files with their formats. Opens no file, so that an unsupported
/// format fails first.
fn outputs(
    config: &Config,
    paths: Vec<PathBuf>,
    subject: ReportSubject,
) -> Result<Vec<(PathBuf, OutputFormat)>, CommandError> {
    let stdout = subject.require(config.format.unwrap_or(OutputFormat::Human))?;
    paths.into_iter().map(|path| subject.output(path, stdout)).collect()
}

/// Adds the inputs that `--files-from` lists.
fn add_listed_inputs(args: &mut CheckArgs) -> Result<(), CommandError> {
    let Some(list) = args.walk.files_from.take() else { return Ok(()) };
    let text = if list.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin())
    } else {
        relink_files::read_to_string(&list)
    };
    let text = text.map_err(|error| {
        CommandError::usage(format!("cannot read the list of inputs `{}`", list.display()))
            .cause(error.to_string())
            .hint("write one file, directory or URL per line")
    })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    args.inputs.extend(lines.filter(|line| !line.starts_with('#')).map(OsString::from));
    Ok(())
}

/// Returns the rules for reading directories.
fn walk_settings(walk: &WalkArgs) -> LocalFilesSettings {
    let ignored = if walk.no_ignore { IgnoredFiles::Include } else { IgnoredFiles::Skip };
    LocalFilesSettings { ignored, includes_hidden: walk.hidden, ..LocalFilesSettings::default() }
}

/// Rejects an output file that is an input or inside of an input directory, unless the
/// file is an earlier report. Otherwise a mistake could overwrite a document.
fn reject_input_as_output(path: &Path, inputs: &[OsString]) -> Result<(), CommandError> {
    let Ok(output) = path.canonicalize() else { return Ok(()) };
    let contains_output = |input: &OsString| {
        Path::new(input).canonicalize().is_ok_and(|input| output.starts_with(input))
    };
    if !output.is_file() || !inputs.iter().any(contains_output) || is_report(&output) {
        return Ok(());
    }
    Err(CommandError::usage(format!("cannot write `{}`", path.display()))
        .cause("it is an input of the check, and not a report")
        .hint("choose another file name"))
}

/// Whether a file is a report of Relink, or has an extension that no document has.
fn is_report(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let marks: &[&str] = match extension.to_ascii_lowercase().as_str() {
        "md" | "markdown" => &["<!-- relink -->"],
        "html" | "htm" => &["<title>Link check</title>", "Created by Relink"],
        "csv" => &["verdict,code,status,since"],
        "xml" => &["<testsuites name=\"relink\""],
        "txt" | "log" => &["Checked "],
        _ => return true,
    };
    let Ok(text) = relink_files::read_to_string(path) else { return false };
    text.is_empty() || marks.iter().any(|mark| text.contains(mark))
}

/// Returns the current directory.
pub fn current_dir() -> Result<PathBuf, CommandError> {
    std::env::current_dir().map_err(|error| {
        CommandError::internal("cannot determine the current directory").cause(error.to_string())
    })
}

/// Returns the path of the database: the value of `--db`, or the default of the project.
pub fn database(flag: Option<PathBuf>, dir: &Path) -> Result<PathBuf, CommandError> {
    flag.or_else(|| paths::default_database(dir)).ok_or_else(|| {
        CommandError::internal("cannot determine the data directory")
            .hint("set HOME or XDG_DATA_HOME, or use `--db FILE`")
    })
}

/// Returns the path of the database: the value of `--db`, the value in the configuration,
/// or the default of the project.
pub fn database_path(flag: Option<&Path>, config: Option<&Path>) -> Result<PathBuf, CommandError> {
    let dir = current_dir()?;
    let files = read_files(config, &dir)?;
    database(flag.map(Path::to_owned).or(files.db), &dir)
}

/// Converts flags and environment variables to the topmost layer.
fn check_flags(args: CheckArgs) -> Config {
    Config {
        format: args.format.map(OutputFormat::from),
        group_by: args.findings.group_by,
        sort: args.findings.sort,
        max_findings: args.findings.max_findings,
        include: non_empty(args.include),
        exclude: non_empty(args.exclude),
        fail_on: args.fail_on,
        baseline: args.gate.baseline,
        accept: non_empty(args.gate.accept.into_iter().map(AcceptValue::Text).collect()),
        db: args.db,
        offline: args.offline.then_some(true),
        root_dir: non_empty(args.documents.root_dir),
        map: non_empty(args.documents.map),
        site: args.documents.site,
        user_urls: args.documents.base_url.iter().cloned().collect(),
        base_url: args.documents.base_url,
        index_files: args.documents.index_files,
        fallback_extensions: args.documents.fallback_extensions,
        anchors: args.documents.anchors,
        remote_anchors: args.documents.remote_anchors.then_some(true),
        extensions: args.walk.extensions,
        include_mail: args.documents.include_mail.then_some(true),
        include_verbatim: args.documents.include_verbatim.then_some(true),
        remap: non_empty(args.documents.remap),
        ..request_flags(args.request)
    }
}

/// Returns the gate: the rules for findings that fail the run. `accept_for` contains the values
/// of `--accept-for`: a host, its accepted codes, the next host, and so on.
fn gate_plan(config: &Config, accept_for: &[String]) -> Result<GatePlan, CommandError> {
    let mut accepted = AcceptedCodes::default();
    let parse_rule = |code: &str| {
        code.trim().parse().map_err(|error: relink_gate::ParseAcceptError| {
            CommandError::usage(error.to_string()).hint("see `relink explain --list` for all codes")
        })
    };
    for code in config.accept.iter().flatten() {
        accepted.add(None, parse_rule(&code.to_string())?);
    }
    for (name, host) in config.host.iter().flatten() {
        for code in &host.accept {
            accepted.add(Some(name), parse_rule(&code.to_string())?);
        }
    }
    for pair in accept_for.chunks_exact(2) {
        if let [host, codes] = pair {
            for code in codes.split(',') {
                accepted.add(Some(host), parse_rule(code)?);
            }
        }
    }
    let baseline_file = config.baseline.clone();
    Ok(GatePlan { baseline_file, accepted, ..GatePlan::default() })
}

/// Returns `None` for the empty list of a flag that is not given.
fn non_empty<T>(list: Vec<T>) -> Option<Vec<T>> {
    Some(list).filter(|list| !list.is_empty())
}

/// Converts the HTTP options to the topmost layer.
fn request_flags(request: RequestArgs) -> Config {
    let is_policy_of_paper = request.policy.is_some_and(|policy| policy != PolicyArg::Relink);
    // Do not reuse cached results, because they were judged by other rules.
    let policy_cache_age = is_policy_of_paper.then_some(DurationArg(Duration::ZERO));
    Config {
        concurrency: request.concurrency,
        host_concurrency: request.host_concurrency,
        host_interval: request.host_interval,
        timeout: request.timeout,
        retries: request.retries,
        policy: request.policy,
        no_controls: request.no_controls.then_some(true),
        max_cache_age: request.max_cache_age.or(policy_cache_age),
        max_page_size: request.max_page_size,
        header: non_empty(request.header),
        header_for: request::headers_by_host(&request.header_for),
        user_agent: request.user_agent,
        contact: request.contact,
        resolve: non_empty(request.resolve),
        proxy: request.proxy,
        no_proxy: request.no_proxy,
        client_cert: request.client_cert,
        client_key: request.client_key,
        dns_server: request.dns_server,
        allow_private: request.allow_private.then_some(true),
        ..Config::default()
    }
}

/// Returns the rules for reading documents that a configuration file can set.
fn read_options(config: &Config) -> Result<ReadOptions, CommandError> {
    let base = config.base_url.clone();
    if let Some(url) = base.as_ref().filter(|url| !matches!(url.scheme(), "http" | "https")) {
        return Err(CommandError::usage(format!("invalid base URL: `{url}`"))
            .cause(format!("unsupported scheme `{}`", url.scheme()))
            .hint("use an http or https URL, such as `--base-url https://docs.example.org/`"));
    }
    let maps: Vec<PathMap> = config.map.iter().flatten().map(|map| map.0.clone()).collect();
    let roots = config.root_dir.clone().unwrap_or_default();
    check_directories(&roots, &maps)?;
    Ok(ReadOptions {
        local: LocalRules {
            roots,
            maps,
            site: config.site.map_or(SiteChoice::Detect, |site| site.0),
            base,
            index_files: config.index_files.clone().unwrap_or_default(),
            fallback_extensions: config.fallback_extensions.clone().unwrap_or_default(),
            anchors: config.anchors.map_or(LocalRules::default().anchors, |style| style.0),
        },
        remote_anchors: config.remote_anchors.unwrap_or(false),
        includes_code: config.include_verbatim.unwrap_or(false),
        checks_mail: config.include_mail.unwrap_or(false),
        remap: UrlRemap::new(config.remap.as_deref().unwrap_or_default()).map_err(|error| {
            CommandError::usage(format!("invalid rule of `--remap`: `{}`", error.pattern))
                .cause(error.reason)
                .hint("use a form like `--remap '^https://example.org/ http://127.0.0.1:8000/'`")
        })?,
        // Links to reserved names such as `host.example` are skipped, unless a custom
        // resolver or proxy may know the names.
        skips_reserved: config.resolve.is_none()
            && config.proxy.is_none()
            && config.dns_server.is_none(),
        ..ReadOptions::default()
    })
}

fn display(path: impl AsRef<Path>) -> String {
    path.as_ref().display().to_string()
}

fn map_text(map: &PathMap) -> String {
    format!("{}={}", map.prefix, map.dir.display())
}

fn site_text(choice: SiteChoice) -> &'static str {
    match choice {
        SiteChoice::Detect => "auto",
        SiteChoice::Only(generator) => generator.as_str(),
        SiteChoice::Off => "none",
    }
}

/// Checks that the directories of root-relative links exist.
fn check_directories(roots: &[PathBuf], maps: &[PathMap]) -> Result<(), CommandError> {
    let is_missing = |dir: &&PathBuf| !dir.is_dir();
    if let Some(root) = roots.iter().find(is_missing) {
        return Err(CommandError::usage(format!("invalid root directory: `{}`", root.display()))
            .cause("no such directory")
            .hint("set `--root-dir` to the base directory of links such as `/guide.md`"));
    }
    match maps.iter().map(|map| &map.dir).find(is_missing) {
        None => Ok(()),
        Some(dir) => Err(CommandError::usage(format!("invalid mapping to `{}`", dir.display()))
            .cause("no such directory")
            .hint("use a form like `--map /guide=docs`")),
    }
}

/// Merges the configuration files: the file of `--config` or of the project, and the
/// user's file, which has lower precedence.
fn read_files(flag: Option<&Path>, dir: &Path) -> Result<Config, CommandError> {
    let upper = match flag.map(Path::to_owned).or_else(|| paths::project_config(dir)) {
        None => Config::default(),
        Some(file) => read_upper(&file, dir)?,
    };
    let lower = match paths::user_config() {
        None => Config::default(),
        Some(file) => Config::read(&file)?,
    };
    Ok(upper.over(lower))
}

/// Reads the file of `--config` or of the project. Ignores keys that a project must not
/// set if the file is inside of the project, even with `--config`.
fn read_upper(file: &Path, dir: &Path) -> Result<Config, CommandError> {
    let root = paths::project_root(dir);
    if !is_inside(&root, &dir.join(file)) {
        return Config::read(file);
    }
    let config = Config::read_project(file, &root, dir)?;
    config.project.iter().for_each(ProjectConfig::warn);
    Ok(config)
}

fn load_settings(
    inputs: &[OsString],
    config: &Config,
    options: ReadOptions,
    fresh_since: Timestamp,
    dispatch: &DispatchSettings,
    spool_file: &mut Option<SpoolFile>,
) -> Result<LoadSettings, CommandError> {
    Ok(LoadSettings {
        inputs: inputs
            .iter()
            .map(|text| parse_input(text, spool_file))
            .collect::<Result<_, _>>()?,
        scope: url_filter(config)?,
        is_offline: config.offline.unwrap_or(false),
        fresh_since,
        politeness: dispatch.politeness,
        max_host_wait: dispatch.max_host_wait,
        retries: dispatch.policy.retries,
        max_page_bytes: page_bytes(config),
        read_options: options,
        revision: std::env::current_dir().ok().and_then(|dir| relink_git::head_commit(&dir)),
    })
}

fn url_filter(config: &Config) -> Result<UrlFilter, CommandError> {
    let include = config.include.as_deref().unwrap_or_default();
    let exclude = config.exclude.as_deref().unwrap_or_default();
    UrlFilter::new(include, exclude).map_err(|error| {
        // The reason is a message of the library `regex`.
        let reason = error.reason.trim_start_matches("error: ");
        CommandError::usage(format!("invalid pattern: `{}`", error.pattern))
            .cause(reason)
            .hint("use a regular expression, or a glob with `*`")
    })
}

/// Returns the oldest time of a reusable result. With a maximum age of 0, no result
/// is reusable, not even one of the current time.
fn fresh_since(now: Timestamp, max_age: Duration) -> Timestamp {
    if max_age.is_zero() {
        return Timestamp::MAX;
    }
    let max_age = SignedDuration::try_from(max_age).unwrap_or(SignedDuration::MAX);
    now.checked_sub(max_age).unwrap_or(Timestamp::MIN)
}

/// Returns the inputs as text. Invalid UTF-8 is replaced.
fn display_inputs(inputs: &[OsString]) -> Vec<String> {
    inputs.iter().map(|input| input.to_string_lossy().into_owned()).collect()
}

/// Parses an input. Large standard input is written to a temporary file, which is stored
/// in `spool_file`.
fn parse_input(
    argument: &OsStr,
    spool_file: &mut Option<SpoolFile>,
) -> Result<Input, CommandError> {
    let Some(text) = argument.to_str() else { return Ok(Input::Path(argument.into())) };
    if text == "-" {
        let stdin = Stdin::read()?;
        *spool_file = stdin.spool_file.or_else(|| spool_file.take());
        return Ok(stdin.input);
    }
    let is_web = text.starts_with("http://") || text.starts_with("https://");
    if !is_web {
        return Ok(Input::Path(text.into()));
    }
    let url: Url = relink_frontier::canonicalize(None, text).map_err(|error| {
        CommandError::usage(format!("invalid URL: `{text}`"))
            .cause(error.to_string())
            .hint("for a file with this name, use `./` in front of it")
    })?;
    Ok(Input::Page { original_url: text.to_owned(), url })
}

/// Returns the rules for verdicts.
fn judging(config: &Config) -> Judging {
    Judging {
        policy: config.policy.unwrap_or_default(),
        uses_controls: !config.no_controls.unwrap_or(false),
    }
}

/// Returns the settings of the scheduler that sends requests.
fn dispatch_settings(config: &Config, max_age: Duration) -> DispatchSettings {
    let defaults = DispatchSettings::default();
    let judging = judging(config);
    let policy = judging.policy.policy();
    let interval =
        config.host_interval.map_or(PolitenessPolicy::CHECK_INTERVAL, |duration| duration.0);
    let host_concurrency = config.host_concurrency.unwrap_or(PolitenessPolicy::CHECK_CONCURRENCY);
    DispatchSettings {
        concurrency: config.concurrency.unwrap_or(defaults.concurrency).max(1),
        politeness: PolitenessPolicy::check(host_concurrency, interval),
        policy: Policy { retries: config.retries.unwrap_or(policy.retries), ..policy },
        uses_controls: judging.uses_controls,
        // A control is a URL fetched only for comparison. With a maximum age of 0, controls
        // are not cached either.
        max_control_age: if max_age.is_zero() { Duration::ZERO } else { defaults.max_control_age },
        max_page_bytes: page_bytes(config),
        ..defaults
    }
}

/// Returns the maximum size of a page that is read for its links or anchors.
fn page_bytes(config: &Config) -> usize {
    config.max_page_size.map_or(DispatchSettings::MAX_PAGE_BYTES, |size| size.0)
}

/// Returns the start of a run key: the rules for verdicts, unless these are the default.
fn judging_key(config: &Config) -> RunKeyText {
    let Judging { policy, uses_controls } = judging(config);
    let mut key = RunKeyText::new();
    if policy != PolicyArg::Relink {
        key = key.with("policy", policy.as_str());
    }
    if !uses_controls {
        key = key.with("controls", "none");
    }
    key
}

/// Returns the settings that identify a run, in addition to its inputs. A run is resumed
/// only with equal settings. Rate limits are not included, so they may change.
fn run_key(config: &Config, options: &ReadOptions, dir: &Path) -> RunKeyText {
    let local = &options.local;
    let maps: Vec<String> = local.maps.iter().map(map_text).collect();
    let values = |list: &Option<Vec<String>>| list.clone().unwrap_or_default();
    let mut key = judging_key(config)
        .with_optional("format", options.format.map(DocumentFormat::as_str))
        .with_optional("column", options.column.as_ref().map(column_text))
        .with_list("root", &local.roots.iter().map(display).collect::<Vec<_>>())
        .with_optional("base", local.base.as_ref())
        .with_list("index-files", &local.index_files)
        .with_list("fallback-extensions", &local.fallback_extensions)
        .with("anchors", local.anchors.map_or("off", SlugStyle::as_str))
        .with("remote-anchors", options.remote_anchors)
        .with("skip-reserved", options.skips_reserved)
        .with("folder", dir.display())
        .with_list("include", &values(&config.include))
        .with_list("exclude", &values(&config.exclude))
        .with("offline", config.offline.unwrap_or(false));
    if !maps.is_empty() || local.site != SiteChoice::Detect {
        key = key.with_list("map", &maps).with("site", site_text(local.site));
    }
    with_lychee_settings(key, config)
}

/// Adds the settings of flags that were adopted from lychee, unless they are the default.
fn with_lychee_settings(mut key: RunKeyText, config: &Config) -> RunKeyText {
    for (name, list) in [("extensions", &config.extensions), ("remap", &config.remap)] {
        if let Some(list) = list {
            key = key.with_list(name, list);
        }
    }
    for (name, flag) in
        [("include-verbatim", config.include_verbatim), ("include-mail", config.include_mail)]
    {
        if flag == Some(true) {
            key = key.with(name, true);
        }
    }
    key
}

fn column_text(column: &Column) -> String {
    match column {
        Column::Number(number) => number.to_string(),
        Column::Named(name) => name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_key_is_stable_for_default_settings() {
        let options = read_options(&Config::default()).unwrap();
        let scope = run_key(&Config::default(), &options, Path::new("/project")).into_scope();
        assert_eq!(
            scope["settings"],
            "v1;format=;column=;root=;base=;index-files=;fallback-extensions=;anchors=any;\
             remote-anchors=false;skip-reserved=true;folder=/project;include=;exclude=;offline=false"
        );
    }

    #[test]
    fn run_key_contains_all_changed_settings() {
        let options = ReadOptions {
            format: Some(DocumentFormat::Markdown),
            column: Some(Column::Number(3)),
            local: LocalRules {
                roots: vec!["site".into(), "static".into()],
                maps: vec![PathMap { prefix: "/guide".to_owned(), dir: "docs".into() }],
                site: SiteChoice::Off,
                base: Url::parse("https://docs.example.org/").ok(),
                index_files: vec!["index.html".to_owned()],
                fallback_extensions: vec!["md".to_owned(), "rst".to_owned()],
                anchors: None,
            },
            remote_anchors: true,
            skips_reserved: false,
            // Wikis set this field, and are identified by their inputs.
            is_third_party: false,
            ..ReadOptions::default()
        };
        let config = Config {
            include: Some(vec!["a".to_owned()]),
            exclude: Some(vec!["b".to_owned(), "c".to_owned()]),
            offline: Some(true),
            ..Config::default()
        };
        let scope = run_key(&config, &options, Path::new("/project")).into_scope();
        assert_eq!(
            scope["settings"],
            "v1;format=markdown;column=3;root=site,static;base=https://docs.example.org/;\
             index-files=index.html;fallback-extensions=md,rst;anchors=off;remote-anchors=true;\
             skip-reserved=false;folder=/project;include=a;exclude=b,c;offline=true;\
             map=/guide=docs;site=none"
        );
    }
}
