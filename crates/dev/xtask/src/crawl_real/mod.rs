//! `cargo xtask crawl-real`: compares Relink with a reference crawler on real sites.
//!
//! The sites are the documentation of Debian packages, served by a private nginx on
//! loopback. Each is crawled twice: by Relink, and by `reference.py`, which shares no
//! code with Relink. Both must read the same pages and find the same dead links and
//! missing anchors within the site.
//!
//! Not part of the test suite, because it downloads the packages.

mod compare;
mod packages;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use self::compare::{Crawl, Difference, reference_crawl, relink_crawl};
use self::packages::{SITES, Site};
use crate::bench::nginx::{Nginx, free_port, site_config};
use crate::bench::scratch::Scratch;
use crate::workspace::{output, relink_binary};
use crate::{Workspace, XtaskError};

/// The program of the reference crawl.
const REFERENCE: &str = include_str!("reference.py");

/// Options of `crawl-real`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CrawlRealOptions {
    /// Names of sites. An empty list means all sites.
    sites: Vec<String>,
    /// Maximum number of pages of each site.
    max_pages: Option<u64>,
    /// The binary to test.
    relink: Option<PathBuf>,
    /// Directory for downloaded packages.
    cache: Option<PathBuf>,
    /// Directory for lists of differences.
    out: Option<PathBuf>,
}

impl CrawlRealOptions {
    /// Reads the options of the command line.
    pub fn read(options: &[&str]) -> Result<Self, XtaskError> {
        let mut read = Self::default();
        let mut rest = options;
        while let [name, value, tail @ ..] = rest {
            match *name {
                "--site" => read.sites.push(check_site_name(value)?),
                "--max-pages" => read.max_pages = Some(crate::bench::number(name, value)?),
                "--relink" => read.relink = Some(value.into()),
                "--cache" => read.cache = Some(value.into()),
                "--out" => read.out = Some(value.into()),
                _ => return Err(unknown_option(name)),
            }
            rest = tail;
        }
        match rest {
            [] => Ok(read),
            [name, ..] => Err(unknown_option(name)),
        }
    }

    fn includes(&self, site: &Site) -> bool {
        self.sites.is_empty() || self.sites.iter().any(|name| name == site.name)
    }
}

/// Returns the name if a site has this name.
fn check_site_name(name: &str) -> Result<String, XtaskError> {
    if SITES.iter().any(|site| site.name == name) {
        return Ok(name.to_owned());
    }
    let names: Vec<&str> = SITES.iter().map(|site| site.name).collect();
    Err(XtaskError::new(format!("unknown site `{name}`"))
        .hint(format!("the sites are {}", names.join(", "))))
}

fn unknown_option(name: &str) -> XtaskError {
    XtaskError::new(format!("unknown option `{name}`, or an option without a value"))
        .hint("the options are --site NAME, --max-pages N, --relink FILE, --cache DIR, --out DIR")
}

/// The results of one site.
#[derive(Debug)]
struct Row {
    name: &'static str,
    relink: Crawl,
    reference: Crawl,
    difference: Difference,
    /// The file with the differences, if there are any.
    file: Option<PathBuf>,
}

/// The results of all sites.
#[derive(Debug)]
pub struct RealOutcome(Vec<Row>);

impl RealOutcome {
    /// Whether Relink and the reference agree on every site.
    pub fn is_equal(&self) -> bool {
        self.0.iter().all(|row| row.difference.is_empty())
    }
}

impl fmt::Display for RealOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles = ["pages", "dead links", "missing anchors"];
        writeln!(f, "{:<12} {:>16} {:>16} {:>16}", "site", titles[0], titles[1], titles[2])?;
        for row in &self.0 {
            write!(f, "{:<12}", row.name)?;
            for (relink, reference) in row.relink.counts().into_iter().zip(row.reference.counts()) {
                write!(f, " {:>16}", format!("{relink} / {reference}"))?;
            }
            match &row.file {
                None => writeln!(f, "  equal")?,
                Some(file) => {
                    writeln!(f, "  {} differences: {}", row.difference.len(), file.display())?;
                }
            }
        }
        write!(f, "(each: Relink / reference)")
    }
}

