//! Markdown: CommonMark with GitHub's extensions, and the HTML inside it.
//!
//! The parser tells where a whole link stands; where in it the destination
//! stands is worked out in [`destination`]. Bare addresses are no CommonMark,
//! so running text is searched for them here. Code, comments and front matter
//! hold no links.

mod destination;
mod front_matter;

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::{memchr, memmem};
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};
use relink_model::PlaceKind;

use crate::bare::{http_addresses, www_addresses};
use crate::found::{Extractor, Found, Notation};
use crate::html::each_destination;

/// Reads the links of Markdown.
pub(crate) struct Markdown;

impl Extractor for Markdown {
    fn extract(&self, text: &str, found: &mut Found<'_>) {
        let start = front_matter::length(text);
        let body = &text[start..];
        if !may_hold_links(body) {
            return;
        }
        for mention in mentions(body) {
            let range = start + mention.range.start..start + mention.range.end;
            found.link(range, mention.kind, mention.notation);
        }
    }
}

/// A destination found, to be sorted into document order.
struct Mention {
    range: Range<usize>,
    kind: PlaceKind,
    notation: Notation,
}

/// Whether the text has any of the signs without which there is no link. Most
/// files of a tree have none, and parsing is what costs.
fn may_hold_links(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr(b'<', bytes).is_some()
        || memmem::find(bytes, b"](").is_some()
        || has_bare(text)
        || memmem::find(bytes, b"]:").is_some()
}

fn has_bare(text: &str) -> bool {
    let bytes = text.as_bytes();
    memmem::find(bytes, b"://").is_some() || memmem::find(bytes, b"www.").is_some()
}

fn mentions(text: &str) -> Vec<Mention> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let mut reader = Reader::new(text);
    let mut events = Parser::new_ext(text, options).into_offset_iter();
    while let Some((event, range)) = events.next() {
        if let Event::Start(Tag::Link { id, link_type, .. } | Tag::Image { id, link_type, .. }) =
            &event
            && is_reference(*link_type)
            && let Some(definition) = events.reference_definitions().get(id)
        {
            reader.refer_to(definition.span.clone(), &definition.dest);
        }
        reader.read(event, range);
    }
    reader.finish()
}

fn is_reference(link_type: LinkType) -> bool {
    matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut)
}

/// A link or image whose end has not come yet.
struct Open {
    range: Range<usize>,
    /// Where what is inside it ends, as far as seen.
    inside_end: usize,
    kind: PlaceKind,
    /// The destination, where it is written inside the link itself.
    inline: Option<String>,
}

