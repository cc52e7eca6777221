//! Markdown: CommonMark with GitHub's extensions and embedded HTML.
//!
//! `pulldown_cmark` reports the range of a whole link; [`destination`] finds the
//! destination in this range. Bare URLs and wiki links (`[[page]]`) are not part of
//! CommonMark, so this module searches running text for them. Extensions of other
//! dialects are in submodules: MDX components ([`mdx`]), includes and the syntax of
//! site generators. URLs in code and comments are reported as skipped.

mod admonition;
mod blocks;
mod bracket_limit;
mod destination;
mod duplicate_definitions;
pub(crate) mod front_matter;
mod include;
mod mdx;
mod mdx_expression;
mod next_occurrence;
mod site_syntax;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use memchr::{memchr, memmem};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use relink_model::{LinkKind, SkipReason};

use self::duplicate_definitions::DuplicateDefinitions;
use self::mdx_expression::{Expression, ImportedNames};
use self::next_occurrence::NextOccurrence;
pub(crate) use admonition::admonitions_to_lists;
pub(crate) use blocks::read_blocks;
pub(crate) use bracket_limit::neutralize_brackets;
pub(crate) use mdx::{
    blank_component_lines, component_ids, has_components_outside, imported_components,
    imported_documents,
};

use crate::bare_url::{http_urls, www_urls};
use crate::html::for_each_destination;
use crate::link_candidates::LinkCandidates;
use crate::link_sink::{DestinationSyntax, Extractor, LinkSink};
use crate::safe_slice::SafeSlice as _;

/// Link extractor for Markdown.
pub(crate) struct Markdown;

impl Extractor for Markdown {
    fn extract(&self, text: &str, sink: &mut LinkSink<'_>) {
        let start = front_matter::length(text);
        if start > 0 {
            let mut candidates = LinkCandidates::new(text);
            front_matter::add_urls(text, start, &mut candidates);
            candidates.report(0, sink);
        }
        let body = text.slice(start..);
        if may_have_links(body) {
            let body = neutralize_brackets(admonitions_to_lists(body));
            let markdown = blank_component_lines(Cow::Borrowed(&body));
            link_candidates(&markdown, &body).report(start, sink);
        }
    }
}

/// Whether the text contains any marker that a link requires. Texts without a marker
/// need not be parsed.
fn may_have_links(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr(b'<', bytes).is_some()
        || memmem::find(bytes, b"](").is_some()
        || has_bare_urls(text)
        || memmem::find(bytes, b"]:").is_some()
        || has_wiki_links(text)
        || memmem::find(bytes, b"{{#").is_some()
        || has_module_code(text)
        || site_syntax::may_occur(text)
}

/// Whether there may be an MDX import.
fn has_module_code(text: &str) -> bool {
    text.trim_start().starts_with("import ")
        || memmem::find(text.as_bytes(), b"\nimport ").is_some()
}

fn has_wiki_links(text: &str) -> bool {
    let bytes = text.as_bytes();
    memmem::find(bytes, b"[[").is_some() && memmem::find(bytes, b"]]").is_some()
}

fn has_bare_urls(text: &str) -> bool {
    let bytes = text.as_bytes();
    memmem::find(bytes, b"://").is_some() || memmem::find(bytes, b"www.").is_some()
}

/// Parses a text and collects its destinations. In `text`, the tags of components are
/// replaced with white space; `original` contains them.
fn link_candidates<'t>(text: &'t str, original: &'t str) -> LinkCandidates<'t> {
    let mut parser = MarkdownParser::new(text, original);
    let mut duplicates = DuplicateDefinitions::new(text);
    let mut events = Parser::new_ext(text, options(text)).into_offset_iter();
    while let Some((event, range)) = events.next() {
        duplicates.record_event(&event, &range);
        if let Event::Start(Tag::Link { id, link_type, .. } | Tag::Image { id, link_type, .. }) =
            &event
            && is_reference(*link_type)
            && let Some(definition) = events.reference_definitions().get(id)
        {
            parser.add_reference(definition.span.clone(), &definition.dest);
        }
        parser.read_event(&event, range);
    }
    for (_, definition) in events.reference_definitions().iter() {
        parser.add_unused_definition(definition.span.clone(), &definition.dest);
    }
    let known = events.reference_definitions().iter();
    let known = known.map(|(_, definition)| definition.span.clone());
    for definition in duplicates.finish(known.collect()) {
        parser.add_duplicate_definition(&definition);
    }
    parser.finish()
}

