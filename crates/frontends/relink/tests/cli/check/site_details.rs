//! Links of sites whose targets depend on details of a site generator: constants in
//! configurations, tags of source files, labels outside of documents, and parts that pages
//! include. The arguments of `check` are the files of a site, a document, the working links of
//! the document, and its broken links.

use super::sites::{check, site, summary};

#[test]
fn docusaurus_base_in_a_constant_is_replaced() {
    check(
        &[
            (
                "docusaurus.config.js",
                "const ROOT = '/manual';\nmodule.exports = { url: 'https://a.test',\n  \
                 baseUrl: `${ROOT}/`,\n  presets: [['classic', { docs: { routeBasePath: '/' } }]] }",
            ),
            ("docs/theming/colors.md", "# Colors\n"),
        ],
        "docs/api/text.md",
        &["/manual/theming/colors", "../../manual/theming/colors", "../theming/colors"],
        &["/manual/theming/gone", "../../manual/gone"],
    );
}

#[test]
fn docfx_tags_of_source_files_are_checked() {
    check(
        &[
            ("docfx.json", "{ \"build\": { \"content\": [{ \"files\": [\"**.md\"] }] } }"),
            (
                "code/a.cs",
                "// <SnippetStart>\nint a;\n// </SnippetStart>\n#region Loop\n#endregion\n",
            ),
        ],
        "guide.md",
        &["code/a.cs#start", "code/a.cs#SnippetStart", "code/a.cs#loop", "~/code/a.cs"],
        &["code/a.cs#end"],
    );
}

#[test]
fn sphinx_label_may_be_in_source_code_or_in_another_project() {
    let sandbox = site(
        &[
            (
                "docs/conf.py",
                "extensions = ['sphinx.ext.intersphinx', 'sphinx.ext.autodoc']\n\
                 intersphinx_mapping = {'other': ('https://other.test/en/', None)}\n",
            ),
            ("docs/api.rst", "Api\n===\n\n.. _own-label:\n\nOwn\n---\n"),
            ("src/module.py", "\"\"\"\n.. _in-docstring:\n\"\"\"\n"),
        ],
        "docs/a.md",
        &["in-docstring", "own-label", "own-label-old"],
    );
    let rst =
        "A\n=\n\n:ref:`in-docstring` :ref:`own-labels` :ref:`other:page` :doc:`other:index`\n";
    sandbox.write("docs/b.rst", rst);
    let rows = sandbox.check(&["--offline", "docs"]).rows();
    let findings = rows.results.iter().filter(|row| row["verdict"] == "local");
    let mut broken: Vec<_> = findings.map(|row| row["url"].as_str().unwrap()).collect();
    broken.sort_unstable();
    assert_eq!(broken, ["#own-labels", "own-label-old"]);
    assert_eq!(summary(&sandbox)["skipped"]["offline"], 2);
}

#[test]
fn antora_playbook_may_have_any_name() {
    let sandbox = site(
        &[
            ("antora.yml", "name: server\nversion: '5'\n"),
            (
                "preview.yml",
                "site:\n  title: T\ncontent:\n  sources:\n  - url: ./\nasciidoc:\n  attributes:\n    \
                 base: https://docs.test\n    part: start\n",
            ),
            ("modules/ROOT/pages/start.adoc", "= Start\n"),
        ],
        "notes.md",
        &[],
    );
    let page =
        "= T\n\nlink:{base}/other/{page-version}/[a] xref:{part}.adoc[b] xref:gone.adoc[c]\n";
    sandbox.write("modules/ROOT/pages/a.adoc", page);
    // Nothing includes the example, so the page of its anchor is unknown.
    sandbox.write("modules/ROOT/examples/x.adoc", "xref:#elsewhere[d]\n");
    let rows = sandbox.check(&["--offline", "modules"]).rows();
    assert_eq!(rows.verdicts(), ["alive", "local"]);
    let summary = summary(&sandbox);
    assert_eq!(summary["skipped"]["reserved"], 1, "{summary}");
    assert!(summary["skipped"]["placeholder"].is_null(), "{summary}");
}

