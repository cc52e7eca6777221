//! Client of the MediaWiki Action API.
//!
//! The client follows the etiquette of the API: one request at a time, `maxlag` (maximum
//! replication lag) in every request, and pauses as requested. An edit contains the
//! revision on which it is based, so that it fails if a person edited the page meanwhile.
//! An edit also asserts the login, so that the wiki never saves the edit without a login.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use relink_ports::{
    Fetch, Wiki, WikiAccount, WikiCheckout, WikiEdit, WikiError, WikiListing, WikiPage,
    WikiPageList, WikiPageQuery,
};
use serde_json::Value;
use tokio::sync::Mutex;
use url::Url;

use crate::response::{
    continuation, edit_result, pages, parse_page, parse_page_entry, text_at, time_at, value_at,
};
use crate::session::{Method, Parameters, Session, is_api_url};

/// Maximum number of pages whose text one request returns to any user.
const MAX_TEXTS: usize = 50;

/// Codes of the API for a login that is no longer valid.
const LOGGED_OUT: [&str; 3] = ["assertuserfailed", "assertbotfailed", "assertnameduserfailed"];

/// The parameters that request the current revision with its text.
const REVISION: [(&str, &str); 3] =
    [("prop", "revisions"), ("rvprop", "ids|timestamp|content"), ("rvslots", "main")];

/// Settings of the client.
#[derive(Debug, Clone)]
pub struct MediaWikiSettings {
    /// The URL of `api.php`.
    pub api_url: Url,
    /// The login. Without a login, pages can only be read.
    pub login: Option<WikiLogin>,
    /// Maximum replication lag of the wiki in seconds (`maxlag`).
    pub max_lag: u32,
    /// Maximum number of retries of a request.
    pub retries: u32,
    /// The wait before the first retry. It doubles with each further retry.
    pub retry_delay: Duration,
    /// Maximum wait before a retry.
    pub max_pause: Duration,
    /// Timeout of a request.
    pub timeout: Duration,
}

impl MediaWikiSettings {
    /// Returns the settings that the etiquette of the API recommends.
    pub fn new(api_url: Url, login: Option<WikiLogin>) -> Self {
        Self {
            api_url,
            login,
            max_lag: 5,
            retries: 5,
            retry_delay: Duration::from_secs(5),
            max_pause: Duration::from_mins(2),
            timeout: Duration::from_mins(2),
        }
    }
}

/// A login.
#[derive(Clone, PartialEq, Eq)]
pub enum WikiLogin {
    /// A user name and a password, usually of `Special:BotPasswords`.
    Password {
        /// The user name.
        user: String,
        /// The password.
        password: String,
    },
    /// An access token of OAuth 2.0.
    Token(String),
}

impl fmt::Debug for WikiLogin {
    /// Omits secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password { user, .. } => write!(f, "Password({user})"),
            Self::Token(_) => f.write_str("Token"),
        }
    }
}

/// A client of one wiki.
pub struct MediaWiki {
    settings: MediaWikiSettings,
    session: Mutex<Session>,
}

impl MediaWiki {
    /// Creates a client. Returns `None` if the URL cannot be the endpoint of an API.
    pub fn new(fetch: Arc<dyn Fetch>, settings: MediaWikiSettings) -> Option<Self> {
        let session = Mutex::new(Session::new(fetch, settings.clone()));
        is_api_url(&settings.api_url).then_some(Self { settings, session })
    }

    /// Sends the login, if there is one.
    async fn log_in(&self, session: &mut Session) -> Result<(), WikiError> {
        session.reset();
        let Some(WikiLogin::Password { user, password }) = &self.settings.login else {
            return Ok(());
        };
        let token = request_token(session, "login").await?;
        let parameters = vec![
            ("action", "login".to_owned()),
            ("lgname", user.clone()),
            ("lgpassword", password.clone()),
            ("lgtoken", token),
        ];
        let content = session.request(Method::Post, &parameters).await?;
        if text_at(&content, &["login", "result"]) == Some("Success") {
            return Ok(());
        }
        let reason = value_at(&content, &["login", "reason"]);
        let message =
            reason.and_then(|reason| reason.as_str().or_else(|| text_at(reason, &["text"])));
        Err(WikiError::Login { message: message.unwrap_or("the login was refused").to_owned() })
    }

