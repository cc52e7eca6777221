//! Reads a web graph from a list of links (edges): CSV with two columns, or two words
//! per line.
//!
//! Pages may have any names, such as numbers or URLs. A CSV file may have a
//! header with `from`, `to` and further columns. The columns `kind` and
//! `verdict`, which a crawl exports, are used if they exist.

use std::collections::{HashMap, HashSet};

use relink_decay::{GraphError, PageIndex};
use relink_model::{LinkKind, Verdict};
use thiserror::Error;

use super::failure_model::FailureModel;
use super::web_graph::{Node, NodeState, WebGraph};

/// Error in a list of links.
#[derive(Debug, Error)]
pub enum EdgeListError {
    /// A line does not name two pages.
    #[error("line {line}: expected two pages, found `{text}`")]
    InvalidLine {
        /// The line number.
        line: usize,
        /// The text of the line.
        text: String,
    },
    /// The list has no links.
    #[error("the list has no links")]
    Empty,
    /// The list has too many pages.
    #[error("too many pages or links")]
    TooLarge(#[source] GraphError),
}

/// The texts of a web graph.
#[derive(Debug, Clone, Copy)]
pub struct EdgeLists<'a> {
    /// The links.
    pub links: &'a str,
    /// The dead pages, one per line.
    pub dead: &'a str,
}

impl EdgeLists<'_> {
    /// Builds the graph.
    ///
    /// # Errors
    ///
    /// If a line does not name two pages, or the list is empty.
    pub fn graph(self, failure_model: FailureModel) -> Result<WebGraph, EdgeListError> {
        let has_data = |text: &str| !text.trim().is_empty() && !text.starts_with('#');
        let mut lines = (1..).zip(self.links.lines()).filter(|(_, text)| has_data(text)).peekable();
        let first = lines.peek().map_or("", |(_, text)| *text);
        let (columns, is_header) = Columns::detect(first);
        let mut builder = GraphBuilder::default();
        for (line, text) in lines.skip(usize::from(is_header)) {
            builder.add_line(&columns, line, text, failure_model)?;
        }
        builder.finish(self.dead)
    }
}

/// Field separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Comma,
    Tab,
    Space,
}

/// Indexes of the columns of a line.
#[derive(Debug, Clone, Copy)]
struct Columns {
    separator: Separator,
    /// The page with the link.
    from: usize,
    /// The target of the link.
    to: usize,
    /// The kind of the link.
    kind: Option<usize>,
    /// The verdict on the target.
    verdict: Option<usize>,
}

impl Columns {
    /// Detects the columns from the first line, and whether it is a header.
    fn detect(first_line: &str) -> (Self, bool) {
        let separator = separator(first_line);
        let names: Vec<String> =
            fields(separator, first_line).iter().map(|name| name.to_ascii_lowercase()).collect();
        let column_of =
            |candidates: &[&str]| names.iter().position(|name| candidates.contains(&name.as_str()));
        match (column_of(&["from", "source"]), column_of(&["to", "target"])) {
            (Some(from), Some(to)) => (
                Self {
                    separator,
                    from,
                    to,
                    kind: column_of(&["kind"]),
                    verdict: column_of(&["verdict"]),
                },
                true,
            ),
            _ => (Self { separator, from: 0, to: 1, kind: None, verdict: None }, false),
        }
    }
}

/// Detects the separator of a line. `a b` is split at the space, `a, b` at the comma.
fn separator(line: &str) -> Separator {
    if line.contains('\t') {
        return Separator::Tab;
    }
    let mut words = line.split_whitespace();
    let first_word = words.next().unwrap_or_default();
    let is_split_by_space = words.next().is_some() && !first_word.ends_with(',');
    if is_split_by_space { Separator::Space } else { Separator::Comma }
}

/// Splits a line into fields.
fn fields(separator: Separator, line: &str) -> Vec<String> {
    match separator {
        Separator::Space => line.split_whitespace().map(str::to_owned).collect(),
        Separator::Tab => line.split('\t').map(|field| field.trim().to_owned()).collect(),
        Separator::Comma => comma_separated(line),
    }
}

/// Splits a CSV line (RFC 4180) into fields. Line breaks in quotes are not
/// supported.
fn comma_separated(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let last = fields.len() - 1;
        match character {
            // Two quotes within quotes are one quote.
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                fields[last].push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            other => fields[last].push(other),
        }
    }
    fields.iter().map(|field| field.trim().to_owned()).collect()
}

/// The graph read so far.
#[derive(Default)]
struct GraphBuilder {
    nodes: Vec<Node>,
    page_indexes: HashMap<String, PageIndex>,
    links: Vec<(PageIndex, PageIndex)>,
    /// Verdicts on pages, if the list has them.
    verdicts: HashMap<PageIndex, Verdict>,
}

