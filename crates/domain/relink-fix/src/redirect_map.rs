//! Redirect rules for the moved pages of one's own site.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use percent_encoding::percent_decode_str;
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
    // URLs with another scheme are on another site, because `http` and `https` have different
    // default ports.
    let is_on_site = |url: &Url| {
        url.host_str() == site.host_str()
            && url.port_or_known_default() == site.port_or_known_default()
    };
    let rules: BTreeMap<RuleKey, String> = moved
        .iter()
        .filter(|(old, _)| is_on_site(old))
        // A rule for a path ignores the query, so a redirect to the same path could be endless.
        .filter(|(old, new)| old.path() != new.path() || !is_on_site(new))
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
    let rules = rules.iter().map(|(key, to)| rule(syntax, &key.path, key.query(), to));
    std::iter::once(header.to_owned()).chain(rules).collect()
}

/// The page of a rule. Rules are in the order of their keys. Servers apply the first rule that
/// matches, so the rules of a path with a query precede the rule without a query.
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
        (_, None) => format!("{path} {to} 301\n"),
        (_, Some(query)) => format!("{path} {} {to} 301\n", query.replace('&', " ")),
    }
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
        // Writing to a string cannot fail. URLs contain no characters to escape in JSON.
        let _ = write!(
            text,
            "{separator}\n  {{\"from\": \"{from}\", \"to\": \"{to}\", \"status\": 301}}"
        );
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
}
