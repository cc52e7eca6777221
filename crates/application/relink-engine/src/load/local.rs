//! Links to files beside a document, and to places in them.
//!
//! By letters alone: which file lies there, and whether it has the anchor, is
//! asked on the shelf.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use percent_encoding::percent_decode_str;
use relink_model::LinkKind;
use relink_page::DocumentFormat;
use url::Url;

/// Extensions that a cross-reference to a page leaves out.
const PAGES_OF_RST: &[&str] = &["rst", "md", "txt", "ipynb"];
const PAGES_OF_MARKDOWN: &[&str] = &["md", "mdx", "markdown"];
const PAGES_OF_ASCIIDOC: &[&str] = &["adoc", "asciidoc"];

/// The longest extension a file is believed to have.
const LONGEST_EXTENSION: usize = 8;

/// A link to a file, as a path on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocalLink {
    path: PathBuf,
    /// The place in it, as written; nothing if there is none to look for.
    fragment: Option<String>,
    manner: LinkStyle,
}

/// In which manner a link is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LinkStyle {
    /// Extensions that links of this manner leave out.
    pub(super) extensions: &'static [&'static str],
    /// Whether it may mean something other than a file of this name, so that
    /// a missing one is no finding.
    pub(super) may_be_name: bool,
    /// Whether it is a place in the very document it stands in.
    pub(super) is_own: bool,
}

impl LocalLink {
    /// The file that `text` means, seen from `folder`, in which the document
    /// `own` stands. `None` for links from the root if there is no root.
    pub(super) fn new(
        text: &str,
        folder: &Path,
        own: Option<&Path>,
        root: Option<&Path>,
    ) -> Option<Self> {
        let (written, fragment) = parts(text);
        let decoded = percent_decoded(written);
        let path = match (decoded.strip_prefix('/'), own) {
            (Some(rest), _) => root?.join(rest.trim_start_matches('/')),
            (None, Some(own)) if decoded.is_empty() => own.to_owned(),
            (None, _) => folder.join(decoded),
        };
        Some(Self { path: tidied(&path), fragment, manner: LinkStyle::default() })
    }

    /// The file that a `file:` address means; `None` if it is on another machine.
    pub(super) fn of_address(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let path = url.to_file_path().ok()?;
        let fragment = url.fragment().map(str::to_owned).filter(|text| !text.is_empty());
        Some(Self { path: tidied(&path), fragment, manner: LinkStyle::default() })
    }

    /// The same link, written in some manner.
    pub(super) fn written(mut self, manner: LinkStyle) -> Self {
        self.manner = manner;
        self
    }

    /// The same link without its place in the file.
    pub(super) fn without_fragment(mut self) -> Self {
        self.fragment = None;
        self
    }

    /// The path to look at.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The place in it.
    pub(super) fn fragment(&self) -> Option<&str> {
        self.fragment.as_deref()
    }

    /// In which manner it is written.
    pub(super) fn manner(&self) -> LinkStyle {
        self.manner
    }

    /// The same for every link to the same file.
    pub(super) fn file_key(&self) -> String {
        match self.path.to_str() {
            Some(path) => format!("file:{path}"),
            // Replaced bytes would make two files one.
            None => format!("file:{}", self.path.as_os_str().as_encoded_bytes().escape_ascii()),
        }
    }

    /// The same for every link to the same place.
    pub(super) fn key(&self) -> String {
        match &self.fragment {
            Some(fragment) => format!("{}#{fragment}", self.file_key()),
            None => self.file_key(),
        }
    }
}

/// In which manner a link of this kind is written in a format; `None` if it
/// names a page that no file can be told from.
pub(super) fn manner(kind: LinkKind, format: DocumentFormat, text: &str) -> Option<LinkStyle> {
    let path = parts(text).0;
    if format == DocumentFormat::Wikitext {
        return None;
    }
    if kind != LinkKind::Reference {
        return Some(LinkStyle::default());
    }
    let may_be_name = match format {
        // The name of a page may be that of a file anywhere in a notebook.
        DocumentFormat::Markdown => !has_extension(path),
        _ => false,
    };
    let extensions = match format {
        DocumentFormat::Rst => PAGES_OF_RST,
        DocumentFormat::Markdown => PAGES_OF_MARKDOWN,
        // `version@component:module:family$page` is for Antora to find.
        DocumentFormat::AsciiDoc if path.contains([':', '$', '@']) => return None,
        DocumentFormat::AsciiDoc => PAGES_OF_ASCIIDOC,
        _ => &[],
    };
    Some(LinkStyle { extensions, may_be_name, is_own: false })
}

