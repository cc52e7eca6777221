//! What a request may do, which depends on who named its URL.
//!
//! Every request carries one [`RequestRights`]. It holds no rights unless it
//! comes from one of the constructors for URLs of the user, and it loses them
//! on the way to another host or port. `cargo xtask tidy` lists the only files
//! that may call those constructors.

use url::Url;

/// Whether a request may reach private addresses and may carry the user's
/// credentials: the headers given with `--header`.
///
/// ```
/// use relink_model::RequestRights;
/// let named = "http://intranet.test/".parse()?;
/// let rights = RequestRights::named_by_user();
/// assert!(rights.may_reach_private() && rights.may_carry_credentials());
/// let elsewhere = rights.inherited(&named, &"http://other.test/".parse()?);
/// assert_eq!(elsewhere, RequestRights::discovered());
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RequestRights {
    reaches_private: bool,
    carries_credentials: bool,
}

impl RequestRights {
    /// The rights of a URL that the user named: on the command line, in the
    /// configuration or in a document of the user.
    pub const fn named_by_user() -> Self {
        Self { reaches_private: true, carries_credentials: true }
    }

    /// The rights of a service that the user configured, such as an archive. It
    /// may be at a private address; the headers for pages are not meant for it.
    pub const fn configured_service() -> Self {
        Self { reaches_private: true, carries_credentials: false }
    }

    /// The rights of a URL that anything else named: a page, a redirect, an
    /// archive, a search engine.
    pub const fn discovered() -> Self {
        Self { reaches_private: false, carries_credentials: false }
    }

    /// The rights of a stored URL, from whether the store says that the user
    /// named it.
    pub const fn from_stored(is_named: bool) -> Self {
        if is_named { Self::named_by_user() } else { Self::discovered() }
    }

    /// What the store keeps: whether the user named the URL.
    pub const fn is_named_by_user(self) -> bool {
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

    /// The rights of `to`, which `from` led to: the same ones on the same host
    /// and port, none elsewhere, and no credentials from https to http.
    #[must_use]
    pub fn inherited(self, from: &Url, to: &Url) -> Self {
        if !is_same_host_and_port(from, to) {
            return Self::discovered();
        }
        let is_downgrade = from.scheme() == "https" && to.scheme() != "https";
        Self { carries_credentials: self.carries_credentials && !is_downgrade, ..self }
    }
}

/// Whether two URLs are on the same host and port.
pub fn is_same_host_and_port(one: &Url, other: &Url) -> bool {
    one.host() == other.host() && one.port_or_known_default() == other.port_or_known_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: &str, to: &str, expect: (bool, bool)) {
        let (from, to) = (Url::parse(from).unwrap(), Url::parse(to).unwrap());
        let rights = RequestRights::named_by_user().inherited(&from, &to);
        assert_eq!((rights.may_reach_private(), rights.may_carry_credentials()), expect, "{to}");
        assert_eq!(
            RequestRights::discovered().inherited(&from, &to),
            RequestRights::discovered(),
            "{to}"
        );
    }

    #[test]
    fn inherited_on_the_same_host_and_port_keeps_rights() {
        check("http://a.test/x", "http://a.test:80/y", (true, true));
        check("https://a.test/x", "https://a.test/", (true, true));
        check("http://127.0.0.1:81/", "http://127.0.0.1:81/x", (true, true));
    }

    #[test]
    fn inherited_elsewhere_drops_rights() {
        check("http://a.test/", "http://b.test/", (false, false));
        check("http://a.test/", "http://www.a.test/", (false, false));
        check("http://a.test/", "http://a.test:81/", (false, false));
        check("http://a.test/", "https://a.test/", (false, false));
        check("http://127.0.0.1/", "http://127.0.0.2/", (false, false));
    }

    #[test]
    fn inherited_from_https_to_http_drops_credentials() {
        check("https://a.test:8080/", "http://a.test:8080/", (true, false));
    }

    #[test]
    fn from_stored_keeps_what_is_named_by_user() {
        for rights in [RequestRights::named_by_user(), RequestRights::discovered()] {
            assert_eq!(RequestRights::from_stored(rights.is_named_by_user()), rights);
        }
        let service = RequestRights::configured_service();
        assert!(service.may_reach_private() && !service.is_named_by_user());
    }
}
