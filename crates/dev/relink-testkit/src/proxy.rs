//! A forward proxy on 127.0.0.1.
//!
//! The proxy forwards plain requests with a complete URL and opens tunnels. It connects
//! to 127.0.0.1 for every host, so that no request leaves the machine. A client
//! that gets a response for an unknown host name did not resolve the name
//! itself.

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

/// A forward proxy. Stops when dropped.
#[derive(Debug)]
pub struct ForwardProxy {
    address: SocketAddr,
    log: Arc<Mutex<ProxyLog>>,
    // Dropping the sender stops the proxy.
    _stop: oneshot::Sender<()>,
}

/// The state of a proxy.
#[derive(Debug, Default)]
struct ProxyLog {
    /// The required `Proxy-Authorization` header.
    authorization: Option<String>,
    requests: Vec<RecordedRequest>,
    connections: usize,
}

impl ForwardProxy {
    /// Starts a proxy on a free port, on the caller's runtime.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port.
    #[expect(clippy::unused_async, reason = "requires a runtime")]
    pub async fn start() -> Self {
        let (proxy, server) = Self::prepare();
        tokio::spawn(server);
        proxy
    }

    /// Starts a proxy on a free port, on its own thread.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port, or if no thread can be started.
    pub fn start_blocking() -> Self {
        let (proxy, server) = Self::prepare();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be created");
        thread::spawn(move || runtime.block_on(server));
        proxy
    }

    /// Binds the port. Returns the handle and the server to run.
    fn prepare() -> (Self, impl Future<Output = ()> + Send + 'static) {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        listener.set_nonblocking(true).expect("a listener can be made non-blocking");
        let address = listener.local_addr().expect("a bound socket has an address");
        let log = Arc::<Mutex<ProxyLog>>::default();
        let (stop, stopped) = oneshot::channel();
        let server = serve(listener, Arc::clone(&log), stopped);
        (Self { address, log, _stop: stop }, server)
    }

    /// Accepts only requests with this `Proxy-Authorization` header. Other requests get the
    /// status 407.
    pub fn require_authorization(&self, authorization: &str) -> &Self {
        self.log().authorization = Some(authorization.to_owned());
        self
    }

    /// Returns the address of the proxy.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns all requests in order of arrival. Their paths are complete URLs,
    /// or host and port for tunnels.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.log().requests.clone()
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> usize {
        self.log().connections
    }

    fn log(&self) -> MutexGuard<'_, ProxyLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProxyLog {
    /// Records a request and returns whether it is authorized.
    fn record(&mut self, request: &RecordedRequest) -> bool {
        self.requests.push(request.clone());
        self.authorization.is_none()
            || self.authorization.as_deref() == request.header("proxy-authorization")
    }
}

/// Accepts connections until the handle is dropped.
async fn serve(
    listener: TcpListener,
    log: Arc<Mutex<ProxyLog>>,
    mut stopped: oneshot::Receiver<()>,
) {
    let listener =
        tokio::net::TcpListener::from_std(listener).expect("the listener can be registered");
    let mut clients = JoinSet::new();
    loop {
        let client = tokio::select! {
            client = listener.accept() => client,
            _ = &mut stopped => return,
        };
        if let Ok((stream, _)) = client {
            log.lock().unwrap_or_else(PoisonError::into_inner).connections += 1;
            let log = Arc::clone(&log);
            // Ignore errors: the client may close the connection.
            clients.spawn(async move { drop(handle_connection(stream, &log).await) });
        }
        while clients.try_join_next().is_some() {}
    }
}

/// Forwards the requests of a connection, or opens a tunnel.
async fn handle_connection(stream: TcpStream, log: &Mutex<ProxyLog>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut client = BufReader::new(stream);
    while let Some(request) = read_request(&mut client).await? {
        let is_authorized = log.lock().unwrap_or_else(PoisonError::into_inner).record(&request);
        if !is_authorized {
            reject(&mut client, 407).await?;
            continue;
        }
        let is_tunnel = request.method == "CONNECT";
        let Some((mut server, url)) = dial(&request).await else {
            reject(&mut client, 502).await?;
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

/// Sends a response with an error status and a body of five bytes.
async fn reject(client: &mut BufReader<TcpStream>, status: u16) -> io::Result<()> {
    let response = format!("HTTP/1.1 {status} Refused\r\nContent-Length: 5\r\n\r\nproxy");
    client.write_all(response.as_bytes()).await
}

/// Connects to the requested port on 127.0.0.1.
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

/// Forwards a request and its response, which must have a `Content-Length`.
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

/// Reads the head of a response. Returns the head and the value of `Content-Length`.
async fn read_head(server: &mut BufReader<TcpStream>) -> io::Result<(String, u64)> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let line_start = head.len();
        if server.read_line(&mut head).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = head.get(line_start..).unwrap_or_default().trim_end();
        if line.is_empty() {
            return Ok((head, length));
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
}
