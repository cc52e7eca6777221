//! Connecting to a host on someone else's behalf.
//!
//! A browser asks for a page and all that belongs to it by itself. So that it
//! reaches nothing that we would not ask, its connections are made through
//! this port, by the edge that holds the address policy.

use async_trait::async_trait;
use relink_model::{FetchOutcome, RequestRights};
use tokio::io::{AsyncRead, AsyncWrite};
use url::Url;

/// Bytes to and from a host; what carries them is the edge's business.
pub trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// Connects to hosts, under the one address policy.
#[async_trait]
pub trait Dial: Send + Sync {
    /// Connects to the host and port of `place`, and sends nothing. The rest
    /// of the URL does not count, and nothing is encrypted.
    ///
    /// Where no connection comes about, the ending says why; a host that may
    /// not be reached is [`Ending::Barred`].
    async fn dial(
        &self,
        place: &Url,
        rights: RequestRights,
    ) -> Result<Box<dyn Connection>, FetchOutcome>;
}
