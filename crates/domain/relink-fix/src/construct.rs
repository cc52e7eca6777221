//! Finds the end of the construct that contains a link, such as `[text](url)`, and
//! the notation for a second link after the construct.
//!
//! The rules are approximate. [`rewrite`](crate::rewrite) parses the result and
//! rejects an edit that does not yield exactly one more link.

use relink_model::{LinkKind, Span};
use relink_page::DocumentFormat;

/// The notation of a link that is written into a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    /// `[label](url)`.
    Markdown,
    /// `<a href="url">label</a>`.
    Html,
    /// `` `label <url>`__ ``.
    Rst,
    /// `url[label]`.
    AsciiDoc,
    /// `[url label]`.
    Wikitext,
    /// `label: url`.
    Text,
}

impl Notation {
    /// Returns the markup before and after the URL of a second link. The link is in
    /// parentheses.
    pub(crate) fn markup(self, label: &str) -> (String, String) {
        let (before, after) = match self {
            Self::Markdown => (format!("[{label}]("), ")".to_owned()),
            Self::Html => ("<a href=\"".to_owned(), format!("\">{label}</a>")),
            Self::Rst => (format!("`{label} <"), ">`__".to_owned()),
            Self::AsciiDoc => (String::new(), format!("[{label}]")),
            Self::Wikitext => ("[".to_owned(), format!(" {label}]")),
            Self::Text => (format!("{label}: "), String::new()),
        };
        (format!(" ({before}"), format!("{after})"))
    }
}

/// Returns the position after the construct of a link, and the notation of a second link at
/// this position. Returns `None` if a second link cannot be written there.
pub(crate) fn construct_end(
    format: DocumentFormat,
    kind: LinkKind,
    bytes: &[u8],
    span: Span,
) -> Option<(usize, Notation)> {
    let (before, after) = (bytes.get(..span.start)?, bytes.get(span.end..)?);
    let end = |length: usize| span.end + length;
    // The brackets of `<URL>` belong to the construct.
    let is_in_brackets = before.ends_with(b"<") && after.starts_with(b">");
    let bare_end = || end(usize::from(is_in_brackets));
    match (format, kind) {
        (DocumentFormat::Markdown, LinkKind::Autolink) => {
            after.starts_with(b">").then(|| (end(1), Notation::Markdown))
        }
        (DocumentFormat::Markdown, LinkKind::BareUrl) => Some((span.end, Notation::Markdown)),
        (DocumentFormat::Markdown, LinkKind::Hyperlink) => match markdown_end(before, after) {
            Some(length) => Some((end(length), Notation::Markdown)),
            None => html_end(after).map(|length| (end(length), Notation::Html)),
        },
        (DocumentFormat::Html, LinkKind::Hyperlink) => {
            html_end(after).map(|length| (end(length), Notation::Html))
        }
        (DocumentFormat::Rst, LinkKind::Hyperlink) => {
            let mark = [&b">`__"[..], b">`_"].into_iter().find(|mark| after.starts_with(mark))?;
            Some((end(mark.len()), Notation::Rst))
        }
        (DocumentFormat::AsciiDoc, LinkKind::Hyperlink) => {
            let close = after.starts_with(b"[").then(|| position_of(after, b"]"))??;
            Some((end(close + 1), Notation::AsciiDoc))
        }
        (DocumentFormat::Wikitext, LinkKind::Hyperlink) if before.ends_with(b"[") => {
            let close = position_of(first_line(after), b"]")?;
            Some((end(close + 1), Notation::Wikitext))
        }
        (DocumentFormat::Wikitext, LinkKind::BareUrl) => {
            // A link in the parameter of a file would belong to the parameter.
            (!is_in_wiki_link(before)).then_some((span.end, Notation::Wikitext))
        }
        (DocumentFormat::Rst, LinkKind::BareUrl) => Some((bare_end(), Notation::Rst)),
        (DocumentFormat::AsciiDoc, LinkKind::BareUrl) => Some((bare_end(), Notation::AsciiDoc)),
        (DocumentFormat::PlainText, LinkKind::BareUrl) => Some((bare_end(), Notation::Text)),
        _ => None,
    }
}

/// Whether the position after a text is inside of `[[…]]`, such as `[[File:x.png|link=`.
fn is_in_wiki_link(before: &[u8]) -> bool {
    // A blank line ends the paragraph, and with it all links.
    let paragraph = before.windows(2).rposition(|pair| pair == b"\n\n").unwrap_or(0);
    let mut rest = before.get(paragraph..).unwrap_or_default();
    let mut depth = 0_usize;
    while let Some(next) = rest.get(1..) {
        let is_pair = rest.starts_with(b"[[") || rest.starts_with(b"]]");
        if rest.starts_with(b"[[") {
            depth += 1;
        } else if rest.starts_with(b"]]") {
            depth = depth.saturating_sub(1);
        }
        rest = if is_pair { rest.get(2..).unwrap_or_default() } else { next };
    }
    depth > 0
}

/// Whether a link is in a heading whose text is its anchor.
pub(crate) fn is_in_heading(format: DocumentFormat, bytes: &[u8], span: Span) -> bool {
    let Some((before, after)) = bytes.split_at_checked(span.start) else { return false };
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |index| index + 1);
    let mut lines = after.split(|byte| *byte == b'\n');
    let rest = lines.next().unwrap_or_default();
    let text = bytes.get(start..span.start + rest.len()).unwrap_or_default().trim_ascii();
    let next = lines.next().unwrap_or_default().trim_ascii();
    let is_underlined_by = |marks: &[u8]| {
        next.len() >= 2
            && next.first().is_some_and(|mark| marks.contains(mark))
            && next.iter().all(|byte| Some(byte) == next.first())
    };
    match format {
        DocumentFormat::Markdown => text.starts_with(b"#") || is_underlined_by(b"=-"),
        DocumentFormat::Rst => is_underlined_by(b"=-~^*`'\"#+.:_"),
        DocumentFormat::AsciiDoc => text.starts_with(b"=") || is_underlined_by(b"=-~^+"),
        DocumentFormat::Wikitext => text.starts_with(b"=") && text.ends_with(b"="),
        _ => false,
    }
}

/// Returns the length of the text between the destination of an inline link and the end of the
/// link: `[text](destination "title")`.
fn markdown_end(before: &[u8], after: &[u8]) -> Option<usize> {
    let before = before.strip_suffix(b"<").unwrap_or(before).trim_ascii_end();
    if !before.ends_with(b"](") {
        return None;
    }
    let mut position = usize::from(after.starts_with(b">"));
    position += leading_space_length(after.get(position..)?);
    let close = match after.get(position)? {
        b'"' => Some(b"\""),
        b'\'' => Some(b"'"),
        b'(' => Some(b")"),
        _ => None,
    };
    if let Some(close) = close {
        position += 1 + position_of(after.get(position + 1..)?, close)? + 1;
        position += leading_space_length(after.get(position..)?);
    }
    (after.get(position) == Some(&b')')).then_some(position + 1)
}

/// Returns the length of the text between the destination of a link and the end of `</a>`.
fn html_end(after: &[u8]) -> Option<usize> {
    let lower = after.to_ascii_lowercase();
    let close = position_of(&lower, b"</a")?;
    // If another link starts before `</a>`, the end tag belongs to that link.
    if position_of(lower.get(..close)?, b"<a ").is_some() {
        return None;
    }
    Some(close + position_of(lower.get(close..)?, b">")? + 1)
}

fn leading_space_length(text: &[u8]) -> usize {
    text.len() - text.trim_ascii_start().len()
}

fn first_line(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

fn position_of(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
