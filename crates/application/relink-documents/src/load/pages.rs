//! Web documents: pages among the inputs, and the sitemaps listed in a sitemap
//! index.
//!
//! They are fetched one after the other, with the rate limits of all other requests and with
//! retries. The probes are passed to the dispatcher, so that no URL is fetched twice.

use std::collections::{HashSet, VecDeque};

use relink_frontier::{canonicalize, host_key};
use relink_model::{FetchOutcome, Probe, RequestRights};
use relink_page::{DocumentFormat, is_sitemap_index};
use relink_ports::{Body, RequestOptions, UserAgent};
use url::Url;

use super::document_content::DocumentContent;
use super::reader::ReadLink;
use super::resolve::LinkResolution;
use super::{CheckSkipReason, Diagnostic, DocumentBase, InputDocument, Loader, ProbedPage};
use crate::anchors::page_anchor_hashes;
use crate::parsed_page::{
    MAX_SITEMAP_BYTES, MAX_SITEMAP_LINKS, decompress_body, is_named_as_sitemap, is_sitemap,
};
use crate::sitemap_limits::{MAX_INDEX_LEVELS, MAX_SITEMAPS};
use relink_requests::{
    EngineError, ProbeRequest, StopSignal, THROTTLING_STATUSES, isolate, probe_url,
    transient_retry_delay,
};

/// Sitemaps to read.
#[derive(Debug, Default)]
pub(super) struct SitemapQueue {
    waiting: VecDeque<Sitemap>,
    /// URLs of all sitemaps that were added.
    added: HashSet<String>,
    /// Number of sitemaps beyond the maximum.
    over_limit: u64,
    /// Number of sitemaps below too many indexes.
    too_deep: u64,
    /// Hosts that limit the request rate.
    throttled_hosts: HashSet<String>,
}

#[derive(Debug)]
struct Sitemap {
    url: Url,
    /// Permissions of the request.
    rights: RequestRights,
    depth: u32,
}

impl SitemapQueue {
    fn add(&mut self, sitemap: Sitemap) {
        if self.added.contains(sitemap.url.as_str()) {
            return;
        }
        if sitemap.depth > MAX_INDEX_LEVELS {
            self.too_deep += 1;
            return;
        }
        if self.added.len() >= MAX_SITEMAPS {
            self.over_limit += 1;
            return;
        }
        self.added.insert(sitemap.url.to_string());
        self.waiting.push_back(sitemap);
    }
}

