//! A minimal HTTP/1.1 server (RFC 9112): GET, HEAD and POST on persistent connections.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::io::{AsyncBufReadExt, AsyncReadExt as _, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::site::{RecordedRequest, Site};

/// Serves until the stop channel gets a message or is closed.
pub(super) async fn serve(
    listeners: Vec<std::net::TcpListener>,
    site: Arc<Mutex<Site>>,
    stopped: oneshot::Receiver<()>,
) {
    let mut servers = JoinSet::new();
    for listener in listeners {
        servers.spawn(accept(listener, Arc::clone(&site)));
    }
    // Ignore the error: a closed channel also means the end. Dropping the `JoinSet` stops
    // its servers.
    let _ = stopped.await;
}

/// Accepts connections of one listener.
async fn accept(listener: std::net::TcpListener, site: Arc<Mutex<Site>>) {
    let listener = TcpListener::from_std(listener).expect("the listener can be registered");
    let mut connections = JoinSet::new();
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            site.lock().unwrap_or_else(PoisonError::into_inner).connections += 1;
            let site = Arc::clone(&site);
            // Ignore errors: the client may close the connection.
            connections.spawn(async move { drop(handle_connection(stream, &site).await) });
        }
        while connections.try_join_next().is_some() {}
    }
}

/// Responds to the requests of a connection.
async fn handle_connection(stream: TcpStream, site: &Mutex<Site>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await? {
        let is_head = request.method == "HEAD";
        let response = site.lock().unwrap_or_else(PoisonError::into_inner).response_to(request);
        // Skip a zero delay, because `sleep` waits for the next timer tick.
        if !response.delay.is_zero() {
            tokio::time::sleep(response.delay).await;
        }
        // Record the response before the client can send its next request.
        site.lock().unwrap_or_else(PoisonError::into_inner).record_response();
        stream.write_all(&response.to_bytes(!is_head)).await?;
        if response.closes_connection() {
            break;
        }
    }
    Ok(())
}

/// Reads a request. Returns `None` if the connection was closed.
pub(crate) async fn read_request(
    stream: &mut BufReader<TcpStream>,
) -> io::Result<Option<RecordedRequest>> {
    let Some(line) = read_line(stream).await? else {
        return Ok(None);
    };
    let mut words = line.split(' ').map(str::to_owned);
    let mut request = RecordedRequest {
        method: words.next().unwrap_or_default(),
        path: words.next().unwrap_or_default(),
        host: String::new(),
        headers: Vec::new(),
        body: Vec::new(),
        at: Instant::now(),
    };
    while let Some(line) = read_line(stream).await?.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        let header = (name.to_ascii_lowercase(), value.trim().to_owned());
        request.headers.push(header);
    }
    request.host = request.header("host").map_or("", without_port).to_owned();
    let length = request.header("content-length").and_then(|length| length.parse().ok());
    request.body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut request.body).await?;
    Ok(Some(request))
}

/// Reads a line without its end. Returns `None` if the connection was closed.
async fn read_line(stream: &mut BufReader<TcpStream>) -> io::Result<Option<String>> {
    let mut line = String::new();
    let length = stream.read_line(&mut line).await?;
    Ok((length > 0).then(|| line.trim_end().to_owned()))
}

/// Returns the host of a `Host` header.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name,
        _ => host,
    }
}
