//! Tests of the styles that depend on the format: bare URLs, templates, tables, bookmarks,
//! robust links, restored pages.

use relink_page::links;

use super::super::*;
use super::{OLD, check_second_link, edit, second_link_style};
use crate::link_edit::CopyDetails;
use crate::table_columns::ColumnValues;

#[test]
fn second_link_is_written_behind_bare_urls_and_templates() {
    use DocumentFormat::{AsciiDoc, Rst, Wikitext};
    const NEW: &str = "https://example.org/new?a=1&b=2";
    for (format, document) in [
        (Wikitext, "a http://example.org/old b"),
        (Wikitext, "<ref>{{cite web|url=http://example.org/old|title=A}}</ref>"),
        (Rst, "see http://example.org/old now\n"),
        (AsciiDoc, "see http://example.org/old now\n"),
    ] {
        // The text that is added, and the text after which it is added.
        let (added_text, text_before) = match format {
            Rst => (format!(" (`new location <{NEW}>`__)"), "/old"),
            AsciiDoc => (format!(" ({NEW}[new location])"), "/old"),
            _ if document.contains("{{") => (format!(" ([{NEW} new location])"), "}}"),
            _ => (format!(" ([{NEW} new location])"), "/old"),
        };
        check_second_link(
            format,
            document,
            &document.replacen(text_before, &format!("{text_before}{added_text}"), 1),
        );
    }
}

/// Edits every link to `OLD`, and checks that a second edit changes nothing.
#[track_caller]
fn check_style(format: DocumentFormat, document: &str, style: &EditStyle, expect: &str) {
    let rewritten = edit(format, document.as_bytes(), "https://example.org/new", style);
    assert_eq!(String::from_utf8_lossy(&rewritten.bytes), expect, "{:?}", rewritten.refused);
    let second = edit(format, &rewritten.bytes, "https://example.org/new", style);
    assert_eq!(second.edits, [], "{expect}");
}

#[test]
fn dead_link_is_marked_once() {
    let style = EditStyle::Mark("{{dead link|date=May 2026|bot=Relink}}".into());
    check_style(
        DocumentFormat::Wikitext,
        "a [http://example.org/old b], <ref>{{cite web|url=http://example.org/old}}</ref>",
        &style,
        "a [http://example.org/old b]{{dead link|date=May 2026|bot=Relink}}, \
         <ref>{{cite web|url=http://example.org/old}}{{dead link|date=May 2026|bot=Relink}}</ref>",
    );
    let other = edit(DocumentFormat::Markdown, b"<http://example.org/old>", "", &style);
    assert_eq!(other.refused[0].reason, Refusal::NoRoom);
}

/// Returns the style that writes a new URL and its confidence into columns.
fn column_style() -> EditStyle {
    EditStyle::Columns(ColumnValues {
        new_url: Some("https://example.org/a,b".into()),
        archive_url: None,
        confidence: Some("0.97".into()),
    })
}

#[test]
fn new_urls_are_written_into_columns_of_a_table() {
    check_style(
        DocumentFormat::Csv,
        "name,url\r\na,http://example.org/old\r\n\r\n\"b\"\"c\",\"x\"\r\n",
        &column_style(),
        "name,url,new_url,archive_url,confidence\r\n\
         a,http://example.org/old,\"https://example.org/a,b\",,0.97\r\n\r\n\
         \"b\"\"c\",\"x\",,,\r\n",
    );
    check_style(
        DocumentFormat::Csv,
        "name;url\na;\"http://example.org/old\"",
        &column_style(),
        "name;url;new_url;archive_url;confidence\n\
         a;\"http://example.org/old\";https://example.org/a,b;;0.97",
    );
}

#[test]
fn existing_columns_of_a_table_are_filled() {
    check_style(
        DocumentFormat::Tsv,
        "url\tnew_url\tarchive_url\tconfidence\nhttp://example.org/old\t\t\t\n",
        &column_style(),
        "url\tnew_url\tarchive_url\tconfidence\n\
         http://example.org/old\thttps://example.org/a,b\t\t0.97\n",
    );
    let document = b"http://example.org/old,a\n";
    let rewritten = edit(DocumentFormat::Csv, document, "", &column_style());
    assert_eq!(rewritten.refused[0].reason, Refusal::NoRoom);
}

