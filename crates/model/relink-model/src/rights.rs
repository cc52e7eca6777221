//! Rights of a request, which depend on the source of its URL.
//!
//! Every request has a [`RequestRights`]. Only the constructors for
//! user-supplied URLs and configured services grant rights, and a redirect or
//! link to another host or port loses them. `cargo xtask tidy` lists the files
//! that may call those constructors.

use url::Url;

/// Whether a request may reach private addresses and may carry the user's
/// credentials: the headers given with `--header`.
///
/// ```
/// use relink_model::RequestRights;
/// let url = "http://intranet.test/".parse()?;
/// let rights = RequestRights::user_supplied();
/// assert!(rights.may_reach_private() && rights.may_carry_credentials());
/// let other_host = rights.inherit(&url, &"http://other.test/".parse()?);
/// assert_eq!(other_host, RequestRights::discovered());
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RequestRights {
    reaches_private: bool,
    carries_credentials: bool,
}

impl RequestRights {
    /// Returns the rights of a user-supplied URL: from the command line, the
    /// configuration or a document of the user.
    pub const fn user_supplied() -> Self {
        Self { reaches_private: true, carries_credentials: true }
    }

    /// Returns the rights of a service that the user configured, such as an
    /// archive. It may have a private address, but does not receive the headers
    /// for pages.
    pub const fn configured_service() -> Self {
        Self { reaches_private: true, carries_credentials: false }
    }

    /// Returns the rights of a URL from any other source, such as a page, a
    /// redirect, an archive or a search engine.
    pub const fn discovered() -> Self {
        Self { reaches_private: false, carries_credentials: false }
    }

    /// Returns the rights of a stored URL.
    pub const fn from_stored(is_user_supplied: bool) -> Self {
        if is_user_supplied { Self::user_supplied() } else { Self::discovered() }
    }

    /// Whether the URL is user-supplied. This is the value that the store saves.
    pub const fn is_user_supplied(self) -> bool {
        self.reaches_private && self.carries_credentials
    }

    /// Whether the request may reach private addresses.
    pub const fn may_reach_private(self) -> bool {
        self.reaches_private
    }

    /// Whether the request may carry the user's credentials.
    pub const fn may_carry_credentials(self) -> bool {
        self.carries_credentials
    }

    /// Returns the same rights without the user's credentials, for requests of URLs that
    /// the user did not supply, such as controls (URLs fetched only for comparison).
    #[must_use]
    pub const fn without_credentials(self) -> Self {
        Self { carries_credentials: false, ..self }
    }

    /// Returns the rights of `to`, a URL that `from` links or redirects to: the
    /// same rights on the same host and port, otherwise none. A step from https
    /// to http drops the credentials.
    #[must_use]
    pub fn inherit(self, from: &Url, to: &Url) -> Self {
        if !is_same_host_and_port(from, to) {
            return Self::discovered();
        }
        let is_downgrade = from.scheme() == "https" && to.scheme() != "https";
        Self { carries_credentials: self.carries_credentials && !is_downgrade, ..self }
    }
}

/// Whether two URLs are on the same host and port.
pub fn is_same_host_and_port(left: &Url, right: &Url) -> bool {
    left.host() == right.host() && left.port_or_known_default() == right.port_or_known_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the rights that `to` inherits from the user-supplied URL `from`: access to private
    /// addresses, and credentials.
    #[track_caller]
    fn check(from: &str, to: &str, expect: (bool, bool)) {
        let (from, to) = (Url::parse(from).unwrap(), Url::parse(to).unwrap());
        let rights = RequestRights::user_supplied().inherit(&from, &to);
        assert_eq!((rights.may_reach_private(), rights.may_carry_credentials()), expect, "{to}");
        assert_eq!(
            RequestRights::discovered().inherit(&from, &to),
            RequestRights::discovered(),
            "{to}"
        );
    }

    #[test]
    fn inherit_on_same_host_and_port_keeps_rights() {
        check("http://a.test/x", "http://a.test:80/y", (true, true));
        check("https://a.test/x", "https://a.test/", (true, true));
        check("http://127.0.0.1:81/", "http://127.0.0.1:81/x", (true, true));
    }

    #[test]
    fn inherit_on_other_host_or_port_drops_rights() {
        check("http://a.test/", "http://b.test/", (false, false));
        check("http://a.test/", "http://www.a.test/", (false, false));
        check("http://a.test/", "http://a.test:81/", (false, false));
        check("http://a.test/", "https://a.test/", (false, false));
        check("http://127.0.0.1/", "http://127.0.0.2/", (false, false));
    }

    #[test]
    fn inherit_from_https_to_http_drops_credentials() {
        check("https://a.test:8080/", "http://a.test:8080/", (true, false));
    }

    #[test]
    fn from_stored_round_trips_is_user_supplied() {
        for rights in [RequestRights::user_supplied(), RequestRights::discovered()] {
            assert_eq!(RequestRights::from_stored(rights.is_user_supplied()), rights);
        }
        let service = RequestRights::configured_service();
        assert!(service.may_reach_private() && !service.is_user_supplied());
    }
}
