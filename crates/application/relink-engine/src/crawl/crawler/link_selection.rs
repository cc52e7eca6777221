//! Selects the links of a page that a crawl follows.
//!
//! A link is *inside* if its URL is in the scope of the crawl (the site). The *trap
//! detection* rejects endless sets of generated pages. A sitemap *index* lists sitemaps.

use relink_frontier::{LinkDiscovery, PageFingerprint, TrapDecision, is_within_depth, strip};
use relink_judge::codes;
use relink_model::{RequestRights, SourceLocation, Verdict, redact_stored_url};
use relink_ports::{LinkDecision, NewLink, NewPage, NewTarget, PageLink};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::{Crawler, DEFAULT_SITEMAP, FetchedPageContext, web_target};
use relink_documents::{BadLink, ParsedLink, ParsedPage, SitemapKind};
use relink_requests::isolate;

/// Context of a link.
struct LinkContext<'a> {
    /// Depth and number of the link, which determine the order of traversal.
    discovery: LinkDiscovery,
    /// Permissions of the page that contains the link.
    rights: RequestRights,
    /// The URL of the page that contains the link.
    from: &'a Url,
    /// Whether the page marks all its links as `nofollow`.
    is_nofollow_page: bool,
    /// Whether the page is a sitemap.
    is_sitemap: bool,
    /// If the page is a sitemap index, the number of indexes above it.
    index_level: Option<u32>,
}

impl Crawler {
    /// Selects the links of a parsed page that the crawl follows. Returns the page to store.
    pub(super) fn select_links(
        &mut self,
        fetched: &FetchedPageContext<'_>,
        parsed_page: ParsedPage,
    ) -> Option<NewPage> {
        let depth = fetched.task.depth.unwrap_or(0);
        let final_url = fetched.probe.hops.last().and_then(|hop| Url::parse(&hop.url).ok());
        let final_url = final_url.or_else(|| Url::parse(&fetched.task.url).ok())?;
        let batch = self.reserve_link_numbers(parsed_page.links.len());
        let mut page = NewPage {
            label: fetched.task.url.clone(),
            is_sitemap: parsed_page.sitemap.is_some(),
            anchors: parsed_page.anchors,
            links: Vec::with_capacity(parsed_page.links.len()),
        };
        self.checkpoint.skipped_links.not_web_pages += parsed_page.skip_reasons.len() as u64;
        self.checkpoint.skipped_links.over_page_links += parsed_page.links_over_limit as u64;
        self.checkpoint.skipped_links.truncated_pages += u64::from(parsed_page.is_truncated);
        if parsed_page.sitemap.is_some() && !self.checkpoint.sitemaps.admit_sitemap() {
            self.checkpoint.skipped_links.sitemaps += parsed_page.links.len() as u64;
            return Some(page);
        }
        let is_index = parsed_page.sitemap == Some(SitemapKind::Index);
        let index_level = is_index.then(|| self.index_level(fetched, &final_url));
        let mut new_pages = Vec::new();
        for (position, link) in (0..).zip(parsed_page.links) {
            let link_context = LinkContext {
                discovery: LinkDiscovery { depth: depth + 1, batch, position },
                rights: fetched.task.rights,
                from: &final_url,
                is_nofollow_page: parsed_page.is_nofollow,
                is_sitemap: parsed_page.sitemap.is_some(),
                index_level,
            };
            let (location, original_url) = (link.location, link.original_url.clone());
            let page_link =
                isolate(&original_url, || self.evaluate_link(&link_context, link, &mut new_pages));
            let page_link = page_link.unwrap_or_else(|_| {
                Some(self.internal_error_link(&link_context, location, &original_url))
            });
            page.links.extend(page_link);
        }
        self.record_fingerprint(&final_url, parsed_page.fingerprint, &new_pages);
        Some(page)
    }

    /// Returns the number of sitemap indexes above a page, before or after its redirects.
    fn index_level(&self, fetched: &FetchedPageContext<'_>, final_url: &Url) -> u32 {
        let requested = Url::parse(&fetched.task.url).ok();
        let level = |url: &Url| self.checkpoint.sitemaps.level(url);
        let levels = requested.iter().chain([final_url]).map(level);
        levels.max().unwrap_or(0)
    }

    /// Processes a redirect as a page with one link, which does not increase the depth. The
    /// target is then parsed once, regardless of the number of redirects to it.
    pub(super) fn process_redirect(
        &mut self,
        fetched: &FetchedPageContext<'_>,
        final_url: &Url,
    ) -> Option<NewPage> {
        let batch = self.reserve_link_numbers(1);
        let location = SourceLocation {
            span: relink_model::Span { start: 0, end: 0 },
            line: 1,
            column: 1,
            kind: relink_model::LinkKind::Refresh,
        };
        let (original_url, fragment) = (final_url.to_string(), None);
        let url = Ok(final_url.clone());
        let link = ParsedLink { location, original_url, url, fragment, is_nofollow: false };
        let discovery =
            LinkDiscovery { depth: fetched.task.depth.unwrap_or(0), batch, position: 0 };
        let from = Url::parse(&fetched.task.url).ok()?;
        self.checkpoint.traps.record_redirect(&from, final_url);
        self.checkpoint.sitemaps.record_redirect(&from, final_url);
        let (rights, index_level) = (fetched.task.rights, None);
        let link_context = LinkContext {
            discovery,
            rights,
            from: &from,
            is_nofollow_page: false,
            is_sitemap: false,
            index_level,
        };
        let links = self.evaluate_link(&link_context, link, &mut Vec::new()).into_iter().collect();
        Some(NewPage { label: fetched.task.url.clone(), links, ..NewPage::default() })
    }