impl GraphBuilder {
    /// Adds the link on a line. Embedded resources and other links that a user cannot follow
    /// are skipped.
    fn add_line(
        &mut self,
        columns: &Columns,
        line: usize,
        text: &str,
        failure_model: FailureModel,
    ) -> Result<(), EdgeListError> {
        let fields = fields(columns.separator, text);
        let field =
            |column: usize| fields.get(column).map(String::as_str).filter(|name| !name.is_empty());
        let (Some(from), Some(to)) = (field(columns.from), field(columns.to)) else {
            return Err(EdgeListError::InvalidLine { line, text: text.to_owned() });
        };
        let kind = columns.kind.and_then(field).and_then(LinkKind::from_name);
        if kind.is_some_and(|kind| kind != LinkKind::Hyperlink) {
            return Ok(());
        }
        let (from, to) = (self.page_index(from), self.page_index(to));
        let verdict: Option<Verdict> =
            columns.verdict.and_then(field).and_then(|verdict| verdict.parse().ok());
        if let Some(verdict) = verdict {
            self.verdicts.insert(to, verdict);
            let node = &mut self.nodes[to as usize];
            node.failure_probability = failure_model.failure_probability(verdict);
            node.is_soft_404 = verdict == Verdict::Soft404;
        }
        self.links.push((from, to));
        Ok(())
    }

    /// Returns the index of a page, and adds it if it is new.
    fn page_index(&mut self, name: &str) -> PageIndex {
        if let Some(&index) = self.page_indexes.get(name) {
            return index;
        }
        let index = PageIndex::try_from(self.nodes.len()).unwrap_or(PageIndex::MAX);
        let name = name.to_owned();
        self.page_indexes.insert(name.clone(), index);
        self.nodes.push(Node {
            name,
            failure_probability: 0.0,
            is_soft_404: false,
            state: NodeState::Known,
        });
        index
    }

    /// Marks the pages without links that have a verdict: a crawl judged them, but did not
    /// parse them.
    fn mark_unparsed_pages(&mut self) {
        let parsed: HashSet<PageIndex> = self.links.iter().map(|(from, _)| *from).collect();
        for (&page, verdict) in self.verdicts.iter().filter(|(page, _)| !parsed.contains(page)) {
            self.nodes[page as usize].state = match verdict {
                Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk => {
                    NodeState::LinksUnknown
                }
                _ => NodeState::Leaf,
            };
        }
    }

    /// Builds the graph. `dead` has the names of the dead pages, one per line.
    fn finish(mut self, dead: &str) -> Result<WebGraph, EdgeListError> {
        if self.links.is_empty() {
            return Err(EdgeListError::Empty);
        }
        self.mark_unparsed_pages();
        let mut unlinked = 0;
        for name in dead.lines().map(str::trim).filter(|name| !name.is_empty()) {
            match self.page_indexes.get(name) {
                Some(&page) => self.nodes[page as usize].failure_probability = 1.0,
                None => unlinked += 1,
            }
        }
        let has_verdicts = !self.verdicts.is_empty();
        let mut web = WebGraph::new(self.nodes, &self.links).map_err(EdgeListError::TooLarge)?;
        web.unlinked_dead_pages = unlinked;
        web.has_verdicts = has_verdicts;
        Ok(web)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the links read from a list, written as `from>to` and separated by spaces.
    #[track_caller]
    fn check(links: &str, expected: &str) {
        let web = EdgeLists { links, dead: "" }.graph(FailureModel::default()).unwrap();
        let links: Vec<String> = web
            .live_pages()
            .flat_map(|page| {
                let targets = web.links_of(page).to_vec();
                targets.into_iter().map(move |to| (page, to))
            })
            .map(|(from, to)| format!("{}>{}", web.name(from), web.name(to)))
            .collect();
        assert_eq!(links.join(" "), expected);
    }

    #[test]
    fn parses_two_columns_with_any_separator() {
        check("from,to\na,b\na,b\nb,c\n", "a>b a>b b>c");
        check("0 1\n1 2\n", "0>1 1>2");
        check("# a comment\n0\t1\n\n", "0>1");
        check("a, b\n", "a>b");
    }

    #[test]
    fn parses_quoted_names_with_commas() {
        check("\"http://a.test/x,y\",\"b\"\"c\"\n", "http://a.test/x,y>b\"c");
    }

    #[test]
    fn parses_crawl_export_without_embedded_resources() {
        let links = "from,to,kind,line,fragment,verdict,status\n\
                     a,b,hyperlink,1,,alive,200\na,c,hyperlink,2,,dead,404\na,d,embed,3,,dead,404\n";
        check(links, "a>b a>c");
        let web = EdgeLists { links, dead: "" }.graph(FailureModel::default()).unwrap();
        assert_eq!(web.failing_count(), 1);
    }

    #[test]
    fn rejects_line_without_two_pages() {
        let error =
            EdgeLists { links: "a b\nc\n", dead: "" }.graph(FailureModel::default()).unwrap_err();
        assert_eq!(error.to_string(), "line 2: expected two pages, found `c`");
    }
}
