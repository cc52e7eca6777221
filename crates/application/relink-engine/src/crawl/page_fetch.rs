//! Fetches and parses a page whose links are followed. If scripts build the page, a
//! browser renders it.

use relink_model::{Digest, FetchOutcome, PageFlag, Probe, RequestRights};
use relink_ports::{Body, RenderError, RenderRequest, RenderedPage, RequestOptions, UserAgent};
use url::Url;

use relink_documents::{ParsedPage, parse_page};
use relink_requests::{Ports, ProbeRequest, final_url, probe_url};

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
    /// The parsed page; `None` if the URL redirects to another one or has no page.
    pub(crate) parsed_page: Option<ParsedPage>,
    /// The error of the browser if it could not render the page. `parsed_page` then contains
    /// the page as fetched, before its scripts have run.
    pub(crate) render_error: Option<RenderError>,
}

impl PageFetch {
    /// Fetches the page, and parses it unless it redirects to another URL. The target of
    /// the redirect is fetched as a page of its own.
    pub(crate) async fn run(self, ports: &Ports) -> PageFetchResult {
        let options = self.options.clone();
        let request =
            ProbeRequest { options, ..ProbeRequest::new(&self.url, self.rights, self.agent) };
        let (mut probe, body) = probe_url(&*ports.fetch, &*ports.clock, request).await;
        let is_same_url = final_url(&probe).is_none_or(|final_url| final_url == self.url);
        let Some(mut body) = body.filter(|_| is_same_url && is_page(&probe.outcome)) else {
            return PageFetchResult { probe, parsed_page: None, render_error: None };
        };
        let render_error = match self.render(ports, &probe).await {
            None => None,
            Some(Err(error)) => Some(error),
            Some(Ok(rendered)) => {
                body = rendered_body(body, rendered);
                probe.digest = Some(digest(&body).into());
                None
            }
        };
        let parsed_page = parse_page(&self.url, &body, body.robots.as_deref(), self.max_links);
        PageFetchResult { probe, parsed_page, render_error }
    }

    /// Renders the page in a browser; returns `None` if no browser is needed or available.
    async fn render(
        &self,
        ports: &Ports,
        probe: &Probe,
    ) -> Option<Result<RenderedPage, RenderError>> {
        let digest = probe.digest.as_ref()?;
        let is_html = digest.content_type.as_deref().is_none_or(|kind| kind.contains("html"));
        let needs_browser = match self.mode {
            RenderMode::Always => true,
            RenderMode::Auto => digest.has_flag(PageFlag::AppShell),
            RenderMode::Never => false,
        };
        let render = ports.render.as_ref().filter(|_| needs_browser && is_html)?;
        let request = RenderRequest { url: self.url.clone(), rights: self.rights };
        Some(render.render(request).await)
    }
}

/// Returns the body of a rendered page. The browser does not return headers, so the language
/// and the robots directives are those of the fetched response.
fn rendered_body(fetched: Body, rendered: RenderedPage) -> Body {
    Body {
        content_type: Some("text/html; charset=utf-8".to_owned()),
        bytes: rendered.html,
        is_truncated: rendered.truncation.is_some(),
        ..fetched
    }
}

fn digest(body: &Body) -> Digest {
    let (content_type, language) = (body.content_type.as_deref(), body.language.as_deref());
    relink_page::digest(content_type, language, &body.bytes, body.is_truncated)
}

fn is_page(outcome: &FetchOutcome) -> bool {
    matches!(outcome, FetchOutcome::Response(200..=299))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn rendered_body_has_the_headers_of_the_fetched_response() {
        let fetched = Body {
            content_type: Some("text/html; charset=latin1".to_owned()),
            language: Some("de".to_owned()),
            robots: Some("nofollow".to_owned()),
            bytes: "<div id=root></div>".into(),
            is_truncated: true,
        };
        let rendered = RenderedPage {
            url: "https://example.org/".parse().unwrap(),
            status: Some(200),
            title: String::new(),
            html: "<p>Grüße</p>".into(),
            truncation: None,
            requests: 1,
            blocked_requests: 0,
            duration: Duration::ZERO,
        };
        let body = rendered_body(fetched, rendered);
        assert_eq!(body.language.as_deref(), Some("de"));
        assert_eq!(body.robots.as_deref(), Some("nofollow"));
        assert_eq!(body.content_type.as_deref(), Some("text/html; charset=utf-8"));
        assert_eq!(&*body.bytes, "<p>Grüße</p>".as_bytes());
        assert!(!body.is_truncated);
        assert_eq!(digest(&body).language.as_deref(), Some("de"));
    }
}