    /// Evaluates a link; returns `None` if the filter excludes it.
    fn evaluate_link(
        &mut self,
        context: &LinkContext<'_>,
        link: ParsedLink,
        new_pages: &mut Vec<Url>,
    ) -> Option<PageLink> {
        let ParsedLink { location, original_url, url, fragment, is_nofollow } = link;
        let url = match url {
            Ok(url) => url,
            Err(bad_link) => return self.malformed_link(context, location, original_url, bad_link),
        };
        // Without session ids and tracking parameters, which do not select a page.
        let (url, _) = strip(&url);
        let is_inside = self.rules.scope.is_inside(&url);
        let url = if is_inside { self.checkpoint.traps.rewrite(&url, context.from) } else { url };
        if !self.rules.filter.matches(url.as_str()) {
            self.checkpoint.skipped_links.excluded += 1;
            return None;
        }
        if url.path() == DEFAULT_SITEMAP && self.rules.scope.is_inside(&url) {
            self.checkpoint.linked_sitemaps.insert(url.to_string());
        }
        let is_nofollow = (is_nofollow || context.is_nofollow_page) && !self.rules.ignores_nofollow;
        let decision = self.decide(context, &url, is_nofollow, new_pages);
        // Store the absolute URL: pages write relative URLs in many forms.
        let original_url = redact_stored_url(url.as_str()).into_owned();
        let target = web_target(&url, context.rights.inherit(context.from, &url));
        Some(PageLink {
            link: NewLink { location, original_url, target, fragment, ignored_codes: Vec::new() },
            decision,
        })
    }

    /// Decides whether a link is fetched. Adds the URL to `new_pages` if it is a new page of
    /// the site.
    fn decide(
        &mut self,
        context: &LinkContext<'_>,
        url: &Url,
        is_nofollow: bool,
        new_pages: &mut Vec<Url>,
    ) -> LinkDecision {
        let hash = xxh3_64(url.as_str().as_bytes());
        let is_inside = self.rules.scope.is_inside(url);
        if self.known_urls.contains(&hash) {
            if is_inside {
                self.checkpoint.traps.record_known_link(url, context.from);
            }
            return self.fetch_decision(context.discovery, is_inside);
        }
        let skipped = &mut self.checkpoint.skipped_links;
        if is_nofollow && (is_inside || context.is_nofollow_page) {
            skipped.nofollow += 1;
            return LinkDecision::Skip;
        }
        if !is_inside {
            if !self.rules.checks_external {
                skipped.external += 1;
                return LinkDecision::Skip;
            }
            self.known_urls.insert(hash);
            return self.fetch_decision(context.discovery, false);
        }
        if !is_within_depth(context.discovery.depth, self.rules.max_depth) {
            skipped.too_deep += 1;
            return LinkDecision::Skip;
        }
        // A sitemap lists only pages that exist.
        if !context.is_sitemap
            && self.checkpoint.traps.check(url, Some(context.from)) != TrapDecision::Allow
        {
            return LinkDecision::Skip;
        }
        if self.rules.max_pages.is_some_and(|max| self.page_count >= max) {
            skipped.over_page_limit += 1;
            return LinkDecision::Skip;
        }
        let sitemaps = &mut self.checkpoint.sitemaps;
        if context.index_level.is_some_and(|level| !sitemaps.admit_listed(url, level)) {
            skipped.sitemaps += 1;
            return LinkDecision::Skip;
        }
        self.known_urls.insert(hash);
        self.page_count += 1;
        let from = (!context.is_sitemap).then_some(context.from);
        self.checkpoint.traps.accept(url, from);
        new_pages.push(url.clone());
        self.fetch_decision(context.discovery, true)
    }

    /// Returns a link whose destination is invalid; `None` if the filter excludes it.
    fn malformed_link(
        &mut self,
        context: &LinkContext<'_>,
        location: SourceLocation,
        original_url: String,
        bad_link: BadLink,
    ) -> Option<PageLink> {
        if !self.rules.filter.matches(&original_url) {
            self.checkpoint.skipped_links.excluded += 1;
            return None;
        }
        let target = NewTarget::Local {
            key: format!("malformed:{original_url}"),
            verdict: Verdict::Local,
            code: Some(bad_link.code),
            reason: bad_link.reason,
        };
        let link =
            NewLink { location, original_url, target, fragment: None, ignored_codes: Vec::new() };
        Some(PageLink { link, decision: self.fetch_decision(context.discovery, false) })
    }

    /// Returns a link that could not be evaluated because of a panic.
    fn internal_error_link(
        &self,
        context: &LinkContext<'_>,
        location: SourceLocation,
        original_url: &str,
    ) -> PageLink {
        let target = NewTarget::Local {
            key: format!("internal-error:{original_url}"),
            verdict: Verdict::Failing,
            code: Some(codes::INTERNAL_ERROR),
            reason: "internal error while reading this link".to_owned(),
        };
        let (original_url, fragment, ignored_codes) = (original_url.to_owned(), None, Vec::new());
        let link = NewLink { location, original_url, target, fragment, ignored_codes };
        PageLink { link, decision: self.fetch_decision(context.discovery, false) }
    }

    /// Passes a page and the new pages that it links to to the trap detection.
    fn record_fingerprint(
        &mut self,
        final_url: &Url,
        fingerprint: Option<PageFingerprint>,
        new_pages: &[Url],
    ) {
        let Some(fingerprint) = fingerprint else { return };
        let tests = self.checkpoint.traps.record_page(final_url, &fingerprint, new_pages);
        self.pending_tests.extend(tests);
    }
}
