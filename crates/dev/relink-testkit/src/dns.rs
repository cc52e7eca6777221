//! A name server for tests, on 127.0.0.1.
//!
//! It speaks just enough DNS (RFC 1035) over UDP to answer, refuse, fail or
//! keep silent about one name at a time. Its answers may be kept for no time
//! at all (TTL 0), so that every lookup asks again.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::UdpSocket;
use tokio::task::JoinSet;

/// What the name server says about a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// These addresses; none means that the name has no address.
    Addresses(Vec<IpAddr>),
    /// There is no such name.
    NoSuchName,
    /// Something went wrong (SERVFAIL).
    Failure,
    /// The server will not say (REFUSED).
    Refusal,
    /// Nothing at all.
    Silence,
}

/// A scripted name server. A name it was told nothing about does not exist.
#[derive(Debug)]
pub struct Dns {
    address: SocketAddr,
    zone: Arc<Mutex<Zone>>,
    // Dropping the set ends the server.
    _server: JoinSet<()>,
}

#[derive(Debug, Default)]
struct Zone {
    /// Names that get no answer about IPv6.
    silent_v6: HashSet<String>,
    replies: HashMap<String, Vec<Reply>>,
    /// The addresses of every name that it was told nothing about.
    wildcard: Option<Vec<IpAddr>>,
    /// How often each name was asked for, by record type.
    asked: HashMap<(String, u16), usize>,
}

/// Record types (RFC 1035, section 3.2.2, and RFC 3596).
const A: u16 = 1;
const AAAA: u16 = 28;

impl Dns {
    /// Starts one on a free port, on the caller's runtime.
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

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Says the same about a name, always.
    pub fn say(&self, name: &str, reply: Reply) -> &Self {
        self.flip(name, [reply])
    }

    /// Gives a name these addresses.
    pub fn addresses(&self, name: &str, addresses: &[IpAddr]) -> &Self {
        self.say(name, Reply::Addresses(addresses.to_vec()))
    }

    /// Says one thing after the other about a name, over and over.
    ///
    /// The questions for IPv4 and IPv6 are counted apart, so both halves of
    /// one lookup get the same reply.
    pub fn flip(&self, name: &str, replies: impl IntoIterator<Item = Reply>) -> &Self {
        let replies = replies.into_iter().collect();
        lock(&self.zone).replies.insert(name.to_owned(), replies);
        self
    }

    /// Never answers a question for the IPv6 addresses of a name.
    pub fn drop_v6_questions(&self, name: &str) -> &Self {
        lock(&self.zone).silent_v6.insert(name.to_owned());
        self
    }

    /// Gives every other name these addresses, as some providers do.
    pub fn resolve_everything(&self, addresses: &[IpAddr]) -> &Self {
        lock(&self.zone).wildcard = Some(addresses.to_vec());
        self
    }

    /// How many questions came for a name.
    pub fn asked(&self, name: &str) -> usize {
        let zone = lock(&self.zone);
        let counts = zone.asked.iter().filter(|((asked, _), _)| asked == name);
        counts.map(|(_, count)| count).sum()
    }
}

fn lock(zone: &Mutex<Zone>) -> MutexGuard<'_, Zone> {
    zone.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(socket: UdpSocket, zone: Arc<Mutex<Zone>>) {
    let mut buffer = [0; 1500];
    loop {
        // A client gone before its answer shows here as an error; go on.
        let Ok((length, client)) = socket.recv_from(&mut buffer).await else {
            continue;
        };
        let Some(question) = Question::parse(&buffer[..length]) else {
            continue;
        };
        let reply = lock(&zone).reply_to(&question);
        if let Some(message) = question.answer(&reply) {
            let _ = socket.send_to(&message, client).await;
        }
    }
}

impl Zone {
    fn reply_to(&mut self, question: &Question<'_>) -> Reply {
        let key = (question.name.clone(), question.kind);
        let count = self.asked.entry(key).or_insert(0);
        *count += 1;
        if question.kind == AAAA && self.silent_v6.contains(&question.name) {
            return Reply::Silence;
        }
        match self.replies.get(&question.name) {
            Some(replies) if !replies.is_empty() => replies[(*count - 1) % replies.len()].clone(),
            _ => self.wildcard.clone().map_or(Reply::NoSuchName, Reply::Addresses),
        }
    }
}

/// The one question of a query.
struct Question<'a> {
    id: &'a [u8],
    name: String,
    kind: u16,
    /// Name, type and class as sent, to be sent back.
    echo: &'a [u8],
}

const HEADER_LENGTH: usize = 12;

impl<'a> Question<'a> {
    fn parse(message: &'a [u8]) -> Option<Self> {
        let body = message.get(HEADER_LENGTH..)?;
        let mut labels = Vec::new();
        let mut at = 0;
        while let length @ 1.. = usize::from(*body.get(at)?) {
            let label = body.get(at + 1..at + 1 + length)?;
            labels.push(String::from_utf8_lossy(label).to_ascii_lowercase());
            at += 1 + length;
        }
        let echo = body.get(..at + 5)?;
        Some(Self {
            id: &message[..2],
            name: labels.join("."),
            kind: u16::from_be_bytes([echo[at + 1], echo[at + 2]]),
            echo,
        })
    }

    fn answer(&self, reply: &Reply) -> Option<Vec<u8>> {
        // Response codes of RFC 1035, section 4.1.1.
        let (code, addresses) = match reply {
            Reply::Addresses(addresses) => (0, addresses.as_slice()),
            Reply::Failure => (2, &[][..]),
            Reply::NoSuchName => (3, &[][..]),
            Reply::Refusal => (5, &[][..]),
            Reply::Silence => return None,
        };
        let records: Vec<_> = addresses.iter().filter_map(|it| self.record(*it)).collect();
        let count = u8::try_from(records.len()).ok()?;
        let mut message = self.id.to_vec();
        // An answer, recursion desired and available; one question.
        message.extend([0x81, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0]);
        message.extend(self.echo);
        message.extend(records.concat());
        Some(message)
    }

    /// The record for one address, if its family was asked for.
    fn record(&self, address: IpAddr) -> Option<Vec<u8>> {
        let (kind, bytes) = match address {
            IpAddr::V4(address) => (A, address.octets().to_vec()),
            IpAddr::V6(address) => (AAAA, address.octets().to_vec()),
        };
        // The name is a pointer to the question; class IN; TTL 0.
        let mut record = vec![0xc0, 0x0c];
        record.extend(kind.to_be_bytes());
        record.extend([0, 1, 0, 0, 0, 0, 0, u8::try_from(bytes.len()).ok()?]);
        record.extend(bytes);
        (kind == self.kind).then_some(record)
    }
}
