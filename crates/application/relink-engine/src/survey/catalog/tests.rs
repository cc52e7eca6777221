//! Tests of catalog parsing.

use super::*;

/// Returns the fields that the user selected for the URL and the domain.
fn fields(url: Option<&str>, domain: Option<&str>) -> CatalogFields {
    let owned = |name: Option<&str>| name.map(str::to_owned);
    CatalogFields { url: owned(url), domain: owned(domain), ..CatalogFields::default() }
}

/// Returns `line domain url` of each URL, and the number of problems.
fn parse_to_text(label: &str, text: &str, fields: &CatalogFields) -> Result<String, String> {
    let loaded =
        parse(label, text.as_bytes().to_vec(), fields).map_err(|error| error.to_string())?;
    let catalog = &loaded.catalog;
    let mut urls: Vec<UrlId> = catalog.urls().collect();
    urls.sort_by_key(|url| catalog.position(*url));
    let line = |url: UrlId| {
        let domain = catalog.domain_of(catalog.directory_of(url));
        let line = loaded.location(url).line;
        format!("{line} {} {}\n", catalog.domain_name(domain), catalog.url(url))
    };
    let lines: String = urls.into_iter().map(line).collect();
    Ok(format!("{lines}{} problems", loaded.problem_count))
}

/// Checks the URLs of a catalog without selected fields; see [`parse_to_text`].
#[track_caller]
fn check(label: &str, text: &str, expected: &str) {
    assert_eq!(parse_to_text(label, text, &CatalogFields::default()), Ok(expected.to_owned()));
}

#[test]
fn table_columns_are_detected_by_header_or_content() {
    let by_header = "2 a http://a.test/1\n3 b http://b.test/\n0 problems";
    check("x.csv", "domain,url\na,http://a.test/1\nb,http://b.test\n", by_header);
    let by_host = "2 a.test http://a.test/1\n0 problems";
    check("x.tsv", "name\twhere\nA\thttp://a.test/1\n", by_host);
    let without_names = "1 a.test http://a.test/1\n2 b.test http://b.test/\n0 problems";
    check("x.csv", "A,http://a.test/1\nB,http://b.test/\n", without_names);
    check("x.csv", "http://a.test/1\n", "1 a.test http://a.test/1\n0 problems");
}

#[test]
fn invalid_entries_are_counted_and_duplicates_dropped() {
    let text = "url\nhttp://a.test/1\nHTTP://A.test/1#x\nmailto:a@b.test\nnothing\n";
    check("x.csv", text, "2 a.test http://a.test/1\n2 problems");
    check("x.txt", "http://a.test/1\nhttp://a.test/1\n", "1 a.test http://a.test/1\n0 problems");
}

#[test]
fn json_lines_are_parsed() {
    let text = "{\"url\":\"http://a.test/1\",\"domain\":\"A\"}\n\n{\"x\":1}\noops\n";
    check("x.jsonl", text, "1 A http://a.test/1\n2 problems");
}

#[test]
fn columns_are_selected_by_name_or_number() {
    let text = "id,Provider,place\n1,p,http://a.test/1\n";
    let expected = Ok("2 p http://a.test/1\n0 problems".to_owned());
    assert_eq!(parse_to_text("x.csv", text, &fields(Some("PLACE"), Some("provider"))), expected);
    assert_eq!(parse_to_text("x.csv", text, &fields(Some("3"), Some("2"))), expected);
}

#[test]
fn missing_column_is_an_error() {
    let text = "domain,url\na,http://a.test/1\n";
    let error = Err("`x.csv` has no column `uri`".to_owned());
    assert_eq!(parse_to_text("x.csv", text, &fields(Some("uri"), None)), error);
    let error = Err("`x.csv` has no column `9`".to_owned());
    assert_eq!(parse_to_text("x.csv", text, &fields(None, Some("9"))), error);
    let error = Err("no column of `x.csv` contains URLs".to_owned());
    assert_eq!(parse_to_text("x.csv", "a,b\n1,2\n", &CatalogFields::default()), error);
    let error = Err("`x.jsonl` has no column `uri`".to_owned());
    assert_eq!(
        parse_to_text("x.jsonl", "{\"url\":\"http://a.test\"}", &fields(Some("uri"), None)),
        error
    );
}

#[test]
fn ground_truth_is_read_if_present() {
    let text = "url,broken\nhttp://a.test/1,0\nhttp://a.test/2,1\nhttp://a.test/3,yes\n";
    let loaded = parse("x.csv", text.as_bytes().to_vec(), &CatalogFields::default()).unwrap();
    assert!(loaded.has_ground_truth());
    assert_eq!(loaded.ground_truth(), [UrlHealth::Alive, UrlHealth::Broken, UrlHealth::Broken]);
    let loaded = parse("x.csv", b"url\nhttp://a.test/\n".to_vec(), &CatalogFields::default());
    assert!(!loaded.unwrap().has_ground_truth());
}

#[test]
fn ground_truth_that_is_empty_for_one_url_is_incomplete() {
    for (label, text) in [
        ("x.csv", "url,broken\nhttp://a.test/1,\nhttp://a.test/2,1\n"),
        ("x.jsonl", "{\"url\":\"http://a.test/1\",\"dead\":null}\n"),
        ("x.jsonl", "{\"url\":\"http://a.test/1\",\"dead\":\" \"}\n"),
    ] {
        let loaded = parse(label, text.as_bytes().to_vec(), &CatalogFields::default()).unwrap();
        assert!(!loaded.has_ground_truth(), "{text}");
    }
}
