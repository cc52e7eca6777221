//! `relink watch run`, `diff`, `accept`, `reject` and `mute`.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use relink_testkit::web::CannedResponse;

use super::{DAY_1, DAY_5, DAY_20, OWLS, TRAINS, WatchedWeb, html, owl_text};

/// Returns the collection `reading` of six pages about owls, checked on the first day.
fn reading_list() -> WatchedWeb {
    let web = WatchedWeb::new();
    let lines: Vec<String> =
        (0..6).map(|number| format!("- [Owl {number}]({})\n", web.owl(number))).collect();
    web.sandbox.write("reading.md", &lines.concat());
    web.watch(&["add", "reading.md", "--name", "reading"]).exits(0);
    let output = web.run_at(DAY_1, &[]).exits(0);
    assert_eq!(output.stdout, "Checked 6 pages: 6 new\n");
    web
}

#[test]
fn unchanged_pages_are_checked_less_often() {
    let web = reading_list();
    assert_eq!(web.web.hits("/owl0"), 2, "two fetches confirm the first version");
    assert!(web.run_at("2026-03-01T20:00:00Z", &[]).exits(0).stdout.starts_with("No page is due"));
    let output = web.run_at("2026-03-02T10:00:00Z", &[]).exits(0);
    assert_eq!(output.stdout, "Checked 6 pages: 6 unchanged\n");
    assert_eq!(web.web.hits("/owl0"), 3, "equal bytes need no confirmation");
    // The interval grows by the factor 1.4: 24 hours × 1.4 = 33.6 hours.
    assert!(web.run_at("2026-03-03T18:00:00Z", &[]).exits(0).stdout.starts_with("No page is due"));
    web.run_at("2026-03-03T20:00:00Z", &[]).exits(0);
    assert_eq!(web.web.hits("/owl0"), 4);
}

#[test]
fn changes_have_a_level_and_a_next_step() {
    let web = reading_list();
    let edited = format!("{}<p>{} {}</p>", owl_text(1), OWLS[2], OWLS[6]);
    web.page("/owl1", "Owl page 1", &edited);
    web.page("/owl2", "Train times", &format!("<p>{TRAINS}</p>"));
    web.web.page("/owl3", 404, "gone");
    let output = web.run_at(DAY_5, &[]).exits(0);
    assert!(output.stdout.contains("3 unchanged · 2 changed · 1 gone"), "{}", output.stdout);

    let edited = web.member("reading", "/owl1");
    assert_eq!(edited["change"]["level"], "moderate", "{edited}");
    assert_eq!(edited["next_step"], "accept");
    let trains = web.member("reading", "/owl2");
    assert_eq!(trains["change"]["level"], "high");
    assert_eq!(trains["next_step"], "reject");
    assert_eq!(trains["context"]["flag"], "out-of-place");
    assert!(trains["context"]["angle_after"].as_f64() > trains["context"]["angle_before"].as_f64());
    let dead = web.member("reading", "/owl3");
    assert_eq!(dead["availability"], "permanent");
    assert_eq!(dead["next_step"], "replace");

    let text = web.watch(&["diff", "reading"]).exits(0).stdout;
    assert!(text.contains("≈ 2 changed (1 out of place) · ✗ 1 gone"), "{text}");
    assert!(text.contains("+ The express train leaves"), "{text}");
    assert!(text.contains("context angle"), "{text}");
}

