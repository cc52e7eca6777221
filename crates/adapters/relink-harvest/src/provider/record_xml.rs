//! Records and headers as XML.

use std::fmt::Write as _;

use relink_model::escape_xml as escape;
use relink_ports::{RecordLinkRole, StoredProvider, StoredRecord};

use super::datestamp;
use crate::metadata::{is_well_formed, without_locations};

/// A metadata format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MetadataPrefix {
    /// `oai_dc`, available for all records.
    DublinCore,
    /// `oai_lom`, available for records that were harvested as LOM.
    Lom,
}

impl MetadataPrefix {
    /// Parses the name.
    pub(super) fn parse(text: &str) -> Option<Self> {
        [Self::DublinCore, Self::Lom].into_iter().find(|prefix| prefix.as_str() == text)
    }

    /// Returns the name.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::DublinCore => "oai_dc",
            Self::Lom => "oai_lom",
        }
    }

    /// Returns schema and namespace.
    pub(super) fn schema(self) -> (&'static str, &'static str) {
        match self {
            Self::DublinCore => (
                "http://www.openarchives.org/OAI/2.0/oai_dc.xsd",
                "http://www.openarchives.org/OAI/2.0/oai_dc/",
            ),
            Self::Lom => {
                ("http://ltsc.ieee.org/xsd/lomv1.0/lom.xsd", "http://ltsc.ieee.org/xsd/LOM")
            }
        }
    }

    /// Whether a record is available in this format.
    pub(super) fn is_available(self, record: &StoredRecord) -> bool {
        match self {
            Self::DublinCore => true,
            Self::Lom => {
                root_name(&record.metadata) == Some("lom") && is_well_formed(&record.metadata)
            }
        }
    }
}

/// Returns the local name of the root element, or `None` if the metadata is not XML.
fn root_name(metadata: &str) -> Option<&str> {
    let name = metadata.strip_prefix('<')?;
    let end = name.find([' ', '>', '/', '\t', '\r', '\n'])?;
    name.get(..end)?.rsplit(':').next()
}

/// The origin of a record in a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin<'a> {
    /// The provider.
    pub(super) provider: &'a StoredProvider,
    /// Whether an older provider uses the same identifier.
    pub(super) has_known_identifier: bool,
}

/// Returns the public identifier of a record: the original identifier if it is a URI that no
/// older provider uses, otherwise a URN that contains it.
pub(super) fn identifier(origin: Origin<'_>, original: &str) -> String {
    let provider = set_spec(&origin.provider.name);
    if original.contains(':') && !origin.has_known_identifier {
        original.to_owned()
    } else {
        format!("urn:relink:{provider}:{original}")
    }
}

/// Returns the original identifier of a record of a provider.
pub(super) fn original_identifier(provider: &str, name: &str) -> String {
    let original = name.strip_prefix(&format!("urn:relink:{}:", set_spec(provider)));
    original.unwrap_or(name).to_owned()
}

/// Returns the name of a provider as a set.
pub(super) fn set_spec(provider: &str) -> String {
    let is_allowed =
        |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.' | '~');
    provider.chars().map(|char| if is_allowed(char) { char } else { '_' }).collect()
}

/// Whether other harvesters see the record as deleted.
fn is_withdrawn(record: &StoredRecord) -> bool {
    record.is_deleted || !record.is_visible
}

/// Writes a header.
pub(super) fn header(origin: Origin<'_>, record: &StoredRecord) -> String {
    let status = if is_withdrawn(record) { " status=\"deleted\"" } else { "" };
    format!(
        "<header{status}><identifier>{}</identifier><datestamp>{}</datestamp>\
         <setSpec>{}</setSpec></header>\n",
        escape(&identifier(origin, &record.identifier)),
        datestamp(record.changed_at),
        set_spec(&origin.provider.name)
    )
}

/// Writes a record. A withdrawn record has a header only.
pub(super) fn record(origin: Origin<'_>, record: &StoredRecord, prefix: MetadataPrefix) -> String {
    let mut xml = format!("<record>{}", header(origin, record));
    if !is_withdrawn(record) {
        let metadata = match prefix {
            MetadataPrefix::Lom => published_metadata(record).unwrap_or_default(),
            MetadataPrefix::DublinCore => dublin_core(record),
        };
        let _ = writeln!(xml, "<metadata>{metadata}</metadata>");
    }
    xml + "</record>\n"
}

/// Returns the harvested metadata without the hidden locations (broken links). Returns `None` if
/// the metadata is not well-formed XML. Earlier versions stored such metadata.
fn published_metadata(record: &StoredRecord) -> Option<String> {
    let hidden = record.links.iter().filter(|link| !link.is_shown);
    let hidden: Vec<&str> = hidden.map(|link| link.original.as_str()).collect();
    let is_usable = is_well_formed(&record.metadata);
    is_usable.then(|| without_locations(&record.metadata, &hidden))
}

/// Returns the metadata as Dublin Core. Metadata in another format is reduced to the title and
/// the links.
fn dublin_core(record: &StoredRecord) -> String {
    if root_name(&record.metadata) == Some("dc")
        && let Some(metadata) = published_metadata(record)
    {
        return metadata;
    }
    let mut xml = String::from(
        "<oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
         xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai_dc/ \
         http://www.openarchives.org/OAI/2.0/oai_dc.xsd\">",
    );
    if let Some(title) = &record.title {
        let _ = write!(xml, "<dc:title>{}</dc:title>", escape(title));
    }
    for link in record.links.iter().filter(|link| link.is_shown) {
        let name = match link.role {
            RecordLinkRole::Location => "identifier",
            RecordLinkRole::Related => "relation",
        };
        let _ = write!(xml, "<dc:{name}>{}</dc:{name}>", escape(&link.original));
    }
    xml + "</oai_dc:dc>"
}
