//! Tests that volatile parts are ignored and other changes are reported.

use super::*;
use crate::compare::{Change, compare};
use relink_page::{DocumentFormat, block_text};

/// Returns the signature of a page.
fn signature(html: &str) -> Signature {
    Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
}

/// A server of a page with a clock, an advertisement, a counter, a token and rotating
/// links, which differ on each request.
struct Server {
    request: u32,
    headline: &'static str,
    price: &'static str,
    paragraph: &'static str,
}

impl Server {
    fn new() -> Self {
        Self {
            request: 0,
            headline: "Snowy owls arrive",
            price: "10.50",
            paragraph: "They come from the far north",
        }
    }

    /// Returns the signature of the next response. With `has_ids`, the advertisement has an
    /// id and therefore a container of its own.
    fn fetch(&mut self, has_ids: bool) -> Signature {
        self.request += 1;
        let Self { request, headline, price, paragraph } = self;
        let ads =
            ["Buy cheap boots today", "Fly to the sun", "New phones for less money", "Win a car"];
        let ad = ads[*request as usize % ads.len()];
        let id = |name: &str| if has_ids { format!(" id={name}") } else { String::new() };
        let topics = (0..5).map(|at| (at * 3 + *request * 7) % 17);
        let items = topics.map(|topic| format!("<a href=/topic/{topic}>Topic number {topic}</a>"));
        let related = items.collect::<Vec<_>>().join("<li>");
        signature(&format!(
            "<h1>{headline}</h1><p>Last updated {}:{:02}:{:02}</p><p>{paragraph}</p>\
             <p{}>{ad}</p><p>Price: {price} euros, in stock</p><p>Viewed {} times</p>\
             <form><input type=hidden name=csrf value={request:x}><p>Write to us, dear reader</p>\
             </form><a href='/logout?token={request:x}'>Log out</a><ul><li>{related}</ul>\
             <p>The end of it all",
            10 + *request / 3,
            *request * 7 % 60,
            *request * 13 % 60,
            id("ad"),
            1000 + *request * 37,
        ))
    }
}

/// Fetches the page twice. Returns the first version and the volatile parts.
fn learn_volatile(server: &mut Server, has_ids: bool) -> (Signature, VolatileParts) {
    let (first, second) = (server.fetch(has_ids), server.fetch(has_ids));
    let volatile = VolatileParts::learn(&first, &second);
    (first, volatile)
}

/// Asserts that neither words nor links changed.
#[track_caller]
fn check_unchanged(change: &Change) {
    assert!(!change.is_visible(), "{change:?}");
    assert!(change.content.abs() < 1e-9 && change.links.abs() < 1e-9);
}

#[test]
fn volatile_parts_are_not_a_change() {
    for has_ids in [true, false] {
        let mut server = Server::new();
        let (reference, volatile) = learn_volatile(&mut server, has_ids);
        for _ in 0..30 {
            check_unchanged(&compare(&reference, &server.fetch(has_ids), &volatile));
        }
    }
}

#[test]
fn changed_price_headline_or_paragraph_is_reported() {
    let changes: [fn(&mut Server); 3] = [
        |server| server.price = "11.50",
        |server| server.headline = "Snowy owls leave",
        |server| server.paragraph = "They come from the far east",
    ];
    for has_ids in [true, false] {
        for change_page in changes {
            let mut server = Server::new();
            let (reference, mut volatile) = learn_volatile(&mut server, has_ids);
            change_page(&mut server);
            let (new, later) = learn_volatile(&mut server, has_ids);
            volatile.extend(later);
            let change = compare(&reference, &new, &volatile);
            assert_eq!((change.added.len(), change.removed.len()), (1, 1), "{change:?}");
        }
    }
}

#[test]
fn edit_of_the_constant_words_of_a_volatile_block_is_reported() {
    let page = |text: &str| signature(&format!("<p>Intro words<p>{text}<p>Closing words"));
    let volatile = VolatileParts::learn(
        &page("Price 10 euros, viewed 17 times"),
        &page("Price 10 euros, viewed 18 times"),
    );
    let reference = page("Price 10 euros, viewed 17 times");
    check_unchanged(&compare(&reference, &page("Price 10 euros, viewed 2044 times"), &volatile));
    assert!(compare(&reference, &page("Price 12 euros, viewed 19 times"), &volatile).is_visible());
}

#[test]
fn new_paragraph_next_to_a_volatile_position_is_reported() {
    let page = |ad: &str, more: &str| {
        signature(&format!("<p>Intro words here<p>{ad}{more}<p>Closing words here"))
    };
    let volatile = VolatileParts::learn(&page("Buy boots", ""), &page("Fly away soon", ""));
    let reference = page("Buy boots", "");
    check_unchanged(&compare(&reference, &page("Win a car", ""), &volatile));
    let new = page("Win a car", "<p>A new paragraph of text");
    assert!(compare(&reference, &new, &volatile).is_visible());
}

#[test]
fn constant_block_at_the_position_of_one_version_is_not_a_change() {
    let page = |ads: &[&str]| {
        let ads = ads.iter().map(|ad| format!("<p>{ad}")).collect::<Vec<_>>().concat();
        signature(&format!("<p>Intro words here{ads}<p>Closing words here"))
    };
    let constant = "A constant paragraph of text";
    let volatile = VolatileParts::learn(&page(&["Buy boots", "Win a car"]), &page(&["Fly away"]));
    // The position has room for two blocks. In the new version, one of them is the constant one.
    let old = page(&["Buy boots", "Win a car", constant]);
    let change = compare(&old, &page(&["Fly away", constant]), &volatile);
    assert!(change.removed.iter().all(|block| block.excerpt != constant), "{change:?}");
}

#[test]
fn links_with_tokens_are_compared_by_shape() {
    let page = |token: &str| signature(&format!("<p><a href=/out/{token}>x</a><a href=/b>y</a>"));
    let volatile = VolatileParts::learn(&page("9f86d081"), &page("c4ca4238"));
    check_unchanged(&compare(&page("9f86d081"), &page("a87ff679"), &volatile));
}

#[test]
fn equal_fetches_have_no_volatile_parts() {
    let page = signature("<p>one<p>two");
    assert!(VolatileParts::learn(&page, &page).is_empty());
}

#[test]
fn volatile_parts_are_bounded_and_round_trip_through_json() {
    let page = |salt: u32| {
        let blocks = (0..2_000).map(|at| format!("<p id=a{at}>{}", at * salt));
        signature(&blocks.collect::<Vec<_>>().concat())
    };
    let volatile = VolatileParts::learn(&page(3), &page(7));
    assert!(volatile.containers.len() <= MAX_RULES && !volatile.is_empty());
    let json = serde_json::to_string(&volatile).unwrap();
    assert_eq!(serde_json::from_str::<VolatileParts>(&json).unwrap(), volatile);
}

#[test]
fn counter_in_a_very_long_paragraph_is_recognized_by_position() {
    let text = "some words of a long text ".repeat(200);
    let page = |count: u32| signature(&format!("<p>Intro here<p>{text} {count}<p>Closing here"));
    let volatile = VolatileParts::learn(&page(1), &page(2));
    assert!(volatile.patterns.is_empty());
    check_unchanged(&compare(&page(1), &page(33), &volatile));
}
