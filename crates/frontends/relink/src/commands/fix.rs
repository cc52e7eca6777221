//! `relink fix`: repairs the links of local documents.
//!
//! A dry run prints a unified diff on standard output and a summary on standard
//! error. With `--apply`, the files are changed and a journal for `--undo` is
//! written next to the database. With `--commit`, the changes are committed. A sidecar
//! file lists the original URLs of replaced links.

mod annotate;
mod commit;
mod community;
mod journal;
mod patch;
mod redirects;
mod report;
mod review;
mod roots;
mod sidecar;
mod site;
mod wiki;
mod write;

use std::io;
use std::path::Path;
use std::sync::Arc;

use relink_engine::{CheckEnd, check};
use relink_git::GitLineHistory;
use relink_model::RunId;
use relink_ports::Clock as _;
use relink_repair::{
    DocumentFix, FixCause, FixSettings, FixStatus, LinkFix, choose_dated_copies, plan_document,
    plan_fixes, reject_unwritable, verify_fixes,
};
use relink_report::{
    FixCommitRow, FixReport, FixRow, FixWikiEditRow, printable, pull_request_body,
};
use relink_requests::{EngineError, Ports, StopSignal};

pub use self::annotate::annotate;
use self::commit::Committer;
use self::journal::Journal;
use self::patch::{GroupDiff, PatchGroup, PatchPrinter, patch_base, patch_label};
pub use self::patch::{PatchGroups, document_diffs, write_output};
use self::redirects::write_redirect_map;
use self::report::{print_summary, row};
use self::roots::Roots;
use self::sidecar::Sidecars;
use self::write::writable_path;
use super::check::search_dead_pages;
use super::revive::archives;
use super::signals::stop_on_signal;
use super::text_style;
use crate::cli::{FixArgs, FixFormat, GlobalArgs};
use crate::clock::RunClock;
use crate::database::companion_path;
use crate::error::{CommandError, Exit};
use crate::output::{ProgressDisplay, cannot_encode, print};
use crate::settings::CheckPlan;
use crate::wiring;

/// The settings that decide how repairs are shown, and whether they are written.
struct FixMode<'a> {
    format: FixFormat,
    write: WriteMode,
    /// Whether the user decides about repairs in the terminal (`--review`).
    is_reviewed: bool,
    settings: FixSettings,
    /// Whether original URLs are written to a sidecar file.
    has_sidecar: bool,
    /// The file for the patch.
    output: Option<&'a Path>,
    /// The file for the text of a pull request.
    pr_body: Option<&'a Path>,
    global: &'a GlobalArgs,
}

/// What happens to the planned repairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriteMode {
    /// They are printed as a diff.
    DryRun,
    /// They are written to the files.
    Apply,
    /// They are written and committed.
    Commit,
}

/// The changed documents and commits of a command.
#[derive(Debug, Default)]
struct WriteResult {
    /// Number of documents with repairs.
    documents: usize,
    /// The id for `--undo`.
    undo: Option<String>,
    commits: Vec<FixCommitRow>,
    wiki_edits: Vec<FixWikiEditRow>,
}

