//! Resolves links relative to their document.
//!
//! This module does not access the file system.

use std::borrow::Cow;
use std::path::Path;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};
use relink_frontier::{UrlFilter, UrlRemap, canonicalize, host_key};
use relink_model::{
    Link, LinkKind, LinkTarget, RequestRights, SkipReason, Verdict, redact_stored_url, redact_url,
    with_authority,
};
use relink_page::{DocumentFormat, classify, has_client_templates, has_placeholder};
use relink_ports::NewTarget;
use relink_sites::{Generator, SOURCE_PREFIX, Variables, template_path};
use url::Url;

use super::local::{LinkStyle, LocalLink, anchor_style, link_style, normalize};
use super::skip::CheckSkipReason;
use super::{DocumentBase, LoadSettings, LocalRules};
use crate::anchors::required_fragment;
use crate::base::is_base;
use crate::parsed_page::BadLink;
use crate::reserved::is_reserved_host;

/// Characters that are escaped in a path segment (URL standard, 1.3).
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

/// Tags of Jekyll for the URL of the site.
const SITE_URLS: [&str; 2] = ["{{ site.url }}", "{{site.url}}"];

/// Resolution of a link.
pub(super) enum LinkResolution {
    /// A target of the run.
    Target(NewTarget),
    /// A local file that may not exist.
    File(LocalLink),
    /// Not checked.
    Skipped(CheckSkipReason),
}

impl LinkResolution {
    /// Returns the URL to show to users: as written if that is a complete URL,
    /// and never with credentials.
    pub(super) fn display_url(&self, link: &Link) -> String {
        let text = link.target.text();
        let redacted = redact_stored_url(text);
        match (self, redacted) {
            (Self::Target(NewTarget::Web { url, .. }), redacted)
                if matches!(redacted, Cow::Owned(_)) || !is_web_url(text) =>
            {
                url.clone()
            }
            (_, redacted) => redacted.into_owned(),
        }
    }
}

/// Whether a text is an absolute web URL, unlike `http2.html`.
fn is_web_url(text: &str) -> bool {
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Resolves the links of one document.
#[expect(clippy::struct_excessive_bools, reason = "each is an independent option")]
pub(super) struct LinkResolver {
    scope: UrlFilter,
    is_offline: bool,
    rules: LocalRules,
    format: DocumentFormat,
    document_base: DocumentBase,
    /// Whether hosts reserved for examples are skipped.
    skips_reserved: bool,
    /// Whether the document was written by others.
    is_third_party: bool,
    /// How template placeholders are treated.
    placeholders: Placeholders,
    /// Whether the fragments of links to web pages are checked.
    checks_anchors: bool,
    /// Whether links in code are checked.
    includes_code: bool,
    /// Whether the syntax of mail addresses is checked.
    checks_mail: bool,
    /// Rules that replace URLs.
    remap: UrlRemap,
    /// Base of relative links, if it is a web URL.
    base: Option<Url>,
    /// Base set by the document itself.
    base_href: BaseHref,
    /// Whether the document is a template of pages with other paths.
    is_template: bool,
    /// The generator of the document, and the variables of its site.
    variables: Option<(Generator, Variables)>,
}

/// Treatment of template placeholders in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placeholders {
    /// They are skipped, because a template engine replaces them.
    Skipped,
    /// They are findings, because the document is a published page without
    /// client-side templates.
    Findings,
}

impl Placeholders {
    fn from_document(document_base: &DocumentBase, format: DocumentFormat, head: &[u8]) -> Self {
        let is_page =
            matches!(format, DocumentFormat::Html | DocumentFormat::Xml | DocumentFormat::Css);
        if document_base.is_on_web() && is_page && !has_client_templates(head) {
            Self::Findings
        } else {
            Self::Skipped
        }
    }
}

/// Base URL set by a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BaseHref {
    /// The document does not set a base.
    None,
    /// The document sets another base.
    Resolved,
    /// The base is root-relative, but no root is configured.
    Unresolvable,
}

impl LinkResolver {
    /// Creates a resolver for a document with this format and base.
    pub(super) fn new(
        settings: &LoadSettings,
        format: DocumentFormat,
        document_base: DocumentBase,
        head: &[u8],
    ) -> Self {
        let rules = settings.read_options.local.clone();
        let base = match &document_base {
            DocumentBase::Web { url, .. } => Some(url.clone()),
            DocumentBase::Folder { folder, .. } => published_base(&rules, folder),
        };
        // Reserved hosts in arguments and web pages are intentional.
        let is_file = matches!(&document_base, DocumentBase::Folder { document_path: Some(_), .. });
        Self {
            scope: settings.scope.clone(),
            is_offline: settings.is_offline,
            rules,
            format,
            placeholders: Placeholders::from_document(&document_base, format, head),
            document_base,
            skips_reserved: settings.read_options.skips_reserved && is_file,
            is_third_party: settings.read_options.is_third_party,
            checks_anchors: settings.read_options.remote_anchors,
            includes_code: settings.read_options.includes_code,
            checks_mail: settings.read_options.checks_mail,
            remap: settings.read_options.remap.clone(),
            base,
            base_href: BaseHref::None,
            is_template: format == DocumentFormat::Html && has_template_tags(head),
            variables: None,
        }
    }

