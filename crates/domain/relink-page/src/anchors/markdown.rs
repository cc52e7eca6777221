//! Anchors of Markdown: headings, ids written in braces, HTML inside, footnotes.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::includes::{add_fence, add_includes, contains};
use super::{Anchors, IncludedFile, NameCounts, SlugStyle, slug};
use crate::html::{for_each_anchor, for_each_heading};
use crate::markdown::{
    admonitions_to_lists, blank_component_lines, front_matter, has_components, imported_documents,
    neutralize_brackets,
};
use crate::safe_slice::SafeSlice as _;

/// Adds the anchors of a Markdown document.
pub(super) fn read_anchors(text: &str, style: SlugStyle, anchors: &mut Anchors) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_GFM;
    let mut parser = MarkdownAnchorParser {
        style,
        anchors,
        counts: RendererCounts::default(),
        heading: None,
        images: 0,
        html: String::new(),
        code: Vec::new(),
        headings: 0,
    };
    let body = neutralize_brackets(admonitions_to_lists(text.slice(front_matter::length(text)..)));
    let has_own_components = has_components(&body);
    let body = blank_component_lines(body);
    for (event, range) in Parser::new_ext(&body, options).into_offset_iter() {
        if parser.anchors.is_full() {
            parser.anchors.may_have_more = true;
            break;
        }
        parser.read_event(&event);
        parser.read_includes(&event, &body, range);
    }
    let (code, headings) = (std::mem::take(&mut parser.code), parser.headings);
    add_includes(&body, &code, anchors);
    // A page that consists of components has only their headings.
    anchors.may_have_more |= headings == 0 && has_own_components;
    add_labels(text, anchors);
    add_terms(text, anchors);
    // Renderers with lower-case anchors accept fragments in any case.
    anchors.ignore_case();
}

/// Number of occurrences of each anchor, per renderer.
#[derive(Default)]
struct RendererCounts {
    github: NameCounts,
    gitlab: NameCounts,
    mdbook: NameCounts,
    mkdocs: NameCounts,
    mkdocs_unicode: NameCounts,
    docutils: NameCounts,
}

/// Collects the anchors of a Markdown document from its events.
struct MarkdownAnchorParser<'a> {
    style: SlugStyle,
    anchors: &'a mut Anchors,
    counts: RendererCounts,
    /// The open heading.
    heading: Option<Heading>,
    /// Number of open images, whose text is an alternative text.
    images: usize,
    /// The open HTML block.
    html: String,
    /// Code, in order. It includes no headings.
    code: Vec<Range<usize>>,
    /// Number of headings.
    headings: usize,
}

/// The text of a heading.
#[derive(Default)]
struct Heading {
    text: String,
    /// The text with the alternative texts of images, which some renderers
    /// include.
    text_with_alt: String,
}

