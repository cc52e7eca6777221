//! Signals that end a run: Ctrl-C, SIGTERM and SIGHUP.
//!
//! The first one stops the run in an orderly way: results are stored, reports
//! are written, and the exit code says that it was interrupted. A second
//! Ctrl-C or SIGTERM ends the process at once. A terminal that is closed may
//! send SIGHUP twice, so that one never does.

use relink_engine::{StopSignal, StopTrigger};

use crate::error::Exit;

/// A stop that the first signal raises.
pub fn stop_on_signal() -> StopSignal {
    let (switch, stop) = StopSignal::new();
    #[cfg(unix)]
    unix::watch(switch);
    #[cfg(not(unix))]
    tokio::spawn(watch_ctrl_c(switch));
    stop
}

#[cfg(not(unix))]
async fn watch_ctrl_c(switch: StopTrigger) {
    if tokio::signal::ctrl_c().await.is_ok() {
        switch.raise();
    }
    if tokio::signal::ctrl_c().await.is_ok() {
        exit_at_once();
    }
}

#[expect(clippy::exit, reason = "the user interrupted twice")]
fn exit_at_once() {
    relink_render::end_browsers();
    std::process::exit(Exit::Interrupted as i32);
}

#[cfg(unix)]
mod unix {
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::{StopTrigger, exit_at_once};

    /// Watches the signals that this process does not ignore: `nohup` has
    /// SIGHUP ignored, and a shell has Ctrl-C ignored in the background.
    pub(super) fn watch(switch: StopTrigger) {
        let ignored = ignored_signals();
        let open = |kind: SignalKind| {
            let is_ignored = ignored >> (kind.as_raw_value() - 1) & 1 == 1;
            if is_ignored { None } else { signal(kind).ok() }
        };
        let signals = Signals {
            interrupt: open(SignalKind::interrupt()),
            terminate: open(SignalKind::terminate()),
            hangup: open(SignalKind::hangup()),
        };
        tokio::spawn(signals.raise(switch));
    }

    struct Signals {
        interrupt: Option<Signal>,
        terminate: Option<Signal>,
        hangup: Option<Signal>,
    }

    impl Signals {
        async fn raise(mut self, switch: StopTrigger) {
            tokio::select! {
                () = next(&mut self.interrupt) => {}
                () = next(&mut self.terminate) => {}
                () = next(&mut self.hangup) => {}
            }
            switch.raise();
            tokio::select! {
                () = next(&mut self.interrupt) => {}
                () = next(&mut self.terminate) => {}
            }
            exit_at_once();
        }
    }

    /// Waits for a signal; for ever if it is not watched.
    async fn next(signal: &mut Option<Signal>) {
        match signal {
            Some(signal) => {
                signal.recv().await;
            }
            None => std::future::pending().await,
        }
    }

    /// The signals that are ignored, the lowest bit being signal 1; none where
    /// the system does not list them.
    fn ignored_signals() -> u64 {
        let status = relink_files::read_to_string("/proc/self/status".as_ref()).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}
