//! Traps of pages that link to more pages of the same kind: profiles, related items, revisions,
//! suggestions, combinations, growing paths.
//!
//! Numbers in calls of `prose`, `word` and `slug` select different words for each kind of
//! page. They have no other meaning.

use super::TrapSite;
use super::content::{SitePage, next_random, prose, seed_of, slug, word};
use super::{SiteRequest, SiteResponse};

/// The sites of this module.
pub(super) const SITES: &[TrapSite] = &[
    TrapSite::new("profiles with tabs and checked names", "/members/ada-river-4a", profiles)
        .with_unique_text(),
    TrapSite::new("profiles with short texts", "/u/stone42", short_profiles).with_unique_text(),
    TrapSite::new("related items with checked ids", "/item/1000", related_items).with_unique_text(),
    TrapSite::new("combinations of tags", "/tagged/river", tag_combinations).with_real_pages(posts),
    TrapSite::new("suggested searches", "/find?q=river", suggestions).with_unique_text(),
    TrapSite::new("growing paths with text of their own", "/branch/", growing_paths)
        .with_unique_text(),
    TrapSite::new("sort × filter × page", "/goods", goods_list).with_real_pages(goods),
    TrapSite::new("revisions with text of their own", "/w/Main_Page", revisions)
        .with_unique_text()
        .with_real_pages(articles),
    TrapSite::new("session ids and steps in paths", "/in/0a/desk", sessions).with_real_pages(desks),
    TrapSite::new("copies of the site below other names", "/mirror-oslo/", mirrors),
    TrapSite::new("feed with cursors", "/feed", feed).with_unique_text(),
];

/// Returns two hexadecimal digits that depend on the words of a name. Valid names contain the
/// digits.
fn check_digits(name: &str) -> String {
    format!("{:02x}", seed_of(name) % 256)
}

/// Returns the name of a member, such as `ada-river-4a7f3`: two words, the check digits and a
/// number.
fn member(seed: u64) -> String {
    let name = format!("{}-{}", word(seed), word(seed ^ 0xa5));
    format!("{name}-{}{:x}", check_digits(&name), seed % 4_096)
}

/// Whether a member has this name. The entry of the trap is an exception.
fn is_member(name: &str) -> bool {
    name == "ada-river-4a"
        || name
            .rsplit_once('-')
            .is_some_and(|(words, end)| end.starts_with(&check_digits(words)) && end.len() > 2)
}

/// Profiles with four tabs. Each links to the profiles of six friends. Two tabs have text of
/// their own. Unknown names do not exist.
fn profiles(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, name, rest @ ..] = request.segments.as_slice() else { return None };
    let tab = rest.first().map_or("", String::as_str);
    if first != "members" || !is_member(name) || !["", "posts", "likes", "about"].contains(&tab) {
        return None;
    }
    let seed = seed_of(name);
    let text = match tab {
        "" => prose(seed, 20),
        "posts" => prose(seed ^ 1, 40),
        _ => "This member has not added anything here.".to_owned(),
    };
    let friends = (0..6).map(|row| member(next_random(seed ^ row)));
    SitePage::new(name.as_str(), text)
        .links(friends.map(|name| (format!("/members/{name}"), name)))
        .links(
            ["posts", "likes", "about"]
                .map(|tab| (format!("/members/{name}/{tab}"), tab.to_owned())),
        )
        .into_response()
}

/// Profiles of one line. The profile with a number links to three new profiles, to the next
/// profile and to the profile that leads to this profile.
fn short_profiles(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, name] = request.segments.as_slice() else { return None };
    let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let number: u64 = name.get(letters.len()..)?.parse().ok()?;
    let is_known = (0..200).any(|index| word(index) == letters);
    if first != "u" || !is_known {
        return None;
    }
    let url = |number: u64| format!("/u/{}{number}", word(number % 97));
    let linked = [number * 3 + 1, number * 3 + 2, number * 3 + 3, number + 1, number / 3];
    SitePage::new("Profile", format!("Likes {} and {}.", prose(number, 2), prose(number + 3, 2)))
        .links(linked.map(|number| (url(number), format!("Friend {number}"))))
        .into_response()
}

/// Items with related items. About every seventh number exists.
fn related_items(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, id] = request.segments.as_slice() else { return None };
    let id: u64 = id.parse().ok()?;
    let exists = |id: u64| id == 1_000 || next_random(id).is_multiple_of(7);
    if first != "item" || !exists(id) || id > 99_999_999 {
        return None;
    }
    let first_candidate = next_random(id) % 90_000_000;
    let related = (first_candidate..).filter(|id| exists(*id)).take(5);
    SitePage::new(prose(id, 3), prose(id + 5, 35))
        .links(related.map(|id| (format!("/item/{id}"), "Customers also viewed".to_owned())))
        .into_response()
}

/// Returns the real pages of the blog.
fn posts() -> Vec<String> {
    (1..=24).map(|number| format!("/post/{}", slug(number + 1_700))).collect()
}

