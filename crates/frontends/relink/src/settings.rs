//! What the command line and the configuration mean together.
//!
//! Layers, the later ones winning: defaults, the user's file, the project's
//! `relink.toml`, `RELINK_*` variables, flags.

mod crawl;
mod decay;
mod network;
mod request;
mod revive;
mod survey;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use relink_engine::{
    CheckSettings, DispatchSettings, Input, LoadSettings, LocalRules, ReadOptions,
};
use relink_frontier::{PolitenessPolicy, UrlFilter};
use relink_judge::Policy;
use relink_model::Verdict;
use relink_page::Column;
use relink_ports::RunStats;
use url::Url;

use crate::cli::{CheckArgs, OutputFormat, RequestArgs};
use crate::config::{Config, ProjectConfig, is_inside};
use crate::error::CommandError;
use crate::output::ReportSubject;
use crate::paths;
use crate::stdin::{SpoolFile, Stdin};

pub use self::crawl::CrawlPlan;
pub use self::decay::{DecayPlan, DecaySubject};
pub use self::revive::{ArchiveChoice, RevivePlan, ReviveSetup, SearchChoice};
pub use self::survey::{SurveyPlan, catalog_fields, catalog_source};

const DAY: Duration = Duration::from_hours(24);

/// Everything `relink check` needs to know.
pub struct CheckPlan {
    /// For the engine.
    pub check: CheckSettings,
    /// How dead pages are looked for afterwards, if they are.
    pub looking: Option<ReviveSetup>,
    /// For everything around it.
    pub run: RunSettings,
    /// Where standard input was put aside, which must last as long as the run.
    #[expect(dead_code, reason = "it is there to be dropped")]
    pub aside: Option<SpoolFile>,
}

/// What every command that asks servers needs to know.
pub struct RunSettings {
    /// For the fetcher.
    pub fetch: relink_fetch::FetchSettings,
    /// The database file.
    pub db: PathBuf,
    /// What stdout gets.
    pub format: OutputFormat,
    /// Files to write too, with their formats.
    pub outputs: Vec<(PathBuf, OutputFormat)>,
    /// The words that fail the run.
    pub fail_on: Vec<Verdict>,
    /// How old a remembered answer may be.
    pub max_age: Duration,
    /// The inputs as given.
    pub inputs: Vec<String>,
    /// What the project's file sets.
    pub project: Option<ProjectConfig>,
}

impl CheckPlan {
    /// Merges all layers.
    pub fn resolve(mut args: CheckArgs, now: Timestamp) -> Result<Self, CommandError> {
        let folder = current_folder()?;
        let files = read_files(args.config.as_deref(), &folder)?;
        let (inputs, output, fresh) = (args.inputs.clone(), args.output.clone(), args.fresh);
        let (format, column) = (args.reading.read_as, args.reading.column.clone());
        let reviving = std::mem::take(&mut args.reviving);
        let is_reviving = reviving.revive;
        let revive = revive::reviving_flags(reviving);
        let config = Config { revive, ..flags(args) }.over(files);
        let outputs = outputs(&config, output, ReportSubject::Check)?;
        let reading = ReadOptions {
            format,
            column: column.as_deref().map(Column::from),
            ..reading(&config)?
        };
        let max_age = config.max_age.map_or(DAY, |span| span.0);
        let ask = ask_settings(&config, max_age);
        let mut aside = None;
        Ok(Self {
            looking: is_reviving
                .then(|| ReviveSetup::new(&config.revive, &ask, now))
                .transpose()?,
            check: CheckSettings {
                ask,
                is_fresh: fresh,
                scope: identity(&config, &reading, &folder),
                load: load_settings(&inputs, &config, reading, (now, max_age), &mut aside)?,
            },
            run: RunSettings::new(config, &folder, outputs, shown(&inputs))?,
            aside,
        })
    }
}

impl RunSettings {
    /// Says on stderr what the project's file sets, where the report cannot.
    pub fn note_project(&self) {
        if let Some(line) = self.project.as_ref().and_then(ProjectConfig::line) {
            CommandError::usage(line).remark();
        }
    }

    /// How many findings fail the run.
    pub fn failing(&self, tally: &RunStats) -> u64 {
        self.fail_on.iter().map(|word| tally.verdicts.get(word).copied().unwrap_or(0)).sum()
    }

    fn new(
        config: Config,
        folder: &Path,
        outputs: Vec<(PathBuf, OutputFormat)>,
        inputs: Vec<String>,
    ) -> Result<Self, CommandError> {
        Ok(Self {
            fetch: request::fetch_settings(&config, &inputs)?,
            project: config.project,
            db: database(config.db, folder)?,
            format: config.format.unwrap_or(OutputFormat::Human),
            outputs,
            fail_on: config.fail_on.unwrap_or_else(|| Verdict::DEFAULT_FAIL_ON.to_vec()),
            max_age: config.max_age.map_or(DAY, |span| span.0),
            inputs,
        })
    }
}

