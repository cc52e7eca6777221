//! Links to local files and to anchors in them.
//!
//! This module only resolves paths as text. `local_check` accesses the file
//! system.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;
use relink_model::LinkKind;
use relink_page::DocumentFormat;
use url::Url;

use super::LocalRules;

/// Extensions that a cross-reference omits.
const RST_EXTENSIONS: &[&str] = &["rst", "md", "txt", "ipynb"];
const MARKDOWN_EXTENSIONS: &[&str] = &["md", "mdx", "markdown"];
const ASCIIDOC_EXTENSIONS: &[&str] = &["adoc", "asciidoc"];

/// Maximum length of a file extension.
const MAX_EXTENSION_LENGTH: usize = 8;

/// A link to a local file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocalLink {
    path: PathBuf,
    /// Further paths of a root-relative link, one per root.
    alternatives: Vec<PathBuf>,
    /// The path as written and decoded; `None` for a `file:` URL.
    written: Option<String>,
    /// The document of the link, if it is a file.
    document: Option<PathBuf>,
    /// Whether only the rules of a site can resolve the link.
    is_site_only: bool,
    /// The fragment as written; `None` if there is none to check.
    fragment: Option<String>,
    style: LinkStyle,
}

/// Syntax of a link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent property of a syntax")]
pub(super) struct LinkStyle {
    /// Extensions that such a link may omit.
    pub(super) extensions: &'static [&'static str],
    /// Whether the link may refer to something other than a file of this name.
    /// If so, a missing file is not a finding.
    pub(super) may_be_page_name: bool,
    /// Whether the link is an anchor in the same document.
    pub(super) is_same_document: bool,
    /// Whether the link may be a wiki link, `[[name]]`.
    pub(super) is_wiki_link: bool,
    /// Whether the link is a URL of the site's host, on which there may be more than the
    /// site.
    pub(super) is_url: bool,
}

impl LocalLink {
    /// Resolves `text` relative to `folder`, the directory of `document_path`.
    /// Returns `None` for a root-relative link without a root in a document that
    /// is not a file.
    pub(super) fn new(
        text: &str,
        folder: &Path,
        document_path: Option<&Path>,
        rules: &LocalRules,
    ) -> Option<Self> {
        let (encoded, fragment) = split_fragment(text);
        let decoded = percent_decode(encoded);
        let mut paths = match (decoded.starts_with('/'), document_path) {
            (true, _) => rules.paths_of(&decoded),
            (false, Some(document_path)) if decoded.is_empty() => vec![document_path.to_owned()],
            (false, _) => vec![folder.join(&decoded)],
        };
        let is_site_only = paths.is_empty();
        if is_site_only {
            document_path?;
            paths.push(PathBuf::from(&decoded));
        }
        let mut paths = paths.iter().map(|path| normalize(path));
        Some(Self {
            path: paths.next()?,
            alternatives: paths.collect(),
            written: Some(decoded),
            document: document_path.map(Path::to_owned),
            is_site_only,
            fragment,
            style: LinkStyle::default(),
        })
    }

    /// Resolves a `file:` URL. Returns `None` if the file is on another
    /// machine.
    pub(super) fn from_file_url(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let path = url.to_file_path().ok()?;
        let fragment = url.fragment().map(str::to_owned).filter(|text| !text.is_empty());
        Some(Self {
            path: normalize(&path),
            alternatives: Vec::new(),
            written: None,
            document: None,
            is_site_only: false,
            fragment,
            style: LinkStyle::default(),
        })
    }

    /// Sets the syntax of the link.
    pub(super) fn with_style(mut self, style: LinkStyle) -> Self {
        self.style = style;
        self
    }

