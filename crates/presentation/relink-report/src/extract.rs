//! The links of documents, as `relink extract` tells them.
//!
//! Rows come by the million, so they are written straight into a buffer, and
//! [`LinkRow`] says what is in them. Secrets are masked in `raw` and `target`;
//! a tool that rewrites `start..end` finds the exact bytes in the document.

use std::io::Write as _;

use relink_model::{Link, LinkKind, LinkTarget, SkipReason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json_string::{push_number, push_string};
use crate::{Redacted, SCHEMA, Tool, printable, redact, redact_prose, schema};

/// One link of a document: where it stands, how it is written, what it means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkRow<'a> {
    /// The version of this contract.
    pub schema: u32,
    /// The document's path; `-` is standard input.
    pub path: Redacted<'a>,
    /// The line, from 1.
    pub line: u32,
    /// The character in that line, from 1.
    pub column: u32,
    /// The first byte of the destination in the document, after unpacking.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// The destination as written, with secrets masked.
    pub raw: Redacted<'a>,
    /// The URL or path it means, entities and escapes resolved, neither
    /// normalized nor resolved against a base, with secrets masked.
    pub target: Redacted<'a>,
    /// The kind of place.
    #[schemars(schema_with = "schema::place_kind")]
    pub kind: LinkKind,
    /// Why it is not checked, or null if it is.
    #[schemars(schema_with = "schema::skip_reason")]
    pub skipped: Option<SkipReason>,
    /// Why the destination is no address although it is meant as one, or null.
    pub malformed: Option<Redacted<'a>>,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractProblemRow<'a> {
    /// The document's path; `-` is standard input.
    pub path: Redacted<'a>,
    /// The line, from 1, or null if it is about the whole document.
    pub line: Option<u32>,
    /// What is wrong, in plain words.
    pub text: Redacted<'a>,
}

/// The links of some documents as one JSON document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkReport<'a> {
    /// The version of this contract.
    pub schema: u32,
    /// The program that wrote the report.
    pub tool: Tool<'a>,
    /// Every link, document by document.
    pub links: Vec<LinkRow<'a>>,
    /// What is known after the last link.
    #[serde(flatten)]
    pub tail: LinkReportTail<'a>,
}

/// What is known after the last link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkReportTail<'a> {
    /// What could not be read.
    pub problems: Vec<ExtractProblemRow<'a>>,
    /// The extraction in numbers.
    pub summary: LinkSummary,
}

/// An extraction in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkSummary {
    /// Documents read.
    pub documents: u64,
    /// Links found, those that are skipped among them.
    pub links: u64,
    /// Links that are not checked.
    pub skipped: u64,
    /// Problems met, whether or not they are listed.
    pub problems: u64,
}

/// What links are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkFormat {
    /// A line for people.
    Human,
    /// A line of JSON.
    JsonLine,
    /// A member of a JSON list, with a comma before it.
    JsonMember,
}

/// Writes the links of one document into a buffer.
#[derive(Debug)]
pub struct LinkWriter {
    shape: LinkFormat,
    /// All of a row that is the same for every link of the document.
    opening: Vec<u8>,
}

impl LinkWriter {
    /// A writer for the links of the document at `path`.
    pub fn new(shape: LinkFormat, path: &str) -> Self {
        let mut opening = Vec::new();
        match shape {
            LinkFormat::Human => opening.extend_from_slice(printable(&redact(path)).as_bytes()),
            LinkFormat::JsonLine => open_row(&mut opening, path),
            LinkFormat::JsonMember => {
                opening.push(b',');
                open_row(&mut opening, path);
            }
        }
        Self { shape, opening }
    }

    /// Adds a link; `skipped` is why it is not checked.
    pub fn write(&self, out: &mut Vec<u8>, link: &Link, skipped: Option<SkipReason>) {
        out.extend_from_slice(&self.opening);
        match self.shape {
            LinkFormat::Human => write_human(out, link, skipped),
            LinkFormat::JsonLine | LinkFormat::JsonMember => write_row(out, link, skipped),
        }
        out.push(b'\n');
    }
}

fn open_row(out: &mut Vec<u8>, path: &str) {
    out.extend_from_slice(b"{\"schema\":");
    push_number(out, SCHEMA as usize);
    out.extend_from_slice(b",\"path\":");
    push_string(out, &redact(path));
}

fn write_row(out: &mut Vec<u8>, link: &Link, skipped: Option<SkipReason>) {
    let place = &link.location;
    let numbers: [(&[u8], usize); 4] = [
        (b",\"line\":", place.line as usize),
        (b",\"column\":", place.column as usize),
        (b",\"start\":", place.span.start),
        (b",\"end\":", place.span.end),
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
    out.extend_from_slice(place.kind.as_str().as_bytes());
    out.extend_from_slice(b"\",\"skipped\":");
    push_or_null(out, skipped.map(skip_reason_str));
    out.extend_from_slice(b",\"malformed\":");
    push_or_null(out, malformed(link).map(redact_prose).as_deref());
    out.push(b'}');
}

fn push_or_null(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        Some(text) => push_string(out, text),
        None => out.extend_from_slice(b"null"),
    }
}

