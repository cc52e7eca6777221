//! Asking a web server.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use relink_model::{FetchOutcome, Hop, RequestRights, Timings};
use url::Url;

/// One thing to ask, redirects included.
#[derive(Debug, Clone)]
pub struct FetchRequest {
    /// The URL to start from.
    pub url: Url,
    /// What the request may do. Redirects keep these rights on the same host
    /// and port, and lose them elsewhere.
    pub rights: RequestRights,
    /// As whom to ask.
    pub agent: UserAgent,
    /// What else is wanted of it; by default what checking a link needs.
    pub options: RequestOptions,
}

/// What a request wants beyond the check of a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestOptions {
    /// What becomes of a redirect.
    pub redirects: RedirectMode,
    /// Headers beside our own, for the first host and port alone. They replace
    /// ours of the same name; one that cannot be sent is left out.
    pub headers: Vec<(String, String)>,
    /// The headers of the last answer to bring back, in lower case.
    pub wanted: &'static [&'static str],
    /// The most bytes of the body, whatever its type, both as sent and decoded.
    pub max_body_bytes: Option<usize>,
    /// The longest it may take in all.
    pub timeout: Option<Duration>,
    /// Who says which redirects may be followed; without one, all of them.
    pub redirect_filter: Option<RedirectFilter>,
    /// The rest a host is owed before it is asked again because of a redirect.
    /// It counts against no limit, nor as time that the answer took.
    pub redirect_delay: Duration,
}

/// Says whether a redirect may be followed to an address.
#[derive(Clone)]
pub struct RedirectFilter(Arc<dyn Fn(&Url) -> bool + Send + Sync>);

impl RedirectFilter {
    /// A gate that asks `opens`.
    pub fn new(opens: impl Fn(&Url) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(opens))
    }

    /// Whether the address may be asked.
    pub fn opens(&self, url: &Url) -> bool {
        (self.0)(url)
    }
}

impl fmt::Debug for RedirectFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gate")
    }
}

impl PartialEq for RedirectFilter {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for RedirectFilter {}

/// What becomes of a redirect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RedirectMode {
    /// It is followed.
    #[default]
    Follow,
    /// It is the answer: its `Location` is told in the hop, its body is read.
    Report,
}

/// As whom to ask. Both names are honest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum UserAgent {
    /// By our own name alone.
    #[default]
    Plain,
    /// By our own name, in the form that old servers expect of a browser
    /// (`Mozilla/5.0 (compatible; …)`). Some turn away anything else.
    Compatible,
}

/// What came back.
#[derive(Debug, Clone)]
pub struct FetchResult {
    /// Every answer on the way, the last included if there was one.
    pub hops: Vec<Hop>,
    /// How it ended.
    pub outcome: FetchOutcome,
    /// Milliseconds per phase, summed over the hops.
    pub timings: Timings,
    /// What the last answer asked us to wait (`Retry-After`), in seconds.
    pub retry_after: Option<u64>,
    /// Those headers of the last answer that the request wanted, names in
    /// lower case.
    pub headers: Vec<(String, String)>,
    /// The last answer's body, as far as it was read.
    pub body: Option<Body>,
}

impl FetchResult {
    /// The value of a header that was wanted, if it came.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The body of an answer, decoded from its transfer coding, within the caps.
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
    /// Whether reading stopped at a cap.
    pub is_truncated: bool,
}

/// Asks web servers, under one address policy.
///
/// A fetch never fails: whatever happens on the network is an [`Ending`].
#[async_trait]
pub trait Fetch: Send + Sync {
    /// Asks for a URL and follows its redirects.
    async fn fetch(&self, request: FetchRequest) -> FetchResult;

    /// The address a host of this URL would be asked at, if that can be told
    /// without asking it. Used to be gentle with machines that serve many
    /// names.
    async fn resolve_ip(&self, url: &Url) -> Option<IpAddr>;
}
