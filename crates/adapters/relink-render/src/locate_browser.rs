//! Locates the browser executable.
//!
//! The selection ([`select`]) does not access the file system. Its caller passes a function that
//! tests whether a file is executable.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use relink_ports::RenderError;
use rustix::fs::{Access, access};

/// Environment variable with the name or path of a browser.
const VARIABLE: &str = "RELINK_BROWSER";

/// Names of the executable. Chromium comes before Chrome.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/// Usual paths, for services that run with a short `PATH`.
const USUAL_PATHS: [&str; 4] = [
    "/usr/bin/chromium",
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// Returns the browser to start: `given`, else the value of `RELINK_BROWSER`, else the
/// first browser on the `PATH` or at a usual path.
///
/// Fails if the given browser or the browser of the variable does not exist.
pub fn find_browser(given: Option<&Path>) -> Result<PathBuf, RenderError> {
    let variable = env::var_os(VARIABLE).filter(|value| !value.is_empty());
    let explicit = given.map(Path::to_owned).or_else(|| variable.map(PathBuf::from));
    let search_path = env::var_os("PATH").unwrap_or_default();
    let is_program = |file: &Path| file.is_file() && access(file, Access::EXEC_OK).is_ok();
    select(explicit, &search_path, is_program)
}

/// Selects the explicitly given browser, or the first known browser in `search_path` (the value
/// of `PATH`) or at a usual path.
fn select(
    explicit: Option<PathBuf>,
    search_path: &OsStr,
    is_program: impl Fn(&Path) -> bool,
) -> Result<PathBuf, RenderError> {
    if let Some(explicit) = explicit {
        let candidates = candidates(&explicit, search_path);
        let missing = || no_browser(Some(explicit.into_os_string()));
        return candidates.into_iter().find(|file| is_program(file)).ok_or_else(missing);
    }
    let on_path = NAMES.iter().flat_map(|name| on_path(OsStr::new(name), search_path));
    let usual = USUAL_PATHS.iter().map(PathBuf::from);
    on_path.chain(usual).find(|file| is_program(file)).ok_or_else(|| no_browser(None))
}

/// Returns the possible paths of an explicitly given browser. A bare name is
/// searched on the `PATH`, as a shell does.
fn candidates(browser: &Path, search_path: &OsStr) -> Vec<PathBuf> {
    match browser.components().count() {
        1 => on_path(browser.as_os_str(), search_path),
        _ => vec![browser.to_owned()],
    }
}

/// Returns the paths where a program of this name may be.
fn on_path(name: &OsStr, search_path: &OsStr) -> Vec<PathBuf> {
    // Skip relative entries. They mean directories below the current directory, which may
    // contain untrusted files. An empty entry means the current directory.
    let directories = env::split_paths(search_path).filter(|directory| directory.is_absolute());
    directories.map(|directory| directory.join(name)).collect()
}

fn no_browser(searched: Option<OsString>) -> RenderError {
    RenderError::NoBrowser { searched: searched.map(|path| path.to_string_lossy().into_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the selection among these programs, with `/a:/b::c` as the
    /// `PATH`.
    #[track_caller]
    fn check(explicit: Option<&str>, programs: &[&str], expect: &str) {
        let is_program = |file: &Path| programs.iter().any(|program| Path::new(program) == file);
        let selected = select(explicit.map(PathBuf::from), OsStr::new("/a:/b::c"), is_program);
        let result =
            selected.map_or_else(|error| error.to_string(), |path| path.display().to_string());
        assert_eq!(result, expect);
    }

    #[test]
    fn select_searches_each_name_in_all_directories_before_the_next_name() {
        check(None, &["/b/chromium", "/a/google-chrome"], "/b/chromium");
        check(None, &["/b/chrome", "/a/google-chrome"], "/a/google-chrome");
        check(None, &["/usr/bin/chromium", "/a/chrome"], "/a/chrome");
        check(None, &["/usr/bin/chromium"], "/usr/bin/chromium");
    }

    #[test]
    fn current_directory_is_not_searched() {
        check(None, &["chromium", "c/chromium", "./chromium"], "browser not found");
    }

    #[test]
    fn explicit_browser_has_no_fallback() {
        check(Some("/x/y"), &["/x/y", "/a/chromium"], "/x/y");
        check(Some("edge"), &["/b/edge"], "/b/edge");
        check(Some("/x/y"), &["/a/chromium"], "browser not found at `/x/y`");
    }
}
