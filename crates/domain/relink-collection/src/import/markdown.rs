//! Markdown: headings and list items without a link are folders, links are
//! entries, and the text after a link is its annotation.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream};
use relink_page::http_urls;

use crate::outline::{OutlineBuilder, OutlineEntry};

/// The state of an open list item.
#[derive(Debug, Default)]
struct Item {
    /// The text before the nested list.
    text: String,
    /// Whether it contains a link.
    has_link: bool,
    /// Whether it is open as a folder.
    is_folder: bool,
}

/// Reads a Markdown document.
pub(super) fn read(text: &str, builder: &mut OutlineBuilder) {
    let mut reader = Reader {
        builder,
        heading: None,
        link: None,
        items: Vec::new(),
        paragraph: None,
        annotation: String::new(),
    };
    let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS | Options::ENABLE_TABLES;
    // `TextMergeStream` joins texts, because the parser splits a URL at `_` and `&`.
    for event in TextMergeStream::new(Parser::new_ext(text, options)) {
        reader.read_event(event);
    }
}

struct Reader<'b> {
    builder: &'b mut OutlineBuilder,
    heading: Option<(HeadingLevel, String)>,
    link: Option<OutlineEntry>,
    items: Vec<Item>,
    /// The text of a paragraph outside of lists, and whether it has a link.
    paragraph: Option<(String, bool)>,
    /// The text after the last link.
    annotation: String,
}

impl Reader<'_> {
    fn read_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.read_start_tag(tag),
            Event::End(tag) => self.read_end_tag(tag),
            Event::Text(text) => self.read_text(&text),
            Event::Code(text) => self.push_text(&text),
            Event::SoftBreak | Event::HardBreak => self.push_text(" "),
            _ => {}
        }
    }

    fn read_start_tag(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.heading = Some((level, String::new())),
            // A row of a table is one link with the text of the other cells.
            Tag::Paragraph | Tag::TableRow if self.items.is_empty() => {
                self.paragraph = Some((String::new(), false));
            }
            Tag::TableCell => self.push_text(" "),
            Tag::List(_) => self.open_item_as_folder(),
            Tag::Item => self.items.push(Item::default()),
            Tag::Link { dest_url, .. } => {
                let url = dest_url.into_string();
                self.link = Some(OutlineEntry { url, ..Default::default() });
            }
            _ => {}
        }
    }

    fn read_end_tag(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => self.finish_heading(),
            TagEnd::Paragraph | TagEnd::TableRow => self.finish_paragraph(),
            TagEnd::Link => self.finish_link(),
            TagEnd::Item => self.finish_item(),
            _ => {}
        }
    }

    /// Adds the text after the last link as its annotation.
    fn finish_annotation(&mut self) {
        let text = std::mem::take(&mut self.annotation);
        self.builder.annotate(without_separator(&text));
    }

    fn finish_item(&mut self) {
        self.finish_annotation();
        if self.items.pop().is_some_and(|item| item.is_folder) {
            self.builder.close();
        }
    }

    /// Reads text with bare URLs, which are links without a title.
    fn read_text(&mut self, text: &str) {
        let mut rest_start = 0;
        let is_linked = self.link.is_some();
        for range in http_urls(text, 0..text.len()).filter(|_| !is_linked) {
            self.push_text(text.get(rest_start..range.start).unwrap_or_default());
            let url = text.get(range.clone()).unwrap_or_default().to_owned();
            self.link = Some(OutlineEntry { url, ..Default::default() });
            self.finish_link();
            rest_start = range.end;
        }
        self.push_text(text.get(rest_start..).unwrap_or_default());
    }

    fn push_text(&mut self, text: &str) {
        if let Some(link) = &mut self.link {
            link.title.push_str(text);
        } else if let Some((_, heading)) = &mut self.heading {
            heading.push_str(text);
        } else if let Some(item) = self.items.last_mut() {
            if item.has_link {
                self.annotation.push_str(text);
            } else {
                item.text.push_str(text);
            }
        } else if let Some((paragraph, has_link)) = &mut self.paragraph {
            if *has_link {
                self.annotation.push_str(text);
            } else {
                paragraph.push_str(text);
            }
        }
    }

    fn finish_heading(&mut self) {
        let Some((level, title)) = self.heading.take() else { return };
        match level {
            HeadingLevel::H1 => self.builder.set_title(&title),
            HeadingLevel::H2 => self.builder.open_at(0, &title),
            HeadingLevel::H3 => self.builder.open_at(1, &title),
            HeadingLevel::H4 => self.builder.open_at(2, &title),
            HeadingLevel::H5 => self.builder.open_at(3, &title),
            HeadingLevel::H6 => self.builder.open_at(4, &title),
        }
    }

    /// A paragraph without links describes the folder.
    fn finish_paragraph(&mut self) {
        self.finish_annotation();
        if let Some((text, false)) = self.paragraph.take() {
            self.builder.describe(&text);
        }
    }

    fn finish_link(&mut self) {
        let Some(mut link) = self.link.take() else { return };
        self.finish_annotation();
        if let Some((_, heading)) = &mut self.heading {
            // A heading with a link is a folder with that title.
            heading.push_str(&link.title);
        }
        if let Some(item) = self.items.last_mut() {
            if !item.has_link {
                link.annotation = std::mem::take(&mut item.text);
            }
            item.has_link = true;
        }
        if let Some((paragraph, has_link)) = &mut self.paragraph {
            if !*has_link {
                link.annotation = std::mem::take(paragraph);
            }
            *has_link = true;
        }
        self.builder.add(link);
    }

    /// Opens the item around a nested list as a folder, if it has text but no link.
    fn open_item_as_folder(&mut self) {
        self.finish_annotation();
        let Some(item) = self.items.last_mut() else { return };
        if !item.has_link && !item.is_folder && !item.text.trim().is_empty() {
            item.is_folder = true;
            self.builder.open(&item.text);
        }
    }
}

