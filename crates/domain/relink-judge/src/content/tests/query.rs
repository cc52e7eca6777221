//! Tests of the comparison with other query values, and of pages that cannot be
//! compared.
//!
//! The notation is that of [`crate::notation`]. In short: `/a?x=1 200 "Title" {text}` is
//! the page to judge, or a page of its context; `#1` is a long text, and `#1'` nearly the
//! same one. The lines of the context are other requests for the same page:
//! `random-query-value` has another value of the first parameter, `without-parameter` lacks
//! it, `other-query-value` and `without-other-parameter` are the same for another parameter,
//! `random-name` and `random-path-number` have another path, and `neighbor` is a known page
//! of the same directory.

use super::{check, check_controls, check_text, judge};
use crate::notation::Scene;

#[test]
fn parameter_that_does_not_select_the_page_leaves_it_alive() {
    // Trackers, wikis and blogs whose text mentions “not found” anywhere.
    for query in ["x=1", "debug=1", "replyto=12", "highlight=oak"] {
        let page = format!("/issue12?{query} 200 \"Icon not shown\" #1");
        let text = "{File not found, says the log}";
        for body in ["#1", text] {
            let page = page.replace("#1", body);
            let same = format!("200 \"Icon not shown\" {body}");
            let context = [
                &*format!("random-query-value: {same}"),
                &format!("without-parameter: {same}"),
                "random-name: 404",
                "random-path-number: 404",
            ];
            check(&page, &context, "alive");
        }
    }
}

#[test]
fn short_texts_with_the_same_words_in_another_order_are_other_pages() {
    let page = "/table?id=7 200 {oak elm ash fir yew box bay fig gum nut tea ivy}";
    let random = "random-query-value: 200 {ivy box oak tea fig elm nut yew ash gum fir bay}";
    let bare = "without-parameter: 200 {A list of all tables}";
    check(page, &[random, bare, "random-name: 404"], "alive");
}

#[test]
fn parameter_that_adds_text_to_a_page_about_an_error_leaves_it_alive() {
    // A tracker that appends a dump of its variables for any value of `debug`.
    let title = "\"Issue 2: not found\"";
    let page = format!("/issue2?debug=1 200 {title} #1");
    let random = format!("random-query-value: 200 {title} #1'");
    let bare = format!("without-parameter: 200 {title} {{File not found}}");
    check(&page, &[&random, &bare, "random-name: 404", "random-path-number: 404"], "alive");
}

#[test]
fn other_parameter_is_compared_if_the_first_does_not_change_the_response() {
    let error = "200 \"Files\" {No such file}";
    let context = [
        &*format!("random-query-value: {error}"),
        &format!("without-parameter: {error}"),
        &format!("other-query-value: {error}"),
        "without-other-parameter: 200 \"Files\" {Oak. Elm. Fir}",
        "random-name: 404",
    ];
    check(&format!("/file?name=oak.txt&x=1 {error}"), &context, "soft-404 RL301");
    let file = "200 \"Files\" {Oak}";
    let context = [
        &*format!("random-query-value: {file}"),
        &format!("without-parameter: {file}"),
        "other-query-value: 404",
        "random-name: 404",
    ];
    check(&format!("/file?name=oak.txt&x=1 {file}"), &context, "alive");
}

#[test]
fn wiki_page_with_the_text_of_a_random_value_is_soft_404_despite_its_own_title() {
    let context = [
        "random-query-value: /wiki?name=qwertz 200 \"Wiki: qwertz\" \"qwertz\" #5",
        "without-parameter: 200 \"Wiki\" #6",
        "random-name: 404",
        "neighbor: /wiki?name=Oak 200 \"Wiki: Oak\" \"Oak\" #7",
    ];
    check("/wiki?name=Elm 200 \"Wiki: Elm\" \"Elm\" #5", &context, "soft-404 RL301");
    check("/wiki?name=Ash 200 \"Wiki: Ash\" \"Ash\" #8", &context, "alive");
}

