//! Cases about crawls: storing pages with their results, and reading a site.

use relink_model::{LinkKind, RunId, TaskId, Verdict};
use relink_ports::{
    CacheWindow, CheckedTargetQuery, DocumentId, Fence, HostLease, HostSchedule, LinkDecision,
    NewLink, NewPage, PageLink, RunKey, RunState, Store, StoreError, StoredRobots, TaskCompletion,
    TaskUpdate, VerdictChange,
};

use super::CaseResult;
use super::fixture::{
    FINAL_URL, MANY, StoreFixture, at, claim_request, completion, discovered_link,
    finished_completion, lease_end, local_link, user_link,
};

/// The home page of the crawled site.
const HOME_PAGE: &str = "http://one.test/";
/// A page of the site.
const PAGE_A: &str = "http://one.test/a";
/// A page of the site.
const PAGE_B: &str = "http://one.test/b";
/// A page of the site.
const PAGE_C: &str = "http://one.test/c";
/// A page on another host.
const PAGE_ON_OTHER_HOST: &str = "http://two.test/";

/// The key of a crawl.
fn crawl_key() -> RunKey {
    RunKey {
        command: "crawl".to_owned(),
        inputs: vec![HOME_PAGE.to_owned()],
        scope: "scope=Host".to_owned(),
    }
}

/// Returns a link to fetch at a depth.
fn fetch_link(url: &str, depth: u32) -> PageLink {
    let decision = LinkDecision::Fetch { depth, rank: None, may_use_cache: false };
    PageLink { link: discovered_link(1, url), decision }
}

/// Returns a link to fetch with a rank.
fn ranked_link(url: &str, rank: i64) -> PageLink {
    let decision = LinkDecision::Fetch { depth: 1, rank: Some(rank), may_use_cache: false };
    PageLink { decision, ..fetch_link(url, 1) }
}

/// Returns a link that is not fetched.
fn skip_link(url: &str) -> PageLink {
    PageLink { decision: LinkDecision::Skip, ..fetch_link(url, 1) }
}

/// Returns a page without anchors.
fn page(label: &str, links: Vec<PageLink>) -> NewPage {
    NewPage { label: label.to_owned(), links, ..NewPage::default() }
}

/// Opens a crawl that starts with these links.
async fn open_crawl(
    store: &dyn Store,
    seeds: Vec<PageLink>,
) -> Result<StoreFixture<'_>, StoreError> {
    let fixture = StoreFixture::open_with_key(store, &crawl_key(), at(0)).await?;
    store.add_pages(fixture.run, &[page("arguments", seeds)], fixture.cache_window()).await?;
    Ok(fixture)
}

/// Claims the only due task. Returns a completion that finishes it as alive,
/// with a page that has these links.
async fn claim_and_fetch(
    fixture: &StoreFixture<'_>,
    links: Vec<PageLink>,
) -> Result<TaskCompletion, StoreError> {
    let claim = fixture.claim_one(at(0)).await?;
    let task = &claim.tasks[0];
    let page = page(&task.url, links);
    let checked = finished_completion(claim.lease, task, Verdict::Alive, at(1));
    Ok(TaskCompletion { page: Some(page), ..checked })
}

/// Returns the URLs of a run in order of discovery.
async fn site_urls(store: &dyn Store, run: RunId) -> Result<Vec<String>, StoreError> {
    let all = store.site_urls(run, TaskId(0), MANY).await?;
    Ok(all.into_iter().map(|(_, url)| url).collect())
}

/// A commit stores a page with its links and counts its new targets.
pub async fn page_is_stored_with_its_result(store: &dyn Store) -> CaseResult {
    let fixture = open_crawl(store, vec![fetch_link(HOME_PAGE, 0)]).await?;
    let done = claim_and_fetch(
        &fixture,
        vec![fetch_link(PAGE_A, 1), fetch_link(PAGE_ON_OTHER_HOST, 1), fetch_link(HOME_PAGE, 1)],
    )
    .await?;
    let summary = store.commit(fixture.run, &[done], fixture.cache_window()).await?;
    assert_eq!((summary.new_targets, summary.already_checked), (2, 0));
    assert_eq!(site_urls(store, fixture.run).await?, [HOME_PAGE, PAGE_A, PAGE_ON_OTHER_HOST]);
    let pages = store.site_pages(fixture.run, DocumentId(0), MANY).await?;
    let links: Vec<(&str, u64)> =
        pages.iter().map(|page| (page.label.as_str(), page.links)).collect();
    assert_eq!(links, [("arguments", 1), (HOME_PAGE, 3)]);
    assert!(pages[0].task.is_none() && pages[1].task.is_some());
    Ok(())
}

