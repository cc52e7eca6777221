//! Anchors of Markdown: headings, ids written in braces, HTML inside, footnotes.

use memchr::memmem;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{Anchors, Counts, SlugStyle, slug};
use crate::cut::Cut as _;
use crate::html::{each_anchor, each_heading};
use crate::markdown::{as_lists, front_matter, neutralize_brackets};

/// What takes in other files, whose headings are then the document's own.
const INCLUDES: [&str; 6] = ["{{#include", "{% include", "{%- include", "--8<--", "{{<", "{!"];

/// Reads the anchors of Markdown.
pub(super) fn read(text: &str, slugs: SlugStyle, anchors: &mut Anchors) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_GFM;
    let mut reader = MarkdownAnchorParser {
        slugs,
        anchors,
        counts: Repeats::default(),
        heading: None,
        pictures: 0,
        html: String::new(),
    };
    let body = neutralize_brackets(as_lists(text.cut(front_matter::length(text)..)));
    for event in Parser::new_ext(&body, options) {
        if reader.anchors.is_full() {
            reader.anchors.is_open = true;
            break;
        }
        reader.read(&event);
    }
    labels(text, anchors);
    // An import of another document is shown by a component.
    let has_import = text.starts_with("import ") || contains(text, "\nimport ");
    anchors.is_open |= has_import || INCLUDES.iter().any(|sign| contains(text, sign));
    // Renderers that write anchors in lower case find them in any.
    anchors.fold();
}

fn contains(text: &str, sign: &str) -> bool {
    memmem::find(text.as_bytes(), sign.as_bytes()).is_some()
}

/// How often each anchor was given, by each renderer's rules.
#[derive(Default)]
struct Repeats {
    github: Counts,
    gitlab: Counts,
    mdbook: Counts,
    mkdocs: Counts,
    mkdocs_unicode: Counts,
    docutils: Counts,
}

struct MarkdownAnchorParser<'a> {
    slugs: SlugStyle,
    anchors: &'a mut Anchors,
    counts: Repeats,
    /// The heading being read.
    heading: Option<Heading>,
    /// How many pictures are open, whose text is only a description.
    pictures: usize,
    /// The block of HTML being read.
    html: String,
}

/// A heading's text.
#[derive(Default)]
struct Heading {
    text: String,
    /// With the descriptions of pictures, which some count.
    described: String,
}