/// Any combination of twelve tags, in alphabetical order, with the posts that have all of them.
fn tag_combinations(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, name] = request.segments.as_slice() else { return None };
    if first == "post" {
        let number = (1..=24).find(|number| slug(number + 1_700) == *name)?;
        return SitePage::new(name.replace('-', " "), prose(number + 1_700, 40)).into_response();
    }
    let all_tags: Vec<&str> = (0..12).map(|number| word(number * 3)).chain(["river"]).collect();
    let tags: Vec<&str> = name.split('+').collect();
    if first != "tagged" || !tags.iter().all(|tag| all_tags.contains(tag)) {
        return None;
    }
    let has_tag = |number: u64, tag: &&str| seed_of(tag).wrapping_add(number).is_multiple_of(3);
    // The tag `river` alone selects all posts.
    let matching =
        (1..=24).filter(|number| tags == ["river"] || tags.iter().all(|tag| has_tag(*number, tag)));
    let slugs = matching.map(|number| slug(number + 1_700));
    let found = slugs.map(|slug| (format!("/post/{slug}"), slug.replace('-', " ")));
    let more = all_tags.iter().filter(|tag| !tags.contains(tag)).map(|tag| {
        let mut extended = tags.clone();
        extended.push(tag);
        extended.sort_unstable();
        extended.dedup();
        (format!("/tagged/{}", extended.join("+")), format!("and {tag}"))
    });
    let text = format!("Posts about {}.", tags.join(" and "));
    SitePage::new(tags.join(", "), text).links(found).links(more).into_response()
}

/// Results with text for any search, and suggestions of longer searches.
fn suggestions(request: &SiteRequest) -> Option<SiteResponse> {
    let query =
        Some(request.get("q")).filter(|query| request.path == "/find" && !query.is_empty())?;
    let seed = seed_of(query);
    let longer = (0..4).map(|row| {
        let added = word(seed ^ row);
        (format!("/find?q={query}+{added}"), format!("Did you mean {added}?"))
    });
    let results: Vec<String> = (0..4).map(|row| prose(seed + row, 10)).collect();
    SitePage::new(format!("Search: {query}"), results.join(". ")).links(longer).into_response()
}

/// Relative links without a leading slash. Every page has text of its own.
fn growing_paths(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "branch" {
        return None;
    }
    let seed = seed_of(&request.path);
    let names = (0..3).map(|row| format!("{}/", word(seed ^ row)));
    SitePage::new(prose(seed, 3), prose(seed + 2, 40))
        .links(names.map(|name| (name.clone(), name)))
        .into_response()
}

/// Returns the real pages of the shop.
fn goods() -> Vec<String> {
    (1..=36).map(|number| format!("/good/{}", slug(number + 1_900))).collect()
}

/// A list with eight orders, six filters, two directions, three sizes and any page number.
fn goods_list(request: &SiteRequest) -> Option<SiteResponse> {
    if let [first, name] = request.segments.as_slice()
        && first == "good"
    {
        let number = (1..=36).find(|number| slug(number + 1_900) == *name)?;
        return SitePage::new(name.replace('-', " "), prose(number + 1_900, 30)).into_response();
    }
    if request.path != "/goods" {
        return None;
    }
    let selected = request.parameters();
    let page = request.number("page").unwrap_or(1);
    let size = request.number("size").unwrap_or(12);
    let url_with = |changes: &[(&str, String)]| {
        let mut parameters = selected.clone();
        parameters.extend(changes.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        let pairs: Vec<String> =
            parameters.iter().map(|(key, value)| format!("{key}={value}")).collect();
        format!("/goods?{}", pairs.join("&"))
    };
    let offset = seed_of(request.get("sort")) % 36 + seed_of(request.get("filter")) % 5;
    let first = page.saturating_sub(1).saturating_mul(size);
    let shown = (first..first.saturating_add(size).min(36)).map(|row| {
        let slug = slug((row + offset) % 36 + 1_901);
        (format!("/good/{slug}"), slug.replace('-', " "))
    });
    let mut links: Vec<(String, String)> = shown.collect();
    for number in 0..8 {
        let key = word(number + 70).to_owned();
        links.push((url_with(&[("sort", key.clone()), ("page", "1".to_owned())]), key));
    }
    for number in 0..6 {
        let key = word(number + 90).to_owned();
        links.push((url_with(&[("filter", key.clone()), ("page", "1".to_owned())]), key));
    }
    for (key, value) in [("dir", "up"), ("dir", "down"), ("size", "12"), ("size", "24")] {
        links.push((url_with(&[(key, value.to_owned())]), value.to_owned()));
    }
    links.push((url_with(&[("page", (page + 1).to_string())]), "Next".to_owned()));
    SitePage::new("Goods", format!("Page {page} of our goods, {size} per page."))
        .links(links)
        .into_response()
}

/// Returns the real pages of the wiki.
fn articles() -> Vec<String> {
    (1..=12).map(|number| format!("/w/{}", article(number))).collect()
}

/// Returns the title of an article.
fn article(number: u64) -> String {
    format!("{}_{}", word(number * 7 + 2), word(number * 13 + 5))
}

/// A wiki whose revisions differ in a paragraph. Every revision has an older revision. The id of a
/// revision decreases by 13 with its age. Other ids do not exist.
fn revisions(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, title] = request.segments.as_slice() else { return None };
    // The main page has the number 0.
    let is_title_of =
        |number: u64| number == 0 && title == "Main_Page" || article(number) == *title;
    let number = (0..=12).find(|number| is_title_of(*number))?;
    if first != "w" {
        return None;
    }
    let displayed_title = title.replace('_', " ");
    let id = |age: u64| 9_000_000_000_u64 - age * 13 - number;
    let age_of = |id: u64| {
        let difference = (9_000_000_000 - number).checked_sub(id)?;
        (difference % 13 == 0).then_some(difference / 13)
    };
    let url = |rest: String| format!("/w/{title}?{rest}");
    let revised_text = |age: u64| prose(number * 1_000_000 + age, 12);
    let page = match (request.number("oldid"), request.number("diff"), request.get("action")) {
        (Some(old), Some(new), _) => {
            let text = format!("{}. {}", revised_text(age_of(old)?), revised_text(age_of(new)?));
            SitePage::new(format!("Changes of {displayed_title}"), text)
        }
        (Some(old), None, _) => {
            let age = age_of(old)?;
            SitePage::new(
                displayed_title,
                format!("{}. {}", prose(number + 1_850, 50), revised_text(age)),
            )
            .link(url(format!("oldid={}", id(age + 1))), "Older revision")
            .link(url(format!("diff={}&oldid={}", id(age), id(age + 1))), "Changes")
        }
        (None, None, "history") => {
            let age = request.number("offset").unwrap_or(0);
            SitePage::new(format!("History of {displayed_title}"), "Revisions")
                .links(
                    (age..age + 5)
                        .map(|age| (url(format!("oldid={}", id(age))), revised_text(age))),
                )
                .link(url(format!("action=history&offset={}", age + 5)), "Older")
        }
        _ => SitePage::new(
            displayed_title,
            format!("{}. {}", prose(number + 1_850, 50), revised_text(0)),
        ),
    };
    let linked = [number + 1, number + 5]
        .map(|number| article(number % 13))
        .map(|name| (format!("/w/{name}"), name.replace('_', " ")));
    page.link(url("action=history".to_owned()), "History").links(linked).into_response()
}

