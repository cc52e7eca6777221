//! The leased hosts: which of them may send a request, and when.
//!
//! A *lease* is the exclusive right to send requests to a host until a given time. A
//! request must be allowed by the rate limiter of its host and by that of its IP
//! address. Never sleeps and sends nothing; callers pass the time, measured since the
//! start of the dispatcher.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::time::Duration;

use relink_frontier::{IpRateLimiter, Outage};
use relink_model::TaskId;
use relink_ports::HostId;
use url::Url;

use super::host_queue::{AddressLookup, HostQueue};
use crate::Waiting;

/// Maximum number of hosts named in a progress report.
const MAX_NAMED_HOSTS: usize = 3;

/// Position of a host in the ready set. Hosts that are ready at the same time
/// are ordered by their next task, which is the order of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadyKey {
    /// The time at which the next request may be sent; zero if it may be sent now.
    pub(super) at: Duration,
    /// Whether the next request is for a control: a page fetched only for comparison.
    /// Controls go first, because many tasks may wait for them.
    pub(super) is_control: bool,
    /// The next task of the host.
    pub(super) next_task: TaskId,
}

impl Ord for ReadyKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = |key: &Self| (key.at, !key.is_control, key.next_task);
        order(self).cmp(&order(other))
    }
}

impl PartialOrd for ReadyKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The leased hosts.
pub(super) struct HostQueues {
    /// The hosts by id, which are looked up several times per request. The ids come
    /// from the store, so the hasher needs no protection against collision attacks.
    queues: HashMap<HostId, HostQueue, BuildHasherDefault<IdHasher>>,
    /// Hosts with a request to send, ordered by the time at which it may be sent.
    ready: BTreeSet<(ReadyKey, HostId)>,
    ip_limiter: IpRateLimiter,
    /// Failures of hosts that are not leased at present.
    outages: HashMap<HostId, Outage>,
}

