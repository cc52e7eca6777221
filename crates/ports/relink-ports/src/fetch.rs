//! Asking a web server.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use relink_model::{Ending, Hop, RequestRights, Timings};
use url::Url;

/// One thing to ask, redirects included.
#[derive(Debug, Clone)]
pub struct Request {
    /// The URL to start from.
    pub url: Url,
    /// What the request may do. Redirects keep these rights on the same host
    /// and port, and lose them elsewhere.
    pub rights: RequestRights,
    /// As whom to ask.
    pub agent: Agent,
    /// What else is wanted of it; by default what checking a link needs.
    pub terms: Terms,
}

/// What a request wants beyond the check of a link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// What becomes of a redirect.
    pub redirects: Redirects,
    /// Headers beside our own, for the first host and port alone. They replace
    /// ours of the same name; one that cannot be sent is left out.
    pub headers: Vec<(String, String)>,
    /// The headers of the last answer to bring back, in lower case.
    pub wanted: &'static [&'static str],
    /// The most bytes of the body, whatever its type, both as sent and decoded.
    pub body_cap: Option<usize>,
    /// The longest it may take in all.
    pub timeout: Option<Duration>,
    /// Who says which redirects may be followed; without one, all of them.
    pub gate: Option<Gate>,
    /// The rest a host is owed before it is asked again because of a redirect.
    /// It counts against no limit, nor as time that the answer took.
    pub pause: Duration,
}

/// Says whether a redirect may be followed to an address.
#[derive(Clone)]
pub struct Gate(Arc<dyn Fn(&Url) -> bool + Send + Sync>);

impl Gate {
    /// A gate that asks `opens`.
    pub fn new(opens: impl Fn(&Url) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(opens))
    }

    /// Whether the address may be asked.
    pub fn opens(&self, url: &Url) -> bool {
        (self.0)(url)
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gate")
    }
}

impl PartialEq for Gate {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Gate {}

/// What becomes of a redirect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Redirects {
    /// It is followed.
    #[default]
    Follow,
    /// It is the answer: its `Location` is told in the hop, its body is read.
    Tell,
}

/// As whom to ask. Both names are honest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Agent {
    /// By our own name alone.
    #[default]
    Plain,
    /// By our own name, in the form that old servers expect of a browser
    /// (`Mozilla/5.0 (compatible; …)`). Some turn away anything else.
    Compatible,
}

/// What came back.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// Every answer on the way, the last included if there was one.
    pub hops: Vec<Hop>,
    /// How it ended.
    pub ending: Ending,
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

impl Fetched {
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
    pub is_cut: bool,
}

/// Asks web servers, under one address policy.
///
/// A fetch never fails: whatever happens on the network is an [`Ending`].
#[async_trait]
pub trait Fetch: Send + Sync {
    /// Asks for a URL and follows its redirects.
    async fn fetch(&self, request: Request) -> Fetched;

    /// The address a host of this URL would be asked at, if that can be told
    /// without asking it. Used to be gentle with machines that serve many
    /// names.
    async fn locate(&self, url: &Url) -> Option<IpAddr>;
}
