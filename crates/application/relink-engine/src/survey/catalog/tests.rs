//! What is read from which catalog.

use super::*;

fn named(url: Option<&str>, domain: Option<&str>) -> CatalogFields {
    let owned = |name: Option<&str>| name.map(str::to_owned);
    CatalogFields { url: owned(url), domain: owned(domain), ..CatalogFields::default() }
}

/// `domain url` of each, in order, and how many problems there were.
fn told(label: &str, text: &str, fields: &CatalogFields) -> Result<String, String> {
    let read = parse(label, text.as_bytes().to_vec(), fields).map_err(|it| it.to_string())?;
    let catalog = &read.catalog;
    let mut urls: Vec<UrlId> = catalog.urls().collect();
    urls.sort_by_key(|url| catalog.position(*url));
    let line = |url: UrlId| {
        let domain = catalog.domain_of(catalog.directory_of(url));
        let line = read.place(url).line;
        format!("{line} {} {}\n", catalog.domain_name(domain), catalog.url(url))
    };
    let lines: String = urls.into_iter().map(line).collect();
    Ok(format!("{lines}{} problems", read.problem_count))
}

#[track_caller]
fn check(label: &str, text: &str, expect: &str) {
    assert_eq!(told(label, text, &CatalogFields::default()), Ok(expect.to_owned()));
}

#[test]
fn a_table_names_its_columns_or_shows_them() {
    let expect = "2 a http://a.test/1\n3 b http://b.test/\n0 problems";
    check("x.csv", "domain,url\na,http://a.test/1\nb,http://b.test\n", expect);
    let by_host = "2 a.test http://a.test/1\n0 problems";
    check("x.tsv", "name\twhere\nA\thttp://a.test/1\n", by_host);
    let without_names = "1 a.test http://a.test/1\n2 b.test http://b.test/\n0 problems";
    check("x.csv", "A,http://a.test/1\nB,http://b.test/\n", without_names);
    check("x.csv", "http://a.test/1\n", "1 a.test http://a.test/1\n0 problems");
}

#[test]
fn what_is_no_web_address_is_counted_and_a_repetition_left_out() {
    let text = "url\nhttp://a.test/1\nHTTP://A.test/1#x\nmailto:a@b.test\nnothing\n";
    check("x.csv", text, "2 a.test http://a.test/1\n2 problems");
    check("x.txt", "http://a.test/1\nhttp://a.test/1\n", "1 a.test http://a.test/1\n0 problems");
}

#[test]
fn lines_of_json_are_records() {
    let text = "{\"url\":\"http://a.test/1\",\"domain\":\"A\"}\n\n{\"x\":1}\noops\n";
    check("x.jsonl", text, "1 A http://a.test/1\n2 problems");
}

#[test]
fn columns_go_by_name_or_number() {
    let text = "id,Provider,place\n1,p,http://a.test/1\n";
    let expect = Ok("2 p http://a.test/1\n0 problems".to_owned());
    assert_eq!(told("x.csv", text, &named(Some("PLACE"), Some("provider"))), expect);
    assert_eq!(told("x.csv", text, &named(Some("3"), Some("2"))), expect);
}

#[test]
fn a_column_that_is_not_there_is_a_fault() {
    let text = "domain,url\na,http://a.test/1\n";
    let error = Err("`x.csv` has no column `uri`".to_owned());
    assert_eq!(told("x.csv", text, &named(Some("uri"), None)), error);
    let error = Err("`x.csv` has no column `9`".to_owned());
    assert_eq!(told("x.csv", text, &named(None, Some("9"))), error);
    let error = Err("no column of `x.csv` holds addresses".to_owned());
    assert_eq!(told("x.csv", "a,b\n1,2\n", &CatalogFields::default()), error);
    let error = Err("`x.jsonl` has no column `uri`".to_owned());
    assert_eq!(told("x.jsonl", "{\"url\":\"http://a.test\"}", &named(Some("uri"), None)), error);
}

#[test]
fn the_truth_is_read_where_it_is_told() {
    let text = "url,broken\nhttp://a.test/1,0\nhttp://a.test/2,1\nhttp://a.test/3,yes\n";
    let read = parse("x.csv", text.as_bytes().to_vec(), &CatalogFields::default()).unwrap();
    assert!(read.has_truth());
    assert_eq!(read.truth(), [UrlHealth::Alive, UrlHealth::Broken, UrlHealth::Broken]);
    let read = parse("x.csv", b"url\nhttp://a.test/\n".to_vec(), &CatalogFields::default());
    assert!(!read.unwrap().has_truth());
}
