//! Handles Ctrl-C, SIGTERM and SIGHUP.
//!
//! The first signal stops the run gracefully: results are saved, reports are written,
//! and the exit code is 130. A second Ctrl-C or SIGTERM ends the process immediately.
//! A second SIGHUP does not, because a closed terminal may send it twice.

use relink_requests::{StopSignal, StopTrigger};

use crate::error::Exit;

/// Returns a stop signal that the first signal triggers.
pub fn stop_on_signal() -> StopSignal {
    let (trigger, stop) = StopSignal::new();
    #[cfg(unix)]
    unix::watch(trigger);
    #[cfg(not(unix))]
    tokio::spawn(watch_ctrl_c(trigger));
    stop
}

#[cfg(not(unix))]
async fn watch_ctrl_c(trigger: StopTrigger) {
    if tokio::signal::ctrl_c().await.is_ok() {
        trigger.stop();
    }
    if tokio::signal::ctrl_c().await.is_ok() {
        exit_immediately();
    }
}

#[expect(clippy::exit, reason = "the user interrupted twice")]
fn exit_immediately() {
    relink_render::end_browsers();
    std::process::exit(Exit::Interrupted as i32);
}

#[cfg(unix)]
mod unix {
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::{StopTrigger, exit_immediately};

    /// Watches the signals that this process does not ignore. `nohup` ignores SIGHUP,
    /// and shells ignore Ctrl-C for background processes.
    pub(super) fn watch(trigger: StopTrigger) {
        let ignored = ignored_signals();
        let watch_unless_ignored = |kind: SignalKind| {
            // Bit 0 of the mask is signal 1.
            let is_ignored = ignored >> (kind.as_raw_value() - 1) & 1 == 1;
            if is_ignored { None } else { signal(kind).ok() }
        };
        let signals = Signals {
            interrupt: watch_unless_ignored(SignalKind::interrupt()),
            terminate: watch_unless_ignored(SignalKind::terminate()),
            hangup: watch_unless_ignored(SignalKind::hangup()),
        };
        tokio::spawn(signals.wait(trigger));
    }

    /// The watched signals; `None` for a signal that is not watched.
    struct Signals {
        interrupt: Option<Signal>,
        terminate: Option<Signal>,
        hangup: Option<Signal>,
    }

    impl Signals {
        /// Triggers the stop at the first signal, and ends the process at the second one.
        async fn wait(mut self, trigger: StopTrigger) {
            tokio::select! {
                () = next(&mut self.interrupt) => {}
                () = next(&mut self.terminate) => {}
                () = next(&mut self.hangup) => {}
            }
            trigger.stop();
            tokio::select! {
                () = next(&mut self.interrupt) => {}
                () = next(&mut self.terminate) => {}
            }
            exit_immediately();
        }
    }

    /// Waits for a signal. Never returns if the signal is not watched.
    async fn next(signal: &mut Option<Signal>) {
        match signal {
            Some(signal) => {
                signal.recv().await;
            }
            None => std::future::pending().await,
        }
    }

    /// Returns the mask of ignored signals; bit 0 is signal 1. Returns 0 on systems without
    /// `/proc`.
    fn ignored_signals() -> u64 {
        let status = relink_files::read_to_string("/proc/self/status".as_ref()).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}
