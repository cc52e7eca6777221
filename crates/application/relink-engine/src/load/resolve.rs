//! What a link leads to, seen from where its document stands.
//!
//! By letters alone: whether a file is there is asked elsewhere.

use std::borrow::Cow;
use std::path::Path;

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use relink_frontier::{UrlFilter, canonicalize, host_key};
use relink_model::{
    Link, LinkKind, LinkTarget, SkipReason, Verdict, redact_stored_url, redact_url, with_authority,
};
use relink_page::{DocumentFormat, fills_placeholders, holds_placeholder};
use relink_ports::NewTarget;
use url::Url;

use super::local::{LocalLink, manner, own_manner, tidied};
use super::skip::CheckSkipReason;
use super::{DocumentBase, LoadSettings, LocalRules};
use crate::anchors::wanted;
use crate::base::is_base;
use crate::crawl::BadLink;
use crate::reserved::is_reserved;

/// What is escaped in a segment of a path (URL standard, 1.3).
const PATH_SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// What becomes of a link.
pub(super) enum LinkResolution {
    /// It is a target of the run.
    Target(NewTarget),
    /// It leads to a file that may or may not be there.
    File(LocalLink),
    /// It is not checked.
    Skipped(CheckSkipReason),
    /// It takes no part in this run.
    LeftOut,
}

impl LinkResolution {
    /// The address as the reader knows it: as written where that is an
    /// address, and never with credentials.
    pub(super) fn given(&self, link: &Link) -> String {
        let text = link.target.text();
        let masked = redact_stored_url(text);
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
pub(super) struct LinkResolver {
    scope: UrlFilter,
    is_offline: bool,
    rules: LocalRules,
    format: DocumentFormat,
    document_base: DocumentBase,
    /// Whether names reserved for examples are passed over.
    skips_reserved: bool,
    /// What a placeholder of a template means in the document.
    placeholders: Placeholders,
    /// Whether places on web pages are looked for.
    looks_for_places: bool,
    /// What relative links are relative to, if that is on the web.
    base: Option<Url>,
    /// What the document itself says about that.
    said: BaseHref,
}

/// What placeholders of templates mean in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placeholders {
    /// They are there to be replaced.
    Skipped,
    /// The document is a page as readers get it, and none of its scripts
    /// replaces them.
    Findings,
}

impl Placeholders {
    fn of(document_base: &DocumentBase, format: DocumentFormat, head: &[u8]) -> Self {
        let is_page =
            matches!(format, DocumentFormat::Html | DocumentFormat::Xml | DocumentFormat::Css);
        if document_base.is_on_web() && is_page && !fills_placeholders(head) {
            Self::Findings
        } else {
            Self::Skipped
        }
    }
}

/// What a document says its links are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BaseHref {
    /// Nothing.
    Nothing,
    /// Another place than its own.
    Elsewhere,
    /// A place below the root, and nobody said where that is.
    Unresolvable,
}

impl LinkResolver {
    /// For a document of this format that stands here.
    pub(super) fn new(
        settings: &LoadSettings,
        format: DocumentFormat,
        document_base: DocumentBase,
        head: &[u8],
    ) -> Self {
        let rules = settings.reading.local.clone();
        let base = match &document_base {
            DocumentBase::Web { url, .. } => Some(url.clone()),
            DocumentBase::Folder { folder, .. } => published(&rules, folder),
        };
        // What a user names, or a page on the web, is meant.
        let is_file = matches!(&document_base, DocumentBase::Folder { own: Some(_), .. });
        Self {
            scope: settings.scope.clone(),
            is_offline: settings.is_offline,
            rules,
            format,
            placeholders: Placeholders::of(&document_base, format, head),
            document_base,
            skips_reserved: settings.reading.skips_reserved && is_file,
            looks_for_places: settings.reading.remote_anchors,
            base,
            said: BaseHref::Nothing,
        }
    }

