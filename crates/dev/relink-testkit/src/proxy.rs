//! A small forward proxy for tests, on 127.0.0.1.
//!
//! It passes on plain requests in absolute form and opens tunnels. Whatever
//! host it is asked for, it asks 127.0.0.1 at the port of that host: nothing
//! leaves the machine, and a client that gets an answer under a made-up name
//! has surely left the lookup to the proxy.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use url::Url;

use crate::web::{RecordedRequest, read_request};

/// A forward proxy; it stops when dropped.
#[derive(Debug)]
pub struct ForwardProxy {
    address: SocketAddr,
    book: Arc<Mutex<ProxyLog>>,
    // Dropping the sender stops the proxy.
    _stop: oneshot::Sender<()>,
}

/// Whom it lets through, and what it has seen.
#[derive(Debug, Default)]
struct ProxyLog {
    login: Option<String>,
    seen: Vec<RecordedRequest>,
    connections: usize,
}

impl ForwardProxy {
    /// Starts one on a free port, on the caller's runtime.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port.
    #[expect(clippy::unused_async, reason = "says that a runtime is needed")]
    pub async fn start() -> Self {
        let (proxy, server) = Self::prepare();
        tokio::spawn(server);
        proxy
    }

    /// Starts one on a free port, on a thread of its own.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port, or the system no thread.
    pub fn start_blocking() -> Self {
        let (proxy, server) = Self::prepare();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("the system gives what a runtime needs");
        thread::spawn(move || runtime.block_on(server));
        proxy
    }

    fn prepare() -> (Self, impl Future<Output = ()> + Send + 'static) {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        listener.set_nonblocking(true).expect("a listener can be made non-blocking");
        let address = listener.local_addr().expect("a bound socket has an address");
        let book = Arc::<Mutex<ProxyLog>>::default();
        let (stop, stopped) = oneshot::channel();
        let server = serve(listener, Arc::clone(&book), stopped);
        (Self { address, book, _stop: stop }, server)
    }

    /// Lets only those through who send this `Proxy-Authorization`; the
    /// others get a 407.
    pub fn demand(&self, authorization: &str) -> &Self {
        self.book().login = Some(authorization.to_owned());
        self
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, in the order they came; their paths are whole
    /// URLs, or host and port where a tunnel was asked for.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.book().seen.clone()
    }

    /// How many connections were made to it.
    pub fn connections(&self) -> usize {
        self.book().connections
    }

    fn book(&self) -> MutexGuard<'_, ProxyLog> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProxyLog {
    /// Writes a request down; says whether it may pass.
    fn admit(&mut self, request: &RecordedRequest) -> bool {
        self.seen.push(request.clone());
        self.login.is_none() || self.login.as_deref() == request.header("proxy-authorization")
    }
}

async fn serve(
    listener: TcpListener,
    book: Arc<Mutex<ProxyLog>>,
    mut stopped: oneshot::Receiver<()>,
) {
    let listener =
        tokio::net::TcpListener::from_std(listener).expect("the runtime takes a listener");
    let mut clients = JoinSet::new();
    loop {
        let client = tokio::select! {
            client = listener.accept() => client,
            _ = &mut stopped => return,
        };
        if let Ok((stream, _)) = client {
            book.lock().unwrap_or_else(PoisonError::into_inner).connections += 1;
            let book = Arc::clone(&book);
            // A client who leaves is no error of the proxy.
            clients.spawn(async move { drop(attend(stream, &book).await) });
        }
        while clients.try_join_next().is_some() {}
    }
}

async fn attend(stream: TcpStream, book: &Mutex<ProxyLog>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut client = BufReader::new(stream);
    while let Some(request) = read_request(&mut client).await? {
        let is_admitted = book.lock().unwrap_or_else(PoisonError::into_inner).admit(&request);
        if !is_admitted {
            refuse(&mut client, 407).await?;
            continue;
        }
        let is_tunnel = request.method == "CONNECT";
        let Some((mut server, url)) = dial(&request).await else {
            refuse(&mut client, 502).await?;
            continue;
        };
        if is_tunnel {
            client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
            tokio::io::copy_bidirectional(&mut client, &mut server).await?;
            return Ok(());
        }
        forward(&mut client, server, &request, &url).await?;
    }
    Ok(())
}

async fn refuse(client: &mut BufReader<TcpStream>, status: u16) -> io::Result<()> {
    let answer = format!("HTTP/1.1 {status} Refused\r\nContent-Length: 5\r\n\r\nproxy");
    client.write_all(answer.as_bytes()).await
}

/// Connects to the port asked for, always on this machine.
async fn dial(request: &RecordedRequest) -> Option<(TcpStream, Url)> {
    let url = match request.method.as_str() {
        "CONNECT" => Url::parse(&format!("http://{}", request.path)),
        _ => Url::parse(&request.path),
    };
    let url = url.ok()?;
    let port = url.port_or_known_default()?;
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.ok()?;
    Some((server, url))
}

/// Passes on one request and its answer, which must tell its length.
async fn forward(
    client: &mut BufReader<TcpStream>,
    server: TcpStream,
    request: &RecordedRequest,
    url: &Url,
) -> io::Result<()> {
    let mut server = BufReader::new(server);
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let mut head = format!("{} {path} HTTP/1.1\r\n", request.method);
    for (name, value) in &request.headers {
        if !name.starts_with("proxy-") {
            head.extend([name, ": ", value, "\r\n"]);
        }
    }
    server.write_all((head + "\r\n").as_bytes()).await?;
    let (head, length) = read_head(&mut server).await?;
    client.write_all(head.as_bytes()).await?;
    tokio::io::copy(&mut server.take(length), client).await?;
    Ok(())
}

/// Reads the head of an answer, and the length it promises.
async fn read_head(server: &mut BufReader<TcpStream>) -> io::Result<(String, u64)> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let begin = head.len();
        if server.read_line(&mut head).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = head.get(begin..).unwrap_or_default().trim_end();
        if line.is_empty() {
            return Ok((head, length));
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
}
