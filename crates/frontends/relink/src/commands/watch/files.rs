//! Writes exported collections and reviews.

use std::path::Path;

use relink_report::human::counted;
use relink_report::printable;
use relink_report::watch::{WatchReport, path_site};

use crate::cli::WatchExportFormat;
use crate::error::CommandError;
use crate::output::print;

/// Returns the format for an output path: Markdown without a path, and a site for a path
/// without a known extension, which is a directory.
pub(super) fn export_format(output: Option<&Path>) -> WatchExportFormat {
    let extension = output.and_then(Path::extension).map(std::ffi::OsStr::to_ascii_lowercase);
    match extension.as_ref().and_then(|text| text.to_str()) {
        Some("md" | "markdown") => WatchExportFormat::Markdown,
        Some("opml") => WatchExportFormat::Opml,
        Some("html" | "htm") => WatchExportFormat::Bookmarks,
        Some("json") => WatchExportFormat::Json,
        _ if output.is_none() => WatchExportFormat::Markdown,
        _ => WatchExportFormat::Site,
    }
}

/// Writes a collection as a static site to a directory.
pub(super) fn write_site(report: &WatchReport, output: Option<&Path>) -> Result<(), CommandError> {
    let Some(dir) = output else {
        return Err(CommandError::usage("cannot write a site to standard output")
            .cause("a site has several files")
            .hint("use `-o DIR`"));
    };
    std::fs::create_dir_all(dir).map_err(|error| cannot_write(dir, &error))?;
    let files = path_site(report);
    for file in &files {
        write_file(&dir.join(&file.name), &file.content)?;
    }
    let count = counted(files.len() as u64, "file");
    print(&format!("wrote {count} to {}\n", printable(&dir.display().to_string())))
}

pub(super) fn write_file(path: &Path, text: &str) -> Result<(), CommandError> {
    std::fs::write(path, text).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> CommandError {
    CommandError::usage(format!("cannot write `{}`", path.display()))
        .cause(error.to_string())
        .hint("choose another path with `-o`")
}
