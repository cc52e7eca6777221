//! Runs other crawlers for comparison, and parses their output.

use std::path::PathBuf;

use serde_json::Value;

use super::{MIN_LINKCHECKER_SPEEDUP, MIN_LINKINATOR_SPEEDUP};

/// Another crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    Linkinator,
    LinkChecker,
}

impl Peer {
    pub(super) const ALL: [Self; 2] = [Self::Linkinator, Self::LinkChecker];

    /// Returns the name of the program.
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
    pub(super) fn min_speedup(self) -> f64 {
        match self {
            Self::Linkinator => MIN_LINKINATOR_SPEEDUP,
            Self::LinkChecker => MIN_LINKCHECKER_SPEEDUP,
        }
    }

    /// Returns the path of the program, or `None` if the environment variable is not set.
    pub(super) fn executable(self) -> Option<PathBuf> {
        std::env::var_os(self.variable()).map(PathBuf::from)
    }

    /// Returns the arguments of a crawl without politeness.
    pub(super) fn args(self, url: &str) -> Vec<String> {
        let args = match self {
            Self::Linkinator => vec![url, "--recurse", "--format", "json"],
            // LinkChecker sends at most ten requests per second unless a response header of the
            // site allows more. Our server sends this header.
            Self::LinkChecker => vec!["--no-status", "--threads", "64", "-o", "csv", url],
        };
        args.into_iter().map(str::to_owned).collect()
    }

    /// Returns the paths reported as dead.
    pub(super) fn dead_paths(self, output: &str) -> Vec<String> {
        let paths = match self {
            Self::Linkinator => parse_linkinator(output),
            Self::LinkChecker => parse_linkchecker(output),
        };
        sort_and_dedup(paths)
    }
}

/// Returns the paths that relink reports as dead, from its JSON lines.
pub(super) fn relink_dead_paths(output: &str) -> Vec<String> {
    let rows = output.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let is_dead =
        |row: &Value| ["dead", "soft-404", "failing"].map(Value::from).contains(&row["verdict"]);
    sort_and_dedup(rows.filter(is_dead).filter_map(|row| path_of(row["url"].as_str()?)).collect())
}

/// Returns the paths of the dead links in the output of linkinator.
fn parse_linkinator(output: &str) -> Vec<String> {
    let output: Value = serde_json::from_str(output).unwrap_or_default();
    let links = output["links"].as_array().cloned().unwrap_or_default();
    let broken = links.iter().filter(|link| link["state"] == "BROKEN");
    broken.filter_map(|link| path_of(link["url"].as_str()?)).collect()
}

/// Parses the CSV of `LinkChecker`, which lists only broken links. The first field is the URL as
/// written on the page, the eighth field the absolute URL.
fn parse_linkchecker(output: &str) -> Vec<String> {
    let lines = output.lines().filter(|line| !line.starts_with('#') && line.contains("http://"));
    lines
        .filter_map(|line| {
            let fields: Vec<&str> = line.split(';').collect();
            path_of(fields.get(7).or(fields.first())?)
        })
        .collect()
}

/// Returns the path of a URL.
fn path_of(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map(|start| rest.get(start..).unwrap_or_default().to_owned())
}

/// Sorts paths and removes duplicates.
fn sort_and_dedup(mut paths: Vec<String>) -> Vec<String> {
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