impl MarkdownAnchorParser<'_> {
    fn read_event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Heading { .. }) => self.heading = Some(Heading::default()),
            Event::Start(Tag::Image { .. }) => self.images += 1,
            Event::End(TagEnd::Image) => self.images = self.images.saturating_sub(1),
            Event::End(TagEnd::Heading(_)) => self.end_heading(),
            Event::Text(text) => {
                self.push_text(text);
                self.add_attributes(text);
            }
            Event::Code(text) => self.push_text(text),
            Event::SoftBreak | Event::HardBreak => self.push_text(" "),
            // A tag may span several lines.
            Event::Html(html) => self.html.push_str(html),
            Event::End(TagEnd::HtmlBlock) => self.end_html(),
            Event::InlineHtml(html) => self.add_html_anchors(html),
            Event::FootnoteReference(label) | Event::Start(Tag::FootnoteDefinition(label)) => {
                self.add_footnote(label);
            }
            _ => {}
        }
    }

    /// Records code, and the documents that the document imports. In MDX, a
    /// component shows an imported document. Other imports are code.
    fn read_includes(&mut self, event: &Event<'_>, body: &str, range: Range<usize>) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                add_fence(info, self.anchors);
                // Docusaurus renders this block as MDX.
                if info.starts_with("mdx-code-block") {
                    self.add_html_anchors(body.slice(range.clone()));
                }
                self.code.push(range);
            }
            Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => self.code.push(range),
            Event::Start(Tag::Paragraph) => {
                for document in imported_documents(body.slice(range)) {
                    self.anchors.include(IncludedFile::Path(document.to_owned()));
                }
            }
            _ => {}
        }
    }

    /// Adds the anchors and headings of the HTML block just ended.
    fn end_html(&mut self) {
        let html = std::mem::take(&mut self.html);
        self.add_html_anchors(&html);
        for_each_heading(&html, &mut |text| {
            self.add_slugs(text.trim());
            if self.style == SlugStyle::Any && text != text.trim() {
                self.add_slugs(text);
            }
        });
    }

    fn add_html_anchors(&mut self, html: &str) {
        // Ignore the result: scripts do not build the headings of Markdown.
        let _ = for_each_anchor(html, &mut |name| self.add_id(name));
    }

    /// Appends text to the open heading.
    fn push_text(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.text_with_alt.push_str(text);
            if self.images == 0 {
                heading.text.push_str(text);
            }
        }
    }

    /// Adds the ids of `{: #id }` and `{#id}`, which may follow any block or
    /// word.
    fn add_attributes(&mut self, text: &str) {
        if self.heading.is_none() {
            for part in text.split('{').skip(1) {
                if let Some((list, _)) = part.split_once('}') {
                    self.add_attribute_id(list);
                }
            }
        }
    }

    /// Adds the anchors of the heading just ended.
    fn end_heading(&mut self) {
        let Some(Heading { text, text_with_alt }) = self.heading.take() else { return };
        self.headings += 1;
        self.add_placeholder(&text);
        let is_any = self.style == SlugStyle::Any;
        if let Some((title, id)) = bracketed_id(&text) {
            self.add_id(id);
            self.add_slugs(title);
        }
        if let Some((title, list)) = split_attributes(&text)
            && self.add_attribute_id(list)
        {
            self.add_slugs(title);
            if !is_any {
                return;
            }
        }
        self.add_slugs(&text);
        if is_any && text_with_alt != text {
            self.add_slugs(text_with_alt.trim());
        }
        // Renderers differ in whether they drop the space before an image.
        if is_any && text.ends_with(' ') {
            self.add_slugs(text.trim_end());
        }
    }

    /// Adds the anchors of a heading with a template placeholder.
    fn add_placeholder(&mut self, text: &str) {
        for (opening, closing) in [("{{", "}}"), ("{%", "%}")] {
            if let Some((before, rest)) = text.split_once(opening) {
                let after = rest.rsplit_once(closing).map_or("", |(_, after)| after);
                let (start, end) = (slug::github(before.trim()), slug::github(after.trim()));
                self.anchors.add_pattern(start, end);
                return;
            }
        }
    }

    /// Adds the id of `: #id .class` or `#id`. Returns whether there is one.
    fn add_attribute_id(&mut self, list: &str) -> bool {
        let list = list
            .trim_matches(|character: char| character.is_whitespace() || "/*:".contains(character));
        let Some(id) = list.split_whitespace().find_map(|word| word.strip_prefix('#')) else {
            return false;
        };
        self.add_id(id);
        !id.is_empty()
    }

    /// Adds an id and, for GitHub, its prefixed form.
    fn add_id(&mut self, id: &str) {
        self.anchors.add(id);
        if self.style.includes(SlugStyle::GitHub) {
            self.anchors.add(format!("user-content-{id}"));
        }
    }

    /// Adds the anchors that the renderers generate for a heading.
    fn add_slugs(&mut self, text: &str) {
        let style = self.style;
        if style.includes(SlugStyle::GitHub) || style.includes(SlugStyle::Sphinx) {
            let name = numbered(slug::github(text), &mut self.counts.github, '-');
            self.add_id(&name);
        }
        if style.includes(SlugStyle::GitLab) {
            self.anchors.add(numbered(slug::gitlab(text), &mut self.counts.gitlab, '-'));
        }
        if style.includes(SlugStyle::MdBook) {
            self.anchors.add(numbered(slug::mdbook(text), &mut self.counts.mdbook, '-'));
        }
        if style.includes(SlugStyle::MkDocs) {
            self.anchors.add(numbered(slug::mkdocs(text), &mut self.counts.mkdocs, '_'));
            let unicode = slug::mkdocs_unicode(text);
            self.anchors.add(numbered(unicode, &mut self.counts.mkdocs_unicode, '_'));
        }
        if style.includes(SlugStyle::Sphinx) {
            let name = slug::docutils(text);
            match self.counts.docutils.add(&name) {
                0 => self.anchors.add(name),
                count => self.anchors.add(format!("id{count}")),
            }
        }
    }

    /// Adds the anchors of a footnote and its reference.
    fn add_footnote(&mut self, label: &str) {
        for prefix in ["fn-", "fnref-", "fn:", "fnref:", "fr-"] {
            self.add_id(&format!("{prefix}{label}"));
        }
        for name in [format!("footnote-{label}"), label.to_owned(), format!("fr-{label}-1")] {
            self.anchors.add(name);
        }
    }
}

