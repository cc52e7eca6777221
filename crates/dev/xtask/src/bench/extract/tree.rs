//! Generates directory trees of documents with a known number of links.

use std::fmt::{self, Write as _};
use std::path::Path;

use crate::XtaskError;

/// Files per directory.
const FILES_PER_DIRECTORY: usize = 100;

/// Words of the text.
const WORDS: [&str; 16] = [
    "links",
    "the",
    "of",
    "archive",
    "page",
    "and",
    "server",
    "moved",
    "a",
    "reference",
    "to",
    "documentation",
    "in",
    "years",
    "is",
    "library",
];

/// The format of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeFormat {
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
}

impl fmt::Display for TreeFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
        })
    }
}

/// Writes a tree and returns its number of links.
pub(super) fn write(root: &Path, format: TreeFormat, files: usize) -> Result<usize, XtaskError> {
    let mut links = 0;
    for number in 0..files {
        let folder = root.join(format!("d{}", number / FILES_PER_DIRECTORY));
        if number.is_multiple_of(FILES_PER_DIRECTORY) {
            std::fs::create_dir_all(&folder).map_err(|error| XtaskError::io(&folder, &error))?;
        }
        let (name, text, link_count) = match format {
            TreeFormat::Markdown => generate_file(number, "md", write_markdown),
            TreeFormat::Html => generate_file(number, "html", write_html),
        };
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| XtaskError::io(&path, &error))?;
        links += link_count;
    }
    Ok(links)
}

/// Returns the name of a file, its text and its number of links.
fn generate_file(
    number: usize,
    extension: &str,
    write: fn(&mut String, usize) -> usize,
) -> (String, String, usize) {
    let mut text = String::new();
    let links = write(&mut text, number);
    (format!("f{number}.{extension}"), text, links)
}

/// Adds words that are derived from a number.
fn push_words(text: &mut String, seed: usize, count: usize) {
    for index in 0..count {
        let word = WORDS[(seed * 7 + index * index + 3 * index) % WORDS.len()];
        text.push_str(word);
        text.push(if index % 13 == 12 { '\n' } else { ' ' });
    }
}

/// Writes a page of Markdown and returns its number of links.
fn write_markdown(text: &mut String, number: usize) -> usize {
    let sections = 4 + number % 9;
    for section in 0..sections {
        let seed = number * 31 + section;
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## Section {section} of *page* {number}\n\n");
        push_words(text, seed, 90);
        let _ = writeln!(text, "[a page](https://host{}.test/p/{seed}) `code`.", seed % 97);
        let _ = write!(text, "\n- **item** with [a file](../d{}/f{seed}.md#part)\n- ", seed % 7);
        push_words(text, seed + 1, 40);
        text.push_str("\n\n```sh\n");
        push_words(text, seed + 2, 30);
        text.push_str("\n```\n\n| a | b |\n|---|---|\n| c | *d* |\n\n");
        push_words(text, seed + 3, 60);
        let _ = writeln!(text, "https://bare{}.test/{seed}", seed % 89);
    }
    3 * sections
}

/// Writes a page of HTML and returns its number of links.
fn write_html(text: &mut String, number: usize) -> usize {
    let sections = 4 + number % 9;
    text.push_str("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    let _ =
        write!(text, "<title>Page {number}</title>\n<link rel=\"stylesheet\" href=\"/s.css\">\n");
    text.push_str("</head><body><main class=\"page\">\n");
    for section in 0..sections {
        let seed = number * 31 + section;
        let _ = write!(text, "<section id=\"s{section}\"><h2>Section {section}</h2>\n<p>");
        push_words(text, seed, 90);
        let _ = write!(
            text,
            "<a class=\"ext\" href=\"https://host{}.test/?a={seed}&amp;b=1\">",
            seed % 97
        );
        text.push_str("a <em>page</em></a></p>\n<ul><li>");
        push_words(text, seed + 1, 40);
        let file = format!("../d{}/f{seed}.html#part", seed % 7);
        let _ = writeln!(text, "</li><li><a href=\"{file}\">file</a></li></ul>");
        text.push_str("<pre><code>");
        push_words(text, seed + 2, 30);
        let _ = write!(text, "</code></pre><img src=\"i/{seed}.png\" alt=\"\">\n<p>");
        push_words(text, seed + 3, 60);
        text.push_str("</p></section>\n");
    }
    text.push_str("</main></body></html>\n");
    1 + 3 * sections
}
