//! Kills the processes of pages that use too much memory.
//!
//! The browser itself limits only the JavaScript heap of a page. The limit here is
//! for all memory of the process: the heap, documents, buffers and decoders.

use std::fs;
use std::time::Duration;

use rustix::param::page_size;
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use serde_json::json;
use tokio::time::{MissedTickBehavior, interval};

use crate::cdp::{CallError, Cdp};

/// Interval between two checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Process type of pages in the `DevTools` protocol.
const RENDERER_TYPE: &str = "renderer";

/// Result of `SystemInfo.getProcessInfo`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Processes {
    process_info: Vec<Process>,
}

/// A process of the browser: its kind and process id.
#[derive(Deserialize)]
struct Process {
    r#type: String,
    id: i32,
}

/// Checks periodically until the connection to the browser is closed. Kills the
/// processes of pages that use more than `max_bytes`.
pub(crate) async fn watch(cdp: Cdp, max_bytes: u64) {
    let mut ticks = interval(CHECK_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let reply = cdp.call(None, "SystemInfo.getProcessInfo", json!({})).await;
        let processes = match reply.and_then(|reply| reply.read::<Processes>()) {
            Ok(processes) => processes,
            Err(CallError::Closed) => return,
            // One refused call, or one reply that cannot be parsed, must not end the
            // watch. `Cdp` reports both as `Refused`.
            Err(CallError::Refused(_)) => continue,
        };
        let renderers =
            processes.process_info.iter().filter(|process| process.r#type == RENDERER_TYPE);
        let is_too_large =
            |process: &&Process| resident_bytes(process.id).is_some_and(|bytes| bytes > max_bytes);
        for process in renderers.filter(is_too_large) {
            if let Some(id) = Pid::from_raw(process.id) {
                // Ignore the error: the process may have exited.
                let _ = kill_process(id, Signal::KILL);
            }
        }
    }
}

/// Returns the resident memory of a process in bytes. `None` on systems without
/// `/proc`.
fn resident_bytes(id: i32) -> Option<u64> {
    let sizes = fs::read_to_string(format!("/proc/{id}/statm")).ok()?;
    resident_pages(&sizes)?.checked_mul(page_size() as u64)
}

/// Parses the second field of `statm`, which is in memory pages (proc(5)).
fn resident_pages(sizes: &str) -> Option<u64> {
    sizes.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, duplex, split};
    use tokio::task::JoinSet;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn refused_call_or_unreadable_reply_does_not_end_the_watch() {
        let (client_end, browser_end) = duplex(1 << 16);
        let (reader, writer) = split(client_end);
        let (cdp, incoming, outgoing) = Cdp::open(reader, writer);
        let mut tasks = JoinSet::new();
        tasks.spawn(incoming);
        tasks.spawn(outgoing);
        tasks.spawn(watch(cdp, u64::MAX));
        let mut browser = BufReader::new(browser_end);
        // The first reply has no `processInfo`, so it cannot be parsed.
        for reply in [
            "{\"id\":1,\"result\":{}}\0",
            "{\"id\":2,\"error\":{\"message\":\"busy\"}}\0",
            "{\"id\":3,\"result\":{\"processInfo\":[]}}\0",
        ] {
            let mut call = Vec::new();
            let received = browser.read_until(0, &mut call);
            timeout(CHECK_INTERVAL * 20, received).await.expect("the watch continues").unwrap();
            assert!(String::from_utf8_lossy(&call).contains("SystemInfo.getProcessInfo"));
            browser.write_all(reply.as_bytes()).await.unwrap();
        }
    }

    #[test]
    fn resident_pages_is_the_second_field() {
        assert_eq!(resident_pages("1000 250 30 4 0 60 0\n"), Some(250));
        assert_eq!(resident_pages(""), None);
    }
}
