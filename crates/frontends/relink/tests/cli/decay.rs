//! `relink decay` on small graphs with a known score: live, crawled and from a file.
//!
//! Decay is the probability that a random walk from a page fails. A walk fails at a dead page,
//! and stops successfully at each live page with probability σ (0.1).

use std::time::Duration;

use relink_testkit::web::{CannedResponse, TestServer};
use serde_json::Value;

use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};

/// Starts a site from lines like `/ a a gone`: a page and its links. A page without
/// a line does not exist.
fn start_site(pages: &str) -> TestServer {
    let web = TestServer::start_blocking();
    for line in pages.lines() {
        let mut names = line.split_whitespace();
        let path = names.next().unwrap_or_default();
        let link = |to: &str| format!("<a href=\"/{to}\">{to}</a> ");
        let links: String = names.map(link).collect();
        let text = format!("The text of {path} is found here and nowhere else. ").repeat(3);
        let body = format!("<title>Page {path}</title><h1>{path}</h1><p>{text}</p>{links}");
        web.page(path, 200, &body);
    }
    web
}

/// Runs `relink decay` without delays.
fn run_decay(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(&[&["decay", "--db", "relink.db"], NO_DELAYS, args].concat())
}

/// Parses the JSON report of a command.
#[track_caller]
fn json(output: &CommandOutput) -> Value {
    serde_json::from_str(&output.stdout).unwrap()
}

/// Asserts the decay of the home page of a site, and returns its JSON row.
#[track_caller]
fn check(pages: &str, args: &[&str], expected: f64) -> Value {
    let web = start_site(pages);
    let url = web.url("/").to_string();
    let output =
        run_decay(&Sandbox::new(), &[&[url.as_str(), "--format", "json"], args].concat()).exits(0);
    let page = json(&output)["page"].clone();
    let decay = page["decay"].as_f64().unwrap();
    assert!((decay - expected).abs() < 1e-6, "{decay} is not {expected}: {page:#}");
    assert_eq!(page["cost"]["requests"], web.requests().len(), "every request is counted");
    page
}

#[test]
fn decay_of_small_graphs_is_exact() {
    // Two of three links are dead: 0.9 × 2/3.
    check("/ gone gone a\n/a\n", &[], 0.6);
    check("/ gone\n", &["--sigma", "0.3"], 0.7);
    check("/ gone\n", &["--definition", "selfloop"], 0.45 / 0.55);
    check("/ a b\n/a\n/b\n", &[], 0.0);
}

#[test]
fn decay_does_not_follow_images_and_styles() {
    let web = TestServer::start_blocking();
    let links = "<link rel=stylesheet href=/gone.css><img src=/gone.png><a href=/gone>a</a>\
                 <map><area href=/a></map>";
    web.page("/", 200, links).page("/a", 200, "<title>A</title>A live page");
    let output = run_decay(&Sandbox::new(), &[web.url("/").as_str(), "--format", "json"]).exits(0);
    let page = &json(&output)["page"];
    assert_eq!(page["own_links"]["links"], 2, "{page:#}");
    assert_eq!(web.hits("/gone.css"), 0);
    assert_eq!(web.hits("/gone.png"), 0);
}

#[test]
fn page_without_dead_links_may_have_high_decay() {
    let page = check("/ a b\n/a gone\n/b gone2\n", &[], 0.81);
    assert_eq!(page["own_links"]["dead"].as_f64(), Some(0.0));
    assert_eq!(page["own_links"]["own_part"].as_f64(), Some(0.0));
}

#[test]
fn human_output_shows_score_parts_dead_ends_and_repairs() {
    let web = start_site("/ gone a b c\n/a gone2\n/b\n/c\n");
    let output = run_decay(&Sandbox::new(), &[web.url("/").as_str(), "--half-width", "0"]).exits(0);
    let site = web.url("");
    let text = output.stdout.replace(site.as_str(), "/");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..6],
        [
            "decay 0.43 (all reachable pages known, σ 0.1)",
            "own links 0.23 (1 of 4 links dead), neighbors 0.20: D = 0.9 × (F 0.25 + 0.75 × 0.30)",
            "dead ends: /gone (53 %), /gone2 (47 %)",
            "fix this link first → 0.20",
            "  −0.23  / → /gone",
            "2 dead pages met, 0 of them soft-404 (0 % of the failed walks)",
        ]
    );
    assert!(lines[6].starts_with("6 pages checked, "), "{text}");
    assert_eq!(output.stderr, "");
}

