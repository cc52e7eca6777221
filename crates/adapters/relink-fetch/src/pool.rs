//! Connections kept for the next request to the same place.
//!
//! A kept connection remembers its peer, and is given only to a request whose
//! permit covers that address: keeping connections opens no way around the
//! address policy. One that goes through a proxy has no peer to rule on; who
//! asks through a proxy has ruled on the host before.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use url::Url;

use crate::connection::HttpConnection;
use crate::policy::AddressPolicy;

/// Common servers close idle connections after 5 (Apache) to 75 s (nginx).
pub(crate) const IDLE_AGE: Duration = Duration::from_secs(15);

/// Kept connections in all. Encrypted ones hold some 30 KiB each.
const IDLE_CAP: usize = 512;

/// What makes two URLs share a connection.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum PoolKey {
    /// The proxy, which passes on plain requests to any host.
    Proxy,
    /// One host, directly or through a tunnel.
    Host {
        /// Whether TLS is spoken with it.
        is_encrypted: bool,
        /// Whether it gets the client certificate for hosts that the user
        /// named: what it says then is not for other requests.
        is_named: bool,
        /// Its name or address, as in URLs.
        name: Box<str>,
        /// Its port.
        port: u16,
    },
}

impl PoolKey {
    /// The origin of a web URL.
    pub fn of(url: &Url) -> Self {
        Self::Host {
            is_encrypted: url.scheme() == "https",
            is_named: false,
            name: url.host_str().unwrap_or_default().into(),
            port: url.port_or_known_default().unwrap_or_default(),
        }
    }

    /// The origin of a URL whose host the user named.
    pub fn of_named(url: &Url) -> Self {
        let mut origin = Self::of(url);
        if let Self::Host { is_named, .. } = &mut origin {
            *is_named = true;
        }
        origin
    }

    /// Whether the host gets the client certificate for named hosts.
    pub fn is_named(&self) -> bool {
        matches!(self, Self::Host { is_named: true, .. })
    }

    /// Whether the server may choose HTTP/2, which is agreed on within TLS.
    pub fn may_be_http2(&self) -> bool {
        matches!(self, Self::Host { is_encrypted: true, .. })
    }

    /// The same host, named by the user or not.
    pub fn anonymous(&self) -> Cow<'_, Self> {
        let mut origin = Cow::Borrowed(self);
        if self.is_named()
            && let Self::Host { is_named, .. } = origin.to_mut()
        {
            *is_named = false;
        }
        origin
    }
}

/// The connections now idle.
pub(crate) struct Pool {
    shelf: Mutex<IdleMap<HttpConnection>>,
}

impl Pool {
    /// An empty pool.
    pub fn new() -> Self {
        Self { shelf: Mutex::new(IdleMap::new(IDLE_CAP)) }
    }

    /// Takes a connection that is still good and that `permit` covers.
    pub fn take(&self, origin: &PoolKey, permit: AddressPolicy) -> Option<HttpConnection> {
        loop {
            let is_fit = |line: &HttpConnection| line.peer().is_none_or(|peer| permit.covers(peer));
            let mut line = self.shelf().take(origin, Instant::now(), is_fit)?;
            if line.is_ready() {
                return Some(line);
            }
            self.shelf()
                .discard(origin, |it| matches!(it, HttpConnection::Http2(it) if !it.is_ready()));
        }
    }

    /// Saves a connection if another request can go over it. A shared one is
    /// there already, since it was opened.
    pub fn give(&self, origin: PoolKey, mut line: HttpConnection) {
        if matches!(line, HttpConnection::Http1(_)) && line.is_ready() {
            self.put(origin, line);
        }
    }

    /// Lets other requests use a connection from now on, if it can be shared.
    pub fn share(&self, origin: &PoolKey, line: &HttpConnection) {
        if let Some(shared) = line.share() {
            self.put(origin.clone(), shared);
        }
    }

    /// Lets no other request use the shared connections to an origin.
    pub fn withdraw(&self, origin: &PoolKey) {
        self.shelf().discard(origin, |it| matches!(it, HttpConnection::Http2(_)));
    }

    fn put(&self, origin: PoolKey, line: HttpConnection) {
        let evicted = self.shelf().put(origin, Instant::now(), line);
        // Sockets are closed after the lock is let go.
        drop(evicted);
    }

    fn shelf(&self) -> MutexGuard<'_, IdleMap<HttpConnection>> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a [`Shelf`] holds.
trait Shelved: Sized {
    /// A clone for one more user, if there may be several at a time.
    fn share(&self) -> Option<Self>;
}

impl Shelved for HttpConnection {
    fn share(&self) -> Option<Self> {
        self.share()
    }
}

/// Things by origin, newest last, with the time of their last use.
struct IdleMap<T> {
    kept: HashMap<PoolKey, Vec<(Instant, T)>>,
    count: usize,
    cap: usize,
}

impl<T: Shelved> IdleMap<T> {
    fn new(cap: usize) -> Self {
        Self { kept: HashMap::new(), count: 0, cap }
    }

