//! Replaces the destinations of links in a document, or writes a second link
//! behind them.
//!
//! A URL is written differently in Markdown, HTML, CSV and other formats. The
//! module does not know these rules. It writes the URL in one of several forms,
//! parses the new document, and uses the first form that yields the new URL. The
//! new document must have the same links at the same positions as the old one,
//! plus those that were added; otherwise no edit is made.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use relink_frontier::canonicalize;
use relink_model::{Link, LinkKind, LinkTarget, SourceLocation, Span};
use relink_page::{DocumentFormat, Options, links_with};
use url::Url;

use crate::citation_template::citation_template;
use crate::construct::{Notation, construct_end};
use crate::edit::{Edit, Shifts, apply};
use crate::robust_link::{PageVersion, attributes};
use crate::url_form::{CharWidth, UrlForm, percent_encode};

/// Maximum number of bytes between a link and the second link behind it.
const MAX_DISTANCE: usize = 400;
/// Number of links that are compared with a second link.
const NEXT_LINKS: usize = 4;

/// The requested edit of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkEdit {
    /// The location of the link.
    pub location: SourceLocation,
    /// The canonical URL of the link, without a fragment.
    pub old_url: String,
    /// The new URL. The fragment of the link is appended if it has none.
    pub new_url: String,
    /// How the new URL is written.
    pub style: EditStyle,
}

/// How a new URL is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditStyle {
    /// Instead of the old URL.
    Replace,
    /// Instead of the old URL, which is kept in an attribute of the link if its
    /// syntax has attributes.
    ReplaceAndKeep(Option<PageVersion>),
    /// As a second link behind the old one.
    Beside {
        /// The text of the second link.
        label: String,
        /// The data of an archived copy; `None` if the new URL is not one.
        copy: Option<CopyDetails>,
    },
}

/// The data of an archived copy for citation templates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyDetails {
    /// The date of the capture, such as `2021-03-02`.
    pub date: String,
    /// The state of the original URL, as in the parameter `url-status` of
    /// MediaWiki templates: `dead` or `usurped`.
    pub url_status: &'static str,
}

/// A document with replaced links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RewrittenDocument {
    /// The new document.
    pub bytes: Vec<u8>,
    /// The edits of the old document, by position.
    pub edits: Vec<Edit>,
    /// The location of the link of each edit, in the order of `edits`.
    pub edited_links: Vec<SourceLocation>,
    /// Requested edits that were not made.
    pub refused: Vec<RefusedEdit>,
}

/// A requested edit that was not made.
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
    /// A second link cannot be written behind this construct.
    NoRoom,
    /// The second link is already there.
    AlreadyPresent,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "the document has changed since it was checked",
            Self::NotAbsolute => "the destination is not an absolute URL",
            Self::LineBreak => "the destination contains a line break",
            Self::NotRepresentable => "the new URL cannot be written in this syntax",
            Self::NoRoom => {
                "a second link cannot be written here; use `--style replace` to replace the URL"
            }
            Self::AlreadyPresent => "the new URL is already linked next to it",
        })
    }
}

/// A requested edit that is being tried.
struct Candidate {
    location: SourceLocation,
    /// The index of the link in the document.
    index: usize,
    /// The new URL with its fragment.
    url: String,
    /// The edited bytes: the destination, or an empty range behind the link.
    span: Span,
    old: Vec<u8>,
    /// The text in front of and behind the URL.
    around: (String, String),
    /// Number of links that the edit adds.
    added_links: usize,
    /// The form to try; `None` if no form works.
    form: Option<UrlForm>,
}

impl Candidate {
    fn edit(&self, width: CharWidth) -> Option<Edit> {
        let url = self.form?.write(&self.url);
        let new = width.encode(&format!("{}{url}{}", self.around.0, self.around.1));
        Some(Edit { span: self.span, old: self.old.clone(), new })
    }