#[test]
fn listed_and_matching_pages_count_as_dead_without_a_request() {
    let web = start_site("/ a b old/1\n/a\n/b\n/old/1\n");
    let sandbox = Sandbox::new();
    sandbox.write("dead.txt", web.url("/a").as_str());
    let url = web.url("/").to_string();
    let args = [&url, "--dead", "dead.txt", "--fail-match", "*/old/*", "--format", "json"];
    let report = json(&run_decay(&sandbox, &args).exits(0));
    assert!((report["page"]["decay"].as_f64().unwrap() - 0.6).abs() < 1e-6, "{report:#}");
    assert_eq!(report["policy"], "relink");
    assert_eq!(web.hits("/a"), 0);
    assert_eq!(web.hits("/old/1"), 0);
}

#[test]
fn radius_fetches_the_neighborhood() {
    let web = start_site("/ a\n/a b\n/b c\n/c\n");
    let url = web.url("/").to_string();
    let args = [&url, "--radius", "2", "--format", "json"];
    let page = json(&run_decay(&Sandbox::new(), &args).exits(0))["page"].clone();
    assert_eq!(web.hits("/b"), 1);
    assert_eq!(web.hits("/c"), 0);
    assert_eq!(page["decay"].as_f64(), Some(0.0));
    assert_eq!(page["walks"], 0);
    assert!(page["bounds"]["high"].as_f64().unwrap() > 0.7, "{page:#}");
}

#[test]
fn page_that_a_check_found_dead_is_not_requested_again() {
    let web = start_site("/ gone a\n/a\n");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/gone")]);
    sandbox.check(&["urls.txt"]).exits(1);
    let hits_before = web.hits("/gone");
    let url = web.url("/").to_string();
    let page = json(&run_decay(&sandbox, &[&url, "--format", "json"]).exits(0))["page"].clone();
    assert_eq!(web.hits("/gone"), hits_before);
    assert_eq!(page["cost"]["reused"], 1, "{page:#}");
    assert!((page["decay"].as_f64().unwrap() - 0.45).abs() < 1e-6, "{page:#}");
}

/// Returns the lines of a site with link cycles, so that walks are long. Each of its 40 pages links
/// to three others, and every fifth page also links to a dead page.
fn cyclic_site() -> String {
    let line = |page: u32| {
        let targets = [page * 7 + 1, page * 3 + 2, page + 11].map(|target| target % 40);
        let links = targets.map(|target| format!(" p{target}")).concat();
        let dead_link = if page.is_multiple_of(5) { " gone" } else { "" };
        format!("/p{page}{links}{dead_link}\n")
    };
    let lines: String = (0..40).map(line).collect();
    format!("/ p1 p2 p3\n{lines}")
}

#[test]
fn same_seed_gives_the_same_walks() {
    let web = start_site(&cyclic_site());
    let url = web.url("/").to_string();
    let measure = |seed: &str| {
        let args = [url.as_str(), "--walks", "50", "--seed", seed, "--format", "json"];
        let page = json(&run_decay(&Sandbox::new(), &args).exits(0))["page"].clone();
        assert_eq!(page["walks"], 50);
        page
    };
    let first = measure("7");
    assert_eq!(measure("7"), first);
    assert_ne!(measure("8")["decay"], first["decay"]);
}

#[test]
fn exhausted_budget_is_reported_with_a_wide_interval() {
    let web = start_site(&cyclic_site());
    let url = web.url("/").to_string();
    let output = run_decay(&Sandbox::new(), &[&url, "--max-pages", "3"]).exits(0);
    assert!(output.stdout.contains("Stopped at the page limit"), "{}", output.stdout);
    assert!(output.stdout.contains("3 pages checked"), "{}", output.stdout);
    let output =
        run_decay(&Sandbox::new(), &[&url, "--max-pages", "3", "--format", "json"]).exits(0);
    let page = &json(&output)["page"];
    let width =
        |name: &str| page[name]["high"].as_f64().unwrap() - page[name]["low"].as_f64().unwrap();
    assert!(width("interval") > 0.3 && width("bounds") > 0.3, "{page:#}");
}

