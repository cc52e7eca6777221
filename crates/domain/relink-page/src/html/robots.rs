//! Robots directives of an HTML page: `meta` elements and `rel=nofollow`.

use std::collections::HashSet;

use memchr::memmem;

use super::tokenizer::{Token, Tokenizer};
use crate::link_sink::unescape_attribute;

/// Names of `meta` elements that apply to Relink.
const META_NAMES: [&str; 2] = ["robots", "relink"];

/// Robots directives of an HTML page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RobotsMeta {
    /// Contents of the `meta` elements, with character references resolved.
    pub directives: Vec<String>,
    /// Destinations, as written, whose links all have `rel=nofollow`.
    pub unfollowed: HashSet<String>,
}

/// Reads the robots directives of a page.
pub(crate) fn read_robots_meta(html: &str) -> RobotsMeta {
    let mut meta = RobotsMeta::default();
    // Most pages have no directives and need not be tokenized.
    if !may_have_directives(html) {
        return meta;
    }
    let mut followed = HashSet::new();
    let mut tokens = Tokenizer::new(html);
    while let Some(token) = tokens.next_token() {
        let Token::Start(element) = token else { continue };
        if element.eq_ignore_ascii_case("meta") {
            meta.directives.extend(directive(&tokens));
        }
        let Some(destination) = tokens.attribute("href").map(str::trim) else { continue };
        let relation = tokens.attribute("rel").unwrap_or_default();
        let mut words =
            relation.split(|character: char| character.is_ascii_whitespace() || character == ',');
        let is_unfollowed = words.any(|word| word.eq_ignore_ascii_case("nofollow"));
        let destinations = if is_unfollowed { &mut meta.unfollowed } else { &mut followed };
        destinations.insert(destination.to_owned());
    }
    meta.unfollowed.retain(|destination| !followed.contains(destination));
    meta
}

/// Returns the content of the current `meta` element if it is for Relink or for all robots.
fn directive(tokens: &Tokenizer<'_>) -> Option<String> {
    let name = tokens.attribute("name")?.trim();
    let applies = META_NAMES.iter().any(|known| known.eq_ignore_ascii_case(name));
    let content = tokens.attribute("content").filter(|_| applies)?;
    Some(unescape_attribute(content).into_owned())
}

/// Whether the text may contain a directive. Searches for parts of "nofollow", "robots" and
/// "relink" without the first letters, because these often differ in case (`NoFollow`, `Robots`).
fn may_have_directives(html: &str) -> bool {
    ["ollow", "OLLOW", "obots", "OBOTS", "elink", "ELINK"]
        .iter()
        .any(|word| memmem::find(html.as_bytes(), word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the directives of a page and its sorted unfollowed destinations.
    #[track_caller]
    fn check(html: &str, directives: &[&str], unfollowed: &[&str]) {
        let meta = read_robots_meta(html);
        assert_eq!(meta.directives, directives, "{html}");
        let mut found: Vec<&str> = meta.unfollowed.iter().map(String::as_str).collect();
        found.sort_unstable();
        assert_eq!(found, unfollowed, "{html}");
    }

    #[test]
    fn meta_elements_for_all_robots_and_for_relink_are_read() {
        check(r#"<META NAME=Robots content="NOINDEX, nofollow">"#, &["NOINDEX, nofollow"], &[]);
        check(r#"<meta name="relink" content="none">"#, &["none"], &[]);
        check(r#"<meta name="otherbot" content="nofollow">"#, &[], &[]);
    }

    #[test]
    fn destination_is_unfollowed_if_all_its_links_are_nofollow() {
        check(r#"<a rel="external nofollow" href=" /a ">x</a>"#, &[], &["/a"]);
        check(r#"<a rel=nofollow href="/a">x</a><a href="/a">y</a>"#, &[], &[]);
        check(r#"<a rel="ugc,NoFollow" href="/a">x</a>"#, &[], &["/a"]);
        check(r#"<a rel="nofollowed" href="/a">x</a>"#, &[], &[]);
    }
}
