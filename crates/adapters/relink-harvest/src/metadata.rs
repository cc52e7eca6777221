//! Reads title, identifier and links of a record from its metadata.
//!
//! Elements are recognized by local name and position, because providers use many
//! versions of the namespaces. A location is a link to the described resource. In LOM it
//! is the element `technical/location`, in Dublin Core `identifier`. The Dublin Core
//! elements `relation` and `source` are related resources.

use relink_ports::{RecordLink, RecordLinkRole};

use crate::well_formed::well_formed;
use crate::xml::{Element, Node, XmlError, XmlReader};

/// The values read from the metadata of a record.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Metadata {
    /// The title.
    pub(crate) title: Option<String>,
    /// An identifier, for files without an OAI-PMH header.
    pub(crate) identifier: Option<String>,
    /// The links, without duplicates.
    pub(crate) links: Vec<RecordLink>,
    /// The element as well-formed XML, with all namespaces that it uses.
    pub(crate) xml: String,
    /// Why the element is not well-formed XML and cannot be repaired.
    pub(crate) problem: Option<String>,
}

/// The position in the metadata, which determines the meaning of an element.
struct Context<'a> {
    location_fields: &'a [String],
    /// The local names of the open elements, from the root of the metadata.
    path: Vec<String>,
}

/// Reads the element `root` up to its end. `outer` are the namespace declarations (name and
/// value) of the elements around `root`.
pub(crate) fn read_metadata(
    reader: &mut XmlReader<'_>,
    root: &Element<'_>,
    outer: &[(String, String)],
    location_fields: &[String],
) -> Result<Metadata, XmlError> {
    let mut metadata = Metadata::default();
    let mut context = Context { location_fields, path: vec![root.name.clone()] };
    let mut text = String::new();
    loop {
        match reader.next()? {
            Node::Open(element) => {
                context.path.push(element.name);
                text.clear();
            }
            Node::Text(part) => text += &part,
            Node::Close => {
                context.record(text.trim(), &mut metadata);
                text.clear();
                context.path.pop();
                if context.path.is_empty() {
                    break;
                }
            }
            Node::End => break,
        }
    }
    match well_formed(&fragment(reader, root, outer)) {
        Ok(xml) => metadata.xml = xml,
        Err(reason) => {
            let XmlError { line, column, .. } = reader.error(root.offset, "");
            let problem = format!("metadata at line {line}, column {column}: {reason}");
            metadata.problem = Some(problem);
        }
    }
    Ok(metadata)
}

/// Whether stored metadata is well-formed XML.
pub(crate) fn is_well_formed(xml: &str) -> bool {
    well_formed(xml).is_ok_and(|repaired| repaired == xml)
}

impl Context<'_> {
    /// Records the text of the element that ends.
    fn record(&self, text: &str, metadata: &mut Metadata) {
        if text.is_empty() {
            return;
        }
        if let Some(role) = self.link_role().filter(|_| is_web_url(text)) {
            let link = RecordLink { role, url: text.to_owned() };
            if !metadata.links.iter().any(|known| known.url == link.url) {
                metadata.links.push(link);
            }
        }
        if self.is_title() && metadata.title.is_none() {
            metadata.title = Some(text.to_owned());
        }
        if self.is_identifier() && metadata.identifier.is_none() {
            metadata.identifier = Some(text.to_owned());
        }
    }

    /// Returns the role of a link in the current element, or `None` if the element contains no
    /// links.
    fn link_role(&self) -> Option<RecordLinkRole> {
        let name = self.path.last()?;
        if self.location_fields.iter().any(|field| field == name) {
            return Some(RecordLinkRole::Location);
        }
        match (self.parent(), name.as_str()) {
            ("technical", "location") => Some(RecordLinkRole::Location),
            _ if !self.is_dublin_core() => None,
            (_, "identifier") => Some(RecordLinkRole::Location),
            (_, "relation" | "source") => Some(RecordLinkRole::Related),
            _ => None,
        }
    }

    /// Whether the current element contains the title. In LOM, the title may be in a descendant.
    fn is_title(&self) -> bool {
        let is_lom_title = matches!(
            self.path.as_slice(),
            [root, general, title, ..] if root == "lom" && general == "general" && title == "title"
        );
        is_lom_title
            || (self.is_dublin_core() && self.path.last().is_some_and(|name| name == "title"))
    }

    /// Whether the current element contains an identifier.
    fn is_identifier(&self) -> bool {
        // The path is `lom/general/identifier/entry`.
        let is_lom_entry = self.parent() == "identifier" && self.path.len() == 4;
        (is_lom_entry && self.path.last().is_some_and(|name| name == "entry"))
            || (self.is_dublin_core() && self.path.last().is_some_and(|name| name == "identifier"))
    }

    /// Returns the name of the parent of the current element, or an empty text for the root.
    fn parent(&self) -> &str {
        let parent = self.path.len().checked_sub(2).and_then(|index| self.path.get(index));
        parent.map_or("", String::as_str)
    }

    /// Whether the current element is a direct child of a Dublin Core record.
    fn is_dublin_core(&self) -> bool {
        self.path.len() == 2 && self.path.first().is_some_and(|root| root.ends_with("dc"))
    }
}

