//! `relink fix --wiki`: a real MediaWiki, with a proxy that injects failures.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::{Arc, Mutex};

use relink_demo::{ArchivedPage, MiniArchive};
use relink_testkit::mediawiki::{MediaWikiServer, PASSWORD};
use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};
use serde_json::Value;

use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};
use crate::servers::BackgroundServer;

/// Number of moved pages of the linked site.
const TREE_COUNT: usize = 20;

/// A site with moved pages (trees), its archive, and the sandbox in which the bot runs. The wiki
/// links to the old URLs of the trees.
struct BotTest {
    web: TestServer,
    archive: BackgroundServer<MiniArchive>,
    sandbox: Sandbox,
}

impl BotTest {
    /// Starts a site where `/old/tree-N` moved to `/trees/tree-N`, and the archive.
    fn new() -> Self {
        let web = TestServer::start_blocking();
        let mut captures = Vec::new();
        for tree in 0..TREE_COUNT {
            let page =
                format!("<title>Tree {tree}</title><p>All about the tree number {tree}.</p>");
            web.page(&format!("/trees/tree-{tree}"), 200, &page);
            let old = web.url(&format!("/old/tree-{tree}")).to_string();
            let new = format!("/trees/tree-{tree}");
            captures.push(ArchivedPage::redirect(&old, "20150102030405", 301, &new));
        }
        let archive =
            BackgroundServer::start(async { MiniArchive::start(captures).await.unwrap() });
        Self { web, archive, sandbox: Sandbox::new() }
    }

    /// Returns the dead URL of a tree.
    fn old_url(&self, tree: usize) -> String {
        self.web.url(&format!("/old/tree-{tree}")).to_string()
    }

    /// Returns the new URL of a tree.
    fn new_url(&self, tree: usize) -> String {
        self.web.url(&format!("/trees/tree-{tree}")).to_string()
    }

    /// Returns the text that the bot adds after a link to a tree.
    fn added_text(&self, tree: usize) -> String {
        format!(" ([{} new location])", self.new_url(tree))
    }

    /// Runs the bot: `relink fix --wiki API`.
    fn run(&self, api: &str, args: &[&str]) -> CommandOutput {
        let root = self.archive.root();
        let flags = ["--revive", "--archive", &root, "--allow-private", "--wiki-interval", "0"];
        let args = [&["fix", "--wiki", api], NO_DELAYS, &flags[..], args].concat();
        let mut command = self.sandbox.command(&args);
        command.env("RELINK_WIKI_USER", "RelinkBot").env("RELINK_WIKI_PASSWORD", PASSWORD);
        CommandOutput::new(&command.output().unwrap())
    }

    /// Runs the bot and returns its JSON report.
    fn report(&self, api: &str, args: &[&str]) -> Value {
        let output = self.run(api, &[args, &["--format", "json"]].concat());
        serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }
}

/// Returns the text of the wiki page `index`, and the number of the tree in its link.
fn page_text(test: &BotTest, index: usize) -> (String, usize) {
    let tree = index % TREE_COUNT;
    let url = test.old_url(tree);
    let link = match index % 4 {
        0 => format!("A [{url} tree]."),
        1 => format!("A<ref>{{{{cite web|url={url}|title=Tree {tree}}}}}</ref>."),
        2 => format!("A bare URL {url} in a sentence."),
        _ => format!("* [{url}]\n<nowiki>[{url} x]</nowiki> <!-- [{url} y] --> {{{{a|b}}}}"),
    };
    (format!("== Page {index} ==\nÄ text & more.\n\n{link}\n\n[[Other page]]"), tree)
}