    /// With what the document itself says its links are relative to.
    pub(super) fn with_base(mut self, base: Option<&str>) -> Self {
        let Some(base) = base else { return self };
        let said = match &self.base {
            Some(url) => url.join(&with_authority(base)).ok(),
            None if base.starts_with("//") => Url::parse(&format!("https:{base}")).ok(),
            None => Url::parse(base).ok(),
        };
        if said.as_ref().is_some_and(|url| !is_base(url)) {
            return self;
        }
        if said.is_some() {
            self.said = BaseHref::Elsewhere;
        }
        self.base = said.or(self.base);
        if self.base.is_none() {
            self.move_to(base);
        }
        self
    }

    /// On the disk, a relative base is another place to stand.
    fn move_to(&mut self, base: &str) {
        let DocumentBase::Folder { folder, own } = &self.document_base else { return };
        self.said = BaseHref::Elsewhere;
        let link = LocalLink::new(base, folder, own.as_deref(), self.rules.root.as_deref());
        let Some(link) = link else {
            self.said = BaseHref::Unresolvable;
            return;
        };
        let own = link.path().to_owned();
        let is_folder = base.split(['?', '#']).next().is_some_and(|path| path.ends_with('/'));
        let folder = if is_folder { Some(own.as_path()) } else { own.parent() };
        self.document_base = DocumentBase::Folder {
            folder: folder.unwrap_or(Path::new("")).to_owned(),
            own: Some(own),
        };
    }

    /// What the link means.
    pub(super) fn resolve(&self, link: &Link) -> LinkResolution {
        let kind = link.location.kind;
        if self.placeholders == Placeholders::Findings && holds_placeholder(&link.target) {
            return self.bad_link(link.target.text(), BadLink::placeholder());
        }
        match &link.target {
            LinkTarget::Web(text) => self.web(text, self.skips_reserved),
            LinkTarget::Path(text) => self.path(text, kind),
            LinkTarget::Fragment(text) => self.fragment(text, kind),
            LinkTarget::Skipped(text, SkipReason::Scheme) if is_file_address(text) => {
                self.file_address(text)
            }
            LinkTarget::Skipped(_, reason) => LinkResolution::Skipped((*reason).into()),
            LinkTarget::Malformed(text, reason) => self.malformed(text, reason),
        }
    }

    fn web(&self, text: &str, skips_reserved: bool) -> LinkResolution {
        // Without a base, `//host/path` takes the scheme that is safe to assume.
        let url = match (&self.base, text.strip_prefix("//")) {
            (None, Some(rest)) => canonicalize(None, &format!("https://{rest}")),
            (base, _) => canonicalize(base.as_ref(), text),
        };
        let url = match url {
            Ok(url) => url,
            Err(error) => return self.malformed(text, &error.to_string()),
        };
        if skips_reserved && url.host_str().is_some_and(is_reserved) {
            return LinkResolution::Skipped(CheckSkipReason::Reserved);
        }
        if self.is_offline || !self.scope.matches(url.as_str()) {
            return LinkResolution::LeftOut;
        }
        LinkResolution::Target(NewTarget::Web {
            host: host_key(&url),
            rights: self.document_base.rights_of(&url),
            url: url.into(),
        })
    }

    fn path(&self, text: &str, kind: LinkKind) -> LinkResolution {
        let Some(manner) = manner(kind, self.format, text) else {
            return LinkResolution::Skipped(CheckSkipReason::PageName);
        };
        // A reference leads to a source, which lies on the disk wherever the
        // pages made of it are published.
        let is_source = kind == LinkKind::Reference
            && self.said == BaseHref::Nothing
            && !self.document_base.is_on_web();
        if self.base.is_some() && !is_source {
            return self.web(text, false);
        }
        let DocumentBase::Folder { folder, own } = &self.document_base else {
            return LinkResolution::Skipped(CheckSkipReason::PageName);
        };
        if self.said == BaseHref::Unresolvable {
            return LinkResolution::Skipped(CheckSkipReason::NoRoot);
        }
        let link = LocalLink::new(text, folder, own.as_deref(), self.rules.root.as_deref());
        match link {
            None => LinkResolution::Skipped(CheckSkipReason::NoRoot),
            Some(link) => self.local(link.written(manner)),
        }
    }

