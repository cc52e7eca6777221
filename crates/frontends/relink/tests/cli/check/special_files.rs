//! Devices, pipes and sockets where a file is expected.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::Value;

use crate::desk::{CHECK, Desk, QUICK, Said};

const DEVICE: &str = "it cannot be read: it is a character device, not a regular file";

/// The problems of a check, each as `path: text`, and its output.
fn problems(desk: &Desk, inputs: &[&str]) -> (Vec<String>, Said) {
    let args = [CHECK, QUICK, &["--offline", "--format", "json"], inputs].concat();
    let said = desk.run(&args);
    let report: Value = serde_json::from_str(&said.stdout).unwrap_or_default();
    let rows = report["problems"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let told = rows.iter().map(|row| format!("{}: {}", text(&row["path"]), text(&row["text"])));
    (told.collect(), said)
}

/// A project with a document, and a symbolic link to a device.
fn desk(link: &str) -> Desk {
    let desk = Desk::new();
    desk.write("docs/a.md", "[b](b.md)\n").write("docs/b.md", "");
    symlink("/dev/null", desk.path(link)).unwrap();
    desk
}

#[test]
fn check_directory_with_symlink_to_device_reports_a_problem() {
    let desk = desk("docs/null.md");
    let (told, said) = problems(&desk, &["docs"]);
    assert_eq!(told, [format!("docs/null.md: {DEVICE}")]);
    assert_eq!(said.exit, 0);
}

#[test]
fn check_symlink_to_device_among_named_files_reports_a_problem() {
    let desk = desk("docs/null.md");
    let (told, said) = problems(&desk, &["docs/a.md", "docs/null.md"]);
    assert_eq!(told, [format!("docs/null.md: {DEVICE}")]);
    assert_eq!(said.exit, 0);
}

#[test]
fn check_symlink_to_device_alone_exits_2() {
    let desk = desk("docs/null.md");
    desk.check(&["docs/null.md"]).fails(2, &["docs/null.md", "a character device"]);
}

#[test]
fn check_anchor_in_symlink_to_device_reports_a_problem() {
    let desk = desk("docs/null.html");
    desk.write("docs/a.md", "[x](null.html#y) [z](null.html#z) [n](null.html)\n");
    let (told, said) = problems(&desk, &["docs/a.md"]);
    assert_eq!(told, [format!("docs/null.html: {DEVICE}")]);
    assert_eq!(said.exit, 0, "{said:?}");
}

#[test]
fn extract_symlink_to_device_reports_a_problem() {
    let desk = desk("docs/null.md");
    for inputs in [&["docs"][..], &["docs/a.md", "docs/null.md"]] {
        let said = desk.run(&[&["extract"], inputs].concat()).exits(0);
        let expect = "problem: docs/null.md: cannot be read: it is a character device";
        assert!(said.stderr.starts_with(expect), "{}", said.stderr);
    }
}

#[test]
fn survey_catalog_that_is_a_symlink_to_device_exits_2() {
    let desk = desk("list.csv");
    let said = desk.run(&["survey", "list.csv", "--db", "relink.db"]);
    said.fails(2, &["list.csv", "a character device"]);
}

#[test]
fn project_config_that_is_a_symlink_to_device_exits_2() {
    let desk = desk("relink.toml");
    desk.check(&["docs/a.md"]).fails(2, &["relink.toml", "a character device"]);
}

#[test]
fn interrupt_while_a_pipe_sends_nothing_exits_130() {
    let desk = desk("docs/null.md");
    let pipe = desk.path("pipe.md");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let running = desk.start(&["--offline", "pipe.md"]);
    // Returns once the pipe is open for reading.
    let writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    running.interrupt();
    running.finish().exits(130);
    drop(writer);
}

#[test]
fn check_process_substitution_reads_the_pipe() {
    let desk = desk("docs/null.md");
    let program = env!("CARGO_BIN_EXE_relink");
    let check = format!("'{program}' check --offline --db relink.db --format jsonl");
    for input in ["<(printf '[b](gone.md)')", "/dev/stdin < docs/list", "- < docs/list"] {
        desk.write("docs/list", "[b](gone.md)\n");
        let line = format!("{check} --as markdown {input}");
        let said = Said::of(&desk.tame(Command::new("bash"), &["-c", &line]).output().unwrap());
        assert_eq!(said.exits(1).rows().urls(), ["gone.md"], "{input}");
    }
}

#[test]
fn paths_that_are_not_utf8_are_checked_and_reported() {
    use std::os::unix::ffi::OsStrExt as _;

    let desk = Desk::new();
    let name = |bytes: &'static [u8]| std::ffi::OsStr::from_bytes(bytes);
    let folder = desk.path("").join(name(b"d\xff"));
    std::fs::create_dir(&folder).unwrap();
    for (file, text) in
        [(&b"\xfe.md"[..], "[a](gone.md) [o](#nope)"), (b"\xff.md", "[a](gone2.md)")]
    {
        std::fs::write(folder.join(name(file)), text).unwrap();
    }
    let named = [name(b"d\xff/\xfe.md"), name(b"d\xff/\xff.md")];
    for inputs in [vec![name(b"d\xff")], vec![name(b".")], named.to_vec()] {
        let mut command = desk.command(&["check", "--offline", "--db", "relink.db"]);
        command.args(["--format", "json", "--fresh"]).args(&inputs);
        let said = Said::of(&command.output().unwrap()).exits(1);
        let report: Value = serde_json::from_str(&said.stdout).unwrap();
        let targets = report["targets"].as_array().unwrap();
        assert_eq!(targets.len(), 3, "{inputs:?}: {said:?}");
        let path = targets[0]["places"][0]["path"].as_str().unwrap();
        assert!(path.starts_with("d\u{fffd}/"), "{path}");
        assert_eq!(report["summary"]["documents"], 2, "{inputs:?}");
        let mut command = desk.command(&["extract"]);
        let said = Said::of(&command.args(&inputs).output().unwrap()).exits(0);
        assert_eq!(said.stdout.lines().count(), 3, "{inputs:?}");
    }
}
