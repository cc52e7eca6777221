//! Markdown: CommonMark with GitHub's extensions, and the HTML inside it.
//!
//! The parser tells where a whole link stands; where in it the destination
//! stands is worked out in [`destination`]. Bare addresses and pages in double
//! brackets are no CommonMark, so running text is searched for them here. What
//! other dialects add has a module each. Addresses in code and comments are
//! told as passed over.

mod admonition;
mod ahead;
mod blocks;
mod bracket_limit;
mod destination;
pub(crate) mod front_matter;
mod include;
mod mdx;
mod repeated;

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::{memchr, memmem};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use relink_model::{LinkKind, SkipReason};

use self::ahead::NextOccurrence;
use self::repeated::Repeated;
pub(crate) use admonition::as_lists;
pub(crate) use blocks::read_blocks;
pub(crate) use bracket_limit::neutralize_brackets;

use crate::bare::{http_addresses, www_addresses};
use crate::cut::Cut as _;
use crate::html::each_destination;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};

/// Reads the links of Markdown.
pub(crate) struct Markdown;

impl Extractor for Markdown {
    fn extract(&self, text: &str, found: &mut LinkSink<'_>) {
        let start = front_matter::length(text);
        if start > 0 {
            let mut mentions = LinkCandidates::new(text);
            front_matter::read(text, start, &mut mentions);
            mentions.report(0, found);
        }
        let body = text.cut(start..);
        if may_hold_links(body) {
            let body = neutralize_brackets(as_lists(body));
            mentions(&body).report(start, found);
        }
    }
}

/// Whether the text has any of the signs without which there is no link. Most
/// files of a tree have none, and parsing is what costs.
fn may_hold_links(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr(b'<', bytes).is_some()
        || memmem::find(bytes, b"](").is_some()
        || has_bare(text)
        || memmem::find(bytes, b"]:").is_some()
        || has_pages(text)
        || memmem::find(bytes, b"{{#").is_some()
        || has_module_code(text)
}

/// Whether there may be an import; they stand at the start of a file.
fn has_module_code(text: &str) -> bool {
    text.trim_start().starts_with("import ")
        || memmem::find(text.as_bytes(), b"\nimport ").is_some()
}

fn has_pages(text: &str) -> bool {
    let bytes = text.as_bytes();
    memmem::find(bytes, b"[[").is_some() && memmem::find(bytes, b"]]").is_some()
}

fn has_bare(text: &str) -> bool {
    let bytes = text.as_bytes();
    memmem::find(bytes, b"://").is_some() || memmem::find(bytes, b"www.").is_some()
}

fn mentions(text: &str) -> LinkCandidates<'_> {
    let mut reader = MarkdownParser::new(text);
    let mut repeated = Repeated::new(text);
    let mut events = Parser::new_ext(text, options(text)).into_offset_iter();
    while let Some((event, range)) = events.next() {
        repeated.pass(&event, &range);
        if let Event::Start(Tag::Link { id, link_type, .. } | Tag::Image { id, link_type, .. }) =
            &event
            && is_reference(*link_type)
            && let Some(definition) = events.reference_definitions().get(id)
        {
            reader.refer_to(definition.span.clone(), &definition.dest);
        }
        reader.read(&event, range);
    }
    for (_, definition) in events.reference_definitions().iter() {
        reader.define(definition.span.clone(), &definition.dest);
    }
    let known = events.reference_definitions().iter().map(|(_, known)| known.span.clone());
    for whole in repeated.finish(known.collect()) {
        reader.define_again(&whole);
    }
    reader.finish()
}

/// The dialect, without what the text has no sign of.
fn options(text: &str) -> Options {
    let options = Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let has_tables = memchr(b'|', text.as_bytes()).is_some();
    if has_tables { options | Options::ENABLE_TABLES } else { options }
}

fn is_reference(link_type: LinkType) -> bool {
    matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut)
}

/// A link or image whose end has not come yet.
struct Open {
    range: Range<usize>,
    /// Where what is inside it ends, as far as seen.
    inside_end: usize,
    kind: LinkKind,
    /// The destination, where it is written inside the link itself.
    inline: Option<String>,
}

/// What is in a text at all, so that nobody looks for what is not.
struct MarkerPresence<'t> {
    http: NextOccurrence<'t>,
    www: NextOccurrence<'t>,
    pages: NextOccurrence<'t>,
    has_components: bool,
}

impl<'t> MarkerPresence<'t> {
    fn of(text: &'t str) -> Self {
        Self {
            http: NextOccurrence::new(text, "://"),
            www: NextOccurrence::new(text, "www."),
            pages: NextOccurrence::new(text, "[["),
            has_components: mdx::has_components(text),
        }
    }

    /// Whether any running text is worth a look from here on.
    fn are_there(&self) -> bool {
        self.http.is_there() || self.www.is_there() || self.pages.is_there()
    }
}

