//! Reads a document's links chunk by chunk, so that a list of a million
//! addresses never stands in memory as a million links.

use std::sync::Arc;

use relink_model::Link;
use relink_page::Format;
use tokio::sync::mpsc;

/// Links in a chunk: one multi-row statement.
const CHUNK: usize = 512;
/// Chunks that may wait to be stored.
const AHEAD: usize = 2;

/// Some links of a document.
pub(super) struct Chunk {
    /// What the document says its links are relative to, if it says so.
    pub(super) base: Option<String>,
    /// The links, in document order.
    pub(super) links: Vec<Link>,
}

/// Extraction at work on a thread of its own.
pub(super) struct Reader {
    chunks: mpsc::Receiver<Chunk>,
}

impl Reader {
    /// Starts reading.
    pub(super) fn start(format: Format, bytes: Arc<[u8]>) -> Self {
        let (sender, chunks) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || match format {
            Format::UrlList | Format::PlainText => stream(format, &bytes, &sender),
            Format::Markdown | Format::Html => read_whole(format, &bytes, &sender),
        });
        Self { chunks }
    }

    /// The next links, until there are none.
    pub(super) async fn next(&mut self) -> Option<Chunk> {
        self.chunks.recv().await
    }
}

/// Formats whose links stand for themselves are sent on as they are found.
fn stream(format: Format, bytes: &[u8], sender: &mpsc::Sender<Chunk>) {
    let mut links = Vec::new();
    relink_page::each_link(format, bytes, &mut |link| {
        links.push(link);
        if links.len() == CHUNK {
            send(sender, None, std::mem::take(&mut links));
        }
    });
    send(sender, None, links);
}

/// Formats that may name a base anywhere are read to the end first.
fn read_whole(format: Format, bytes: &[u8], sender: &mpsc::Sender<Chunk>) {
    let extraction = relink_page::links(format, bytes);
    let mut links = extraction.links.into_iter().peekable();
    while links.peek().is_some() {
        let chunk = links.by_ref().take(CHUNK).collect();
        send(sender, extraction.base.as_ref(), chunk);
    }
}

fn send(sender: &mpsc::Sender<Chunk>, base: Option<&String>, links: Vec<Link>) {
    // A receiver that is gone has stopped the run; the rest is read in vain,
    // which is quicker than unwinding an extractor.
    let _ = sender.blocking_send(Chunk { base: base.cloned(), links });
}
