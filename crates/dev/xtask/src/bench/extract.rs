//! Compares `relink extract` with `lychee --dump`, which also prints all links, on a
//! directory tree of Markdown files and one of HTML files. Then measures files that
//! are made to be slow to parse (hostile files).

mod hostile;
mod tree;

use std::fmt;
use std::path::{Path, PathBuf};

use self::tree::TreeFormat;
use super::check::find_lychee;
use super::meter::{Measurement, measure, summarize};
use super::scratch::Scratch;
use crate::workspace::run;
use crate::{Workspace, XtaskError};

/// Rounds of each program on each tree.
const ROUNDS: usize = 5;

/// Rounds of each hostile file.
const HOSTILE_ROUNDS: usize = 3;

/// Minimum speed-up over lychee.
const MIN_SPEEDUP: f64 = 2.0;

/// Maximum seconds per hostile file.
const MAX_HOSTILE_SECONDS: f64 = 1.0;

/// Size of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractSize {
    /// Files per tree.
    pub files: usize,
    /// Bytes per hostile file.
    pub hostile_bytes: usize,
}

impl Default for ExtractSize {
    fn default() -> Self {
        Self { files: 15_000, hostile_bytes: 10_000_000 }
    }
}

/// The result.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractBenchResult {
    trees: Vec<TreeResult>,
    /// Seconds per hostile file, by name.
    hostile: Vec<(&'static str, f64)>,
}

/// The result on one tree.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TreeResult {
    format: TreeFormat,
    files: usize,
    /// Number of links in the files.
    planted: usize,
    /// Number of links that Relink printed.
    found: usize,
    relink: Measurement,
    lychee: Option<Measurement>,
}

impl ExtractBenchResult {
    /// Whether all planted links were found, and no others.
    pub fn is_correct(&self) -> bool {
        self.trees.iter().all(|tree| tree.found == tree.planted)
    }

    /// Whether every ratio and every hostile file keeps its limit.
    pub fn is_fast(&self) -> bool {
        let is_slow = |tree: &TreeResult| tree.ratio().is_some_and(|ratio| ratio < MIN_SPEEDUP);
        !self.trees.iter().any(is_slow)
            && self.hostile.iter().all(|(_, seconds)| *seconds < MAX_HOSTILE_SECONDS)
    }
}

impl TreeResult {
    fn ratio(&self) -> Option<f64> {
        self.lychee.map(|lychee| lychee.seconds / self.relink.seconds)
    }
}

impl fmt::Display for ExtractBenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for tree in &self.trees {
            writeln!(f, "{tree}")?;
        }
        write!(f, "hostile (limit {MAX_HOSTILE_SECONDS:.0} s)")?;
        self.hostile.iter().try_for_each(|(name, seconds)| write!(f, "  {name} {seconds:.2} s"))
    }
}

impl fmt::Display for TreeResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} files  relink {}  ", self.format, self.files, describe_run(self.relink))?;
        match (self.lychee, self.ratio()) {
            (Some(lychee), Some(ratio)) => {
                write!(
                    f,
                    "lychee {}  ratio {ratio:.2} (minimum {MIN_SPEEDUP:.0})  ",
                    describe_run(lychee)
                )?;
            }
            _ => f.write_str("lychee -  ratio -  ")?,
        }
        write!(f, "links {} of {}", self.found, self.planted)
    }
}

#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn describe_run(run: Measurement) -> String {
    format!("{:.2} s {:.0} MB", run.seconds, run.peak_kib as f64 / 1024.0)
}

