//! Writes the output of several threads in order.
//!
//! The work is a list of *items* (documents), identified by their indexes. Every thread
//! takes the next index. The output of an item is written after the output of all items
//! with a lower index. The *current* item is the first one that is not completely
//! written. A thread that finishes a later item stores the output here and continues. If
//! too much output is stored, the thread waits. The thread with the current item never
//! waits, so there is always progress.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Maximum number of buffered bytes.
const MAX_BUFFERED_BYTES: usize = 32 << 20;

/// Maximum number of buffered chunks.
const MAX_BUFFERED_CHUNKS: usize = 4096;

/// A part of the output of an item.
pub(super) trait OutputChunk {
    /// Returns the size in bytes.
    fn size(&self) -> usize;
}

/// Receives chunks in order.
pub(super) type ChunkSink<'a, P> = &'a mut (dyn FnMut(P) -> io::Result<()> + Send);

/// Distributes items to threads and writes their output in order.
pub(super) struct OrderedOutput<'a, P> {
    state: Mutex<State<'a, P>>,
    current_changed: Condvar,
    /// Number of items.
    items: usize,
}

struct State<'a, P> {
    /// The next item that a thread takes.
    next_index: usize,
    /// The first item that is not completely written.
    current: usize,
    /// The output of finished items after the current one.
    buffered: BTreeMap<usize, P>,
    buffered_bytes: usize,
    /// Number of waiting threads.
    waiting: usize,
    sink: ChunkSink<'a, P>,
    /// The error that ended the output.
    error: Option<io::Error>,
}

impl<'a, P: OutputChunk> OrderedOutput<'a, P> {
    /// Creates an output for this number of items, with chunks passed to
    /// `sink`.
    pub(super) fn new(items: usize, sink: ChunkSink<'a, P>) -> Self {
        let state = State {
            next_index: 0,
            current: 0,
            buffered: BTreeMap::new(),
            buffered_bytes: 0,
            waiting: 0,
            sink,
            error: None,
        };
        Self { state: Mutex::new(state), current_changed: Condvar::new(), items }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a, P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next item; `None` after the last one or after an error.
    pub(super) fn next_index(&self) -> Option<usize> {
        let mut state = self.lock();
        let index = state.next_index;
        let has_next = index < self.items && state.error.is_none();
        has_next.then(|| {
            state.next_index += 1;
            index
        })
    }

    /// Waits until all lower items are written, and writes a part of an item. Returns
    /// whether further parts are accepted.
    pub(super) fn push_part(&self, index: usize, part: P) -> bool {
        let mut state = self.wait(self.lock(), |state| state.current < index);
        state.write(part);
        state.error.is_none()
    }

    /// Writes the last part of an item, or stores it if a lower item is not written yet.
    pub(super) fn finish_item(&self, index: usize, chunk: P) {
        let mut state = self.wait(self.lock(), |state| state.current < index && state.is_full());
        if state.current < index {
            state.buffered_bytes += chunk.size();
            state.buffered.insert(index, chunk);
            return;
        }
        state.write(chunk);
        state.current += 1;
        state.write_buffered();
        if state.waiting > 0 {
            self.current_changed.notify_all();
        }
    }

    /// Waits until `must_wait` is false. It is tested again for each new current item.
    fn wait<'s>(
        &'s self,
        mut state: MutexGuard<'s, State<'a, P>>,
        must_wait: impl Fn(&State<'a, P>) -> bool,
    ) -> MutexGuard<'s, State<'a, P>> {
        while must_wait(&state) {
            state.waiting += 1;
            state = self.current_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state
    }

    /// Returns the error that ended the output early, if any.
    pub(super) fn finish(self) -> io::Result<()> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.error.map_or(Ok(()), Err)
    }
}

impl<P: OutputChunk> State<'_, P> {
    fn is_full(&self) -> bool {
        self.buffered_bytes >= MAX_BUFFERED_BYTES || self.buffered.len() >= MAX_BUFFERED_CHUNKS
    }

    fn write(&mut self, chunk: P) {
        if self.error.is_none() {
            self.error = (self.sink)(chunk).err();
        }
    }

    /// Writes the stored output of the items that follow without a gap.
    fn write_buffered(&mut self) {
        while let Some(chunk) = self.buffered.remove(&self.current) {
            self.buffered_bytes -= chunk.size();
            self.write(chunk);
            self.current += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the last part of an item. The other parts have lower numbers.
    const LAST_PART: usize = 9;

    /// The index of an item and the number of a part.
    impl OutputChunk for (usize, usize) {
        fn size(&self) -> usize {
            // So large that threads have to wait.
            MAX_BUFFERED_BYTES / 2
        }
    }

    /// Writes one to three parts for each item.
    fn work(output: &OrderedOutput<'_, (usize, usize)>) {
        while let Some(index) = output.next_index() {
            for part in 0..index % 3 {
                if !output.push_part(index, (index, part)) {
                    break;
                }
            }
            output.finish_item(index, (index, LAST_PART));
        }
    }

    #[test]
    fn chunks_are_written_in_order() {
        let mut written = Vec::new();
        let mut sink = |chunk| {
            written.push(chunk);
            Ok(())
        };
        let output = OrderedOutput::new(1000, &mut sink);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| work(&output));
            }
        });
        output.finish().unwrap();
        assert_eq!(written.len(), 1000 + (0..1000).map(|index| index % 3).sum::<usize>());
        assert!(written.is_sorted());
    }

    #[test]
    fn error_ends_the_output_and_is_returned() {
        let mut sink = |(index, _): (usize, usize)| {
            if index < 5 { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        };
        let output = OrderedOutput::new(1_000_000, &mut sink);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| work(&output));
            }
        });
        assert_eq!(output.finish().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
