//! Replaces the destinations of links in a document, or writes a second link
//! after them.
//!
//! A URL is written differently in Markdown, HTML, CSV and other formats. This
//! module does not contain these rules. It writes the URL in one of several forms,
//! parses the new document, and uses the first form that yields the new URL. Apart
//! from the edits, the new document must have the same links at the same positions
//! as the old document. Otherwise no edit is made.

use std::collections::{BTreeMap, BTreeSet};

use relink_frontier::canonicalize;
use relink_model::{Link, LinkTarget, SourceLocation, Span};
use relink_page::{DocumentFormat, Options, links_with};
use url::Url;

use crate::archive_parameters::archive_parameters;
use crate::citation_template::{CitationTemplate, unnamed_parameter};
use crate::edit::{Edit, Shifts, apply};
use crate::grid_table::is_in_grid_table;
use crate::insertion::{dead_link_mark, second_link, unmark};
use crate::link_edit::{EditStyle, LinkEdit, Refusal, RefusedEdit, RewrittenDocument};
use crate::restoration::restore;
use crate::robust_link::{PageVersion, annotation, attributes};
use crate::table_columns::column_edits;
use crate::url_form::{CharWidth, UrlForm};

/// A requested edit that is being tried.
pub(crate) struct Candidate {
    pub(crate) location: SourceLocation,
    /// The index of the link in the document, or `usize::MAX` if the edit fills a cell of a table.
    pub(crate) index: usize,
    /// The new URL with its fragment, or an empty text if the edit inserts only text.
    pub(crate) url: String,
    /// The edited bytes: the destination, or an empty range after the link.
    pub(crate) span: Span,
    /// The edited bytes in the old document.
    pub(crate) old: Vec<u8>,
    /// The markup before and after the URL.
    pub(crate) markup: (String, String),
    /// Number of links that the edit adds.
    pub(crate) added_links: usize,
    /// The form in which the URL is written, or `None` if the edit is rejected because no form
    /// works.
    pub(crate) form: Option<UrlForm>,
    /// Whether the edit removes the link.
    pub(crate) is_removal: bool,
}

impl Candidate {
    /// Converts the replacement of a URL to the insertion of a text without a link.
    pub(crate) fn insertion(self, position: usize, text: String) -> Self {
        let span = Span { start: position, end: position };
        let markup = (text, String::new());
        Self { span, old: Vec::new(), url: String::new(), markup, added_links: 0, ..self }
    }

    /// Returns the edit with the current form of the URL.
    fn edit(&self, width: CharWidth) -> Option<Edit> {
        let url = self.form?.write(&self.url);
        let new = width.encode(&format!("{}{url}{}", self.markup.0, self.markup.1));
        Some(Edit { span: self.span, old: self.old.clone(), new })
    }

    /// Returns the span of the new URL in the new document.
    fn new_span(&self, width: CharWidth, shifts: &Shifts) -> Option<Span> {
        let start = shifts.start_of_edit(self.span.start) + width.encode(&self.markup.0).len();
        let length = width.encode(&self.form?.write(&self.url)).len();
        Some(Span { start, end: start + length })
    }

    /// Returns the key of the edits that are made together: those of one link, or all edits that
    /// add columns to a table.
    fn group(&self) -> Span {
        let is_column = self.index == usize::MAX;
        if is_column { Span { start: 0, end: 0 } } else { self.location.span }
    }

    /// Whether the edit replaces the destination of the link.
    fn replaces_url(&self) -> bool {
        !self.old.is_empty() && !self.url.is_empty()
    }
}

