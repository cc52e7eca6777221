//! Reads a document's links chunk by chunk, so that a list of a million
//! addresses never stands in memory as a million links.
//!
//! Extraction and resolution run on a thread of their own, beside the store.

use std::sync::Arc;

use relink_model::{Link, Place};
use relink_page::Format;
use tokio::sync::mpsc;

use super::resolve::{Meaning, Resolver};

/// Links in a chunk: one transaction, and one turn before the asker has its
/// own, so it must not take long.
const CHUNK: usize = 128;
/// Chunks that may wait to be stored.
const AHEAD: usize = 8;

/// A link with what becomes of it.
pub(super) struct ReadLink {
    pub(super) place: Place,
    pub(super) given: String,
    pub(super) meaning: Meaning,
}

/// Extraction at work.
pub(super) struct Reader {
    chunks: mpsc::Receiver<Vec<ReadLink>>,
}

impl Reader {
    /// Starts reading.
    pub(super) fn start(format: Format, bytes: Arc<[u8]>, resolver: Resolver) -> Self {
        let (sender, chunks) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || match format {
            Format::Markdown | Format::Html | Format::Xml | Format::AsciiDoc => {
                read_whole(format, &bytes, resolver, &sender);
            }
            _ => stream(format, &bytes, &resolver, &sender),
        });
        Self { chunks }
    }

    /// The next links, until there are none.
    pub(super) async fn next(&mut self) -> Option<Vec<ReadLink>> {
        self.chunks.recv().await
    }
}

/// Formats whose links stand for themselves are sent on as they are found.
fn stream(format: Format, bytes: &[u8], resolver: &Resolver, sender: &mpsc::Sender<Vec<ReadLink>>) {
    let mut links = Vec::with_capacity(CHUNK);
    relink_page::each_link(format, bytes, &mut |link| {
        links.push(ReadLink::new(&link, resolver));
        if links.len() == CHUNK {
            send(sender, std::mem::replace(&mut links, Vec::with_capacity(CHUNK)));
        }
    });
    send(sender, links);
}

/// Formats that may name a base anywhere are read to the end first.
fn read_whole(
    format: Format,
    bytes: &[u8],
    resolver: Resolver,
    sender: &mpsc::Sender<Vec<ReadLink>>,
) {
    let extraction = relink_page::links(format, bytes);
    let resolver = resolver.with_base(extraction.base.as_deref());
    for links in extraction.links.chunks(CHUNK) {
        send(sender, links.iter().map(|link| ReadLink::new(link, &resolver)).collect());
    }
}

fn send(sender: &mpsc::Sender<Vec<ReadLink>>, links: Vec<ReadLink>) {
    // A receiver that is gone has stopped the run; the rest is read in vain,
    // which is quicker than unwinding an extractor.
    let _ = sender.blocking_send(links);
}

impl ReadLink {
    pub(super) fn new(link: &Link, resolver: &Resolver) -> Self {
        let meaning = resolver.resolve(link);
        Self { place: link.place, given: meaning.given(link), meaning }
    }
}