/// Goes through the parser's events and notes destinations.
struct Reader<'t> {
    text: &'t str,
    has_bare: bool,
    mentions: Vec<Mention>,
    /// The definitions referred to, by place: the whole definition's range and
    /// its destination.
    definitions: BTreeMap<usize, (Range<usize>, String)>,
    open: Vec<Open>,
    /// The lines of the HTML block being read.
    html_block: Option<Vec<Range<usize>>>,
    is_code: bool,
    /// Running text within one line; emphasis does not end it.
    run: Option<Range<usize>>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            has_bare: has_bare(text),
            mentions: Vec::new(),
            definitions: BTreeMap::new(),
            open: Vec::new(),
            html_block: None,
            is_code: false,
            run: None,
        }
    }

    fn refer_to(&mut self, definition: Range<usize>, dest: &str) {
        self.definitions.entry(definition.start).or_insert_with(|| (definition, dest.to_owned()));
    }

    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        if !goes_on_with_text(&event) {
            self.end_run();
        }
        let is_own_end = matches!(event, Event::End(TagEnd::Link | TagEnd::Image));
        if let Some(open) = self.open.last_mut().filter(|_| !is_own_end) {
            open.inside_end = open.inside_end.max(range.end);
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(_) => self.running_text(range),
            Event::Html(_) => {
                self.html_block.iter_mut().for_each(|lines| lines.push(range.clone()));
            }
            Event::InlineHtml(html) => self.inline_html(&html, range),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Link { link_type, dest_url, .. } => {
                self.open_link(PlaceKind::Link, link_type, dest_url, range);
            }
            Tag::Image { link_type, dest_url, .. } => {
                self.open_link(PlaceKind::Embed, link_type, dest_url, range);
            }
            Tag::HtmlBlock => self.html_block = Some(Vec::new()),
            Tag::CodeBlock(_) => self.is_code = true,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link | TagEnd::Image => self.close_link(),
            TagEnd::HtmlBlock => self.end_html_block(),
            TagEnd::CodeBlock => self.is_code = false,
            _ => {}
        }
    }

    fn open_link(
        &mut self,
        kind: PlaceKind,
        link_type: LinkType,
        dest: CowStr<'_>,
        range: Range<usize>,
    ) {
        let is_inline = link_type == LinkType::Inline;
        let dest = dest.into_string();
        if link_type == LinkType::Autolink {
            // Without its angle brackets.
            let inside = range.start + 1..range.end - 1;
            self.note(inside, PlaceKind::Autolink, Notation::Means(dest.clone()));
        }
        self.open.push(Open {
            inside_end: range.start,
            range,
            kind,
            inline: is_inline.then_some(dest),
        });
    }

    fn close_link(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        let Some(dest) = open.inline else {
            return;
        };
        let range = destination::of_inline(self.text, open.inside_end, &open.range)
            .or_else(|| destination::by_text(self.text, &open.range, &dest));
        if let Some(range) = range {
            self.note(range, open.kind, Notation::Means(dest));
        }
    }

    fn running_text(&mut self, range: Range<usize>) {
        if !self.has_bare || self.is_code || !self.open.is_empty() {
            return;
        }
        match &mut self.run {
            Some(run) => run.end = range.end,
            None => self.run = Some(range),
        }
    }

    fn end_run(&mut self) {
        let Some(run) = self.run.take() else {
            return;
        };
        let text = self.text;
        let http: Vec<_> = http_addresses(text, run.clone()).collect();
        for www in www_addresses(text, run) {
            let next = http.partition_point(|range| range.end <= www.start);
            if http.get(next).is_none_or(|range| range.start > www.start) {
                let means = htmlize::unescape(&text[www.clone()]);
                let means = Notation::Means(format!("http://{means}"));
                self.note(www, PlaceKind::Bare, means);
            }
        }
        for range in http {
            self.note(range, PlaceKind::Bare, Notation::Html);
        }
    }

    fn inline_html(&mut self, html: &str, range: Range<usize>) {
        let written = &self.text[range.clone()];
        if written == html {
            self.html(range.start, written);
        } else {
            self.html(range.start, &without_marks(written));
        }
    }

    /// Notes the destinations of HTML that stands at `offset`.
    fn html(&mut self, offset: usize, html: &str) {
        let mentions = &mut self.mentions;
        each_destination(html, &mut |range, kind| {
            mentions.push(Mention {
                range: offset + range.start..offset + range.end,
                kind,
                notation: Notation::Html,
            });
        });
    }

    fn end_html_block(&mut self) {
        let lines = self.html_block.take().unwrap_or_default();
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
            return;
        };
        let block = first.start..last.end;
        if lines.windows(2).all(|pair| pair[0].end == pair[1].start) {
            self.html(block.start, &self.text[block]);
        } else {
            let html = only_lines(self.text, block.clone(), &lines);
            self.html(block.start, &html);
        }
    }

    fn note(&mut self, range: Range<usize>, kind: PlaceKind, notation: Notation) {
        self.mentions.push(Mention { range, kind, notation });
    }

    fn finish(mut self) -> Vec<Mention> {
        self.end_run();
        for (whole, dest) in std::mem::take(&mut self.definitions).into_values() {
            let range = destination::of_definition(self.text, &whole)
                .or_else(|| destination::by_text(self.text, &whole, &dest));
            if let Some(range) = range {
                self.note(range, PlaceKind::Definition, Notation::Means(dest));
            }
        }
        self.mentions.sort_by_key(|mention| mention.range.start);
        self.mentions
    }
}

/// Whether a bare address may go on past this event. `https://a.test/*b*` is
/// one address, whatever the asterisks would mean elsewhere.
fn goes_on_with_text(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Text(_)
            | Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough)
    )
}

/// The block with everything blank that is not of these lines, such as the
/// `>` of a quotation, so that places stay where they are.
fn only_lines(text: &str, block: Range<usize>, lines: &[Range<usize>]) -> String {
    let mut html = String::with_capacity(block.len());
    for line in lines {
        let gap = line.start.saturating_sub(block.start + html.len());
        html.extend(std::iter::repeat_n(' ', gap));
        html.push_str(&text[line.clone()]);
    }
    html
}

/// A tag over several lines of a quotation, its marks blank.
fn without_marks(html: &str) -> String {
    let mut is_line_start = false;
    html.chars()
        .map(|character| {
            let is_mark = is_line_start && character == '>';
            is_line_start =
                character == '\n' || (is_line_start && matches!(character, ' ' | '\t' | '>'));
            if is_mark { ' ' } else { character }
        })
        .collect()
}

#[cfg(test)]
mod tests;
