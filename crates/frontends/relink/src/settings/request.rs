//! Request headers, the hosts that receive them, and the User-Agent.

use std::collections::BTreeMap;

use relink_fetch::{FetchSettings, HeaderHost};
use url::Url;

use super::network;
use crate::config::Config;
use crate::error::CommandError;

/// The product in the User-Agent.
const PRODUCT: &str = concat!("Relink/", env!("CARGO_PKG_VERSION"));

/// The purpose in the User-Agent, for server operators.
const PURPOSE: &str = "link checker";

/// The URL of the repository; empty if the package has none.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Returns the settings of the HTTP client; `inputs` are the arguments of the
/// command.
pub(super) fn fetch_settings(
    config: &Config,
    inputs: &[String],
) -> Result<FetchSettings, CommandError> {
    let defaults = FetchSettings::default();
    let headers = config.header.as_deref().unwrap_or_default();
    let header_hosts = header_hosts(config, inputs);
    if !headers.is_empty() && header_hosts.is_empty() {
        CommandError::usage("`--header` has no effect: the command line contains no host")
            .hint("use `--header-for HOST 'NAME: VALUE'` for hosts in documents")
            .warn();
    }
    if config.client_cert.is_some() && header_hosts.is_empty() {
        CommandError::usage("`--client-cert` has no effect: the command line contains no host")
            .hint("set `client-cert` in `[host.\"HOST\"]` of your configuration file")
            .warn();
    }
    Ok(FetchSettings {
        timeout: config.timeout.map_or(defaults.timeout, |duration| duration.0),
        user_agent: user_agent(config)?,
        headers: headers.iter().map(|text| parse_header(text)).collect::<Result<_, _>>()?,
        header_hosts: Some(header_hosts),
        host_headers: host_headers(config)?,
        allow_private: config.allow_private.unwrap_or(false),
        resolve: config.resolve.clone().unwrap_or_default(),
        dns_server: config.dns_server,
        proxies: network::proxies(config, network::environment)?,
        identity: network::identity(config)?,
        hosts: network::hosts(config)?,
        tls_roots: tls_roots()?,
        ..defaults
    })
}

/// Returns the hosts of the URLs on the command line and in settings. They receive the
/// headers of `--header`.
fn header_hosts(config: &Config, inputs: &[String]) -> Vec<HeaderHost> {
    let inputs = inputs.iter().filter_map(|text| Url::parse(text).ok());
    let urls = inputs.chain(config.user_urls.iter().cloned());
    let web_urls = urls.filter(|url| matches!(url.scheme(), "http" | "https"));
    web_urls.filter_map(|url| HeaderHost::from_url(&url)).collect()
}

/// Groups the values of `--header-for`, which come in pairs, by host.
pub(super) fn headers_by_host(values: &[String]) -> Option<BTreeMap<String, Vec<String>>> {
    let mut by_host: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for pair in values.chunks_exact(2) {
        if let [host, header] = pair {
            by_host.entry(host.clone()).or_default().push(header.clone());
        }
    }
    // `None` means that the flag is not set, so that the configuration file applies.
    (!by_host.is_empty()).then_some(by_host)
}

/// A host, and the name and value of a header for this host.
type HostHeader = (HeaderHost, (String, String));

fn host_headers(config: &Config) -> Result<Vec<HostHeader>, CommandError> {
    let mut headers = Vec::new();
    for (host, texts) in config.header_for.iter().flatten() {
        let host: HeaderHost =
            host.parse().map_err(|error: relink_fetch::ParseHeaderHostError| {
                CommandError::usage("invalid host of a header")
                    .cause(error.to_string())
                    .hint("use `--header-for example.org 'Authorization: Bearer TOKEN'`")
            })?;
        for text in texts {
            headers.push((host.clone(), parse_header(text)?));
        }
    }
    Ok(headers)
}

/// Returns the User-Agent: `Relink/0.1.0 (link checker; +https://example.org/bot)`.
fn user_agent(config: &Config) -> Result<String, CommandError> {
    let contact = config.contact.as_deref().unwrap_or(REPOSITORY).trim();
    if contact.chars().any(|char| char.is_control() || matches!(char, '(' | ')')) {
        return Err(CommandError::usage("invalid contact")
            .cause("it contains brackets or control characters")
            .hint("use a URL, such as `--contact https://example.org/bot`"));
    }
    Ok(match (&config.user_agent, contact) {
        (Some(custom), "") => custom.clone(),
        // The default contact is not added to a custom User-Agent.
        (Some(custom), _) if config.contact.is_none() => custom.clone(),
        (Some(custom), contact) => format!("{custom} (+{contact})"),
        (None, "") => format!("{PRODUCT} ({PURPOSE})"),
        (None, contact) => format!("{PRODUCT} ({PURPOSE}; +{contact})"),
    })
}

/// Returns the certificate authorities of the system. They are trusted in addition to the
/// public ones.
fn tls_roots() -> Result<Vec<Vec<u8>>, CommandError> {
    relink_fetch::system_roots().map_err(|error| {
        let mut command_error = CommandError::usage(error.to_string())
            .hint("set it to a file of PEM certificates, or unset the variable");
        for reason in error.reasons() {
            command_error = command_error.cause(reason.clone());
        }
        command_error
    })
}

fn parse_header(text: &str) -> Result<(String, String), CommandError> {
    let (name, value) = text.split_once(':').ok_or_else(|| {
        CommandError::usage("invalid header")
            .cause("missing colon")
            .hint("use the form `--header 'Accept-Language: de'`")
    })?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the User-Agent with these values of `--user-agent` and `--contact`.
    fn user_agent_with(user_agent: Option<&str>, contact: Option<&str>) -> String {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let config =
            Config { user_agent: owned(user_agent), contact: owned(contact), ..Config::default() };
        super::user_agent(&config).unwrap()
    }

    #[test]
    fn user_agent_contains_the_contact_if_set() {
        let contact = "https://example.org/bot";
        let with_contact = format!("{PRODUCT} (link checker; +{contact})");
        assert_eq!(user_agent_with(None, Some(contact)), with_contact);
        assert_eq!(user_agent_with(None, Some("")), format!("{PRODUCT} (link checker)"));
        assert_eq!(user_agent_with(Some("Mine/1"), None), "Mine/1");
        assert_eq!(user_agent_with(Some("Mine/1"), Some(contact)), format!("Mine/1 (+{contact})"));
        // The default contact is the repository, if the package has one.
        let default = user_agent_with(None, None);
        assert_eq!(default.contains("+http"), !REPOSITORY.is_empty(), "{default}");
    }

    #[test]
    fn headers_by_host_groups_pairs() {
        let values = ["a.test", "A: 1", "b.test", "B: 2", "a.test", "C: 3"].map(str::to_owned);
        let by_host = headers_by_host(&values).unwrap();
        assert_eq!(by_host["a.test"], ["A: 1", "C: 3"]);
        assert_eq!(by_host["b.test"], ["B: 2"]);
        assert_eq!(headers_by_host(&[]), None);
    }
}
