//! Edits the pages of a wiki, one at a time.
//!
//! Before each edit, the page and the *stop page* are read again. The stop page is a page of the
//! wiki on which users can stop the bot: any text other than `run` or the like stops the bot. A
//! page that was edited since it was checked is skipped. The next run repairs it. Each edit is
//! recorded in a *journal*, so that a link is repaired only once, even if a person reverts the
//! edit.

use std::collections::BTreeSet;
use std::time::Duration;

use relink_ports::{
    Clock, Wiki, WikiCheckout, WikiEdit, WikiEditRecord, WikiError, WikiJournal, WikiPageEntry,
};
use tokio::time::{Instant, sleep_until};

use relink_requests::{EngineError, StopSignal};

/// Error codes of the MediaWiki API after which no page can be edited.
const FATAL_CODES: [&str; 12] = [
    "blocked",
    "autoblocked",
    "permissiondenied",
    "readapidenied",
    "writeapidenied",
    "noapiwrite",
    "noedit",
    "noedit-anon",
    "captcha",
    "assertuserfailed",
    "assertbotfailed",
    "mustbeloggedin",
];

/// Texts of a stop page that let the bot run.
const RUN_TEXTS: [&str; 4] = ["", "run", "on", "yes"];

/// Settings of the edits.
#[derive(Debug, Clone, Copy)]
pub struct WikiEditSettings<'a> {
    /// Minimum interval between two edits.
    pub interval: Duration,
    /// The title of the page that stops the bot if it has a text.
    pub stop_page: &'a str,
}

/// The planned edit of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WikiPageEdit {
    /// The page and the revision that was checked.
    pub page: WikiPageEntry,
    /// The text that was checked.
    pub old: String,
    /// The new text.
    pub new: String,
    /// The edit summary.
    pub summary: String,
    /// The URLs of the repaired links.
    pub urls: BTreeSet<String>,
}

/// The result of a planned edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WikiEditResult {
    /// The edit was saved with this revision.
    Saved(u64),
    /// The page was not edited, for this reason.
    Skipped(String),
}

/// The results of all planned edits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WikiEdits {
    /// The results, in the order of the plans. If the run stopped, the results of the last plans
    /// are missing.
    pub results: Vec<WikiEditResult>,
    /// Why the run stopped before its end.
    pub stop_reason: Option<String>,
}

/// Why a page was not edited.
enum EditFailure {
    /// Only this page is skipped.
    Skip(String),
    /// No further page can be edited.
    Stop(String),
}

/// Edits pages. `progress` receives the number of pages tried and their total.
///
/// # Errors
///
/// Fails if the journal cannot be written.
pub async fn edit_wiki_pages(
    wiki: &dyn Wiki,
    clock: &dyn Clock,
    journal: &mut dyn WikiJournal,
    settings: WikiEditSettings<'_>,
    plans: &[WikiPageEdit],
    progress: &mut (dyn FnMut(usize, usize) + Send),
    stop: &StopSignal,
) -> Result<WikiEdits, EngineError> {
    let mut edits = WikiEdits::default();
    let mut next_edit_at = Instant::now();
    for (index, plan) in plans.iter().enumerate() {
        progress(index, plans.len());
        tokio::select! {
            () = sleep_until(next_edit_at) => {}
            () = stop.stopped() => {}
        }
        if stop.is_stopped() {
            edits.stop_reason = Some("interrupted".to_owned());
            break;
        }
        let editor = PageEditor { wiki, clock, settings, plan };
        match editor.edit(journal).await? {
            Ok(revision) => {
                edits.results.push(WikiEditResult::Saved(revision));
                next_edit_at = Instant::now() + settings.interval;
            }
            Err(EditFailure::Skip(reason)) => edits.results.push(WikiEditResult::Skipped(reason)),
            Err(EditFailure::Stop(reason)) => {
                edits.stop_reason = Some(reason);
                break;
            }
        }
    }
    Ok(edits)
}

