//! Soft-404s: missing pages that are served with a success status. Relink detects soft-404s by
//! comparison with a control: a URL with a random name, which is requested only for comparison.

use std::collections::BTreeMap;
use std::time::Duration;

use relink_testkit::proxy::ForwardProxy;
use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::sandbox::{CommandOutput, Rows, Sandbox};

/// Returns a page of 104 words that start with `subject`, such as `oakaa` and `oakab`. Each
/// subject has a distinct text.
fn article(subject: &str) -> String {
    let mut words = Vec::new();
    for first in 'a'..='z' {
        for second in 'a'..='d' {
            words.push(format!("{subject}{first}{second}"));
        }
    }
    page(&format!("All about the {subject}"), &words.join(" "))
}

/// Returns a page.
fn page(title: &str, text: &str) -> String {
    format!("<!doctype html><title>{title}</title><h1>{title}</h1><p>{text}</p>")
}

/// Returns the error page of the site, which has status 200.
fn error_page() -> CannedResponse {
    CannedResponse::new(
        200,
        page("Library", "Sorry, there is nothing on this shelf. Try another one."),
    )
}

/// Starts a site with two real pages below `/shelf/`. All other URLs below `/shelf/` return an
/// error page with status 200. Writes a list of the paths in [`LISTED_PATHS`].
fn library() -> (TestServer, Sandbox) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/shelf/oak", 200, &article("oak")).page("/shelf/elm", 200, &article("elm"));
    web.respond_below("/shelf/", error_page());
    let urls = ["/shelf/oak", "/shelf/elm", "/shelf/lost"].map(|path| web.url(path));
    sandbox.write_urls("urls.txt", urls);
    (web, sandbox)
}

/// Returns the requested paths that are not in the list: those of controls.
fn control_paths(web: &TestServer, listed: &[&str]) -> Vec<String> {
    let paths = web.requests().into_iter().map(|request| request.path);
    paths.filter(|path| !listed.contains(&path.as_str())).collect()
}

/// The paths in the list of [`library`].
const LISTED_PATHS: [&str; 3] = ["/shelf/oak", "/shelf/elm", "/shelf/lost"];

#[test]
fn page_equal_to_the_response_of_a_random_name_is_a_soft_404() {
    let (web, sandbox) = library();
    let rows = sandbox.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/shelf/lost")), "soft-404 RL301");
    assert_eq!(rows.verdict(web.url("/shelf/oak")), "alive");
    assert_eq!(rows.verdict(web.url("/shelf/elm")), "alive");
}

#[test]
fn evidence_has_the_comparison_and_the_confidence() {
    let (web, sandbox) = library();
    let rows = sandbox.check(&["urls.txt"]).exits(1).rows();
    let row = rows.row(web.url("/shelf/lost"));
    let confidence = row["confidence"].as_f64().unwrap();
    assert!(confidence > 0.5 && confidence < 1.0, "{confidence}");
    let evidence = row["evidence"].as_array().unwrap();
    let comparisons: Vec<&Value> =
        evidence.iter().filter(|item| item["kind"] == "comparison").collect();
    assert_eq!(comparisons.len(), 1, "{row}");
    let control = control_paths(&web, &LISTED_PATHS)[0].clone();
    assert_eq!(comparisons[0]["with"], "random-name");
    assert_eq!(comparisons[0]["url"], web.url(&control).as_str());
    assert_eq!(comparisons[0]["status"], 200);
    assert!(comparisons[0]["resemblance"].as_f64().unwrap() > 0.9, "{row}");
}

#[test]
fn report_shows_the_comparison_and_the_number_of_soft_404s() {
    let (_web, sandbox) = library();
    let report = sandbox.check_human(&["urls.txt"]).exits(1).stdout;
    for expected in ["RL301 soft-404", "compared with", "confidence 0.", "1 of 1 missing page"] {
        assert!(report.contains(expected), "no `{expected}` in:\n{report}");
    }
}

#[test]
fn pages_of_one_directory_need_one_control() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let names: Vec<String> = ('a'..='z').map(|letter| letter.to_string().repeat(3)).collect();
    let paths: Vec<String> = names.iter().map(|name| format!("/shelf/{name}")).collect();
    for (path, name) in paths.iter().zip(&names) {
        web.page(path, 200, &article(name));
    }
    sandbox.write_urls("urls.txt", paths.iter().map(|path| web.url(path)));
    sandbox.check(&["urls.txt"]).exits(0);
    let listed: Vec<&str> = paths.iter().map(String::as_str).collect();
    assert_eq!(control_paths(&web, &listed).len(), 1);
    assert_eq!(web.requests().len(), paths.len() + 1);
}

