//! The configuration files: `relink.toml` of the project, `config.toml` of
//! the user. Their keys are the long names of the flags.

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
use crate::cli::{AnchorStyle, OutputFormat};
use crate::duration_arg::DurationArg;
use crate::error::CommandError;

/// One layer of configuration; what it does not say is `None`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Config {
    /// See `--format`.
    pub format: Option<OutputFormat>,
    /// See `--include`.
    pub include: Option<Vec<String>>,
    /// See `--exclude`.
    pub exclude: Option<Vec<String>>,
    /// See `--fail-on`.
    pub fail_on: Option<Vec<Verdict>>,
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
    /// See `--max-age`.
    pub max_age: Option<DurationArg>,
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
    #[serde(deserialize_with = "overrides")]
    pub resolve: Option<Vec<ResolveOverride>>,
    /// See `--proxy`; kept as text, for an error in it must not show a password.
    pub proxy: Option<String>,
    /// See `--no-proxy`.
    pub no_proxy: Option<Vec<String>>,
    /// See `--client-cert`.
    pub client_cert: Option<PathBuf>,
    /// See `--client-key`.
    pub client_key: Option<PathBuf>,
    /// What single hosts get. Only the user's own file may have it.
    pub host: Option<BTreeMap<String, HostConfig>>,
    /// See `--dns-server`.
    pub dns_server: Option<SocketAddr>,
    /// See `--allow-private`.
    pub allow_private: Option<bool>,
    /// See `--offline`.
    pub offline: Option<bool>,
    /// See `--root-dir`.
    pub root_dir: Option<PathBuf>,
    /// See `--base-url`.
    #[serde(deserialize_with = "parsed")]
    pub base_url: Option<Url>,
    /// See `--index-files`.
    pub index_files: Option<Vec<String>>,
    /// See `--fallback-extensions`.
    pub fallback_extensions: Option<Vec<String>>,
    /// See `--anchors`.
    #[serde(deserialize_with = "parsed")]
    pub anchors: Option<AnchorStyle>,
    /// See `--remote-anchors`.
    pub remote_anchors: Option<bool>,
    /// How dead pages are looked for.
    pub revive: ReviveConfig,
    /// URLs that the user named in settings, whose hosts get the user's headers.
    #[serde(skip)]
    pub named_urls: Vec<Url>,
    /// What the project's file sets.
    #[serde(skip)]
    pub project: Option<ProjectConfig>,
}

/// Every key a file may have.
const KEYS: [&str; 33] = [
    "allow-private",
    "anchors",
    "base-url",
    "client-cert",
    "client-key",
    "concurrency",
    "contact",
    "db",
    "dns-server",
    "exclude",
    "fail-on",
    "fallback-extensions",
    "format",
    "header",
    "header-for",
    "host",
    "host-concurrency",
    "host-interval",
    "include",
    "index-files",
    "max-age",
    "max-page-links",
    "max-page-size",
    "no-proxy",
    "offline",
    "proxy",
    "remote-anchors",
    "resolve",
    "retries",
    "revive",
    "root-dir",
    "timeout",
    "user-agent",
];

/// How alike an unknown key must be to a known one to be named in a hint.
const LIKENESS: f64 = 0.8;

impl Config {
    /// Reads a file of the user, which may set everything.
    pub fn read(path: &Path) -> Result<Self, CommandError> {
        let (mut config, _) = Self::parse(&read_text(path)?, path)?;
        config.named_urls = config.base_url.clone().into_iter().collect();
        let folder = path.parent().unwrap_or(Path::new(""));
        for host in config.host.iter_mut().flat_map(BTreeMap::values_mut) {
            host.resolve_paths(folder);
        }
        Ok(config)
    }

    /// Reads a file of the project in this directory; see [`project`].
    pub fn read_project(path: &Path, root: &Path, folder: &Path) -> Result<Self, CommandError> {
        let (config, table) = Self::parse(&read_text(path)?, path)?;
        let (config, project) = project::restrict(config, &table, path, root, folder);
        Ok(Self { project: Some(project), ..config })
    }

    fn parse(text: &str, path: &Path) -> Result<(Self, toml::Table), CommandError> {
        let bad = |values: &[&str], error: &toml::de::Error| {
            CommandError::usage(format!("the configuration `{}` cannot be used", path.display()))
                .cause(toml_error::describe(text, values, error))
                .hint("the keys are the long names of the flags: `relink check --help`")
        };
        let table: toml::Table = text.parse().map_err(|error| bad(&[], &error))?;
        for key in table.keys() {
            known(key, &KEYS, path)?;
        }
        if let Some(toml::Value::Table(revive)) = table.get("revive") {
            for key in revive.keys() {
                known(key, &ReviveConfig::KEYS, path)?;
            }
        }
        if let Some(toml::Value::Table(hosts)) = table.get("host") {
            for key in hosts.values().filter_map(toml::Value::as_table).flat_map(toml::Table::keys)
            {
                known(key, &HostConfig::KEYS, path)?;
            }
        }
        let config =
            toml::from_str(text).map_err(|error| bad(&toml_error::strings(&table), &error))?;
        Ok((config, table))
    }