#[test]
fn other_layout_of_the_same_page_is_the_same_page() {
    let page = "/post/oak?embed=1 200 \"Oak\" #1";
    let context = [
        "random-query-value: 200 \"Oak\" #1",
        "without-parameter: 200 \"Oak | Blog\" \"Oak\" #1'",
        "random-name: 404",
    ];
    check(page, &context, "alive");
}

#[test]
fn value_without_page_is_soft_404_if_the_parameter_selects() {
    let page = "/show?id=12 200 \"Catalog\" #1";
    let same = "random-query-value: 200 \"Catalog\" #1";
    let bare = "without-parameter: 200 \"All records\" #2";
    check(page, &[same, bare, "random-name: 404"], "soft-404 RL301");
    check(page, &[same, "without-parameter: 404", "random-name: 404"], "soft-404 RL301");
    check(page, &[same, "without-parameter: 403", "random-name: 404"], "alive");
    check(page, &[same, "without-parameter: 200 \"Catalog\" #1", "random-name: 404"], "alive");
}

#[test]
fn phrase_counts_if_the_page_without_parameter_lacks_it() {
    let page = "/show?name=oak 200 \"Catalog\" {Menu. There is no such record. Imprint}";
    let same = "random-query-value: 200 \"Catalog\" {Menu. There is no such record. Imprint}";
    let list = "without-parameter: 200 \"Catalog\" {Menu. Ash elm fir yew box. Imprint}";
    check(page, &[same, list, "random-name: 404"], "soft-404 RL301");
    check(page, &[same, "without-parameter: 403", "random-name: 404"], "alive");
}

#[test]
fn error_page_is_recognized_although_the_script_shows_it_without_parameter() {
    let error = "200 \"Catalog\" {No such record in the database}";
    let context = [
        &*format!("random-query-value: {error}"),
        &format!("without-parameter: {error}"),
        "random-name: 404",
    ];
    check(&format!("/item?id=7 {error}"), &context, "soft-404 RL301");
    // The number in the path selects the page, because another number is not found. So the
    // page of issue 12 exists, whatever `x` is.
    let context = [context[0], context[1], "random-name: 404", "random-path-number: 404"];
    check(&format!("/issue12?x=7 {error}"), &context, "alive");
}

#[test]
fn known_pages_with_other_values_prove_that_the_parameter_selects() {
    let error = "200 \"Forum\" {Information. Return to the index}";
    let random_value = format!("random-query-value: {error}");
    let without = format!("without-parameter: {error}");
    let other_topic = "neighbor: /show?t=3 200 \"Old oak\" #1";
    let context = [&*random_value, &without, "random-name: 404", other_topic];
    check(&format!("/show?t=99 {error}"), &context, "soft-404 RL301");
    // A value of 1 may select the first page of a list. A neighbor that is the same page, or
    // one of another script, proves nothing.
    check(&format!("/show?t=1 {error}"), &context, "alive");
    for other in [&*format!("neighbor: /show?t=3 {error}"), "neighbor: /list?t=3 200 \"Oak\" #1"] {
        let context = [&*random_value, &without, "random-name: 404", other];
        check(&format!("/show?t=99 {error}"), &context, "alive");
    }
}

#[test]
fn list_that_ignores_unknown_values_is_alive() {
    let list = "200 \"All trees\" #1";
    let context = [
        &*format!("random-query-value: {list}"),
        &format!("without-parameter: {list}"),
        "random-name: 404",
        "neighbor: /trees?family=oak 200 \"Oaks\" #2",
    ];
    check(&format!("/trees?family=elm {list}"), &context, "alive");
}

