//! Small versions of `cargo xtask bench queue` and `cargo xtask simulate-queue`.

use std::time::Duration;

use xtask::bench::{QueueSize, bench_queue};
use xtask::simulate_queue::QueueSimulation;

#[test]
fn small_queue_is_completed_by_the_store_and_by_pgbench() {
    let duration = Duration::from_secs(1);
    let size = QueueSize { urls: 600, hosts: 40, duration, workers: vec![2] };
    let outcome = bench_queue(&size, |_| {}).unwrap();
    assert!(outcome.is_correct(), "{outcome}");
}

#[test]
fn small_simulation_prints_a_row_for_each_database() {
    let size = QueueSimulation { urls: 20_000, hosts: 500, workers: 4, ..Default::default() };
    let table = size.run().to_string();
    assert!(table.starts_with("20000 URLs, 500 hosts, 4 workers"), "{table}");
    assert_eq!(table.lines().count(), 9, "{table}");
}
