//! Which archives and search engines are asked, as people name them.

use relink_lookup::SearchTemplate;
use url::Url;

use crate::cli::usual_archive;
use crate::error::CommandError;

/// An archive on the web, by how it speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveChoice {
    /// Like the Internet Archive.
    InternetArchive(Url),
    /// Like a collection of pywb's.
    Pywb(Url),
}

/// A search engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchChoice {
    /// An index of the pages in the database.
    Local,
    /// A SearXNG server.
    Searxng(Url),
    /// Any engine that answers with JSON.
    Json(SearchTemplate),
    /// Brave, Mojeek or Kagi.
    Named(&'static str),
}

/// The engines that are known by name alone.
const NAMED: [&str; 3] = ["brave", "mojeek", "kagi"];

/// What stands before the address of the others.
const ADDRESSES: [&str; 2] = ["searxng:", "json:"];

/// The archives of these names; the usual one if nothing is said.
pub(super) fn archives(named: Option<&[String]>) -> Result<Vec<ArchiveChoice>, CommandError> {
    let Some(named) = named else {
        return Ok(usual_archive().map(ArchiveChoice::InternetArchive).into_iter().collect());
    };
    let wanted = named.iter().filter(|name| *name != "none");
    wanted.map(|name| archive(name)).collect()
}

fn archive(name: &str) -> Result<ArchiveChoice, CommandError> {
    let (is_pywb, address) = match name.strip_prefix("pywb:") {
        Some(address) => (true, address),
        None => (false, name),
    };
    // The address of a service is a directory, whether or not it is written so.
    let address = format!("{}/", address.trim_end_matches('/'));
    let url = relink_frontier::canonicalize(None, &address).map_err(|error| {
        CommandError::usage(format!("`{name}` is no archive"))
            .cause(error.to_string())
            .hint("give its base address, `pywb:URL` for a collection of pywb's, or `none`")
    })?;
    Ok(if is_pywb { ArchiveChoice::Pywb(url) } else { ArchiveChoice::InternetArchive(url) })
}

/// The search engines of these names; the local index if nothing is said.
pub(super) fn searches(named: Option<&[String]>) -> Result<Vec<SearchChoice>, CommandError> {
    let Some(named) = named else { return Ok(vec![SearchChoice::Local]) };
    let all = named.iter().flat_map(|list| parted(list));
    all.filter(|name| name != "none").map(|name| search(&name)).collect()
}

/// The names in a list with commas between them, as the environment has it. A
/// comma in an address belongs to it, unless a name follows.
fn parted(names: &str) -> Vec<String> {
    let is_address = |name: &str| ADDRESSES.iter().any(|kind| name.starts_with(kind));
    let is_name =
        |name: &str| is_address(name) || ["local", "none"].contains(&name) || NAMED.contains(&name);
    let mut parted: Vec<String> = Vec::new();
    for piece in names.split(',') {
        match parted.last_mut().filter(|last| is_address(last) && !is_name(piece.trim())) {
            Some(address) => address.extend([",", piece]),
            None => parted.push(piece.trim().to_owned()),
        }
    }
    parted
}

fn search(name: &str) -> Result<SearchChoice, CommandError> {
    let bad = |cause: String| {
        CommandError::usage(format!("`{name}` is no search engine")).cause(cause).hint(
            "an address is like `searxng:http://127.0.0.1:8888`, or \
             `json:http://127.0.0.1/find?q={query}&site={site}`",
        )
    };
    if let Some(address) = name.strip_prefix("searxng:") {
        let address = format!("{}/", address.trim_end_matches('/'));
        let url = Url::parse(&address).map_err(|error| bad(error.to_string()))?;
        return Ok(SearchChoice::Searxng(url));
    }
    if let Some(template) = name.strip_prefix("json:") {
        let template: Result<SearchTemplate, _> = template.parse();
        return template.map(SearchChoice::Json).map_err(|error| bad(error.to_string()));
    }
    if name == "local" {
        return Ok(SearchChoice::Local);
    }
    let known = NAMED.into_iter().find(|known| *known == name);
    known.map(SearchChoice::Named).ok_or_else(|| {
        CommandError::usage(format!("`{name}` is no search engine that is known"))
            .hint("`local`, `searxng:URL`, `json:URL`, `brave`, `mojeek`, `kagi` and `none` are")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &str, expect: &[&str]) {
        assert_eq!(parted(names), expect);
    }

    #[test]
    fn a_comma_parts_names_and_is_part_of_an_address() {
        check("local", &["local"]);
        check("local, brave,altavista", &["local", "brave", "altavista"]);
        check("json:http://a.test/?f=a,b&q={query}", &["json:http://a.test/?f=a,b&q={query}"]);
        check(
            "json:http://a.test/?q={query}&f=a,,b,local,searxng:http://b.test,kagi",
            &["json:http://a.test/?q={query}&f=a,,b", "local", "searxng:http://b.test", "kagi"],
        );
    }
}