#[test]
fn redirect_of_all_values_is_soft_404_unless_the_parameter_is_ignored() {
    let page = "/show?id=12 -> /hub 200 \"Start\" #1";
    let same = "random-query-value: -> /hub 200 \"Start\" #1";
    check(
        page,
        &[same, "without-parameter: 200 \"Form\" #2", "random-name: 404"],
        "soft-404 RL301",
    );
    let moved = "without-parameter: -> /hub 200 \"Start\" #1";
    check(page, &[same, moved, "random-name: 404"], "alive");
}

#[test]
fn searches_and_empty_lists_are_not_comparable() {
    let none = "200 \"Search\" {No results for your words}";
    check(&format!("/find?q=oak {none}"), &[&format!("random-query-value: {none}")], "alive");
    check_text(&format!("/find?q=oak {none}"), &[], "not comparable: a search");
    check_controls(&format!("/find?q=oak {none}"), &[], "");
    let list = "200 \"Birds\" {There are no entries yet}";
    check(&format!("/tags/oak {list}"), &[&format!("random-name: {list}")], "alive");
    check_text(&format!("/tags/oak {list}"), &[], "not comparable: an empty list");
    let data = "200 type=application/json {[]}";
    check(&format!("/posts?id=9 {data}"), &[&format!("random-query-value: {data}")], "alive");
    let echo = "/list?name=oak 200 \"Not found\" {Not found. Try again} !search";
    check_text(echo, &["random-name: 404"], "not comparable: a search");
}

#[test]
fn redirect_to_a_search_is_compared() {
    let page = "/docs/oak -> /search?q=oak 200 \"Search\" {No results}";
    let random = "random-name: /docs/xyz -> /search?q=xyz 200 \"Search\" {No results}";
    check(page, &[random], "soft-404 RL301");
}

#[test]
fn front_page_with_query_is_not_compared_with_random_names() {
    let home = "200 \"Shop\" #1";
    let everything = [
        &*format!("random-name: {home}"),
        &format!("random-query-value: {home}"),
        &format!("without-parameter: {home}"),
    ];
    for url in ["/?x=1", "/?id=12", "/index.php?page_id=4"] {
        check(&format!("{url} {home}"), &everything, "alive");
        check_text(&format!("{url} {home}"), &everything, "not comparable");
        let confidence = judge(&format!("{url} {home}"), &everything).judgment.confidence;
        assert!(confidence < relink_model::Confidence::from_percent(80), "{confidence:?}");
    }
}

#[test]
fn front_page_query_that_selects_pages_is_judged_by_other_values() {
    let missing = "200 \"Nothing here\" {This article was deleted}";
    let random = format!("random-query-value: {missing}");
    let context = [&*random, "without-parameter: 200 \"Blog\" #1"];
    check(&format!("/?p=12 {missing}"), &context, "soft-404 RL301");
    check("/?p=13 200 \"Oak\" #2", &[&random], "alive");
}

#[test]
fn placeholder_file_of_a_missing_id_is_soft_404() {
    let page = "/image?id=12 200 type=image/png bytes=7";
    let same = "random-query-value: 200 type=image/png bytes=7";
    check(page, &[same, "without-parameter: 400", "random-name: 404"], "soft-404 RL301");
    let other = "without-parameter: 200 type=image/png bytes=8";
    check(page, &[same, other, "random-name: 404"], "soft-404 RL301");
    let ignored = "without-parameter: 200 type=image/png bytes=7";
    check(page, &[same, ignored, "random-name: 404"], "alive");
    let own = "random-query-value: 200 type=image/png bytes=9";
    check(page, &[own, other, "random-name: 404"], "alive");
    let numbered = "/photos/4711.jpg 200 type=image/jpeg bytes=7";
    let number = "random-path-number: 200 type=image/jpeg bytes=7";
    check(numbered, &["random-name: 404", number], "soft-404 RL301");
    check(numbered, &["random-name: 404", "random-path-number: 404"], "alive");
}

