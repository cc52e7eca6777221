//! Sites of `VitePress`, Astro, Nuxt and Next.js.

use super::{check, site, summary};
use crate::sandbox::Sandbox;

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
    assert_eq!(
        (&summary["verdicts"]["alive"], &summary["verdicts"]["local"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn headings_that_a_plugin_writes_are_not_checked() {
    let sandbox = site(
        &[
            (".vitepress/config.ts", "export default {}"),
            (".vitepress/plugins/types.ts", "return code + `\n## Type Declarations\n`"),
        ],
        "a.md",
        &["#type-declarations", "#gone"],
    );
    let summary = summary(&sandbox);
    assert_eq!(summary["skipped"]["anchor"], 1, "{summary}");
    assert_eq!(summary["verdicts"]["local"], 1, "{summary}");
}

#[test]
fn paths_of_plugins_and_routes_with_parameters_are_not_checked() {
    let config = "export default {\n  integrations: [\n    api([{\n        base: 'api/pets',\n    }]),\n  ],\n}";
    let sandbox = site(
        &[("astro.config.mjs", config), ("src/content/docs/b.md", "# B\n")],
        "src/content/docs/a.md",
        &["/b/", "/api/pets/list/", "/gone/"],
    );
    let found = summary(&sandbox);
    assert_eq!(
        (&found["skipped"]["generated"], &found["verdicts"]["local"]),
        (&1.into(), &1.into())
    );
    let sandbox = site(
        &[
            (
                "next.config.mjs",
                "export default { redirects: [{ source: '/old/:page(b|c)', destination: '/docs/:page' }] }",
            ),
            ("package.json", "{\"dependencies\": {\"nextra\": \"4\"}}"),
            ("app/docs/parts/[name]/page.tsx", ""),
            ("app/docs/b/page.mdx", "# B\n"),
        ],
        "app/docs/a/page.mdx",
        &["/docs/b", "/docs/parts/tabs", "/old/b", "/docs/gone", "/docs/parts/a.png"],
    );
    let found = summary(&sandbox);
    assert_eq!(
        (&found["skipped"]["generated"], &found["verdicts"]["local"]),
        (&1.into(), &2.into())
    );
    assert_eq!(found["verdicts"]["moved"], 1, "{found}");
}
