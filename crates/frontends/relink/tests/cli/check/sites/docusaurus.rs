//! Sites of Docusaurus.

use super::{check, site, summary};

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
fn docusaurus_plugin_may_send_links_to_the_repository_of_the_documents() {
    let config = |plugin: &str| {
        format!(
            "import links from {plugin};\nexport default {{ presets: [], remarkPlugins: [links] }}"
        )
    };
    let count = |plugin: &str| {
        let sandbox = site(
            &[("docusaurus.config.js", &config(plugin)), ("docs/b.md", "# B\n")],
            "docs/a.md",
            &["b.md", "../DEPS", "gone.md"],
        );
        let summary = summary(&sandbox);
        (summary["verdicts"]["local"].clone(), summary["skipped"]["generated"].clone())
    };
    assert_eq!(count("'./plugins/links.js'"), (1.into(), 1.into()));
    assert_eq!(count("'remark-links'").0, 2);
}

#[test]
fn redirect_of_another_host_does_not_apply_to_the_site() {
    check(
        &[
            ("docusaurus.config.js", "module.exports = { presets: [] }"),
            (
                "netlify.toml",
                "[[redirects]]\nfrom = \"https://old.test/docs/*\"\nto = \"https://new.test/:splat\"\n",
            ),
            ("docs/b.md", "# B\n"),
        ],
        "docs/a.md",
        &["b.md", "/docs/b"],
        &["/docs/gone", "gone.md"],
    );
}
