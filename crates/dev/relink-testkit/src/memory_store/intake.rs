//! The store in memory: stores documents, their links, and one task per target of a run.

use async_trait::async_trait;
use jiff::Timestamp;
use relink_model::{Confidence, FetchPurpose, RunId, TaskId, Verdict};
use relink_ports::{
    CacheWindow, CommitSummary, DocumentId, IntakeStore, LinkBatch, LinkCursor, LinkDecision,
    LinkOrigin, LoadedDocument, MissingAnchor, NewDocument, NewLink, NewPage, NewTarget, PageLink,
    StoreError, TargetResult,
};

use super::MemoryStore;
use super::new_task::{InsertedTask, TaskDefaults, TaskOrigin, without_cache};
use super::state::{Document, Link, State, StoredResult, Task, TaskState};

#[async_trait]
impl IntakeStore for MemoryStore {
    async fn load_document(
        &self,
        run: RunId,
        document: &NewDocument,
    ) -> Result<LoadedDocument, StoreError> {
        Ok(self.tables().await.load_document(run, document))
    }

    async fn document_hash(&self, run: RunId, label: &str) -> Result<Option<u64>, StoreError> {
        let state = self.tables().await;
        let mut documents = state.documents.values();
        let document = documents.find(|stored| stored.run == run && stored.label == label);
        Ok(document.map(|stored| stored.content_hash))
    }

    async fn add_links(&self, run: RunId, batch: LinkBatch<'_>) -> Result<(), StoreError> {
        let mut state = self.tables().await;
        for (position, link) in (batch.first_position..).zip(batch.links) {
            let defaults = TaskDefaults::immediate(batch.cache_window);
            let task = state.insert_link_target(run, link, &defaults);
            let now = batch.cache_window.now;
            state.insert_link((task.id, batch.document, position as u64), link, now);
        }
        Ok(())
    }

    async fn finish_document(&self, document: DocumentId) -> Result<(), StoreError> {
        if let Some(document) = self.tables().await.documents.get_mut(&document.0) {
            document.is_loaded = true;
        }
        Ok(())
    }

    async fn finish_loading(&self, run: RunId, documents: &[DocumentId]) -> Result<(), StoreError> {
        self.tables().await.finish_loading(run, documents);
        Ok(())
    }

    async fn add_pages(
        &self,
        run: RunId,
        pages: &[NewPage],
        cache_window: CacheWindow,
    ) -> Result<CommitSummary, StoreError> {
        let (mut state, mut summary) = (self.tables().await, CommitSummary::default());
        for page in pages {
            state.add_page(run, page, None, cache_window, &mut summary);
        }
        Ok(summary)
    }

    async fn add_missing_anchors(
        &self,
        run: RunId,
        missing: &[MissingAnchor],
        cache_window: CacheWindow,
    ) -> Result<u64, StoreError> {
        let mut state = self.tables().await;
        let mut new_tasks = 0;
        for MissingAnchor { link: link_key, target } in missing {
            let NewTarget::Local { key, .. } = target else { continue };
            let id = state.insert_local_target(run, target, cache_window);
            let defaults = TaskDefaults::immediate(cache_window);
            let origin = TaskOrigin { target, original_url: key, has_fragment: false };
            let task = state.insert_task(run, id, &origin, &defaults);
            new_tasks += u64::from(task.is_new);
            // The link to the missing anchor has the location of the link to the page.
            if let Some(link) = state.links.get(link_key) {
                let (_, document, position) = *link_key;
                let link = Link { fragment: None, ..link.clone() };
                state.links.entry((task.id, document, position)).or_insert(link);
            }
        }
        Ok(new_tasks)
    }
}

impl State {
    /// Returns the document of a run with this label, adding it if necessary. If its content
    /// has changed, or its links were not stored completely, its stored links are deleted.
    fn load_document(&mut self, run: RunId, document: &NewDocument) -> LoadedDocument {
        let is_same = |stored: &Document| stored.run == run && stored.label == document.label;
        let existing = self.documents.iter_mut().find(|(_, stored)| is_same(stored));
        let Some((id, stored)) = existing else {
            let id = self.insert_document(run, &document.label, document.content_hash);
            if let Some(stored) = self.documents.get_mut(&id.0) {
                stored.revision.clone_from(&document.revision);
            }
            return LoadedDocument { id, is_unchanged: false };
        };
        let id = DocumentId(*id);
        let is_unchanged = stored.is_loaded && stored.content_hash == document.content_hash;
        if !is_unchanged {
            stored.content_hash = document.content_hash;
            stored.revision.clone_from(&document.revision);
            stored.is_loaded = false;
            stored.links = 0;
            self.delete_links_of(run, id);
        }
        LoadedDocument { id, is_unchanged }
    }