#[test]
fn host_table_counts_control_requests_separately() {
    let (web, sandbox) = library();
    let report = sandbox.check_human(&["urls.txt", "--verbose"]).exits(1).stdout;
    // The header of the table, and the row of the only host.
    let table: Vec<&str> = report.lines().skip_while(|line| !line.contains("control")).collect();
    let cells: Vec<&str> = table.get(1).unwrap().split_whitespace().collect();
    let controls = control_paths(&web, &LISTED_PATHS).len();
    let requests = web.requests().len();
    assert_eq!(cells[1..3], [requests.to_string(), controls.to_string()], "{report}");
}

#[test]
fn controls_of_a_directory_are_cached_for_later_runs() {
    let (web, sandbox) = library();
    sandbox.check_at("2026-11-02T09:00:00Z", &["urls.txt"]).exits(1);
    let count_before = control_paths(&web, &LISTED_PATHS).len();
    assert!(count_before > 0);
    let rows = sandbox.check_at("2026-11-04T09:00:00Z", &["urls.txt"]).exits(1).rows();
    assert_eq!(control_paths(&web, &LISTED_PATHS).len(), count_before);
    assert_eq!(web.hits("/shelf/oak"), 2);
    assert_eq!(web.hits("/shelf/lost"), 2);
    assert_eq!(rows.verdict(web.url("/shelf/lost")), "soft-404 RL301");
}

#[test]
fn expired_controls_are_requested_again() {
    let (web, sandbox) = library();
    sandbox.check_at("2026-11-02T09:00:00Z", &["urls.txt"]).exits(1);
    let first_run = control_paths(&web, &LISTED_PATHS);
    sandbox.check_at("2027-01-02T09:00:00Z", &["urls.txt"]).exits(1);
    let both_runs = control_paths(&web, &LISTED_PATHS);
    assert_eq!(both_runs.len(), 2 * first_run.len());
    assert_ne!(both_runs[first_run.len()], first_run[0], "a random name is new in each run");
}

#[test]
fn without_cache_the_control_is_requested_again() {
    let (web, sandbox) = library();
    sandbox.check_at("2026-11-02T09:00:00Z", &["urls.txt"]).exits(1);
    let count_before = control_paths(&web, &LISTED_PATHS).len();
    sandbox.check_at("2026-11-02T10:00:00Z", &["urls.txt", "--max-cache-age", "0s"]).exits(1);
    assert!(control_paths(&web, &LISTED_PATHS).len() > count_before);
}

#[test]
fn home_page_served_for_everything_is_alive_at_its_own_url() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let home = article("home");
    web.page("/", 200, &home).respond_below("/", CannedResponse::new(200, home));
    sandbox.write_urls("urls.txt", ["/", "/lost"].map(|path| web.url(path)));
    let rows = sandbox.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/")), "alive");
    assert_eq!(rows.verdict(web.url("/lost")), "soft-404 RL301");
}

#[test]
fn redirects_to_the_home_page_are_reported_as_such() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/", 200, &article("home"))
        .respond_below("/shelf/", CannedResponse::redirect(302, "/"));
    web.page("/shelf/oak", 200, &article("oak"));
    sandbox.write_urls("urls.txt", ["/", "/shelf/oak", "/shelf/lost"].map(|path| web.url(path)));
    let rows = sandbox.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/shelf/lost")), "soft-404 RL203");
    assert_eq!(rows.verdict(web.url("/shelf/oak")), "alive");
    assert_eq!(rows.verdict(web.url("/")), "alive");
}

/// Checks a page about gardens, and checks it again one month later, when the page is about
/// betting. Returns the rows of the second check.
fn hijacked_page() -> (TestServer, Sandbox, Rows) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/", 200, &article("rose"));
    sandbox.write_urls("urls.txt", [web.url("/")]);
    let first = sandbox.check_at("2026-10-02T09:00:00Z", &["urls.txt"]).exits(0).rows();
    assert_eq!(first.verdict(web.url("/")), "alive");
    let betting = "Casino bonus, best odds, slots, roulette, poker and a jackpot every day";
    web.page("/", 200, &page("Online casino and betting", betting));
    let rows = sandbox.check_at("2026-11-02T09:00:00Z", &["urls.txt"]).exits(1).rows();
    (web, sandbox, rows)
}

