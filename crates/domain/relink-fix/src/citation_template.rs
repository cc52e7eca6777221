//! Finds the citation template of a link in MediaWiki text, such as
//! `{{cite web|url=…}}`.

use relink_model::Span;

/// A citation template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CitationTemplate {
    /// The span of the text between the braces.
    pub(crate) content: Span,
    /// The named parameters, in order.
    parameters: Vec<TemplateParameter>,
}

/// A named parameter of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateParameter {
    /// The name, in lower case.
    name: String,
    /// The position of the vertical bar.
    bar_position: usize,
    /// The position of the equals sign.
    equals_position: usize,
    /// The span of the value without white space around it. For an empty value, the position at
    /// which a value would be written.
    pub(crate) value: Span,
}

impl CitationTemplate {
    /// Returns the innermost template around the link if this template is a citation template.
    pub(crate) fn around(document: &[u8], span: Span) -> Option<Self> {
        let content = template_around(document, span)?;
        let text = document.get(content.range())?;
        let name = text.split(|byte| *byte == b'|').next()?;
        let name = String::from_utf8_lossy(name).trim().to_lowercase();
        let is_citation = name.starts_with("cite ") || name == "citation";
        is_citation.then(|| Self { content, parameters: parameters(document, content) })
    }

    /// Returns the citation template around the link if the link is its parameter `url`.
    pub(crate) fn of_url(document: &[u8], span: Span) -> Option<Self> {
        let template = Self::around(document, span)?;
        let url = template.parameter(&["url"])?;
        (url.value.start <= span.start && span.end <= url.value.end).then_some(template)
    }

    /// Returns the last parameter with one of these names.
    pub(crate) fn parameter(&self, names: &[&str]) -> Option<&TemplateParameter> {
        let is_named = |parameter: &&TemplateParameter| names.contains(&parameter.name.as_str());
        self.parameters.iter().rfind(is_named)
    }

    /// Whether the template has the URL of an archived copy.
    pub(crate) fn has_archive_url(&self) -> bool {
        let parameter = self.parameter(&["archive-url", "archiveurl"]);
        parameter.is_some_and(|parameter| !parameter.value.range().is_empty())
    }

    /// Returns the position after the closing braces.
    pub(crate) fn end(&self) -> usize {
        self.content.end + 2
    }

    /// Returns what is needed to write a further parameter in the style of the last parameter: the
    /// position after the last parameter, the text before the new name (`|` with white space),
    /// and the text between name and value (`=` with white space).
    pub(crate) fn tail(&self, document: &[u8]) -> (usize, String, String) {
        let text = |start, end| {
            String::from_utf8_lossy(document.get(start..end).unwrap_or_default()).into_owned()
        };
        let content = document.get(self.content.range()).unwrap_or_default();
        let content_end = self.content.start + content.trim_ascii_end().len();
        let Some(last) = self.parameters.last() else {
            return (content_end, "|".to_owned(), "=".to_owned());
        };
        let before = document.get(..last.bar_position).unwrap_or_default();
        let space = text(before.trim_ascii_end().len(), last.bar_position);
        let key = document.get(last.bar_position + 1..last.equals_position).unwrap_or_default();
        let name_start = last.bar_position + 1 + key.len() - key.trim_ascii_start().len();
        let name_end = last.bar_position + 1 + key.trim_ascii_end().len();
        // An empty value does not show how much space precedes a value.
        let space_of_value = if last.value.start < last.value.end {
            text(last.equals_position + 1, last.value.start)
        } else {
            String::new()
        };
        let before_value = format!("{}={}", text(name_end, last.equals_position), space_of_value);
        let before_name = format!("{space}|{}", text(last.bar_position + 1, name_start));
        (content_end.max(last.value.end), before_name, before_value)
    }
}

/// Returns the value of a parameter of the innermost template around the link.
pub(crate) fn template_parameter(document: &[u8], span: Span, name: &str) -> Option<String> {
    let all = parameters(document, template_around(document, span)?);
    let value = all.into_iter().find(|parameter| parameter.name == name)?.value;
    Some(String::from_utf8_lossy(document.get(value.range())?).into_owned())
}

/// Returns the number, from 1, of the unnamed parameter whose value is the link. The URL in
/// `{{official website|URL}}` is parameter 1. Returns `None` for other links.
pub(crate) fn unnamed_parameter(document: &[u8], span: Span) -> Option<usize> {
    let content = template_around(document, span)?;
    let before = document.get(content.start..span.start)?;
    // The last vertical bar before the link starts the parameter of the link.
    let bar_positions = parameter_bars(document, Span { start: content.start, end: span.start });
    let value_start = bar_positions.last()? + 1;
    let is_value = before.get(value_start - content.start..)?.trim_ascii().is_empty();
    // Only the parameters before the link are counted.
    let ends = bar_positions.iter().skip(1).copied();
    let is_unnamed = |(bar_position, end): &(&usize, usize)| {
        document.get(**bar_position..*end).is_some_and(|parameter| !parameter.contains(&b'='))
    };
    is_value.then(|| bar_positions.iter().zip(ends).filter(is_unnamed).count() + 1)
}

/// Returns the names of the templates around a link, from the innermost one on, in lower case.
pub(crate) fn enclosing_templates(document: &[u8], span: Span) -> Vec<String> {
    /// Maximum number of nested templates.
    const MAX_DEPTH: usize = 4;
    let (mut names, mut inner) = (Vec::new(), span);
    while let Some(content) = template_around(document, inner) {
        let text = document.get(content.range()).unwrap_or_default();
        let name = text.split(|byte| *byte == b'|').next().unwrap_or_default();
        names.push(String::from_utf8_lossy(name).trim().to_lowercase());
        if names.len() == MAX_DEPTH {
            break;
        }
        inner = Span { start: content.start.saturating_sub(2), end: content.end + 2 };
    }
    names
}

