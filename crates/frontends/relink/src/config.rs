//! Configuration files: `relink.toml` of the project and `config.toml` of the
//! user. The keys are the long flag names.

mod host;
mod project;
mod revive;
mod toml_error;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use relink_fetch::ResolveOverride;
use relink_model::Verdict;
use serde::{Deserialize, Deserializer};
use url::Url;

pub use self::host::{HostConfig, Secret};
pub use self::project::{ProjectConfig, is_inside};
pub use self::revive::ReviveConfig;
use crate::byte_size::ByteSize;
use crate::cli::{AnchorStyle, GroupByArg, OutputFormat, PathMapArg, SiteArg, SortArg};
use crate::duration_arg::DurationArg;
use crate::error::CommandError;
use crate::settings::PolicyArg;

/// One layer of configuration: the flags, or a file. Keys that are not set are `None`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Config {
    /// See `--format`.
    pub format: Option<OutputFormat>,
    /// See `--group-by`.
    pub group_by: Option<GroupByArg>,
    /// See `--sort`.
    pub sort: Option<SortArg>,
    /// See `--max-findings`.
    pub max_findings: Option<usize>,
    /// See `--include`.
    pub include: Option<Vec<String>>,
    /// See `--exclude`.
    pub exclude: Option<Vec<String>>,
    /// See `--fail-on`.
    pub fail_on: Option<Vec<Verdict>>,
    /// See `--baseline`.
    pub baseline: Option<PathBuf>,
    /// See `--accept`.
    pub accept: Option<Vec<AcceptValue>>,
    /// See `--db`.
    pub db: Option<PathBuf>,
    /// See `--concurrency`.
    pub concurrency: Option<usize>,
    /// See `--host-concurrency`.
    pub host_concurrency: Option<usize>,
    /// See `--host-interval`.
    pub host_interval: Option<DurationArg>,
    /// See `--timeout`.
    pub timeout: Option<DurationArg>,
    /// See `--retries`.
    pub retries: Option<u32>,
    /// See `--policy`.
    #[serde(skip)]
    pub policy: Option<PolicyArg>,
    /// See `--no-controls`.
    #[serde(skip)]
    pub no_controls: Option<bool>,
    /// See `--max-cache-age`.
    pub max_cache_age: Option<DurationArg>,
    /// See `--max-page-links`.
    pub max_page_links: Option<usize>,
    /// See `--max-page-size`.
    pub max_page_size: Option<ByteSize>,
    /// See `--header`.
    pub header: Option<Vec<String>>,
    /// See `--header-for`: the headers of each host.
    pub header_for: Option<BTreeMap<String, Vec<String>>>,
    /// See `--user-agent`.
    pub user_agent: Option<String>,
    /// See `--contact`.
    pub contact: Option<String>,
    /// See `--resolve`.
    #[serde(deserialize_with = "parse_list")]
    pub resolve: Option<Vec<ResolveOverride>>,
    /// See `--proxy`. Parsed later, so that error messages do not contain the password.
    pub proxy: Option<String>,
    /// See `--no-proxy`.
    pub no_proxy: Option<Vec<String>>,
    /// See `--client-cert`.
    pub client_cert: Option<PathBuf>,
    /// See `--client-key`.
    pub client_key: Option<PathBuf>,
    /// Settings of single hosts. Accepted only in the user's own file.
    pub host: Option<BTreeMap<String, HostConfig>>,
    /// See `--dns-server`.
    pub dns_server: Option<SocketAddr>,
    /// See `--allow-private`.
    pub allow_private: Option<bool>,
    /// See `--offline`.
    pub offline: Option<bool>,
    /// See `--root-dir`.
    #[serde(deserialize_with = "parse_paths")]
    pub root_dir: Option<Vec<PathBuf>>,
    /// See `--map`.
    #[serde(deserialize_with = "parse_list")]
    pub map: Option<Vec<PathMapArg>>,
    /// See `--site`.
    #[serde(deserialize_with = "parse_optional")]
    pub site: Option<SiteArg>,
    /// See `--base-url`.
    #[serde(deserialize_with = "parse_optional")]
    pub base_url: Option<Url>,
    /// See `--index-files`.
    pub index_files: Option<Vec<String>>,
    /// See `--fallback-extensions`.
    pub fallback_extensions: Option<Vec<String>>,
    /// See `--anchors`.
    #[serde(deserialize_with = "parse_optional")]
    pub anchors: Option<AnchorStyle>,
    /// See `--remote-anchors`.
    pub remote_anchors: Option<bool>,
    /// See `--extensions`.
    pub extensions: Option<Vec<String>>,
    /// See `--include-mail`.
    pub include_mail: Option<bool>,
    /// See `--include-verbatim`.
    pub include_verbatim: Option<bool>,
    /// See `--remap`.
    pub remap: Option<Vec<String>>,
    /// See the flags of `relink revive`.
    pub revive: ReviveConfig,
    /// URLs that the user set: the base URL and sitemaps. Their hosts receive the headers of
    /// `--header`.
    #[serde(skip)]
    pub user_urls: Vec<Url>,
    /// The keys that the project's file sets; `None` if no such file was read.
    #[serde(skip)]
    pub project: Option<ProjectConfig>,
}

