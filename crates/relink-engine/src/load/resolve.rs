//! What a link leads to, seen from where its document stands.
//!
//! By letters alone: whether a file is there is asked elsewhere.

use std::borrow::Cow;

use relink_frontier::{Scope, canonical, host_name};
use relink_judge::codes;
use relink_model::{Link, LinkTarget, Word};
use relink_ports::NewTarget;
use relink_wire::redact;
use url::Url;

use super::Standing;
use super::local::LocalLink;

/// What becomes of a link.
pub(super) enum Meaning {
    /// It is a target of the run.
    Target(NewTarget),
    /// It leads to a file that may or may not be there.
    File(LocalLink),
    /// It leads to no page.
    Skipped,
    /// It takes no part in this run.
    LeftOut,
}

impl Meaning {
    /// The address as the reader knows it: as written where that is an
    /// address, and never with credentials.
    pub(super) fn given(&self, link: &Link) -> String {
        let text = link.target.text();
        // Most addresses hold no credentials, and this is asked of all of them.
        let masked = if text.contains('@') { redact(text) } else { text.into() };
        match (self, masked) {
            (Self::Target(NewTarget::Web { url, .. }), masked)
                if matches!(masked, Cow::Owned(_)) || !is_address(text) =>
            {
                url.clone()
            }
            (_, masked) => masked.into_owned(),
        }
    }
}

/// Whether a text is a web address by itself: `http2.html` is none.
fn is_address(text: &str) -> bool {
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Resolves the links of one document.
pub(super) struct Resolver {
    scope: Scope,
    is_offline: bool,
    standing: Standing,
    base: Option<Url>,
}

impl Resolver {
    /// For a document that stands here.
    pub(super) fn new(scope: &Scope, is_offline: bool, standing: Standing) -> Self {
        let base = match &standing {
            Standing::Web(url) => Some(url.clone()),
            Standing::Folder(_) => None,
        };
        Self { scope: scope.clone(), is_offline, standing, base }
    }

    /// With what the document itself says its links are relative to.
    pub(super) fn with_base(mut self, base: Option<&str>) -> Self {
        let said = match (&self.base, base) {
            (_, None) => None,
            (Some(url), Some(base)) => url.join(base).ok(),
            (None, Some(base)) => Url::parse(base).ok(),
        };
        self.base = said.or(self.base);
        self
    }

    /// What the link means.
    pub(super) fn resolve(&self, link: &Link) -> Meaning {
        match &link.target {
            LinkTarget::Web(text) => self.web(text),
            LinkTarget::Path(text) if self.base.is_some() => self.web(text),
            LinkTarget::Path(text) => self.local(text),
            // Places in the same document are checked with anchors.
            LinkTarget::Fragment(_) | LinkTarget::Skipped(..) => Meaning::Skipped,
            LinkTarget::Malformed(text, reason) => self.malformed(text, reason),
        }
    }

    fn web(&self, text: &str) -> Meaning {
        // Without a base, `//host/path` takes the scheme that is safe to assume.
        let url = match (&self.base, text.strip_prefix("//")) {
            (None, Some(rest)) => canonical(None, &format!("https://{rest}")),
            (base, _) => canonical(base.as_ref(), text),
        };
        let url = match url {
            Ok(url) => url,
            Err(fault) => return self.malformed(text, &fault.to_string()),
        };
        if self.is_offline || !self.scope.takes(url.as_str()) {
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
        match &self.standing {
            Standing::Folder(_) => true,
            Standing::Web(page) => {
                page.host() == url.host()
                    && page.port_or_known_default() == url.port_or_known_default()
            }
        }
    }

    fn local(&self, text: &str) -> Meaning {
        let Standing::Folder(folder) = &self.standing else { return Meaning::Skipped };
        match LocalLink::new(folder, text) {
            None => Meaning::Skipped,
            Some(local) if !self.scope.takes(&local.key()) => Meaning::LeftOut,
            Some(local) => Meaning::File(local),
        }
    }

    fn malformed(&self, text: &str, reason: &str) -> Meaning {
        if !self.scope.takes(text) {
            return Meaning::LeftOut;
        }
        Meaning::Target(NewTarget::Local {
            // Malformed or not, a password is never stored.
            key: format!("malformed:{}", redact(text)),
            word: Word::Local,
            code: Some(codes::MALFORMED_URL),
            reason: reason.to_owned(),
        })
    }
}
