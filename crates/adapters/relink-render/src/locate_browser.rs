//! Finds a browser to start.
//!
//! Pure but for one question, whether a file can be run, which comes in as an
//! argument.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use relink_ports::RenderError;
use rustix::fs::{Access, access};

/// The variable that names a browser.
const VARIABLE: &str = "RELINK_BROWSER";

/// The names it goes by, the free ones first.
const NAMES: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

/// Where it lies on systems whose `PATH` was cut short, as services have it.
const USUAL_PLACES: [&str; 4] = [
    "/usr/bin/chromium",
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// The browser that would be started: the given one, else the one that
/// `RELINK_BROWSER` names, else the first on the `PATH` or in a usual place.
///
/// One that was named and is not there is an error; no other is taken for it.
pub fn find_browser(given: Option<&Path>) -> Result<PathBuf, RenderError> {
    let variable = env::var_os(VARIABLE).filter(|value| !value.is_empty());
    let named = given.map(Path::to_owned).or_else(|| variable.map(PathBuf::from));
    let path = env::var_os("PATH").unwrap_or_default();
    choose(named, &path, |file| file.is_file() && access(file, Access::EXEC_OK).is_ok())
}

fn choose(
    named: Option<PathBuf>,
    path: &OsStr,
    is_program: impl Fn(&Path) -> bool,
) -> Result<PathBuf, RenderError> {
    if let Some(named) = named {
        let places = spelled(&named, path);
        let missing = || no_browser(Some(named.into_os_string()));
        return places.into_iter().find(|it| is_program(it)).ok_or_else(missing);
    }
    let on_path = NAMES.iter().flat_map(|name| on_path(OsStr::new(name), path));
    let usual = USUAL_PLACES.iter().map(PathBuf::from);
    on_path.chain(usual).find(|it| is_program(it)).ok_or_else(|| no_browser(None))
}

/// Where a browser that was named may lie: a bare name is looked for on the
/// `PATH`, as a shell would.
fn spelled(named: &Path, path: &OsStr) -> Vec<PathBuf> {
    match named.components().count() {
        1 => on_path(named.as_os_str(), path),
        _ => vec![named.to_owned()],
    }
}

fn on_path(name: &OsStr, path: &OsStr) -> Vec<PathBuf> {
    // An empty entry means the present directory, where anything may lie.
    let directories = env::split_paths(path).filter(|directory| directory.is_absolute());
    directories.map(|directory| directory.join(name)).collect()
}

fn no_browser(looked_for: Option<OsString>) -> RenderError {
    RenderError::NoBrowser { searched: looked_for.map(|it| it.to_string_lossy().into_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is chosen from these programs, with `/a:/b::c` as the `PATH`.
    #[track_caller]
    fn check(named: Option<&str>, programs: &[&str], expect: &str) {
        let is_program = |file: &Path| programs.iter().any(|it| Path::new(it) == file);
        let chosen = choose(named.map(PathBuf::from), OsStr::new("/a:/b::c"), is_program);
        let said = chosen.map_or_else(|error| error.to_string(), |it| it.display().to_string());
        assert_eq!(said, expect);
    }

    #[test]
    fn the_path_is_searched_by_name_then_by_place() {
        check(None, &["/b/chromium", "/a/google-chrome"], "/b/chromium");
        check(None, &["/b/chrome", "/a/google-chrome"], "/a/google-chrome");
        check(None, &["/usr/bin/chromium", "/a/chrome"], "/a/chrome");
        check(None, &["/usr/bin/chromium"], "/usr/bin/chromium");
    }

    #[test]
    fn the_present_directory_is_not_searched() {
        check(None, &["chromium", "c/chromium", "./chromium"], "no browser was found");
    }

    #[test]
    fn one_that_was_named_is_the_only_one() {
        check(Some("/x/y"), &["/x/y", "/a/chromium"], "/x/y");
        check(Some("edge"), &["/b/edge"], "/b/edge");
        check(Some("/x/y"), &["/a/chromium"], "no browser was found at `/x/y`");
    }
}