/// Returns the real pages behind the session ids.
fn desks() -> Vec<String> {
    (0..14).map(|number| format!("/in/0a/desk{number}")).collect()
}

/// Every link has a new session id and the number of steps. There are 14 desks.
fn sessions(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, id, desk, ..] = request.segments.as_slice() else { return None };
    if first != "in" || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let number = (0..14).find(|number| format!("desk{number}") == *desk);
    if number.is_none() && desk != "desk" {
        return None;
    }
    let seed = seed_of(&request.target);
    let step = request.segments.get(3).and_then(|step| step.parse::<u64>().ok()).unwrap_or(0) + 1;
    let links = (0..14).map(|number| {
        let id = next_random(seed ^ number) >> 40;
        (format!("/in/{id:06x}/desk{number}/{step}"), format!("Desk {number}"))
    });
    let text = number.map_or_else(|| "The desks.".to_owned(), |number| prose(number + 1_750, 40));
    SitePage::new("Desk", text).links(links).into_response()
}

/// Copies of the real pages below names such as `mirror-oslo`. Each copy links to two more copies.
fn mirrors(request: &SiteRequest) -> Option<SiteResponse> {
    let [first, rest @ ..] = request.segments.as_slice() else { return None };
    let name = first.strip_prefix("mirror-")?;
    let path = format!("/{}", rest.join("/"));
    let seed = seed_of(name);
    let page = match path.as_str() {
        "/" => super::content::home_page(),
        path => super::content::real_page(path)?,
    };
    let links = page.links.iter().map(|(url, label)| (format!("/{first}{url}"), label.clone()));
    let links: Vec<(String, String)> = links.collect();
    let mirrors = (0..2).map(|row| {
        let name = format!("{}{}", word(seed ^ row), word(seed ^ (row + 3)));
        (format!("/mirror-{name}{path}"), format!("Mirror in {name}"))
    });
    let mirrors: Vec<(String, String)> = mirrors.collect();
    SitePage::new(page.title, page.text).links(links).links(mirrors).into_response()
}

/// Returns the cursor after a number of pages: 12 random digits and the number, in hexadecimal.
fn cursor(number: u64) -> String {
    format!("{:012x}{:04x}", next_random(number) >> 16, number)
}

/// An endless list. Each page links to the next page with a cursor. Other cursors do not exist.
fn feed(request: &SiteRequest) -> Option<SiteResponse> {
    if request.path != "/feed" {
        return None;
    }
    let after = request.get("after");
    let number = match after.get(12..) {
        Some(number) => {
            u64::from_str_radix(number, 16).ok().filter(|number| cursor(*number) == after)?
        }
        None if after.is_empty() => 0,
        None => return None,
    };
    let entries: Vec<String> = (0..5).map(|row| prose(number * 5 + row + 2_000, 9)).collect();
    SitePage::new("Feed", entries.join(". "))
        .link(format!("/feed?after={}", cursor(number + 1)), "More")
        .into_response()
}
