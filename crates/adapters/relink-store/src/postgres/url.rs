//! Connection URLs of PostgreSQL: `postgres://USER@HOST:PORT/DATABASE`.
//!
//! The password is never printed. It may come from the URL, from `PGPASSWORD`
//! or from the password file (`PGPASSFILE`, by default `~/.pgpass`).

use std::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::redact_database_url;

/// The default port of PostgreSQL.
const DEFAULT_PORT: u16 = 5432;

/// The number of fields in a line of the password file.
const PASSWORD_FILE_FIELDS: usize = 5;

/// A connection URL. `Display` and `Debug` omit the password.
#[derive(Clone)]
pub struct PostgresUrl {
    config: Config,
    redacted: String,
}

/// An error in a connection URL.
#[derive(Debug, Error)]
pub enum ParsePostgresUrlError {
    /// The URL cannot be parsed.
    #[error("invalid database URL: {0}")]
    Invalid(String),
    /// The URL disables TLS for another machine.
    #[error("invalid database URL: `sslmode=disable` is allowed for this machine only")]
    TlsRequired,
}

impl PostgresUrl {
    /// Parses a URL and reads the password from the environment if the URL has
    /// none.
    ///
    /// # Errors
    ///
    /// TLS is required for other machines, so a URL that disables it is
    /// rejected.
    pub fn parse(text: &str) -> Result<Self, ParsePostgresUrlError> {
        let mut config: Config =
            text.parse().map_err(|error: tokio_postgres::Error| parse_error(&error))?;
        if config.get_hosts().is_empty() {
            config.host("localhost");
        }
        require_tls(&mut config)?;
        if config.get_password().is_none()
            && let Some(password) = password_from_environment(&config)
        {
            config.password(password);
        }
        Ok(Self { config, redacted: redact_database_url(text) })
    }

    /// Returns the connection parameters.
    pub(super) fn config(&self) -> &Config {
        &self.config
    }
}

/// Converts an error without the text of the URL, which may have a password.
fn parse_error(error: &tokio_postgres::Error) -> ParsePostgresUrlError {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    ParsePostgresUrlError::Invalid(cause.unwrap_or_else(|| error.to_string()))
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.redacted)
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.redacted)
    }
}

/// Requires TLS for other machines. On this machine, TLS is used only if the URL
/// requires it, because the certificate of a local server is usually not valid.
fn require_tls(config: &mut Config) -> Result<(), ParsePostgresUrlError> {
    let is_local = config.get_hosts().iter().all(is_local)
        && config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback);
    match (is_local, config.get_ssl_mode()) {
        (true, SslMode::Require) => {}
        (true, _) => {
            config.ssl_mode(SslMode::Disable);
        }
        (false, SslMode::Disable) => return Err(ParsePostgresUrlError::TlsRequired),
        (false, _) => {
            config.ssl_mode(SslMode::Require);
        }
    }
    Ok(())
}

/// Whether a server is on this machine.
fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            let address = name.trim_start_matches('[').trim_end_matches(']');
            let is_loopback =
                address.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback());
            name == "localhost" || is_loopback
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// Returns the password of `PGPASSWORD`, or of the password file.
fn password_from_environment(config: &Config) -> Option<String> {
    if let Ok(password) = std::env::var("PGPASSWORD") {
        return Some(password);
    }
    let file = std::env::var_os("PGPASSFILE")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".pgpass")))?;
    let entries = read_private_file(&file)?;
    find_password(&entries, config)
}

/// Reads a password file. A file that other users can read is ignored, as
/// PostgreSQL's own clients do.
fn read_private_file(file: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata().ok()?.permissions().mode();
        if mode & 0o077 != 0 {
            return None;
        }
    }
    std::fs::read_to_string(file).ok()
}

/// Finds the password of the first matching line
/// `HOST:PORT:DATABASE:USER:PASSWORD`.
fn find_password(entries: &str, config: &Config) -> Option<String> {
    let host = match config.get_hosts().first()? {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(_) => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(DEFAULT_PORT).to_string();
    let user = config.get_user().unwrap_or_default();
    // PostgreSQL names the database after the user if the URL has none.
    let connection = [&host, &port, config.get_dbname().unwrap_or(user), user];
    entries.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = split_fields(line);
        let (password, keys) = fields.split_last()?;
        let is_match = keys.len() == connection.len()
            && keys.iter().zip(connection).all(|(key, value)| key == "*" || key == value);
        is_match.then(|| password.clone())
    })
}

/// Splits a line of the password file at colons. A backslash escapes the next character.
/// Further colons belong to the password, the last field.
fn split_fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            ':' if fields.len() < PASSWORD_FILE_FIELDS => fields.push(String::new()),
            '\\' => fields.last_mut().into_iter().for_each(|field| field.extend(characters.next())),
            other => fields.last_mut().into_iter().for_each(|field| field.push(other)),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_omits_passwords() {
        let url = PostgresUrl::parse("postgres://ann:secret@127.0.0.1/x").unwrap();
        assert!(!format!("{url} {url:?}").contains("secret"));
        assert_eq!(url.config().get_password(), Some(&b"secret"[..]));
    }

    #[test]
    fn tls_is_required_for_other_machines() {
        let tls_mode = |url: &str| PostgresUrl::parse(url).unwrap().config().get_ssl_mode();
        for local in ["postgres://a@127.0.0.1/x", "postgres://a@localhost/x", "postgres://a@/x"] {
            assert_eq!(tls_mode(local), SslMode::Disable, "{local}");
        }
        assert_eq!(tls_mode("postgres://a@127.0.0.1/x?sslmode=require"), SslMode::Require);
        for remote in ["postgres://a@db.test/x", "postgres://a@10.0.0.1/x?sslmode=prefer"] {
            assert_eq!(tls_mode(remote), SslMode::Require, "{remote}");
        }
        let error = PostgresUrl::parse("postgres://a@db.test/x?sslmode=disable").unwrap_err();
        assert!(matches!(error, ParsePostgresUrlError::TlsRequired), "{error:?}");
        let local_and_remote = "postgres://a@127.0.0.1,db.test/x?sslmode=disable";
        assert!(PostgresUrl::parse(local_and_remote).is_err());
    }

    #[test]
    fn parse_error_omits_the_password() {
        let error = PostgresUrl::parse("postgres://ann:secret@127.0.0.1:port/x").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn find_password_returns_the_first_matching_line() {
        let config: Config = "postgres://ann@db.test:5433/links".parse().unwrap();
        let find = |entries: &str| find_password(entries, &config);
        assert_eq!(find("db.test:5433:links:ann:one\n*:*:*:*:two"), Some("one".to_owned()));
        assert_eq!(find("# x\nother:*:*:*:one\n*:*:*:ann:t\\:wo\\\\"), Some("t:wo\\".to_owned()));
        assert_eq!(find("*:5432:*:*:one\n*:*:*:bob:two"), None);
    }
}
