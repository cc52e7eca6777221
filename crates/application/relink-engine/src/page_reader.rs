//! Reads single pages of the web. A page is fetched within the rate limits and
//! robots.txt of its host, judged, and parsed for links.

use std::time::Duration;

use relink_frontier::PolitenessPolicy;
use relink_judge::Policy;
use relink_model::{LinkKind, RequestRights, Verdict};
use relink_ports::Body;
use url::Url;

use crate::crawl::CrawlRules;
use crate::{ControlCache, PageCheckRequest, PageCheckSettings, PageChecker};
use relink_documents::parse_page;
use relink_requests::{PoliteFetch, PoliteFetchSettings, Ports, RobotsUse, final_url};

/// Limits and rules of a [`PageReader`].
#[derive(Debug, Clone, Copy)]
pub struct PageReaderSettings {
    /// Rate limits per host.
    pub politeness: PolitenessPolicy,
    /// Maximum wait for a host. Pages with longer waits are not fetched.
    pub max_host_wait: Duration,
    /// Rules that decide which evidence is sufficient.
    pub policy: Policy,
}

/// Reads pages one after the other. The controls of a host (pages fetched only for
/// comparison) are fetched once.
pub struct PageReader<'p> {
    ports: &'p Ports,
    fetch: PoliteFetch<'p>,
    settings: PageCheckSettings,
    controls: ControlCache,
}

/// A page that was read.
#[derive(Debug, Clone)]
pub struct ReadPage {
    /// The verdict; [`Verdict::Blocked`] if the page may not be fetched.
    pub verdict: Verdict,
    /// The content of a live page and its URL after redirects.
    pub content: Option<(Url, Body)>,
}

impl<'p> PageReader<'p> {
    /// Creates a reader without cached controls.
    pub fn new(ports: &'p Ports, settings: PageReaderSettings) -> Self {
        let PageReaderSettings { politeness, max_host_wait, policy } = settings;
        let fetch = PoliteFetch::new(PoliteFetchSettings {
            fetch: &*ports.fetch,
            clock: &*ports.clock,
            store: Some(&*ports.store),
            politeness,
            max_host_wait,
            robots: RobotsUse::Obey,
        });
        // The seed for random names is the current time.
        let salt = ports.now().as_millisecond().cast_unsigned();
        let settings = PageCheckSettings { policy, max_host_wait, uses_controls: true, salt };
        Self { ports, fetch, settings, controls: ControlCache::default() }
    }

    /// Fetches and judges a page.
    pub async fn read(&mut self, url: &Url, rights: RequestRights) -> ReadPage {
        if self.fetch.check_allowed(url, rights).await.is_err() {
            return ReadPage { verdict: Verdict::Blocked, content: None };
        }
        let (clock, settings) = (&*self.ports.clock, self.settings);
        let checker = PageChecker { fetch: &self.fetch, clock, settings };
        let request =
            PageCheckRequest { url: url.to_string(), rights, ..PageCheckRequest::default() };
        let check = checker.check_page(&request, &self.controls).await;
        let verdict = check.judgment.verdict;
        let is_live =
            matches!(verdict, Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk);
        let content = final_url(&check.probe).zip(check.body).filter(|_| is_live);
        ReadPage { verdict, content }
    }
}

impl ReadPage {
    /// Returns the URLs of the links that a reader may follow to another page,
    /// including duplicates.
    pub fn links(&self) -> Vec<Url> {
        let Some((url, body)) = &self.content else { return Vec::new() };
        let page = parse_page(url, body, None, CrawlRules::MAX_PAGE_LINKS);
        let links = page.map_or_else(Vec::new, |page| page.links);
        let hyperlinks = links.into_iter().filter(|link| link.location.kind == LinkKind::Hyperlink);
        let urls = hyperlinks.filter_map(|link| {
            // Skip links to anchors of the page itself.
            let is_internal = link.original_url.contains('#') && link.url.as_ref() == Ok(url);
            link.url.ok().filter(|_| !is_internal)
        });
        urls.collect()
    }
}
