//! The links of documents: the output of `relink extract`.
//!
//! An extraction can have millions of rows, so each row is written directly into a buffer,
//! without serde. [`LinkRow`] defines the members of a row. Secrets are masked in `raw` and
//! `target`. A tool that edits a link therefore reads the bytes `start..end` from the document.

use std::io::Write as _;

use relink_model::{Link, LinkKind, LinkTarget, SkipReason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json_string::{push_number, push_string};
use crate::{Redacted, SCHEMA, Tool, printable, redact, redact_prose, schema};

/// One link of a document: its location, its text and its target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkRow<'a> {
    /// The version of this format.
    pub schema: u32,
    /// The path of the document; `-` is standard input.
    pub path: Redacted<'a>,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The offset of the first byte of the link destination in the decompressed
    /// document.
    pub start: usize,
    /// The offset after the last byte of the link destination.
    pub end: usize,
    /// The destination as written, with secrets masked.
    pub raw: Redacted<'a>,
    /// The target URL or path, with entities and escapes decoded and secrets
    /// masked. It is not normalized and not resolved against a base URL.
    pub target: Redacted<'a>,
    /// The kind of link.
    #[schemars(schema_with = "schema::link_kind")]
    pub kind: LinkKind,
    /// The reason why the link is not checked, or null.
    #[schemars(schema_with = "schema::skip_reason")]
    pub skipped: Option<SkipReason>,
    /// The reason why the destination is not a valid URL, or null.
    pub malformed: Option<Redacted<'a>>,
}

/// A problem with a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractProblemRow<'a> {
    /// The path of the document; `-` is standard input.
    pub path: Redacted<'a>,
    /// The line, from 1, or null if the problem concerns the whole document.
    pub line: Option<u32>,
    /// A description of the problem.
    pub text: Redacted<'a>,
}

/// The links of all documents as one JSON document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkReport<'a> {
    /// The version of this format.
    pub schema: u32,
    /// The program that wrote the report.
    pub tool: Tool<'a>,
    /// Every link, in the order of the documents.
    pub links: Vec<LinkRow<'a>>,
    /// The members after the links.
    #[serde(flatten)]
    pub tail: LinkReportTail<'a>,
}

/// The members of a [`LinkReport`] after its links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkReportTail<'a> {
    /// The problems with documents.
    pub problems: Vec<ExtractProblemRow<'a>>,
    /// The totals.
    pub summary: LinkSummary,
}

/// The totals of an extraction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkSummary {
    /// Documents read.
    pub documents: u64,
    /// Links found, including skipped ones.
    pub links: u64,
    /// Links that are skipped.
    pub skipped: u64,
    /// Problems found, including those that are not listed.
    pub problems: u64,
}

/// The output format of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkFormat {
    /// A line of text.
    Human,
    /// A line of JSON.
    JsonLine,
    /// An element of a JSON array, preceded by a comma.
    JsonMember,
}

/// A writer for the links of one document.
#[derive(Debug)]
pub struct LinkWriter {
    format: LinkFormat,
    /// The part of a row that is the same for all links of the document.
    prefix: Vec<u8>,
}

impl LinkWriter {
    /// Creates a writer for the links of the document at `path`.
    pub fn new(format: LinkFormat, path: &str) -> Self {
        let mut prefix = Vec::new();
        match format {
            LinkFormat::Human => prefix.extend_from_slice(printable(&redact(path)).as_bytes()),
            LinkFormat::JsonLine => write_row_start(&mut prefix, path),
            LinkFormat::JsonMember => {
                prefix.push(b',');
                write_row_start(&mut prefix, path);
            }
        }
        Self { format, prefix }
    }

    /// Appends a link; `skipped` is the reason why the link is not checked.
    pub fn write(&self, out: &mut Vec<u8>, link: &Link, skipped: Option<SkipReason>) {
        out.extend_from_slice(&self.prefix);
        match self.format {
            LinkFormat::Human => write_human(out, link, skipped),
            LinkFormat::JsonLine | LinkFormat::JsonMember => write_row_end(out, link, skipped),
        }
        out.push(b'\n');
    }
}

