//! What a page asks of programs that follow links.

use std::collections::HashSet;

use memchr::memmem;

use super::tokenizer::{Token, Tokenizer};
use crate::link_sink::unescaped;

/// The names of `meta` elements that speak to us: to all, and to us alone.
const SPEAKS_TO_US: [&str; 2] = ["robots", "relink"];

/// What a page asks of programs that follow links.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RobotsMeta {
    /// What its `meta` elements say, as written.
    pub directives: Vec<String>,
    /// The destinations, as written, that no link without `rel=nofollow` names.
    pub unfollowed: HashSet<String>,
}

/// Reads what a page asks of programs that follow links.
pub(crate) fn read_robots_marks(html: &str) -> RobotsMeta {
    let mut marks = RobotsMeta::default();
    // Most pages ask for nothing, and need no second reading.
    if !has_any(html) {
        return marks;
    }
    let mut followed = HashSet::new();
    let mut tokens = Tokenizer::new(html);
    while let Some(token) = tokens.next_token() {
        let Token::Start(element) = token else { continue };
        if element.eq_ignore_ascii_case("meta") {
            marks.directives.extend(directive(&tokens));
        }
        let Some(destination) = tokens.attribute("href").map(str::trim) else { continue };
        let relation = tokens.attribute("rel").unwrap_or_default();
        let mut words = relation.split(|it: char| it.is_ascii_whitespace() || it == ',');
        let is_unfollowed = words.any(|word| word.eq_ignore_ascii_case("nofollow"));
        let seen = if is_unfollowed { &mut marks.unfollowed } else { &mut followed };
        seen.insert(destination.to_owned());
    }
    marks.unfollowed.retain(|destination| !followed.contains(destination));
    marks
}

fn directive(tokens: &Tokenizer<'_>) -> Option<String> {
    let name = tokens.attribute("name")?.trim();
    let speaks = SPEAKS_TO_US.iter().any(|us| us.eq_ignore_ascii_case(name));
    let content = tokens.attribute("content").filter(|_| speaks)?;
    Some(unescaped(content).into_owned())
}

fn has_any(html: &str) -> bool {
    ["ollow", "OLLOW", "obots", "OBOTS", "elink", "ELINK"]
        .iter()
        .any(|word| memmem::find(html.as_bytes(), word.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, directives: &[&str], unfollowed: &[&str]) {
        let marks = read_robots_marks(html);
        assert_eq!(marks.directives, directives, "{html}");
        let mut found: Vec<&str> = marks.unfollowed.iter().map(String::as_str).collect();
        found.sort_unstable();
        assert_eq!(found, unfollowed, "{html}");
    }

    #[test]
    fn a_meta_element_speaks_to_all_or_to_us() {
        check(r#"<META NAME=Robots content="NOINDEX, nofollow">"#, &["NOINDEX, nofollow"], &[]);
        check(r#"<meta name="relink" content="none">"#, &["none"], &[]);
        check(r#"<meta name="otherbot" content="nofollow">"#, &[], &[]);
    }

    #[test]
    fn a_link_is_followed_if_one_mention_of_it_is() {
        check(r#"<a rel="external nofollow" href=" /a ">x</a>"#, &[], &["/a"]);
        check(r#"<a rel=nofollow href="/a">x</a><a href="/a">y</a>"#, &[], &[]);
        check(r#"<a rel="ugc,NoFollow" href="/a">x</a>"#, &[], &["/a"]);
        check(r#"<a rel="nofollowed" href="/a">x</a>"#, &[], &[]);
    }
}
