//! Repairs of `relink fix`: archived copies near a date, restored pages, marks of dead links,
//! columns of tables, redirect rules.

use std::process::Command;

use relink_demo::{ArchivedPage, MiniArchive};
use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use super::{PAGE, dead_pages, run_fix, start_server};
use crate::sandbox::Sandbox;
use crate::servers::BackgroundServer;

#[test]
fn copy_nearest_to_the_date_of_the_line_is_written() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let elm = web.url("/old/elm").to_string();
    let captures = [2010, 2014, 2020].map(|year| {
        let text = format!("<title>The elm</title><p>All about elms in {year}, with pictures.</p>");
        ArchivedPage::page(&elm, &format!("{year}0302030405"), &text)
    });
    let captures = captures.to_vec();
    let archive = BackgroundServer::start(async { MiniArchive::start(captures).await.unwrap() });
    let git = |args: &[&str], date: &str| {
        let status = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(args)
            .current_dir(sandbox.path(""))
            .env("GIT_AUTHOR_DATE", date)
            .env("GIT_COMMITTER_DATE", date)
            .status();
        assert!(status.unwrap().success(), "git {args:?}");
    };
    // The first link has the date of its commit, 2015. The second link has the date in its text,
    // 2010.
    let accessed = format!("[elm]({elm}), accessed 2010-05-01.");
    sandbox.write("a.md", &format!("[elm]({elm})\n\n{accessed}\n"));
    git(&["init", "-q"], "");
    git(&["add", "."], "2015-01-01T00:00:00Z");
    git(&["commit", "-q", "-m", "x"], "2015-01-01T00:00:00Z");
    let root = archive.root();
    run_fix(&sandbox, &["a.md", "--revive", "--archive", &root, "--apply"]).exits(0);
    let new = sandbox.read("a.md");
    let lines: Vec<&str> = new.lines().collect();
    assert!(lines[0].contains("/20140302030405/"), "{new}");
    assert!(lines[2].contains("/20100302030405/"), "{new}");
}

#[test]
fn page_that_works_again_replaces_its_archived_copy() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let [page, gone] = ["/new/page", "/gone"].map(|path| web.url(path).to_string());
    let copy = |url: &str| web.url(&format!("/web/20150102030405/{url}")).to_string();
    web.respond_below("/web/", CannedResponse::new(200, PAGE));
    let text = format!("[a]({page}) ([archived copy]({})), [b]({})\n", copy(&page), copy(&gone));
    sandbox.write("a.md", &text);
    let output = run_fix(&sandbox, &["a.md"]).exits(0);
    assert!(output.stderr.contains("the page works again; use `--restore`"), "{}", output.stderr);
    assert!(!output.stderr.contains("/gone"), "{}", output.stderr);
    run_fix(&sandbox, &["a.md", "--restore", "--apply"]).exits(0);
    assert_eq!(sandbox.read("a.md"), format!("[a]({page}), [b]({})\n", copy(&gone)));
}

#[test]
fn dead_link_without_a_copy_is_marked_in_wikitext_only() {
    let (web, sandbox, archive) = dead_pages();
    let root = archive.root();
    let ash = web.url("/old/ash").to_string();
    sandbox.write("page.wiki", &format!("An [{ash} ash].\n"));
    sandbox.write("page.md", &format!("An [ash]({ash}).\n"));
    let args = ["page.wiki", "page.md", "--revive", "--archive", &root, "--apply"];
    run_fix(&sandbox, &args).exits(0);
    let marked = sandbox.read("page.wiki");
    assert!(marked.starts_with(&format!("An [{ash} ash]{{{{dead link|date=")), "{marked}");
    assert!(marked.ends_with("|bot=Relink}}.\n"), "{marked}");
    assert_eq!(sandbox.read("page.md"), format!("An [ash]({ash}).\n"));
    run_fix(&sandbox, &args).exits(0);
    assert_eq!(sandbox.read("page.wiki"), marked);
}

#[test]
fn new_urls_of_a_table_are_written_into_columns() {
    let (web, sandbox, archive) = dead_pages();
    let root = archive.root();
    let [oak, elm] = ["/old/oak", "/old/elm"].map(|path| web.url(path).to_string());
    sandbox.write("links.csv", &format!("name,url\noak,{oak}\nelm,{elm}\nx,-\n"));
    let args = ["links.csv", "--revive", "--archive", &root, "--apply"];
    run_fix(&sandbox, &args).exits(0);
    let table = sandbox.read("links.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "name,url,new_url,archive_url,confidence");
    assert!(lines[1].starts_with(&format!("oak,{oak},{},,", web.url("/trees/oak"))), "{table}");
    assert!(lines[2].starts_with(&format!("elm,{elm},,{root}web/2021")), "{table}");
    assert_eq!(lines[3], "x,-,,,");
    run_fix(&sandbox, &args).exits(0);
    assert_eq!(sandbox.read("links.csv"), table);
}

/// Checks the gaps (contents that an archived copy lacks) of a copy with the text `copy`, compared
/// with the live page `live`.
#[track_caller]
fn check_gaps(copy: &str, live: &str, expect: &[&str]) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let oak = web.url("/old/oak").to_string();
    let page = |text: &str| format!("<title>The oak</title>{text}");
    let captures = vec![
        ArchivedPage::page(&oak, "20140302030405", &page(copy)),
        ArchivedPage::redirect(&oak, "20150102030405", 301, "/trees/oak"),
    ];
    let archive = BackgroundServer::start(async { MiniArchive::start(captures).await.unwrap() });
    web.page("/trees/oak", 200, &page(live));
    sandbox.write("a.md", &format!("[oak]({oak})\n"));
    let root = archive.root();
    let args = ["a.md", "--revive", "--archive", &root, "--format", "json"];
    let report: Value = serde_json::from_str(&run_fix(&sandbox, &args).stdout).unwrap();
    assert_eq!(report["fixes"][0]["cause"], "alias", "{report}");
    // The field is absent if there are no gaps.
    let gaps = report["fixes"][0]["copy_gaps"].as_array().cloned().unwrap_or_default();
    assert_eq!(gaps, expect, "{report}");
}

