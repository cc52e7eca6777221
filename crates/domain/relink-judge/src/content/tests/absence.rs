//! The page says by itself that it is not there.

use super::{check, check_told};

#[test]
fn an_error_page_says_so_though_strays_are_refused() {
    let page =
        "/records/oak 200 \"Page not found\" \"404\" {The page you requested does not exist}";
    check(page, &["stray: 404"], "soft-404 RL301");
    check_told(page, &["stray: 404"], "says “");
}

#[test]
fn it_says_so_in_other_languages() {
    for page in [
        "/lexikon/eiche 200 \"Seite nicht gefunden\" \"Fehler 404\" {Diese Seite existiert nicht}",
        "/articles/chene 200 \"Page introuvable\" \"Erreur 404\" {Cette page n’existe plus}",
        "/stati/dub 200 \"Страница не найдена\" \"Ошибка 404\" {Страница не существует}",
        "/kiji/kashi 200 \"ページが見つかりません\" \"404\" {お探しのページは存在しません}",
    ] {
        check(page, &["stray: 404"], "soft-404 RL301");
    }
}

#[test]
fn one_phrase_in_a_long_text_says_nothing() {
    check("/essays/oak 200 \"Not found\" #1", &["stray: 404"], "alive");
}

#[test]
fn an_article_about_missing_pages_is_there() {
    let page =
        "/http/404-not-found 200 \"404 Not Found\" \"404 Not Found\" {A status code of HTTP}";
    check(page, &["stray: 404"], "alive");
    check("/help/what 200 \"What does 404 not found mean?\" #1", &["stray: 404"], "alive");
}

#[test]
fn a_short_page_that_says_nothing_of_it_is_there() {
    check("/status/oak 200 \"Oak\" {All is well}", &["stray: 404"], "alive");
    check("/ping/oak 200", &["stray: 404"], "alive");
}
