//! Runs independent parts of a use case at the same time.
//!
//! The rate limits of the requests are those of [`PoliteFetch`](crate::PoliteFetch); this
//! module only limits how many parts are unfinished. Results are returned in the order of
//! the parts, so that the output of a command does not depend on response times.

use std::collections::BTreeMap;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

/// Number of parts that run at the same time. Most wait for the rate limit of their host.
pub const MAX_CONCURRENT_PARTS: usize = 32;

/// Maximum number of parts that are started before the first one without a result is
/// finished, as a multiple of the parts that run at the same time. It bounds the memory.
const MAX_AHEAD: usize = 16;

/// Runs `start` for all items, at most `limit` at the same time, and passes the results to
/// `finish` in the order of the items.
///
/// # Errors
///
/// Returns the first error of a part or of `finish`. The unfinished parts are dropped.
pub async fn run_in_order<I, F, T, E>(
    items: impl IntoIterator<Item = I>,
    limit: usize,
    mut start: impl FnMut(I) -> F,
    mut finish: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E>
where
    F: Future<Output = Result<T, E>>,
{
    let limit = limit.max(1);
    let mut items = (0_usize..).zip(items).peekable();
    let mut running = FuturesUnordered::new();
    let mut results: BTreeMap<usize, T> = BTreeMap::new();
    let mut next_result = 0;
    loop {
        while running.len() < limit
            && items.peek().is_some_and(|(index, _)| *index < next_result + MAX_AHEAD * limit)
            && let Some((index, item)) = items.next()
        {
            let part = start(item);
            running.push(async move { (index, part.await) });
        }
        let Some((index, result)) = running.next().await else { return Ok(()) };
        results.insert(index, result?);
        while let Some(result) = results.remove(&next_result) {
            finish(result)?;
            next_result += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn results_are_in_the_order_of_the_items_and_parts_run_at_the_same_time() {
        let (running, most) = (Cell::new(0), Cell::new(0));
        let started = tokio::time::Instant::now();
        let mut finished = Vec::new();
        let part = |item: u64| {
            let (running, most) = (&running, &most);
            async move {
                running.set(running.get() + 1);
                most.set(most.get().max(running.get()));
                tokio::time::sleep(Duration::from_secs(10 - item)).await;
                running.set(running.get() - 1);
                Ok::<u64, Infallible>(item)
            }
        };
        let finish = |item| {
            finished.push(item);
            Ok(())
        };
        let Ok(()) = run_in_order(0..10, 5, part, finish).await;
        assert_eq!(finished, (0..10).collect::<Vec<u64>>());
        assert_eq!(most.get(), 5);
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn slow_part_limits_the_parts_that_are_started() {
        let started = Cell::new(0);
        let part = |item: usize| {
            started.set(started.get() + 1);
            let started = &started;
            async move {
                if item == 0 {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    assert_eq!(started.get(), 2 * MAX_AHEAD);
                }
                Ok::<(), Infallible>(())
            }
        };
        let Ok(()) = run_in_order(0..1000, 2, part, |()| Ok(())).await;
        assert_eq!(started.get(), 1000);
    }

    #[tokio::test]
    async fn first_error_ends_the_run() {
        let part = |item: u32| async move { if item == 3 { Err(item) } else { Ok(item) } };
        let mut finished = 0;
        let finish = |_| {
            finished += 1;
            Ok(())
        };
        assert_eq!(run_in_order(0..100, 1, part, finish).await, Err(3));
        assert_eq!(finished, 3);
    }
}
