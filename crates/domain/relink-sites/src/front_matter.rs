//! The settings of a page that decide its URL.

use crate::loose_config;

/// Settings in the front matter of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// Replaces the last segment or the whole path (`slug`).
    pub slug: Option<String>,
    /// Replaces the whole path (`permalink`, `url`).
    pub permalink: Option<String>,
    /// Replaces the name of the document (`id`).
    pub id: Option<String>,
    /// The date of a post.
    pub date: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// Paths that redirect to the page (`aliases`, `redirect_from`).
    pub aliases: Vec<String>,
    /// Whether the page has settings at all; Jekyll copies other files.
    pub is_present: bool,
}

impl FrontMatter {
    /// Reads the settings at the start of a document.
    pub fn parse(document: &str) -> Self {
        let Some(settings) = settings(document) else { return Self::default() };
        let one = |key: &str| {
            let value = top_level(settings, key)?;
            (!value.is_empty()).then(|| value.to_owned())
        };
        let all = ["aliases", "redirect_from", "redirect-from", "redirects"];
        let aliases = all.iter().flat_map(|key| loose_config::list(settings, key));
        // `redirects: [{ from: old, to: new }]`
        let aliases = aliases.map(|item| loose_config::text(item, "from").unwrap_or(item));
        Self {
            slug: one("slug"),
            permalink: one("permalink").or_else(|| one("url")),
            id: one("id"),
            date: one("date"),
            title: one("title"),
            aliases: aliases.filter(|path| !path.is_empty()).map(str::to_owned).collect(),
            is_present: true,
        }
    }
}

/// Returns the text between the lines `---` or `+++`, or AsciiDoc attributes.
fn settings(document: &str) -> Option<&str> {
    let document = document.trim_start_matches('\u{feff}');
    let fence = ["---", "+++"].into_iter().find(|fence| document.starts_with(fence));
    let Some(fence) = fence else { return asciidoc_header(document) };
    let body = document.get(fence.len()..)?.split_once('\n')?.1;
    let mut length = 0;
    for line in body.split_inclusive('\n') {
        if line.trim_end() == fence {
            return body.get(..length);
        }
        length += line.len();
    }
    None
}

/// Returns the header of an AsciiDoc document if it sets page attributes.
fn asciidoc_header(document: &str) -> Option<&str> {
    let header = document.split("\n\n").next()?;
    (header.contains(":page-") || header.contains(":jbake-")).then_some(header)
}

/// Returns the value of a key that is not nested, or of the AsciiDoc attribute
/// `page-key`.
fn top_level<'t>(settings: &'t str, key: &str) -> Option<&'t str> {
    let attribute = |line: &'t str| loose_config::top_level(line.strip_prefix(":page-")?, key);
    loose_config::top_level(settings, key).or_else(|| settings.lines().find_map(attribute))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_reads_yaml_and_toml() {
        let yaml = FrontMatter::parse("---\nslug: /intro\nredirect_from:\n  - /a\n---\n# T\n");
        assert_eq!((yaml.slug.as_deref(), yaml.aliases), (Some("/intro"), vec!["/a".to_owned()]));
        let toml = FrontMatter::parse("+++\nurl = '/x/'\naliases = [\"/b\"]\n+++\n");
        assert_eq!((toml.permalink.as_deref(), toml.aliases), (Some("/x/"), vec!["/b".to_owned()]));
    }

    #[test]
    fn parse_reads_the_old_paths_of_redirects() {
        let text = "---\nredirects:\n  # moved\n  - { from: old, to: '#part' }\n  - from: x\n---\n";
        assert_eq!(FrontMatter::parse(text).aliases, ["old", "x"]);
    }

    #[test]
    fn parse_ignores_nested_keys_and_documents_without_front_matter() {
        let nested = FrontMatter::parse("---\nimage:\n  url: /x.png\n---\n");
        assert_eq!(nested.permalink, None);
        assert_eq!(FrontMatter::parse("# slug: x\n"), FrontMatter::default());
    }
}
