//! Detection of data formats, style sheets and source code.

use super::{DocumentFormat, skip_prolog, starts_like_html};
use crate::source::Language;

/// Root elements of XML documents that are recognized without an XML
/// declaration.
const XML_ROOTS: [&str; 7] =
    ["<urlset", "<sitemapindex", "<rss", "<feed", "<opml", "<rdf:RDF", "<svg"];

/// Detects the format by file name.
pub(super) fn from_file_name(name: &str) -> Option<DocumentFormat> {
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
        _ => Language::from_file_name(name).map(|_| DocumentFormat::Source),
    }
}

/// Detects the format by media type.
pub(super) fn from_media_type(media_type: &str, head: &str) -> Option<DocumentFormat> {
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
        "application/xml" | "text/xml" if starts_like_html(head) => Some(DocumentFormat::Html),
        "application/xml" | "text/xml" | "text/x-opml" => Some(DocumentFormat::Xml),
        // Images have no links to extract, not even `image/svg+xml`.
        _ if media_type.starts_with("image/") => None,
        _ if media_type.ends_with("+xml") => Some(DocumentFormat::Xml),
        _ if media_type.ends_with("+json") => Some(DocumentFormat::Json),
        _ => None,
    }
}

/// Detects XML, JSON and notebooks by their first characters.
pub(super) fn from_text(text: &str) -> Option<DocumentFormat> {
    if looks_like_xml(text) {
        Some(DocumentFormat::Xml)
    } else if looks_like_json(text) {
        let is_notebook = text.contains("\"cell_type\"") || text.contains("\"nbformat\"");
        Some(if is_notebook { DocumentFormat::Notebook } else { DocumentFormat::Json })
    } else {
        None
    }
}

/// Whether a text starts with an XML declaration or a known root element.
fn looks_like_xml(text: &str) -> bool {
    let start = skip_prolog(text);
    text.trim_start().starts_with("<?xml") || XML_ROOTS.iter().any(|root| start.starts_with(root))
}

/// Whether a text starts like an object, or like an array of strings or
/// objects.
fn looks_like_json(text: &str) -> bool {
    let mut characters = text.chars().filter(|character| !character.is_whitespace());
    match (characters.next(), characters.next()) {
        (Some('{'), second) => matches!(second, Some('"' | '}')),
        (Some('['), second) => matches!(second, Some('{' | '"')),
        _ => false,
    }
}
