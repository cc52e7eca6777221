//! Documents on the web: pages among the inputs, and the sitemaps that an
//! index lists.
//!
//! Sitemaps are asked one after the other, with a host's pause in between, so
//! that an index of thousands is no burden. What they answered is kept for the
//! asker, and no address is asked twice.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use relink_frontier::{canonicalize, host_key};
use relink_model::{FetchOutcome, RequestRights};
use relink_page::{DocumentFormat, is_sitemap_index};
use relink_ports::{Body, RequestOptions, UserAgent};
use url::Url;

use super::document_content::DocumentContent;
use super::reader::ReadLink;
use super::resolve::LinkResolution;
use super::{Diagnostic, Document, DocumentBase, Loader, ProbedPage};
use crate::anchors::offered_by;
use crate::crawl::{
    MAX_INDEX_LEVELS, MAX_SITEMAPS, MOST_ENTRIES, SITEMAP_BYTES, is_named_as_sitemap, is_sitemap,
    unpacked_body,
};
use crate::dispatch::THROTTLING;
use crate::isolation::isolate;
use crate::probe::{ProbeRequest, look};
use crate::{EngineError, StopSignal};

/// Sitemaps that are listed and not yet read.
#[derive(Debug, Default)]
pub(super) struct SitemapQueue {
    waiting: VecDeque<Sitemap>,
    /// Addresses that are, or were, to be read.
    seen: HashSet<String>,
    /// Sitemaps beyond the maximum number.
    more: u64,
    /// Sitemaps below too many indexes.
    too_deep: u64,
    /// Hosts that asked for fewer visits.
    throttled_hosts: HashSet<String>,
}

#[derive(Debug)]
struct Sitemap {
    url: Url,
    /// What a request for it may do.
    rights: RequestRights,
    depth: u32,
}

impl SitemapQueue {
    fn add(&mut self, sitemap: Sitemap) {
        if self.seen.contains(sitemap.url.as_str()) {
            return;
        }
        if sitemap.depth > MAX_INDEX_LEVELS {
            self.too_deep += 1;
            return;
        }
        if self.seen.len() >= MAX_SITEMAPS {
            self.more += 1;
            return;
        }
        self.seen.insert(sitemap.url.to_string());
        self.waiting.push_back(sitemap);
    }
}

/// What a page is asked for as.
struct PageRequest<'a> {
    url: &'a Url,
    rights: RequestRights,
    body_cap: Option<usize>,
}

