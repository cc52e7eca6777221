//! The report for people.

use relink_testkit::web::TestServer;

use crate::desk::Desk;

fn rotten() -> (TestServer, Desk) {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "").redirect("/old", 301, "/good").page("/wall", 403, "");
    web.page("/down", 500, "");
    let desk = Desk::new();
    let url = |path: &str| web.url(path);
    let text = format!(
        "# Links\n\nsee the [setup guide]({}) and [more]({}),\n[less]({}), [old]({}), [down]({})\n\n\
         ![picture](images/missing.png)\n",
        url("/guide/setup"),
        url("/good"),
        url("/wall"),
        url("/old"),
        url("/down"),
    );
    desk.write("docs/install.md", &text);
    desk.write("docs/faq.md", &format!("- {}\n", url("/guide/setup")));
    (web, desk)
}

/// Claims what is on the screen, without what differs from run to run.
macro_rules! assert_screen {
    ($web:expr, $said:expr $(, @$expected:literal)?) => {
        let port = $web.port().to_string();
        // A port is replaced by one that is as long, so that carets still fit.
        let filters =
            [(port.as_str(), "54321"), (r", \d+ ms apart", ""), (r"\d+(\.\d+)? m?s\b", "TIME")];
        insta::with_settings!({filters => filters}, {
            insta::assert_snapshot!($said.stdout $(, @$expected)?);
        });
    };
}

#[test]
fn a_finding_has_code_place_snippet_reason_and_help() {
    let (web, desk) = rotten();
    let said = desk.report(&["docs"]).exits(1);
    assert_eq!(said.stderr, "");
    assert_screen!(web, said);
}

#[test]
fn a_clean_run_says_so_in_a_few_lines() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    let desk = Desk::new();
    desk.write("a.md", &format!("<{}>\n", web.url("/good")));
    let said = desk.report(&["a.md"]).exits(0);
    assert_screen!(web, said, @r"
    Checked 1 link in 1 file, 1 host, TIME

      ✓ 1 alive
    Nothing fails this run.
    ");
}

#[test]
fn a_pipe_gets_no_escape_bytes_unless_asked_for() {
    let (_web, desk) = rotten();
    let plain = desk.report(&["docs"]);
    assert!(!plain.stdout.contains('\u{1b}') && !plain.stderr.contains('\u{1b}'), "{plain:?}");
    let painted = desk.report(&["docs", "--color", "always"]);
    assert!(painted.stdout.contains("\u{1b}["), "{painted:?}");
}

#[test]
fn no_stranger_s_text_steers_the_terminal() {
    let web = TestServer::start_blocking();
    let desk = Desk::new();
    desk.write("a.md", &format!("\u{1b}[2J [x]({})\u{202e}\n", web.url("/gone")));
    let said = desk.report(&["a.md"]).exits(1);
    assert!(!said.stdout.contains(['\u{1b}', '\u{202e}']), "{}", said.stdout);
}

#[test]
fn verbose_shows_every_finding_and_quiet_no_hosts() {
    let (_web, desk) = rotten();
    let verbose = desk.report(&["docs", "--verbose"]).exits(1);
    assert!(verbose.stdout.contains("RL201 moved"), "{}", verbose.stdout);
    assert!(verbose.stdout.contains("asked  to compare"), "{}", verbose.stdout);
    let quiet = desk.report(&["docs", "--quiet"]).exits(1);
    assert!(!quiet.stdout.contains("asked  to compare"), "{}", quiet.stdout);
}
