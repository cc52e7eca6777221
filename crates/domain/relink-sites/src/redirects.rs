//! Redirect maps: files and settings that send old URL paths to new ones.

use std::collections::HashMap;

use serde_json::Value;

use crate::loose_config;
use crate::paths::{extension, file_name, join, route_key};

/// A redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectRule {
    /// The old path; `*` at the end matches any rest.
    pub from: String,
    /// The new path or URL; `:splat` stands for the rest.
    pub to: String,
}

/// Redirects by old path.
#[derive(Debug, Default)]
pub(crate) struct RedirectTable {
    exact: HashMap<String, String>,
    /// Prefixes and new paths.
    prefixes: Vec<(String, String)>,
}

impl RedirectTable {
    pub(crate) fn add(&mut self, rule: RedirectRule) {
        for rule in with_alternatives(rule) {
            self.add_one(rule);
        }
    }

    fn add_one(&mut self, rule: RedirectRule) {
        let RedirectRule { from, to } = rule;
        // A rule for all paths of a host applies to another host than that of the site.
        let is_other_host = from.contains("://") && from.ends_with('*');
        if is_other_host {
            return;
        }
        let from = from.split_once("://").map_or(from.as_str(), |(_, rest)| {
            rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/")
        });
        let wildcard = ["*", ":splat", ":path*", ":slug*", "(.*)", "(.*)$", ".*"];
        let prefix = wildcard.iter().find_map(|mark| from.strip_suffix(mark));
        match prefix {
            Some(prefix) if !join("", prefix).is_empty() => {
                self.prefixes.push((join("", prefix), to));
            }
            // A redirect of every path says nothing about a page.
            Some(_) => {}
            None => {
                let key = route_key(from);
                if !key.is_empty() && route_key(&to) != key {
                    self.exact.entry(key).or_insert(to);
                }
            }
        }
    }

    /// Returns the new path of exactly this path.
    pub(crate) fn find_exact(&self, path: &str) -> Option<String> {
        self.exact.get(&route_key(path)).cloned()
    }

    /// Returns the new path by a rule that ends with `*`.
    pub(crate) fn find_prefix(&self, path: &str) -> Option<String> {
        let key = route_key(path);
        let (rest, to) = self.prefixes.iter().find_map(|(prefix, to)| {
            let rest = crate::paths::below(&key, prefix)?;
            Some((rest, to))
        })?;
        Some(substitute(to, rest))
    }
}

/// Returns one rule for each alternative in a parameter at the end of the old path, as in
/// `/guide/:page(install|usage)` of Next.js.
fn with_alternatives(rule: RedirectRule) -> Vec<RedirectRule> {
    let parts = rule.from.split_once("/:").and_then(|(before, parameter)| {
        let (name, list) = parameter.strip_suffix(')')?.split_once('(')?;
        list.contains('|').then(|| (before.to_owned(), format!(":{name}"), list.to_owned()))
    });
    let Some((before, parameter, list)) = parts else { return vec![rule] };
    let alternatives = list.split('|').map(|name| RedirectRule {
        from: format!("{before}/{name}"),
        to: rule.to.replacen(&parameter, name, 1),
    });
    alternatives.collect()
}

/// Replaces the placeholder of a new path.
fn substitute(to: &str, rest: &str) -> String {
    let marks = [":splat", ":path*", ":slug*", "$1", "*"];
    match marks.iter().find(|mark| to.contains(**mark)) {
        Some(mark) => to.replacen(mark, rest, 1),
        None => to.to_owned(),
    }
}

/// Whether a file of this name is a redirect map.
pub fn is_redirect_map(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_named = matches!(
        name.as_str(),
        "_redirects" | "vercel.json" | "netlify.toml" | ".htaccess" | "staticwebapp.config.json"
    );
    let is_list = (name.starts_with("redirect") || name.starts_with("_redirect"))
        && [".yml", ".yaml", ".json", ".txt", ".map", ".conf"]
            .iter()
            .any(|extension| name.ends_with(extension));
    let is_nginx = extension(&name) == "conf" && name.contains("redirect") || name == "nginx.conf";
    // `_redirects.base` and `_redirects.tmpl` are copied or completed when the site is built.
    let is_source = name.starts_with("_redirects.");
    is_named || is_list || is_source || is_nginx || name.starts_with(".openpublishing.redirection")
}

/// Reads a redirect map. `path` selects the format; `directory` is that of
/// documents named in the map.
pub fn read_redirects(path: &str, text: &str) -> Vec<RedirectRule> {
    let name = file_name(path).to_ascii_lowercase();
    if name == ".htaccess" {
        return text.lines().filter_map(apache_rule).collect();
    }
    if matches!(extension(&name), "conf" | "map") {
        return text.lines().filter_map(nginx_rule).collect();
    }
    let is_data = matches!(extension(&name), "json" | "yml" | "yaml" | "toml");
    if name.starts_with("_redirects") && !is_data || extension(&name) == "txt" {
        return text.lines().filter_map(plain_rule).collect();
    }
    if extension(&name) == "json" {
        let Ok(value) = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) else {
            return Vec::new();
        };
        let mut rules = Vec::new();
        json_rules(&value, &mut rules);
        return rules;
    }
    config_rules(text)
}