fn write_human(out: &mut Vec<u8>, link: &Link, skipped: Option<SkipReason>) {
    let place = &link.location;
    out.push(b':');
    push_number(out, place.line as usize);
    out.push(b':');
    push_number(out, place.column as usize);
    out.push(b' ');
    out.extend_from_slice(place.kind.as_str().as_bytes());
    out.push(b' ');
    out.extend_from_slice(printable(&redact(link.target.text())).as_bytes());
    if let Some(reason) = skipped {
        out.extend_from_slice(b" (skipped: ");
        out.extend_from_slice(skip_reason_str(reason).as_bytes());
        out.push(b')');
    }
    if let Some(reason) = malformed(link) {
        // Writing to memory cannot fail.
        let _ = write!(out, " (malformed: {})", printable(&redact_prose(reason)));
    }
}

fn malformed(link: &Link) -> Option<&str> {
    match &link.target {
        LinkTarget::Malformed(_, reason) => Some(reason),
        _ => None,
    }
}

/// Why a link is not checked, as JSON spells it.
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

/// Every reason not to check a link.
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

/// The beginning of a [`LinkReport`], up to its first link.
pub fn report_opening(version: &str) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(b"{\"schema\":");
    push_number(&mut out, SCHEMA as usize);
    out.extend_from_slice(b",\"tool\":{\"name\":\"relink\",\"version\":");
    push_string(&mut out, version);
    out.extend_from_slice(b"},\"links\":[\n");
    out
}

/// The end of a [`LinkReport`], from behind its last link.
pub fn report_ending(tail: &LinkReportTail<'_>) -> serde_json::Result<Vec<u8>> {
    let mut out = b"],\"problems\":".to_vec();
    serde_json::to_writer(&mut out, &tail.problems)?;
    out.extend_from_slice(b",\"summary\":");
    serde_json::to_writer(&mut out, &tail.summary)?;
    out.extend_from_slice(b"}\n");
    Ok(out)
}

/// A problem as a line for people.
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

    fn link(target: LinkTarget) -> Link {
        let place =
            SourceLocation { span: (7..23).into(), line: 3, column: 4, kind: LinkKind::Hyperlink };
        Link { location: place, raw: "a\"b&amp;\u{1b}\\".to_owned(), target }
    }

    fn written(shape: LinkFormat, link: &Link, skipped: Option<SkipReason>) -> String {
        let mut out = Vec::new();
        LinkWriter::new(shape, "a b\t.md").write(&mut out, link, skipped);
        String::from_utf8(out).unwrap()
    }

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
            malformed: malformed(link).map(redact_prose),
        }
    }

    pub(crate) fn sample() -> Link {
        link(LinkTarget::Malformed("http://[".into(), "the host is no host".into()))
    }

    #[test]
    fn a_line_is_the_row_as_serde_writes_it() {
        let links = [sample(), link(LinkTarget::Web("https://example.org/é".into()))];
        for link in &links {
            for skipped in SKIP_REASONS.into_iter().map(Some).chain([None]) {
                let expect = serde_json::to_string(&row(link, skipped)).unwrap();
                assert_eq!(written(LinkFormat::JsonLine, link, skipped), format!("{expect}\n"));
                let member = written(LinkFormat::JsonMember, link, skipped);
                assert_eq!(member, format!(",{expect}\n"));
            }
        }
    }

    #[test]
    fn people_get_a_line_that_harms_no_terminal_and_shows_no_password() {
        let told = |link: &Link, skipped| written(LinkFormat::Human, link, skipped);
        let web = link(LinkTarget::Web("https://ann:secret@example.org/\u{1b}".into()));
        assert_eq!(told(&web, None), "a b .md:3:4 link https://***@example.org/␛\n");
        let mail = link(LinkTarget::Skipped("mailto:a@b.test".into(), SkipReason::Scheme));
        assert_eq!(
            told(&mail, Some(SkipReason::Scheme)),
            "a b .md:3:4 link mailto:a@b.test (skipped: scheme)\n"
        );
        assert_eq!(
            told(&sample(), None),
            "a b .md:3:4 link http://[ (malformed: the host is no host)\n"
        );
    }

    #[test]
    fn a_report_is_one_json_document() {
        let link = sample();
        let tail = LinkReportTail {
            problems: vec![ExtractProblemRow {
                path: redact("b.md"),
                line: None,
                text: redact_prose("cannot be read"),
            }],
            summary: LinkSummary { documents: 1, links: 2, skipped: 1, problems: 1 },
        };
        let mut text = report_opening("0.1.0");
        text.extend_from_slice(&written(LinkFormat::JsonMember, &link, None).as_bytes()[1..]);
        text.extend_from_slice(written(LinkFormat::JsonMember, &link, None).as_bytes());
        text.extend_from_slice(&report_ending(&tail).unwrap());
        let read: LinkReport = serde_json::from_slice(&text).unwrap();
        assert_eq!(read.links, [row(&link, None), row(&link, None)]);
        assert_eq!(read.tail, tail);
        assert_eq!(problem_line(&tail.problems[0]), "b.md: cannot be read");
    }
}
