//! Sites of docfx and Open Publishing.

use super::check;
use crate::sandbox::Sandbox;

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
