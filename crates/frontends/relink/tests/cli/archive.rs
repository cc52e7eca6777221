//! `relink archive`: copies of live pages in web archives and in WARC files.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use flate2::read::MultiGzDecoder;
use relink_demo::{ArchivedPage, MiniArchive};
use relink_testkit::pywb::Pywb;
use relink_testkit::web::{CannedResponse, RecordedRequest, TestServer};
use serde_json::Value;

use crate::sandbox::{CommandOutput, NO_DELAYS, Sandbox};
use crate::servers::BackgroundServer;

/// Returns the text of a page, long enough to be content.
fn article(subject: &str) -> String {
    format!(
        "<title>The {subject}</title><h1>The {subject}</h1><p>All about the {subject}: where it \
         grows, how old it becomes, and what people make of its wood.</p>"
    )
}

/// The time of all captures of [`MiniArchive`] in these tests: 2021-03-02, 03:04:05 UTC.
const CAPTURED_AT: &str = "20210302030405";

/// Starts a site with two pages and a redirect, and writes a document `a.md` that links to all
/// three.
fn site() -> (TestServer, Sandbox) {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/oak", 200, &article("oak")).page("/elm", 200, &article("elm"));
    web.redirect("/ash", 302, "/elm");
    let [oak, elm, ash] = ["/oak", "/elm", "/ash"].map(|path| web.url(path));
    sandbox.write("a.md", &format!("[oak]({oak})\n[elm]({elm})\n[ash]({ash})\n"));
    (web, sandbox)
}

/// Runs `relink archive` without delays.
fn archive(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    sandbox.run(&[&["archive"], NO_DELAYS, args].concat())
}

/// Parses the JSON report of a command.
fn json(output: &CommandOutput) -> Value {
    serde_json::from_str(&output.stdout).unwrap()
}

/// Returns the WARC files in a directory.
fn warc_files(sandbox: &Sandbox, directory: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(sandbox.path(directory)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(".warc.gz"));
    files.sort();
    files
}

#[test]
fn archive_lists_live_pages_without_a_copy() {
    let (web, sandbox) = site();
    let oak = web.url("/oak").to_string();
    let captures = vec![ArchivedPage::page(&oak, CAPTURED_AT, &article("oak"))];
    let server = BackgroundServer::start(async { MiniArchive::start(captures).await.unwrap() });
    let output = archive(&sandbox, &["a.md", "--archive", &server.root()]).exits(0);
    let elm = web.url("/elm");
    assert!(
        output.stdout.contains(&format!("RL902 at-risk · {elm}\n  --> a.md:2\n")),
        "{output:?}"
    );
    assert!(output.stdout.ends_with("3 live pages: 1 archived, 2 without a copy\n"), "{output:?}");
    let output = archive(&sandbox, &["a.md", "--archive", &server.root(), "--format", "json"]);
    let report = json(&output.exits(0));
    assert_eq!(report["pages"][2]["captured_at"], "2021-03-02T03:04:05Z", "{report}");
}

#[test]
fn saved_pages_replay_in_pywb_and_are_not_saved_again() {
    let (web, sandbox) = site();
    let args = ["a.md", "--archive", "none", "--save", "saved", "--format", "json"];
    let report = json(&archive(&sandbox, &args).exits(0));
    assert_eq!(report["summary"]["saved"], 3, "{report}");
    let files = warc_files(&sandbox, "saved");
    assert_eq!(files.len(), 1);

    let second = json(&archive(&sandbox, &args).exits(0));
    assert_eq!(second["summary"]["archived"], 3, "{second}");
    assert_eq!(warc_files(&sandbox, "saved"), files);

    // A real archive serves the pages and the redirect, after the site was stopped.
    let urls = ["/oak", "/elm", "/ash"].map(|path| web.url(path).to_string());
    drop(web);
    let pywb = Pywb::start_with_file(&fs::read(&files[0]).unwrap());
    let collection = format!("pywb:{}", pywb.collection());
    for url in &urls[..2] {
        let args = ["revive", "--archive", &collection, "--format", "json", url];
        let revival = json(&sandbox.run(&[&args[..], NO_DELAYS].concat()).exits(0));
        let copy = revival[0]["archived"]["replay_url"].as_str().unwrap_or_default();
        assert!(copy.contains(url.as_str()), "{revival}");
    }
    // The digits of the file name are the time of the captures.
    let name = files[0].file_name().unwrap().to_string_lossy().into_owned();
    let time: String = name.chars().filter(char::is_ascii_digit).collect();
    let replay_url = pywb.collection().join(&format!("{time}id_/{}", urls[2])).unwrap();
    let response = http_get(&replay_url);
    assert!(response.starts_with("HTTP/1.1 302"), "{response}");
    assert!(response.contains("/elm\r\n"), "{response}");
}

