//! What goes wrong before or beside the judging: bad input, bad settings, no
//! network, no database.

use std::process::Command;
use std::time::{Duration, Instant};

use relink_testkit::dns::Dns;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::desk::{CHECK, Desk, QUICK, Said};
use crate::servers::{Beside, Deserted};

#[test]
fn a_missing_file_is_told_with_cause_and_hint_in_every_format() {
    let desk = Desk::new();
    for format in ["human", "json", "jsonl"] {
        let said = desk.run(&["check", "--db", "relink.db", "--format", format, "docs/nowhere.md"]);
        said.fails(2, &["docs/nowhere.md", "no such file or directory"]);
    }
    desk.check(&["nowhere.md"]).fails(2, &["give files, directories, globs, URLs or `-`"]);
    desk.check(&["example.org"]).fails(2, &["write `https://example.org`"]);
    desk.check(&["docs/*.md"]).fails(2, &["no file matches"]);
}

#[test]
fn what_cannot_be_used_is_named_and_exits_2() {
    let desk = Desk::new();
    desk.write("a.md", "text\n");
    desk.check(&["a.md", "--include", "("]).fails(2, &["`(` is not a pattern", "unclosed group"]);
    desk.check(&["a.md", "--header", "no colon"]).fails(2, &["colon", "Accept-Language"]);
    desk.check(&["http://exa mple/"]).fails(2, &["`http://exa mple/` is not a URL"]);
    desk.check(&["a.md", "--timeout", "5"]).exits(2);
    desk.check_at("yesterday", &["a.md"]).exits(2);
}

#[test]
fn an_unknown_key_in_the_configuration_is_corrected() {
    let desk = Desk::new();
    desk.write("a.md", "text\n").write("relink.toml", "host_intervall = \"1s\"\n");
    desk.report(&["a.md"]).fails(2, &["`host_intervall`", "did you mean `host-interval`?"]);
    desk.write("relink.toml", "retries = \"many\"\n");
    desk.report(&["a.md"]).fails(2, &["relink.toml", "line 1, column 11: ", "expected u32"]);
}

#[test]
fn the_configuration_is_read_and_flags_come_before_it() {
    let web = TestServer::start_blocking();
    web.page("/a", 200, "").page("/wall", 403, "");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/a"), web.url("/wall")]);
    desk.write("relink.toml", "format = \"jsonl\"\nfail-on = [\"blocked\"]\n");
    assert_eq!(desk.report(&["urls.txt"]).exits(1).rows().0.len(), 2);
    desk.report(&["urls.txt", "--fail-on", "dead"]).exits(0);
}

#[test]
fn a_malformed_line_is_a_finding_and_the_others_are_checked() {
    let web = TestServer::start_blocking();
    web.page("/a", 200, "").page("/b", 200, "");
    let desk = Desk::new();
    let (a, b) = (web.url("/a").to_string(), web.url("/b").to_string());
    let urls = [&a, "http://exa mple/", "gone fishing", &b];
    desk.list("urls.txt", urls);
    let rows = desk.check(&["urls.txt"]).exits(1).rows();
    assert_eq!(urls.map(|url| rows.word(url)), ["alive", "local RL602", "local RL602", "alive"]);
}

#[test]
fn without_network_nothing_is_judged() {
    let (dns, nobody) = (Beside::start(Dns::start()), Deserted::new());
    let desk = Desk::new();
    desk.list("urls.txt", [nobody.url("/"), "http://nowhere.invalid/".to_owned()]);
    let address = dns.address().to_string();
    let args = ["--dns-server", &address, "urls.txt"];
    desk.check(&args).fails(3, &["no host answered", "2 hosts", "--offline"]);
    // It was no verdict, so nothing is remembered against anybody.
    desk.check(&args).fails(3, &[]);
}

#[test]
fn what_failed_before_the_first_server_answered_is_judged_then() {
    let (dns, nobody, web) =
        (Beside::start(Dns::start()), Deserted::new(), TestServer::start_blocking());
    // Late enough for the others to have failed long before.
    web.answer("/wall", CannedResponse::new(403, "").after(Duration::from_millis(200)));
    let desk = Desk::new();
    let nowhere = "http://nowhere.invalid/".to_owned();
    desk.list("urls.txt", [nobody.url("/"), nowhere.clone(), web.url("/wall").into()]);
    let address = dns.address().to_string();
    let rows = desk.check(&["--dns-server", &address, "urls.txt"]).exits(1).rows();
    assert_eq!(rows.word(nobody.url("/")), "failing RL541");
    assert_eq!(rows.word(nowhere), "dead RL102");
    assert_eq!(rows.word(web.url("/wall")), "blocked RL403");
}

#[test]
fn a_database_that_cannot_be_used_exits_4() {
    let desk = Desk::new();
    desk.write("a.md", "text\n").write("notes.db", "Dear diary, today I am no database.\n");
    let with = |db: &str| desk.run(&["check", "a.md", "--db", db]);
    with("notes.db").exits(4).fails_with_hint("is not a Relink database");
    assert_eq!(desk.read("notes.db"), "Dear diary, today I am no database.\n");
    with("a.md/below/relink.db").fails(4, &["--db FILE"]);
    // A place where nobody can make a file, not even root.
    with("/proc/relink.db").exits(4).fails_with_hint("error: ");
}

impl Said {
    /// Claims that a failure without a cause of its own has a hint.
    #[track_caller]
    fn fails_with_hint(self, error: &str) {
        assert!(self.stdout.is_empty(), "{self:?}");
        assert!(self.stderr.contains(error) && self.stderr.contains("hint: "), "{self:?}");
    }
}

#[test]
fn a_full_disk_exits_4_and_the_same_command_goes_on_once_there_is_room() {
    let web = TestServer::start_blocking();
    let desk = Desk::new();
    let urls: Vec<String> = (0..400).map(|n| web.url(&format!("/{n}")).into()).collect();
    for n in 0..400 {
        web.page(&format!("/{n}"), 200, "");
    }
    desk.list("urls.txt", &urls);
    // Files may grow to some 200 blocks; beyond, writing fails as on a full disk.
    let limited = "ulimit -f 200; trap '' XFSZ; exec \"$0\" \"$@\"";
    let relink = env!("CARGO_BIN_EXE_relink");
    let args = [CHECK, QUICK, &["--format", "jsonl", "urls.txt"]].concat();
    let mut command =
        desk.tame(Command::new("sh"), &[&["-c", limited, relink], &args[..]].concat());
    let said = Said::of(&command.output().unwrap()).exits(4);
    assert!(said.stderr.contains("error: ") && said.stderr.contains("hint: "), "{}", said.stderr);
    let mut urls = urls;
    urls.sort();
    assert_eq!(desk.run(&args).exits(0).rows().urls(), urls);
}

#[test]
fn a_second_process_on_the_same_database_waits_and_then_gives_up() {
    let web = TestServer::start_blocking();
    web.page("/quick", 200, "");
    web.answer("/slow", CannedResponse::new(200, "").after(Duration::from_mins(1)));
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/quick"), web.url("/slow")]);
    let mut first = desk.start(&["urls.txt"]);
    assert_eq!(first.next_row()["verdict"], "alive");
    let mut command = desk.command(&[CHECK, &["urls.txt"]].concat());
    let began = Instant::now();
    let said = Said::of(&command.output().unwrap()).exits(4);
    assert!(began.elapsed() >= Duration::from_millis(4_900), "{:?}", began.elapsed());
    said.fails_with_hint("in use by another process");
    first.kill();
}
