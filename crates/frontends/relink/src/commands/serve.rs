//! `relink serve --oai`: publishes harvested records to other harvesters.
//!
//! The interface is public and read-only. It listens on loopback unless
//! `--listen` names another address.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use relink_harvest::OaiProvider;
use relink_ports::Clock;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::signals::stop_on_signal;
use crate::cli::ServeArgs;
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::print;
use crate::settings::{current_dir, database};
use crate::wiring;

/// The path of the OAI-PMH interface.
const OAI_PATH: &str = "/oai";
/// Maximum size of the body of a request.
const MAX_BODY: usize = 16 << 10;
/// Maximum number of connections.
const MAX_CONNECTIONS: usize = 64;
/// Maximum time to receive the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// What a connection needs.
struct Service {
    provider: OaiProvider,
    clock: RunClock,
}

/// Runs `relink serve`.
pub async fn run(args: ServeArgs) -> Result<Exit, CommandError> {
    let db = database(args.db, &current_dir()?)?;
    let store = wiring::harvest_store(&db).await?;
    let listener = TcpListener::bind(args.listen).await.map_err(|error| {
        CommandError::usage(format!("cannot listen on {}", args.listen)).cause(error.to_string())
    })?;
    let address = listener.local_addr().unwrap_or(args.listen);
    let base_url = args.base_url.map_or_else(|| default_url(address), String::from);
    print(&format!("OAI-PMH on {base_url}\n"))?;
    let provider = OaiProvider::new(store, base_url, args.admin_email);
    let service = Arc::new(Service { provider, clock: RunClock::start()? });
    let stop = stop_on_signal();
    tokio::select! {
        () = accept(listener, service) => {}
        () = stop.stopped() => {}
    }
    Ok(Exit::Clean)
}

fn default_url(address: SocketAddr) -> String {
    format!("http://{address}{OAI_PATH}")
}

/// Accepts connections. A failed one does not end the server.
async fn accept(listener: TcpListener, service: Arc<Service>) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else { continue };
        let service = Arc::clone(&service);
        tokio::spawn(async move {
            serve_connection(stream, service).await;
            drop(slot);
        });
    }
}

async fn serve_connection(stream: TcpStream, service: Arc<Service>) {
    let handler = service_fn(move |request| {
        let service = Arc::clone(&service);
        async move { Ok::<_, Infallible>(respond(&service, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), handler);
    // Ignore the error: the client closed the connection.
    let _ = connection.await;
}

async fn respond(service: &Service, request: Request<Incoming>) -> Response<Full<Bytes>> {
    if request.uri().path() != OAI_PATH {
        return text(StatusCode::NOT_FOUND, "not found\n");
    }
    let query = match *request.method() {
        Method::GET => request.uri().query().unwrap_or_default().to_owned(),
        Method::POST => match Limited::new(request.into_body(), MAX_BODY).collect().await {
            Ok(body) => String::from_utf8_lossy(&body.to_bytes()).into_owned(),
            Err(_) => return text(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large\n"),
        },
        _ => return text(StatusCode::METHOD_NOT_ALLOWED, "use GET or POST\n"),
    };
    match service.provider.respond(&query, service.clock.now()).await {
        Ok(xml) => response(StatusCode::OK, "text/xml; charset=utf-8", xml),
        Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "the database failed\n"),
    }
}

fn text(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    response(status, "text/plain; charset=utf-8", text.to_owned())
}

fn response(status: StatusCode, content_type: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let content_type = hyper::header::HeaderValue::from_static(content_type);
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, content_type);
    response
}