/// Runs `relink fix`.
pub async fn run(args: FixArgs, global: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let now = clock.now();
    if let Some(id) = &args.undo {
        return journal::undo(&args, id);
    }
    if let Some(url) = args.wiki.wiki.clone() {
        return Box::pin(wiki::run(args, url, global)).await;
    }
    if let Some(id) = args.site.crawl {
        return Box::pin(site::run(args, id, global)).await;
    }
    let roots = Roots::new(&args.inputs);
    let (output, pr_body) = (args.output.clone(), args.pr_body.clone());
    let (community, redirects) = (args.community.clone(), args.redirects.clone());
    let write = match (args.commit, args.apply) {
        (true, _) => WriteMode::Commit,
        (false, true) => WriteMode::Apply,
        (false, false) => WriteMode::DryRun,
    };
    let mode = FixMode::new(&args, write, output.as_deref(), pr_body.as_deref(), &global);
    let plan = CheckPlan::resolve(args.into_check_args(), now)?;
    plan.run.warn_project_config();
    let mut ports = wiring::ports(plan.run.fetch.clone(), &plan.run.db, Arc::new(clock)).await?;
    let stop = stop_on_signal();
    let Some((run, mut fixes)) = find_fixes(&mut ports, &plan, &mode, &stop).await? else {
        return Ok(Exit::Interrupted);
    };
    reject_unwritable(&*ports.files, &plan.check.load.read_options, &mut fixes).await;
    if community::write_list(&community, &ports, &plan, &fixes).await? {
        wiring::close(ports).await;
        return Ok(Exit::Clean);
    }
    community::apply_results(&community, &ports, &mut fixes).await?;
    let Some(mut fixes) = review_fixes(&mode, fixes, &stop).await? else {
        return Ok(Exit::Interrupted);
    };
    write_redirect_map(&redirects, &fixes)?;
    let journal = Journal::new(&companion_path(&plan.run.db)?, now);
    let result = write_documents(&ports, &plan, run, &roots, &mut fixes, journal, &mode).await?;
    wiring::close(ports).await;
    mode.report(&fixes, &result)?;
    let has_pending_repairs = mode.write == WriteMode::DryRun && result.documents > 0;
    Ok(if has_pending_repairs { Exit::Findings } else { Exit::Clean })
}

/// Lets the user decide about uncertain repairs, with `--review`. Returns `None` if the user
/// interrupted the review.
async fn review_fixes(
    mode: &FixMode<'_>,
    mut fixes: Vec<LinkFix>,
    stop: &StopSignal,
) -> Result<Option<Vec<LinkFix>>, CommandError> {
    if !mode.is_reviewed {
        return Ok(Some(fixes));
    }
    let (sender, reviewed) = tokio::sync::oneshot::channel();
    // Use a separate thread, because a read of standard input cannot be interrupted. The thread
    // stops when the process ends.
    std::thread::spawn(move || {
        let result = review::review(&mut fixes, &mut io::stdin().lock(), &mut io::stderr());
        // Ignore the error: nothing is received after an interruption.
        let _ = sender.send(result.map(|()| fixes));
    });
    let result = tokio::select! {
        result = reviewed => result,
        () = stop.stopped() => return Ok(None),
    };
    let cannot_read =
        |cause: String| CommandError::internal("cannot read the answer of the review").cause(cause);
    match result {
        Ok(Ok(fixes)) => Ok(Some(fixes)),
        Ok(Err(error)) => Err(cannot_read(error.to_string())),
        Err(_) => Err(cannot_read("the review ended early".to_owned())),
    }
}

/// Checks the documents, searches for new URLs of dead pages if requested, and checks the
/// new URLs. Returns the run and its repairs, or `None` if the user interrupted the check.
async fn find_fixes(
    ports: &mut Ports,
    plan: &CheckPlan,
    mode: &FixMode<'_>,
    stop: &StopSignal,
) -> Result<Option<(RunId, Vec<LinkFix>)>, CommandError> {
    let mut observer = ProgressDisplay::new(mode.global);
    let outcome = check(ports, &plan.check, &mut observer, stop).await?;
    observer.clear();
    match outcome.end {
        CheckEnd::Interrupted => return Ok(None),
        CheckEnd::NoNetwork => return Err(no_network_error()),
        CheckEnd::Finished => {}
    }
    if let Some(doubt) = &outcome.doubt {
        return Err(CommandError::inconclusive(
            "the local network is unreliable, so nothing is repaired",
        )
        .cause(doubt.to_string()));
    }
    let fixes = offer_fixes(ports, plan, outcome.run, mode, stop).await?;
    Ok(fixes.map(|fixes| (outcome.run, fixes)))
}