    /// Returns the span of the new URL in the new document.
    fn new_span(&self, width: CharWidth, shifts: &Shifts) -> Option<Span> {
        let start = shifts.start_of_edit(self.span.start) + width.encode(&self.around.0).len();
        let length = width.encode(&self.form?.write(&self.url)).len();
        Some(Span { start, end: start + length })
    }

    fn is_insertion(&self) -> bool {
        self.old.is_empty()
    }
}

/// Replaces links of a document. Every byte outside the replaced destinations
/// is unchanged.
pub fn rewrite(
    format: DocumentFormat,
    options: &Options,
    bytes: &[u8],
    requested: &[LinkEdit],
) -> RewrittenDocument {
    let links = links_with(format, bytes, options).links;
    let mut refused = Vec::new();
    let mut candidates = Vec::new();
    for request in requested {
        match candidate(format, bytes, &links, request) {
            Ok(candidate) => candidates.push(candidate),
            Err(reason) => refused.push(RefusedEdit { location: request.location, reason }),
        }
    }
    candidates.sort_by_key(|candidate| candidate.span);
    candidates.dedup_by_key(|candidate| candidate.span);
    let parse = |document: &[u8]| links_with(format, document, options).links;
    let (bytes, edits) = choose_forms(bytes, &links, &mut candidates, &parse);
    let is_made = |candidate: &&Candidate| candidate.form.is_some();
    let edited_links =
        candidates.iter().filter(is_made).map(|candidate| candidate.location).collect();
    refused.extend(candidates.iter().filter(|candidate| candidate.form.is_none()).map(
        |candidate| RefusedEdit { location: candidate.location, reason: Refusal::NotRepresentable },
    ));
    refused.sort_by_key(|refused| refused.location.span);
    RewrittenDocument { bytes, edits, edited_links, refused }
}

/// Finds the link of a requested edit in the document.
fn candidate(
    format: DocumentFormat,
    bytes: &[u8],
    links: &[Link],
    request: &LinkEdit,
) -> Result<Candidate, Refusal> {
    let span = request.location.span;
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
    if canonicalize(None, text).map_or(true, |url| url.as_str() != request.old_url) {
        return Err(Refusal::Changed);
    }
    let old = bytes.get(span.range()).ok_or(Refusal::Changed)?.to_vec();
    if old.contains(&b'\n') {
        return Err(Refusal::LineBreak);
    }
    let candidate = Candidate {
        location: request.location,
        index,
        url: with_fragment(&request.new_url, url.fragment()),
        span,
        old,
        around: (String::new(), String::new()),
        added_links: 0,
        form: Some(UrlForm::first(format)),
    };
    match &request.style {
        EditStyle::Replace => Ok(candidate),
        EditStyle::ReplaceAndKeep(version) => Ok(keep_original(bytes, candidate, version.as_ref())),
        EditStyle::Beside { label, copy } => {
            insertion(format, bytes, links, candidate, label, copy.as_ref())
        }
    }
}

/// Adds the original URL to the replacement, if the link has attributes.
fn keep_original(bytes: &[u8], candidate: Candidate, version: Option<&PageVersion>) -> Candidate {
    let SourceLocation { span, kind, .. } = candidate.location;
    match attributes(bytes, span, kind, version) {
        Some(after) => Candidate {
            around: (String::new(), after),
            added_links: usize::from(version.is_some()),
            ..candidate
        },
        None => candidate,
    }
}