/// Makes the requested edits of links. Every byte outside the edits is unchanged.
pub fn rewrite(
    format: DocumentFormat,
    options: &Options,
    bytes: &[u8],
    requested: &[LinkEdit],
) -> RewrittenDocument {
    let links = links_with(format, bytes, options).links;
    let mut refused = Vec::new();
    let mut candidates = Vec::new();
    let columns = column_edits(format, options, bytes, requested);
    for result in columns {
        match result {
            Ok(candidate) => candidates.push(candidate),
            Err(refusal) => refused.push(refusal),
        }
    }
    let has_columns = |request: &&LinkEdit| matches!(request.style, EditStyle::Columns(_));
    for request in requested.iter().filter(|request| !has_columns(request)) {
        match candidates_of(format, bytes, &links, request) {
            Ok(edits) => candidates.extend(edits),
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
    // Several edits may belong to one link.
    refused.dedup();
    RewrittenDocument { bytes, edits, edited_links, refused }
}

/// Returns the edits of the document for a requested edit. If an archived copy is written into
/// several parameters of a template, there is one edit per parameter.
fn candidates_of(
    format: DocumentFormat,
    bytes: &[u8],
    links: &[Link],
    request: &LinkEdit,
) -> Result<Vec<Candidate>, Refusal> {
    let candidate = replacement(format, bytes, links, request)?;
    let SourceLocation { span, kind, .. } = candidate.location;
    let keeps_width = request.style.is_replacement() && candidate.old.len() == candidate.url.len();
    if format == DocumentFormat::Rst && !keeps_width && is_in_grid_table(bytes, span) {
        return Err(Refusal::FixedWidth);
    }
    let candidate = match &request.style {
        EditStyle::SecondLink { label, copy } => {
            return second_link(format, bytes, links, candidate, label, copy.as_ref());
        }
        EditStyle::Replace => candidate,
        EditStyle::ReplaceByCopy(copy) => match CitationTemplate::of_url(bytes, span) {
            Some(template) if format == DocumentFormat::Wikitext => {
                return archive_parameters(bytes, &candidate, &template, copy);
            }
            _ => candidate,
        },
        EditStyle::ReplaceAndKeep(version) => {
            keep_original(format, bytes, candidate, version.as_ref())
        }
        EditStyle::Mark(mark) => dead_link_mark(format, bytes, candidate, mark)?,
        EditStyle::Restore => return restore(bytes, links, candidate),
        EditStyle::Unmark => unmark(format, bytes, &candidate)?,
        EditStyle::Columns(_) => return Err(Refusal::NoRoom),
        EditStyle::Annotate(_) if format == DocumentFormat::Xml => return Err(Refusal::NoRoom),
        EditStyle::Annotate(version) => {
            let (position, text) = annotation(bytes, span, kind, version)?;
            // The archived copy is a link, too.
            Candidate { added_links: 1, ..candidate.insertion(position, text) }
        }
    };
    Ok(vec![candidate])
}

/// Returns the text in front of a URL that replaces an unnamed parameter of a template: the
/// number of the parameter, if the URL contains an equals sign. Otherwise MediaWiki would read
/// the text before the sign as the name of a parameter.
fn parameter_name(
    format: DocumentFormat,
    bytes: &[u8],
    old: &[u8],
    span: Span,
    url: &str,
) -> String {
    if format != DocumentFormat::Wikitext || !url.contains('=') || old.contains(&b'=') {
        return String::new();
    }
    unnamed_parameter(bytes, span).map_or_else(String::new, |number| format!("{number}="))
}

/// Finds the link of a requested edit in the document, and returns the replacement of its
/// URL.
fn replacement(
    format: DocumentFormat,
    bytes: &[u8],
    links: &[Link],
    request: &LinkEdit,
) -> Result<Candidate, Refusal> {
    let span = request.location.span;
    let index = links.partition_point(|link| link.location.span < span);
    let has_span = |link: &&Link| link.location.span == span;
    // Links are usually in document order. With nested constructs, search all links.
    let (index, link) = match links.get(index).filter(has_span) {
        Some(link) => (index, link),
        None => {
            links.iter().enumerate().find(|(_, link)| has_span(link)).ok_or(Refusal::Changed)?
        }
    };
    let LinkTarget::Web(text) = &link.target else { return Err(Refusal::NotAbsolute) };
    // A URL without a scheme (`//host/path`) cannot be compared.
    let url = Url::parse(text).map_err(|_| Refusal::NotAbsolute)?;
    if canonicalize(None, text).map_or(true, |url| url.as_str() != request.old_url) {
        return Err(Refusal::Changed);
    }
    let old = bytes.get(span.range()).ok_or(Refusal::Changed)?.to_vec();
    if old.contains(&b'\n') {
        return Err(Refusal::LineBreak);
    }
    let new_url = with_fragment(&request.new_url, url.fragment());
    let name = if request.style.is_replacement() {
        parameter_name(format, bytes, &old, span, &new_url)
    } else {
        String::new()
    };
    Ok(Candidate {
        location: request.location,
        index,
        url: new_url,
        span,
        old,
        markup: (name, String::new()),
        added_links: 0,
        form: Some(UrlForm::first(format)),
        is_removal: false,
    })
}

/// Adds the original URL to the replacement, if the link has attributes. The attributes of XML
/// are those of its schema.
fn keep_original(
    format: DocumentFormat,
    bytes: &[u8],
    candidate: Candidate,
    version: Option<&PageVersion>,
) -> Candidate {
    if format == DocumentFormat::Xml {
        return candidate;
    }
    let SourceLocation { span, kind, .. } = candidate.location;
    match attributes(bytes, span, kind, version) {
        Some(after) => Candidate {
            markup: (String::new(), after),
            added_links: usize::from(version.is_some()),
            ..candidate
        },
        None => candidate,
    }
}

/// Appends the fragment of the old link, unless the new URL has a fragment.
fn with_fragment(url: &str, fragment: Option<&str>) -> String {
    match fragment.filter(|_| !url.contains('#')) {
        Some(fragment) => format!("{url}#{fragment}"),
        None => url.to_owned(),
    }
}

/// Chooses the forms of the candidates. If the edits of some links cannot be made, finds them by
/// bisection and rejects only them: their form is `None`. Returns the new document and its
/// edits.
fn choose_forms(
    bytes: &[u8],
    links: &[Link],
    candidates: &mut [Candidate],
    parse: &dyn Fn(&[u8]) -> Vec<Link>,
) -> (Vec<u8>, Vec<Edit>) {
    let mut groups: Vec<Span> = candidates.iter().map(Candidate::group).collect();
    groups.sort_unstable();
    groups.dedup();
    let first_forms = candidates.iter().map(|candidate| candidate.form).collect();
    let width = CharWidth::detect(bytes);
    let mut chooser = FormChooser { bytes, links, parse, width, first_forms };
    let mut accepted = AcceptedEdits {
        groups: BTreeSet::new(),
        forms: vec![None; candidates.len()],
        document: bytes.to_vec(),
        edits: Vec::new(),
    };
    if !groups.is_empty() {
        chooser.add(candidates, &groups, &mut accepted);
    }
    for (candidate, form) in candidates.iter_mut().zip(accepted.forms) {
        candidate.form = form;
    }
    (accepted.document, accepted.edits)
}

/// The edits that can be made together.
struct AcceptedEdits {
    /// The groups of the edits.
    groups: BTreeSet<Span>,
    /// The form of each candidate.
    forms: Vec<Option<UrlForm>>,
    document: Vec<u8>,
    edits: Vec<Edit>,
}

/// Finds the forms in which new URLs can be written.
struct FormChooser<'a> {
    bytes: &'a [u8],
    links: &'a [Link],
    parse: &'a dyn Fn(&[u8]) -> Vec<Link>,
    width: CharWidth,
    /// The form of each candidate that is tried first.
    first_forms: Vec<Option<UrlForm>>,
}

impl FormChooser<'_> {
    /// Adds the groups whose edits can be made together with the accepted edits.
    fn add(&mut self, candidates: &mut [Candidate], groups: &[Span], accepted: &mut AcceptedEdits) {
        let all: BTreeSet<Span> = accepted.groups.iter().chain(groups).copied().collect();
        for (candidate, form) in candidates.iter_mut().zip(&self.first_forms) {
            candidate.form = form.filter(|_| all.contains(&candidate.group()));
        }
        if let Some((document, edits)) = self.try_forms(candidates) {
            let forms = candidates.iter().map(|candidate| candidate.form).collect();
            *accepted = AcceptedEdits { groups: all, forms, document, edits };
        } else if groups.len() > 1
            && let Some((one, other)) = groups.split_at_checked(groups.len() / 2)
        {
            self.add(candidates, one, accepted);
            self.add(candidates, other, accepted);
        }
    }

    /// Tries the forms of the candidates that have a form, until the new document has the expected
    /// links. Returns the new document and its edits, or `None` if an edit cannot be made.
    fn try_forms(&self, candidates: &mut [Candidate]) -> Option<(Vec<u8>, Vec<Edit>)> {
        loop {
            let edits: Vec<Edit> =
                candidates.iter().filter_map(|candidate| candidate.edit(self.width)).collect();
            let document = apply(self.bytes, &edits).ok()?;
            let new_links = (self.parse)(&document);
            let by_span: BTreeMap<Span, &Link> =
                new_links.iter().map(|link| (link.location.span, link)).collect();
            let shifts = Shifts::new(&edits);
            let mut has_failed = false;
            for candidate in candidates.iter_mut().filter(|candidate| candidate.form.is_some()) {
                let span = candidate.new_span(self.width, &shifts);
                let link = span.and_then(|span| by_span.get(&span).copied());
                if !has_destination(link, candidate) {
                    // Without another form, the edit cannot be made.
                    candidate.form = Some(candidate.form.and_then(UrlForm::next)?);
                    has_failed = true;
                }
            }
            if !has_failed {
                let is_expected = has_only_expected_changes(
                    self.links, &by_span, candidates, &shifts, self.width,
                );
                return is_expected.then_some((document, edits));
            }
        }
    }
}