#[test]
fn accepted_rejected_and_muted_changes_need_no_next_step() {
    let web = reading_list();
    let edited = format!("{}<p>{}</p>", owl_text(1), OWLS[6]);
    web.page("/owl1", "Owl page 1", &edited);
    web.page("/owl2", "Train times", &format!("<p>{TRAINS}</p>"));
    web.page("/owl4", "Train times", &format!("<p>{TRAINS}</p>"));
    web.run_at(DAY_5, &[]).exits(0);
    let first = web.url("/owl1");
    web.watch(&["accept", "reading", &first]).exits(0);
    assert_eq!(web.member("reading", "/owl1")["next_step"], "none");
    web.watch(&["reject", "reading", "3", "--reason", "sold", "--no-suggest"]).exits(0);
    let rejected = web.member("reading", "/owl2");
    assert_eq!(rejected["state"], "rejected");
    assert_eq!(rejected["user_reason"], "sold");
    web.watch(&["mute", "reading", "5", "--for", "7d", "--reason", "known"]).exits(0);
    assert_eq!(web.member("reading", "/owl4")["next_step"], "none");

    // The accepted version is the reference of later runs.
    web.page("/owl1", "Owl page 1", &format!("{edited}<p>{}</p>", OWLS[2]));
    web.run_at(DAY_20, &[]).exits(0);
    let again = web.member("reading", "/owl1");
    assert_eq!(again["change"]["removed"].as_array().map(Vec::len), Some(0), "{again}");
    let output = web.watch(&["accept", "reading", "--all"]).exits(0);
    assert!(output.stdout.contains(&first), "{}", output.stdout);
}

/// The price, headline and last paragraph of the page of a shop. The test changes them between
/// runs.
static SHOP: Mutex<[&str; 3]> =
    Mutex::new(["10 euros", "Owl shop", "The owl was made by hand in a small workshop."]);

/// Returns the page of a shop. Clock, advertisement, view counter, CSRF token and related links
/// depend on `n`, the number of the request.
fn shop_page(n: u32) -> CannedResponse {
    let [price, headline, paragraph] = *SHOP.lock().unwrap();
    let text = format!(
        "<p>It is 09:{:02}:{:02} now</p><div class=ad><p>Buy offer{n} from shop{n} now</p></div>\
         <p>A stuffed owl costs {price} and comes with a wooden stand.</p>{}\
         <p>{paragraph}</p><p>This page was viewed {n} times.</p>\
         <form><input type=hidden name=csrf value=t{n}></form>\
         <aside><ul><li><a href=/shop/r{n}>Related item{n}</a><li><a href=/shop/q{n}>Item{n}</a></ul></aside>",
        n % 60,
        (7 * n) % 60,
        owl_text(1)
    );
    CannedResponse::new(200, html(headline, &text))
}

#[test]
fn volatile_parts_are_never_reported_but_price_headline_and_paragraph_are() {
    let web = WatchedWeb::new();
    let count = AtomicU32::new(0);
    web.web.respond_below_with("/shop/", move |request| {
        if request.path != "/shop/owl" {
            return CannedResponse::new(404, "not found");
        }
        shop_page(count.fetch_add(1, Ordering::Relaxed))
    });
    web.sandbox.write_urls("l.txt", [web.url("/shop/owl")]);
    web.watch(&["add", "l.txt", "--name", "l"]).exits(0);
    web.run_at(DAY_1, &[]).exits(0);
    let check_unchanged = |day: u32| {
        let output = web.run_at(&format!("2026-03-{day:02}T09:00:00Z"), &["--all"]).exits(0);
        assert_eq!(output.stdout, "Checked 1 page: 1 unchanged\n", "day {day}");
    };
    (2..12).for_each(check_unchanged);
    // The index in `SHOP`, the new text, and the text that the report must contain.
    let changes = [
        (0, "12 euros", "costs 12 euros"),
        (1, "Owl store", "Owl store"),
        (2, "The owl is made by machines in a large factory.", "by machines"),
    ];
    for (day, (part, text, reported)) in (14..).step_by(3).zip(changes) {
        SHOP.lock().unwrap()[part] = text;
        let output = web.run_at(&format!("2026-03-{day}T09:00:00Z"), &["--all"]).exits(0);
        assert!(output.stdout.contains("1 changed"), "{}", output.stdout);
        let change = &web.members("l")[0]["change"];
        let added = change["added"].as_array().unwrap();
        // The headline is also the title.
        let all_reported = added.iter().all(|block| block.as_str().unwrap().contains(reported));
        assert!(!added.is_empty() && all_reported, "{change}");
        web.watch(&["accept", "l", "1"]).exits(0);
        check_unchanged(day + 1);
    }
}

