//! Secrets appear in no output and in no file that Relink writes.
//!
//! Each test plants canaries (texts that start with `CANARY`) wherever a secret can occur, and
//! then searches stdout, stderr and every file except the inputs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Output;

use relink_testkit::proxy::ForwardProxy;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::sandbox::{NO_DELAYS, Sandbox};
use crate::sitemap_xml::{urlset, xml};

/// Prefix of every planted secret.
const CANARY: &str = "CANARY";

/// Bytes of context shown around a canary.
const CONTEXT: usize = 60;

/// A project whose inputs contain secrets, and all output so far.
struct LeakDetector {
    sandbox: Sandbox,
    /// Files that may contain secrets.
    inputs: HashSet<PathBuf>,
    /// Arguments and output of each command.
    printed: Vec<(String, Output)>,
}

impl LeakDetector {
    /// Creates an empty project.
    fn new() -> Self {
        Self { sandbox: Sandbox::new(), inputs: HashSet::new(), printed: Vec::new() }
    }

    /// Writes an input, which may contain secrets.
    fn write_input(&mut self, name: &str, text: &str) {
        self.sandbox.write(name, text);
        self.inputs.insert(self.sandbox.path(name).canonicalize().unwrap());
    }

    /// Runs `relink` with the database of the project. Returns the exit code.
    fn run(&mut self, args: &[&str]) -> i32 {
        self.run_with_variables(args, &[])
    }

    /// Like [`Self::run`], with environment variables.
    fn run_with_variables(&mut self, args: &[&str], variables: &[(&str, &str)]) -> i32 {
        let mut command = self.sandbox.command(args);
        command.envs(variables.iter().copied()).env("RELINK_DB", "relink.db");
        let output = command.output().unwrap();
        let exit_code = output.status.code().unwrap_or(-1);
        self.printed.push((args.join(" "), output));
        exit_code
    }

    /// Fails if a canary was printed or written.
    #[track_caller]
    fn assert_no_leaks(&self) {
        let leaks = [self.printed_leaks(), self.written_leaks()].concat();
        assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
    }

    /// Returns the canaries in the output of all commands.
    fn printed_leaks(&self) -> Vec<String> {
        let mut leaks = Vec::new();
        for (command, output) in &self.printed {
            leaks.extend(find_leak(&format!("stdout of {command}"), &output.stdout));
            leaks.extend(find_leak(&format!("stderr of {command}"), &output.stderr));
        }
        leaks
    }

    /// Returns the canaries in all files except the inputs.
    fn written_leaks(&self) -> Vec<String> {
        let mut files = Vec::new();
        let dir = self.sandbox.path("").canonicalize().unwrap();
        all_files(dir.parent().unwrap(), &mut files);
        let mut leaks = Vec::new();
        for file in files.iter().filter(|file| !self.inputs.contains(*file)) {
            leaks.extend(find_leak(&file.display().to_string(), &std::fs::read(file).unwrap()));
        }
        leaks
    }
}

/// Returns the first canary in the bytes, with the text around it. `name` is the source of the
/// bytes.
fn find_leak(name: &str, bytes: &[u8]) -> Option<String> {
    let start = bytes.windows(CANARY.len()).position(|window| window == CANARY.as_bytes())?;
    let context = &bytes[start.saturating_sub(CONTEXT)..(start + CONTEXT).min(bytes.len())];
    Some(format!("{name}: …{}…", String::from_utf8_lossy(context)))
}

/// Collects all files below a directory.
fn all_files(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all_files(&path, files) } else { files.push(path) }
    }
}

