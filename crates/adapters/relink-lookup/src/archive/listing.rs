//! Which captures an archive on the web has.

use std::collections::HashSet;

use relink_model::Capture;
use relink_ports::{
    ArchiveError, CaptureList, CaptureOrder, CaptureQuery, CaptureScope, FetchResult,
    RequestOptions,
};
use url::Url;

use super::cdx::{self, CdxCursor, CdxDialect};
use super::replay::address_of;
use super::web::WebArchive;
use super::{surt, timemap};

/// The most requests for one list.
const PAGES: usize = 20;

/// A list as it grows.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub captures: Vec<Capture>,
    pub is_truncated: bool,
    pub skipped: usize,
}

impl Listing {
    /// The list as it was asked for. What the archive sent beside the question
    /// is left out: some do not know every part of it.
    pub fn finish(mut self, query: &CaptureQuery) -> CaptureList {
        cdx::resolve_revisits(&mut self.captures);
        let host = surt::host(&query.url);
        let before = self.captures.len();
        self.captures.retain(|capture| surt::host(&capture.url) == host);
        self.skipped += before - self.captures.len();
        self.captures.retain(|capture| is_wanted(capture, query));
        arrange(&mut self.captures, query);
        self.is_truncated |= self.captures.len() > query.limit;
        self.captures.truncate(query.limit);
        CaptureList {
            captures: self.captures,
            is_truncated: self.is_truncated,
            skipped: self.skipped,
        }
    }
}

fn is_wanted(capture: &Capture, query: &CaptureQuery) -> bool {
    let is_late_enough = query.from.is_none_or(|from| capture.captured_at >= from);
    let is_early_enough = query.to.is_none_or(|to| capture.captured_at <= to);
    is_late_enough && is_early_enough && query.statuses.admit(capture)
}

/// Puts captures into the order asked for. A row that came twice stands once;
/// rows that only share a checksum all stand.
pub(super) fn arrange(captures: &mut Vec<Capture>, query: &CaptureQuery) {
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
        let taken = capture.captured_at.as_second();
        match query.order {
            CaptureOrder::Oldest => taken,
            CaptureOrder::Newest => -taken,
            CaptureOrder::Nearest(time) => (time.as_second() - taken).abs(),
        }
    });
}

impl WebArchive {
    /// Asks the index, page by page.
    pub(super) async fn list_index(
        &self,
        dialect: CdxDialect,
        endpoint: &Url,
        query: &CaptureQuery,
    ) -> Result<Listing, ArchiveError> {
        let mut listing = Listing::default();
        let mut page = CdxCursor::default();
        for _ in 0..PAGES {
            let asked = cdx::query_url(endpoint, dialect, query, &page);
            let fetched = self.ask(&asked, self.list_terms()).await?;
            let answer = self.read_index(&fetched, query.limit)?;
            let captures = answer.rows.iter().filter_map(cdx::capture);
            let before = listing.captures.len();
            listing.captures.extend(captures.map(|capture| self.addressed(capture)));
            let found = listing.captures.len() - before;
            listing.skipped += answer.skipped + (answer.rows.len() - found);
            listing.is_truncated |= answer.is_truncated;
            let is_stuck = answer.resume == page.resume || found == 0;
            page = CdxCursor { resume: answer.resume, found: listing.captures.len() };
            let is_enough = listing.captures.len() > query.limit;
            if page.resume.is_none() || is_stuck || is_enough {
                break;
            }
        }
        listing.is_truncated |= page.resume.is_some();
        match (listing.captures.is_empty(), listing.skipped) {
            (true, 1..) => Err(self.unreadable("a list of captures")),
            _ => Ok(listing),
        }
    }

    fn read_index(
        &self,
        fetched: &FetchResult,
        limit: usize,
    ) -> Result<cdx::CdxResponse, ArchiveError> {
        let (status, bytes, is_cut) = said(fetched);
        if !(200..=299).contains(&status) {
            return Err(self.refusal(status));
        }
        cdx::read(bytes, limit.saturating_add(1), is_cut)
            .ok_or_else(|| self.unreadable("a list of captures"))
    }

    /// The capture with the address of its copy.
    fn addressed(&self, capture: Capture) -> Capture {
        let replay = self.settings.replay.as_ref();
        let address = replay.and_then(|replay| address_of(replay, &capture, ""));
        Capture { replay_url: address, ..capture }
    }

    /// Reads the list of copies of one URL, page by page.
    pub(super) async fn list_timemap(
        &self,
        root: &Url,
        query: &CaptureQuery,
    ) -> Result<Listing, ArchiveError> {
        let mut listing = Listing::default();
        let first = Url::parse(&format!("{root}{}", cdx::bare(&query.url)));
        let mut pages: Vec<Url> = first.into_iter().collect();
        let mut next = 0;
        while next < pages.len().min(PAGES) {
            let address = pages[next].clone();
            next += 1;
            let fetched = self.ask(&address, self.list_terms()).await?;
            let (status, bytes, is_cut) = said(&fetched);
            match status {
                200..=299 => {}
                // This is how nothing is said (RFC 7089, section 5.1).
                404 => continue,
                status => return Err(self.refusal(status)),
            }
            let limit = self.settings.list_cap;
            let map = timemap::read(bytes, &query.url, &address, limit)
                .ok_or_else(|| self.unreadable("a list of copies"))?;
            listing.captures.extend(map.captures);
            listing.skipped += map.skipped;
            listing.is_truncated |= is_cut;
            let new: Vec<_> = map.pages.into_iter().filter(|it| !pages.contains(it)).collect();
            pages.extend(new.into_iter().take(PAGES));
        }
        listing.is_truncated |= pages.len() > PAGES;
        Ok(listing)
    }

    fn list_terms(&self) -> RequestOptions {
        RequestOptions { max_body_bytes: Some(self.settings.list_cap), ..RequestOptions::default() }
    }
}

/// Status and body of an answer, and whether the body is not all of it.
fn said(fetched: &FetchResult) -> (u16, &[u8], bool) {
    let status = fetched.outcome.status().unwrap_or_default();
    match &fetched.body {
        Some(body) => (status, &body.bytes, body.is_truncated),
        None => (status, &[], false),
    }
}
