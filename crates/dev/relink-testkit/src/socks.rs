//! A SOCKS5 proxy on 127.0.0.1.
//!
//! The proxy connects to 127.0.0.1 for every host, so that no connection leaves the
//! machine. It records whether clients sent host names or addresses.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

// Messages of RFC 1928 and RFC 1929.
/// Reply: connected, from 127.0.0.1.
const CONNECTED: [u8; 10] = [5, 0, 0, 1, 127, 0, 0, 1, 0, 0];
/// Reply: connection refused.
const CONNECTION_REFUSED: [u8; 10] = [5, 5, 0, 1, 0, 0, 0, 0, 0, 0];
/// The method without authentication.
const NO_AUTHENTICATION: u8 = 0;
/// The method with user name and password.
const PASSWORD: u8 = 2;
/// No method of the client is acceptable.
const NO_METHOD: u8 = 0xff;
/// Types of addresses. Any other type is a host name.
const IPV4: u8 = 1;
const IPV6: u8 = 4;

/// A SOCKS5 proxy. Stops when dropped.
#[derive(Debug)]
pub struct SocksProxy {
    address: SocketAddr,
    log: Arc<Mutex<SocksLog>>,
    // Dropping the sender stops the proxy.
    _stop: oneshot::Sender<()>,
}

/// The required login and the requested targets of a proxy.
#[derive(Debug, Default)]
struct SocksLog {
    login: Option<(String, String)>,
    targets: Vec<String>,
}

impl SocksProxy {
    /// Starts a proxy on a free port, on its own thread.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port, or if no thread can be started.
    pub fn start() -> Self {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        listener.set_nonblocking(true).expect("a listener can be made non-blocking");
        let address = listener.local_addr().expect("a bound socket has an address");
        let log = Arc::<Mutex<SocksLog>>::default();
        let (stop, stopped) = oneshot::channel();
        let server = serve(listener, Arc::clone(&log), stopped);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be created");
        thread::spawn(move || runtime.block_on(server));
        Self { address, log, _stop: stop }
    }

    /// Accepts only clients with this login.
    pub fn require_login(&self, user: &str, password: &str) -> &Self {
        self.log().login = Some((user.to_owned(), password.to_owned()));
        self
    }

    /// Returns the address of the proxy.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the requested targets as `HOST:PORT`.
    pub fn targets(&self) -> Vec<String> {
        self.log().targets.clone()
    }

    fn log(&self) -> MutexGuard<'_, SocksLog> {
        lock(&self.log)
    }
}

fn lock(log: &Mutex<SocksLog>) -> MutexGuard<'_, SocksLog> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Accepts connections until the handle is dropped.
async fn serve(
    listener: TcpListener,
    log: Arc<Mutex<SocksLog>>,
    mut stopped: oneshot::Receiver<()>,
) {
    let listener =
        tokio::net::TcpListener::from_std(listener).expect("the listener can be registered");
    let mut clients = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            _ = &mut stopped => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((client, _)) = accepted else { return };
        let log = Arc::clone(&log);
        // Ignore errors: the client may close the connection.
        clients.spawn(async move { drop(handle_connection(client, &log).await) });
        while clients.try_join_next().is_some() {}
    }
}

/// Connects a client to the requested port.
async fn handle_connection(mut client: TcpStream, log: &Mutex<SocksLog>) -> io::Result<()> {
    if !authenticate(&mut client, log).await? {
        return Ok(());
    }
    let (target, port) = read_target(&mut client).await?;
    lock(log).targets.push(target);
    let Ok(mut host) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await else {
        return client.write_all(&CONNECTION_REFUSED).await;
    };
    client.write_all(&CONNECTED).await?;
    tokio::io::copy_bidirectional(&mut client, &mut host).await.map(drop)
}

/// Negotiates the method and verifies the login. Returns whether the login is valid.
async fn authenticate(client: &mut TcpStream, log: &Mutex<SocksLog>) -> io::Result<bool> {
    let mut head = [0; 2];
    client.read_exact(&mut head).await?;
    let mut methods = vec![0; usize::from(head[1])];
    client.read_exact(&mut methods).await?;
    let Some((user, password)) = lock(log).login.clone() else {
        client.write_all(&[5, NO_AUTHENTICATION]).await?;
        return Ok(true);
    };
    if !methods.contains(&PASSWORD) {
        client.write_all(&[5, NO_METHOD]).await?;
        return Ok(false);
    }
    client.write_all(&[5, PASSWORD]).await?;
    client.read_u8().await?;
    let is_valid = read_text(client).await? == user && read_text(client).await? == password;
    client.write_all(&[1, u8::from(!is_valid)]).await?;
    Ok(is_valid)
}

/// Reads a text that starts with its length.
async fn read_text(client: &mut TcpStream) -> io::Result<String> {
    let mut text = vec![0; usize::from(client.read_u8().await?)];
    client.read_exact(&mut text).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Reads a connection request. Returns the target as `HOST:PORT`, and the port.
async fn read_target(client: &mut TcpStream) -> io::Result<(String, u16)> {
    let mut head = [0; 4];
    client.read_exact(&mut head).await?;
    let host = match head[3] {
        IPV4 => Ipv4Addr::from(client.read_u32().await?).to_string(),
        IPV6 => format!("[{}]", Ipv6Addr::from(client.read_u128().await?)),
        _ => read_text(client).await?,
    };
    let port = client.read_u16().await?;
    Ok((format!("{host}:{port}"), port))
}
