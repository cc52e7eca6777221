//! Syntax that includes other files.
//!
//! The headings of included files are anchors of the including document. This
//! module only finds the includes; the caller reads the files.

use std::ops::Range;

use memchr::memmem;

use super::Anchors;
use crate::safe_slice::SafeSlice as _;

/// A file whose anchors are also anchors of the including document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IncludedFile {
    /// A path, relative to the document or to a directory of the site.
    Path(String),
    /// The name of a partial in a directory of the site.
    Partial(String),
    /// The name of a shortcode, whose template may contain headings.
    Shortcode(String),
    /// The path of a component in source code, which may insert a document.
    Component(String),
    /// The name of the layout that contains the document.
    Layout(String),
}

/// Openings of a shortcode, a template macro of the site generator Hugo.
const SHORTCODES: [&str; 2] = ["{{<", "{{%"];
/// Shortcodes embedded in Hugo. None of them generates a heading.
/// See <https://gohugo.io/shortcodes/>.
const EMBEDDED_SHORTCODES: [&str; 15] = [
    "comment",
    "details",
    "figure",
    "gist",
    "highlight",
    "instagram",
    "param",
    "qr",
    "ref",
    "relref",
    "tweet",
    "twitter",
    "vimeo",
    "x",
    "youtube",
];
/// Syntax with a path: opening and closing text.
const PATHS: [(&str, &str); 8] = [
    ("{{#include ", "}}"),
    ("{!", "!}"),
    ("--8<-- \"", "\""),
    ("--8<-- '", "'"),
    ("<!--@include:", "-->"),
    ("<!-- @include:", "-->"),
    ("{% include_relative ", "%}"),
    // Fumadocs
    ("<include>", "</include>"),
];
/// Syntax with the name of a partial, a template fragment that several pages include.
const PARTIALS: [(&str, &str); 4] = [
    ("{% include ", "%}"),
    ("{%- include ", "%}"),
    ("{% render ", "%}"),
    ("{% data reusables", "%}"),
];
/// Opening of an include of docfx, in lower case.
const DOCFX_INCLUDE: &str = "[!include";

/// Adds the files that a text includes outside of the sorted ranges `code`.
pub(super) fn add_includes(text: &str, code: &[Range<usize>], anchors: &mut Anchors) {
    for (opening, closing) in PATHS {
        for argument in arguments(text, code, opening, closing) {
            anchors.include(IncludedFile::Path(path_of(argument)));
        }
    }
    for (opening, closing) in PARTIALS {
        for argument in arguments(text, code, opening, closing) {
            anchors.include(IncludedFile::Partial(partial_of(opening, argument)));
        }
    }
    for opening in SHORTCODES {
        for argument in arguments(text, code, opening, "}}") {
            let name = shortcode_name(argument);
            if !name.is_empty() && !EMBEDDED_SHORTCODES.contains(&name) {
                if let Some(path) = quoted_document(argument) {
                    anchors.include(IncludedFile::Path(path.to_owned()));
                }
                anchors.include(IncludedFile::Shortcode(name.to_owned()));
                add_argument_id(argument, anchors);
            }
        }
    }
    add_docfx_includes(text, code, anchors);
    add_lines(text, code, anchors);
}

/// Adds the partials that tags of a template include.
pub(super) fn add_tags(text: &str, anchors: &mut Anchors) {
    for (opening, closing) in PARTIALS {
        for argument in arguments(text, &[], opening, closing) {
            anchors.include(IncludedFile::Partial(partial_of(opening, argument)));
        }
    }
}

/// Returns the texts between the delimiters in one line, outside of code.
fn arguments<'t>(
    text: &'t str,
    code: &'t [Range<usize>],
    opening: &'static str,
    closing: &'static str,
) -> impl Iterator<Item = &'t str> {
    memmem::find_iter(text.as_bytes(), opening).filter_map(move |at| {
        let rest = text.slice(at + opening.len()..);
        let line = rest.split('\n').next().unwrap_or_default();
        (!is_within(at, code)).then(|| line.split(closing).next().unwrap_or_default())
    })
}

/// Returns the path of `path:anchor`, without quotes and options.
fn path_of(argument: &str) -> String {
    let path = argument.trim().trim_matches(['"', '\'']);
    let path = path.split([' ', '{']).next().unwrap_or_default();
    // A colon after a drive letter is part of the path.
    let colon = path.match_indices(':').map(|(at, _)| at).find(|at| *at > 1);
    let colon = colon.unwrap_or(path.len());
    path.slice(..colon).to_owned()
}

