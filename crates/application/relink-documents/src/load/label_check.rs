//! Looks up the labels of a site, which are valid in all of its documents, as in Sphinx.

use std::path::Path;
use std::sync::Arc;

use relink_judge::codes;
use relink_sites::DocSite;

use super::labels::Labels;
use super::local::LocalLink;
use super::local_check::{LocalLinkChecker, LocalLinkResult, alive, finding};
use super::project::Project;
use super::skip::CheckSkipReason;

/// The file of a Sphinx project that lists its labels and documents.
const INVENTORY: &str = "objects.inv";
/// Start of the labels that a gallery of examples generates.
const GALLERY_LABEL: &str = "sphx_glr_";

/// Result of the lookup of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LabelLookup {
    /// The site has the label.
    Found,
    /// Another project defines the label; its inventory has this URL if it is known.
    OtherProject(Option<String>),
    /// The label may be defined in source code or in another project.
    MayBeExternal,
    /// The site does not have the label; a similar one may exist.
    Missing(Option<String>),
}

impl LocalLinkChecker<'_> {
    /// Looks up a label in the site of a document; `None` if the generator has no
    /// labels.
    pub(super) async fn find_label(&mut self, document: &Path, label: &str) -> Option<LabelLookup> {
        let project = self.project().await?;
        let relative = project.relative(document)?;
        let site = project.labels_site(&relative)?.clone();
        if let Some(other) = other_project(&site, label) {
            return Some(other);
        }
        let rule = site.has_rule_labels.then(|| format!("r-{label}"));
        let label = rule.as_deref().unwrap_or(label);
        let labels = self.site_labels(&project, site.clone()).await;
        if labels.contains(label) || self.is_source_label(&project, &labels, label).await {
            return Some(LabelLookup::Found);
        }
        let is_external = site.has_external_labels;
        let has_code = is_external || site.has_source_labels;
        let similar = labels.similar(label).map(str::to_owned);
        Some(match similar {
            _ if has_code && is_generated_name(label) => LabelLookup::MayBeExternal,
            None if is_external => LabelLookup::MayBeExternal,
            similar => LabelLookup::Missing(similar),
        })
    }

    async fn is_source_label(
        &mut self,
        project: &Arc<Project>,
        labels: &Arc<Labels>,
        label: &str,
    ) -> bool {
        let (project, labels, label) = (Arc::clone(project), Arc::clone(labels), label.to_owned());
        let search = move || labels.is_in_source(&project, &label);
        tokio::task::spawn_blocking(search).await.unwrap_or_default()
    }

    /// Returns the result of a reference to a document of another project, `project:page`;
    /// `None` if the site does not name the project.
    pub(super) async fn check_other_project(
        &mut self,
        link: &LocalLink,
    ) -> Option<LocalLinkResult> {
        let (document, path) = link.site_path()?;
        let (document, path) = (document.to_owned(), path.to_owned());
        let project = self.project().await?;
        let site = project.labels_site(&project.relative(&document)?)?;
        match other_project(site, &path)? {
            LabelLookup::OtherProject(url) => Some(in_other_project(url)),
            _ => None,
        }
    }

    async fn site_labels(&mut self, project: &Arc<Project>, site: DocSite) -> Arc<Labels> {
        if let Some(labels) = self.labels.get(&site.config) {
            return Arc::clone(labels);
        }
        let (files, project, config) =
            (Arc::clone(self.files), Arc::clone(project), site.config.clone());
        let read = move || Labels::read(&*files, &project, &site);
        let labels = Arc::new(tokio::task::spawn_blocking(read).await.unwrap_or_default());
        self.labels.insert(config, Arc::clone(&labels));
        labels
    }

    /// Checks an anchor as a label of the site. Returns `None` if the generator
    /// has no labels, or if the label is missing and cannot be elsewhere.
    pub(super) async fn check_label(
        &mut self,
        link: &LocalLink,
        label: &str,
    ) -> Option<LocalLinkResult> {
        let (document, _) = link.site_path().filter(|_| link.style().is_same_document)?;
        let document = document.to_owned();
        let is_reference = link.style().may_be_page_name;
        match self.find_label(&document, label).await? {
            LabelLookup::Found => Some(alive(link, "the label exists")),
            LabelLookup::OtherProject(url) => Some(in_other_project(url)),
            LabelLookup::MayBeExternal if is_reference || is_object_name(label) => {
                Some(LocalLinkResult::Skipped(CheckSkipReason::Anchor))
            }
            LabelLookup::Missing(similar) if is_reference => {
                let similar = similar.map(|name| format!("; there is `{name}`"));
                let similar = similar.unwrap_or_default();
                let reason = format!("no label `{label}` in the documents of the site{similar}");
                Some(finding(link, codes::MISSING_ANCHOR, reason))
            }
            LabelLookup::Missing(_) | LabelLookup::MayBeExternal => None,
        }
    }
}

/// Returns the project that a label `project:label` names.
fn other_project(site: &DocSite, label: &str) -> Option<LabelLookup> {
    let (name, _) = label.split_once(':')?;
    let project = site.other_projects.iter().find(|project| project.name == name)?;
    let base = |url: &String| {
        let base = url.strip_suffix(INVENTORY).unwrap_or(url);
        format!("{}/{INVENTORY}", base.trim_end_matches('/'))
    };
    Some(LabelLookup::OtherProject(project.url.as_ref().map(base)))
}

/// Returns the result of a link to another project. Its inventory must exist; which labels it
/// lists is not checked.
fn in_other_project(inventory: Option<String>) -> LocalLinkResult {
    match inventory {
        Some(url) => LocalLinkResult::Web(url),
        None => LocalLinkResult::Skipped(CheckSkipReason::OtherSite),
    }
}

/// Whether a label may be generated from source code.
fn is_generated_name(label: &str) -> bool {
    is_object_name(label) || label.starts_with(GALLERY_LABEL)
}

/// Whether a label may be the name of an object in source code: `Class`, `object.member`.
fn is_object_name(label: &str) -> bool {
    let is_class = label.starts_with(|first: char| first.is_ascii_uppercase())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && label.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    is_class || label.contains('.')
}
