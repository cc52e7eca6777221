//! Decides whether a link is a citation.
//!
//! A citation refers to the text that its author read, so an archived copy is the
//! best repair. Any other link leads readers to a page, so the new URL of the page
//! is the best repair.

use std::ops::Range;

use relink_model::Span;

use crate::citation_template::enclosing_templates;

/// Elements that contain citations.
const CITATION_ELEMENTS: [&str; 2] = ["ref", "cite"];

/// Elements that contain citations if an attribute says so.
const CONTAINER_ELEMENTS: [&str; 7] = ["section", "div", "ol", "ul", "li", "aside", "p"];

/// Classes, ids and roles of elements with citations.
const CONTAINER_NAMES: [&str; 14] = [
    "footnotes",
    "footnote",
    "references",
    "reflist",
    "bibliography",
    "citation",
    "citations",
    "csl-entry",
    "endnotes",
    "doc-footnote",
    "doc-endnotes",
    "doc-endnote",
    "doc-bibliography",
    "doc-biblioentry",
];

/// Words before the date on which an author read a page, in lower case.
const ACCESS_WORDS: [&str; 9] = [
    "accessed",
    "retrieved",
    "last visited",
    "visited on",
    "viewed on",
    "abgerufen",
    "zugriff",
    "consulté",
    "consultado",
];

/// Headings of lists of citations, in lower case.
const HEADINGS: [&str; 12] = [
    "references",
    "bibliography",
    "works cited",
    "literature",
    "citations",
    "footnotes",
    "sources",
    "einzelnachweise",
    "literatur",
    "quellen",
    "références",
    "referencias",
];

/// Maximum number of characters between the words of an access date and its year.
const MAX_DATE_DISTANCE: usize = 40;

/// Maximum number of bytes before a link in which headings and elements are searched for.
const MAX_HEADING_DISTANCE: usize = 64 << 10;

/// Maximum number of bytes between a link and its access date.
const MAX_ACCESS_DISTANCE: usize = 300;

/// Whether the link at `span` is a citation: inside of a citation template, a citation element
/// or a footnote, with an access date, or below the heading of a list of citations. Other links
/// on the same line do not count.
pub fn is_citation(document: &[u8], span: Span) -> bool {
    let start = span.start.saturating_sub(MAX_HEADING_DISTANCE);
    let Some(before) = document.get(start..span.start) else { return false };
    let after = document.get(span.end..).unwrap_or_default();
    let after = after.get(..after.len().min(MAX_ACCESS_DISTANCE)).unwrap_or_default();
    let (before, after) = (lower_case_text(before), lower_case_text(after));
    enclosing_templates(document, span).iter().any(|name| is_citation_template(name))
        || CITATION_ELEMENTS.iter().any(|name| is_in_element(&before, name, |_| true))
        || CONTAINER_ELEMENTS.iter().any(|name| is_in_element(&before, name, lists_citations))
        || is_in_footnote(&before)
        || has_access_date_near(&before, &after)
        || is_below_citation_heading(&before)
}

fn is_citation_template(name: &str) -> bool {
    name.starts_with("cite ") || name == "citation" || name == "cite"
}

/// Whether the end of a text is inside of an element whose start tag fulfills a condition.
fn is_in_element(before: &str, name: &str, condition: impl Fn(&str) -> bool) -> bool {
    let (start, end) = (format!("<{name}"), format!("</{name}"));
    let mut closed = 0_usize;
    let mut rest = before;
    while let Some(position) = rest.rfind('<') {
        let tag = rest.get(position..).unwrap_or_default();
        // The tag of the link itself is not closed.
        let tag = tag.split_once('>').map(|(tag, _)| tag);
        let is_named = |mark: &str| {
            let after_name = tag.and_then(|tag| tag.strip_prefix(mark));
            after_name.filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        };
        if is_named(&end).is_some() {
            closed += 1;
        } else if let Some(attributes) = is_named(&start).filter(|tag| !tag.ends_with('/')) {
            if closed == 0 && condition(attributes) {
                return true;
            }
            closed = closed.saturating_sub(1);
        }
        rest = rest.get(..position).unwrap_or_default();
    }
    false
}