/// The reports to write, each known to exist before any file is touched.
fn outputs(
    config: &Config,
    paths: Vec<PathBuf>,
    subject: ReportSubject,
) -> Result<Vec<(PathBuf, OutputFormat)>, CommandError> {
    let stdout = subject.require(config.format.unwrap_or(OutputFormat::Human))?;
    let with_format = |path: PathBuf| {
        let format = subject.format_of(&path, stdout)?;
        Ok((path, format))
    };
    paths.into_iter().map(with_format).collect()
}

/// The directory the command runs in.
pub fn current_folder() -> Result<PathBuf, CommandError> {
    std::env::current_dir().map_err(|error| {
        CommandError::internal("cannot tell which directory this is").cause(error.to_string())
    })
}

/// The database to use: the one named, or the project's own.
pub fn database(named: Option<PathBuf>, folder: &Path) -> Result<PathBuf, CommandError> {
    named.or_else(|| paths::default_database(folder)).ok_or_else(|| {
        CommandError::internal("cannot tell where your data directory is")
            .hint("set HOME or XDG_DATA_HOME, or name a file with `--db FILE`")
    })
}

/// Flags (and variables, which are read with them) as the topmost layer.
fn flags(args: CheckArgs) -> Config {
    Config {
        format: args.format.map(OutputFormat::from),
        include: said(args.include),
        exclude: said(args.exclude),
        fail_on: args.fail_on,
        db: args.db,
        offline: args.offline.then_some(true),
        root_dir: args.reading.root_dir,
        named_urls: args.reading.base_url.iter().cloned().collect(),
        base_url: args.reading.base_url,
        index_files: args.reading.index_files,
        fallback_extensions: args.reading.fallback_extensions,
        anchors: args.reading.anchors,
        remote_anchors: args.reading.remote_anchors.then_some(true),
        ..asking_flags(args.asking)
    }
}

fn said<T>(list: Vec<T>) -> Option<Vec<T>> {
    Some(list).filter(|list| !list.is_empty())
}

/// The flags of every command that asks servers.
fn asking_flags(asking: RequestArgs) -> Config {
    Config {
        concurrency: asking.concurrency,
        host_concurrency: asking.host_concurrency,
        host_interval: asking.host_interval,
        timeout: asking.timeout,
        retries: asking.retries,
        max_age: asking.max_age,
        max_page_size: asking.max_page_size,
        header: said(asking.header),
        header_for: request::headers_by_host(&asking.header_for),
        user_agent: asking.user_agent,
        contact: asking.contact,
        resolve: Some(asking.resolve).filter(|list| !list.is_empty()),
        proxy: asking.proxy,
        no_proxy: asking.no_proxy,
        client_cert: asking.client_cert,
        client_key: asking.client_key,
        dns_server: asking.dns_server,
        allow_private: asking.allow_private.then_some(true),
        ..Config::default()
    }
}

/// How documents are read, as far as a file may say.
fn reading(config: &Config) -> Result<ReadOptions, CommandError> {
    let base = config.base_url.clone();
    if let Some(url) = base.as_ref().filter(|url| !matches!(url.scheme(), "http" | "https")) {
        return Err(CommandError::usage(format!("`{url}` is no address to publish under"))
            .cause(format!("`{}:` leads to no web page", url.scheme()))
            .hint("write it like `--base-url https://docs.example.org/`"));
    }
    if let Some(root) = config.root_dir.as_ref().filter(|root| !root.is_dir()) {
        return Err(CommandError::usage(format!("`{}` cannot be the root", root.display()))
            .cause("there is no such directory")
            .hint("`--root-dir` names the directory that links like `/guide.md` start from"));
    }
    Ok(ReadOptions {
        local: LocalRules {
            root: config.root_dir.clone(),
            base,
            index_files: config.index_files.clone().unwrap_or_default(),
            fallback_extensions: config.fallback_extensions.clone().unwrap_or_default(),
            anchors: config.anchors.map_or(LocalRules::default().anchors, |style| style.0),
        },
        remote_anchors: config.remote_anchors.unwrap_or(false),
        // Who says where names lead may well say it of these.
        skips_reserved: config.resolve.is_none()
            && config.proxy.is_none()
            && config.dns_server.is_none(),
        ..ReadOptions::default()
    })
}

fn read_files(named: Option<&Path>, folder: &Path) -> Result<Config, CommandError> {
    let upper = match named.map(Path::to_owned).or_else(|| paths::project_config(folder)) {
        None => Config::default(),
        Some(file) => read_upper(&file, folder)?,
    };
    let user = paths::user_config();
    let user = user.map_or_else(|| Ok(Config::default()), |file| Config::read(&file))?;
    Ok(upper.over(user))
}

