//! Which addresses belong to one site: those of one registrable domain.
//!
//! FABLE looks for an alias on the same site only (§3), so that a wrong answer
//! still leads to someone whom the reader of the link trusted anyway.

use std::fmt;

use url::Url;

/// A site: a registrable domain, or a host that has none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site(String);

impl Site {
    /// The site an address belongs to.
    ///
    /// ```
    /// use relink_revive::Site;
    /// let site = Site::of(&"https://blog.example.co.uk/a".parse()?);
    /// assert_eq!(site.as_str(), "example.co.uk");
    /// # Ok::<(), url::ParseError>(())
    /// ```
    pub fn of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        let name = match url.domain() {
            Some(_) => psl::domain_str(host).unwrap_or(host),
            // An address made of numbers has no registrable part.
            None => host,
        };
        Self(name.to_ascii_lowercase())
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether two addresses belong to one site.
pub fn is_same_site(one: &Url, other: &Url) -> bool {
    Site::of(one) == Site::of(other)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_shared_suffix_makes_no_site() {
        check("one.co.uk", "other.co.uk", false);
        check("one.github.io", "other.github.io", false);
        check("example.org", "example.net", false);
    }

    #[test]
    fn an_address_of_numbers_is_a_site_of_its_own() {
        check("127.0.0.1", "127.0.0.1:8080", true);
        check("127.0.0.1", "127.1.0.1", false);
        check("[::1]", "[::2]", false);
    }
}
