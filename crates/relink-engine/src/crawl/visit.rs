//! One visit to a page that is followed: a look, and the reading of what it
//! shows, in a browser's eyes where scripts build it.

use relink_model::{Ending, Mark, Probe};
use relink_ports::{Agent, Body, RenderRequest};
use url::Url;

use super::reading::{self, PageReading};
use crate::Ports;
use crate::look::{LookAt, landing, look};

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
pub(crate) struct Visit {
    pub(crate) url: Url,
    pub(crate) mode: RenderMode,
}

impl Visit {
    /// Asks, and reads the page if it is where it was asked for.
    pub(crate) async fn pay(
        self,
        ports: &Ports,
        is_named: bool,
        agent: Agent,
    ) -> (Probe, Option<PageReading>) {
        let at = LookAt { url: &self.url, is_named, agent };
        let (mut probe, body) = look(&*ports.fetch, &*ports.clock, at).await;
        let is_here = landing(&probe).is_none_or(|landing| landing == self.url);
        let Some(body) = body.filter(|_| is_here && is_page(&probe.ending)) else {
            return (probe, None);
        };
        let body = match self.rendered(ports, &probe, is_named).await {
            Some(rendered) => {
                let digest = relink_page::digest(
                    rendered.content_type.as_deref(),
                    rendered.language.as_deref(),
                    &rendered.bytes,
                    rendered.is_cut,
                );
                probe.digest = Some(digest);
                rendered
            }
            None => body,
        };
        let url = self.url;
        let robots_tag = body.robots.clone();
        let read = move || reading::read(&url, &body, robots_tag.as_deref());
        (probe, read())
    }

    /// The page as its scripts build it, if that is wanted and works out.
    async fn rendered(&self, ports: &Ports, probe: &Probe, is_named: bool) -> Option<Body> {
        let digest = probe.digest.as_ref()?;
        let is_html = digest.content_type.as_deref().is_none_or(|kind| kind.contains("html"));
        let is_wanted = match self.mode {
            RenderMode::Always => true,
            RenderMode::Auto => digest.has(Mark::ScriptShell),
            RenderMode::Never => false,
        };
        let render = ports.render.as_ref().filter(|_| is_wanted && is_html)?;
        let request = RenderRequest { url: self.url.clone(), is_named };
        let rendered = render.render(request).await.ok()?;
        Some(Body {
            content_type: Some("text/html; charset=utf-8".to_owned()),
            language: None,
            bytes: rendered.html,
            is_cut: rendered.cut.is_some(),
            robots: None,
        })
    }
}

fn is_page(ending: &Ending) -> bool {
    matches!(ending, Ending::Answered(200..=299))
}
