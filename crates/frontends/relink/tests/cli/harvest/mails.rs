//! Mail to a real server (aiosmtpd).

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;

use serde_json::Value;

use super::peers::Peer;
use super::{PROVIDER, Provider, time};

#[test]
fn mails_are_sent_once_and_retried() {
    // The server rejects the first mail to `later` temporarily, and all mail to `unknown`
    // permanently.
    let mut peer = Peer::start(include_str!("smtp_sink.py"), &[]);
    let server = format!("127.0.0.1:{}", peer.port());
    let provider =
        Provider::with_contacts(&["repo@example.org", "later@example.org", "unknown@example.org"]);
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    let preview = provider.harvest(&["mail"]).exits(0).stdout;
    assert!(
        preview.contains("To: repo@example.org\nSubject: 1 link in the records of lre\n"),
        "{preview}"
    );
    assert!(preview.ends_with("3 not sent; use `--send` to send them\n"), "{preview}");
    let send = |day| provider.harvest_at(&time(day), &send_flags(&server));
    let first = send(0).exits(1).stdout;
    assert!(first.contains("repo@example.org: sent: "), "{first}");
    assert!(first.contains("later@example.org: will be sent again: "), "{first}");
    assert!(first.contains("unknown@example.org: failed: "), "{first}");
    let second = send(0).exits(0).stdout;
    assert!(
        second.starts_with("later@example.org: sent: ") && second.ends_with("\n1 sent\n"),
        "{second}"
    );
    assert_eq!(send(0).exits(0).stdout, "0 sent\n");
    let failed = provider.harvest(&["mail", "--failed"]).exits(0).stdout;
    assert!(failed.starts_with("unknown@example.org: ") && failed.contains("550"), "{failed}");
    let retry = provider.harvest(&["mail", "--retry"]).exits(0).stdout;
    assert!(retry.starts_with("1 mail will be sent again\nTo: unknown@example.org\n"), "{retry}");
    let mails: Vec<Value> = (0..3).map(|_| serde_json::from_str(&peer.line()).unwrap()).collect();
    let mails_to = |name: &str| mails.iter().filter(|mail| mail["to"] == name).collect::<Vec<_>>();
    let repo = mails_to("repo@example.org");
    let later = mails_to("later@example.org");
    // The replies of the server: 451 means a temporary failure, 250 means success.
    let states: Vec<_> = later.iter().map(|mail| mail["state"].as_str().unwrap()).collect();
    assert_eq!(repo.len(), 1);
    assert_eq!(states, vec!["451", "250"]);
    // Both attempts to send the mail have the same Message-ID.
    assert_eq!(later[0]["id"], later[1]["id"]);
    assert_ne!(repo[0]["id"], later[1]["id"]);
    assert!(later[1]["text"].as_str().unwrap().contains("/2"), "{}", later[1]);
}

#[test]
fn mails_stay_pending_if_the_login_fails() {
    let mut peer = Peer::start(include_str!("smtp_sink.py"), &["--password", "right"]);
    let server = format!("127.0.0.1:{}", peer.port());
    let provider = Provider::with_contacts(&["a@example.org", "b@example.org"]);
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    let send = |password: &str| {
        let mut args = vec!["harvest"];
        args.extend(send_flags(&server));
        args.extend(["--db", "relink.db"]);
        let mut command = provider.sandbox.command(&args);
        command.env("RELINK_NOW", time(0)).env("RELINK_SMTP_USER", "user");
        command.env("RELINK_SMTP_PASSWORD", password).output().unwrap()
    };
    for _ in 0..2 {
        let output = send("wrong");
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("will be sent again") && text.contains("535"), "{text}");
        // The second mail is not attempted.
        assert!(text.ends_with("\n0 sent\n") && text.lines().count() == 2, "{text}");
    }
    let text = String::from_utf8(send("right").stdout).unwrap();
    assert!(text.ends_with("\n2 sent\n"), "{text}");
    let mail: Value = serde_json::from_str(&peer.line()).unwrap();
    assert_eq!(mail["to"], "a@example.org");
}

