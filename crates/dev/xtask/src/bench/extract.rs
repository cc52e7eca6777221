//! `relink extract` compared with `lychee --dump` on a tree of Markdown and a
//! tree of HTML, alternately; then files that are slow to parse.

mod hostile;
mod tree;

use std::fmt;
use std::path::{Path, PathBuf};

use self::tree::Kind;
use super::check::find_lychee;
use super::meter::{Run, measure, summarize};
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

/// One tree.
#[derive(Debug, Clone, Copy, PartialEq)]
struct TreeResult {
    kind: Kind,
    files: usize,
    planted: usize,
    found: usize,
    relink: Run,
    lychee: Option<Run>,
}

impl ExtractBenchResult {
    /// Whether all planted links were found, and no others.
    pub fn is_right(&self) -> bool {
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
        write!(f, "{} {} files  relink {}  ", self.kind, self.files, describe_run(self.relink))?;
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
fn describe_run(run: Run) -> String {
    format!("{:.2} s {:.0} MB", run.seconds, run.peak_kib as f64 / 1024.0)
}

/// Measures both; `progress` receives status lines.
pub fn extract(
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
    for kind in [Kind::Markdown, Kind::Html] {
        progress(&format!("{} files of {kind}", size.files));
        trees.push(bench.tree(kind, size.files)?);
    }
    progress(&format!("hostile files of {} bytes", size.hostile_bytes));
    let hostile = hostile::FILES
        .iter()
        .map(|file| bench.hostile(file, size.hostile_bytes))
        .collect::<Result<_, _>>()?;
    Ok(ExtractBenchResult { trees, hostile })
}

/// Settings of the measurement.
struct Bench<'a> {
    scratch: &'a Path,
    relink: PathBuf,
    lychee: Option<PathBuf>,
}

impl Bench<'_> {
    fn tree(&self, kind: Kind, files: usize) -> Result<TreeResult, XtaskError> {
        let root = self.scratch.join(kind.to_string());
        let planted = tree::write(&root, kind, files)?;
        let (mut relink, mut lychee) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            if let Some(program) = &self.lychee {
                let words = ["--no-progress", "--dump", &root.to_string_lossy()];
                lychee.push(measure(self.scratch, program, &words)?);
            }
            relink.push(self.relink(&root)?);
        }
        Ok(TreeResult {
            kind,
            files,
            planted,
            found: self.count()?,
            relink: summarize(&relink).ok_or_else(|| XtaskError::new("relink never ran"))?,
            lychee: summarize(&lychee),
        })
    }

    fn relink(&self, input: &Path) -> Result<Run, XtaskError> {
        let words = ["extract", "--format", "jsonl", &input.to_string_lossy()];
        measure(self.scratch, &self.relink, &words)
    }

    /// Counts the links of the last run of relink.
    fn count(&self) -> Result<usize, XtaskError> {
        let path = self.scratch.join("out");
        let text = std::fs::read_to_string(&path).map_err(|error| XtaskError::io(&path, &error))?;
        Ok(text.lines().count())
    }

    fn hostile(
        &self,
        file: &hostile::File,
        bytes: usize,
    ) -> Result<(&'static str, f64), XtaskError> {
        let path = self.scratch.join(file.name);
        std::fs::write(&path, file.content(bytes))
            .map_err(|error| XtaskError::io(&path, &error))?;
        // The fastest round counts, because other load only slows down.
        let mut quickest = f64::INFINITY;
        for _ in 0..HOSTILE_ROUNDS {
            quickest = quickest.min(self.relink(&path)?.seconds);
        }
        std::fs::remove_file(&path).map_err(|error| XtaskError::io(&path, &error))?;
        Ok((file.name, quickest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(relink: f64, hostile: f64) -> ExtractBenchResult {
        let run = |seconds, mib: u64| Run { seconds, peak_kib: mib * 1024 };
        let tree = TreeResult {
            kind: Kind::Html,
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
        assert!(outcome(0.5, 0.5).is_fast() && outcome(0.5, 0.5).is_right());
        assert!(!outcome(1.0, 0.5).is_fast());
        assert!(!outcome(0.5, 1.5).is_fast());
    }
}
