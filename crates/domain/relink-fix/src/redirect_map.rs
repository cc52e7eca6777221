//! Redirect rules for the moved pages of one's own site.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::Url;

/// The syntax of a redirect map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectSyntax {
    /// `location` blocks for nginx.
    Nginx,
    /// `RewriteRule` lines for Apache.
    Apache,
    /// Lines of a `_redirects` file, as Netlify and others read it.
    Netlify,
    /// A JSON array.
    Json,
}

/// Returns the rules that redirect the old pages of a site to their new URLs. Pages of
/// other hosts are omitted. A target on the same host is written as a path.
pub fn redirect_map(site: &Url, moved: &[(Url, Url)], syntax: RedirectSyntax) -> String {
    // The scheme is not compared: `http` and `https` have different default ports.
    let is_on_site = |url: &Url| {
        url.host_str() == site.host_str()
            && url.port_or_known_default() == site.port_or_known_default()
    };
    let rules: BTreeMap<RuleKey, String> = moved
        .iter()
        .filter(|(old, _)| is_on_site(old))
        .filter(|(old, new)| !is_on_site(new) || !may_be_endless(old, new, syntax))
        .map(|(old, new)| {
            let key = RuleKey {
                path: old.path().to_owned(),
                has_no_query: old.query().is_none(),
                query: old.query().unwrap_or_default().to_owned(),
            };
            (key, if is_on_site(new) { path_and_query(new) } else { new.to_string() })
        })
        .collect();
    if syntax == RedirectSyntax::Json {
        return json(&rules);
    }
    let header = if syntax == RedirectSyntax::Apache && !rules.is_empty() {
        "RewriteEngine On\n"
    } else {
        ""
    };
    // Spellings of one path, such as `/a` and `/%61`, have the same location. nginx rejects a
    // file with the same location twice.
    let mut locations = HashSet::new();
    let mut is_new = |key: &RuleKey| {
        let is_location = syntax == RedirectSyntax::Nginx && key.query().is_none();
        !is_location || locations.insert(decoded_path(&key.path))
    };
    let rules = rules
        .iter()
        .filter(|(key, _)| is_new(key))
        .map(|(key, to)| rule(syntax, &key.path, key.query(), to));
    std::iter::once(header.to_owned()).chain(rules).collect()
}

/// Whether the rule for a page could apply to the new URL, too, which is on the same site.
fn may_be_endless(old: &Url, new: &Url, syntax: RedirectSyntax) -> bool {
    // A rule without a query ignores the query of a request. Rules of Netlify may add the
    // query of the request to the new URL.
    let ignores_query = old.query().is_none() || syntax == RedirectSyntax::Netlify;
    decoded_path(old.path()) == decoded_path(new.path())
        && (ignores_query || old.query() == new.query())
}

/// The page of a rule. Rules are in the order of their keys. Servers apply the first rule that
/// matches, so the rules for queries of a path precede the rule for any query.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RuleKey {
    path: String,
    /// Whether the rule applies to any query. `false` comes first in the order.
    has_no_query: bool,
    query: String,
}

impl RuleKey {
    fn query(&self) -> Option<&str> {
        (!self.has_no_query).then_some(self.query.as_str())
    }
}

/// Returns the rule for one page. `to` is a path or a URL. Every rule matches the whole path.
fn rule(syntax: RedirectSyntax, path: &str, query: Option<&str>, to: &str) -> String {
    match (syntax, query) {
        (RedirectSyntax::Nginx, None) => format!(
            "location = \"{}\" {{ return 301 \"{}\"; }}\n",
            decoded_path(path).replace('\\', "\\\\").replace('"', "\\\""),
            quoted_target(to)
        ),
        // In a string, `$` would start a variable.
        (RedirectSyntax::Nginx, Some(query)) => format!(
            "if ($request_uri ~ \"^{}$\") {{ return 301 \"{}\"; }}\n",
            escape_pattern(&format!("{path}?{query}")),
            quoted_target(to)
        ),
        (RedirectSyntax::Apache, None) => rewrite_rule(path, to, "R=301,L,NE"),
        (RedirectSyntax::Apache, Some(query)) => format!(
            "RewriteCond %{{QUERY_STRING}} \"^{}$\"\n{}",
            escape_pattern(query),
            rewrite_rule(path, to, "R=301,L,QSD,NE")
        ),
        (_, None) => format!("{} {to} 301\n", literal_path(path)),
        (_, Some(query)) => {
            format!("{} {} {to} 301\n", literal_path(path), query.replace('&', " "))
        }
    }
}

