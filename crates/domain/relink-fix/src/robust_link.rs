//! Records the original URL of a link that is replaced.
//!
//! In HTML, the original URL becomes an attribute of the link, as in the Robust
//! Links specification (Van de Sompel et al.): `data-originalurl`, and
//! `data-versionurl` and `data-versiondate` if there is an archived copy. Formats
//! without attributes use a sidecar file with one TOML table per link.

use std::collections::HashSet;
use std::fmt::Write as _;

use relink_model::{LinkKind, Span};

use crate::link_edit::{CopyDetails, Refusal};
use crate::url_form::UrlForm;

/// The name of the sidecar file.
pub const SIDECAR_NAME: &str = "links.lock.toml";

/// The attribute with the original URL.
const ORIGINAL_ATTRIBUTE: &str = "data-originalurl";

/// The attribute with the archived copy.
const VERSION_ATTRIBUTE: &str = "data-versionurl";

/// Maximum number of bytes at the start of a document in which a bookmark file is
/// recognized.
const MAX_BOOKMARK_HEAD: usize = 200;

/// The attribute of a bookmark with the new URL of its page.
const NEW_URL_ATTRIBUTE: &str = "data-newurl";

/// The first lines of a sidecar file.
const SIDECAR_HEADER: &str = "\
# Original URLs of links that `relink fix` replaced.
version = 1
";

/// An archived copy of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageVersion {
    /// The URL of the copy.
    pub url: String,
    /// The date of the capture, such as `2021-03-02`.
    pub date: String,
}

/// A replaced link of a document without attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedLink {
    /// The path of the document, relative to the sidecar file.
    pub file: String,
    /// The URL that is now in the document.
    pub url: String,
    /// The URL before the replacement.
    pub original_url: String,
    /// The archived copy of the original URL.
    pub version: Option<PageVersion>,
}

/// Whether the new text of an edit contains the attribute with the original URL.
pub fn keeps_original(new: &[u8]) -> bool {
    let mark = ORIGINAL_ATTRIBUTE.as_bytes();
    new.windows(mark.len()).any(|window| window == mark)
}

/// Returns the text to insert after the new URL in `href`: a closing quote and the
/// attributes with the original URL. The text has no quote at its end, because the
/// closing quote of `href` follows and ends the last attribute.
///
/// Returns `None` if the link is not a quoted `href`, or if its tag already has an
/// original URL.
pub(crate) fn attributes(
    document: &[u8],
    span: Span,
    kind: LinkKind,
    version: Option<&PageVersion>,
) -> Option<String> {
    let (before, after) = (document.get(..span.start)?, document.get(span.end..)?);
    let quote = *after.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let name = before.strip_suffix(&[quote])?.trim_ascii_end().strip_suffix(b"=")?;
    let is_href = name.trim_ascii_end().to_ascii_lowercase().ends_with(b"href");
    if kind != LinkKind::Hyperlink || !is_href || keeps_original(tag(document, span)) {
        return None;
    }
    let original = std::str::from_utf8(document.get(span.range())?).ok()?;
    let quote = char::from(quote);
    let mut text = format!("{quote} {ORIGINAL_ATTRIBUTE}={quote}{original}");
    if let Some(PageVersion { url, date }) = version {
        let url = UrlForm::PercentEncodedHtml.write(url);
        let _ = write!(text, "{quote} data-versionurl={quote}{url}");
        let _ = write!(text, "{quote} data-versiondate={quote}{date}");
    }
    Some(text)
}

