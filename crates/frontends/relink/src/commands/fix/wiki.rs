//! `relink fix --wiki`: repairs the links on the pages of a wiki.
//!
//! The wikitext of the pages is copied to a directory next to the database and checked like
//! files. A dry run prints the diff of each page. With `--apply`, the pages are edited one
//! after the other. A user of the wiki stops the edits by editing the *stop page*. The edits
//! are stored in a journal: if a user reverted a repair, later runs do not repeat it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use relink_fix::{SummaryLink, bot_exclusion, edit_summary};
use relink_page::DocumentFormat;
use relink_ports::{
    Clock as _, Wiki as _, WikiAccount, WikiError, WikiJournal as _, WikiListing, WikiPageQuery,
};
use relink_repair::{
    DocumentFix, FixStatus, LinkFix, WikiEditResult, WikiEditSettings, WikiEdits, WikiPageEdit,
    edit_wiki_pages, plan_document,
};
use relink_report::human::counted;
use relink_report::{FixWikiEditRow, printable, redact};
use relink_requests::{Ports, StopSignal};
use relink_wiki::{JsonJournal, MediaWiki, MediaWikiSettings, PageCopies, WikiLogin};
use url::Url;

use super::patch::{GroupDiff, PatchPrinter, document_diffs};
use super::{FixMode, WriteMode, WriteResult, community, find_fixes, reject, review_fixes};
use crate::cli::{FixArgs, GlobalArgs, WikiArgs, WikiPagesArg};
use crate::clock::RunClock;
use crate::commands::signals::stop_on_signal;
use crate::commands::text_style;
use crate::database::companion_path;
use crate::error::{CommandError, Exit};
use crate::output::Steps;
use crate::settings::CheckPlan;
use crate::wiring;

/// Maximum number of pages of a wiki of which all pages are read by default. Of a larger wiki,
/// only the pages are read that the wiki lists as pages with external links.
const MAX_ALL_PAGES: u64 = 20_000;

/// The user name in the default title of the stop page if there is no login.
const DEFAULT_USER: &str = "Relink";

/// The wiki that is repaired.
struct OpenWiki {
    wiki: MediaWiki,
    account: WikiAccount,
    args: WikiArgs,
    copies: Arc<PageCopies>,
    journal: JsonJournal,
}

/// Runs `relink fix --wiki`.
pub async fn run(mut args: FixArgs, url: Url, global: GlobalArgs) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let now = clock.now();
    let (wiki_args, community_args) = (args.wiki.clone(), args.community.clone());
    let output = args.output.clone();
    let write = if args.apply { WriteMode::Apply } else { WriteMode::DryRun };
    let mode = FixMode::new(&args, write, output.as_deref(), None, &global);
    // Use the wiki as the input, because a later command resumes an interrupted run only if
    // both have the same inputs.
    args.inputs = vec![format!("wiki:{}", host_and_port(&url)).into()];
    let mut plan = CheckPlan::resolve(args.into_check_args(), now)?;
    plan.check.load.read_options.format = Some(DocumentFormat::Wikitext);
    plan.check.load.read_options.is_third_party = true;
    plan.run.warn_project_config();
    let mut ports = wiring::ports(plan.run.fetch.clone(), &plan.run.db, Arc::new(clock)).await?;
    let directory = wiki_directory(&plan, &url)?;
    let mut wiki = OpenWiki::open(&ports, url, wiki_args, directory, &mode).await?;
    ports.files = Arc::clone(&wiki.copies) as _;
    let stop = stop_on_signal();
    let Some((_, mut fixes)) = find_fixes(&mut ports, &plan, &mode, &stop).await? else {
        return Ok(Exit::Interrupted);
    };
    if community::write_list(&community_args, &ports, &plan, &fixes).await? {
        wiring::close(ports).await;
        return Ok(Exit::Clean);
    }
    community::apply_results(&community_args, &ports, &mut fixes).await?;
    let Some(mut fixes) = review_fixes(&mode, fixes, &stop).await? else {
        return Ok(Exit::Interrupted);
    };
    let result = wiki.repair(&ports, &plan, &mut fixes, &mode, &stop).await?;
    wiring::close(ports).await;
    mode.report(&fixes, &result)?;
    let has_pending_repairs = mode.write == WriteMode::DryRun && result.documents > 0;
    Ok(if stop.is_stopped() {
        Exit::Interrupted
    } else if has_pending_repairs {
        Exit::Findings
    } else {
        Exit::Clean
    })
}