/// Goes through the parser's events and notes destinations.
struct MarkdownParser<'t> {
    text: &'t str,
    signs: MarkerPresence<'t>,
    mentions: LinkCandidates<'t>,
    /// The definitions referred to, by place: the whole definition's range and
    /// its destination.
    definitions: BTreeMap<usize, (Range<usize>, String)>,
    open: Vec<Open>,
    /// How many of the open ones are images. What is written inside an image is
    /// its description, in which a link is no link.
    open_images: usize,
    /// Code and comments, for what is found by other means than the parser.
    silent: Vec<Range<usize>>,
    /// Where the imports and exports being read end.
    module_code_end: usize,
    /// The lines of the HTML block being read.
    html_block: Option<Vec<Range<usize>>>,
    is_code: bool,
    /// Running text within one line; emphasis does not end it.
    run: Option<Range<usize>>,
}

impl<'t> MarkdownParser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text,
            signs: MarkerPresence::of(text),
            mentions: LinkCandidates::new(text),
            definitions: BTreeMap::new(),
            open: Vec::new(),
            open_images: 0,
            silent: Vec::new(),
            module_code_end: 0,
            html_block: None,
            is_code: false,
            run: None,
        }
    }

    fn refer_to(&mut self, definition: Range<usize>, dest: &str) {
        if self.open_images > 0 {
            return;
        }
        self.definitions.entry(definition.start).or_insert_with(|| (definition, dest.to_owned()));
    }

    /// Takes in a definition, after all that refers to one.
    fn define(&mut self, whole: Range<usize>, dest: &str) {
        if self.definitions.contains_key(&whole.start) {
            return;
        }
        if let Some(range) = destination::of_definition(self.text, &whole) {
            let means = DestinationSyntax::Decoded(dest.to_owned());
            self.mentions.skip_as(range, LinkKind::Definition, means, SkipReason::Unused);
        }
    }

    /// Takes in a definition whose label is taken already.
    fn define_again(&mut self, whole: &Range<usize>) {
        if let Some(range) = destination::of_definition(self.text, whole) {
            let means =
                DestinationSyntax::Decoded(destination::meaning(self.text.cut(range.clone())));
            self.mentions.skip_as(range, LinkKind::Definition, means, SkipReason::Unused);
        }
    }

    fn read(&mut self, event: &Event<'_>, range: Range<usize>) {
        if !goes_on_with_text(event) {
            self.end_run();
        }
        let is_own_end = matches!(event, Event::End(TagEnd::Link | TagEnd::Image));
        if let Some(open) = self.open.last_mut().filter(|_| !is_own_end) {
            open.inside_end = open.inside_end.max(range.end);
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(*tag),
            Event::Text(_) if self.is_code => self.pass_over(range, SkipReason::Code),
            Event::Text(_) => self.running_text(range),
            Event::Code(_) if range.start < self.module_code_end => {}
            Event::Code(_) => self.pass_over(range, SkipReason::Code),
            Event::Html(_) => {
                self.html_block.iter_mut().for_each(|lines| lines.push(range.clone()));
            }
            Event::InlineHtml(html) => self.inline_html(html, range),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Link { link_type, dest_url, .. } => {
                self.open_link(LinkKind::Hyperlink, *link_type, dest_url, range);
            }
            Tag::Image { link_type, dest_url, .. } => {
                self.open_link(LinkKind::Embed, *link_type, dest_url, range);
            }
            Tag::HtmlBlock => self.html_block = Some(Vec::new()),
            Tag::CodeBlock(_) => self.is_code = true,
            Tag::Paragraph => self.module_code(range),
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

    fn open_link(&mut self, kind: LinkKind, link_type: LinkType, dest: &str, range: Range<usize>) {
        let is_inline = link_type == LinkType::Inline;
        if self.open_images == 0 && matches!(link_type, LinkType::Autolink | LinkType::Email) {
            // Without its angle brackets.
            let inside = range.start + 1..range.end - 1;
            let scheme = if link_type == LinkType::Email { "mailto:" } else { "" };
            let means = DestinationSyntax::Decoded(format!("{scheme}{dest}"));
            self.mentions.link(inside, LinkKind::Autolink, means);
        }
        self.open_images += usize::from(kind == LinkKind::Embed);
        self.open.push(Open {
            inside_end: range.start,
            range,
            kind,
            inline: is_inline.then(|| dest.to_owned()),
        });
    }

    fn close_link(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        self.open_images -= usize::from(open.kind == LinkKind::Embed);
        let Some(dest) = open.inline.filter(|_| self.open_images == 0) else {
            return;
        };
        let range = destination::of_inline(self.text, open.inside_end, &open.range)
            .or_else(|| destination::by_text(self.text, &open.range, &dest));
        if let Some(range) = range {
            self.mentions.link(range, open.kind, DestinationSyntax::Decoded(dest));
        }
    }

    /// Takes in code or a comment.
    fn pass_over(&mut self, range: Range<usize>, reason: SkipReason) {
        if self.signs.http.is_in(&range) {
            self.mentions.pass_over(range.clone(), reason);
        }
        if self.signs.has_components {
            self.silent.push(range);
        }
    }

    /// Takes in a paragraph, if it is no text but imports and exports of MDX.
    fn module_code(&mut self, paragraph: Range<usize>) {
        let is_at_line_start =
            paragraph.start == 0 || self.text.cut(..paragraph.start).ends_with('\n');
        if !is_at_line_start || !mdx::is_module_code(self.text.cut(paragraph.clone())) {
            return;
        }
        self.module_code_end = paragraph.end;
        for file in mdx::imports(self.text, paragraph.clone()) {
            self.mentions.link(file, LinkKind::Reference, DestinationSyntax::Plain);
        }
        self.pass_over(paragraph, SkipReason::Code);
    }

    fn running_text(&mut self, range: Range<usize>) {
        if !self.signs.are_there() || !self.open.is_empty() || range.start < self.module_code_end {
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
        if self.signs.pages.is_in(&run) {
            self.pages(run.clone());
        }
        if self.signs.http.is_in(&run) || self.signs.www.is_in(&run) {
            self.addresses(run);
        }
    }

    fn pages(&mut self, run: Range<usize>) {
        for page in include::pages(self.text, run) {
            self.mentions.link(page, LinkKind::Reference, DestinationSyntax::Name);
        }
    }

    fn addresses(&mut self, run: Range<usize>) {
        let text = self.text;
        let http: Vec<_> = http_addresses(text, run.clone())
            .map(|range| without_attributes(text, range))
            .collect();
        for www in www_addresses(text, run) {
            let next = http.partition_point(|range| range.end <= www.start);
            if http.get(next).is_none_or(|range| range.start > www.start) {
                let www = without_attributes(text, www);
                let means = htmlize::unescape(text.cut(www.clone()));
                let means = DestinationSyntax::Decoded(format!("http://{means}"));
                self.mentions.link(www, LinkKind::BareUrl, means);
            }
        }
        for range in http {
            self.mentions.link(range, LinkKind::BareUrl, DestinationSyntax::Html);
        }
    }

    fn inline_html(&mut self, html: &str, range: Range<usize>) {
        let written = self.text.cut(range.clone());
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
            let place = offset + range.start..offset + range.end;
            // In MDX, braces hold an expression.
            if html.cut(range).starts_with('{') {
                mentions.skip(place, kind, SkipReason::Placeholder);
            } else {
                mentions.link(place, kind, DestinationSyntax::Html);
            }
        });
        let mut from = 0;
        while let Some(at) = memmem::find(html.as_bytes().cut(from..), b"<!--") {
            let start = from + at;
            let length = memmem::find(html.as_bytes().cut(start..), b"-->");
            from = length.map_or(html.len(), |length| start + length);
            self.pass_over(offset + start..offset + from, SkipReason::Comment);
        }
    }

    fn end_html_block(&mut self) {
        let lines = self.html_block.take().unwrap_or_default();
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
            return;
        };
        let block = first.start..last.end;
        let next = lines.iter().skip(1);
        if lines.iter().zip(next).all(|(line, next)| line.end == next.start) {
            self.html(block.start, self.text.cut(block));
        } else {
            let html = only_lines(self.text, block.clone(), &lines);
            self.html(block.start, &html);
        }
    }

    fn finish(mut self) -> LinkCandidates<'t> {
        self.end_run();
        for (whole, dest) in std::mem::take(&mut self.definitions).into_values() {
            let range = destination::of_definition(self.text, &whole)
                .or_else(|| destination::by_text(self.text, &whole, &dest));
            if let Some(range) = range {
                self.mentions.link(range, LinkKind::Definition, DestinationSyntax::Decoded(dest));
            }
        }
        for file in include::includes(self.text) {
            self.mentions.link(file, LinkKind::Reference, DestinationSyntax::Plain);
        }
        if self.signs.has_components {
            mdx::components(self.text, &self.silent, &mut self.mentions);
        }
        let comments = mdx::comments(self.text);
        self.mentions.void(&comments, SkipReason::Comment);
        self.mentions
    }
}

/// An address without an attribute list (`{: .class}`, `{#id}`) after it.
fn without_attributes(text: &str, range: Range<usize>) -> Range<usize> {
    let address = text.cut(range.clone());
    let list = ["{:", "{#", "{."].iter().filter_map(|mark| address.find(mark)).min();
    // The colon of `{: .class}` has been taken for the sentence's.
    let kept = address.cut(..list.unwrap_or(address.len()));
    range.start..range.start + kept.trim_end_matches('{').len()
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
        html.push_str(text.cut(line.clone()));
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
mod commonmark;

#[cfg(test)]
mod tests;