    /// Adds a document that is not loaded yet.
    fn insert_document(&mut self, run: RunId, label: &str, content_hash: u64) -> DocumentId {
        self.last_document += 1;
        let document = Document {
            run,
            label: label.to_owned(),
            revision: None,
            content_hash,
            is_loaded: false,
            links: 0,
            task: None,
            is_sitemap: false,
            anchors: None,
        };
        self.documents.insert(self.last_document, document);
        DocumentId(self.last_document)
    }

    /// Deletes the links of a document.
    fn delete_links_of(&mut self, run: RunId, document: DocumentId) {
        self.links.retain(|(_, from, _), _| *from != document);
        if let Some(run) = self.runs.get_mut(&run) {
            run.may_have_unlinked_tasks = true;
        }
    }

    /// Deletes documents that are not in `documents`, and tasks without links.
    fn finish_loading(&mut self, run: RunId, documents: &[DocumentId]) {
        let documents_of_run = self.documents.iter().filter(|(_, document)| document.run == run);
        let removed: Vec<i64> = documents_of_run
            .map(|(id, _)| *id)
            .filter(|id| !documents.contains(&DocumentId(*id)))
            .collect();
        for id in removed {
            self.documents.remove(&id);
            self.delete_links_of(run, DocumentId(id));
        }
        let Some(stored) = self.runs.get_mut(&run) else { return };
        if std::mem::take(&mut stored.may_have_unlinked_tasks) {
            let tasks: Vec<TaskId> = self.tasks_of(run).map(|(id, _)| id).collect();
            for task in tasks {
                if self.links_to(task).next().is_none() {
                    self.delete_task(task);
                }
            }
        }
    }

    /// Adds a page with its links, unless it exists.
    pub(super) fn add_page(
        &mut self,
        run: RunId,
        page: &NewPage,
        task: Option<TaskId>,
        window: CacheWindow,
        summary: &mut CommitSummary,
    ) {
        let mut documents = self.documents.values();
        if documents.any(|document| document.run == run && document.label == page.label) {
            return;
        }
        let id = self.insert_document(run, &page.label, 0);
        if let Some(document) = self.documents.get_mut(&id.0) {
            (document.is_loaded, document.task) = (true, task);
            (document.is_sitemap, document.anchors) = (page.is_sitemap, page.anchors.clone());
        }
        for (position, link) in page.links.iter().enumerate() {
            if let Some(task) = self.task_of_page_link(run, link, window, summary) {
                self.insert_link((task, id, position as u64), &link.link, window.now);
            }
        }
    }

    /// Returns the task of the target of a link on a page, adding it if necessary. Returns
    /// `None` if the crawl skips the link and no other link to its target was followed.
    fn task_of_page_link(
        &mut self,
        run: RunId,
        link: &PageLink,
        window: CacheWindow,
        summary: &mut CommitSummary,
    ) -> Option<TaskId> {
        let NewTarget::Web { url, .. } = &link.link.target else {
            let depth = match link.decision {
                LinkDecision::Fetch { depth, .. } => Some(depth),
                LinkDecision::Skip => None,
            };
            let window = without_cache(window);
            let defaults = TaskDefaults { depth, ..TaskDefaults::immediate(window) };
            return Some(self.insert_counted_task(run, link, &defaults, summary));
        };
        if let Some(task) = self.existing_task(run, url, link.decision) {
            return Some(task);
        }
        let LinkDecision::Fetch { depth, rank, may_use_cache } = link.decision else {
            return None;
        };
        let window = if may_use_cache { window } else { without_cache(window) };
        let defaults = TaskDefaults { window, not_before: window.now, depth: Some(depth), rank };
        Some(self.insert_counted_task(run, link, &defaults, summary))
    }

    /// Adds the task of a link, and counts it if it is new.
    fn insert_counted_task(
        &mut self,
        run: RunId,
        link: &PageLink,
        defaults: &TaskDefaults,
        summary: &mut CommitSummary,
    ) -> TaskId {
        let task = self.insert_link_target(run, &link.link, defaults);
        summary.new_targets += u64::from(task.is_new);
        summary.already_checked += u64::from(task.is_new && task.is_finished);
        task.id
    }

    /// Returns the task that the run already has for this URL. If it is pending and
    /// the depth or rank of this link is smaller, the task gets the smaller values.
    fn existing_task(&mut self, run: RunId, url: &str, decision: LinkDecision) -> Option<TaskId> {
        let (target, _) = self.target_by_url(url)?;
        let (id, task) = self.task_of(run, target)?;
        if let LinkDecision::Fetch { depth, rank, .. } = decision
            && task.state == TaskState::Pending
        {
            self.update_task(id, |task| {
                task.depth = task.depth.map(|known| known.min(depth));
                task.rank = task.rank.map(|known| rank.map_or(known, |rank| rank.min(known)));
            });
        }
        Some(id)
    }

