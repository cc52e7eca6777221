//! Traps of parameters and filters (facets): each combination of values is another URL,
//! but selects known text.
//!
//! Numbers in calls of `prose`, `word` and `slug` select different words for each kind of
//! page. They have no other meaning.

use super::TrapSite;
use super::content::{SitePage, prose, slug, word};
use super::{SiteRequest, SiteResponse};

/// The sites of this module.
pub(super) const SITES: &[TrapSite] = &[
    TrapSite::new("facets with constant text", "/shop", constant_facets),
    TrapSite::new("facets that select products", "/shop", selecting_facets)
        .with_real_pages(products),
    TrapSite::new("facets in changing parameter order", "/find", unordered_facets),
    TrapSite::new("sort orders", "/list", sort_orders).with_real_pages(listed),
    TrapSite::new("language × currency × theme", "/store", language_currency_theme)
        .with_real_pages(store_pages),
    TrapSite::new("searches that link to searches", "/search?q=river", searches),
    TrapSite::new("tags in any order", "/tags/river", tags),
    TrapSite::new("shop filters in path segments", "/catalog", path_filters),
];

/// Number of products.
const PRODUCTS: u64 = 30;

/// Returns the real pages of the shop.
fn products() -> Vec<String> {
    let products = (1..=PRODUCTS).map(|number| format!("/product/{}", slug(40 + number)));
    products.chain(["/shop".to_owned()]).collect()
}

/// Joins parameters to a query, such as `color=red&size=2`.
fn to_query(pairs: &[(String, String)]) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
    pairs.join("&")
}

/// Returns the query of a request with one parameter set to a value.
fn query_with(request: &SiteRequest, key: &str, value: &str) -> String {
    let mut parameters = request.parameters();
    parameters.insert(key.to_owned(), value.to_owned());
    let pairs: Vec<(String, String)> = parameters.into_iter().collect();
    to_query(&pairs)
}

/// Eleven switches. The text is always the same.
fn constant_facets(request: &SiteRequest) -> Option<SiteResponse> {
    if request.path != "/shop" {
        return None;
    }
    let selected = request.parameters();
    let switches = (0..11).map(|number| word(500 + number));
    let links = switches.filter(|switch| !selected.contains_key(*switch)).map(|switch| {
        (format!("/shop?{}", query_with(request, switch, "on")), format!("Only {switch}"))
    });
    SitePage::new("Shop", prose(77, 80)).links(links).into_response()
}

/// Brand, color and size select some of the products.
fn selecting_facets(request: &SiteRequest) -> Option<SiteResponse> {
    if let [first, name] = request.segments.as_slice()
        && first == "product"
    {
        let number = (1..=PRODUCTS).find(|number| slug(40 + number) == *name)?;
        return SitePage::new(name.replace('-', " "), prose(4_000 + number, 30)).into_response();
    }
    if request.path != "/shop" {
        return None;
    }
    let selected = request.parameters();
    let choice = |key: &str| selected.get(key).and_then(|value| value.parse::<u64>().ok());
    // The product with a number has the brand `number % 5`, the color `number % 7` and so on.
    let is_selected = |number: &u64| {
        [("brand", 5), ("color", 7), ("size", 3), ("year", 4)]
            .iter()
            .all(|(key, choices)| choice(key).is_none_or(|choice| number % choices == choice))
    };
    let items = (1..=PRODUCTS).filter(is_selected).map(|number| {
        let slug = slug(40 + number);
        (format!("/product/{slug}"), slug.replace('-', " "))
    });
    let mut links: Vec<(String, String)> = items.collect();
    for (key, choices) in [("brand", 5), ("color", 7), ("size", 3), ("year", 4), ("sort", 6)] {
        for choice in 0..choices {
            let query = query_with(request, key, &choice.to_string());
            links.push((format!("/shop?{query}"), format!("{key} {choice}")));
        }
    }
    SitePage::new("Shop", "All products of our shop.").links(links).into_response()
}

/// Parameters are in the order of clicks, so that every order is another URL.
fn unordered_facets(request: &SiteRequest) -> Option<SiteResponse> {
    if request.path != "/find" {
        return None;
    }
    let links = (0..9).filter_map(|number| {
        let key = word(600 + number);
        request.get(key).is_empty().then(|| {
            let mut pairs = request.pairs.clone();
            pairs.push((key.to_owned(), "yes".to_owned()));
            (format!("/find?{}", to_query(&pairs)), format!("with {key}"))
        })
    });
    // Each selected parameter reduces the number of hits by one.
    let hits = (0..9).map(|number| if request.get(word(600 + number)).is_empty() { 3 } else { 2 });
    let total: u32 = hits.sum();
    SitePage::new("Find", format!("We found {total} entries. {}", prose(78, 50)))
        .links(links)
        .into_response()
}

/// Returns the real pages of the list.
fn listed() -> Vec<String> {
    (1..=40).map(|number| format!("/entry?id={number}")).collect()
}