/// Percent-encodes the characters that Netlify reads as patterns: `*` and `/:name`.
fn literal_path(path: &str) -> String {
    path.replace('*', "%2A").replace("/:", "/%3A")
}

/// Returns a rule for Apache. `Redirect` would also redirect all paths below this path.
fn rewrite_rule(path: &str, to: &str, flags: &str) -> String {
    format!(
        "RewriteRule \"^/?{}$\" \"{}\" [{flags}]\n",
        escape_pattern(decoded_path(path).trim_start_matches('/')),
        quoted_target(to).replace('%', "\\%")
    )
}

/// Returns a URL without scheme, host and fragment.
fn path_and_query(url: &Url) -> String {
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

/// Percent-encodes the characters of a URL that are special in quotes. `$` starts a variable.
fn quoted_target(url: &str) -> String {
    url.replace('"', "%22").replace('\\', "%5C").replace('$', "%24")
}

/// Returns a path without percent-encoding, because servers compare decoded paths. A path
/// that is not text stays encoded.
fn decoded_path(path: &str) -> String {
    let decoded_path = percent_decode_str(path).decode_utf8_lossy();
    let is_special = |letter: char| letter.is_control() || letter == '\u{fffd}';
    if decoded_path.contains(is_special) { path.to_owned() } else { decoded_path.into_owned() }
}

/// Escapes the characters of a regular expression. Quotes and backslashes are written as codes,
/// because they are special in the strings of configuration files, too.
fn escape_pattern(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => pattern.push_str("\\x22"),
            '\\' => pattern.push_str("\\x5C"),
            '/' | '-' | '_' | '=' | '&' | '%' => pattern.push(character),
            _ if character.is_alphanumeric() => pattern.push(character),
            _ => pattern.extend(['\\', character]),
        }
    }
    pattern
}

