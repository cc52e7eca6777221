//! Tests with valid and invalid index formats.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use proptest::prelude::*;

use super::*;

/// Summarizes a response in parts separated by ` | `: time, status and URL of each row,
/// then `skipped N`, `truncated` and `resume KEY` if they apply.
fn summarize(bytes: &[u8], limit: usize, is_truncated: bool) -> String {
    let Some(response) = parse(bytes, limit, is_truncated) else { return "invalid".to_owned() };
    let part = |field: &Option<String>| field.clone().unwrap_or("-".to_owned());
    let mut parts: Vec<_> = response
        .rows
        .iter()
        .map(|row| [part(&row.time), part(&row.status), part(&row.url)].join(" "))
        .collect();
    parts.extend((response.skipped > 0).then(|| format!("skipped {}", response.skipped)));
    parts.extend(response.is_truncated.then(|| "truncated".to_owned()));
    parts.extend(response.resume_key.map(|key| format!("resume {key}")));
    parts.join(" | ")
}

/// Checks the summary of a response.
#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(summarize(text.as_bytes(), 100, false), expect);
}

const ARRAY_RESPONSE: &str = r#"[["urlkey","timestamp","original","mimetype","statuscode","digest","length"],
["org,example)/a","2015","http://example.org/a","text/html","200","AAAA","512"],
["org,example)/a","2016","http://example.org/a","warc/revisit","-","AAAA","300"]"#;

#[test]
fn parse_reads_arrays_with_header() {
    let rows = "2015 200 http://example.org/a | 2016 - http://example.org/a";
    check(&format!("{ARRAY_RESPONSE}]"), rows);
    let resumed = format!("{ARRAY_RESPONSE},\n[],\n[\"org%2Cexample%29%2Fa+2016\"]]");
    check(&resumed, &format!("{rows} | resume org%2Cexample%29%2Fa+2016"));
    check(r#"[["timestamp","statuscode"],[2015,301]]"#, "2015 301 -");
}

#[test]
fn parse_reads_json_lines_and_cdxj() {
    let object = r#"{"url": "http://example.org/a", "status": "301", "mime": "unk"}"#;
    check(&format!("org,example)/a 2015 {object}\n"), "2015 301 http://example.org/a");
    let line = object.replace('{', r#"{"timestamp": "2015", "urlkey": "org,example)/a", "#);
    check(
        &format!("{line}\n{line}\n"),
        "2015 301 http://example.org/a | 2015 301 http://example.org/a",
    );
}

#[test]
fn parse_reads_columns_with_and_without_header() {
    check(
        "org,example)/a 2015 http://example.org/a text/html 404 AAAA 5",
        "2015 404 http://example.org/a",
    );
    // The classic header names each column by a letter.
    let classic = " CDX N b a m s k r M S V g\n\
                   org,example)/a 2015 http://example.org/a text/html 301 AAAA /b - 5 0 a.warc.gz\n";
    check(classic, "2015 301 http://example.org/a");
    let row = parse(classic.as_bytes(), 1, false).unwrap().rows.remove(0);
    let expect = (Some("/b".to_owned()), Some("a.warc.gz".to_owned()), Some("0".to_owned()));
    assert_eq!((row.redirect, row.file, row.offset), expect);
}

#[test]
fn parse_accepts_empty_responses() {
    for text in ["", "\n", "[]", " [ ]\n"] {
        check(text, "");
    }
}

#[test]
fn parse_rejects_other_formats() {
    for text in [
        "<!doctype html><title>Wayback</title>\n<p>down",
        "org.archive.util.io.RuntimeIOException: Blocked",
        "{\"error\": {\"message\": \"no\"}",
        "[1, 2, 3]",
        "[[\"timestamp\"], {\"a\": 1}, [true]]",
        "\0\0\0",
    ] {
        check(text, "invalid");
    }
}

#[test]
fn parse_counts_invalid_rows() {
    let mixed = format!("{ARRAY_RESPONSE},[\"too\",\"short\"],[[]],{{\"a\":[1,2]}}]");
    check(&mixed, "2015 200 http://example.org/a | 2016 - http://example.org/a | skipped 3");
    check(
        "{\"timestamp\": \"2015\"}\nnoise\n{\"timestamp\": \"2016\"}",
        "2015 - - | 2016 - - | skipped 1",
    );
}

#[test]
fn parse_returns_complete_rows_of_truncated_response() {
    let cut_response = &ARRAY_RESPONSE[..ARRAY_RESPONSE.len() - 20];
    check(cut_response, "2015 200 http://example.org/a | truncated");
    let lines = b"{\"timestamp\": \"2015\"}\n{\"timestamp\": \"20";
    assert_eq!(summarize(lines, 100, true), "2015 - - | truncated");
}

#[test]
fn parse_returns_at_most_limit_rows() {
    assert_eq!(
        summarize(format!("{ARRAY_RESPONSE}]").as_bytes(), 1, false),
        "2015 200 http://example.org/a | truncated"
    );
    let lines = "{\"timestamp\": \"2015\"}\n".repeat(1000);
    assert_eq!(summarize(lines.as_bytes(), 1, false), "2015 - - | truncated");
}

#[test]
fn parse_skips_overlong_lines() {
    let long = format!("{{\"url\": \"{}\"}}\n{{\"timestamp\": \"2015\"}}\n", "x".repeat(10 << 20));
    check(&long, "2015 - - | skipped 1");
    let nested = format!("[[\"timestamp\"],{}", "[".repeat(1 << 20));
    check(&nested, "truncated");
}

proptest! {
    #[test]
    fn parse_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = parse(&bytes, 5, false);
    }

    #[test]
    fn parse_never_panics_on_damaged_response(at in 0..ARRAY_RESPONSE.len(), byte: u8) {
        let mut bytes = ARRAY_RESPONSE.as_bytes().to_vec();
        bytes[at] = byte;
        let _ = (parse(&bytes, 5, false), parse(&bytes[..at], 5, true));
    }
}
