//! Panic isolation: a panic while one page or document is processed affects
//! only that page or document, never the run.
//!
//! Work on one item runs in [`isolate`] or [`isolate_async`]. A panic in it
//! becomes the error [`Panicked`], and the caller reports the item as not read.
//! The name of the item is stored for the thread while the work runs, so that
//! the panic hook of the program can print it ([`isolated_item`]). This module
//! does not print.

use std::cell::RefCell;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use jiff::Timestamp;
use relink_model::{FetchOutcome, Probe, Timings};
use thiserror::Error;

thread_local! {
    /// The item that this thread processes.
    static ITEM: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// The error of work that panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("internal error while this item was processed")]
pub struct Panicked;

/// Returns the URL or path of the item that the current thread processes.
///
/// For panic hooks. The text may contain a password and must be redacted before
/// it is printed.
pub fn isolated_item() -> Option<Arc<str>> {
    ITEM.try_with(|item| item.try_borrow().ok()?.clone()).ok()?
}

/// Runs `work` on the item with this name. A panic becomes an error.
pub fn isolate<T>(item: &str, work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch(&item.into(), work)
}

/// Runs a future on the item with this name. A panic becomes an error.
pub fn isolate_async<F: Future>(
    item: &str,
    work: F,
) -> impl Future<Output = Result<F::Output, Panicked>> + use<F> {
    let item: Arc<str> = item.into();
    let mut work = Box::pin(work);
    poll_fn(move |context| match catch(&item, || work.as_mut().poll(context)) {
        Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
        Ok(Poll::Pending) => Poll::Pending,
        // The future is dropped next and never polled again.
        Err(panicked) => Poll::Ready(Err(panicked)),
    })
}

/// Returns the probe of a page whose processing panicked.
pub fn internal_error_probe(requested_at: Timestamp) -> Probe {
    Probe {
        requested_at,
        hops: Vec::new(),
        outcome: FetchOutcome::InternalError,
        timings: Timings::default(),
        retry_after: None,
        digest: None,
        version: None,
    }
}

/// Runs `work` with the item stored for this thread, and catches a panic.
fn catch<T>(item: &Arc<str>, work: impl FnOnce() -> T) -> Result<T, Panicked> {
    // Calls may be nested, so restore the item of the outer call afterwards.
    let outer_item = ITEM.replace(Some(Arc::clone(item)));
    // `AssertUnwindSafe` is correct: data that a panic leaves half-changed belongs to the item
    // and is not used after the panic. Data shared between items is behind locks whose users
    // ignore poisoning.
    let done = catch_unwind(AssertUnwindSafe(work));
    ITEM.set(outer_item);
    done.map_err(|_| Panicked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isolate_returns_error_after_panic_and_clears_item() {
        let seen = isolate("https://example.org/a", isolated_item).unwrap();
        assert_eq!(seen.as_deref(), Some("https://example.org/a"));
        assert_eq!(isolate("a", || isolate("b", || panic!("injected"))), Ok(Err(Panicked)));
        assert_eq!(isolated_item(), None);
    }

    #[tokio::test]
    async fn isolate_async_returns_error_after_panic() {
        let work = async {
            tokio::task::yield_now().await;
            panic!("injected");
        };
        let done: Result<(), Panicked> = isolate_async("a", work).await;
        assert_eq!(done, Err(Panicked));
        let item = isolate_async("b", async { isolated_item() }).await;
        assert_eq!(item.unwrap().as_deref(), Some("b"));
        assert_eq!(isolated_item(), None);
    }
}
