//! `relink fix`: the diff is grouped by cause.

use std::process::Command;

use serde_json::Value;

use super::{dead_pages, run_fix};

#[test]
fn diff_is_grouped_by_cause_and_git_applies_it() {
    let (web, sandbox, archive) = dead_pages();
    web.redirect("/moved", 301, "/trees/oak");
    let [oak, elm, moved] =
        ["/old/oak", "/old/elm", "/moved"].map(|path| web.url(path).to_string());
    // All causes are on neighboring lines, and twice on one line.
    let text = format!(
        "[m]({moved})\n[oak]({oak}) and [m]({moved})\n[elm]({elm})\n\ntext\n[oak]({oak})\n"
    );
    sandbox.write("docs/a.md", &text);
    sandbox.write("docs/b c.rst", &format!("`m <{moved}>`_\n"));
    let root = archive.root();
    let db = ["--db", "relink.db"];
    let args = [&["docs", "--revive", "--archive", &root, "-o", "x.patch"][..], &db].concat();
    let output = run_fix(&sandbox, &args).exits(1);
    let patch = sandbox.read("x.patch");
    assert_eq!(output.stdout, patch);
    let headings: Vec<&str> = patch.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        headings,
        [
            "# Permanent redirects: 3 links in 2 files",
            "# New locations of dead pages: 2 links in 1 file",
            "# Archived copies of dead pages: 1 link in 1 file",
            "# Original URLs of replaced links",
        ]
    );
    // The part with new locations does not change the redirected link.
    let new_locations = patch.split("# New locations").nth(1).unwrap();
    assert!(!new_locations.split("# Archived").next().unwrap().contains("\n-[m]"), "{patch}");

    let git = |args: &[&str]| {
        let status = Command::new("git").args(args).current_dir(sandbox.path("")).status();
        assert!(status.unwrap().success(), "git {args:?}: {patch}");
    };
    git(&["init", "-q"]);
    git(&["apply", "x.patch"]);
    let patched = ["docs/a.md", "docs/b c.rst"].map(|name| sandbox.read(name));
    git(&["apply", "--reverse", "x.patch"]);
    assert_eq!(sandbox.read("docs/a.md"), text);
    let args = [&["docs", "--apply", "--format", "json"][..], &db].concat();
    let output = run_fix(&sandbox, &args).exits(0);
    assert_eq!(patched, ["docs/a.md", "docs/b c.rst"].map(|name| sandbox.read(name)));
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(
        report["causes"],
        serde_json::json!([
            {"cause": "redirect", "links": 3, "files": 2},
            {"cause": "alias", "links": 2, "files": 1},
            {"cause": "archived-copy", "links": 1, "files": 1},
        ])
    );
}

#[test]
fn dead_links_without_a_new_url_are_counted() {
    let (web, sandbox, archive) = dead_pages();
    let ash = web.url("/old/ash").to_string();
    sandbox.write("b.md", &format!("[ash]({ash}), [ash]({ash})\n"));
    let output = run_fix(&sandbox, &["b.md"]).exits(0);
    let line = "not repaired: 2 dead links (not searched for; use `--revive`)";
    assert!(output.stderr.contains(line), "{}", output.stderr);
    let root = archive.root();
    let args = ["b.md", "--revive", "--archive", &root];
    let output = run_fix(&sandbox, &args).exits(0);
    let line = "not repaired: 2 dead links (neither a new URL nor an archived copy was found)";
    assert!(output.stderr.contains(line), "{}", output.stderr);
    let output = run_fix(&sandbox, &[&args[..], &["--format", "json"]].concat()).exits(0);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["fixes"][1]["cause"], "not-found", "{report}");
    assert_eq!(report["fixes"][1]["status"], "rejected", "{report}");
}

#[test]
fn template_with_one_parameter_per_line_gets_further_lines() {
    let (web, sandbox, archive) = dead_pages();
    let elm = web.url("/old/elm");
    let text = format!("A\n{{{{cite web\n | url = {elm}\n | title = Elm\n}}}}\nb\nc\nd\ne\n");
    sandbox.write("a.wiki", &text);
    let root = archive.root();
    let args = ["a.wiki", "--revive", "--archive", &root, "-o", "x.patch"];
    run_fix(&sandbox, &args).exits(1);
    let git = |args: &[&str]| {
        let status = Command::new("git").args(args).current_dir(sandbox.path("")).status();
        assert!(status.unwrap().success(), "git {args:?}: {}", sandbox.read("x.patch"));
    };
    git(&["init", "-q"]);
    git(&["apply", "x.patch"]);
    let parameters = format!(
        " | title = Elm\n | archive-url = {root}web/20210302030405/{elm}\n | archive-date = \
         2021-03-02\n | url-status = dead\n}}}}"
    );
    assert_eq!(sandbox.read("a.wiki"), text.replace(" | title = Elm\n}}", &parameters));
}