impl HostQueues {
    /// Creates an empty set of hosts with `ip_gap` between the requests to
    /// different hosts on one IP address.
    pub(super) fn new(ip_gap: Duration) -> Self {
        Self {
            queues: HashMap::default(),
            ready: BTreeSet::new(),
            ip_limiter: IpRateLimiter::new(ip_gap),
            outages: HashMap::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.queues.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    pub(super) fn contains(&self, host: HostId) -> bool {
        self.queues.contains_key(&host)
    }

    pub(super) fn get(&self, host: HostId) -> Option<&HostQueue> {
        self.queues.get(&host)
    }

    pub(super) fn get_mut(&mut self, host: HostId) -> Option<&mut HostQueue> {
        self.queues.get_mut(&host)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (HostId, &HostQueue)> {
        self.queues.iter().map(|(host, queue)| (*host, queue))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut HostQueue> {
        self.queues.values_mut()
    }

    /// Adds a claimed host.
    pub(super) fn insert(&mut self, queue: HostQueue) {
        self.queues.insert(queue.lease.host, queue);
    }

    /// Restores the failures of a host from an earlier lease.
    pub(super) fn restore_outage(&self, queue: &mut HostQueue) {
        queue.outage = self.outages.get(&queue.lease.host).cloned().unwrap_or_default();
    }

    /// Removes a host. Its failures are saved for its next lease.
    pub(super) fn remove(&mut self, host: HostId) -> Option<HostQueue> {
        let mut queue = self.queues.remove(&host)?;
        if let Some(ready_key) = queue.ready_key.take() {
            self.ready.remove(&(ready_key, host));
        }
        if queue.outage.has_failures() {
            self.outages.insert(host, queue.outage.clone());
        } else {
            self.outages.remove(&host);
        }
        Some(queue)
    }

    /// Updates the position of a host in the ready set, after anything changed that
    /// determines its next request.
    pub(super) fn schedule(&mut self, host: HostId, now: Duration) {
        let at = self.ready_at(host);
        let Some(queue) = self.queues.get_mut(&host) else { return };
        let ready_key = at.and_then(|at| queue.ready_key_at(at, now));
        if queue.ready_key == ready_key {
            return;
        }
        if let Some(old) = queue.ready_key.take() {
            self.ready.remove(&(old, host));
        }
        let Some(ready_key) = ready_key else { return };
        if ready_key.at > now {
            queue.waiting_since.get_or_insert(now);
        }
        queue.ready_key = Some(ready_key);
        self.ready.insert((ready_key, host));
    }

    /// Returns when the next request of a host may be sent, by all rate
    /// limiters.
    pub(super) fn ready_at(&self, host: HostId) -> Option<Duration> {
        let queue = self.queues.get(&host)?;
        let by_host = queue.ready_at()?;
        let by_ip = queue.address().map(|address| self.ip_limiter.ready_at(address, host.0));
        Some(by_host.max(by_ip.unwrap_or_default()))
    }

    /// Records that a request to a host is sent.
    pub(super) fn request_started(&mut self, host: HostId, now: Duration) {
        let Some(queue) = self.queues.get_mut(&host) else { return };
        queue.request_started(now);
        if let Some(address) = queue.address() {
            self.ip_limiter.request_started(address, host.0, now);
        }
    }

    /// Returns the first host that may send a request now. `has_slot` tests whether the
    /// limit of requests in flight allows its next request.
    pub(super) fn next_ready(
        &self,
        now: Duration,
        has_slot: impl Fn(ReadyKey) -> bool,
    ) -> Option<HostId> {
        let mut ready = self.ready.iter().take_while(|(ready_key, _)| ready_key.at <= now);
        ready.find(|(ready_key, _)| has_slot(*ready_key)).map(|(_, host)| *host)
    }

    /// Returns when the next request for which `has_slot` is true may be sent.
    pub(super) fn next_send(&self, has_slot: impl Fn(ReadyKey) -> bool) -> Option<Duration> {
        let mut ready = self.ready.iter().map(|(ready_key, _)| *ready_key);
        ready.find(|ready_key| has_slot(*ready_key)).map(|ready_key| ready_key.at)
    }

    /// Returns a URL of a host whose address is not looked up yet, and marks the
    /// lookup as started. The address is needed before the first request, so that
    /// the limit per IP address applies from the start.
    pub(super) fn start_address_lookup(&mut self, host: HostId) -> Option<Url> {
        let queue = self.queues.get_mut(&host)?;
        if queue.address_lookup != AddressLookup::Unknown {
            return None;
        }
        let url = queue.tasks.front().and_then(|task| Url::parse(&task.url).ok())?;
        queue.address_lookup = AddressLookup::InProgress;
        Some(url)
    }

    /// Returns the hosts with the longest waits, if these exceed a second.
    pub(super) fn longest_waits(&self, now: Duration) -> Vec<Waiting> {
        let is_long = |wait: &Duration| *wait > Duration::from_secs(1);
        self.ready
            .iter()
            .rev()
            .map_while(|(ready_key, host)| {
                Some((ready_key.at.checked_sub(now).filter(is_long)?, host))
            })
            .filter_map(|(wait, host)| Some((wait, self.queues.get(host)?)))
            .take(MAX_NAMED_HOSTS)
            .map(|(wait, queue)| queue.waiting(wait))
            .collect()
    }
}

/// Hasher that spreads consecutive numbers by multiplication (Knuth, *The Art of
/// Computer Programming*, volume 3, section 6.4).
#[derive(Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // 2^64 divided by the golden ratio.
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

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use jiff::Timestamp;
    use relink_frontier::PolitenessPolicy;
    use relink_model::{FetchTask, TargetId};
    use relink_ports::{Claim, HostLease, HostSchedule};

    use super::super::host_queue::{CurrentTime, RefillLimit};
    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    /// A host with one task, which is ready at `now`.
    fn queue(host: i64, address: Option<IpAddr>, now: Duration) -> HostQueue {
        let name = format!("host{host}.test");
        let url = format!("http://{name}/");
        let claim = Claim {
            lease: HostLease { host: HostId(host), fencing_token: 1 },
            name,
            schedule: HostSchedule { address, ..HostSchedule::default() },
            tasks: vec![FetchTask { id: TaskId(host), target: TargetId(host), url, ..task() }],
        };
        let politeness = PolitenessPolicy::check(1, 100 * MS);
        let now = CurrentTime { elapsed: now, time: Timestamp::UNIX_EPOCH };
        HostQueue::new(claim, politeness, now, RefillLimit { limit: 10, stored_batches: 0 })
    }

    fn task() -> FetchTask {
        FetchTask {
            id: TaskId(0),
            target: TargetId(0),
            url: String::new(),
            original_url: String::new(),
            rights: relink_model::RequestRights::default(),
            purpose: relink_model::FetchPurpose::Initial,
            attempts: Vec::new(),
            not_before: Timestamp::UNIX_EPOCH,
            history: relink_model::History::default(),
            depth: None,
        }
    }

    /// Hosts 1, 2, … with these addresses, and 40 ms between the requests to different
    /// hosts on one address.
    fn queues(addresses: &[Option<IpAddr>]) -> HostQueues {
        let mut queues = HostQueues::new(40 * MS);
        for (host, address) in (1..).zip(addresses) {
            queues.insert(queue(host, *address, Duration::ZERO));
            queues.schedule(HostId(host), Duration::ZERO);
        }
        queues
    }

    #[test]
    fn hosts_are_ready_in_the_order_of_their_tasks() {
        let queues = queues(&[Some(ADDRESS); 3]);
        assert_eq!(queues.next_ready(Duration::ZERO, |_| true), Some(HostId(1)));
        assert_eq!(queues.next_ready(Duration::ZERO, |_| false), None);
        let has_slot = |ready_key: ReadyKey| ready_key.next_task > TaskId(1);
        assert_eq!(queues.next_ready(Duration::ZERO, has_slot), Some(HostId(2)));
    }

    #[test]
    fn request_delays_other_hosts_on_the_same_address() {
        let other_address = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 2));
        let mut queues = queues(&[Some(ADDRESS), Some(ADDRESS), Some(other_address)]);
        queues.request_started(HostId(1), 5 * MS);
        assert_eq!(queues.ready_at(HostId(1)), None, "its only slot is in use");
        assert_eq!(queues.ready_at(HostId(2)), Some(45 * MS));
        assert_eq!(queues.ready_at(HostId(3)), Some(Duration::ZERO));
    }

    #[test]
    fn host_without_an_address_is_looked_up_once() {
        let mut queues = queues(&[None]);
        assert_eq!(queues.next_ready(Duration::ZERO, |_| true), None);
        let url = queues.start_address_lookup(HostId(1)).unwrap();
        assert_eq!(url.as_str(), "http://host1.test/");
        assert_eq!(queues.start_address_lookup(HostId(1)), None);
        queues.get_mut(HostId(1)).unwrap().address_lookup = AddressLookup::Known(None);
        queues.schedule(HostId(1), Duration::ZERO);
        assert_eq!(queues.next_ready(Duration::ZERO, |_| true), Some(HostId(1)));
    }

    #[test]
    fn removed_host_is_not_ready() {
        let mut queues = queues(&[Some(ADDRESS); 2]);
        assert!(queues.remove(HostId(1)).is_some());
        assert_eq!(queues.next_ready(Duration::ZERO, |_| true), Some(HostId(2)));
        assert!(queues.remove(HostId(1)).is_none());
        assert_eq!(queues.next_send(|_| true), Some(Duration::ZERO));
    }

    #[test]
    fn longest_waits_names_hosts_that_wait_more_than_a_second() {
        let mut queues = queues(&[Some(ADDRESS); 2]);
        let busy = queues.get_mut(HostId(2)).unwrap();
        busy.pacer.delay_next(Duration::from_secs(9));
        queues.schedule(HostId(2), Duration::ZERO);
        let waits = queues.longest_waits(Duration::ZERO);
        assert_eq!(waits.iter().map(|wait| &*wait.host).collect::<Vec<_>>(), ["host2.test"]);
    }
}