/// Whether the attributes of a tag name a list or an entry of citations.
fn lists_citations(attributes: &str) -> bool {
    let mut words = attributes.split(|c: char| !c.is_alphanumeric() && c != '-');
    words.any(|word| CONTAINER_NAMES.contains(&word))
}

/// Whether the end of a text is in a footnote. A footnote continues on the next lines of its
/// paragraph, and in indented paragraphs.
fn is_in_footnote(before: &str) -> bool {
    let mut is_first_line = true;
    let mut is_indented = true;
    for line in before.rsplit('\n') {
        let is_blank = line.trim().is_empty() && !is_first_line;
        if !is_blank && is_footnote(line) {
            return true;
        }
        let starts_indented = line.starts_with([' ', '\t']);
        // Above a blank line, all lines down to the link must be indented.
        if is_blank {
            if !is_indented {
                return false;
            }
        } else if !starts_indented {
            is_indented = false;
            if !is_first_line && line.starts_with(['#', '=']) {
                return false;
            }
        }
        is_first_line = false;
    }
    false
}

/// Whether a line defines a footnote: `[^1]: …` in Markdown, `.. [1] …` in
/// reStructuredText.
fn is_footnote(line: &str) -> bool {
    let line = line.trim_start();
    let is_definition =
        |line: &str| line.split_once(']').is_some_and(|(_, rest)| rest.starts_with(':'));
    (line.starts_with("[^") && is_definition(line)) || line.starts_with(".. [")
}

/// Whether there is an access date between a link and the next link, or between the start of the
/// line and the link if the link is the first one in the line.
fn has_access_date_near(before: &str, after: &str) -> bool {
    let paragraph_end = |text: &str| {
        let end = ["\n\n", "\n\r\n", "</p", "</li"].iter().filter_map(|mark| text.find(mark)).min();
        end.unwrap_or(text.len())
    };
    let end = paragraph_end(after).min(after.find("://").unwrap_or(after.len()));
    // A list item or a table row does not continue the text of the link.
    let is_item = |line: &str| line.trim_start().starts_with(['-', '*', '#', '|', '+']);
    let lines = after.get(..end).unwrap_or_default().lines().enumerate();
    let own_lines: Vec<&str> = lines
        .take_while(|(index, line)| *index == 0 || !is_item(line))
        .map(|(_, line)| line)
        .collect();
    let line_before_link = before.rsplit('\n').next().unwrap_or_default();
    let is_first = !line_before_link.contains("://");
    has_access_date(&own_lines.join(" ")) || (is_first && has_access_date(line_before_link))
}

/// Whether a text has the words and the year of an access date.
fn has_access_date(text: &str) -> bool {
    ACCESS_WORDS.iter().any(|word| {
        text.match_indices(word).any(|(position, _)| {
            let rest = text.get(position + word.len()..).unwrap_or_default();
            // A year has four digits.
            rest.chars().take(MAX_DATE_DISTANCE).filter(char::is_ascii_digit).count() >= 4
        })
    })
}

/// Whether the nearest heading above the link is the heading of a list of citations.
fn is_below_citation_heading(before: &str) -> bool {
    let element = element_heading(before);
    let line = line_heading(before);
    let nearest = match (&element, &line) {
        (Some((one, _)), Some((other, _))) if one.start > other.start => &element,
        (Some(_), None) => &element,
        _ => &line,
    };
    nearest.as_ref().is_some_and(|(_, heading)| {
        HEADINGS.contains(&heading.trim_matches(|c: char| c == ':' || c.is_whitespace()))
    })
}

/// Returns the last heading that is an element, such as `<h2>References</h2>`.
fn element_heading(before: &str) -> Option<(Range<usize>, String)> {
    let is_start = |position: &usize| {
        let level = before.get(position + 2..).and_then(|rest| rest.chars().next());
        level.is_some_and(|level| ('1'..='6').contains(&level))
    };
    let start = before.rmatch_indices("<h").map(|(position, _)| position).find(is_start)?;
    let element = before.get(start..)?;
    let end = element.find("</h")?;
    let mut text = String::new();
    for part in element.get(..end)?.split('<').skip(1) {
        text.push_str(part.split_once('>').map_or("", |(_, text)| text));
    }
    Some((start..start + end, text))
}

