//! Writes an archived copy into the parameters of a citation template: `archive-url`,
//! `archive-date` and `url-status`.
//!
//! Empty parameters are filled. Missing parameters are added after the last parameter. The old
//! parameter `deadurl` is corrected. If the template already has an archived copy, only a status
//! that says that the page is live is corrected. A mark `{{dead link}}` after the template is
//! removed.

use relink_model::Span;

use crate::citation_template::CitationTemplate;
use crate::link_edit::{CopyDetails, Refusal};
use crate::restoration::{dead_link_mark_at, removal};
use crate::rewrite::Candidate;

/// The alternative names of each parameter. A missing parameter gets the first name.
const NAMES: [&[&str]; 3] =
    [&["archive-url", "archiveurl"], &["archive-date", "archivedate"], &["url-status"]];

/// The names of the parameter that preceded `url-status`.
const OLD_STATUS_NAMES: [&str; 2] = ["deadurl", "dead-url"];

/// A changed range of a template. One of the changes of a template writes the URL of the
/// copy.
#[derive(Debug)]
struct Change {
    span: Span,
    has_url: bool,
    /// The text before the URL, or the whole text if the change has no URL.
    before: String,
    /// The text after the URL.
    after: String,
}

impl Change {
    /// Returns a change of this range without text.
    fn at(span: Span) -> Self {
        Self { span, has_url: false, before: String::new(), after: String::new() }
    }

    /// Appends a text to the change, or the URL of the copy if `text` is `None`.
    fn push(&mut self, text: Option<&str>) {
        match text {
            Some(text) if self.has_url => self.after.push_str(text),
            Some(text) => self.before.push_str(text),
            None => self.has_url = true,
        }
    }
}

/// Converts the replacement of a URL to edits of the template. They write the URL, date and
/// status of the archived copy into parameters.
pub(crate) fn archive_parameters(
    bytes: &[u8],
    candidate: &Candidate,
    template: &CitationTemplate,
    copy: &CopyDetails,
) -> Result<Vec<Candidate>, Refusal> {
    let mut changes = if template.has_archive_url() {
        live_status_change(bytes, template, copy).into_iter().collect()
    } else {
        parameter_changes(bytes, template, copy)
    };
    changes.extend(old_status_change(bytes, template, copy));
    if changes.is_empty() {
        return Err(Refusal::AlreadyPresent);
    }
    changes.sort_by_key(|change| change.span);
    let edits: Result<Vec<Candidate>, Refusal> =
        changes.into_iter().map(|change| candidate_for_change(bytes, candidate, change)).collect();
    let mark = dead_link_mark_at(bytes, template.end());
    let mark = mark.map(|mark| removal(bytes, candidate, mark));
    edits.map(|edits| edits.into_iter().chain(mark).collect())
}

/// Returns the change of a status that says that the page is live.
fn live_status_change(
    bytes: &[u8],
    template: &CitationTemplate,
    copy: &CopyDetails,
) -> Option<Change> {
    let value = template.parameter(&["url-status"])?.value;
    let is_live = bytes.get(value.range())?.eq_ignore_ascii_case(b"live");
    is_live.then(|| {
        let mut change = Change::at(value);
        change.push(Some(copy.url_status));
        change
    })
}

/// Returns the change of the old parameter `deadurl=no`.
fn old_status_change(
    bytes: &[u8],
    template: &CitationTemplate,
    copy: &CopyDetails,
) -> Option<Change> {
    let value = template.parameter(&OLD_STATUS_NAMES)?.value;
    let old = bytes.get(value.range())?.to_ascii_lowercase();
    matches!(old.as_slice(), b"no" | b"n" | b"false" | b"live").then(|| {
        let mut change = Change::at(value);
        change.push(Some(match copy.url_status {
            status @ ("usurped" | "unfit") => status,
            _ => "yes",
        }));
        change
    })
}

/// Returns the changes that fill empty parameters and add missing parameters, by position.
fn parameter_changes(bytes: &[u8], template: &CitationTemplate, copy: &CopyDetails) -> Vec<Change> {
    // All missing parameters are added by one change, `tail`, at the end of the template.
    let (end, separator, sign) = template.tail(bytes);
    let mut tail = Change::at(Span { start: end, end });
    let mut changes: Vec<Change> = Vec::new();
    // The first parameter, for which the text is `None`, gets the URL of the copy.
    for (names, text) in NAMES.iter().zip([None, Some(&*copy.date), Some(copy.url_status)]) {
        let Some(parameter) = template.parameter(names) else {
            let name = names.first().copied().unwrap_or_default();
            tail.push(Some(&format!("{separator}{name}{sign}")));
            tail.push(text);
            continue;
        };
        let old = bytes.get(parameter.value.range()).unwrap_or_default();
        let is_status = names.contains(&"url-status");
        // A person has chosen any status other than `live`.
        let is_unchanged = text.is_some_and(|text| text.as_bytes() == old);
        let is_chosen_status = is_status && !old.is_empty() && !old.eq_ignore_ascii_case(b"live");
        if is_unchanged || is_chosen_status {
            continue;
        }
        let mut change = Change::at(parameter.value);
        change.push(text);
        changes.push(change);
    }
    // An empty last parameter is at the same position as the tail. Merge the two changes.
    match changes.iter_mut().find(|change| change.span == tail.span) {
        Some(last) if tail.has_url => {
            let text = std::mem::take(&mut last.before);
            tail.before.insert_str(0, &text);
            *last = tail;
        }
        Some(last) => last.push(Some(&tail.before)),
        None if tail.before.is_empty() => {}
        None => changes.push(tail),
    }
    changes
}