fn rule(from: &str, to: &str) -> Option<RedirectRule> {
    let is_path = |text: &str| !text.is_empty() && !text.contains([' ', '\n']);
    (is_path(from) && is_path(to))
        .then(|| RedirectRule { from: from.to_owned(), to: to.to_owned() })
}

/// Reads `old new [status]`.
fn plain_rule(line: &str) -> Option<RedirectRule> {
    let line = line.split('#').next().filter(|_| !line.trim_start().starts_with('#'))?;
    let mut words = line.split_whitespace();
    let (from, to) = (words.next()?, words.next()?);
    let status = words.next().unwrap_or("301");
    (!status.starts_with("200")).then(|| rule(from, to))?
}

/// Reads `Redirect`, `RedirectMatch` and `RewriteRule` of Apache.
fn apache_rule(line: &str) -> Option<RedirectRule> {
    let mut words = line.split_whitespace().map(|word| word.trim_matches('"')).peekable();
    let directive = words.next()?.to_ascii_lowercase();
    match directive.as_str() {
        "redirect" | "redirectpermanent" | "redirectmatch" => {
            let is_status = |word: &&str| {
                word.bytes().all(|byte| byte.is_ascii_digit())
                    || ["permanent", "temp", "seeother"].contains(word)
            };
            words.next_if(is_status);
            rule(unanchored(words.next()?), words.next()?)
        }
        "rewriterule" => {
            let (from, to) = (words.next()?, words.next()?);
            let flags = words.next().unwrap_or_default();
            flags.contains('R').then(|| rule(unanchored(from), to))?
        }
        _ => None,
    }
}

/// Reads `rewrite`, `location … return` and the lines of `map` of nginx.
fn nginx_rule(line: &str) -> Option<RedirectRule> {
    let line = line.trim().trim_end_matches(['}', ' ']).trim_end_matches(';');
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["rewrite", from, to, flag]
            if flag.starts_with("permanent") || flag.starts_with("redirect") =>
        {
            rule(unanchored(from), to)
        }
        ["location", "=" | "~", from, "{", "return", _, to] => rule(unanchored(from), to),
        ["location", from, "{", "return", _, to] => rule(from, to),
        [from, to] if from.starts_with(['/', '~']) && to.starts_with(['/', 'h']) => {
            rule(unanchored(from.trim_start_matches(['~', '*'])), to)
        }
        _ => None,
    }
}

/// Removes the anchors of a regular expression.
fn unanchored(pattern: &str) -> &str {
    pattern.trim_start_matches('^').trim_end_matches('$').trim_end_matches("/?")
}

/// Reads redirects in JSON: lists of objects, or an object of paths.
fn json_rules(value: &Value, rules: &mut Vec<RedirectRule>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| json_rules(item, rules)),
        Value::Object(members) => {
            let first = |names: &[&str]| {
                names.iter().find_map(|name| members.get(*name).and_then(Value::as_str))
            };
            let from = first(&["from", "source", "source_path", "source_path_from_root", "old"]);
            let to = first(&["to", "destination", "redirect_url", "redirect", "new", "target"]);
            if let (Some(from), Some(to)) = (from, to) {
                rules.extend(rule(from, to));
                return;
            }
            for (name, member) in members {
                match member {
                    Value::String(to) if is_path_like(name) => rules.extend(rule(name, to)),
                    Value::String(_) => {}
                    other => json_rules(other, rules),
                }
            }
        }
        _ => {}
    }
}

fn is_path_like(text: &str) -> bool {
    text.contains('/') || crate::paths::split_page(text).is_some()
}

/// Reads redirects in YAML, TOML or JavaScript: `from` and `to` in one object,
/// or a map of paths.
pub(crate) fn config_rules(text: &str) -> Vec<RedirectRule> {
    let mut rules = Vec::new();
    for (from_key, to_key) in [("from", "to"), ("source", "destination"), ("old", "new")] {
        object_rules(text, from_key, to_key, &mut rules);
    }
    let maps = ["redirect_maps", "redirects", "rediraffe_redirects", "[output.html.redirect]"];
    for key in maps {
        for block in loose_config::blocks(text, key) {
            rules.extend(map_rules(block));
        }
    }
    if let Some((_, table)) = text.split_once("[output.html.redirect]") {
        rules.extend(map_rules(table.split("\n[").next().unwrap_or_default()));
    }
    if rules.is_empty() {
        rules.extend(map_rules(text));
    }
    rules
}

/// Reads the pairs of a map whose key and value are paths.
fn map_rules(block: &str) -> Vec<RedirectRule> {
    let is_new = |to: &str| is_path_like(to) && !to.ends_with([',', '{']);
    let pairs = loose_config::pairs(block).into_iter();
    pairs
        .filter(|(from, to)| is_path_like(from) && is_new(to))
        .filter_map(|(from, to)| rule(from, to))
        .collect()
}

