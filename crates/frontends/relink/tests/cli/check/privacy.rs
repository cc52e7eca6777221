//! Passwords in addresses are nobody's business.

use relink_testkit::web::TestServer;

use crate::desk::Desk;

/// The password that must turn up nowhere.
const SECRET: &str = "hunter2-correct-horse";

/// Claims that a file of the project keeps the secret.
#[track_caller]
fn keeps_the_secret(desk: &Desk, name: &str) {
    let bytes = std::fs::read(desk.path(name)).unwrap();
    let is_told = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
    assert!(!is_told, "{name} tells it");
}

#[test]
fn a_password_in_an_address_turns_up_nowhere() {
    let web = TestServer::start_blocking();
    web.page("/good", 200, "");
    web.redirect("/loop", 302, &format!("http://ann:{SECRET}@127.0.0.1:{}/loop", web.port()));
    let desk = Desk::new();
    let with_password = |path: &str| format!("http://ann:{SECRET}@127.0.0.1:{}{path}", web.port());
    desk.write(
        "a.md",
        &format!(
            "[good]({}) [gone]({}) [bad](//ann:{SECRET}@127.0.0.1:99999/)\n",
            with_password("/good"),
            with_password("/gone")
        ),
    );
    let lines = [
        with_password("/other"),
        format!("http://ann:{SECRET}@exa mple/"),
        format!("https://ann:{SECRET}@[::bad/"),
        web.url("/loop").into(),
    ];
    desk.list("urls.txt", lines);
    let page = with_password("/good");
    let outputs = ["-o", "o.json", "-o", "o.jsonl", "-o", "o.txt"];
    let said = desk.report(&[&["a.md", "urls.txt", &page, "--verbose"], &outputs[..]].concat());
    let said = said.exits(1);
    assert!(!said.stdout.contains(SECRET) && !said.stderr.contains(SECRET), "{said:?}");
    for name in ["o.json", "o.jsonl", "o.txt", "relink.db"] {
        keeps_the_secret(&desk, name);
    }
    let is_sent =
        |seen: &relink_testkit::web::RecordedRequest| seen.header("authorization").is_some();
    assert!(!web.requests().iter().any(is_sent));
}

#[test]
fn a_password_in_a_wrong_argument_is_not_repeated() {
    let desk = Desk::new();
    let wrong = format!("http://ann:{SECRET}@exa mple/");
    let said = desk.check(&[&wrong]).exits(2);
    assert!(!said.stderr.contains(SECRET), "{}", said.stderr);
}
