//! Links of sites: paths that a site generator publishes, redirects and included files.
//!
//! The tests write the files of a site, and a document with links that work or are broken
//! on the published site. Broken links have the verdict `local`.

use serde_json::Value;

use crate::sandbox::Sandbox;

/// Writes the files of a site (paths and texts), and the document `document` with these links.
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

/// Checks a document of a site. Asserts that the links `working` are alive, and that the links
/// `broken` are findings.
#[track_caller]
pub(super) fn check(files: &[(&str, &str)], document: &str, working: &[&str], broken: &[&str]) {
    let sandbox = site(files, document, &[working, broken].concat());
    let output = sandbox.check(&["--offline", "."]);
    let rows = output.rows();
    let expected_working = working.iter().map(|link| (link, "alive"));
    let expected_broken = broken.iter().map(|link| (link, "local"));
    // Several links to one file are one row. The row of a link is therefore found by the line
    // of the link: the first link is on line 7, and the others follow on every second line.
    let lines = (7..).step_by(2);
    for (line, (link, verdict)) in lines.zip(expected_working.chain(expected_broken)) {
        let is_link = |location: &Value| location["path"] == document && location["line"] == line;
        let has_link = |row: &&Value| row["locations"].as_array().unwrap().iter().any(is_link);
        let row = rows.results.iter().find(has_link);
        assert!(row.is_some(), "`{link}` is not checked");
        assert_eq!(row.unwrap()["verdict"], verdict, "{link}: {}", row.unwrap());
    }
}