/// Returns the edit that makes a change.
fn candidate_for_change(
    bytes: &[u8],
    candidate: &Candidate,
    change: Change,
) -> Result<Candidate, Refusal> {
    let url = if change.has_url { candidate.url.clone() } else { String::new() };
    Ok(Candidate {
        location: candidate.location,
        index: candidate.index,
        url,
        span: change.span,
        old: bytes.get(change.span.range()).ok_or(Refusal::Changed)?.to_vec(),
        markup: (change.before, change.after),
        added_links: usize::from(change.has_url),
        form: candidate.form,
        is_removal: false,
    })
}

#[cfg(test)]
mod tests {
    use relink_model::SourceLocation;
    use relink_page::{DocumentFormat, Options, links};

    use super::*;
    use crate::link_edit::{EditStyle, LinkEdit};
    use crate::rewrite::rewrite;

    const URL: &str = "http://example.org/a";
    const COPY: &str = "https://archive.test/1/http://example.org/a";

    /// Adds the copy of a link to its template, and compares the document with `expect`. In both
    /// documents, `U` stands for the URL of the link and `C` for the URL of the copy. A second run
    /// changes nothing.
    #[track_caller]
    fn check(document: &str, status: &'static str, expect: &str) {
        let mut text = document.replace('U', URL).replace('C', COPY);
        for _ in 0..2 {
            let found = links(DocumentFormat::Wikitext, text.as_bytes()).links;
            let link = found.iter().find(|link| link.target.text() == URL);
            let location: SourceLocation = link.unwrap().location;
            let details = CopyDetails { date: "2021-03-02".into(), url_status: status };
            let style = EditStyle::SecondLink { label: String::new(), copy: Some(details) };
            let (old_url, new_url) = (URL.to_owned(), COPY.to_owned());
            let request = LinkEdit { location, old_url, new_url, style };
            let options = Options::default();
            let rewritten =
                rewrite(DocumentFormat::Wikitext, &options, text.as_bytes(), &[request]);
            text = String::from_utf8(rewritten.bytes).unwrap();
            assert_eq!(
                text,
                expect.replace('U', URL).replace('C', COPY),
                "{:?}",
                rewritten.refused
            );
        }
    }

    #[test]
    fn missing_parameters_are_added_in_the_style_of_the_template() {
        check(
            "{{cite web|url=U|title=x}}",
            "usurped",
            "{{cite web|url=U|title=x|archive-url=C|archive-date=2021-03-02|url-status=usurped}}",
        );
        check(
            "{{cite web\n | url = U\n | title = x\n}}",
            "unfit",
            "{{cite web\n | url = U\n | title = x\n | archive-url = C\n | archive-date = \
             2021-03-02\n | url-status = unfit\n}}",
        );
    }

    #[test]
    fn empty_parameters_are_filled() {
        check(
            "{{cite web|url=U|archive-url=|archive-date= |url-status=|title=x}}",
            "dead",
            "{{cite web|url=U|archive-url=C|archive-date= 2021-03-02|url-status=dead|title=x}}",
        );
        check(
            "{{cite web|url=U|archive-url=}}",
            "dead",
            "{{cite web|url=U|archive-url=C|archive-date=2021-03-02|url-status=dead}}",
        );
        check(
            "{{cite web|url=U|url-status= }}",
            "deviated",
            "{{cite web|url=U|url-status= deviated|archive-url=C|archive-date=2021-03-02}}",
        );
    }

    #[test]
    fn status_is_replaced_only_if_it_is_live() {
        check(
            "{{cite web|url-status=live|url=U}}",
            "dead",
            "{{cite web|url-status=dead|url=U|archive-url=C|archive-date=2021-03-02}}",
        );
        check(
            "{{cite web|url-status=unfit|url=U}}",
            "dead",
            "{{cite web|url-status=unfit|url=U|archive-url=C|archive-date=2021-03-02}}",
        );
    }

    #[test]
    fn live_status_next_to_a_copy_is_corrected() {
        check(
            "{{cite web|url=U|archive-url=C|url-status=live}}",
            "dead",
            "{{cite web|url=U|archive-url=C|url-status=dead}}",
        );
        check(
            "{{cite web|url=U|archive-url=C|url-status=usurped}}",
            "dead",
            "{{cite web|url=U|archive-url=C|url-status=usurped}}",
        );
    }

    #[test]
    fn old_status_parameter_is_corrected() {
        check(
            "{{cite web|url=U|deadurl=no}}",
            "dead",
            "{{cite web|url=U|deadurl=yes|archive-url=C|archive-date=2021-03-02|url-status=dead}}",
        );
        check(
            "{{cite web|url=U|archiveurl=C|dead-url=no}}",
            "usurped",
            "{{cite web|url=U|archiveurl=C|dead-url=usurped}}",
        );
    }

    #[test]
    fn mark_of_a_dead_link_is_removed() {
        check(
            "{{cite web|url=U}} {{Dead link|date=May 2020}} x",
            "dead",
            "{{cite web|url=U|archive-url=C|archive-date=2021-03-02|url-status=dead}} x",
        );
    }
}
