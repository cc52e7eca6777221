//! A small SOCKS5 proxy for tests, on 127.0.0.1.
//!
//! Whatever host it is asked for, it connects to 127.0.0.1 at the port of that
//! host: nothing leaves the machine, and its record shows who looked up names.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// A SOCKS5 proxy; it stops when dropped.
#[derive(Debug)]
pub struct SocksProxy {
    address: SocketAddr,
    record: Arc<Mutex<Record>>,
    // Dropping the sender stops the proxy.
    _stop: oneshot::Sender<()>,
}

#[derive(Debug, Default)]
struct Record {
    login: Option<(String, String)>,
    targets: Vec<String>,
}

impl SocksProxy {
    /// Starts one on a free port, on a thread of its own.
    ///
    /// # Panics
    ///
    /// Panics if loopback has no free port, or the system no thread.
    pub fn start() -> Self {
        let listener =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        listener.set_nonblocking(true).expect("a listener can be made non-blocking");
        let address = listener.local_addr().expect("a bound socket has an address");
        let record = Arc::<Mutex<Record>>::default();
        let (stop, stopped) = oneshot::channel();
        let server = serve(listener, Arc::clone(&record), stopped);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("the system gives what a runtime needs");
        thread::spawn(move || runtime.block_on(server));
        Self { address, record, _stop: stop }
    }

    /// Lets only clients with this login through.
    pub fn demand(&self, user: &str, password: &str) -> &Self {
        self.record().login = Some((user.to_owned(), password.to_owned()));
        self
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The hosts and ports it was asked for, as `HOST:PORT`.
    pub fn targets(&self) -> Vec<String> {
        self.record().targets.clone()
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        lock(&self.record)
    }
}

fn lock(record: &Mutex<Record>) -> MutexGuard<'_, Record> {
    record.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(
    listener: TcpListener,
    record: Arc<Mutex<Record>>,
    mut stopped: oneshot::Receiver<()>,
) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("there is a runtime");
    let mut clients = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            _ = &mut stopped => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((client, _)) = accepted else { return };
        let record = Arc::clone(&record);
        // A client that leaves ends its own connection only.
        clients.spawn(async move { drop(attend(client, &record).await) });
        while clients.try_join_next().is_some() {}
    }
}

async fn attend(mut client: TcpStream, record: &Mutex<Record>) -> io::Result<()> {
    if !greet(&mut client, record).await? {
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

/// Agrees on a method and checks the login; says whether the client may pass.
async fn greet(client: &mut TcpStream, record: &Mutex<Record>) -> io::Result<bool> {
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
    let is_known = read_text(client).await? == user && read_text(client).await? == password;
    client.write_all(&[1, u8::from(!is_known)]).await?;
    Ok(is_known)
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
