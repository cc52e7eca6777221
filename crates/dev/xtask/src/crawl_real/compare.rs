//! The results of two crawls of one site, and their differences.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::XtaskError;

/// Requests in flight.
const IN_FLIGHT: &str = "16";
/// Exit codes of a finished crawl: without and with findings.
const FINISHED_EXIT_CODES: [i32; 2] = [0, 1];
/// Verdicts of URLs that are not dead.
const NOT_DEAD: [&str; 4] = ["alive", "moved", "local", "blocked"];

/// The result of a crawl inside the site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Crawl {
    /// Every URL that was requested.
    targets: BTreeSet<String>,
    /// Documents that were read for their links.
    pages: BTreeSet<String>,
    /// URLs that are dead.
    dead: BTreeSet<String>,
    /// URLs with a fragment that their page does not have.
    anchors: BTreeSet<String>,
}

impl Crawl {
    /// Returns the numbers of pages, dead links and missing anchors.
    pub(super) fn counts(&self) -> [usize; 3] {
        [self.pages.len(), self.dead.len(), self.anchors.len()]
    }

    pub(super) fn targets_as_lines(&self) -> String {
        self.targets.iter().flat_map(|url| [url.as_str(), "\n"]).collect()
    }

    /// Removes the origin from all URLs of the site.
    pub(super) fn remove_origin(&mut self, origin: &str) {
        for urls in [&mut self.targets, &mut self.pages, &mut self.dead, &mut self.anchors] {
            let paths = urls.iter().map(|url| url.strip_prefix(origin).unwrap_or(url).to_owned());
            *urls = paths.collect();
        }
    }
}

/// Crawls with Relink.
pub(super) fn relink_crawl(
    relink: &Path,
    scratch: &Path,
    start: &str,
    max_pages: Option<u64>,
) -> Result<Crawl, XtaskError> {
    let (db, sitemap_path) = (scratch.join("relink.db"), scratch.join("pages.xml"));
    let mut crawl = Command::new(relink);
    crawl.arg("crawl").arg("--db").arg(&db).args(["--format", "jsonl", "--render", "never"]);
    crawl.args(["--host-interval", "0", "--host-concurrency", IN_FLIGHT]);
    crawl.args(["--no-external", "--no-sitemaps"]);
    crawl.arg("--export").arg(format!("sitemap={}", sitemap_path.display())).arg(start);
    if let Some(pages) = max_pages {
        crawl.args(["--max-pages", &pages.to_string()]);
    }
    let rows = stdout_of(crawl.current_dir(scratch))?;
    let mut report = Command::new(relink);
    report.arg("report").arg("--db").arg(&db).args(["--format", "json"]);
    let report = stdout_of(report.current_dir(scratch))?;
    let pages = std::fs::read_to_string(&sitemap_path)
        .map_err(|error| XtaskError::io(&sitemap_path, &error))?;
    let mut found = Crawl { pages: locations(&pages), ..Crawl::default() };
    read_rows(&rows, start, &mut found)?;
    found.anchors = missing_anchors(&report)?;
    Ok(found)
}