/// Starts a site that redirects the pages of [`REMOVED_PAGES`] to one URL. It also redirects the
/// pages of [`OTHER_REDIRECTS`]: a page that moved out of a removed section, two pages that are
/// redirected to one URL by chance, and two URLs of one page that moved.
fn site_with_redirects() -> (TestServer, Sandbox) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    for page in ["/hub", "/trees/yew", "/hours", "/manual"] {
        web.page(page, 200, &article(&page.replace('/', "")));
    }
    for path in REMOVED_PAGES {
        web.redirect(path, 302, "/hub");
    }
    web.redirect("/old/yew", 302, "/trees/yew");
    web.redirect("/now/today", 302, "/hours").redirect("/now/opening", 301, "/hours");
    web.redirect("/docs/guide", 301, "/manual").redirect("/docs/guide?lang=de", 301, "/manual");
    (web, sandbox)
}

/// Pages of removed sections, all redirected to `/hub`.
const REMOVED_PAGES: [&str; 5] = ["/old/oak", "/old/elm", "/old/ash", "/notes/fir/", "/notes/box/"];
/// Pages with a redirect of their own, and their verdicts.
const OTHER_REDIRECTS: [(&str, &str); 5] = [
    ("/old/yew", "alive"),
    ("/now/today", "alive"),
    ("/now/opening", "moved RL201"),
    ("/docs/guide", "moved RL201"),
    ("/docs/guide?lang=de", "moved RL201"),
];

#[test]
fn pages_redirected_to_one_url_get_the_same_verdict_in_any_order() {
    let (web, sandbox) = site_with_redirects();
    let mut paths: Vec<&str> =
        REMOVED_PAGES.into_iter().chain(OTHER_REDIRECTS.map(|(path, _)| path)).collect();
    for _ in 0..paths.len() {
        // Each round checks the pages in another order.
        paths.rotate_left(3);
        sandbox.write_urls("urls.txt", paths.iter().map(|path| web.url(path)));
        let sequential = ["--host-concurrency", "1", "--max-cache-age", "0", "urls.txt"];
        let rows = sandbox.check(&sequential).exits(1).rows();
        for path in REMOVED_PAGES {
            assert_eq!(rows.verdict(web.url(path)), "soft-404 RL301", "{path} of {paths:?}");
        }
        for (path, verdict) in OTHER_REDIRECTS {
            assert_eq!(rows.verdict(web.url(path)), verdict, "{path} of {paths:?}");
        }
        let hops = rows.row(web.url("/old/oak"))["hops"].as_array().map(Vec::len);
        assert_eq!(hops, Some(2), "hops of pages that are judged last");
    }
}

#[test]
fn page_with_a_new_owner_is_hijacked() {
    let (web, _sandbox, rows) = hijacked_page();
    assert_eq!(rows.verdict(web.url("/")), "hijacked RL302");
    let evidence = rows.row(web.url("/"))["evidence"].to_string();
    assert!(evidence.contains("All about the rose"), "{evidence}");
}

