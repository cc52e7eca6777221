//! Traps of versions and views: the same content at another time or in another form.
//!
//! Numbers in calls of `prose`, `word` and `slug` select different words for each kind of
//! page. They have no other meaning.

use super::TrapSite;
use super::content::{SitePage, next_random, prose, seed_of, slug, word};
use super::{SiteRequest, SiteResponse};

/// The sites of this module.
pub(super) const SITES: &[TrapSite] = &[
    TrapSite::new("cgit", "/cgit/tool/log/", cgit).with_real_pages(cgit_pages),
    TrapSite::new("gitweb", "/gitweb?p=tool.git;a=summary", gitweb).with_real_pages(gitweb_pages),
    TrapSite::new("forum with sid, print and quote", "/forum/index", forum)
        .with_real_pages(threads),
    TrapSite::new("wiki with history, diff and oldid", "/wiki?title=Main", wiki)
        .with_real_pages(wiki_pages),
    TrapSite::new("session ids in paths", "/s/0/start", sessions).with_real_pages(session_pages),
    TrapSite::new("tracking parameters", "/mag", tracking).with_real_pages(magazine),
];

/// Number of commits.
const COMMITS: u64 = 30;
/// Files of the repository.
const FILES: [&str; 8] =
    ["README", "main.c", "util.c", "util.h", "parse.c", "parse.h", "Makefile", "test.sh"];

/// Returns the hash of a commit.
fn commit_id(number: u64) -> String {
    format!("{:016x}{:08x}", next_random(number), next_random(number + 99) % (1 << 32))
}

/// Returns the number of the commit with an id. An empty id means the last commit.
fn find_commit(id: &str) -> Option<u64> {
    if id.is_empty() {
        Some(COMMITS)
    } else {
        (1..=COMMITS).find(|number| commit_id(*number) == id)
    }
}

/// Returns the text of a file after a commit. Every tenth commit changes the text.
fn file_text(file: &str, number: u64) -> String {
    prose(seed_of(file) + number / 10, 80)
}

/// Returns the real pages of the repository browser.
fn cgit_pages() -> Vec<String> {
    let commits =
        (1..=COMMITS).map(|number| format!("/cgit/tool/commit/?id={}", commit_id(number)));
    let files = FILES.iter().map(|file| format!("/cgit/tool/tree/{file}"));
    commits.chain(files).chain(["/cgit/tool/log/".to_owned()]).collect()
}

/// The repository browser cgit, which shows every file at every commit.
fn cgit(request: &SiteRequest) -> Option<SiteResponse> {
    let names: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    let ["cgit", "tool", view, rest @ ..] = names.as_slice() else { return None };
    let number = find_commit(request.get("id"))?;
    let file = rest.first().copied().filter(|file| FILES.contains(file));
    let id = |number: u64| format!("?id={}", commit_id(number));
    let mut page = match (*view, file) {
        ("commit", _) => SitePage::new(prose(number + 400, 4), prose(number + 500, 30)),
        ("log", _) => {
            let commits = (1..=COMMITS).map(|number| {
                (format!("/cgit/tool/commit/{}", id(number)), prose(number + 400, 4))
            });
            SitePage::new("Log", "").links(commits)
        }
        ("tree" | "plain" | "blame", Some(file)) => SitePage::new(file, file_text(file, number)),
        ("tree", None) => SitePage::new("Tree", FILES.join(" ")),
        ("diff", _) => SitePage::new("Diff", file_text(FILES[0], number)),
        _ => return None,
    };
    for other in
        [number.saturating_sub(1).max(1), (number + 1).min(COMMITS), (number * 7) % COMMITS + 1]
    {
        let suffix = format!("{}&id2={}", id(number), commit_id(other));
        page = page.link(format!("/cgit/tool/diff/{suffix}"), "diff");
        page = page.link(format!("/cgit/tool/tree/{}", id(other)), "tree");
    }
    for file in FILES {
        for view in ["tree", "plain", "blame", "log"] {
            page = page.link(format!("/cgit/tool/{view}/{file}{}", id(number)), view);
            page = page.link(format!("/cgit/tool/{view}/{file}"), file);
        }
    }
    page.into_response()
}

