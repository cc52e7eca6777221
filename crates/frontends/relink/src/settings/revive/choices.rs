//! Parses the names of archives and search engines.

use relink_lookup::SearchTemplate;
use url::Url;

use crate::cli::default_archive;
use crate::error::CommandError;

/// An archive on the web.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveChoice {
    /// An archive with the API of the Wayback Machine.
    InternetArchive(Url),
    /// A pywb collection.
    Pywb(Url),
}

/// A search engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchChoice {
    /// An index of the pages in the database.
    Local,
    /// A SearXNG server.
    Searxng(Url),
    /// Any engine that responds with JSON.
    Json(SearchTemplate),
    /// Brave, Mojeek or Kagi.
    Named(&'static str),
}

/// Engines that are identified by name alone.
const NAMED_ENGINES: [&str; 3] = ["brave", "mojeek", "kagi"];

/// Prefixes of engines that are identified by a URL.
const URL_PREFIXES: [&str; 2] = ["searxng:", "json:"];

/// Parses the names of archives; returns the default archive if none are given.
pub(super) fn archives(names: Option<&[String]>) -> Result<Vec<ArchiveChoice>, CommandError> {
    let Some(names) = names else {
        return Ok(default_archive().map(ArchiveChoice::InternetArchive).into_iter().collect());
    };
    let requested = names.iter().filter(|name| *name != "none");
    requested.map(|name| parse_archive(name)).collect()
}

fn parse_archive(name: &str) -> Result<ArchiveChoice, CommandError> {
    let (is_pywb, url_text) = match name.strip_prefix("pywb:") {
        Some(url_text) => (true, url_text),
        None => (false, name),
    };
    // A base URL must end with a slash. The user may omit the slash.
    let url_text = format!("{}/", url_text.trim_end_matches('/'));
    let url = relink_frontier::canonicalize(None, &url_text).map_err(|error| {
        CommandError::usage(format!("invalid archive: `{name}`"))
            .cause(error.to_string())
            .hint("use its base URL, `pywb:URL` for a pywb collection, or `none`")
    })?;
    Ok(if is_pywb { ArchiveChoice::Pywb(url) } else { ArchiveChoice::InternetArchive(url) })
}

/// Parses the names of search engines; returns the local index if none are given.
pub(super) fn searches(names: Option<&[String]>) -> Result<Vec<SearchChoice>, CommandError> {
    let Some(names) = names else { return Ok(vec![SearchChoice::Local]) };
    let all = names.iter().flat_map(|list| split_names(list));
    all.filter(|name| name != "none").map(|name| parse_engine(&name)).collect()
}

/// Splits a comma-separated list, as used in environment variables. A comma after a URL is
/// part of the URL, unless the name of an engine follows.
fn split_names(names: &str) -> Vec<String> {
    let has_url = |name: &str| URL_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    let is_engine = |name: &str| {
        has_url(name) || ["local", "none"].contains(&name) || NAMED_ENGINES.contains(&name)
    };
    let mut engines: Vec<String> = Vec::new();
    for part in names.split(',') {
        match engines.last_mut() {
            Some(last) if has_url(last) && !is_engine(part.trim()) => last.extend([",", part]),
            _ => engines.push(part.trim().to_owned()),
        }
    }
    engines
}

fn parse_engine(name: &str) -> Result<SearchChoice, CommandError> {
    let invalid = |cause: String| {
        CommandError::usage(format!("invalid search engine: `{name}`")).cause(cause).hint(
            "use a URL such as `searxng:http://127.0.0.1:8888` or \
             `json:http://127.0.0.1/find?q={query}&site={site}`",
        )
    };
    if let Some(url_text) = name.strip_prefix("searxng:") {
        let url_text = format!("{}/", url_text.trim_end_matches('/'));
        let url = Url::parse(&url_text).map_err(|error| invalid(error.to_string()))?;
        return Ok(SearchChoice::Searxng(url));
    }
    if let Some(template) = name.strip_prefix("json:") {
        let template: Result<SearchTemplate, _> = template.parse();
        return template.map(SearchChoice::Json).map_err(|error| invalid(error.to_string()));
    }
    if name == "local" {
        return Ok(SearchChoice::Local);
    }
    let known = NAMED_ENGINES.into_iter().find(|known| *known == name);
    known.map(SearchChoice::Named).ok_or_else(|| {
        CommandError::usage(format!("unknown search engine `{name}`"))
            .hint("use `local`, `searxng:URL`, `json:URL`, `brave`, `mojeek`, `kagi` or `none`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the names in a comma-separated list.
    #[track_caller]
    fn check(names: &str, expected: &[&str]) {
        assert_eq!(split_names(names), expected);
    }

    #[test]
    fn split_names_accepts_commas_inside_urls() {
        check("local", &["local"]);
        check("local, brave,altavista", &["local", "brave", "altavista"]);
        check("json:http://a.test/?f=a,b&q={query}", &["json:http://a.test/?f=a,b&q={query}"]);
        check(
            "json:http://a.test/?q={query}&f=a,,b,local,searxng:http://b.test,kagi",
            &["json:http://a.test/?q={query}&f=a,,b", "local", "searxng:http://b.test", "kagi"],
        );
    }
}
