//! Pool of idle connections, reused by later requests to the same server.
//!
//! A pooled connection stores the IP address of its peer. Only a request whose address
//! policy allows this address receives the connection, so reuse cannot bypass the policy.
//! A proxied connection has no peer address, so callers check the host before they use the
//! pool.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use url::Url;

use crate::connection::HttpConnection;
use crate::policy::AddressPolicy;

/// Idle time after which a connection is not reused. Common servers close idle
/// connections after 5 s (Apache) to 75 s (nginx).
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

/// Maximum number of idle connections. A TLS connection uses about 30 KiB.
const MAX_IDLE: usize = 512;

/// The server, or proxy, that a connection leads to. Requests with the same key can
/// use the same connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum PoolKey {
    /// The proxy that forwards plain HTTP requests to any host.
    Proxy,
    /// One host, reached directly or through a tunnel.
    Host {
        /// Whether the connection uses TLS.
        is_encrypted: bool,
        /// Whether the connection uses the client certificate for user-supplied
        /// hosts. Its responses must not reach other requests.
        uses_user_identity: bool,
        /// Host name or IP address, as in URLs.
        name: Box<str>,
        /// Port number.
        port: u16,
    },
}

impl PoolKey {
    /// Creates the key of an `http` or `https` URL.
    pub fn from_url(url: &Url) -> Self {
        Self::Host {
            is_encrypted: url.scheme() == "https",
            uses_user_identity: false,
            name: url.host_str().unwrap_or_default().into(),
            port: url.port_or_known_default().unwrap_or_default(),
        }
    }

    /// Creates the key of a URL whose host receives the client certificate for
    /// user-supplied hosts.
    pub fn with_user_identity(url: &Url) -> Self {
        let mut key = Self::from_url(url);
        if let Self::Host { uses_user_identity, .. } = &mut key {
            *uses_user_identity = true;
        }
        key
    }

    /// Whether the connection uses the client certificate for user-supplied
    /// hosts.
    pub fn uses_user_identity(&self) -> bool {
        matches!(self, Self::Host { uses_user_identity: true, .. })
    }

    /// Whether the server may select HTTP/2, which requires TLS.
    pub fn may_be_http2(&self) -> bool {
        matches!(self, Self::Host { is_encrypted: true, .. })
    }

    /// Returns the same key without the client certificate for user-supplied
    /// hosts.
    pub fn without_user_identity(&self) -> Cow<'_, Self> {
        let mut key = Cow::Borrowed(self);
        if self.uses_user_identity()
            && let Self::Host { uses_user_identity, .. } = key.to_mut()
        {
            *uses_user_identity = false;
        }
        key
    }
}

/// Idle and shared connections.
pub(crate) struct Pool {
    idle: Mutex<IdleMap<HttpConnection>>,
}

impl Pool {
    /// Creates an empty pool.
    pub fn new() -> Self {
        Self { idle: Mutex::new(IdleMap::new(MAX_IDLE)) }
    }

    /// Returns a connection that is still usable and whose peer `policy`
    /// allows.
    pub fn take(&self, key: &PoolKey, policy: AddressPolicy) -> Option<HttpConnection> {
        loop {
            let is_allowed = |connection: &HttpConnection| {
                connection.peer().is_none_or(|peer| policy.allows(peer))
            };
            let mut connection = self.lock().take(key, Instant::now(), is_allowed)?;
            if connection.is_ready() {
                return Some(connection);
            }
            // A shared connection is still in the map. An HTTP/1.1 connection was removed by
            // `take`.
            self.lock().discard(key, |connection| {
                matches!(connection, HttpConnection::Http2(shared) if !shared.is_ready())
            });
        }
    }

    /// Returns a connection to the pool if it can carry another request. HTTP/2
    /// connections are already in the pool: `share` adds them when they are
    /// opened.
    pub fn put_back(&self, key: PoolKey, mut connection: HttpConnection) {
        if matches!(connection, HttpConnection::Http1(_)) && connection.is_ready() {
            self.put(key, connection);
        }
    }

    /// Adds a connection to the pool for concurrent use, if it can be shared.
    pub fn share(&self, key: &PoolKey, connection: &HttpConnection) {
        if let Some(shared) = connection.share() {
            self.put(key.clone(), shared);
        }
    }

    /// Removes the shared connections of a key.
    pub fn remove_shared(&self, key: &PoolKey) {
        self.lock().discard(key, |connection| matches!(connection, HttpConnection::Http2(_)));
    }

    /// Adds a connection. If the pool is full, closes older connections.
    fn put(&self, key: PoolKey, connection: HttpConnection) {
        let evicted = self.lock().put(key, Instant::now(), connection);
        // Dropping closes sockets, so the evicted connections are dropped after the lock is
        // released.
        drop(evicted);
    }

    fn lock(&self) -> MutexGuard<'_, IdleMap<HttpConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An element of an [`IdleMap`]. The map is generic only for tests without sockets.
trait Shareable: Sized {
    /// Returns a clone if several users can share the element concurrently.
    fn share(&self) -> Option<Self>;
}

impl Shareable for HttpConnection {
    fn share(&self) -> Option<Self> {
        self.share()
    }
}

/// Elements (connections) by pool key, newest last, with the time of their last use.
struct IdleMap<T> {
    idle: HashMap<PoolKey, Vec<(Instant, T)>>,
    count: usize,
    max_count: usize,
}

impl<T: Shareable> IdleMap<T> {
    fn new(max_count: usize) -> Self {
        Self { idle: HashMap::new(), count: 0, max_count }
    }