#[test]
fn two_hundred_pages_are_repaired_once_and_only_their_links_change() {
    let test = BotTest::new();
    let texts: BTreeMap<String, (String, usize)> =
        (0..200).map(|index| (format!("Page {index}"), page_text(&test, index))).collect();
    let pages: Vec<(String, String)> =
        texts.iter().map(|(title, (text, _))| (title.clone(), text.clone())).collect();
    let wiki = MediaWikiServer::start(&pages);

    let dry_run = test.run(&wiki.api(), &[]).exits(1);
    assert_eq!(dry_run.stdout.matches("new location])").count(), 200, "{}", dry_run.stderr);
    assert_eq!(wiki.text("Page 7"), texts["Page 7"].0);

    let report = test.report(&wiki.api(), &["--apply"]);
    let edits = report["wiki_edits"].as_array().unwrap();
    assert_eq!(edits.len(), 200, "{report}");
    assert!(edits.iter().all(|edit| edit["revision"].is_u64()), "{report}");
    for (title, (text, tree)) in &texts {
        let new = wiki.text(title);
        let added = test.added_text(*tree);
        assert_eq!(new.matches(&added).count(), 1, "{title}: {new}");
        assert_eq!(new.replacen(&added, "", 1), *text, "{title}");
    }
    let flags = wiki.sql("select rc_bot, count(*) as n from recentchanges where rc_bot = 1");
    assert!(flags.contains("[n] => 200"), "{flags}");
    let comments = wiki.sql("select comment_text from comment where comment_text like 'Repair%'");
    assert!(comments.contains("RL101") && comments.contains("/trees/tree-3"), "{comments}");

    let second = test.report(&wiki.api(), &["--apply"]);
    assert_eq!(second["applied"], false, "{second}");
    assert_eq!(second["wiki_edits"], Value::Null, "{second}");
    assert_eq!(second["fixes"][0]["reason"], "the new URL is already linked next to it");
}

/// A failure that the proxy injects into the next edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Injection {
    /// The edit is forwarded unchanged.
    None,
    /// The wiki is overloaded and requests a pause.
    MaxLag,
    /// The wiki limits the rate of edits.
    RateLimited,
    /// The edit token is replaced by an invalid one.
    BadToken,
    /// The session cookie is removed.
    LoggedOut,
    /// Another user edits the page before the edit arrives.
    Conflict,
    /// The edit is saved, and its response is lost.
    LostResponse,
}

/// Starts a proxy in front of a wiki. The injections, each with the title of a page, apply to the
/// edits in order.
fn start_proxy(
    wiki: &Arc<MediaWikiServer>,
    injections: Vec<(&'static str, Injection)>,
) -> TestServer {
    let proxy = TestServer::start_blocking();
    let wiki = Arc::clone(wiki);
    let injections = Mutex::new(injections.into_iter());
    proxy.respond_below_with("/", move |request| {
        let mut request = request.clone();
        let is_edit = String::from_utf8_lossy(&request.body).contains("action=edit");
        let injection = if is_edit { injections.lock().unwrap().next() } else { None };
        match injection.unwrap_or(("", Injection::None)) {
            (_, Injection::MaxLag) => api_error("maxlag"),
            (_, Injection::RateLimited) => api_error("ratelimited"),
            (_, Injection::BadToken) => {
                let body = String::from_utf8(request.body.clone()).unwrap();
                let (before, _) = body.split_once("token=").unwrap();
                request.body = format!("{before}token=bad%2B%5C").into_bytes();
                forward(&wiki, &request)
            }
            (_, Injection::LoggedOut) => {
                request.headers.retain(|(name, _)| name != "cookie");
                forward(&wiki, &request)
            }
            (title, Injection::Conflict) => {
                wiki.edit("Editor", title, "A person wrote another text.");
                forward(&wiki, &request)
            }
            (_, Injection::LostResponse) => {
                forward(&wiki, &request);
                CannedResponse::new(502, "lost")
            }
            (_, Injection::None) => forward(&wiki, &request),
        }
    });
    proxy
}

/// Creates an error response of the wiki.
fn api_error(code: &str) -> CannedResponse {
    let body = format!("{{\"error\": {{\"code\": \"{code}\", \"info\": \"injected\"}}}}");
    CannedResponse::new(200, body)
        .with_header("Content-Type", "application/json")
        .with_header("Retry-After", "0")
}

/// Sends a request to the wiki and returns its response.
fn forward(wiki: &MediaWikiServer, request: &RecordedRequest) -> CannedResponse {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, wiki.port())).unwrap();
    let mut head = format!("{} {} HTTP/1.0\r\n", request.method, request.path);
    for (name, value) in &request.headers {
        // The proxy writes these headers itself.
        if name != "content-length" && name != "connection" {
            head.extend([name, ": ", value, "\r\n"]);
        }
    }
    head.extend(["content-length: ", &request.body.len().to_string(), "\r\n\r\n"]);
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&request.body).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut response = CannedResponse::new(status, &bytes[end + 4..]);
    for (name, value) in head.lines().skip(1).filter_map(|line| line.split_once(": ")) {
        let is_passed = ["content-type", "content-encoding", "set-cookie", "retry-after"]
            .contains(&name.to_ascii_lowercase().as_str());
        if is_passed {
            response = response.with_header(name, value);
        }
    }
    response
}

