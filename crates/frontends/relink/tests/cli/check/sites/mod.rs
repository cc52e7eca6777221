//! Links of sites: paths that a site generator publishes, redirects and included files.
//!
//! The tests write the files of a site, and a document with links that work or are broken
//! on the published site. Broken links have the verdict `local`.

mod asciidoc;
mod books;
mod docfx;
mod docusaurus;
mod hugo;
mod javascript;
mod jekyll;
mod other_programs;
mod sphinx;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Creates a site from paths and texts, and a document with links.
pub(super) fn site(files: &[(&str, &str)], document: &str, links: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    for (path, text) in files {
        sandbox.write(path, text);
    }
    let links: Vec<String> = links.iter().map(|link| format!("[x](<{link}>)\n\n")).collect();
    sandbox.write(document, &format!("---\ntitle: T\n---\n\n# Own\n\n{}", links.concat()));
    sandbox
}

/// Checks a project offline and returns the summary of its JSON report.
pub(super) fn summary(sandbox: &Sandbox) -> Value {
    let output = sandbox.check_human(&["--format", "json", "--offline", "."]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    report["summary"].clone()
}

/// Asserts that a document of a site has the links `good`, which work, and `broken`, which are
/// findings.
#[track_caller]
pub(super) fn check(files: &[(&str, &str)], document: &str, good: &[&str], broken: &[&str]) {
    let sandbox = site(files, document, &[good, broken].concat());
    let output = sandbox.check(&["--offline", "."]);
    let rows = output.rows();
    let expected = good.iter().map(|link| (link, "alive"));
    let expected = expected.chain(broken.iter().map(|link| (link, "local")));
    // Several links to one file are one row, so rows are found by line: the first link is on
    // line 7.
    for (line, (link, verdict)) in (7..).step_by(2).zip(expected) {
        let is_link = |location: &Value| location["path"] == document && location["line"] == line;
        let row = rows
            .results
            .iter()
            .find(|row| row["locations"].as_array().unwrap().iter().any(is_link));
        assert!(row.is_some(), "`{link}` is not checked");
        assert_eq!(row.unwrap()["verdict"], verdict, "{link}: {}", row.unwrap());
    }
}

#[test]
fn template_tags_that_are_replaced_by_a_path_are_resolved() {
    let files = [("_config.yml", "title: T\n"), ("_docs/start.md", "# Start\n"), ("a.css", "")];
    let sandbox = site(&files, "x.md", &[]);
    let text = "[a]({% link _docs/start.md %}#start)\n\n[b]({{ site.baseurl }}/a.css)\n\n\
                [c]({% link _docs/gone.md %})\n\n[d]({{ '/gone.css' | relative_url }})\n\n\
                [e]({{ page.url }})\n";
    sandbox.write("index.md", text);
    let rows = sandbox.check(&["--offline", "index.md"]).rows();
    assert_eq!(rows.verdicts(), ["alive", "alive", "local", "local"]);
}

#[test]
fn directives_of_images_and_code_are_checked() {
    let sandbox = Sandbox::new();
    let text = ":::image source=\"a.png\" alt-text=\"x\":::\n\n:::code source=\"gone.cs\":::\n\n\
                ```{image} a.png\n```\n\n:::{figure} gone.png\n:::\n";
    sandbox.write("a.md", text).write("a.png", "");
    let rows = sandbox.check(&["--offline", "a.md"]).exits(1).rows();
    assert_eq!(rows.verdicts(), ["alive", "local", "local"]);
}

#[test]
fn github_docs_resolve_content_and_reusables() {
    check(
        &[
            ("content/actions/start.md", "# Start\n\n{% data reusables.actions.note %}\n"),
            ("data/reusables/actions/note.md", "## Shared\n"),
            ("assets/images/a.png", ""),
        ],
        "content/index.md",
        &["/actions/start", "/en/actions/start", "/actions/start#shared", "/assets/images/a.png"],
        &["/actions/gone", "/actions/start#gone", "/assets/images/gone.png"],
    );
}

#[test]
fn link_from_the_root_of_a_repository_is_resolved() {
    check(
        &[(".git/HEAD", ""), ("docs/a.md", "# A\n")],
        "README.md",
        &["/docs/a.md", "/docs"],
        &["/docs/gone.md"],
    );
}

#[test]
fn pages_of_templates_and_ignored_pages_are_not_checked() {
    let files = [
        ("doc/conf.py", "project = 'T'\nhtml_additional_pages = {'contents': 'contents.html'}\n"),
        (".git/HEAD", ""),
        ("web/astro.config.mjs", "import starlight from '@astrojs/starlight';\n"),
        ("web/src/content/docs/reference/.gitignore", "config.md\n"),
    ];
    let sandbox = site(&files, "doc/a.md", &["contents.html"]);
    let links = "[a](/reference/config/) [b](/reference/gone/)\n";
    sandbox.write("web/src/content/docs/a.md", links);
    let summary = summary(&sandbox);
    assert_eq!(summary["skipped"]["generated"], 2, "{summary}");
    assert_eq!(summary["verdicts"]["local"], 1, "{summary}");
}

#[test]
fn sources_of_other_repositories_are_not_checked() {
    let files = [
        (
            "web/hugo.toml",
            "baseURL = '/'\n[[module.mounts]]\nsource = 'tmp/spec'\ntarget = 'content/spec'\n",
        ),
        ("web/content/a.md", "[a](/spec/intro/) [b](/gone/)\n"),
        ("docs/docfx.json", "{ \"build\": { \"content\": [{ \"files\": [\"**.md\"] }] } }"),
        ("tools/x.cs", ""),
    ];
    let links = ["~/../samples/x.cs", "~/../tools/gone.cs"];
    let sandbox = site(&files, "docs/a.md", &links);
    let summary = summary(&sandbox);
    assert_eq!(summary["skipped"]["generated"], 1, "{summary}");
    assert_eq!(summary["skipped"]["other-site"], 1, "{summary}");
    assert_eq!(summary["verdicts"]["local"], 2, "{summary}");
}

#[test]
fn relative_directory_of_a_page_starts_from_its_url() {
    check(
        &[
            ("hugo.toml", "baseURL = 'https://docs.test/'\n"),
            ("content/docs/_index.md", "# Docs\n"),
            ("content/docs/guide/_index.md", "# Guide\n\n## Kinds\n"),
            ("content/docs/guide/other.md", "# Other\n\n## Here\n"),
            ("content/docs/other.md", "# Other\n\n## Above\n"),
        ],
        "content/docs/guide/a.md",
        &["../#kinds", "..#kinds", "../other/#here", "../other#here", "../../#docs"],
        &["../#docs", "../other/#above", "../../#kinds"],
    );
}

#[test]
fn same_path_may_lead_to_a_page_in_one_document_only() {
    let sandbox = Sandbox::new();
    sandbox
        .write("docusaurus.config.js", "module.exports = { baseUrl: '/', presets: [] }")
        .write("docs/theming/colors.md", "# Colors\n")
        .write("docs/api/a.md", "[a](../theming/colors)\n")
        .write("docs/api/b.md", "[b](../../docs/theming/colours)\n\n[c](../theming/colours)\n");
    let rows = sandbox.check(&["--offline", "docs"]).rows();
    assert_eq!(rows.verdicts(), ["alive", "local"]);
}

#[test]
fn double_brackets_are_text_for_generators_without_wiki_links() {
    let sandbox = Sandbox::new();
    sandbox
        .write("hugo.toml", "title = 'T'\n")
        .write("content/a.md", "Add `x` to [[menus.main]].\n");
    let summary = summary(&sandbox);
    assert_eq!(summary["skipped"], serde_json::json!({}), "{summary}");
}

#[test]
fn links_from_the_root_of_a_repository_without_a_site_are_checked() {
    let links = "[a](/group) [b](/guide/a.md) ".repeat(5);
    let files = [(".git/HEAD", ""), ("group/README.md", links.as_str()), ("guide/a.md", "")];
    check(&files, "README.md", &["/group", "/guide/"], &["/groups", "/guide/b"]);
    let sandbox = site(&files, "README.md", &["/../../issues"]);
    assert_eq!(summary(&sandbox)["skipped"]["other-site"], 1);
}

#[test]
fn unknown_program_may_write_other_ids() {
    let links = "[a](/docs/guide/a) [b](/guide/a) ".repeat(5);
    check(
        &[
            (".git/HEAD", ""),
            ("docs/guide/a.md", &format!("# A\n\n## contributes.views\n\n{links}")),
        ],
        "api/b.md",
        &["/docs/guide/a#contributes.views"],
        &["/docs/guide/a#contributes.menus"],
    );
}

#[test]
fn generated_page_is_not_checked() {
    let files = [("docusaurus.config.js", ""), ("blog/2024-01-02-a.md", "# A\n")];
    let sandbox = site(&files, "docs/a.md", &["/blog/tags/x", "/blog", "/rss.xml"]);
    let summary = summary(&sandbox);
    assert_eq!(summary["skipped"]["generated"], 3, "{summary}");
    assert_eq!(summary["verdicts"]["local"], 0, "{summary}");
}

#[test]
fn redirect_to_the_site_itself_must_lead_to_a_page() {
    let files = [
        (
            "docusaurus.config.js",
            "module.exports = { url: 'https://docs.test', baseUrl: '/', presets: [] }",
        ),
        (
            "static/_redirects",
            "/old/* https://docs.test/docs/:splat\n/out/* https://b.test/:splat\n",
        ),
        ("docs/start.md", "# Start\n"),
    ];
    let sandbox = site(&files, "docs/a.md", &["/old/start", "/out/start", "/old/gone"]);
    let summary = summary(&sandbox);
    assert_eq!(summary["verdicts"]["moved"], 2, "{summary}");
    assert_eq!(summary["verdicts"]["local"], 1, "{summary}");
}

#[test]
fn link_through_a_redirect_map_is_moved() {
    let files = [
        (
            "mkdocs.yml",
            "site_name: T\nplugins:\n  - redirects:\n      redirect_maps:\n        'a.md': 'new.md'\n",
        ),
        ("docs/new.md", "---\nredirect_from:\n  - /older\n---\n# New\n"),
        ("docs/_redirects", "/old/* /new/ 301\n/lost /gone 301\n"),
    ];
    let sandbox = site(&files, "docs/b.md", &["/a/", "/older/", "/old/x", "/lost", "/old/x#gone"]);
    let rows = sandbox.check(&["--offline", "."]).rows();
    let verdict = |link: &str| {
        let row = rows.results.iter().find(|row| row["url"] == link).unwrap();
        (row["verdict"].as_str().unwrap().to_owned(), row["reason"].as_str().unwrap().to_owned())
    };
    let moved_to = |to: &str| ("moved".to_owned(), format!("redirects to `{to}`"));
    assert_eq!(verdict("/a/"), moved_to("new.md"));
    assert_eq!(verdict("/older/"), moved_to("/new"));
    assert_eq!(verdict("/old/x"), moved_to("/new/"));
    assert_eq!(verdict("/lost").0, "local");
    assert_eq!(verdict("/old/x#gone").0, "local");
}

#[test]
fn patterns_match_the_link_as_written_and_its_file() {
    let files = [("mkdocs.yml", "site_name: T\n"), ("docs/guide/a.md", "# A\n")];
    let sandbox = site(&files, "docs/b.md", &["/guide/a/", "/guide/gone/", "./gone.md"]);
    let row_count = |args: &[&str]| {
        sandbox.check(&[&["--offline"], args, &["."]].concat()).rows().results.len()
    };
    assert_eq!(row_count(&["--exclude", "^/guide"]), 1);
    assert_eq!(row_count(&["--exclude", "^docs/guide/a.md$"]), 2);
    assert_eq!(row_count(&["--exclude", r"^\./gone"]), 2);
    assert_eq!(row_count(&["--include", "^/guide"]), 2);
    assert_eq!(row_count(&["--include", "^docs/guide/a.md$"]), 1);
}

#[test]
fn site_none_disables_the_rules() {
    let files = [("mkdocs.yml", "site_name: T\n"), ("docs/a.md", "# A\n")];
    let sandbox = site(&files, "docs/b.md", &["/a/"]);
    assert_eq!(sandbox.check(&["--offline", "--site", "none", "."]).rows().results.len(), 0);
    assert_eq!(sandbox.check(&["--offline", "--site", "mkdocs", "."]).rows().results.len(), 1);
    assert_eq!(sandbox.check(&["--offline", "--site", "hugo", "."]).rows().results.len(), 0);
    let output = sandbox.check(&["--site", "unknown", "."]).exits(2);
    assert!(output.stderr.contains("unknown site generator"), "{output:?}");
}

#[test]
fn map_and_several_roots_resolve_root_relative_links() {
    let files = [("manual/a.md", "# A\n"), ("files/b.png", ""), ("more/c.png", "")];
    let sandbox = site(&files, "d.md", &["/guide/a.md", "/b.png", "/c.png", "/gone.png"]);
    let args = ["--offline", "--map", "/guide=manual", "--root-dir", "files", "--root-dir", "more"];
    let rows = sandbox.check(&[&args[..], &["d.md"]].concat()).rows();
    assert_eq!(rows.verdicts(), ["alive", "alive", "alive", "local"]);
    sandbox.check(&["--map", "/guide=nowhere", "d.md"]).fails(2, &["no such directory", "--map"]);
    let output = sandbox.check(&["--map", "guide", "d.md"]).exits(2);
    assert!(output.stderr.contains("/guide=docs"), "{output:?}");
}
