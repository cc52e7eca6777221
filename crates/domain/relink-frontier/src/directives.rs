//! Robots directives of pages: meta robots, `X-Robots-Tag`, `rel=nofollow`.
//!
//! `noindex` does not forbid fetching a page. `nofollow` forbids following its links.
//! Directives from several sources are combined.

use serde::{Deserialize, Serialize};

/// The product token of Relink, by which pages and headers address it.
const PRODUCT_TOKEN: &str = "relink";

/// Names that address all crawlers.
const ALL_CRAWLERS: [&str; 2] = ["robots", "*"];

/// Directives that contain a colon. The text before this colon is not the name of a crawler.
const DIRECTIVES_WITH_VALUE: [&str; 4] =
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

    /// Returns the directives that at least one of the two values contains.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self { nofollow: self.nofollow || other.nofollow, noindex: self.noindex || other.noindex }
    }

    /// Parses one value, such as `googlebot: nofollow, noindex`.
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
    let has_value =
        DIRECTIVES_WITH_VALUE.iter().any(|known| known.eq_ignore_ascii_case(name.trim()));
    if has_value { (None, part) } else { (Some(name), directive) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the names of the directives that several header values give together.
    #[track_caller]
    fn check(values: &[&str], expect: &str) {
        let robots_directives = RobotsDirectives::parse(values.iter().copied());
        let directives =
            [(robots_directives.nofollow, "nofollow"), (robots_directives.noindex, "noindex")];
        let given: Vec<&str> =
            directives.iter().filter(|(is_given, _)| *is_given).map(|(_, name)| *name).collect();
        assert_eq!(given.join(" "), expect, "{values:?}");
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
