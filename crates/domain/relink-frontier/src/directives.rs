//! What a page asks of programs: meta robots, `X-Robots-Tag`, `rel=nofollow`.
//!
//! Asking not to be shown in an index (`noindex`) says nothing about being
//! visited; asking that links be not followed does. Where several places
//! speak, each wish counts.

use serde::{Deserialize, Serialize};

/// The name by which pages may address us alone.
const OUR_NAME: &str = "relink";

/// Names that mean every program.
const EVERYBODY: [&str; 2] = ["robots", "*"];

/// Directives that carry a value after a colon, and so are no names.
const WITH_VALUE: [&str; 4] =
    ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// What a page asks of us.
///
/// ```
/// use relink_frontier::PageDirectives;
/// let page = PageDirectives::parse(["googlebot: nofollow", "NoIndex"]);
/// assert_eq!(page, PageDirectives { nofollow: false, noindex: true });
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsDirectives {
    /// Its links are not to be followed.
    pub nofollow: bool,
    /// It is not to be shown in an index.
    pub noindex: bool,
}

impl RobotsDirectives {
    /// Reads values of `X-Robots-Tag`, or the content of meta elements that
    /// address everybody or us ([`PageDirectives::is_for_us`]).
    ///
    /// A value may address one program (`googlebot: nofollow`); what follows
    /// is then for it alone, up to the next name in the same value.
    pub fn parse<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let each = values.into_iter().map(Self::read);
        each.fold(Self::default(), Self::and)
    }

    /// Whether a meta element of this name is meant for us.
    pub fn is_for_us(name: &str) -> bool {
        let name = name.trim();
        let mut ours = EVERYBODY.iter().chain([&OUR_NAME]);
        ours.any(|own| own.eq_ignore_ascii_case(name))
    }

    /// The wishes of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { nofollow: self.nofollow || other.nofollow, noindex: self.noindex || other.noindex }
    }

    fn read(value: &str) -> Self {
        let (mut wishes, mut is_ours) = (Self::default(), true);
        for part in value.split([',', ';']) {
            let (name, wish) = addressee(part);
            is_ours = name.map_or(is_ours, Self::is_for_us);
            if is_ours {
                wishes = wishes.and(Self::wish(wish));
            }
        }
        wishes
    }

    fn wish(word: &str) -> Self {
        let is = |name: &str| word.trim().eq_ignore_ascii_case(name);
        Self { nofollow: is("nofollow") || is("none"), noindex: is("noindex") || is("none") }
    }
}

/// The program a part of a value names, and what it asks of it.
fn addressee(part: &str) -> (Option<&str>, &str) {
    let Some((name, wish)) = part.split_once(':') else { return (None, part) };
    let has_value = WITH_VALUE.iter().any(|known| known.eq_ignore_ascii_case(name.trim()));
    if has_value { (None, part) } else { (Some(name), wish) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[&str], expect: &str) {
        let page = RobotsDirectives::parse(values.iter().copied());
        let words = [(page.nofollow, "nofollow"), (page.noindex, "noindex")];
        let found: Vec<&str> = words.iter().filter(|word| word.0).map(|word| word.1).collect();
        assert_eq!(found.join(" "), expect, "{values:?}");
    }

    #[test]
    fn wishes_add_up() {
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
    fn what_is_for_others_is_not_for_us() {
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
    fn directives_with_a_value_are_no_names() {
        check(&["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], "nofollow");
        check(&["max-snippet: 10, max-image-preview: large, noindex"], "noindex");
        check(&["otherbot: max-snippet: 10, nofollow"], "");
    }

    #[test]
    fn a_meta_element_names_whom_it_means() {
        for (name, expect) in
            [("robots", true), (" ROBOTS ", true), ("Relink", true), ("googlebot", false)]
        {
            assert_eq!(RobotsDirectives::is_for_us(name), expect, "{name}");
        }
    }
}