#[test]
fn page_rejected_like_a_random_value_is_dead_if_a_neighbor_is_accepted() {
    for (page, random) in
        [("/show?id=12 400", "random-query-value"), ("/news/4711 400", "random-path-number")]
    {
        let conclude = |context: &[&str]| Scene::parse(page, context).conclude();
        let rejected = format!("{random}: 400");
        let neighbor = "neighbor: /show?id=13 200 \"Oak\" #1";
        // A site that accepts one page rejects the others for a reason.
        assert_eq!(conclude(&[&rejected, neighbor]), "dead RL510", "{page}");
        assert_eq!(conclude(&[&rejected, "neighbor: /show?id=13 400"]), "failing RL510");
        // A page that does not exist gets another status.
        assert_eq!(conclude(&[&format!("{random}: 404"), neighbor]), "failing RL510");
    }
}

#[test]
fn page_rejected_like_a_random_name_is_dead_if_the_home_page_is_accepted() {
    let conclude = |context: &[&str]| Scene::parse("/map/oak 400", context).conclude();
    assert_eq!(conclude(&["random-name: 400", "home-page: 200 \"Home\" #1"]), "dead RL510");
    assert_eq!(conclude(&["random-name: 400", "home-page: 400"]), "failing RL510");
    assert_eq!(conclude(&["random-name: 404", "home-page: 200 \"Home\" #1"]), "failing RL510");
}

#[test]
fn number_of_a_script_selects_the_page() {
    let error = "200 \"Forum\" {Invalid thread specified. If you followed a link, tell us}";
    let bare = "200 \"Forum\" {No thread specified. If you followed a link, tell us}";
    let random = format!("random-query-value: {error}");
    let without = format!("without-parameter: {bare}");
    let page = |path: &str| format!("{path} {error}");
    check(&page("/show.php?t=977"), &[&random, &without, "random-name: 404"], "soft-404 RL301");
    check(&page("/index.php?topic=977"), &[&random, &without], "soft-404 RL301");
    // The script does not select a page by a switch.
    let text = "200 \"Moss\" {Moss grows on stones}";
    let random = format!("random-query-value: {text}");
    let without = format!("without-parameter: {text}");
    check(&format!("/moss.php?x=12 {text}"), &[&random, &without, "random-name: 404"], "alive");
}

#[test]
fn parameter_is_irrelevant_if_another_one_selects_the_page() {
    // A topic about an error, in a forum whose number the script ignores.
    let topic = "200 \"Our site shows 404 not found\" #1";
    let context = [
        &*format!("random-query-value: {topic}"),
        &format!("without-parameter: {topic}"),
        "other-query-value: 200 \"Forum\" {The requested topic does not exist}",
        "random-name: 404",
    ];
    check(&format!("/topic.php?f=9&t=2240 {topic}"), &context, "alive");
}

#[test]
fn record_on_an_existing_page_is_missing() {
    let page = "200 \"Museum: News\" {Es wurde kein Eintrag gefunden.}";
    let context = [
        "random-query-value: 404",
        &*format!("other-query-value: {page}"),
        &format!("without-other-parameter: {page}"),
        "random-name: 404",
    ];
    check(&format!("/index.php?id=31&news=64 {page}"), &context, "soft-404 RL301");
}

#[test]
fn other_message_in_the_same_frame_shows_that_the_parameter_selects_the_page() {
    let frame = "summary refs log tree commit router main stable";
    let page = format!("/commit?id=c0ffee 200 \"Router\" {{{frame} bad: c0ffee}}");
    let random = format!("random-query-value: 200 \"Router\" {{{frame} bad:}}");
    let bare = format!("without-parameter: 200 \"Router\" {{{frame} drop long frames early}}");
    check(&page, &[&random, &bare, "random-name: 404"], "alive");
    let page = page.replace("bad:", "unusable identifier:");
    let random = random.replace("bad:", "unusable identifier:");
    check(&page, &[&random, &bare, "random-name: 404"], "soft-404 RL301");
    // A list for which no entry matches the filter.
    let filter = |line: &str| line.replace("?id=", "?year=");
    check(&filter(&page), &[&random, &bare, "random-name: 404"], "alive");
}