#[test]
fn saved_pages_of_an_ip_address_replay_in_pywb_with_the_written_index() {
    let (web, sandbox) = site();
    archive(&sandbox, &["a.md", "--archive", "none", "--save", "saved"]).exits(0);
    let file = warc_files(&sandbox, "saved").remove(0);
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let index = sandbox.read(&format!("saved/{}", name.replace(".warc.gz", ".cdxj")));
    let pywb = Pywb::start_with_index(&name, &fs::read(&file).unwrap(), index.as_bytes());
    // The digits of the file name are the time of the captures.
    let time: String = name.chars().filter(char::is_ascii_digit).collect();
    let replay_path = format!("{time}id_/{}", web.url("/oak"));
    let response = http_get(&pywb.collection().join(&replay_path).unwrap());
    assert!(response.starts_with("HTTP/1.1 200"), "{index}\n{response}");
}

/// Returns the response to a GET request as text.
fn http_get(url: &url::Url) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", url.port().unwrap())).unwrap();
    let path = url.path();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[test]
fn warc_files_contain_no_secrets() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    let page = CannedResponse::new(200, article("oak"))
        .with_header("Content-Type", "text/html")
        .with_header("Set-Cookie", "session=cookie-secret")
        .with_header("X-Token", "header-secret");
    web.respond("/oak", page);
    sandbox.write("a.md", &format!("[oak]({})\n", web.url("/oak")));
    let header = "Authorization: Bearer request-secret";
    let args = ["a.md", "--archive", "none", "--save", "saved", "--header", header];
    archive(&sandbox, &args).exits(0);
    let mut text = String::new();
    let file = fs::File::open(&warc_files(&sandbox, "saved")[0]).unwrap();
    MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    assert!(text.contains("All about the oak"), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn pages_that_robots_txt_disallows_are_not_saved() {
    let (web, sandbox) = site();
    web.page("/robots.txt", 200, "User-agent: *\nDisallow: /elm\n");
    let args = ["a.md", "--archive", "none", "--save", "saved", "--format", "json"];
    let report = json(&archive(&sandbox, &args).exits(0));
    assert_eq!(report["summary"]["saved"], 1, "{report}");
    let elm = web.url("/elm").to_string();
    let pages = report["pages"].as_array().unwrap();
    let page = pages.iter().find(|page| page["url"] == elm.as_str()).unwrap();
    assert_eq!(page["state"], "missing", "{page}");
    assert_eq!(page["code"], "RL902", "{page}");
}

/// The number of queries to which the job of `/ash` is still pending: more than one run of
/// Relink sends.
const PENDING_POLLS: usize = 62;

/// Starts a server with the protocol of Save Page Now (Internet Archive): the first submission is
/// rate limited, the job of `/elm` fails, and the job of `/ash` is slow.
fn start_save_page_now(web: &TestServer) -> TestServer {
    let archive = TestServer::start_blocking();
    let [oak, elm, ash] = ["/oak", "/elm", "/ash"].map(|path| web.url(path).to_string());
    let is_first_submission = AtomicBool::new(true);
    let ash_polls = AtomicUsize::new(0);
    archive.respond_below_with("/", move |request| {
        let json_response = |text: String| {
            CannedResponse::new(200, text).with_header("Content-Type", "application/json")
        };
        let form: Vec<(String, String)> =
            url::form_urlencoded::parse(&request.body).into_owned().collect();
        let submitted = form.iter().find(|(key, _)| key == "url").map(|(_, url)| url.as_str());
        match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/save") if is_first_submission.swap(false, Relaxed) => {
                CannedResponse::new(429, "slow down").with_header("Retry-After", "0")
            }
            ("POST", "/save") if submitted == Some(&oak) => {
                json_response(format!("{{\"url\": \"{oak}\", \"job_id\": \"spn2-oak\"}}"))
            }
            ("POST", "/save") if submitted == Some(&elm) => {
                json_response(format!("{{\"url\": \"{elm}\", \"job_id\": \"spn2-elm\"}}"))
            }
            ("POST", "/save") => {
                json_response(format!("{{\"url\": \"{ash}\", \"job_id\": \"spn2-ash\"}}"))
            }
            (_, "/save/status/spn2-oak") => json_response(format!(
                "{{\"status\": \"success\", \"timestamp\": \"20261118101112\", \
                 \"original_url\": \"{oak}\"}}"
            )),
            (_, "/save/status/spn2-elm") => json_response(
                "{\"status\": \"error\", \"status_ext\": \"error:blocked-url\", \
                 \"message\": \"This URL is in the block list\"}"
                    .to_owned(),
            ),
            (_, "/save/status/spn2-ash") if ash_polls.fetch_add(1, Relaxed) < PENDING_POLLS => {
                json_response("{\"status\": \"pending\", \"job_id\": \"spn2-ash\"}".to_owned())
            }
            (_, "/save/status/spn2-ash") => json_response(format!(
                "{{\"status\": \"success\", \"timestamp\": \"20261118101113\", \
                 \"original_url\": \"{ash}\"}}"
            )),
            _ => CannedResponse::new(404, "no such page"),
        }
    });
    archive
}