/// All keys of a configuration file except tables, each with an example value.
pub const KEY_EXAMPLES: &[(&str, &str)] = &[
    ("accept", "[429, \"RL520\"]"),
    ("allow-private", "true"),
    ("anchors", "\"github\""),
    ("baseline", "\"relink-baseline.json\""),
    ("base-url", "\"https://docs.example.org/\""),
    ("client-cert", "\"me.pem\""),
    ("client-key", "\"me.key\""),
    ("concurrency", "64"),
    ("contact", "\"https://example.org/bot\""),
    ("db", "\".relink.db\""),
    ("dns-server", "\"127.0.0.1:53\""),
    ("exclude", "[\"https://example.org/drafts/*\"]"),
    ("extensions", "[\"md\", \"html\"]"),
    ("fail-on", "[\"dead\", \"soft-404\", \"hijacked\", \"local\"]"),
    ("fallback-extensions", "[\"md\"]"),
    ("format", "\"human\""),
    ("group-by", "\"cause\""),
    ("header", "[\"Accept-Language: en\"]"),
    ("header-for", "{ \"example.org\" = [\"Accept-Language: en\"] }"),
    ("host-concurrency", "4"),
    ("host-interval", "\"100ms\""),
    ("include", "[\"https://example.org/*\"]"),
    ("include-mail", "true"),
    ("include-verbatim", "true"),
    ("index-files", "[\"README.md\"]"),
    ("map", "[\"/guide=docs\"]"),
    ("max-cache-age", "\"1d\""),
    ("max-findings", "50"),
    ("max-page-links", "100000"),
    ("max-page-size", "\"16M\""),
    ("no-proxy", "[\"localhost\"]"),
    ("offline", "true"),
    ("proxy", "\"http://127.0.0.1:8080\""),
    ("remap", "[\"^https://example.org/ http://127.0.0.1:8000/\"]"),
    ("remote-anchors", "true"),
    ("resolve", "[\"example.test:80:127.0.0.1\"]"),
    ("retries", "2"),
    ("root-dir", "\"site\""),
    ("site", "\"hugo\""),
    ("sort", "\"file\""),
    ("timeout", "\"10s\""),
    ("user-agent", "\"Example/1.0\""),
];

/// The tables of a configuration file.
const TABLES: [&str; 2] = ["host", "revive"];

/// Returns all keys of a configuration file.
fn known_keys() -> Vec<&'static str> {
    KEY_EXAMPLES.iter().map(|(key, _)| *key).chain(TABLES).collect()
}

/// Minimum similarity (Jaro-Winkler) of a known key that is suggested for an unknown key.
const MIN_SIMILARITY: f64 = 0.8;

impl Config {
    /// Reads the user's file, which may set all keys.
    pub fn read(path: &Path) -> Result<Self, CommandError> {
        let (mut config, _) = Self::parse(&read_text(path)?, path)?;
        config.user_urls = config.base_url.clone().into_iter().collect();
        let dir = path.parent().unwrap_or(Path::new(""));
        for host in config.host.iter_mut().flat_map(BTreeMap::values_mut) {
            host.resolve_paths(dir);
        }
        Ok(config)
    }

    /// Reads a file of the project. Ignores the keys that [`project`] forbids. Relative
    /// paths are relative to `dir`.
    pub fn read_project(path: &Path, root: &Path, dir: &Path) -> Result<Self, CommandError> {
        let (config, table) = Self::parse(&read_text(path)?, path)?;
        let (config, project) = project::restrict(config, &table, path, root, dir);
        Ok(Self { project: Some(project), ..config })
    }