/// Changes the replacement of a URL to the insertion of a second link.
fn insertion(
    format: DocumentFormat,
    bytes: &[u8],
    links: &[Link],
    candidate: Candidate,
    label: &str,
    copy: Option<&CopyDetails>,
) -> Result<Candidate, Refusal> {
    let SourceLocation { span, kind, .. } = candidate.location;
    let is_present = |link: &Link| {
        let distance = link.location.span.start.abs_diff(span.end);
        distance <= MAX_DISTANCE && is_same_url(link.target.text(), &candidate.url)
    };
    if links.iter().skip(candidate.index).take(NEXT_LINKS).any(is_present) {
        return Err(Refusal::AlreadyPresent);
    }
    if format == DocumentFormat::Wikitext && kind == LinkKind::Value {
        return template_insertion(bytes, candidate, copy.ok_or(Refusal::NoRoom)?);
    }
    let (end, notation) = construct_end(format, kind, bytes, span).ok_or(Refusal::NoRoom)?;
    let form = match notation {
        Notation::Html => UrlForm::HtmlEscaped,
        _ => UrlForm::Plain,
    };
    Ok(Candidate {
        span: Span { start: end, end },
        old: Vec::new(),
        added_links: 1,
        around: notation.around(label),
        form: Some(form),
        ..candidate
    })
}

/// Changes the replacement of a URL to the insertion of the archive parameters of
/// a citation template.
fn template_insertion(
    bytes: &[u8],
    candidate: Candidate,
    copy: &CopyDetails,
) -> Result<Candidate, Refusal> {
    let template = citation_template(bytes, candidate.location.span).ok_or(Refusal::NoRoom)?;
    if template.has_archive_url {
        return Err(Refusal::AlreadyPresent);
    }
    let CopyDetails { date, url_status } = copy;
    let status =
        if template.has_url_status { String::new() } else { format!("|url-status={url_status}") };
    Ok(Candidate {
        span: Span { start: template.end, end: template.end },
        old: Vec::new(),
        added_links: 1,
        around: ("|archive-url=".to_owned(), format!("|archive-date={date}{status}")),
        ..candidate
    })
}

/// Whether two texts are the same URL in any of the forms that are written.
fn is_same_url(one: &str, other: &str) -> bool {
    one == other || percent_encode(one) == percent_encode(other)
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
        let by_span: BTreeMap<Span, &Link> =
            new_links.iter().map(|link| (link.location.span, link)).collect();
        let shifts = Shifts::new(&edits);
        let mut has_failed = false;
        for candidate in candidates.iter_mut().filter(|candidate| candidate.form.is_some()) {
            let span = candidate.new_span(width, &shifts);
            let link = span.and_then(|span| by_span.get(&span).copied());
            if !has_destination(link, candidate) {
                candidate.form = candidate.form.and_then(UrlForm::next);
                has_failed = true;
            }
        }
        if has_failed {
            continue;
        }
        if is_otherwise_equal(links, &by_span, candidates, &shifts, width) {
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
    let expected = form.parsed(&candidate.url);
    matches!(&link.target, LinkTarget::Web(text) if *text == expected)
}

/// Whether all other links are unchanged, every span is where the edits move it,
/// and there are no other links.
fn is_otherwise_equal(
    old: &[Link],
    new: &BTreeMap<Span, &Link>,
    candidates: &[Candidate],
    shifts: &Shifts,
    width: CharWidth,
) -> bool {
    let is_made = |candidate: &&Candidate| candidate.form.is_some();
    let made = || candidates.iter().filter(is_made);
    let replaced: BTreeMap<usize, Option<Span>> = made()
        .filter(|candidate| !candidate.is_insertion())
        .map(|candidate| (candidate.index, candidate.new_span(width, shifts)))
        .collect();
    let added: usize = made().map(|candidate| candidate.added_links).sum();
    let spans: BTreeSet<Span> = old.iter().map(|link| link.location.span).collect();
    spans.len() + added == new.len()
        && old.iter().enumerate().all(|(index, old)| {
            let replaced = replaced.get(&index);
            let span = replaced.copied().unwrap_or_else(|| Some(shifts.apply(old.location.span)));
            span.and_then(|span| new.get(&span)).is_some_and(|new| {
                new.location.kind == old.location.kind
                    && (new.target == old.target || replaced.is_some())
            })
        })
}

#[cfg(test)]
mod tests;