    /// Sets the variables of the site that publishes the document.
    pub(super) fn with_variables(mut self, variables: Option<(Generator, Variables)>) -> Self {
        self.variables = variables;
        self
    }

    /// Applies the base that the document sets.
    pub(super) fn with_base(mut self, base: Option<&str>) -> Self {
        let Some(base) = base else { return self };
        let declared_base = match &self.base {
            Some(url) => url.join(&with_authority(base)).ok(),
            None if base.starts_with("//") => Url::parse(&format!("https:{base}")).ok(),
            None => Url::parse(base).ok(),
        };
        if declared_base.as_ref().is_some_and(|url| !is_base(url)) {
            return self;
        }
        if declared_base.is_some() {
            self.base_href = BaseHref::Resolved;
        }
        self.base = declared_base.or(self.base);
        if self.base.is_none() {
            self.set_local_base(base);
        }
        self
    }

    /// Applies a relative base to a local document.
    fn set_local_base(&mut self, base: &str) {
        let DocumentBase::Folder { folder, document_path } = &self.document_base else { return };
        self.base_href = BaseHref::Resolved;
        let link = LocalLink::new(base, folder, document_path.as_deref(), &self.rules);
        let Some(link) = link.filter(|link| !link.is_site_only()) else {
            self.base_href = BaseHref::Unresolvable;
            return;
        };
        let document_path = link.path().to_owned();
        let is_folder = base.split(['?', '#']).next().is_some_and(|path| path.ends_with('/'));
        let folder = if is_folder { Some(document_path.as_path()) } else { document_path.parent() };
        self.document_base = DocumentBase::Folder {
            folder: folder.unwrap_or(Path::new("")).to_owned(),
            document_path: Some(document_path),
        };
    }

    /// Resolves a link.
    pub(super) fn resolve(&self, link: &Link) -> LinkResolution {
        let kind = link.location.kind;
        if self.placeholders == Placeholders::Findings && has_placeholder(&link.target) {
            return self.bad_link(link.target.text(), BadLink::placeholder());
        }
        match &link.target {
            LinkTarget::Web(text) => self.resolve_web(text, self.skips_reserved),
            LinkTarget::Path(text) => self.resolve_path(text, kind),
            LinkTarget::Fragment(text) => self.resolve_fragment(text, kind),
            LinkTarget::Skipped(text, SkipReason::Scheme) if is_file_url(text) => {
                self.resolve_file_url(text)
            }
            LinkTarget::Skipped(text, SkipReason::Scheme) if self.checks_mail && is_mail(text) => {
                self.resolve_mail(text)
            }
            LinkTarget::Skipped(text, SkipReason::Code) if self.includes_code => {
                match classify(text) {
                    LinkTarget::Skipped(_, reason) => LinkResolution::Skipped(reason.into()),
                    target => self.resolve(&Link { target, ..link.clone() }),
                }
            }
            LinkTarget::Skipped(text, SkipReason::Placeholder) => self.resolve_template(text, kind),
            LinkTarget::Skipped(_, reason) => LinkResolution::Skipped((*reason).into()),
            LinkTarget::Malformed(text, reason) => self.malformed(text, reason),
        }
    }

    /// Resolves a destination with variables of the site, or with template tags of its
    /// generator that stand for a path.
    fn resolve_template(&self, text: &str, kind: LinkKind) -> LinkResolution {
        if self.document_base.is_on_web() {
            return LinkResolution::Skipped(CheckSkipReason::Placeholder);
        }
        let own_url = SITE_URLS.iter().any(|tag| text.starts_with(tag));
        let variables = self.variables.as_ref().filter(|_| !own_url);
        let expanded = variables.and_then(|(generator, all)| all.expand(*generator, text));
        if let Some(expanded) = expanded {
            return self.resolve_expanded(&expanded, kind);
        }
        let Some(path) = template_path(text) else {
            return LinkResolution::Skipped(CheckSkipReason::Placeholder);
        };
        match self.resolve_path(&path, kind) {
            LinkResolution::File(link) => {
                // Hugo also finds a page by its name alone.
                let may_be_page_name = !path.starts_with('/') && !path.starts_with(SOURCE_PREFIX);
                let is_url = own_url;
                let style = LinkStyle { may_be_page_name, is_url, ..link.style() };
                LinkResolution::File(link.with_style(style))
            }
            _ => LinkResolution::Skipped(CheckSkipReason::Placeholder),
        }
    }