    /// Logs in and reads the rights of the account.
    async fn log_in_to_account(&self, session: &mut Session) -> Result<WikiAccount, WikiError> {
        self.log_in(session).await?;
        let parameters = query_parameters(&[
            ("meta", "userinfo|siteinfo"),
            ("uiprop", "rights"),
            ("siprop", "statistics"),
        ]);
        let content = session.request(Method::Get, &parameters).await?;
        let user = value_at(&content, &["query", "userinfo"])
            .ok_or(WikiError::InvalidResponse { expected: "the account" })?;
        let is_anonymous = user.get("anon").and_then(Value::as_bool).unwrap_or(false);
        let rights = user.get("rights").and_then(Value::as_array);
        let is_bot =
            !is_anonymous && rights.is_some_and(|rights| rights.iter().any(|right| right == "bot"));
        if is_anonymous && self.settings.login.is_some() {
            return Err(WikiError::Login {
                message: "the wiki does not know the login".to_owned(),
            });
        }
        session.assertion = (!is_anonymous).then_some(if is_bot { "bot" } else { "user" });
        let count = value_at(&content, &["query", "statistics", "pages"]).and_then(Value::as_u64);
        Ok(WikiAccount {
            user: text_at(user, &["name"]).filter(|_| !is_anonymous).map(str::to_owned),
            is_bot,
            pages: count.unwrap_or(0),
        })
    }

    /// Sends an edit with the stored token.
    async fn send_edit(
        &self,
        session: &mut Session,
        edit: &WikiEdit<'_>,
    ) -> Result<Option<u64>, WikiError> {
        let token = match &session.edit_token {
            Some(token) => token.clone(),
            None => request_token(session, "csrf").await?,
        };
        session.edit_token = Some(token.clone());
        let mut parameters = vec![
            ("action", "edit".to_owned()),
            ("pageid", edit.page.id.to_string()),
            ("text", edit.text.to_owned()),
            ("summary", edit.summary.to_owned()),
            ("baserevid", edit.page.revision.to_string()),
            ("basetimestamp", edit.page.revised_at.to_string()),
            ("starttimestamp", edit.read_at.to_string()),
            ("nocreate", "1".to_owned()),
        ];
        if session.assertion == Some("bot") {
            parameters.push(("bot", "1".to_owned()));
        }
        // Never edit without a login, because the wiki would publish the IP address.
        parameters.push(("assert", session.assertion.unwrap_or("user").to_owned()));
        // The token is the last parameter, so that the wiki rejects a request that was
        // cut off.
        parameters.push(("token", token));
        edit_result(&session.request(Method::Post, &parameters).await?)
    }

    /// Returns the texts of pages and the last response. Sends several requests if the texts are
    /// too long for one response.
    async fn texts(
        &self,
        session: &mut Session,
        parameters: &Parameters<'_>,
    ) -> Result<(Vec<WikiPage>, Value), WikiError> {
        let mut found = Vec::new();
        let mut current = parameters.clone();
        loop {
            let content = session.request(Method::Get, &current).await?;
            found.extend(pages(&content).iter().filter_map(parse_page));
            let Some(next) = continuation(&content) else { return Ok((found, content)) };
            let next: Vec<(String, String)> =
                next.iter().map(|(key, value)| (key.clone(), parameter_text(value))).collect();
            current.clone_from(parameters);
            // The wiki chooses the names of the parameters, so only the expected names are sent.
            current.extend(next.iter().filter_map(|(key, value)| {
                let key = ["continue", "rvcontinue"].into_iter().find(|name| name == key)?;
                Some((key, value.clone()))
            }));
        }
    }
}

#[async_trait]
impl Wiki for MediaWiki {
    async fn account(&self) -> Result<WikiAccount, WikiError> {
        self.log_in_to_account(&mut *self.session.lock().await).await
    }

    async fn pages(
        &self,
        query: &WikiPageQuery,
        token: Option<&str>,
    ) -> Result<WikiPageList, WikiError> {
        let steps = list_steps(query);
        let (step, continued) = parse_token(token);
        let Some(parameters) = steps.get(step) else { return Ok(WikiPageList::default()) };
        let mut parameters = parameters.clone();
        parameters.extend(continued.iter().map(|(key, value)| (key.as_str(), value.clone())));
        let content = self.session.lock().await.request(Method::Get, &parameters).await?;
        let next = match continuation(&content) {
            Some(next) => Some(format!("{step} {}", Value::Object(next.clone()))),
            None => (step + 1 < steps.len()).then(|| format!("{} {{}}", step + 1)),
        };
        let entries = pages(&content).iter().filter_map(parse_page_entry).collect();
        Ok(WikiPageList { entries, next })
    }

    async fn read(&self, ids: &[u64]) -> Result<Vec<WikiPage>, WikiError> {
        let mut session = self.session.lock().await;
        let mut found = Vec::new();
        for ids in ids.chunks(MAX_TEXTS) {
            let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
            let mut parameters = query_parameters(&REVISION);
            parameters.push(("pageids", ids.join("|")));
            found.extend(self.texts(&mut session, &parameters).await?.0);
        }
        Ok(found)
    }