/// Removes the separator between a link and its annotation.
fn without_separator(text: &str) -> &str {
    text.trim_start_matches([' ', ':', '-', '–', '—', '·'])
}

#[cfg(test)]
mod tests {
    use crate::{ImportFormat, read_outline};

    #[test]
    fn headings_and_items_without_links_are_folders() {
        let text = "# Reading\nPages about birds.\n\n## Owls\nNight birds.\n\n\
            - [Snowy](http://a.test/1) — white *bird*\n- See also [Barn](http://a.test/2)\n\
            - Books\n  - [One](http://a.test/3)\n- [Last](http://a.test/4)\n\n\
            ### Small\n1. <http://a.test/5>\n\n## Hawks\n[Red](http://a.test/6)\n";
        let outline = read_outline(ImportFormat::Markdown, text);
        assert_eq!(outline.title.as_deref(), Some("Reading"));
        let paths: Vec<_> = outline.folders.iter().map(|folder| folder.path.join("/")).collect();
        assert_eq!(paths, ["", "Owls", "Owls/Books", "Owls/Small", "Hawks"]);
        assert_eq!(outline.folders[0].description, "Pages about birds.");
        let owls = &outline.folders[1];
        assert_eq!(owls.description, "Night birds.");
        let entries: Vec<_> = owls
            .entries
            .iter()
            .map(|entry| (entry.title.as_str(), entry.annotation.as_str()))
            .collect();
        assert_eq!(entries, [("Snowy", "white bird"), ("Barn", "See also"), ("Last", "")]);
    }

    #[test]
    fn bare_urls_and_rows_of_tables_are_entries() {
        let text = "# Art\n\n- http://a.test/monet_1.html\n- https://a.test/2?x=1&y=2 a note\n\n\
            See https://a.test/3 first.\n\n| Page | Note |\n|---|---|\n\
            | [Four](http://a.test/4) | painted in 1874 |\n| http://a.test/5 | late work |\n";
        let outline = read_outline(ImportFormat::Markdown, text);
        let entries = outline.folders.iter().flat_map(|folder| &folder.entries);
        let entries: Vec<_> =
            entries.map(|entry| (entry.url.as_str(), entry.annotation.trim())).collect();
        let expected = [
            ("http://a.test/monet_1.html", ""),
            ("https://a.test/2?x=1&y=2", "a note"),
            ("https://a.test/3", "See first."),
            ("http://a.test/4", "painted in 1874"),
            ("http://a.test/5", "late work"),
        ];
        assert_eq!(entries, expected);
    }

    #[test]
    fn relative_links_are_skipped() {
        let outline = read_outline(ImportFormat::Markdown, "- [a](b.md)\n- [c](http://a.test/)");
        assert_eq!((outline.len(), outline.skipped), (1, 1));
    }
}
