//! The store: one trait per group of callers, and `Store` for all of them.
//!
//! Invariants:
//!
//! - A probe (the observation of one fetch) is never changed. The current result of a
//!   target is the latest one, regardless of run ids.
//! - No transaction is open during a fetch. A probe and its state change are
//!   committed in one transaction.
//!
//! The binary passes the store as one object, because a command needs most of the traits.
//! Functions take only the traits that they need. Only `relink db` uses
//! [`StoreMaintenance`](crate::StoreMaintenance).

use crate::{
    CacheStore, DecayStore, IntakeStore, ResultStore, RunStore, StoreMaintenance, WorkQueue,
};

/// All parts of the store.
pub trait Store:
    RunStore + IntakeStore + WorkQueue + ResultStore + CacheStore + DecayStore
{
}

/// A store with its maintenance, as a database provides it.
pub trait ManagedStore: Store + StoreMaintenance {}

impl<T: Store + StoreMaintenance> ManagedStore for T {}
