//! `--since REV`: a broken link fails the run only if it was added or broken since REV.
//!
//! The *base* is the common ancestor of the revision and the current commit. Its documents
//! are written to a temporary directory and checked there without requests, with the same
//! arguments. The result decides which links are known, and a known link does not fail the
//! run. A web link is known if the document already contained the link in the base. A local
//! link is known if it was already broken in the base.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_engine::{Observer, Progress, check};
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_gate::{AddedLines, BaseLinks, LinkKey, Renames, new_links};
use relink_git::{GitError, Repository};
use relink_model::{Span, Verdict};
use relink_page::{Column, DocumentFormat, Options, links_with};
use relink_ports::{CheckedTarget, Clock as _, Files as _, LinkLocation, WalkRequest};
use relink_requests::{Ports, StopSignal};
use tempfile::TempDir;

use super::normalize;
use crate::cli::CheckArgs;
use crate::clock::RunClock;
use crate::error::CommandError;
use crate::output::load_findings;
use crate::paths;
use crate::settings::{CheckPlan, current_dir};
use crate::wiring;

/// Decides which broken links are new since the revision of `--since`.
pub struct SinceGate {
    revision: String,
    repository: Repository,
    /// The commit id of the base.
    base: String,
    /// The current directory, relative to the repository.
    prefix: PathBuf,
    /// The arguments of the check, without the gate.
    args: CheckArgs,
    /// The absolute path of `--config`.
    config: Option<PathBuf>,
}

impl SinceGate {
    /// Finds the base. Called before the first request, so that errors of git are reported
    /// at once.
    pub fn open(revision: &str, args: &CheckArgs) -> Result<Self, CommandError> {
        reject_inputs(args)?;
        let dir = current_dir()?;
        let dir = dir.canonicalize().unwrap_or(dir);
        let to_error = |error| git_error(revision, &error);
        let repository = Repository::discover(&dir).map_err(to_error)?;
        let base = repository.merge_base(revision).map_err(to_error)?;
        let root = repository.root();
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let prefix = dir.strip_prefix(&root).unwrap_or(Path::new("")).to_owned();
        // The check of the base has no gate of its own.
        let args = CheckArgs { gate: crate::cli::GateArgs::default(), ..args.clone() };
        let config = args.config.as_deref().map(|file| dir.join(file));
        Ok(Self { revision: revision.to_owned(), repository, base, prefix, args, config })
    }

    /// Returns the revision as given.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// Returns for each broken link whether it is new.
    pub async fn new_links(
        &self,
        links: &[(&CheckedTarget, &LinkLocation)],
    ) -> Result<Vec<bool>, CommandError> {
        let to_error = |error| git_error(&self.revision, &error);
        let changed_names = self.repository.changed_names(&self.base).map_err(to_error)?;
        let renames = Renames::parse(&changed_names);
        let diff = self.repository.diff(&self.base).map_err(to_error)?;
        let added = AddedLines::parse(&diff);
        let current = current_dir()?;
        let mut texts = DocumentTexts::new(&current);
        // The document of each link, and the destination as written in the document.
        let mut raw_links: Vec<(String, String)> = Vec::new();
        for (_, location) in links {
            let path = self.repository_path(&location.path, self.repository.root());
            let raw = texts.part(&location.path, location.location.span);
            raw_links.push((path, raw.unwrap_or_default()));
        }
        let documents: HashSet<&str> =
            raw_links.iter().map(|(path, _)| renames.old_path(path)).collect();
        let base = Box::pin(self.base_links(&documents)).await?;
        let findings: Vec<LinkKey> = links
            .iter()
            .zip(&raw_links)
            .map(|((target, location), (path, raw))| LinkKey {
                path,
                raw,
                line: location.location.line,
                is_local: target.result.verdict == Verdict::Local,
            })
            .collect();
        Ok(new_links(&findings, &base, &renames, &added))
    }

    /// Returns the path of a document relative to the repository. `label` is the path that
    /// the check reports: absolute, in the copy of the repository at `root`, or relative to
    /// the current directory.
    fn repository_path(&self, label: &str, root: &Path) -> String {
        let path = Path::new(label);
        match path.strip_prefix(root) {
            Ok(path) => normalize(path).display().to_string(),
            Err(_) => normalize(&self.prefix.join(path)).display().to_string(),
        }
    }

