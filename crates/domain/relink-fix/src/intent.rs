//! Decides whether a link is a citation.
//!
//! A citation refers to the text that its author read, so an archived copy is the
//! best repair. Any other link leads readers to a page, so the new URL of the page
//! is the best repair.

use relink_model::Span;

/// Marks of a citation on the line of the link, in lower case.
const LINE_MARKS: [&str; 4] = ["{{cite", "{{citation", "<ref", "<cite"];

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

/// Maximum number of bytes before a link in which a heading is searched for.
const MAX_HEADING_DISTANCE: usize = 64 << 10;

/// Whether the link at `span` is a citation.
pub fn is_citation(document: &[u8], span: Span) -> bool {
    let Some((before, after)) = document.split_at_checked(span.start) else { return false };
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |index| index + 1);
    let end = after.iter().position(|byte| *byte == b'\n').unwrap_or(after.len());
    let line = text(document.get(start..span.start + end).unwrap_or_default());
    is_footnote(&line)
        || LINE_MARKS.iter().any(|mark| line.contains(mark))
        || has_access_date(&line)
        || is_below_citation_heading(before)
}

/// Whether a line defines a footnote: `[^1]: …` in Markdown, `.. [1] …` in
/// reStructuredText.
fn is_footnote(line: &str) -> bool {
    let line = line.trim_start();
    let is_definition =
        |line: &str| line.split_once(']').is_some_and(|(_, rest)| rest.starts_with(':'));
    (line.starts_with("[^") && is_definition(line)) || line.starts_with(".. [")
}

/// Whether a line has the words and the year of an access date.
fn has_access_date(line: &str) -> bool {
    ACCESS_WORDS.iter().any(|word| {
        let rest = line.split_once(word).map_or("", |(_, rest)| rest);
        // A year has four digits.
        rest.chars().take(MAX_DATE_DISTANCE).filter(char::is_ascii_digit).count() >= 4
    })
}

/// Whether the nearest heading above the link is the heading of a list of citations.
fn is_below_citation_heading(before: &[u8]) -> bool {
    let start = before.len().saturating_sub(MAX_HEADING_DISTANCE);
    let text = text(before.get(start..).unwrap_or_default());
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let heading = lines.iter().enumerate().rev().find_map(|(index, line)| {
        let next = lines.get(index + 1).copied().unwrap_or_default();
        heading(line, next)
    });
    heading.is_some_and(|heading| HEADINGS.contains(&heading))
}

/// Returns the text of a heading, if the line is a heading. `next` is the next line, which may
/// underline the heading.
fn heading<'a>(line: &'a str, next: &str) -> Option<&'a str> {
    let marked = ['#', '='].into_iter().find(|mark| line.starts_with(*mark));
    if let Some(mark) = marked {
        let text = line.trim_matches(mark).trim();
        return (!text.is_empty()).then_some(text);
    }
    if let Some(tag) = line.strip_prefix("<h").filter(|rest| rest.starts_with(char::is_numeric)) {
        let (_, text) = tag.split_once('>')?;
        return text.split('<').next().map(str::trim);
    }
    let is_underline = next.len() >= 3
        && next.starts_with(['=', '-', '~', '^', '*'])
        && next.bytes().all(|byte| next.as_bytes().first() == Some(&byte));
    (is_underline && !line.is_empty()).then_some(line)
}

fn text(bytes: &[u8]) -> String {
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
        ] {
            assert!(!is_citation_in(document), "{document}");
        }
    }
}