/// Returns spellings of a URL with a password. URL parsers accept most of them; the others are
/// malformed.
fn password_urls(web: &TestServer) -> Vec<String> {
    let host = format!("127.0.0.1:{}", web.port());
    vec![
        format!("http://u:CANARY-plain@{host}/ok"),
        format!("http://u:CANARY-gone@{host}/gone"),
        format!("HTTP:u:CANARY-noslash@{host}/ok"),
        format!("hTTp:/u:CANARY-oneslash@{host}/lost1"),
        format!("http:\\\\u:CANARY-backslash@{host}/lost2"),
        format!("http:////u:CANARY-slashes@{host}/lost3"),
        format!("//u:CANARY-relative@{host}/lost4"),
        format!("http://CANARY-name@{host}/lost5"),
        format!("http://u:CANARY-%40-encoded%3A@{host}/lost6"),
        format!("http://u:CANARY-a@CANARY-b@{host}/lost7"),
        format!("ftp://u:CANARY-ftp@{host}/"),
        format!("ssh://u:CANARY-ssh@{host}/"),
        "http://u:CANARY-bracket@[bad/".to_owned(),
        "http://u:CANARY-port@127.0.0.1:99999/".to_owned(),
        "http://u:CANARY-pass/word@127.0.0.1/".to_owned(),
        "htp://u:CANARY-typo@127.0.0.1/".to_owned(),
    ]
}

/// Starts a server whose pages, redirects, robots.txt and sitemap contain passwords.
fn leaky_site() -> TestServer {
    let web = TestServer::start_blocking();
    let host = format!("127.0.0.1:{}", web.port());
    let links = concat_urls(&password_urls(&web), &|url| format!("<a href=\"{url}\">x</a>"));
    let text = format!("see http://u:CANARY-text@{host}/ and HTTP:u:CANARY-prose@{host}/");
    let head = format!("<title>http://u:CANARY-title@{host}/</title><h1>//u:CANARY-h1@{host}</h1>");
    let page = format!("{head}<p>{text}</p>{links}<a href='/moved'>m</a><a href='/refresh'>r</a>");
    let with_cookie =
        |response: CannedResponse| response.with_header("Set-Cookie", "sid=CANARY-cookie");
    web.respond("/", with_cookie(CannedResponse::new(200, page)));
    web.page("/ok", 200, "<title>ok</title><p>fine</p>");
    let location = format!("http://u:CANARY-location@{host}/lost8");
    web.respond("/moved", with_cookie(CannedResponse::redirect(302, &location)));
    let refresh =
        format!("<meta http-equiv=refresh content=\"0;url=http:u:CANARY-refresh@{host}/lost9\">");
    web.page("/refresh", 200, &refresh);
    let robots =
        format!("User-agent: *\nDisallow: /x\nSitemap: HTTP://u:CANARY-robots@{host}/map.xml\n");
    web.respond(
        "/robots.txt",
        CannedResponse::new(200, robots).with_header("Content-Type", "text/plain"),
    );
    web.respond("/map.xml", xml(urlset(&[format!("http://u:CANARY-map@{host}/lost10")])));
    web
}

/// Formats each URL and concatenates the results.
fn concat_urls(urls: &[String], format_url: &dyn Fn(&str) -> String) -> String {
    let texts: Vec<String> = urls.iter().map(|url| format_url(url)).collect();
    texts.concat()
}

/// Writes a document with the URLs of [`password_urls`] in every supported format.
fn write_documents(detector: &mut LeakDetector, web: &TestServer) {
    let urls = password_urls(web);
    let text_of = |format_url: &dyn Fn(&str) -> String| concat_urls(&urls, format_url);
    detector.write_input("a.md", &text_of(&|url| format!("[x]({url}) <{url}> {url}\n\n")));
    detector.write_input("a.html", &text_of(&|url| format!("<a href='{url}'>x</a> {url}\n")));
    detector.write_input("a.rst", &text_of(&|url| format!("`x <{url}>`_ and {url}\n\n")));
    detector.write_input("a.adoc", &text_of(&|url| format!("{url}[x] link:{url}[y]\n\n")));
    detector.write_input("a.wiki", &text_of(&|url| format!("[{url} x]\n\n")));
    detector.write_input("a.css", &text_of(&|url| format!("a {{ background: url(\"{url}\") }}\n")));
    detector.write_input("a.txt", &text_of(&|url| format!("{url}\n")));
    detector.write_input(
        "a.csv",
        &("url,domain\n".to_owned() + &text_of(&|url| format!("\"{url}\",h.test\n"))),
    );
    detector.write_input(
        "a.jsonl",
        &text_of(&|url| format!("{}\n", serde_json::json!({ "url": url }))),
    );
    detector.write_input("a.py", &text_of(&|url| format!("# see {url}\n")));
    detector.write_input(
        "list.csv",
        &("url\nnot a URL CANARY-cell\n".to_owned() + &text_of(&|url| format!("\"{url}\"\n"))),
    );
}

