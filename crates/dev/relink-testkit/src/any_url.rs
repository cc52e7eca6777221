//! Proptest strategies for URLs and their parts.
//!
//! The strategies combine parts that occur on real sites (numbers, dates, dashes, escapes,
//! other scripts) with parts that break parsers: empty and very long segments,
//! multi-byte characters at every position, and invalid ports and hosts.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use url::Url;

/// Generates path segments and query values.
pub fn any_segment() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z]{0,8}",
        4 => "[0-9]{0,10}",
        4 => "[a-zA-Z0-9é木]{0,3}[-_.][a-z0-9é木]{0,3}",
        3 => "(19|20|21|99)[0-9]{2}([-/]?[0-9]{0,2}){0,3}(T[0-9:]{0,8}Z?)?",
        3 => "([a-z]{0,2}%[0-9A-Fa-fx]{0,2}){1,3}",
        3 => "[é木🌳İßa-z-]{1,4}",
        2 => "[a-f0-9-]{6,40}",
        2 => "[a-z]{1,8}\\.(html|php|tar\\.gz|[é0-9]{0,3})",
        2 => "[-_.;=&+@:!~*'()|,$]{1,4}",
        2 => "\\PC{0,6}",
        1 => "\\.{1,3}",
        1 => "[a-z0-9é-]{100,300}",
        1 => Just(String::new()),
    ]
}

/// Generates valid and invalid hosts.
pub fn any_host() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "(www\\.)?[a-z]{1,6}(\\.[a-z]{1,4}){0,2}\\.(org|test|co\\.uk|com)\\.?",
        2 => "[a-zé木ßü]{1,5}\\.(test|рф|例え)",
        2 => "xn--[a-z0-9-]{0,8}\\.test",
        2 => "[0-9]{1,3}(\\.[0-9]{1,3}){0,4}",
        1 => "\\[[0-9a-f:]{0,12}\\]",
        1 => "[a-z.%_-]{0,8}",
        1 => "\\PC{0,6}",
    ]
}

/// Generates URLs and texts that are almost URLs.
pub fn any_url_text() -> impl Strategy<Value = String> {
    let scheme = prop_oneof![
        8 => "https?://",
        1 => "HTTPS?:/{0,3}",
        1 => "//|\\\\\\\\|(ftp|mailto|javascript|x-é):",
        1 => Just(String::new()),
    ];
    let userinfo = option::weighted(0.1, "[a-zé%:@]{0,6}@");
    let port = option::weighted(0.2, ":[0-9]{0,6}");
    let path = vec(any_segment(), 0..7);
    let query = option::of(vec((any_segment(), option::of(any_segment())), 0..4));
    let fragment = option::weighted(0.3, any_segment());
    let parts = (scheme, userinfo, any_host(), port, path, query, fragment);
    parts.prop_map(|(scheme, userinfo, host, port, path, query, fragment)| {
        let or_empty = |part: Option<String>| part.unwrap_or_default();
        let path: String = path.iter().flat_map(|segment| ["/", segment]).collect();
        let parameter = |(name, value): (String, Option<String>)| match value {
            Some(value) => format!("{name}={value}"),
            None => name,
        };
        let query = query
            .map(|parameters| parameters.into_iter().map(parameter).collect::<Vec<_>>().join("&"));
        let query = or_empty(query.map(|query| format!("?{query}")));
        let fragment = or_empty(fragment.map(|fragment| format!("#{fragment}")));
        format!("{scheme}{}{host}{}{path}{query}{fragment}", or_empty(userinfo), or_empty(port))
    })
}

/// Generates URLs, parts of URLs and other texts.
pub fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![4 => any_url_text(), 2 => any_segment(), 1 => ".{0,40}", 1 => any::<String>()]
}

/// Generates valid http and https URLs.
pub fn any_url() -> impl Strategy<Value = Url> {
    any_url_text().prop_filter_map("not a web URL", |text| {
        let url = Url::parse(&text).or_else(|_| Url::parse(&format!("https://a.test/{text}")));
        url.ok().filter(|url| matches!(url.scheme(), "http" | "https"))
    })
}
