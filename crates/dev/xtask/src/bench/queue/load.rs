//! Fills the queue of `bench queue` with URLs, through the store.

use relink_model::{LinkKind, RequestRights, RunId, SourceLocation, Span};
use relink_ports::{
    CacheWindow, Clock as _, IntakeStore as _, LinkBatch, NewDocument, NewLink, NewTarget, RunKey,
    RunStore as _,
};

use super::{QueueSize, SystemClock, open, store_error};
use crate::XtaskError;

/// Links per statement.
const BATCH: usize = 2_000;

/// Creates a run with all URLs.
pub(super) async fn load(url: &str, size: &QueueSize) -> Result<RunId, XtaskError> {
    let store = open(url).await?;
    let now = SystemClock.now();
    let key = RunKey { command: "check".to_owned(), inputs: Vec::new(), scope: String::new() };
    let run = store.open_run(&key, false, now).await.map_err(|error| store_error(&error))?.id;
    let document = NewDocument { label: "list.txt".to_owned(), content_hash: 1, revision: None };
    let document =
        store.load_document(run, &document).await.map_err(|error| store_error(&error))?.id;
    let urls = urls(size);
    for (number, batch) in urls.chunks(BATCH).enumerate() {
        let links: Vec<NewLink> = batch.iter().map(|(host, page)| link(*host, *page)).collect();
        let cache_window = CacheWindow { now, fresh_since: jiff::Timestamp::MAX };
        let first_position = number * BATCH;
        let batch = LinkBatch { document, first_position, links: &links, cache_window };
        store.add_links(run, batch).await.map_err(|error| store_error(&error))?;
    }
    store.finish_document(document).await.map_err(|error| store_error(&error))?;
    store.finish_loading(run, &[document]).await.map_err(|error| store_error(&error))?;
    Ok(run)
}

/// Returns pairs of a host and a page, in an order in which hosts alternate. Host `n`, from 1, has
/// a number of pages that is proportional to 1 / n (Zipf's law), and at least one page.
fn urls(size: &QueueSize) -> Vec<(usize, usize)> {
    let harmonic: f64 = (1..=size.hosts).map(inverse).sum();
    let mut urls = Vec::with_capacity(size.urls + size.hosts);
    for host in 0..size.hosts {
        let share = inverse(host + 1) / harmonic;
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of pages is small and positive"
        )]
        // Rounded up, so that the sum is at least the number of URLs.
        let pages = ((size.urls as f64 * share).ceil() as usize).max(1);
        urls.extend((0..pages).map(|page| (host, page)));
    }
    urls.sort_unstable_by_key(|(host, page)| (*page, *host));
    urls.truncate(size.urls);
    urls
}

#[expect(clippy::cast_precision_loss, reason = "a number of hosts is small")]
fn inverse(number: usize) -> f64 {
    1.0 / number as f64
}

/// Returns a link to a page of a host.
fn link(host: usize, page: usize) -> NewLink {
    let host = format!("host-{host}.test");
    let url = format!("http://{host}/directory-{}/page-{page}.html", page / 100);
    NewLink {
        location: SourceLocation {
            span: Span::from(0..url.len()),
            line: 1,
            column: 1,
            kind: LinkKind::BareUrl,
        },
        original_url: url.clone(),
        target: NewTarget::Web { url, host, rights: RequestRights::discovered() },
        fragment: None,
        ignored_codes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn large_hosts_have_many_pages_and_every_host_has_one() {
        let duration = Duration::ZERO;
        let urls = urls(&QueueSize { urls: 10_000, hosts: 100, duration, workers: Vec::new() });
        let pages = |host| urls.iter().filter(|(of, _)| *of == host).count();
        assert_eq!(urls.len(), 10_000);
        assert!((1_800..2_000).contains(&pages(0)), "{}", pages(0));
        assert!((15..25).contains(&pages(99)), "{}", pages(99));
    }
}
