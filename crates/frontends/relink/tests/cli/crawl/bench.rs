//! The measurements of crawls, in small.

use std::path::Path;

/// Every page takes a while to answer, and planted dead links have to be found
/// with any number of workers.
#[test]
fn many_workers_are_faster_than_one() {
    let relink = Path::new(env!("CARGO_BIN_EXE_relink"));
    assert!(xtask::bench::many_workers_are_faster(relink, 40).unwrap());
}
