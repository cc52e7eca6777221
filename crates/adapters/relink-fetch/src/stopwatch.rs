//! How long each phase took.

use std::time::{Duration, Instant};

use relink_model::{Phase, Timings};

/// Adds up the time spent in each phase over the hops of one chain.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    begun: Instant,
    since: Instant,
    phase: Phase,
    spent: [Duration; 6],
}

impl Stopwatch {
    /// Starts, in no phase yet.
    pub fn start() -> Self {
        let now = Instant::now();
        Self { begun: now, since: now, phase: Phase::Total, spent: [Duration::ZERO; 6] }
    }

    /// Ends the running phase and begins the next.
    pub fn enter(&mut self, phase: Phase) {
        let now = Instant::now();
        self.spent[self.phase as usize] += now - self.since;
        self.since = now;
        self.phase = phase;
    }

    /// Forgets the time since the running phase began.
    pub fn skip(&mut self) {
        let now = Instant::now();
        self.begun += now - self.since;
        self.since = now;
    }

    /// The phase now running.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Stops and tells the times.
    pub fn stop(mut self) -> Timings {
        self.enter(Phase::Total);
        let spent = |phase: Phase| milliseconds(self.spent[phase as usize]);
        Timings {
            dns: spent(Phase::Dns),
            connect: spent(Phase::Connect),
            tls: spent(Phase::Tls),
            head: spent(Phase::Headers),
            body: spent(Phase::Body),
            total: milliseconds(self.since - self.begun),
        }
    }
}

fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
