//! Sites of Jekyll.

use super::{check, summary};
use crate::sandbox::Sandbox;

#[test]
fn jekyll_publishes_pages_posts_and_collections() {
    check(
        &[
            (
                "_config.yml",
                "title: T\nbaseurl: /base\ncollections:\n  docs:\n    permalink: /d/:path/\n",
            ),
            ("_posts/2024-01-02-hello.md", "# Hello\n"),
            ("_docs/start.md", "# Start\n\n{% include part.html %}\n"),
            ("_includes/part.html", "<h2 id=shared>Shared</h2>"),
            ("about.md", "---\npermalink: /who/\n---\n# About\n"),
            ("assets/a.css", ""),
        ],
        "index.md",
        &[
            "/2024/01/02/hello.html",
            "/d/start/",
            "/base/d/start/",
            "/who/",
            "/assets/a.css",
            "/d/start/#shared",
        ],
        &["/2024/01/02/gone.html", "/d/gone/", "/assets/gone.css", "/d/start/#gone"],
    );
}

#[test]
fn jekyll_defaults_set_the_paths_of_a_directory() {
    check(
        &[
            (
                "_config.yml",
                "title: T\ncollections:\n  books:\n    output: true\ndefaults:\n  -\n    scope:\n      \
                 path: \"_books/new\"\n    values:\n      permalink: \"/guide/:title.html\"\n",
            ),
            ("_books/new/intro.md", "---\ntitle: I\n---\n# I\n"),
        ],
        "index.md",
        &["/guide/intro.html"],
        &["/guide/gone.html"],
    );
}

#[test]
fn jekyll_publishes_nested_posts_and_compiled_styles() {
    check(
        &[
            ("_config.yml", "title: T\npermalink: pretty\n"),
            ("en/news/_posts/2024-01-02-hello.md", "# Hello\n"),
            ("assets/css/site.scss", "---\n---\n"),
        ],
        "index.md",
        &["/en/news/2024/01/02/hello/", "/assets/css/site.css"],
        &["/en/news/2024/01/02/gone/", "/assets/css/gone.css"],
    );
}

#[test]
fn jekyll_pattern_of_posts_does_not_apply_to_pages() {
    check(
        &[
            (
                "_config.yml",
                "title: T\nurl: https://a.test\nguide: /guide\ndefaults:\n  - scope:\n      type: \
                 posts\n    values:\n      permalink: /blog/:title/\n",
            ),
            ("install/index.md", "---\nredirect_from: /download/\n---\n# Install\n"),
            ("guide/index.md", "---\ntitle: T\n---\n# Guide\n"),
            ("_posts/2024-01-02-hello.md", "---\ntitle: T\n---\n# Hello\n"),
        ],
        "index.md",
        &["/install/", "/blog/hello/", "{{ site.guide }}/", "{{ site.url }}/guide/#guide"],
        &["/blog/index/", "{{ site.guide }}/#gone"],
    );
}

#[test]
fn path_below_the_url_of_a_jekyll_site_may_be_outside_of_it() {
    let sandbox = Sandbox::new();
    sandbox
        .write("_config.yml", "title: T\nurl: https://a.test\n")
        .write("index.md", "[a]({{ site.url }}/cgi-bin/b)\n");
    assert_eq!(summary(&sandbox)["skipped"]["offline"], 1);
}

#[test]
fn ids_of_the_layout_are_anchors_of_the_page() {
    check(
        &[
            ("_config.yml", "title: T\n"),
            ("_layouts/wide.html", "<div id=\"menu\">{% include foot.html %}{{ content }}</div>"),
            ("_includes/foot.html", "<p id=\"foot\"></p><p id=\"tab-{{ name }}\"></p>"),
            ("about.md", "---\nlayout: wide\n---\n# About\n"),
        ],
        "index.md",
        &["/about.html#menu", "/about.html#foot", "/about.html#tab-x", "/about.html#about"],
        &["/about.html#gone"],
    );
}
