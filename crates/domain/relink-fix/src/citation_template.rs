//! Finds the citation template of a link in MediaWiki text, such as
//! `{{cite web|url=…}}`.

use relink_model::Span;

/// A citation template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CitationTemplate {
    /// The position of its closing braces.
    pub(crate) end: usize,
    /// Whether it names an archived copy.
    pub(crate) has_archive_url: bool,
    /// Whether it names the state of the original URL.
    pub(crate) has_url_status: bool,
}

/// Returns the innermost template around the link, if it is a citation template
/// and the link is its parameter `url`.
pub(crate) fn citation_template(document: &[u8], span: Span) -> Option<CitationTemplate> {
    let start = template_start(document.get(..span.start)?)?;
    let end = span.end + template_end(document.get(span.end..)?)?;
    let content = String::from_utf8_lossy(document.get(start..end)?).to_lowercase();
    let name = content.split('|').next()?.trim();
    if !name.starts_with("cite ") && name != "citation" {
        return None;
    }
    let before = String::from_utf8_lossy(document.get(start..span.start)?).to_lowercase();
    let parameter = before.rsplit('|').next()?.split('=').next()?.trim();
    let has = |name: &str| {
        content.split('|').any(|part| {
            part.split_once('=')
                .is_some_and(|(key, value)| key.trim() == name && !value.trim().is_empty())
        })
    };
    (parameter == "url").then(|| CitationTemplate {
        end,
        has_archive_url: has("archive-url") || has("archiveurl"),
        has_url_status: has("url-status"),
    })
}

/// Returns the content of the innermost template around the link, if it is a citation.
pub(crate) fn citation_template_around(document: &[u8], span: Span) -> Option<Span> {
    let start = template_start(document.get(..span.start)?)?;
    let end = span.end + template_end(document.get(span.end..)?)?;
    let content = String::from_utf8_lossy(document.get(start..end)?).to_lowercase();
    let name = content.split('|').next()?.trim();
    let is_citation = name.starts_with("cite ") || name == "citation";
    is_citation.then_some(Span { start, end })
}

/// Returns the position of a parameter of a template, without white space.
pub(crate) fn parameter_value(document: &[u8], template: Span, name: &str) -> Option<Span> {
    let content = document.get(template.range())?;
    let mut start = template.start;
    for part in content.split(|byte| *byte == b'|') {
        let next = start + part.len() + 1;
        let sign = part.iter().position(|byte| *byte == b'=');
        if let Some((key, value)) = sign.and_then(|sign| part.split_at_checked(sign))
            && key.trim_ascii().eq_ignore_ascii_case(name.as_bytes())
        {
            let value = value.get(1..)?;
            let leading = value.len() - value.trim_ascii_start().len();
            let start = start + key.len() + 1 + leading;
            return Some(Span { start, end: start + value.trim_ascii().len() });
        }
        start = next;
    }
    None
}

/// Returns a parameter of the innermost template around the link.
pub(crate) fn template_parameter(document: &[u8], span: Span, name: &str) -> Option<String> {
    let start = template_start(document.get(..span.start)?)?;
    let end = span.end + template_end(document.get(span.end..)?)?;
    let content = String::from_utf8_lossy(document.get(start..end)?).into_owned();
    let parameters = content.split('|').filter_map(|part| part.split_once('='));
    parameters
        .into_iter()
        .find(|(key, _)| key.trim().eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim().to_owned())
}

/// Returns the position after the opening braces of the innermost open template.
fn template_start(before: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut position = before.len();
    while let Some(pair) = position.checked_sub(2).and_then(|start| before.get(start..position)) {
        match pair {
            b"}}" => depth += 1,
            b"{{" if depth == 0 => return Some(position),
            b"{{" => depth -= 1,
            _ => {
                position -= 1;
                continue;
            }
        }
        position -= 2;
    }
    None
}

/// Returns the length of the text before the closing braces of the template.
fn template_end(after: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut position = 0;
    while let Some(pair) = after.get(position..position + 2) {
        match pair {
            b"{{" => depth += 1,
            b"}}" if depth == 0 => return Some(position),
            b"}}" => depth -= 1,
            _ => {
                position += 1;
                continue;
            }
        }
        position += 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://example.org/a";

    fn find(document: &str) -> Option<CitationTemplate> {
        let start = document.find(URL).unwrap();
        citation_template(document.as_bytes(), (start..start + URL.len()).into())
    }

    #[test]
    fn end_of_a_citation_template_is_found() {
        for document in [
            "a {{cite web|url=http://example.org/a|title=b}} c",
            "{{Citation | url = http://example.org/a }}",
            "{{cite web|title={{lang|de|x}}|url=http://example.org/a|author={{a|b}}}} {{x}}",
        ] {
            let template = find(document).unwrap();
            let rest = document.get(template.end..).unwrap_or_default();
            assert!(rest.starts_with("}} ") || rest == "}}", "{document}: {rest}");
            assert!(!template.has_archive_url);
        }
    }

    #[test]
    fn existing_parameters_are_recognized() {
        let template = find(
            "{{cite web|url=http://example.org/a|archive-url=https://a.test/|url-status=live}}",
        );
        assert!(template.is_some_and(|found| found.has_archive_url && found.has_url_status));
        let template = find("{{cite web|url=http://example.org/a|archive-url=}}");
        assert!(template.is_some_and(|found| !found.has_archive_url));
    }

    #[test]
    fn other_templates_and_parameters_are_not_citations() {
        for document in [
            "{{infobox|url=http://example.org/a}}",
            "{{cite web|archive-url=http://example.org/a|url=x}}",
            "{{cite web|url=x}} http://example.org/a",
            "{{cite web|url=http://example.org/a",
        ] {
            assert_eq!(find(document), None, "{document}");
        }
    }
}
