//! Exports of a link graph: GraphML, CSV and sitemap.
//!
//! Each format is written row by row, so memory use does not depend on the size
//! of the graph.

use std::io::{self, Write};

use relink_model::{LinkKind, Verdict, escape_xml as escape};

use crate::{redact, redact_prose};

/// Maximum number of URLs in one sitemap (limit of the protocol).
const MAX_SITEMAP_PAGES: usize = 50_000;

/// A target as a node of the graph.
#[derive(Debug, Clone, Copy)]
pub struct NodeRow<'a> {
    /// The id.
    pub id: i64,
    /// The URL.
    pub url: &'a str,
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// The last status.
    pub status: Option<u16>,
    /// The distance in links from the seed.
    pub depth: Option<u32>,
    /// The page's title.
    pub title: Option<&'a str>,
}

/// A GraphML writer.
pub struct Graphml<W> {
    out: W,
}

impl<W: Write> Graphml<W> {
    /// Writes the header.
    pub fn begin(mut out: W) -> io::Result<Self> {
        out.write_all(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
              <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
        )?;
        // Name, element and type of each attribute.
        let keys = [
            ("url", "node", "string"),
            ("verdict", "node", "string"),
            ("status", "node", "int"),
            ("depth", "node", "int"),
            ("title", "node", "string"),
            ("kind", "edge", "string"),
        ];
        for (name, element, kind) in keys {
            writeln!(
                out,
                "<key id=\"{name}\" for=\"{element}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
            )?;
        }
        out.write_all(b"<graph edgedefault=\"directed\">\n")?;
        Ok(Self { out })
    }

    /// Writes a node.
    pub fn node(&mut self, node: &NodeRow<'_>) -> io::Result<()> {
        write!(self.out, "<node id=\"n{}\">", node.id)?;
        self.data("url", &redact(node.url))?;
        if let Some(verdict) = node.verdict {
            self.data("verdict", verdict.as_str())?;
        }
        if let Some(status) = node.status {
            self.data("status", &status.to_string())?;
        }
        if let Some(depth) = node.depth {
            self.data("depth", &depth.to_string())?;
        }
        if let Some(title) = node.title {
            self.data("title", &redact_prose(title))?;
        }
        self.out.write_all(b"</node>\n")
    }

    /// Writes a link between two nodes.
    pub fn edge(&mut self, from: i64, to: i64, kind: LinkKind) -> io::Result<()> {
        write!(self.out, "<edge source=\"n{from}\" target=\"n{to}\">")?;
        self.data("kind", kind.as_str())?;
        self.out.write_all(b"</edge>\n")
    }

    /// Writes the end.
    pub fn end(mut self) -> io::Result<()> {
        self.out.write_all(b"</graph>\n</graphml>\n")?;
        self.out.flush()
    }

    /// Writes an attribute of a node or edge.
    fn data(&mut self, key: &str, value: &str) -> io::Result<()> {
        write!(self.out, "<data key=\"{key}\">{}</data>", escape(value))
    }
}

/// A link as an edge of the graph.
#[derive(Debug, Clone, Copy)]
pub struct GraphEdgeRow<'a> {
    /// The page with the link.
    pub from: &'a str,
    /// The target of the link.
    pub to: &'a str,
    /// The kind of link.
    pub kind: LinkKind,
    /// The line of the link.
    pub line: u32,
    /// The fragment of the link.
    pub fragment: Option<&'a str>,
    /// The verdict of the target.
    pub verdict: Option<Verdict>,
    /// The target's last status.
    pub status: Option<u16>,
}

/// A CSV writer with one link per row.
pub struct GraphCsv<W> {
    out: W,
}

impl<W: Write> GraphCsv<W> {
    /// Writes the header.
    pub fn begin(mut out: W) -> io::Result<Self> {
        out.write_all(b"from,to,kind,line,fragment,verdict,status\r\n")?;
        Ok(Self { out })
    }