impl Loader<'_> {
    /// Reads a page among the inputs.
    pub(super) async fn load_page(
        &mut self,
        url: &Url,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        if self.settings.is_offline {
            return Ok(());
        }
        self.listed.seen.insert(url.to_string());
        let page_bytes = self.settings.page_bytes;
        let body_cap =
            if is_named_as_sitemap(url) { page_bytes.max(SITEMAP_BYTES) } else { page_bytes };
        let asked =
            PageRequest { url, rights: RequestRights::named_by_user(), body_cap: Some(body_cap) };
        let Some((body, standing)) = self.ask(asked, stop).await else { return Ok(()) };
        let Some(document) = self.isolated_document(url, &body, standing) else { return Ok(()) };
        self.load_document(document, 0).await
    }

    /// Asks a page, and keeps what it answered. What a server says instead of
    /// the page is no document.
    async fn ask(
        &mut self,
        asked: PageRequest<'_>,
        stop: &StopSignal,
    ) -> Option<(Body, DocumentBase)> {
        let PageRequest { url, rights, body_cap } = asked;
        if !self.wait_for_turn(url, stop).await {
            return None;
        }
        let terms = RequestOptions { max_body_bytes: body_cap, ..RequestOptions::default() };
        let at =
            ProbeRequest { options: terms, ..ProbeRequest::new(url, rights, UserAgent::Plain) };
        let (probe, body) = tokio::select! {
            looked = look(&*self.ports.fetch, &*self.ports.clock, at) => looked,
            () = stop.raised() => return None,
        };
        if probe.outcome.status().is_some_and(|status| THROTTLING.contains(&status)) {
            self.listed.throttled_hosts.insert(host_key(url));
        }
        let is_shown = matches!(probe.outcome, FetchOutcome::Response(200..=299));
        let last = probe.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        let shown = body.as_ref().filter(|_| self.settings.reading.remote_anchors);
        let anchors = shown.and_then(|body| {
            isolate(url.as_str(), || offered_by(&probe, body)).unwrap_or_default()
        });
        self.brought.pages.insert(url.to_string(), ProbedPage { probe, anchors });
        let last = last.unwrap_or_else(|| url.clone());
        // A host that a redirect or a page leads to is not the user's choice.
        let rights = rights.inherited(url, &last);
        Some((body.filter(|_| is_shown)?, DocumentBase::Web { url: last, rights }))
    }

    /// The document that a page is; nothing if it cannot be read because of an
    /// internal error.
    fn isolated_document(
        &mut self,
        url: &Url,
        body: &Body,
        standing: DocumentBase,
    ) -> Option<Document> {
        let document = isolate(url.as_str(), || self.document_of(url, body, standing));
        document.unwrap_or_else(|panicked| {
            self.unread(url.to_string(), &panicked.to_string());
            None
        })
    }

    /// The document that a page is; nothing if it is of a kind without links.
    fn document_of(&mut self, url: &Url, body: &Body, standing: DocumentBase) -> Option<Document> {
        let (bytes, told, error) = unpacked_body(body);
        let format = self.settings.reading.format.or(told)?;
        let label = url.to_string();
        if body.is_truncated {
            let text = format!(
                "it is longer than {} bytes; the rest is not read (`--max-page-size`)",
                body.bytes.len()
            );
            self.loaded.problems.push(Diagnostic { path: label.clone(), line: None, text });
        }
        self.loaded.problems.extend_with(&label, error);
        Some(Document {
            label,
            content: DocumentContent::Whole(bytes.into_owned().into()),
            format,
            base: standing,
        })
    }

    /// Notes the sitemaps among the links of an index.
    pub(super) fn list_sitemaps(&mut self, document: &Document, links: &[ReadLink], depth: u32) {
        if self.settings.is_offline {
            return;
        }
        for link in links {
            if matches!(link.meaning, LinkResolution::Skipped(_) | LinkResolution::File(_)) {
                continue;
            }
            // As for other documents, only `--exclude` decides.
            let Ok(url) = canonicalize(None, &link.original_url) else { continue };
            if !self.settings.scope.excludes(url.as_str()) {
                let rights = document.base.rights_of(&url);
                self.listed.add(Sitemap { url, rights, depth: depth + 1 });
            }
        }
    }

    /// Reads the sitemaps that were listed, and those that they list.
    pub(super) async fn load_listed(&mut self, stop: &StopSignal) -> Result<(), EngineError> {
        while let Some(sitemap) = self.listed.waiting.pop_front() {
            if self.listed.throttled_hosts.contains(&host_key(&sitemap.url)) {
                self.unread(sitemap.url.to_string(), "it is not read: its host wants fewer visits");
                continue;
            }
            if !self.rest(stop).await {
                return Ok(());
            }
            self.load_sitemap(&sitemap, stop).await?;
        }
        self.report_cut_sitemaps();
        Ok(())
    }

    /// Reports how many sitemaps the limits cut.
    fn report_cut_sitemaps(&mut self) {
        let SitemapQueue { more, too_deep, .. } = self.listed;
        if more > 0 {
            let text = format!("{MAX_SITEMAPS} sitemaps are read, and {more} are not");
            self.unread("sitemaps".to_owned(), &text);
        }
        if too_deep > 0 {
            let text = format!(
                "{too_deep} sitemaps are not read: more than {MAX_INDEX_LEVELS} indexes lead to them"
            );
            self.unread("sitemaps".to_owned(), &text);
        }
    }

    async fn load_sitemap(
        &mut self,
        sitemap: &Sitemap,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        let Sitemap { url, rights, depth } = sitemap;
        let asked = PageRequest { url, rights: *rights, body_cap: Some(SITEMAP_BYTES) };
        let Some((body, standing)) = self.ask(asked, stop).await else { return Ok(()) };
        let document = self.isolated_document(url, &body, standing);
        // An error page that answers 200 is told as what it is, with the link
        // to it.
        match document.filter(|document| document.format != DocumentFormat::Html) {
            Some(document) => self.load_document(document, *depth).await,
            None => Ok(()),
        }
    }

    /// Lets a host rest; `false` if the run is stopped meanwhile.
    async fn rest(&self, stop: &StopSignal) -> bool {
        let pause: Duration = self.settings.pause;
        tokio::select! {
            () = tokio::time::sleep(pause) => !stop.is_stopped(),
            () = stop.raised() => false,
        }
    }

    /// Whether a host asked for fewer visits.
    pub(super) fn is_tired(&self, host: &str) -> bool {
        self.listed.throttled_hosts.contains(host)
    }

    pub(super) fn unread(&mut self, path: String, text: &str) {
        self.loaded.problems.push(Diagnostic { path, line: None, text: text.to_owned() });
    }
}

/// The links of a document that are read, `depth` being how far it is from an
/// input itself. Sitemaps on the web are read as far as one may go; the user's
/// own documents are read whole.
pub(super) fn most_links(document: &Document, depth: u32) -> usize {
    let is_listed = depth > 0;
    let is_map = || document.format == DocumentFormat::Xml && is_sitemap(document.content.head());
    if document.base.is_on_web() && (is_listed || is_map()) { MOST_ENTRIES } else { usize::MAX }
}

/// Whether a document lists sitemaps.
pub(super) fn is_index(document: &Document) -> bool {
    document.format == DocumentFormat::Xml && is_sitemap_index(document.content.head())
}