/// Flags for headers with secrets.
const HEADERS: &[&str] =
    &["--header", "Authorization: Bearer CANARY-header", "--header", "Cookie: sid=CANARY-sent"];

/// The files of [`write_documents`] that contain links.
const DOCUMENTS: &[&str] =
    &["a.md", "a.html", "a.rst", "a.adoc", "a.wiki", "a.css", "a.txt", "a.csv", "a.jsonl", "a.py"];

#[test]
fn check_and_extract_of_documents_with_passwords_leak_nothing() {
    let web = leaky_site();
    let mut detector = LeakDetector::new();
    write_documents(&mut detector, &web);
    let flags = &["--max-cache-age", "0", "--fresh", "-v"];
    for format in ["human", "json", "jsonl"] {
        let args = [&["check", "--format", format], NO_DELAYS, flags, HEADERS, DOCUMENTS].concat();
        assert_eq!(detector.run(&args), 1);
        detector.run(&[&["extract", "--format", format], DOCUMENTS].concat());
    }
    let files = ["-o", "o.json", "-o", "o.jsonl", "-o", "o.txt"];
    let page = format!("HTTP:u:CANARY-argument@127.0.0.1:{}/", web.port());
    let url = page.replacen("HTTP:", "http://", 1);
    detector.run(&[&["check", &url, "a.md"], NO_DELAYS, flags, HEADERS, &files].concat());
    detector.run(&["explain", &url]);
    detector.run(&["explain", web.url("/moved").as_str(), "--format", "json"]);
    detector.assert_no_leaks();
}

#[test]
fn crawl_of_a_site_with_passwords_leaks_nothing() {
    let web = leaky_site();
    let mut detector = LeakDetector::new();
    let start = format!("http://u:CANARY-start@127.0.0.1:{}/", web.port());
    let outputs = ["-o", "r.html", "-o", "r.json", "-o", "r.jsonl", "-o", "r.txt"];
    let exports = ["--export", "graphml", "--export", "csv", "--export", "sitemap"];
    let map = format!("http://u:CANARY-flag@127.0.0.1:{}/map.xml", web.port());
    let crawl = ["crawl", &start, "--render", "never", "-v", "--sitemap", &map];
    assert_eq!(detector.run(&[&crawl, NO_DELAYS, HEADERS, &outputs, &exports].concat()), 1);
    assert!(web.hits("/map.xml") > 0 && web.hits("/lost10") > 0, "the sitemap is read");
    detector.run(&["crawl", "status"]);
    for format in ["human", "html", "json", "jsonl"] {
        detector.run(&["report", "--format", format]);
    }
    detector.run(&["decay", "--crawl", "latest", "--format", "json"]);
    detector.run(&["decay", "--crawl", "latest", "-o", "d.svg", "-o", "d.txt", "-v"]);
    detector.run(&[&["decay", &start, "-v", "--format", "json"], NO_DELAYS, HEADERS].concat());
    detector.run(&[&["survey", "--from-db", "--plan", "full", "-v"], NO_DELAYS].concat());
    let sources = ["--archive", "none", "--search", "local"];
    detector.run(
        &[&["revive", "--all", "-v", "--format", "json"], NO_DELAYS, HEADERS, &sources].concat(),
    );
    detector.run(&["patterns", "export"]);
    detector.assert_no_leaks();
}

#[test]
fn survey_of_a_catalog_with_passwords_leaks_nothing() {
    let web = leaky_site();
    let mut detector = LeakDetector::new();
    write_documents(&mut detector, &web);
    for catalog in ["a.csv", "a.jsonl", "a.txt", "list.csv", "a.md"] {
        for format in ["human", "json"] {
            let args = ["survey", catalog, "--plan", "full", "--fresh", "-v", "--format", format];
            detector.run(&[&args, NO_DELAYS, HEADERS].concat());
        }
        detector.run(&["survey", "analyze", catalog]);
    }
    detector.assert_no_leaks();
}

