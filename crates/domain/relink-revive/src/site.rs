//! Groups URLs by site: one site per registrable domain.
//!
//! FABLE searches for an alias on the same site only (§3). A wrong alias then
//! still leads to a site that the author of the link trusted.

use std::fmt;

use url::Url;

/// A site: a registrable domain, or a host that has none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site(String);

impl Site {
    /// Returns the site of a URL.
    ///
    /// ```
    /// use relink_revive::Site;
    /// let site = Site::from_url(&"https://blog.example.co.uk/a".parse()?);
    /// assert_eq!(site.as_str(), "example.co.uk");
    /// # Ok::<(), url::ParseError>(())
    /// ```
    pub fn from_url(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        let name = match url.domain() {
            Some(_) => psl::domain_str(host).unwrap_or(host),
            // An IP address has no registrable domain.
            None => host,
        };
        Self(name.to_ascii_lowercase())
    }

    /// Returns the domain or host name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether two URLs belong to the same site.
pub fn is_same_site(one: &Url, other: &Url) -> bool {
    Site::from_url(one) == Site::from_url(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts whether two hosts belong to the same site.
    #[track_caller]
    fn check(one: &str, other: &str, expect: bool) {
        let [one, other] = [one, other].map(|host| format!("http://{host}/").parse().unwrap());
        assert_eq!(is_same_site(&one, &other), expect, "{one} {other}");
    }

    #[test]
    fn hosts_of_one_registrable_domain_are_one_site() {
        check("elections.example.org", "www.example.org", true);
        check("example.org", "EXAMPLE.org.", true);
        check("a.example.co.uk", "b.example.co.uk", true);
    }

    #[test]
    fn hosts_under_a_public_suffix_are_different_sites() {
        check("one.co.uk", "other.co.uk", false);
        check("one.github.io", "other.github.io", false);
        check("example.org", "example.net", false);
    }

    #[test]
    fn each_ip_address_is_its_own_site() {
        check("127.0.0.1", "127.0.0.1:8080", true);
        check("127.0.0.1", "127.1.0.1", false);
        check("[::1]", "[::2]", false);
    }
}
