//! Measures the duration of each fetch phase.

use std::time::{Duration, Instant};

use relink_model::{Phase, Timings};

/// Sums the time of each phase over the hops of a redirect chain.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    started_at: Instant,
    phase_started_at: Instant,
    phase: Phase,
    /// The time spent in each phase, indexed by [`Phase`].
    elapsed: [Duration; 6],
}

impl Stopwatch {
    /// Starts the stopwatch, in no phase.
    pub fn start() -> Self {
        let now = Instant::now();
        Self {
            started_at: now,
            phase_started_at: now,
            phase: Phase::Total,
            elapsed: [Duration::ZERO; 6],
        }
    }

    /// Ends the current phase and starts the next.
    pub fn enter(&mut self, phase: Phase) {
        let now = Instant::now();
        self.elapsed[self.phase as usize] += now - self.phase_started_at;
        self.phase_started_at = now;
        self.phase = phase;
    }

    /// Excludes the time since the current phase started.
    pub fn skip(&mut self) {
        let now = Instant::now();
        self.started_at += now - self.phase_started_at;
        self.phase_started_at = now;
    }

    /// Returns the current phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Stops and returns the timings.
    pub fn stop(mut self) -> Timings {
        self.enter(Phase::Total);
        let elapsed = |phase: Phase| milliseconds(self.elapsed[phase as usize]);
        Timings {
            dns: elapsed(Phase::Dns),
            connect: elapsed(Phase::Connect),
            tls: elapsed(Phase::Tls),
            headers: elapsed(Phase::Headers),
            body: elapsed(Phase::Body),
            total: milliseconds(self.phase_started_at - self.started_at),
        }
    }
}

fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
