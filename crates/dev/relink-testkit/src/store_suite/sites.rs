//! Crawls: pages with the results that bring them, and reading a site back.

use relink_model::{LinkKind, RunId, TaskId, Verdict};
use relink_ports::{
    CacheWindow, CheckedTargetQuery, DocumentId, HostLease, HostSchedule, LinkDecision, NewLink,
    NewPage, PageLink, RunKey, RunState, Store, StoreError, StoredRobots, TaskCompletion,
    TaskUpdate, VerdictChange,
};

use super::CaseResult;
use super::scene::{
    LANDING, MANY, StoreFixture, at, found, lease_end, local, named, result, settled_as,
};

const HOME: &str = "http://one.test/";
const A: &str = "http://one.test/a";
const B: &str = "http://one.test/b";
const C: &str = "http://one.test/c";
const OTHER: &str = "http://two.test/";

/// The plan of a crawl.
fn crawl_plan() -> RunKey {
    RunKey {
        command: "crawl".to_owned(),
        inputs: vec![HOME.to_owned()],
        scope: "scope=Host".to_owned(),
    }
}

/// A link that is asked, found at this depth.
fn ask(url: &str, depth: u32) -> PageLink {
    let admission = LinkDecision::Fetch { depth, rank: None, may_use_cache: false };
    PageLink { link: found(1, url), admission }
}

/// A link that is asked in its turn.
fn ranked(url: &str, rank: i64) -> PageLink {
    let admission = LinkDecision::Fetch { depth: 1, rank: Some(rank), may_use_cache: false };
    PageLink { admission, ..ask(url, 1) }
}

/// A link that is not asked.
fn leave(url: &str) -> PageLink {
    PageLink { admission: LinkDecision::Skip, ..ask(url, 1) }
}

fn page(label: &str, links: Vec<PageLink>) -> NewPage {
    NewPage { label: label.to_owned(), links, ..NewPage::default() }
}

/// A crawl whose seeds are these, and no task brought them.
async fn crawl(store: &dyn Store, seeds: Vec<PageLink>) -> Result<StoreFixture<'_>, StoreError> {
    let scene = StoreFixture::of(store, &crawl_plan(), at(0)).await?;
    store.add_pages(scene.run, &[page("arguments", seeds)], scene.moments()).await?;
    Ok(scene)
}

/// The result that settles the only due task alive, with the page it brought.
async fn visited(
    scene: &StoreFixture<'_>,
    links: Vec<PageLink>,
) -> Result<TaskCompletion, StoreError> {
    let claim = scene.claim_one(at(0)).await?;
    let task = &claim.tasks[0];
    let brought = page(&task.url, links);
    let settled = settled_as(Some(claim.lease), task, Verdict::Alive, at(1));
    Ok(TaskCompletion { page: Some(brought), ..settled })
}

/// The addresses a run knows, in the order they were found.
async fn addresses(store: &dyn Store, run: RunId) -> Result<Vec<String>, StoreError> {
    let all = store.site_urls(run, TaskId(0), MANY).await?;
    Ok(all.into_iter().map(|(_, url)| url).collect())
}

/// A page's links come in with the result that brought it, and are counted.
pub async fn a_page_comes_in_with_its_result(store: &dyn Store) -> CaseResult {
    let scene = crawl(store, vec![ask(HOME, 0)]).await?;
    let done = visited(&scene, vec![ask(A, 1), ask(OTHER, 1), ask(HOME, 1)]).await?;
    let completed = store.commit(scene.run, &[done], scene.moments()).await?;
    assert_eq!((completed.found, completed.known), (2, 0));
    assert_eq!(addresses(store, scene.run).await?, [HOME, A, OTHER]);
    let pages = store.site_pages(scene.run, DocumentId(0), MANY).await?;
    let links: Vec<(&str, u64)> =
        pages.iter().map(|page| (page.label.as_str(), page.links)).collect();
    assert_eq!(links, [("arguments", 1), (HOME, 3)]);
    assert!(pages[0].task.is_none() && pages[1].task.is_some());
    Ok(())
}