/// Returns the directory of the copies and the journal of a wiki.
fn wiki_directory(plan: &CheckPlan, url: &Url) -> Result<PathBuf, CommandError> {
    let mut name = companion_path(&plan.run.db)?.into_os_string();
    name.push(".wiki");
    Ok(PathBuf::from(name).join(host_and_port(url).replace(':', "-")))
}

/// Returns the host of a wiki, with the port if the URL contains one.
fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

impl OpenWiki {
    /// Logs in and copies the pages to `directory`.
    async fn open(
        ports: &Ports,
        url: Url,
        args: WikiArgs,
        directory: PathBuf,
        mode: &FixMode<'_>,
    ) -> Result<Self, CommandError> {
        let settings = MediaWikiSettings::new(url, login());
        let wiki = MediaWiki::new(Arc::clone(&ports.fetch), settings)
            .ok_or_else(|| CommandError::usage("the URL of the wiki must use http or https"))?;
        let account = wiki.account().await.map_err(|error| wiki_error(&error))?;
        if mode.write == WriteMode::Apply && account.user.is_none() {
            return Err(CommandError::usage("cannot edit the wiki without a login")
                .hint("set RELINK_WIKI_USER and RELINK_WIKI_PASSWORD, or RELINK_WIKI_TOKEN"));
        }
        let journal = JsonJournal::open(&directory.join("edits.jsonl")).map_err(|error| {
            CommandError::usage("cannot open the journal of the edits").cause(error.to_string())
        })?;
        let query = page_query(&args, &account);
        if args.wiki_pages.is_none() && query.listing == WikiListing::WithLinks {
            CommandError::usage("only pages with links that the wiki knows are read")
                .cause(format!("the wiki has {} pages", account.pages))
                .hint("use `--wiki-pages all` to read all pages")
                .warn();
        }
        let steps = Steps::new(mode.global);
        let mut progress = |done: usize, all: usize| steps.show(done as u64, all as u64, "pages");
        let pages = directory.join("pages");
        let copies = PageCopies::update(&wiki, &query, &pages, &mut progress);
        let copies = copies.await.map_err(|error| wiki_error(&error))?;
        steps.clear();
        Ok(Self { wiki, account, args, copies: Arc::new(copies), journal })
    }

    /// Returns the name of the user that edits the pages.
    fn user(&self) -> &str {
        self.account.user.as_deref().unwrap_or(DEFAULT_USER)
    }

    /// Plans the edits of all pages, prints their diffs, and edits the pages if requested.
    async fn repair(
        &mut self,
        ports: &Ports,
        plan: &CheckPlan,
        fixes: &mut [LinkFix],
        mode: &FixMode<'_>,
        stop: &StopSignal,
    ) -> Result<WriteResult, CommandError> {
        let mut printer =
            PatchPrinter::new(mode.shows_diff(), text_style(mode.global), mode.output);
        let mut edits = Vec::new();
        let is_on_same_page =
            |fix: &LinkFix, next: &LinkFix| fix.location.path == next.location.path;
        for page_fixes in fixes.chunk_by_mut(is_on_same_page) {
            let Some((edit, diffs)) = self.plan_page(ports, plan, page_fixes).await? else {
                continue;
            };
            if self.args.max_edits.is_some_and(|max| edits.len() >= max) {
                reject(page_fixes, "the maximum number of edits is reached");
                continue;
            }
            printer.add(diffs)?;
            edits.push(edit);
        }
        printer.finish()?;
        let documents = edits.len();
        if mode.write == WriteMode::DryRun {
            return Ok(WriteResult { documents, ..WriteResult::default() });
        }
        let results = self.edit(ports, mode, &edits, stop).await?;
        if let Some(reason) = &results.stop_reason {
            CommandError::usage("not all pages were edited").cause(reason.clone()).warn();
        }
        let wiki_edits = report_edits(&edits, &results, fixes);
        let documents = wiki_edits.iter().filter(|edit| edit.revision.is_some()).count();
        Ok(WriteResult { documents, wiki_edits, ..WriteResult::default() })
    }

