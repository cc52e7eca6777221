//! Runs: which one is opened.

use relink_ports::{OpenRun, RunKey, RunState, Store};

use super::CaseResult;
use super::scene::{at, plan};

/// An unfinished run goes on under its own number, from its own start.
pub async fn an_unfinished_run_of_the_same_plan_is_resumed(store: &dyn Store) -> CaseResult {
    let first = store.open_run(&plan(), false, at(0)).await?;
    assert_eq!(first.started, at(0));
    assert!(!first.is_resumed && !first.network_confirmed);

    let again = store.open_run(&plan(), false, at(60)).await?;
    let expect = OpenRun { is_resumed: true, ..first };
    assert_eq!(again, expect);
    Ok(())
}

/// Command, inputs and scope all tell plans apart, however they are joined.
pub async fn a_run_of_another_plan_is_another_run(store: &dyn Store) -> CaseResult {
    let other_command = RunKey { command: "crawl".to_owned(), ..plan() };
    let other_inputs = RunKey { inputs: vec![plan().inputs.concat()], ..plan() };
    let other_order = RunKey { inputs: plan().inputs.into_iter().rev().collect(), ..plan() };
    let other_scope = RunKey { scope: String::new(), ..plan() };
    store.open_run(&plan(), false, at(0)).await?;
    for other in [other_command, other_inputs, other_order, other_scope] {
        let opened = store.open_run(&other, false, at(1)).await?;
        assert!(!opened.is_resumed, "{other:?}");
    }
    Ok(())
}

/// What is finished or void is over.
pub async fn a_finished_run_is_not_resumed(store: &dyn Store) -> CaseResult {
    for state in [RunState::Finished, RunState::NoNetwork] {
        let first = store.open_run(&plan(), false, at(0)).await?;
        store.close_run(first.id, state, at(1)).await?;
        let second = store.open_run(&plan(), false, at(2)).await?;
        assert!(!second.is_resumed, "{state:?}");
        assert_eq!(second.started, at(2));
        assert_ne!(second.id, first.id);
        store.close_run(second.id, state, at(3)).await?;
    }
    Ok(())
}

/// Closing a run as open is an interruption.
pub async fn a_run_closed_as_open_is_resumed(store: &dyn Store) -> CaseResult {
    let first = store.open_run(&plan(), false, at(0)).await?;
    store.close_run(first.id, RunState::Open, at(1)).await?;
    let again = store.open_run(&plan(), false, at(2)).await?;
    assert!(again.is_resumed);
    assert_eq!(again.id, first.id);
    Ok(())
}

/// A fresh run resumes nothing, and what it left behind is never resumed.
pub async fn a_fresh_run_leaves_the_unfinished_one_behind(store: &dyn Store) -> CaseResult {
    let old = store.open_run(&plan(), false, at(0)).await?;
    let fresh = store.open_run(&plan(), true, at(1)).await?;
    assert!(!fresh.is_resumed);
    assert_eq!(fresh.started, at(1));
    assert_ne!(fresh.id, old.id);

    let resumed = store.open_run(&plan(), false, at(2)).await?;
    assert_eq!(resumed.id, fresh.id);
    store.close_run(fresh.id, RunState::Finished, at(3)).await?;
    let next = store.open_run(&plan(), false, at(4)).await?;
    assert!(!next.is_resumed);
    Ok(())
}

/// A server met before an interruption counts after it, in that run alone.
pub async fn proof_of_the_network_survives_an_interruption(store: &dyn Store) -> CaseResult {
    let first = store.open_run(&plan(), false, at(0)).await?;
    store.confirm_network(first.id).await?;
    let again = store.open_run(&plan(), false, at(1)).await?;
    assert!(again.network_confirmed);

    let fresh = store.open_run(&plan(), true, at(2)).await?;
    assert!(!fresh.network_confirmed);
    Ok(())
}
