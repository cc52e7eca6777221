//! The port of the HTTP client.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use relink_model::{FetchOutcome, Hop, RequestRights, Timings};
use url::Url;

/// A request for a URL.
#[derive(Debug, Clone)]
pub struct FetchRequest {
    /// The URL to start from.
    pub url: Url,
    /// Whether the request may reach private addresses and carry credentials.
    /// Redirects to another host or port lose these rights.
    pub rights: RequestRights,
    /// The `User-Agent` header.
    pub user_agent: UserAgent,
    /// Further options; the defaults are those of a link check.
    pub options: RequestOptions,
}

/// Options of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestOptions {
    /// Whether redirects are followed or returned.
    pub redirects: RedirectMode,
    /// Additional headers, sent only to the host and port of the URL. They
    /// replace default headers of the same name; invalid headers are omitted.
    pub headers: Vec<(String, String)>,
    /// The names of the headers to return from the last response, in lower case.
    pub response_headers: &'static [&'static str],
    /// The size limit of the body. It applies to the compressed body and to the decompressed
    /// body.
    pub max_body_bytes: Option<usize>,
    /// The limit of the total duration.
    pub timeout: Option<Duration>,
    /// The filter for redirect targets. Without a filter, all redirects are followed.
    pub redirect_filter: Option<RedirectFilter>,
    /// The pause before a redirect to the same host is requested. The timeout
    /// and the timings do not include this pause.
    pub redirect_delay: Duration,
    /// The body of a POST request. Without a body, the request is a GET. A POST request
    /// is not repeated after the server has processed it, and its redirects are returned
    /// instead of followed.
    pub body: Option<RequestBody>,
}

/// The body of a POST request.
#[derive(Clone, PartialEq, Eq)]
pub struct RequestBody {
    /// The `Content-Type` header.
    pub content_type: &'static str,
    /// The content.
    pub bytes: Bytes,
}

impl fmt::Debug for RequestBody {
    /// Omits the content, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestBody({}, {} bytes)", self.content_type, self.bytes.len())
    }
}

/// A predicate on redirect targets.
#[derive(Clone)]
pub struct RedirectFilter(Arc<dyn Fn(&Url) -> bool + Send + Sync>);

impl RedirectFilter {
    /// Creates a filter from a predicate.
    pub fn new(allows: impl Fn(&Url) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(allows))
    }

    /// Whether a redirect to the URL may be followed.
    pub fn allows(&self, url: &Url) -> bool {
        (self.0)(url)
    }
}

impl fmt::Debug for RedirectFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RedirectFilter")
    }
}

impl PartialEq for RedirectFilter {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for RedirectFilter {}

/// The handling of redirects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RedirectMode {
    /// Follow redirects.
    #[default]
    Follow,
    /// Return the redirect response. Its hop contains the `Location` header.
    Report,
}

/// The `User-Agent` header. Both forms contain the name of Relink.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum UserAgent {
    /// The name and version of Relink.
    #[default]
    Relink,
    /// The form `Mozilla/5.0 (compatible; …)`, for servers that reject other
    /// clients.
    BrowserCompatible,
}

/// The result of a fetch.
#[derive(Debug, Clone)]
pub struct FetchResult {
    /// Every response of the redirect chain, including the last.
    pub hops: Vec<Hop>,
    /// The outcome of the fetch.
    pub outcome: FetchOutcome,
    /// The duration of each phase, summed over the hops.
    pub timings: Timings,
    /// The `Retry-After` value of the last response in seconds.
    pub retry_after: Option<u64>,
    /// The requested headers of the last response, with lower-case names.
    pub headers: Vec<(String, String)>,
    /// The body of the last response.
    pub body: Option<Body>,
}

impl FetchResult {
    /// Returns the value of a requested header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A decoded response body, truncated at the size limit.
#[derive(Debug, Clone, Default)]
pub struct Body {
    /// The `Content-Type` header as sent.
    pub content_type: Option<String>,
    /// The `Content-Language` header as sent.
    pub language: Option<String>,
    /// The `X-Robots-Tag` headers as sent, joined by commas.
    pub robots: Option<String>,
    /// The bytes read.
    pub bytes: Bytes,
    /// Whether reading stopped at a size limit.
    pub is_truncated: bool,
}

/// An HTTP client with an address policy.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// Requests a URL and follows its redirects. Errors are returned as a
    /// [`FetchOutcome`].
    async fn fetch(&self, request: FetchRequest) -> FetchResult;

    /// Returns the IP address that a request would use, without contacting the
    /// host. Used for rate limiting of servers with many host names.
    async fn resolve_ip(&self, url: &Url) -> Option<IpAddr>;
}
