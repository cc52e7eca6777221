//! One visit to a page that is followed: a look, and the reading of what it
//! shows, in a browser's eyes where scripts build it.

use relink_model::{Digest, FetchOutcome, PageFlag, Probe, RequestRights};
use relink_ports::{Body, RenderError, RenderRequest, RequestOptions, UserAgent};
use url::Url;

use super::reading::{self, ParsedPage};
use crate::Ports;
use crate::probe::{ProbeRequest, landing, look};

/// When pages are built in a browser before they are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RenderMode {
    /// Where a page is an empty shell without its scripts.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A visit to be paid.
pub(crate) struct PageFetch {
    pub(crate) url: Url,
    pub(crate) rights: RequestRights,
    pub(crate) agent: UserAgent,
    /// What redirects may be followed, and how much may be read.
    pub(crate) options: RequestOptions,
    pub(crate) mode: RenderMode,
    /// Maximum number of links read of the page.
    pub(crate) max_links: usize,
}

/// What came of a visit.
pub(crate) struct PageFetchResult {
    pub(crate) probe: Probe,
    /// What the page says, if it is where it was asked for.
    pub(crate) reading: Option<ParsedPage>,
    /// Why a page that needs a browser was read without one.
    pub(crate) unrendered: Option<RenderError>,
}

impl PageFetch {
    /// Asks, and reads the page if it is where it was asked for.
    pub(crate) async fn run(self, ports: &Ports) -> PageFetchResult {
        let terms = self.options.clone();
        let at = ProbeRequest {
            options: terms,
            ..ProbeRequest::new(&self.url, self.rights, self.agent)
        };
        let (mut probe, body) = look(&*ports.fetch, &*ports.clock, at).await;
        let is_here = landing(&probe).is_none_or(|landing| landing == self.url);
        let Some(mut body) = body.filter(|_| is_here && is_page(&probe.outcome)) else {
            return PageFetchResult { probe, reading: None, unrendered: None };
        };
        let unrendered = match self.rendered(ports, &probe).await {
            None => None,
            Some(Err(error)) => Some(error),
            Some(Ok(rendered)) => {
                body = Body { robots: body.robots, ..rendered };
                probe.digest = Some(digest(&body).into());
                None
            }
        };
        let reading = reading::read(&self.url, &body, body.robots.as_deref(), self.max_links);
        PageFetchResult { probe, reading, unrendered }
    }

    /// The page as its scripts build it, if that is wanted and works out.
    async fn rendered(&self, ports: &Ports, probe: &Probe) -> Option<Result<Body, RenderError>> {
        let digest = probe.digest.as_ref()?;
        let is_html = digest.content_type.as_deref().is_none_or(|kind| kind.contains("html"));
        let is_wanted = match self.mode {
            RenderMode::Always => true,
            RenderMode::Auto => digest.has(PageFlag::AppShell),
            RenderMode::Never => false,
        };
        let render = ports.render.as_ref().filter(|_| is_wanted && is_html)?;
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

fn is_page(ending: &FetchOutcome) -> bool {
    matches!(ending, FetchOutcome::Response(200..=299))
}
