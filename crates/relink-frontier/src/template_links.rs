//! Template links: header, sidebar and footer, told from what a page adds.
//!
//! A link that stands on nearly all pages of a site, or of one of its sections,
//! belongs to the template and not to the page (Website Health Analyser, §V).
//! Counting is bounded: links too rare to matter are forgotten on the way, and
//! how much they may have been undercounted is remembered (lossy counting:
//! Manku and Motwani, VLDB 2002).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use url::Url;

use crate::host_name;

/// On how many of the pages a template link stands, in percent.
const NEARLY_ALL: u64 = 80;
/// Links that stand on fewer are forgotten, in percent.
const RARE: u64 = 20;
/// Pages without which nothing can be said.
const FEWEST_PAGES: u64 = 5;
/// After so many pages rare links are forgotten.
const BUCKET: u64 = 64;
/// Links counted at once, for the site and for each section.
const MOST_LINKS: usize = 8_192;
/// Sections counted; the pages of others count for their site alone.
const MOST_SECTIONS: usize = 128;

/// Counts on how many pages each link stands.
///
/// ```
/// use relink_frontier::TemplateLinks;
/// let mut links = TemplateLinks::default();
/// for number in 0..10 {
///     let page = format!("https://example.org/blog/{number}").parse()?;
///     links.count(&page, ["https://example.org/about", &format!("/photo/{number}")]);
/// }
/// let page = "https://example.org/blog/11".parse()?;
/// assert!(links.is_template(&page, "https://example.org/about"));
/// assert!(!links.is_template(&page, "/photo/7"));
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateLinks {
    /// By host, and by host and first segment of the path.
    sections: BTreeMap<String, Census>,
}

/// The count of one site or section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Census {
    pages: u64,
    /// By the hash of the link.
    links: BTreeMap<u64, Tally>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Tally {
    /// On how many pages.
    count: u64,
    /// On how many more it may have stood before it was counted.
    missed: u64,
}

impl TemplateLinks {
    /// A page has these links; one that stands twice counts once.
    pub fn count<'a>(&mut self, page: &Url, targets: impl IntoIterator<Item = &'a str>) {
        let links: BTreeSet<u64> = targets.into_iter().map(hash_of).collect();
        for name in names(page) {
            if self.sections.len() >= MOST_SECTIONS && !self.sections.contains_key(&name) {
                continue;
            }
            self.sections.entry(name).or_default().add(&links);
        }
    }

    /// Whether a link on a page stands on nearly all pages of its site or of
    /// its section.
    pub fn is_template(&self, page: &Url, target: &str) -> bool {
        let link = hash_of(target);
        let mut sections = names(page).into_iter().filter_map(|name| self.sections.get(&name));
        sections.any(|census| census.is_template(link))
    }

    /// How many of the links are the page's own.
    pub fn own_links<'a>(&self, page: &Url, targets: impl IntoIterator<Item = &'a str>) -> usize {
        targets.into_iter().filter(|target| !self.is_template(page, target)).count()
    }
}

impl Census {
    fn add(&mut self, links: &BTreeSet<u64>) {
        let missed = self.rare();
        for link in links {
            if let Some(tally) = self.links.get_mut(link) {
                tally.count += 1;
            } else if self.links.len() < MOST_LINKS {
                self.links.insert(*link, Tally { count: 1, missed });
            }
        }
        self.pages += 1;
        if self.pages.is_multiple_of(BUCKET) || self.links.len() >= MOST_LINKS {
            let rare = self.rare();
            self.links.retain(|_, tally| tally.count + tally.missed > rare);
        }
    }

    /// The count up to which a link may be forgotten.
    fn rare(&self) -> u64 {
        self.pages * RARE / 100
    }

    fn is_template(&self, link: u64) -> bool {
        let Some(tally) = self.links.get(&link) else { return false };
        let may_stand = tally.count + tally.missed;
        self.pages >= FEWEST_PAGES && may_stand * 100 >= self.pages * NEARLY_ALL
    }
}

/// The site and the section of a page.
fn names(page: &Url) -> [String; 2] {
    let site = host_name(page);
    let section = page.path().split('/').nth(1).unwrap_or_default();
    // A page right below the root is in no section, and neither is the root.
    let is_folder = page.path().matches('/').count() > 1;
    let name = if is_folder { format!("{site}/{section}/") } else { format!("{site}/") };
    [site, name]
}

/// FNV-1a, 64 bits.
fn hash_of(target: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    target.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str) -> Url {
        Url::parse(&format!("https://example.org{path}")).unwrap()
    }

    #[test]
    fn a_section_may_have_a_template_of_its_own() {
        let mut links = TemplateLinks::default();
        for number in 0..50 {
            links.count(&page(&format!("/blog/{number}")), ["/", "/blog/archive", "/blog/archive"]);
            links.count(&page(&format!("/shop/{number}")), ["/", "/cart"]);
        }
        assert!(links.is_template(&page("/blog/1"), "/"));
        assert!(links.is_template(&page("/blog/1"), "/blog/archive"));
        assert!(!links.is_template(&page("/shop/1"), "/blog/archive"));
        assert_eq!(links.own_links(&page("/shop/1"), ["/", "/cart", "/blog/archive"]), 1);
    }

    #[test]
    fn a_few_pages_say_nothing() {
        let mut links = TemplateLinks::default();
        for number in 0..FEWEST_PAGES - 1 {
            links.count(&page(&format!("/{number}")), ["/about"]);
        }
        assert!(!links.is_template(&page("/9"), "/about"));
    }

    #[test]
    fn what_is_counted_is_bounded_and_the_template_is_kept() {
        let mut links = TemplateLinks::default();
        for number in 0..3_000 {
            let own: Vec<String> = (0..20).map(|n| format!("/a/{number}/{n}")).collect();
            let targets = own.iter().map(String::as_str);
            let menu = (number % 10 != 0).then_some("/menu");
            links.count(&page(&format!("/a/{number}")), targets.chain(menu));
        }
        assert!(links.sections.values().all(|census| census.links.len() <= MOST_LINKS));
        assert!(links.is_template(&page("/a/1"), "/menu"));
        assert!(!links.is_template(&page("/a/1"), "/a/2999/3"));
    }

    #[test]
    fn it_comes_back_from_a_store_as_it_was() {
        let mut links = TemplateLinks::default();
        links.count(&page("/a/b"), ["/c"]);
        let json = serde_json::to_string(&links).unwrap();
        assert_eq!(serde_json::from_str::<TemplateLinks>(&json).unwrap(), links);
    }
}