/// Returns the metadata of a record without the elements that contain one of these
/// locations. Identifiers of LOM are not removed, because they identify the record.
/// Metadata that is not XML is returned unchanged.
pub(crate) fn without_locations(xml: &str, locations: &[&str]) -> String {
    match location_spans(xml, locations) {
        Ok(spans) => {
            let mut remaining = String::with_capacity(xml.len());
            let mut copied_until = 0;
            for (start, end) in spans {
                remaining += xml.get(copied_until..start).unwrap_or_default();
                copied_until = end;
            }
            remaining + xml.get(copied_until..).unwrap_or_default()
        }
        Err(_) => xml.to_owned(),
    }
}

/// Returns the byte ranges of the elements whose text is one of these locations.
fn location_spans(xml: &str, locations: &[&str]) -> Result<Vec<(usize, usize)>, XmlError> {
    let mut reader = XmlReader::new(xml);
    let mut context = Context { location_fields: &[], path: Vec::new() };
    let (mut starts, mut spans) = (Vec::new(), Vec::new());
    let mut text = String::new();
    loop {
        match reader.next()? {
            Node::Open(element) => {
                starts.push(element.offset);
                context.path.push(element.name);
                text.clear();
            }
            Node::Text(part) => text += &part,
            Node::Close => {
                let is_entry = context.path.last().is_some_and(|name| name == "entry");
                if let Some(start) = starts.pop()
                    && locations.contains(&text.trim())
                    && !(is_entry && context.parent() == "identifier")
                {
                    spans.push((start, reader.offset()));
                }
                text.clear();
                context.path.pop();
            }
            Node::End => return Ok(spans),
        }
    }
}

fn is_web_url(text: &str) -> bool {
    let has_scheme = |scheme: &str| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    has_scheme("http://") || has_scheme("https://")
}

