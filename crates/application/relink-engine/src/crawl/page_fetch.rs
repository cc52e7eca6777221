//! Fetches and parses a page that is followed, with a browser if scripts build
//! the page.

use relink_model::{Digest, FetchOutcome, PageFlag, Probe, RequestRights};
use relink_ports::{Body, RenderError, RenderRequest, RequestOptions, UserAgent};
use url::Url;

use super::parsed_page::{self, ParsedPage};
use crate::Ports;
use crate::probe::{ProbeRequest, final_url, probe_url};

/// When pages are rendered in a browser.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RenderMode {
    /// If a page is empty without its scripts.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A page to fetch and parse.
pub(crate) struct PageFetch {
    pub(crate) url: Url,
    pub(crate) rights: RequestRights,
    pub(crate) agent: UserAgent,
    /// Redirect filter and size limit.
    pub(crate) options: RequestOptions,
    pub(crate) mode: RenderMode,
    /// Maximum number of links read from the page.
    pub(crate) max_links: usize,
}

/// Result of a [`PageFetch`].
pub(crate) struct PageFetchResult {
    pub(crate) probe: Probe,
    /// The parsed page; `None` if the URL redirects elsewhere or has no page.
    pub(crate) parsed_page: Option<ParsedPage>,
    /// Why a page that needs a browser was parsed without one.
    pub(crate) unrendered: Option<RenderError>,
}

impl PageFetch {
    /// Fetches the page, and parses it unless it redirects elsewhere.
    pub(crate) async fn run(self, ports: &Ports) -> PageFetchResult {
        let options = self.options.clone();
        let request =
            ProbeRequest { options, ..ProbeRequest::new(&self.url, self.rights, self.agent) };
        let (mut probe, body) = probe_url(&*ports.fetch, &*ports.clock, request).await;
        let is_same_url = final_url(&probe).is_none_or(|final_url| final_url == self.url);
        let Some(mut body) = body.filter(|_| is_same_url && is_page(&probe.outcome)) else {
            return PageFetchResult { probe, parsed_page: None, unrendered: None };
        };
        let unrendered = match self.render(ports, &probe).await {
            None => None,
            Some(Err(error)) => Some(error),
            Some(Ok(rendered)) => {
                body = Body { robots: body.robots, ..rendered };
                probe.digest = Some(digest(&body).into());
                None
            }
        };
        let parsed_page =
            parsed_page::parse_page(&self.url, &body, body.robots.as_deref(), self.max_links);
        PageFetchResult { probe, parsed_page, unrendered }
    }

    /// Renders the page; returns `None` if that is not needed.
    async fn render(&self, ports: &Ports, probe: &Probe) -> Option<Result<Body, RenderError>> {
        let digest = probe.digest.as_ref()?;
        let is_html = digest.content_type.as_deref().is_none_or(|kind| kind.contains("html"));
        let needs_browser = match self.mode {
            RenderMode::Always => true,
            RenderMode::Auto => digest.has_flag(PageFlag::AppShell),
            RenderMode::Never => false,
        };
        let render = ports.render.as_ref().filter(|_| needs_browser && is_html)?;
        let request = RenderRequest { url: self.url.clone(), rights: self.rights };
        let rendered = match render.render(request).await {
            Ok(rendered) => rendered,
            Err(error) => return Some(Err(error)),
        };
        Some(Ok(Body {
            content_type: Some("text/html; charset=utf-8".to_owned()),
            language: None,
            bytes: rendered.html,
            is_truncated: rendered.truncation.is_some(),
            robots: None,
        }))
    }
}

fn digest(body: &Body) -> Digest {
    let (content_type, language) = (body.content_type.as_deref(), body.language.as_deref());
    relink_page::digest(content_type, language, &body.bytes, body.is_truncated)
}

fn is_page(outcome: &FetchOutcome) -> bool {
    matches!(outcome, FetchOutcome::Response(200..=299))
}