    /// Adds the target of a link and its task, if necessary.
    fn insert_link_target(
        &mut self,
        run: RunId,
        link: &NewLink,
        defaults: &TaskDefaults,
    ) -> InsertedTask {
        let target = match &link.target {
            NewTarget::Web { url, host, .. } => {
                let host = self.host_id(host);
                self.target_id(url, Some(host))
            }
            local @ NewTarget::Local { .. } => {
                self.insert_local_target(run, local, defaults.window)
            }
        };
        let origin = TaskOrigin {
            target: &link.target,
            original_url: &link.original_url,
            has_fragment: link.fragment.is_some(),
        };
        self.insert_task(run, target, &origin, defaults)
    }

    /// Stores a target that needs no request, with its result.
    fn insert_local_target(&mut self, run: RunId, target: &NewTarget, window: CacheWindow) -> i64 {
        let NewTarget::Local { key, verdict, code, reason } = target else {
            // Callers pass only local targets. No target has this id.
            return 0;
        };
        let (id, generation, now) =
            (self.target_id(key, None), self.run_generation(run), window.now);
        let Some(stored) = self.target_mut(id) else { return id };
        let current = stored.current().filter(|current| current.result.verdict == *verdict);
        let result = TargetResult {
            verdict: *verdict,
            code: *code,
            status: None,
            reason: reason.clone(),
            since: current.map_or(now, |current| current.result.since),
            checked_at: now,
            attempts: Vec::new(),
            streak: None,
            confidence: Confidence::CERTAIN,
            evidence: Vec::new(),
        };
        let result = StoredResult { result, probe: None, reached_at: None, reached_probe: None };
        stored.store(generation, result);
        id
    }

    /// Returns the task of a target, adding it if necessary.
    fn insert_task(
        &mut self,
        run: RunId,
        target: i64,
        origin: &TaskOrigin<'_>,
        defaults: &TaskDefaults,
    ) -> InsertedTask {
        let has_fragment = origin.has_fragment;
        let is_user_supplied =
            matches!(origin.target, NewTarget::Web { rights, .. } if rights.is_user_supplied());
        let CacheWindow { now, fresh_since } = defaults.window;
        let has_anchors = self.has_anchors(target);
        let (mut host, mut generation, mut is_fresh) = (None, None, false);
        if let Some(stored) = self.target_mut(target) {
            stored.is_user_supplied |= is_user_supplied;
            host = stored.host;
            generation = stored.results.keys().next_back().copied();
            is_fresh = (!has_fragment || has_anchors)
                && stored.current().is_some_and(|StoredResult { result, .. }| {
                    result.verdict == Verdict::Alive
                        && (fresh_since..=now).contains(&result.checked_at)
                });
        }
        let is_local = host.is_none();
        let is_finished = is_local || is_fresh;
        // A pending task has no result yet, so it refers to no generation.
        let generation = generation.filter(|_| is_finished);
        if let Some((id, _)) = self.task_of(run, target) {
            self.update_task(id, |task| {
                task.is_user_supplied |= is_user_supplied;
                // The anchors of the cached page are not known, so the page is requested.
                if has_fragment && !is_finished && task.is_cached {
                    (task.state, task.is_cached) = (TaskState::Pending, false);
                    task.generation = None;
                }
                if is_local {
                    task.generation = generation;
                }
            });
            return InsertedTask { id, is_new: false, is_finished };
        }
        let id = self.add_task(Task {
            run,
            target,
            host,
            state: if is_finished { TaskState::Finished } else { TaskState::Pending },
            purpose: FetchPurpose::Initial,
            not_before: defaults.not_before,
            is_user_supplied,
            is_cached: is_fresh && !is_local,
            generation,
            original_url: origin.original_url.to_owned(),
            attempts: Vec::new(),
            probe: None,
            depth: defaults.depth,
            rank: defaults.rank,
        });
        InsertedTask { id, is_new: true, is_finished }
    }

    /// Adds a link that is seen at the time `now`, unless it exists.
    fn insert_link(&mut self, key: LinkCursor, link: &NewLink, now: Timestamp) {
        let NewLink { location, fragment, ignored_codes, .. } = link;
        let link = Link {
            location: *location,
            fragment: fragment.clone(),
            ignored_codes: ignored_codes.clone(),
        };
        let is_new = self.links.insert(key, link).is_none();
        let (task, document, _) = key;
        let Some(document) = self.documents.get_mut(&document.0) else { return };
        document.links += u64::from(is_new);
        let (run, revision) = (document.run, document.revision.clone());
        if let Some(task) = self.tasks.get(&task) {
            let key = (task.target, document.label.clone());
            let origin = LinkOrigin { seen_at: now, run, revision };
            self.origins.entry(key).or_insert(origin);
        }
    }
}