fn json(rules: &BTreeMap<RuleKey, String>) -> String {
    let mut text = "[".to_owned();
    for (index, (key, to)) in rules.iter().enumerate() {
        let path = &key.path;
        let from = key.query().map_or_else(|| path.clone(), |query| format!("{path}?{query}"));
        let separator = if index == 0 { "" } else { "," };
        let (from, to) = (Value::from(from), Value::from(to.as_str()));
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}\n  {{\"from\": {from}, \"to\": {to}, \"status\": 301}}");
    }
    text.push_str(if rules.is_empty() { "]\n" } else { "\n]\n" });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rules for some moved pages of `https://a.test/`.
    fn map(syntax: RedirectSyntax) -> String {
        let url = |text: &str| Url::parse(text).unwrap();
        let moved = [
            (url("https://a.test/old/a%20b.html"), url("https://a.test/new/a$1")),
            (url("http://a.test/other-scheme"), url("https://a.test/x")),
            (url("https://a.test/p.php?id=1&x=2"), url("https://docs.a.test/p")),
            (url("https://a.test/p.php"), url("https://a.test/q")),
            (url("https://a.test/dollar$1.html"), url("https://a.test/r")),
            (url("https://b.test/old"), url("https://b.test/new")),
        ];
        redirect_map(&url("https://a.test/"), &moved, syntax)
    }

    #[test]
    fn nginx_rules_match_exact_paths() {
        assert_eq!(
            map(RedirectSyntax::Nginx),
            "location = \"/dollar$1.html\" { return 301 \"/r\"; }\n\
             location = \"/old/a b.html\" { return 301 \"/new/a%241\"; }\n\
             if ($request_uri ~ \"^/p\\.php\\?id=1&x=2$\") { return 301 \"https://docs.a.test/p\"; }\n\
             location = \"/p.php\" { return 301 \"/q\"; }\n"
        );
    }

    #[test]
    fn apache_rules_compare_the_query() {
        assert_eq!(
            map(RedirectSyntax::Apache),
            "RewriteEngine On\n\
             RewriteRule \"^/?dollar\\$1\\.html$\" \"/r\" [R=301,L,NE]\n\
             RewriteRule \"^/?old/a\\ b\\.html$\" \"/new/a\\%241\" [R=301,L,NE]\n\
             RewriteCond %{QUERY_STRING} \"^id=1&x=2$\"\n\
             RewriteRule \"^/?p\\.php$\" \"https://docs.a.test/p\" [R=301,L,QSD,NE]\n\
             RewriteRule \"^/?p\\.php$\" \"/q\" [R=301,L,NE]\n"
        );
    }

    #[test]
    fn netlify_rules_have_one_line_each() {
        assert_eq!(
            map(RedirectSyntax::Netlify),
            "/dollar$1.html /r 301\n/old/a%20b.html /new/a$1 301\n\
             /p.php id=1 x=2 https://docs.a.test/p 301\n/p.php /q 301\n"
        );
    }

    #[test]
    fn json_rules_are_an_array() {
        let text = map(RedirectSyntax::Json);
        assert!(text.contains("{\"from\": \"/old/a%20b.html\", \"to\": \"/new/a$1\""), "{text}");
        assert!(text.contains("\"from\": \"/p.php?id=1&x=2\""), "{text}");
    }

    /// Returns the rules for moved pages of `https://a.test/`.
    fn map_paths(moved: &[(&str, &str)], syntax: RedirectSyntax) -> String {
        let site = Url::parse("https://a.test/").unwrap();
        let url = |path: &str| site.join(path).unwrap();
        let moved: Vec<(Url, Url)> = moved.iter().map(|(old, new)| (url(old), url(new))).collect();
        redirect_map(&site, &moved, syntax)
    }

    #[test]
    fn json_escapes_backslashes_of_a_query() {
        let text = map_paths(&[("/p?a=\\b", "/q?c=\\d")], RedirectSyntax::Json);
        let rules: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&rules[0]["from"], &rules[0]["to"]), (&"/p?a=\\b".into(), &"/q?c=\\d".into()));
    }

    #[test]
    fn nginx_has_one_location_for_all_spellings_of_a_path() {
        let moved = [("/%61", "/new"), ("/a", "/new"), ("/a?x", "/x"), ("/%61?x", "/x")];
        let text = map_paths(&moved, RedirectSyntax::Nginx);
        assert_eq!(text.matches("location = \"/a\"").count(), 1, "{text}");
        // The variable `$request_uri` is not decoded.
        assert_eq!(text.matches("request_uri").count(), 2, "{text}");
    }

    #[test]
    fn other_query_of_the_same_path_is_redirected_if_the_rule_compares_queries() {
        for (old, new, expected) in [
            ("/p?id=1", "/p?id=2", true),
            ("/p?id=1", "/p", true),
            ("/p", "/p?id=2", false),
            ("/p?id=1", "/p?id=1#x", false),
            ("/%70?id=1", "/p?id=1", false),
        ] {
            for syntax in [RedirectSyntax::Nginx, RedirectSyntax::Apache] {
                let text = map_paths(&[(old, new)], syntax);
                assert_eq!(!text.is_empty(), expected, "{old} {new} {text}");
            }
        }
        assert_eq!(map_paths(&[("/p?id=1", "/p?id=2")], RedirectSyntax::Netlify), "");
    }

    #[test]
    fn netlify_paths_contain_no_patterns() {
        let text = map_paths(&[("/a*/:b:c", "/new")], RedirectSyntax::Netlify);
        assert_eq!(text, "/a%2A/%3Ab:c /new 301\n");
    }
}
