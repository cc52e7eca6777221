//! What a link leads to, seen from where its document stands.

use relink_frontier::{canonical, host_name};
use relink_judge::codes;
use relink_model::{Link, LinkTarget, Word};
use relink_ports::NewTarget;
use url::Url;

use super::local::LocalLink;
use super::{LoadSettings, Standing};
use crate::Ports;

/// What becomes of a link.
pub(super) enum Meaning {
    /// It is a target of the run.
    Target(NewTarget),
    /// It leads to no page.
    Skipped,
    /// It takes no part in this run.
    LeftOut,
}

/// Resolves the links of one document.
pub(super) struct Resolver<'a> {
    ports: &'a Ports,
    settings: &'a LoadSettings,
    standing: &'a Standing,
    base: Option<Url>,
}

impl<'a> Resolver<'a> {
    /// `base` is what the document itself says its links are relative to.
    pub(super) fn new(
        ports: &'a Ports,
        settings: &'a LoadSettings,
        standing: &'a Standing,
        base: Option<&str>,
    ) -> Self {
        let base = match (standing, base) {
            (Standing::Web(url), Some(base)) => url.join(base).ok().or_else(|| Some(url.clone())),
            (Standing::Web(url), None) => Some(url.clone()),
            (Standing::Folder(_), Some(base)) => Url::parse(base).ok(),
            (Standing::Folder(_), None) => None,
        };
        Self { ports, settings, standing, base }
    }

    /// What the link means.
    pub(super) async fn resolve(&self, link: &Link) -> Meaning {
        match &link.target {
            LinkTarget::Web(text) => self.web(text),
            LinkTarget::Path(text) if self.base.is_some() => self.web(text),
            LinkTarget::Path(text) => self.local(text).await,
            // Places in the same document are checked with anchors.
            LinkTarget::Fragment(_) | LinkTarget::Skipped(..) => Meaning::Skipped,
            LinkTarget::Malformed(text, reason) => self.malformed(text, reason),
        }
    }

    fn web(&self, text: &str) -> Meaning {
        // Without a base, `//host/path` takes the scheme that is safe to assume.
        let absolute = match (&self.base, text.strip_prefix("//")) {
            (None, Some(rest)) => format!("https://{rest}"),
            _ => text.to_owned(),
        };
        let url = match canonical(self.base.as_ref(), &absolute) {
            Ok(url) => url,
            Err(fault) => return self.malformed(text, &fault.to_string()),
        };
        if self.settings.is_offline || !self.settings.scope.takes(url.as_str()) {
            return Meaning::LeftOut;
        }
        Meaning::Target(NewTarget::Web {
            host: host_name(&url),
            is_named: self.names(&url),
            url: url.into(),
        })
    }

    /// Addresses in the user's own documents are named by the user; those on
    /// fetched pages only on the page's own host and port.
    fn names(&self, url: &Url) -> bool {
        match self.standing {
            Standing::Folder(_) => true,
            Standing::Web(page) => {
                page.host() == url.host()
                    && page.port_or_known_default() == url.port_or_known_default()
            }
        }
    }

    async fn local(&self, text: &str) -> Meaning {
        let Standing::Folder(folder) = self.standing else { return Meaning::Skipped };
        let Some(local) = LocalLink::new(folder, text) else { return Meaning::Skipped };
        if !self.settings.scope.takes(&local.key()) {
            return Meaning::LeftOut;
        }
        let exists = self.ports.files.exists(local.path()).await;
        Meaning::Target(NewTarget::Local {
            key: local.key(),
            word: if exists { Word::Alive } else { Word::Local },
            code: (!exists).then_some(codes::MISSING_FILE),
            reason: if exists { "the file is there" } else { "no such file" }.to_owned(),
        })
    }

    fn malformed(&self, text: &str, reason: &str) -> Meaning {
        if !self.settings.scope.takes(text) {
            return Meaning::LeftOut;
        }
        Meaning::Target(NewTarget::Local {
            key: format!("malformed:{text}"),
            word: Word::Local,
            code: Some(codes::MALFORMED_URL),
            reason: reason.to_owned(),
        })
    }
}

/// The address as the reader knows it: as written where that is an address,
/// and never with credentials.
pub(super) fn given(link: &Link, target: &NewTarget) -> String {
    let text = link.target.text();
    match (Url::parse(text), target) {
        (Ok(url), NewTarget::Web { .. }) if url.username().is_empty() && url.password().is_none() => {
            text.to_owned()
        }
        (_, NewTarget::Web { url, .. }) => url.clone(),
        (_, NewTarget::Local { .. }) => text.to_owned(),
    }
}
