//! Other crawlers: finding them, running them, parsing their output.

use std::path::PathBuf;

use serde_json::Value;

use super::{LINKCHECKER_BAR, LINKINATOR_BAR};

/// Another crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    Linkinator,
    LinkChecker,
}

impl Peer {
    pub(super) const ALL: [Self; 2] = [Self::Linkinator, Self::LinkChecker];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Linkinator => "linkinator",
            Self::LinkChecker => "LinkChecker",
        }
    }

    /// Returns the environment variable that names the program.
    pub(super) fn variable(self) -> &'static str {
        match self {
            Self::Linkinator => "LINKINATOR",
            Self::LinkChecker => "LINKCHECKER",
        }
    }

    /// Returns the minimum speed-up of relink.
    pub(super) fn bar(self) -> f64 {
        match self {
            Self::Linkinator => LINKINATOR_BAR,
            Self::LinkChecker => LINKCHECKER_BAR,
        }
    }

    pub(super) fn find(self) -> Option<PathBuf> {
        std::env::var_os(self.variable()).map(PathBuf::from)
    }

    /// Returns the arguments of a crawl without politeness.
    pub(super) fn words(self, url: &str) -> Vec<String> {
        let words = match self {
            Self::Linkinator => vec![url, "--recurse", "--format", "json"],
            // LinkChecker sends at most ten requests per second unless the site
            // allows more, which ours does in a header.
            Self::LinkChecker => vec!["--no-status", "--threads", "64", "-o", "csv", url],
        };
        words.into_iter().map(str::to_owned).collect()
    }

    /// Returns the paths reported as dead.
    pub(super) fn dead_paths(self, said: &str) -> Vec<String> {
        let paths = match self {
            Self::Linkinator => linkinator_dead(said),
            Self::LinkChecker => linkchecker_dead(said),
        };
        distinct(paths)
    }
}

/// Returns the paths that relink reports as dead, from its JSON lines.
pub(super) fn relink_dead_paths(said: &str) -> Vec<String> {
    let rows = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let is_dead =
        |row: &Value| ["dead", "soft-404", "failing"].map(Value::from).contains(&row["verdict"]);
    distinct(rows.filter(is_dead).filter_map(|row| path(row["url"].as_str()?)).collect())
}

fn linkinator_dead(said: &str) -> Vec<String> {
    let said: Value = serde_json::from_str(said).unwrap_or_default();
    let links = said["links"].as_array().cloned().unwrap_or_default();
    let broken = links.iter().filter(|link| link["state"] == "BROKEN");
    broken.filter_map(|link| path(link["url"].as_str()?)).collect()
}

/// Parses the CSV of `LinkChecker`, which lists only broken links: first the URL
/// as written on the page, later the absolute one.
fn linkchecker_dead(said: &str) -> Vec<String> {
    let lines = said.lines().filter(|line| !line.starts_with('#') && line.contains("http://"));
    lines
        .filter_map(|line| {
            let fields: Vec<&str> = line.split(';').collect();
            path(fields.get(7).or(fields.first())?)
        })
        .collect()
}

/// Returns the path of a URL.
fn path(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map(|at| rest.get(at..).unwrap_or_default().to_owned())
}

fn distinct(mut paths: Vec<String>) -> Vec<String> {
    paths.sort_unstable();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_paths_are_parsed_for_each_crawler() {
        let linkinator = r#"{"links":[{"url":"http://h:1/a","state":"BROKEN"},
                             {"url":"http://h:1/b","state":"OK"}]}"#;
        assert_eq!(Peer::Linkinator.dead_paths(linkinator), ["/a"]);
        let linkchecker = "# made by a program\n\
            urlname;parentname;baseref;result;warningstring;infostring;valid;url;line\n\
            /a;http://h:1/;;404 Not Found;;;False;http://h:1/a;1\n";
        assert_eq!(Peer::LinkChecker.dead_paths(linkchecker), ["/a"]);
        let relink = "{\"url\":\"http://h:1/a\",\"verdict\":\"dead\"}\n\
            {\"url\":\"http://h:1/b\",\"verdict\":\"alive\"}\n";
        assert_eq!(relink_dead_paths(relink), ["/a"]);
    }
}
