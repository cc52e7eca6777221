//! Destinations in the syntax of site generators, which are not links in
//! CommonMark: template tags with spaces, and directives for images and code.

use std::ops::Range;

use memchr::memmem;
use relink_model::LinkKind;

use crate::safe_slice::SafeSlice as _;

/// Opening and closing text of template tags.
const TAGS: [(&str, &str); 2] = [("{%", "%}"), ("{{", "}}")];
/// Opening and closing tags of highlighted code.
const HIGHLIGHTS: [(&str, &str); 3] = [
    ("{% highlight ", "{% endhighlight"),
    ("{{< highlight ", "{{< /highlight"),
    ("{{< highlight ", "{{</ highlight"),
];
/// Directives of docfx with the attribute `source`.
const SOURCES: [&str; 2] = [":::image", ":::code"];
/// Directives of `MyST` whose argument is an image.
const IMAGES: [&str; 2] = ["{image}", "{figure}"];

/// Whether the text may contain a destination in this syntax.
pub(crate) fn may_occur(text: &str) -> bool {
    let has = |pattern: &str| memmem::find(text.as_bytes(), pattern.as_bytes()).is_some();
    has("{%")
        || has("{{")
        || SOURCES.iter().any(|name| has(name))
        || IMAGES.iter().any(|name| has(name))
}

/// Returns the destinations, with their kinds.
pub(crate) fn destinations(text: &str) -> Vec<(Range<usize>, LinkKind)> {
    let mut found = Vec::new();
    for at in memmem::find_iter(text.as_bytes(), "](") {
        let start = at + "](".len();
        if let Some(length) = template_length(text.slice(start..), ')') {
            found.push((start..start + length, link_kind(text, at)));
        }
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some((range, kind)) = line_destination(line) {
            found.push((start + range.start..start + range.end, kind));
        }
        start += line.len();
    }
    found
}

/// Returns the ranges of code in the highlighting tags of Jekyll and Hugo, in
/// order.
pub(crate) fn highlighted(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (opening, closing) in HIGHLIGHTS {
        let mut from = 0;
        while let Some(at) = memmem::find(text.as_bytes().slice(from..), opening.as_bytes()) {
            let start = from + at;
            let rest = text.as_bytes().slice(start..);
            let Some(length) = memmem::find(rest, closing.as_bytes()) else { break };
            from = start + length;
            found.push(start..from);
        }
    }
    found.sort_by_key(|range| range.start);
    found
}

/// Returns the ranges of the comments of `MyST`, in order: lines that start with `%`.
pub(crate) fn comment_lines(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("% ") {
            found.push(start..start + line.len());
        }
        start += line.len();
    }
    found
}

/// Returns the kind of the link or image whose text ends with the bracket at `closing`.
fn link_kind(text: &str, closing: usize) -> LinkKind {
    let opening = text.slice(..closing).rfind('[').unwrap_or(0);
    let is_image = opening > 0 && text.slice(..opening).ends_with('!');
    if is_image { LinkKind::Embed } else { LinkKind::Hyperlink }
}

/// Returns the length of a destination that starts with a template tag with spaces. The
/// destination ends at the character `end` or at white space. A tag without spaces is a
/// destination of CommonMark, so the result is `None`.
fn template_length(text: &str, end: char) -> Option<usize> {
    let line = text.split('\n').next().unwrap_or_default();
    let mut length = 0;
    while let Some((opening, closing)) =
        TAGS.into_iter().find(|(opening, _)| line.slice(length..).starts_with(opening))
    {
        let inside = line.slice(length + opening.len()..);
        length +=
            opening.len() + memmem::find(inside.as_bytes(), closing.as_bytes())? + closing.len();
    }
    let is_template = length > 0 && line.slice(..length).contains(char::is_whitespace);
    let rest = line.slice(length..);
    let rest_length = rest.find(|letter: char| letter == end || letter.is_whitespace());
    let is_closed = end == '\n' || rest.contains(end);
    (is_template && is_closed).then(|| length + rest_length.unwrap_or(rest.len()))
}

/// Returns the destination of a definition or a directive.
fn line_destination(line: &str) -> Option<(Range<usize>, LinkKind)> {
    let indent = line.len() - line.trim_start().len();
    let content = line.slice(indent..);
    if content.starts_with('[') {
        let at = memmem::find(content.as_bytes(), b"]: ")? + "]: ".len();
        let length = template_length(content.slice(at..).trim_end(), '\n')?;
        return Some((indent + at..indent + at + length, LinkKind::Definition));
    }
    for name in SOURCES {
        if content.starts_with(name) {
            let at = memmem::find(content.as_bytes(), b"source=\"")? + "source=\"".len();
            let length = content.slice(at..).find('"')?;
            return Some((indent + at..indent + at + length, LinkKind::Embed));
        }
    }
    image_argument(content).map(|range| (indent + range.start..indent + range.end, LinkKind::Embed))
}

/// Returns the argument of ```` ```{image} path ```` or `:::{image} path`.
fn image_argument(content: &str) -> Option<Range<usize>> {
    let fence = content.trim_start_matches(['`', ':', '~']);
    let marks = content.len() - fence.len();
    let name = IMAGES.into_iter().find(|name| marks >= 3 && fence.starts_with(name))?;
    let rest = fence.slice(name.len()..);
    let path = rest.trim();
    let start = marks + name.len() + (rest.len() - rest.trim_start().len());
    (!path.is_empty()).then_some(start..start + path.len())
}

/// Returns the ranges of the lists that the program `all-contributors` writes.
pub(crate) fn contributor_lists(text: &str) -> Vec<Range<usize>> {
    let mut lists = Vec::new();
    let mut from = 0;
    while let Some(at) = memmem::find(text.as_bytes().slice(from..), b"ALL-CONTRIBUTORS-LIST:START")
    {
        let start = from + at;
        let end = memmem::find(text.as_bytes().slice(start..), b"ALL-CONTRIBUTORS-LIST:END");
        let Some(length) = end else { break };
        from = start + length;
        lists.push(start..from);
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the destinations of a text.
    #[track_caller]
    fn check(text: &str, expect: &[&str]) {
        let found = destinations(text);
        let found: Vec<&str> = found.iter().map(|(range, _)| text.slice(range.clone())).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn template_tags_with_spaces_are_destinations() {
        check("[a]({% link a.md %}#b) c", &["{% link a.md %}#b"]);
        check("[a]({{ site.baseurl }}{% link a.md %})", &["{{ site.baseurl }}{% link a.md %}"]);
        check("[a]: {{< relref \"b\" >}}\n", &["{{< relref \"b\" >}}"]);
        check("[a]({{x}}/b) [c](d.md) [e]({{ f", &[]);
    }

    #[test]
    fn highlighted_code_ends_with_its_tag() {
        let text = "a {% highlight md %}[b](c){% endhighlight %} {{< highlight go >}}d{{< /highlight >}} e";
        let found = highlighted(text);
        let found: Vec<&str> = found.iter().map(|range| text.slice(range.clone())).collect();
        assert_eq!(found, ["{% highlight md %}[b](c)", "{{< highlight go >}}d"]);
        assert!(highlighted("{% highlight md %}[b](c)").is_empty());
    }

    #[test]
    fn directives_of_images_and_code_are_destinations() {
        check(":::image type=\"content\" source=\"a.png\" alt-text=\"b\":::", &["a.png"]);
        check("  :::code language=\"c\" source=\"~/a.c\":::\n", &["~/a.c"]);
        check(
            "```{image} a/b.png\n:alt: c\n```\n\n:::{figure} d.png\n:::\n",
            &["a/b.png", "d.png"],
        );
    }
}
