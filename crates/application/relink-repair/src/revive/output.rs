//! Joins the progress and the results of sites that are searched at the same time. Results
//! are reported in the order of sites and directories, whatever is finished first.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use relink_revive::Directory;

use super::{Revival, ReviveObserver};

/// Reports to one observer.
pub(super) struct ReviveOutput<'o> {
    state: Mutex<OutputState<'o>>,
    /// Number of all pages.
    all: usize,
}

struct OutputState<'o> {
    observer: &'o mut dyn ReviveObserver,
    /// Number of pages that are searched, reported or not.
    done: usize,
    /// The position of the directory that is reported next.
    next: usize,
    /// The results of directories that are not reported yet, by position.
    waiting: BTreeMap<usize, Vec<Revival>>,
}

impl<'o> ReviveOutput<'o> {
    /// Creates an output for `all` pages.
    pub(super) fn new(observer: &'o mut dyn ReviveObserver, all: usize) -> Self {
        let state = OutputState { observer, done: 0, next: 0, waiting: BTreeMap::new() };
        Self { state: Mutex::new(state), all }
    }

    /// Reports the progress in a directory, in which `in_directory` pages are searched.
    pub(super) fn report_progress(&self, in_directory: usize, directory: &Directory) {
        let mut state = self.state();
        let done = state.done + in_directory;
        state.observer.on_progress(done, self.all, directory.as_str());
    }

    /// Adds the results of the directory at a position, and reports all results that are
    /// next.
    pub(super) fn add(&self, position: usize, revivals: Vec<Revival>) -> io::Result<()> {
        let mut state = self.state();
        state.done += revivals.len();
        state.waiting.insert(position, revivals);
        while let Some(revivals) = {
            let next = state.next;
            state.waiting.remove(&next)
        } {
            state.next += 1;
            state.report(&revivals)?;
        }
        Ok(())
    }

    /// Reports the remaining results, which follow a directory that was interrupted.
    pub(super) fn finish(&self) -> io::Result<()> {
        let mut state = self.state();
        for revivals in std::mem::take(&mut state.waiting).into_values() {
            state.report(&revivals)?;
        }
        let done = state.done;
        state.observer.on_progress(done, self.all, "");
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, OutputState<'o>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OutputState<'_> {
    fn report(&mut self, revivals: &[Revival]) -> io::Result<()> {
        revivals.iter().try_for_each(|revival| self.observer.on_revival(revival))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use url::Url;

    use super::*;

    /// Collects the paths of reported pages.
    #[derive(Default)]
    struct Paths(Vec<String>);

    impl ReviveObserver for Paths {
        fn on_progress(&mut self, _: usize, _: usize, _: &str) {}

        fn on_revival(&mut self, revival: &Revival) -> io::Result<()> {
            self.0.push(revival.url.path().to_owned());
            Ok(())
        }
    }

    fn revivals(path: &str) -> Vec<Revival> {
        let url = Url::parse("http://a.test/").unwrap().join(path).unwrap();
        vec![Revival::new(url, None, Timestamp::UNIX_EPOCH)]
    }

    #[test]
    fn results_are_reported_in_order_and_those_after_a_gap_at_the_end() {
        let mut paths = Paths::default();
        let output = ReviveOutput::new(&mut paths, 5);
        for (position, path) in [(1, "/b"), (0, "/a"), (4, "/e"), (3, "/d")] {
            output.add(position, revivals(path)).unwrap();
        }
        assert_eq!(output.state().waiting.len(), 2, "position 2 is missing");
        output.finish().unwrap();
        assert_eq!(paths.0, ["/a", "/b", "/d", "/e"]);
    }
}