    /// Parses a file. Also returns the table with the values as they are written.
    fn parse(text: &str, path: &Path) -> Result<(Self, toml::Table), CommandError> {
        let invalid = |masked_values: &[&str], error: &toml::de::Error| {
            CommandError::usage(format!("invalid configuration file `{}`", path.display()))
                .cause(toml_error::describe(text, masked_values, error))
                .hint("the keys are the long flag names; see `relink check --help`")
        };
        let table: toml::Table = text.parse().map_err(|error| invalid(&[], &error))?;
        for key in table.keys() {
            check_key(key, &known_keys(), path)?;
        }
        if let Some(toml::Value::Table(revive)) = table.get("revive") {
            for key in revive.keys() {
                check_key(key, &ReviveConfig::KEYS, path)?;
            }
        }
        if let Some(toml::Value::Table(hosts)) = table.get("host") {
            for host in hosts.values().filter_map(toml::Value::as_table) {
                for key in host.keys() {
                    check_key(key, &HostConfig::KEYS, path)?;
                }
            }
        }
        let config =
            toml::from_str(text).map_err(|error| invalid(&toml_error::strings(&table), &error))?;
        Ok((config, table))
    }

    /// Merges this layer with a lower one. A key of this layer wins.
    pub fn over(self, lower: Self) -> Self {
        Self {
            format: self.format.or(lower.format),
            group_by: self.group_by.or(lower.group_by),
            sort: self.sort.or(lower.sort),
            max_findings: self.max_findings.or(lower.max_findings),
            include: self.include.or(lower.include),
            exclude: self.exclude.or(lower.exclude),
            fail_on: self.fail_on.or(lower.fail_on),
            baseline: self.baseline.or(lower.baseline),
            accept: self.accept.or(lower.accept),
            db: self.db.or(lower.db),
            concurrency: self.concurrency.or(lower.concurrency),
            host_concurrency: self.host_concurrency.or(lower.host_concurrency),
            host_interval: self.host_interval.or(lower.host_interval),
            timeout: self.timeout.or(lower.timeout),
            retries: self.retries.or(lower.retries),
            policy: self.policy.or(lower.policy),
            no_controls: self.no_controls.or(lower.no_controls),
            max_cache_age: self.max_cache_age.or(lower.max_cache_age),
            max_page_links: self.max_page_links.or(lower.max_page_links),
            max_page_size: self.max_page_size.or(lower.max_page_size),
            header: self.header.or(lower.header),
            header_for: self.header_for.or(lower.header_for),
            user_agent: self.user_agent.or(lower.user_agent),
            contact: self.contact.or(lower.contact),
            resolve: self.resolve.or(lower.resolve),
            proxy: self.proxy.or(lower.proxy),
            no_proxy: self.no_proxy.or(lower.no_proxy),
            client_cert: self.client_cert.or(lower.client_cert),
            client_key: self.client_key.or(lower.client_key),
            host: self.host.or(lower.host),
            dns_server: self.dns_server.or(lower.dns_server),
            allow_private: self.allow_private.or(lower.allow_private),
            offline: self.offline.or(lower.offline),
            root_dir: self.root_dir.or(lower.root_dir),
            map: self.map.or(lower.map),
            site: self.site.or(lower.site),
            base_url: self.base_url.or(lower.base_url),
            index_files: self.index_files.or(lower.index_files),
            fallback_extensions: self.fallback_extensions.or(lower.fallback_extensions),
            anchors: self.anchors.or(lower.anchors),
            remote_anchors: self.remote_anchors.or(lower.remote_anchors),
            extensions: self.extensions.or(lower.extensions),
            include_mail: self.include_mail.or(lower.include_mail),
            include_verbatim: self.include_verbatim.or(lower.include_verbatim),
            remap: self.remap.or(lower.remap),
            revive: self.revive.over(lower.revive),
            user_urls: [self.user_urls, lower.user_urls].concat(),
            project: self.project.or(lower.project),
        }
    }
}

/// A code or status of `accept`, as a number or as text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum AcceptValue {
    /// An HTTP status.
    Status(u16),
    /// A code, a status or a range.
    Text(String),
}

