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
