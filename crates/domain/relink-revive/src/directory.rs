//! Which addresses are alike: those of one directory.
//!
//! FABLE, §4.1.1: the prefix up to the last `/`, without the numbers at its
//! end, so that dates and article numbers do not tear alike pages apart.
//! Nothing here knows whether the directory is one on the server's disk.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::address::{bare_host, components};

/// A directory of a site, such as `example.org/news/story/`.
///
/// Scheme and `www.` are left out. A slash at the very end of an address
/// belongs to the page's name, as in the paper's example from §5.1.1, where
/// `Contests/one_name/` and `Contests/another-name` are alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Directory(String);

impl Directory {
    /// The directory of a page.
    ///
    /// ```
    /// use relink_revive::Directory;
    /// let directory = Directory::of(&"http://www.example.org/news/2000/01/28/a.html".parse()?);
    /// assert_eq!(directory.as_str(), "example.org/news/");
    /// # Ok::<(), url::ParseError>(())
    /// ```
    pub fn of(url: &Url) -> Self {
        let mut path: Vec<&str> = components(url).collect();
        path.pop();
        while path.last().is_some_and(|last| is_number(last)) {
            path.pop();
        }
        let mut name = bare_host(url);
        for component in path {
            name.push('/');
            name.push_str(component);
        }
        name.push('/');
        Self(name)
    }

    /// Its name, with the slash that ends it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The directory above, if this is not the root of its host. Numbers at
    /// the end do not count there either.
    pub fn parent(&self) -> Option<Self> {
        let inner = self.0.strip_suffix('/')?;
        let mut above = inner.rsplit_once('/')?.0;
        while let Some((rest, last)) = above.rsplit_once('/')
            && is_number(last)
        {
            above = rest;
        }
        Some(Self(format!("{above}/")))
    }
}

impl fmt::Display for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Groups whatever has an address by its directory, in the order given.
pub fn group<T>(
    things: impl IntoIterator<Item = T>,
    url: impl Fn(&T) -> &Url,
) -> BTreeMap<Directory, Vec<T>> {
    let mut groups: BTreeMap<Directory, Vec<T>> = BTreeMap::new();
    for thing in things {
        groups.entry(Directory::of(url(&thing))).or_default().push(thing);
    }
    groups
}

fn is_number(component: &str) -> bool {
    !component.is_empty() && component.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, expect: &str) {
        let url: Url = url.parse().unwrap();
        assert_eq!(Directory::of(&url).as_str(), expect);
    }

    #[test]
    fn fable_table_3_is_one_directory() {
        for page in ["01/28/pankiw000128", "07/12/mb_120700Potter", "07/04/rancher000724"] {
            check(&format!("http://cbc.ca/news/story/2000/{page}.html"), "cbc.ca/news/story/");
        }
    }

    #[test]
    fn a_directory_ends_at_the_last_slash() {
        check("http://www.example.org:80/a/b/c.html?d=/e/f#g", "example.org/a/b/");
        check("http://example.org/a", "example.org/");
        check("http://example.org", "example.org/");
        check("http://example.org:8080/a/b", "example.org:8080/a/");
    }

    #[test]
    fn a_closing_slash_belongs_to_the_name() {
        check(
            "http://exclaim.ca/Contests/black_mountain_wilderness_heart/",
            "exclaim.ca/Contests/",
        );
        check("http://exclaim.ca/Contests/we_are_city-violent", "exclaim.ca/Contests/");
    }

    #[test]
    fn only_whole_numbers_at_the_end_are_dropped() {
        check("http://example.org/2004/news/2004_h1/12/a", "example.org/2004/news/2004_h1/");
        check("http://example.org/2004/05/a", "example.org/");
    }

    #[test]
    fn every_directory_leads_up_to_the_host() {
        let mut directory = Directory::of(&"http://example.org/a/2004/b/c".parse().unwrap());
        let mut names = vec![directory.to_string()];
        while let Some(parent) = directory.parent() {
            names.push(parent.to_string());
            directory = parent;
        }
        assert_eq!(names, ["example.org/a/2004/b/", "example.org/a/", "example.org/"]);
    }

    #[test]
    fn groups_keep_the_order_given() {
        let urls = ["b/2", "a/1", "b/1"].map(|path| format!("http://example.org/{path}"));
        let groups = group(urls.map(|url| url.parse::<Url>().unwrap()), |url| url);
        let shown: Vec<String> = groups
            .iter()
            .map(|(directory, urls)| {
                let names: Vec<&str> = urls.iter().map(Url::path).collect();
                format!("{directory} {}", names.join(" "))
            })
            .collect();
        assert_eq!(shown, ["example.org/a/ /a/1", "example.org/b/ /b/2 /b/1"]);
    }
}
