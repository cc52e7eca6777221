//! Tests of pages whose text says that the page was not found.

use super::{check, check_text};

#[test]
fn error_page_is_soft_404_although_random_names_are_rejected() {
    let page =
        "/records/oak 200 \"Page not found\" \"404\" {The page you requested does not exist}";
    check(page, &["random-name: 404"], "soft-404 RL301");
    check_text(page, &["random-name: 404"], "contains “");
}

#[test]
fn error_page_is_recognized_in_other_languages() {
    for page in [
        "/lexikon/eiche 200 \"Seite nicht gefunden\" \"Fehler 404\" {Diese Seite existiert nicht}",
        "/articles/chene 200 \"Page introuvable\" \"Erreur 404\" {Cette page n’existe plus}",
        "/stati/dub 200 \"Страница не найдена\" \"Ошибка 404\" {Страница не существует}",
        "/kiji/kashi 200 \"ページが見つかりません\" \"404\" {お探しのページは存在しません}",
    ] {
        check(page, &["random-name: 404"], "soft-404 RL301");
    }
}

#[test]
fn phrase_in_long_text_is_ignored() {
    check("/essays/oak 200 \"Not found\" #1", &["random-name: 404"], "alive");
}

#[test]
fn article_about_missing_pages_is_alive() {
    let page =
        "/http/404-not-found 200 \"404 Not Found\" \"404 Not Found\" {A status code of HTTP}";
    check(page, &["random-name: 404"], "alive");
    check("/help/what 200 \"What does 404 not found mean?\" #1", &["random-name: 404"], "alive");
}

#[test]
fn short_page_without_error_phrase_is_alive() {
    check("/status/oak 200 \"Oak\" {All is well}", &["random-name: 404"], "alive");
    check("/ping/oak 200", &["random-name: 404"], "alive");
}

#[test]
fn message_within_a_long_frame_is_read() {
    let page = "/file/7 200 \"File 7\" #1 [The file you requested has been deleted by its owner.]";
    check(page, &["random-name: 404"], "soft-404 RL301");
    let page =
        "/file/7 200 \"File 7\" #1 [Photographs of a bridge. The old one was removed in 1901.]";
    check(page, &["random-name: 404"], "alive");
}

#[test]
fn suspended_account_on_a_working_site_is_soft_404() {
    let page = "/maria_k 200 \"Account suspended\" \"Account suspended\" #1 [It broke our rules]";
    check(page, &["random-name: 200 \"Find people\" #2"], "soft-404 RL301");
}

#[test]
fn subject_of_a_mail_is_not_a_message_of_the_server() {
    let page =
        "/2003/1812.html 200 \"[owls] 404 file not found\" {The page cannot be found. Fixed}";
    check(page, &["random-name: 404", "random-path-number: 404"], "alive");
}

#[test]
fn data_that_mentions_an_error_is_alive() {
    let data = "type=application/json";
    let page = format!(
        "/stations/1204 200 {data} {{id 1204 name Pier message sensor not found on bus since the storm of March last year}}"
    );
    let missing = format!("random-name: 200 {data} {{error station not found}}");
    check(&page, &[&missing], "alive");
}

#[test]
fn wiki_article_about_an_error_is_alive() {
    let missing = "random-name: /wiki/Qxzvw 200 \"Qxzvw\" #2 [There is no text in this page]";
    check("/wiki/HTTP_404 200 \"HTTP 404\" \"HTTP 404\" #1", &[missing], "alive");
}

#[test]
fn redirect_to_a_name_that_contains_error_is_soft_404() {
    let page = "/services/pests.aspx -> /GenericError.aspx?aspxerrorpath=/services/pests.aspx 200 \"Sorry\" #1";
    check(page, &["random-name: 404"], "soft-404 RL301");
}

#[test]
fn application_with_the_title_of_an_error_page_is_soft_404() {
    let page = "/trails/991 200 \"Page not found\" {} !shell";
    check(page, &["random-name: 200 \"Page not found\" {} !shell"], "soft-404 RL301");
}

#[test]
fn home_page_with_gambling_under_the_name_of_a_school_is_hijacked() {
    let text = "{Situs judi slot gacor maxwin togel taruhan jackpot}";
    check(
        &format!("//school.test/ 200 \"RAJA: Situs Judi Slot Gacor\" {text}"),
        &[],
        "hijacked RL302",
    );
    check(&format!("//raja-slot.test/ 200 \"RAJA: Situs Judi Slot Gacor\" {text}"), &[], "alive");
    check(&format!("//askgamblers.test/ 200 \"Situs Judi Slot Gacor\" {text}"), &[], "alive");
}

#[test]
fn number_404_in_the_url_counts_only_as_a_whole() {
    let text = "\"404 Not found\" \"404 Not found\" {The item was not found}";
    check(&format!("/t14/s404 200 {text}"), &["random-name: 404"], "alive");
    check(&format!("/item/140412 200 {text}"), &["random-name: 404"], "soft-404 RL301");
}