/// A rejected page adds no targets.
pub async fn page_with_lost_lease_is_rejected_with_its_result(store: &dyn Store) -> CaseResult {
    let fixture = open_crawl(store, vec![fetch_link(HOME_PAGE, 0)]).await?;
    let done = claim_and_fetch(&fixture, vec![fetch_link(PAGE_A, 1)]).await?;
    let Fence::Host(lease) = done.fence else { panic!("{:?} is a lease", done.fence) };
    let lost = HostLease { fencing_token: lease.fencing_token + 1, ..lease };
    let late = TaskCompletion { fence: lost.into(), ..done };
    let summary =
        store.commit(fixture.run, std::slice::from_ref(&late), fixture.cache_window()).await?;
    assert_eq!((summary.rejected, summary.new_targets), (vec![late.task], 0));
    assert_eq!(site_urls(store, fixture.run).await?, [HOME_PAGE]);
    Ok(())
}

/// Seed lists and sitemaps are added again after an interruption, which must
/// have no effect.
pub async fn known_page_is_not_added_again(store: &dyn Store) -> CaseResult {
    let fixture = open_crawl(store, vec![fetch_link(HOME_PAGE, 0)]).await?;
    let same_page = [page("arguments", vec![fetch_link(HOME_PAGE, 0), fetch_link(PAGE_A, 0)])];
    let summary = store.add_pages(fixture.run, &same_page, fixture.cache_window()).await?;
    assert_eq!(summary.new_targets, 0);
    assert_eq!(site_urls(store, fixture.run).await?, [HOME_PAGE]);
    Ok(())
}

/// A skipped link to an unknown target is not stored.
pub async fn skipped_link_is_stored_if_its_target_is_known(store: &dyn Store) -> CaseResult {
    let fixture = open_crawl(store, vec![fetch_link(HOME_PAGE, 0)]).await?;
    let done = claim_and_fetch(
        &fixture,
        vec![skip_link(PAGE_A), skip_link(HOME_PAGE), skip_link(PAGE_ON_OTHER_HOST)],
    )
    .await?;
    fixture.commit(&[done]).await?;
    assert_eq!(site_urls(store, fixture.run).await?, [HOME_PAGE]);
    let links = store.site_links(fixture.run, (TaskId(0), DocumentId(0), 0), MANY).await?;
    let positions: Vec<u64> = links.iter().map(|link| link.position).collect();
    assert_eq!(positions, [0, 1]);
    Ok(())
}

/// A page whose links are needed must be fetched, because links are not cached.
pub async fn cached_result_is_used_only_if_allowed(store: &dyn Store) -> CaseResult {
    let first = open_crawl(store, vec![fetch_link(PAGE_A, 0), fetch_link(PAGE_B, 0)]).await?;
    first.finish_all(Verdict::Alive, at(1)).await?;
    first.close(at(2)).await?;

    let second = StoreFixture::open_with_key(store, &crawl_key(), at(3)).await?;
    let may_use_cache = LinkDecision::Fetch { depth: 1, rank: None, may_use_cache: true };
    let links =
        vec![fetch_link(PAGE_A, 1), PageLink { decision: may_use_cache, ..fetch_link(PAGE_B, 1) }];
    let cache_window = CacheWindow { now: at(3), fresh_since: at(0) };
    let summary = store.add_pages(second.run, &[page("arguments", links)], cache_window).await?;
    assert_eq!((summary.new_targets, summary.already_checked), (2, 1));
    let unfetched = CheckedTargetQuery { is_unfetched: true, ..CheckedTargetQuery::ALL };
    let checked = store.checked_targets(second.run, unfetched).await?;
    assert_eq!(checked.iter().map(|target| target.url.as_str()).collect::<Vec<_>>(), [PAGE_B]);
    assert_eq!(second.due_urls(at(4)).await?, [PAGE_A]);
    Ok(())
}

