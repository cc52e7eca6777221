//! One look at a page for its word and for the links a reader may follow.

use relink_model::{Ending, PlaceKind, RequestRights, Word};
use relink_ports::Clock;
use url::Url;

use crate::crawl::{CrawlRules, FoundLink, read};
use crate::isolation::isolate_async;
use crate::look::landing;
use crate::polite_fetch::{PoliteFetch, Refusal};
use crate::{ControlShelf, ExamineSettings, Examined, Examiner, Question};

/// Looks at pages, one after the other.
pub(super) struct Looking<'a> {
    pub(super) fetch: PoliteFetch<'a>,
    pub(super) clock: &'a dyn Clock,
    pub(super) settings: ExamineSettings,
    /// The URL that the user named.
    pub(super) start: Url,
    pub(super) controls: ControlShelf,
}

/// What was seen at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sight {
    pub(super) word: Word,
    pub(super) reason: String,
    /// How the last look ended; nothing if nobody was asked.
    pub(super) ending: Option<Ending>,
    /// Where the links of a living page lead, each as often as it is written.
    pub(super) links: Vec<Destination>,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Destination {
    /// To an address.
    Page(String),
    /// Nowhere: what is written there is no address.
    Nowhere(String),
}

impl Sight {
    /// Whether the page was not requested out of politeness.
    pub(super) fn is_refused(&self) -> bool {
        self.ending.is_none() && self.word == Word::Blocked
    }
}

impl Destination {
    /// The address, or what is written in its place.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Page(text) | Self::Nowhere(text) => text,
        }
    }
}

impl Looking<'_> {
    /// Looks at an address.
    pub(super) async fn look(&mut self, at: &Destination) -> Sight {
        let Destination::Page(url) = at else { return nowhere() };
        let Ok(url) = Url::parse(url) else { return nowhere() };
        let rights = RequestRights::named_by_user().inherited(&self.start, &url);
        if let Err(refusal) = self.fetch.admit(&url, rights).await {
            return not_requested(&refusal);
        }
        let question = Question { url: url.to_string(), rights, ..Question::default() };
        let examiner = Examiner { fetch: &self.fetch, clock: self.clock, settings: self.settings };
        let looking = async { sight(examiner.examine(&question, &mut self.controls).await) };
        let seen = isolate_async(url.as_str(), looking).await;
        seen.unwrap_or_else(|_| unread())
    }
}

/// A page that could not be read because of an internal error.
fn unread() -> Sight {
    let ending = Ending::InternalError;
    let reason = ending.to_string();
    Sight { word: Word::Failing, reason, ending: Some(ending), links: Vec::new() }
}

/// A link that is no address.
fn nowhere() -> Sight {
    let reason = "not an address".to_owned();
    Sight { word: Word::Local, reason, ending: None, links: Vec::new() }
}

/// A page that its host does not let us request, at all or for now.
fn not_requested(refusal: &Refusal) -> Sight {
    let reason = refusal.to_string();
    Sight { word: Word::Blocked, reason, ending: None, links: Vec::new() }
}

fn sight(examined: Examined) -> Sight {
    let Examined { judgement, probe, body, .. } = examined;
    let is_living =
        matches!(judgement.word, Word::Alive | Word::Moved | Word::Drifted | Word::AtRisk);
    let links = match (landing(&probe), body) {
        (Some(landing), Some(body)) if is_living => {
            let reading = read(&landing, &body, None, CrawlRules::PAGE_LINKS);
            let found = reading.map_or_else(Vec::new, |reading| reading.links);
            found.into_iter().filter_map(|link| destination(link, &landing)).collect()
        }
        _ => Vec::new(),
    };
    let (word, reason) = (judgement.word, judgement.reason);
    Sight { word, reason, ending: Some(probe.ending), links }
}

/// Where a link leads that a reader may follow off the page it is on.
fn destination(link: FoundLink, page: &Url) -> Option<Destination> {
    if link.place.kind != PlaceKind::Link {
        return None;
    }
    match link.url {
        // A place on the same page is no other page.
        Ok(url) if link.given.contains('#') && url == *page => None,
        Ok(url) => Some(Destination::Page(url.into())),
        Err(_) => Some(Destination::Nowhere(link.given)),
    }
}
