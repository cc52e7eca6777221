//! A scripted name server on 127.0.0.1.
//!
//! It supports as much of DNS (RFC 1035) over UDP as needed to resolve, refuse,
//! fail or ignore queries for single names. Its responses have a TTL of 0, so
//! that clients do not cache them.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::UdpSocket;
use tokio::task::JoinSet;

/// The reply to queries for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// These addresses. An empty list means that the name has no address record.
    Addresses(Vec<IpAddr>),
    /// NXDOMAIN.
    NoSuchName,
    /// SERVFAIL.
    Failure,
    /// REFUSED.
    Refused,
    /// No response.
    NoResponse,
}

/// A scripted name server. Names without a reply do not exist.
#[derive(Debug)]
pub struct Dns {
    address: SocketAddr,
    zone: Arc<Mutex<Zone>>,
    // Dropping the `JoinSet` ends the server.
    _server: JoinSet<()>,
}

/// The replies of the server and its statistics.
#[derive(Debug, Default)]
struct Zone {
    /// Names whose AAAA queries get no response.
    silent_v6: HashSet<String>,
    replies: HashMap<String, Vec<Reply>>,
    /// The addresses of names without a reply.
    wildcard: Option<Vec<IpAddr>>,
    /// The number of queries for each name, by record type.
    counts: HashMap<(String, u16), usize>,
}

/// Record types (RFC 1035, section 3.2.2, and RFC 3596).
const A: u16 = 1;
const AAAA: u16 = 28;

impl Dns {
    /// Starts a server on a free port, on the caller's runtime.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port.
    pub async fn start() -> Self {
        let socket =
            UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("loopback has a free port");
        let address = socket.local_addr().expect("a bound socket has an address");
        let zone = Arc::default();
        let mut server = JoinSet::new();
        server.spawn(serve(socket, Arc::clone(&zone)));
        Self { address, zone, _server: server }
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the reply for a name.
    pub fn set_reply(&self, name: &str, reply: Reply) -> &Self {
        self.cycle_replies(name, [reply])
    }

    /// Sets the addresses of a name.
    pub fn set_addresses(&self, name: &str, addresses: &[IpAddr]) -> &Self {
        self.set_reply(name, Reply::Addresses(addresses.to_vec()))
    }

    /// Sets replies for a name that are repeated in a cycle.
    ///
    /// A and AAAA queries are counted separately, so both queries of one lookup
    /// get the same reply.
    pub fn cycle_replies(&self, name: &str, replies: impl IntoIterator<Item = Reply>) -> &Self {
        let replies = replies.into_iter().collect();
        lock(&self.zone).replies.insert(name.to_owned(), replies);
        self
    }

    /// Ignores AAAA queries for a name.
    pub fn drop_v6_queries(&self, name: &str) -> &Self {
        lock(&self.zone).silent_v6.insert(name.to_owned());
        self
    }

    /// Sets the addresses of all other names, as some providers do.
    pub fn resolve_everything(&self, addresses: &[IpAddr]) -> &Self {
        lock(&self.zone).wildcard = Some(addresses.to_vec());
        self
    }

    /// Returns the number of queries for a name.
    pub fn query_count(&self, name: &str) -> usize {
        let zone = lock(&self.zone);
        let counts = zone.counts.iter().filter(|((queried, _), _)| queried == name);
        counts.map(|(_, count)| count).sum()
    }
}

fn lock(zone: &Mutex<Zone>) -> MutexGuard<'_, Zone> {
    zone.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Responds to queries.
async fn serve(socket: UdpSocket, zone: Arc<Mutex<Zone>>) {
    let mut buffer = [0; 1500];
    loop {
        // An error means that a client closed its socket before the response.
        let Ok((length, client)) = socket.recv_from(&mut buffer).await else {
            continue;
        };
        let Some(query) = Question::parse(&buffer[..length]) else {
            continue;
        };
        let reply = lock(&zone).reply_to(&query);
        if let Some(message) = query.response(&reply) {
            let _ = socket.send_to(&message, client).await;
        }
    }
}

impl Zone {
    /// Counts a query and returns its reply.
    fn reply_to(&mut self, query: &Question<'_>) -> Reply {
        let key = (query.name.clone(), query.kind);
        let count = self.counts.entry(key).or_insert(0);
        *count += 1;
        if query.kind == AAAA && self.silent_v6.contains(&query.name) {
            return Reply::NoResponse;
        }
        match self.replies.get(&query.name) {
            Some(replies) if !replies.is_empty() => replies[(*count - 1) % replies.len()].clone(),
            _ => self.wildcard.clone().map_or(Reply::NoSuchName, Reply::Addresses),
        }
    }
}

/// The question of a DNS query (RFC 1035, section 4.1.2).
struct Question<'a> {
    id: &'a [u8],
    name: String,
    /// The record type.
    kind: u16,
    /// Name, type and class as received, to be copied into the response.
    bytes: &'a [u8],
}

/// The length of a message header.
const HEADER_LENGTH: usize = 12;

impl<'a> Question<'a> {
    /// Parses the question of a query. Returns `None` if the message is too short.
    fn parse(message: &'a [u8]) -> Option<Self> {
        let body = message.get(HEADER_LENGTH..)?;
        let mut labels = Vec::new();
        let mut offset = 0;
        while let length @ 1.. = usize::from(*body.get(offset)?) {
            let label = body.get(offset + 1..offset + 1 + length)?;
            labels.push(String::from_utf8_lossy(label).to_ascii_lowercase());
            offset += 1 + length;
        }
        // After the labels follow an empty label (1 byte), the type and the class (2 bytes each).
        let bytes = body.get(..offset + 5)?;
        Some(Self {
            id: &message[..2],
            name: labels.join("."),
            kind: u16::from_be_bytes([bytes[offset + 1], bytes[offset + 2]]),
            bytes,
        })
    }

    /// Returns the response message, or `None` if the server does not respond.
    fn response(&self, reply: &Reply) -> Option<Vec<u8>> {
        // Response codes of RFC 1035, section 4.1.1.
        let (code, addresses) = match reply {
            Reply::Addresses(addresses) => (0, addresses.as_slice()),
            Reply::Failure => (2, &[][..]),
            Reply::NoSuchName => (3, &[][..]),
            Reply::Refused => (5, &[][..]),
            Reply::NoResponse => return None,
        };
        let records: Vec<_> =
            addresses.iter().filter_map(|address| self.record(*address)).collect();
        let count = u8::try_from(records.len()).ok()?;
        let mut message = self.id.to_vec();
        // The flags of a response (recursion desired and available) with the code, then the
        // numbers of questions (one), answers, authorities and additional records.
        message.extend([0x81, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0]);
        message.extend(self.bytes);
        message.extend(records.concat());
        Some(message)
    }

    /// Returns the record of an address, if the query is for its family.
    fn record(&self, address: IpAddr) -> Option<Vec<u8>> {
        let (kind, bytes) = match address {
            IpAddr::V4(address) => (A, address.octets().to_vec()),
            IpAddr::V6(address) => (AAAA, address.octets().to_vec()),
        };
        // The name is a pointer to the name in the question.
        let mut record = vec![0xc0, 0x0c];
        record.extend(kind.to_be_bytes());
        // The class IN, the TTL 0 and the length of the address.
        record.extend([0, 1, 0, 0, 0, 0, 0, u8::try_from(bytes.len()).ok()?]);
        record.extend(bytes);
        (kind == self.kind).then_some(record)
    }
}
