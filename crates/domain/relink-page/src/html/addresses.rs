//! Which attribute of which element holds an address.

use relink_model::LinkKind::{self, Embed, Form, Hyperlink, Resource};

/// Where addresses stand (HTML standard, index of attributes, and what older
/// pages still use), and the kind of place each is.
pub(super) const ADDRESSES: &[(&str, &str, LinkKind)] = &[
    ("a", "href", Hyperlink),
    ("a", "xlink:href", Hyperlink),
    ("area", "href", Hyperlink),
    ("audio", "src", Embed),
    ("blockquote", "cite", Hyperlink),
    ("body", "background", Embed),
    ("button", "formaction", Form),
    ("del", "cite", Hyperlink),
    ("embed", "src", Embed),
    ("form", "action", Form),
    ("frame", "longdesc", Hyperlink),
    ("frame", "src", Embed),
    ("html", "manifest", Resource),
    ("iframe", "longdesc", Hyperlink),
    ("iframe", "src", Embed),
    ("image", "href", Embed),
    ("image", "xlink:href", Embed),
    ("img", "longdesc", Hyperlink),
    ("img", "src", Embed),
    ("input", "formaction", Form),
    ("input", "src", Embed),
    ("ins", "cite", Hyperlink),
    ("link", "href", Resource),
    ("object", "data", Embed),
    ("q", "cite", Hyperlink),
    ("script", "src", Resource),
    ("source", "src", Embed),
    ("table", "background", Embed),
    ("td", "background", Embed),
    ("th", "background", Embed),
    ("track", "src", Embed),
    ("video", "poster", Embed),
    ("video", "src", Embed),
];

/// Where lists of picture candidates stand.
pub(super) const CANDIDATES: &[(&str, &str, LinkKind)] =
    &[("img", "srcset", Embed), ("link", "imagesrcset", Resource), ("source", "srcset", Embed)];

/// Where a robust link names its archived copy and the page it was made of.
pub(super) const ROBUST_ADDRESSES: [&str; 2] = ["data-versionurl", "data-originalurl"];

/// Relations that name a host to warm up, not a page.
pub(super) const NO_PAGE_RELATIONS: [&str; 2] = ["preconnect", "dns-prefetch"];

/// Relations to a part the page needs.
pub(super) const RESOURCE_RELATIONS: [&str; 9] = [
    "stylesheet",
    "icon",
    "apple-touch-icon",
    "apple-touch-icon-precomposed",
    "mask-icon",
    "manifest",
    "preload",
    "modulepreload",
    "prefetch",
];

/// Relations by which a page speaks of itself, its versions and its neighbors.
pub(super) const METADATA_RELATIONS: &[&str] = &[
    "alternate",
    "amphtml",
    "author",
    "bookmark",
    "canonical",
    "cite-as",
    "describedby",
    "edituri",
    "first",
    "help",
    "image_src",
    "index",
    "last",
    "latest-version",
    "license",
    "me",
    "memento",
    "next",
    "original",
    "pingback",
    "predecessor-version",
    "prev",
    "privacy-policy",
    "search",
    "self",
    "shortlink",
    "successor-version",
    "terms-of-service",
    "timegate",
    "timemap",
    "up",
    "webmention",
    "wlwmanifest",
];

/// Properties of Open Graph and of cards whose content is an address, though
/// it may not look so.
pub(super) const ADDRESS_PROPERTIES: &[&str] = &[
    "og:audio",
    "og:audio:secure_url",
    "og:audio:url",
    "og:image",
    "og:image:secure_url",
    "og:image:url",
    "og:url",
    "og:video",
    "og:video:secure_url",
    "og:video:url",
    "twitter:image",
    "twitter:image:src",
    "twitter:player",
    "twitter:player:stream",
    "msapplication-tileimage",
];

/// Whether an attribute's name may be one of those above, by its length and
/// first letter alone. Nearly all attributes are told apart so, and looking
/// each up in the tables is a fifth of the work on a page.
pub(super) fn may_hold_address(name: &str) -> bool {
    let first = name.bytes().next().unwrap_or_default().to_ascii_lowercase();
    matches!(
        (name.len(), first),
        (3 | 5, b's')
            | (4, b'h' | b'c' | b'd')
            | (6, b'a' | b'p' | b's')
            | (7, b'c')
            | (8, b'l' | b'm')
            | (10, b'b' | b'f' | b'x')
            | (11, b'i')
            | (15 | 16, b'd')
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_the_tables_is_passed_over() {
        let tables = ADDRESSES.iter().chain(CANDIDATES).map(|(_, name, _)| *name);
        for name in tables.chain(ROBUST_ADDRESSES).chain(["style", "content", "HREF"]) {
            assert!(may_hold_address(name), "{name}");
        }
        for name in ["class", "id", "alt", "title", "width", "height", "rel", ""] {
            assert!(!may_hold_address(name), "{name}");
        }
    }
}
