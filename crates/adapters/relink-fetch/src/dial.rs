//! Connections for someone else: same resolver, same policy, same proxy.

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
        place: &Url,
        rights: RequestRights,
    ) -> Result<Box<dyn Connection>, FetchOutcome> {
        let url =
            tunnel_to(place).ok_or(FetchOutcome::InvalidRedirect(InvalidRedirect::NotAnAddress))?;
        let mut chain = RedirectChain::new(
            self,
            FetchRequest {
                url,
                rights,
                agent: UserAgent::Plain,
                options: RequestOptions::default(),
            },
        );
        let route = self.settings.proxies.tunnel(place);
        chain.rule_on_spelling(route)?;
        match timeout(self.settings.timeout, chain.connect(route)).await {
            Ok(connected) => Ok(Box::new(connected?.0)),
            Err(_) => Err(outcome::of_timeout(Phase::Connect)),
        }
    }
}

/// The host and port of a URL, and nothing else of it: what goes over the
/// connection is not ours to read.
fn tunnel_to(place: &Url) -> Option<Url> {
    let host = place.host_str()?;
    let port = place.port_or_known_default()?;
    Url::parse(&format!("https://{host}:{port}/")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_host_and_port_count() {
        for (place, expect) in [
            ("http://a.test/x?y", "https://a.test:80/"),
            ("https://user:word@a.test/", "https://a.test/"),
            ("http://[2001:db8::1]:81/", "https://[2001:db8::1]:81/"),
        ] {
            let url = tunnel_to(&Url::parse(place).unwrap()).unwrap();
            assert_eq!(url.as_str(), expect, "{place}");
        }
        assert_eq!(tunnel_to(&Url::parse("mailto:a@b.test").unwrap()), None);
    }
}
