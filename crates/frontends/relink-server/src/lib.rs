//! HTTP interfaces of a federation of catalogs.
//!
//! A federation combines the metadata records of several providers. OAI-PMH (`/oai`, a
//! protocol for harvesting records) publishes the records. It is public and read-only. SPI
//! (`/spi`, the Simple Publishing Interface) accepts records from providers that have a
//! token, and checks the links of each record on arrival.
//!
//! This crate accepts connections and limits them. The rules of the protocols are in
//! `relink-harvest` and `relink-engine`. This crate prints nothing.

mod atom;
mod connection;
mod reply;
mod spi;
mod token;
mod worker;

use std::sync::Arc;

use hyper::Method;
use hyper::body::Incoming;
use relink_harvest::OaiProvider;
use relink_ports::{Clock, StoreError};
use tokio::net::TcpListener;

use self::connection::{BodyError, read_body};
use self::reply::Reply;
use self::spi::RETRY_AFTER;
pub use self::spi::SpiService;
pub use self::token::{ParseTokenError, SpiTokens};
pub use self::worker::SpiWorker;

/// The path of the OAI-PMH interface.
pub const OAI_PATH: &str = "/oai";
/// The path of the publishing interface.
pub const SPI_PATH: &str = "/spi";
/// Maximum size of the body of an OAI-PMH request in bytes.
const MAX_OAI_BODY: usize = 16 << 10;

/// The interfaces of a server. An interface that is `None` does not exist.
pub struct Interfaces {
    /// The OAI-PMH provider.
    pub oai: Option<OaiProvider>,
    /// The publishing interface.
    pub spi: Option<SpiService>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

/// Accepts connections until the future is dropped. A failed connection does not end the
/// server.
pub async fn serve(listener: TcpListener, interfaces: Arc<Interfaces>) {
    connection::accept(listener, interfaces).await;
}

impl Interfaces {
    /// Responds to a request with the interface that its path selects.
    async fn respond(&self, request: hyper::Request<Incoming>) -> Reply {
        let path = request.uri().path();
        match (&self.oai, &self.spi) {
            (Some(oai), _) if path == OAI_PATH => self.respond_oai(oai, request).await,
            (_, Some(spi)) if is_below(path, SPI_PATH) => spi.respond(request).await,
            _ => Reply::text(404, "not found\n"),
        }
    }

    /// Responds to a request to the OAI-PMH interface.
    async fn respond_oai(
        &self,
        provider: &OaiProvider,
        request: hyper::Request<Incoming>,
    ) -> Reply {
        let query = match *request.method() {
            Method::GET => request.uri().query().unwrap_or_default().to_owned(),
            Method::POST => match read_body(request.into_body(), MAX_OAI_BODY).await {
                Ok(body) => String::from_utf8_lossy(&body).into_owned(),
                Err(error) => return error.into(),
            },
            _ => return Reply::text(405, "use GET or POST\n").with_header("Allow", "GET, POST"),
        };
        match provider.respond(&query, self.clock.now()).await {
            Ok(xml) => Reply::new(200, "text/xml; charset=utf-8", xml),
            // Harvesters wait for the time in the header and try again.
            Err(StoreError::Locked { .. }) => {
                Reply::text(503, "another program uses the database\n")
                    .with_header("Retry-After", RETRY_AFTER)
            }
            Err(_) => Reply::text(500, "the database failed\n"),
        }
    }
}

/// Whether a path is equal to `parent` or below `parent`.
fn is_below(path: &str, parent: &str) -> bool {
    path.strip_prefix(parent).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl From<BodyError> for Reply {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge => Self::text(413, "the request is too large\n"),
            BodyError::TooSlow => Self::text(408, "the request took too long\n"),
            BodyError::Broken => Self::text(400, "the request is incomplete\n"),
        }
    }
}