/// Crawls the sites. `progress` receives status lines.
pub fn crawl_real(
    workspace: &Workspace,
    options: &CrawlRealOptions,
    progress: impl Fn(&str),
) -> Result<RealOutcome, XtaskError> {
    let relink = relink_binary(workspace, options.relink.as_deref(), &progress)?;
    let cache = options.cache.clone().map_or_else(packages::default_cache, Ok)?;
    let mut rows = Vec::new();
    for site in SITES.iter().filter(|site| options.includes(site)) {
        let root = packages::unpacked_files(site, &cache, &progress)?;
        rows.push(crawl_site(site, &root, &relink, options, &progress)?);
    }
    Ok(RealOutcome(rows))
}

/// Serves a site, crawls it with both programs and compares the results.
fn crawl_site(
    site: &Site,
    root: &Path,
    relink: &Path,
    options: &CrawlRealOptions,
    progress: &impl Fn(&str),
) -> Result<Row, XtaskError> {
    let (scratch, port) = (Scratch::new()?, free_port()?);
    let config = site_config(scratch.path(), root, port);
    let _nginx = Nginx::start_with(scratch.path(), &config, port)?;
    let start = format!("http://127.0.0.1:{port}{}", site.start);
    progress(&format!("{}: relink", site.name));
    let mut found = relink_crawl(relink, scratch.path(), &start, options.max_pages)?;
    progress(&format!("{}: reference", site.name));
    let script = scratch.path().join("reference.py");
    write(&script, REFERENCE)?;
    let mut command = Command::new("python3");
    command.arg(&script).arg(&start);
    if options.max_pages.is_some() {
        // The reference fetches the same pages, because only Relink has the limit.
        let only = scratch.path().join("only.txt");
        write(&only, &found.targets_as_lines())?;
        command.arg("--only").arg(only);
    }
    let mut reference = reference_crawl(&output(&mut command)?)?;
    // Remove the origin from the lists, because each run uses another port.
    let origin = format!("http://127.0.0.1:{port}");
    found.remove_origin(&origin);
    reference.remove_origin(&origin);
    let difference = Difference::between(&found, &reference);
    let file = write_difference(site, options, &difference)?;
    Ok(Row { name: site.name, relink: found, reference, difference, file })
}

/// Writes the differences to a file, if there are any.
fn write_difference(
    site: &Site,
    options: &CrawlRealOptions,
    difference: &Difference,
) -> Result<Option<PathBuf>, XtaskError> {
    if difference.is_empty() {
        return Ok(None);
    }
    let folder = options.out.clone().unwrap_or_else(std::env::temp_dir);
    std::fs::create_dir_all(&folder).map_err(|error| XtaskError::io(&folder, &error))?;
    let file = folder.join(format!("crawl-real-{}.txt", site.name));
    write(&file, &difference.to_string())?;
    Ok(Some(file))
}

fn write(path: &Path, text: &str) -> Result<(), XtaskError> {
    std::fs::write(path, text).map_err(|error| XtaskError::io(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_accepts_every_option() {
        let options =
            ["--site", "sqlite", "--max-pages", "50", "--relink", "target/release/relink"];
        let read = CrawlRealOptions::read(&options).unwrap();
        assert_eq!((read.sites.as_slice(), read.max_pages), (&["sqlite".to_owned()][..], Some(50)));
        assert_eq!(read.relink, Some("target/release/relink".into()));
    }

    #[test]
    fn read_rejects_unknown_options_and_sites() {
        for options in [&["--site", "unknown"][..], &["--max-pages"], &["--max-pages", "x"]] {
            assert!(CrawlRealOptions::read(options).is_err(), "{options:?}");
        }
    }
}
