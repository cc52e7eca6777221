//! A small version of the crawl benchmark.

use std::path::Path;

/// The benchmark crawls a site of slow pages with dead links, all of which must be found with
/// any number of workers.
#[test]
fn many_workers_are_faster_than_one() {
    let relink = Path::new(env!("CARGO_BIN_EXE_relink"));
    assert!(xtask::bench::many_workers_are_faster(relink, 40).unwrap());
}