/// Returns the name of a partial: `note.html` or `reusables/a/b.md`.
fn partial_of(opening: &str, argument: &str) -> String {
    let argument = argument.trim();
    let name = argument.split_whitespace().next().unwrap_or_default();
    if opening.ends_with("reusables") {
        return format!("reusables{}.md", name.replace('.', "/"));
    }
    name.trim_matches(['"', '\'', ',']).to_owned()
}

/// Returns the name of `{{< name arguments >}}`. The name is empty for a closing
/// shortcode, and for `{{</* name */>}}`, which shows the source of a shortcode.
fn shortcode_name(shortcode: &str) -> &str {
    let name = shortcode.trim_start();
    let length = name.find(|character: char| {
        !character.is_ascii_alphanumeric() && !matches!(character, '-' | '_' | '.' | '/')
    });
    let name = name.slice(..length.unwrap_or(name.len()));
    if name.starts_with('/') { "" } else { name }
}

/// Adds the argument `id` of a shortcode. Its template may add a prefix to it.
fn add_argument_id(shortcode: &str, anchors: &mut Anchors) {
    let value = shortcode.split(" id=").nth(1).map(|rest| rest.trim_start_matches(['"', '`']));
    let id = value.and_then(|value| value.split(['"', '`', ' ']).next()).unwrap_or_default();
    if !id.is_empty() {
        anchors.add(id);
        anchors.add_pattern(String::new(), format!("-{id}"));
    }
}

/// Returns the first argument of a shortcode if it is the path of a Markdown
/// document, as in `{{% include "part.md" %}}`.
fn quoted_document(shortcode: &str) -> Option<&str> {
    let mut parts = shortcode.split(['"', '`']);
    let path = parts.nth(1)?.trim();
    let is_document = std::path::Path::new(path).extension().is_some_and(|name| name == "md");
    (is_document && !path.contains("://")).then_some(path)
}

/// Adds the files of `[!INCLUDE [title](path)]`.
fn add_docfx_includes(text: &str, code: &[Range<usize>], anchors: &mut Anchors) {
    let lower = text.to_ascii_lowercase();
    for at in memmem::find_iter(lower.as_bytes(), DOCFX_INCLUDE) {
        let rest = text.slice(at..).split('\n').next().unwrap_or_default();
        let path = rest.split_once("](").and_then(|(_, path)| path.split(')').next());
        if let Some(path) = path.filter(|_| !is_within(at, code)) {
            anchors.include(IncludedFile::Path(path.trim().trim_matches(['<', '>']).to_owned()));
        }
    }
}

/// Adds the includes that take a whole line.
fn add_lines(text: &str, code: &[Range<usize>], anchors: &mut Anchors) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, trimmed) = (at, line.trim());
        at += line.len();
        if !trimmed.starts_with([':', '-']) || is_within(start, code) {
            continue;
        }
        let inside = trimmed.trim_start_matches(':').trim_start();
        if let Some(path) = inside.strip_prefix("{include}").filter(|_| trimmed.starts_with(":::"))
        {
            anchors.include(IncludedFile::Path(path.trim().to_owned()));
        }
        // `::: package.module` inserts documentation of source code.
        let is_object = trimmed.starts_with("::: ") && inside.contains(['.', '_'])
            || trimmed.starts_with(":::") && inside.starts_with("{auto");
        anchors.has_objects |= is_object;
        anchors.may_have_more |= trimmed == "--8<--" || inside.starts_with("mkdocs-");
    }
}

/// Adds the include of a fence such as ```` ```{include} path ````.
pub(super) fn add_fence(info: &str, anchors: &mut Anchors) {
    let info = info.trim();
    if let Some(path) = info.strip_prefix("{include}") {
        anchors.include(IncludedFile::Path(path.trim().to_owned()));
    }
    // `{ .python #example }` (Python-Markdown)
    let list = info.split_once('{').and_then(|(_, rest)| rest.strip_suffix('}'));
    for id in list.into_iter().flat_map(str::split_whitespace) {
        if let Some(id) = id.strip_prefix('#') {
            anchors.add(id);
        }
    }
    let generated = ["{auto", "{doxygen", "{autodoc", "{click", "{argparse", "{program"];
    anchors.may_have_more |= generated.iter().any(|name| info.starts_with(name));
}

/// Whether a position is within one of the sorted ranges `parts`.
fn is_within(at: usize, parts: &[Range<usize>]) -> bool {
    let next = parts.partition_point(|part| part.end <= at);
    parts.get(next).is_some_and(|part| part.start <= at)
}

/// Whether the text contains the pattern.
pub(super) fn contains(text: &str, pattern: &str) -> bool {
    memmem::find(text.as_bytes(), pattern.as_bytes()).is_some()
}