/// Returns the position and the text of the three robust-link attributes for a link that
/// retains its URL.
pub(crate) fn annotation(
    document: &[u8],
    span: Span,
    kind: LinkKind,
    version: &PageVersion,
) -> Result<(usize, String), Refusal> {
    let before = document.get(..span.start).ok_or(Refusal::Changed)?;
    let after = document.get(span.end).copied();
    let quote = after.filter(|byte| matches!(byte, b'"' | b'\''));
    let before = match quote {
        Some(quote) => before.strip_suffix(&[quote]).ok_or(Refusal::NoRoom)?,
        None => before,
    };
    let name = before.trim_ascii_end().strip_suffix(b"=").ok_or(Refusal::NoRoom)?;
    let is_href = name.trim_ascii_end().to_ascii_lowercase().ends_with(b"href");
    if kind != LinkKind::Hyperlink || !is_href {
        return Err(Refusal::NoRoom);
    }
    let tag = String::from_utf8_lossy(tag(document, span)).to_ascii_lowercase();
    if tag.contains(VERSION_ATTRIBUTE) || tag.contains(ORIGINAL_ATTRIBUTE) {
        return Err(Refusal::AlreadyPresent);
    }
    let original = document.get(span.range()).and_then(|text| str::from_utf8(text).ok());
    let original = original.ok_or(Refusal::NoRoom)?.replace('"', "&quot;");
    let url = UrlForm::PercentEncodedHtml.write(&version.url);
    let text = format!(
        " {ORIGINAL_ATTRIBUTE}=\"{original}\" {VERSION_ATTRIBUTE}=\"{url}\" \
         data-versiondate=\"{}\"",
        version.date
    );
    Ok((span.end + usize::from(quote.is_some()), text))
}

/// Whether a link is the archived copy of a robust link.
pub(crate) fn is_version_attribute(document: &[u8], span: Span) -> bool {
    let before = document.get(..span.start).unwrap_or_default();
    let before = before.strip_suffix(b"\"").or_else(|| before.strip_suffix(b"'")).unwrap_or(before);
    let name = before.trim_ascii_end().strip_suffix(b"=").unwrap_or_default().trim_ascii_end();
    let start = name.len().saturating_sub(VERSION_ATTRIBUTE.len());
    name.get(start..).is_some_and(|name| name.eq_ignore_ascii_case(VERSION_ATTRIBUTE.as_bytes()))
}

/// Whether a document is a bookmark file of a browser.
pub(crate) fn is_bookmark_file(document: &[u8]) -> bool {
    let head = document.get(..document.len().min(MAX_BOOKMARK_HEAD)).unwrap_or_default();
    String::from_utf8_lossy(head).to_ascii_lowercase().contains("netscape-bookmark-file")
}

/// Returns the position and the text of attributes with a new URL for a bookmark. A second
/// link after a bookmark would be another bookmark.
pub(crate) fn bookmark_attributes(
    document: &[u8],
    span: Span,
    kind: LinkKind,
    url: &str,
    copy: Option<&CopyDetails>,
) -> Result<(usize, String), Refusal> {
    let quote = document.get(span.end).filter(|byte| matches!(byte, b'"' | b'\''));
    if kind != LinkKind::Hyperlink || quote.is_none() {
        return Err(Refusal::NoRoom);
    }
    let name = if copy.is_some() { VERSION_ATTRIBUTE } else { NEW_URL_ATTRIBUTE };
    let tag = String::from_utf8_lossy(tag(document, span)).to_ascii_lowercase();
    if tag.contains(name) {
        return Err(Refusal::AlreadyPresent);
    }
    let url = UrlForm::PercentEncodedHtml.write(url);
    let date = copy.map(|copy| format!(" data-versiondate=\"{}\"", copy.date));
    Ok((span.end + 1, format!(" {name}=\"{url}\"{}", date.unwrap_or_default())))
}

/// Returns the tag around a value: from the last `<` to the next `>`.
fn tag(document: &[u8], span: Span) -> &[u8] {
    let before = document.get(..span.start).unwrap_or_default();
    let after = document.get(span.end..).unwrap_or_default();
    let start = before.iter().rposition(|byte| *byte == b'<').unwrap_or(0);
    let end = after.iter().position(|byte| *byte == b'>').unwrap_or(after.len());
    document.get(start..span.end + end).unwrap_or_default()
}

/// The start of an entry of a sidecar file.
const SIDECAR_TABLE: &str = "\n[[link]]";