    async fn check_out(&self, id: u64, stop_page: &str) -> Result<WikiCheckout, WikiError> {
        let mut session = self.session.lock().await;
        let mut stop_query = query_parameters(&REVISION);
        stop_query.extend([("titles", stop_page.to_owned())]);
        let (stop_pages, _) = self.texts(&mut session, &stop_query).await?;
        let mut parameters = query_parameters(&REVISION);
        parameters.extend(
            [("curtimestamp", "1"), ("meta", "userinfo"), ("uiprop", "hasmsg")]
                .map(|(key, value)| (key, value.to_owned())),
        );
        parameters.push(("pageids", id.to_string()));
        let (found, content) = self.texts(&mut session, &parameters).await?;
        let read_at = time_at(&content, &["curtimestamp"])
            .ok_or(WikiError::InvalidResponse { expected: "the time of the wiki" })?;
        let messages = value_at(&content, &["query", "userinfo", "messages"]);
        Ok(WikiCheckout {
            page: found.into_iter().next(),
            read_at,
            stop_text: stop_pages.into_iter().next().map(|page| page.text.unwrap_or_default()),
            has_messages: messages.and_then(Value::as_bool).unwrap_or(false),
        })
    }

    async fn edit(&self, edit: &WikiEdit<'_>) -> Result<Option<u64>, WikiError> {
        let mut session = self.session.lock().await;
        let result = self.send_edit(&mut session, edit).await;
        match &result {
            Err(WikiError::Rejected { code, .. }) if code == "badtoken" => {
                session.edit_token = None;
            }
            Err(WikiError::Rejected { code, .. }) if LOGGED_OUT.contains(&code.as_str()) => {
                self.log_in_to_account(&mut session).await?;
            }
            _ => return result,
        }
        // The wiki did not process the edit, so it can be sent again.
        self.send_edit(&mut session, edit).await
    }
}

/// Requests a token, which the wiki requires for an action such as `login`.
async fn request_token(session: &mut Session, kind: &str) -> Result<String, WikiError> {
    let parameters = query_parameters(&[("meta", "tokens"), ("type", kind)]);
    let content = session.request(Method::Get, &parameters).await?;
    let name = format!("{kind}token");
    let token = text_at(&content, &["query", "tokens", &name]);
    token.map(str::to_owned).ok_or(WikiError::InvalidResponse { expected: "a token" })
}

/// Returns the parameters of a query: `action=query` and these parameters.
fn query_parameters<'a>(parameters: &[(&'a str, &str)]) -> Parameters<'a> {
    let given = parameters.iter().map(|(key, value)| (*key, (*value).to_owned()));
    [("action", "query".to_owned())].into_iter().chain(given).collect()
}

/// Returns the queries that together list the pages. They are sent one after the other.
fn list_steps(list: &WikiPageQuery) -> Vec<Parameters<'static>> {
    let namespaces: Vec<String> = list.namespaces.iter().map(i32::to_string).collect();
    let all_pages = |namespace: &String| {
        let mut parameters = query_parameters(&[
            ("generator", "allpages"),
            ("gapfilterredir", "nonredirects"),
            ("gaplimit", "max"),
            ("prop", "info"),
        ]);
        parameters.push(("gapnamespace", namespace.clone()));
        parameters
    };
    let pages_with_links = || {
        let mut parameters = query_parameters(&[
            ("generator", "exturlusage"),
            ("geulimit", "max"),
            ("prop", "info"),
        ]);
        parameters.push(("geunamespace", namespaces.join("|")));
        parameters
    };
    match &list.listing {
        WikiListing::All => namespaces.iter().map(all_pages).collect(),
        WikiListing::WithLinks => vec![pages_with_links()],
        WikiListing::WithLinksTo(host) => ["http", "https"]
            .into_iter()
            .map(|protocol| {
                let mut parameters = pages_with_links();
                parameters.push(("geuquery", format!("*.{host}")));
                parameters.push(("geuprotocol", protocol.to_owned()));
                parameters
            })
            .collect(),
    }
}

/// Returns the step (index of the query) and the continuation parameters of a token. The
/// token has the form `STEP JSON`, such as `1 {"geuoffset":"50"}`.
fn parse_token(token: Option<&str>) -> (usize, Vec<(String, String)>) {
    let Some((step, continued)) = token.and_then(|token| token.split_once(' ')) else {
        return (0, Vec::new());
    };
    let continued = match serde_json::from_str(continued) {
        Ok(Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    };
    let continued = continued.iter().map(|(key, value)| (key.clone(), parameter_text(value)));
    (step.parse().unwrap_or(usize::MAX), continued.collect())
}

/// Returns a JSON value as the text of a parameter.
fn parameter_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
