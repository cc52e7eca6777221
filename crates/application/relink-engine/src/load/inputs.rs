//! What the user gave to read, and the files it stands for.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_page::{DocumentFormat, is_sitemap_index};
use relink_ports::{DocumentSource, WalkRequest, WalkResult};
use url::Url;

use super::{LoadSettings, document_content};
use crate::decompress::inner_name;
use crate::{EngineError, Ports};

/// One thing to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file, a directory or a glob.
    Path(PathBuf),
    /// A page on the web.
    Page {
        /// Its address as given.
        original_url: String,
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
            Self::Path(path) => path.display().fmt(f),
            Self::Page { url, .. } => f.write_str(url.as_str()),
            Self::Stdin(_) | Self::Spooled(_) => f.write_str("-"),
        }
    }
}

/// What an index of sitemaps begins with: a name under which this is XML says
/// nothing itself, or that.
const INDEX: &[u8] = b"<?xml version=\"1.0\"?><sitemapindex>";

/// An input with the files it stands for.
pub(crate) enum ResolvedInput<'a> {
    Files(WalkResult),
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
) -> Result<Vec<ResolvedInput<'a>>, EngineError> {
    let mut walk = WalkRequest { inputs: Vec::new() };
    let mut others = Vec::new();
    for input in &settings.inputs {
        match input {
            Input::Path(path) => walk.inputs.push(path.clone()),
            Input::Page { url, .. } => others.push(ResolvedInput::Page(url)),
            Input::Stdin(bytes) => others.push(ResolvedInput::Stdin(bytes)),
            Input::Spooled(path) => others.push(ResolvedInput::Spooled(path)),
        }
    }
    let mut found = vec![ResolvedInput::Files(ports.files.walk(&walk).await?)];
    found.append(&mut others);
    Ok(found)
}

/// Whether a document may list sitemaps, by its name or, where that says
/// nothing, by its first bytes. What they answer is asked while loading.
pub(crate) async fn may_list_sitemaps(
    ports: &Ports,
    inputs: &[ResolvedInput<'_>],
    settings: &LoadSettings,
) -> bool {
    let format = settings.reading.format;
    let is_xml = |name: Option<&str>, head: &[u8]| {
        format.unwrap_or_else(|| DocumentFormat::of_file(name, head)) == DocumentFormat::Xml
    };
    let mut unsaid = Vec::new();
    for input in inputs {
        match input {
            ResolvedInput::Files(WalkResult { documents, .. }) => {
                for DocumentSource { label, path } in documents {
                    let name = Some(inner_name(label));
                    if is_xml(name, b"") {
                        return true;
                    }
                    if is_xml(name, INDEX) {
                        unsaid.push(path.clone());
                    }
                }
            }
            ResolvedInput::Stdin(bytes) if is_xml(None, bytes) && is_sitemap_index(bytes) => {
                return true;
            }
            ResolvedInput::Spooled(path) if is_xml(None, INDEX) => unsaid.push((*path).to_owned()),
            ResolvedInput::Page(_) | ResolvedInput::Stdin(_) | ResolvedInput::Spooled(_) => {}
        }
    }
    let files = Arc::clone(&ports.files);
    let is_index = move |path: &PathBuf| {
        files.can_reopen(path) && is_sitemap_index(&document_content::head(&*files, path))
    };
    let is_any = tokio::task::spawn_blocking(move || unsaid.iter().any(is_index)).await;
    is_any.unwrap_or(false)
}
