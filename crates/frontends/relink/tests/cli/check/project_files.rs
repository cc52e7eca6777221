//! Files of a project that are not documents of a site: test data, build
//! results, modules of Antora, and directories that another repository publishes.

use crate::sandbox::Sandbox;

/// Checks a project with these files: paths and texts. Returns one line per finding, and the
/// text report.
fn check_project(files: &[(&str, &str)]) -> (Vec<String>, String) {
    let sandbox = Sandbox::new();
    sandbox.write(".git/HEAD", "ref: refs/heads/main\n");
    for (path, text) in files {
        sandbox.write(path, text);
    }
    let output =
        sandbox.run(&["check", "--offline", ".", "--format", "concise", "-o", "human=all.txt"]);
    let report = std::fs::read_to_string(sandbox.path("all.txt")).unwrap();
    (output.stdout.lines().map(str::to_owned).collect(), report)
}

#[test]
fn test_data_and_dependencies_are_not_read() {
    let (lines, report) = check_project(&[
        ("README.md", "[gone](gone.md)\n"),
        ("tests/README.md", "[gone](gone.md)\n"),
        ("tests/cases/a.md", "[gone](gone.md)\n"),
        ("src/__fixtures__/b.md", "[gone](gone.md)\n"),
        ("node_modules/c/README.md", "[gone](gone.md)\n"),
    ]);
    let paths: Vec<&str> = lines.iter().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(paths, ["README.md", "tests/README.md"]);
    let note = "not read: 3 documents of tests and dependencies (`--no-ignore`)";
    assert!(report.contains(note), "{report}");
}

#[test]
fn file_that_git_ignores_is_a_build_result() {
    let (lines, report) = check_project(&[
        (".gitignore", "/docs/api/\n*.svg\n"),
        ("docs/a.md", "![x](chart.svg) [y](api/index.md) [z](other/index.md)\n"),
    ]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines.first().unwrap().contains("other/index.md"), "{lines:?}");
    assert!(report.contains("2 to generated pages"), "{report}");
}

#[test]
fn antora_resolves_resource_ids_of_modules() {
    let (lines, report) = check_project(&[
        ("antora.yml", "name: server\nversion: '7'\nnav:\n- modules/ROOT/nav.adoc\n"),
        ("modules/ROOT/nav.adoc", "* xref:index.adoc[]\n* xref:learn:a/b.adoc#part[]\n"),
        ("modules/ROOT/pages/index.adoc", "= Index\n\nimage::logo.png[]\n"),
        ("modules/ROOT/images/logo.png", ""),
        (
            "modules/learn/pages/a/b.adoc",
            "= B\n\n[#part]\n== Part\n\nxref:ROOT:index.adoc[] xref:learn:a/gone.adoc[]\n\
             xref:a/b.adoc#lost[] xref:other::index.adoc[] image:ROOT:logo.png[]\n",
        ),
        ("modules/learn/partials/c.adoc", "See xref:a/b.adoc[].\n"),
    ]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("learn:a/gone.adoc")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("a/b.adoc#lost")), "{lines:?}");
    assert!(report.contains("1 to other sites"), "{report}");
}

#[test]
fn directory_published_by_another_repository_is_inferred_from_its_links() {
    let working = "[a](/docs/2.x/guide/intro) [b](/guide/intro#intro)\n".repeat(6);
    let broken = "[c](/docs/2.x/guide/gone) [d](/modules)\n";
    let (lines, report) = check_project(&[
        ("docs/1.guide/1.intro.md", "# Intro\n"),
        ("docs/1.guide/2.next.md", &format!("{working}{broken}")),
    ]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines.first().unwrap().contains("/docs/2.x/guide/gone"), "{lines:?}");
    assert!(report.contains("site: plain (docs)"), "{report}");
}

#[test]
fn document_outside_of_a_book_may_link_to_its_pages() {
    let (lines, _) = check_project(&[
        ("book/book.toml", "[book]\ntitle = 'B'\n"),
        ("book/src/SUMMARY.md", "[A](reference/a.md)\n"),
        ("book/src/reference/a.md", "# A\n"),
        ("man/part.md", "[a](../reference/a.html) [b](../reference/b.txt)\n"),
    ]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines.first().unwrap().contains("../reference/b.txt"), "{lines:?}");
}

#[test]
fn anchor_of_the_translation_in_the_language_of_the_document_exists() {
    let (lines, _) = check_project(&[
        ("next.config.js", "module.exports = {}\n"),
        ("content/docs/api.mdx", "# API\n\n## Options\n"),
        ("content/docs/api.fr.mdx", "# API\n\n## Choix\n"),
        ("content/docs/own.fr.mdx", "[a](/docs/api#choix) [b](/docs/api#perdu)\n"),
        ("content/docs/own.mdx", "[c](/docs/api#options)\n"),
    ]);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines.first().unwrap().contains("/docs/api#perdu"), "{lines:?}");
}
