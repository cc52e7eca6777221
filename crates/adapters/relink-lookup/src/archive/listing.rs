//! Lists the captures (archived responses) of a remote archive. Uses its CDX server,
//! which searches the index of the archive, or a `TimeMap`, which is the list of all
//! captures of one URL.

use std::collections::HashSet;

use relink_model::Capture;
use relink_ports::{
    ArchiveError, CaptureList, CaptureOrder, CaptureQuery, CaptureScope, FetchResult,
    RequestOptions,
};
use url::Url;

use super::cdx::{self, CdxCursor, CdxDialect};
use super::replay::replay_url;
use super::web::WebArchive;
use super::{surt, timemap};

/// Maximum number of requests for one list.
const MAX_REQUESTS: usize = 20;

/// A list of captures under construction.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub captures: Vec<Capture>,
    pub is_truncated: bool,
    /// Number of rows that could not be parsed or belong to another host.
    pub skipped: usize,
}

impl Listing {
    /// Resolves revisits (captures without content that refer to an earlier capture), and
    /// returns the captures that match the query. The query is applied again here,
    /// because not every archive supports all parts of a query.
    pub fn finish(mut self, query: &CaptureQuery) -> CaptureList {
        cdx::resolve_revisits(&mut self.captures);
        let host = surt::host(&query.url);
        let total = self.captures.len();
        self.captures.retain(|capture| surt::host(&capture.url) == host);
        self.skipped += total - self.captures.len();
        self.captures.retain(|capture| matches_query(capture, query));
        sort_and_deduplicate(&mut self.captures, query);
        self.is_truncated |= self.captures.len() > query.limit;
        self.captures.truncate(query.limit);
        CaptureList {
            captures: self.captures,
            is_truncated: self.is_truncated,
            skipped: self.skipped,
        }
    }
}

/// Whether a capture matches the times and statuses of a query.
fn matches_query(capture: &Capture, query: &CaptureQuery) -> bool {
    let is_late_enough = query.from.is_none_or(|from| capture.captured_at >= from);
    let is_early_enough = query.to.is_none_or(|to| capture.captured_at <= to);
    is_late_enough && is_early_enough && query.statuses.matches(capture)
}

/// Sorts captures in the order of the query and removes duplicate rows. Captures with the
/// same digest but different times or URLs are not duplicates. With
/// [`CaptureScope::Prefix`], captures are sorted by URL first, and
/// [`CaptureOrder::Nearest`] is not supported.
pub(super) fn sort_and_deduplicate(captures: &mut Vec<Capture>, query: &CaptureQuery) {
    let mut seen = HashSet::new();
    captures.retain(|capture| seen.insert(capture.clone()));
    if query.scope == CaptureScope::Prefix {
        captures.sort_by_cached_key(|capture| (surt::key(&capture.url), capture.captured_at));
        if query.order == CaptureOrder::Newest {
            captures.reverse();
        }
        return;
    }
    captures.sort_by_key(|capture| {
        let captured_at = capture.captured_at.as_second();
        match query.order {
            CaptureOrder::Oldest => captured_at,
            CaptureOrder::Newest => -captured_at,
            CaptureOrder::Nearest(time) => (time.as_second() - captured_at).abs(),
        }
    });
}