#[test]
fn docusaurus_publishes_docs_posts_pages_and_files() {
    check(
        &[
            ("web/docusaurus.config.js", "module.exports = { baseUrl: '/project/', presets: [] }"),
            ("web/docs/01-start.md", "# Start\n\n## Next step\n"),
            ("web/docs/guides/own.md", "---\nslug: /renamed\n---\n# Own\n"),
            ("web/versioned_docs/version-1.0/old.md", "# Old\n"),
            ("web/blog/2024-01-02-hello.md", "# Hello\n"),
            ("web/src/pages/help.js", ""),
            ("web/src/pages/team.mdx", "# Team\n"),
            ("web/static/img/logo.svg", ""),
            ("web/docs/_part.mdx", "## Shared\n"),
            ("web/docs/whole.mdx", "import Part from './_part.mdx';\n\n# Whole\n\n<Part />\n"),
        ],
        "web/docs/guides/a.md",
        &[
            "/docs/start",
            "/docs/start#next-step",
            "/project/docs/start",
            "/docs/renamed",
            "/docs/1.0/old",
            "/blog/2024/01/02/hello",
            "/team",
            "/img/logo.svg",
            "../start",
            "01-start.md",
            "@site/static/img/logo.svg",
            "/docs/whole#shared",
        ],
        &["/docs/gone", "/docs/start#gone", "../gone", "@site/static/gone.svg", "/docs/whole#gone"],
    );
}

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
fn sphinx_resolves_labels_of_all_documents() {
    check(
        &[
            ("doc/conf.py", "project = 'T'\nextensions = ['myst_parser']\n"),
            ("doc/other.md", "(my-label)=\n# Other\n"),
            ("doc/third.rst", ".. _rst-label:\n\nThird\n=====\n"),
            ("doc/img/a.png", ""),
        ],
        "doc/a.md",
        &["other.md", "#my-label", "my-label", "#rst-label", "/img/a.png", "third.html"],
        &["gone.md", "#no-label", "/img/gone.png"],
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
fn vitepress_publishes_clean_paths_and_public_files() {
    check(
        &[
            ("docs/.vitepress/config.mts", "export default { base: '/b/' }"),
            ("docs/guide/start.md", "# Start {#begin}\n\n<!--@include: ../part.md-->\n"),
            ("docs/part.md", "## Shared\n"),
            ("docs/public/a.svg", ""),
        ],
        "docs/guide/a.md",
        &["/guide/start", "/b/guide/start.html", "./start", "/a.svg", "/guide/start#shared"],
        &["/guide/gone", "./gone", "/gone.svg", "/guide/start#gone"],
    );
}

#[test]
fn starlight_publishes_slugs_and_fallback_languages() {
    check(
        &[
            ("astro.config.mjs", "import starlight from '@astrojs/starlight';\n"),
            (
                "src/content/docs/guides/Set Up.mdx",
                "<Tabs>\n```sh\na\n\nb\n```\n</Tabs>\n\n## After tabs\n",
            ),
            ("src/content/docs/own.md", "---\nslug: renamed\n---\n# Own\n"),
            ("src/pages/about.astro", ""),
            ("public/a.svg", ""),
        ],
        "src/content/docs/a.md",
        &[
            "/guides/set-up/",
            "/fr/guides/set-up/",
            "/guides/set-up/#after-tabs",
            "/renamed/",
            "/about",
            "/a.svg",
        ],
        &["/guides/gone/", "/guides/set-up/#gone", "/gone.svg"],
    );
}

#[test]
fn docfx_resolves_the_root_includes_and_tabs() {
    check(
        &[
            ("docs/docfx.json", "{ \"build\": { \"content\": [{ \"files\": [\"**.md\"] }] } }"),
            ("docs/guide/start.md", "# Start\n\n[!INCLUDE [x](../includes/part.md)]\n"),
            ("docs/includes/part.md", "## Shared\n"),
            ("docs/index.yml", "title: T\n"),
        ],
        "docs/guide/a.md",
        &["~/guide/start.md", "/guide/start", "start.md#shared", "~/index.yml"],
        &["~/guide/gone.md", "start.md#gone"],
    );
}

#[test]
fn nuxt_and_next_drop_numbers_and_groups() {
    check(
        &[
            ("nuxt.config.ts", "export default {}"),
            ("content/1.guide/2.start.md", "# Start\n"),
            ("public/a.svg", ""),
        ],
        "content/index.md",
        &["/guide/start", "/a.svg"],
        &["/guide/gone", "/gone.svg"],
    );
    check(
        &[("next.config.mjs", "export default {}"), ("pages/docs/start.mdx", "# Start\n")],
        "pages/index.mdx",
        &["/docs/start"],
        &["/docs/gone"],
    );
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
fn docusaurus_translation_falls_back_to_the_default_language() {
    check(
        &[
            ("docusaurus.config.js", "module.exports = { baseUrl: '/', presets: [] }"),
            ("docs/guide/start.md", "# Start\n"),
            ("versioned_docs/version-1/old.md", "# Old\n"),
            ("i18n/fr/docusaurus-plugin-content-docs/current/guide/other.md", "# Autre\n"),
        ],
        "i18n/fr/docusaurus-plugin-content-docs/current/guide/a.md",
        &["/guide/start.md", "./start.md", "start.md#start", "/guide/other.md"],
        &["/guide/gone.md", "./gone.md", "/old.md"],
    );
}

#[test]
fn open_publishing_path_of_the_breadcrumbs_is_the_base() {
    check(
        &[
            (
                "docs/docfx.json",
                "{ \"build\": { \"content\": [{ \"files\": [\"**.md\"] }], \
                 \"globalMetadata\": { \"breadcrumb_path\": \"/tool/breadcrumb/toc.json\" } } }",
            ),
            (".openpublishing.publish.config.json", "{}"),
            ("docs/azure/start.md", "# Start\n"),
            ("docs/media/a.png", ""),
        ],
        "docs/a.md",
        &["/tool/azure/start", r"media\a.png"],
        &["/tool/azure/gone", r"media\gone.png"],
    );
}

#[test]
fn antora_alias_is_a_resource_id() {
    check(
        &[
            ("antora.yml", "name: t\nversion: '1'\n"),
            ("modules/ROOT/pages/new.adoc", "= New\n:page-aliases: old.adoc\n\n== Part\n"),
        ],
        "modules/ROOT/pages/a.md",
        &["new.adoc", "old.adoc", "old.adoc#part"],
        &["gone.adoc", "old.adoc#gone"],
    );
}

#[test]
fn antora_alias_names_its_module() {
    let sandbox = Sandbox::new();
    sandbox.write("antora.yml", "name: t\nversion: '1'\n");
    sandbox.write("modules/ops/pages/run.adoc", "= Run\n:page-aliases: ROOT:exec.adoc\n");
    let text = "= A\n\nxref:ROOT:exec.adoc[a] xref:ops:run.adoc[b] xref:ops:exec.adoc[c]\n";
    sandbox.write("modules/ROOT/pages/a.adoc", text);
    let summary = summary(&sandbox);
    // The alias and the name of the page are one file, so they are one target.
    assert_eq!(summary["verdicts"]["alive"], 1, "{summary}");
    assert_eq!(summary["verdicts"]["local"], 1, "{summary}");
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
fn component_that_renders_a_document_may_have_any_anchor() {
    let files = [
        ("astro.config.mjs", "import starlight from '@astrojs/starlight';\n"),
        ("src/components/Table.astro", "---\nconst a = readFile();\n---\n<div set:html={a} />\n"),
        ("src/components/Box.astro", "<div id=\"box\"><slot /></div>\n"),
        (
            "src/content/docs/a.mdx",
            "import Table from '~/components/Table.astro';\n\n## Own part\n\n<Table />\n",
        ),
        (
            "src/content/docs/b.mdx",
            "import Box from '~/components/Box.astro';\n\n## B\n\n<Box>c</Box>\n",
        ),
    ];
    let sandbox = site(&files, "src/content/docs/own.md", &["/a/#x", "/a/#own-part-x", "/b/#x"]);
    let summary = summary(&sandbox);
    assert_eq!(summary["skipped"]["anchor"], 1, "{summary}");
    assert_eq!(summary["verdicts"]["local"], 2, "{summary}");
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
fn asciidoc_images_are_in_the_directory_of_an_included_attribute() {
    let sandbox = Sandbox::new();
    sandbox.write("_attributes.adoc", ":toc:\n:imagesdir: ./images\n");
    sandbox.write("images/a.png", "");
    let text = "= T\ninclude::_attributes.adoc[]\n\nimage::a.png[]\n\nimage::gone.png[]\n\n\
                [[part.one]]\n== One\n\n<<part.one>> <<part.two,two>>\n";
    sandbox.write("a.adoc", text);
    let summary = summary(&sandbox);
    assert_eq!(summary["verdicts"]["alive"], 3, "{summary}");
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
fn docusaurus_settings_may_be_json_and_sidebars_define_pages() {
    check(
        &[
            (
                "docusaurus.config.ts",
                "export default { \"baseUrl\": \"/\", \"presets\": [[\"classic\", { \"docs\": { \
                 \"path\": \"./docs\", \"routeBasePath\": \"/\" }, \"blog\": { \"path\": \"news\" } }]], \
                 plugins: [['@docusaurus/plugin-content-docs', { id: 'api', path: './api-docs', \
                 routeBasePath: 'reference' }]] };",
            ),
            ("sidebars.js", "[{ link: { type: 'generated-index', slug: '/guides' } }]"),
            ("docs/start.md", "# Start\n"),
            ("api-docs/call.md", "# Call\n"),
            ("news/2024-01-02-hello.md", "# Hello\n"),
            ("i18n/fr/docusaurus-plugin-content-docs-api/current/appel.md", "# Appel\n"),
        ],
        "news/2024-02-03-own.md",
        &["/start", "/reference/call", "/fr/reference/appel", "/blog/2024/01/02/hello"],
        &["/gone", "/reference/start", "/guides2"],
    );
}

#[test]
fn mdx_imports_are_unescaped_and_components_may_build_paths() {
    let sandbox = Sandbox::new();
    let page = "import Part from './\\_part.mdx';\n\n# Own\n\n<Part />\n\n[a](#shared)\n\n\
                A <Demo src=\"usage/demo.html\">b</Demo> <Demo src=\"./gone.html\">c</Demo>\n\n\
                <Card href=\"/docs/gone\">d</Card>\n";
    sandbox
        .write("docusaurus.config.js", "module.exports = { baseUrl: '/', presets: [] }")
        .write("docs/_part.mdx", "## Shared\n")
        .write("docs/a.mdx", page);
    let rows = sandbox.check(&["--offline", "docs/a.mdx"]).rows();
    assert_eq!(rows.verdicts(), ["alive", "alive", "local", "local"]);
    let summary = summary(&sandbox);
    assert_eq!(summary["skipped"]["page-name"], 1, "{summary}");
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
fn jupyter_book_has_labels_of_documents_and_notebooks() {
    let notebook = r##"{"cells":[{"cell_type":"markdown","source":["(cell-label)=\n","# N\n"]},
        {"cell_type":"code","source":["#| label: fig:plot\n","plot()\n"]}]}"##;
    check(
        &[
            ("book/_config.yml", "title: T\n"),
            ("book/_toc.yml", "root: intro\n"),
            ("book/intro.md", "# Intro\n\n(topic/part)=\n## Part\n\n$$ (eq:one)\n"),
            ("book/plot.ipynb", notebook),
        ],
        "book/guide/a.md",
        &["topic/part", "cell-label", "#fig:plot", "#eq:one", "/intro.md"],
        &["topic/gone", "/gone.md", "#fig:gone"],
    );
}

#[test]
fn open_publishing_names_its_redirect_maps() {
    let sandbox = Sandbox::new();
    sandbox
        .write(".git/HEAD", "")
        .write("docs/docfx.json", r#"{ "build": { "content": [{ "src": "book", "dest": "b" }] } }"#)
        .write(
            ".openpublishing.publish.config.json",
            r#"{ "redirection_files": ["maps/.openpublishing.redirection.old.json"] }"#,
        )
        .write(
            "maps/.openpublishing.redirection.old.json",
            r#"{ "redirections": [
                { "source_path": "../docs/book/old.md", "redirect_url": "/b/new" },
                { "source_path_from_root": "/docs/book/older.md", "redirect_url": "/b/new" }] }"#,
        )
        .write("docs/book/new.md", "# New\n")
        .write("docs/book/a.md", "[a](./old.md)\n\n[b](older.md)\n\n[c](gone.md)\n");
    let rows = sandbox.check(&["--offline", "docs"]).rows();
    assert_eq!(rows.verdicts(), ["local", "moved", "moved"]);
}

#[test]
fn antora_attributes_of_the_component_are_replaced() {
    let sandbox = site(
        &[
            (
                "antora.yml",
                "name: server\nversion: '1'\nasciidoc:\n  attributes:\n    latest: '1@'\n    \
                 dir: parts\n",
            ),
            ("modules/ROOT/pages/start.adoc", "= Start\n\ninclude::{dir}/part.adoc[]\n"),
            ("modules/ROOT/pages/parts/part.adoc", "== Shared part\n"),
        ],
        "notes.md",
        &[],
    );
    let page = "= T\n:own: start\n\n[#shared-parts]\nxref:{latest}@server::start.adoc[a] xref:{own}.adoc#shared-part[b]\n\
                xref:{dir}/gone.adoc[c] xref:start.adoc#gone[d] xref:{unknown}.adoc[e] xref:shared-{dir}[f]\n";
    sandbox.write("modules/ROOT/pages/a.adoc", page);
    let rows = sandbox.check(&["--offline", "modules"]).rows();
    assert_eq!(rows.verdicts(), ["alive", "alive", "alive", "alive", "local", "local"]);
}

#[test]
fn sphinx_documents_may_be_text_files() {
    let sandbox = Sandbox::new();
    sandbox
        .write("docs/conf.py", "project = 'T'\nsource_suffix = {\".txt\": \"restructuredtext\"}\n")
        .write("docs/topics/db.txt", ".. _db-label:\n\nDatabases\n=========\n")
        .write(
            "docs/index.txt",
            ":doc:`/topics/db` :ref:`Data<db-label>` :doc:`/topics/gone` :ref:`no-label`\n",
        );
    let rows = sandbox.check(&["--offline", "docs"]).rows();
    assert_eq!(rows.verdicts(), ["alive", "alive", "local", "local"]);
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
fn routes_that_code_decides_are_not_checked() {
    let files = [
        ("next.config.ts", ""),
        ("package.json", "{}"),
        ("src/app/docs/[...slug]/page.tsx", ""),
        ("src/app/(site)/blog/[year]/page.tsx", ""),
        ("src/app/about/page.mdx", "# About\n"),
    ];
    let links = ["/docs/any/page", "/blog/2024/any", "/about", "/gone"];
    let sandbox = site(&files, "src/app/help/page.mdx", &links);
    let summary = summary(&sandbox);
    assert_eq!(summary["skipped"]["generated"], 2, "{summary}");
    assert_eq!(summary["verdicts"]["alive"], 1);
    assert_eq!(summary["verdicts"]["local"], 1);
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
    let row = |link: &str| rows.results.iter().find(|row| row["url"] == link).unwrap();
    for (link, target) in [("/a/", "new.md"), ("/older/", "/new"), ("/old/x", "/new/")] {
        assert_eq!(row(link)["verdict"], "moved", "{link}");
        assert_eq!(row(link)["reason"], format!("redirects to `{target}`"), "{link}");
    }
    assert_eq!(row("/lost")["verdict"], "local");
    assert_eq!(row("/old/x#gone")["verdict"], "local");
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