/// Plans the repairs of a finished run and checks their new URLs. Returns `None` if the user
/// interrupted this check.
async fn offer_fixes(
    ports: &mut Ports,
    plan: &CheckPlan,
    run: RunId,
    mode: &FixMode<'_>,
    stop: &StopSignal,
) -> Result<Option<Vec<LinkFix>>, CommandError> {
    if let Some(setup) = &plan.revive {
        ports.archives = archives(setup, ports)?;
        let failures = search_dead_pages(ports, setup, &plan.run, run, mode.global, stop).await;
        failures.iter().for_each(CommandError::warn);
    }
    let mut observer = ProgressDisplay::new(mode.global);
    let mut fixes = plan_fixes(ports, run, mode.settings).await?;
    choose_dated_copies(ports, &GitLineHistory::new(), &mut fixes).await;
    let end = verify_fixes(ports, &plan.check, &mut fixes, &mut observer, stop).await?;
    observer.clear();
    match end {
        CheckEnd::Interrupted => return Ok(None),
        CheckEnd::NoNetwork => return Err(no_network_error()),
        CheckEnd::Finished => {}
    }
    // A link to an archived copy is restored if its page is live again. Do not report the
    // links whose page is still dead.
    fixes.retain(|fix| {
        fix.cause != FixCause::BackToLife || !matches!(fix.status, FixStatus::Rejected(_))
    });
    Ok(Some(fixes))
}

fn no_network_error() -> CommandError {
    CommandError::inconclusive("no host responded, so nothing is repaired")
        .hint("check your network connection")
}

/// Rewrites every document with repairs, and prints, applies or commits the
/// changes.
async fn write_documents(
    ports: &Ports,
    plan: &CheckPlan,
    run: RunId,
    roots: &Roots,
    fixes: &mut [LinkFix],
    mut journal: Journal,
    mode: &FixMode<'_>,
) -> Result<WriteResult, CommandError> {
    let mut printer = PatchPrinter::new(mode.shows_diff(), text_style(mode.global), mode.output);
    let mut committer = (mode.write == WriteMode::Commit).then(Committer::open).transpose()?;
    let mut sidecars = Sidecars::default();
    let base = patch_base();
    let mut documents = 0;
    let is_in_same_document =
        |fix: &LinkFix, next: &LinkFix| fix.location.path == next.location.path;
    for document_fixes in fixes.chunk_by_mut(is_in_same_document) {
        let mut planned = plan_in_root(ports, plan, run, roots, document_fixes).await?;
        if mode.has_sidecar
            && let Some((root, document)) = &planned
            && sidecars.reject_unrecorded(root, document, document_fixes, committer.as_ref())
        {
            // Plan again without the rejected repairs.
            planned = plan_in_root(ports, plan, run, roots, document_fixes).await?;
        }
        let Some((root, document)) = planned else { continue };
        let label = patch_label(base.as_deref(), &document.path);
        let diffs = document_diffs(&label, &document, document_fixes)?;
        let written = match (mode.write, &mut committer) {
            (WriteMode::Apply, _) => journal.apply(&document)?,
            (_, Some(committer)) => committer.add(&document, document_fixes),
            _ => Ok(()),
        };
        if let Err(reason) = written {
            reject(document_fixes, &reason);
            continue;
        }
        documents += 1;
        // A document that the patch omits must not be listed in the sidecar file either.
        if mode.has_sidecar && (!diffs.is_empty() || mode.write != WriteMode::DryRun) {
            sidecars.add(root, &document, document_fixes);
        }
        printer.add(diffs)?;
    }
    write_sidecars(sidecars, mode.write, &mut journal, &mut printer, committer.as_mut())?;
    printer.finish()?;
    let commits = committer.map(|committer| committer.commit(fixes)).transpose()?;
    let undo = journal.id().map(str::to_owned);
    let commits = commits.unwrap_or_default();
    Ok(WriteResult { documents, undo, commits, wiki_edits: Vec::new() })
}