/// A malformed link needs no request.
pub async fn malformed_link_is_finished_at_its_depth(store: &dyn Store) -> CaseResult {
    let fixture = open_crawl(store, vec![fetch_link(HOME_PAGE, 0)]).await?;
    let broken =
        PageLink { link: local_link(2, "malformed:x", Verdict::Local), ..fetch_link(PAGE_A, 3) };
    let done = claim_and_fetch(&fixture, vec![broken]).await?;
    let summary = store.commit(fixture.run, &[done], fixture.cache_window()).await?;
    assert_eq!((summary.new_targets, summary.already_checked), (1, 1));
    let unfetched = CheckedTargetQuery { is_unfetched: true, ..CheckedTargetQuery::ALL };
    let checked = store.checked_targets(fixture.run, unfetched).await?;
    assert_eq!((checked[0].depth, checked[0].inlinks), (Some(3), 1));
    Ok(())
}

/// The depth of a task can decrease until the task is fetched.
pub async fn pending_task_takes_the_smallest_depth(store: &dyn Store) -> CaseResult {
    let fixture = open_crawl(store, vec![fetch_link(PAGE_A, 5)]).await?;
    let add_link = async |depth: u32| {
        let page = page(&format!("page {depth}"), vec![fetch_link(PAGE_A, depth)]);
        store.add_pages(fixture.run, &[page], fixture.cache_window()).await
    };
    add_link(7).await?;
    add_link(2).await?;
    add_link(3).await?;
    let claim = fixture.claim_one(at(0)).await?;
    assert_eq!(claim.tasks[0].depth, Some(2));
    fixture.finish_claim(&claim, Verdict::Alive, at(1)).await?;
    add_link(1).await?;
    assert_eq!(fixture.checked_one().await?.depth, Some(2));
    Ok(())
}

/// A pending task has the lowest rank of its links.
pub async fn ranked_tasks_are_returned_lowest_first(store: &dyn Store) -> CaseResult {
    let fixture = open_crawl(
        store,
        vec![ranked_link(PAGE_A, 30), ranked_link(PAGE_B, 10), ranked_link(PAGE_C, 20)],
    )
    .await?;
    let claim =
        store.claim(fixture.run, claim_request(MANY, 0, at(0), lease_end(at(0)))).await?.remove(0);
    assert_eq!(claim.tasks, [], "ranked tasks are not returned by a claim");
    let due_urls = async |limit| -> Result<Vec<String>, StoreError> {
        let tasks = store.due_by_rank(fixture.run, claim.lease, limit, at(0)).await?;
        Ok(tasks.into_iter().map(|task| task.url).collect())
    };
    assert_eq!(due_urls(2).await?, [PAGE_B, PAGE_C]);
    let other_page = page("again", vec![ranked_link(PAGE_A, 5), ranked_link(PAGE_C, 40)]);
    store.add_pages(fixture.run, &[other_page], fixture.cache_window()).await?;
    assert_eq!(due_urls(MANY).await?, [PAGE_A, PAGE_B, PAGE_C]);
    let lost = HostLease { fencing_token: claim.lease.fencing_token + 1, ..claim.lease };
    assert_eq!(store.due_by_rank(fixture.run, lost, MANY, at(0)).await?, []);
    Ok(())
}

/// A dropped task is not counted in the statistics of the run.
pub async fn dropped_task_is_deleted_with_its_links(store: &dyn Store) -> CaseResult {
    let fixture = open_crawl(store, vec![fetch_link(PAGE_A, 0), fetch_link(PAGE_B, 0)]).await?;
    let claim = fixture.claim_one(at(0)).await?;
    let dropped = completion(claim.lease, &claim.tasks[0], None, TaskUpdate::Drop);
    fixture.commit(&[dropped]).await?;
    fixture.release(&claim).await?;
    assert_eq!(site_urls(store, fixture.run).await?, [PAGE_B]);
    let links = store.site_links(fixture.run, (TaskId(0), DocumentId(0), 0), MANY).await?;
    assert_eq!(links.len(), 1);
    let stats = store.run_stats(fixture.run).await?;
    assert_eq!((stats.targets, stats.checked), (1, 0));
    Ok(())
}

