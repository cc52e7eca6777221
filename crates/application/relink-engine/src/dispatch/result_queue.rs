//! Where results of requests are laid down until the asker collects them.
//!
//! The asker is woken once for many results. A channel would wake it for each,
//! and waking costs more than most results do.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// A tray of things that were returned.
pub(super) struct ResultQueue<T> {
    content: Mutex<QueueState<T>>,
    notify: Notify,
}

struct QueueState<T> {
    things: Vec<T>,
    /// The bell rings when so many things lie there.
    wanted: usize,
}

impl<T> ResultQueue<T> {
    pub(super) fn new() -> Self {
        let content = QueueState { things: Vec::new(), wanted: 1 };
        Self { content: Mutex::new(content), notify: Notify::new() }
    }

    /// Lays a thing down.
    pub(super) fn put(&self, thing: T) {
        let mut content = self.content();
        content.things.push(thing);
        let is_enough = content.things.len() == content.wanted;
        drop(content);
        if is_enough {
            self.notify.notify_one();
        }
    }

    /// Waits until something lies there.
    pub(super) async fn wait(&self) {
        while !self.has(1) {
            self.notify.notified().await;
        }
    }

    /// Waits until so many things lie there, but no longer than `until`.
    pub(super) async fn wait_for_batch(&self, wanted: usize, until: Instant) {
        // Time running out is as good an end as any.
        let _ = timeout_at(until, async {
            while !self.has(wanted) {
                self.notify.notified().await;
            }
        })
        .await;
    }

    /// Takes up to so many things away, the oldest first.
    pub(super) fn take(&self, most: usize) -> Vec<T> {
        let mut content = self.content();
        let end = content.things.len().min(most);
        content.things.drain(..end).collect()
    }

    /// Whether so many things lie there; if not, the bell will ring for them.
    fn has(&self, wanted: usize) -> bool {
        let mut content = self.content();
        content.wanted = wanted;
        content.things.len() >= wanted
    }

    fn content(&self) -> MutexGuard<'_, QueueState<T>> {
        // Nothing in here panics while the lock is held.
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn what_is_put_is_taken_in_order_and_once() {
        let tray = ResultQueue::new();
        for number in 0..5 {
            tray.put(number);
        }
        assert_eq!(tray.take(3), [0, 1, 2]);
        assert_eq!(tray.take(3), [3, 4]);
        assert!(tray.take(3).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn lingering_ends_when_there_is_enough_or_when_time_is_up() {
        let tray = Arc::new(ResultQueue::new());
        let putting = Arc::clone(&tray);
        tokio::spawn(async move {
            for number in 0..4 {
                putting.put(number);
                tokio::task::yield_now().await;
            }
        });
        tray.wait_for_batch(4, Instant::now() + Duration::from_mins(1)).await;
        assert_eq!(tray.take(9).len(), 4);
        tray.wait_for_batch(1, Instant::now() + Duration::from_millis(5)).await;
        assert!(tray.take(9).is_empty());
    }

    #[tokio::test]
    async fn waiting_ends_with_the_first_thing() {
        let tray = Arc::new(ResultQueue::new());
        let putting = Arc::clone(&tray);
        tokio::spawn(async move { putting.put(1) });
        tray.wait().await;
        assert_eq!(tray.take(9), [1]);
    }
}