/// Returns the standard output of a command that finished.
fn stdout_of(command: &mut Command) -> Result<String, XtaskError> {
    let output = command
        .output()
        .map_err(|error| XtaskError::new(format!("cannot run `{command:?}`: {error}")))?;
    if !output.status.code().is_some_and(|code| FINISHED_EXIT_CODES.contains(&code)) {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(XtaskError::new(format!(
            "{command:?} ended with {}:\n{errors}",
            output.status
        )));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Adds the URLs of the site and their verdicts from a report in JSON Lines.
fn read_rows(rows: &str, start: &str, found: &mut Crawl) -> Result<(), XtaskError> {
    // The origin of the first page, with a slash at its end.
    let origin = start.splitn(4, '/').take(3).collect::<Vec<_>>().join("/") + "/";
    for line in rows.lines() {
        let row = json(line)?;
        let url = row["url"].as_str().unwrap_or_default();
        if !url.starts_with(&origin) {
            continue;
        }
        found.targets.insert(url.to_owned());
        if !NOT_DEAD.contains(&row["verdict"].as_str().unwrap_or_default()) {
            found.dead.insert(url.to_owned());
        }
    }
    Ok(())
}

/// Returns the URLs of a sitemap.
fn locations(sitemap: &str) -> BTreeSet<String> {
    let entries = sitemap.split("<loc>").skip(1).filter_map(|entry| entry.split("</loc>").next());
    entries
        .map(|url| url.replace("&#39;", "'").replace("&apos;", "'").replace("&amp;", "&"))
        .collect()
}

/// Returns the missing anchors of a report in JSON, as URLs with a fragment.
fn missing_anchors(report: &str) -> Result<BTreeSet<String>, XtaskError> {
    let report = json(report)?;
    let list = &report["fragments"];
    let rows: Vec<&Value> = list["rows"].as_array().into_iter().flatten().collect();
    if list["total"].as_u64() != Some(rows.len() as u64) {
        return Err(XtaskError::new("the report does not list every missing anchor"));
    }
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    Ok(rows.iter().map(|row| text(row, "url") + "#" + &text(row, "fragment")).collect())
}

/// Parses the output of the reference crawl.
pub(super) fn reference_crawl(printed: &str) -> Result<Crawl, XtaskError> {
    let found = json(printed)?;
    let list = |name: &str| -> BTreeSet<String> {
        let all = found[name].as_array().into_iter().flatten();
        all.filter_map(|url| url.as_str().map(str::to_owned)).collect()
    };
    let anchors = found["anchors"].as_array().into_iter().flatten();
    let anchors = anchors.map(|pair| {
        let part = |index: usize| pair[index].as_str().unwrap_or_default();
        format!("{}#{}", part(0), part(1))
    });
    Ok(Crawl {
        targets: list("targets"),
        pages: list("pages"),
        dead: list("dead"),
        anchors: anchors.collect(),
    })
}

/// Parses a text as JSON.
fn json(text: &str) -> Result<Value, XtaskError> {
    serde_json::from_str(text).map_err(|error| XtaskError::new(format!("invalid JSON: {error}")))
}

/// URLs that only one of two crawls found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference(Vec<String>);

impl Difference {
    /// Compares two crawls.
    pub(super) fn between(relink: &Crawl, reference: &Crawl) -> Self {
        let lists = [
            ("target", &relink.targets, &reference.targets),
            ("page", &relink.pages, &reference.pages),
            ("dead", &relink.dead, &reference.dead),
            ("anchor", &relink.anchors, &reference.anchors),
        ];
        let mut lines = Vec::new();
        for (name, own, other) in lists {
            lines
                .extend(own.difference(other).map(|url| format!("only relink    {name:<6} {url}")));
            lines
                .extend(other.difference(own).map(|url| format!("only reference {name:<6} {url}")));
        }
        Self(lines)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFERENCE: &str = r#"{"targets": ["http://a.test/", "http://a.test/b"],
        "pages": ["http://a.test/"], "dead": ["http://a.test/b"],
        "anchors": [["http://a.test/", "part"]]}"#;

    #[test]
    fn difference_of_equal_crawls_is_empty() {
        let reference = reference_crawl(REFERENCE).unwrap();
        assert_eq!(reference.counts(), [1, 1, 1]);
        assert!(Difference::between(&reference, &reference).is_empty());
    }

    #[test]
    fn difference_names_the_crawl_that_found_a_url() {
        let mut reference = reference_crawl(REFERENCE).unwrap();
        reference.remove_origin("http://a.test");
        let other = Crawl { dead: BTreeSet::new(), ..reference.clone() };
        let difference = Difference::between(&other, &reference);
        assert_eq!(difference.to_string(), "only reference dead   /b\n");
        assert_eq!(difference.len(), 1);
    }

    #[test]
    fn read_rows_skips_other_hosts_and_live_urls() {
        let rows = "{\"url\":\"http://a.test/x\",\"verdict\":\"dead\"}\n\
                    {\"url\":\"http://a.test/y\",\"verdict\":\"moved\"}\n\
                    {\"url\":\"http://b.test/z\",\"verdict\":\"dead\"}\n";
        let mut found = Crawl::default();
        read_rows(rows, "http://a.test/index.html", &mut found).unwrap();
        assert_eq!((found.targets.len(), found.dead.len()), (2, 1));
    }

    #[test]
    fn missing_anchors_rejects_a_truncated_report() {
        let report = r#"{"fragments": {"rows": [], "total": 3}}"#;
        assert!(missing_anchors(report).is_err());
    }
}