#[test]
fn dead_page_and_high_score_exit_1() {
    let web = start_site("/ gone a\n/a\n");
    let sandbox = Sandbox::new();
    let output = run_decay(&sandbox, &[web.url("/gone").as_str()]).exits(1);
    assert!(output.stdout.contains("the page itself is dead"), "{}", output.stdout);
    run_decay(&sandbox, &[web.url("/").as_str(), "--fail-above", "0.4"]).exits(1);
    run_decay(&sandbox, &[web.url("/").as_str(), "--fail-above", "0.5"]).exits(0);
}

#[test]
fn unreachable_page_is_inconclusive() {
    let refused = crate::servers::RefusedPort::new();
    run_decay(&Sandbox::new(), &[&refused.url("/")]).fails(3, &["no host responded"]);
}

#[test]
fn failing_page_counts_half_unless_failing_weight_is_set() {
    let pages = "/ busy a\n/a\n";
    for (args, expected) in [(&[][..], 0.225), (&["--failing-weight", "1"][..], 0.45)] {
        let web = start_site(pages);
        web.respond("/busy", CannedResponse::new(500, "no"));
        let url = web.url("/").to_string();
        let args = [&[url.as_str(), "--format", "json"], args].concat();
        let page = json(&run_decay(&Sandbox::new(), &args).exits(0))["page"].clone();
        assert!((page["decay"].as_f64().unwrap() - expected).abs() < 1e-6, "{page:#}");
    }
}

#[test]
fn stored_crawl_is_scored_without_requests() {
    let web = start_site("/ a b gone\n/a gone2 b\n/b\n");
    let sandbox = Sandbox::new();
    let url = web.url("/").to_string();
    let crawl = [&["crawl", &url, "--db", "relink.db", "--render", "never"], NO_DELAYS].concat();
    sandbox.run(&crawl).exits(1);
    let requests_before = web.requests().len();
    let args = ["--crawl", "latest", "--sigma", "0.1,0.5", "--format", "json", "-o", "chart.svg"];
    let report = json(&run_decay(&sandbox, &args).exits(0));
    // The scores for σ = 0.1 and for σ = 0.5.
    let [scores_tenth, scores_half] = [0, 1].map(|index| report["web"]["scores"][index].clone());
    // Page `a` has 0.9 × 1/2 = 0.45. The home page links to `a`, `b` and a dead page:
    // 0.9 × (0.45 + 0 + 1) / 3 = 0.435.
    assert_eq!(scores_tenth["pages"], 3, "{report:#}");
    let home = &scores_tenth["top"][1];
    assert_eq!(home["url"], url.as_str());
    assert!((home["decay"].as_f64().unwrap() - 0.435).abs() < 1e-6, "{report:#}");
    assert!(scores_half["top"][1]["decay"].as_f64() < home["decay"].as_f64());
    assert!(sandbox.read("chart.svg").starts_with("<svg "));
    let output = run_decay(&sandbox, &[&url, "--crawl", "latest"]).exits(0);
    assert!(output.stdout.contains("worse than 33 % of the pages"), "{}", output.stdout);
    assert!(output.stdout.contains("own links 0.30 (1 of 3 links dead)"), "{}", output.stdout);
    assert_eq!(web.requests().len(), requests_before);
    let text = run_decay(&sandbox, &[&url]).exits(0).stdout;
    assert!(text.contains("worse than 33 % of the pages in this crawl"), "{text}");
}

#[test]
fn edge_list_is_scored() {
    let sandbox = Sandbox::new();
    sandbox.write("links.csv", "from,to\na,b\na,b\na,c\nb,d\n").write("dead.txt", "d\n");
    let args = ["--graph", "links.csv", "--dead", "dead.txt", "--format", "json"];
    let report = json(&run_decay(&sandbox, &args).exits(0));
    let top = &report["web"]["scores"][0]["top"];
    assert_eq!(top[0]["url"], "b");
    assert_eq!(top[0]["decay"].as_f64(), Some(0.9));
    assert!((top[1]["decay"].as_f64().unwrap() - 0.54).abs() < 1e-9, "{report:#}");
    assert_eq!(report["web"]["scores"][0]["clean_but_decayed"], 1);
    let output = run_decay(&sandbox, &["--graph", "links.csv", "--dead", "dead.txt"]).exits(0);
    insta::assert_snapshot!(output.stdout);
}

