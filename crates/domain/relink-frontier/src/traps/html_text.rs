//! The words of an HTML page for the comparison of pages.
//!
//! Skips tags, comments, scripts and styles. Character references are not decoded. This is
//! not an HTML parser. It only has to return the same words for the same page.

/// Elements without visible content.
const HIDDEN_ELEMENTS: [&str; 3] = ["script", "style", "template"];

/// Returns the title and the words of a page, with one line per text between two tags.
pub(super) fn title_and_text(html: &str) -> (Option<&str>, String) {
    let (mut title, mut text) = (None, String::with_capacity(html.len() / 2));
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        push_line(&mut text, before);
        text.push('\n');
        if let Some(hidden) = HIDDEN_ELEMENTS.iter().find(|name| is_tag_named(tag, name)) {
            rest = text_after_element(tag, hidden);
            continue;
        }
        rest = text_after_tag(tag);
        if title.is_none() && is_tag_named(tag, "title") {
            title = rest.split('<').next();
        }
    }
    push_line(&mut text, rest);
    (title, text)
}

/// Adds the text between two tags, `between_tags`, without its line breaks.
fn push_line(text: &mut String, between_tags: &str) {
    for (index, line) in between_tags.split('\n').enumerate() {
        text.push_str(if index > 0 { " " } else { "" });
        text.push_str(line);
    }
}

/// Whether the text after a `<` or `</` is a tag of this name.
fn is_tag_named(tag: &str, name: &str) -> bool {
    let Some((start, after)) = tag.split_at_checked(name.len()) else { return false };
    // Names of custom elements contain hyphens: `<style-guide>`.
    let is_longer_name =
        after.starts_with(|next: char| next.is_ascii_alphanumeric() || "-_.:".contains(next));
    start.eq_ignore_ascii_case(name) && !is_longer_name
}

/// Returns the text after a tag or a comment.
fn text_after_tag(tag: &str) -> &str {
    let end = if tag.starts_with("!--") { "-->" } else { ">" };
    tag.split_once(end).map_or("", |(_, rest)| rest)
}

/// Returns the text after the end tag of a hidden element, or an empty text if the element has
/// no end tag.
fn text_after_element<'a>(tag: &'a str, name: &str) -> &'a str {
    let mut rest = tag;
    while let Some((_, after)) = rest.split_once("</") {
        if is_tag_named(after, name) {
            return text_after_tag(after);
        }
        rest = after;
    }
    ""
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Asserts the title and the words of the text.
    #[track_caller]
    fn check(html: &str, title: Option<&str>, words: &str) {
        let (found_title, text) = title_and_text(html);
        assert_eq!(found_title, title, "{html}");
        assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), words, "{html}");
    }

    #[test]
    fn title_and_text_skips_tags() {
        check("<p>a<b>b</b></p>c", None, "a b c");
        check("<TITLE>x</title><h1 id=a>y</h1>", Some("x"), "x y");
        check("a<!-- b > c -->d", None, "a d");
        check("a<script>if (1 < 2) '</p>'</SCRIPT>b<style>c", None, "a b");
        check("a<scripture>b", None, "a b");
        check("a<style-guide>b</style-guide>c<style>d</style-guide>e</style>f", None, "a b c f");
        check("a < b <", None, "a");
    }

    proptest! {
        #[test]
        fn title_and_text_accepts_any_text(html in "[<>/!a-cé -]{0,40}") {
            title_and_text(&html);
        }
    }
}