/// Edits one page.
struct PageEditor<'a> {
    wiki: &'a dyn Wiki,
    clock: &'a dyn Clock,
    settings: WikiEditSettings<'a>,
    plan: &'a WikiPageEdit,
}

impl PageEditor<'_> {
    /// Saves the planned text. Returns the new revision, or the reason why the page was not
    /// edited.
    async fn edit(
        &self,
        journal: &mut dyn WikiJournal,
    ) -> Result<Result<u64, EditFailure>, EngineError> {
        let checkout = match self.check_out().await {
            Ok(checkout) => checkout,
            Err(failure) => return Ok(Err(failure)),
        };
        let Some(page) = &checkout.page else {
            return Ok(Err(EditFailure::Skip("the page was deleted".to_owned())));
        };
        let (plan, id) = (self.plan, page.id);
        // Record the edit before it is made: if the process ends now, a later run cannot know whether
        // the edit was saved.
        journal.begin(&WikiEditRecord {
            page: id,
            title: page.title.clone(),
            base_revision: page.revision,
            urls: plan.urls.iter().cloned().collect(),
            edited_at: self.clock.now(),
        })?;
        let edit =
            WikiEdit { page, read_at: checkout.read_at, text: &plan.new, summary: &plan.summary };
        let result = match self.wiki.edit(&edit).await {
            // Without a new revision, the page has the planned text already.
            Ok(revision) => Ok(revision.unwrap_or(page.revision)),
            Err(WikiError::Unreachable { outcome }) => {
                // The edit may have been saved although the response was lost.
                let Some(revision) = self.saved_revision(id).await else {
                    let reason = WikiError::Unreachable { outcome }.to_string();
                    return Ok(Err(EditFailure::Stop(reason)));
                };
                Ok(revision)
            }
            Err(error) => Err(failure(&error)),
        };
        journal.finish(id, result.as_ref().ok().copied())?;
        Ok(result)
    }

    /// Reads the page again, and checks that it may be edited.
    async fn check_out(&self) -> Result<WikiCheckout, EditFailure> {
        let id = self.plan.page.id;
        let checkout = self.wiki.check_out(id, self.settings.stop_page).await;
        let checkout = checkout.map_err(|error| failure(&error))?;
        if let Some(text) = &checkout.stop_text {
            let text = text.trim().to_lowercase();
            if !RUN_TEXTS.contains(&text.as_str()) {
                let page = self.settings.stop_page;
                return Err(EditFailure::Stop(format!("the page `{page}` stops the bot")));
            }
        }
        if checkout.has_messages {
            let reason = "the account has unread messages on its talk page";
            return Err(EditFailure::Stop(reason.to_owned()));
        }
        // The caller handles a deleted page.
        let is_unchanged = checkout.page.as_ref().is_none_or(|page| {
            page.revision == self.plan.page.revision && page.text.as_ref() == Some(&self.plan.old)
        });
        if is_unchanged {
            return Ok(checkout);
        }
        let reason = "the page was edited since it was checked; the next run repairs it";
        Err(EditFailure::Skip(reason.to_owned()))
    }

    /// Returns the current revision of a page, if it has the planned text.
    async fn saved_revision(&self, id: u64) -> Option<u64> {
        let page = self.wiki.read(&[id]).await.ok()?.into_iter().next()?;
        (page.text.as_ref() == Some(&self.plan.new)).then_some(page.revision)
    }
}

/// Decides whether an error concerns only this page or ends the run.
fn failure(error: &WikiError) -> EditFailure {
    match error {
        WikiError::Rejected { code, .. } if code == "editconflict" => EditFailure::Skip(
            "another user edited the page at the same time; the next run repairs it".to_owned(),
        ),
        WikiError::Rejected { code, .. } if !FATAL_CODES.contains(&code.as_str()) => {
            EditFailure::Skip(error.to_string())
        }
        _ => EditFailure::Stop(error.to_string()),
    }
}