#[test]
fn bot_check_login_and_maintenance_pages_are_never_a_version() {
    let walls = [
        "<h1>Just a moment...</h1><p>Checking your browser before accessing the site.</p>\
         <script src=/cdn-cgi/challenge-platform/x.js></script>",
        "<h1>Log in</h1><form method=post><input name=user><input type=password name=p></form>",
        "<h1>Site under maintenance</h1><p>We will be back soon.</p>",
    ];
    for wall in walls {
        let web = reading_list();
        web.web.respond("/owl1", CannedResponse::new(200, format!("<title>x</title>{wall}")));
        let output = web.run_at(DAY_5, &[]).exits(0);
        assert_eq!(output.stdout, "Checked 6 pages: 5 unchanged · 1 unavailable\n");
        let member = web.member("reading", "/owl1");
        assert!(member["change"].is_null(), "{member}");
    }
}

#[test]
fn page_that_changes_once_is_not_reported() {
    let web = reading_list();
    // The first request gets another page. The second request, which should confirm the change,
    // gets the normal page.
    let other_page = html("Odd", "<p>Only once.</p>");
    let normal_page = html("Owl page 1", &owl_text(1));
    let responses = [other_page, normal_page].map(|page| CannedResponse::new(200, page));
    web.web.sequence("/owl1", responses);
    let output = web.run_at(DAY_5, &[]).exits(0);
    assert_eq!(output.stdout, "Checked 6 pages: 6 unchanged\n");
}

#[test]
fn page_in_two_collections_is_fetched_once_and_judged_in_each() {
    let web = WatchedWeb::new();
    let texas = [
        "Museum exhibition in Houston, Texas, with a visiting art exhibit of the West",
        "The Dallas museum opens an exhibit of art from the American West in Texas",
        "Art exhibits in Austin, Texas, and the museum calendar of Houston and Dallas",
        "Visit the Fort Worth museum for western art exhibits in north Texas",
    ];
    let monet = [
        "Monet and the French impressionist painters of Paris and Giverny",
        "Impressionist painting by Renoir, Monet and Degas in France",
        "The water lilies of Claude Monet, the French impressionist painter",
        "Impressionist painters of Paris: Monet, Manet, Pissarro and Degas",
    ];
    for (name, texts) in [("texas", texas), ("monet", monet)] {
        let mut list = String::new();
        for (number, text) in texts.iter().enumerate() {
            let path = format!("/{name}{number}");
            web.page(&path, text, &format!("<p>{text}.</p>"));
            let _ = writeln!(list, "{}", web.url(&path));
        }
        let _ = writeln!(list, "{}", web.url("/houston"));
        web.sandbox.write(&format!("{name}.txt"), &list);
        web.watch(&["add", &format!("{name}.txt"), "--name", name]).exits(0);
    }
    web.page(
        "/houston",
        "Houston museum",
        "<p>The Houston museum in Texas shows the French impressionist painter Monet.</p>",
    );
    web.run_at(DAY_1, &[]).exits(0);
    assert_eq!(web.web.hits("/houston"), 2, "two fetches confirm the first version");
    web.page(
        "/houston",
        "Houston museum",
        "<p>The Houston museum in Texas shows an exhibit of art of the American West.</p>",
    );
    web.run_at(DAY_5, &[]).exits(0);
    assert_eq!(web.web.hits("/houston"), 4, "one check and one confirmation");
    assert_eq!(web.member("texas", "/houston")["next_step"], "accept");
    assert_eq!(web.member("monet", "/houston")["next_step"], "reject");
    let url = web.url("/houston");
    web.watch(&["accept", "texas", &url]).exits(0);
    assert_eq!(web.member("texas", "/houston")["next_step"], "none");
    assert_eq!(web.member("monet", "/houston")["next_step"], "reject");
}