/// Appends the start of a JSON object, up to the path of the document.
fn write_row_start(out: &mut Vec<u8>, path: &str) {
    out.extend_from_slice(b"{\"schema\":");
    push_number(out, SCHEMA as usize);
    out.extend_from_slice(b",\"path\":");
    push_string(out, &redact(path));
}

/// Appends the members of a JSON object after the path, and its end.
fn write_row_end(out: &mut Vec<u8>, link: &Link, skipped: Option<SkipReason>) {
    let location = &link.location;
    let numbers: [(&[u8], usize); 4] = [
        (b",\"line\":", location.line as usize),
        (b",\"column\":", location.column as usize),
        (b",\"start\":", location.span.start),
        (b",\"end\":", location.span.end),
    ];
    for (name, number) in numbers {
        out.extend_from_slice(name);
        push_number(out, number);
    }
    out.extend_from_slice(b",\"raw\":");
    push_string(out, &redact(&link.raw));
    out.extend_from_slice(b",\"target\":");
    push_string(out, &redact(link.target.text()));
    out.extend_from_slice(b",\"kind\":\"");
    out.extend_from_slice(location.kind.as_str().as_bytes());
    out.extend_from_slice(b"\",\"skipped\":");
    push_string_or_null(out, skipped.map(skip_reason_str));
    out.extend_from_slice(b",\"malformed\":");
    push_string_or_null(out, malformed_reason(link).map(redact_prose).as_deref());
    out.push(b'}');
}

/// Appends a JSON string, or `null`.
fn push_string_or_null(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => push_string(out, text),
        None => out.extend_from_slice(b"null"),
    }
}

/// Appends the text of a link after the path of the document.
fn write_human(out: &mut Vec<u8>, link: &Link, skipped: Option<SkipReason>) {
    let location = &link.location;
    out.push(b':');
    push_number(out, location.line as usize);
    out.push(b':');
    push_number(out, location.column as usize);
    out.push(b' ');
    out.extend_from_slice(location.kind.as_str().as_bytes());
    out.push(b' ');
    out.extend_from_slice(printable(&redact(link.target.text())).as_bytes());
    if let Some(reason) = skipped {
        out.extend_from_slice(b" (skipped: ");
        out.extend_from_slice(skip_reason_str(reason).as_bytes());
        out.push(b')');
    }
    if let Some(reason) = malformed_reason(link) {
        // Writing to a `Vec` cannot fail.
        let _ = write!(out, " (malformed: {})", printable(&redact_prose(reason)));
    }
}

/// Returns the reason why a destination is not a valid URL.
fn malformed_reason(link: &Link) -> Option<&str> {
    match &link.target {
        LinkTarget::Malformed(_, reason) => Some(reason),
        _ => None,
    }
}

/// Returns the name of a skip reason in JSON.
pub const fn skip_reason_str(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Scheme => "scheme",
        SkipReason::Placeholder => "placeholder",
        SkipReason::Empty => "empty",
        SkipReason::Code => "code",
        SkipReason::Comment => "comment",
        SkipReason::Unused => "unused",
        SkipReason::Reserved => "reserved",
        SkipReason::Ignored => "ignored",
    }
}

/// All skip reasons.
pub(crate) const SKIP_REASONS: [SkipReason; 8] = [
    SkipReason::Scheme,
    SkipReason::Placeholder,
    SkipReason::Empty,
    SkipReason::Code,
    SkipReason::Comment,
    SkipReason::Unused,
    SkipReason::Reserved,
    SkipReason::Ignored,
];

/// Returns the start of a [`LinkReport`], up to its first link.
pub fn report_start(version: &str) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(b"{\"schema\":");
    push_number(&mut out, SCHEMA as usize);
    out.extend_from_slice(b",\"tool\":{\"name\":\"relink\",\"version\":");
    push_string(&mut out, version);
    out.extend_from_slice(b"},\"links\":[\n");
    out
}

/// Returns the end of a [`LinkReport`], after its last link.
pub fn report_end(tail: &LinkReportTail<'_>) -> serde_json::Result<Vec<u8>> {
    let mut out = b"],\"problems\":".to_vec();
    serde_json::to_writer(&mut out, &tail.problems)?;
    out.extend_from_slice(b",\"summary\":");
    serde_json::to_writer(&mut out, &tail.summary)?;
    out.extend_from_slice(b"}\n");
    Ok(out)
}