/// A file in the project is the project's, however it is named.
fn read_upper(file: &Path, folder: &Path) -> Result<Config, CommandError> {
    let root = paths::project_root(folder);
    if !is_inside(&root, &folder.join(file)) {
        return Config::read(file);
    }
    let config = Config::read_project(file, &root, folder)?;
    config.project.iter().for_each(ProjectConfig::warn);
    Ok(config)
}

fn load_settings(
    inputs: &[OsString],
    config: &Config,
    reading: ReadOptions,
    (now, max_age): (Timestamp, Duration),
    aside: &mut Option<SpoolFile>,
) -> Result<LoadSettings, CommandError> {
    Ok(LoadSettings {
        inputs: inputs.iter().map(|text| input(text, aside)).collect::<Result<_, _>>()?,
        scope: pattern_scope(config)?,
        is_offline: config.offline.unwrap_or(false),
        fresh_since: fresh_since(now, max_age),
        pause: config.host_interval.map_or(PolitenessPolicy::CHECK_INTERVAL, |span| span.0),
        page_bytes: page_bytes(config),
        reading,
    })
}

fn pattern_scope(config: &Config) -> Result<UrlFilter, CommandError> {
    let include = config.include.as_deref().unwrap_or_default();
    let exclude = config.exclude.as_deref().unwrap_or_default();
    UrlFilter::new(include, exclude).map_err(|error| {
        let reason = error.reason.trim_start_matches("error: ");
        CommandError::usage(format!("`{}` is not a pattern", error.pattern))
            .cause(reason)
            .hint("a pattern is a regular expression, or a glob with `*`")
    })
}

/// From when on a remembered answer will do. With no age at all nothing is
/// ever fresh, not even what this very moment brought.
fn fresh_since(now: Timestamp, max_age: Duration) -> Timestamp {
    let age = SignedDuration::try_from(max_age).unwrap_or(SignedDuration::MAX);
    if max_age.is_zero() { Timestamp::MAX } else { now.checked_sub(age).unwrap_or(Timestamp::MIN) }
}

/// Inputs as reports show them; bytes that are not UTF-8 are replaced.
fn shown(inputs: &[OsString]) -> Vec<String> {
    inputs.iter().map(|input| input.to_string_lossy().into_owned()).collect()
}

/// What an input means; much of standard input is put `aside`.
fn input(given: &OsStr, aside: &mut Option<SpoolFile>) -> Result<Input, CommandError> {
    let Some(text) = given.to_str() else { return Ok(Input::Path(given.into())) };
    if text == "-" {
        let stdin = Stdin::read()?;
        *aside = stdin.aside.or_else(|| aside.take());
        return Ok(stdin.input);
    }
    let is_web = text.starts_with("http://") || text.starts_with("https://");
    if !is_web {
        return Ok(Input::Path(text.into()));
    }
    let url: Url = relink_frontier::canonicalize(None, text).map_err(|error| {
        CommandError::usage(format!("`{text}` is not a URL"))
            .cause(error.to_string())
            .hint("for a file of that name write `./` before it")
    })?;
    Ok(Input::Page { original_url: text.to_owned(), url })
}

fn ask_settings(config: &Config, max_age: Duration) -> DispatchSettings {
    let defaults = DispatchSettings::default();
    let interval = config.host_interval.map_or(PolitenessPolicy::CHECK_INTERVAL, |span| span.0);
    let host_concurrency = config.host_concurrency.unwrap_or(PolitenessPolicy::CHECK_CONCURRENCY);
    DispatchSettings {
        concurrency: config.concurrency.unwrap_or(defaults.concurrency).max(1),
        politeness: PolitenessPolicy::check(host_concurrency, interval),
        policy: Policy {
            retries: config.retries.unwrap_or(defaults.policy.retries),
            ..defaults.policy
        },
        // Who wants nothing remembered wants no remembered comparison either.
        control_age: if max_age.is_zero() { Duration::ZERO } else { defaults.control_age },
        page_bytes: page_bytes(config),
        ..defaults
    }
}

/// Bytes read of a page for its links or anchors.
fn page_bytes(config: &Config) -> usize {
    config.max_page_size.map_or(DispatchSettings::PAGE_BYTES, |size| size.0)
}

/// What beside the inputs decides which run this is. How fast it is asked
/// does not.
fn identity(config: &Config, reading: &ReadOptions, folder: &Path) -> BTreeMap<String, String> {
    let list = |list: &Option<Vec<String>>| list.as_deref().unwrap_or_default().join("\u{1f}");
    BTreeMap::from([
        ("reading".to_owned(), format!("{reading:?}")),
        ("folder".to_owned(), folder.display().to_string()),
        ("include".to_owned(), list(&config.include)),
        ("exclude".to_owned(), list(&config.exclude)),
        ("offline".to_owned(), config.offline.unwrap_or(false).to_string()),
    ])
}