impl Display for AcceptValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status(status) => write!(f, "{status}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

fn read_text(path: &Path) -> Result<String, CommandError> {
    relink_files::read_to_string(path).map_err(|error| {
        CommandError::usage(format!("cannot read the configuration file `{}`", path.display()))
            .cause(error.to_string())
            .hint("use another file with `--config FILE`")
    })
}

/// Returns an error for an unknown key. The hint of the error names a similar known key.
fn check_key(key: &str, keys: &[&str], path: &Path) -> Result<(), CommandError> {
    if keys.contains(&key) {
        return Ok(());
    }
    let error = CommandError::usage(format!("invalid configuration file `{}`", path.display()))
        .cause(format!("unknown key `{key}`"));
    let similarity = |known: &&str| strsim::jaro_winkler(known, &key.replace('_', "-"));
    let nearest = keys.iter().max_by(|x, y| similarity(x).total_cmp(&similarity(y)));
    Err(match nearest.filter(|known| similarity(known) >= MIN_SIMILARITY) {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error.hint(format!("the keys are {}", keys.join(", "))),
    })
}

/// One path or a list of paths.
#[derive(Deserialize)]
#[serde(untagged)]
enum Paths {
    One(PathBuf),
    Many(Vec<PathBuf>),
}

/// Parses one path or a list of paths.
fn parse_paths<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<PathBuf>>, D::Error> {
    let paths = Option::<Paths>::deserialize(deserializer)?;
    Ok(paths.map(|paths| match paths {
        Paths::One(path) => vec![path],
        Paths::Many(paths) => paths,
    }))
}

/// Parses a list of strings, each with [`FromStr`].
fn parse_list<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let Some(texts) = Option::<Vec<String>>::deserialize(deserializer)? else { return Ok(None) };
    let parse = |text: String| text.parse().map_err(serde::de::Error::custom);
    texts.into_iter().map(parse).collect::<Result<_, _>>().map(Some)
}

/// Parses a string with [`FromStr`].
fn parse_optional<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| text.parse().map_err(serde::de::Error::custom)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_examples_are_valid_and_complete() {
        let examples: Vec<String> =
            KEY_EXAMPLES.iter().map(|(key, example)| format!("{key} = {example}")).collect();
        let text = examples.join("\n");
        let (config, _) = Config::parse(&text, Path::new("relink.toml")).unwrap();
        assert_eq!(config.retries, Some(2));
        // Every field has an example, except tables and fields that no file sets. The `Debug`
        // output indents the lines of fields by exactly four spaces.
        let debug_text = format!("{config:#?}");
        let fields = debug_text.lines().filter_map(|line| line.strip_prefix("    "));
        let is_unset = |field: &&str| !field.starts_with(' ') && field.ends_with(": None,");
        let mut unset: Vec<&str> = fields.filter(is_unset).collect();
        unset.sort_unstable();
        let without_example =
            ["host: None,", "no_controls: None,", "policy: None,", "project: None,"];
        assert_eq!(unset, without_example);
    }

    #[test]
    fn parse_accepts_all_known_keys_of_tables() {
        let all_keys = r#"
            [revive]
            max-result-age = "7d"
            archive = ["none"]
            archive-budget = 10
            date = "2015-01-02"
            replacements = "never"
            min-confidence = 0.9
            live-pages = ["live.txt"]
            search = ["local"]
            search-budget = 20
            max-searches = 2
            warc = ["a.warc.gz"]
            [host."example.org"]
            basic-auth = "user:password"
            client-cert = "me.pem"
            client-key = "me.key"
            accept = [403]
            headers = {}
        "#;
        let (config, _) = Config::parse(all_keys, Path::new("relink.toml")).unwrap();
        assert_eq!(config.revive.search_budget, Some(20));
        // The text sets every known key once.
        let known_keys = ReviveConfig::KEYS.len() + HostConfig::KEYS.len();
        assert_eq!(all_keys.matches('=').count(), known_keys);
    }

    #[test]
    fn over_takes_unset_keys_from_the_lower_layer() {
        let upper = Config { retries: Some(1), ..Config::default() };
        let lower = Config { retries: Some(5), concurrency: Some(9), ..Config::default() };
        let merged = upper.over(lower);
        assert_eq!((merged.retries, merged.concurrency), (Some(1), Some(9)));
    }
}
