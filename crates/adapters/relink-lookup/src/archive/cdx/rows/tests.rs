//! The forms of an index, good and bad.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use proptest::prelude::*;

use super::*;

/// An answer in short: time, status and URL of each row, then what else is to
/// be said.
fn told(bytes: &[u8], limit: usize, is_cut: bool) -> String {
    let Some(answer) = read(bytes, limit, is_cut) else { return "no index".to_owned() };
    let part = |field: &Option<String>| field.clone().unwrap_or("-".to_owned());
    let mut told: Vec<_> = answer
        .rows
        .iter()
        .map(|row| [part(&row.time), part(&row.status), part(&row.url)].join(" "))
        .collect();
    told.extend((answer.skipped > 0).then(|| format!("skipped {}", answer.skipped)));
    told.extend(answer.is_truncated.then(|| "cut".to_owned()));
    told.extend(answer.resume.map(|key| format!("resume {key}")));
    told.join(" | ")
}

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(told(text.as_bytes(), 100, false), expect);
}

const IN_COLUMNS: &str = r#"[["urlkey","timestamp","original","mimetype","statuscode","digest","length"],
["org,example)/a","2015","http://example.org/a","text/html","200","AAAA","512"],
["org,example)/a","2016","http://example.org/a","warc/revisit","-","AAAA","300"]"#;

#[test]
fn the_array_of_the_internet_archive_is_read_by_its_header() {
    let rows = "2015 200 http://example.org/a | 2016 - http://example.org/a";
    check(&format!("{IN_COLUMNS}]"), rows);
    let resumed = format!("{IN_COLUMNS},\n[],\n[\"org%2Cexample%29%2Fa+2016\"]]");
    check(&resumed, &format!("{rows} | resume org%2Cexample%29%2Fa+2016"));
    check(r#"[["timestamp","statuscode"],[2015,301]]"#, "2015 301 -");
}

#[test]
fn json_lines_and_cdxj_say_the_same() {
    let object = r#"{"url": "http://example.org/a", "status": "301", "mime": "unk"}"#;
    check(&format!("org,example)/a 2015 {object}\n"), "2015 301 http://example.org/a");
    let line = object.replace('{', r#"{"timestamp": "2015", "urlkey": "org,example)/a", "#);
    check(
        &format!("{line}\n{line}\n"),
        "2015 301 http://example.org/a | 2015 301 http://example.org/a",
    );
}

#[test]
fn columns_between_spaces_are_read_by_their_header_or_in_the_usual_order() {
    check(
        "org,example)/a 2015 http://example.org/a text/html 404 AAAA 5",
        "2015 404 http://example.org/a",
    );
    let classic = " CDX N b a m s k r M S V g\n\
                   org,example)/a 2015 http://example.org/a text/html 301 AAAA /b - 5 0 a.warc.gz\n";
    check(classic, "2015 301 http://example.org/a");
    let row = read(classic.as_bytes(), 1, false).unwrap().rows.remove(0);
    let expect = (Some("/b".to_owned()), Some("a.warc.gz".to_owned()), Some("0".to_owned()));
    assert_eq!((row.redirect, row.file, row.offset), expect);
}

#[test]
fn nothing_is_an_answer() {
    for text in ["", "\n", "[]", " [ ]\n"] {
        check(text, "");
    }
}

#[test]
fn what_is_no_index_is_refused() {
    for text in [
        "<!doctype html><title>Wayback</title>\n<p>down",
        "org.archive.util.io.RuntimeIOException: Blocked",
        "{\"error\": {\"message\": \"no\"}",
        "[1, 2, 3]",
        "[[\"timestamp\"], {\"a\": 1}, [true]]",
        "\0\0\0",
    ] {
        check(text, "no index");
    }
}

#[test]
fn bad_rows_among_good_ones_are_counted() {
    let mixed = format!("{IN_COLUMNS},[\"too\",\"short\"],[[]],{{\"a\":[1,2]}}]");
    check(&mixed, "2015 200 http://example.org/a | 2016 - http://example.org/a | skipped 3");
    check(
        "{\"timestamp\": \"2015\"}\nnoise\n{\"timestamp\": \"2016\"}",
        "2015 - - | 2016 - - | skipped 1",
    );
}

#[test]
fn a_cut_answer_gives_its_whole_rows() {
    let cut = &IN_COLUMNS[..IN_COLUMNS.len() - 20];
    check(cut, "2015 200 http://example.org/a | cut");
    let lines = b"{\"timestamp\": \"2015\"}\n{\"timestamp\": \"20";
    assert_eq!(told(lines, 100, true), "2015 - - | cut");
}

#[test]
fn no_more_rows_are_kept_than_asked_for() {
    assert_eq!(
        told(format!("{IN_COLUMNS}]").as_bytes(), 1, false),
        "2015 200 http://example.org/a | cut"
    );
    let lines = "{\"timestamp\": \"2015\"}\n".repeat(1000);
    assert_eq!(told(lines.as_bytes(), 1, false), "2015 - - | cut");
}

#[test]
fn a_line_of_megabytes_is_passed_over() {
    let long = format!("{{\"url\": \"{}\"}}\n{{\"timestamp\": \"2015\"}}\n", "x".repeat(10 << 20));
    check(&long, "2015 - - | skipped 1");
    let nested = format!("[[\"timestamp\"],{}", "[".repeat(1 << 20));
    check(&nested, "cut");
}

proptest! {
    #[test]
    fn no_answer_is_a_fault(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes, 5, false);
    }

    #[test]
    fn no_cut_or_change_of_a_good_answer_is_a_fault(at in 0..IN_COLUMNS.len(), byte: u8) {
        let mut bytes = IN_COLUMNS.as_bytes().to_vec();
        bytes[at] = byte;
        let _ = (read(&bytes, 5, false), read(&bytes[..at], 5, true));
    }
}
