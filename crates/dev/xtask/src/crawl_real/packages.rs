//! The Debian packages whose documentation is crawled.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::XtaskError;
use crate::workspace::output;

/// A site made of Debian packages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site {
    /// Its name on the command line.
    pub(super) name: &'static str,
    /// The packages that hold its files (Debian 12).
    packages: &'static [&'static str],
    /// Path of its files in the packages.
    root: &'static str,
    /// The path of its first page.
    pub(super) start: &'static str,
}

/// All sites, the largest last.
pub(super) const SITES: [Site; 5] = [
    Site {
        name: "python",
        packages: &["python3.11-doc"],
        root: "usr/share/doc/python3.11/html",
        start: "/index.html",
    },
    Site {
        name: "postgresql",
        packages: &["postgresql-doc-15"],
        root: "usr/share/doc/postgresql-doc-15/html",
        start: "/index.html",
    },
    Site {
        name: "sqlite",
        packages: &["sqlite3-doc"],
        root: "usr/share/doc/sqlite3",
        start: "/index.html",
    },
    Site {
        name: "boost",
        packages: &["libboost1.81-doc"],
        root: "usr/share/doc/libboost1.81-doc",
        start: "/doc/html/index.html",
    },
    Site {
        name: "rust",
        packages: &["rust-doc"],
        root: "usr/share/doc/rust-doc/html",
        start: "/index.html",
    },
];

/// Returns the default directory for packages.
pub(super) fn default_cache() -> Result<PathBuf, XtaskError> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    cache
        .map(|cache| cache.join("relink-test/real-sites"))
        .ok_or_else(|| XtaskError::new("no cache directory").hint("name one with --cache DIR"))
}

/// Returns the directory with the files of a site. Downloads and unpacks its
/// packages the first time.
pub(super) fn unpacked_files(
    site: &Site,
    cache: &Path,
    progress: &impl Fn(&str),
) -> Result<PathBuf, XtaskError> {
    let folder = cache.join(site.name);
    let (files, done) = (folder.join("files"), folder.join("unpacked"));
    if !done.is_file() {
        std::fs::create_dir_all(&files).map_err(|error| XtaskError::io(&files, &error))?;
        for package in site.packages {
            progress(&format!("{}: package {package}", site.name));
            unpack(package, &folder, &files)?;
        }
        std::fs::write(&done, "").map_err(|error| XtaskError::io(&done, &error))?;
    }
    let root = files.join(site.root);
    if root.is_dir() {
        return Ok(root);
    }
    Err(XtaskError::new(format!("`{}` is not in its packages", site.root))
        .hint("the names of packages and paths are those of Debian 12"))
}

/// Downloads a package and unpacks its files.
fn unpack(package: &str, folder: &Path, files: &Path) -> Result<(), XtaskError> {
    let hint = "run `apt-get update` on Debian 12";
    output(Command::new("apt-get").args(["download", package]).current_dir(folder))
        .map_err(|error| XtaskError::new(error.to_string()).hint(hint))?;
    let entries = std::fs::read_dir(folder).map_err(|error| XtaskError::io(folder, &error))?;
    let is_archive_of_package = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_archive = path.extension().is_some_and(|extension| extension == "deb");
        is_archive && name.starts_with(&format!("{package}_"))
    };
    let archive = entries.flatten().map(|entry| entry.path()).find(is_archive_of_package);
    let archive = archive.ok_or_else(|| XtaskError::new(format!("no archive of `{package}`")))?;
    output(Command::new("dpkg-deb").arg("-x").arg(&archive).arg(files)).map(|_| ())
}