/// Returns the last heading that is a line.
fn line_heading(before: &str) -> Option<(Range<usize>, String)> {
    let mut end = before.len();
    let mut next = "";
    for line in before.rsplit('\n') {
        let start = end.saturating_sub(line.len());
        if let Some(heading) = heading(line.trim(), next) {
            return Some((start..end, heading.to_owned()));
        }
        next = line.trim();
        end = start.saturating_sub(1);
    }
    None
}

/// Returns the text of a heading, if the line is a heading. `next` is the next line, which may
/// underline the heading.
fn heading<'a>(line: &'a str, next: &str) -> Option<&'a str> {
    let marked = ['#', '='].into_iter().find(|mark| line.starts_with(*mark));
    if let Some(mark) = marked {
        let text = line.trim_matches(mark).trim();
        return (!text.is_empty()).then_some(text);
    }
    let is_underline = next.len() >= 3
        && next.starts_with(['=', '-', '~', '^', '*'])
        && next.bytes().all(|byte| next.as_bytes().first() == Some(&byte));
    (is_underline && !line.is_empty()).then_some(line)
}

fn lower_case_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://example.org/a";

    fn is_citation_in(document: &str) -> bool {
        let start = document.find(URL).unwrap();
        is_citation(document.as_bytes(), (start..start + URL.len()).into())
    }

    #[test]
    fn citations_are_recognized() {
        for document in [
            "Text[^1].\n\n[^1]: See http://example.org/a.\n",
            ".. [1] http://example.org/a\n",
            "{{cite web|url=http://example.org/a|title=A}}",
            "Smith, A. http://example.org/a (accessed 3 May 2019)",
            "Muster, http://example.org/a, abgerufen am 3.5.2019",
            "# Paper\n\ntext\n\n## References\n\n- one\n- http://example.org/a\n",
            "References\n----------\n\n* http://example.org/a\n",
            "<h2 id=x>Bibliography</h2>\n<a href=http://example.org/a>a</a>",
            "<body><h2>References</h2><ul><li><a href=\"http://example.org/a\">a</a></ul>",
            "<h2><span id=r>References</span></h2><a href=\"http://example.org/a\">a</a>",
            "{{cite web\n | url=http://example.org/a\n | title=A\n}}",
            "{{cite web|url={{url|http://example.org/a}}}}",
            "text<ref name=\"x\">\nSmith\n[http://example.org/a A]</ref>",
            "<section class=\"footnotes\">\n<ol>\n<li><a href=\"http://example.org/a\">a</a>",
            "<cite><a href=\"http://example.org/a\">a</a></cite>",
            "[^1]: A long note\n    that continues http://example.org/a\n",
            "[^1]: A note.\n\n    A second paragraph, http://example.org/a\n",
            ".. [1] A. Smith,\n   http://example.org/a\n",
            "Smith, [A](http://example.org/a),\naccessed 3 May 2019.\n",
        ] {
            assert!(is_citation_in(document), "{document}");
        }
    }

    #[test]
    fn other_links_are_not_citations() {
        for document in [
            "See [the guide](http://example.org/a).",
            "# References\n\ntext\n\n# Install\n\n[a](http://example.org/a)\n",
            "Data can be accessed at http://example.org/a",
            "[a]: http://example.org/a\n",
            "Nav [http://example.org/a nav].<ref>{{cite web|url=http://b.test/}}</ref> more",
            "<ref>{{cite web|url=http://b.test/}}</ref> more [http://example.org/a nav]",
            "{{cite web|url=http://b.test/}} more [http://example.org/a nav]",
            "<ref name=x /> more [http://example.org/a nav]",
            "[^1]: A note.\n\nText http://example.org/a\n",
            "http://example.org/a and http://b.test/ (accessed 3 May 2019)",
            "* http://example.org/a\n* http://b.test/x accessed 2019-01-01\n",
            "<ol class=\"references\"><li>x</ol><p><a href=\"http://example.org/a\">a</a>",
        ] {
            assert!(!is_citation_in(document), "{document}");
        }
    }
}