/// Plans the edits of a document below one of the input directories. Returns this directory
/// and the document; `None` if the document has no repairs, or its repairs were rejected.
async fn plan_in_root<'a>(
    ports: &Ports,
    plan: &CheckPlan,
    run: RunId,
    roots: &'a Roots,
    fixes: &mut [LinkFix],
) -> Result<Option<(&'a Path, DocumentFix)>, CommandError> {
    let Some(label) = fixes.first().map(|fix| fix.location.path.clone()) else { return Ok(None) };
    let checked_hash = ports.store.document_hash(run, &label).await.map_err(EngineError::from)?;
    let options = &plan.check.load.read_options;
    let document = match plan_document(&*ports.files, options, checked_hash, fixes).await {
        Ok(Some(document)) => document,
        Ok(None) => return Ok(None),
        Err(error) => {
            reject(fixes, &error.to_string());
            return Ok(None);
        }
    };
    // Files outside of the input directories are never written.
    let root = match roots.root_of(&document.path) {
        Ok(root) => root,
        Err(reason) => {
            reject(fixes, &reason);
            return Ok(None);
        }
    };
    if let Err(reason) = writable_path(&document.path) {
        reject(fixes, &reason);
        return Ok(None);
    }
    Ok(Some((root, document)))
}

/// Writes the sidecar files. A failure is a warning: the repairs are already written.
fn write_sidecars(
    sidecars: Sidecars,
    mode: WriteMode,
    journal: &mut Journal,
    printer: &mut PatchPrinter,
    mut committer: Option<&mut Committer>,
) -> Result<(), CommandError> {
    for loaded in sidecars.load() {
        let sidecar = match loaded {
            Ok(sidecar) => sidecar,
            Err((path, reason)) => {
                warn_not_written(&path, reason);
                continue;
            }
        };
        let group = PatchGroup::OriginalUrls;
        printer.add(sidecar.diff().map(|diff| GroupDiff { group, diff, links: 0 }))?;
        let path = sidecar.path.clone();
        let is_new = sidecar.old.is_none();
        let written = match (mode, committer.as_deref_mut()) {
            (WriteMode::Apply, _) if is_new => journal.create(&sidecar.into_document().0)?,
            (WriteMode::Apply, _) => journal.apply(&sidecar.into_document().0)?,
            (_, Some(committer)) => committer.add_sidecar(sidecar),
            _ => Ok(()),
        };
        if let Err(reason) = written {
            warn_not_written(&path, reason);
        }
    }
    Ok(())
}

fn warn_not_written(path: &Path, reason: String) {
    let path = path.to_string_lossy();
    CommandError::usage(format!("cannot write `{}`", printable(&path))).cause(reason).warn();
}

/// Rejects the repairs of a document that is not written. Earlier rejections keep their
/// reason.
fn reject(fixes: &mut [LinkFix], reason: &str) {
    for fix in fixes.iter_mut().filter(|fix| !matches!(fix.status, FixStatus::Rejected(_))) {
        fix.status = FixStatus::Rejected(reason.to_owned());
    }
}

impl<'a> FixMode<'a> {
    fn new(
        args: &FixArgs,
        write: WriteMode,
        output: Option<&'a Path>,
        pr_body: Option<&'a Path>,
        global: &'a GlobalArgs,
    ) -> Self {
        Self {
            format: args.format,
            write,
            is_reviewed: args.review,
            settings: args.settings(),
            has_sidecar: args.robust.has_sidecar(),
            output,
            pr_body,
            global,
        }
    }

    /// Whether the diff is printed on standard output.
    fn shows_diff(&self) -> bool {
        self.format == FixFormat::Human && self.write == WriteMode::DryRun
    }

    fn report(&self, fixes: &[LinkFix], result: &WriteResult) -> Result<(), CommandError> {
        let rows: Vec<FixRow<'_>> = fixes.iter().map(row).collect();
        if let Some(path) = self.pr_body {
            write_output(path, pull_request_body(&rows).as_bytes())?;
        }
        match self.format {
            FixFormat::Json => {
                let WriteResult { undo, commits, wiki_edits, .. } = result;
                let report =
                    FixReport::new(undo.as_deref(), commits.clone(), wiki_edits.clone(), rows);
                let text = serde_json::to_string_pretty(&report).map_err(cannot_encode)?;
                print(&format!("{text}\n"))
            }
            FixFormat::Human => {
                if !self.global.quiet {
                    print_summary(fixes, result);
                }
                Ok(())
            }
        }
    }
}
