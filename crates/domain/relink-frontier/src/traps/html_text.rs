//! The words of an HTML page for the comparison of pages.
//!
//! Skips tags, comments, scripts and styles. Character references are not decoded. This is
//! not an HTML parser; it only has to return the same words for the same page.

/// Elements without visible content.
const HIDDEN: [&str; 3] = ["script", "style", "template"];

/// Returns the title and the words of a page, with one line per text between two tags.
pub(super) fn title_and_text(html: &str) -> (Option<&str>, String) {
    let (mut title, mut text) = (None, String::with_capacity(html.len() / 2));
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        push_line(&mut text, before);
        text.push('\n');
        if let Some(hidden) = HIDDEN.iter().find(|name| has_name(tag, name)) {
            rest = after_close(tag, hidden);
            continue;
        }
        rest = after_tag(tag);
        if title.is_none() && has_name(tag, "title") {
            title = rest.split('<').next();
        }
    }
    push_line(&mut text, rest);
    (title, text)
}

/// Adds the text between two tags, `node`, without its line breaks.
fn push_line(text: &mut String, node: &str) {
    for (index, line) in node.split('\n').enumerate() {
        text.push_str(if index > 0 { " " } else { "" });
        text.push_str(line);
    }
}

/// Whether the text after a `<` or `</` is a tag of this name.
fn has_name(tag: &str, name: &str) -> bool {
    let Some((found, after)) = tag.split_at_checked(name.len()) else { return false };
    // Names of custom elements contain hyphens: `<style-guide>`.
    let is_longer_name =
        after.starts_with(|next: char| next.is_ascii_alphanumeric() || "-_.:".contains(next));
    found.eq_ignore_ascii_case(name) && !is_longer_name
}

/// Returns the text after a tag or a comment.
fn after_tag(tag: &str) -> &str {
    let end = if tag.starts_with("!--") { "-->" } else { ">" };
    tag.split_once(end).map_or("", |(_, rest)| rest)
}

/// Returns the text after the end of a hidden element; empty if it does not end.
fn after_close<'a>(tag: &'a str, name: &str) -> &'a str {
    let mut rest = tag;
    while let Some((_, after)) = rest.split_once("</") {
        if has_name(after, name) {
            return after_tag(after);
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
        let (found, text) = title_and_text(html);
        assert_eq!(found, title, "{html}");
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