#[test]
fn invalid_decay_arguments_are_rejected() {
    let sandbox = Sandbox::new();
    sandbox.write("one.txt", "a b\nc\n");
    run_decay(&sandbox, &["--graph", "one.txt"]).fails(2, &["line 2: expected two pages"]);
    run_decay(&sandbox, &["--crawl", "7"]).fails(2, &["no crawl has the id 7"]);
    run_decay(&sandbox, &["http://a.test/", "--sigma", "0"]).fails(2, &["`--sigma`"]);
    run_decay(&sandbox, &["http://a.test/", "--sigma", "0.1,0.2"]).fails(2, &["single value"]);
    run_decay(&sandbox, &["http://a.test/", "-o", "x.svg"]).fails(2, &["cannot draw a chart"]);
}

/// A site whose home page links to pages below `/p/` and to `/open`, with `robots` as its
/// `robots.txt`.
fn site_with_robots(robots: &str) -> TestServer {
    let web = start_site("/ p/a p/b open\n/p/a open\n/p/b open\n/open\n");
    let robots = CannedResponse::new(200, robots).with_header("Content-Type", "text/plain");
    web.respond("/robots.txt", robots);
    web
}

/// Returns the requested paths in order.
fn requested_paths(web: &TestServer) -> Vec<String> {
    web.requests().into_iter().map(|request| request.path).collect()
}

#[test]
fn decay_fetches_robots_first_and_obeys_it() {
    let web = site_with_robots("User-agent: *\nDisallow: /p/\n");
    let output = run_decay(&Sandbox::new(), &[web.url("/").as_str(), "--format", "json"]).exits(0);
    let paths = requested_paths(&web);
    assert_eq!(paths[0], "/robots.txt");
    assert_eq!(web.hits("/robots.txt"), 1);
    assert!(!paths.iter().any(|path| path.starts_with("/p/")), "{paths:?}");
    assert_eq!(web.hits("/open"), 1);
    let page = &json(&output)["page"];
    assert_eq!(page["cost"]["blocked"], 2, "{page:#}");
    assert_eq!(page["cost"]["requests"], web.requests().len(), "every request is counted");
}

#[test]
fn decay_of_a_page_that_robots_forbids_exits_3_with_the_reason() {
    let web = site_with_robots("User-agent: *\nDisallow: /\n");
    let output = run_decay(&Sandbox::new(), &[web.url("/").as_str()]);
    output.fails(3, &["robots.txt says `Disallow: /`"]);
    assert_eq!(requested_paths(&web), ["/robots.txt"]);
}

#[test]
fn decay_sends_nothing_after_a_long_retry_after_in_this_and_the_next_run() {
    let web = site_with_robots("");
    let throttled = CannedResponse::new(429, "slow down").with_header("Retry-After", "3600");
    web.respond("/p/a", throttled.clone())
        .respond("/p/b", throttled.clone())
        .respond("/open", throttled);
    let (sandbox, url) = (Sandbox::new(), web.url("/"));
    run_decay(&sandbox, &[url.as_str()]).exits(0);
    let requests = requested_paths(&web);
    // The first throttled request is the last request.
    let is_throttled = |path: &String| ["/p/a", "/p/b", "/open"].contains(&path.as_str());
    assert_eq!(requests.iter().position(is_throttled), Some(requests.len() - 1), "{requests:?}");
    run_decay(&sandbox, &[url.as_str()]).fails(3, &["Retry-After"]);
    assert_eq!(requested_paths(&web), requests);
}

#[test]
fn decay_obeys_a_crawl_delay() {
    let web = site_with_robots("User-agent: *\nCrawl-delay: 0.15\n");
    run_decay(&Sandbox::new(), &[web.url("/").as_str()]).exits(0);
    let requests = web.requests();
    assert!(requests.len() >= 5, "{requests:?}");
    // The first request is for robots.txt. The delay applies between the other requests.
    let elapsed = requests[requests.len() - 1].at - requests[1].at;
    let delays = u32::try_from(requests.len() - 2).unwrap();
    let min_elapsed = Duration::from_millis(150) * delays;
    let tolerance = Duration::from_millis(50);
    assert!(elapsed + tolerance >= min_elapsed, "{requests:?}");
}

