//! `relink fix` on a tree of 500 documents in six formats.
//!
//! Each document has links to moved pages (`/m/…`), live pages (`/live/…`) and, in
//! code and comments, URLs that are not links (`/c/…`). The expected result is a
//! text replacement, so every byte outside of the links is compared.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use relink_testkit::web::{CannedResponse, TestServer};

use super::{PAGE, run_fix, undo_id};
use crate::sandbox::Sandbox;

/// Number of documents.
const DOCUMENT_COUNT: usize = 500;
/// Number of moved pages. Many documents link to the same one.
const MOVED_COUNT: usize = 40;

/// Starts a server with moved and live pages.
fn start_server() -> TestServer {
    let web = TestServer::start_blocking();
    for number in 0..MOVED_COUNT {
        web.redirect(&format!("/m/{number}"), 301, &format!("/n/{number}/page(x)?a=1&b=2"));
        web.respond(&format!("/n/{number}/page(x)?a=1&b=2"), CannedResponse::new(200, PAGE));
    }
    web.page("/live/a", 200, PAGE);
    web
}

/// Returns the name and the text of a document.
fn document(root: &str, number: usize) -> (String, String) {
    let page = |offset: usize| format!("{root}m/{}", (number * 7 + offset) % MOVED_COUNT);
    // The URLs of three different moved pages, of a live page, and of a page in code.
    let [first, second, third] = [page(0), page(3), page(11)];
    let live = format!("{root}live/a");
    let code = format!("{root}c/{number}");
    let (extension, text) = match number % 6 {
        0 => (
            "md",
            format!(
                "# Ä title {number}\n\nSee [one *two*]({first} \"a title\"), <{second}> and [x][r].\n\n\
                 | a | b |\n|---|---|\n| [c]({third}) | `{code}` |\n\n[r]: {second}\n\n\
                 ```sh\ncurl {code}\n```\n\n![i]({live})\n"
            ),
        ),
        1 => (
            "html",
            format!(
                "<!doctype html>\n<title>é</title>\n<p><a href=\"{first}\">a</a>\n\
                 <a\n  title='x' href='{second}'>b</a> <!-- {code} -->\n<pre>{code}</pre>\n\
                 <img src=\"{live}\">\n"
            ),
        ),
        2 => (
            "rst",
            format!(
                "Title\n=====\n\nA `link <{first}>`_ and {second} here.\n\n.. _name: {third}\n\n\
                 See name_.\n\n.. code-block:: sh\n\n   curl {code}\n"
            ),
        ),
        3 => (
            "adoc",
            format!(
                "= Title\n\nA {first}[label] and link:{second}[other], {live}[x].\n\n\
                 ----\ncurl {code}\n----\n"
            ),
        ),
        4 => (
            "wiki",
            format!(
                "== Title ==\nA [{first} label] and {{{{cite web|url={second}|title=x}}}}.\n\
                 <nowiki>[{code} x]</nowiki> <!-- {code} -->\n"
            ),
        ),
        _ => ("txt", format!("Title {number}\n\n{first}\nand {second}, too.\n")),
    };
    let directory = ["guide", "a b", "ünï"][number % 3];
    (format!("tree/{directory}/d{number}.{extension}"), text)
}

/// Encodes a document. Documents differ in their line endings and encodings: UTF-8 with or without
/// a byte order mark, and UTF-16.
fn encode(number: usize, text: &str) -> Vec<u8> {
    let text = if number.is_multiple_of(5) { text.replace('\n', "\r\n") } else { text.to_owned() };
    let text = if number.is_multiple_of(7) { text.trim_end() } else { &text };
    match number % 11 {
        3 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        4 => [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
        _ => text.as_bytes().to_vec(),
    }
}

/// Returns the expected text after all repairs.
fn repaired(root: &str, name: &str, text: &str) -> String {
    let mut text = text.to_owned();
    // Replace longer numbers first, because `/m/1` is a prefix of `/m/12`.
    for number in (0..MOVED_COUNT).rev() {
        let is_html = name.rsplit('.').next() == Some("html");
        let ampersand = if is_html { "&amp;" } else { "&" };
        let new = format!("{root}n/{number}/page(x)?a=1{ampersand}b=2");
        text = text.replace(&format!("{root}m/{number}"), &new);
    }
    text
}

/// Reads files of the project.
fn read_files(sandbox: &Sandbox, names: &[String]) -> BTreeMap<String, Vec<u8>> {
    names.iter().map(|name| (name.clone(), fs::read(sandbox.path(name)).unwrap())).collect()
}

#[test]
fn tree_of_500_documents_is_repaired_byte_for_byte() {
    let (web, sandbox) = (start_server(), Sandbox::new());
    let root = web.url("/").to_string();
    let mut names = Vec::new();
    let mut expected = BTreeMap::new();
    for number in 0..DOCUMENT_COUNT {
        let (name, text) = document(&root, number);
        sandbox.write(&name, "");
        fs::write(sandbox.path(&name), encode(number, &text)).unwrap();
        expected.insert(name.clone(), encode(number, &repaired(&root, &name, &text)));
        names.push(name);
    }
    let before = read_files(&sandbox, &names);

    let args = ["tree", "--robust", "none", "-o", "x.patch"];
    run_fix(&sandbox, &args).exits(1);
    let output = run_fix(&sandbox, &["tree", "--robust", "none", "--apply"]).exits(0);
    let applied = read_files(&sandbox, &names);
    for (name, bytes) in &applied {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(bytes), text(&expected[name]), "{name}: {}", output.stderr);
        assert_eq!(bytes, &expected[name], "{name}");
    }

    let second = run_fix(&sandbox, &["tree", "--robust", "none"]).exits(0);
    assert_eq!(second.stdout, "", "{}", second.stderr);
    sandbox.run(&["fix", "--undo", &undo_id(&output)]).exits(0);
    assert_eq!(read_files(&sandbox, &names), before);

    // Git applies the patch with the same result, except for files with NUL bytes (UTF-16),
    // which are not in the patch.
    let git_succeeds = |args: &[&str]| {
        Command::new("git").args(args).current_dir(sandbox.path("")).status().unwrap().success()
    };
    assert!(git_succeeds(&["init", "-q"]) && git_succeeds(&["apply", "x.patch"]));
    for (name, bytes) in read_files(&sandbox, &names) {
        let has_nul = before[&name].contains(&0);
        let expected = if has_nul { &before[&name] } else { &applied[&name] };
        assert_eq!(bytes, *expected, "{name}");
    }
}