/// A result that is refused brings nothing in.
pub async fn a_page_under_a_lost_lease_is_refused_with_its_result(store: &dyn Store) -> CaseResult {
    let scene = crawl(store, vec![ask(HOME, 0)]).await?;
    let done = visited(&scene, vec![ask(A, 1)]).await?;
    let lost =
        done.lease.map(|lease| HostLease { fencing_token: lease.fencing_token + 1, ..lease });
    let late = TaskCompletion { lease: lost, ..done };
    let completed = store.commit(scene.run, std::slice::from_ref(&late), scene.moments()).await?;
    assert_eq!((completed.refused, completed.found), (vec![late.task], 0));
    assert_eq!(addresses(store, scene.run).await?, [HOME]);
    Ok(())
}

/// A seed or a sitemap may be added again after an interruption.
pub async fn a_page_that_the_run_has_is_not_added_again(store: &dyn Store) -> CaseResult {
    let scene = crawl(store, vec![ask(HOME, 0)]).await?;
    let again = [page("arguments", vec![ask(HOME, 0), ask(A, 0)])];
    let completed = store.add_pages(scene.run, &again, scene.moments()).await?;
    assert_eq!(completed.found, 0);
    assert_eq!(addresses(store, scene.run).await?, [HOME]);
    Ok(())
}

/// What is left is not asked, but its link is kept where the run knows it.
pub async fn a_link_that_is_left_is_kept_if_its_target_is_known(store: &dyn Store) -> CaseResult {
    let scene = crawl(store, vec![ask(HOME, 0)]).await?;
    let done = visited(&scene, vec![leave(A), leave(HOME), leave(OTHER)]).await?;
    scene.complete(&[done]).await?;
    assert_eq!(addresses(store, scene.run).await?, [HOME]);
    let links = store.site_links(scene.run, (TaskId(0), DocumentId(0), 0), MANY).await?;
    let positions: Vec<u64> = links.iter().map(|link| link.position).collect();
    assert_eq!(positions, [0, 1]);
    Ok(())
}

/// Only what may trust memory is settled from it: the links of a page are not
/// in memory.
pub async fn memory_is_trusted_only_where_it_may_be(store: &dyn Store) -> CaseResult {
    let first = crawl(store, vec![ask(A, 0), ask(B, 0)]).await?;
    first.settle_all(Verdict::Alive, at(1)).await?;
    first.finish(at(2)).await?;

    let second = StoreFixture::of(store, &crawl_plan(), at(3)).await?;
    let trusting = LinkDecision::Fetch { depth: 1, rank: None, may_use_cache: true };
    let links = vec![ask(A, 1), PageLink { admission: trusting, ..ask(B, 1) }];
    let moments = CacheWindow { now: at(3), fresh_since: at(0) };
    let completed = store.add_pages(second.run, &[page("arguments", links)], moments).await?;
    assert_eq!((completed.found, completed.known), (2, 1));
    let unasked = CheckedTargetQuery { is_unfetched: true, ..CheckedTargetQuery::ALL };
    let settled = store.checked_targets(second.run, unasked).await?;
    assert_eq!(settled.iter().map(|one| one.url.as_str()).collect::<Vec<_>>(), [B]);
    assert_eq!(second.due_urls(at(4)).await?, [A]);
    Ok(())
}

/// A malformed link needs no asking, and stands where it was found.
pub async fn a_malformed_link_is_settled_at_its_depth(store: &dyn Store) -> CaseResult {
    let scene = crawl(store, vec![ask(HOME, 0)]).await?;
    let broken = PageLink { link: local(2, "malformed:x", Verdict::Local), ..ask(A, 3) };
    let done = visited(&scene, vec![broken]).await?;
    let completed = store.commit(scene.run, &[done], scene.moments()).await?;
    assert_eq!((completed.found, completed.known), (1, 1));
    let unasked = CheckedTargetQuery { is_unfetched: true, ..CheckedTargetQuery::ALL };
    let settled = store.checked_targets(scene.run, unasked).await?;
    assert_eq!((settled[0].depth, settled[0].inlinks), (Some(3), 1));
    Ok(())
}

/// The shortest way counts, until the page is asked.
pub async fn the_least_depth_is_kept_while_a_page_waits(store: &dyn Store) -> CaseResult {
    let scene = crawl(store, vec![ask(A, 5)]).await?;
    let more = |depth: u32| page(&format!("page {depth}"), vec![ask(A, depth)]);
    let add = async |depth| store.add_pages(scene.run, &[more(depth)], scene.moments()).await;
    add(7).await?;
    add(2).await?;
    add(3).await?;
    let claim = scene.claim_one(at(0)).await?;
    assert_eq!(claim.tasks[0].depth, Some(2));
    scene.settle(&claim, Verdict::Alive, at(1)).await?;
    add(1).await?;
    assert_eq!(scene.settled_one().await?.depth, Some(2));
    Ok(())
}

