//! Lets many threads work ahead, and what they make come out in order.
//!
//! Every thread draws tickets; what belongs to a ticket comes out after all
//! that belongs to lower ones. A thread that is ahead of its turn leaves its
//! work here and goes on, up to a bound; past that it waits. The thread whose
//! turn it is never waits, so somebody always moves.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that may lie here finished, waiting for their turn.
const AHEAD: usize = 32 << 20;

/// Pieces that may lie here.
const PIECES_AHEAD: usize = 4096;

/// What a thread has made.
pub(super) trait OutputChunk {
    /// How much room it takes.
    fn size(&self) -> usize;
}

/// Takes pieces in order.
pub(super) type Take<'a, P> = &'a mut (dyn FnMut(P) -> io::Result<()> + Send);

/// The desk where tickets are drawn and pieces handed in.
pub(super) struct OrderedOutput<'a, P> {
    state: Mutex<State<'a, P>>,
    turned: Condvar,
    tickets: usize,
}

struct State<'a, P> {
    drawn: usize,
    turn: usize,
    ahead: BTreeMap<usize, P>,
    ahead_size: usize,
    waiting: usize,
    take: Take<'a, P>,
    error: Option<io::Error>,
}

impl<'a, P: OutputChunk> OrderedOutput<'a, P> {
    /// A desk with this many tickets, whose pieces go to `take`.
    pub(super) fn new(tickets: usize, take: Take<'a, P>) -> Self {
        let state = State {
            drawn: 0,
            turn: 0,
            ahead: BTreeMap::new(),
            ahead_size: 0,
            waiting: 0,
            take,
            error: None,
        };
        Self { state: Mutex::new(state), turned: Condvar::new(), tickets }
    }

    fn lock(&self) -> MutexGuard<'_, State<'a, P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next ticket, until there are none or a piece could not be taken.
    pub(super) fn draw(&self) -> Option<usize> {
        let mut state = self.lock();
        let ticket = state.drawn;
        let is_open = ticket < self.tickets && state.error.is_none();
        is_open.then(|| {
            state.drawn += 1;
            ticket
        })
    }

    /// Hands in a part of what belongs to a ticket, once it is its turn.
    /// Whether more is wanted.
    pub(super) fn hand_in_part(&self, ticket: usize, part: P) -> bool {
        let mut state = self.wait(self.lock(), |state| state.turn < ticket);
        state.give(part);
        state.error.is_none()
    }

    /// Hands in all, or the rest, of what belongs to a ticket.
    pub(super) fn hand_in(&self, ticket: usize, piece: P) {
        let mut state = self.wait(self.lock(), |state| state.turn < ticket && state.is_full());
        if state.turn < ticket {
            state.ahead_size += piece.size();
            state.ahead.insert(ticket, piece);
            return;
        }
        state.give(piece);
        state.turn += 1;
        state.give_waiting();
        if state.waiting > 0 {
            self.turned.notify_all();
        }
    }

    fn wait<'s>(
        &'s self,
        mut state: MutexGuard<'s, State<'a, P>>,
        must_wait: impl Fn(&State<'a, P>) -> bool,
    ) -> MutexGuard<'s, State<'a, P>> {
        while must_wait(&state) {
            state.waiting += 1;
            state = self.turned.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state
    }

    /// The error that ended the work early, if one did.
    pub(super) fn finish(self) -> io::Result<()> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.error.map_or(Ok(()), Err)
    }
}

impl<P: OutputChunk> State<'_, P> {
    fn is_full(&self) -> bool {
        self.ahead_size >= AHEAD || self.ahead.len() >= PIECES_AHEAD
    }

    fn give(&mut self, piece: P) {
        if self.error.is_none() {
            self.error = (self.take)(piece).err();
        }
    }

    /// Gives what lay here and has its turn now.
    fn give_waiting(&mut self) {
        while let Some(piece) = self.ahead.remove(&self.turn) {
            self.ahead_size -= piece.size();
            self.give(piece);
            self.turn += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl OutputChunk for (usize, usize) {
        fn size(&self) -> usize {
            // Few enough fit that threads have to wait.
            AHEAD / 2
        }
    }

    fn work(desk: &OrderedOutput<'_, (usize, usize)>) {
        while let Some(ticket) = desk.draw() {
            for part in 0..ticket % 3 {
                if !desk.hand_in_part(ticket, (ticket, part)) {
                    break;
                }
            }
            desk.hand_in(ticket, (ticket, 9));
        }
    }

    #[test]
    fn everything_comes_out_in_order_whoever_is_quicker() {
        let mut seen = Vec::new();
        let mut take = |piece| {
            seen.push(piece);
            Ok(())
        };
        let desk = OrderedOutput::new(1000, &mut take);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| work(&desk));
            }
        });
        desk.finish().unwrap();
        assert_eq!(seen.len(), 1000 + (0..1000).map(|ticket| ticket % 3).sum::<usize>());
        assert!(seen.is_sorted());
    }

    #[test]
    fn a_fault_ends_the_work_and_is_told() {
        let mut take = |(ticket, _): (usize, usize)| {
            if ticket < 5 { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        };
        let desk = OrderedOutput::new(1_000_000, &mut take);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| work(&desk));
            }
        });
        assert_eq!(desk.finish().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