/// A list of 40 entries on four pages, in many orders.
fn sort_orders(request: &SiteRequest) -> Option<SiteResponse> {
    if request.path == "/entry" {
        let number = request.number("id").filter(|id| (1..=40).contains(id))?;
        return SitePage::new(prose(number + 90, 3), prose(5_000 + number, 50)).into_response();
    }
    if request.path != "/list" {
        return None;
    }
    let page = request.number("page").unwrap_or(1).clamp(1, 4);
    // The lengths of the names of the orders select one of several real orders.
    let offset = request.get("sort").len() as u64 + request.get("dir").len() as u64;
    let shown = (0..10).map(|row| (page * 10 - 10 + row + 3 * offset) % 40 + 1);
    let items = shown.map(|id| (format!("/entry?id={id}"), prose(id + 90, 3)));
    let mut links: Vec<(String, String)> = items.collect();
    for (key, choices) in [
        ("page", ["1", "2", "3", "4"]),
        ("sort", ["name", "date", "author", "rating"]),
        ("dir", ["asc", "desc", "up", "down"]),
        ("view", ["list", "grid", "table", "cards"]),
        ("per", ["10", "25", "50", "100"]),
    ] {
        for choice in choices {
            links.push((format!("/list?{}", query_with(request, key, choice)), choice.to_owned()));
        }
    }
    SitePage::new("List", "All entries.").links(links).into_response()
}

/// Returns the real pages of the store.
fn store_pages() -> Vec<String> {
    (1..=20).map(|number| format!("/store/item/{number}")).chain(["/store".to_owned()]).collect()
}

/// Items in four languages, six currencies and five themes. The list has the number 0.
fn language_currency_theme(request: &SiteRequest) -> Option<SiteResponse> {
    let number = match request.segments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["store"] => 0,
        ["store", "item", number] => number.parse().ok().filter(|n| (1..=20).contains(n))?,
        _ => return None,
    };
    let languages = ["en", "de", "fr", "es"];
    let language = request.get("lang");
    let language_number =
        languages.iter().position(|known| *known == language).unwrap_or_default() as u64;
    let currency = match request.get("cur") {
        "" => "EUR",
        other => other,
    };
    let description = prose(6_000 + 100 * language_number + number, 40);
    let text = format!("{description} Price: {number} {currency}");
    let mut links = Vec::new();
    for (key, choices) in [
        ("lang", &languages[..]),
        ("cur", &["EUR", "USD", "GBP", "CHF", "SEK", "JPY"][..]),
        ("theme", &["light", "dark", "sepia", "high", "plain"][..]),
    ] {
        let choice = |value: &&str| {
            (format!("{}?{}", request.path, query_with(request, key, value)), (*value).to_owned())
        };
        links.extend(choices.iter().map(choice));
    }
    let query = to_query(&request.pairs);
    let item = |number: u64| (format!("/store/item/{number}?{query}"), format!("Item {number}"));
    links.extend((1..=20).map(item));
    links.extend((1..=20).map(|number| (format!("/store/item/{number}"), "Details".to_owned())));
    SitePage::new(format!("Item {number}"), text).links(links).into_response()
}

/// Every search suggests longer searches.
fn searches(request: &SiteRequest) -> Option<SiteResponse> {
    if request.path != "/search" {
        return None;
    }
    let words = request.get("q").to_owned();
    let hits = words.split('+').map(|word| format!("/news/{}", slug(word.len() as u64 % 14 + 1)));
    let hits: Vec<(String, String)> = hits.map(|url| (url, "Result".to_owned())).collect();
    let more = (0..5).map(|number| {
        let next = word(number * 7 + words.len() as u64);
        (format!("/search?q={words}+{next}"), format!("{} {next}", words.replace('+', " ")))
    });
    let text = format!("Results for {}", words.replace('+', " "));
    SitePage::new("Search", text).links(hits).links(more).into_response()
}

/// Tags are combined in the order of clicks.
fn tags(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "tags" {
        return None;
    }
    let selected = request.segments.get(1..).unwrap_or_default();
    let more = (0..12).map(word).filter(|tag| !selected.iter().any(|known| known == tag));
    let links: Vec<(String, String)> =
        more.map(|tag| (format!("{}/{tag}", request.path), tag.to_owned())).collect();
    let hits = (1..=14_u64).filter(|number| number % (selected.len() as u64 + 1) == 0);
    let hits = hits.map(|number| (format!("/news/{}", slug(number)), slug(number)));
    SitePage::new(format!("Tagged {}", selected.join(", ")), "")
        .links(hits)
        .links(links)
        .into_response()
}

/// Filters are path segments such as `color-red`.
fn path_filters(request: &SiteRequest) -> Option<SiteResponse> {
    if request.first_segment() != "catalog" {
        return None;
    }
    let selected = request.segments.get(1..).unwrap_or_default();
    let mut links = Vec::new();
    for key in ["color", "size", "brand", "fabric", "price"] {
        for value in (0..5).map(|number| word(number * 3 + key.len() as u64)) {
            let filter = format!("{key}-{value}");
            if !selected.iter().any(|known| known.starts_with(key)) {
                links.push((format!("{}/{filter}", request.path), value.to_owned()));
            }
        }
    }
    let products =
        (1..=12_u64).filter(|number| !(number + selected.len() as u64).is_multiple_of(3));
    let names: Vec<String> = products.map(|number| prose(number + 300, 3)).collect();
    SitePage::new("Catalog", names.join(". ")).links(links).into_response()
}
