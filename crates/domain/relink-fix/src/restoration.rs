//! Removes an archived copy, because the page itself works again.
//!
//! If Relink wrote the copy as a second link after the original link, the second link is
//! removed. In a citation template, the status of the URL changes from `dead` to `live`. A
//! status that a person chose, such as `usurped`, is left alone. Any other link to the copy gets
//! the original URL. A mark `{{dead link}}` of a bot is removed.

use relink_model::{Digest, Link, Span};
use relink_page::DocumentFormat;
use relink_revive::replacement::{has_identical_text, similarity};

use crate::citation_template::CitationTemplate;
use crate::construct::Notation;
use crate::link_edit::Refusal;
use crate::rewrite::Candidate;
use crate::robust_link::is_version_attribute;
use crate::table_columns::is_relink_column;

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

/// The start of the template that marks a dead link, in lower case.
const DEAD_LINK: &str = "{{dead link";

/// The parameter that a bot adds to a mark, in lower case.
const BOT_PARAMETER: &str = "bot=";

/// Minimum resemblance of the texts of two short pages with the same title.
const MIN_RESEMBLANCE: f64 = 0.5;

/// Whether a link to an archived copy is repaired if its page works again. The link is not
/// repaired where a copy belongs next to a live page: in the attribute of a robust link, in a
/// column that Relink adds to tables, and in a citation whose status is not `dead`.
pub fn is_restorable(format: DocumentFormat, bytes: &[u8], span: Span) -> bool {
    if is_version_attribute(bytes, span) || is_relink_column(format, bytes, span) {
        return false;
    }
    let Some(template) = archive_template(bytes, span) else { return true };
    let Some(status) = template.parameter(&["url-status"]) else { return true };
    let status = bytes.get(status.value.range()).unwrap_or_default();
    status.is_empty() || status.eq_ignore_ascii_case(b"dead")
}

/// Returns the citation template whose parameter with the archived copy contains the link.
fn archive_template(bytes: &[u8], span: Span) -> Option<CitationTemplate> {
    let template = CitationTemplate::around(bytes, span)?;
    let value = template.parameter(&["archive-url", "archiveurl"])?.value;
    (value.start <= span.start && span.end <= value.end).then_some(template)
}

/// Whether a page has the text of its archived copy. Parts of the text may have changed.
pub fn is_same_page(copy: &Digest, page: &Digest) -> bool {
    let shares_title = || copy.title.is_some() && copy.title == page.title;
    similarity(copy, page).is_some()
        || has_identical_text(copy, page)
        || (shares_title() && copy.sketch.resemblance(&page.sketch) >= MIN_RESEMBLANCE)
}

/// Returns the mark `{{dead link}}` that follows at a position, with the space before it.
pub(crate) fn dead_link_mark_at(bytes: &[u8], end: usize) -> Option<Span> {
    let rest = bytes.get(end..)?;
    let space = rest.iter().take_while(|byte| **byte == b' ').count();
    let mark = rest.get(space..)?;
    let start = mark.get(..DEAD_LINK.len())?;
    let length = mark.windows(2).position(|pair| pair == b"}}")? + 2;
    let is_mark = start.eq_ignore_ascii_case(DEAD_LINK.as_bytes());
    is_mark.then_some(Span { start: end, end: end + space + length })
}

/// Returns the mark `{{dead link}}` of a bot that follows at a position. The mark of a person is
/// not returned.
pub(crate) fn bot_mark(bytes: &[u8], end: usize) -> Option<Span> {
    let mark = dead_link_mark_at(bytes, end)?;
    let text = String::from_utf8_lossy(bytes.get(mark.range())?).to_lowercase();
    text.contains(BOT_PARAMETER).then_some(mark)
}

/// Converts the replacement of a copy by its original URL to the edits that fit the construct
/// of the link.
pub(crate) fn restore(
    bytes: &[u8],
    links: &[Link],
    candidate: Candidate,
) -> Result<Vec<Candidate>, Refusal> {
    let span = candidate.location.span;
    if let Some(whole) = second_link(bytes, links, &candidate) {
        let old = bytes.get(whole.range()).ok_or(Refusal::Changed)?.to_vec();
        let url = String::new();
        return Ok(vec![Candidate { span: whole, old, url, is_removal: true, ..candidate }]);
    }
    match archive_template(bytes, span) {
        Some(template) => restored_citation(bytes, &candidate, &template),
        None => Ok(vec![candidate]),
    }
}

/// Returns the span of a second link to a copy, with its markup. Returns `None` if there is no
/// link to the original URL before the copy.
fn second_link(bytes: &[u8], links: &[Link], candidate: &Candidate) -> Option<Span> {
    let span = candidate.location.span;
    let (before, after) = (bytes.get(..span.start)?, bytes.get(span.end..)?);
    let (front, back) =
        NOTATIONS.iter().map(|notation| notation.markup(LABEL)).find(|(front, back)| {
            before.ends_with(front.as_bytes()) && after.starts_with(back.as_bytes())
        })?;
    let whole = Span { start: span.start - front.len(), end: span.end + back.len() };
    let is_original =
        |link: &Link| link.location.span.end <= whole.start && link.target.text() == candidate.url;
    links.iter().any(is_original).then_some(whole)
}