    /// Returns the links of `documents` in the base, and the broken local links of the base.
    async fn base_links(&self, documents: &HashSet<&str>) -> Result<BaseLinks, CommandError> {
        let tree = tempfile::tempdir().map_err(|error| cannot_compare(&error))?;
        let to_error = |error| git_error(&self.revision, &error);
        self.repository.write_files(&self.base, tree.path()).map_err(to_error)?;
        let mut base = BaseLinks::default();
        for document in documents {
            for raw in self.raw_links(&tree.path().join(document)) {
                base.add_link(document, &raw);
            }
        }
        // The current directory may not exist in the base.
        let dir = tree.path().join(&self.prefix);
        if dir.is_dir() {
            Box::pin(self.add_broken_links(&mut base, &tree, &dir)).await?;
        }
        Ok(base)
    }

    /// Returns the destinations of all links in a document of the base, as written.
    fn raw_links(&self, path: &Path) -> Vec<String> {
        let Ok(bytes) = std::fs::read(path) else { return Vec::new() };
        let name = path.to_string_lossy();
        let documents = &self.args.documents;
        let format = documents.read_as;
        let format = format.unwrap_or_else(|| DocumentFormat::from_file(Some(&name), &bytes));
        let column = documents.column.as_deref().map(Column::from);
        let options = Options { column, ..Options::from_file_name(&name) };
        let links = links_with(format, &bytes, &options).links;
        links.iter().filter_map(|link| text_in_span(&bytes, link.location.span)).collect()
    }

    /// Checks the local links of the base, whose files are in `tree`, in the directory `dir`.
    /// Adds the broken links to `base`.
    async fn add_broken_links(
        &self,
        base: &mut BaseLinks,
        tree: &TempDir,
        dir: &Path,
    ) -> Result<(), CommandError> {
        // A directory `.git` marks the root of the project, as in the repository.
        std::fs::create_dir_all(tree.path().join(".git"))
            .map_err(|error| cannot_compare(&error))?;
        self.copy_config(tree.path()).map_err(|error| cannot_compare(&error))?;
        let db_dir = tempfile::tempdir().map_err(|error| cannot_compare(&error))?;
        let findings = {
            let _directory =
                WorkingDirectory::change(dir).map_err(|error| cannot_compare(&error))?;
            self.broken_targets(tree.path(), &db_dir.path().join("base.db")).await?
        };
        let mut texts = DocumentTexts::new(dir);
        for location in findings.iter().flat_map(|target| &target.locations) {
            if let Some(raw) = texts.part(&location.path, location.location.span) {
                let path = self.repository_path(&location.path, tree.path());
                base.add_broken(&path, &raw);
            }
        }
        Ok(())
    }

    /// Checks the base in the current directory, without requests. Returns the targets of
    /// broken local links.
    async fn broken_targets(
        &self,
        tree: &Path,
        db: &Path,
    ) -> Result<Vec<CheckedTarget>, CommandError> {
        let mut args = CheckArgs {
            offline: true,
            output: Vec::new(),
            db: Some(db.to_owned()),
            config: self.config.clone(),
            ..self.args.clone()
        };
        args.documents.remote_anchors = false;
        args.revive.revive = false;
        let clock = RunClock::start()?;
        let files = LocalFiles::new(LocalFilesSettings::default());
        let mut inputs = Vec::new();
        for input in &args.inputs {
            let input = self.input_in_base(Path::new(input), tree);
            // Skip inputs that do not exist in the base.
            if files.walk(&WalkRequest { inputs: vec![input.clone()] }).await.is_ok() {
                inputs.push(input.into_os_string());
            }
        }
        if inputs.is_empty() {
            return Ok(Vec::new());
        }
        args.inputs = inputs;
        let plan = CheckPlan::resolve(args, clock.now())?;
        let mut ports: Ports = wiring::ports(plan.run.fetch.clone(), db, Arc::new(clock)).await?;
        ports.files = Arc::new(LocalFiles::new(plan.files.clone()));
        let outcome = check(&ports, &plan.check, &mut NoOutput, &StopSignal::never()).await?;
        load_findings(&ports, outcome.run, &[Verdict::Local], usize::MAX).await
    }

    /// Maps an absolute path in the repository to the files of the base.
    fn input_in_base(&self, input: &Path, tree: &Path) -> PathBuf {
        match input.strip_prefix(self.repository.root()) {
            Ok(inside) => tree.join(inside),
            Err(_) => input.to_owned(),
        }
    }

