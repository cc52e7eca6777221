//! Removes an archived copy, because the page itself works again.
//!
//! If Relink wrote the copy as a second link after the original link, the second link is
//! removed. In a citation template, the status of the URL becomes `live`. Any other link to
//! the copy gets the original URL.

use relink_model::{Link, Span};

use crate::citation_template::CitationTemplate;
use crate::construct::Notation;
use crate::link_edit::Refusal;
use crate::rewrite::Candidate;

/// The text of a second link to an archived copy.
const LABEL: &str = "archived copy";

/// All notations of a second link.
const NOTATIONS: [Notation; 6] = [
    Notation::Markdown,
    Notation::Html,
    Notation::Rst,
    Notation::AsciiDoc,
    Notation::Wikitext,
    Notation::Text,
];

/// Converts the replacement of a copy by its original URL to the edit that is right for the
/// construct of the link.
pub(crate) fn restore(
    bytes: &[u8],
    links: &[Link],
    candidate: Candidate,
) -> Result<Candidate, Refusal> {
    let span = candidate.location.span;
    let before = bytes.get(..span.start).unwrap_or_default();
    let after = bytes.get(span.end..).unwrap_or_default();
    for notation in NOTATIONS {
        let (front, back) = notation.markup(LABEL);
        if before.ends_with(front.as_bytes()) && after.starts_with(back.as_bytes()) {
            let whole = Span { start: span.start - front.len(), end: span.end + back.len() };
            let old = bytes.get(whole.range()).ok_or(Refusal::Changed)?.to_vec();
            let has_original = links.iter().any(|link| {
                link.location.span.end <= whole.start && link.target.text() == candidate.url
            });
            // Without the original link, this is the only link. Replace its URL.
            if !has_original {
                break;
            }
            let url = String::new();
            return Ok(Candidate { span: whole, old, url, is_removal: true, ..candidate });
        }
    }
    if let Some(template) = CitationTemplate::around(bytes, span) {
        let status = template.parameter(&["url-status"]).ok_or(Refusal::NoRoom)?.value;
        let old = bytes.get(status.range()).ok_or(Refusal::Changed)?.to_vec();
        if old == b"live" {
            return Err(Refusal::AlreadyPresent);
        }
        let markup = ("live".to_owned(), String::new());
        let url = String::new();
        return Ok(Candidate { span: status, old, url, markup, ..candidate });
    }
    Ok(candidate)
}