/// The result of a task is not returned until the task is finished again.
pub async fn finished_task_can_be_retried(store: &dyn Store) -> CaseResult {
    let fixture = open_crawl(store, vec![fetch_link(PAGE_A, 0)]).await?;
    let claim = fixture.claim_one(at(0)).await?;
    let task = &claim.tasks[0];
    fixture.commit(&[finished_completion(claim.lease, task, Verdict::Blocked, at(1))]).await?;
    let (purpose, not_before, attempts) = (task.purpose, at(2), task.attempts.clone());
    let retry = TaskUpdate::Retry { purpose, not_before, attempts };
    fixture.commit(&[completion(claim.lease, task, None, retry)]).await?;
    fixture.release(&claim).await?;
    assert_eq!(fixture.checked().await?, []);
    assert_eq!(fixture.due_urls(at(3)).await?, [PAGE_A]);
    Ok(())
}

/// The store has one robots.txt per origin, and returns it only if it is not
/// older than `since`.
pub async fn robots_are_replaced_and_expire(store: &dyn Store) -> CaseResult {
    let origin = "https://one.test";
    assert_eq!(store.robots(origin, at(0)).await?, None);
    let robots = |status, text: &[u8], requested_at| StoredRobots {
        origin: origin.to_owned(),
        requested_at,
        status,
        text: text.to_vec(),
    };
    let first = robots(Some(200), b"User-agent: *\xff\n", at(10));
    store.save_robots(&first).await?;
    assert_eq!(store.robots(origin, at(10)).await?, Some(first));
    assert_eq!(store.robots(origin, at(11)).await?, None);
    assert_eq!(store.robots("http://one.test", at(0)).await?, None);
    let second = robots(None, b"", at(20));
    store.save_robots(&second).await?;
    assert_eq!(store.robots(origin, at(11)).await?, Some(second));
    Ok(())
}

/// A checkpoint replaces an earlier checkpoint with the same name.
pub async fn checkpoints_belong_to_their_run(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::open_with_key(store, &crawl_key(), at(0)).await?;
    let second = StoreFixture::open(store, at(1)).await?;
    assert_eq!(store.checkpoint(first.run, "crawl").await?, None);
    store.save_checkpoint(first.run, "crawl", "one").await?;
    store.save_checkpoint(first.run, "crawl", "two").await?;
    store.save_checkpoint(first.run, "other", "three").await?;
    assert_eq!(store.checkpoint(first.run, "crawl").await?.as_deref(), Some("two"));
    assert_eq!(store.checkpoint(second.run, "crawl").await?, None);
    Ok(())
}

/// Runs are listed with their progress, and can be filtered by command.
pub async fn runs_are_listed_newest_first(store: &dyn Store) -> CaseResult {
    let check = StoreFixture::with_pages(store, at(0), &[PAGE_A]).await?;
    let first = open_crawl(store, vec![fetch_link(HOME_PAGE, 0)]).await?;
    let done = claim_and_fetch(&first, vec![fetch_link(PAGE_A, 1)]).await?;
    first.commit(&[done]).await?;
    store.close_run(first.run, RunState::Finished, at(5)).await?;
    let second = StoreFixture::open_with_key(store, &crawl_key(), at(6)).await?;

    let crawls = store.runs(Some("crawl"), MANY).await?;
    let ids: Vec<RunId> = crawls.iter().map(|run| run.id).collect();
    assert_eq!(ids, [second.run, first.run]);
    let finished = &crawls[1];
    assert_eq!((finished.targets, finished.checked, finished.pages), (2, 1, 1));
    assert_eq!(
        (finished.started_at, finished.closed_at, finished.is_finished),
        (at(0), Some(at(5)), true)
    );
    assert_eq!(finished.inputs, [HOME_PAGE]);
    assert_eq!((crawls[0].closed_at, crawls[0].is_finished), (None, false));
    assert_eq!(store.runs(None, MANY).await?.len(), 3);
    assert_eq!(store.runs(Some("check"), MANY).await?[0].id, check.run);
    assert_eq!(store.runs(None, 1).await?.len(), 1);
    Ok(())
}