#[test]
fn relative_link_of_a_part_starts_from_the_including_page() {
    check(
        &[
            ("mkdocs.yml", "site_name: T\nmarkdown_extensions: [pymdownx.snippets]\n"),
            ("docs/admin/page.md", "# Page\n\n--8<-- \"docs/snippets/part.md\"\n"),
            ("docs/admin/map.svg", ""),
            ("docs/install/guide.md", "# Guide\n"),
        ],
        "docs/snippets/part.md",
        &["map.svg", "../install/guide.md"],
        &["gone.svg", "../install/gone.md"],
    );
}

#[test]
fn jekyll_style_sheets_of_plugins_are_compiled() {
    check(
        &[("_config.yml", "title: T\n"), ("css/main.tailwindcss", "")],
        "a.md",
        &["/css/main.css"],
        &["/css/gone.css"],
    );
}

#[test]
fn path_in_a_component_may_start_from_the_root() {
    let sandbox = site(
        &[("docusaurus.config.js", "module.exports = {}"), ("static/demo/a.html", "<p>Demo")],
        "docs/plain.md",
        &[],
    );
    sandbox.write(
        "docs/a.mdx",
        "# A\n\n<Demo src=\"demo/a.html\" />\n\n<Demo src=\"demo/b.html\" />\n",
    );
    let rows = sandbox.check(&["--offline", "docs"]).rows();
    assert_eq!(rows.verdicts(), ["alive"]);
    assert_eq!(summary(&sandbox)["skipped"]["page-name"], 1);
}

#[test]
fn docusaurus_documents_of_another_repository_are_not_checked() {
    let config = "module.exports = { plugins: [['@docusaurus/plugin-content-docs', { id: 'spec',\n  \
                  path: 'external/spec', routeBasePath: 'spec' }]] }";
    let files = [("docusaurus.config.js", config), ("docs/b.md", "# B\n")];
    let sandbox = site(&files, "docs/a.md", &["/docs/b", "/spec/page", "/other/page"]);
    let rows = sandbox.check(&["--offline", "."]).rows();
    assert_eq!(rows.verdicts(), ["alive", "local"]);
    assert_eq!(summary(&sandbox)["skipped"]["generated"], 1);
}

#[test]
fn open_publishing_without_a_base_does_not_own_paths_from_the_root() {
    let files = [
        ("docfx.json", "{ \"build\": { \"content\": [{ \"files\": [\"**.md\"] }] } }"),
        (".openpublishing.publish.config.json", "{}"),
        ("archive/b.md", "# B\n"),
    ];
    let sandbox = site(&files, "a.md", &["archive/b.md", "/archive/other", "archive/gone.md"]);
    let rows = sandbox.check(&["--offline", "."]).rows();
    assert_eq!(rows.verdicts(), ["alive", "local"]);
}

#[test]
fn root_of_html_that_sphinx_does_not_publish_is_unknown() {
    let sandbox = site(
        &[
            ("docs/conf.py", "project = 'T'\nhtml_static_path = ['_static']\n"),
            ("docs/_static/page.html", "<a href=/gone>"),
            ("docs/samples/page.html", "<a href=/quotes/all>"),
        ],
        "docs/a.md",
        &[],
    );
    let rows = sandbox.check(&["--offline", "docs"]).rows();
    assert_eq!(rows.verdicts(), ["local"]);
    assert_eq!(summary(&sandbox)["skipped"]["no-root"], 1);
}

#[test]
fn sphinx_document_without_a_project_may_be_in_another_one_if_configured() {
    for (setting, expected) in [("[]", &["alive"][..]), ("['std:doc']", &["alive", "local"][..])] {
        let config = format!(
            "extensions = ['sphinx.ext.intersphinx']\nintersphinx_disabled_reftypes = {setting}\n"
        );
        let sandbox = site(&[("docs/conf.py", &config)], "docs/other.md", &[]);
        sandbox.write("docs/a.rst", "A\n=\n\n:doc:`other` :doc:`library/re`\n");
        let rows = sandbox.check(&["--offline", "docs"]).rows();
        assert_eq!(rows.verdicts(), expected, "{setting}");
    }
}
