//! Directives: `.. name:: arguments`, with options and content below.
//!
//! Most hold ordinary text, which is read as such. Those listed here hold
//! pictures, files, pages, or nothing that is read as text.

use std::ops::Range;

use relink_model::{LinkKind, SkipReason};

use super::RstParser;
use super::target::{meaning, reference};
use crate::cut::Cut as _;
use crate::html::each_destination;
use crate::link_sink::DestinationSyntax;
use crate::list::trim;

/// Directives that show the file they name.
const PICTURES: [&str; 2] = ["image", "figure"];

/// Directives that take in the file they name.
const FILES: [&str; 3] = ["include", "literalinclude", "mdinclude"];

/// Directives whose content is not read as text.
const CODE: [&str; 24] = [
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

/// A directive's name and where its arguments begin.
pub(super) struct Directive<'t> {
    name: &'t str,
    length: usize,
}

/// The directive that stands after the two dots, if one does; it may define a
/// substitution (`|name| image:: …`).
pub(super) fn of(written: &str) -> Option<Directive<'_>> {
    let mut start = 0;
    if let Some(inside) = written.strip_prefix('|') {
        let end = inside.find("| ")?;
        let after = inside.cut(end + "| ".len()..);
        start = written.len() - after.trim_start().len();
    }
    let rest = written.cut(start..);
    let end = rest.find("::")?;
    let name = rest.cut(..end);
    let is_name = !name.is_empty()
        && name.chars().all(|letter| letter.is_alphanumeric() || "-_.+:".contains(letter));
    let length = start + end + "::".len();
    let is_ended = written.cut(length..).chars().next().is_none_or(char::is_whitespace);
    (is_name && is_ended).then_some(Directive { name, length })
}

impl RstParser<'_> {
    /// Takes in a directive; `rest` is what stands after the two dots.
    pub(super) fn directive(
        &mut self,
        directive: &Directive<'_>,
        rest: Range<usize>,
        column: usize,
    ) {
        let name = directive.name;
        let arguments = rest.start + directive.length..rest.end;
        if PICTURES.contains(&name) {
            self.argument(arguments, column, LinkKind::Embed);
            self.options(column);
        } else if FILES.contains(&name) {
            self.argument(arguments, column, LinkKind::Reference);
            self.options(column);
        } else if CODE.contains(&name) {
            self.code(arguments, column);
        } else if name == "raw" {
            self.raw(arguments, column);
        } else if name == "csv-table" {
            self.table(arguments, column);
        } else if name == "toctree" {
            self.contents(column);
        } else {
            self.text(arguments, column);
        }
    }

    /// Takes in the file or address a directive names.
    fn argument(&mut self, arguments: Range<usize>, column: usize, kind: LinkKind) {
        let end = self.continued(arguments.end, column, |line| !line.starts_with(':'));
        let address = trim(self.text, arguments.start..end);
        // `<file>` is one that comes with the program.
        if !self.text.cut(address.clone()).starts_with('<') {
            self.address(address, kind);
        }
    }

    /// Notes an address that may go over several lines.
    pub(super) fn address(&mut self, range: Range<usize>, kind: LinkKind) {
        if !range.is_empty() {
            let means = meaning(self.text.cut(range.clone()));
            self.mentions.link(range, kind, DestinationSyntax::Decoded(means));
        }
    }

    /// Takes in the options below a directive, `:name: value`.
    fn options(&mut self, column: usize) {
        while let Some(line) = self.line() {
            let written = line.written(self.text);
            let option = written.strip_prefix(':').and_then(|rest| rest.split_once(':'));
            let Some((name, value)) = option.filter(|_| line.indent > column) else { break };
            self.at = line.next;
            let value = trim(self.text, line.content.end - value.len()..line.content.end);
            match name {
                "target" => match reference(self.text.cut(value.clone())) {
                    Some(name) => self.targets.refer(name),
                    None => self.address(value, LinkKind::Hyperlink),
                },
                "url" => self.address(value, LinkKind::Resource),
                "file" => self.address(value, LinkKind::Reference),
                _ => self.inline(value),
            }
        }
    }

    fn code(&mut self, arguments: Range<usize>, column: usize) {
        self.at = self.block_end(column);
        self.mentions.pass_over(arguments.start..self.at, SkipReason::Code);
    }

    /// Takes in what is handed to one kind of output as it stands.
    fn raw(&mut self, arguments: Range<usize>, column: usize) {
        let is_html = self.text.cut(arguments.clone()).trim().eq_ignore_ascii_case("html");
        self.options(column);
        let start = self.at;
        self.at = self.block_end(column);
        if !is_html {
            self.mentions.pass_over(start..self.at, SkipReason::Code);
            return;
        }
        let mentions = &mut self.mentions;
        each_destination(self.text.cut(start..self.at), &mut |range, kind| {
            mentions.link(start + range.start..start + range.end, kind, DestinationSyntax::Html);
        });
    }

    /// Takes in a list of pages: `page` or `title <page>`, one a line.
    fn contents(&mut self, column: usize) {
        self.options(column);
        let end = self.block_end(column);
        while let Some(line) = self.line().filter(|line| line.start < end) {
            self.at = line.next;
            let page = pointed(self.text, line.content.clone()).unwrap_or(line.content);
            let written = self.text.cut(page.clone());
            if written.contains("://") {
                self.mentions.link(page, LinkKind::Hyperlink, DestinationSyntax::Plain);
            } else if !written.is_empty() && written != "self" && !written.contains('*') {
                self.mentions.link(page, LinkKind::Reference, DestinationSyntax::Name);
            }
        }
    }

    fn text(&mut self, arguments: Range<usize>, column: usize) {
        let arguments = trim(self.text, arguments);
        if !arguments.is_empty() {
            self.begin_text(arguments, column);
        }
    }

    /// Takes in a table, whose rows may come from a file.
    fn table(&mut self, title: Range<usize>, column: usize) {
        self.inline(title);
        self.options(column);
    }
}

/// The part in angle brackets at the end of `text <here>`, without white space.
pub(super) fn pointed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let written = text.cut(range.clone());
    let inside = written.strip_suffix('>').filter(|inside| !inside.ends_with('\\'))?;
    let open = inside.rfind('<')?;
    let is_apart = inside.cut(..open).chars().next_back().is_none_or(char::is_whitespace);
    is_apart.then(|| trim(text, range.start + open + 1..range.start + inside.len()))
}
