//! Variables of a site, which its documents use in the destinations of links:
//! `{{ site.name }}` in Jekyll, `{{< param name >}}` in Hugo, `{name}` in Antora.

use crate::Generator;
use crate::loose_config;

/// Maximum number of variables that are replaced in one destination.
const MAX_REPLACEMENTS: usize = 10;
/// Maximum length of a destination.
const MAX_LENGTH: usize = 4 * 1024;

/// Variables of a site, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables(Vec<(String, String)>);

impl Variables {
    /// Reads the variables in a configuration: the lines `name: value` of a block, and
    /// in TOML `name = value`. An indentation is ignored.
    pub(crate) fn read(block: &str) -> Self {
        let pairs = block.lines().filter(|line| !line.trim_start().starts_with('-'));
        let pairs = pairs.flat_map(loose_config::pairs);
        // Antora: a document may change a value that ends with `@`. YAML: `&name` names the value.
        let value = |value: &str| {
            let named = value.strip_prefix('&').and_then(|named| named.split_once(' '));
            let value = named.map_or(value, |(_, value)| value.trim());
            value.trim_end_matches('@').to_owned()
        };
        Self(pairs.map(|(name, text)| (name.to_owned(), value(text))).collect())
    }

    /// Reads the attributes that an AsciiDoc document defines: the lines `:name: value`.
    pub fn read_asciidoc(document: &str) -> Self {
        let attribute = |line: &str| {
            let (name, value) = line.strip_prefix(':')?.split_once(':')?;
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
            let is_attribute = !name.is_empty() && name.bytes().all(is_name);
            is_attribute.then(|| (name.to_owned(), value.trim().to_owned()))
        };
        Self(document.lines().filter_map(attribute).collect())
    }

    /// Adds variables. Those that exist already have priority.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Replaces the variables of a destination. Returns `None` if one of them is unknown
    /// or if there are none.
    pub fn expand(&self, generator: Generator, destination: &str) -> Option<String> {
        let mut text = destination.to_owned();
        for _ in 0..MAX_REPLACEMENTS {
            let Some((before, name, after)) = split_reference(generator, &text) else {
                let is_complete = !text.contains(['{', '}']) && text != destination;
                return is_complete.then_some(text);
            };
            text = format!("{before}{}{after}", self.get(name)?);
            if text.len() > MAX_LENGTH {
                return None;
            }
        }
        None
    }
}

/// Splits a text at the first reference to a variable: the text before it, the name, and
/// the text after it.
fn split_reference(generator: Generator, text: &str) -> Option<(&str, &str, &str)> {
    let (opening, closing) = match generator {
        Generator::Antora => ("{", "}"),
        Generator::Jekyll | Generator::Hugo => ("{{", "}}"),
        _ => return None,
    };
    let (before, rest) = text.split_once(opening)?;
    let (inside, after) = rest.split_once(closing)?;
    let inside = inside.trim_matches(|c: char| c.is_whitespace() || "<>%-".contains(c));
    let name = match generator {
        Generator::Jekyll => inside.strip_prefix("site.")?,
        Generator::Hugo => inside.strip_prefix("param ")?.trim_matches([' ', '"', '.']),
        _ => inside,
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (!name.is_empty() && name.bytes().all(is_name)).then_some((before, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_asciidoc_are_variables() {
        let document = "= T\n:url: https://a.test/x#y\n:!unset:\n:guide: {url}/guide\n\n: text\n";
        let variables = Variables::read_asciidoc(document);
        let found = variables.expand(Generator::Antora, "{guide}[a]");
        assert_eq!(found.as_deref(), Some("https://a.test/x#y/guide[a]"));
    }

    #[test]
    fn variables_are_replaced_by_the_syntax_of_the_generator() {
        let variables = Variables::read(
            "url: &x https://a.test\n# x: y\n  guide: '/guide@'\nnext: '{guide}/next'\nlist:\n  - a: b\n",
        );
        let check = |generator, text: &str, expected: Option<&str>| {
            let found = variables.expand(generator, text);
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check(Generator::Jekyll, "{{ site.url }}/b", Some("https://a.test/b"));
        check(Generator::Jekyll, "{{site.guide}}{{ site.guide }}", Some("/guide/guide"));
        check(Generator::Hugo, "{{< param \"guide\" >}}/b", Some("/guide/b"));
        check(Generator::Antora, "{next}/b.adoc", Some("/guide/next/b.adoc"));
        check(Generator::Antora, "{unknown}/{guide}", None);
        for text in ["/b", "{{ page.url }}", "{% link a.md %}", "{{ site.a }}"] {
            check(Generator::Jekyll, text, None);
        }
    }
}