    /// Resolves a destination whose variables are replaced. In AsciiDoc, a colon may separate
    /// the parts of a resource id.
    fn resolve_expanded(&self, text: &str, kind: LinkKind) -> LinkResolution {
        let is_resource_id = self.format == DocumentFormat::AsciiDoc && !text.contains("//");
        // Without an extension, the target of `xref:` is an anchor.
        let is_anchor = kind == LinkKind::Reference && !text.contains(['.', '#', ':', '$', '/']);
        match classify(text) {
            _ if is_resource_id && is_anchor => self.resolve_fragment(&format!("#{text}"), kind),
            _ if is_resource_id && !text.starts_with('#') => self.resolve_path(text, kind),
            LinkTarget::Web(url) => self.resolve_web(&url, self.skips_reserved),
            LinkTarget::Path(path) => self.resolve_path(&path, kind),
            LinkTarget::Fragment(text) => self.resolve_fragment(&text, kind),
            LinkTarget::Skipped(..) | LinkTarget::Malformed(..) => {
                LinkResolution::Skipped(CheckSkipReason::Placeholder)
            }
        }
    }

    /// Checks the syntax of the addresses of a `mailto:` URL.
    fn resolve_mail(&self, text: &str) -> LinkResolution {
        if !self.scope.matches(text) {
            return LinkResolution::Skipped(CheckSkipReason::Excluded);
        }
        match invalid_mail_address(text) {
            Some(address) => self.malformed(text, &format!("invalid mail address `{address}`")),
            None => LinkResolution::Target(NewTarget::Local {
                key: text.to_owned(),
                verdict: Verdict::Alive,
                code: None,
                reason: "the mail address is valid".to_owned(),
            }),
        }
    }

    fn resolve_web(&self, text: &str, skips_reserved: bool) -> LinkResolution {
        // Without a base, assume HTTPS for `//host/path`.
        let url = match (&self.base, text.strip_prefix("//")) {
            (None, Some(rest)) => canonicalize(None, &format!("https://{rest}")),
            (base, _) => canonicalize(base.as_ref(), text),
        };
        let url = match url {
            Ok(url) => url,
            Err(error) => return self.malformed(text, &error.to_string()),
        };
        let url = match self.remap.apply(url.as_str()) {
            None => url,
            Some(new) if is_file_url(&new) => return self.resolve_file_url(&new),
            Some(new) => match canonicalize(None, &new) {
                Ok(new) => new,
                Err(error) => return self.malformed(&new, &error.to_string()),
            },
        };
        if skips_reserved && url.host_str().is_some_and(is_reserved_host) {
            return LinkResolution::Skipped(CheckSkipReason::Reserved);
        }
        if !self.scope.matches_any(&[text, url.as_str()]) {
            return LinkResolution::Skipped(CheckSkipReason::Excluded);
        }
        if self.is_offline {
            return LinkResolution::Skipped(CheckSkipReason::Offline);
        }
        let rights = if self.is_third_party {
            RequestRights::discovered()
        } else {
            self.document_base.rights_for(&url)
        };
        LinkResolution::Target(NewTarget::Web { host: host_key(&url), rights, url: url.into() })
    }

    fn resolve_path(&self, text: &str, kind: LinkKind) -> LinkResolution {
        let Some(style) = link_style(kind, self.format, text) else {
            return LinkResolution::Skipped(CheckSkipReason::PageName);
        };
        // A cross-reference refers to a source file on disk, even if the pages
        // are published elsewhere.
        let is_source = kind == LinkKind::Reference
            && self.base_href == BaseHref::None
            && !self.document_base.is_on_web();
        if self.base.is_some() && !is_source {
            return self.resolve_web(text, false);
        }
        let DocumentBase::Folder { folder, document_path } = &self.document_base else {
            return LinkResolution::Skipped(CheckSkipReason::PageName);
        };
        if self.base_href == BaseHref::Unresolvable {
            return LinkResolution::Skipped(CheckSkipReason::NoRoot);
        }
        match LocalLink::new(text, folder, document_path.as_deref(), &self.rules) {
            None => LinkResolution::Skipped(CheckSkipReason::NoRoot),
            Some(link) => {
                // The pages of a template have other directories.
                let may_be_page_name =
                    style.may_be_page_name || self.is_template && !text.starts_with('/');
                self.resolve_local(link.with_style(LinkStyle { may_be_page_name, ..style }))
            }
        }
    }

    /// Returns the fragment to check on a web page, if any.
    pub(super) fn required_fragment(
        &self,
        link: &Link,
        resolution: &LinkResolution,
    ) -> Option<String> {
        let is_web = matches!(resolution, LinkResolution::Target(NewTarget::Web { .. }));
        (is_web && self.checks_anchors).then(|| required_fragment(link.target.text())).flatten()
    }