#[test]
fn failed_edits_are_repeated_or_reported() {
    let test = BotTest::new();
    let names = ["A lag", "B rate", "C token", "D login", "E conflict", "F lost", "G protected"];
    let names = [&names[..], &["H excluded", "I parameter"]].concat();
    let mut pages: Vec<(String, String)> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let wikitext = match *name {
            "H excluded" => format!("{{{{nobots}}}} [{} tree]", test.old_url(index)),
            "I parameter" => format!("{{{{unknown|url={}}}}}", test.old_url(index)),
            _ => format!("A [{} tree].", test.old_url(index)),
        };
        pages.push(((*name).to_owned(), wikitext));
    }
    let wiki = Arc::new(MediaWikiServer::start(&pages));
    wiki.protect("G protected");
    let injections = vec![
        ("A lag", Injection::MaxLag),
        ("A lag", Injection::MaxLag),
        ("A lag", Injection::None),
        ("B rate", Injection::RateLimited),
        ("B rate", Injection::None),
        ("C token", Injection::BadToken),
        ("C token", Injection::None),
        ("D login", Injection::LoggedOut),
        ("D login", Injection::None),
        ("E conflict", Injection::Conflict),
        ("F lost", Injection::LostResponse),
    ];
    let proxy = start_proxy(&wiki, injections);
    let api = proxy.url("/api.php").to_string();
    let report = test.report(&api, &["--apply"]);
    let edits = report["wiki_edits"].as_array().unwrap();
    let saved_edits = edits.iter().filter(|edit| edit["revision"].is_u64());
    let saved: Vec<&str> = saved_edits.map(|edit| edit["title"].as_str().unwrap()).collect();
    assert_eq!(saved, ["A lag", "B rate", "C token", "D login", "F lost"], "{report}");
    for (index, name) in names.iter().enumerate().filter(|(_, name)| saved.contains(name)) {
        assert!(wiki.text(name).contains(&test.added_text(index)), "{name}");
    }
    assert_eq!(wiki.text("E conflict"), "A person wrote another text.");
    for name in ["G protected", "H excluded", "I parameter"] {
        let (_, original) = pages.iter().find(|(title, _)| title == name).unwrap();
        assert_eq!(wiki.text(name), *original);
    }
    let reason = |title: &str| {
        let fixes = report["fixes"].as_array().unwrap();
        let fix = fixes.iter().find(|fix| fix["path"] == title).unwrap();
        fix["reason"].as_str().unwrap().to_owned()
    };
    assert!(reason("E conflict").contains("another user edited"), "{report}");
    assert!(reason("G protected").contains("protectedpage"), "{report}");
    assert!(reason("H excluded").contains("nobots"), "{report}");
    // The link was found in the parameter of a template that does not exist.
    assert!(reason("I parameter").contains("cannot be written here"), "{report}");
    let revisions = wiki.sql(
        "select count(*) as n from revision where rev_actor in \
                              (select actor_id from actor where actor_name = 'RelinkBot')",
    );
    assert!(revisions.contains("[n] => 5"), "{revisions}");
}