    /// Removes the fragment.
    pub(super) fn without_fragment(mut self) -> Self {
        self.fragment = None;
        self
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the files that the link may refer to, without the rules of a
    /// site.
    pub(super) fn candidates(&self) -> impl Iterator<Item = &Path> {
        let own = (!self.is_site_only).then_some(&self.path);
        own.into_iter().chain(&self.alternatives).map(PathBuf::as_path)
    }

    /// Whether only the rules of a site can resolve the link.
    pub(super) fn is_site_only(&self) -> bool {
        self.is_site_only
    }

    /// Returns the document and the path as written, for the rules of a site.
    pub(super) fn site_path(&self) -> Option<(&Path, &str)> {
        Some((self.document.as_deref()?, self.written.as_deref()?))
    }

    /// Returns the link to another file, with the same fragment.
    pub(super) fn with_path(&self, path: &Path) -> Self {
        Self { path: path.to_owned(), is_site_only: false, ..self.clone() }
    }

    /// Returns the link with a slash at its start; `None` if it is not a relative path.
    pub(super) fn to_root_relative(&self) -> Option<Self> {
        let written = self.written.as_deref().filter(|path| !path.starts_with(['/', '.']))?;
        let written = format!("/{written}");
        let path = PathBuf::from(&written);
        Some(Self { path, written: Some(written), is_site_only: true, ..self.clone() })
    }

    /// Whether the path contains a name in braces or angle brackets, such as `{root}` or
    /// `<name>`, for which a template or the reader supplies a text.
    pub(super) fn has_placeholder(&self) -> bool {
        self.written.as_deref().is_some_and(is_placeholder)
    }

    /// Returns the fragment.
    pub(super) fn fragment(&self) -> Option<&str> {
        self.fragment.as_deref()
    }

    /// Returns the syntax of the link.
    pub(super) fn style(&self) -> LinkStyle {
        self.style
    }

    /// Returns a key that is equal for all links to the same file.
    pub(super) fn file_key(&self) -> String {
        match self.path.to_str() {
            Some(path) if self.is_site_only => format!("site:{path}"),
            Some(path) => format!("file:{path}"),
            // A lossy conversion could map two files to one key.
            None => format!("file:{}", self.path.as_os_str().as_encoded_bytes().escape_ascii()),
        }
    }

    /// Returns a key that is equal for all links to the same anchor.
    pub(super) fn key(&self) -> String {
        match &self.fragment {
            Some(fragment) => format!("{}#{fragment}", self.file_key()),
            None => self.file_key(),
        }
    }
}

/// Returns the syntax of a link; `None` if it refers to a page name that cannot
/// be mapped to a file.
pub(super) fn link_style(kind: LinkKind, format: DocumentFormat, text: &str) -> Option<LinkStyle> {
    let path = split_fragment(text).0;
    if format == DocumentFormat::Wikitext {
        return None;
    }
    // Antora resolves `version@component:module:family$page`.
    let is_resource_id = format == DocumentFormat::AsciiDoc && path.contains([':', '$', '@']);
    if kind != LinkKind::Reference {
        // A component may build another path from the value of an attribute.
        let is_component_value = kind == LinkKind::Value && format == DocumentFormat::Markdown;
        let may_be_page_name = is_resource_id || is_component_value;
        return Some(LinkStyle { may_be_page_name, ..LinkStyle::default() });
    }
    let may_be_page_name = match format {
        // A page name may refer to a file in any directory.
        DocumentFormat::Markdown => !has_extension(path) || !has_known_extension(path),
        // `project:page` is a page of another project.
        DocumentFormat::Rst => path.contains(':'),
        DocumentFormat::AsciiDoc => is_resource_id,
        _ => false,
    };
    let extensions = match format {
        DocumentFormat::Rst => RST_EXTENSIONS,
        DocumentFormat::Markdown => MARKDOWN_EXTENSIONS,
        DocumentFormat::AsciiDoc => ASCIIDOC_EXTENSIONS,
        _ => &[],
    };
    let is_wiki_link = format == DocumentFormat::Markdown && may_be_page_name;
    Some(LinkStyle { extensions, may_be_page_name, is_wiki_link, ..LinkStyle::default() })
}

/// Returns the syntax of an anchor link. The label of a cross-reference may be
/// defined in another document.
pub(super) fn anchor_style(kind: LinkKind, format: DocumentFormat) -> LinkStyle {
    let may_be_page_name = kind == LinkKind::Reference && format != DocumentFormat::AsciiDoc;
    LinkStyle { may_be_page_name, is_same_document: true, ..LinkStyle::default() }
}

/// Whether a page name ends with the extension of a document or an image, and
/// not with a part of the name, as in `[[menus.main]]`.
pub(super) fn has_known_extension(path: &str) -> bool {
    let known = [
        "md", "mdx", "markdown", "html", "htm", "txt", "rst", "adoc", "png", "jpg", "jpeg", "gif",
        "svg", "webp", "pdf", "rs", "py", "js", "ts", "json", "toml", "yml", "yaml", "sh", "mp4",
        "webm", "mov", "mp3", "avif", "ico", "css", "scss", "jsx", "tsx", "astro", "vue", "svelte",
    ];
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    known.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        (1..=MAX_EXTENSION_LENGTH).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

/// Whether a text contains a name in braces or angle brackets.
pub(super) fn is_placeholder(text: &str) -> bool {
    let is_name = |name: &str| {
        let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || b"_-. ".contains(&byte);
        name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.bytes().all(is_name_byte)
    };
    [('{', '}'), ('<', '>')].into_iter().any(|(opening, closing)| {
        let parts = text.split(opening).skip(1);
        parts.filter_map(|part| part.split_once(closing)).any(|(name, _)| is_name(name))
    })
}

/// Splits a link into path and fragment. The query is dropped, because it does
/// not select a file.
fn split_fragment(text: &str) -> (&str, Option<String>) {
    let (before, fragment) = match text.split_once('#') {
        Some((before, fragment)) => (before, Some(fragment.to_owned())),
        None => (text, None),
    };
    let path = before.split('?').next().unwrap_or_default();
    (path, fragment.filter(|fragment| !fragment.is_empty()))
}

/// Decodes percent escapes. Returns the text unchanged if the result is not
/// valid UTF-8.
fn percent_decode(text: &str) -> String {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map_or_else(|_| text.to_owned(), Cow::into_owned)
}

/// Removes `.` and `a/..` components without accessing the file system.
pub(super) fn normalize(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        let can_go_up = matches!(normalized.components().next_back(), Some(Component::Normal(_)));
        match component {
            Component::CurDir => {}
            Component::ParentDir if can_go_up => {
                normalized.pop();
            }
            other => normalized.push(other),
        }
    }
    if normalized.as_os_str().is_empty() { PathBuf::from(".") } else { normalized }
}

#[cfg(test)]
mod tests {
    use super::super::PathMap;
    use super::*;