/// Returns the edits of a citation: the status of its URL becomes `live`, and the mark of a bot
/// after the template is removed.
fn restored_citation(
    bytes: &[u8],
    candidate: &Candidate,
    template: &CitationTemplate,
) -> Result<Vec<Candidate>, Refusal> {
    let (span, text) = if let Some(status) = template.parameter(&["url-status"]) {
        (status.value, "live".to_owned())
    } else {
        let (end, before_name, before_value) = template.tail(bytes);
        (Span { start: end, end }, format!("{before_name}url-status{before_value}live"))
    };
    let old = bytes.get(span.range()).ok_or(Refusal::Changed)?.to_vec();
    if !old.is_empty() && !old.eq_ignore_ascii_case(b"dead") {
        return Err(Refusal::AlreadyPresent);
    }
    let mark = bot_mark(bytes, template.end()).map(|mark| removal(bytes, candidate, mark));
    let status = Candidate { markup: (text, String::new()), ..removal(bytes, candidate, span) };
    Ok(std::iter::once(status).chain(mark).collect())
}

/// Returns the edit that removes a text without links.
pub(crate) fn removal(bytes: &[u8], candidate: &Candidate, span: Span) -> Candidate {
    Candidate {
        location: candidate.location,
        index: candidate.index,
        url: String::new(),
        span,
        old: bytes.get(span.range()).unwrap_or_default().to_vec(),
        markup: (String::new(), String::new()),
        added_links: 0,
        form: candidate.form,
        is_removal: false,
    }
}

#[cfg(test)]
mod tests {
    use relink_model::Sketch;
    use relink_page::{Options, links};

    use super::*;
    use crate::link_edit::{EditStyle, LinkEdit};
    use crate::rewrite::rewrite;

    const URL: &str = "http://a.test/x";
    const COPY: &str = "https://web.test/20150102030405/http://a.test/x";

    /// Replaces `U` by the URL of the page and `C` by the URL of its copy.
    fn replaced(text: &str) -> String {
        text.replace('U', URL).replace('C', COPY)
    }

    /// Whether the copy in a document is restored. In the document, `U` is the URL of the page
    /// and `C` the URL of the copy.
    fn check_restorable(format: DocumentFormat, document: &str) -> bool {
        let text = replaced(document);
        let start = text.find(COPY).unwrap();
        is_restorable(format, text.as_bytes(), (start..start + COPY.len()).into())
    }

    #[test]
    fn copy_next_to_a_live_page_is_not_restored() {
        let html = DocumentFormat::Html;
        assert!(check_restorable(html, "<a href=\"C\">a</a>"));
        assert!(check_restorable(html, "<a href=C data-originalurl=U>a</a>"));
        assert!(!check_restorable(html, "<a href=\"U\" data-versionurl=\"C\">a</a>"));
        assert!(!check_restorable(html, "<a href='U' Data-VersionuRL = 'C'>a</a>"));
        let csv = DocumentFormat::Csv;
        assert!(!check_restorable(csv, "url,new_url,archive_url,confidence\nU,,C,\n"));
        assert!(check_restorable(csv, "url,title\nC,a\n"));
    }

    #[test]
    fn status_of_a_person_is_not_restored() {
        let wiki = |status: &str| {
            let document = format!("{{{{cite web|url=U|archive-url=C{status}}}}}");
            check_restorable(DocumentFormat::Wikitext, &document)
        };
        for status in ["", "|url-status=", "|url-status=dead"] {
            assert!(wiki(status), "{status}");
        }
        for status in ["live", "usurped", "unfit", "deviated"] {
            assert!(!wiki(&format!("|url-status={status}")), "{status}");
        }
    }

    /// Restores the copy of a citation, and compares the document.
    #[track_caller]
    fn check_citation(document: &str, expect: &str) {
        let text = replaced(document);
        let found = links(DocumentFormat::Wikitext, text.as_bytes()).links;
        let link = found.iter().find(|link| link.target.text() == COPY).unwrap();
        let request = LinkEdit {
            location: link.location,
            old_url: COPY.to_owned(),
            new_url: URL.to_owned(),
            style: EditStyle::Restore,
        };
        let options = Options::default();
        let rewritten = rewrite(DocumentFormat::Wikitext, &options, text.as_bytes(), &[request]);
        assert_eq!(String::from_utf8(rewritten.bytes).unwrap(), replaced(expect));
    }

    #[test]
    fn citation_becomes_live_and_loses_the_mark_of_a_bot() {
        check_citation(
            "{{cite web|url=U|archive-url=C|url-status=dead}} {{dead link|date=May 2026|bot=x}} a",
            "{{cite web|url=U|archive-url=C|url-status=live}} a",
        );
        check_citation(
            "{{cite web|url=U|archive-url=C}}{{dead link|date=May 2026}}",
            "{{cite web|url=U|archive-url=C|url-status=live}}{{dead link|date=May 2026}}",
        );
    }

    #[test]
    fn unrelated_page_is_not_the_page_of_the_copy() {
        let page = |hashes: std::ops::Range<u32>, title: &str| Digest {
            title: Some(title.to_owned()),
            sketch: Sketch::from_hashes(hashes.collect()),
            ..Digest::default()
        };
        assert!(is_same_page(&page(0..100, "a"), &page(20..120, "b")));
        assert!(is_same_page(&page(0..10, "a"), &page(1..11, "a")));
        assert!(!is_same_page(&page(0..100, "a"), &page(200..300, "a")));
        assert!(!is_same_page(&page(0..10, "a"), &page(1..11, "b")));
    }
}
