//! Groups URLs by directory.
//!
//! FABLE, §4.1.1: a directory is the URL prefix up to the last `/`, without
//! numbers at its end. Dates and article numbers therefore do not separate
//! similar pages. A directory need not exist in the server's file system.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::url_parts::{bare_host, components};

/// A directory of a site, such as `example.org/news/story/`.
///
/// The scheme and `www.` are removed. A slash at the end of a URL belongs to
/// the name of the page, as in §5.1.1, where `Contests/one_name/` and
/// `Contests/another-name` are in the same directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Directory(String);

impl Directory {
    /// Returns the directory of a page.
    ///
    /// ```
    /// use relink_revive::Directory;
    /// let directory = Directory::from_url(&"http://www.example.org/news/2000/01/28/a.html".parse()?);
    /// assert_eq!(directory.as_str(), "example.org/news/");
    /// # Ok::<(), url::ParseError>(())
    /// ```
    pub fn from_url(url: &Url) -> Self {
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

    /// Returns the name, including the final slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the parent directory without numbers at its end, or `None` for
    /// the root of a host.
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

/// Groups items by the directory of their URL. Keeps the order within a group.
pub fn group_by_directory<T>(
    items: impl IntoIterator<Item = T>,
    url: impl Fn(&T) -> &Url,
) -> BTreeMap<Directory, Vec<T>> {
    let mut groups: BTreeMap<Directory, Vec<T>> = BTreeMap::new();
    for item in items {
        groups.entry(Directory::from_url(url(&item))).or_default().push(item);
    }
    groups
}

fn is_number(component: &str) -> bool {
    !component.is_empty() && component.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the directory of a page.
    #[track_caller]
    fn check(url: &str, expect: &str) {
        let url: Url = url.parse().unwrap();
        assert_eq!(Directory::from_url(&url).as_str(), expect);
    }

    #[test]
    fn fable_table_3_is_one_directory() {
        for page in ["01/28/pankiw000128", "07/12/mb_120700Potter", "07/04/rancher000724"] {
            check(&format!("http://cbc.ca/news/story/2000/{page}.html"), "cbc.ca/news/story/");
        }
    }

    #[test]
    fn directory_ends_at_the_last_slash() {
        check("http://www.example.org:80/a/b/c.html?d=/e/f#g", "example.org/a/b/");
        check("http://example.org/a", "example.org/");
        check("http://example.org", "example.org/");
        check("http://example.org:8080/a/b", "example.org:8080/a/");
    }

    #[test]
    fn trailing_slash_belongs_to_the_page_name() {
        check(
            "http://exclaim.ca/Contests/black_mountain_wilderness_heart/",
            "exclaim.ca/Contests/",
        );
        check("http://exclaim.ca/Contests/we_are_city-violent", "exclaim.ca/Contests/");
    }

    #[test]
    fn only_trailing_numbers_are_removed() {
        check("http://example.org/2004/news/2004_h1/12/a", "example.org/2004/news/2004_h1/");
        check("http://example.org/2004/05/a", "example.org/");
    }

    #[test]
    fn parents_lead_to_the_host() {
        let mut directory = Directory::from_url(&"http://example.org/a/2004/b/c".parse().unwrap());
        let mut names = vec![directory.to_string()];
        while let Some(parent) = directory.parent() {
            names.push(parent.to_string());
            directory = parent;
        }
        assert_eq!(names, ["example.org/a/2004/b/", "example.org/a/", "example.org/"]);
    }

    #[test]
    fn groups_keep_input_order() {
        let urls = ["b/2", "a/1", "b/1"].map(|path| format!("http://example.org/{path}"));
        let groups = group_by_directory(urls.map(|url| url.parse::<Url>().unwrap()), |url| url);
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