#[test]
fn title_with_an_error_phrase_above_prose_is_alive() {
    let prose = "The ridge was covered with snow until late in spring, and only a fox passed by";
    let page = format!("/pictures/8 200 \"Nothing here but snow\" {{{prose}}}");
    check(&page, &["random-name: 404", "random-path-number: 404"], "alive");
    let message = "Sorry about that. Please check the address or use the search on our home page";
    let page = format!("/pictures/8 200 \"Nothing here\" \"Nothing here\" {{{message}}}");
    check(&page, &["random-name: 404", "random-path-number: 404"], "soft-404 RL301");
}

#[test]
fn article_on_a_site_with_another_error_page_is_alive() {
    let prose = "Archivists of three towns explain why public bodies delete documents every year";
    let article = "\"Sorry, that page is no longer available\"";
    let missing = "random-name: 200 \"Article not found\" {The article does not exist}";
    check(&format!("/essays/oak 200 {article} {{{prose}}}"), &[missing], "alive");
}

#[test]
fn discussion_of_a_deleted_page_is_alive() {
    let page = "/tracker/4 200 \"Page deleted?\" {The manual page is deleted}";
    check(page, &["random-name: 404", "random-path-number: 404"], "alive");
}

#[test]
fn redirect_that_adds_a_message_is_soft_404() {
    let controls = ["random-name: 404", "random-path-number: 404"];
    let target = "200 \"Garden tools\" #2";
    check(
        &format!("/ad/old-wooden-rake -> /list?msg=closed {target}"),
        &controls,
        "soft-404 RL301",
    );
    for alive in [
        "/ad/old-wooden-rake -> /list?msg=moved",
        "/ad/old-wooden-rake -> /tools/rake?msg=closed",
        "/ad/old-wooden-rake?msg=closed -> /list?msg=closed",
        "/ad/old-wooden-rake -> //other.test/list?msg=closed",
    ] {
        check(&format!("{alive} {target}"), &controls, "alive");
    }
}

#[test]
fn sentence_with_the_requested_identifier_is_a_message() {
    let page = "/handle/10/4711 200 \"Repository\" {Item 10/4711 has been withdrawn.}";
    check(page, &["random-name: 404", "random-path-number: 404"], "soft-404 RL301");
    let page = "/handle/10/4711 200 \"Repository\" {Item 10/4712 has been withdrawn.}";
    check(page, &["random-name: 404", "random-path-number: 404"], "alive");
    // The subject of an article may contain the number.
    let page = "/issues/12 200 \"#12 Page not found after the upgrade\" \"#12 Page not found \
                after the upgrade\" {#12 Page not found after the upgrade. Opened by Ann}";
    check(page, &["random-name: 404", "random-path-number: 404"], "alive");
}

#[test]
fn message_below_a_description_concerns_the_thing_and_not_the_page() {
    let controls = ["random-name: 404", "random-path-number: 404"];
    for (text, expect) in [
        ("This product is not available.", "soft-404 RL301"),
        ("Blue bowl, fired twice. This product is not available on islands.", "alive"),
        ("Price 31.00. This product is currently not available.", "alive"),
        ("Price 31.00. This product is no longer available.", "soft-404 RL301"),
    ] {
        check(&format!("/item/6 200 \"Large bowl\" #1 [{text}]"), &controls, expect);
    }
}

#[test]
fn thing_with_a_title_of_its_own_is_missing_if_the_text_says_nothing_else() {
    let page = |text: &str| format!("/rec/250 200 \"250: Letters\" \"Letters\" #1 [{text}]");
    let controls = ["random-name: 404", "random-path-number: 404"];
    check(&page("Letters This record has been withdrawn."), &controls, "soft-404 RL301");
    let described = "Letters This record has been withdrawn. Forty letters of a miller, 1903";
    check(&page(described), &controls, "alive");
}

#[test]
fn breadcrumb_that_repeats_the_title_is_not_a_message() {
    let title = "\"This video is unavailable (cover)\" \"This video is unavailable (cover)\"";
    let text = "This video is unavailable (cover) This video is unavailable (cover) Recorded in \
                the summer of 1911 by a choir from the northern valleys";
    check(&format!("/watch?v=zz {title} 200 {{{text}}}"), &["random-name: 404"], "alive");
}

#[test]
fn message_in_a_frame_is_read_like_a_heading() {
    for message in ["Bad object id", "File does not exist.", "No repositories found"] {
        let page = format!("/view?p=oak 200 \"Viewer\" #1 [{message}]");
        check(&page, &["random-query-value: 404", "random-name: 404"], "soft-404 RL301");
    }
}

#[test]
fn page_with_a_heading_of_its_own_may_quote_the_error_page() {
    let missing = "/doku?id=xyz 200 \"xyz\" \"This topic does not exist\" #2";
    let context = [&*format!("random-query-value: {missing}"), "random-name: 404"];
    let page = |heading: &str, text: &str| {
        format!("/doku?id=errors 200 \"errors\" \"{heading}\" #1 [{text}]")
    };
    let quotation = "This topic does not exist is what the wiki says. Edited by Ann in May.";
    check(&page("Error messages", quotation), &context, "alive");
    check(&page("Error messages", "This topic does not exist."), &context, "soft-404 RL301");
}