/// Returns the content of the innermost template around the link.
fn template_around(document: &[u8], span: Span) -> Option<Span> {
    let start = template_start(document.get(..span.start)?)?;
    let end = span.end + template_end(document.get(span.end..)?)?;
    Some(Span { start, end })
}

/// Returns the named parameters of a template.
fn parameters(document: &[u8], template: Span) -> Vec<TemplateParameter> {
    let bar_positions = parameter_bars(document, template);
    let ends = bar_positions.iter().skip(1).copied().chain([template.end]);
    bar_positions
        .iter()
        .zip(ends)
        .filter_map(|(bar_position, end)| parameter(document, *bar_position, end))
        .collect()
}

/// Returns the positions of the vertical bars that separate the parameters of a template.
/// Vertical bars in nested templates and links separate nothing.
fn parameter_bars(document: &[u8], template: Span) -> Vec<usize> {
    let content = document.get(template.range()).unwrap_or_default();
    let mut bar_positions = Vec::new();
    let (mut depth, mut position) = (0_usize, 0);
    while let Some(rest) = content.get(position..).filter(|rest| !rest.is_empty()) {
        let is_opening = rest.starts_with(b"{{") || rest.starts_with(b"[[");
        let is_closing = rest.starts_with(b"}}") || rest.starts_with(b"]]");
        if is_opening {
            depth += 1;
        } else if is_closing {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && rest.starts_with(b"|") {
            bar_positions.push(template.start + position);
        }
        position += if is_opening || is_closing { 2 } else { 1 };
    }
    bar_positions
}

/// Returns the parameter between a vertical bar and the end of its value.
fn parameter(document: &[u8], bar_position: usize, end: usize) -> Option<TemplateParameter> {
    let part = document.get(bar_position + 1..end)?;
    let (key, value) = part.split_at_checked(part.iter().position(|byte| *byte == b'=')?)?;
    let equals_position = bar_position + 1 + key.len();
    let value = value.get(1..)?;
    let start = if value.trim_ascii().is_empty() {
        equals_position + 1 + usize::from(value.starts_with(b" "))
    } else {
        equals_position + 1 + value.len() - value.trim_ascii_start().len()
    };
    Some(TemplateParameter {
        name: String::from_utf8_lossy(key).trim().to_lowercase(),
        bar_position,
        equals_position,
        value: Span { start, end: start + value.trim_ascii().len() },
    })
}

/// Returns the position after the opening braces of the innermost template that is open at the
/// end of a text.
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

/// Returns the length of the text before the closing braces of the template around the start of
/// a text.
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

    /// Returns the citation template whose parameter `url` is [`URL`].
    fn template_of_url(document: &str) -> Option<CitationTemplate> {
        let start = document.find(URL).unwrap();
        CitationTemplate::of_url(document.as_bytes(), (start..start + URL.len()).into())
    }

    #[test]
    fn end_of_a_citation_template_is_found() {
        for document in [
            "a {{cite web|url=http://example.org/a|title=b}} c",
            "{{Citation | url = http://example.org/a }}",
            "{{cite web|title={{lang|de|x}}|url=http://example.org/a|author={{a|b}}}} {{x}}",
        ] {
            let template = template_of_url(document).unwrap();
            let rest = document.get(template.end()..).unwrap_or_default();
            assert!(rest.is_empty() || rest == " c" || rest == " {{x}}", "{document}: {rest}");
            assert!(!template.has_archive_url());
        }
    }

    #[test]
    fn existing_parameters_are_recognized() {
        let template = template_of_url(
            "{{cite web|url=http://example.org/a|archive-url=https://a.test/|url-status=live}}",
        );
        assert!(template.is_some_and(|found| found.has_archive_url()));
        let template = template_of_url("{{cite web|url=http://example.org/a|archive-url=}}");
        assert!(template.is_some_and(|found| !found.has_archive_url()));
        let nested = "{{cite web|title={{x|archive-url=b}}|url=http://example.org/a}}";
        assert!(template_of_url(nested).is_some_and(|found| !found.has_archive_url()));
    }

    #[test]
    fn other_templates_and_parameters_are_not_citations() {
        for document in [
            "{{infobox|url=http://example.org/a}}",
            "{{cite web|archive-url=http://example.org/a|url=x}}",
            "{{cite web|url=x}} http://example.org/a",
            "{{cite web|url=http://example.org/a",
        ] {
            assert_eq!(template_of_url(document), None, "{document}");
        }
    }

    #[test]
    fn further_parameter_has_the_white_space_of_the_last_one() {
        for (document, expect) in [
            ("{{cite web|url=http://example.org/a}}", "|NAME=VALUE"),
            ("{{cite web | url = http://example.org/a }}", " | NAME = VALUE"),
            ("{{cite web\n| url = http://example.org/a\n| title = b\n}}", "\n| NAME = VALUE"),
            ("{{cite web|url=http://example.org/a|title= }}", "|NAME=VALUE"),
        ] {
            let (_, before_name, before_value) =
                template_of_url(document).unwrap().tail(document.as_bytes());
            assert_eq!(format!("{before_name}NAME{before_value}VALUE"), expect, "{document}");
        }
    }
}