#[test]
fn pages_are_submitted_once_and_unfinished_jobs_are_resumed() {
    let (web, sandbox) = site();
    let archive = start_save_page_now(&web);
    let root = archive.url("/").to_string();
    let args = ["archive", "a.md", "--archive", "none", "--submit", &root, "--format", "json"];
    let run = || {
        let mut command = sandbox.command(&[&args[..], NO_DELAYS].concat());
        command.env("RELINK_SAVE_KEY", "my-key:my-secret");
        let output = CommandOutput::new(&command.output().unwrap()).exits(0);
        assert!(!format!("{output:?}").contains("my-secret"), "{output:?}");
        json(&output)
    };
    // Returns the entry of a page in a report.
    let page = |report: &Value, path: &str| -> Value {
        let url = web.url(path).to_string();
        let pages = report["pages"].as_array().unwrap();
        pages.iter().find(|page| page["url"] == url.as_str()).unwrap().clone()
    };
    let first = run();
    assert_eq!(page(&first, "/oak")["state"], "saved", "{first}");
    let replay_url = page(&first, "/oak")["replay_url"].as_str().unwrap().to_owned();
    assert!(replay_url.contains("/web/20261118101112/"), "{first}");
    assert_eq!(page(&first, "/elm")["reason"], "This URL is in the block list", "{first}");
    let reason = page(&first, "/ash")["reason"].as_str().unwrap().to_owned();
    assert!(reason.contains("not finished the job spn2-ash"), "{first}");

    // Returns the number of requests that submit a page.
    let submission_count = |path: &str| {
        let encoded: String =
            url::form_urlencoded::byte_serialize(web.url(path).as_str().as_bytes()).collect();
        let requests = archive.requests();
        let has_url = |body: &[u8]| String::from_utf8_lossy(body).contains(&encoded);
        let is_submission =
            |request: &&RecordedRequest| request.method == "POST" && has_url(&request.body);
        requests.iter().filter(is_submission).count()
    };
    let count_before = submission_count("/ash");
    let second = run();
    assert_eq!(page(&second, "/ash")["state"], "saved", "{second}");
    assert_eq!(submission_count("/ash"), count_before);
    let requests = archive.requests();
    let sent_keys: Vec<&str> =
        requests.iter().filter_map(|request| request.header("authorization")).collect();
    assert!(!sent_keys.is_empty());
    assert!(sent_keys.iter().all(|key| *key == "LOW my-key:my-secret"), "{sent_keys:?}");
}