/// Returns the real pages of the repository browser.
fn gitweb_pages() -> Vec<String> {
    let commits =
        (1..=COMMITS).map(|number| format!("/gitweb?p=tool.git;a=commit;h={}", commit_id(number)));
    commits.chain(["/gitweb?p=tool.git;a=summary".to_owned()]).collect()
}

/// The repository browser gitweb. Its parameters combine an action (`a`), a file (`f`), a commit
/// (`h`) and the commit of the file (`hb`).
fn gitweb(request: &SiteRequest) -> Option<SiteResponse> {
    if request.path != "/gitweb" || request.get("p") != "tool.git" {
        return None;
    }
    let number = find_commit(request.get("h"))?;
    let base = find_commit(request.get("hb"))?;
    let file = FILES.iter().find(|file| **file == request.get("f"));
    let page = match (request.get("a"), file) {
        ("commit", _) => SitePage::new(prose(number + 400, 4), prose(number + 500, 30)),
        ("summary" | "shortlog" | "log", _) => {
            let commits = (1..=COMMITS).map(|commit| {
                let url = format!("/gitweb?p=tool.git;a=commit;h={}", commit_id(commit));
                (url, prose(commit + 400, 4))
            });
            SitePage::new("Summary", "").links(commits)
        }
        ("blob" | "blame" | "history", Some(file)) => SitePage::new(*file, file_text(file, base)),
        ("tree", _) => SitePage::new("Tree", FILES.join(" ")),
        ("commitdiff" | "blobdiff", _) => SitePage::new("Diff", file_text(FILES[0], number)),
        _ => return None,
    };
    let mut links = Vec::new();
    for action in ["tree", "commitdiff", "shortlog", "log"] {
        links.push((
            format!("/gitweb?p=tool.git;a={action};h={}", commit_id(number)),
            action.into(),
        ));
        let other = (number * 5 + 1) % COMMITS + 1;
        let (commit, base_commit) = (commit_id(number), commit_id(other));
        let url = format!("/gitweb?p=tool.git;a={action};h={commit};hb={base_commit}");
        links.push((url, action.to_owned()));
    }
    for file in FILES {
        for action in ["blob", "blame", "history", "blobdiff"] {
            let (commit, base_commit) = (commit_id(number), commit_id(base));
            let url = format!("/gitweb?p=tool.git;a={action};f={file};h={commit};hb={base_commit}");
            links.push((url, action.to_owned()));
        }
    }
    page.links(links).into_response()
}

/// Number of threads in a forum.
const THREADS: u64 = 24;

/// Returns the real pages of the forum.
fn threads() -> Vec<String> {
    (1..=THREADS).map(|id| format!("/forum/thread?id={id}")).collect()
}

/// Every link has a new session id (`sid`).
fn forum(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "forum" {
        return None;
    }
    let view = request.segments.get(1)?.as_str();
    let page_seed = seed_of(&request.target);
    let sid = |number: u64| {
        format!("sid={:016x}{:016x}", next_random(page_seed ^ number), next_random(number))
    };
    let id = request.number("id").unwrap_or(1);
    let page = request.number("page").unwrap_or(1);
    let thread_link = |id: u64| (format!("/forum/thread?id={id}&{}", sid(id)), prose(id + 800, 4));
    match view {
        "index" if page <= 3 => SitePage::new("Forum", "Welcome to the forum.")
            // Three pages with eight threads each.
            .links((page * 8 - 7..=page * 8).map(thread_link))
            .links((1..=3).map(|other| {
                (format!("/forum/index?page={other}&{}", sid(other)), other.to_string())
            }))
            .into_response(),
        "thread" | "print" if id <= THREADS => {
            SitePage::new(prose(id + 800, 4), prose(id + 900, 60))
                .link(format!("/forum/print?id={id}&{}", sid(1)), "Print")
                .links((1..=6).map(|post| {
                    (format!("/forum/reply?id={id}&quote={post}&{}", sid(post)), "Quote".to_owned())
                }))
                .link(format!("/forum/index?page=1&{}", sid(9)), "Forum")
                .links([id + 1, id + 2].into_iter().filter(|id| *id <= THREADS).map(thread_link))
                .into_response()
        }
        "reply" if id <= THREADS => SitePage::new("Reply", prose(id + 900, 60))
            .link(format!("/forum/thread?id={id}&{}", sid(2)), "Back")
            .into_response(),
        _ => None,
    }
}

