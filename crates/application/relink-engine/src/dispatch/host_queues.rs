//! The leased hosts by id.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use relink_ports::HostId;

use super::host_queue::HostQueue;

/// The leased hosts. They are looked up several times per request. The ids come
/// from the store, so the hasher needs no protection against collision attacks.
pub(super) type HostQueues = HashMap<HostId, HostQueue, BuildHasherDefault<IdHasher>>;

/// Hasher that spreads consecutive numbers (Knuth, *The Art of Computer
/// Programming* 3, 6.4).
#[derive(Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }

    fn finish(&self) -> u64 {
        // The upper bits are spread best, but hash maps use the lower ones
        // first.
        self.0 ^ (self.0 >> 32)
    }
}
