//! Just enough HTTP/1.1 (RFC 9112) to serve GET and HEAD over lasting
//! connections.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::site::{RecordedRequest, Site};

/// Serves until told to stop, by word or by the sender being dropped.
pub(super) async fn serve(
    listener: std::net::TcpListener,
    site: Arc<Mutex<Site>>,
    mut stopped: oneshot::Receiver<()>,
) {
    let listener = TcpListener::from_std(listener).expect("the runtime takes a listener");
    let mut visits = JoinSet::new();
    loop {
        let visitor = tokio::select! {
            visitor = listener.accept() => visitor,
            _ = &mut stopped => return,
        };
        if let Ok((stream, _)) = visitor {
            site.lock().unwrap_or_else(PoisonError::into_inner).connections += 1;
            let site = Arc::clone(&site);
            // A visitor who leaves is no error of the server.
            visits.spawn(async move { drop(attend(stream, &site).await) });
        }
        while visits.try_join_next().is_some() {}
    }
}

async fn attend(stream: TcpStream, site: &Mutex<Site>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await? {
        let is_head = request.method == "HEAD";
        let answer = site.lock().unwrap_or_else(PoisonError::into_inner).answer_to(request);
        // Even a wait of nothing would last to the timer's next tick.
        if !answer.delay.is_zero() {
            tokio::time::sleep(answer.delay).await;
        }
        // Before the visitor can know it and come back.
        site.lock().unwrap_or_else(PoisonError::into_inner).note_answered();
        stream.write_all(&answer.to_bytes(!is_head)).await?;
        if answer.closes() {
            break;
        }
    }
    Ok(())
}

/// Reads one request head, or `None` where the visitor left.
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
        at: Instant::now(),
    };
    while let Some(line) = read_line(stream).await?.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        let header = (name.to_ascii_lowercase(), value.trim().to_owned());
        request.headers.push(header);
    }
    request.host = request.header("host").map_or("", without_port).to_owned();
    Ok(Some(request))
}

async fn read_line(stream: &mut BufReader<TcpStream>) -> io::Result<Option<String>> {
    let mut line = String::new();
    let length = stream.read_line(&mut line).await?;
    Ok((length > 0).then(|| line.trim_end().to_owned()))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name,
        _ => host,
    }
}