/// Ranked tasks come in their turn, and a better turn is taken.
pub async fn ranked_tasks_come_the_least_first(store: &dyn Store) -> CaseResult {
    let scene = crawl(store, vec![ranked(A, 30), ranked(B, 10), ranked(C, 20)]).await?;
    let claim = store.claim(scene.run, MANY, 0, at(0), lease_end(at(0))).await?.remove(0);
    assert_eq!(claim.tasks, [], "by rank they are taken one by one");
    let turns = async |limit| -> Result<Vec<String>, StoreError> {
        let tasks = store.due_by_rank(scene.run, claim.lease, limit, at(0)).await?;
        Ok(tasks.into_iter().map(|task| task.url).collect())
    };
    assert_eq!(turns(2).await?, [B, C]);
    let again = page("again", vec![ranked(A, 5), ranked(C, 40)]);
    store.add_pages(scene.run, &[again], scene.moments()).await?;
    assert_eq!(turns(MANY).await?, [A, B, C]);
    let lost = HostLease { fencing_token: claim.lease.fencing_token + 1, ..claim.lease };
    assert_eq!(store.due_by_rank(scene.run, lost, MANY, at(0)).await?, []);
    Ok(())
}

/// A task that is not asked after all is forgotten with its links.
pub async fn what_is_left_aside_is_forgotten_with_its_links(store: &dyn Store) -> CaseResult {
    let scene = crawl(store, vec![ask(A, 0), ask(B, 0)]).await?;
    let claim = scene.claim_one(at(0)).await?;
    let left = result(Some(claim.lease), &claim.tasks[0], None, TaskUpdate::Drop);
    scene.complete(&[left]).await?;
    scene.release(&claim).await?;
    assert_eq!(addresses(store, scene.run).await?, [B]);
    let links = store.site_links(scene.run, (TaskId(0), DocumentId(0), 0), MANY).await?;
    assert_eq!(links.len(), 1);
    let tally = store.run_stats(scene.run).await?;
    assert_eq!((tally.targets, tally.checked), (1, 0));
    Ok(())
}

/// A settled task can be put back, and is asked again.
pub async fn a_settled_task_that_is_put_back_is_asked_again(store: &dyn Store) -> CaseResult {
    let scene = crawl(store, vec![ask(A, 0)]).await?;
    let claim = scene.claim_one(at(0)).await?;
    let task = &claim.tasks[0];
    scene.complete(&[settled_as(Some(claim.lease), task, Verdict::Blocked, at(1))]).await?;
    let (purpose, not_before, looks) = (task.purpose, at(2), task.attempts.clone());
    let again = TaskUpdate::Retry { purpose, not_before, attempts: looks };
    scene.complete(&[result(Some(claim.lease), task, None, again)]).await?;
    scene.release(&claim).await?;
    assert_eq!(scene.settled().await?, []);
    assert_eq!(scene.due_urls(at(3)).await?, [A]);
    Ok(())
}

/// What an origin said is kept until it says something else, and is not given
/// to who wants it newer.
pub async fn robots_are_kept_and_grow_old(store: &dyn Store) -> CaseResult {
    let origin = "https://one.test";
    assert_eq!(store.robots(origin, at(0)).await?, None);
    let said = |status, text: &[u8], asked| StoredRobots {
        origin: origin.to_owned(),
        requested_at: asked,
        status,
        text: text.to_vec(),
    };
    let first = said(Some(200), b"User-agent: *\xff\n", at(10));
    store.save_robots(&first).await?;
    assert_eq!(store.robots(origin, at(10)).await?, Some(first));
    assert_eq!(store.robots(origin, at(11)).await?, None);
    assert_eq!(store.robots("http://one.test", at(0)).await?, None);
    let second = said(None, b"", at(20));
    store.save_robots(&second).await?;
    assert_eq!(store.robots(origin, at(11)).await?, Some(second));
    Ok(())
}

/// A run keeps its own notes.
pub async fn notes_belong_to_their_run(store: &dyn Store) -> CaseResult {
    let first = StoreFixture::of(store, &crawl_plan(), at(0)).await?;
    let second = StoreFixture::open(store, at(1)).await?;
    assert_eq!(store.checkpoint(first.run, "crawl").await?, None);
    store.save_checkpoint(first.run, "crawl", "one").await?;
    store.save_checkpoint(first.run, "crawl", "two").await?;
    store.save_checkpoint(first.run, "other", "three").await?;
    assert_eq!(store.checkpoint(first.run, "crawl").await?.as_deref(), Some("two"));
    assert_eq!(store.checkpoint(second.run, "crawl").await?, None);
    Ok(())
}

