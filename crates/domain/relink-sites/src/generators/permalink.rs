//! URL patterns with tokens, such as `/:year/:month/:title/`.

use crate::FrontMatter;
use crate::paths::{file_name, parent};

/// Parts of a document that tokens stand for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tokens<'a> {
    /// The path below the section, without extension.
    pub(super) stem: &'a str,
    /// The section or collection.
    pub(super) section: &'a str,
    /// The settings of the document.
    pub(super) page: &'a FrontMatter,
}

/// Returns the path of a pattern; `None` if it has an unknown token.
pub(super) fn expand(pattern: &str, tokens: Tokens<'_>) -> Option<String> {
    let segments = pattern.split('/').filter(|segment| !segment.is_empty());
    let expanded: Option<Vec<String>> =
        segments.map(|segment| expand_segment(segment, tokens)).collect();
    Some(expanded?.join("/"))
}

fn expand_segment(segment: &str, tokens: Tokens<'_>) -> Option<String> {
    let Some((before, token)) = segment.split_once(':') else { return Some(segment.to_owned()) };
    let length = token.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(token.len());
    let (name, after) = token.split_at_checked(length)?;
    let value = value(name, tokens)?;
    let after =
        if after == ":output_ext" { ".html".to_owned() } else { expand_segment(after, tokens)? };
    Some(format!("{before}{value}{after}"))
}

fn value(name: &str, tokens: Tokens<'_>) -> Option<String> {
    let Tokens { stem, section, page } = tokens;
    let file = file_name(stem);
    let (date, title) = split_date(file);
    let date = page.date.as_deref().map_or(date, |date| date.get(..10));
    let part = |index: usize| date?.split('-').nth(index).map(str::to_owned);
    let title = page.slug.as_deref().unwrap_or(title);
    match name {
        "year" => part(0),
        "month" => part(1),
        "day" => part(2),
        "title" | "slug" | "name" | "filename" | "slugorfilename" | "contentbasename" => {
            Some(title.trim_matches('/').to_owned())
        }
        "path" => Some(stem.to_owned()),
        "collection" | "section" => Some(section.to_owned()),
        "sections" => Some(parent(stem).to_owned()),
        "output_ext" | "categories" => Some(String::new()),
        _ => None,
    }
}

/// Splits `2024-01-02-title` into date and title.
pub(super) fn split_date(name: &str) -> (Option<&str>, &str) {
    let Some((date, rest)) = name.split_at_checked("2024-01-02".len()) else { return (None, name) };
    let is_date = date.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    match rest.strip_prefix('-').filter(|_| is_date) {
        Some(title) => (Some(date), title),
        None => (None, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_replaced() {
        let page = FrontMatter::default();
        let tokens = Tokens { stem: "a/2024-01-02-hello", section: "docs", page: &page };
        assert_eq!(expand("/:year/:month/:title/", tokens), Some("2024/01/hello".into()));
        assert_eq!(
            expand("/:collection/:path:output_ext", tokens),
            Some("docs/a/2024-01-02-hello.html".into())
        );
        assert_eq!(expand("/:unknown/", tokens), None);
    }
}
