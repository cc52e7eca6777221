//! Repairs a link without replacing its URL. Adds a second link after the link, the
//! parameters of an archived copy in its citation template, or a mark that the link is dead.
//!
//! A [`Candidate`] is a planned edit. It starts as the replacement of the URL. The
//! functions convert it to an insertion. [`crate::rewrite`] checks whether the result is
//! valid.

use relink_model::{Link, LinkKind, SourceLocation, Span};
use relink_page::DocumentFormat;

use crate::archive_parameters::archive_parameters;
use crate::citation_template::CitationTemplate;
use crate::construct::{Notation, construct_end, is_in_heading};
use crate::link_edit::{CopyDetails, Refusal};
use crate::restoration::{bot_mark, removal};
use crate::rewrite::Candidate;
use crate::robust_link::{bookmark_attributes, is_bookmark_file};
use crate::url_form::{UrlForm, percent_encode};

/// Maximum number of bytes between a link and the second link after it.
const MAX_DISTANCE: usize = 400;
/// Number of links, from the edited link on, that are searched for the new URL. The new URL is
/// not inserted if one of them has it.
const SEARCHED_LINKS: usize = 4;
/// The name of the template that marks a dead link, in lower case.
const DEAD_LINK: &str = "{{dead link";
/// Maximum number of bytes between a link and the mark of a dead link.
const MAX_MARK_DISTANCE: usize = 80;

/// Converts an edit that would replace a URL to edits that insert the new URL: as a second
/// link, or as parameters or attributes where the format has them.
pub(crate) fn second_link(
    format: DocumentFormat,
    bytes: &[u8],
    links: &[Link],
    candidate: Candidate,
    label: &str,
    copy: Option<&CopyDetails>,
) -> Result<Vec<Candidate>, Refusal> {
    let SourceLocation { span, kind, .. } = candidate.location;
    let is_present = |link: &Link| {
        let distance = link.location.span.start.abs_diff(span.end);
        distance <= MAX_DISTANCE && is_same_url(link.target.text(), &candidate.url)
    };
    // In MediaWiki text, a link of the kind `Value` is the value of a template parameter.
    let template = (format == DocumentFormat::Wikitext && kind == LinkKind::Value)
        .then(|| CitationTemplate::of_url(bytes, span).ok_or(Refusal::NoRoom))
        .transpose()?;
    if let (Some(template), Some(copy)) = (&template, copy) {
        return archive_parameters(bytes, &candidate, template, copy);
    }
    // An earlier repair may have inserted the new URL.
    if links.iter().skip(candidate.index).take(SEARCHED_LINKS).any(is_present) {
        return Err(Refusal::AlreadyPresent);
    }
    if format == DocumentFormat::Html && is_bookmark_file(bytes) {
        let attributes = bookmark_attributes(bytes, span, kind, &candidate.url, copy);
        // The parser reads the attribute of an archived copy as a link, but not the attribute of
        // another new URL.
        let added_links = usize::from(copy.is_some());
        return attributes.map(|(position, text)| {
            vec![Candidate { added_links, ..candidate.insertion(position, text) }]
        });
    }
    if is_in_heading(format, bytes, span) {
        return Err(Refusal::Heading);
    }
    let (end, notation) = match template {
        Some(template) => (template.end(), Notation::Wikitext),
        None => construct_end(format, kind, bytes, span).ok_or(Refusal::NoRoom)?,
    };
    let form = match notation {
        Notation::Html => UrlForm::HtmlEscaped,
        _ => UrlForm::Plain,
    };
    Ok(vec![Candidate {
        span: Span { start: end, end },
        old: Vec::new(),
        added_links: 1,
        markup: notation.markup(label),
        form: Some(form),
        ..candidate
    }])
}

/// Converts an edit that would replace a URL to the insertion of a mark after the link, such
/// as `{{dead link|date=November 2026}}`. Only MediaWiki text has such marks.
pub(crate) fn dead_link_mark(
    format: DocumentFormat,
    bytes: &[u8],
    candidate: Candidate,
    mark: &str,
) -> Result<Candidate, Refusal> {
    let SourceLocation { span, kind, .. } = candidate.location;
    if format != DocumentFormat::Wikitext {
        return Err(Refusal::NoRoom);
    }
    let is_archived = kind == LinkKind::Value
        && CitationTemplate::of_url(bytes, span).is_some_and(|found| found.has_archive_url());
    if is_archived {
        return Err(Refusal::AlreadyPresent);
    }
    if is_in_heading(format, bytes, span) {
        return Err(Refusal::Heading);
    }
    let end = mark_position(format, kind, bytes, span).ok_or(Refusal::NoRoom)?;
    let rest = bytes.get(end..).unwrap_or_default();
    let rest = rest.get(..rest.len().min(MAX_MARK_DISTANCE)).unwrap_or_default();
    let rest_of_line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if String::from_utf8_lossy(rest_of_line).to_lowercase().contains(DEAD_LINK) {
        return Err(Refusal::AlreadyPresent);
    }
    Ok(candidate.insertion(end, mark.to_owned()))
}

/// Returns the position of the mark of a link in MediaWiki text: after its construct or its
/// citation template.
fn mark_position(
    format: DocumentFormat,
    kind: LinkKind,
    bytes: &[u8],
    span: Span,
) -> Option<usize> {
    match kind {
        LinkKind::Value => CitationTemplate::of_url(bytes, span).map(|template| template.end()),
        _ => construct_end(format, kind, bytes, span).map(|(end, _)| end),
    }
}

/// Returns the mark of a bot after a link in MediaWiki text, such as `{{dead link|bot=x}}`.
pub fn bot_mark_of(format: DocumentFormat, bytes: &[u8], location: SourceLocation) -> Option<Span> {
    let SourceLocation { span, kind, .. } = location;
    (format == DocumentFormat::Wikitext)
        .then(|| mark_position(format, kind, bytes, span))
        .flatten()
        .and_then(|end| bot_mark(bytes, end))
}

/// Converts an edit that would replace a URL to the removal of the mark of a bot.
pub(crate) fn unmark(
    format: DocumentFormat,
    bytes: &[u8],
    candidate: &Candidate,
) -> Result<Candidate, Refusal> {
    let mark = bot_mark_of(format, bytes, candidate.location).ok_or(Refusal::Changed)?;
    Ok(removal(bytes, candidate, mark))
}

/// Whether two texts are the same URL, with or without percent-encoded delimiters of markup.
fn is_same_url(one: &str, other: &str) -> bool {
    one == other || percent_encode(one) == percent_encode(other)
}