#[test]
fn hostile_text_sends_no_control_sequence_to_the_terminal() {
    let web = WatchedWeb::new();
    web.page("/owl", "\u{1b}]0;owned\u{7}Owl", "<p>First \u{1b}[2J text \u{202e}about owls.</p>");
    let list = format!("- [\u{1b}[31mRed]({}) note \u{9b}2J\n", web.url("/owl"));
    web.sandbox.write("h.md", &list);
    web.watch(&["add", "h.md", "--name", "h"]).exits(0);
    web.run_at(DAY_1, &[]).exits(0);
    web.page("/owl", "Owl", "<p>Second \u{1b}[2J text \u{202e}about something else entirely.</p>");
    web.run_at(DAY_5, &[]).exits(0);
    for args in [&["diff", "h"][..], &["show", "h"], &["list"]] {
        let text = web.watch(args).exits(0).stdout;
        assert!(text.chars().all(|char| char == '\n' || !char.is_control()), "{text:?}");
        assert!(!text.contains('\u{202e}'), "{text:?}");
    }
}

#[test]
fn automatic_collection_accepts_and_rejects_clear_cases() {
    let web = WatchedWeb::new();
    web.sandbox.write_urls("owls.txt", (0..8).map(|number| web.owl(number)));
    web.watch(&["add", "owls.txt", "--name", "owls"]).exits(0);
    web.watch(&["edit", "owls", "--automatic", "true", "--away", "5"]).exits(0);
    web.run_at(DAY_1, &[]).exits(0);
    web.page("/owl1", "Owl page 1", &format!("{}<p>Owls sleep by day in trees.</p>", owl_text(1)));
    web.page("/owl2", "Railway", &format!("<p>{TRAINS}</p>"));
    let output = web.run_at(DAY_5, &[]).exits(0);
    let expect = "Decided automatically: 1 accepted, 1 rejected\n";
    assert!(output.stdout.contains(expect), "{}", output.stdout);
    assert_eq!(web.member("owls", "/owl1")["next_step"], "none");
    assert_eq!(web.member("owls", "/owl2")["state"], "rejected");
}

#[test]
fn noun_factor_changes_the_angle() {
    let web = reading_list();
    web.page("/owl2", "Owl page 2", &format!("<p>{TRAINS}</p><p>The forest of the owl.</p>"));
    web.run_at(DAY_5, &[]).exits(0);
    let angle = |factor: &str| {
        web.watch(&["edit", "reading", "--noun-factor", factor]).exits(0);
        web.member("reading", "/owl2")["context"]["angle_after"].as_f64().unwrap()
    };
    let (plain, weighted) = (angle("1"), angle("3"));
    assert!((plain - weighted).abs() > 0.5, "{plain} {weighted}");
}

#[test]
fn pages_of_a_host_that_limits_requests_keep_their_state() {
    let web = reading_list();
    let limit = CannedResponse::new(503, "later").with_header("Retry-After", "86400");
    web.web.respond("/owl0", limit);
    let output = web.run_at(DAY_5, &[]).exits(0);
    assert!(output.stdout.contains("not requested: the host limits the requests"), "{output:?}");
    let members = web.members("reading");
    let available = members.iter().filter(|member| member["availability"] == "available");
    assert!(available.count() >= 4, "{members:#?}");
}

#[test]
fn changed_links_and_markup_are_counted_apart_from_changed_text() {
    let web = reading_list();
    web.page("/owl1", "Owl page 1", &format!("{} ", owl_text(1)));
    let url = web.url("/owl1");
    assert!(web.run_at(DAY_5, &[]).exits(0).stdout.contains("6 unchanged"), "{url}");
    let csv = web.watch(&["study", "reading", "--format", "csv"]).exits(0).stdout;
    // The columns after the names: pages, valid, unchanged, checksum, low.
    assert!(csv.contains("all,\"all\",6,6,5,1,0"), "{csv}");
}

#[test]
fn muted_changes_are_not_counted() {
    let web = reading_list();
    web.page("/owl1", "Owl page 1", &format!("{}<p>{}</p>", owl_text(1), OWLS[6]));
    web.run_at(DAY_5, &[]).exits(0);
    web.watch(&["mute", "reading", "2"]).exits(0);
    let text = web.watch(&["diff", "reading"]).exits(0).stdout;
    assert!(text.contains("≈ 0 changed"), "{text}");
}
