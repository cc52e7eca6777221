//! A web from a list of links: two columns of a CSV file, or two words a line.
//!
//! Pages have any names: numbers, addresses. A CSV file may have a header with
//! `from` and `to`, and further columns; of a crawl's own export `kind` and
//! `verdict` are understood.

use std::collections::{HashMap, HashSet};

use relink_decay::{GraphError, PageIndex};
use relink_model::{LinkKind, Verdict};
use thiserror::Error;

use super::failure_model::FailureModel;
use super::web_graph::{Knowledge, Node, WebGraph};

/// A text that is no list of links.
#[derive(Debug, Error)]
pub enum EdgeListError {
    /// A line names no two pages.
    #[error("line {line} names no two pages: `{text}`")]
    NoLink {
        /// Which line.
        line: usize,
        /// What it says.
        text: String,
    },
    /// There is nothing in it.
    #[error("there is no link in it")]
    Empty,
    /// There are too many pages.
    #[error("it has too many pages or links")]
    TooLarge(#[source] GraphError),
}

/// The texts a web is made from.
#[derive(Debug, Clone, Copy)]
pub struct EdgeLists<'a> {
    /// The links.
    pub links: &'a str,
    /// The pages that are dead, one a line.
    pub dead: &'a str,
}

impl EdgeLists<'_> {
    /// The web of these links.
    ///
    /// # Errors
    ///
    /// Where a line names no two pages, or there is none.
    pub fn web(self, fails: FailureModel) -> Result<WebGraph, EdgeListError> {
        let is_said = |text: &str| !text.trim().is_empty() && !text.starts_with('#');
        let mut lines = (1..).zip(self.links.lines()).filter(|(_, text)| is_said(text)).peekable();
        let first = lines.peek().map_or("", |(_, text)| *text);
        let (columns, is_header) = Columns::of(first);
        let mut reader = GraphBuilder::default();
        for (line, text) in lines.skip(usize::from(is_header)) {
            reader.read(&columns, line, text, fails)?;
        }
        reader.finish(self.dead)
    }
}

/// How fields are set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Comma,
    Tab,
    Space,
}

/// Where things stand in a line.
#[derive(Debug, Clone, Copy)]
struct Columns {
    separator: Separator,
    from: usize,
    to: usize,
    kind: Option<usize>,
    verdict: Option<usize>,
}

impl Columns {
    /// As the first line has them, and whether it is a header.
    fn of(first: &str) -> (Self, bool) {
        let separator = separator(first);
        let names: Vec<String> =
            fields(separator, first).iter().map(|name| name.to_ascii_lowercase()).collect();
        let at = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
        match (at(&["from", "source"]), at(&["to", "target"])) {
            (Some(from), Some(to)) => {
                (Self { separator, from, to, kind: at(&["kind"]), verdict: at(&["verdict"]) }, true)
            }
            _ => (Self { separator, from: 0, to: 1, kind: None, verdict: None }, false),
        }
    }
}

fn separator(line: &str) -> Separator {
    if line.contains('\t') {
        return Separator::Tab;
    }
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_split_by_space = words.next().is_some() && !first.ends_with(',');
    if is_split_by_space { Separator::Space } else { Separator::Comma }
}

fn fields(separator: Separator, line: &str) -> Vec<String> {
    match separator {
        Separator::Space => line.split_whitespace().map(str::to_owned).collect(),
        Separator::Tab => line.split('\t').map(|field| field.trim().to_owned()).collect(),
        Separator::Comma => comma_separated(line),
    }
}