/// Returns the parser options. Omits tables if the text cannot contain one.
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

/// A link or image that is not closed yet.
struct OpenLink {
    range: Range<usize>,
    /// End of the last event inside of the link.
    inside_end: usize,
    kind: LinkKind,
    /// The destination, if it is an inline link.
    inline: Option<String>,
}

/// Markers that occur in a text. Used to skip searches that cannot match.
struct MarkerPresence<'t> {
    http: NextOccurrence<'t>,
    www: NextOccurrence<'t>,
    wiki_links: NextOccurrence<'t>,
    has_components: bool,
    /// Whether the syntax of a site generator may occur.
    has_site_syntax: bool,
}

impl<'t> MarkerPresence<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            http: NextOccurrence::new(text, "://"),
            www: NextOccurrence::new(text, "www."),
            wiki_links: NextOccurrence::new(text, "[["),
            has_components: mdx::has_components(text),
            has_site_syntax: site_syntax::may_occur(text),
        }
    }

    /// Whether any marker occurs in the rest of the text.
    fn any_left(&self) -> bool {
        self.http.has_next() || self.www.has_next() || self.wiki_links.has_next()
    }
}

/// Collects destinations from parser events.
struct MarkdownParser<'t> {
    text: &'t str,
    /// The text with the tags of components.
    original: &'t str,
    /// Names of imported files, which expressions use.
    imported_names: ImportedNames<'t>,
    markers: MarkerPresence<'t>,
    candidates: LinkCandidates<'t>,
    /// Definitions to which a reference was found, by offset. A definition consists of
    /// its range and its destination.
    definitions: BTreeMap<usize, (Range<usize>, String)>,
    open_links: Vec<OpenLink>,
    /// Number of open images. Links inside an image description are not links.
    open_images: usize,
    /// Code and comments, in which components and site syntax are ignored.
    skipped_ranges: Vec<Range<usize>>,
    /// End of the current block of imports and exports.
    module_code_end: usize,
    /// Lines of the current HTML block.
    html_block: Option<Vec<Range<usize>>>,
    /// Fenced code inside of HTML blocks, in order. MDX and several other
    /// renderers show it as code.
    html_code: Vec<Range<usize>>,
    is_code: bool,
    /// Ranges of the lists that the program `all-contributors` writes. The fragments in these
    /// lists refer to no anchor.
    contributor_lists: Vec<Range<usize>>,
    /// The current text without a line end. Emphasis is part of it, other markup ends it.
    text_run: Option<Range<usize>>,
}

impl<'t> MarkdownParser<'t> {
    fn new(text: &'t str, original: &'t str) -> Self {
        Self {
            text,
            original,
            imported_names: ImportedNames::read(original),
            markers: MarkerPresence::new(original),
            candidates: LinkCandidates::new(original),
            definitions: BTreeMap::new(),
            open_links: Vec::new(),
            open_images: 0,
            skipped_ranges: Vec::new(),
            module_code_end: 0,
            html_block: None,
            html_code: Vec::new(),
            is_code: false,
            contributor_lists: site_syntax::contributor_lists(original),
            text_run: None,
        }
    }

    /// Records a reference to a definition.
    fn add_reference(&mut self, definition: Range<usize>, dest: &str) {
        if self.open_images > 0 {
            return;
        }
        self.definitions.entry(definition.start).or_insert_with(|| (definition, dest.to_owned()));
    }

    /// Adds a definition as unused, unless a reference to it was found.
    fn add_unused_definition(&mut self, definition: Range<usize>, dest: &str) {
        if self.definitions.contains_key(&definition.start) {
            return;
        }
        if let Some(range) = destination::find_in_definition(self.text, &definition) {
            let syntax = DestinationSyntax::Decoded(dest.to_owned());
            self.candidates.push_skipped_as(
                range,
                LinkKind::Definition,
                syntax,
                SkipReason::Unused,
            );
        }
    }

    /// Adds a definition whose label is already defined.
    fn add_duplicate_definition(&mut self, definition: &Range<usize>) {
        if let Some(range) = destination::find_in_definition(self.text, definition) {
            let decoded = destination::decode(self.text.slice(range.clone()));
            let syntax = DestinationSyntax::Decoded(decoded);
            self.candidates.push_skipped_as(
                range,
                LinkKind::Definition,
                syntax,
                SkipReason::Unused,
            );
        }
    }

