//! Selects the proxy for a URL.

use url::Url;

use crate::no_proxy::NoProxy;
use crate::proxy::{Proxy, ProxyProtocol};

/// The proxies to use, and the hosts that are contacted without a proxy.
///
/// ```
/// use relink_fetch::{Proxies, Proxy};
/// let proxy: Proxy = "http://127.0.0.1:3128".parse()?;
/// let proxies = Proxies { exclude: "localhost".parse()?, ..Proxies::all(proxy) };
/// assert!(proxies.http.is_some() && proxies.https.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proxies {
    /// For `http://` URLs.
    pub http: Option<Proxy>,
    /// For `https://` URLs.
    pub https: Option<Proxy>,
    /// Hosts that are contacted without a proxy.
    pub exclude: NoProxy,
}

/// The route to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    /// Without a proxy.
    Direct,
    /// The proxy receives the request and forwards it.
    Forward(&'a Proxy),
    /// The proxy opens a tunnel and forwards bytes.
    Tunnel(&'a Proxy),
}

impl Proxies {
    /// Uses one proxy for every URL.
    pub fn all(proxy: Proxy) -> Self {
        Self { http: Some(proxy.clone()), https: Some(proxy), exclude: NoProxy::default() }
    }

    /// Returns the route of an HTTP request to `url`.
    pub(crate) fn route(&self, url: &Url) -> Route<'_> {
        match self.proxy_for(url) {
            Some(proxy) if url.scheme() == "http" && proxy.is_http() => Route::Forward(proxy),
            Some(proxy) => Route::Tunnel(proxy),
            None => Route::Direct,
        }
    }

    /// Returns the route of a byte stream to the host of `url`.
    pub(crate) fn tunnel(&self, url: &Url) -> Route<'_> {
        self.proxy_for(url).map_or(Route::Direct, Route::Tunnel)
    }

    fn proxy_for(&self, url: &Url) -> Option<&Proxy> {
        let proxy = if url.scheme() == "https" { &self.https } else { &self.http };
        proxy.as_ref().filter(|_| !self.exclude.contains(url))
    }
}

impl Route<'_> {
    /// Whether the proxy resolves the host, so that its IP address is unknown
    /// here.
    pub fn resolves_remotely(self) -> bool {
        match self {
            Self::Direct => false,
            Self::Forward(_) => true,
            Self::Tunnel(proxy) => proxy.protocol() != ProxyProtocol::Socks5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the route to a URL, as `direct`, `forward PROXY` or `tunnel PROXY`.
    #[track_caller]
    fn check(proxies: &Proxies, url: &str, expect: &str) {
        let url = Url::parse(url).unwrap();
        let route = match proxies.route(&url) {
            Route::Direct => "direct".to_owned(),
            Route::Forward(proxy) => format!("forward {proxy}"),
            Route::Tunnel(proxy) => format!("tunnel {proxy}"),
        };
        assert_eq!(route, expect, "{url}");
    }

    #[test]
    fn route_depends_on_scheme_and_exclusions() {
        let proxies = Proxies {
            http: Some("https://one.test:1".parse().unwrap()),
            https: Some("http://two.test:2".parse().unwrap()),
            exclude: "b.test".parse().unwrap(),
        };
        check(&proxies, "http://a.test/", "forward https://one.test:1");
        check(&proxies, "https://a.test/", "tunnel http://two.test:2");
        check(&proxies, "http://b.test/", "direct");
        check(&proxies, "https://b.test/", "direct");
        check(&Proxies::default(), "https://a.test/", "direct");
    }

    #[test]
    fn socks_proxy_only_tunnels() {
        let socks = Proxies::all("socks5://one.test".parse().unwrap());
        check(&socks, "http://a.test/", "tunnel socks5://one.test:1080");
        check(&socks, "https://a.test/", "tunnel socks5://one.test:1080");
        let url = Url::parse("http://a.test/").unwrap();
        assert!(!socks.route(&url).resolves_remotely());
        let remote = Proxies::all("socks5h://one.test".parse().unwrap());
        assert!(remote.route(&url).resolves_remotely());
    }
}
