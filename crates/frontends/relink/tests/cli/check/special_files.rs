//! Devices, pipes and sockets where a file is expected.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::Value;

use crate::sandbox::{CHECK, CommandOutput, NO_DELAYS, Sandbox};

/// The problem of a device file.
const DEVICE: &str = "cannot be read: it is a character device, not a regular file";

/// Returns the problems of a check, each as `path: text`, and its output.
fn check_problems(sandbox: &Sandbox, inputs: &[&str]) -> (Vec<String>, CommandOutput) {
    let args = [CHECK, NO_DELAYS, &["--offline", "--format", "json"], inputs].concat();
    let result = sandbox.run(&args);
    let report: Value = serde_json::from_str(&result.stdout).unwrap_or_default();
    let rows = report["problems"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let problems = rows.iter().map(|row| format!("{}: {}", text(&row["path"]), text(&row["text"])));
    (problems.collect(), result)
}

/// Creates a project with two documents and a symbolic link to a device at `link`.
fn sandbox_with_device(link: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "[b](b.md)\n").write("docs/b.md", "");
    symlink("/dev/null", sandbox.path(link)).unwrap();
    sandbox
}

#[test]
fn check_directory_with_symlink_to_device_reports_a_problem() {
    let sandbox = sandbox_with_device("docs/null.md");
    let (problems, result) = check_problems(&sandbox, &["docs"]);
    assert_eq!(problems, [format!("docs/null.md: {DEVICE}")]);
    assert_eq!(result.exit_code, 0);
}

#[test]
fn check_symlink_to_device_among_named_files_reports_a_problem() {
    let sandbox = sandbox_with_device("docs/null.md");
    let (problems, result) = check_problems(&sandbox, &["docs/a.md", "docs/null.md"]);
    assert_eq!(problems, [format!("docs/null.md: {DEVICE}")]);
    assert_eq!(result.exit_code, 0);
}

#[test]
fn check_symlink_to_device_alone_exits_2() {
    let sandbox = sandbox_with_device("docs/null.md");
    sandbox.check(&["docs/null.md"]).fails(2, &["docs/null.md", "a character device"]);
}

#[test]
fn check_anchor_in_symlink_to_device_reports_a_problem() {
    let sandbox = sandbox_with_device("docs/null.html");
    sandbox.write("docs/a.md", "[x](null.html#y) [z](null.html#z) [n](null.html)\n");
    let (problems, result) = check_problems(&sandbox, &["docs/a.md"]);
    assert_eq!(problems, [format!("docs/null.html: {DEVICE}")]);
    assert_eq!(result.exit_code, 0, "{result:?}");
}

#[test]
fn extract_symlink_to_device_reports_a_problem() {
    let sandbox = sandbox_with_device("docs/null.md");
    for inputs in [&["docs"][..], &["docs/a.md", "docs/null.md"]] {
        let result = sandbox.run(&[&["extract"], inputs].concat()).exits(0);
        let expected = "warning: docs/null.md: cannot be read: it is a character device";
        assert!(result.stderr.starts_with(expected), "{}", result.stderr);
    }
}

#[test]
fn survey_catalog_that_is_a_symlink_to_device_exits_2() {
    let sandbox = sandbox_with_device("list.csv");
    let result = sandbox.run(&["survey", "list.csv", "--db", "relink.db"]);
    result.fails(2, &["list.csv", "a character device"]);
}

#[test]
fn project_config_that_is_a_symlink_to_device_exits_2() {
    let sandbox = sandbox_with_device("relink.toml");
    sandbox.check(&["docs/a.md"]).fails(2, &["relink.toml", "a character device"]);
}

#[test]
fn interrupt_while_a_pipe_sends_nothing_exits_130() {
    let sandbox = Sandbox::new();
    let pipe = sandbox.path("pipe.md");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let running = sandbox.spawn_check(&["--offline", "pipe.md"]);
    // Opening the pipe for writing waits until Relink has opened it for reading.
    let writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    running.interrupt();
    running.finish().exits(130);
    drop(writer);
}

/// Checks `input`, which is written as in a shell, and asserts that its broken link is found.
#[track_caller]
fn check_shell_input(input: &str) {
    let sandbox = Sandbox::new();
    sandbox.write("document", "[b](gone.md)\n");
    let relink = env!("CARGO_BIN_EXE_relink");
    let line =
        format!("'{relink}' check --offline --db relink.db --format jsonl --as markdown {input}");
    let mut shell = sandbox.isolated(Command::new("bash"), &["-c", &line]);
    let result = CommandOutput::new(&shell.output().unwrap());
    assert_eq!(result.exits(1).rows().urls(), ["gone.md"], "{input}");
}

#[test]
fn process_substitution_is_read() {
    check_shell_input("<(printf '[b](gone.md)')");
}

#[test]
fn redirected_standard_input_is_read() {
    check_shell_input("/dev/stdin < document");
    check_shell_input("- < document");
}

#[test]
fn paths_that_are_not_utf8_are_checked_and_reported() {
    use std::os::unix::ffi::OsStrExt as _;

    let sandbox = Sandbox::new();
    // The bytes FE and FF do not occur in UTF-8.
    let name = |bytes: &'static [u8]| std::ffi::OsStr::from_bytes(bytes);
    let directory_name = name(b"d\xff");
    let dir = sandbox.path("").join(directory_name);
    std::fs::create_dir(&dir).unwrap();
    for (file, text) in
        [(&b"\xfe.md"[..], "[a](gone.md) [o](#nope)"), (b"\xff.md", "[a](gone2.md)")]
    {
        std::fs::write(dir.join(name(file)), text).unwrap();
    }
    let files = [name(b"d\xff/\xfe.md"), name(b"d\xff/\xff.md")];
    // The inputs are the directory, its parent, or the files.
    for inputs in [vec![directory_name], vec![name(b".")], files.to_vec()] {
        let mut command = sandbox.command(&["check", "--offline", "--db", "relink.db"]);
        command.args(["--format", "json", "--fresh"]).args(&inputs);
        let result = CommandOutput::new(&command.output().unwrap()).exits(1);
        let report: Value = serde_json::from_str(&result.stdout).unwrap();
        let targets = report["targets"].as_array().unwrap();
        assert_eq!(targets.len(), 3, "{inputs:?}: {result:?}");
        let path = targets[0]["locations"][0]["path"].as_str().unwrap();
        assert!(path.starts_with("d\u{fffd}/"), "{path}");
        assert_eq!(report["summary"]["documents"], 2, "{inputs:?}");
        let mut command = sandbox.command(&["extract"]);
        let result = CommandOutput::new(&command.args(&inputs).output().unwrap()).exits(0);
        assert_eq!(result.stdout.lines().count(), 3, "{inputs:?}");
    }
}
