//! Sites of MkDocs and mdBook.

use super::check;

#[test]
fn mkdocs_publishes_directories_and_snippets() {
    check(
        &[
            ("mkdocs.yml", "site_name: T\nsite_url: https://docs.test/p/\n"),
            ("docs/index.md", "# Home\n"),
            ("docs/guide/start.md", "# Start\n\n--8<-- \"parts/a.md\"\n"),
            ("parts/a.md", "## Shared\n"),
        ],
        "docs/guide/a.md",
        &["start.md", "/p/guide/start/", "/guide/start/#shared", "../start/"],
        &["gone.md", "/guide/gone/", "start.md#gone"],
    );
}

#[test]
fn mdbook_accepts_html_names_and_includes() {
    check(
        &[
            ("book.toml", "[book]\ntitle = 'T'\n"),
            ("src/one.md", "# One\n\n{{#include part.md}}\n"),
            ("src/part.md", "## Shared\n"),
        ],
        "src/two.md",
        &["one.html", "one.md#shared", "/one.html"],
        &["gone.html", "one.md#gone"],
    );
}

#[test]
fn mdbook_rule_names_are_destinations() {
    check(
        &[
            ("book.toml", "[book]\ntitle = 'T'\n[preprocessor.spec]\ncommand = 'x'\n"),
            ("src/types.md", "# Types\n\nr[type.tuple]\nA tuple.\n"),
        ],
        "src/a.md",
        &["type.tuple", "types.md#r-type.tuple"],
        &["type.gone", "types.md#r-type.gone"],
    );
}

#[test]
fn mkdocs_translations_share_the_files_of_the_main_language() {
    check(
        &[
            ("docs/en/mkdocs.yml", "site_name: T\n"),
            ("docs/en/docs/img/a.png", ""),
            ("docs/en/docs/help.md", "# Help\n"),
            ("docs/fr/docs/aide.md", "# Aide\n"),
        ],
        "docs/fr/docs/a.md",
        &["/img/a.png", "aide.md", "help.md"],
        &["/img/gone.png", "gone.md"],
    );
}

#[test]
fn mdbook_below_another_links_to_its_chapters() {
    check(
        &[
            ("book.toml", "[book]\ntitle = 'T'\n"),
            ("src/ch01.md", "# One\n"),
            ("old/book.toml", "[book]\ntitle = 'Old'\n"),
        ],
        "old/src/a.md",
        &["../ch01.html"],
        &["../ch02.html"],
    );
}