/// A place in the document itself; a label of a cross-reference may stand in
/// another one.
pub(super) fn own_manner(kind: LinkKind, format: DocumentFormat) -> LinkStyle {
    let may_be_name = kind == LinkKind::Reference && format != DocumentFormat::AsciiDoc;
    LinkStyle { extensions: &[], may_be_name, is_own: true }
}

fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        (1..=LONGEST_EXTENSION).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

/// The path and the fragment of a link; the query says nothing about a file.
fn parts(text: &str) -> (&str, Option<String>) {
    let (before, fragment) = match text.split_once('#') {
        Some((before, fragment)) => (before, Some(fragment.to_owned())),
        None => (text, None),
    };
    let path = before.split('?').next().unwrap_or_default();
    (path, fragment.filter(|fragment| !fragment.is_empty()))
}

/// `%20` and its kin; anything that is not valid UTF-8 afterwards stays as is.
fn percent_decoded(text: &str) -> String {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map_or_else(|_| text.to_owned(), Cow::into_owned)
}

/// The path without `.` and `a/..`, by its letters alone.
pub(super) fn tidied(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        let can_go_up = matches!(tidy.components().next_back(), Some(Component::Normal(_)));
        match component {
            Component::CurDir => {}
            Component::ParentDir if can_go_up => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    if tidy.as_os_str().is_empty() { PathBuf::from(".") } else { tidy }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(link: Option<LocalLink>) -> String {
        link.map_or_else(|| "none".to_owned(), |link| link.key())
    }

    #[track_caller]
    fn check(folder: &str, text: &str, expect: &str) {
        let own = Path::new("docs/own.md");
        assert_eq!(told(LocalLink::new(text, Path::new(folder), Some(own), None)), expect);
    }

    #[test]
    fn links_are_seen_from_their_folder() {
        check("docs", "a.md", "file:docs/a.md");
        check("docs/deep", "../a.md#part", "file:docs/a.md#part");
        check("", "./a.md?raw=1", "file:a.md");
        check("docs", "a.md?x=1#y?z", "file:docs/a.md#y?z");
        check("docs", "..", "file:.");
        check("docs", "../../a.md", "file:../a.md");
    }

    #[test]
    fn escapes_are_resolved() {
        check("docs", "two%20words.md#%C3%A9", "file:docs/two words.md#%C3%A9");
        check("docs", "100%.md", "file:docs/100%.md");
        check("docs", "%ff.md", "file:docs/%ff.md");
    }

    #[test]
    fn a_fragment_alone_is_a_place_in_the_document() {
        check("docs", "#part", "file:docs/own.md#part");
        check("docs", "?page=2", "file:docs/own.md");
        check("docs", "#", "file:docs/own.md");
    }

    #[test]
    fn a_root_relative_link_needs_a_root() {
        check("docs", "/a.md", "none");
        let link = LocalLink::new("/a/b.md#c", Path::new("docs"), None, Some(Path::new("site")));
        assert_eq!(told(link), "file:site/a/b.md#c");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_address_is_a_path() {
        assert_eq!(told(LocalLink::of_address("file:///srv/a%20b.md#c")), "file:/srv/a b.md#c");
        assert_eq!(told(LocalLink::of_address("file://localhost/srv")), "file:/srv");
        assert_eq!(told(LocalLink::of_address("file://elsewhere/srv")), "none");
    }

    #[test]
    fn names_of_pages_are_told_from_files() {
        let reference = |format, text| manner(LinkKind::Reference, format, text);
        assert_eq!(reference(DocumentFormat::Wikitext, "Page"), None);
        assert_eq!(reference(DocumentFormat::AsciiDoc, "ROOT:page.adoc"), None);
        let is_name =
            |text| reference(DocumentFormat::Markdown, text).map(|manner| manner.may_be_name);
        assert_eq!(is_name("Some page"), Some(true));
        assert_eq!(is_name("v1.2"), Some(true));
        assert_eq!(is_name("listings/main.rs"), Some(false));
    }
}