#[test]
fn pages_of_a_file_share_fetched_pages_and_their_scores_are_stored() {
    let web = start_site("/a gone gone2\n/b shared\n/c shared\n/shared\n");
    let sandbox = Sandbox::new();
    let list = |paths: &[&str]| {
        let links = paths.iter().map(|path| format!("- [x]({})\n", web.url(path)));
        links.collect::<String>()
    };
    sandbox.write("list.md", &list(&["/a", "/b", "/c", "/dead", "/a"]));
    let args = ["list.md", "--format", "json", "--half-width", "0"];
    let run = |now: &str| {
        let all = [&["decay", "--db", "relink.db"], NO_DELAYS, &args].concat();
        json(&sandbox.run_at(now, &all).exits(0))["list"].clone()
    };
    let first = run("2026-03-01T09:00:00Z");
    let pages = first["pages"].as_array().unwrap();
    assert_eq!(pages.len(), 4, "{first:#}");
    for (page, expected) in pages.iter().zip([1.0, 0.9, 0.0, 0.0]) {
        assert!((page["decay"].as_f64().unwrap() - expected).abs() < 1e-6, "{first:#}");
    }
    assert!((first["mean_decay"].as_f64().unwrap() - 1.9 / 4.0).abs() < 1e-6, "{first:#}");
    assert!((first["mean_dead_share"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-6, "{first:#}");
    assert_eq!(web.hits("/shared"), 1);
    assert_eq!(first["requests"], web.requests().len());

    // One month later, one dead page works again.
    web.page("/gone", 200, "<title>Back</title><p>The page is back again with its text.");
    let second = run("2026-04-01T09:00:00Z");
    assert_eq!(second["history"].as_array().unwrap().len(), 2, "{second:#}");
    assert!(second["mean_decay"].as_f64() < first["mean_decay"].as_f64(), "{second:#}");
}

#[test]
fn live_link_with_a_high_stored_decay_is_at_risk_without_further_requests() {
    let web = start_site("/a gone\n/b\n");
    let sandbox = Sandbox::new();
    sandbox.write_urls("list.txt", [web.url("/a"), web.url("/b")]);
    let rows = sandbox.check(&["list.txt"]).exits(0).rows();
    assert_eq!(rows.verdict(web.url("/a")), "alive");
    sandbox.run(&[&["decay", "--db", "relink.db", "list.txt"], NO_DELAYS].concat()).exits(0);
    let gone_hits = web.hits("/gone");
    let hits = web.hits("/a");
    let args = ["list.txt", "--max-cache-age", "0"];
    let output = sandbox.check(&args).exits(0);
    let rows = output.rows();
    let risky = rows.row(web.url("/a"));
    assert_eq!(risky["verdict"], "at-risk");
    assert_eq!(risky["code"], "RL901");
    assert!(risky["reason"].as_str().unwrap().contains(web.url("/gone").as_str()), "{risky:#}");
    assert_eq!(rows.verdict(web.url("/b")), "alive");
    assert_eq!(web.hits("/gone"), gone_hits);
    assert_eq!(web.hits("/a"), hits + 1);
}

#[test]
fn check_with_decay_measures_the_links_first() {
    let web = start_site("/a gone\n/b\n");
    let sandbox = Sandbox::new();
    sandbox.write_urls("list.txt", [web.url("/a"), web.url("/b")]);
    let rows = sandbox.check(&["list.txt", "--decay"]).exits(0).rows();
    assert_eq!(rows.verdict(web.url("/a")), "at-risk RL901");
    assert_eq!(rows.verdict(web.url("/b")), "alive");
}

#[test]
fn decay_of_a_collection_is_measured_and_unknown_input_rejected() {
    let web = start_site("/a gone\n/b\n");
    let sandbox = Sandbox::new();
    sandbox.write_urls("owls.txt", [web.url("/a"), web.url("/b")]);
    sandbox.run(&["watch", "--db", "relink.db", "add", "owls.txt", "--name", "owls"]).exits(0);
    let output = run_decay(&sandbox, &["owls"]).exits(0);
    assert!(output.stdout.contains("owls: mean decay 0.45, "), "{}", output.stdout);
    run_decay(&sandbox, &["nothing-here"]).fails(2, &["no collection `nothing-here`"]);
}