#[test]
fn reverted_repair_is_not_repeated_and_the_stop_page_stops() {
    let test = BotTest::new();
    let page = |tree: usize| format!("A [{} tree].", test.old_url(tree));
    let pages = [("A".to_owned(), page(0)), ("B".to_owned(), page(1))];
    let wiki = MediaWikiServer::start(&pages);
    test.run(&wiki.api(), &["--apply", "--max-edits", "1"]).exits(0);
    assert!(wiki.text("A").contains(&test.added_text(0)));
    assert_eq!(wiki.text("B"), page(1));

    wiki.edit("Editor", "A", &page(0));
    wiki.edit("Editor", "User:RelinkBot/stop", "Please stop.");
    let stopped = test.run(&wiki.api(), &["--apply"]).exits(0);
    assert!(stopped.stderr.contains("`User:RelinkBot/stop` stops the bot"), "{}", stopped.stderr);
    assert_eq!(wiki.text("B"), page(1));

    wiki.edit("Editor", "User:RelinkBot/stop", "run");
    test.run(&wiki.api(), &["--apply"]).exits(0);
    assert_eq!(wiki.text("A"), page(0));
    assert!(wiki.text("B").contains(&test.added_text(1)));
}

#[test]
fn reviewed_list_selects_the_repairs_to_write() {
    let test = BotTest::new();
    let pages: Vec<(String, String)> = (0..4)
        .map(|tree| (format!("P{tree}"), format!("A [{} Tree {tree}].", test.old_url(tree))))
        .collect();
    let wiki = MediaWikiServer::start(&pages);
    test.run(&wiki.api(), &["--review-list", "list.wiki", "--review-per-domain", "3"]).exits(0);
    let table = test.sandbox.read("list.wiki");
    assert_eq!(table.matches("\n|-\n").count(), 3, "{table}");
    assert!(table.contains("<nowiki>Tree "), "{table}");
    assert_eq!(wiki.text("P0"), pages[0].1);

    let mut decisions = ["correct", "incorrect", "unsure"].into_iter();
    let lines = table.lines().map(|line| match line.strip_suffix("|| ") {
        Some(row) => format!("{row}|| {} ~~~~\n", decisions.next().unwrap()),
        None => format!("{line}\n"),
    });
    test.sandbox.write("results.wiki", &lines.collect::<String>());
    let args = ["--review-results", "results.wiki", "--apply"];
    let output = test.run(&wiki.api(), &args).exits(0);
    let expected = "1 correct, 1 incorrect, 1 unsure: precision 33-67 %";
    assert!(output.stderr.contains(expected), "{}", output.stderr);
    let edited = pages.iter().filter(|(title, text)| wiki.text(title) != *text).count();
    assert_eq!(edited, 1);
}

#[test]
fn login_is_never_printed() {
    let test = BotTest::new();
    let wiki = MediaWikiServer::start(&[("A".to_owned(), format!("[{} a]", test.old_url(0)))]);
    for args in [&["--apply", "-v"][..], &["--format", "json"]] {
        let output = test.run(&wiki.api(), args);
        assert!(!format!("{output:?}").contains(PASSWORD), "{output:?}");
    }
    let mut command = test.sandbox.command(&["fix", "--wiki", &wiki.api(), "--apply"]);
    command.env("RELINK_WIKI_USER", "RelinkBot").env("RELINK_WIKI_PASSWORD", "wrong-secret");
    let output = CommandOutput::new(&command.output().unwrap()).exits(2);
    assert!(output.stderr.contains("cannot log in"), "{}", output.stderr);
    assert!(!output.stderr.contains("wrong-secret"), "{}", output.stderr);
    let output = test.sandbox.run(&["fix", "--wiki", &wiki.api(), "--apply"]).exits(2);
    assert!(output.stderr.contains("without a login"), "{}", output.stderr);
}