    /// Resolves an anchor in the document itself. On a web page it is checked
    /// with the other anchors of the page. If the document sets a base, the
    /// link refers to another document.
    fn resolve_fragment(&self, text: &str, kind: LinkKind) -> LinkResolution {
        let is_checked = self.checks_anchors && required_fragment(text).is_some();
        if self.document_base.is_on_web() && is_checked {
            return self.resolve_web(text, false);
        }
        let DocumentBase::Folder { folder, document_path: Some(document_path) } =
            &self.document_base
        else {
            return LinkResolution::Skipped(CheckSkipReason::Anchor);
        };
        if self.base_href != BaseHref::None
            || self.rules.anchors.is_none()
            || self.format == DocumentFormat::Wikitext
        {
            return LinkResolution::Skipped(CheckSkipReason::Anchor);
        }
        match LocalLink::new(text, folder, Some(document_path), &self.rules) {
            None => LinkResolution::Skipped(CheckSkipReason::Anchor),
            Some(link) => self.resolve_local(link.with_style(anchor_style(kind, self.format))),
        }
    }

    /// Resolves a `file:` URL. Only local documents may contain one.
    fn resolve_file_url(&self, text: &str) -> LinkResolution {
        match LocalLink::from_file_url(text).filter(|_| !self.document_base.is_on_web()) {
            None => LinkResolution::Skipped(CheckSkipReason::Scheme),
            Some(link) => self.resolve_local(link),
        }
    }

    fn resolve_local(&self, link: LocalLink) -> LinkResolution {
        let link = if self.rules.anchors.is_none() { link.without_fragment() } else { link };
        if self.scope.excludes(&link.key()) {
            return LinkResolution::Skipped(CheckSkipReason::Excluded);
        }
        LinkResolution::File(link)
    }

    fn malformed(&self, text: &str, reason: &str) -> LinkResolution {
        self.bad_link(text, BadLink::malformed(reason.to_owned()))
    }

    fn bad_link(&self, text: &str, bad: BadLink) -> LinkResolution {
        if !self.scope.matches(text) {
            return LinkResolution::Skipped(CheckSkipReason::Excluded);
        }
        LinkResolution::Target(NewTarget::Local {
            // Never store a password, even of a malformed URL.
            key: format!("malformed:{}", redact_url(text)),
            verdict: Verdict::Local,
            code: Some(bad.code),
            reason: bad.reason,
        })
    }
}

/// Returns the URL under which the documents of a directory are published: the
/// base URL plus the path relative to the root.
fn published_base(rules: &LocalRules, folder: &Path) -> Option<Url> {
    let base = rules.base.clone()?;
    let current = Path::new(".");
    let (folder, root) = (normalize(folder), rules.roots.first().map(|root| normalize(root)));
    let relative = match root {
        Some(root) if root == current && folder.is_relative() => Some(folder.as_path()),
        Some(root) => folder.strip_prefix(root).ok(),
        None => None,
    };
    let Some(relative) =
        relative.filter(|relative| !relative.as_os_str().is_empty() && *relative != current)
    else {
        return Some(base);
    };
    let mut url = base.clone();
    url.path_segments_mut().ok()?.pop_if_empty().push("");
    let mut path = url.path().to_owned();
    for component in relative.components() {
        let name = percent_encode(component.as_os_str().as_encoded_bytes(), PATH_SEGMENT);
        path.extend([name.to_string().as_str(), "/"]);
    }
    url.set_path(&path);
    Some(url)
}

/// Whether an HTML document contains tags of a template engine such as Jinja or
/// Liquid.
fn has_template_tags(head: &[u8]) -> bool {
    head.windows(2).any(|tag| matches!(tag, b"{%" | b"{{" | b"<%"))
}

fn is_mail(text: &str) -> bool {
    text.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:"))
}

/// Returns the first address of a `mailto:` URL (RFC 6068) that is not valid.
/// Quoted local parts and addresses of hosts without a dot are not accepted.
fn invalid_mail_address(url: &str) -> Option<String> {
    let addresses = url.get(7..).unwrap_or_default().split('?').next().unwrap_or_default();
    let decoded = percent_decode_str(addresses).decode_utf8_lossy().into_owned();
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let is_valid = |address: &&str| {
        address.trim().rsplit_once('@').is_some_and(|(local, domain)| {
            let is_local =
                local.chars().all(|c| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c));
            !local.is_empty() && is_local && domain.contains('.') && domain.split('.').all(is_label)
        })
    };
    // A URL without an address opens an empty message.
    let mut addresses = decoded.split(',').filter(|address| !address.is_empty());
    addresses.find(|address| !is_valid(address)).map(str::to_owned)
}

fn is_file_url(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}