/// Returns a paragraph with numbered words, such as `oak0 oak1 oak2`.
fn paragraph(word: &str, numbers: impl Iterator<Item = u32>) -> String {
    let words: Vec<String> = numbers.map(|number| format!("{word}{number}")).collect();
    format!("<p>{}</p>", words.join(" "))
}

#[test]
fn report_names_what_the_archived_copy_lacks() {
    check_gaps(
        &paragraph("acorn", 0..60),
        &(paragraph("table", 0..60) + "<form><input type=\"password\"></form>"),
        &[
            "the text has changed since the copy",
            "a login, subscription, comments or search do not work there",
        ],
    );
}

#[test]
fn copy_is_stale_if_the_words_of_the_main_text_have_changed() {
    let stale = "the text has changed since the copy";
    // The same words in another order, 5 % new words, 25 % new words.
    check_gaps(&paragraph("oak", 0..60), &paragraph("oak", (0..60).rev()), &[]);
    check_gaps(&paragraph("oak", 0..60), &paragraph("oak", 3..63), &[]);
    check_gaps(&paragraph("oak", 0..60), &paragraph("oak", 15..75), &[stale]);
    // Menus and footers do not count.
    let menu = |word: &str| {
        let items = (0..40).map(|number| format!("<li><a href=/>{word}{number}</a></li>"));
        format!("<nav><ul>{}</ul></nav>", items.collect::<String>())
    };
    let text = paragraph("oak", 0..60);
    check_gaps(&(menu("home") + &text), &(menu("shop") + &text), &[]);
}

#[test]
fn redirect_map_of_the_own_site_is_written() {
    let (web, sandbox, archive) = dead_pages();
    let (root, site) = (archive.root(), web.url("/").to_string());
    let args = ["a.md", "--revive", "--archive", &root, "--redirect-site", &site];
    for (file, expect) in [
        ("_redirects", "/old/oak /trees/oak 301\n"),
        ("site.conf", "location = \"/old/oak\" { return 301 \"/trees/oak\"; }\n"),
    ] {
        run_fix(&sandbox, &[&args[..], &["--redirect-map", file]].concat()).exits(1);
        assert_eq!(sandbox.read(file), expect);
    }
}

#[test]
fn robust_links_of_live_pages_are_not_reported() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let page = web.url("/new/page").to_string();
    let copy = web.url(&format!("/web/20150102030405/{page}")).to_string();
    web.respond_below("/web/", CannedResponse::new(200, PAGE));
    let text = format!("<a href=\"{page}\" data-versionurl=\"{copy}\">a</a>\n");
    sandbox.write("a.html", &text);
    sandbox.write("a.csv", &format!("url,new_url,archive_url,confidence\n{page},,{copy},\n"));
    let cite = format!("{{{{cite web|url={page}|archive-url={copy}|url-status=usurped}}}}\n");
    sandbox.write("a.wiki", &cite);
    let args = ["a.html", "a.csv", "a.wiki", "--restore", "--apply"];
    let output = run_fix(&sandbox, &args).exits(0);
    assert!(output.stderr.contains("nothing to repair"), "{}", output.stderr);
    assert_eq!(sandbox.read("a.html"), text);
    assert_eq!(sandbox.read("a.wiki"), cite);
}

#[test]
fn mark_of_a_bot_is_removed_if_the_page_works_again() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let page = web.url("/new/page").to_string();
    let text = format!("[{page} a]{{{{dead link|date=May 2026|bot=Relink}}}}.\n");
    let by_person = format!("[{page} a]{{{{dead link|date=May 2026}}}}.\n");
    sandbox.write("a.wiki", &text).write("b.wiki", &by_person);
    run_fix(&sandbox, &["a.wiki", "b.wiki", "--restore", "--apply"]).exits(0);
    assert_eq!(sandbox.read("a.wiki"), format!("[{page} a].\n"));
    assert_eq!(sandbox.read("b.wiki"), by_person);
}

#[test]
fn fragment_of_the_redirect_is_kept() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    web.redirect("/moved", 301, "/new/page#install");
    sandbox.write("a.md", &format!("[a]({})\n", web.url("/moved")));
    run_fix(&sandbox, &["a.md", "--apply"]).exits(0);
    assert_eq!(sandbox.read("a.md"), format!("[a]({}#install)\n", web.url("/new/page")));
}

#[test]
fn copy_is_searched_for_pages_of_a_dead_directory() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let pages: Vec<String> =
        (0..8).map(|number| web.url(&format!("/dead/tree{number}")).to_string()).collect();
    // Only the last page has a copy. The pages before show that the directory is dead.
    let copy = ArchivedPage::page(&pages[7], "20150302030405", PAGE);
    let archive = BackgroundServer::start(async { MiniArchive::start(vec![copy]).await.unwrap() });
    let lines: Vec<String> = pages.iter().map(|page| format!("[{page} tree]\n")).collect();
    sandbox.write("a.wiki", &lines.concat());
    let root = archive.root();
    run_fix(&sandbox, &["a.wiki", "--revive", "--archive", &root, "--apply"]).exits(0);
    let new = sandbox.read("a.wiki");
    let lines: Vec<&str> = new.lines().collect();
    assert!(lines[0].contains("{{dead link"), "{new}");
    assert!(lines[7].contains("/20150302030405/") && !lines[7].contains("{{dead"), "{new}");
}