/// Reads objects with two keys: `{ from: ['/a', '/b'], to: '/c' }`.
fn object_rules(text: &str, from_key: &str, to_key: &str, rules: &mut Vec<RedirectRule>) {
    for (at, _) in text.match_indices(to_key) {
        let object = match text.get(..at).map(|before| before.rfind(['{', '}'])) {
            Some(Some(brace)) if text.get(brace..=brace) == Some("{") => {
                loose_config::enclosing(text, at)
            }
            _ => list_item(text, at),
        };
        if object.len() > 4_000 {
            continue;
        }
        let Some(to) = loose_config::text(object, to_key).filter(|to| is_path_like(to)) else {
            continue;
        };
        let sources = loose_config::list(object, from_key);
        rules.extend(
            sources.into_iter().filter(|from| is_path_like(from)).filter_map(|from| rule(from, to)),
        );
    }
}

/// Returns the item of a YAML list or the table of a TOML list around an
/// offset.
fn list_item(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let start = ["\n- ", "\n  - ", "[[", "\n\n"].iter().filter_map(|mark| before.rfind(mark)).max();
    let start = start.unwrap_or(0);
    let after = text.get(at..).unwrap_or_default();
    let ends = ["\n- ", "\n  - ", "\n[", "\n\n"];
    let end = ends.iter().filter_map(|mark| after.find(mark)).min().unwrap_or(after.len());
    text.get(start..at + end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expect: &[(&str, &str)]) {
        let rules = read_redirects(name, text);
        let found: Vec<_> = rules.iter().map(|rule| (&*rule.from, &*rule.to)).collect();
        assert_eq!(found, expect, "{name}");
    }

    #[test]
    fn redirect_maps_are_read() {
        check(
            "_redirects",
            "# c\n/a /b 301\n/c/* /d/:splat\n/e /f 200\n",
            &[("/a", "/b"), ("/c/*", "/d/:splat")],
        );
        check(
            "vercel.json",
            r#"{"redirects":[{"source":"/a","destination":"/b"}]}"#,
            &[("/a", "/b")],
        );
        check("_redirects.base", "/a /b 301\n", &[("/a", "/b")]);
        check("netlify.toml", "[[redirects]]\n  from = \"/a\"\n  to = \"/b\"\n", &[("/a", "/b")]);
        check(
            ".htaccess",
            "Redirect 301 /a /b\nRewriteRule ^c$ /d [R=301,L]\n",
            &[("/a", "/b"), ("c", "/d")],
        );
        check(
            "redirects.conf",
            "rewrite ^/a$ /b permanent;\n/c /d;\n",
            &[("/a", "/b"), ("/c", "/d")],
        );
        check("redirects.yml", "/a: /b\n'/c': '/d'\n", &[("/a", "/b"), ("/c", "/d")]);
        check(
            "redirects.yaml",
            "- from: /a\n  to: /b\n- from: /c\n  to: /d\n",
            &[("/a", "/b"), ("/c", "/d")],
        );
        check("redirects.json", r#"{"/a": "/b"}"#, &[("/a", "/b")]);
        check(
            ".openpublishing.redirection.json",
            r#"{"redirections":[{"source_path":"docs/a.md","redirect_url":"/x/b"}]}"#,
            &[("docs/a.md", "/x/b")],
        );
    }

    #[test]
    fn settings_of_generators_are_read() {
        let docusaurus = "redirects: [{ from: ['/a', '/b'], to: '/c' }, { to: '/e', from: '/d' }]";
        let found = config_rules(docusaurus);
        assert_eq!(found.len(), 3, "{found:?}");
        let mkdocs = "plugins:\n  - redirects:\n      redirect_maps:\n        'a.md': 'b.md'\n";
        assert!(
            config_rules(mkdocs).contains(&RedirectRule { from: "a.md".into(), to: "b.md".into() })
        );
        let mdbook = "[output.html.redirect]\n\"/a.html\" = \"b.html\"\n[x]\n";
        assert!(
            config_rules(mdbook)
                .contains(&RedirectRule { from: "/a.html".into(), to: "b.html".into() })
        );
    }

    #[test]
    fn table_matches_exact_paths_and_prefixes() {
        let mut table = RedirectTable::default();
        table.add(RedirectRule { from: "/a.html".into(), to: "/b".into() });
        table.add(RedirectRule { from: "/c/*".into(), to: "/d/:splat".into() });
        table.add(RedirectRule { from: "/*".into(), to: "/".into() });
        assert_eq!(table.find_exact("/a/"), Some("/b".to_owned()));
        assert_eq!(table.find_prefix("/c/x/y"), Some("/d/x/y".to_owned()));
        assert_eq!((table.find_exact("/e"), table.find_prefix("/e")), (None, None));
        table.add(RedirectRule { from: "https://old.test/f/*".into(), to: "/c/:splat".into() });
        assert_eq!(table.find_prefix("/f/x"), None);
        table.add(RedirectRule { from: "/g/:page(x|y)".into(), to: "/h/:page".into() });
        assert_eq!(table.find_exact("/g/y"), Some("/h/y".to_owned()));
        assert_eq!(table.find_exact("/g/z"), None);
    }
}