#[test]
fn bookmark_gets_attributes_instead_of_a_second_link() {
    const HEAD: &str = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><DT>";
    check_style(
        DocumentFormat::Html,
        &format!("{HEAD}<A HREF=\"http://example.org/old\" ADD_DATE=\"1\">a</A>"),
        &second_link_style(),
        &format!(
            "{HEAD}<A HREF=\"http://example.org/old\" data-newurl=\"https://example.org/new\" \
             ADD_DATE=\"1\">a</A>"
        ),
    );
    let copy = CopyDetails { date: "2021-03-02".into(), url_status: "dead" };
    check_style(
        DocumentFormat::Html,
        &format!("{HEAD}<A HREF='http://example.org/old'>a</A>"),
        &EditStyle::SecondLink { label: "archived copy".into(), copy: Some(copy) },
        &format!(
            "{HEAD}<A HREF='http://example.org/old' data-versionurl=\"https://example.org/new\" \
             data-versiondate=\"2021-03-02\">a</A>"
        ),
    );
}

#[test]
fn robust_link_keeps_its_url() {
    let version = PageVersion { url: "https://a.test/1".into(), date: "2021-03-02".into() };
    let attributes = "data-originalurl=\"http://example.org/old\" \
                      data-versionurl=\"https://a.test/1\" data-versiondate=\"2021-03-02\"";
    for (before, after) in [
        ("<a class=x href=\"http://example.org/old\"", " id=y>a</a>"),
        ("<a href='http://example.org/old'", ">a</a>"),
        ("<a href=http://example.org/old", ">a</a>"),
    ] {
        check_style(
            DocumentFormat::Html,
            &format!("{before}{after}"),
            &EditStyle::Annotate(version.clone()),
            &format!("{before} {attributes}{after}"),
        );
    }
}

/// Restores the link to the archived copy of `OLD`, and asserts the new document. `COPY` in the
/// documents is the URL of the copy.
#[track_caller]
fn check_restored(format: DocumentFormat, document: &str, expect: &str) {
    const COPY: &str = "https://web.archive.test/web/20210302000000/http://example.org/old";
    let document = document.replace("COPY", COPY);
    let found = links(format, document.as_bytes()).links;
    let link = found.iter().find(|link| link.target.text() == COPY).unwrap();
    let request = LinkEdit {
        location: link.location,
        old_url: COPY.into(),
        new_url: OLD.into(),
        style: EditStyle::Restore,
    };
    let rewritten = rewrite(format, &Options::default(), document.as_bytes(), &[request]);
    let text = String::from_utf8_lossy(&rewritten.bytes).into_owned();
    assert_eq!(text, expect.replace("COPY", COPY), "{:?}", rewritten.refused);
}

#[test]
fn archived_copy_is_removed_if_the_page_works_again() {
    use DocumentFormat::{Html, Markdown, Wikitext};
    check_restored(
        Markdown,
        "[a](http://example.org/old) ([archived copy](COPY)), b",
        "[a](http://example.org/old), b",
    );
    check_restored(Markdown, "[a](COPY), b", "[a](http://example.org/old), b");
    check_restored(Html, "<a href=\"COPY\">a</a>", "<a href=\"http://example.org/old\">a</a>");
    check_restored(
        Wikitext,
        "{{cite web|url=http://example.org/old|archive-url=COPY|url-status = dead |x=y}}",
        "{{cite web|url=http://example.org/old|archive-url=COPY|url-status = live |x=y}}",
    );
}

/// Replaces the first link of a document by `one` and all others by `other`.
fn replace_each(format: DocumentFormat, document: &str, one: &str, other: &str) -> String {
    let found = links(format, document.as_bytes()).links;
    let request = |(index, link): (usize, &Link)| LinkEdit {
        location: link.location,
        old_url: canonicalize(None, link.target.text()).unwrap().to_string(),
        new_url: if index == 0 { one.to_owned() } else { other.to_owned() },
        style: EditStyle::Replace,
    };
    let requested: Vec<LinkEdit> = found.iter().enumerate().map(request).collect();
    let rewritten = rewrite(format, &Options::default(), document.as_bytes(), &requested);
    String::from_utf8(rewritten.bytes).unwrap()
}

