//! Documents that an unknown program publishes, or a site in another repository.

use super::check;

#[test]
fn relative_links_of_published_documents_may_be_urls_of_pages() {
    check(
        &[
            ("docs/querying/basics.md", "# Basics\n\n## Range\n"),
            ("docs/querying/operators/index.md", "# Operators\n"),
        ],
        "docs/querying/examples.md",
        &["../basics/", "../basics/#range", "basics", "./operators/", "../operators"],
        &["../gone/", "gone", "basics.rst", "../basics/#gone"],
    );
    // GitHub shows these documents.
    let files = [("docs/basics.md", "# Basics\n")];
    check(&files, "docs/README.md", &["basics.md"], &["basics", "../basics/"]);
    check(&files, "notes/a.md", &["../docs/basics.md"], &["../docs/basics"]);
}

#[test]
fn directory_of_pages_with_links_from_its_root_is_a_site() {
    let link = "[a](/guide/start) ".repeat(20);
    check(
        &[("src/pages/index.mdx", &link), ("src/pages/guide/start.mdx", "# Start\n")],
        "src/pages/guide/a.mdx",
        &["/guide/start", "/guide/start.mdx", "./start"],
        &["/guide/gone", "./gone"],
    );
}

#[test]
fn documents_of_a_repository_may_be_linked_without_extension() {
    let link = "[a](/api/start) ".repeat(20);
    check(
        &[(".git/HEAD", ""), ("api/index.md", &link), ("api/start.md", "# Start\n")],
        "api/a.md",
        &["/api/start", "./start"],
        &["/api/gone", "./gone"],
    );
}

#[test]
fn links_of_templates_are_not_checked() {
    let files = [("docs/b.md", "# B\n")];
    let sandbox = super::site(&files, "docs/_templates/page.md", &["gone.md", "../b.md"]);
    let summary = super::summary(&sandbox);
    assert_eq!(summary["skipped"]["generated"], 1, "{summary}");
    assert_eq!(summary["verdicts"]["alive"], 1, "{summary}");
}
