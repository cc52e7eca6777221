//! `relink fix --crawl`: source files, rewritten copies and lists.

use serde_json::Value;

use super::{dead_pages, run_fix};
use crate::sandbox::NO_DELAYS;

#[test]
fn links_of_a_crawled_site_are_repaired_in_sources_copies_and_lists() {
    let (web, sandbox, archive) = dead_pages();
    let [oak, new] = ["/old/oak", "/trees/oak"].map(|path| web.url(path).to_string());
    // One page writes the scheme of the URL in upper case.
    let upper_case_url = oak.replace("http://", "HTTP://");
    let site = web.url_at("site.test", "/").to_string();
    let host = web.host("site.test");
    host.page(
        "/",
        200,
        "<title>Home</title><p><a href=\"/guide/\">guide</a> <a href=\"/cms\">c</a></p>",
    );
    host.page(
        "/guide/",
        200,
        &format!("<title>Guide</title><p>See <a href=\"{oak}\">oak</a>.</p>"),
    );
    host.page(
        "/cms",
        200,
        &format!("<title>CMS</title><p>An <A HREF='{upper_case_url}'>oak</A>!</p>\n"),
    );
    sandbox.write("docs/guide/index.md", &format!("# Guide\n\nSee [oak]({oak}).\n"));
    let resolve = format!("site.test:{}:127.0.0.1", web.port());
    let network = ["--resolve", &resolve, "--allow-private", "--db", "relink.db"];
    sandbox.run(&[&["crawl", &site], &network[..], NO_DELAYS].concat());

    let root = archive.root();
    let args = ["--crawl", "--map", "/=docs", "--revive", "--archive", &root, "--apply"];
    let outputs = ["--html-copies", "copies", "--site-list", "list.json"];
    let output = run_fix(&sandbox, &[&args[..], &outputs, &network].concat()).exits(0);
    let repaired = format!("# Guide\n\nSee [oak]({oak}) ([new location]({new})).\n");
    assert_eq!(sandbox.read("docs/guide/index.md"), repaired, "{}", output.stderr);
    let copy = sandbox.read("copies/site.test/cms.html");
    let link = format!("<A HREF='{upper_case_url}'>oak</A> (<a href=\"{new}\">new location</a>)!");
    assert!(copy.contains(&link), "{copy}");
    let list: Value = serde_json::from_str(&sandbox.read("list.json")).unwrap();
    assert_eq!(list["fixes"].as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list["fixes"][0]["selector"], format!("a[href=\"{upper_case_url}\"]"), "{list}");
    assert_eq!(list["fixes"][0]["dead_link"], upper_case_url, "{list}");
    assert_eq!(list["fixes"][0]["new_url"], new, "{list}");
}
