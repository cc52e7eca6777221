//! The store in memory: builds results from the tables.

use relink_model::{Hop, Probe, RequestRights, TaskId};
use relink_ports::{CheckedTarget, DeadTarget, Inlinks, LinkLocation, SiteTarget};

use super::state::{Link, State, Target, Task};

impl State {
    /// Whether a link is reported. A document can suppress the code of the finding.
    pub(super) fn is_link_reported(&self, task: &Task, link: &Link) -> bool {
        let code = self.result_of(task).and_then(|stored| stored.result.code);
        code.is_none_or(|code| !link.ignored_codes.contains(&code.to_string()))
    }

    /// Whether a task has a link that is reported, or no link at all.
    pub(super) fn is_task_reported(&self, id: TaskId) -> bool {
        let Some(task) = self.tasks.get(&id) else { return false };
        let mut links = self.links_to(id).map(|(_, link)| link).peekable();
        links.peek().is_none() || links.any(|link| self.is_link_reported(task, link))
    }

    /// Returns the reported links to the target of a task.
    pub(super) fn inlinks(&self, id: TaskId, max_locations: usize) -> Inlinks {
        let Some(task) = self.tasks.get(&id) else { return Inlinks::default() };
        let reported: Vec<LinkLocation> = self
            .links_to(id)
            .filter(|(_, link)| self.is_link_reported(task, link))
            .map(|((_, document, _), link)| LinkLocation {
                path: self
                    .documents
                    .get(&document.0)
                    .map_or_else(String::new, |document| document.label.clone()),
                location: link.location,
            })
            .collect();
        let count = reported.len() as u64;
        Inlinks {
            count,
            all_ignored: count == 0 && self.links_to(id).next().is_some(),
            locations: reported.into_iter().take(max_locations).collect(),
        }
    }

    /// Returns a task with its result. Returns `None` if the task has no result.
    pub(super) fn checked_target(
        &self,
        id: TaskId,
        task: &Task,
        max_locations: usize,
    ) -> Option<CheckedTarget> {
        let Inlinks { locations, count: inlinks, .. } = self.inlinks(id, max_locations);
        Some(CheckedTarget {
            task: id,
            original_url: task.original_url.clone(),
            url: self.target(task.target)?.url.clone(),
            result: self.result_of(task)?.result.clone(),
            is_cached: task.is_cached,
            probe: self.probe_of(task).map(|stored| stored.probe.clone()),
            locations,
            inlinks,
            depth: task.depth,
        })
    }

    /// Returns the probes of a task, oldest first.
    pub(super) fn probes_of(&self, task: &Task) -> Vec<Probe> {
        let last = self.probe_of(task);
        let chain = std::iter::successors(last, |stored| self.probes.get(&stored.previous?));
        let mut probes: Vec<Probe> = chain.map(|stored| stored.probe.clone()).collect();
        probes.reverse();
        probes
    }

    /// Returns a target of a crawl.
    pub(super) fn site_target(&self, id: TaskId, task: &Task) -> Option<SiteTarget> {
        let result = self.result_of(task).map(|stored| &stored.result);
        let probe = self.probe_of(task).map(|stored| &stored.probe);
        let digest = probe.and_then(|probe| probe.digest.as_deref());
        Some(SiteTarget {
            task: id,
            url: self.target(task.target)?.url.clone(),
            verdict: result.map(|result| result.verdict),
            code: result.and_then(|result| result.code),
            status: result.and_then(|result| result.status),
            reason: result.map(|result| result.reason.clone()).unwrap_or_default(),
            depth: task.depth,
            requested_at: probe.map(|probe| probe.requested_at),
            duration_ms: probe.map(|probe| probe.timings.total),
            bytes: digest.map(|digest| digest.bytes),
            title: digest.and_then(|digest| digest.title.clone()),
            hops: probe.iter().flat_map(|probe| &probe.hops).map(|hop| hop.url.clone()).collect(),
            final_url: probe.and_then(fragment_url),
        })
    }

    /// Returns the current result of a target and the page that was last
    /// reached.
    pub(super) fn dead_target(&self, target: &Target) -> Option<DeadTarget> {
        let current = target.current()?;
        let reached = current.reached_probe.and_then(|id| self.probes.get(&id));
        Some(DeadTarget {
            url: target.url.clone(),
            verdict: current.result.verdict,
            code: current.result.code,
            status: current.result.status,
            checked_at: Some(current.result.checked_at),
            since: Some(current.result.since),
            digest: reached.and_then(|stored| stored.probe.digest.as_deref().cloned()),
            last_reached_at: current.reached_at,
            rights: RequestRights::from_stored(target.is_user_supplied),
        })
    }
}

/// Returns the final URL after redirects if the fragment of a link applies to this URL. A redirect
/// with a fragment of its own replaces the fragment of the link.
fn fragment_url(probe: &Probe) -> Option<String> {
    let (last, earlier) = probe.hops.split_last().filter(|(_, earlier)| !earlier.is_empty())?;
    let retains_fragment = |hop: &Hop| {
        let has_own_fragment =
            hop.location.as_deref().is_some_and(|location| location.contains('#'));
        (300..400).contains(&hop.status) && !has_own_fragment
    };
    earlier.iter().all(retains_fragment).then(|| last.url.clone())
}
