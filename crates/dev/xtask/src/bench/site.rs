//! Writes a site of small pages, a tenth of which are missing.
//!
//! The pages are the same in every run, so that measurements are comparable.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::ListSize;
use crate::XtaskError;

/// One of this number of pages is missing.
const MISSING_INTERVAL: usize = 10;

/// Pages per directory.
const PAGES_PER_DIRECTORY: usize = 250;

/// Subjects of the pages.
const SUBJECTS: [&str; 16] = [
    "anchor", "barley", "chapel", "dune", "ember", "ferry", "granite", "heron", "island",
    "juniper", "kettle", "lichen", "mill", "nettle", "otter", "plough",
];

/// Returns the number of missing pages among this number of URLs.
pub(super) fn missing_count(urls: usize) -> usize {
    urls.div_ceil(MISSING_INTERVAL)
}

/// Writes the pages below `root` and returns the list of their URLs, one per
/// line.
pub(super) fn write(root: &Path, size: ListSize, port: u16) -> Result<String, XtaskError> {
    let mut urls = String::new();
    for number in 0..size.urls {
        let page = Page(number);
        if number.is_multiple_of(PAGES_PER_DIRECTORY) {
            let directory = root.join(page.directory());
            fs::create_dir_all(&directory).map_err(|error| XtaskError::io(&directory, &error))?;
        }
        if !number.is_multiple_of(MISSING_INTERVAL) {
            let path = root.join(page.path());
            fs::write(&path, page.html()).map_err(|error| XtaskError::io(&path, &error))?;
        }
        let host = number % usize::from(size.hosts) + 1;
        // Writing to a string cannot fail.
        let _ = writeln!(urls, "http://127.0.0.{host}:{port}/{}", page.path());
    }
    Ok(urls)
}

/// One page, by its number.
struct Page(usize);

impl Page {
    fn directory(&self) -> String {
        format!("shelf-{}", self.0 / PAGES_PER_DIRECTORY)
    }

    /// Returns the word with this index of the page.
    fn word(&self, word: usize) -> &'static str {
        // The step is odd, so it shares no factor with the number of subjects, which is 16.
        // Therefore neighboring pages differ in most words.
        SUBJECTS[(self.0 * 5 + word * (2 * (self.0 % 8) + 1)) % SUBJECTS.len()]
    }

    fn path(&self) -> String {
        format!("{}/{}-{}.html", self.directory(), self.word(0), self.0)
    }

    /// Returns the HTML of the page.
    fn html(&self) -> String {
        let title = format!("The {} book, volume {}", self.word(0), self.0);
        let words: Vec<&str> = (1..=40).map(|word| self.word(word)).collect();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<title>{title}</title>\n\
             <h1>{title}</h1>\n<p>{}.</p>\n</html>\n",
            words.join(" ")
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::bench::scratch::Scratch;

    #[test]
    fn write_omits_every_tenth_page() {
        let scratch = Scratch::new().unwrap();
        let size = ListSize { urls: 605, hosts: 3 };
        let urls = write(scratch.path(), size, 8080).unwrap();
        let urls: HashSet<&str> = urls.lines().collect();
        assert_eq!(urls.len(), 605);
        let absent = urls.iter().filter(|url| !scratch.path().join(path_of(url)).is_file()).count();
        assert_eq!(absent, missing_count(605));
    }

    #[test]
    fn write_spreads_pages_over_hosts() {
        let scratch = Scratch::new().unwrap();
        let size = ListSize { urls: 4, hosts: 2 };
        let urls = write(scratch.path(), size, 8080).unwrap();
        let count = |host: &str| urls.matches(host).count();
        assert_eq!(count("//127.0.0.1:8080/"), 2);
        assert_eq!(count("//127.0.0.2:8080/"), 2);
    }

    fn path_of(url: &str) -> &str {
        url.splitn(4, '/').last().unwrap()
    }
}