/// Runs a crawl whose home page has these links, and finishes it. All other pages are dead.
async fn finished_crawl(
    store: &dyn Store,
    now: i64,
    links: Vec<PageLink>,
) -> Result<RunId, StoreError> {
    let fixture = StoreFixture::open_with_key(store, &crawl_key(), at(now)).await?;
    let seeds = page("arguments", vec![fetch_link(HOME_PAGE, 0)]);
    store
        .add_pages(fixture.run, &[seeds], CacheWindow { now: at(now), ..fixture.cache_window() })
        .await?;
    let claim = fixture.claim_one(at(now)).await?;
    let checked = finished_completion(claim.lease, &claim.tasks[0], Verdict::Alive, at(now + 1));
    let page = NewPage { anchors: Some(vec![3, 7, u32::MAX]), ..page(HOME_PAGE, links) };
    fixture.commit(&[TaskCompletion { page: Some(page), ..checked }]).await?;
    fixture.release(&claim).await?;
    fixture.finish_all(Verdict::Dead, at(now + 2)).await?;
    fixture.close(at(now + 3)).await?;
    Ok(fixture.run)
}

/// Targets, pages and links continue after a cursor and belong to one run.
pub async fn site_is_read_with_pagination(store: &dyn Store) -> CaseResult {
    let links = || {
        let link = NewLink { fragment: Some("part".to_owned()), ..discovered_link(1, PAGE_B) };
        let with_fragment = PageLink { link, ..fetch_link(PAGE_B, 1) };
        vec![fetch_link(PAGE_A, 1), with_fragment, fetch_link(PAGE_A, 1)]
    };
    let runs =
        [finished_crawl(store, 0, links()).await?, finished_crawl(store, 100, links()).await?];
    finished_crawl(store, 200, vec![fetch_link(PAGE_C, 1)]).await?;
    for run in runs {
        let (mut targets, mut after) = (Vec::new(), TaskId(0));
        while let Some(target) = store.site_targets(run, after, 1).await?.pop() {
            after = target.task;
            targets.push(target);
        }
        let urls: Vec<&str> = targets.iter().map(|target| target.url.as_str()).collect();
        assert_eq!(urls, [HOME_PAGE, PAGE_A, PAGE_B]);
        let home = &targets[0];
        assert_eq!(
            (home.verdict, home.status, home.depth),
            (Some(Verdict::Alive), Some(200), Some(0))
        );
        assert_eq!((home.duration_ms, home.bytes), (Some(15), Some(4096)));
        assert_eq!(home.hops.last().map(String::as_str), Some(FINAL_URL));
        assert!(home.title.as_deref().is_some_and(|title| title.starts_with("Status 200")));
        assert_eq!(targets[1].verdict, Some(Verdict::Dead));

        let (mut pages, mut after) = (Vec::new(), DocumentId(0));
        while let Some(page) = store.site_pages(run, after, 1).await?.pop() {
            after = page.document;
            pages.push(page);
        }
        assert_eq!(pages.len(), 2);
        assert_eq!(pages[1].anchors.as_deref(), Some(&[3, 7, u32::MAX][..]));
        assert_eq!((pages[0].anchors.as_ref(), pages[1].task), (None, Some(home.task)));

        let (mut links, mut cursor) = (Vec::new(), (TaskId(0), DocumentId(0), 0));
        while let Some(link) = store.site_links(run, cursor, 1).await?.pop() {
            cursor = (link.to, link.from, link.position);
            links.push((link.to, link.position, link.fragment.clone()));
            assert_eq!(link.kind, LinkKind::Definition);
        }
        let task = |index: usize| targets[index].task;
        let part = Some("part".to_owned());
        assert_eq!(
            links,
            [(task(0), 0, None), (task(1), 0, None), (task(1), 2, None), (task(2), 1, part)]
        );
    }
    Ok(())
}

