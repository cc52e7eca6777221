//! How requests are sent: headers and the hosts that get them, the user agent.

use std::collections::BTreeMap;

use relink_fetch::{FetchSettings, HeaderHost};
use url::Url;

use super::network;
use crate::config::Config;
use crate::error::CommandError;

/// The name of the program, as servers see it.
const PRODUCT: &str = concat!("Relink/", env!("CARGO_PKG_VERSION"));

/// What the program is, for people who read the log of a server.
const PURPOSE: &str = "link checker";

/// Where to read about the program; empty if the package does not say.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// What the fetcher needs to know; `inputs` are the arguments of the command.
pub(super) fn fetch_settings(
    config: &Config,
    inputs: &[String],
) -> Result<FetchSettings, CommandError> {
    let defaults = FetchSettings::default();
    let headers = config.header.as_deref().unwrap_or_default();
    let header_hosts = header_hosts(config, inputs);
    if !headers.is_empty() && header_hosts.is_empty() {
        CommandError::usage("`--header` is sent to no host: none is named on the command line")
            .hint("give `--header-for HOST 'NAME: VALUE'` for hosts in documents")
            .warn();
    }
    Ok(FetchSettings {
        timeout: config.timeout.map_or(defaults.timeout, |span| span.0),
        user_agent: user_agent(config)?,
        headers: headers.iter().map(|text| header(text)).collect::<Result<_, _>>()?,
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

/// The hosts of the URLs that the user named on the command line or in settings.
fn header_hosts(config: &Config, inputs: &[String]) -> Vec<HeaderHost> {
    let inputs = inputs.iter().filter_map(|text| Url::parse(text).ok());
    let urls = inputs.chain(config.named_urls.iter().cloned());
    let web = urls.filter(|url| matches!(url.scheme(), "http" | "https"));
    web.filter_map(|url| HeaderHost::of_url(&url)).collect()
}

/// The values of `--header-for`, which come in pairs, by their host.
pub(super) fn headers_by_host(values: &[String]) -> Option<BTreeMap<String, Vec<String>>> {
    let mut by_host: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for pair in values.chunks_exact(2) {
        if let [host, header] = pair {
            by_host.entry(host.clone()).or_default().push(header.clone());
        }
    }
    (!by_host.is_empty()).then_some(by_host)
}

type HostHeader = (HeaderHost, (String, String));

fn host_headers(config: &Config) -> Result<Vec<HostHeader>, CommandError> {
    let mut headers = Vec::new();
    for (host, texts) in config.header_for.iter().flatten() {
        let host: HeaderHost =
            host.parse().map_err(|error: relink_fetch::ParseHeaderHostError| {
                CommandError::usage("a header cannot be sent: its host is invalid")
                    .cause(error.to_string())
                    .hint("write it like `--header-for example.org 'Authorization: Bearer TOKEN'`")
            })?;
        for text in texts {
            headers.push((host.clone(), header(text)?));
        }
    }
    Ok(headers)
}

/// The user agent: `Relink/0.1.0 (link checker; +https://example.org/bot)`.
fn user_agent(config: &Config) -> Result<String, CommandError> {
    let contact = config.contact.as_deref().unwrap_or(REPOSITORY).trim();
    if contact.chars().any(|char| char.is_control() || matches!(char, '(' | ')')) {
        return Err(CommandError::usage("the contact cannot be sent")
            .cause("it has brackets or control characters")
            .hint("write it like `--contact https://example.org/bot`"));
    }
    Ok(match (&config.user_agent, contact) {
        (Some(own), "") => own.clone(),
        // The repository is not the contact of another program.
        (Some(own), _) if config.contact.is_none() => own.clone(),
        (Some(own), contact) => format!("{own} (+{contact})"),
        (None, "") => format!("{PRODUCT} ({PURPOSE})"),
        (None, contact) => format!("{PRODUCT} ({PURPOSE}; +{contact})"),
    })
}

/// The certificate authorities of the system, which are trusted too.
fn tls_roots() -> Result<Vec<Vec<u8>>, CommandError> {
    relink_fetch::system_roots().map_err(|error| {
        let failure = CommandError::usage(error.to_string())
            .hint("name a file of certificates in PEM, or unset the variable");
        error.reasons().iter().fold(failure, |failure, reason| failure.cause(reason.clone()))
    })
}

fn header(text: &str) -> Result<(String, String), CommandError> {
    let (name, value) = text.split_once(':').ok_or_else(|| {
        CommandError::usage("a header cannot be sent")
            .cause("it has no colon")
            .hint("write it like `--header 'Accept-Language: de'`")
    })?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(user_agent: Option<&str>, contact: Option<&str>) -> String {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let config =
            Config { user_agent: owned(user_agent), contact: owned(contact), ..Config::default() };
        super::user_agent(&config).unwrap()
    }

    #[test]
    fn user_agent_names_the_contact_only_if_there_is_one() {
        let contact = "https://example.org/bot";
        let named = format!("{PRODUCT} (link checker; +{contact})");
        assert_eq!(agent(None, Some(contact)), named);
        assert_eq!(agent(None, Some("")), format!("{PRODUCT} (link checker)"));
        assert_eq!(agent(Some("Mine/1"), None), "Mine/1");
        assert_eq!(agent(Some("Mine/1"), Some(contact)), format!("Mine/1 (+{contact})"));
        let usual = agent(None, None);
        assert_eq!(usual.contains("+http"), !REPOSITORY.is_empty(), "{usual}");
    }

    #[test]
    fn headers_by_host_takes_pairs() {
        let values = ["a.test", "A: 1", "b.test", "B: 2", "a.test", "C: 3"].map(str::to_owned);
        let by_host = headers_by_host(&values).unwrap();
        assert_eq!(by_host["a.test"], ["A: 1", "C: 3"]);
        assert_eq!(by_host["b.test"], ["B: 2"]);
        assert_eq!(headers_by_host(&[]), None);
    }
}
