//! Template tags that stand for a path: `{% link a.md %}`, `{{< ref "a" >}}`.

/// Prefix of the path of a document of Jekyll, from the source directory.
pub const SOURCE_PREFIX: &str = "source::";

/// Returns the path that a destination with template tags leads to; `None` if
/// the path is unknown without the template engine.
///
/// ```
/// use relink_sites::template_path;
/// assert_eq!(template_path("{{ site.baseurl }}/a/#b").as_deref(), Some("/a/#b"));
/// assert_eq!(template_path("{{< relref \"a.md\" >}}").as_deref(), Some("a.md"));
/// assert_eq!(template_path("{{ page.url }}"), None);
/// ```
pub fn template_path(destination: &str) -> Option<String> {
    let mut rest = destination.trim();
    while let Some(after) = without_base(rest) {
        rest = after;
    }
    if rest.starts_with('/') && !rest.contains(['{', '}']) {
        return Some(rest.to_owned());
    }
    let (tag, after) = tag(rest)?;
    let path = tag_path(tag)?;
    let is_plain = !path.contains(['{', '}']) && !after.contains(['{', '}']);
    is_plain.then(|| format!("{path}{after}"))
}

/// Removes a tag at the start that stands for the address of the site.
fn without_base(text: &str) -> Option<&str> {
    let (tag, rest) = tag(text)?;
    let names = ["site.baseurl", "site.url", "page.baseurl", "base_path", "relURL \"\""];
    names.contains(&tag).then_some(rest)
}

/// Splits a text into the content of the tag at its start, and the rest.
fn tag(text: &str) -> Option<(&str, &str)> {
    for (opening, closing) in [("{%", "%}"), ("{{", "}}")] {
        if let Some((inside, rest)) =
            text.strip_prefix(opening).and_then(|text| text.split_once(closing))
        {
            let inside = inside.trim_matches(|c: char| c.is_whitespace() || "<>%-".contains(c));
            return Some((inside, rest));
        }
    }
    None
}

/// Returns the path of a tag.
fn tag_path(tag: &str) -> Option<String> {
    if let Some(path) = tag.strip_prefix("link ") {
        return Some(format!("{SOURCE_PREFIX}{}", path.trim()));
    }
    if let Some(post) = tag.strip_prefix("post_url ") {
        let name = post.trim().rsplit('/').next()?;
        // Posts are found by the title after the date.
        let title = name.get("2024-01-02-".len()..).unwrap_or(name);
        return Some(format!("/posts/{title}"));
    }
    let reference = ["relref ", "ref "].iter().find_map(|name| tag.strip_prefix(name));
    if let Some(argument) = reference {
        return quoted(argument);
    }
    let (value, filter) = tag.split_once('|')?;
    let is_url = ["relative_url", "absolute_url", "relURL", "absURL"].contains(&filter.trim());
    is_url.then(|| quoted(value.trim()))?
}

/// Returns the text in quotes, or the first word.
fn quoted(text: &str) -> Option<String> {
    let quote = text.find(['"', '\'', '`']);
    let value = match quote.and_then(|at| text.get(at + 1..)) {
        Some(rest) => rest.split(['"', '\'', '`']).next()?,
        None => text.split_whitespace().next()?,
    };
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_jekyll_and_hugo_are_paths() {
        let check = |text: &str, expect: &str| {
            assert_eq!(template_path(text).as_deref(), Some(expect), "{text}");
        };
        check("{% link docs/a.md %}#b", "source::docs/a.md#b");
        check("{{ site.baseurl }}{% link a.md %}", "source::a.md");
        check("{% post_url 2024-01-02-hello %}", "/posts/hello");
        check("{{ '/assets/a.css' | relative_url }}", "/assets/a.css");
        check("{{% ref path=\"/docs/a#b\" %}}", "/docs/a#b");
        for text in ["{{ url }}", "${HOST}/a", "{% include a %}", "{{ x | relative_url }}/{{ y }}"]
        {
            assert!(template_path(text).is_none_or(|path| path == "x"), "{text}");
        }
    }
}
