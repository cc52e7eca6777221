//! A queue that passes request results to the dispatcher in batches.
//!
//! The dispatcher is woken once per batch. A channel would wake it for each
//! result, which costs more than processing most results.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// A batched multi-producer, single-consumer queue.
pub(super) struct ResultQueue<T> {
    state: Mutex<QueueState<T>>,
    notify: Notify,
}

struct QueueState<T> {
    items: Vec<T>,
    /// Number of items at which the consumer is notified.
    notify_at: usize,
}

impl<T> ResultQueue<T> {
    pub(super) fn new() -> Self {
        let state = QueueState { items: Vec::new(), notify_at: 1 };
        Self { state: Mutex::new(state), notify: Notify::new() }
    }

    /// Appends an item.
    pub(super) fn push(&self, item: T) {
        let mut state = self.lock();
        state.items.push(item);
        let is_batch_complete = state.items.len() == state.notify_at;
        drop(state);
        if is_batch_complete {
            self.notify.notify_one();
        }
    }

    /// Waits until the queue has an item.
    pub(super) async fn wait(&self) {
        while !self.has(1) {
            self.notify.notified().await;
        }
    }

    /// Waits until the queue has `count` items, at most until `deadline`.
    pub(super) async fn wait_for_batch(&self, count: usize, deadline: Instant) {
        // A timeout is not an error here.
        let _ = timeout_at(deadline, async {
            while !self.has(count) {
                self.notify.notified().await;
            }
        })
        .await;
    }

    /// Removes and returns up to `max` items, oldest first.
    pub(super) fn take(&self, max: usize) -> Vec<T> {
        let mut state = self.lock();
        let end = state.items.len().min(max);
        state.items.drain(..end).collect()
    }

    /// Whether the queue has `count` items. If not, the consumer is notified as soon as
    /// the queue has them.
    fn has(&self, count: usize) -> bool {
        let mut state = self.lock();
        state.notify_at = count;
        state.items.len() >= count
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<T>> {
        // No code panics while it holds the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn take_returns_items_in_order_and_once() {
        let results = ResultQueue::new();
        for number in 0..5 {
            results.push(number);
        }
        assert_eq!(results.take(3), [0, 1, 2]);
        assert_eq!(results.take(3), [3, 4]);
        assert!(results.take(3).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn wait_for_batch_ends_with_a_full_batch_or_a_timeout() {
        let results = Arc::new(ResultQueue::new());
        let producer = Arc::clone(&results);
        tokio::spawn(async move {
            for number in 0..4 {
                producer.push(number);
                tokio::task::yield_now().await;
            }
        });
        results.wait_for_batch(4, Instant::now() + Duration::from_mins(1)).await;
        assert_eq!(results.take(9).len(), 4);
        results.wait_for_batch(1, Instant::now() + Duration::from_millis(5)).await;
        assert!(results.take(9).is_empty());
    }

    #[tokio::test]
    async fn wait_ends_with_the_first_item() {
        let results = Arc::new(ResultQueue::new());
        let producer = Arc::clone(&results);
        tokio::spawn(async move { producer.push(1) });
        results.wait().await;
        assert_eq!(results.take(9), [1]);
    }
}
