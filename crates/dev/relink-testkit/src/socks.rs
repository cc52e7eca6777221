//! A SOCKS5 proxy on 127.0.0.1.
//!
//! It connects to 127.0.0.1 for every host, so that no connection leaves the
//! machine, and records whether clients sent host names or addresses.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// A SOCKS5 proxy; stops when dropped.
#[derive(Debug)]
pub struct SocksProxy {
    address: SocketAddr,
    record: Arc<Mutex<SocksLog>>,
    // Dropping the sender stops the proxy.
    _stop: oneshot::Sender<()>,
}

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
        let record = Arc::<Mutex<SocksLog>>::default();
        let (stop, stopped) = oneshot::channel();
        let server = serve(listener, Arc::clone(&record), stopped);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be created");
        thread::spawn(move || runtime.block_on(server));
        Self { address, record, _stop: stop }
    }

    /// Accepts only clients with this login.
    pub fn require_login(&self, user: &str, password: &str) -> &Self {
        self.record().login = Some((user.to_owned(), password.to_owned()));
        self
    }

    /// Returns its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the requested targets as `HOST:PORT`.
    pub fn targets(&self) -> Vec<String> {
        self.record().targets.clone()
    }

    fn record(&self) -> MutexGuard<'_, SocksLog> {
        lock(&self.record)
    }
}

fn lock(record: &Mutex<SocksLog>) -> MutexGuard<'_, SocksLog> {
    record.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(
    listener: TcpListener,
    record: Arc<Mutex<SocksLog>>,
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
        let record = Arc::clone(&record);
        // Ignore errors: the client may close the connection.
        clients.spawn(async move { drop(handle_connection(client, &record).await) });
        while clients.try_join_next().is_some() {}
    }
}

async fn handle_connection(mut client: TcpStream, record: &Mutex<SocksLog>) -> io::Result<()> {
    if !authenticate(&mut client, record).await? {
        return Ok(());
    }
    let (target, port) = read_target(&mut client).await?;
    lock(record).targets.push(target);
    let Ok(mut host) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await else {
        return client.write_all(&[5, 5, 0, 1, 0, 0, 0, 0, 0, 0]).await;
    };
    client.write_all(&[5, 0, 0, 1, 127, 0, 0, 1, 0, 0]).await?;
    tokio::io::copy_bidirectional(&mut client, &mut host).await.map(drop)
}

/// Negotiates the method and verifies the login; returns whether it is valid.
async fn authenticate(client: &mut TcpStream, record: &Mutex<SocksLog>) -> io::Result<bool> {
    let mut head = [0; 2];
    client.read_exact(&mut head).await?;
    let mut methods = vec![0; usize::from(head[1])];
    client.read_exact(&mut methods).await?;
    let Some((user, password)) = lock(record).login.clone() else {
        client.write_all(&[5, 0]).await?;
        return Ok(true);
    };
    if !methods.contains(&2) {
        client.write_all(&[5, 0xff]).await?;
        return Ok(false);
    }
    client.write_all(&[5, 2]).await?;
    client.read_u8().await?;
    let is_valid = read_text(client).await? == user && read_text(client).await? == password;
    client.write_all(&[1, u8::from(!is_valid)]).await?;
    Ok(is_valid)
}

async fn read_text(client: &mut TcpStream) -> io::Result<String> {
    let mut text = vec![0; usize::from(client.read_u8().await?)];
    client.read_exact(&mut text).await?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

async fn read_target(client: &mut TcpStream) -> io::Result<(String, u16)> {
    let mut head = [0; 4];
    client.read_exact(&mut head).await?;
    let host = match head[3] {
        1 => Ipv4Addr::from(client.read_u32().await?).to_string(),
        4 => format!("[{}]", Ipv6Addr::from(client.read_u128().await?)),
        _ => read_text(client).await?,
    };
    let port = client.read_u16().await?;
    Ok((format!("{host}:{port}"), port))
}
