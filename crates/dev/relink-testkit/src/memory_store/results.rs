//! The store in memory: reads results, links, sites and texts.

use async_trait::async_trait;
use relink_model::{RunId, TaskId, Verdict};
use relink_ports::{
    AnchorReference, CheckedTarget, CheckedTargetQuery, DeadTarget, DocumentId, Inlinks,
    LinkCursor, LinkOrigin, Neighbor, PastVerdict, ResultStore, SiteLink, SitePage, SiteTarget,
    StoreError, TargetRecord, TextChange, TitledPage, VerdictChange,
};

use super::MemoryStore;
use super::state::{Link, StoredProbe, StoredResult, Task, TaskState};

#[async_trait]
impl ResultStore for MemoryStore {
    async fn checked_targets(
        &self,
        run: RunId,
        query: CheckedTargetQuery<'_>,
    ) -> Result<Vec<CheckedTarget>, StoreError> {
        let state = self.tables().await;
        let is_selected = |id: TaskId, task: &Task| {
            let Some(stored) = state.result_of(task) else { return false };
            id > query.after
                && task.state == TaskState::Finished
                && query.verdicts.is_none_or(|all| all.contains(&stored.result.verdict))
                && (!query.is_unfetched || task.is_cached || task.host.is_none())
                && state.is_task_reported(id)
        };
        let tasks = state.tasks_of(run).filter(|(id, task)| is_selected(*id, task));
        let checked =
            tasks.filter_map(|(id, task)| state.checked_target(id, task, query.max_locations));
        Ok(checked.take(query.limit).collect())
    }

    async fn inlinks(
        &self,
        tasks: &[TaskId],
        max_locations: usize,
    ) -> Result<Vec<Inlinks>, StoreError> {
        let state = self.tables().await;
        Ok(tasks.iter().map(|task| state.inlinks(*task, max_locations)).collect())
    }

    async fn neighbors(
        &self,
        run: RunId,
        directory: &str,
        url: &str,
        limit: usize,
    ) -> Result<Vec<Neighbor>, StoreError> {
        let state = self.tables().await;
        let is_inside = |other: &str| other.starts_with(directory) && other.len() > directory.len();
        let fetched: Vec<Neighbor> = state
            .target_ids
            .iter()
            .filter(|(other, _)| is_inside(other) && other.as_str() != url)
            .filter_map(|(other, id)| {
                let (_, task) = state.task_of(run, *id)?;
                let probe = state.probe_of(task).filter(|_| !task.is_cached)?.probe.clone();
                Some(Neighbor { url: other.clone(), probe })
            })
            .collect();
        let split = fetched.partition_point(|neighbor| neighbor.url.as_str() < url);
        let (before, after) = fetched.split_at(split);
        let (mut before, mut after) = (before.iter().rev(), after.iter());
        let pairs = std::iter::from_fn(|| Some([after.next(), before.next()]));
        Ok(pairs.take(limit).flatten().flatten().take(limit).cloned().collect())
    }

    async fn target_record(&self, url: &str) -> Result<Option<TargetRecord>, StoreError> {
        let state = self.tables().await;
        let Some((target, stored)) = state.target_by_url(url) else { return Ok(None) };
        let mut checked: Vec<(TaskId, &Task, &StoredResult)> = state
            .tasks
            .iter()
            .filter(|(_, task)| task.target == target && task.state == TaskState::Finished)
            .filter_map(|(id, task)| Some((*id, task, state.result_of(task)?)))
            .collect();
        checked.sort_by_key(|(id, task, stored)| (stored.result.checked_at, !task.is_cached, *id));
        let verdict = |(_, _, stored): &(TaskId, &Task, &StoredResult)| {
            (stored.result.checked_at, stored.result.verdict)
        };
        let latest = checked.last();
        Ok(Some(TargetRecord {
            url: url.to_owned(),
            latest: latest.and_then(|(id, task, _)| state.checked_target(*id, task, usize::MAX)),
            past_verdicts: checked.iter().map(verdict).collect(),
            changes: stored.changes.values().cloned().collect(),
            probes: latest.map(|(_, task, _)| state.probes_of(task)).unwrap_or_default(),
        }))
    }

    async fn link_origins(
        &self,
        url: &str,
        documents: &[&str],
    ) -> Result<Vec<Option<LinkOrigin>>, StoreError> {
        let state = self.tables().await;
        let target = state.target_by_url(url).map(|(target, _)| target);
        let origin = |label: &&str| state.origins.get(&(target?, (*label).to_owned())).cloned();
        Ok(documents.iter().map(origin).collect())
    }

