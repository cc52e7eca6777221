//! How data, style sheets and program source are told from other formats.

use super::{DocumentFormat, after_comments, starts_as_html};
use crate::source::Language;

/// Roots of XML documents that are known without a declaration.
const XML_ROOTS: [&str; 7] =
    ["<urlset", "<sitemapindex", "<rss", "<feed", "<opml", "<rdf:RDF", "<svg"];

/// The format that a file's name tells.
pub(super) fn of_name(name: &str) -> Option<DocumentFormat> {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension.to_ascii_lowercase().as_str() {
        "css" => Some(DocumentFormat::Css),
        "xml" | "rss" | "atom" | "rdf" | "opml" | "svg" | "xsl" | "xslt" | "xsd" | "wsdl"
        | "kml" | "gpx" | "xspf" | "dita" | "ditamap" | "docbook" | "dbk" | "csproj" | "resx"
        | "plist" => Some(DocumentFormat::Xml),
        "ipynb" => Some(DocumentFormat::Notebook),
        "csv" => Some(DocumentFormat::Csv),
        "tsv" | "tab" => Some(DocumentFormat::Tsv),
        "json" | "jsonc" | "json5" | "jsonld" | "geojson" | "webmanifest" => {
            Some(DocumentFormat::Json)
        }
        "jsonl" | "ndjson" | "jsonlines" => Some(DocumentFormat::JsonLines),
        "toml" | "yaml" | "yml" => Some(DocumentFormat::PlainText),
        _ => Language::of_name(name).map(|_| DocumentFormat::Source),
    }
}

/// The format that a media type tells.
pub(super) fn of_media_type(media_type: &str, head: &str) -> Option<DocumentFormat> {
    match media_type {
        "text/css" => Some(DocumentFormat::Css),
        "text/csv" | "application/csv" => Some(DocumentFormat::Csv),
        "text/tab-separated-values" => Some(DocumentFormat::Tsv),
        "application/x-ipynb+json" => Some(DocumentFormat::Notebook),
        "application/json" | "text/json" => Some(DocumentFormat::Json),
        "application/x-ndjson"
        | "application/ndjson"
        | "application/jsonl"
        | "application/x-jsonlines"
        | "application/jsonlines"
        | "application/json-seq" => Some(DocumentFormat::JsonLines),
        "application/xml" | "text/xml" if starts_as_html(head) => Some(DocumentFormat::Html),
        "application/xml" | "text/xml" | "text/x-opml" => Some(DocumentFormat::Xml),
        // A picture stays a picture, though `image/svg+xml` could be read.
        _ if media_type.starts_with("image/") => None,
        _ if media_type.ends_with("+xml") => Some(DocumentFormat::Xml),
        _ if media_type.ends_with("+json") => Some(DocumentFormat::Json),
        _ => None,
    }
}

/// The format that a text looks like.
pub(super) fn of_text(text: &str) -> Option<DocumentFormat> {
    if looks_like_xml(text) {
        Some(DocumentFormat::Xml)
    } else if looks_like_json(text) {
        let is_notebook = text.contains("\"cell_type\"") || text.contains("\"nbformat\"");
        Some(if is_notebook { DocumentFormat::Notebook } else { DocumentFormat::Json })
    } else {
        None
    }
}

fn looks_like_xml(text: &str) -> bool {
    let start = after_comments(text);
    text.trim_start().starts_with("<?xml") || XML_ROOTS.iter().any(|root| start.starts_with(root))
}

/// Whether a text begins as an object with a member, or as a list of strings,
/// objects or lists.
fn looks_like_json(text: &str) -> bool {
    let mut signs = text.chars().filter(|character| !character.is_whitespace());
    match (signs.next(), signs.next()) {
        (Some('{'), second) => matches!(second, Some('"' | '}')),
        (Some('['), second) => matches!(second, Some('{' | '"')),
        _ => false,
    }
}
