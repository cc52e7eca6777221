//! `relink extract`.

use std::io::Write as _;
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::desk::{Desk, Said};

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Extracts from standard input.
fn extract_stdin(input: &str, args: &[&str]) -> Said {
    let desk = Desk::new();
    let mut command = desk.command(&[&["extract", "-"], args].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    Said::of(&child.wait_with_output().unwrap())
}

#[test]
fn a_row_says_where_a_link_stands_how_it_is_written_and_what_it_means() {
    let desk = Desk::new();
    desk.write("docs/a.md", "é [x](<a&amp;b.md> \"t\")\r\n\r\n<mailto:a@b.test>\r\n");
    let rows = desk.run(&["extract", "--format", "jsonl", "docs"]).exits(0).rows().0;
    let expect = json!([
        {
            "schema": 1, "path": "docs/a.md", "line": 1, "column": 8, "start": 8, "end": 18,
            "raw": "a&amp;b.md", "target": "a&b.md", "kind": "link", "skipped": null,
            "malformed": null,
        },
        {
            "schema": 1, "path": "docs/a.md", "line": 3, "column": 2, "start": 29, "end": 44,
            "raw": "mailto:a@b.test", "target": "mailto:a@b.test", "kind": "autolink",
            "skipped": "scheme", "malformed": null,
        },
    ]);
    assert_eq!(Value::from(rows), expect);
}

#[test]
fn people_get_a_line_for_each_link() {
    let desk = Desk::new();
    desk.write("a.md", "[x](y)\n`https://a.test/`\n").write("b.rst", "`x <https://127.0.0.1/>`_\n");
    let said = desk.run(&["extract", "b.rst", "a.md"]).exits(0);
    assert_eq!(
        said.stdout,
        "b.rst:1:5 link https://127.0.0.1/\n\
         a.md:1:5 link y\n\
         a.md:2:2 bare https://a.test/ (skipped: code)\n"
    );
    assert_eq!(said.stderr, "");
}

#[test]
fn a_document_holds_links_problems_and_sums() {
    let desk = Desk::new();
    desk.write("a.md", "[x](y) [z](mailto:z@a.test)\n").write("b.md", "\0\0\0");
    let said = desk.run(&["extract", "--format", "json", "a.md", "b.md"]).exits(0);
    let report: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(report["links"].as_array().unwrap().len(), 2);
    assert_eq!(report["problems"][0]["path"], "b.md");
    let sums = json!({"documents": 2, "links": 2, "skipped": 1, "problems": 1});
    assert_eq!(report["summary"], sums);
    desk.write("none.md", "words\n");
    let said = desk.run(&["extract", "--format", "json", "none.md"]).exits(0);
    assert_eq!(serde_json::from_str::<Value>(&said.stdout).unwrap()["links"], json!([]));
}

#[test]
fn the_format_is_told_by_name_by_content_or_by_the_user() {
    let bare = "https://a.test/x\n";
    assert_eq!(extract_stdin(bare, &[]).exits(0).stdout, "-:1:1 line https://a.test/x\n");
    let html = "<p>see <a href='x'>";
    assert_eq!(extract_stdin(html, &[]).exits(0).stdout, "");
    assert_eq!(extract_stdin(html, &["--as", "html"]).exits(0).stdout, "-:1:17 link x\n");
    let said = extract_stdin("", &["--as", "word"]).exits(2);
    assert!(said.stderr.contains("markdown, html"), "{}", said.stderr);
}

#[test]
fn a_column_of_a_table_holds_the_addresses() {
    let desk = Desk::new();
    desk.write("a.csv", "id,old,new\n1,https://a.test/,https://127.0.0.1/\n");
    for column in ["new", "3"] {
        let said = desk.run(&["extract", "--column", column, "a.csv"]).exits(0);
        assert_eq!(said.stdout, "a.csv:2:19 value https://127.0.0.1/\n");
    }
}

#[test]
fn packed_files_are_unpacked_and_a_torn_one_gives_what_it_has() {
    let desk = Desk::new();
    std::fs::write(desk.path("a.md.gz"), packed("[x](y)")).unwrap();
    let addresses = (0..50_000_u32).map(|n| n.wrapping_mul(2_654_435_761));
    let list: Vec<String> = addresses.map(|n| format!("https://127.0.0.1/{n}")).collect();
    let list = list.join("\n");
    let whole = packed(&list);
    std::fs::write(desk.path("b.txt.gz"), &whole[..whole.len() / 2]).unwrap();
    let said = desk.run(&["extract", "."]).exits(0);
    assert!(said.stdout.starts_with("a.md.gz:1:5 link y\nb.txt.gz:1:1 line https://127.0.0.1/0\n"));
    assert!(said.stdout.lines().count() > 10_000);
    assert!(said.stderr.starts_with("problem: b.txt.gz: the gzip data ends early"));
    assert_eq!(desk.run(&["extract", "-q", "."]).exits(0).stderr, "");
}

#[test]
fn what_cannot_be_read_is_told_beside_the_rest() {
    let desk = Desk::new();
    desk.write("a.md", "[x](y)");
    let said = desk.run(&["extract", "gone.md", "a.md", "./a.md", "no/*.md"]).exits(0);
    assert_eq!(said.stdout, "a.md:1:5 link y\n");
    assert_eq!(said.stderr.lines().count(), 2, "{}", said.stderr);
    desk.run(&["extract", "gone.md"]).fails(2, &["gone.md", "no such file"]);
    desk.run(&["extract", "--format", "json", "gone.md"]).fails(2, &["gone.md"]);
    desk.run(&["extract", "https://a.test/"]).fails(2, &["nothing is fetched"]);
}

#[test]
fn ignored_files_are_left_out_of_a_walk() {
    let desk = Desk::new();
    desk.write(".gitignore", "out/\n").write("out/a.md", "[x](y)").write("b.md", "[x](z)");
    assert_eq!(desk.run(&["extract", "."]).exits(0).stdout, "b.md:1:5 link z\n");
}

#[test]
fn a_reader_who_has_had_enough_is_no_fault() {
    let desk = Desk::new();
    desk.write("a.md", &"[x](y)\n".repeat(200_000));
    let mut command = desk.command(&["extract", "a.md"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let said = Said::of(&child.wait_with_output().unwrap()).exits(0);
    assert_eq!(said.stderr, "");
}

#[test]
fn the_order_is_that_of_the_walk_however_many_work_on_it() {
    let desk = Desk::new();
    let mut expect = Vec::new();
    for n in 100..400 {
        desk.write(&format!("d/{n}.md"), &"[x](y)\n".repeat(n % 50));
        expect.extend((1..=n % 50).map(|line| format!("d/{n}.md:{line}:5 link y\n")));
    }
    let expect = expect.concat();
    assert_eq!(desk.run(&["extract", "d"]).exits(0).stdout, expect);
}

#[test]
fn names_for_examples_are_skipped_in_files_and_meant_on_standard_input() {
    let desk = Desk::new();
    desk.write(
        "a.md",
        "[a](https://docs.example.org/) [b](//c.test) [c](https://example.org.uk/)\n",
    );
    let said = desk.run(&["extract", "a.md"]).exits(0);
    assert_eq!(
        said.stdout,
        "a.md:1:5 link https://docs.example.org/ (skipped: reserved)\n\
         a.md:1:36 link //c.test (skipped: reserved)\n\
         a.md:1:50 link https://example.org.uk/\n"
    );
    let said = extract_stdin("https://docs.example.org/\n", &[]).exits(0);
    assert_eq!(said.stdout, "-:1:1 line https://docs.example.org/\n");
}

#[test]
fn more_comes_in_on_standard_input_than_is_held() {
    let line = "https://127.0.0.1/a\n";
    let input = format!("{}{line}", format!("# {}\n", "-".repeat(60_000)).repeat(300));
    let said = extract_stdin(&input, &["--as", "list"]).exits(0);
    assert_eq!(said.stdout, "-:301:1 line https://127.0.0.1/a\n");
}

#[test]
fn extract_and_check_read_the_same_list_with_nul_bytes() {
    let desk = Desk::new();
    for name in ["urls", "urls.txt", "urls.md"] {
        desk.write(name, "http://exa mple/\n\0\0\n<http://b ad/>\nhttps://a.test/x\n");
        let extracted = desk.run(&["extract", "--format", "jsonl", name]).exits(0);
        assert!(extracted.stdout.contains("https://a.test/x"), "{name}: {extracted:?}");
        let problem = format!("problem: {name}: it may not be text");
        let checked = desk.check(&["--offline", name]);
        for said in [extracted, checked] {
            assert!(said.stderr.starts_with(&problem), "{name}: {said:?}");
        }
    }
}
