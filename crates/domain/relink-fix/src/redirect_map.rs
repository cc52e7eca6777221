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
    /// `Redirect` and `RewriteRule` lines for Apache.
    Apache,
    /// Lines of a `_redirects` file, as Netlify and others read it.
    Netlify,
    /// A JSON array.
    Json,
}

/// Returns the rules that redirect the old pages of a site to their new URLs. Pages of
/// other hosts are omitted. A target on the same host is written as a path.
pub fn redirect_map(site: &Url, moved: &[(Url, Url)], syntax: RedirectSyntax) -> String {
    // Without an explicit port, http and https have different ports, so they differ here.
    let is_own = |url: &Url| {
        url.host_str() == site.host_str()
            && url.port_or_known_default() == site.port_or_known_default()
    };
    let rules: BTreeMap<(String, Option<String>), String> = moved
        .iter()
        .filter(|(old, _)| is_own(old))
        // A rule for a path ignores the query, so a redirect to the same path could be endless.
        .filter(|(old, new)| old.path() != new.path() || !is_own(new))
        .map(|(old, new)| {
            let key = (old.path().to_owned(), old.query().map(str::to_owned));
            (key, if is_own(new) { path_and_query(new) } else { new.to_string() })
        })
        .collect();
    match syntax {
        RedirectSyntax::Json => json(&rules),
        _ => rules
            .iter()
            .map(|((path, query), to)| rule(syntax, path, query.as_deref(), to))
            .collect(),
    }
}

/// Returns the rule for one page. `to` is a path or a URL.
fn rule(syntax: RedirectSyntax, path: &str, query: Option<&str>, to: &str) -> String {
    match (syntax, query) {
        (RedirectSyntax::Nginx, None) => {
            format!("location = \"{}\" {{ return 301 \"{}\"; }}\n", decoded(path), target(to))
        }
        (RedirectSyntax::Nginx, Some(query)) => format!(
            "if ($request_uri = \"{}\") {{ return 301 \"{}\"; }}\n",
            target(&format!("{path}?{query}")),
            target(to)
        ),
        (RedirectSyntax::Apache, None) => {
            format!("Redirect 301 \"{}\" \"{}\"\n", decoded(path), target(to))
        }
        (RedirectSyntax::Apache, Some(query)) => format!(
            "RewriteCond %{{QUERY_STRING}} \"^{}$\"\n\
             RewriteRule \"^/?{}$\" \"{}\" [R=301,L,QSD,NE]\n",
            escape_pattern(query),
            escape_pattern(decoded(path).trim_start_matches('/')),
            target(to).replace('%', "\\%")
        ),
        (_, None) => format!("{path} {to} 301\n"),
        (_, Some(query)) => format!("{path} {} {to} 301\n", query.replace('&', " ")),
    }
}

/// Returns a URL without scheme, host and fragment.
fn path_and_query(url: &Url) -> String {
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

/// Percent-encodes the characters of a URL that are special in quotes; `$` starts a variable.
fn target(url: &str) -> String {
    url.replace('"', "%22").replace('\\', "%5C").replace('$', "%24")
}

/// Returns a path without percent-encoding, because servers compare decoded paths. A path
/// with special characters stays encoded.
fn decoded(path: &str) -> String {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    let is_special =
        |letter: char| letter.is_control() || matches!(letter, '"' | '\\' | '$' | '\u{fffd}');
    if decoded.contains(is_special) { target(path) } else { decoded.into_owned() }
}

/// Escapes the characters of a regular expression.
fn escape_pattern(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if !character.is_alphanumeric() && !matches!(character, '/' | '-' | '_' | '=' | '&' | '%') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

fn json(rules: &BTreeMap<(String, Option<String>), String>) -> String {
    let mut text = "[".to_owned();
    for (index, ((path, query), to)) in rules.iter().enumerate() {
        let from = query.as_ref().map_or_else(|| path.clone(), |query| format!("{path}?{query}"));
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

    fn map(syntax: RedirectSyntax) -> String {
        let url = |text: &str| Url::parse(text).unwrap();
        let moved = [
            (url("https://a.test/old/a%20b.html"), url("https://a.test/new/a$1")),
            (url("http://a.test/other-scheme"), url("https://a.test/x")),
            (url("https://a.test/p.php?id=1&x=2"), url("https://docs.a.test/p")),
            (url("https://b.test/old"), url("https://b.test/new")),
        ];
        redirect_map(&url("https://a.test/"), &moved, syntax)
    }

    #[test]
    fn nginx_rules_match_exact_paths() {
        assert_eq!(
            map(RedirectSyntax::Nginx),
            "location = \"/old/a b.html\" { return 301 \"/new/a%241\"; }\n\
             if ($request_uri = \"/p.php?id=1&x=2\") { return 301 \"https://docs.a.test/p\"; }\n"
        );
    }

    #[test]
    fn apache_rules_compare_the_query() {
        assert_eq!(
            map(RedirectSyntax::Apache),
            "Redirect 301 \"/old/a b.html\" \"/new/a%241\"\n\
             RewriteCond %{QUERY_STRING} \"^id=1&x=2$\"\n\
             RewriteRule \"^/?p\\.php$\" \"https://docs.a.test/p\" [R=301,L,QSD,NE]\n"
        );
    }

    #[test]
    fn netlify_rules_have_one_line_each() {
        assert_eq!(
            map(RedirectSyntax::Netlify),
            "/old/a%20b.html /new/a$1 301\n/p.php id=1 x=2 https://docs.a.test/p 301\n"
        );
    }

    #[test]
    fn json_rules_are_an_array() {
        let text = map(RedirectSyntax::Json);
        assert!(
            text.starts_with("[\n  {\"from\": \"/old/a%20b.html\", \"to\": \"/new/a$1\""),
            "{text}"
        );
        assert!(text.contains("\"from\": \"/p.php?id=1&x=2\""), "{text}");
    }
}
