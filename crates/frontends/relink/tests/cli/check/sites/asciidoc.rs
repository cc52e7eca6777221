//! Sites of Antora, and AsciiDoc without a site.

use super::{check, site, summary};
use crate::sandbox::Sandbox;

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
fn attributes_of_included_files_are_replaced() {
    let sandbox = Sandbox::new();
    sandbox
        .write("_attributes.adoc", ":base: https://docs.test/api\n:api: {base}/v1\n:part: b\n")
        .write("b.adoc", "= B\n");
    let text = "= T\ninclude::_attributes.adoc[]\n\nlink:{api}/x.html[a] xref:{part}.adoc[b] \
                xref:{part}-gone.adoc[c] link:{unknown}/x[d] xref:<name>.adoc[e]\n";
    sandbox.write("a.adoc", text);
    let summary = summary(&sandbox);
    // Hosts that end with `.test` are reserved.
    assert_eq!(summary["skipped"]["reserved"], 1, "{summary}");
    assert_eq!(summary["skipped"]["placeholder"], 2, "{summary}");
    // The included file and `b.adoc`.
    assert_eq!(summary["verdicts"]["alive"], 2, "{summary}");
    assert_eq!(summary["verdicts"]["local"], 1, "{summary}");
}
