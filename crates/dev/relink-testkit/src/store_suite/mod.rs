//! Conformance suite for implementations of the `Store` port.
//!
//! Each case tests one property of the port and uses only the port, without
//! assumptions about the database or its speed. Properties of one database,
//! such as file locks and schema versions, are tested with that database.
//!
//! ```text
//! /// Returns an empty store, and a guard that lives as long as the store.
//! async fn open() -> (MyStore, tempfile::TempDir) { … }
//!
//! relink_testkit::store_suite!(open);
//! ```

#![expect(
    clippy::missing_panics_doc,
    reason = "every case panics if and only if the property does not hold"
)]

pub mod anchors;
pub mod bulk;
pub mod cache;
pub mod claims;
pub mod controls;
mod fixture;
pub mod history;
pub mod loading;
pub mod maintenance;
pub mod reading;
pub mod results;
pub mod runs;
pub mod services;
pub mod sites;

use relink_ports::StoreError;

/// The result of a case. A case panics if its property does not hold.
pub type CaseResult = Result<(), StoreError>;

/// Creates a test for every case of the suite.
///
/// `open` is the path of an async function without arguments. It returns an
/// empty store and a guard that is dropped after the store.
#[macro_export]
macro_rules! store_suite {
    ($open:path) => {
        $crate::store_suite! { $open;
            runs::unfinished_run_with_same_key_is_resumed,
            runs::run_with_another_key_is_a_new_run,
            runs::finished_run_is_not_resumed,
            runs::run_closed_as_open_is_resumed,
            runs::fresh_run_abandons_the_unfinished_run,
            runs::confirmed_network_survives_an_interruption,
            runs::loaded_open_run_can_be_joined,
            runs::queue_status_counts_tasks_and_hosts,

            bulk::batch_of_links_equals_single_links,
            bulk::batch_of_results_keeps_probes_apart,
            bulk::batch_of_results_replaces_earlier_results,
            bulk::inlinks_of_many_tasks_equal_those_of_each,

            loading::unchanged_document_keeps_its_links,
            loading::changed_document_loses_its_old_links,
            loading::partially_loaded_document_is_loaded_again,
            loading::target_with_many_links_is_one_task_with_all_locations,
            loading::task_has_original_url_of_its_first_link,
            loading::user_supplied_flag_overrides_discovered,
            loading::local_target_is_finished_immediately,
            loading::local_target_keeps_since_while_verdict_is_the_same,
            loading::local_target_of_changed_document_is_checked_again,
            loading::removed_documents_remove_their_tasks,

            cache::fresh_alive_target_is_cached,
            cache::stale_alive_target_is_fetched_again,
            cache::failures_are_never_cached,
            cache::cached_result_keeps_its_age,
            cache::cached_result_has_the_probe_that_reached_the_page,
            cache::history_of_drifted_page_has_original_digest,

            claims::claim_respects_host_and_task_limits,
            claims::leased_host_is_not_claimed_until_released,
            claims::leased_host_is_not_claimed_until_lease_expires,
            claims::lease_excludes_other_runs,
            claims::renewed_lease_lasts_longer,
            claims::released_or_lost_lease_is_not_renewed,
            claims::more_tasks_continues_after_the_last_task,
            claims::more_tasks_returns_nothing_for_lost_lease,
            claims::release_updates_next_due_time,
            claims::host_schedule_delays_the_next_claim,
            claims::claim_before_due_respects_leases,
            claims::schedule_stored_in_the_future_restarts_in_the_next_run,
            claims::reserved_request_delays_runs_and_other_requests,
            claims::ten_thousand_tasks_are_each_claimed_once,

            results::result_with_lost_lease_is_rejected_and_changes_nothing,
            results::only_results_with_lost_lease_are_rejected,
            results::retried_task_is_due_later_with_its_attempts,
            results::more_tasks_returns_retried_task_once_due,
            results::task_retried_without_lease_becomes_due,
            results::held_task_is_not_claimed_and_has_its_probe,
            results::held_result_of_earlier_generation_is_rejected,
            results::held_tasks_are_paginated,
            results::result_is_history_of_the_next_run,
            results::failure_keeps_digest_of_last_reached_page,
            results::resumed_run_supersedes_later_runs,

            history::version_of_a_response_is_history_of_the_next_run,
            history::stated_date_of_a_page_is_history_of_the_next_run,
            history::only_changes_of_the_verdict_are_recorded,
            history::replaced_result_is_not_a_change,
            history::changes_survive_pruning,
            history::link_keeps_when_it_was_first_seen,
            history::origins_of_many_links_are_kept,
            history::link_origin_survives_pruning,

            reading::checked_targets_are_paginated_in_order,
            reading::checked_targets_are_filtered_by_verdict,
            reading::checked_target_round_trips,
            reading::single_attempt_round_trips,
            reading::target_finished_without_request_has_no_attempts,
            reading::inlinks_are_in_the_order_of_the_tasks,
            reading::suppressed_finding_is_not_returned,
            reading::run_stats_count_only_this_run,
            reading::host_stats_are_sorted_by_requests,
            reading::past_verdicts_cover_all_runs,
            reading::known_urls_are_sorted,

            controls::control_round_trips,
            controls::stale_control_is_not_returned,
            controls::newer_control_replaces_older_one,
            controls::result_has_its_confidence_and_evidence,
            controls::cached_result_keeps_its_confidence,
            controls::local_targets_have_full_confidence,
            controls::retried_task_has_its_purpose,
            controls::neighbors_are_the_nearest_fetched_in_this_run,
            controls::cached_target_is_not_a_neighbor,
            controls::neighbors_match_the_directory_prefix_exactly,
            controls::large_directory_returns_requested_neighbors,
            controls::unknown_target_has_no_record,
            controls::unchecked_target_has_a_record_without_result,
            controls::target_record_has_verdicts_of_all_runs,
            controls::target_record_is_sorted_by_check_time,
            controls::target_record_has_all_details_of_latest_result,
            controls::target_record_has_probes_from_before_a_hold,
            controls::page_reached_after_a_hold_is_in_history,
            controls::target_record_prefers_the_run_that_fetched,
            controls::local_target_has_a_record,

            sites::page_is_stored_with_its_result,
            sites::page_with_lost_lease_is_rejected_with_its_result,
            sites::known_page_is_not_added_again,
            sites::skipped_link_is_stored_if_its_target_is_known,
            sites::cached_result_is_used_only_if_allowed,
            sites::malformed_link_is_finished_at_its_depth,
            sites::pending_task_takes_the_smallest_depth,
            sites::ranked_tasks_are_returned_lowest_first,
            sites::dropped_task_is_deleted_with_its_links,
            sites::finished_task_can_be_retried,
            sites::robots_are_replaced_and_expire,
            sites::checkpoints_belong_to_their_run,
            sites::runs_are_listed_newest_first,
            sites::site_is_read_with_pagination,
            sites::verdict_changes_between_two_runs_are_returned,
            sites::last_task_id_is_that_of_the_run,
            sites::seed_stays_user_supplied,
            sites::dead_target_has_rights_only_if_user_supplied,
            sites::host_schedule_round_trips,

            anchors::anchor_references_have_anchors_of_their_page,
            anchors::anchors_seen_before_a_hold_belong_to_the_page,
            anchors::page_with_unknown_anchors_has_no_anchor_references,
            anchors::missing_anchor_is_a_separate_finding,
            anchors::cached_result_is_used_for_fragments_if_anchors_are_known,
            services::latest_decay_score_of_a_page_counts,
            services::budget_is_per_service_and_day,
            services::earlier_day_uses_the_budget_of_the_latest_day,
            services::larger_budget_continues_the_count,
            services::only_new_texts_are_returned,
            services::page_probed_twice_is_returned_once,
            services::prune_changes_the_probe_id_epoch,

            maintenance::size_counts_runs_targets_and_probes,
            maintenance::prune_deletes_old_closed_runs_and_their_probes,
            maintenance::prune_keeps_recent_and_unfinished_runs,
            maintenance::prune_keeps_current_result_and_last_reached_digest,
            maintenance::run_id_of_pruned_run_is_not_reused,
            maintenance::prune_deletes_old_controls,
            maintenance::pruned_probe_is_not_confused_with_a_later_one,
            maintenance::vacuum_loses_nothing,
        }
    };
    ($open:path; $($group:ident::$case:ident,)+) => { $(
        #[tokio::test]
        async fn $case() -> $crate::store_suite::CaseResult {
            let (store, _guard) = $open().await;
            $crate::store_suite::$group::$case(&store).await
        }
    )+ };
}

#[cfg(test)]
mod tests {
    /// Checks that the macro lists all cases in the source of a group.
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
        check("bulk", include_str!("bulk.rs"));
        check("loading", include_str!("loading.rs"));
        check("cache", include_str!("cache.rs"));
        check("claims", include_str!("claims.rs"));
        check("results", include_str!("results.rs"));
        check("history", include_str!("history.rs"));
        check("reading", include_str!("reading.rs"));
        check("controls", include_str!("controls.rs"));
        check("sites", include_str!("sites.rs"));
        check("anchors", include_str!("anchors.rs"));
        check("services", include_str!("services.rs"));
        check("maintenance", include_str!("maintenance.rs"));
    }
}