/// Runs are listed by what they are for, with how far they have come.
pub async fn runs_are_listed_newest_first(store: &dyn Store) -> CaseResult {
    let check = StoreFixture::with_pages(store, at(0), &[A]).await?;
    let first = crawl(store, vec![ask(HOME, 0)]).await?;
    let done = visited(&first, vec![ask(A, 1)]).await?;
    first.complete(&[done]).await?;
    store.close_run(first.run, RunState::Finished, at(5)).await?;
    let second = StoreFixture::of(store, &crawl_plan(), at(6)).await?;

    let crawls = store.runs(Some("crawl"), MANY).await?;
    let ids: Vec<RunId> = crawls.iter().map(|run| run.id).collect();
    assert_eq!(ids, [second.run, first.run]);
    let told = &crawls[1];
    assert_eq!((told.targets, told.checked, told.pages), (2, 1, 1));
    assert_eq!((told.started, told.closed, told.is_finished), (at(0), Some(at(5)), true));
    assert_eq!(told.inputs, [HOME]);
    assert_eq!((crawls[0].closed, crawls[0].is_finished), (None, false));
    assert_eq!(store.runs(None, MANY).await?.len(), 3);
    assert_eq!(store.runs(Some("check"), MANY).await?[0].id, check.run);
    assert_eq!(store.runs(None, 1).await?.len(), 1);
    Ok(())
}

/// Two crawls of one site: home leads to the others.
async fn crawled(store: &dyn Store, now: i64, links: Vec<PageLink>) -> Result<RunId, StoreError> {
    let scene = StoreFixture::of(store, &crawl_plan(), at(now)).await?;
    let seeds = page("arguments", vec![ask(HOME, 0)]);
    store.add_pages(scene.run, &[seeds], CacheWindow { now: at(now), ..scene.moments() }).await?;
    let claim = scene.claim_one(at(now)).await?;
    let settled = settled_as(Some(claim.lease), &claim.tasks[0], Verdict::Alive, at(now + 1));
    let brought = NewPage { anchors: Some(vec![3, 7, u32::MAX]), ..page(HOME, links) };
    scene.complete(&[TaskCompletion { page: Some(brought), ..settled }]).await?;
    scene.release(&claim).await?;
    scene.settle_all(Verdict::Dead, at(now + 2)).await?;
    scene.finish(at(now + 3)).await?;
    Ok(scene.run)
}

/// Each stream goes on after its cursor, and tells of its own run alone.
pub async fn a_site_is_read_back_piece_by_piece(store: &dyn Store) -> CaseResult {
    let links = || {
        let link = NewLink { fragment: Some("part".to_owned()), ..found(1, B) };
        let wanted = PageLink { link, ..ask(B, 1) };
        vec![ask(A, 1), wanted, ask(A, 1)]
    };
    let runs = [crawled(store, 0, links()).await?, crawled(store, 100, links()).await?];
    crawled(store, 200, vec![ask(C, 1)]).await?;
    for run in runs {
        let (mut targets, mut after) = (Vec::new(), TaskId(0));
        while let Some(target) = store.site_targets(run, after, 1).await?.pop() {
            after = target.task;
            targets.push(target);
        }
        let urls: Vec<&str> = targets.iter().map(|target| target.url.as_str()).collect();
        assert_eq!(urls, [HOME, A, B]);
        let home = &targets[0];
        assert_eq!(
            (home.verdict, home.status, home.depth),
            (Some(Verdict::Alive), Some(200), Some(0))
        );
        assert_eq!((home.took_ms, home.bytes), (Some(15), Some(4096)));
        assert_eq!(home.hops.last().map(String::as_str), Some(LANDING));
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

        let (mut told, mut cursor) = (Vec::new(), (TaskId(0), DocumentId(0), 0));
        while let Some(link) = store.site_links(run, cursor, 1).await?.pop() {
            cursor = (link.to, link.from, link.position);
            told.push((link.to, link.position, link.fragment.clone()));
            assert_eq!(link.kind, LinkKind::Definition);
        }
        let to = |at: usize| targets[at].task;
        let part = Some("part".to_owned());
        assert_eq!(told, [(to(0), 0, None), (to(1), 0, None), (to(1), 2, None), (to(2), 1, part)]);
    }
    Ok(())
}