    async fn anchor_references(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<AnchorReference>, StoreError> {
        let state = self.tables().await;
        let reference = |(cursor, link): (&LinkCursor, &Link)| {
            let task = state.tasks.get(&cursor.0).filter(|task| task.run == run)?;
            let stored = state.result_of(task).filter(|_| task.state == TaskState::Finished)?;
            let (seen_at, anchors) = state.anchors.get(&task.target)?;
            (*seen_at == stored.result.checked_at).then_some(())?;
            Some(AnchorReference {
                link: *cursor,
                url: state.target(task.target)?.url.clone(),
                fragment: link.fragment.clone()?,
                anchors: anchors.clone(),
            })
        };
        let links = state.links.iter().filter(|(cursor, _)| **cursor > after);
        Ok(links.filter_map(reference).take(limit).collect())
    }

    async fn count_unchecked_fragments(&self, run: RunId) -> Result<u64, StoreError> {
        let state = self.tables().await;
        let is_unknown = |(cursor, link): &(&LinkCursor, &Link)| {
            let task = state.tasks.get(&cursor.0).filter(|task| task.run == run);
            let Some((task, stored)) = task.and_then(|task| Some((task, state.result_of(task)?)))
            else {
                return false;
            };
            let seen_at = state.anchors.get(&task.target).map(|(seen_at, _)| *seen_at);
            link.fragment.is_some()
                && task.state == TaskState::Finished
                && stored.result.verdict.is_reached()
                && seen_at != Some(stored.result.checked_at)
        };
        Ok(state.links.iter().filter(is_unknown).count() as u64)
    }

    async fn site_urls(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<(TaskId, String)>, StoreError> {
        let state = self.tables().await;
        let tasks = state.tasks_of(run).filter(|(id, _)| *id > after);
        let urls =
            tasks.filter_map(|(id, task)| Some((id, state.target(task.target)?.url.clone())));
        Ok(urls.take(limit).collect())
    }

    async fn site_targets(
        &self,
        run: RunId,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<SiteTarget>, StoreError> {
        let state = self.tables().await;
        let tasks = state.tasks_of(run).filter(|(id, _)| *id > after);
        Ok(tasks.filter_map(|(id, task)| state.site_target(id, task)).take(limit).collect())
    }

    async fn site_pages(
        &self,
        run: RunId,
        after: DocumentId,
        limit: usize,
    ) -> Result<Vec<SitePage>, StoreError> {
        let state = self.tables().await;
        let pages = state.documents.iter().filter(|(id, page)| **id > after.0 && page.run == run);
        let page = pages.map(|(id, page)| SitePage {
            document: DocumentId(*id),
            label: page.label.clone(),
            task: page.task,
            is_sitemap: page.is_sitemap,
            links: page.links,
            anchors: page.anchors.clone(),
        });
        Ok(page.take(limit).collect())
    }

    async fn site_links(
        &self,
        run: RunId,
        after: LinkCursor,
        limit: usize,
    ) -> Result<Vec<SiteLink>, StoreError> {
        let state = self.tables().await;
        let is_of_run = |task: &TaskId| state.tasks.get(task).is_some_and(|task| task.run == run);
        let links = state.links.iter().filter(|(cursor, _)| **cursor > after);
        let links = links.filter(|((task, ..), _)| is_of_run(task));
        let link = links.map(|((to, from, position), link)| SiteLink {
            from: *from,
            position: *position,
            to: *to,
            line: link.location.line,
            kind: link.location.kind,
            fragment: link.fragment.clone(),
        });
        Ok(link.take(limit).collect())
    }

    async fn verdict_changes(
        &self,
        before: RunId,
        after: RunId,
        after_url: &str,
        limit: usize,
    ) -> Result<Vec<VerdictChange>, StoreError> {
        let state = self.tables().await;
        let result = |run, target| {
            let (_, task) = state.task_of(run, target)?;
            state.result_of(task).filter(|_| task.state == TaskState::Finished)
        };
        let change = |(url, id): (&String, &i64)| {
            let (before, after) = (result(before, *id), result(after, *id));
            let verdict =
                |stored: Option<&StoredResult>| stored.map(|stored| stored.result.verdict);
            let code = |stored: Option<&StoredResult>| stored.and_then(|stored| stored.result.code);
            (verdict(before) != verdict(after)).then(|| VerdictChange {
                url: url.clone(),
                before: verdict(before),
                after: verdict(after),
                code: code(after).or(code(before)),
            })
        };
        let targets = state.target_ids.iter().filter(|(url, _)| url.as_str() > after_url);
        Ok(targets.filter_map(change).take(limit).collect())
    }

    async fn known_urls(&self, after_url: &str, limit: usize) -> Result<Vec<String>, StoreError> {
        let state = self.tables().await;
        let is_web = |id: &i64| state.target(*id).is_some_and(|target| target.host.is_some());
        let urls =
            state.target_ids.iter().filter(|(url, id)| url.as_str() > after_url && is_web(id));
        Ok(urls.map(|(url, _)| url.clone()).take(limit).collect())
    }

    async fn past_verdicts(
        &self,
        after: TaskId,
        limit: usize,
    ) -> Result<Vec<PastVerdict>, StoreError> {
        let state = self.tables().await;
        let is_fetched = |task: &Task| {
            task.state == TaskState::Finished && !task.is_cached && task.host.is_some()
        };
        let tasks = state.tasks.iter().filter(|(id, task)| **id > after && is_fetched(task));
        let past = tasks.filter_map(|(id, task)| {
            let result = &state.result_of(task)?.result;
            Some(PastVerdict {
                task: *id,
                url: state.target(task.target)?.url.clone(),
                checked_at: result.checked_at,
                verdict: result.verdict,
            })
        });
        Ok(past.take(limit).collect())
    }

    async fn dead_target(&self, url: &str) -> Result<Option<DeadTarget>, StoreError> {
        let state = self.tables().await;
        Ok(state.target_by_url(url).and_then(|(_, target)| state.dead_target(target)))
    }

    async fn dead_targets(
        &self,
        verdicts: &[Verdict],
        after: &str,
        limit: usize,
    ) -> Result<Vec<DeadTarget>, StoreError> {
        let state = self.tables().await;
        let targets = state.target_ids.iter().filter(|(url, _)| url.as_str() > after);
        let targets = targets.filter_map(|(_, id)| state.target(*id));
        let dead = targets
            .filter(|target| target.host.is_some())
            .filter_map(|target| state.dead_target(target))
            .filter(|target| verdicts.contains(&target.verdict));
        Ok(dead.take(limit).collect())
    }

    async fn text_changes(&self, after: i64, limit: usize) -> Result<Vec<TextChange>, StoreError> {
        let state = self.tables().await;
        let change = |(id, stored): (&i64, &StoredProbe)| {
            let target = state.target(stored.target).filter(|target| target.host.is_some())?;
            let current = target.current()?;
            let is_alive = current.result.verdict == Verdict::Alive;
            let digest = stored.probe.digest.as_deref().cloned().unwrap_or_default();
            let parts = digest.headings.into_iter().chain([digest.text_start, digest.text_end]);
            let text = (digest.title.unwrap_or_default(), parts.collect::<Vec<_>>().join("\n"));
            (!is_alive || current.reached_probe == Some(*id)).then(|| TextChange {
                probe_id: *id,
                url: target.url.clone(),
                text: is_alive.then_some(text),
            })
        };
        Ok(state.probes.range(after + 1..).filter_map(change).take(limit).collect())
    }

    async fn last_probe_id(&self) -> Result<i64, StoreError> {
        Ok(self.tables().await.probes.keys().next_back().copied().unwrap_or(0))
    }

    async fn probe_id_epoch(&self) -> Result<String, StoreError> {
        Ok(self.tables().await.prunes.to_string())
    }

    async fn live_pages(
        &self,
        prefix: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<TitledPage>, StoreError> {
        let state = self.tables().await;
        let live = state.target_ids.iter().filter_map(|(url, id)| {
            let current = state.target(*id)?.current()?;
            let digest = state.probes.get(&current.reached_probe?)?.probe.digest.as_deref()?;
            let is_html = digest.content_type.as_deref().is_some_and(|kind| kind.contains("html"));
            let is_listed = url.starts_with(prefix) && url.as_str() > after;
            (is_html && is_listed && current.result.verdict == Verdict::Alive)
                .then(|| TitledPage { url: url.clone(), title: digest.title.clone() })
        });
        Ok(live.take(limit).collect())
    }
}
