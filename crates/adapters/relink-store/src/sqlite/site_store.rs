//! The part of the store that remembers crawls.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Errand, ErrandId, RunId};
use relink_ports::{
    Completed, DocumentId, HostLease, HostPace, KeptRobots, LinkCursor, Moments, NewPage, PastWord,
    RunSummary, SiteLink, SitePage, SiteStore, SiteTarget, StoreFault, WordChange,
};

use super::{SqliteStore, claims, pages, site};

#[async_trait]
impl SiteStore for SqliteStore {
    async fn add_pages(
        &self,
        run: RunId,
        pages: &[NewPage],
        moments: Moments,
    ) -> Result<Completed, StoreFault> {
        self.transact("storing pages", |db| pages::add(db, run, pages, moments))
    }

    async fn ranked(
        &self,
        run: RunId,
        lease: HostLease,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Errand>, StoreFault> {
        self.perform("fetching errands", |db| pages::ranked(db, run, lease, limit, now))
    }

    async fn last_errand(&self, run: RunId) -> Result<ErrandId, StoreFault> {
        self.perform("counting errands", |db| pages::last_errand(db, run))
    }

    async fn robots(
        &self,
        origin: &str,
        since: Timestamp,
    ) -> Result<Option<KeptRobots>, StoreFault> {
        self.perform("reading robots rules", |db| pages::robots(db, origin, since))
    }

    async fn keep_robots(&self, robots: &KeptRobots) -> Result<(), StoreFault> {
        self.perform("keeping robots rules", |db| pages::keep_robots(db, robots))
    }

    async fn host_pace(&self, host: &str) -> Result<Option<HostPace>, StoreFault> {
        self.perform("reading the pace of a host", |db| claims::pace(db, host))
    }

    async fn keep_host_pace(&self, host: &str, pace: &HostPace) -> Result<(), StoreFault> {
        self.perform("storing the pace of a host", |db| claims::keep_pace(db, host, pace))
    }

    async fn note(&self, run: RunId, name: &str) -> Result<Option<String>, StoreFault> {
        self.perform("reading a note", |db| pages::note(db, run, name))
    }

    async fn keep_note(&self, run: RunId, name: &str, text: &str) -> Result<(), StoreFault> {
        self.perform("keeping a note", |db| pages::keep_note(db, run, name, text))
    }

    async fn runs(
        &self,
        command: Option<&str>,
        limit: usize,
    ) -> Result<Vec<RunSummary>, StoreFault> {
        self.perform("listing runs", |db| site::runs(db, command, limit))
    }

    async fn site_addresses(
        &self,
        run: RunId,
        after: ErrandId,
        limit: usize,
    ) -> Result<Vec<(ErrandId, String)>, StoreFault> {
        self.perform("reading addresses", |db| site::addresses(db, run, after, limit))
    }

    async fn site_targets(
        &self,
        run: RunId,
        after: ErrandId,
        limit: usize,
    ) -> Result<Vec<SiteTarget>, StoreFault> {
        self.perform("reading targets", |db| site::targets(db, run, after, limit))
    }

    async fn site_pages(
        &self,
        run: RunId,
        after: DocumentId,
        limit: usize,
    ) -> Result<Vec<SitePage>, StoreFault> {
        self.perform("reading pages", |db| site::pages(db, run, after, limit))
    }

    async fn site_links(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<SiteLink>, StoreFault> {
        self.perform("reading links", |db| site::links(db, run, after, limit))
    }

    async fn word_changes(
        &self,
        before: RunId,
        after: RunId,
        beyond: &str,
        limit: usize,
    ) -> Result<Vec<WordChange>, StoreFault> {
        self.perform("comparing runs", |db| site::word_changes(db, before, after, beyond, limit))
    }

    async fn known_addresses(&self, beyond: &str, limit: usize) -> Result<Vec<String>, StoreFault> {
        self.perform("reading addresses", |db| site::known_addresses(db, beyond, limit))
    }

    async fn past_words(&self, after: ErrandId, limit: usize) -> Result<Vec<PastWord>, StoreFault> {
        self.perform("reading past results", |db| site::past_words(db, after, limit))
    }
}