#[test]
fn link_that_cannot_be_written_does_not_block_other_links() {
    const NEW: &str = "https://example.org/new";
    let text = replace_each(
        DocumentFormat::Markdown,
        "[x](http://example.org/x) [b](http://example.org/old) <http://example.org/old>\n",
        "https://example.org/nw/a)b(c",
        NEW,
    );
    assert!(text.ends_with(&format!("[b]({NEW}) <{NEW}>\n")), "{text}");
    let text = replace_each(
        DocumentFormat::AsciiDoc,
        ":base: http://example.org\n\n{base}/ad6[six] and http://example.org/old[b]\n",
        NEW,
        NEW,
    );
    assert!(text.ends_with(&format!("and {NEW}[b]\n")), "{text}");
    // The second link would become a part of the first link.
    let text = replace_each(
        DocumentFormat::Markdown,
        "[a](http://example.org/a) [b](http://example.org/b)\n",
        "https://example.org/ c",
        NEW,
    );
    assert!(text.ends_with(&format!("[b]({NEW})\n")), "{text}");
}

/// Checks why a second link is not written.
#[track_caller]
fn check_refused(format: DocumentFormat, document: &str, reason: Refusal) {
    let rewritten =
        edit(format, document.as_bytes(), "https://example.org/new", &second_link_style());
    let reasons: Vec<Refusal> = rewritten.refused.iter().map(|refused| refused.reason).collect();
    assert_eq!(reasons, [reason], "{document}");
    assert_eq!(rewritten.bytes, document.as_bytes());
}

#[test]
fn second_link_in_a_heading_is_refused() {
    use DocumentFormat::{AsciiDoc, Markdown, Rst, Wikitext};
    check_refused(Markdown, "## The [oak](http://example.org/old)\n", Refusal::Heading);
    check_refused(Markdown, "The [oak](http://example.org/old)\n====\n", Refusal::Heading);
    check_refused(AsciiDoc, "== The http://example.org/old[oak]\n", Refusal::Heading);
    check_refused(Rst, "http://example.org/old\n======================\n", Refusal::Heading);
    check_refused(Wikitext, "== [http://example.org/old oak] ==\n", Refusal::Heading);
}

#[test]
fn second_link_in_the_parameter_of_a_file_is_refused() {
    let document = "[[File:x.png|link=http://example.org/old]]\n";
    check_refused(DocumentFormat::Wikitext, document, Refusal::NoRoom);
}

#[test]
fn second_link_is_written_behind_angle_brackets() {
    check_second_link(
        DocumentFormat::AsciiDoc,
        "see <http://example.org/old> now\n",
        "see <http://example.org/old> (https://example.org/new?a=1&b=2[new location]) now\n",
    );
}

#[test]
fn unnamed_parameter_gets_its_number_if_the_url_has_an_equals_sign() {
    let text = "{{official website|http://example.org/old}} {{x|a|b=c| http://example.org/old}}";
    let replaced = edit(
        DocumentFormat::Wikitext,
        text.as_bytes(),
        "https://example.org/?a=1",
        &EditStyle::Replace,
    );
    assert_eq!(
        String::from_utf8(replaced.bytes).unwrap(),
        "{{official website|1=https://example.org/?a=1}} {{x|a|b=c| 2=https://example.org/?a=1}}"
    );
}

#[test]
fn archived_copy_that_replaces_a_citation_is_written_into_parameters() {
    let copy = CopyDetails { date: "2021-03-02".into(), url_status: "dead" };
    let style = EditStyle::ReplaceByCopy(copy);
    check_style(
        DocumentFormat::Wikitext,
        "{{cite web|url=http://example.org/old}} [http://example.org/old b]",
        &style,
        "{{cite web|url=http://example.org/old|archive-url=https://example.org/new\
         |archive-date=2021-03-02|url-status=dead}} [https://example.org/new b]",
    );
}

#[test]
fn second_link_in_a_row_of_a_table_is_refused() {
    let text = "home,docs\nhttp://example.org/old,http://example.org/old\n";
    let rewritten = edit(DocumentFormat::Csv, text.as_bytes(), "", &column_style());
    assert_eq!(rewritten.refused.len(), 1);
    assert_eq!(rewritten.refused[0].reason, Refusal::SecondInRow);
    assert_eq!(rewritten.edits.len(), 2);
}

#[test]
fn link_in_xml_gets_no_attributes() {
    let text = "<?xml version=\"1.0\"?>\n<r><a href=\"http://example.org/old\">x</a></r>\n";
    let style = EditStyle::ReplaceAndKeep(None);
    let rewritten = edit(DocumentFormat::Xml, text.as_bytes(), "https://a.test/", &style);
    assert_eq!(String::from_utf8(rewritten.bytes).unwrap(), text.replace(OLD, "https://a.test/"));
}