/// Measures both programs. `progress` receives status lines.
pub fn bench_extract(
    workspace: &Workspace,
    size: ExtractSize,
    progress: impl Fn(&str),
) -> Result<ExtractBenchResult, XtaskError> {
    let lychee = find_lychee();
    if lychee.is_none() {
        progress("lychee is not on the path and `LYCHEE` is not set: skipping it");
    }
    progress("building relink --release");
    run(workspace.cargo().args(["build", "--release", "--locked", "--quiet", "-p", "relink"]))?;
    let scratch = Scratch::new()?;
    let bench =
        Bench { scratch: scratch.path(), relink: workspace.target.join("release/relink"), lychee };
    let mut trees = Vec::new();
    for format in [TreeFormat::Markdown, TreeFormat::Html] {
        progress(&format!("{} files of {format}", size.files));
        trees.push(bench.measure_tree(format, size.files)?);
    }
    progress(&format!("hostile files of {} bytes", size.hostile_bytes));
    let hostile = hostile::FILES
        .iter()
        .map(|file| bench.measure_hostile(file, size.hostile_bytes))
        .collect::<Result<_, _>>()?;
    Ok(ExtractBenchResult { trees, hostile })
}

/// The programs, and the directory of their files.
struct Bench<'a> {
    scratch: &'a Path,
    relink: PathBuf,
    lychee: Option<PathBuf>,
}

impl Bench<'_> {
    /// Writes a tree and measures both programs on it.
    fn measure_tree(&self, format: TreeFormat, files: usize) -> Result<TreeResult, XtaskError> {
        let root = self.scratch.join(format.to_string());
        let planted = tree::write(&root, format, files)?;
        let (mut relink, mut lychee) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            if let Some(program) = &self.lychee {
                let args = ["--no-progress", "--dump", &root.to_string_lossy()];
                lychee.push(measure(self.scratch, program, &args)?);
            }
            relink.push(self.measure_relink(&root)?);
        }
        Ok(TreeResult {
            format,
            files,
            planted,
            found: self.count_printed_links()?,
            relink: summarize(&relink).ok_or_else(|| XtaskError::new("relink never ran"))?,
            lychee: summarize(&lychee),
        })
    }

    fn measure_relink(&self, input: &Path) -> Result<Measurement, XtaskError> {
        let args = ["extract", "--format", "jsonl", &input.to_string_lossy()];
        measure(self.scratch, &self.relink, &args)
    }

    /// Counts the links of the last run of relink.
    fn count_printed_links(&self) -> Result<usize, XtaskError> {
        let path = self.scratch.join("out");
        let text = std::fs::read_to_string(&path).map_err(|error| XtaskError::io(&path, &error))?;
        Ok(text.lines().count())
    }

    /// Writes a hostile file of this size, and returns its name and the seconds that
    /// Relink needs for it.
    fn measure_hostile(
        &self,
        file: &hostile::HostileFile,
        bytes: usize,
    ) -> Result<(&'static str, f64), XtaskError> {
        let path = self.scratch.join(file.name);
        std::fs::write(&path, file.content(bytes))
            .map_err(|error| XtaskError::io(&path, &error))?;
        // The fastest round counts, because other load only slows down.
        let mut fastest = f64::INFINITY;
        for _ in 0..HOSTILE_ROUNDS {
            fastest = fastest.min(self.measure_relink(&path)?.seconds);
        }
        std::fs::remove_file(&path).map_err(|error| XtaskError::io(&path, &error))?;
        Ok((file.name, fastest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(relink: f64, hostile: f64) -> ExtractBenchResult {
        let run = |seconds, mib: u64| Measurement { seconds, peak_kib: mib * 1024 };
        let tree = TreeResult {
            format: TreeFormat::Html,
            files: 10,
            planted: 20,
            found: 20,
            relink: run(relink, 10),
            lychee: Some(run(1.5, 20)),
        };
        ExtractBenchResult { trees: vec![tree], hostile: vec![("brackets.md", hostile)] }
    }

    #[test]
    fn display_shows_ratios_and_limits() {
        assert_eq!(
            outcome(0.5, 0.25).to_string(),
            "html 10 files  relink 0.50 s 10 MB  lychee 1.50 s 20 MB  ratio 3.00 (minimum 2)  \
             links 20 of 20\nhostile (limit 1 s)  brackets.md 0.25 s"
        );
    }

    #[test]
    fn is_fast_rejects_a_low_ratio_or_a_slow_file() {
        assert!(outcome(0.5, 0.5).is_fast() && outcome(0.5, 0.5).is_correct());
        assert!(!outcome(1.0, 0.5).is_fast());
        assert!(!outcome(0.5, 1.5).is_fast());
    }
}