#[test]
fn hijacked_page_stays_hijacked_in_the_next_run() {
    let (web, sandbox, _) = hijacked_page();
    let rows = sandbox.check_at("2026-12-02T09:00:00Z", &["urls.txt"]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/")), "hijacked RL302");
}

#[test]
fn soft_404_detection_works_through_a_proxy() {
    let (web, sandbox) = library();
    let proxy = ForwardProxy::start_blocking();
    // Only the proxy can resolve this name.
    let urls = ["/shelf/oak", "/shelf/lost"].map(|path| web.url_at("library.test", path));
    sandbox.write_urls("urls.txt", &urls);
    let proxy_url = format!("http://{}", proxy.address());
    let rows = sandbox.check(&["urls.txt", "--proxy", &proxy_url]).exits(1).rows();
    assert_eq!(rows.verdict(&urls[0]), "alive");
    assert_eq!(rows.verdict(&urls[1]), "soft-404 RL301");
    assert_eq!(proxy.requests().len(), web.requests().len());
}

#[test]
fn invalid_proxy_is_rejected_with_a_hint() {
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", ["http://library.test/"]);
    for proxy in ["socks4://127.0.0.1:1080", "ftp://127.0.0.1:1", "nonsense", ""] {
        let output = sandbox.check(&["urls.txt", "--proxy", proxy]).exits(2);
        assert_eq!(output.stdout, "");
        assert!(output.stderr.contains("--proxy"), "{}", output.stderr);
        assert!(output.stderr.contains("http://"), "no hint for `{proxy}`: {}", output.stderr);
    }
}

#[test]
fn unreachable_proxy_is_inconclusive() {
    let (_web, sandbox) = library();
    let refused = crate::servers::RefusedPort::new().url("");
    let output = sandbox.check(&["urls.txt", "--proxy", &refused]);
    assert!(output.exit_code > 1, "{output:?}");
    assert!(!output.stdout.contains("dead"), "{}", output.stdout);
}

/// Runs `relink explain`.
fn explain(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(&[&["explain", "--db", "relink.db"], args].concat())
}

#[test]
fn explain_url_shows_requests_comparison_reason_and_history() {
    let (web, sandbox) = library();
    for day in ["02", "04", "06"] {
        sandbox.check_at(&format!("2026-11-{day}T09:00:00Z"), &["urls.txt"]).exits(1);
    }
    let text = explain(&sandbox, &[web.url("/shelf/lost").as_str()]).exits(0).stdout;
    let control = control_paths(&web, &LISTED_PATHS)[0].clone();
    for expected in
        ["soft-404", "RL301", "GET /shelf/lost", "200", "Library", &control, "history", "permanent"]
    {
        assert!(text.contains(expected), "no `{expected}` in:\n{text}");
    }
}

#[test]
fn explain_url_has_json_output() {
    let (web, sandbox) = library();
    sandbox.check_at("2026-11-02T09:00:00Z", &["urls.txt"]).exits(1);
    let url = web.url("/shelf/lost");
    let output = explain(&sandbox, &[url.as_str(), "--format", "json"]).exits(0);
    let row: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(row["url"], url.as_str());
    assert_eq!(row["latest"]["verdict"], "soft-404");
    assert_eq!(row["probes"][0]["status"], 200);
    assert_eq!(row["history"][0]["verdict"], "soft-404");
    let kinds: Vec<&Value> =
        row["controls"].as_array().unwrap().iter().map(|control| &control["kind"]).collect();
    assert!(kinds.contains(&&"random-name".into()), "{row}");
}

#[test]
fn explain_of_an_unchecked_page_gives_a_hint() {
    let (web, sandbox) = library();
    let unknown = web.url("/unknown");
    explain(&sandbox, &[unknown.as_str()]).fails(2, &["relink check"]);
    sandbox.check(&["urls.txt"]).exits(1);
    explain(&sandbox, &[unknown.as_str()]).fails(2, &["relink check"]);
    assert_eq!(web.hits("/unknown"), 0);
}

/// Returns the verdict of each page.
fn verdicts(rows: &Rows) -> BTreeMap<String, String> {
    rows.urls().into_iter().map(|url| (url.clone(), rows.verdict(&url))).collect()
}

#[test]
fn resumed_run_after_a_kill_gives_the_same_verdicts() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let mut urls = Vec::new();
    for shelf in ["ash", "beech", "cedar", "fir"] {
        web.respond_below(&format!("/{shelf}/"), error_page());
        for book in ["one", "two", "three", "four"] {
            let path = format!("/{shelf}/{book}");
            // The pages `one` and `two` do not exist.
            if book.len() > 3 {
                let slow =
                    CannedResponse::new(200, article(book)).with_delay(Duration::from_millis(20));
                web.respond(&path, slow);
            }
            urls.push(web.url(&path));
        }
    }
    sandbox.write_urls("urls.txt", &urls);
    let uninterrupted = Sandbox::new();
    uninterrupted.write_urls("urls.txt", &urls);
    let expected = verdicts(&uninterrupted.check(&["urls.txt"]).exits(1).rows());
    assert_eq!(expected.values().filter(|verdict| *verdict == "soft-404 RL301").count(), 8);

    let mut running = sandbox.spawn_check(&["--host-concurrency", "2", "urls.txt"]);
    running.next_row();
    running.kill();
    let resumed = sandbox.check(&["--host-concurrency", "2", "urls.txt"]).exits(1).rows();
    assert_eq!(verdicts(&resumed), expected);
}