#[test]
fn secrets_of_settings_leak_nowhere() {
    let web = leaky_site();
    let proxy = ForwardProxy::start_blocking();
    let mut detector = LeakDetector::new();
    detector.write_input("a.txt", &format!("{}\n", web.url("/gone")));
    let dead = web.url("/gone").to_string();
    let url_with_password = |port: u16| format!("http://u:CANARY-setting@127.0.0.1:{port}/");
    let proxy_url = url_with_password(proxy.address().port());
    detector.run(&[&["check", "a.txt", "-v", "--proxy", &proxy_url], NO_DELAYS].concat());
    detector.run(
        &[&["check", "a.txt", "--fresh", "-v", "--proxy", &url_with_password(1)], NO_DELAYS]
            .concat(),
    );
    let archive = url_with_password(web.port());
    let revive = ["revive", &dead, "-v", "--max-result-age", "0", "--format", "json"];
    let searches = [
        format!("searxng:{archive}"),
        format!("json:{}s?key=CANARY-key&q={{query}}", web.url("/")),
        "brave".to_owned(),
    ];
    let keys = [("BRAVE_API_KEY", "CANARY-brave"), ("KAGI_API_KEY", "CANARY-kagi")];
    for search in &searches {
        let sources = ["--archive", &archive, "--search", search, "--search-budget", "0"];
        detector.run_with_variables(&[&revive, NO_DELAYS, &sources[..]].concat(), &keys);
    }
    detector.assert_no_leaks();
}

#[test]
fn invalid_arguments_and_variables_are_not_printed() {
    let mut detector = LeakDetector::new();
    detector.write_input("a.txt", "https://example.org/\n");
    let invalid: &[&[&str]] = &[
        &["check", "http://u:CANARY-1@[bad/"],
        &["check", "http://u:CANARY-2@127.0.0.1:99999/"],
        &["check", "u:CANARY-3@127.0.0.1/x"],
        &["check", "HTTP:u:CANARY-4@127.0.0.1/x"],
        &["check", "http://u:CANARY 5@exa mple/"],
        &["check", "a.txt", "--proxy", "htp://u:CANARY-6@127.0.0.1:1"],
        &["check", "a.txt", "--proxy", "http://u:CANARY-7@[bad"],
        &["check", "a.txt", "--header", "Authorization CANARY-8"],
        &["check", "a.txt", "--header", "Auth\u{1}: CANARY-9"],
        &["check", "a.txt", "--header", "Host: CANARY-11"],
        &["check", "a.txt", "--base-url", "http://u:CANARY-12@[bad/"],
        &["check", "a.txt", "--base-url", "ftp://u:CANARY-13@h/"],
        &["check", "a.txt", "--resolve", "http://u:CANARY-14@h/"],
        &["check", "--nonsense=http://u:CANARY-15@h/"],
        &["crawl", "http://u:CANARY-16@[bad/"],
        &["crawl", "https://example.org", "--sitemap", "http://u:CANARY-17@[bad/"],
        &["decay", "http://u:CANARY-18@[bad/"],
        &["revive", "http://u:CANARY-19@[bad/"],
        &["revive", "https://example.org", "--archive", "http://u:CANARY-20@[bad/"],
        &["revive", "https://example.org", "--search", "searxng:http://u:CANARY-21@[bad/"],
        &["revive", "https://example.org", "--search", "json:http://u:CANARY-22@[bad/?q={query}"],
        &["survey", "http://u:CANARY-23@127.0.0.1/"],
        &["extract", "http://u:CANARY-24@127.0.0.1/"],
        &["db", "http://u:CANARY-25@127.0.0.1/"],
    ];
    for args in invalid {
        assert_eq!(detector.run(args), 2, "{args:?}");
    }
    detector.run(&["explain", "http://u:CANARY-26@[bad/"]);
    let variables =
        [("RELINK_PROXY", "ht tp://u:CANARY-27@x"), ("RELINK_BASE_URL", "//u:CANARY-28@x")];
    for variable in variables {
        assert_eq!(detector.run_with_variables(&["check", "a.txt"], &[variable]), 2);
    }
    detector.assert_no_leaks();
}