    fn read_event(&mut self, event: &Event<'_>, range: Range<usize>) {
        if !continues_text(event) {
            self.end_text_run();
        }
        let is_own_end = matches!(event, Event::End(TagEnd::Link | TagEnd::Image));
        if let Some(open) = self.open_links.last_mut().filter(|_| !is_own_end) {
            open.inside_end = open.inside_end.max(range.end);
        }
        match event {
            Event::Start(tag) => self.start_tag(tag, range),
            Event::End(tag) => self.end_tag(*tag),
            Event::Text(_) if self.is_code => self.skip_urls(range, SkipReason::Code),
            Event::Text(_) => self.extend_text_run(range),
            Event::Code(_) if range.start < self.module_code_end => {}
            Event::Code(_) => self.skip_urls(range, SkipReason::Code),
            Event::Html(_) => {
                self.html_block.iter_mut().for_each(|lines| lines.push(range.clone()));
            }
            Event::InlineHtml(html) => self.read_inline_html(html, range),
            _ => {}
        }
    }

    fn start_tag(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Link { link_type, dest_url, .. } => {
                self.open_link(LinkKind::Hyperlink, *link_type, dest_url, range);
            }
            Tag::Image { link_type, dest_url, .. } => {
                self.open_link(LinkKind::Embed, *link_type, dest_url, range);
            }
            Tag::HtmlBlock => self.html_block = Some(Vec::new()),
            Tag::CodeBlock(_) => self.is_code = true,
            Tag::Paragraph => self.read_module_code(range),
            _ => {}
        }
    }

    fn end_tag(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link | TagEnd::Image => self.close_link(),
            TagEnd::HtmlBlock => self.end_html_block(),
            TagEnd::CodeBlock => self.is_code = false,
            _ => {}
        }
    }

    /// Records the start of a link or image. Adds the destination of an autolink.
    fn open_link(&mut self, kind: LinkKind, link_type: LinkType, dest: &str, range: Range<usize>) {
        let is_inline = link_type == LinkType::Inline;
        if self.open_images == 0 && matches!(link_type, LinkType::Autolink | LinkType::Email) {
            // Remove the angle brackets.
            let inside = range.start + 1..range.end - 1;
            let scheme = if link_type == LinkType::Email { "mailto:" } else { "" };
            let syntax = DestinationSyntax::Decoded(format!("{scheme}{dest}"));
            self.candidates.push_link(inside, LinkKind::Autolink, syntax);
        }
        self.open_images += usize::from(kind == LinkKind::Embed);
        self.open_links.push(OpenLink {
            inside_end: range.start,
            range,
            kind,
            inline: is_inline.then(|| dest.to_owned()),
        });
    }

    /// Adds the destination of the link or image that has ended, if it is an inline link.
    fn close_link(&mut self) {
        let Some(open) = self.open_links.pop() else {
            return;
        };
        self.open_images -= usize::from(open.kind == LinkKind::Embed);
        let Some(dest) = open.inline.filter(|_| self.open_images == 0) else {
            return;
        };
        let range = destination::find_inline(self.text, open.inside_end, &open.range)
            .or_else(|| destination::find_by_text(self.text, &open.range, &dest));
        if let Some(range) = range {
            self.candidates.push_link(range, open.kind, DestinationSyntax::Decoded(dest));
        }
    }

    /// Skips the URLs in code or a comment.
    fn skip_urls(&mut self, range: Range<usize>, reason: SkipReason) {
        if self.markers.http.occurs_in(&range) {
            self.candidates.push_skipped_urls(range.clone(), reason);
        }
        if self.markers.has_components || self.markers.has_site_syntax {
            self.skipped_ranges.push(range);
        }
    }

    /// Reads a paragraph of MDX imports and exports.
    fn read_module_code(&mut self, paragraph: Range<usize>) {
        let is_at_line_start =
            paragraph.start == 0 || self.text.slice(..paragraph.start).ends_with('\n');
        if !is_at_line_start || !mdx::is_module_code(self.text.slice(paragraph.clone())) {
            return;
        }
        self.module_code_end = paragraph.end;
        for file in mdx::imports(self.text, paragraph.clone()) {
            let path = mdx::unescaped(self.text.slice(file.clone())).into_owned();
            self.candidates.push_link(file, LinkKind::Reference, DestinationSyntax::Decoded(path));
        }
        self.skip_urls(paragraph, SkipReason::Code);
    }

    /// Starts or extends the current run of text.
    fn extend_text_run(&mut self, range: Range<usize>) {
        if !self.markers.any_left()
            || !self.open_links.is_empty()
            || range.start < self.module_code_end
        {
            return;
        }
        match &mut self.text_run {
            Some(run) => run.end = range.end,
            None => self.text_run = Some(range),
        }
    }

    /// Searches the current run of text for wiki links and bare URLs.
    fn end_text_run(&mut self) {
        let Some(run) = self.text_run.take() else {
            return;
        };
        if self.markers.wiki_links.occurs_in(&run) {
            self.add_wiki_links(run.clone());
        }
        if self.markers.http.occurs_in(&run) || self.markers.www.occurs_in(&run) {
            self.add_bare_urls(run);
        }
    }

    fn add_wiki_links(&mut self, run: Range<usize>) {
        for page in include::wiki_links(self.text, run) {
            self.candidates.push_link(page, LinkKind::Reference, DestinationSyntax::Name);
        }
    }

    fn add_bare_urls(&mut self, run: Range<usize>) {
        let text = self.text;
        let http: Vec<_> =
            http_urls(text, run.clone()).map(|range| without_attribute_list(text, range)).collect();
        for www in www_urls(text, run) {
            // Skip a `www.` inside of an `http` URL.
            let next = http.partition_point(|range| range.end <= www.start);
            if http.get(next).is_none_or(|range| range.start > www.start) {
                let www = without_attribute_list(text, www);
                let decoded = htmlize::unescape(text.slice(www.clone()));
                let syntax = DestinationSyntax::Decoded(format!("http://{decoded}"));
                self.candidates.push_link(www, LinkKind::BareUrl, syntax);
            }
        }
        for range in http {
            self.candidates.push_link(range, LinkKind::BareUrl, DestinationSyntax::Html);
        }
    }

    fn read_inline_html(&mut self, html: &str, range: Range<usize>) {
        let raw = self.text.slice(range.clone());
        if raw == html {
            self.add_html(range.start, raw);
        } else {
            self.add_html(range.start, &blank_quote_markers(raw));
        }
    }

    /// Adds the destinations of HTML at `offset`.
    fn add_html(&mut self, offset: usize, html: &str) {
        let candidates = &mut self.candidates;
        let has_components = self.markers.has_components;
        let contributor_lists = &self.contributor_lists;
        let imported_names = &self.imported_names;
        for_each_destination(html, &mut |range, kind| {
            let destination = offset + range.start..offset + range.end;
            // The attributes of components are read from the whole text.
            if has_components && mdx::is_in_component(html, range.start) {
                return;
            }
            let is_fragment = html.slice(range.clone()).starts_with('#');
            let is_inside = |list: &Range<usize>| list.contains(&destination.start);
            // In MDX, braces contain an expression.
            if html.slice(range).starts_with('{') {
                add_expression(destination, kind, imported_names, candidates);
            } else if is_fragment && contributor_lists.iter().any(is_inside) {
                candidates.push_skipped(destination, kind, SkipReason::Ignored);
            } else {
                candidates.push_link(destination, kind, DestinationSyntax::Html);
            }
        });
        let mut from = 0;
        while let Some(at) = memmem::find(html.as_bytes().slice(from..), b"<!--") {
            let start = from + at;
            let length = memmem::find(html.as_bytes().slice(start..), b"-->");
            from = length.map_or(html.len(), |length| start + length);
            self.skip_urls(offset + start..offset + from, SkipReason::Comment);
        }
    }

    /// Adds the destinations of the HTML block that has ended.
    fn end_html_block(&mut self) {
        let lines = self.html_block.take().unwrap_or_default();
        self.html_code.extend(fenced_lines(self.text, &lines));
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
            return;
        };
        let block = first.start..last.end;
        let next = lines.iter().skip(1);
        if lines.iter().zip(next).all(|(line, next)| line.end == next.start) {
            self.add_html(block.start, self.text.slice(block));
        } else {
            let html = blank_outside_lines(self.text, block.clone(), &lines);
            self.add_html(block.start, &html);
        }
    }

    /// Adds the destinations in the syntax of site generators, except in code.
    fn add_site_syntax(&mut self) {
        for (range, kind) in site_syntax::destinations(self.text) {
            let next = self.skipped_ranges.partition_point(|part| part.end <= range.start);
            let is_code =
                self.skipped_ranges.get(next).is_some_and(|part| part.start <= range.start);
            if !is_code {
                self.candidates.push_link(range, kind, DestinationSyntax::Plain);
            }
        }
    }

    /// Adds the destinations that are known only at the end, and skips those in comments and
    /// code.
    fn finish(mut self) -> LinkCandidates<'t> {
        self.end_text_run();
        for (definition, dest) in std::mem::take(&mut self.definitions).into_values() {
            let range = destination::find_in_definition(self.text, &definition)
                .or_else(|| destination::find_by_text(self.text, &definition, &dest));
            if let Some(range) = range {
                self.candidates.push_link(
                    range,
                    LinkKind::Definition,
                    DestinationSyntax::Decoded(dest),
                );
            }
        }
        for file in include::includes(self.text) {
            self.candidates.push_link(file, LinkKind::Reference, DestinationSyntax::Plain);
        }
        if self.markers.has_components {
            let code = &self.skipped_ranges;
            mdx::add_components(self.original, code, &self.imported_names, &mut self.candidates);
        }
        if self.markers.has_site_syntax {
            self.add_site_syntax();
        }
        let comments = mdx::comments(self.text);
        self.candidates.skip_within(&comments, SkipReason::Comment);
        let comments = site_syntax::comment_lines(self.text);
        self.candidates.skip_within(&comments, SkipReason::Comment);
        self.candidates.skip_within(&self.html_code, SkipReason::Code);
        let highlighted = site_syntax::highlighted(self.text);
        self.candidates.skip_within(&highlighted, SkipReason::Code);
        self.candidates
    }
}

