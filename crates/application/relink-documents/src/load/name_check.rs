//! Decides whether a missing path is a name and not a file: a label of the site, an object of
//! source code, a page name, or a document of another project.

use relink_page::DocumentFormat;
use relink_sites::{ProjectTree as _, join_path};

use super::label_check::LabelLookup;
use super::local::{LocalLink, has_known_extension};
use super::local_check::{LocalLinkChecker, PathLookup};

impl LocalLinkChecker<'_> {
    /// Whether the generator of a Markdown document has no wiki links. The brackets of
    /// `[[name]]` are text then.
    pub(super) async fn is_text(&mut self, link: &LocalLink) -> bool {
        let Some((document, _)) = link.site_path().filter(|_| link.style().is_wiki_link) else {
            return false;
        };
        let document = document.to_owned();
        let Some(project) = self.project().await else { return false };
        let Some(document) = project.relative(&document) else { return false };
        project.site_of(&document).is_some_and(|site| !site.generator.may_have_wiki_links())
    }

    /// Whether a link in Markdown of a Sphinx site may be the name of an object
    /// or label that is defined in source code or in another project.
    pub(super) async fn may_be_object(&mut self, link: &LocalLink) -> bool {
        let Some((document, path)) = link.site_path() else { return false };
        let is_name = !path.is_empty() && !path.contains('/') && !has_known_extension(path);
        let is_markdown = DocumentFormat::from_file(Some(&document.to_string_lossy()), b"")
            == DocumentFormat::Markdown;
        if !is_name || !is_markdown {
            return false;
        }
        let is_item = path.contains("::") || !path.contains('.');
        let is_hyphenated = path.contains('-') && !path.contains(['.', ':']);
        let label = path.to_owned();
        let document = document.to_owned();
        if is_hyphenated
            && let Some(LabelLookup::Missing(_)) = self.find_label(&document, &label).await
        {
            return false;
        }
        let Some(project) = self.project().await else { return false };
        let Some(document) = project.relative(&document) else { return false };
        project.labels_site(&document).is_some_and(|site| {
            // Names of rules have dots and are in the documents; names of Rust
            // items are not.
            if site.has_rule_labels {
                is_item
            } else {
                let has_objects = site.has_external_labels || site.has_source_labels;
                has_objects || site.has_generated_reference
            }
        })
    }

    /// Whether a reference in a Sphinx site may lead to a document of another project.
    pub(super) async fn may_be_external_document(&mut self, link: &LocalLink) -> bool {
        let Some((document, path)) = link.site_path() else { return false };
        let is_reference = !link.style().extensions.is_empty() && !path.starts_with(['/', '.']);
        let (document, written) = (document.to_owned(), path.to_owned());
        if !is_reference || has_known_extension(path) {
            return false;
        }
        let Some(project) = self.project().await else { return false };
        let Some(document) = project.relative(&document) else { return false };
        // A document in a directory of the site is one of its own.
        let Some((folder, _)) = written.split_once('/') else { return false };
        let own = document.rsplit_once('/').map_or("", |(own, _)| own);
        project.labels_site(&document).is_some_and(|site| {
            let mut parents = [own, site.root.as_str()].into_iter();
            site.has_external_documents
                && !parents.any(|parent| project.is_dir(&join_path(parent, folder)))
        })
    }

    /// Whether a path is that of a page or file from the root of the site. A component may
    /// add the slash.
    pub(super) async fn is_below_root(&mut self, link: &LocalLink) -> bool {
        let Some(link) = link.to_root_relative() else { return false };
        let found = self.find_on_site(&link).await;
        matches!(found, Some(PathLookup::File(_) | PathLookup::Page(..)))
    }

    /// Whether the path of a link is a label of its site.
    pub(super) async fn is_label(&mut self, link: &LocalLink) -> bool {
        let Some((document, path)) = link.site_path() else { return false };
        let (document, path) = (document.to_owned(), path.to_owned());
        self.find_label(&document, &path).await == Some(LabelLookup::Found)
    }
}
