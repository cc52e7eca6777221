//! Site generators: maps the documents of a project to the URL paths under
//! which a generator publishes them, and reads redirect maps.
//!
//! All functions are pure. A [`ProjectTree`] lists directories, and the caller
//! reads configuration files and the first bytes of documents. Paths are
//! relative to the project, with `/` as separator; the project itself is `""`.
//!
//! Configuration files are read loosely: a key and its value are found in YAML,
//! TOML, JSON and JavaScript by the same scanner, without evaluating code. A
//! setting that cannot be read has the default of the generator.
//!
//! The rules accept more than one interpretation of a path where a generator
//! has options that cannot be read. A link is a finding only if no
//! interpretation leads to a document.

#![warn(clippy::indexing_slicing)]

mod front_matter;
mod generator;
mod generators;
mod index;
mod inference;
mod loose_config;
mod paths;
mod redirects;
mod site;
mod template_path;
mod variables;

pub use front_matter::FrontMatter;
pub use generator::{Generator, ParseGeneratorError};
pub use generators::antora::find_antora_resource;
pub use index::{RouteLookup, SiteIndex};
pub use inference::{has_links_from_root, infer_sites, is_in_documents};
pub use paths::join as join_path;
pub use redirects::{RedirectRule, is_redirect_map, read_redirects};
pub use site::{DocSite, Mount, MountContent, OtherProject, PathAlias, ProjectTree, SiteDetector};
pub use template_path::{SOURCE_PREFIX, template_path};
pub use variables::Variables;
