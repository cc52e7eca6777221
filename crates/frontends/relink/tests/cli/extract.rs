//! `relink extract`.

use std::io::Write as _;
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::sandbox::{CommandOutput, Sandbox};

/// Compresses a text.
fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Runs `relink extract -` with `input` on standard input.
fn extract_stdin(input: &str, args: &[&str]) -> CommandOutput {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&[&["extract", "-"], args].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    CommandOutput::new(&child.wait_with_output().unwrap())
}

#[test]
fn row_has_location_text_and_target_of_a_link() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a.md", "é [x](<a&amp;b.md> \"t\")\r\n\r\n<mailto:a@b.test>\r\n");
    let rows = sandbox.run(&["extract", "--format", "jsonl", "docs"]).exits(0).rows().results;
    let expected = json!([
        {
            "schema": 2, "path": "docs/a.md", "line": 1, "column": 8, "start": 8, "end": 18,
            "raw": "a&amp;b.md", "target": "a&b.md", "kind": "hyperlink", "skipped": null,
            "malformed": null,
        },
        {
            "schema": 2, "path": "docs/a.md", "line": 3, "column": 2, "start": 29, "end": 44,
            "raw": "mailto:a@b.test", "target": "mailto:a@b.test", "kind": "autolink",
            "skipped": "scheme", "malformed": null,
        },
    ]);
    assert_eq!(Value::from(rows), expected);
}

#[test]
fn human_output_has_one_line_per_link() {
    let sandbox = Sandbox::new();
    sandbox
        .write("a.md", "[x](y)\n`https://a.test/`\n")
        .write("b.rst", "`x <https://127.0.0.1/>`_\n");
    let output = sandbox.run(&["extract", "b.rst", "a.md"]).exits(0);
    assert_eq!(
        output.stdout,
        "b.rst:1:5 hyperlink https://127.0.0.1/\n\
         a.md:1:5 hyperlink y\n\
         a.md:2:2 bare-url https://a.test/ (skipped: code)\n"
    );
    assert_eq!(output.stderr, "");
}

#[test]
fn json_document_has_links_problems_and_totals() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "[x](y) [z](mailto:z@a.test)\n").write("b.md", "\0\0\0");
    let output = sandbox.run(&["extract", "--format", "json", "a.md", "b.md"]).exits(0);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["links"].as_array().unwrap().len(), 2);
    assert_eq!(report["problems"][0]["path"], "b.md");
    let totals = json!({"documents": 2, "links": 2, "skipped": 1, "problems": 1});
    assert_eq!(report["summary"], totals);
    sandbox.write("none.md", "words\n");
    let output = sandbox.run(&["extract", "--format", "json", "none.md"]).exits(0);
    assert_eq!(serde_json::from_str::<Value>(&output.stdout).unwrap()["links"], json!([]));
}

#[test]
fn format_is_detected_by_name_or_content_or_given_by_flag() {
    // Standard input is a list of URLs by default.
    let list = "https://a.test/x\n";
    assert_eq!(extract_stdin(list, &[]).exits(0).stdout, "-:1:1 list-entry https://a.test/x\n");
    let html = "<p>see <a href='x'>";
    assert_eq!(extract_stdin(html, &[]).exits(0).stdout, "");
    assert_eq!(extract_stdin(html, &["--as", "html"]).exits(0).stdout, "-:1:17 hyperlink x\n");
    let output = extract_stdin("", &["--as", "word"]).exits(2);
    assert!(output.stderr.contains("markdown, html"), "{}", output.stderr);
}

#[test]
fn column_flag_selects_the_urls_of_a_table() {
    let sandbox = Sandbox::new();
    sandbox.write("a.csv", "id,old,new\n1,https://a.test/,https://127.0.0.1/\n");
    for column in ["new", "3"] {
        let output = sandbox.run(&["extract", "--column", column, "a.csv"]).exits(0);
        assert_eq!(output.stdout, "a.csv:2:19 value https://127.0.0.1/\n");
    }
}

