//! TCP connections for the browser.
//!
//! A browser sends the requests for a page and its subresources itself. It opens
//! connections through this port, so that the address policy of the HTTP client
//! applies to them.

use async_trait::async_trait;
use relink_model::{FetchOutcome, RequestRights};
use tokio::io::{AsyncRead, AsyncWrite};
use url::Url;

/// A byte stream to and from a host.
pub trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// Connects to hosts that the address policy allows.
#[async_trait]
pub trait Dial: Send + Sync {
    /// Opens an unencrypted connection to the host and port of `url`, without
    /// sending anything. The rest of the URL is ignored.
    ///
    /// # Errors
    ///
    /// Returns [`FetchOutcome::PrivateAddress`] if the policy forbids the
    /// address, and the outcome of the failed step otherwise.
    async fn dial(
        &self,
        url: &Url,
        rights: RequestRights,
    ) -> Result<Box<dyn Connection>, FetchOutcome>;
}