/// A page to fetch.
struct PageRequest<'a> {
    url: &'a Url,
    rights: RequestRights,
    max_body_bytes: Option<usize>,
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
        self.sitemaps.added.insert(url.to_string());
        let page_bytes = self.settings.max_page_bytes;
        let max_body_bytes =
            if is_named_as_sitemap(url) { page_bytes.max(MAX_SITEMAP_BYTES) } else { page_bytes };
        let request = PageRequest {
            url,
            rights: RequestRights::user_supplied(),
            max_body_bytes: Some(max_body_bytes),
        };
        let Some((body, base)) = self.fetch_document(request, stop).await else { return Ok(()) };
        let Some(document) = self.isolated_document(url, &body, base) else { return Ok(()) };
        self.load_document(document, 0).await
    }

    /// Fetches a page and stores its probe. Returns `None` for error responses.
    async fn fetch_document(
        &mut self,
        request: PageRequest<'_>,
        stop: &StopSignal,
    ) -> Option<(Body, DocumentBase)> {
        let PageRequest { url, rights, max_body_bytes } = request;
        if self.sitemaps.throttled_hosts.contains(&host_key(url)) {
            self.report_problem(url.to_string(), "not read: the host limits the request rate");
            return None;
        }
        let options = RequestOptions { max_body_bytes, ..RequestOptions::default() };
        let probe_request =
            ProbeRequest { options, ..ProbeRequest::new(url, rights, UserAgent::Relink) };
        let (probe, body) = tokio::select! {
            result = self.probe_with_retries(probe_request) => result,
            () = stop.stopped() => return None,
        };
        if let Some(refusal) = self.fetch.take_refusal() {
            // The dispatcher decides about the URL as a link.
            self.report_problem(url.to_string(), &format!("not read: {refusal}"));
            return None;
        }
        if probe.outcome.status().is_some_and(|status| THROTTLING_STATUSES.contains(&status)) {
            self.sitemaps.throttled_hosts.insert(host_key(url));
        }
        let is_success = matches!(probe.outcome, FetchOutcome::Response(200..=299));
        let last = probe.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        let anchor_body = body.as_ref().filter(|_| self.settings.read_options.remote_anchors);
        let anchors = anchor_body.and_then(|body| {
            isolate(url.as_str(), || page_anchor_hashes(&probe, body)).unwrap_or_default()
        });
        self.handoff.pages.insert(url.to_string(), ProbedPage { probe, anchors });
        let last = last.unwrap_or_else(|| url.clone());
        // The host of a redirect target was not given by the user.
        let rights = rights.inherit(url, &last);
        Some((body.filter(|_| is_success)?, DocumentBase::Web { url: last, rights }))
    }

    /// Probes a page. A transient failure is retried, because the links of the document
    /// would otherwise be missing.
    async fn probe_with_retries(&self, request: ProbeRequest<'_>) -> (Probe, Option<Body>) {
        let (politeness, max_wait) = (self.settings.politeness, self.settings.max_host_wait);
        let max_attempts = usize::try_from(self.settings.retries).unwrap_or(usize::MAX);
        let mut attempts = 0;
        loop {
            let clock = &*self.ports.clock;
            let (probe, body) = probe_url(&self.fetch, clock, request.clone()).await;
            attempts += 1;
            let url = request.url.as_str();
            let wait = transient_retry_delay(attempts, url, &probe, politeness.interval, max_wait);
            match wait.filter(|_| attempts <= max_attempts) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return (probe, body),
            }
        }
    }

    /// Returns the document of a page; `None` after an internal error.
    fn isolated_document(
        &mut self,
        url: &Url,
        body: &Body,
        base: DocumentBase,
    ) -> Option<InputDocument> {
        let document = isolate(url.as_str(), || self.parse_document(url, body, base));
        document.unwrap_or_else(|panicked| {
            self.report_problem(url.to_string(), &panicked.to_string());
            None
        })
    }

    /// Returns the document of a page; `None` if its format has no links.
    fn parse_document(
        &mut self,
        url: &Url,
        body: &Body,
        base: DocumentBase,
    ) -> Option<InputDocument> {
        let (bytes, detected_format, error) = decompress_body(body);
        let format = self.settings.read_options.format.or(detected_format)?;
        let label = url.to_string();
        if body.is_truncated {
            let text = format!(
                "longer than {} bytes; the rest is not read (`--max-page-size`)",
                body.bytes.len()
            );
            self.summary.problems.push(Diagnostic { path: label.clone(), line: None, text });
        }
        self.summary.problems.push_error(&label, error);
        Some(InputDocument {
            label,
            content: DocumentContent::InMemory(bytes.into_owned().into()),
            format,
            base,
        })
    }

    /// Queues the sitemaps listed in a sitemap index.
    pub(super) fn list_sitemaps(
        &mut self,
        document: &InputDocument,
        links: &[ReadLink],
        depth: u32,
    ) {
        if self.settings.is_offline {
            return;
        }
        for link in links {
            // `--include` selects pages, not the sitemaps that list them.
            let is_sitemap = matches!(
                link.resolution,
                LinkResolution::Target(_) | LinkResolution::Skipped(CheckSkipReason::Excluded)
            );
            if !is_sitemap {
                continue;
            }
            // As for other documents, only `--exclude` applies.
            let Ok(url) = canonicalize(None, &link.original_url) else { continue };
            if !self.settings.scope.excludes(url.as_str()) {
                let rights = document.base.rights_for(&url);
                self.sitemaps.add(Sitemap { url, rights, depth: depth + 1 });
            }
        }
    }

    /// Reads the queued sitemaps, and those that they list.
    pub(super) async fn load_sitemaps(&mut self, stop: &StopSignal) -> Result<(), EngineError> {
        while let Some(sitemap) = self.sitemaps.waiting.pop_front() {
            if stop.is_stopped() {
                return Ok(());
            }
            self.load_sitemap(&sitemap, stop).await?;
        }
        self.report_skipped_sitemaps();
        Ok(())
    }

    /// Reports the number of sitemaps beyond the limits.
    fn report_skipped_sitemaps(&mut self) {
        let SitemapQueue { over_limit, too_deep, .. } = self.sitemaps;
        if over_limit > 0 {
            let text = format!("only {MAX_SITEMAPS} sitemaps are read; {over_limit} are skipped");
            self.report_problem("sitemaps".to_owned(), &text);
        }
        if too_deep > 0 {
            let text = format!(
                "{too_deep} sitemaps are skipped: they are nested in more than {MAX_INDEX_LEVELS} \
                 sitemap indexes"
            );
            self.report_problem("sitemaps".to_owned(), &text);
        }
    }

    async fn load_sitemap(
        &mut self,
        sitemap: &Sitemap,
        stop: &StopSignal,
    ) -> Result<(), EngineError> {
        let Sitemap { url, rights, depth } = sitemap;
        let request = PageRequest { url, rights: *rights, max_body_bytes: Some(MAX_SITEMAP_BYTES) };
        let Some((body, base)) = self.fetch_document(request, stop).await else { return Ok(()) };
        let document = self.isolated_document(url, &body, base);
        // An HTML page with status 200 is an error page. It is judged as the
        // target of the link to it.
        match document.filter(|document| document.format != DocumentFormat::Html) {
            Some(document) => self.load_document(document, *depth).await,
            None => Ok(()),
        }
    }

    pub(super) fn report_problem(&mut self, path: String, text: &str) {
        self.summary.problems.push(Diagnostic { path, line: None, text: text.to_owned() });
    }
}

/// Returns the maximum number of links read from a document. `depth` is the
/// number of sitemap indexes above it. The sitemap limit applies only to
/// sitemaps on the web. Local documents are read completely.
pub(super) fn max_links(document: &InputDocument, depth: u32) -> usize {
    let is_listed = depth > 0;
    let is_web_sitemap =
        || document.format == DocumentFormat::Xml && is_sitemap(document.content.head());
    if document.base.is_on_web() && (is_listed || is_web_sitemap()) {
        MAX_SITEMAP_LINKS
    } else {
        usize::MAX
    }
}

/// Whether a document lists sitemaps.
pub(super) fn is_index(document: &InputDocument) -> bool {
    document.format == DocumentFormat::Xml && is_sitemap_index(document.content.head())
}