impl MarkdownAnchorParser<'_> {
    fn read(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Heading { .. }) => self.heading = Some(Heading::default()),
            Event::Start(Tag::Image { .. }) => self.pictures += 1,
            Event::End(TagEnd::Image) => self.pictures = self.pictures.saturating_sub(1),
            Event::End(TagEnd::Heading(_)) => self.end_heading(),
            Event::Text(text) => {
                self.note(text);
                self.attributes(text);
            }
            Event::Code(text) => self.note(text),
            Event::SoftBreak | Event::HardBreak => self.note(" "),
            // A tag may be written over several lines.
            Event::Html(html) => self.html.push_str(html),
            Event::End(TagEnd::HtmlBlock) => self.end_html(),
            Event::InlineHtml(html) => self.names_in(html),
            Event::FootnoteReference(label) | Event::Start(Tag::FootnoteDefinition(label)) => {
                self.footnote(label);
            }
            _ => {}
        }
    }

    fn end_html(&mut self) {
        let html = std::mem::take(&mut self.html);
        self.names_in(&html);
        each_heading(&html, &mut |text| {
            self.slug(text.trim());
            if self.slugs == SlugStyle::Any && text != text.trim() {
                self.slug(text);
            }
        });
    }

    fn names_in(&mut self, html: &str) {
        // Scripts in the text say nothing about its headings.
        let _ = each_anchor(html, &mut |name| self.explicit(name));
    }

    fn note(&mut self, text: &str) {
        if let Some(heading) = &mut self.heading {
            heading.described.push_str(text);
            if self.pictures == 0 {
                heading.text.push_str(text);
            }
        }
    }

    /// `{: #id }` and `{#id}` may stand after any block or word.
    fn attributes(&mut self, text: &str) {
        if self.heading.is_none() {
            for part in text.split('{').skip(1) {
                if let Some((list, _)) = part.split_once('}') {
                    self.explicit_in(list);
                }
            }
        }
    }

    fn end_heading(&mut self) {
        let Some(Heading { text, described }) = self.heading.take() else { return };
        let is_any = self.slugs == SlugStyle::Any;
        if let Some((title, list)) = braces_at_end(&text)
            && self.explicit_in(list)
        {
            self.slug(title);
            if !is_any {
                return;
            }
        }
        self.slug(&text);
        if is_any && described != text {
            self.slug(described.trim());
        }
        // The space before what shows nothing is not always kept.
        if is_any && text.ends_with(' ') {
            self.slug(text.trim_end());
        }
    }

    /// Notes the id of `: #id .class` or `#id`; says whether there is one.
    fn explicit_in(&mut self, list: &str) -> bool {
        let list = list.trim_matches(|sign: char| sign.is_whitespace() || "/*:".contains(sign));
        let Some(id) = list.split_whitespace().find_map(|word| word.strip_prefix('#')) else {
            return false;
        };
        self.explicit(id);
        !id.is_empty()
    }

    fn explicit(&mut self, id: &str) {
        self.anchors.add(id);
        if self.slugs.includes(SlugStyle::GitHub) {
            self.anchors.add(format!("user-content-{id}"));
        }
    }

    fn slug(&mut self, text: &str) {
        let slugs = self.slugs;
        if slugs.includes(SlugStyle::GitHub) || slugs.includes(SlugStyle::Sphinx) {
            let name = numbered(slug::github(text), &mut self.counts.github, '-');
            self.explicit(&name);
        }
        if slugs.includes(SlugStyle::GitLab) {
            self.anchors.add(numbered(slug::gitlab(text), &mut self.counts.gitlab, '-'));
        }
        if slugs.includes(SlugStyle::MdBook) {
            self.anchors.add(numbered(slug::mdbook(text), &mut self.counts.mdbook, '-'));
        }
        if slugs.includes(SlugStyle::MkDocs) {
            self.anchors.add(numbered(slug::mkdocs(text), &mut self.counts.mkdocs, '_'));
            let unicode = slug::mkdocs_unicode(text);
            self.anchors.add(numbered(unicode, &mut self.counts.mkdocs_unicode, '_'));
        }
        if slugs.includes(SlugStyle::Sphinx) {
            let name = slug::docutils(text);
            match self.counts.docutils.before(&name) {
                0 => self.anchors.add(name),
                again => self.anchors.add(format!("id{again}")),
            }
        }
    }

    fn footnote(&mut self, label: &str) {
        for prefix in ["fn-", "fnref-", "fn:", "fnref:", "fr-"] {
            self.explicit(&format!("{prefix}{label}"));
        }
        for name in [format!("footnote-{label}"), label.to_owned(), format!("fr-{label}-1")] {
            self.anchors.add(name);
        }
    }
}

/// The name, with a number if it came before.
fn numbered(name: String, counts: &mut Counts, sign: char) -> String {
    match counts.before(&name) {
        0 => name,
        again => format!("{name}{sign}{again}"),
    }
}

/// `title {list}` in two.
fn braces_at_end(heading: &str) -> Option<(&str, &str)> {
    let (title, list) = heading.trim_end().strip_suffix('}')?.rsplit_once('{')?;
    Some((title.trim_end(), list))
}

/// `(label)=` on a line of its own, as `MyST` has it.
fn labels(text: &str, anchors: &mut Anchors) {
    if !contains(text, ")=") {
        return;
    }
    for line in text.lines() {
        let label = line.trim().strip_suffix(")=").and_then(|line| line.strip_prefix('('));
        if let Some(label) = label {
            anchors.add(label);
            anchors.add(slug::docutils(label));
        }
    }
}
