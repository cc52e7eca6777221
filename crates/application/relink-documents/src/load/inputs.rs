//! Inputs given by the user, and their resolution to files.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_page::{DocumentFormat, is_sitemap_index};
use relink_ports::{DocumentSource, WalkRequest, WalkResult};
use url::Url;

use super::{LoadSettings, document_content};
use crate::decompress::inner_name;
use relink_requests::{EngineError, Ports};

/// An input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file, a directory or a glob.
    Path(PathBuf),
    /// A web page.
    Page {
        /// The URL as given.
        original_url: String,
        /// The canonical URL.
        url: Url,
    },
    /// Standard input, in memory.
    Stdin(Arc<[u8]>),
    /// Standard input, spooled to this file because it is large.
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

/// Start of a sitemap index, used to test whether a file name leaves the format
/// open.
const SITEMAP_INDEX_HEAD: &[u8] = b"<?xml version=\"1.0\"?><sitemapindex>";

/// An input with its files.
pub enum ResolvedInput<'a> {
    /// Files and directories.
    Files(WalkResult),
    /// A web page.
    Page(&'a Url),
    /// Standard input, in memory.
    Stdin(&'a Arc<[u8]>),
    /// Standard input, in a temporary file because it is large.
    Spooled(&'a Path),
}

/// Resolves the inputs to files, so that a missing input is reported before the
/// first request. A file matched by several inputs is returned once.
pub async fn resolve_inputs<'a>(
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
    let mut resolved = vec![ResolvedInput::Files(ports.files.walk(&walk).await?)];
    resolved.append(&mut others);
    Ok(resolved)
}

/// Whether a document may list sitemaps, by its name or its first bytes. The
/// loader fetches the sitemaps.
pub async fn may_list_sitemaps(
    ports: &Ports,
    inputs: &[ResolvedInput<'_>],
    settings: &LoadSettings,
) -> bool {
    let format = settings.read_options.format;
    let is_xml = |name: Option<&str>, head: &[u8]| {
        format.unwrap_or_else(|| DocumentFormat::from_file(name, head)) == DocumentFormat::Xml
    };
    let mut undetermined = Vec::new();
    for input in inputs {
        match input {
            ResolvedInput::Files(WalkResult { documents, .. }) => {
                for DocumentSource { label, path } in documents {
                    let name = Some(inner_name(label));
                    if is_xml(name, b"") {
                        return true;
                    }
                    if is_xml(name, SITEMAP_INDEX_HEAD) {
                        undetermined.push(path.clone());
                    }
                }
            }
            ResolvedInput::Stdin(bytes) if is_xml(None, bytes) && is_sitemap_index(bytes) => {
                return true;
            }
            ResolvedInput::Spooled(path) if is_xml(None, SITEMAP_INDEX_HEAD) => {
                undetermined.push((*path).to_owned());
            }
            ResolvedInput::Page(_) | ResolvedInput::Stdin(_) | ResolvedInput::Spooled(_) => {}
        }
    }
    let files = Arc::clone(&ports.files);
    let is_index = move |path: &PathBuf| {
        files.can_reopen(path) && is_sitemap_index(&document_content::head(&*files, path))
    };
    let has_index = tokio::task::spawn_blocking(move || undetermined.iter().any(is_index)).await;
    has_index.unwrap_or(false)
}
