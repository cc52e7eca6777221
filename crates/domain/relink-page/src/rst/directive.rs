//! Directives: `.. name:: arguments`, followed by options and content.
//!
//! Most directives contain regular text. The constants list the directives that
//! contain images, files or code.

use std::ops::Range;

use relink_model::{LinkKind, SkipReason};

use super::RstParser;
use super::target::{decode_url, reference_name};
use crate::html::for_each_destination;
use crate::link_sink::DestinationSyntax;
use crate::list::trim_range;
use crate::safe_slice::SafeSlice as _;

/// Directives that show a file.
const IMAGE_DIRECTIVES: [&str; 2] = ["image", "figure"];

/// Directives that include a file.
const INCLUDE_DIRECTIVES: [&str; 3] = ["include", "literalinclude", "mdinclude"];

/// Directives whose content is not parsed as text.
const CODE_DIRECTIVES: [&str; 24] = [
    "code",
    "code-block",
    "sourcecode",
    "code-cell",
    "math",
    "graphviz",
    "digraph",
    "graph",
    "uml",
    "plantuml",
    "mermaid",
    "doctest",
    "testcode",
    "testoutput",
    "testsetup",
    "testcleanup",
    "prompt",
    "ipython",
    "jupyter-execute",
    "productionlist",
    "command-output",
    "program-output",
    "highlight",
    "parsed-code",
];

/// The name of a directive and the offset of its arguments.
pub(super) struct Directive<'t> {
    name: &'t str,
    arguments_at: usize,
}

/// Parses the start of a directive. The directive may define a substitution, as in
/// `|name| image:: …`.
pub(super) fn parse_directive(raw: &str) -> Option<Directive<'_>> {
    let mut start = 0;
    if let Some(inside) = raw.strip_prefix('|') {
        let end = inside.find("| ")?;
        let after = inside.slice(end + "| ".len()..);
        start = raw.len() - after.trim_start().len();
    }
    let rest = raw.slice(start..);
    let end = rest.find("::")?;
    let name = rest.slice(..end);
    let is_name = !name.is_empty()
        && name.chars().all(|character| character.is_alphanumeric() || "-_.+:".contains(character));
    let arguments_at = start + end + "::".len();
    let is_ended = raw.slice(arguments_at..).chars().next().is_none_or(char::is_whitespace);
    (is_name && is_ended).then_some(Directive { name, arguments_at })
}

