//! What the user gave to read, and the files it stands for.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_page::Format;
use relink_ports::{DocumentSource, Walk, Walked};
use url::Url;

use super::LoadSettings;
use crate::unpack::inner_name;
use crate::{EngineFault, Ports};

/// One thing to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file, a directory or a glob.
    Path(String),
    /// A page on the web.
    Page {
        /// Its address as given.
        given: String,
        /// Its canonical address.
        url: Url,
    },
    /// Standard input, read to its end.
    Stdin(Arc<[u8]>),
    /// Standard input, put aside in this file because there is much of it.
    Spooled(PathBuf),
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.write_str(path),
            Self::Page { url, .. } => f.write_str(url.as_str()),
            Self::Stdin(_) | Self::Spooled(_) => f.write_str("-"),
        }
    }
}

/// An input with the files it stands for.
pub(crate) enum Found<'a> {
    Files(Walked),
    Page(&'a Url),
    Stdin(&'a Arc<[u8]>),
    Spooled(&'a Path),
}

/// Finds the files that the inputs stand for, so that a missing one is known
/// before anything is asked. A file that several of them stand for is found
/// once.
pub(crate) async fn find<'a>(
    ports: &Ports,
    settings: &'a LoadSettings,
) -> Result<Vec<Found<'a>>, EngineFault> {
    let mut walk = Walk { inputs: Vec::new() };
    let mut others = Vec::new();
    for input in &settings.inputs {
        match input {
            Input::Path(path) => walk.inputs.push(path.clone()),
            Input::Page { url, .. } => others.push(Found::Page(url)),
            Input::Stdin(bytes) => others.push(Found::Stdin(bytes)),
            Input::Spooled(path) => others.push(Found::Spooled(path)),
        }
    }
    let mut found = vec![Found::Files(ports.files.walk(&walk).await?)];
    found.append(&mut others);
    Ok(found)
}

/// Whether a document may list sitemaps, by its name. What they answer is
/// asked while loading.
pub(crate) fn may_list_sitemaps(inputs: &[Found<'_>], settings: &LoadSettings) -> bool {
    let named = |source: &DocumentSource| Format::of_file(Some(inner_name(&source.label)), b"");
    let is_xml = |source: &DocumentSource| {
        settings.reading.format.unwrap_or_else(|| named(source)) == Format::Xml
    };
    inputs.iter().any(|input| match input {
        Found::Files(walked) => walked.documents.iter().any(is_xml),
        Found::Page(_) | Found::Stdin(_) | Found::Spooled(_) => false,
    })
}
