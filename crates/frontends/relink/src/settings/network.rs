//! Proxies, client certificates, and headers and logins of single hosts.
//!
//! Proxies, keys and headers may be secret. Messages name only the flag, variable or file
//! that contains a secret.

use std::collections::BTreeMap;
use std::path::Path;

use relink_fetch::{ClientIdentity, HostSettings, NoProxy, Proxies, Proxy};
use relink_model::redact_url;
use url::Url;

use crate::config::{Config, HostConfig, Secret};
use crate::error::CommandError;

/// The variable that web servers set for CGI programs. If a client sends a header `Proxy`,
/// they also set `HTTP_PROXY`, which must not be trusted then (<https://httpoxy.org>).
const CGI_VARIABLE: &str = "REQUEST_METHOD";

/// Reads an environment variable; an empty one counts as not set.
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the proxies of flags and files, or of the environment variables.
pub fn proxies(
    config: &Config,
    env: impl Fn(&str) -> Option<String>,
) -> Result<Proxies, CommandError> {
    let exclude = hosts_without_proxy(config, &env)?;
    if let Some(text) = &config.proxy {
        let proxy = parse_proxy(text, "the proxy", "--proxy ")?;
        return Ok(Proxies { exclude, ..Proxies::all(proxy) });
    }
    // Variables for each scheme, in the order of precedence.
    let for_http: &[&str] = match env(CGI_VARIABLE) {
        Some(_) => &["http_proxy", "all_proxy", "ALL_PROXY"],
        None => &["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
    };
    let for_https = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    Ok(Proxies {
        http: first_proxy(for_http, &env)?,
        https: first_proxy(&for_https, &env)?,
        exclude,
    })
}

/// Parses the first of these variables that is set.
fn first_proxy(
    names: &[&str],
    env: impl Fn(&str) -> Option<String>,
) -> Result<Option<Proxy>, CommandError> {
    for name in names {
        if let Some(text) = env(name) {
            return parse_proxy_variable(name, &text).map(Some);
        }
    }
    Ok(None)
}

/// Parses a proxy variable. As in other programs, the scheme may be omitted.
fn parse_proxy_variable(name: &str, text: &str) -> Result<Proxy, CommandError> {
    let subject = format!("the proxy in `{name}`");
    let hint = format!("{name}=");
    let text = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    parse_proxy(&text, &subject, &hint)
}

/// Parses a proxy. Errors contain the name `subject`, and an example that starts with
/// `example_start`, such as `http_proxy=` or `--proxy ` with its space.
fn parse_proxy(text: &str, subject: &str, example_start: &str) -> Result<Proxy, CommandError> {
    text.parse().map_err(|error: relink_fetch::ParseProxyError| {
        CommandError::usage(format!("invalid value for {subject}"))
            .cause(error.to_string())
            .hint(format!("use a value such as `{example_start}http://127.0.0.1:8080`"))
    })
}

/// Returns the hosts that are contacted without a proxy.
fn hosts_without_proxy(
    config: &Config,
    env: impl Fn(&str) -> Option<String>,
) -> Result<NoProxy, CommandError> {
    let (text, subject) = match &config.no_proxy {
        Some(list) => (list.join(","), "--no-proxy"),
        None => (env("no_proxy").or_else(|| env("NO_PROXY")).unwrap_or_default(), "NO_PROXY"),
    };
    text.parse().map_err(|error: relink_fetch::ParseNoProxyError| {
        CommandError::usage(format!("invalid value for `{subject}`"))
            .cause(error.to_string())
            .hint("use a list such as `localhost,example.org:8080,10.0.0.0/8`")
    })
}

/// Returns the client certificate for the hosts on the command line.
pub fn identity(config: &Config) -> Result<Option<ClientIdentity>, CommandError> {
    read_identity(config.client_cert.as_deref(), config.client_key.as_deref())
}

/// Reads a client certificate. Without a key file, the key is in the certificate
/// file.
fn read_identity(
    certificate: Option<&Path>,
    key: Option<&Path>,
) -> Result<Option<ClientIdentity>, CommandError> {
    let Some(certificate) = certificate else {
        return match key {
            None => Ok(None),
            Some(_) => Err(CommandError::usage("client key without a client certificate")
                .hint("add `--client-cert FILE`")),
        };
    };
    let chain = read_pem(certificate)?;
    let key_text = key.map(read_pem).transpose()?;
    let key_text = key_text.as_deref().unwrap_or(&chain);
    let identity = ClientIdentity::from_pem(chain.as_bytes(), key_text.as_bytes());
    let identity = identity.map_err(|error| {
        CommandError::usage(format!("invalid client certificate: `{}`", certificate.display()))
            .cause(error.to_string())
            .hint("use PEM files: `--client-cert FILE --client-key FILE`")
    })?;
    Ok(Some(identity))
}

fn read_pem(path: &Path) -> Result<String, CommandError> {
    relink_files::read_to_string(path).map_err(|error| {
        CommandError::usage(format!(
            "cannot read the client certificate or key `{}`",
            path.display()
        ))
        .cause(error.to_string())
    })
}

/// Returns the settings of single hosts.
pub fn hosts(config: &Config) -> Result<Vec<HostSettings>, CommandError> {
    let hosts = config.host.iter().flat_map(BTreeMap::iter);
    hosts.map(|(name, host)| host_settings(name, host)).collect()
}

fn host_settings(name: &str, host: &HostConfig) -> Result<HostSettings, CommandError> {
    // Errors of the login and the headers contain the name, which may contain a password only
    // if it is invalid.
    let origin = parse_origin(name)?;
    let mut headers = Vec::new();
    for (header, value) in &host.headers {
        // Errors contain this text instead of the secret value.
        let subject = format!("the header `{header}` of the host `{name}`");
        headers.push((header.clone(), value.reveal(&subject)?));
    }
    let login = match &host.basic_auth {
        Some(secret) => Some(parse_login(secret, &format!("the login of the host `{name}`"))?),
        None => None,
    };
    Ok(HostSettings {
        origin,
        headers,
        login,
        identity: read_identity(host.client_cert.as_deref(), host.client_key.as_deref())?,
    })
}

fn parse_login(secret: &Secret, subject: &str) -> Result<(String, String), CommandError> {
    let text = secret.reveal(subject)?;
    let (user, password) = text.split_once(':').ok_or_else(|| {
        CommandError::usage(format!("invalid value for {subject}"))
            .cause("expected `USER:PASSWORD`")
    })?;
    Ok((user.to_owned(), password.to_owned()))
}

/// Parses a host such as `http://localhost:8080`. A host without a scheme uses https.
fn parse_origin(name: &str) -> Result<Url, CommandError> {
    let text = if name.contains("://") { name.to_owned() } else { format!("https://{name}") };
    let is_origin = |url: &Url| {
        let path_and_query = &url[url::Position::AfterPort..];
        let has_user = !url.username().is_empty() || url.password().is_some();
        let is_web = matches!(url.scheme(), "http" | "https");
        is_web && url.has_host() && path_and_query == "/" && !has_user
    };
    Url::parse(&text).ok().filter(is_origin).ok_or_else(|| {
        CommandError::usage(format!("invalid host in the key `host`: `{}`", redact_url(name)))
            .hint("use a host such as `example.org`, `example.org:8443` or `http://localhost:8080`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the proxies that these environment variables set. `expected` contains the proxy
    /// for http and the proxy for https, with `-` for no proxy, or `rejected`.
    #[track_caller]
    fn check(variables: &[(&str, &str)], expected: &str) {
        let env = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned()).filter(|value| !value.is_empty())
        };
        let text = |proxy: Option<Proxy>| proxy.map_or("-".into(), |proxy| proxy.to_string());
        let found = match proxies(&Config::default(), env) {
            Ok(proxies) => format!("{} {}", text(proxies.http), text(proxies.https)),
            Err(_) => "rejected".to_owned(),
        };
        assert_eq!(found, expected, "{variables:?}");
    }

    #[test]
    fn environment_sets_proxies_by_scheme() {
        check(&[], "- -");
        check(&[("HTTP_PROXY", "http://a.test:1")], "http://a.test:1 -");
        check(&[("HTTPS_PROXY", "http://a.test:1")], "- http://a.test:1");
        check(&[("ALL_PROXY", "socks5h://a.test")], "socks5h://a.test:1080 socks5h://a.test:1080");
        let both = [("ALL_PROXY", "http://a.test:1"), ("https_proxy", "https://b.test")];
        check(&both, "http://a.test:1 https://b.test:443");
        check(&[("http_proxy", "a.test:1"), ("HTTP_PROXY", "b.test:2")], "http://a.test:1 -");
        check(&[("http_proxy", ""), ("HTTP_PROXY", "b.test:2")], "http://b.test:2 -");
        check(&[("https_proxy", "nonsense")], "rejected");
    }

    #[test]
    fn cgi_client_cannot_set_a_proxy() {
        // A client can only set the uppercase `HTTP_PROXY`.
        let request = ("REQUEST_METHOD", "GET");
        check(&[request, ("HTTP_PROXY", "http://a.test:1")], "- -");
        check(&[request, ("http_proxy", "http://a.test:1")], "http://a.test:1 -");
        check(&[request, ("HTTPS_PROXY", "http://a.test:1")], "- http://a.test:1");
    }

    #[test]
    fn flags_take_precedence_over_the_environment() {
        let env = |name: &str| match name {
            "ALL_PROXY" => Some("http://a.test:1".to_owned()),
            "NO_PROXY" => Some("b.test".to_owned()),
            _ => None,
        };
        let config = Config { proxy: Some("http://c.test:3".into()), ..Config::default() };
        let found = proxies(&config, env).unwrap();
        assert_eq!(found.https.unwrap().to_string(), "http://c.test:3");
        assert_eq!(found.exclude, "b.test".parse().unwrap());
        let config = Config { no_proxy: Some(vec!["d.test".into()]), ..Config::default() };
        assert_eq!(proxies(&config, env).unwrap().exclude, "d.test".parse().unwrap());
    }

    #[test]
    fn parse_origin_defaults_to_https_and_rejects_paths_and_users() {
        for (name, expected) in [
            ("example.org", Some("https://example.org/")),
            ("EXAMPLE.org:8443", Some("https://example.org:8443/")),
            ("http://localhost:8080", Some("http://localhost:8080/")),
            ("[::1]", Some("https://[::1]/")),
            ("ftp://example.org", None),
            ("example.org/path", None),
            ("user@example.org", None),
            ("", None),
        ] {
            let text = parse_origin(name).ok().map(|url| url.to_string());
            assert_eq!(text.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn invalid_host_is_reported_without_its_password() {
        for name in ["https://ann:secret@example.org", "ann:secret@example.org"] {
            let error = parse_origin(name).unwrap_err();
            let text = format!("{error:?}");
            assert!(text.contains("***@example.org") && !text.contains("secret"), "{text}");
        }
    }
}