/// Returns the name, with a number if it occurred before.
fn numbered(name: String, counts: &mut NameCounts, separator: char) -> String {
    match counts.add(&name) {
        0 => name,
        count => format!("{name}{separator}{count}"),
    }
}

/// Splits `title [id]` and `title $$$id$$$` into title and id.
fn bracketed_id(heading: &str) -> Option<(&str, &str)> {
    let heading = heading.trim_end();
    let brackets = heading.strip_suffix(']').and_then(|text| text.rsplit_once(" ["));
    let dollars = || heading.strip_suffix("$$$").and_then(|text| text.rsplit_once("$$$"));
    let (title, id) = brackets.or_else(dollars)?;
    (!id.is_empty() && !id.contains(char::is_whitespace)).then_some((title.trim_end(), id))
}

/// Splits `title {list}` into title and list.
fn split_attributes(heading: &str) -> Option<(&str, &str)> {
    let (title, list) = heading.trim_end().strip_suffix('}')?.rsplit_once('{')?;
    Some((title.trim_end(), list))
}

/// Adds the terms of definition lists, which are anchors in Hugo and MkDocs.
fn add_terms(text: &str, anchors: &mut Anchors) {
    if !contains(text, "\n: ") && !contains(text, "\n:   ") {
        return;
    }
    let mut term = "";
    let mut counts = NameCounts::default();
    for line in text.lines() {
        if line.starts_with(": ") && !term.is_empty() {
            let term = term.trim_matches(['`', '*', ' ']);
            let anchor = slug::github(term);
            let count = counts.add(&anchor);
            if count > 0 || anchors.names.contains(&anchor) {
                anchors.add(format!("{anchor}-{}", count.max(1)));
            }
            anchors.add(anchor);
            anchors.add(slug::mkdocs(term));
        }
        if !line.trim().is_empty() {
            term = if line.starts_with(':') { "" } else { line };
        }
    }
}

/// Adds the labels of `MyST`: lines of the form `(label)=`, and the names of
/// directives (`:name: label`).
fn add_labels(text: &str, anchors: &mut Anchors) {
    if !contains(text, ")=") && !contains(text, "name:") && !contains(text, "label:") {
        return;
    }
    for line in text.lines() {
        let line = line.trim();
        let label = line.strip_suffix(")=").and_then(|line| line.strip_prefix('('));
        let name = ["name:", ":name:", ":label:", "label:"].iter();
        let name = name.copied().find_map(|option| line.strip_prefix(option)).map(str::trim);
        if let Some(label) = label.or(name.filter(|name| !name.is_empty())) {
            anchors.add(label);
            anchors.add(slug::docutils(label));
        }
    }
}