#[test]
fn database_is_free_while_a_mail_is_sent() {
    let mut mail_server = Peer::start(super::concurrent::SILENT_SERVER, &[]);
    let server = format!("127.0.0.1:{}", mail_server.port());
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    let mut args = vec!["harvest"];
    args.extend(send_flags(&server));
    args.extend(["--db", "relink.db"]);
    let mut command = provider.sandbox.command(&args);
    let mut child = command.env("RELINK_NOW", time(0)).stdout(Stdio::null()).spawn().unwrap();
    assert_eq!(mail_server.line(), "connected");
    provider.harvest(&["status"]).exits(0);
    let second = provider.harvest(&send_flags(&server)).exits(4).stderr;
    assert!(second.contains("another process is sending the mails"), "{second}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn starttls_is_required_by_default() {
    let mut peer = Peer::start(include_str!("smtp_sink.py"), &[]);
    let server = format!("127.0.0.1:{}", peer.port());
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    let args = ["mail", "--send", "--smtp", &server, "--mail-from", "service@example.org"];
    let output = provider.harvest(&args).exits(1).stdout;
    assert!(output.contains("will be sent again"), "{output}");
}

/// Returns the flags to send mail to a server without encryption.
fn send_flags(server: &str) -> Vec<&str> {
    let mut flags = vec!["mail", "--send", "--smtp", server, "--smtp-security", "none"];
    flags.extend(["--mail-from", "service@example.org"]);
    flags
}

/// The events of the mail server at which the program is killed. `start` kills it before it
/// connects, `accepted` when the server has stored the mail and is about to confirm it.
const KILL_EVENTS: [&str; 5] = ["start", "EHLO", "MAIL", "RCPT", "accepted"];
/// Number of kills.
const KILL_COUNT: usize = 20;

/// Starts to send mails, and kills the program at an event of the mail server. Returns the mails
/// that the server has accepted.
fn kill_at(provider: &Provider, peer: &mut Peer, server: &str, day: i8, event: &str) -> Vec<Value> {
    let mut args = vec!["harvest"];
    args.extend(send_flags(server));
    args.extend(["--db", "relink.db"]);
    let mut command = provider.sandbox.command(&args);
    command.env("RELINK_NOW", time(day)).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut mails = Vec::new();
    let mut is_reached = event == "start";
    while !is_reached {
        let row: Value = serde_json::from_str(&peer.line()).unwrap();
        is_reached = row["event"] == event;
        if row["event"] == "accepted" {
            mails.push(row);
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    mails
}

/// Reads the events of the mail server until it accepts a mail to `last_recipient`. Returns the
/// mails that the server accepted before.
fn accepted_mails(peer: &mut Peer, last_recipient: &str) -> Vec<Value> {
    let mut mails = Vec::new();
    loop {
        let row: Value = serde_json::from_str(&peer.line()).unwrap();
        if row["event"] == "accepted" {
            if row["to"] == last_recipient {
                return mails;
            }
            mails.push(row);
        }
    }
}

#[test]
fn each_notification_arrives_in_one_mail_in_spite_of_kills() {
    let mut peer = Peer::start(include_str!("smtp_sink.py"), &["--events"]);
    let server = format!("127.0.0.1:{}", peer.port());
    let provider = Provider::with_contacts(&["repo@example.org"]);
    let mut random = 20_261_118_u64;
    let mut mails = Vec::new();
    for day in 0..i8::try_from(KILL_COUNT).unwrap() {
        // A page is broken on even days and works again on odd days.
        if day % 2 == 0 {
            provider.remove_page("a.test", "/2");
        } else {
            provider.web.host("a.test").page("/2", 200, "<title>Back</title><p>Back again");
        }
        let url = provider.record_url(2);
        provider.harvest_on_day(day, &["run"]).exits(0);
        provider.harvest_on_day(day, &["recheck", PROVIDER, &url]).exits(0);
        // Pseudorandom numbers (linear congruential generator of Knuth, MMIX).
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let event = KILL_EVENTS[usize::try_from(random >> 33).unwrap() % KILL_EVENTS.len()];
        mails.extend(kill_at(&provider, &mut peer, &server, day, event));
    }
    // The runs of the next days send the remaining mails. The last mail marks the end of the
    // events.
    for day in [40, 41, 42] {
        provider.harvest_at(&time(day), &send_flags(&server)).exits(0);
    }
    send_last_mail(&server);
    mails.extend(accepted_mails(&mut peer, "mark@example.org"));
    check_mails(&mails);
}

/// Checks that each day's notification is in one mail, and that mails with the same `Message-ID`
/// have the same text.
fn check_mails(mails: &[Value]) {
    let mut texts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for mail in mails {
        let (id, text) = (mail["id"].as_str().unwrap(), mail["text"].as_str().unwrap());
        texts.entry(id).or_default().insert(text);
    }
    for (id, versions) in &texts {
        assert_eq!(versions.len(), 1, "{id} was sent with different texts: {versions:?}");
    }
    for day in 0..i8::try_from(KILL_COUNT).unwrap() {
        let date = time(day).split('T').next().unwrap().to_owned();
        let phrase = match day % 2 {
            0 => format!("to be broken on {date}"),
            _ => format!("as found on\n{date}"),
        };
        let has_phrase = |text: &&str| text.replace("\r\n", "\n").contains(&phrase);
        let ids: Vec<_> = texts.iter().filter(|(_, texts)| texts.iter().any(has_phrase)).collect();
        assert_eq!(ids.len(), 1, "day {day}: {ids:?}");
    }
}

/// Sends a mail that marks the end of the events.
fn send_last_mail(server: &str) {
    use std::io::{BufRead as _, BufReader, Write as _};
    let mut stream = std::net::TcpStream::connect(server).unwrap();
    let mut replies = BufReader::new(stream.try_clone().unwrap()).lines();
    replies.next().unwrap().unwrap();
    for line in ["HELO x", "MAIL FROM:<a@x>", "RCPT TO:<mark@example.org>", "DATA", "\r\nx\r\n."] {
        stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
        replies.next().unwrap().unwrap();
    }
}

#[test]
fn mail_is_encrypted_if_the_server_requires_it() {
    let provider = Provider::with_contacts(&["repo@example.org"]);
    let certificate = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    provider.sandbox.write("ca.pem", &certificate.cert.pem());
    provider.sandbox.write("key.pem", &certificate.signing_key.serialize_pem());
    let file = |name: &str| provider.sandbox.path(name).display().to_string();
    let args = ["--tls", &file("ca.pem"), &file("key.pem")];
    let mut peer = Peer::start(include_str!("smtp_sink.py"), &args);
    let server = format!("127.0.0.1:{}", peer.port());
    provider.remove_page("a.test", "/2");
    provider.run_on_day(0);
    // The server refuses mail without encryption. The program refuses an unknown certificate.
    let refused = provider.harvest(&send_flags(&server)).exits(1).stdout;
    assert!(refused.contains("STARTTLS"), "{refused}");
    let flags = ["mail", "--send", "--smtp", &server, "--mail-from", "service@example.org"];
    provider.remove_page("a.test", "/3");
    provider.run_on_day(7);
    let refused = provider.harvest_at(&time(8), &flags).exits(1).stdout;
    assert!(refused.contains("will be sent again"), "{refused}");
    let mut flags = flags.to_vec();
    flags.extend(["--smtp-ca", "ca.pem"]);
    let sent = provider.harvest_at(&time(8), &flags).exits(0).stdout;
    assert!(sent.starts_with("repo@example.org: sent: "), "{sent}");
    let mail: Value = serde_json::from_str(&peer.line()).unwrap();
    assert_eq!(mail["state"], "250");
    assert_eq!(mail["is_encrypted"].as_bool(), Some(true));
}

#[test]
fn mail_states_whether_records_were_removed_from_the_search() {
    let provider = Provider::with_contacts(&["repo@example.org"]);
    provider.add_record("two", &["/20", "/21"]);
    provider.restore_page("a.test", "/21");
    provider.remove_page("a.test", "/20");
    provider.remove_page("a.test", "/2");
    for day in [0, 7, 30] {
        provider.run_on_day(day);
    }
    provider.remove_page("a.test", "/3");
    provider.harvest_on_day(31, &["recheck", PROVIDER, &provider.record_url(3)]).exits(0);
    assert_eq!(provider.hidden_records(), ["oai:a.test:2"]);
    for path in ["/2", "/20"] {
        provider.restore_page("a.test", path);
    }
    // The provider changes the URL of record 3.
    provider.records.lock().unwrap()[3].url = String::from(provider.web.host("a.test").url("/21"));
    provider.run_on_day(33);
    let text = provider.harvest(&["mail"]).exits(0).stdout;
    let section = |start: &str| {
        let text = text.split_once(start).unwrap_or_else(|| panic!("no `{start}` in {text}")).1;
        text.split_once("\n(").unwrap().0.to_owned()
    };
    let hidden = section("removed from the search on\n2026-01-31");
    assert!(hidden.contains("oai:a.test:2") && !hidden.contains("two"), "{hidden}");
    let left_out = section("left out of their records since\n2026-01-31");
    assert!(left_out.contains("two") && !left_out.contains("oai:a.test:2"), "{left_out}");
    let restored = section("part of the search again since\n2026-02-03");
    assert!(restored.contains("oai:a.test:2") && !restored.contains("two"), "{restored}");
    let repaired = section("as found on\n2026-02-03");
    assert!(repaired.contains("two") && repaired.contains("Title of oai:a.test:3"), "{repaired}");
}