    /// Returns the newest element that is not too old and satisfies `is_allowed`. A
    /// shareable element is cloned. Any other element is removed from the map.
    fn take(&mut self, key: &PoolKey, now: Instant, is_allowed: impl Fn(&T) -> bool) -> Option<T> {
        let entries = self.idle.get_mut(key)?;
        let index = entries
            .iter()
            .rposition(|(used_at, element)| now - *used_at < IDLE_TIMEOUT && is_allowed(element))?;
        let (used_at, element) = &mut entries[index];
        if let Some(shared) = element.share() {
            *used_at = now;
            return Some(shared);
        }
        let (_, taken) = entries.remove(index);
        self.count -= 1;
        if entries.is_empty() {
            self.idle.remove(key);
        }
        Some(taken)
    }

    /// Adds an element. If the map is full, evicts all elements past the idle timeout, or
    /// else the oldest element. Returns the evicted elements.
    fn put(&mut self, key: PoolKey, now: Instant, element: T) -> Vec<T> {
        let mut evicted = Vec::new();
        if self.count >= self.max_count {
            self.evict(|used_at| now - used_at >= IDLE_TIMEOUT, &mut evicted);
        }
        if self.count >= self.max_count
            && let Some(oldest) = self.oldest()
        {
            self.evict(|used_at| used_at <= oldest, &mut evicted);
        }
        self.idle.entry(key).or_default().push((now, element));
        self.count += 1;
        evicted
    }

    /// Removes the elements of a key that satisfy `should_remove`.
    fn discard(&mut self, key: &PoolKey, should_remove: impl Fn(&T) -> bool) {
        let Some(entries) = self.idle.get_mut(key) else { return };
        let old_len = entries.len();
        entries.retain(|(_, element)| !should_remove(element));
        self.count -= old_len - entries.len();
        if entries.is_empty() {
            self.idle.remove(key);
        }
    }

    fn oldest(&self) -> Option<Instant> {
        self.idle.values().flatten().map(|(used_at, _)| *used_at).min()
    }

    /// Moves all elements whose last use satisfies a condition to `evicted`.
    fn evict(&mut self, should_evict: impl Fn(Instant) -> bool, evicted: &mut Vec<T>) {
        self.idle.retain(|_, entries| {
            evicted.extend(
                entries
                    .extract_if(.., |(used_at, _)| should_evict(*used_at))
                    .map(|(_, element)| element),
            );
            !entries.is_empty()
        });
        self.count = self.idle.values().map(Vec::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In these tests, negative numbers can be shared.
    impl Shareable for i32 {
        fn share(&self) -> Option<Self> {
            (*self < 0).then_some(*self)
        }
    }

    /// Returns the key of a URL without client certificate.
    fn key(url: &str) -> PoolKey {
        PoolKey::from_url(&Url::parse(url).unwrap())
    }

    #[test]
    fn pool_key_consists_of_scheme_host_and_port() {
        let pool_key = key("http://a.test/x");
        assert_eq!(pool_key, key("http://a.test:80/y?z"));
        for other in
            ["https://a.test/", "http://b.test/", "http://a.test:81/", "https://a.test:80/"]
        {
            assert_ne!(pool_key, key(other), "{other}");
        }
    }

    #[test]
    fn take_returns_newest_allowed_element() {
        let now = Instant::now();
        let mut map = IdleMap::new(8);
        for number in [1, 2, 3] {
            map.put(key("http://a.test/"), now, number);
        }
        let pool_key = key("http://a.test/");
        assert_eq!(map.take(&pool_key, now, |number| *number < 3), Some(2));
        assert_eq!(map.take(&pool_key, now, |_| true), Some(3));
        assert_eq!(map.take(&key("http://b.test/"), now, |_| true), None);
    }

    #[test]
    fn shared_element_stays_in_the_map_when_taken() {
        let now = Instant::now();
        let mut map = IdleMap::new(8);
        let pool_key = key("https://a.test/");
        map.put(pool_key.clone(), now, -1);
        for seconds in (0..60).step_by(10) {
            let later = now + Duration::from_secs(seconds);
            assert_eq!(map.take(&pool_key, later, |_| true), Some(-1), "{seconds}");
        }
        assert_eq!(map.count, 1);
        map.discard(&pool_key, |number| *number == -1);
        assert_eq!((map.count, map.idle.len()), (0, 0));
    }

    #[test]
    fn key_with_user_identity_differs_from_key_without() {
        let url = Url::parse("https://a.test/").unwrap();
        let (with_identity, anonymous) =
            (PoolKey::with_user_identity(&url), PoolKey::from_url(&url));
        assert_ne!(with_identity, anonymous);
        assert_eq!(*with_identity.without_user_identity(), anonymous);
        assert_eq!(*anonymous.without_user_identity(), anonymous);
    }

    #[test]
    fn take_ignores_elements_past_the_idle_timeout() {
        let now = Instant::now();
        let mut map = IdleMap::new(8);
        let pool_key = key("http://a.test/");
        map.put(pool_key.clone(), now, 1);
        assert_eq!(map.take(&pool_key, now + IDLE_TIMEOUT, |_| true), None);
    }

    #[test]
    fn put_evicts_the_oldest_or_all_expired_elements_when_full() {
        let now = Instant::now();
        let mut map = IdleMap::new(2);
        let late = |seconds| now + Duration::from_secs(seconds);
        assert!(map.put(key("http://a.test/"), now, 1).is_empty());
        assert!(map.put(key("http://b.test/"), late(1), 2).is_empty());
        assert_eq!(map.put(key("http://c.test/"), late(2), 3), [1]);
        // After a minute, both remaining elements are past the idle timeout.
        let mut evicted = map.put(key("http://d.test/"), late(60), 4);
        evicted.sort_unstable();
        assert_eq!(evicted, [2, 3]);
        assert_eq!(map.count, 1);
    }
}
