//! Wikis: lists pages, reads their text and edits them.
//!
//! A wiki can have a *stop page*. People write on this page to stop a bot. Directly before a
//! page is edited, it is *checked out*: it is read again, together with the stop page.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::FetchOutcome;
use thiserror::Error;

/// The account that sends the requests, and the size of the wiki.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WikiAccount {
    /// The user name; `None` without a login.
    pub user: Option<String>,
    /// Whether the account has the right `bot`.
    pub is_bot: bool,
    /// The number of pages in all namespaces.
    pub pages: u64,
}

/// Which pages are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WikiListing {
    /// All pages.
    All,
    /// Pages with an external link that is in the link table of the wiki. The table does not
    /// contain URLs in parameters of templates, if the template does not make them links.
    WithLinks,
    /// Pages with an external link to this host that is in the link table of the wiki.
    WithLinksTo(String),
}

/// A query for a list of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WikiPageQuery {
    /// Which pages are listed.
    pub listing: WikiListing,
    /// The numbers of the namespaces.
    pub namespaces: Vec<i32>,
}

/// A page in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WikiPageEntry {
    /// The number of the page. It does not change if the page is renamed.
    pub id: u64,
    /// The title with its namespace.
    pub title: String,
    /// The number of the current revision.
    pub revision: u64,
}

/// A part of a list of pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WikiPageList {
    /// The pages.
    pub entries: Vec<WikiPageEntry>,
    /// The token of the next part; `None` for the last one.
    pub next: Option<String>,
}

/// The text of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WikiPage {
    /// The number of the page.
    pub id: u64,
    /// The title with its namespace.
    pub title: String,
    /// The number of the revision.
    pub revision: u64,
    /// The time of the revision.
    pub revised_at: Timestamp,
    /// The text; `None` if it is hidden or not wikitext.
    pub text: Option<String>,
}

/// The state of a page directly before an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WikiCheckout {
    /// The page; `None` if it was deleted.
    pub page: Option<WikiPage>,
    /// The time of the wiki when the page was read.
    pub read_at: Timestamp,
    /// The text of the stop page; `None` if the page does not exist.
    pub stop_text: Option<String>,
    /// Whether the account has unread messages on its talk page.
    pub has_messages: bool,
}

/// An edit of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WikiEdit<'a> {
    /// The page that is edited, as it was read.
    pub page: &'a WikiPage,
    /// The time of the wiki when the page was read.
    pub read_at: Timestamp,
    /// The new text.
    pub text: &'a str,
    /// The edit summary.
    pub summary: &'a str,
}

/// An error of a wiki.
#[derive(Debug, Error)]
pub enum WikiError {
    /// The wiki could not be reached. It is not known whether an edit was saved.
    #[error("cannot reach the wiki: {outcome}")]
    Unreachable {
        /// The outcome of the fetch.
        outcome: FetchOutcome,
    },
    /// The wiki is overloaded or limits the rate. Several attempts have failed.
    #[error("the wiki requests a pause ({code}): {message}")]
    Busy {
        /// The code of the API, such as `maxlag`.
        code: String,
        /// The message of the wiki.
        message: String,
    },
    /// The wiki rejects a request.
    #[error("{message} ({code})")]
    Rejected {
        /// The code of the API, such as `protectedpage`.
        code: String,
        /// The message of the wiki.
        message: String,
    },
    /// The login failed.
    #[error("cannot log in: {message}")]
    Login {
        /// The message of the wiki.
        message: String,
    },
    /// The response is not a response of the API.
    #[error("invalid response: expected {expected}")]
    InvalidResponse {
        /// The expected content.
        expected: &'static str,
    },
    /// A local file cannot be read or written.
    #[error("cannot access `{path}`")]
    File {
        /// The path.
        path: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
}

/// A wiki.
#[async_trait]
pub trait Wiki: Send + Sync {
    /// Logs in, if there is a login, and returns the account.
    async fn account(&self) -> Result<WikiAccount, WikiError>;

    /// Lists pages. `token` is [`WikiPageList::next`] of the previous part of the list,
    /// or `None` for the first part. A page can be in several parts.
    async fn pages(
        &self,
        query: &WikiPageQuery,
        token: Option<&str>,
    ) -> Result<WikiPageList, WikiError>;

    /// Returns the current text of pages. Pages that were deleted are omitted.
    async fn read(&self, ids: &[u64]) -> Result<Vec<WikiPage>, WikiError>;

    /// Reads a page for an edit, and the stop page.
    async fn check_out(&self, id: u64, stop_page: &str) -> Result<WikiCheckout, WikiError>;

    /// Edits a page. Returns the number of the new revision, or `None` if the text is
    /// unchanged. The edit fails if the page was edited after it was read.
    async fn edit(&self, edit: &WikiEdit<'_>) -> Result<Option<u64>, WikiError>;
}

/// An edit in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WikiEditRecord {
    /// The number of the page.
    pub page: u64,
    /// The title.
    pub title: String,
    /// The revision that is edited.
    pub base_revision: u64,
    /// The URLs of the repaired links.
    pub urls: Vec<String>,
    /// The time.
    pub edited_at: Timestamp,
}

/// The journal of edits. With the journal, a bot does not repeat an edit that a person
/// reverted.
pub trait WikiJournal: Send {
    /// Whether the link to `url` on a page was repaired before. `revision` is the current
    /// revision of the page.
    fn was_repaired(&self, page: u64, url: &str, revision: u64) -> bool;

    /// Records an edit before it is sent.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written. The edit must not be sent then.
    fn begin(&mut self, record: &WikiEditRecord) -> std::io::Result<()>;

    /// Records the new revision; `None` means that the edit was rejected.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be written.
    fn finish(&mut self, page: u64, revision: Option<u64>) -> std::io::Result<()>;
}
