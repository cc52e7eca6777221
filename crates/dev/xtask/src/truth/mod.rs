//! `cargo xtask truth`: compares verdicts with the true state of pages of real programs
//! (wikis, trackers, code browsers, shops), here called products.
//!
//! Each folder of `truth/` has a script that installs and starts a product on loopback,
//! and a list of URLs with their true state. `relink check` judges the URLs, and the
//! same URLs with parameters that the product ignores.
//!
//! Not part of the test suite, because it downloads packages.

mod product;
mod server;
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use self::product::{Case, Product};
use self::server::ProductServer;
pub use self::table::TruthOutcome;
use crate::bench::nginx::free_port;
use crate::bench::scratch::Scratch;
use crate::workspace::relink_binary;
use crate::{Workspace, XtaskError};

/// Directory of the products, below the root of the workspace.
const PRODUCTS: &str = "crates/dev/xtask/truth";

/// Options of `truth`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TruthOptions {
    /// Names of products. An empty list means all products.
    products: Vec<String>,
    /// The binary to test.
    relink: Option<PathBuf>,
    /// Directory for installed products.
    cache: Option<PathBuf>,
}

impl TruthOptions {
    /// Reads the options of the command line.
    pub fn read(options: &[&str]) -> Result<Self, XtaskError> {
        let mut read = Self::default();
        for option in options.chunks(2) {
            match *option {
                ["--product", name] => read.products.push(name.to_owned()),
                ["--relink", path] => read.relink = Some(path.into()),
                ["--cache", path] => read.cache = Some(path.into()),
                _ => {
                    return Err(XtaskError::new(format!("invalid option `{}`", option.join(" ")))
                        .hint("the options are --product NAME, --relink FILE, --cache DIR"));
                }
            }
        }
        Ok(read)
    }

    fn includes(&self, name: &str) -> bool {
        self.products.is_empty() || self.products.iter().any(|wanted| wanted == name)
    }
}

/// A URL with its true state and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JudgedCase {
    product: String,
    case: Case,
    verdict: String,
    reason: String,
}

/// Checks the selected products. A product that cannot be started is reported and
/// skipped.
pub fn truth(
    workspace: &Workspace,
    options: &TruthOptions,
    progress: impl Fn(&str),
) -> Result<TruthOutcome, XtaskError> {
    let relink = relink_binary(workspace, options.relink.as_deref(), &progress)?;
    let cache = options.cache.clone().map_or_else(default_cache, Ok)?;
    let shared = workspace.root.join(PRODUCTS);
    let (mut cases, mut skipped) = (Vec::new(), Vec::new());
    for product in Product::read_all(&shared)? {
        if !options.includes(&product.name) {
            continue;
        }
        progress(&product.name);
        match check_product(&product, &relink, &cache, &shared) {
            Ok(judged) => cases.extend(judged),
            Err(error) => {
                progress(&error.to_string());
                skipped.push(product.name);
            }
        }
    }
    Ok(TruthOutcome { cases, skipped })
}

/// Returns the default directory for installed products.
fn default_cache() -> Result<PathBuf, XtaskError> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let base = base.or_else(|| home.map(|home| home.join(".cache")));
    base.map(|base| base.join("relink-truth"))
        .ok_or_else(|| XtaskError::new("neither XDG_CACHE_HOME nor HOME is set"))
}

/// Starts a product and checks its URLs.
fn check_product(
    product: &Product,
    relink: &Path,
    cache: &Path,
    shared: &Path,
) -> Result<Vec<JudgedCase>, XtaskError> {
    let port = free_port()?;
    let _server = ProductServer::start(product, &cache.join(&product.name), shared, port)?;
    let scratch = Scratch::new()?;
    let origin = format!("http://127.0.0.1:{port}");
    let list = scratch.path().join("urls.txt");
    let urls: Vec<String> =
        product.cases.iter().map(|case| format!("{origin}{}\n", case.path)).collect();
    std::fs::write(&list, urls.concat()).map_err(|error| XtaskError::io(&list, &error))?;
    let output = Command::new(relink)
        .args(["check", "--db", "relink.db", "--format", "jsonl", "--host-interval", "5ms"])
        .args(["--timeout", "60s", "urls.txt"])
        .current_dir(scratch.path())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| XtaskError::io(relink, &error))?;
    let rows = String::from_utf8_lossy(&output.stdout);
    let find = |case: &Case| find_verdict(&rows, &format!("{origin}{}", case.path));
    let judged = product.cases.iter().map(|case| {
        let (verdict, reason) = find(case).ok_or_else(|| {
            let errors = String::from_utf8_lossy(&output.stderr);
            XtaskError::new(format!("{}: no verdict for {}\n{errors}", product.name, case.path))
        })?;
        Ok(JudgedCase { product: product.name.clone(), case: case.clone(), verdict, reason })
    });
    judged.collect()
}

/// Returns the verdict and the reason of a URL in the output.
fn find_verdict(rows: &str, url: &str) -> Option<(String, String)> {
    let rows = rows.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut found = rows.filter(|row| row["url"].as_str() == Some(url));
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    found.next().map(|row| (text(&row, "verdict"), text(&row, "reason")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_accepts_every_option() {
        let read = TruthOptions::read(&["--product", "trac", "--cache", "x"]).unwrap();
        assert!(read.includes("trac") && !read.includes("moin"));
        assert_eq!(read.cache, Some("x".into()));
        assert!(TruthOptions::read(&["--product"]).is_err());
    }

    #[test]
    fn verdict_is_found_by_url() {
        let rows =
            "{\"url\":\"http://a.test/x\",\"verdict\":\"alive\",\"reason\":\"status 200\"}\n";
        let expect = Some(("alive".to_owned(), "status 200".to_owned()));
        assert_eq!(find_verdict(rows, "http://a.test/x"), expect);
        assert_eq!(find_verdict(rows, "http://a.test/y"), None);
    }
}