impl WebArchive {
    /// Queries the CDX server, page by page.
    pub(super) async fn list_cdx(
        &self,
        dialect: CdxDialect,
        endpoint: &Url,
        query: &CaptureQuery,
    ) -> Result<Listing, ArchiveError> {
        let mut listing = Listing::default();
        let mut cursor = CdxCursor::default();
        for _ in 0..MAX_REQUESTS {
            let url = cdx::query_url(endpoint, dialect, query, &cursor);
            let result = self.fetch(&url, self.list_options()).await?;
            let response = self.parse_cdx(&result, query.limit)?;
            let captures = response.rows.iter().filter_map(cdx::capture_from_row);
            let previous_count = listing.captures.len();
            listing.captures.extend(captures.map(|capture| self.with_replay_url(capture)));
            let new_count = listing.captures.len() - previous_count;
            listing.skipped += response.skipped + (response.rows.len() - new_count);
            listing.is_truncated |= response.is_truncated;
            // A resume key is the position where the next request continues. A server
            // that repeats the key or returns no captures would never reach the end.
            let is_stuck = response.resume_key == cursor.resume_key || new_count == 0;
            cursor = CdxCursor {
                resume_key: response.resume_key,
                captures_before: listing.captures.len(),
            };
            let exceeds_limit = listing.captures.len() > query.limit;
            if cursor.resume_key.is_none() || is_stuck || exceeds_limit {
                break;
            }
        }
        listing.is_truncated |= cursor.resume_key.is_some();
        // If no row could be parsed, the response is not a list of captures.
        match (listing.captures.is_empty(), listing.skipped) {
            (true, 1..) => Err(self.invalid_response("a list of captures")),
            _ => Ok(listing),
        }
    }

    /// Parses the response of a CDX server.
    fn parse_cdx(
        &self,
        result: &FetchResult,
        limit: usize,
    ) -> Result<cdx::CdxResponse, ArchiveError> {
        let (status, bytes, is_truncated) = response_parts(result);
        if !(200..=299).contains(&status) {
            return Err(self.refused(status));
        }
        // One row more than the limit shows that there are more captures.
        cdx::parse(bytes, limit.saturating_add(1), is_truncated)
            .ok_or_else(|| self.invalid_response("a list of captures"))
    }

    /// Adds the replay URL to a capture.
    fn with_replay_url(&self, capture: Capture) -> Capture {
        let replay = self.settings.replay.as_ref();
        let replay_url = replay.and_then(|replay| replay_url(replay, &capture, ""));
        Capture { replay_url, ..capture }
    }

    /// Reads the `TimeMap` of one URL, page by page. `prefix` is the part of the
    /// `TimeMap` URL before the original URL.
    pub(super) async fn list_timemap(
        &self,
        prefix: &Url,
        query: &CaptureQuery,
    ) -> Result<Listing, ArchiveError> {
        let mut listing = Listing::default();
        let first_page = Url::parse(&format!("{prefix}{}", cdx::sanitize_url(&query.url)));
        let mut pages: Vec<Url> = first_page.into_iter().collect();
        let mut next_page = 0;
        while next_page < pages.len().min(MAX_REQUESTS) {
            let timemap_url = pages[next_page].clone();
            next_page += 1;
            let result = self.fetch(&timemap_url, self.list_options()).await?;
            let (status, bytes, is_truncated) = response_parts(&result);
            match status {
                200..=299 => {}
                // The archive has no captures (RFC 7089, section 5.1).
                404 => continue,
                status => return Err(self.refused(status)),
            }
            // A capture takes at least one byte, so no body has more captures than bytes.
            let max_captures = self.settings.max_list_bytes;
            let timemap = timemap::parse(bytes, &query.url, &timemap_url, max_captures)
                .ok_or_else(|| self.invalid_response("a TimeMap"))?;
            listing.captures.extend(timemap.captures);
            listing.skipped += timemap.skipped;
            listing.is_truncated |= is_truncated;
            let new_pages: Vec<_> =
                timemap.pages.into_iter().filter(|page| !pages.contains(page)).collect();
            // More pages would not be requested anyway.
            pages.extend(new_pages.into_iter().take(MAX_REQUESTS));
        }
        listing.is_truncated |= pages.len() > MAX_REQUESTS;
        Ok(listing)
    }

    /// Returns the options of requests for lists.
    fn list_options(&self) -> RequestOptions {
        RequestOptions {
            max_body_bytes: Some(self.settings.max_list_bytes),
            ..RequestOptions::default()
        }
    }
}

/// Returns the status and body of a response, and whether the body is
/// truncated.
fn response_parts(result: &FetchResult) -> (u16, &[u8], bool) {
    // `WebArchive::fetch` returns only results that have a status.
    let status = result.outcome.status().unwrap_or_default();
    match &result.body {
        Some(body) => (status, &body.bytes, body.is_truncated),
        None => (status, &[], false),
    }
}
