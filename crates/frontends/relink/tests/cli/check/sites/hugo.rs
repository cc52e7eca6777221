//! Sites of Hugo.

use super::{check, site, summary};

#[test]
fn hugo_publishes_sections_bundles_and_languages() {
    check(
        &[
            ("hugo.toml", "baseURL = 'https://docs.test/'\n"),
            ("content/en/docs/_index.md", "# Docs\n"),
            ("content/en/docs/Set Up.md", "# Set up\n"),
            ("content/en/docs/own.md", "---\nurl: /own/path/\n---\n# Own\n"),
            ("content/en/docs/short.md", "---\nslug: brief\n---\n# Short\n\n{{< note >}}\n"),
            ("layouts/shortcodes/note.html", "<b>{{ .Inner }}</b>"),
            ("static/a.png", ""),
        ],
        "content/en/docs/a.md",
        &[
            "/docs/",
            "/docs/set-up/",
            "/en/docs/set-up/#set-up",
            "/own/path",
            "/docs/brief",
            "/a.png",
            "../brief/",
        ],
        &["/docs/gone/", "../gone/", "/gone.png", "/docs/brief/#gone"],
    );
}

#[test]
fn argument_id_of_a_shortcode_is_the_end_of_an_anchor() {
    check(
        &[
            ("hugo.toml", "title = 'T'\n"),
            ("content/terms.md", "# Terms\n\n{{< term id=\"leaf\" name=\"Leaf\" >}}\n"),
            ("layouts/shortcodes/term.html", "{{ $id := .Get \"id\" }}"),
        ],
        "content/a.md",
        &["/terms/#leaf", "/terms/#def-leaf"],
        &["/terms/#def-root"],
    );
}

#[test]
fn hugo_mounts_files_and_replaces_emoji() {
    check(
        &[
            (
                "web/hugo.yaml",
                "baseURL: https://docs.test/\nmodule:\n  mounts:\n    - source: ../CHANGES.md\n      \
                 target: content/project/CHANGES.md\n    - source: content\n      target: content\n",
            ),
            ("CHANGES.md", "# Changes\n\n## :lock: Security\n"),
            ("web/layouts/shortcodes/box.html", "<div id=\"{{ .Get 0 }}\">{{ .Inner }}</div>"),
            ("web/content/box.md", "# Box\n\n{{< box \"one\" >}}\n"),
        ],
        "web/content/project/_index.md",
        &["CHANGES.md", "/project/changes/#-security", "/box/#box"],
        &["GONE.md", "/project/changes/#gone", "/box/#gone"],
    );
}

#[test]
fn pattern_relative_to_a_page_does_not_cover_the_pages_next_to_it() {
    let page = "---\nredirects: [{ from: 'old/*', to: x }, { from: '*', to: x }]\n---\n# News\n";
    let sandbox = site(
        &[("hugo.toml", "baseURL = 'https://docs.test/'\n"), ("content/docs/news.md", page)],
        "content/docs/a.md",
        &["/docs/gone/", "/docs/news/old/"],
    );
    let summary = summary(&sandbox);
    assert_eq!(summary["verdicts"]["local"], 1, "{summary}");
    assert_eq!(summary["verdicts"]["moved"], 1, "{summary}");
}

#[test]
fn terms_of_a_glossary_are_anchors_of_one_page() {
    let sandbox = site(
        &[
            ("hugo.toml", "baseURL = 'https://docs.test/'\n"),
            ("content/glossary/pod.md", "---\ntitle: Pod\n---\nA group.\n"),
        ],
        "content/glossary/node.md",
        &["#term-pod", "#term-gone"],
    );
    let summary = summary(&sandbox);
    assert_eq!(summary["skipped"]["anchor"], 1, "{summary}");
    assert_eq!(summary["verdicts"]["local"], 1, "{summary}");
}

#[test]
fn redirect_to_a_page_that_a_build_creates_is_moved() {
    let sandbox = site(
        &[
            (".git/HEAD", ""),
            ("hugo.toml", "baseURL = 'https://docs.test/'\n"),
            ("content/api/.gitignore", "providers.md\n"),
            ("content/api/_index.md", "# API\n"),
            ("static/_redirects", "/api/provider /api/providers 301\n/api/x /api/gone 301\n"),
        ],
        "content/a.md",
        &["/api/provider/", "/api/providers/", "/api/x/"],
    );
    let summary = summary(&sandbox);
    assert_eq!(summary["verdicts"]["moved"], 1, "{summary}");
    assert_eq!(summary["skipped"]["generated"], 1, "{summary}");
    assert_eq!(summary["verdicts"]["local"], 1, "{summary}");
}