    fn key(link: Option<LocalLink>) -> String {
        link.map_or_else(|| "none".to_owned(), |link| link.key())
    }

    #[track_caller]
    fn check(folder: &str, text: &str, expect: &str) {
        let document_path = Path::new("docs/own.md");
        let rules = LocalRules::default();
        let link = LocalLink::new(text, Path::new(folder), Some(document_path), &rules);
        assert_eq!(key(link), expect);
    }

    #[test]
    fn links_are_relative_to_the_folder() {
        check("docs", "a.md", "file:docs/a.md");
        check("docs/deep", "../a.md#part", "file:docs/a.md#part");
        check("", "./a.md?raw=1", "file:a.md");
        check("docs", "a.md?x=1#y?z", "file:docs/a.md#y?z");
        check("docs", "..", "file:.");
        check("docs", "../../a.md", "file:../a.md");
    }

    #[test]
    fn names_in_brackets_are_placeholders() {
        for text in ["{root}a/b.js", "<name-of-the-file>.adoc", "a/{group.id}{x}.md"] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in ["a.md", "{}", "a>b<c", "{1}", "a{b/c}"] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn percent_escapes_are_decoded() {
        check("docs", "two%20words.md#%C3%A9", "file:docs/two words.md#%C3%A9");
        check("docs", "100%.md", "file:docs/100%.md");
        check("docs", "%ff.md", "file:docs/%ff.md");
    }

    #[test]
    fn fragment_only_link_refers_to_the_document() {
        check("docs", "#part", "file:docs/own.md#part");
        check("docs", "?page=2", "file:docs/own.md");
        check("docs", "#", "file:docs/own.md");
    }

    #[test]
    fn root_relative_link_requires_a_root() {
        check("docs", "/a.md", "site:/a.md");
        let link = |rules: &LocalRules| LocalLink::new("/a/b.md#c", Path::new("docs"), None, rules);
        assert_eq!(key(link(&LocalRules::default())), "none");
        let rules =
            LocalRules { roots: vec!["site".into(), "static".into()], ..Default::default() };
        assert_eq!(key(link(&rules)), "file:site/a/b.md#c");
        let candidates: Vec<PathBuf> =
            link(&rules).unwrap().candidates().map(Path::to_owned).collect();
        assert_eq!(candidates, [Path::new("site/a/b.md"), Path::new("static/a/b.md")]);
        let maps = vec![PathMap { prefix: "/a".into(), dir: "docs".into() }];
        let rules = LocalRules { maps, ..Default::default() };
        assert_eq!(key(link(&rules)), "file:docs/b.md#c");
    }

    #[cfg(unix)]
    #[test]
    fn file_url_resolves_to_a_path() {
        assert_eq!(key(LocalLink::from_file_url("file:///srv/a%20b.md#c")), "file:/srv/a b.md#c");
        assert_eq!(key(LocalLink::from_file_url("file://localhost/srv")), "file:/srv");
        assert_eq!(key(LocalLink::from_file_url("file://elsewhere/srv")), "none");
    }

    #[test]
    fn page_names_are_distinguished_from_files() {
        let reference = |format, text| link_style(LinkKind::Reference, format, text);
        assert_eq!(reference(DocumentFormat::Wikitext, "Page"), None);
        let is_name_in = |format, text| reference(format, text).map(|style| style.may_be_page_name);
        assert_eq!(is_name_in(DocumentFormat::AsciiDoc, "ROOT:page.adoc"), Some(true));
        assert_eq!(is_name_in(DocumentFormat::AsciiDoc, "page.adoc"), Some(false));
        let is_name = |text| is_name_in(DocumentFormat::Markdown, text);
        assert_eq!(is_name("Some page"), Some(true));
        assert_eq!(is_name("v1.2"), Some(true));
        assert_eq!(is_name("listings/main.rs"), Some(false));
    }
}
