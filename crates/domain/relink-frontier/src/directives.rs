//! Robots directives of pages: meta robots, `X-Robots-Tag`, `rel=nofollow`.
//!
//! `noindex` does not forbid fetching a page; `nofollow` forbids following its links.
//! Directives from several sources are combined.

use serde::{Deserialize, Serialize};

/// The product token of Relink.
const PRODUCT_TOKEN: &str = "relink";

/// Names that address all crawlers.
const ALL_CRAWLERS: [&str; 2] = ["robots", "*"];

/// Directives with a value after a colon, which is not the name of a crawler.
const WITH_VALUE: [&str; 4] =
    ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// The directives of a page that apply to Relink.
///
/// ```
/// use relink_frontier::RobotsDirectives;
/// let page = RobotsDirectives::parse(["googlebot: nofollow", "NoIndex"]);
/// assert_eq!(page, RobotsDirectives { nofollow: false, noindex: true });
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsDirectives {
    /// Links must not be followed.
    pub nofollow: bool,
    /// The page must not be indexed.
    pub noindex: bool,
}

impl RobotsDirectives {
    /// Parses values of `X-Robots-Tag`, or the content of meta elements whose name
    /// applies to Relink ([`RobotsDirectives::applies_to_relink`]).
    ///
    /// A value may name a crawler (`googlebot: nofollow`). The directives after a name apply
    /// only to this crawler, up to the next name in the same value.
    pub fn parse<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let parsed = values.into_iter().map(Self::parse_value);
        parsed.fold(Self::default(), Self::merge)
    }

    /// Whether a meta element of this name applies to Relink.
    pub fn applies_to_relink(name: &str) -> bool {
        let name = name.trim();
        let mut names = ALL_CRAWLERS.iter().chain([&PRODUCT_TOKEN]);
        names.any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns the directives of both values.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self { nofollow: self.nofollow || other.nofollow, noindex: self.noindex || other.noindex }
    }

    fn parse_value(value: &str) -> Self {
        let (mut directives, mut applies_to_relink) = (Self::default(), true);
        for part in value.split([',', ';']) {
            let (name, directive) = split_crawler(part);
            applies_to_relink = name.map_or(applies_to_relink, Self::applies_to_relink);
            if applies_to_relink {
                directives = directives.merge(Self::parse_directive(directive));
            }
        }
        directives
    }

    fn parse_directive(text: &str) -> Self {
        let is = |name: &str| text.trim().eq_ignore_ascii_case(name);
        Self { nofollow: is("nofollow") || is("none"), noindex: is("noindex") || is("none") }
    }
}

/// Splits a part of a value into the name of a crawler, if any, and the directive.
fn split_crawler(part: &str) -> (Option<&str>, &str) {
    let Some((name, directive)) = part.split_once(':') else { return (None, part) };
    let has_value = WITH_VALUE.iter().any(|known| known.eq_ignore_ascii_case(name.trim()));
    if has_value { (None, part) } else { (Some(name), directive) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the names of the directives that several header values give together.
    #[track_caller]
    fn check(values: &[&str], expect: &str) {
        let page = RobotsDirectives::parse(values.iter().copied());
        let words = [(page.nofollow, "nofollow"), (page.noindex, "noindex")];
        let found: Vec<&str> = words.iter().filter(|word| word.0).map(|word| word.1).collect();
        assert_eq!(found.join(" "), expect, "{values:?}");
    }

    #[test]
    fn directives_are_combined() {
        check(&[], "");
        check(&[""], "");
        check(&["nofollow"], "nofollow");
        check(&[" NoIndex , NOFOLLOW "], "nofollow noindex");
        check(&["none"], "nofollow noindex");
        check(&["all"], "");
        check(&["index, follow"], "");
        check(&["follow", "nofollow"], "nofollow");
        check(&["noindex", "nofollow"], "nofollow noindex");
        check(&["noarchive, nosnippet, nofollowing"], "");
        check(&["noindex;nofollow"], "nofollow noindex");
    }

    #[test]
    fn directives_for_other_crawlers_are_ignored() {
        check(&["googlebot: nofollow"], "");
        check(&["relink: nofollow"], "nofollow");
        check(&["Relink: none"], "nofollow noindex");
        check(&["*: nofollow"], "nofollow");
        check(&["otherbot: noindex, nofollow"], "");
        check(&["otherbot: noindex, relink: nofollow"], "nofollow");
        check(&["noindex, otherbot: nofollow"], "noindex");
        check(&["otherbot: nofollow", "noindex"], "noindex");
    }

    #[test]
    fn directives_with_a_value_are_not_crawler_names() {
        check(&["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], "nofollow");
        check(&["max-snippet: 10, max-image-preview: large, noindex"], "noindex");
        check(&["otherbot: max-snippet: 10, nofollow"], "");
    }

    #[test]
    fn applies_to_relink_accepts_general_and_own_name() {
        for (name, expect) in
            [("robots", true), (" ROBOTS ", true), ("Relink", true), ("googlebot", false)]
        {
            assert_eq!(RobotsDirectives::applies_to_relink(name), expect, "{name}");
        }
    }
}
