//! One suite for every implementation of the `Store` port.
//!
//! Each case is a claim about the port as its documentation words it, told
//! through the port alone: nothing here knows which database is behind it, how
//! it stores a thing or how fast it is. What only one database promises (locks
//! on files, schema versions) is tested beside that database.
//!
//! ```text
//! /// An empty store, and what must be kept while it is in use.
//! async fn open() -> (MyStore, tempfile::TempDir) { … }
//!
//! relink_testkit::store_suite!(open);
//! ```

#![expect(
    clippy::missing_panics_doc,
    reason = "every case panics if and only if its claim does not hold"
)]

pub mod anchors;
pub mod bulk;
pub mod claims;
pub mod controls;
pub mod loading;
pub mod memory;
pub mod reading;
pub mod results;
pub mod runs;
mod scene;
pub mod services;
pub mod sites;
pub mod upkeep;

use relink_ports::StoreError;

/// How a case ends, unless its claim does not hold: then it panics.
pub type CaseResult = Result<(), StoreError>;

/// Makes every case of the suite a test of its own.
///
/// `open` is the path of an async function without arguments that returns an
/// empty store and whatever must be kept while the store is in use.
#[macro_export]
macro_rules! store_suite {
    ($open:path) => {
        $crate::store_suite! { $open;
            runs::an_unfinished_run_of_the_same_plan_is_resumed,
            runs::a_run_of_another_plan_is_another_run,
            runs::a_finished_run_is_not_resumed,
            runs::a_run_closed_as_open_is_resumed,
            runs::a_fresh_run_leaves_the_unfinished_one_behind,
            runs::proof_of_the_network_survives_an_interruption,

            bulk::many_links_are_stored_as_one_by_one,
            bulk::many_results_are_stored_with_their_probes,
            bulk::many_results_take_the_place_of_earlier_ones,
            bulk::all_places_of_many_tasks_are_those_of_each,

            loading::an_unchanged_document_keeps_its_links,
            loading::a_changed_document_loses_its_links,
            loading::a_document_whose_loading_was_interrupted_starts_over,
            loading::a_target_named_by_many_links_is_one_task_with_all_its_places,
            loading::an_task_is_given_as_its_first_link_writes_it,
            loading::named_wins_over_found,
            loading::a_local_target_is_settled_at_once,
            loading::a_local_target_keeps_its_since_while_its_word_is_the_same,
            loading::a_local_target_of_a_changed_document_is_settled_anew,
            loading::documents_that_take_no_part_any_more_take_their_tasks_with_them,

            memory::a_target_alive_lately_is_settled_from_memory,
            memory::a_target_alive_too_long_ago_is_asked_again,
            memory::failures_are_never_settled_from_memory,
            memory::an_answer_from_memory_does_not_make_itself_younger,
            memory::memory_shows_the_probe_that_reached_the_page,
            memory::a_page_that_drifted_is_remembered_as_it_was,

            claims::a_claim_takes_no_more_than_it_asks_for,
            claims::a_leased_host_is_not_leased_again_until_released,
            claims::a_leased_host_is_not_leased_again_until_its_lease_expires,
            claims::a_lease_holds_against_other_runs,
            claims::a_renewed_lease_lasts_longer,
            claims::a_lease_given_back_or_lost_is_not_renewed,
            claims::a_refill_goes_on_after_the_last_and_hands_nothing_out_twice,
            claims::a_lost_lease_gets_no_refill,
            claims::releasing_sets_the_next_due_moment,
            claims::the_pace_of_a_host_survives_and_gates_the_next_claim,
            claims::a_wait_stored_in_the_future_starts_again_in_the_next_run,
            claims::ten_thousand_links_of_one_document_are_all_claimed_once,

            results::a_result_under_a_lost_lease_is_refused_and_changes_nothing,
            results::only_the_results_under_the_lost_lease_are_refused,
            results::an_task_to_ask_again_comes_back_with_its_looks_when_it_is_time,
            results::an_task_to_ask_again_is_refilled_once_it_is_due,
            results::an_task_put_back_without_a_lease_falls_due_too,
            results::an_task_on_hold_is_kept_from_claims_and_read_with_its_probe,
            results::tasks_on_hold_come_page_by_page,
            results::a_settled_target_is_history_to_the_next_run,
            results::a_failure_keeps_what_the_last_good_page_said,
            results::a_run_that_is_gone_on_with_knows_better_than_those_after_it,

            reading::settled_targets_come_page_by_page_in_order,
            reading::settled_targets_can_be_picked_by_word,
            reading::a_settled_target_is_read_back_as_it_was_stored,
            reading::a_single_look_is_read_back_from_its_probe,
            reading::a_target_settled_unasked_has_no_looks,
            reading::places_come_in_the_order_of_the_tasks,
            reading::a_finding_that_documents_leave_alone_is_not_told,
            reading::the_tally_counts_the_run,
            reading::hosts_are_listed_busiest_first,
            reading::past_words_are_read_over_all_runs,
            reading::every_known_address_is_read_in_order,

            controls::a_control_is_read_back_as_it_was_kept,
            controls::a_control_asked_too_long_ago_is_not_given,
            controls::a_newer_control_takes_the_place_of_an_older_one,
            controls::a_settlement_is_read_back_with_its_confidence_and_its_grounds,
            controls::a_target_settled_from_memory_is_as_sure_as_it_was,
            controls::what_needs_no_asking_is_beyond_all_doubt,
            controls::an_task_comes_back_for_the_purpose_it_was_put_back_for,
            controls::neighbors_are_the_nearest_that_were_asked_in_this_run,
            controls::a_neighbor_settled_from_memory_was_not_asked,
            controls::neighbors_are_what_the_directory_begins,
            controls::a_crowded_directory_has_neighbors_enough,
            controls::an_unknown_target_has_no_dossier,
            controls::a_target_not_yet_settled_has_a_dossier_without_a_state,
            controls::a_dossier_tells_the_word_of_every_run,
            controls::a_dossier_goes_by_when_a_target_was_settled,
            controls::a_dossier_shows_all_that_the_latest_state_rests_on,
            controls::a_dossier_shows_what_was_seen_before_a_hold,
            controls::a_page_that_is_there_after_a_hold_is_remembered,
            controls::a_dossier_shows_the_run_that_asked,
            controls::a_local_target_has_a_dossier_too,

            sites::a_page_comes_in_with_its_result,
            sites::a_page_under_a_lost_lease_is_refused_with_its_result,
            sites::a_page_that_the_run_has_is_not_added_again,
            sites::a_link_that_is_left_is_kept_if_its_target_is_known,
            sites::memory_is_trusted_only_where_it_may_be,
            sites::a_malformed_link_is_settled_at_its_depth,
            sites::the_least_depth_is_kept_while_a_page_waits,
            sites::ranked_tasks_come_the_least_first,
            sites::what_is_left_aside_is_forgotten_with_its_links,
            sites::a_settled_task_that_is_put_back_is_asked_again,
            sites::robots_are_kept_and_grow_old,
            sites::notes_belong_to_their_run,
            sites::runs_are_listed_newest_first,
            sites::a_site_is_read_back_piece_by_piece,
            sites::words_that_changed_are_told,
            sites::the_last_task_of_a_run_is_known,
            sites::a_seed_stays_named,
            sites::dead_target_has_rights_only_if_the_user_named_it,
            sites::host_pace_is_read_back_as_it_was_kept,

            anchors::links_that_want_a_place_are_read_with_what_their_page_offers,
            anchors::places_seen_before_a_hold_are_the_page_s,
            anchors::a_page_without_known_places_is_wanted_by_nobody,
            anchors::a_missing_place_is_a_finding_of_its_own,
            anchors::memory_is_trusted_with_places_it_knows,
            services::a_budget_is_spent_by_service_and_day,
            services::an_earlier_day_goes_on_with_the_budget_of_the_latest,
            services::a_larger_budget_goes_on_where_the_smaller_ended,
            services::only_texts_that_are_new_are_told,
            services::a_text_that_was_read_again_is_told_again,
            services::pruning_makes_another_edition,

            upkeep::the_size_counts_what_is_there,
            upkeep::pruning_forgets_old_closed_runs_and_their_probes,
            upkeep::pruning_keeps_what_is_not_old_or_not_closed,
            upkeep::pruning_keeps_the_state_and_the_last_good_page_of_every_target,
            upkeep::the_number_of_a_pruned_run_is_not_given_again,
            upkeep::pruning_forgets_controls_asked_before,
            upkeep::a_forgotten_probe_is_not_mistaken_for_a_later_one,
            upkeep::vacuuming_loses_nothing,
        }
    };
    ($open:path; $($group:ident::$case:ident,)+) => { $(
        #[tokio::test]
        async fn $case() -> $crate::store_suite::CaseResult {
            let (store, _kept) = $open().await;
            $crate::store_suite::$group::$case(&store).await
        }
    )+ };
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(group: &str, source: &str) {
        let listed = include_str!("mod.rs");
        let cases = source.split("pub async fn ").skip(1);
        let names: Vec<&str> = cases.filter_map(|case| case.split('(').next()).collect();
        assert!(!names.is_empty(), "{group} has no case");
        for name in names {
            let entry = format!(" {group}::{name},\n");
            assert!(listed.contains(&entry), "`{group}::{name}` is not listed");
        }
    }

    #[test]
    fn every_case_is_listed() {
        check("runs", include_str!("runs.rs"));
        check("loading", include_str!("loading.rs"));
        check("memory", include_str!("memory.rs"));
        check("claims", include_str!("claims.rs"));
        check("results", include_str!("results.rs"));
        check("reading", include_str!("reading.rs"));
        check("controls", include_str!("controls.rs"));
        check("sites", include_str!("sites.rs"));
        check("anchors", include_str!("anchors.rs"));
        check("services", include_str!("services.rs"));
        check("upkeep", include_str!("upkeep.rs"));
    }
}