#[test]
fn message_that_only_invalid_values_get_is_soft_404() {
    let page = "200 \"Phones\" {Departments: Parks, Roads. Sorry, no such department}";
    let context = [
        &*format!("random-query-value: {page}"),
        "without-parameter: 200 \"Phones\" {Departments: Parks, Roads. Choose one}",
        "random-name: 404",
    ];
    let page = page.replace("department", "page");
    let context = context.map(|line| line.replace("such department", "such page"));
    let context: Vec<&str> = context.iter().map(String::as_str).collect();
    check(&format!("/phones.asp?unit=moss {page}"), &context, "soft-404 RL301");
    // A filter of a list.
    let list = "200 \"Pans\" {Pans. We can't find products matching the selection}";
    let context = [
        &*format!("random-query-value: {list}"),
        "without-parameter: 200 \"Pans\" {Pans. Sugar pan. Jelly mold}",
        "random-name: 404",
    ];
    check(&format!("/pans.html?price=9-10 {list}"), &context, "alive");
}

#[test]
fn required_parameter_selects_the_page() {
    let page = "200 \"Objects\" {Number: Maker: Date:}";
    for without in ["404", "500"] {
        let context = [
            &*format!("random-query-value: {page}"),
            &format!("without-parameter: {without}"),
            "random-name: 404",
        ];
        check(&format!("/object.cfm?objectID=88 {page}"), &context, "soft-404 RL301");
    }
}

#[test]
fn message_of_a_script_instead_of_data_is_soft_404() {
    let page =
        "/maps/wms?layers=wells 200 type=text/xml {<?xml?><e>Could not find layer wells</e>}";
    check(
        page,
        &["random-query-value: 200 type=text/xml {<e>No service</e>}", "random-name: 404"],
        "soft-404 RL301",
    );
}

#[test]
fn source_code_that_contains_the_message_of_the_server_is_alive() {
    let message = "{Bad object id, the commit could not be found}";
    let diff = "{Correct the status of the commit view. 2 files changed, 14 insertions. \
                print bad object id, the commit could not be found. return 404. The caller now \
                receives the status of the view instead of the text of the error. Author Ann}";
    let random = format!("random-query-value: 200 \"tool.git\" {message}");
    let controls = [random.as_str(), "without-parameter: 200 \"tool.git\" #3", "random-name: 404"];
    check(&format!("/tool/commit?id=3fa9 200 \"tool.git\" {diff}"), &controls, "alive");
}

#[test]
fn message_of_a_page_is_not_that_of_a_parameter_without_effect() {
    let page = "200 \"Errors\" \"Error messages\" #1 \
                [This topic does not exist is what the wiki says. Edited by Ann in May.]";
    let context = [
        "random-query-value: 200 \"Topic does not exist\" #2",
        &*format!("other-query-value: {page}"),
        &format!("without-other-parameter: {page}"),
        "random-name: 404",
    ];
    for query in ["id=errors&x=1", "id=errors&reply=12"] {
        check(&format!("/doku.php?{query} {page}"), &context, "alive");
    }
}

#[test]
fn empty_list_in_a_frame_is_not_comparable() {
    let list = "200 \"oak\" \"Backlinks\" #1 [Nothing was found.]";
    let context = [&*format!("random-query-value: {list}"), "random-name: 404"];
    check_text(&format!("/wiki?id=oak&do=backlink {list}"), &context, "not comparable");
}

#[test]
fn title_that_repeats_any_value_may_be_that_of_a_search() {
    let random = "random-query-value: /log?rev=qwertz 200 \"Log: qwertz\" #5";
    let context = [random, "without-parameter: 200 \"Log\" #6", "random-name: 404"];
    check("/log?rev=zebra 200 \"Log: zebra\" #5", &context, "alive");
}