/// Adds the destination in an expression in braces, `{…}`.
fn add_expression(
    range: Range<usize>,
    kind: LinkKind,
    names: &ImportedNames<'_>,
    candidates: &mut LinkCandidates<'_>,
) {
    let inside = candidates.text().slice(range.start + 1..range.end);
    match names.classify(inside.trim_end().trim_end_matches(['}', '/'])) {
        Expression::Path(path) => {
            let start = range.start + 1;
            let path = start + path.start..start + path.end;
            candidates.push_link(path, kind, DestinationSyntax::Plain);
        }
        Expression::Import => candidates.push_skipped(range, kind, SkipReason::Code),
        Expression::Unknown => candidates.push_skipped(range, kind, SkipReason::Placeholder),
    }
}

/// Returns the range of a URL without an attribute list (`{: .class}`, `{#id}`) at its end.
fn without_attribute_list(text: &str, range: Range<usize>) -> Range<usize> {
    let url = text.slice(range.clone());
    let list = ["{:", "{#", "{."].iter().filter_map(|marker| url.find(marker)).min();
    // The colon of `{: .class}` was removed as punctuation, so only `{` is
    // left.
    let without_list = url.slice(..list.unwrap_or(url.len()));
    range.start..range.start + without_list.trim_end_matches('{').len()
}