    /// Returns the edit of a page and its diffs; `None` if the page is not edited.
    async fn plan_page(
        &self,
        ports: &Ports,
        plan: &CheckPlan,
        fixes: &mut [LinkFix],
    ) -> Result<Option<(WikiPageEdit, Vec<GroupDiff>)>, CommandError> {
        let title = fixes.first().map(|fix| fix.location.path.clone()).unwrap_or_default();
        let Some(page) = self.copies.page(&title).cloned() else { return Ok(None) };
        let options = &plan.check.load.read_options;
        let mut planned = plan_document(&*ports.files, options, None, fixes).await;
        if self.reject_reverted(page.id, page.revision, fixes) {
            planned = plan_document(&*ports.files, options, None, fixes).await;
        }
        let document = match planned {
            Ok(Some(document)) => document,
            Ok(None) => return Ok(None),
            Err(error) => {
                reject(fixes, &error.to_string());
                return Ok(None);
            }
        };
        let DocumentFix { old, new, .. } = &document;
        let (Ok(old), Ok(new)) = (str::from_utf8(old), str::from_utf8(new)) else {
            return Ok(None);
        };
        if let Some(reason) = bot_exclusion(old, self.user()) {
            reject(fixes, &reason);
            return Ok(None);
        }
        let diffs = document_diffs(&title, &document, fixes)?;
        let ready_fixes = || fixes.iter().filter(|fix| fix.status == FixStatus::Ready);
        let urls: BTreeSet<String> = ready_fixes().map(|fix| fix.old_url.clone()).collect();
        let mut links: Vec<SummaryLink> = ready_fixes().map(summary_link).collect();
        links.dedup();
        let summary = edit_summary(&self.args.wiki_summary, &links);
        let edit = WikiPageEdit { page, old: old.to_owned(), new: new.to_owned(), summary, urls };
        Ok(Some((edit, diffs)))
    }

    /// Rejects repairs that an earlier run made and that a user reverted. Returns whether there
    /// are any. The caller must then plan the page again.
    ///
    /// [`plan_document`] rejects a repair that is still on the page. If the repair of an
    /// earlier run is ready again, a user has therefore reverted it.
    fn reject_reverted(&self, page: u64, revision: u64, fixes: &mut [LinkFix]) -> bool {
        let is_reverted = |fix: &&mut LinkFix| {
            fix.status == FixStatus::Ready
                && self.journal.was_repaired(page, &fix.old_url, revision)
        };
        let mut has_reverted = false;
        for fix in fixes.iter_mut().filter(is_reverted) {
            let reason = "the link was repaired before, and the repair was reverted";
            fix.status = FixStatus::Rejected(reason.to_owned());
            has_reverted = true;
        }
        has_reverted
    }

    /// Edits the pages on the wiki, until the stop page is edited.
    async fn edit(
        &mut self,
        ports: &Ports,
        mode: &FixMode<'_>,
        edits: &[WikiPageEdit],
        stop: &StopSignal,
    ) -> Result<WikiEdits, CommandError> {
        let default_page = format!("User:{}/stop", self.user());
        let settings = WikiEditSettings {
            interval: self.args.wiki_interval.0,
            stop_page: self.args.wiki_stop_page.as_deref().unwrap_or(&default_page),
        };
        let steps = Steps::new(mode.global);
        let mut progress = |done: usize, all: usize| steps.show(done as u64, all as u64, "edits");
        let results = edit_wiki_pages(
            &self.wiki,
            &*ports.clock,
            &mut self.journal,
            settings,
            edits,
            &mut progress,
            stop,
        );
        let results = results.await?;
        steps.clear();
        Ok(results)
    }
}

