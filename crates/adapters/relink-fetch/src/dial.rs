//! The [`Dial`] implementation: opens connections for other components, with the
//! resolver, address policy and proxies of the HTTP client.

use async_trait::async_trait;
use relink_model::{FetchOutcome, InvalidRedirect, Phase, RequestRights};
use relink_ports::{Connection, Dial, FetchRequest, RequestOptions, UserAgent};
use tokio::time::timeout;
use url::Url;

use crate::chain::RedirectChain;
use crate::fetcher::Fetcher;
use crate::outcome;

#[async_trait]
impl Dial for Fetcher {
    async fn dial(
        &self,
        url: &Url,
        rights: RequestRights,
    ) -> Result<Box<dyn Connection>, FetchOutcome> {
        let target =
            tunnel_url(url).ok_or(FetchOutcome::InvalidRedirect(InvalidRedirect::NotAUrl))?;
        let mut chain = RedirectChain::new(
            self,
            FetchRequest {
                url: target,
                rights,
                user_agent: UserAgent::Relink,
                options: RequestOptions::default(),
            },
        );
        let route = self.settings.proxies.tunnel(url);
        chain.check_unresolved_host(route)?;
        match timeout(self.settings.timeout, chain.connect(route)).await {
            Ok(connected) => Ok(Box::new(connected?.0)),
            Err(_) => Err(outcome::from_timeout(Phase::Connect)),
        }
    }
}

/// Returns a URL with only the host and port of `url`. The scheme is always `https`,
/// because the protocol of the connection is unknown.
fn tunnel_url(url: &Url) -> Option<Url> {
    let host = url.host_str()?;
    let port = url.port_or_known_default()?;
    Url::parse(&format!("https://{host}:{port}/")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tunnel_url_has_only_host_and_port() {
        for (text, expect) in [
            ("http://a.test/x?y", "https://a.test:80/"),
            ("https://user:word@a.test/", "https://a.test/"),
            ("http://[2001:db8::1]:81/", "https://[2001:db8::1]:81/"),
        ] {
            let url = tunnel_url(&Url::parse(text).unwrap()).unwrap();
            assert_eq!(url.as_str(), expect, "{text}");
        }
        assert_eq!(tunnel_url(&Url::parse("mailto:a@b.test").unwrap()), None);
    }
}