/// Whether a bare URL may continue after this event. `https://a.test/*b*` is a
/// single URL in spite of the emphasis.
fn continues_text(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Text(_)
            | Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough)
            | Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough)
    )
}

/// Returns the ranges of fenced code, from the opening to the closing fence.
fn fenced_lines(text: &str, lines: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for line in lines {
        if text.slice(line.clone()).trim_start().starts_with("```") {
            match start.take() {
                Some(start) => found.push(start..line.end),
                None => start = Some(line.start),
            }
        }
    }
    found
}

/// Returns the block with the text outside of `lines`, such as the `>` of a block
/// quote, replaced by spaces. Offsets do not change.
fn blank_outside_lines(text: &str, block: Range<usize>, lines: &[Range<usize>]) -> String {
    let mut html = String::with_capacity(block.len());
    for line in lines {
        let gap = line.start.saturating_sub(block.start + html.len());
        html.extend(std::iter::repeat_n(' ', gap));
        html.push_str(text.slice(line.clone()));
    }
    html
}

/// Replaces the `>` of a block quote inside a multi-line tag with spaces.
fn blank_quote_markers(html: &str) -> String {
    let mut is_line_start = false;
    html.chars()
        .map(|character| {
            let is_marker = is_line_start && character == '>';
            is_line_start =
                character == '\n' || (is_line_start && matches!(character, ' ' | '\t' | '>'));
            if is_marker { ' ' } else { character }
        })
        .collect()
}

#[cfg(test)]
mod commonmark;

#[cfg(test)]
mod tests;
