//! Connections and their limits: number, time for headers and bodies, size of bodies.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use crate::Interfaces;

/// Maximum number of connections.
const MAX_CONNECTIONS: usize = 64;
/// Maximum time to receive the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time to receive the body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum duration of a connection. The limit ends idle connections, so that other clients
/// can connect.
const CONNECTION_TIMEOUT: Duration = Duration::from_mins(10);
/// The wait after a connection cannot be accepted, for example because too many files are
/// open.
const ACCEPT_DELAY: Duration = Duration::from_millis(100);

/// The reason why the body of a request cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// The body exceeds the size limit.
    TooLarge,
    /// The body did not arrive within [`BODY_TIMEOUT`].
    TooSlow,
    /// The connection ended before the end of the body.
    Broken,
}

/// Reads the body of a request.
pub(crate) async fn read_body(body: Incoming, max_bytes: usize) -> Result<Bytes, BodyError> {
    match timeout(BODY_TIMEOUT, Limited::new(body, max_bytes).collect()).await {
        Err(_) => Err(BodyError::TooSlow),
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge),
        Ok(Err(_)) => Err(BodyError::Broken),
    }
}

/// Accepts connections, at most [`MAX_CONNECTIONS`] at the same time.
pub(crate) async fn accept(listener: TcpListener, interfaces: Arc<Interfaces>) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            sleep(ACCEPT_DELAY).await;
            continue;
        };
        let interfaces = Arc::clone(&interfaces);
        tokio::spawn(async move {
            // Ignore a timeout: the connection is closed in any case.
            let _ = timeout(CONNECTION_TIMEOUT, serve_connection(stream, interfaces)).await;
            drop(slot);
        });
    }
}

/// Responds to the requests of one connection, until the client closes the connection.
async fn serve_connection(stream: TcpStream, interfaces: Arc<Interfaces>) {
    let handler = service_fn(move |request| {
        let interfaces = Arc::clone(&interfaces);
        async move { Ok::<_, Infallible>(interfaces.respond(request).await.into_response()) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), handler);
    // Ignore the error: the client closed the connection.
    let _ = connection.await;
}