/// Whether the parsed link has the new URL in the form that was written. An edit without a URL
/// has no link to compare.
fn has_destination(link: Option<&Link>, candidate: &Candidate) -> bool {
    if candidate.url.is_empty() {
        return true;
    }
    let Some((link, form)) = link.zip(candidate.form) else { return false };
    let expected = form.parsed(&candidate.url);
    matches!(&link.target, LinkTarget::Web(text) if *text == expected)
}

/// Whether the new document has the expected links: the numbers of added and removed links
/// are right, and every other link is unchanged at the position to which the edits move it.
fn has_only_expected_changes(
    old: &[Link],
    new: &BTreeMap<Span, &Link>,
    candidates: &[Candidate],
    shifts: &Shifts,
    width: CharWidth,
) -> bool {
    let is_made = |candidate: &&Candidate| candidate.form.is_some();
    let made_candidates = || candidates.iter().filter(is_made);
    let replaced: BTreeMap<usize, Option<Span>> = made_candidates()
        .filter(|candidate| candidate.replaces_url())
        .map(|candidate| (candidate.index, candidate.new_span(width, shifts)))
        .collect();
    let added: usize = made_candidates().map(|candidate| candidate.added_links).sum();
    let removed: BTreeSet<usize> = made_candidates()
        .filter(|candidate| candidate.is_removal)
        .map(|candidate| candidate.index)
        .collect();
    let spans: BTreeSet<Span> = old.iter().map(|link| link.location.span).collect();
    let mut remaining = old.iter().enumerate().filter(|(index, _)| !removed.contains(index));
    spans.len() + added == new.len() + removed.len()
        && remaining.all(|(index, old)| {
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
