//! Looks up the file of a path on disk, and a similar path if it is missing.

use std::path::{Path, PathBuf};

use super::directory_cache::PathKind;
use super::local::LocalLink;
use super::local_check::{LocalLinkChecker, PathLookup};

impl LocalLinkChecker<'_> {
    /// Looks up a file, with the extensions that a link may omit. The reason
    /// for a missing file is empty.
    pub(super) async fn find_file(&mut self, path: &Path, link: &LocalLink) -> PathLookup {
        match self.kind(path).await {
            PathKind::File => return PathLookup::File(path.to_owned()),
            PathKind::Directory => return self.folder(path).await,
            PathKind::Missing | PathKind::Unknown => {}
        }
        let fallback = self.options.local.fallback_extensions.iter().map(String::as_str);
        let extensions = link.style().extensions.iter().copied();
        for extension in extensions.chain([DEFAULT_EXTENSION]).chain(fallback) {
            let extended = with_extension(path, extension);
            if self.exists(&extended).await {
                return PathLookup::File(extended);
            }
        }
        match self.any_extension(path) {
            Some(file) => PathLookup::File(file),
            None => PathLookup::Missing(String::new()),
        }
    }

    /// Returns the first file of `image.*`, from which Sphinx chooses one.
    fn any_extension(&mut self, path: &Path) -> Option<PathBuf> {
        let prefix = path.file_name()?.to_str()?.strip_suffix('*').filter(|p| p.ends_with('.'))?;
        let folder = path.parent()?;
        let names = self.directories.listing(&**self.files, folder)?;
        let name = names.keys().filter(|name| name.starts_with(prefix)).min()?;
        Some(folder.join(name))
    }

    /// Returns what a path leads to.
    pub(super) async fn kind(&mut self, path: &Path) -> PathKind {
        match self.directories.kind(&**self.files, path) {
            PathKind::Unknown => {}
            known => return known,
        }
        match self.files.exists(path).await {
            false => PathKind::Missing,
            true if self.files.is_dir(path).await => PathKind::Directory,
            true => PathKind::File,
        }
    }

    pub(super) async fn exists(&mut self, path: &Path) -> bool {
        self.kind(path).await != PathKind::Missing
    }

    async fn folder(&mut self, path: &Path) -> PathLookup {
        let options = self.options;
        let names = &options.local.index_files;
        for name in names {
            let index = path.join(name);
            if name == "." {
                break;
            }
            if self.exists(&index).await {
                return PathLookup::File(index);
            }
        }
        if names.is_empty() || names.iter().any(|name| name == ".") {
            return PathLookup::Folder(path.to_owned());
        }
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        PathLookup::Missing(format!("the directory has no {}", names.join(" or ")))
    }

    /// Returns the reason for a missing file, with a similar path if there is
    /// one.
    pub(super) async fn missing_reason(&mut self, link: &LocalLink) -> String {
        let hint = link.site_path().and_then(|(_, written)| url_hint(written));
        if let Some(hint) = hint {
            return format!("no such file; {hint}");
        }
        match self.similar_path(link.path()).await {
            Some(similar) => format!("no such file; there is `{similar}`"),
            None => "no such file".to_owned(),
        }
    }

    /// Returns a path that differs only by case or extension, starting at the
    /// first different component.
    async fn similar_path(&mut self, path: &Path) -> Option<String> {
        let mut folder = PathBuf::new();
        let mut similar: Option<PathBuf> = None;
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            let next = folder.join(component);
            if self.exists(&next).await {
                folder = next;
                similar = similar.map(|similar| similar.join(component));
                continue;
            }
            let is_last = components.peek().is_none();
            let wanted = component.as_os_str().to_str()?;
            let listing = self.listings.get(&**self.files, &folder).await;
            let name = listing.similar_name(wanted, is_last)?;
            folder.push(name);
            similar = Some(similar.unwrap_or_default().join(name));
        }
        similar.map(|similar| similar.display().to_string())
    }
}

/// Ends of host names. Other ends, such as `.md` and `.rs`, are usually file extensions.
const HOST_ENDINGS: [&str; 14] = [
    ".com", ".org", ".net", ".io", ".dev", ".edu", ".gov", ".ly", ".co", ".ai", ".app", ".eu",
    ".de", ".uk",
];

/// Extension that most servers add to a URL path.
const DEFAULT_EXTENSION: &str = "html";

/// Returns what is wrong with a path that is probably meant as a URL or an address.
fn url_hint(written: &str) -> Option<&'static str> {
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_host = |host: &str| {
        host.contains('.') && host.split('.').all(is_label) && {
            HOST_ENDINGS.iter().any(|ending| host.ends_with(ending))
        }
    };
    if written.starts_with(['(', '[', '"', '\'']) && written.contains("://") {
        return Some("the URL is in extra brackets or quotes");
    }
    if written.rsplit_once('@').is_some_and(|(name, host)| !name.contains('/') && is_host(host)) {
        return Some("a mail address needs `mailto:`");
    }
    let host = written.split(['/', ':']).next().unwrap_or_default();
    is_host(host).then_some("a URL needs `https://`")
}

/// Appends an extension: `a.b` becomes `a.b.html`, because `.b` may not be an
/// extension.
fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let mut extended = path.as_os_str().to_owned();
    extended.push(".");
    extended.push(extension.trim_start_matches('.'));
    extended.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_tell_urls_from_files() {
        for (written, expected) in [
            ("(https://a.test/b)", Some("the URL is in extra brackets or quotes")),
            ("ada@mail.example.org", Some("a mail address needs `mailto:`")),
            ("example.com/a.md", Some("a URL needs `https://`")),
            ("www.example.co.uk", Some("a URL needs `https://`")),
            ("guide.md", None),
            ("src/lib.rs", None),
            ("../example.com", None),
        ] {
            assert_eq!(url_hint(written), expected, "{written}");
        }
    }
}