/// What changed between two crawls, by address.
pub async fn words_that_changed_are_told(store: &dyn Store) -> CaseResult {
    let before = crawled(store, 0, vec![ask(A, 1), ask(B, 1)]).await?;
    let after = crawled(store, 100, vec![ask(B, 1), ask(C, 1)]).await?;
    let changes = store.verdict_changes(before, after, "", MANY).await?;
    let told: Vec<(&str, Option<Verdict>, Option<Verdict>)> = changes
        .iter()
        .map(|VerdictChange { url, before, after, .. }| (url.as_str(), *before, *after))
        .collect();
    assert_eq!(told, [(A, Some(Verdict::Dead), None), (C, None, Some(Verdict::Dead))]);
    assert!(changes.iter().all(|change| change.code.is_some()));
    assert_eq!(store.verdict_changes(before, after, "", 1).await?, changes[..1]);
    assert_eq!(store.verdict_changes(before, after, A, MANY).await?, changes[1..]);
    assert_eq!(store.verdict_changes(after, after, "", MANY).await?, []);
    Ok(())
}

/// A crawl that goes on knows where its tasks end.
pub async fn the_last_task_of_a_run_is_known(store: &dyn Store) -> CaseResult {
    let scene = crawl(store, vec![ask(A, 0)]).await?;
    let first = store.last_task_id(scene.run).await?;
    let more = page("more", vec![ask(B, 1)]);
    store.add_pages(scene.run, &[more], scene.moments()).await?;
    let last = store.last_task_id(scene.run).await?;
    assert!(last > first);
    let other = RunId(scene.run.0 + 1);
    assert_eq!(store.last_task_id(other).await?, TaskId(0));
    Ok(())
}

/// A user's own seed stays named, however often pages link to it.
pub async fn a_seed_stays_named(store: &dyn Store) -> CaseResult {
    let seed = PageLink { link: named(1, A), ..ask(A, 0) };
    let scene = crawl(store, vec![seed]).await?;
    let more = page("more", vec![ask(A, 1)]);
    store.add_pages(scene.run, &[more], scene.moments()).await?;
    assert!(scene.claim_one(at(0)).await?.tasks[0].rights.is_named_by_user());
    Ok(())
}

/// Who named a target outlives its run, and a later run that only finds the
/// target does not take the rights away.
pub async fn dead_target_has_rights_only_if_the_user_named_it(store: &dyn Store) -> CaseResult {
    let rights = async |url: &str| -> Result<bool, StoreError> {
        let target = store.dead_target(url).await?;
        Ok(target.is_some_and(|target| target.rights.is_named_by_user()))
    };
    let first = StoreFixture::open(store, at(0)).await?;
    first.load("list", 1, &[named(1, A), found(2, B)]).await?;
    first.settle_all(Verdict::Dead, at(1)).await?;
    assert_eq!((rights(A).await?, rights(B).await?), (true, false));
    first.finish(at(2)).await?;
    let listed = store.dead_targets(&[Verdict::Dead], "", 9).await?;
    let named_ones = listed.iter().filter(|target| target.rights.is_named_by_user());
    assert_eq!(named_ones.map(|target| target.url.as_str()).collect::<Vec<_>>(), [A]);
    let second = StoreFixture::open(store, at(2)).await?;
    second.load("list", 2, &[found(1, A), named(2, B)]).await?;
    second.settle_all(Verdict::Dead, at(3)).await?;
    assert_eq!((rights(A).await?, rights(B).await?), (true, true));
    Ok(())
}

/// Politeness outlives the process, for hosts with and without targets.
pub async fn host_pace_is_read_back_as_it_was_kept(store: &dyn Store) -> CaseResult {
    assert_eq!(store.host_schedule("one.test").await?, None);
    let pace = HostSchedule {
        next_at: at(3600),
        delay_ms: 250,
        throttle_ms: 1000,
        ..HostSchedule::default()
    };
    store.save_host_schedule("one.test", &pace).await?;
    assert_eq!(store.host_schedule("one.test").await?, Some(pace));
    let earlier = HostSchedule { next_at: at(1), throttle_ms: 0, ..pace };
    store.save_host_schedule("one.test", &earlier).await?;
    assert_eq!(store.host_schedule("one.test").await?, Some(earlier));
    Ok(())
}
