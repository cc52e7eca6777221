//! Cases about opening and resuming runs.

use relink_model::Verdict;
use relink_ports::{JoinableRun, OpenRun, RunKey, RunState, RunStatus, Store};

use super::CaseResult;
use super::fixture::{StoreFixture, at, document, finished_completion, run_key};

/// The resumed run has the id and start time of the unfinished run.
pub async fn unfinished_run_with_same_key_is_resumed(store: &dyn Store) -> CaseResult {
    let first = store.open_run(&run_key(), false, at(0)).await?;
    assert_eq!(first.started_at, at(0));
    assert!(!first.is_resumed && !first.network_confirmed);

    let resumed = store.open_run(&run_key(), false, at(60)).await?;
    assert!(resumed.generation > first.generation);
    let expect = OpenRun { is_resumed: true, generation: resumed.generation, ..first };
    assert_eq!(resumed, expect);
    Ok(())
}

/// Runs differ if the command, the inputs, their order or the scope differ.
pub async fn run_with_another_key_is_a_new_run(store: &dyn Store) -> CaseResult {
    let other_command = RunKey { command: "crawl".to_owned(), ..run_key() };
    let other_inputs = RunKey { inputs: vec![run_key().inputs.concat()], ..run_key() };
    let other_order = RunKey { inputs: run_key().inputs.into_iter().rev().collect(), ..run_key() };
    let other_scope = RunKey { scope: String::new(), ..run_key() };
    store.open_run(&run_key(), false, at(0)).await?;
    for other in [other_command, other_inputs, other_order, other_scope] {
        let opened = store.open_run(&other, false, at(1)).await?;
        assert!(!opened.is_resumed, "{other:?}");
    }
    Ok(())
}

/// A run that was closed as finished, or as without a network, is not resumed.
pub async fn finished_run_is_not_resumed(store: &dyn Store) -> CaseResult {
    for state in [RunState::Finished, RunState::NoNetwork] {
        let first = store.open_run(&run_key(), false, at(0)).await?;
        store.close_run(first.id, state, at(1)).await?;
        let second = store.open_run(&run_key(), false, at(2)).await?;
        assert!(!second.is_resumed, "{state:?}");
        assert_eq!(second.started_at, at(2));
        assert_ne!(second.id, first.id);
        store.close_run(second.id, state, at(3)).await?;
    }
    Ok(())
}

/// A run that was closed as open is resumed like an interrupted run.
pub async fn run_closed_as_open_is_resumed(store: &dyn Store) -> CaseResult {
    let first = store.open_run(&run_key(), false, at(0)).await?;
    store.close_run(first.id, RunState::Open, at(1)).await?;
    let resumed = store.open_run(&run_key(), false, at(2)).await?;
    assert!(resumed.is_resumed);
    assert_eq!(resumed.id, first.id);
    Ok(())
}

/// A fresh run resumes nothing, and the abandoned run is never resumed.
pub async fn fresh_run_abandons_the_unfinished_run(store: &dyn Store) -> CaseResult {
    let old = store.open_run(&run_key(), false, at(0)).await?;
    let fresh = store.open_run(&run_key(), true, at(1)).await?;
    assert!(!fresh.is_resumed);
    assert_eq!(fresh.started_at, at(1));
    assert_ne!(fresh.id, old.id);

    let resumed = store.open_run(&run_key(), false, at(2)).await?;
    assert_eq!(resumed.id, fresh.id);
    store.close_run(fresh.id, RunState::Finished, at(3)).await?;
    let next = store.open_run(&run_key(), false, at(4)).await?;
    assert!(!next.is_resumed);
    Ok(())
}

/// A resumed run knows that the network was confirmed. A fresh run does not.
pub async fn confirmed_network_survives_an_interruption(store: &dyn Store) -> CaseResult {
    let first = store.open_run(&run_key(), false, at(0)).await?;
    store.confirm_network(first.id).await?;
    let resumed = store.open_run(&run_key(), false, at(1)).await?;
    assert!(resumed.network_confirmed);

    let fresh = store.open_run(&run_key(), true, at(2)).await?;
    assert!(!fresh.network_confirmed);
    Ok(())
}

/// Workers fetch the tasks of a run only after all of its documents are loaded.
pub async fn loaded_open_run_can_be_joined(store: &dyn Store) -> CaseResult {
    let fixture = StoreFixture::open(store, at(0)).await?;
    let document = store.load_document(fixture.run, &document("a.md", 1)).await?.id;
    assert_eq!(store.joinable_runs().await?, []);
    assert!(!store.run_status(fixture.run).await?.is_loaded);

    store.finish_document(document).await?;
    store.finish_loading(fixture.run, &[document]).await?;
    store.confirm_network(fixture.run).await?;
    let joinable = store.joinable_runs().await?;
    let [JoinableRun { run, command }] = &joinable[..] else {
        panic!("one run can be joined: {joinable:?}");
    };
    assert_eq!((run.id, run.generation, &**command), (fixture.run, fixture.generation, "check"));
    let open = RunStatus { state: RunState::Open, is_loaded: true, network_confirmed: true };
    assert_eq!(store.run_status(fixture.run).await?, open);

    fixture.close(at(1)).await?;
    assert_eq!(store.joinable_runs().await?, []);
    assert_eq!(store.run_status(fixture.run).await?.state, RunState::Finished);
    Ok(())
}

/// The status lists open runs only, each with its counts.
pub async fn queue_status_counts_tasks_and_hosts(store: &dyn Store) -> CaseResult {
    let urls = ["http://one.test/", "http://one.test/2", "http://two.test/"];
    let fixture = StoreFixture::with_pages(store, at(0), &urls).await?;
    let claims = fixture.claim(at(1)).await?;
    let one = claims.iter().find(|claim| claim.name == "one.test").expect("the host is due");
    fixture.commit(&[finished_completion(one.lease, &one.tasks[0], Verdict::Alive, at(1))]).await?;
    let status = store.queue_status().await?;
    let [queue] = &status.runs[..] else { panic!("one run is open: {status:?}") };
    assert_eq!((queue.run, queue.pending, queue.held, queue.checked), (fixture.run, 2, 0, 1));
    assert_eq!(queue.hosts, 2);
    fixture.close(at(2)).await?;
    assert_eq!(store.queue_status().await?.runs, []);
    Ok(())
}