/// Returns the rows of the report, and rejects the repairs that were not saved.
fn report_edits(
    edits: &[WikiPageEdit],
    results: &WikiEdits,
    fixes: &mut [LinkFix],
) -> Vec<FixWikiEditRow> {
    let mut rows = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        let stop_reason = || results.stop_reason.clone().unwrap_or_default();
        let (revision, reason) = match results.results.get(index) {
            Some(WikiEditResult::Saved(revision)) => (Some(*revision), None),
            Some(WikiEditResult::Skipped(reason)) => (None, Some(reason.clone())),
            // The edits stopped before this page.
            None => (None, Some(stop_reason())),
        };
        if let Some(reason) = &reason {
            for fix in fixes.iter_mut().filter(|fix| fix.location.path == edit.page.title) {
                reject(std::slice::from_mut(fix), reason);
            }
        }
        rows.push(FixWikiEditRow { title: edit.page.title.clone(), revision, reason });
    }
    rows
}

fn summary_link(fix: &LinkFix) -> SummaryLink {
    let code = fix.code.map(|code| format!("{code} ")).unwrap_or_default();
    SummaryLink {
        old_url: redact(&fix.old_url).to_string(),
        new_url: if fix.new_url.is_empty() {
            "{{dead link}}".to_owned()
        } else {
            redact(&fix.new_url).to_string()
        },
        evidence: format!("{code}{}; {}", printable(&fix.finding), fix.cause),
    }
}

/// Returns the login in the environment variables; a token has precedence.
fn login() -> Option<WikiLogin> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(token) = variable("RELINK_WIKI_TOKEN") {
        return Some(WikiLogin::Token(token));
    }
    let user = variable("RELINK_WIKI_USER")?;
    let password = variable("RELINK_WIKI_PASSWORD")?;
    Some(WikiLogin::Password { user, password })
}

/// Returns the pages to read, by the flags and the size of the wiki.
fn page_query(args: &WikiArgs, account: &WikiAccount) -> WikiPageQuery {
    let listing = match (&args.wiki_host, args.wiki_pages) {
        (Some(host), _) => WikiListing::WithLinksTo(host.clone()),
        (None, Some(WikiPagesArg::Linked)) => WikiListing::WithLinks,
        (None, None) if account.pages > MAX_ALL_PAGES => WikiListing::WithLinks,
        (None, _) => WikiListing::All,
    };
    // Namespace 0 contains the articles.
    let namespaces =
        if args.wiki_namespace.is_empty() { vec![0] } else { args.wiki_namespace.clone() };
    WikiPageQuery { listing, namespaces }
}

fn wiki_error(error: &WikiError) -> CommandError {
    let command_error =
        CommandError::usage("cannot use the wiki").cause(printable(&error.to_string()));
    match error {
        WikiError::Login { .. } => {
            command_error.hint("check RELINK_WIKI_USER and RELINK_WIKI_PASSWORD")
        }
        WikiError::InvalidResponse { .. } => command_error
            .hint("`--wiki` expects the URL of `api.php`, such as https://example.org/w/api.php"),
        _ => command_error,
    }
}

/// Prints the edits on standard error.
#[expect(clippy::print_stderr, reason = "standard output contains the patch")]
pub fn print_edits(edits: &[FixWikiEditRow]) {
    let saved = edits.iter().filter(|edit| edit.revision.is_some()).count();
    for edit in edits {
        let title = printable(&edit.title);
        match (&edit.revision, &edit.reason) {
            (Some(revision), _) => eprintln!("edited {title}: revision {revision}"),
            (None, reason) => {
                let reason = reason.as_deref().unwrap_or_default();
                eprintln!("not edited {title}: {}", printable(reason));
            }
        }
    }
    eprintln!("edited {}", counted(saved as u64, "page"));
}