#[test]
fn healthy_site_needs_few_controls() {
    let size = xtask::bench::ControlsSize { pages: 60, directories: 3 };
    let relink = std::path::Path::new(env!("CARGO_BIN_EXE_relink"));
    let outcome = xtask::bench::count_requests(relink, size).unwrap();
    assert!(outcome.is_correct() && outcome.is_frugal(), "{outcome}");
}

/// Returns a script, style or image of a site.
fn asset(kind: &str, body: &str) -> CannedResponse {
    CannedResponse::new(200, body).with_header("Content-Type", kind)
}

#[test]
fn resources_with_version_queries_are_alive() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.respond("/wp/a.js", asset("application/javascript", "var a = 1;"))
        .respond("/wp/a.css", asset("text/css", "body { color: #111 }"))
        .respond("/img/logo.svg", asset("image/svg+xml", "<svg xmlns='x'/>"))
        .respond("/fonts/a.woff2", CannedResponse::new(200, vec![b'w', 0, 1, 2, 3, 255]))
        .respond("/w/load.php", asset("text/css; charset=utf-8", ".a{}"))
        .respond("/w/script.php", asset("text/javascript; charset=utf-8", "var b;"));
    let paths = [
        "/wp/a.js?ver=6.1",
        "/wp/a.css?ver=6.1",
        "/img/logo.svg?v=3",
        "/fonts/a.woff2?v=4.7.0",
        "/w/load.php?lang=en&modules=site.styles&only=styles&skin=vector",
        "/w/script.php?modules=startup&only=scripts&raw=1",
    ];
    sandbox.write_urls("urls.txt", paths.map(|path| web.url(path)));
    let rows = sandbox.check(&["urls.txt"]).exits(0).rows();
    for path in paths {
        assert_eq!(rows.verdict(web.url(path)), "alive", "{path}");
    }
    let requests = web.requests().into_iter().filter(|request| request.path.contains('?')).count();
    assert_eq!(requests, paths.len(), "no control with another query");
}

#[test]
fn missing_image_with_an_error_page_is_a_soft_404() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.respond_below("/img/", error_page());
    web.respond("/img/there.png", asset("image/png", "\u{1}png"));
    sandbox.write_urls(
        "urls.txt",
        ["/img/gone.png?v=3", "/img/there.png?v=3"].map(|path| web.url(path)),
    );
    let rows = sandbox.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(rows.verdict(web.url("/img/gone.png?v=3")), "soft-404 RL301");
    assert_eq!(rows.verdict(web.url("/img/there.png?v=3")), "alive");
}

/// Checks the list of [`library`] with a policy.
fn check_with_policy(policy: &str, format: &str) -> CommandOutput {
    let (web, sandbox) = library();
    let output = sandbox.run(&[
        "check",
        "--db",
        "relink.db",
        "--host-interval",
        "0",
        "--policy",
        policy,
        "--format",
        format,
        "urls.txt",
    ]);
    drop(web);
    output
}

#[test]
fn policy_selects_the_rules_of_a_paper() {
    // FABLE recognizes a soft-404 only by its redirect.
    let by_fable = check_with_policy("fable", "json").exits(0);
    let report: Value = serde_json::from_str(&by_fable.stdout).unwrap();
    assert_eq!(report["policy"], "fable");
    assert!(report["summary"]["notices"][0].as_str().unwrap().contains("`fable`"), "{report}");
    let by_paper = check_with_policy("sic-transit", "human").exits(1).stdout;
    assert!(by_paper.contains("policy `sic-transit`"), "{by_paper}");
    let by_relink: Value =
        serde_json::from_str(&check_with_policy("relink", "json").exits(1).stdout).unwrap();
    assert_eq!(by_relink["policy"], "relink");
    assert_eq!(by_relink["summary"].get("notices"), None);
    assert!(check_with_policy("guess", "json").exits(2).stderr.contains("sic-transit"));
}

#[test]
fn no_controls_flag_limits_requests_to_the_listed_pages() {
    let (web, sandbox) = library();
    let output = sandbox.check_human(&["--no-controls", "urls.txt"]).exits(0);
    assert!(control_paths(&web, &LISTED_PATHS).is_empty());
    assert!(output.stdout.contains("no controls were requested"), "{}", output.stdout);
    let (web, sandbox) = library();
    let rows = sandbox.check(&["--no-controls", "urls.txt"]).exits(0).rows();
    let reason = rows.row(web.url("/shelf/lost"))["reason"].to_string();
    assert!(reason.contains("not compared"), "{reason}");
}