#[test]
fn submission_requires_a_key() {
    let (_web, sandbox) = site();
    let args = ["a.md", "--archive", "none", "--submit", "http://127.0.0.1:9/"];
    let output = archive(&sandbox, &args).exits(2);
    assert!(output.stderr.contains("RELINK_SAVE_KEY"), "{}", output.stderr);
}

#[test]
fn pages_are_recorded_by_pywb() {
    let (web, sandbox) = site();
    let pywb = Pywb::start_recorder();
    let collection = format!("pywb:{}", pywb.collection());
    let args = ["a.md", "--archive", &collection, "--submit", &collection, "--format", "json"];
    let report = json(&archive(&sandbox, &args).exits(0));
    assert_eq!(report["summary"]["saved"], 3, "{report}");
    pywb.wait_for(&["/oak", "/elm", "/ash"].map(|path| web.url(path).to_string()));
    let second = json(&archive(&sandbox, &args).exits(0));
    assert_eq!(second["summary"]["archived"], 3, "{second}");
}

#[test]
fn story_21_robust_links_have_three_attributes() {
    let (web, sandbox) = (TestServer::start_blocking(), Sandbox::new());
    web.page("/oak", 200, &article("oak")).page("/elm", 200, &article("elm"));
    let [oak, elm] = ["/oak", "/elm"].map(|path| web.url(path).to_string());
    let captures = vec![ArchivedPage::page(&oak, CAPTURED_AT, &article("oak"))];
    let server = BackgroundServer::start(async { MiniArchive::start(captures).await.unwrap() });
    let root = server.root();
    let page = format!("<p><a href=\"{oak}\">oak</a> <a href=\"{elm}\">elm</a></p>\r\n");
    sandbox.write("site/index.html", &page);
    sandbox.write("site/a.md", &format!("[oak]({oak})\n"));
    let args = ["--robust", "site/", "--archive", &root];
    let dry_run = archive(&sandbox, &[&args[..], &["--dry-run"]].concat()).exits(0);
    assert!(dry_run.stdout.contains("+<p><a href="), "{dry_run:?}");
    assert_eq!(sandbox.read("site/index.html"), page);

    let output = archive(&sandbox, &args).exits(0);
    let attributes = format!(
        " data-originalurl=\"{oak}\" data-versionurl=\"{root}web/{CAPTURED_AT}/{oak}\" \
         data-versiondate=\"2021-03-02\""
    );
    let annotated_page = page.replacen(&format!("{oak}\""), &format!("{oak}\"{attributes}"), 1);
    assert_eq!(sandbox.read("site/index.html"), annotated_page, "{}", output.stderr);
    assert_eq!(sandbox.read("site/a.md"), format!("[oak]({oak})\n"));
    // A second run does not add the attributes again.
    archive(&sandbox, &args).exits(0);
    assert_eq!(sandbox.read("site/index.html"), annotated_page);

    // The output ends with the command that undoes the change: `relink fix --undo ID`.
    let (_, id) = output.stderr.split_once("--undo ").unwrap();
    sandbox.run(&["fix", "--undo", id.trim()]).exits(0);
    assert_eq!(sandbox.read("site/index.html"), page);
}
