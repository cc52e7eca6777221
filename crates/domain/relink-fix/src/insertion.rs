//! Inserts a second link, the parameters of an archived copy, or a mark behind a link.

use relink_model::{Link, LinkKind, SourceLocation, Span};
use relink_page::DocumentFormat;

use crate::archive_parameters::archive_parameters;
use crate::citation_template::CitationTemplate;
use crate::construct::{Notation, construct_end};
use crate::link_edit::{CopyDetails, Refusal};
use crate::rewrite::Candidate;
use crate::robust_link::{bookmark_attributes, is_bookmark_file};
use crate::url_form::{UrlForm, percent_encode};

/// Maximum number of bytes between a link and the second link behind it.
const MAX_DISTANCE: usize = 400;
/// Number of links that are compared with a second link.
const NEXT_LINKS: usize = 4;
/// The name of the template that marks a dead link, in lower case.
const DEAD_LINK: &str = "{{dead link";
/// Maximum number of bytes between a link and its mark.
const MAX_MARK_DISTANCE: usize = 80;

/// Changes the replacement of a URL to the insertion of a second link.
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
    if links.iter().skip(candidate.index).take(NEXT_LINKS).any(is_present) {
        return Err(Refusal::AlreadyPresent);
    }
    if format == DocumentFormat::Html && is_bookmark_file(bytes) {
        let attributes = bookmark_attributes(bytes, span, kind, &candidate.url, copy);
        // Only the attribute of an archived copy is a link.
        let added_links = usize::from(copy.is_some());
        return attributes.map(|(position, text)| {
            vec![Candidate { added_links, ..candidate.insertion(position, text) }]
        });
    }
    let template = (format == DocumentFormat::Wikitext && kind == LinkKind::Value)
        .then(|| CitationTemplate::of_url(bytes, span).ok_or(Refusal::NoRoom))
        .transpose()?;
    if let (Some(template), Some(copy)) = (&template, copy) {
        return archive_parameters(bytes, &candidate, template, copy);
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
        around: notation.around(label),
        form: Some(form),
        ..candidate
    }])
}

/// Changes the replacement of a URL to the insertion of a mark behind the link, such as
/// `{{dead link|date=November 2026}}`. Only MediaWiki text has such marks.
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
    let end = if kind == LinkKind::Value {
        let template = CitationTemplate::of_url(bytes, span).ok_or(Refusal::NoRoom)?;
        if template.has_archive_url() {
            return Err(Refusal::AlreadyPresent);
        }
        template.end()
    } else {
        construct_end(format, kind, bytes, span).ok_or(Refusal::NoRoom)?.0
    };
    let rest = bytes.get(end..).unwrap_or_default();
    let rest = rest.get(..rest.len().min(MAX_MARK_DISTANCE)).unwrap_or_default();
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if String::from_utf8_lossy(line).to_lowercase().contains(DEAD_LINK) {
        return Err(Refusal::AlreadyPresent);
    }
    Ok(candidate.insertion(end, mark.to_owned()))
}

/// Whether two texts are the same URL in any of the forms that are written.
fn is_same_url(one: &str, other: &str) -> bool {
    one == other || percent_encode(one) == percent_encode(other)
}
