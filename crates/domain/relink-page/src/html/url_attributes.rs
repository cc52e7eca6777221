//! Tables of the HTML attributes that hold URLs, of the link relations (`rel`)
//! and of the `meta` properties.

use relink_model::LinkKind::{self, Embed, Form, Hyperlink, Resource};

/// Element, attribute and link kind of every attribute that holds one URL (HTML
/// standard, index of attributes, and obsolete attributes still in use).
pub(super) const URL_ATTRIBUTES: &[(&str, &str, LinkKind)] = &[
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

/// Element, attribute and link kind of every attribute that holds a list of
/// image candidates.
pub(super) const SRCSET_ATTRIBUTES: &[(&str, &str, LinkKind)] =
    &[("img", "srcset", Embed), ("link", "imagesrcset", Resource), ("source", "srcset", Embed)];

/// Attribute of the Robust Links specification (robustlinks.mementoweb.org) with
/// the URL of an archived copy. `data-originalurl` is not a link: it records the
/// URL that the link had before.
pub(super) const ARCHIVED_COPY_ATTRIBUTES: [&str; 1] = ["data-versionurl"];

/// Link relations whose URL names a host to connect to, not a page.
pub(super) const CONNECT_RELATIONS: [&str; 2] = ["preconnect", "dns-prefetch"];

/// Link relations to a resource that the page needs.
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

/// Link relations to metadata and to related pages, such as other versions.
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

/// Names of `meta` elements (Open Graph and others) whose content is always a
/// URL and may be relative.
pub(super) const URL_PROPERTIES: &[&str] = &[
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

/// Whether an attribute may hold a URL, by the length and first letter of its name.
/// True for the attributes in the tables, `style`, and `content` of `meta`.
///
/// This test rejects almost all other attributes. Looking up every attribute in the
/// tables would take a fifth of the time to parse a page.
pub(super) fn may_hold_url(name: &str) -> bool {
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
    fn may_hold_url_accepts_every_attribute_with_urls() {
        let tables = URL_ATTRIBUTES.iter().chain(SRCSET_ATTRIBUTES).map(|(_, name, _)| *name);
        for name in tables.chain(ARCHIVED_COPY_ATTRIBUTES).chain(["style", "content", "HREF"]) {
            assert!(may_hold_url(name), "{name}");
        }
        for name in ["class", "id", "alt", "title", "width", "height", "rel", ""] {
            assert!(!may_hold_url(name), "{name}");
        }
    }
}