/// Returns the text to append to a sidecar file for each link. The text is empty for a
/// link that the file already contains. If the file is empty, the first text includes
/// the header.
pub fn sidecar_entries(existing: &[u8], links: &[ReplacedLink]) -> Vec<String> {
    let existing = String::from_utf8_lossy(existing);
    let known: HashSet<String> = existing.split(SIDECAR_TABLE).skip(1).map(entry_key).collect();
    let mut needs_header = existing.trim().is_empty();
    let mut seen = HashSet::with_capacity(links.len());
    let mut entries = Vec::with_capacity(links.len());
    for link in links {
        let ReplacedLink { file, url, original_url, .. } = link;
        let mut entry = sidecar_entry(link);
        let is_new = seen.insert((file, url, original_url));
        let body = entry.split(SIDECAR_TABLE).nth(1).unwrap_or_default();
        if !is_new || (!known.is_empty() && known.contains(&entry_key(body))) {
            entry.clear();
        } else if needs_header {
            entry.insert_str(0, SIDECAR_HEADER);
            needs_header = false;
        }
        // There may be an entry for each of 100,000 links.
        entry.shrink_to_fit();
        entries.push(entry);
    }
    entries
}

/// Returns the lines of an entry that identify its link: the file, its URL and its original
/// URL.
fn entry_key(entry: &str) -> String {
    entry.trim_start().lines().take(3).flat_map(|line| [line, "\n"]).collect()
}

fn sidecar_entry(link: &ReplacedLink) -> String {
    let ReplacedLink { file, url, original_url, version } = link;
    let mut entry = format!("{SIDECAR_TABLE}\n");
    let mut push = |key: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(entry, "{key} = {}", toml_string(value));
    };
    push("file", file);
    push("url", url);
    push("original-url", original_url);
    if let Some(PageVersion { url, date }) = version {
        push("version-url", url);
        push("version-date", date);
    }
    entry
}

/// Returns a basic string of TOML.
fn toml_string(text: &str) -> String {
    let mut string = String::with_capacity(text.len() + 2);
    string.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => string.extend(['\\', character]),
            _ if character.is_control() => {
                let _ = write!(string, "\\u{:04X}", u32::from(character));
            }
            _ => string.push(character),
        }
    }
    string.push('"');
    string
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(file: &str) -> ReplacedLink {
        ReplacedLink {
            file: file.into(),
            url: "https://example.org/new".into(),
            original_url: "http://example.org/old".into(),
            version: None,
        }
    }

    #[test]
    fn sidecar_entries_of_a_new_file_start_with_the_header() {
        let version = PageVersion { url: "https://a.test/1".into(), date: "2021-03-02".into() };
        let entries = sidecar_entries(
            b"",
            &[link("a.md"), ReplacedLink { version: Some(version), ..link("b.md") }],
        );
        assert_eq!(
            entries.concat(),
            "# Original URLs of links that `relink fix` replaced.\nversion = 1\n\
             \n[[link]]\nfile = \"a.md\"\nurl = \"https://example.org/new\"\n\
             original-url = \"http://example.org/old\"\n\
             \n[[link]]\nfile = \"b.md\"\nurl = \"https://example.org/new\"\n\
             original-url = \"http://example.org/old\"\n\
             version-url = \"https://a.test/1\"\nversion-date = \"2021-03-02\"\n"
        );
    }

    #[test]
    fn known_links_are_not_added_again() {
        let file = sidecar_entries(b"", &[link("a.md")]).concat();
        let entries = sidecar_entries(file.as_bytes(), &[link("a.md"), link("b.md"), link("b.md")]);
        assert_eq!(entries.iter().map(String::is_empty).collect::<Vec<_>>(), [true, false, true]);
        assert!(!entries.concat().contains("version = 1"));
    }

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(toml_string("a\"b\\c\u{7f}\n"), r#""a\"b\\c\u007F\u000A""#);
    }
}