#[test]
fn values_of_invalid_configuration_files_are_not_printed() {
    let mut detector = LeakDetector::new();
    detector.write_input("a.txt", "https://example.org/\n");
    let broken = [
        "header = \"CANARY-1\n",
        "header = \"X: CANARY-2\"\n",
        "header = [\"NoColon CANARY-3\"]\n",
        "proxy = [\"http://u:CANARY-4@h\"]\n",
        "timeout = \"x\"\nproxy = \"http://u:CANARY-5@[x\"\n",
        "proxy = \"http://u:CANARY-6@[x\"\n",
        "proxy = CANARY-7\n",
        "proxyy = \"http://u:CANARY-8@h\"\n",
        "[revive]\nsearch = \"json:http://h/?key=CANARY-9\"\n",
        "[revive]\narchive = [\"http://u:CANARY-10@[bad\"]\n",
    ];
    for (number, text) in broken.iter().enumerate() {
        let name = format!("../{number}.toml");
        detector.write_input(&name, text);
        // The file is outside of the project, so that it may set all keys.
        let args = ["check", "a.txt", "--revive", "--offline", "--config", &name];
        assert_eq!(detector.run(&args), 2, "{text}");
        let (_, output) = detector.printed.last().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains('\u{240a}'), "line breaks are shown as symbols:\n{stderr}");
    }
    detector.assert_no_leaks();
}

#[test]
fn help_shows_no_value_of_the_environment() {
    let mut detector = LeakDetector::new();
    let names = [
        "ANCHORS",
        "ARCHIVE",
        "BASE_URL",
        "CONCURRENCY",
        "CONFIG",
        "CONTACT",
        "DB",
        "DNS_SERVER",
        "FAIL_ON",
        "FALLBACK_EXTENSIONS",
        "FORMAT",
        "HOST_CONCURRENCY",
        "HOST_INTERVAL",
        "INDEX_FILES",
        "MAX_AGE",
        "PROXY",
        "RETRIES",
        "ROOT_DIR",
        "SEARCH",
        "TIMEOUT",
        "USER_AGENT",
    ];
    let variables = names.map(|name| (format!("RELINK_{name}"), format!("CANARY-{name}")));
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let commands = [
        "check", "crawl", "survey", "decay", "report", "revive", "patterns", "extract", "explain",
        "db",
    ];
    for command in commands {
        for help in ["--help", "-h"] {
            let mut run = detector.sandbox.command(&[command, help]);
            let output = run.envs(variables.iter().copied()).output().unwrap();
            assert_eq!(output.status.code(), Some(0));
            detector.printed.push((format!("{command} {help}"), output));
        }
        detector.run_with_variables(&[command, "--nonsense"], &variables);
    }
    detector.assert_no_leaks();
}

#[test]
fn outputs_mask_secret_parameters_of_urls() {
    let web = TestServer::start_blocking();
    let url = |query: &str| format!("{}?{query}", web.url("/gone"));
    let urls = [
        url("access_token=CANARY-1"),
        url("a=1&X-Amz-Signature=CANARY-2&b=2"),
        url("api_key=CANARY-3"),
        url("to=http://u:CANARY-4@example.test/"),
        url("to=http%3A%2F%2Fu%3ACANARY-5%40example.test%2F"),
        format!("{}#token=CANARY-6", web.url("/gone")),
    ];
    let links = concat_urls(&urls, &|url| format!("<a href='{url}'>x</a>"));
    web.page("/", 200, &links);
    let mut detector = LeakDetector::new();
    detector.write_input("a.md", &concat_urls(&urls, &|url| format!("[x]({url})\n\n")));
    for format in ["human", "json", "jsonl"] {
        detector
            .run(&[&["check", "a.md", "-v", "--format", format, "--fresh"], NO_DELAYS].concat());
        detector.run(&["extract", "a.md", "--format", format]);
    }
    let start = web.url("/").to_string();
    detector.run(&[&["crawl", &start, "--render", "never", "-v"], NO_DELAYS].concat());
    for format in ["human", "html", "json", "jsonl"] {
        detector.run(&["report", "--format", format]);
    }
    let leaks = detector.printed_leaks();
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    assert!(web.hits("/gone?access_token=CANARY-1") > 0, "the request contains the parameter");
}
