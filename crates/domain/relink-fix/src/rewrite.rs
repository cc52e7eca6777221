//! Replaces the destinations of links in a document.
//!
//! A URL is written differently in Markdown, HTML, CSV and other formats. The
//! module does not know these rules. It writes the URL in one of several forms,
//! parses the new document, and uses the first form that yields the new URL. The
//! new document must have the same links at the same positions as the old one;
//! otherwise no edit is made.

use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;

use relink_frontier::canonicalize;
use relink_model::{Link, LinkTarget, SourceLocation, Span};
use relink_page::{DocumentFormat, Options, links_with};
use url::Url;

use crate::edit::{Edit, apply};

/// A link whose destination is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The location of the link.
    pub location: SourceLocation,
    /// The canonical URL of the link, without a fragment.
    pub old_url: String,
    /// The new URL. The fragment of the link is appended if it has none.
    pub new_url: String,
}

/// A document with replaced links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RewrittenDocument {
    /// The new document.
    pub bytes: Vec<u8>,
    /// The edits of the old document, by position.
    pub edits: Vec<Edit>,
    /// Replacements that were not made.
    pub refused: Vec<RefusedEdit>,
}

/// A replacement that was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedEdit {
    /// The location of the link.
    pub location: SourceLocation,
    /// The reason.
    pub reason: Refusal,
}

/// Why a link was not replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The document has no such link at this location any more.
    Changed,
    /// The destination is not an absolute URL.
    NotAbsolute,
    /// The destination contains a line break.
    LineBreak,
    /// The new URL cannot be written in this construct.
    NotRepresentable,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "the document has changed since it was checked",
            Self::NotAbsolute => "the destination is not an absolute URL",
            Self::LineBreak => "the destination contains a line break",
            Self::NotRepresentable => "the new URL cannot be written in this syntax",
        })
    }
}

/// A form in which a URL is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UrlForm {
    /// The URL itself.
    Plain,
    /// With `&` as an HTML entity.
    HtmlEscaped,
    /// With the delimiters of markup percent-encoded.
    PercentEncoded,
    /// With both.
    PercentEncodedHtml,
}

impl UrlForm {
    /// Returns the first form to try. HTML requires `&amp;` in attributes, even
    /// though parsers also accept `&`.
    fn first(format: DocumentFormat) -> Self {
        match format {
            DocumentFormat::Html | DocumentFormat::Xml => Self::HtmlEscaped,
            _ => Self::Plain,
        }
    }

    /// Returns the form to try after this one.
    fn next(self) -> Option<Self> {
        match self {
            Self::Plain => Some(Self::PercentEncoded),
            Self::HtmlEscaped => Some(Self::PercentEncodedHtml),
            Self::PercentEncoded => Some(Self::HtmlEscaped),
            Self::PercentEncodedHtml => None,
        }
    }

    fn write(self, url: &str) -> String {
        match self {
            Self::Plain => url.to_owned(),
            Self::HtmlEscaped => url.replace('&', "&amp;"),
            Self::PercentEncoded => percent_encode(url),
            Self::PercentEncodedHtml => percent_encode(url).replace('&', "&amp;"),
        }
    }
}

/// Percent-encodes the characters that end a link in some markup language.
/// Servers treat both forms alike.
fn percent_encode(url: &str) -> String {
    let mut text = String::with_capacity(url.len());
    for character in url.chars() {
        match character {
            '(' | ')' | '[' | ']' | '<' | '>' | '"' | '\'' | '`' | '|' | '*' | '_' => {
                // Writing to a string does not fail.
                let _ = write!(text, "%{:02X}", u32::from(character));
            }
            _ => text.push(character),
        }
    }
    text
}

/// How the characters of a document are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharWidth {
    /// ASCII characters have one byte.
    Single,
    /// UTF-16, little endian.
    Utf16Le,
    /// UTF-16, big endian.
    Utf16Be,
}

impl CharWidth {
    fn detect(bytes: &[u8]) -> Self {
        match bytes {
            [0xFF, 0xFE, ..] => Self::Utf16Le,
            [0xFE, 0xFF, ..] => Self::Utf16Be,
            _ => Self::Single,
        }
    }

    fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Self::Single => text.as_bytes().to_vec(),
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

/// A replacement that is being tried.
struct Candidate {
    location: SourceLocation,
    /// The index of the link in the document.
    index: usize,
    /// The new URL with its fragment.
    url: String,
    /// The bytes of the destination.
    old: Vec<u8>,
    /// The form to try; `None` if no form works.
    form: Option<UrlForm>,
}

impl Candidate {
    fn edit(&self, width: CharWidth) -> Option<Edit> {
        let new = width.encode(&self.form?.write(&self.url));
        Some(Edit { span: self.location.span, old: self.old.clone(), new })
    }
}

/// Replaces links of a document. Every byte outside the replaced destinations
/// is unchanged.
pub fn rewrite(
    format: DocumentFormat,
    options: &Options,
    bytes: &[u8],
    replacements: &[Replacement],
) -> RewrittenDocument {
    let links = links_with(format, bytes, options).links;
    let mut refused = Vec::new();
    let mut candidates = Vec::new();
    for replacement in replacements {
        match candidate(format, bytes, &links, replacement) {
            Ok(candidate) => candidates.push(candidate),
            Err(reason) => refused.push(RefusedEdit { location: replacement.location, reason }),
        }
    }
    candidates.sort_by_key(|candidate| candidate.location.span);
    candidates.dedup_by_key(|candidate| candidate.location.span);
    let parse = |document: &[u8]| links_with(format, document, options).links;
    let (bytes, edits) = choose_forms(bytes, &links, &mut candidates, &parse);
    refused.extend(candidates.iter().filter(|candidate| candidate.form.is_none()).map(
        |candidate| RefusedEdit { location: candidate.location, reason: Refusal::NotRepresentable },
    ));
    refused.sort_by_key(|refused| refused.location.span);
    RewrittenDocument { bytes, edits, refused }
}

/// Finds the link of a replacement in the document.
fn candidate(
    format: DocumentFormat,
    bytes: &[u8],
    links: &[Link],
    replacement: &Replacement,
) -> Result<Candidate, Refusal> {
    let span = replacement.location.span;
    let index = links.partition_point(|link| link.location.span < span);
    let is_same = |link: &&Link| link.location.span == span;
    // Links are in document order; nested constructs may break it.
    let (index, link) = match links.get(index).filter(is_same) {
        Some(link) => (index, link),
        None => links.iter().enumerate().find(|(_, link)| is_same(link)).ok_or(Refusal::Changed)?,
    };
    let LinkTarget::Web(text) = &link.target else { return Err(Refusal::NotAbsolute) };
    // A protocol-relative URL has no scheme to compare or to keep.
    let url = Url::parse(text).map_err(|_| Refusal::NotAbsolute)?;
    if canonicalize(None, text).map_or(true, |url| url.as_str() != replacement.old_url) {
        return Err(Refusal::Changed);
    }
    let old = bytes.get(span.range()).ok_or(Refusal::Changed)?.to_vec();
    if old.contains(&b'\n') {
        return Err(Refusal::LineBreak);
    }
    Ok(Candidate {
        location: replacement.location,
        index,
        url: with_fragment(&replacement.new_url, url.fragment()),
        old,
        form: Some(UrlForm::first(format)),
    })
}

/// Appends the fragment of the old link, unless the new URL has its own.
fn with_fragment(url: &str, fragment: Option<&str>) -> String {
    match fragment.filter(|_| !url.contains('#')) {
        Some(fragment) => format!("{url}#{fragment}"),
        None => url.to_owned(),
    }
}

/// Tries the forms of all candidates until the new document parses to the
/// expected links. Candidates for which no form works end without a form.
fn choose_forms(
    bytes: &[u8],
    links: &[Link],
    candidates: &mut [Candidate],
    parse: &dyn Fn(&[u8]) -> Vec<Link>,
) -> (Vec<u8>, Vec<Edit>) {
    let width = CharWidth::detect(bytes);
    loop {
        let edits: Vec<Edit> =
            candidates.iter().filter_map(|candidate| candidate.edit(width)).collect();
        let unchanged = || (bytes.to_vec(), Vec::new());
        if edits.is_empty() {
            return unchanged();
        }
        let Ok(document) = apply(bytes, &edits) else {
            reject_all(candidates);
            return unchanged();
        };
        let new_links = parse(&document);
        let mut has_failed = false;
        for candidate in candidates.iter_mut().filter(|candidate| candidate.form.is_some()) {
            if !has_destination(new_links.get(candidate.index), candidate) {
                candidate.form = candidate.form.and_then(UrlForm::next);
                has_failed = true;
            }
        }
        if has_failed {
            continue;
        }
        if is_otherwise_equal(links, &new_links, candidates, &edits) {
            return (document, edits);
        }
        reject_all(candidates);
    }
}

fn reject_all(candidates: &mut [Candidate]) {
    for candidate in candidates {
        candidate.form = None;
    }
}

/// Whether the link has the new URL in the form that was written.
fn has_destination(link: Option<&Link>, candidate: &Candidate) -> bool {
    let Some((link, form)) = link.zip(candidate.form) else { return false };
    let expected = match form {
        UrlForm::Plain | UrlForm::HtmlEscaped => candidate.url.clone(),
        UrlForm::PercentEncoded | UrlForm::PercentEncodedHtml => percent_encode(&candidate.url),
    };
    matches!(&link.target, LinkTarget::Web(text) if *text == expected)
}

/// Whether all other links are unchanged and every span is where the edits move
/// it.
fn is_otherwise_equal(
    old: &[Link],
    new: &[Link],
    candidates: &[Candidate],
    edits: &[Edit],
) -> bool {
    let edited: BTreeSet<usize> = candidates
        .iter()
        .filter(|candidate| candidate.form.is_some())
        .map(|candidate| candidate.index)
        .collect();
    let shifts = Shifts::new(edits);
    old.len() == new.len()
        && old.iter().zip(new).enumerate().all(|(index, (old, new))| {
            new.location.span == shifts.apply(old.location.span)
                && new.location.kind == old.location.kind
                && (new.target == old.target || edited.contains(&index))
        })
}

/// Maps positions of the old document to positions of the new one.
struct Shifts {
    /// The end of each edit in the old document, and the number of bytes added
    /// and removed up to there.
    ends: Vec<(usize, usize, usize)>,
}

impl Shifts {
    fn new(edits: &[Edit]) -> Self {
        let (mut added, mut removed) = (0, 0);
        let end = |edit: &Edit| {
            added += edit.new.len();
            removed += edit.old.len();
            (edit.span.end, added, removed)
        };
        Self { ends: edits.iter().map(end).collect() }
    }

    fn apply(&self, span: Span) -> Span {
        let shift = |position: usize| {
            let before = self.ends.partition_point(|(end, ..)| *end <= position);
            let last = before.checked_sub(1).and_then(|index| self.ends.get(index));
            last.map_or(position, |(_, added, removed)| position + added - removed)
        };
        Span { start: shift(span.start), end: shift(span.end) }
    }
}

#[cfg(test)]
mod tests;
