//! The report for users: the default output format.

use relink_testkit::web::TestServer;

use crate::sandbox::Sandbox;

/// Writes documents with links to live, moved, dead, blocked and failing pages and to a missing
/// file.
fn broken_documents() -> (TestServer, Sandbox) {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "").redirect("/old", 301, "/good").page("/wall", 403, "");
    web.page("/down", 500, "");
    let sandbox = Sandbox::new();
    let text = format!(
        "# Links\n\nsee the [setup guide]({}) and [more]({}),\n[less]({}), [old]({}), [down]({})\n\n\
         ![picture](images/missing.png)\n",
        web.url("/guide/setup"),
        web.url("/good"),
        web.url("/wall"),
        web.url("/old"),
        web.url("/down"),
    );
    sandbox.write("docs/install.md", &text);
    sandbox.write("docs/faq.md", &format!("- {}\n", web.url("/guide/setup")));
    (web, sandbox)
}

/// Compares stdout with a snapshot. Values that differ between runs are replaced.
macro_rules! assert_output {
    ($web:expr, $output:expr $(, @$expected:literal)?) => {
        let port = $web.port().to_string();
        // The replacement has the same length as the port, so that carets are aligned.
        let filters =
            [(port.as_str(), "54321"), (r", \d+ ms apart", ""), (r"\d+(\.\d+)? m?s\b", "TIME")];
        insta::with_settings!({filters => filters}, {
            insta::assert_snapshot!($output.stdout $(, @$expected)?);
        });
    };
}

#[test]
fn finding_has_code_location_snippet_reason_and_help() {
    let (web, sandbox) = broken_documents();
    let output = sandbox.check_human(&["docs"]).exits(1);
    assert_eq!(output.stderr, "");
    assert_output!(web, output);
}

#[test]
fn clean_run_prints_a_short_report() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let sandbox = Sandbox::new();
    sandbox.write("a.md", &format!("<{}>\n", web.url("/good")));
    let output = sandbox.check_human(&["a.md"]).exits(0);
    assert_output!(web, output, @r"
    Checked 1 link in 1 file, 1 host, TIME

      ✓ 1 alive
    No finding fails this run.
    ");
}

#[test]
fn pipe_gets_no_escape_codes_unless_requested() {
    let (_web, sandbox) = broken_documents();
    let plain = sandbox.check_human(&["docs"]);
    assert!(!plain.stdout.contains('\u{1b}') && !plain.stderr.contains('\u{1b}'), "{plain:?}");
    let colored = sandbox.check_human(&["docs", "--color", "always"]);
    assert!(colored.stdout.contains("\u{1b}["), "{colored:?}");
}

#[test]
fn untrusted_text_cannot_control_the_terminal() {
    let web = TestServer::start_blocking();
    let sandbox = Sandbox::new();
    sandbox.write("a.md", &format!("\u{1b}[2J [x]({})\u{202e}\n", web.url("/gone")));
    let output = sandbox.check_human(&["a.md"]).exits(1);
    assert!(!output.stdout.contains(['\u{1b}', '\u{202e}']), "{}", output.stdout);
}

#[test]
fn verbose_shows_every_finding_and_quiet_no_hosts() {
    let (_web, sandbox) = broken_documents();
    let verbose = sandbox.check_human(&["docs", "--verbose"]).exits(1);
    assert!(verbose.stdout.contains("RL201 moved"), "{}", verbose.stdout);
    assert!(verbose.stdout.contains("requests  control"), "{}", verbose.stdout);
    let quiet = sandbox.check_human(&["docs", "--quiet"]).exits(1);
    assert!(!quiet.stdout.contains("requests  control"), "{}", quiet.stdout);
}