    /// Writes a link.
    pub fn link(&mut self, link: &GraphEdgeRow<'_>) -> io::Result<()> {
        let verdict = link.verdict.map(Verdict::as_str).unwrap_or_default();
        let status = link.status.map(|status| status.to_string()).unwrap_or_default();
        write!(
            self.out,
            "{},{},{},{},{},{verdict},{status}\r\n",
            csv_cell(&redact(link.from)),
            csv_cell(&redact(link.to)),
            link.kind.as_str(),
            link.line,
            csv_cell(link.fragment.unwrap_or_default()),
        )
    }

    /// Flushes the table.
    pub fn end(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A sitemap writer.
pub struct SitemapXml<W> {
    out: W,
    /// Number of written pages.
    pages: usize,
    /// Number of pages beyond [`MAX_SITEMAP_PAGES`].
    omitted: u64,
}

impl<W: Write> SitemapXml<W> {
    /// Writes the header.
    pub fn begin(mut out: W) -> io::Result<Self> {
        out.write_all(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
              <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
        )?;
        Ok(Self { out, pages: 0, omitted: 0 })
    }

    /// Writes a page. Pages beyond the limit are only counted.
    pub fn page(&mut self, url: &str) -> io::Result<()> {
        if self.pages == MAX_SITEMAP_PAGES {
            self.omitted += 1;
            return Ok(());
        }
        self.pages += 1;
        writeln!(self.out, "<url><loc>{}</loc></url>", escape(&redact(url)))
    }

    /// Writes the end; returns the number of pages beyond the limit.
    pub fn end(mut self) -> io::Result<u64> {
        self.out.write_all(b"</urlset>\n")?;
        self.out.flush()?;
        Ok(self.omitted)
    }
}

/// Formats a CSV cell, quoted if necessary. A value that a spreadsheet would
/// evaluate as a formula gets an apostrophe in front.
fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text that a function writes.
    fn output_of(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).expect("writing to memory succeeds");
        String::from_utf8(out).expect("the output is UTF-8")
    }

    #[test]
    fn graphml_has_nodes_and_edges_without_passwords() {
        let node = NodeRow {
            id: 7,
            url: "https://me:secret@example.org/?a=1&b=2",
            verdict: Some(Verdict::Alive),
            status: Some(200),
            depth: Some(0),
            title: Some("A <b> \u{1} title"),
        };
        let text = output_of(|out| {
            let mut graph = Graphml::begin(out)?;
            graph.node(&node)?;
            graph.edge(7, 8, LinkKind::Hyperlink)?;
            graph.end()
        });
        assert!(text.contains("<node id=\"n7\"><data key=\"url\">"), "{text}");
        assert!(text.contains("?a=1&amp;b=2</data>") && !text.contains("secret"), "{text}");
        assert!(text.contains("A &lt;b&gt;  title"), "{text}");
        assert!(
            text.contains("<edge source=\"n7\" target=\"n8\"><data key=\"kind\">hyperlink</data>")
        );
    }

    #[test]
    fn csv_cell_quotes_separators_and_prefixes_formulas() {
        assert_eq!(csv_cell("a,b"), "\"a,b\"");
        assert_eq!(csv_cell("say \"so\""), "\"say \"\"so\"\"\"");
        assert_eq!(csv_cell("=1+1"), "'=1+1");
    }

    #[test]
    fn sitemap_counts_pages_beyond_the_maximum() {
        let text = output_of(|out| {
            let mut sitemap = SitemapXml::begin(out)?;
            for _ in 0..=MAX_SITEMAP_PAGES {
                sitemap.page("https://example.org/?a&b")?;
            }
            assert_eq!(sitemap.end()?, 1);
            Ok(())
        });
        assert_eq!(
            text.matches("<loc>https://example.org/?a&amp;b</loc>").count(),
            MAX_SITEMAP_PAGES
        );
    }
}