/// Formats a problem as a line of text.
pub fn problem_line(problem: &ExtractProblemRow<'_>) -> String {
    let path = printable(&problem.path);
    let text = printable(&problem.text);
    match problem.line {
        Some(line) => format!("{path}:{line}: {text}"),
        None => format!("{path}: {text}"),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use relink_model::SourceLocation;

    use super::*;

    /// Creates a link whose text needs escapes in JSON.
    fn link(target: LinkTarget) -> Link {
        let location =
            SourceLocation { span: (7..23).into(), line: 3, column: 4, kind: LinkKind::Hyperlink };
        Link { location, raw: "a\"b&amp;\u{1b}\\".to_owned(), target }
    }

    /// Returns the output for one link of the document `a b\t.md`.
    fn link_text(format: LinkFormat, link: &Link, skipped: Option<SkipReason>) -> String {
        let mut out = Vec::new();
        LinkWriter::new(format, "a b\t.md").write(&mut out, link, skipped);
        String::from_utf8(out).unwrap()
    }

    /// Returns the row that [`LinkWriter`] must write for a link.
    pub(crate) fn row(link: &Link, skipped: Option<SkipReason>) -> LinkRow<'_> {
        let span = link.location.span;
        LinkRow {
            schema: SCHEMA,
            path: redact("a b\t.md"),
            line: link.location.line,
            column: link.location.column,
            start: span.start,
            end: span.end,
            raw: redact(&link.raw),
            target: redact(link.target.text()),
            kind: link.location.kind,
            skipped,
            malformed: malformed_reason(link).map(redact_prose),
        }
    }

    /// Creates a link with an invalid URL.
    pub(crate) fn malformed_link() -> Link {
        link(LinkTarget::Malformed("http://[".into(), "invalid host".into()))
    }

    #[test]
    fn json_line_equals_serde_output() {
        let links = [malformed_link(), link(LinkTarget::Web("https://example.org/é".into()))];
        for link in &links {
            for skipped in SKIP_REASONS.into_iter().map(Some).chain([None]) {
                let expect = serde_json::to_string(&row(link, skipped)).unwrap();
                assert_eq!(link_text(LinkFormat::JsonLine, link, skipped), format!("{expect}\n"));
                let member = link_text(LinkFormat::JsonMember, link, skipped);
                assert_eq!(member, format!(",{expect}\n"));
            }
        }
    }

    #[test]
    fn human_line_has_no_control_characters_and_no_password() {
        let human_text = |link: &Link, skipped| link_text(LinkFormat::Human, link, skipped);
        let web = link(LinkTarget::Web("https://ann:secret@example.org/\u{1b}".into()));
        assert_eq!(human_text(&web, None), "a b .md:3:4 hyperlink https://***@example.org/␛\n");
        let mail = link(LinkTarget::Skipped("mailto:a@b.test".into(), SkipReason::Scheme));
        assert_eq!(
            human_text(&mail, Some(SkipReason::Scheme)),
            "a b .md:3:4 hyperlink mailto:a@b.test (skipped: scheme)\n"
        );
        assert_eq!(
            human_text(&malformed_link(), None),
            "a b .md:3:4 hyperlink http://[ (malformed: invalid host)\n"
        );
    }

    #[test]
    fn link_report_is_one_json_document() {
        let link = malformed_link();
        let tail = LinkReportTail {
            problems: vec![ExtractProblemRow {
                path: redact("b.md"),
                line: None,
                text: redact_prose("cannot read"),
            }],
            summary: LinkSummary { documents: 1, links: 2, skipped: 1, problems: 1 },
        };
        let mut text = report_start("0.1.0");
        // The first link of the array has no comma in front.
        text.extend_from_slice(&link_text(LinkFormat::JsonMember, &link, None).as_bytes()[1..]);
        text.extend_from_slice(link_text(LinkFormat::JsonMember, &link, None).as_bytes());
        text.extend_from_slice(&report_end(&tail).unwrap());
        let read: LinkReport = serde_json::from_slice(&text).unwrap();
        assert_eq!(read.links, [row(&link, None), row(&link, None)]);
        assert_eq!(read.tail, tail);
        assert_eq!(problem_line(&tail.problems[0]), "b.md: cannot read");
    }
}