    /// Takes the newest that is young enough and fit, or a clone of it if it
    /// can be shared.
    fn take(&mut self, origin: &PoolKey, now: Instant, is_fit: impl Fn(&T) -> bool) -> Option<T> {
        let row = self.kept.get_mut(origin)?;
        let place = row.iter().rposition(|(since, it)| now - *since < IDLE_AGE && is_fit(it))?;
        let (since, found) = &mut row[place];
        if let Some(shared) = found.share() {
            *since = now;
            return Some(shared);
        }
        let (_, taken) = row.remove(place);
        self.count -= 1;
        if row.is_empty() {
            self.kept.remove(origin);
        }
        Some(taken)
    }

    /// Keeps one more; returns what had to go for it.
    fn put(&mut self, origin: PoolKey, now: Instant, it: T) -> Vec<T> {
        let mut evicted = Vec::new();
        if self.count >= self.cap {
            self.evict(|since| now - since >= IDLE_AGE, &mut evicted);
        }
        if self.count >= self.cap
            && let Some(oldest) = self.oldest()
        {
            self.evict(|since| since <= oldest, &mut evicted);
        }
        self.kept.entry(origin).or_default().push((now, it));
        self.count += 1;
        evicted
    }

    /// Removes what is of no more use.
    fn discard(&mut self, origin: &PoolKey, is_over: impl Fn(&T) -> bool) {
        let Some(row) = self.kept.get_mut(origin) else { return };
        let before = row.len();
        row.retain(|(_, it)| !is_over(it));
        self.count -= before - row.len();
        if row.is_empty() {
            self.kept.remove(origin);
        }
    }

    fn oldest(&self) -> Option<Instant> {
        self.kept.values().flatten().map(|(since, _)| *since).min()
    }

    fn evict(&mut self, is_due: impl Fn(Instant) -> bool, evicted: &mut Vec<T>) {
        self.kept.retain(|_, row| {
            evicted.extend(row.extract_if(.., |(since, _)| is_due(*since)).map(|(_, it)| it));
            !row.is_empty()
        });
        self.count = self.kept.values().map(Vec::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Negative numbers can be shared.
    impl Shelved for i32 {
        fn share(&self) -> Option<Self> {
            (*self < 0).then_some(*self)
        }
    }

    fn origin(url: &str) -> PoolKey {
        PoolKey::of(&Url::parse(url).unwrap())
    }

    #[test]
    fn scheme_host_and_port_make_an_origin() {
        let here = origin("http://a.test/x");
        assert_eq!(here, origin("http://a.test:80/y?z"));
        for other in
            ["https://a.test/", "http://b.test/", "http://a.test:81/", "https://a.test:80/"]
        {
            assert_ne!(here, origin(other), "{other}");
        }
    }

    #[test]
    fn the_newest_fit_one_is_taken() {
        let now = Instant::now();
        let mut shelf = IdleMap::new(8);
        for number in [1, 2, 3] {
            shelf.put(origin("http://a.test/"), now, number);
        }
        let here = origin("http://a.test/");
        assert_eq!(shelf.take(&here, now, |it| *it < 3), Some(2));
        assert_eq!(shelf.take(&here, now, |_| true), Some(3));
        assert_eq!(shelf.take(&origin("http://b.test/"), now, |_| true), None);
    }

    #[test]
    fn shared_connection_stays_for_others_while_it_is_used() {
        let now = Instant::now();
        let mut shelf = IdleMap::new(8);
        let here = origin("https://a.test/");
        shelf.put(here.clone(), now, -1);
        for seconds in (0..60).step_by(10) {
            let later = now + Duration::from_secs(seconds);
            assert_eq!(shelf.take(&here, later, |_| true), Some(-1), "{seconds}");
        }
        assert_eq!(shelf.count, 1);
        shelf.discard(&here, |it| *it == -1);
        assert_eq!((shelf.count, shelf.kept.len()), (0, 0));
    }

    #[test]
    fn named_host_has_connections_of_its_own() {
        let url = Url::parse("https://a.test/").unwrap();
        let (named, anonymous) = (PoolKey::of_named(&url), PoolKey::of(&url));
        assert_ne!(named, anonymous);
        assert_eq!(*named.anonymous(), anonymous);
        assert_eq!(*anonymous.anonymous(), anonymous);
    }

    #[test]
    fn the_old_are_not_taken() {
        let now = Instant::now();
        let mut shelf = IdleMap::new(8);
        let here = origin("http://a.test/");
        shelf.put(here.clone(), now, 1);
        assert_eq!(shelf.take(&here, now + IDLE_AGE, |_| true), None);
    }

    #[test]
    fn a_full_shelf_lets_the_oldest_go() {
        let now = Instant::now();
        let mut shelf = IdleMap::new(2);
        let late = |seconds| now + Duration::from_secs(seconds);
        assert!(shelf.put(origin("http://a.test/"), now, 1).is_empty());
        assert!(shelf.put(origin("http://b.test/"), late(1), 2).is_empty());
        assert_eq!(shelf.put(origin("http://c.test/"), late(2), 3), [1]);
        let mut evicted = shelf.put(origin("http://d.test/"), late(60), 4);
        evicted.sort_unstable();
        assert_eq!(evicted, [2, 3]);
        assert_eq!(shelf.count, 1);
    }
}