    /// This layer over a lower one.
    pub fn over(self, lower: Self) -> Self {
        Self {
            format: self.format.or(lower.format),
            include: self.include.or(lower.include),
            exclude: self.exclude.or(lower.exclude),
            fail_on: self.fail_on.or(lower.fail_on),
            db: self.db.or(lower.db),
            concurrency: self.concurrency.or(lower.concurrency),
            host_concurrency: self.host_concurrency.or(lower.host_concurrency),
            host_interval: self.host_interval.or(lower.host_interval),
            timeout: self.timeout.or(lower.timeout),
            retries: self.retries.or(lower.retries),
            max_age: self.max_age.or(lower.max_age),
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
            base_url: self.base_url.or(lower.base_url),
            index_files: self.index_files.or(lower.index_files),
            fallback_extensions: self.fallback_extensions.or(lower.fallback_extensions),
            anchors: self.anchors.or(lower.anchors),
            remote_anchors: self.remote_anchors.or(lower.remote_anchors),
            revive: self.revive.over(lower.revive),
            named_urls: [self.named_urls, lower.named_urls].concat(),
            project: self.project.or(lower.project),
        }
    }
}

fn read_text(path: &Path) -> Result<String, CommandError> {
    relink_files::read_to_string(path).map_err(|error| {
        CommandError::usage(format!("cannot read the configuration `{}`", path.display()))
            .cause(error.to_string())
            .hint("give another file with `--config FILE`")
    })
}

fn known(key: &str, keys: &[&str], path: &Path) -> Result<(), CommandError> {
    if keys.contains(&key) {
        return Ok(());
    }
    let failure =
        CommandError::usage(format!("the configuration `{}` cannot be used", path.display()))
            .cause(format!("there is no key `{key}`"));
    let alike = |known: &&str| strsim::jaro_winkler(known, &key.replace('_', "-"));
    let nearest = keys.iter().max_by(|a, b| alike(a).total_cmp(&alike(b)));
    Err(match nearest.filter(|known| alike(known) >= LIKENESS) {
        Some(nearest) => failure.hint(format!("did you mean `{nearest}`?")),
        None => failure.hint(format!("the keys are {}", keys.join(", "))),
    })
}

fn overrides<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<ResolveOverride>>, D::Error> {
    let texts = Option::<Vec<String>>::deserialize(deserializer)?;
    let parse = |text: String| text.parse().map_err(serde::de::Error::custom);
    texts.map(|texts| texts.into_iter().map(parse).collect()).transpose()
}

fn parsed<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
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
    fn the_list_of_keys_is_complete() {
        let all = r#"
            allow-private = true
            anchors = "off"
            base-url = "https://docs.example.org/"
            client-cert = "me.pem"
            client-key = "me.key"
            concurrency = 1
            contact = "https://example.org/bot"
            db = "a.db"
            dns-server = "127.0.0.1:53"
            exclude = ["x"]
            fail-on = ["dead", "at-risk"]
            fallback-extensions = ["md"]
            format = "jsonl"
            header = ["A: b"]
            host-concurrency = 2
            host-interval = "2s"
            include = ["x"]
            index-files = ["README.md"]
            max-age = 0
            max-page-links = 100000
            max-page-size = "16M"
            no-proxy = ["localhost"]
            offline = true
            proxy = "http://127.0.0.1:8080"
            remote-anchors = true
            resolve = ["example.test:80:127.0.0.1"]
            retries = 0
            root-dir = "site"
            timeout = "1s"
            user-agent = "x"
            header-for = { "example.org" = ["A: b"] }
            [revive]
            answer-age = "7d"
            archive = ["none"]
            archive-budget = 10
            date = "2015-01-02"
            elsewhere = "never"
            least = 0.9
            live = ["live.txt"]
            search = ["local"]
            search-budget = 20
            searches = 2
            warc = ["a.warc.gz"]
            [host."example.org"]
            basic-auth = "user:word"
            client-cert = "me.pem"
            client-key = "me.key"
            headers = {}
        "#;
        let (config, _) = Config::parse(all, Path::new("relink.toml")).unwrap();
        assert_eq!(config.retries, Some(0));
        assert_eq!(config.resolve.unwrap().len(), 1);
        assert_eq!(config.revive.search_budget, Some(20));
        // The tables have headings instead of equals signs.
        let keys = KEYS.len() - 2 + ReviveConfig::KEYS.len() + HostConfig::KEYS.len();
        // One table stands in a line of its own.
        assert_eq!(all.matches('=').count() - 1, keys);
    }

    #[test]
    fn what_is_not_said_is_taken_from_the_lower_layer() {
        let upper = Config { retries: Some(1), ..Config::default() };
        let lower = Config { retries: Some(5), concurrency: Some(9), ..Config::default() };
        let both = upper.over(lower);
        assert_eq!((both.retries, both.concurrency), (Some(1), Some(9)));
    }
}
