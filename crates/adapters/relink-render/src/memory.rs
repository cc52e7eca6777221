//! Stops the process of a page that takes too much memory.
//!
//! A script's values have a cap of their own in the browser. This one is for
//! all the rest: documents, buffers, what decoders need.

use std::fs;
use std::time::Duration;

use rustix::param::page_size;
use rustix::process::{Pid, Signal, kill_process};
use serde::Deserialize;
use serde_json::json;
use tokio::time::{MissedTickBehavior, interval};

use crate::cdp::Cdp;

/// How often we look.
const EVERY: Duration = Duration::from_millis(500);

/// What the browser calls the processes that pages live in.
const PAGE_PROCESS: &str = "renderer";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Processes {
    process_info: Vec<Process>,
}

#[derive(Deserialize)]
struct Process {
    r#type: String,
    id: i32,
}

/// Looks for as long as the browser lives, and kills the processes of pages
/// that hold more than `cap` bytes.
pub(crate) async fn watch(cdp: Cdp, cap: u64) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Ok(reply) = cdp.call(None, "SystemInfo.getProcessInfo", json!({})).await else {
            return;
        };
        let Ok(processes) = reply.read::<Processes>() else { return };
        let of_pages = processes.process_info.iter().filter(|it| it.r#type == PAGE_PROCESS);
        for process in of_pages.filter(|it| resident(it.id).is_some_and(|bytes| bytes > cap)) {
            if let Some(id) = Pid::from_raw(process.id) {
                // It may have ended by itself in the meantime.
                let _ = kill_process(id, Signal::KILL);
            }
        }
    }
}

/// The bytes of memory a process holds, where the system tells.
fn resident(id: i32) -> Option<u64> {
    let sizes = fs::read_to_string(format!("/proc/{id}/statm")).ok()?;
    pages_resident(&sizes)?.checked_mul(page_size() as u64)
}

/// The second number of `statm`, in pages (proc(5)).
fn pages_resident(sizes: &str) -> Option<u64> {
    sizes.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_number_is_what_is_held() {
        assert_eq!(pages_resident("1000 250 30 4 0 60 0\n"), Some(250));
        assert_eq!(pages_resident(""), None);
    }
}