    /// Replaces the configuration files of the base by the current ones, so that both checks
    /// have the same rules.
    fn copy_config(&self, tree: &Path) -> std::io::Result<()> {
        let root = self.repository.root();
        for directory in self.prefix.ancestors() {
            let relative = directory.join(paths::CONFIG_FILE);
            let (current, base) = (root.join(&relative), tree.join(&relative));
            if current.is_file() {
                std::fs::copy(&current, &base)?;
            } else if base.is_file() {
                std::fs::remove_file(&base)?;
            }
        }
        Ok(())
    }
}

/// Ignores results and progress.
struct NoOutput;

impl Observer for NoOutput {
    fn on_result(&mut self, _: &CheckedTarget) -> std::io::Result<()> {
        Ok(())
    }

    fn on_progress(&mut self, _: &Progress) {}
}

/// The content of documents, each read once.
struct DocumentTexts<'a> {
    directory: &'a Path,
    texts: HashMap<String, Vec<u8>>,
}

impl<'a> DocumentTexts<'a> {
    fn new(directory: &'a Path) -> Self {
        Self { directory, texts: HashMap::new() }
    }

    /// Returns the part of a document in a span; for a link, the destination as written.
    fn part(&mut self, label: &str, span: Span) -> Option<String> {
        let directory = self.directory;
        let read = || std::fs::read(directory.join(label)).unwrap_or_default();
        text_in_span(self.texts.entry(label.to_owned()).or_insert_with(read), span)
    }
}

fn text_in_span(bytes: &[u8], span: Span) -> Option<String> {
    bytes.get(span.range()).map(|raw| String::from_utf8_lossy(raw).into_owned())
}

/// A temporary change of the current directory, to which the arguments of a check are relative.
/// Contains the previous directory, which is restored on drop.
struct WorkingDirectory(PathBuf);

impl WorkingDirectory {
    fn change(to: &Path) -> std::io::Result<Self> {
        let previous = std::env::current_dir()?;
        std::env::set_current_dir(to)?;
        Ok(Self(previous))
    }
}

impl Drop for WorkingDirectory {
    fn drop(&mut self) {
        // Ignore the error: the directory existed before the change.
        let _ = std::env::set_current_dir(&self.0);
    }
}

/// Rejects inputs that are not files: URLs and standard input have no earlier revision.
fn reject_inputs(args: &CheckArgs) -> Result<(), CommandError> {
    let is_file = |input: &std::ffi::OsString| {
        let text = input.to_string_lossy();
        text != "-" && !text.starts_with("http://") && !text.starts_with("https://")
    };
    match args.inputs.iter().find(|input| !is_file(input)) {
        None => Ok(()),
        Some(input) => Err(CommandError::usage("cannot use `--since` with this input")
            .cause(format!("`{}` is not a file of the repository", input.to_string_lossy()))
            .hint("use files and directories, or `--baseline FILE`")),
    }
}

fn cannot_compare(error: &std::io::Error) -> CommandError {
    CommandError::internal("cannot compare with the earlier revision").cause(error.to_string())
}

/// Returns the error of `--since`, with a hint that solves the problem.
fn git_error(revision: &str, error: &GitError) -> CommandError {
    let hint = match error {
        GitError::Shallow => {
            "run `git fetch --unshallow`; in GitHub Actions, set `fetch-depth: 0` of \
             `actions/checkout`; in GitLab, set `GIT_DEPTH: 0`"
                .to_owned()
        }
        GitError::UnknownRevision(_) => match revision.split_once('/') {
            Some((remote, branch)) if !branch.is_empty() => {
                format!("run `git fetch {remote} {branch}:refs/remotes/{revision}`")
            }
            _ => "run `git fetch --all --tags`, or use another revision such as `origin/main`"
                .to_owned(),
        },
        GitError::NoMergeBase(_) => {
            "run `git fetch --all`, or use a revision of the same history".to_owned()
        }
        GitError::NotARepository(_) => {
            "run the command in a git repository, or use `--baseline FILE`".to_owned()
        }
        GitError::NotInstalled(_) => "install git, or use `--baseline FILE`".to_owned(),
        GitError::Failed { .. } | GitError::Write(_) => {
            "check the repository with `git status`".to_owned()
        }
    };
    CommandError::usage(format!("cannot compare with `{revision}`"))
        .cause(error.to_string())
        .with_sources(error)
        .hint(hint)
}