#[test]
fn compressed_files_are_read_and_truncated_files_are_read_in_part() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("a.md.gz"), gzip("[x](y)")).unwrap();
    // The numbers are spread over the range of u32. They compress badly, so that the first half
    // of the compressed data contains many of them.
    let numbers = (0..50_000_u32).map(|index| index.wrapping_mul(2_654_435_761));
    let urls: Vec<String> = numbers.map(|number| format!("https://127.0.0.1/{number}")).collect();
    let compressed = gzip(&urls.join("\n"));
    std::fs::write(sandbox.path("b.txt.gz"), &compressed[..compressed.len() / 2]).unwrap();
    let output = sandbox.run(&["extract", "."]).exits(0);
    assert!(
        output
            .stdout
            .starts_with("a.md.gz:1:5 hyperlink y\nb.txt.gz:1:1 list-entry https://127.0.0.1/0\n")
    );
    assert!(output.stdout.lines().count() > 10_000);
    assert!(output.stderr.starts_with("warning: b.txt.gz: the gzip data is truncated"));
    assert_eq!(sandbox.run(&["extract", "-q", "."]).exits(0).stderr, "");
}

#[test]
fn unreadable_files_are_reported_with_the_other_results() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "[x](y)");
    let output = sandbox.run(&["extract", "gone.md", "a.md", "./a.md", "no/*.md"]).exits(0);
    assert_eq!(output.stdout, "a.md:1:5 hyperlink y\n");
    assert_eq!(output.stderr.lines().count(), 2, "{}", output.stderr);
    sandbox.run(&["extract", "gone.md"]).fails(2, &["gone.md", "no such file"]);
    sandbox.run(&["extract", "--format", "json", "gone.md"]).fails(2, &["gone.md"]);
    sandbox.run(&["extract", "https://a.test/"]).fails(2, &["sends no requests"]);
}

#[test]
fn ignored_files_are_skipped() {
    let sandbox = Sandbox::new();
    sandbox.write(".gitignore", "out/\n").write("out/a.md", "[x](y)").write("b.md", "[x](z)");
    assert_eq!(sandbox.run(&["extract", "."]).exits(0).stdout, "b.md:1:5 hyperlink z\n");
}

#[test]
fn closed_pipe_is_not_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", &"[x](y)\n".repeat(200_000));
    let mut command = sandbox.command(&["extract", "a.md"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = CommandOutput::new(&child.wait_with_output().unwrap()).exits(0);
    assert_eq!(output.stderr, "");
}

#[test]
fn output_of_many_files_is_in_the_order_of_their_names() {
    let sandbox = Sandbox::new();
    let mut expected = Vec::new();
    for number in 100..400 {
        let links = number % 50;
        sandbox.write(&format!("d/{number}.md"), &"[x](y)\n".repeat(links));
        expected.extend((1..=links).map(|line| format!("d/{number}.md:{line}:5 hyperlink y\n")));
    }
    let expected = expected.concat();
    assert_eq!(sandbox.run(&["extract", "d"]).exits(0).stdout, expected);
}

#[test]
fn reserved_names_are_skipped_in_files_but_not_on_standard_input() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.md",
        "[a](https://docs.example.org/) [b](//c.test) [c](https://example.org.uk/)\n",
    );
    let output = sandbox.run(&["extract", "a.md"]).exits(0);
    assert_eq!(
        output.stdout,
        "a.md:1:5 hyperlink https://docs.example.org/ (skipped: reserved)\n\
         a.md:1:36 hyperlink //c.test (skipped: reserved)\n\
         a.md:1:50 hyperlink https://example.org.uk/\n"
    );
    let output = extract_stdin("https://docs.example.org/\n", &[]).exits(0);
    assert_eq!(output.stdout, "-:1:1 list-entry https://docs.example.org/\n");
}

#[test]
fn standard_input_larger_than_the_buffer_is_spooled() {
    let line = "https://127.0.0.1/a\n";
    let input = format!("{}{line}", format!("# {}\n", "-".repeat(60_000)).repeat(300));
    let output = extract_stdin(&input, &["--as", "list"]).exits(0);
    assert_eq!(output.stdout, "-:301:1 list-entry https://127.0.0.1/a\n");
}

#[test]
fn list_with_nul_bytes_is_read_with_a_warning_by_extract_and_check() {
    let sandbox = Sandbox::new();
    for name in ["urls", "urls.txt", "urls.md"] {
        sandbox.write(name, "http://exa mple/\n\0\0\n<http://b ad/>\nhttps://a.test/x\n");
        let extracted = sandbox.run(&["extract", "--format", "jsonl", name]).exits(0);
        assert!(extracted.stdout.contains("https://a.test/x"), "{name}: {extracted:?}");
        let problem = format!("warning: {name}: may not be text");
        let checked = sandbox.check(&["--offline", name]);
        for output in [extracted, checked] {
            assert!(output.stderr.starts_with(&problem), "{name}: {output:?}");
        }
    }
}
