//! One look at a page for its word and for the links a reader may follow.

use relink_model::{FetchOutcome, LinkKind, RequestRights, Verdict};
use relink_ports::Clock;
use url::Url;

use crate::crawl::{CrawlRules, ParsedLink, read};
use crate::isolation::isolate_async;
use crate::polite_fetch::{PoliteFetch, Refusal};
use crate::probe::landing;
use crate::{ControlCache, ExamineSettings, PageCheck, PageCheckRequest, PageChecker};

/// Looks at pages, one after the other.
pub(super) struct PageProber<'a> {
    pub(super) fetch: PoliteFetch<'a>,
    pub(super) clock: &'a dyn Clock,
    pub(super) settings: ExamineSettings,
    /// The URL that the user named.
    pub(super) start: Url,
    pub(super) controls: ControlCache,
}

/// What was seen at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ObservedPage {
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    /// How the last look ended; nothing if nobody was asked.
    pub(super) outcome: Option<FetchOutcome>,
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

impl ObservedPage {
    /// Whether the page was not requested out of politeness.
    pub(super) fn is_refused(&self) -> bool {
        self.outcome.is_none() && self.verdict == Verdict::Blocked
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

impl PageProber<'_> {
    /// Looks at an address.
    pub(super) async fn probe(&mut self, at: &Destination) -> ObservedPage {
        let Destination::Page(url) = at else { return nowhere() };
        let Ok(url) = Url::parse(url) else { return nowhere() };
        let rights = RequestRights::named_by_user().inherited(&self.start, &url);
        if let Err(refusal) = self.fetch.admit(&url, rights).await {
            return not_requested(&refusal);
        }
        let question =
            PageCheckRequest { url: url.to_string(), rights, ..PageCheckRequest::default() };
        let examiner =
            PageChecker { fetch: &self.fetch, clock: self.clock, settings: self.settings };
        let looking = async { sight(examiner.check_page(&question, &mut self.controls).await) };
        let seen = isolate_async(url.as_str(), looking).await;
        seen.unwrap_or_else(|_| unread())
    }
}

/// A page that could not be read because of an internal error.
fn unread() -> ObservedPage {
    let ending = FetchOutcome::InternalError;
    let reason = ending.to_string();
    ObservedPage { verdict: Verdict::Failing, reason, outcome: Some(ending), links: Vec::new() }
}

/// A link that is no address.
fn nowhere() -> ObservedPage {
    let reason = "not an address".to_owned();
    ObservedPage { verdict: Verdict::Local, reason, outcome: None, links: Vec::new() }
}

/// A page that its host does not let us request, at all or for now.
fn not_requested(refusal: &Refusal) -> ObservedPage {
    let reason = refusal.to_string();
    ObservedPage { verdict: Verdict::Blocked, reason, outcome: None, links: Vec::new() }
}

fn sight(examined: PageCheck) -> ObservedPage {
    let PageCheck { judgment, probe, body, .. } = examined;
    let is_living = matches!(
        judgment.verdict,
        Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk
    );
    let links = match (landing(&probe), body) {
        (Some(landing), Some(body)) if is_living => {
            let reading = read(&landing, &body, None, CrawlRules::PAGE_LINKS);
            let found = reading.map_or_else(Vec::new, |reading| reading.links);
            found.into_iter().filter_map(|link| destination(link, &landing)).collect()
        }
        _ => Vec::new(),
    };
    let (word, reason) = (judgment.verdict, judgment.reason);
    ObservedPage { verdict: word, reason, outcome: Some(probe.outcome), links }
}

/// Where a link leads that a reader may follow off the page it is on.
fn destination(link: ParsedLink, page: &Url) -> Option<Destination> {
    if link.location.kind != LinkKind::Hyperlink {
        return None;
    }
    match link.url {
        // A place on the same page is no other page.
        Ok(url) if link.original_url.contains('#') && url == *page => None,
        Ok(url) => Some(Destination::Page(url.into())),
        Err(_) => Some(Destination::Nowhere(link.original_url)),
    }
}