/// Fields of a line of CSV (RFC 4180), without line ends in quotes.
fn comma_separated(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let last = fields.len() - 1;
        match character {
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

/// Pages and links as they are read.
#[derive(Default)]
struct GraphBuilder {
    nodes: Vec<Node>,
    numbers: HashMap<String, PageIndex>,
    links: Vec<(PageIndex, PageIndex)>,
    /// Of pages that a crawl has judged.
    verdicts: HashMap<PageIndex, Verdict>,
}

impl GraphBuilder {
    fn read(
        &mut self,
        columns: &Columns,
        line: usize,
        text: &str,
        fails: FailureModel,
    ) -> Result<(), EdgeListError> {
        let fields = fields(columns.separator, text);
        let field = |at: usize| fields.get(at).map(String::as_str).filter(|name| !name.is_empty());
        let (Some(from), Some(to)) = (field(columns.from), field(columns.to)) else {
            return Err(EdgeListError::NoLink { line, text: text.to_owned() });
        };
        let kind = columns.kind.and_then(field).and_then(LinkKind::named);
        if kind.is_some_and(|kind| kind != LinkKind::Hyperlink) {
            return Ok(());
        }
        let (from, to) = (self.number(from), self.number(to));
        let word: Option<Verdict> =
            columns.verdict.and_then(field).and_then(|word| word.parse().ok());
        if let Some(word) = word {
            self.verdicts.insert(to, word);
            self.nodes[to as usize].fails = fails.chance(word);
        }
        self.links.push((from, to));
        Ok(())
    }

    /// The number of a page, new if it was never named.
    fn number(&mut self, name: &str) -> PageIndex {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = PageIndex::try_from(self.nodes.len()).unwrap_or(PageIndex::MAX);
        let name = name.to_owned();
        self.numbers.insert(name.clone(), number);
        self.nodes.push(Node { name, fails: 0.0, knowledge: Knowledge::Page });
        number
    }

    /// Where a crawl has judged pages, those without links were not read.
    fn mark_edge(&mut self) {
        let read: HashSet<PageIndex> = self.links.iter().map(|(from, _)| *from).collect();
        for (&page, word) in self.verdicts.iter().filter(|(page, _)| !read.contains(page)) {
            self.nodes[page as usize].knowledge = match word {
                Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk => {
                    Knowledge::Alive
                }
                _ => Knowledge::Leaf,
            };
        }
    }

    fn finish(mut self, dead: &str) -> Result<WebGraph, EdgeListError> {
        if self.links.is_empty() {
            return Err(EdgeListError::Empty);
        }
        self.mark_edge();
        let mut strangers = 0;
        for name in dead.lines().map(str::trim).filter(|name| !name.is_empty()) {
            match self.numbers.get(name) {
                Some(&page) => self.nodes[page as usize].fails = 1.0,
                None => strangers += 1,
            }
        }
        let mut web = WebGraph::new(self.nodes, &self.links).map_err(EdgeListError::TooLarge)?;
        web.unlinked_dead_pages = strangers;
        Ok(web)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links as `from>to`, one after the other.
    #[track_caller]
    fn check(links: &str, expect: &str) {
        let web = EdgeLists { links, dead: "" }.web(FailureModel::default()).unwrap();
        let told: Vec<String> = web
            .living()
            .flat_map(|page| {
                let behind = web.links_of(page).to_vec();
                behind.into_iter().map(move |to| (page, to))
            })
            .map(|(from, to)| format!("{}>{}", web.name(from), web.name(to)))
            .collect();
        assert_eq!(told.join(" "), expect);
    }

    #[test]
    fn links_stand_in_two_columns() {
        check("from,to\na,b\na,b\nb,c\n", "a>b a>b b>c");
        check("0 1\n1 2\n", "0>1 1>2");
        check("# a comment\n0\t1\n\n", "0>1");
        check("a, b\n", "a>b");
    }

    #[test]
    fn names_in_quotes_may_hold_commas() {
        check("\"http://a.test/x,y\",\"b\"\"c\"\n", "http://a.test/x,y>b\"c");
    }

    #[test]
    fn a_crawl_s_own_export_is_understood() {
        let links = "from,to,kind,line,fragment,verdict,status\n\
                     a,b,link,1,,alive,200\na,c,link,2,,dead,404\na,d,embed,3,,dead,404\n";
        check(links, "a>b a>c");
        let web = EdgeLists { links, dead: "" }.web(FailureModel::default()).unwrap();
        assert_eq!(web.failing(), 1);
    }

    #[test]
    fn a_line_without_two_pages_is_told() {
        let error =
            EdgeLists { links: "a b\nc\n", dead: "" }.web(FailureModel::default()).unwrap_err();
        assert_eq!(error.to_string(), "line 2 names no two pages: `c`");
    }
}