    /// The place that a link wants on a web page, if such are looked for.
    pub(super) fn place(&self, link: &Link, meaning: &LinkResolution) -> Option<String> {
        let is_web = matches!(meaning, LinkResolution::Target(NewTarget::Web { .. }));
        (is_web && self.looks_for_places).then(|| wanted(link.target.text())).flatten()
    }

    /// A place in the document itself. On the web, that takes more than one
    /// look at the page, and where a base is set, it is not this document.
    fn fragment(&self, text: &str, kind: LinkKind) -> LinkResolution {
        let is_looked_for = self.looks_for_places && wanted(text).is_some();
        if self.document_base.is_on_web() && is_looked_for {
            return self.web(text, false);
        }
        let DocumentBase::Folder { folder, own: Some(own) } = &self.document_base else {
            return LinkResolution::Skipped(CheckSkipReason::Anchor);
        };
        if self.said != BaseHref::Nothing
            || self.rules.anchors.is_none()
            || self.format == DocumentFormat::Wikitext
        {
            return LinkResolution::Skipped(CheckSkipReason::Anchor);
        }
        match LocalLink::new(text, folder, Some(own), None) {
            None => LinkResolution::Skipped(CheckSkipReason::Anchor),
            Some(link) => self.local(link.written(own_manner(kind, self.format))),
        }
    }

    /// A file by its address; only documents on this machine can mean one.
    fn file_address(&self, text: &str) -> LinkResolution {
        match LocalLink::of_address(text).filter(|_| !self.document_base.is_on_web()) {
            None => LinkResolution::Skipped(CheckSkipReason::Scheme),
            Some(link) => self.local(link),
        }
    }

    fn local(&self, link: LocalLink) -> LinkResolution {
        let link = if self.rules.anchors.is_none() { link.without_fragment() } else { link };
        if !self.scope.matches(&link.file_key()) || self.scope.excludes(&link.key()) {
            return LinkResolution::LeftOut;
        }
        LinkResolution::File(link)
    }

    fn malformed(&self, text: &str, reason: &str) -> LinkResolution {
        self.bad_link(text, BadLink::malformed(reason.to_owned()))
    }

    fn bad_link(&self, text: &str, bad: BadLink) -> LinkResolution {
        if !self.scope.matches(text) {
            return LinkResolution::LeftOut;
        }
        LinkResolution::Target(NewTarget::Local {
            // Malformed or not, a password is never stored.
            key: format!("malformed:{}", redact_url(text)),
            verdict: Verdict::Local,
            code: Some(bad.code),
            reason: bad.reason,
        })
    }
}

/// The address that a directory's documents are published under: that of the
/// root, and the way from there.
fn published(rules: &LocalRules, folder: &Path) -> Option<Url> {
    let base = rules.base.clone()?;
    let here = Path::new(".");
    let (folder, root) = (tidied(folder), rules.root.as_deref().map(tidied));
    let below = match root {
        Some(root) if root == here && folder.is_relative() => Some(folder.as_path()),
        Some(root) => folder.strip_prefix(root).ok(),
        None => None,
    };
    let Some(below) = below.filter(|below| !below.as_os_str().is_empty() && *below != here) else {
        return Some(base);
    };
    let mut url = base.clone();
    url.path_segments_mut().ok()?.pop_if_empty().push("");
    let mut path = url.path().to_owned();
    for component in below.components() {
        let name = percent_encode(component.as_os_str().as_encoded_bytes(), PATH_SEGMENT);
        path.extend([name.to_string().as_str(), "/"]);
    }
    url.set_path(&path);
    Some(url)
}

fn is_file_address(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}
