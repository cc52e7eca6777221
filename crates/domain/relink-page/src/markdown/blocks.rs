//! The blocks of a Markdown document, and of HTML in the document.

use crate::safe_slice::SafeSlice as _;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{admonitions_to_lists, front_matter, neutralize_brackets, options};
use crate::blocks::{BlockBuilder, BlockKind, InlineMarkKind};
use crate::html;

/// Front matter settings that are visible to readers, and their role.
const VISIBLE_SETTINGS: [(&str, BlockKind); 4] = [
    ("title", BlockKind::Title),
    ("description", BlockKind::Paragraph),
    ("summary", BlockKind::Paragraph),
    ("abstract", BlockKind::Paragraph),
];

/// Parses the blocks of a document.
pub(crate) fn read_blocks(text: &str, builder: &mut BlockBuilder) {
    let start = front_matter::length(text);
    read_settings(text.slice(..start), builder);
    let body = neutralize_brackets(admonitions_to_lists(text.slice(start..)));
    let mut parser =
        MarkdownBlockParser { builder, html: String::new(), items: 0, quotes: 0, images: 0 };
    for event in Parser::new_ext(&body, options(&body)) {
        parser.read_event(event);
    }
    parser.end_html();
    parser.builder.end();
}

/// Adds the visible settings of the front matter.
fn read_settings(settings: &str, builder: &mut BlockBuilder) {
    let mut is_visible = false;
    for line in settings.lines() {
        // An indented line continues the previous setting.
        if line.starts_with([' ', '\t']) {
            if is_visible {
                builder.space();
                builder.push(line.trim());
            }
            continue;
        }
        let setting = line.split_once([':', '=']);
        let visible_setting = setting.and_then(|(name, value)| {
            let (_, kind) = VISIBLE_SETTINGS.iter().find(|(known, _)| *known == name.trim())?;
            Some((*kind, value))
        });
        is_visible = visible_setting.is_some();
        if let Some((kind, value)) = visible_setting {
            builder.begin_content(kind);
            builder.push(value.trim().trim_matches(['"', '\'', '|', '>']));
        }
    }
    builder.begin_content(BlockKind::Paragraph);
}

/// Tracks the open list items and quotations while the events of a document are read.
struct MarkdownBlockParser<'b> {
    builder: &'b mut BlockBuilder,
    /// The current HTML block. The parser reports it line by line.
    html: String,
    /// Number of open list items.
    items: usize,
    /// Number of open quotations.
    quotes: usize,
    /// Number of open images.
    images: usize,
}

impl MarkdownBlockParser<'_> {
    fn read_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(&tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) => self.builder.push(&text),
            Event::Code(text) => {
                self.builder.mark(InlineMarkKind::Tag);
                self.builder.push(&text);
                self.builder.mark(InlineMarkKind::Tag);
            }
            Event::Html(html) => self.html.push_str(&html),
            Event::InlineHtml(html) => self.read_inline_html(&html),
            Event::SoftBreak | Event::HardBreak => self.builder.space(),
            Event::Rule => self.begin(BlockKind::Paragraph),
            _ => {}
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.begin(BlockKind::Heading),
            Tag::CodeBlock(_) => self.begin(BlockKind::Code),
            Tag::TableCell => self.begin(BlockKind::TableCell),
            Tag::Item => {
                self.items += 1;
                self.begin(BlockKind::ListItem);
            }
            Tag::BlockQuote(_) => {
                self.quotes += 1;
                self.begin(BlockKind::Quote);
            }
            Tag::Paragraph | Tag::FootnoteDefinition(_) => self.begin(BlockKind::Paragraph),
            Tag::Link { dest_url, .. } => self.builder.link(dest_url),
            Tag::Image { .. } => self.images += 1,
            Tag::Emphasis | Tag::Strong => self.builder.mark(InlineMarkKind::EmphasisStart),
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::HtmlBlock => self.end_html(),
            TagEnd::Item => {
                self.items = self.items.saturating_sub(1);
                self.begin(BlockKind::Paragraph);
            }
            TagEnd::BlockQuote(_) => {
                self.quotes = self.quotes.saturating_sub(1);
                self.begin(BlockKind::Paragraph);
            }
            TagEnd::Emphasis | TagEnd::Strong => self.builder.mark(InlineMarkKind::EmphasisEnd),
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::TableCell | TagEnd::Paragraph => {
                self.begin(BlockKind::Paragraph);
            }
            _ => {}
        }
    }

    /// Begins a block. A paragraph inside of a list item or quotation gets the kind of
    /// the list item or quotation.
    fn begin(&mut self, kind: BlockKind) {
        let kind = match kind {
            BlockKind::Paragraph if self.items > 0 => BlockKind::ListItem,
            BlockKind::Paragraph if self.quotes > 0 => BlockKind::Quote,
            kind => kind,
        };
        self.builder.begin_content(kind);
    }

    /// Reads an inline tag, which has no text itself.
    fn read_inline_html(&mut self, tag: &str) {
        if tag.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("<br")) {
            self.builder.space();
        }
        if tag.as_bytes().get(1).is_some_and(|first| first.eq_ignore_ascii_case(&b'a')) {
            html::for_each_href(tag, &mut |url| self.builder.link(url));
        }
    }

    fn end_html(&mut self) {
        let html = std::mem::take(&mut self.html);
        if !html.is_empty() {
            html::read_blocks(&html, self.builder);
        }
        self.begin(BlockKind::Paragraph);
    }
}