impl RstParser<'_> {
    /// Parses a directive; `rest` is the text after `.. `.
    pub(super) fn apply_directive(
        &mut self,
        directive: &Directive<'_>,
        rest: Range<usize>,
        column: usize,
    ) {
        let name = directive.name;
        let arguments = rest.start + directive.arguments_at..rest.end;
        if IMAGE_DIRECTIVES.contains(&name) {
            self.add_url_argument(arguments, column, LinkKind::Embed);
            self.parse_options(column);
        } else if INCLUDE_DIRECTIVES.contains(&name) {
            self.add_url_argument(arguments, column, LinkKind::Reference);
            self.parse_options(column);
        } else if CODE_DIRECTIVES.contains(&name) {
            self.skip_code(arguments, column);
        } else if name == "raw" {
            self.parse_raw(arguments, column);
        } else if name == "csv-table" {
            self.parse_csv_table(arguments, column);
        } else if name == "toctree" {
            self.parse_toctree(column);
        } else {
            self.start_text_directive(arguments, column);
        }
    }

    /// Adds the file or URL in the arguments of a directive.
    fn add_url_argument(&mut self, arguments: Range<usize>, column: usize, kind: LinkKind) {
        let end = self.continuation_end(arguments.end, column, |line| !line.starts_with(':'));
        let url = trim_range(self.text, arguments.start..end);
        // `<file>` is a file that is distributed with docutils.
        if !self.text.slice(url.clone()).starts_with('<') {
            self.add_url(url, kind);
        }
    }

    /// Adds the URL at `range`, which may span several lines.
    pub(super) fn add_url(&mut self, range: Range<usize>, kind: LinkKind) {
        if !range.is_empty() {
            let decoded = decode_url(self.text.slice(range.clone()));
            self.candidates.push_link(range, kind, DestinationSyntax::Decoded(decoded));
        }
    }

    /// Parses the options below a directive, `:name: value`.
    fn parse_options(&mut self, column: usize) {
        while let Some(line) = self.peek_line() {
            let raw = line.text(self.text);
            let option = raw.strip_prefix(':').and_then(|rest| rest.split_once(':'));
            let Some((name, value)) = option.filter(|_| line.indent > column) else { break };
            self.at = line.next;
            let value = trim_range(self.text, line.content.end - value.len()..line.content.end);
            match name {
                "target" => match reference_name(self.text.slice(value.clone())) {
                    Some(name) => self.targets.add_reference(name),
                    None => self.add_url(value, LinkKind::Hyperlink),
                },
                "url" => self.add_url(value, LinkKind::Resource),
                "file" => self.add_url(value, LinkKind::Reference),
                _ => self.parse_inline(value),
            }
        }
    }

    fn skip_code(&mut self, arguments: Range<usize>, column: usize) {
        self.at = self.block_end(column);
        self.candidates.push_skipped_urls(arguments.start..self.at, SkipReason::Code);
    }

    /// Parses raw output: HTML is searched for links, other formats are
    /// skipped.
    fn parse_raw(&mut self, arguments: Range<usize>, column: usize) {
        let is_html = self.text.slice(arguments.clone()).trim().eq_ignore_ascii_case("html");
        self.parse_options(column);
        let start = self.at;
        self.at = self.block_end(column);
        if !is_html {
            self.candidates.push_skipped_urls(start..self.at, SkipReason::Code);
            return;
        }
        let candidates = &mut self.candidates;
        for_each_destination(self.text.slice(start..self.at), &mut |range, kind| {
            candidates.push_link(
                start + range.start..start + range.end,
                kind,
                DestinationSyntax::Html,
            );
        });
    }

    /// Parses a list of pages: `page` or `title <page>`, one per line.
    fn parse_toctree(&mut self, column: usize) {
        self.parse_options(column);
        let end = self.block_end(column);
        while let Some(line) = self.peek_line().filter(|line| line.start < end) {
            self.at = line.next;
            let page = explicit_target(self.text, line.content.clone()).unwrap_or(line.content);
            let raw = self.text.slice(page.clone());
            if raw.contains("://") {
                self.candidates.push_link(page, LinkKind::Hyperlink, DestinationSyntax::Plain);
            } else if !raw.is_empty() && raw != "self" && !raw.contains('*') {
                self.candidates.push_link(page, LinkKind::Reference, DestinationSyntax::Name);
            }
        }
    }

    fn start_text_directive(&mut self, arguments: Range<usize>, column: usize) {
        let arguments = trim_range(self.text, arguments);
        if !arguments.is_empty() {
            self.set_paragraph(arguments, column);
        }
    }

    /// Parses a table, whose rows may come from a file.
    fn parse_csv_table(&mut self, title: Range<usize>, column: usize) {
        self.parse_inline(title);
        self.parse_options(column);
    }
}

/// Returns the part in angle brackets at the end of `text <part>`, without white space
/// around it. docutils requires white space before the opening bracket.
pub(super) fn in_angle_brackets(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let raw = text.slice(range.clone());
    let inside = raw.strip_suffix('>').filter(|inside| !inside.ends_with('\\'))?;
    let open = inside.rfind('<')?;
    let is_separated = inside.slice(..open).chars().next_back().is_none_or(char::is_whitespace);
    is_separated.then(|| trim_range(text, range.start + open + 1..range.start + inside.len()))
}

/// Returns the range in angle brackets at the end of a role or an entry of a table of
/// contents, where Sphinx requires no white space before the bracket.
pub(super) fn explicit_target(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let raw = text.slice(range.clone());
    let inside = raw.strip_suffix('>').filter(|inside| !inside.ends_with('\\'))?;
    let open = inside.rfind('<').filter(|open| *open > 0)?;
    let is_escaped = inside.slice(..open).ends_with('\\');
    (!is_escaped).then(|| trim_range(text, range.start + open + 1..range.start + inside.len()))
}
