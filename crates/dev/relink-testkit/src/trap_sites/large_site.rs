//! Real sites of any size: articles, a forum and lists of both; members who link to each other.
//!
//! They have no trap: every URL is linked, and invented URLs do not exist.
//!
//! Numbers in calls of `prose`, `word` and `slug` select different words for each kind of
//! page. They have no other meaning.

use super::content::{SitePage, next_random, prose, slug};
use super::{SiteRequest, SiteResponse};

/// Number of entries on a page of a list.
const PER_PAGE: u64 = 25;
/// Number of forums.
const FORUMS: u64 = 12;

/// A real site.
#[derive(Debug, Clone, Copy)]
pub struct LargeSite {
    /// Number of articles.
    pub articles: u64,
    /// Number of forum threads.
    pub threads: u64,
}

impl LargeSite {
    /// Returns the number of pages of the site.
    pub fn page_count(&self) -> u64 {
        let forum_pages: u64 = (0..FORUMS).map(|forum| self.list_pages(forum)).sum();
        let lists = self.articles.div_ceil(PER_PAGE) + forum_pages;
        1 + self.articles + self.threads + lists
    }

    /// Returns the response to a path with its query.
    pub fn respond(&self, target: &str) -> SiteResponse {
        let request = SiteRequest::parse(target);
        let names: Vec<&str> = request.segments.iter().map(String::as_str).collect();
        let page = match names.as_slice() {
            [] => Some(Self::home()),
            ["articles"] => self.article_list(request.number("page").unwrap_or(1)),
            ["articles", name] => self.article(name),
            ["forum", "list"] => self.thread_list(&request),
            ["forum", "thread"] => self.thread(request.number("id").unwrap_or(0)),
            _ => None,
        };
        page.map_or(SiteResponse::Missing, |page| SiteResponse::Page(page.to_html()))
    }

    /// Returns the home page, with a link to each forum.
    fn home() -> SitePage {
        let forums = (0..FORUMS).map(|forum| {
            (format!("/forum/list?forum={forum}&page=1"), format!("Forum {}", slug(forum)))
        });
        SitePage::new("Large site", prose(5, 40)).link("/articles?page=1", "Articles").links(forums)
    }

    /// Returns a page of the list of articles.
    fn article_list(&self, page: u64) -> Option<SitePage> {
        let first = page.checked_sub(1)?.checked_mul(PER_PAGE)?;
        if first >= self.articles {
            return None;
        }
        let end = (first + PER_PAGE).min(self.articles);
        let entries = (first..end).map(|id| (article_path(id), slug(id).replace('-', " ")));
        let page_of_list = SitePage::new(format!("Articles, page {page}"), "").links(entries);
        let next = format!("/articles?page={}", page + 1);
        Some(if end == self.articles { page_of_list } else { page_of_list.link(next, "Next") })
    }

    /// Returns an article with links to related articles.
    fn article(&self, name: &str) -> Option<SitePage> {
        let id: u64 = name.split('-').next()?.parse().ok().filter(|id| *id < self.articles)?;
        if article_path(id) != format!("/articles/{name}") {
            return None;
        }
        let related = [id / 2, id * 3 + 1, id + 1].into_iter().filter(|id| *id < self.articles);
        let related = related.map(|id| (article_path(id), slug(id).replace('-', " ")));
        Some(SitePage::new(slug(id).replace('-', " "), prose(id + 1, 70)).links(related))
    }

    /// Returns a page of the list of threads of a forum.
    fn thread_list(&self, request: &SiteRequest) -> Option<SitePage> {
        let forum = request.number("forum").filter(|forum| *forum < FORUMS)?;
        let page =
            request.number("page").filter(|page| (1..=self.list_pages(forum)).contains(page))?;
        let ids = (0..PER_PAGE).map(|row| ((page - 1) * PER_PAGE + row) * FORUMS + forum);
        let ids = ids.filter(|id| *id < self.threads);
        let entries = ids.map(|id| (format!("/forum/thread?id={id}"), prose(id + 70_000, 4)));
        let list =
            SitePage::new(format!("Forum {}", slug(forum)), format!("Page {page}")).links(entries);
        let next = format!("/forum/list?forum={forum}&page={}", page + 1);
        Some(if page < self.list_pages(forum) { list.link(next, "Next") } else { list })
    }

    /// Returns the number of list pages of a forum.
    fn list_pages(&self, forum: u64) -> u64 {
        self.threads.saturating_sub(forum).div_ceil(FORUMS).div_ceil(PER_PAGE)
    }

    /// Returns a thread.
    fn thread(&self, id: u64) -> Option<SitePage> {
        (id < self.threads).then(|| SitePage::new(prose(id + 70_000, 4), prose(id + 80_000, 50)))
    }
}

/// Returns the path of an article.
fn article_path(id: u64) -> String {
    format!("/articles/{id}-{}", slug(id))
}

/// Number of members to which the home page links.
const FEATURED: u64 = 5;
/// Number of friends of a member.
const FRIENDS: u64 = 8;
/// The id of a member is the number of the member, combined with this mask by XOR. Therefore ids
/// are not consecutive.
const MEMBER_ID_MASK: u64 = 0x5a5a5;

/// A real site of members. There is no list, so most members are found only through the profiles
/// of other members. A profile has two pages.
#[derive(Debug, Clone, Copy)]
pub struct MemberSite {
    /// Number of members.
    pub members: u64,
}

impl MemberSite {
    /// Returns the number of pages of the site.
    pub fn page_count(&self) -> u64 {
        1 + 2 * self.members
    }

    /// Returns the response to a path with its query.
    pub fn respond(&self, target: &str) -> SiteResponse {
        let request = SiteRequest::parse(target);
        let names: Vec<&str> = request.segments.iter().map(String::as_str).collect();
        let page = match names.as_slice() {
            [] => {
                let featured = (0..FEATURED).map(|member| self.link(member * 7));
                Some(SitePage::new("Members", prose(6, 30)).links(featured))
            }
            ["people", name] => self.profile(name, 0),
            ["people", name, "posts"] => self.profile(name, 1),
            _ => None,
        };
        page.map_or(SiteResponse::Missing, |page| SiteResponse::Page(page.to_html()))
    }

    /// Returns the link to a member. The name ends with an id, from which the member is found.
    fn link(self, member: u64) -> (String, String) {
        let member = member % self.members;
        let name = format!("{}-{:05x}", slug(member), member ^ MEMBER_ID_MASK);
        (format!("/people/{name}"), slug(member).replace('-', " "))
    }

    /// Returns a page of a profile.
    fn profile(self, name: &str, tab: u64) -> Option<SitePage> {
        let path = format!("/people/{name}");
        let id = name.rsplit('-').next().and_then(|id| u64::from_str_radix(id, 16).ok())?;
        let member = id ^ MEMBER_ID_MASK;
        if self.link(member).0 != path {
            return None;
        }
        // Each member is also a friend of the next two members, so that all members are connected.
        let friends = (0..FRIENDS).map(|row| next_random(member * FRIENDS + row));
        let friends = friends.chain([member + 1, member + 2]).map(|friend| self.link(friend));
        let text = prose(member * 2 + tab + 90_000, 15);
        let posts = (format!("{path}/posts"), "Posts".to_owned());
        Some(
            SitePage::new(slug(member).replace('-', " "), text)
                .link(posts.0, posts.1)
                .links(friends),
        )
    }
}