/// Returns the element `root` as XML. Adds the used namespace declarations of outer elements, so
/// that the XML is valid in another document.
fn fragment(reader: &XmlReader<'_>, root: &Element<'_>, outer: &[(String, String)]) -> String {
    let name_end = root.offset + 1 + root.qualified_name_len();
    let own_namespaces = root.namespaces();
    let mut xml = reader.slice(root.offset, name_end).to_owned();
    let after_name = reader.slice(name_end, reader.offset());
    for (name, value) in outer {
        // A declaration without a prefix is always used.
        let is_used = name.strip_prefix("xmlns:").is_none_or(|prefix| {
            xml.contains(&format!("<{prefix}:")) || after_name.contains(&format!("{prefix}:"))
        });
        if is_used && !own_namespaces.iter().any(|(own_name, _)| own_name == name) {
            xml.extend([" ", name, "=\"", &value.replace('"', "&quot;"), "\""]);
        }
    }
    xml + after_name
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads metadata. `fields` are further elements with locations.
    fn read(xml: &str, fields: &[&str]) -> Metadata {
        let mut reader = XmlReader::new(xml);
        let Ok(Node::Open(root)) = reader.next() else { panic!("no element") };
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        read_metadata(&mut reader, &root, &[], &fields).unwrap()
    }

    /// Returns the links, printed as `ROLE URL`.
    fn urls(metadata: &Metadata) -> Vec<String> {
        let print = |link: &RecordLink| format!("{:?} {}", link.role, link.url);
        metadata.links.iter().map(print).collect()
    }

    #[test]
    fn lom_locations_are_read() {
        let lom = "<lom:lom xmlns:lom='http://ltsc.ieee.org/xsd/LOM'><lom:general>\
                   <lom:identifier><lom:catalog>x</lom:catalog><lom:entry>id-1</lom:entry>\
                   </lom:identifier><lom:title><lom:string language='en'>A &amp; B</lom:string>\
                   <lom:string>C</lom:string></lom:title></lom:general><lom:technical>\
                   <lom:location>http://a.test/?x=1&amp;y=2</lom:location>\
                   <lom:location> HTTPS://b.test/ </lom:location>\
                   <lom:location>urn:isbn:1</lom:location></lom:technical></lom:lom>";
        let metadata = read(lom, &[]);
        assert_eq!(
            urls(&metadata),
            ["Location http://a.test/?x=1&y=2", "Location HTTPS://b.test/"]
        );
        assert_eq!(metadata.title.as_deref(), Some("A & B"));
        assert_eq!(metadata.identifier.as_deref(), Some("id-1"));
        assert_eq!(metadata.xml, lom);
    }

    #[test]
    fn without_locations_removes_elements_with_these_locations() {
        let lom = "<lom><general><identifier><entry>http://a.test/1</entry></identifier></general>\
                   <technical>\n<location> http://a.test/1\n</location><location>http://b.test/?a&amp;b\
                   </location><format>x</format></technical></lom>";
        let remaining = without_locations(lom, &["http://a.test/1", "http://c.test/"]);
        assert_eq!(
            remaining,
            "<lom><general><identifier><entry>http://a.test/1</entry></identifier></general>\
             <technical>\n<location>http://b.test/?a&amp;b</location><format>x</format></technical></lom>"
        );
        assert_eq!(urls(&read(&remaining, &[])), ["Location http://b.test/?a&b"]);
        assert!(!without_locations(lom, &["http://b.test/?a&b"]).contains("b.test"));
        assert_eq!(without_locations("{\"url\": 1}", &["1"]), "{\"url\": 1}");
    }

    #[test]
    fn dublin_core_identifiers_are_locations() {
        let dc = "<oai_dc:dc xmlns:oai_dc='urn:o' xmlns:dc='urn:d'><dc:title>T</dc:title><dc:identifier>doi:1</dc:identifier>\
                  <dc:identifier>http://a.test/1</dc:identifier><dc:relation>http://a.test/2\
                  </dc:relation><dc:rights>http://a.test/3</dc:rights></oai_dc:dc>";
        let metadata = read(dc, &[]);
        assert_eq!(urls(&metadata), ["Location http://a.test/1", "Related http://a.test/2"]);
        assert_eq!(metadata.title.as_deref(), Some("T"));
        let metadata = read(dc, &["rights"]);
        assert_eq!(urls(&metadata).len(), 3);
    }

    #[test]
    fn fragment_gets_outer_namespaces() {
        let mut reader = XmlReader::new("<m><a:b x:y='1'><c/></a:b></m>");
        assert!(matches!(reader.next(), Ok(Node::Open(_))));
        let Ok(Node::Open(root)) = reader.next() else { panic!("no element") };
        let outer = [("xmlns:a", "urn:a"), ("xmlns:x", "urn:x"), ("xmlns:z", "urn:z")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let metadata = read_metadata(&mut reader, &root, &outer, &[]).unwrap();
        assert_eq!(metadata.xml, "<a:b xmlns:a=\"urn:a\" xmlns:x=\"urn:x\" x:y='1'><c/></a:b>");
    }
}