/// Changes are sorted by URL. A target of only one of the runs is a change.
pub async fn verdict_changes_between_two_runs_are_returned(store: &dyn Store) -> CaseResult {
    let before =
        finished_crawl(store, 0, vec![fetch_link(PAGE_A, 1), fetch_link(PAGE_B, 1)]).await?;
    let after =
        finished_crawl(store, 100, vec![fetch_link(PAGE_B, 1), fetch_link(PAGE_C, 1)]).await?;
    let changes = store.verdict_changes(before, after, "", MANY).await?;
    let reported: Vec<(&str, Option<Verdict>, Option<Verdict>)> = changes
        .iter()
        .map(|VerdictChange { url, before, after, .. }| (url.as_str(), *before, *after))
        .collect();
    assert_eq!(
        reported,
        [(PAGE_A, Some(Verdict::Dead), None), (PAGE_C, None, Some(Verdict::Dead))]
    );
    assert!(changes.iter().all(|change| change.code.is_some()));
    assert_eq!(store.verdict_changes(before, after, "", 1).await?, changes[..1]);
    assert_eq!(store.verdict_changes(before, after, PAGE_A, MANY).await?, changes[1..]);
    assert_eq!(store.verdict_changes(after, after, "", MANY).await?, []);
    Ok(())
}

/// The last task id of a run without tasks is 0.
pub async fn last_task_id_is_that_of_the_run(store: &dyn Store) -> CaseResult {
    let fixture = open_crawl(store, vec![fetch_link(PAGE_A, 0)]).await?;
    let first = store.last_task_id(fixture.run).await?;
    let more = page("more", vec![fetch_link(PAGE_B, 1)]);
    store.add_pages(fixture.run, &[more], fixture.cache_window()).await?;
    let last = store.last_task_id(fixture.run).await?;
    assert!(last > first);
    let other = RunId(fixture.run.0 + 1);
    assert_eq!(store.last_task_id(other).await?, TaskId(0));
    Ok(())
}

/// A link of a page to the seed does not revoke its rights.
pub async fn seed_stays_user_supplied(store: &dyn Store) -> CaseResult {
    let seed = PageLink { link: user_link(1, PAGE_A), ..fetch_link(PAGE_A, 0) };
    let fixture = open_crawl(store, vec![seed]).await?;
    let more = page("more", vec![fetch_link(PAGE_A, 1)]);
    store.add_pages(fixture.run, &[more], fixture.cache_window()).await?;
    assert!(fixture.claim_one(at(0)).await?.tasks[0].rights.is_user_supplied());
    Ok(())
}

/// The rights outlive the run, and a later run that only discovers the target
/// does not revoke them.
pub async fn dead_target_has_rights_only_if_user_supplied(store: &dyn Store) -> CaseResult {
    let has_rights = async |url: &str| -> Result<bool, StoreError> {
        let target = store.dead_target(url).await?;
        Ok(target.is_some_and(|target| target.rights.is_user_supplied()))
    };
    let first = StoreFixture::open(store, at(0)).await?;
    first.load("list", 1, &[user_link(1, PAGE_A), discovered_link(2, PAGE_B)]).await?;
    first.finish_all(Verdict::Dead, at(1)).await?;
    assert_eq!((has_rights(PAGE_A).await?, has_rights(PAGE_B).await?), (true, false));
    first.close(at(2)).await?;
    let listed = store.dead_targets(&[Verdict::Dead], "", 9).await?;
    let user_supplied = listed.iter().filter(|target| target.rights.is_user_supplied());
    assert_eq!(user_supplied.map(|target| target.url.as_str()).collect::<Vec<_>>(), [PAGE_A]);
    let second = StoreFixture::open(store, at(2)).await?;
    second.load("list", 2, &[discovered_link(1, PAGE_A), user_link(2, PAGE_B)]).await?;
    second.finish_all(Verdict::Dead, at(3)).await?;
    assert_eq!((has_rights(PAGE_A).await?, has_rights(PAGE_B).await?), (true, true));
    Ok(())
}

/// A schedule can be stored for a host without targets, and replaced.
pub async fn host_schedule_round_trips(store: &dyn Store) -> CaseResult {
    assert_eq!(store.host_schedule("one.test").await?, None);
    let schedule = HostSchedule {
        next_at: at(3600),
        delay_ms: 250,
        throttle_ms: 1000,
        ..HostSchedule::default()
    };
    store.save_host_schedule("one.test", &schedule).await?;
    assert_eq!(store.host_schedule("one.test").await?, Some(schedule));
    let earlier = HostSchedule { next_at: at(1), throttle_ms: 0, ..schedule };
    store.save_host_schedule("one.test", &earlier).await?;
    assert_eq!(store.host_schedule("one.test").await?, Some(earlier));
    Ok(())
}