/// Returns the real pages of the wiki.
fn wiki_pages() -> Vec<String> {
    let titles = (1..=15).map(|number| format!("/wiki?title={}", wiki_title(number)));
    titles.chain(["/wiki?title=Main".to_owned()]).collect()
}

/// Returns the title of an article.
fn wiki_title(number: u64) -> String {
    format!("{}_{}", word(number * 5), word(number * 11 + 1))
}

/// A wiki with endless histories, old revisions and comparisons.
fn wiki(request: &SiteRequest) -> Option<SiteResponse> {
    if request.path != "/wiki" {
        return None;
    }
    let title = request.get("title");
    // The main page has the number 0.
    let is_title_of = |number: u64| title == "Main" && number == 0 || wiki_title(number) == title;
    let number = (0..=15).find(|number| is_title_of(*number))?;
    let displayed_title = title.replace('_', " ");
    let url = |rest: &str| format!("/wiki?title={title}&{rest}");
    let revision = |row: u64| number * 1_000 + row;
    let page = match request.get("action") {
        "history" => {
            let offset = request.number("offset").unwrap_or(0);
            SitePage::new(format!("History of {displayed_title}"), "Revisions")
                .links((0..8).map(|row| {
                    (url(&format!("oldid={}", revision(offset + row))), format!("Revision {row}"))
                }))
                .links((0..8).map(|row| {
                    let (newer, older) = (revision(offset + row), revision(offset + row + 1));
                    (url(&format!("diff={newer}&oldid={older}")), "Compare".to_owned())
                }))
                .link(url(&format!("action=history&offset={}", offset + 8)), "Older")
        }
        "edit" | "info" => {
            SitePage::new(format!("{displayed_title} source"), prose(number + 60, 90))
        }
        _ => SitePage::new(displayed_title, prose(number + 60, 90)),
    };
    page.link(url("action=history"), "History")
        .link(url("action=edit"), "Edit")
        .link(url("action=info"), "Information")
        .link(url("printable=yes"), "Print")
        .links((0..3).map(|step| {
            let target = wiki_title((number * 3 + step) % 15 + 1);
            (format!("/wiki?title={target}"), target.replace('_', " "))
        }))
        .into_response()
}

/// Returns the real pages, with any session id.
fn session_pages() -> Vec<String> {
    ["start", "terms", "prices", "contact", "faq", "map", "jobs", "press"]
        .map(|name| format!("/s/*/{name}"))
        .to_vec()
}

/// All pages exist only below a session id, which changes with every request.
fn sessions(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, _, name] = request.segments.as_slice() else { return None };
    let names = ["start", "terms", "prices", "contact", "faq", "map", "jobs", "press"];
    let index = names.iter().position(|known| known == name).filter(|_| first == "s")?;
    let session_id = |link: u64| {
        format!("{:x}k{:x}", next_random(seed_of(&request.target) ^ link), next_random(link) % 999)
    };
    // Each page links to the next two pages and to the first page.
    let linked = (1..=2).filter_map(|step| names.get(index + step)).chain(names.first());
    let links = linked
        .zip(0..)
        .map(|(name, link)| (format!("/s/{}/{name}", session_id(link)), (*name).to_owned()));
    SitePage::new(name.as_str(), prose(seed_of(name), 50)).links(links).into_response()
}

/// Returns the real pages of the magazine.
fn magazine() -> Vec<String> {
    (1..=20)
        .map(|number| format!("/mag/{}", slug(number + 200)))
        .chain(["/mag".to_owned()])
        .collect()
}

/// Every link has parameters with the page and the position of the link.
fn tracking(request: &SiteRequest) -> Option<SiteResponse> {
    let page_seed = seed_of(&request.target);
    let link = |number: u64| {
        let slug = slug(number + 200);
        let from = format!("ref={:x}&pos={number}", next_random(page_seed) % (1 << 40));
        (format!("/mag/{slug}?{from}"), slug.replace('-', " "))
    };
    match request.segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["mag"] => {
            SitePage::new("Magazine", "All articles.").links((1..=6).map(link)).into_response()
        }
        ["mag", name] => {
            let number = (1..=20).find(|number| slug(number + 200) == name)?;
            let related = (1..=3).map(|step| (number + step - 1) % 20 + 1);
            SitePage::new(name.replace('-', " "), prose(number + 250, 60))
                .links(related.map(link))
                .into_response()
        }
        _ => None,
    }
}
